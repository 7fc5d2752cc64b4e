from collections.abc import Callable
from hmac import compare_digest as compare_digest
from types import ModuleType
from typing import Any, Self

from typing_extensions import disjoint_base

from . import _Buffer

_DigestMod = str | Callable[[], Any] | ModuleType

@disjoint_base
class HMAC:
    blocksize: int
    def __init__(
        self,
        key: _Buffer,
        msg: _Buffer | None = None,
        digestmod: _DigestMod | None = None,
        *,
        engine: str | None = None,
    ) -> None: ...
    def update(self, msg: _Buffer) -> None: ...
    def digest(self) -> bytes: ...
    def hexdigest(self) -> str: ...
    def copy(self) -> Self: ...
    def __copy__(self) -> Self: ...
    @property
    def name(self) -> str: ...
    @property
    def digest_size(self) -> int: ...
    @property
    def block_size(self) -> int: ...

def new(
    key: _Buffer,
    msg: _Buffer | None = None,
    digestmod: _DigestMod = "",
    *,
    engine: str | None = None,
) -> HMAC: ...
def digest(key: _Buffer, msg: _Buffer, digest: _DigestMod) -> bytes: ...
