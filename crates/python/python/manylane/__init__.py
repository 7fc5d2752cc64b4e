"""Hashes many messages, columns and files at once, on SIMD lanes and hardware rounds.

One message, shaped as in hashlib::

    >>> import manylane
    >>> manylane.sha256(b"abc").hexdigest()[:16]
    'ba7816bf8f01cfea'
    >>> manylane.new("shake_128", b"abc").hexdigest(8)
    '5881092dd818bf5c'

Many messages::

    >>> digests = manylane.hash_many([b"one", b"two", b"three"], "sha256", threads=2)
    >>> digests[0] == manylane.sha256(b"one").digest()
    True

A column of Arrow, whoever made it::

    >>> import pyarrow
    >>> digests = manylane.hash_array(pyarrow.array([b"one", None]), "sha256")
    >>> pyarrow.array(digests).type
    FixedSizeBinaryType(fixed_size_binary[32])

There are also ``hash_rows`` for tables, ``hash_files``, and HMAC in ``manylane.hmac``. ``explain``
and ``plan`` say how much of a primitive can run at the same time. ``python -m manylane.manifest``
writes digests of a data set to Parquet.
"""

import collections.abc
import types

from . import _manylane
from ._manylane import (
    Digests,
    Hash,
    __version__,
    engines,
    hash_array,
    hash_files,
    hash_many,
    hash_rows,
)
from . import hmac
from ._answers import Answer, explain, plan


#: The algorithms, named as hashlib names them. ``new`` also takes lengths ("skein512-128") and
#: other spellings ("SHA-512/256").
algorithms_available = {row[0] for row in _manylane.algorithms()}
#: The same: every algorithm is there on every platform.
algorithms_guaranteed = algorithms_available
#: Why an algorithm is not for new use, for those that are not.
warnings = {row[0]: row[5] for row in _manylane.algorithms() if row[5] is not None}

collections.abc.Sequence.register(Digests)
# The stubs say of which type the items are, so that annotations may.
Digests.__class_getitem__ = classmethod(types.GenericAlias)

_constructors = {name: getattr(_manylane, name) for name in algorithms_available}
globals().update(_constructors)


def new(name, data=b"", *, usedforsecurity=True, engine=None):
    """A hash by the algorithm of that name, on the best engine of this CPU or on the one named.

    >>> new("sha3-256", b"abc").hexdigest()[:8]
    '3a985da7'
    """
    constructor = _constructors.get(name)
    if constructor is None or engine is not None:
        return Hash(name, data, usedforsecurity=usedforsecurity, engine=engine)
    return constructor(data)


def file_digest(fileobj, digest, /, *, _bufsize=1 << 20):
    """The hash of a file object opened in binary mode, as ``hashlib.file_digest``.

    ``_bufsize``, of hashlib's too, is how many bytes are read at a time.

    >>> import io
    >>> file_digest(io.BytesIO(b"abc"), "md5").hexdigest()
    '900150983cd24fb0d6963f7d28e17f72'
    """
    if _bufsize < 1:
        raise ValueError(f"_bufsize={_bufsize}: give 1 or more")
    hasher = new(digest) if isinstance(digest, str) else digest()
    if hasattr(fileobj, "getbuffer"):
        # The whole content of a BytesIO, wherever its position is.
        hasher.update(fileobj.getbuffer())
        return hasher
    if hasattr(fileobj, "readable") and not fileobj.readable():
        raise ValueError(f"{fileobj!r} is not open for reading")
    if hasattr(fileobj, "readinto"):
        buffer = memoryview(bytearray(_bufsize))

        def read():
            size = fileobj.readinto(buffer)
            return None if size is None else buffer[:size]

    elif hasattr(fileobj, "read") and not isinstance(fileobj.read(0), str):

        def read():
            return fileobj.read(_bufsize)

    else:
        raise ValueError(f"{fileobj!r} is no file opened in binary mode")
    while (piece := read()) is None or len(piece) > 0:
        if piece is None:
            raise BlockingIOError(f"{fileobj!r} has no data yet: wait, or let its reads block")
        hasher.update(piece)
    return hasher


__all__ = [
    "Answer",
    "Digests",
    "Hash",
    "algorithms_available",
    "algorithms_guaranteed",
    "engines",
    "explain",
    "file_digest",
    "hash_array",
    "hash_files",
    "hash_many",
    "hash_rows",
    "hmac",
    "new",
    "plan",
    "warnings",
    *sorted(algorithms_available),
]
