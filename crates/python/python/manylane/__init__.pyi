"""Types of the package; its documentation stands in the code."""

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, BinaryIO, Literal, Protocol, SupportsIndex, TypeVar, final, overload

from typing_extensions import Buffer

from . import hmac as hmac
from ._answers import Answer as Answer

class _NumPyArray(Protocol):
    """An array of NumPy, whose types have `__buffer__` only from Python 3.12 on."""

    @property
    def __array_interface__(self) -> dict[str, Any]: ...

_Buffer = Buffer | _NumPyArray
"""A bytes-like object. Text is none."""

_Out = TypeVar("_Out")

class _ArrowArray(Protocol):
    def __arrow_c_array__(self, requested_schema: Any = None) -> tuple[Any, Any]: ...

class _ArrowStream(Protocol):
    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any: ...

_Arrow = _ArrowArray | _ArrowStream
_Encoding = Literal["hex", "base64"] | None

__version__: str
algorithms_available: set[str]
algorithms_guaranteed: set[str]
warnings: dict[str, str]

@final
class Hash:
    def __new__(
        cls,
        name: str,
        data: _Buffer | None = None,
        *,
        usedforsecurity: bool = True,
        engine: str | None = None,
    ) -> Hash: ...
    def update(self, data: _Buffer, /) -> None: ...
    def digest(self, length: int | None = None) -> bytes: ...
    def hexdigest(self, length: int | None = None) -> str: ...
    def copy(self) -> Hash: ...
    def save(self) -> bytes: ...
    @staticmethod
    def restore(state: bytes) -> Hash: ...
    @property
    def name(self) -> str: ...
    @property
    def digest_size(self) -> int: ...
    @property
    def block_size(self) -> int: ...
    @property
    def engine(self) -> str: ...

@final
class Digests:
    def __len__(self) -> int: ...
    @overload
    def __getitem__(self, index: SupportsIndex, /) -> Any: ...
    @overload
    def __getitem__(self, index: slice, /) -> Digests | list[Any]: ...
    def __iter__(self) -> Iterator[Any]: ...
    def to_pylist(self) -> list[Any]: ...
    def tobytes(self) -> bytes: ...
    def __arrow_c_array__(self, requested_schema: Any = None) -> tuple[Any, Any]: ...
    @property
    def digest_size(self) -> int: ...
    @property
    def name(self) -> str: ...
    @property
    def null_count(self) -> int: ...

def new(
    name: str,
    data: _Buffer | None = None,
    *,
    usedforsecurity: bool = True,
    engine: str | None = None,
) -> Hash: ...
def engines(name: str) -> list[str]: ...
def file_digest(fileobj: BinaryIO, digest: str | Callable[[], Hash], /) -> Hash: ...
@overload
def hash_many(
    messages: Iterable[_Buffer] | _Arrow,
    algorithm: str,
    *,
    threads: int | None = 1,
    prefix: _Buffer | None = None,
    key: _Buffer | None = None,
    out: None = None,
    engine: str | None = None,
) -> Digests: ...
@overload
def hash_many(
    messages: Iterable[_Buffer] | _Arrow,
    algorithm: str,
    *,
    threads: int | None = 1,
    prefix: _Buffer | None = None,
    key: _Buffer | None = None,
    out: _Out,
    engine: str | None = None,
) -> _Out: ...
def hash_array(
    column: _Arrow,
    algorithm: str,
    *,
    threads: int | None = 1,
    prefix: _Buffer | None = None,
    key: _Buffer | None = None,
    encoding: _Encoding = None,
    engine: str | None = None,
) -> Digests: ...
def hash_rows(
    table: _Arrow,
    columns: Sequence[str] | None,
    algorithm: str,
    *,
    threads: int | None = 1,
    prefix: _Buffer | None = None,
    key: _Buffer | None = None,
    encoding: _Encoding = None,
    engine: str | None = None,
) -> Digests: ...
def hash_files(
    paths: Iterable[str | os.PathLike[str]],
    algorithm: str,
    *,
    threads: int | None = 1,
    key: _Buffer | None = None,
    encoding: _Encoding = None,
    engine: str | None = None,
) -> Digests: ...

