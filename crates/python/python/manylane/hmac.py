"""HMAC, shaped as the module ``hmac`` of the standard library.

>>> from manylane import hmac
>>> tag = hmac.digest(b"key", b"message", "sha256")
>>> hmac.compare_digest(tag, hmac.new(b"key", b"message", "sha256").digest())
True

Many messages under one key: ``manylane.hash_many(messages, algorithm, key=key)``.
"""

from hmac import compare_digest

from ._manylane import HMAC


def new(key, msg=None, digestmod="", *, engine=None):
    """HMAC under ``key``, of any length, by the algorithm named ``digestmod``."""
    if not digestmod:
        raise TypeError("digestmod is missing: give the name of an algorithm")
    if not isinstance(digestmod, str):
        digestmod = digestmod().name
    return HMAC(key, msg, digestmod, engine=engine)


def digest(key, msg, digest):
    """The tag of one message."""
    return new(key, msg, digest).digest()


__all__ = ["HMAC", "compare_digest", "digest", "new"]
