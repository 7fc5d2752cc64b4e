"""HMAC, shaped as the module ``hmac`` of the standard library.

>>> import hashlib
>>> from manylane import hmac
>>> tag = hmac.digest(b"key", b"message", "sha256")
>>> hmac.compare_digest(tag, hmac.new(b"key", b"message", "sha256").digest())
True
>>> hmac.HMAC(b"key", b"message", hashlib.sha256).digest() == tag
True

Many messages under one key: ``manylane.hash_many(messages, algorithm, key=key)``.
"""

from hmac import compare_digest

from ._manylane import HMAC

# The number that hmac has there for every hash; `block_size` is that of the hash.
HMAC.blocksize = 64


def new(key, msg=None, digestmod="", *, engine=None):
    """HMAC under ``key``, of any length.

    ``digestmod`` is the name of an algorithm, or a function such as ``hashlib.sha256``.
    """
    return HMAC(key, msg, digestmod, engine=engine)


def digest(key, msg, digest):
    """The tag of one message."""
    hmac = new(key, None, digest)
    hmac.update(msg)
    return hmac.digest()


__all__ = ["HMAC", "compare_digest", "digest", "new"]