def explain(
    primitive: str,
    *,
    part: Literal["compression", "round", "schedule", "message"] | None = None,
    length: int | None = None,
    fixed_length: bool = False,
) -> Answer: ...
def plan(
    primitive: str,
    *,
    on: str | os.PathLike[str] | None = None,
    hardware: bool = False,
    threads: int | Sequence[int] | None = None,
    **options: Any,
) -> Answer: ...
def blake224(
    data: _Buffer | None = None, *, usedforsecurity: bool = True, string: _Buffer | None = None
) -> Hash: ...
def blake256(
    data: _Buffer | None = None, *, usedforsecurity: bool = True, string: _Buffer | None = None
) -> Hash: ...
def blake384(
    data: _Buffer | None = None, *, usedforsecurity: bool = True, string: _Buffer | None = None
) -> Hash: ...
def blake512(
    data: _Buffer | None = None, *, usedforsecurity: bool = True, string: _Buffer | None = None
) -> Hash: ...
def groestl224(
    data: _Buffer | None = None, *, usedforsecurity: bool = True, string: _Buffer | None = None
) -> Hash: ...
def groestl256(
    data: _Buffer | None = None, *, usedforsecurity: bool = True, string: _Buffer | None = None
) -> Hash: ...
def groestl384(
    data: _Buffer | None = None, *, usedforsecurity: bool = True, string: _Buffer | None = None
) -> Hash: ...
def groestl512(
    data: _Buffer | None = None, *, usedforsecurity: bool = True, string: _Buffer | None = None
) -> Hash: ...
def jh224(
    data: _Buffer | None = None, *, usedforsecurity: bool = True, string: _Buffer | None = None
) -> Hash: ...
def jh256(
    data: _Buffer | None = None, *, usedforsecurity: bool = True, string: _Buffer | None = None
) -> Hash: ...
def jh384(
    data: _Buffer | None = None, *, usedforsecurity: bool = True, string: _Buffer | None = None
) -> Hash: ...
def jh512(
    data: _Buffer | None = None, *, usedforsecurity: bool = True, string: _Buffer | None = None
) -> Hash: ...
def keccak224(
    data: _Buffer | None = None, *, usedforsecurity: bool = True, string: _Buffer | None = None
) -> Hash: ...
def keccak256(
    data: _Buffer | None = None, *, usedforsecurity: bool = True, string: _Buffer | None = None
) -> Hash: ...
def keccak384(
    data: _Buffer | None = None, *, usedforsecurity: bool = True, string: _Buffer | None = None
) -> Hash: ...
def keccak512(
    data: _Buffer | None = None, *, usedforsecurity: bool = True, string: _Buffer | None = None
) -> Hash: ...
def md5(
    data: _Buffer | None = None, *, usedforsecurity: bool = True, string: _Buffer | None = None
) -> Hash: ...
def ripemd128(
    data: _Buffer | None = None, *, usedforsecurity: bool = True, string: _Buffer | None = None
) -> Hash: ...
def ripemd160(
    data: _Buffer | None = None, *, usedforsecurity: bool = True, string: _Buffer | None = None
) -> Hash: ...
def ripemd256(
    data: _Buffer | None = None, *, usedforsecurity: bool = True, string: _Buffer | None = None
) -> Hash: ...
def ripemd320(
    data: _Buffer | None = None, *, usedforsecurity: bool = True, string: _Buffer | None = None
) -> Hash: ...
def sha1(
    data: _Buffer | None = None, *, usedforsecurity: bool = True, string: _Buffer | None = None
) -> Hash: ...
def sha224(
    data: _Buffer | None = None, *, usedforsecurity: bool = True, string: _Buffer | None = None
) -> Hash: ...
def sha256(
    data: _Buffer | None = None, *, usedforsecurity: bool = True, string: _Buffer | None = None
) -> Hash: ...
def sha384(
    data: _Buffer | None = None, *, usedforsecurity: bool = True, string: _Buffer | None = None
) -> Hash: ...
def sha3_224(
    data: _Buffer | None = None, *, usedforsecurity: bool = True, string: _Buffer | None = None
) -> Hash: ...
def sha3_256(
    data: _Buffer | None = None, *, usedforsecurity: bool = True, string: _Buffer | None = None
) -> Hash: ...
def sha3_384(
    data: _Buffer | None = None, *, usedforsecurity: bool = True, string: _Buffer | None = None
) -> Hash: ...
def sha3_512(
    data: _Buffer | None = None, *, usedforsecurity: bool = True, string: _Buffer | None = None
) -> Hash: ...
def sha512(
    data: _Buffer | None = None, *, usedforsecurity: bool = True, string: _Buffer | None = None
) -> Hash: ...
def sha512_224(
    data: _Buffer | None = None, *, usedforsecurity: bool = True, string: _Buffer | None = None
) -> Hash: ...
def sha512_256(
    data: _Buffer | None = None, *, usedforsecurity: bool = True, string: _Buffer | None = None
) -> Hash: ...
def shake_128(
    data: _Buffer | None = None, *, usedforsecurity: bool = True, string: _Buffer | None = None
) -> Hash: ...
def shake_256(
    data: _Buffer | None = None, *, usedforsecurity: bool = True, string: _Buffer | None = None
) -> Hash: ...
def skein1024(
    data: _Buffer | None = None, *, usedforsecurity: bool = True, string: _Buffer | None = None
) -> Hash: ...
def skein256(
    data: _Buffer | None = None, *, usedforsecurity: bool = True, string: _Buffer | None = None
) -> Hash: ...
def skein512(
    data: _Buffer | None = None, *, usedforsecurity: bool = True, string: _Buffer | None = None
) -> Hash: ...
