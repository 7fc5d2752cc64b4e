"""Types of the package; its documentation stands in the code."""

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Literal, Protocol, SupportsIndex, final, overload

from typing_extensions import Buffer, TypeVar

from . import hmac as hmac
from ._answers import Answer as Answer

class _NumPyArray(Protocol):
    """An array of NumPy, whose types have `__buffer__` only from Python 3.12 on."""

    @property
    def __array_interface__(self) -> dict[str, Any]: ...

_Buffer = Buffer | _NumPyArray
"""A bytes-like object. Text is none."""

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
    "blake224",
    "blake256",
    "blake384",
    "blake512",
    "groestl224",
    "groestl256",
    "groestl384",
    "groestl512",
    "jh224",
    "jh256",
    "jh384",
    "jh512",
    "keccak224",
    "keccak256",
    "keccak384",
    "keccak512",
    "md5",
    "ripemd128",
    "ripemd160",
    "ripemd256",
    "ripemd320",
    "sha1",
    "sha224",
    "sha256",
    "sha384",
    "sha3_224",
    "sha3_256",
    "sha3_384",
    "sha3_512",
    "sha512",
    "sha512_224",
    "sha512_256",
    "shake_128",
    "shake_256",
    "skein1024",
    "skein256",
    "skein512",
]

_Out = TypeVar("_Out")

class _ArrowArray(Protocol):
    def __arrow_c_array__(self, requested_schema: Any = None) -> tuple[Any, Any]: ...

class _ArrowStream(Protocol):
    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any: ...

_Arrow = _ArrowArray | _ArrowStream
_Encoding = Literal["hex", "base64"] | None

class _Updated(Protocol):
    """A hash of this package, of hashlib or the like."""

    def update(self, data: Any, /) -> object: ...

_AnyHash = TypeVar("_AnyHash", bound=_Updated)

class _Whole(Protocol):
    def getbuffer(self) -> Buffer: ...

class _ReadInto(Protocol):
    def readinto(self, buffer: Any, /) -> int | None: ...

class _Read(Protocol):
    def read(self, size: int, /) -> bytes | None: ...

__version__: str
algorithms_available: set[str]
algorithms_guaranteed: set[str]
warnings: dict[str, str]

@final
class Hash:
    def __new__(
        cls,
        name: str,
        data: _Buffer = b"",
        *,
        usedforsecurity: bool = True,
        engine: str | None = None,
    ) -> Hash: ...
    def update(self, data: _Buffer, /) -> None: ...
    def digest(self, length: int | None = None) -> bytes: ...
    def hexdigest(self, length: int | None = None) -> str: ...
    def copy(self) -> Hash: ...
    def __copy__(self) -> Hash: ...
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

_Item = TypeVar("_Item", covariant=True, default=bytes | str | None)

@final
class Digests(Sequence[_Item]):
    def __len__(self) -> int: ...
    @overload
    def __getitem__(self, index: SupportsIndex, /) -> _Item: ...
    @overload
    def __getitem__(self, index: slice, /) -> Digests[_Item] | list[_Item]: ...
    def __iter__(self) -> Iterator[_Item]: ...
    def __buffer__(self, flags: int, /) -> memoryview: ...
    def index(self, value: Any, start: int = 0, stop: int = ..., /) -> int: ...
    def count(self, value: Any, /) -> int: ...
    def to_pylist(self) -> list[_Item]: ...
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
    data: _Buffer = b"",
    *,
    usedforsecurity: bool = True,
    engine: str | None = None,
) -> Hash: ...
def engines(name: str) -> list[str]: ...
@overload
def file_digest(
    fileobj: _Whole | _ReadInto | _Read, digest: str, /, *, _bufsize: int = 1048576
) -> Hash: ...
@overload
def file_digest(
    fileobj: _Whole | _ReadInto | _Read,
    digest: Callable[[], _AnyHash],
    /,
    *,
    _bufsize: int = 1048576,
) -> _AnyHash: ...
@overload
def hash_many(
    messages: _Arrow,
    algorithm: str,
    *,
    threads: int | None = 1,
    prefix: _Buffer | None = None,
    key: _Buffer | None = None,
    out: None = None,
    engine: str | None = None,
) -> Digests[bytes | None]: ...
@overload
def hash_many(
    messages: Iterable[_Buffer],
    algorithm: str,
    *,
    threads: int | None = 1,
    prefix: _Buffer | None = None,
    key: _Buffer | None = None,
    out: None = None,
    engine: str | None = None,
) -> Digests[bytes]: ...
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
@overload
def hash_array(
    column: _Arrow,
    algorithm: str,
    *,
    threads: int | None = 1,
    prefix: _Buffer | None = None,
    key: _Buffer | None = None,
    encoding: None = None,
    engine: str | None = None,
) -> Digests[bytes | None]: ...
@overload
def hash_array(
    column: _Arrow,
    algorithm: str,
    *,
    threads: int | None = 1,
    prefix: _Buffer | None = None,
    key: _Buffer | None = None,
    encoding: Literal["hex", "base64"],
    engine: str | None = None,
) -> Digests[str | None]: ...
@overload
def hash_array(
    column: _Arrow,
    algorithm: str,
    *,
    threads: int | None = 1,
    prefix: _Buffer | None = None,
    key: _Buffer | None = None,
    encoding: _Encoding,
    engine: str | None = None,
) -> Digests: ...
@overload
def hash_rows(
    table: _Arrow,
    columns: Sequence[str] | None,
    algorithm: str,
    *,
    threads: int | None = 1,
    prefix: _Buffer | None = None,
    key: _Buffer | None = None,
    encoding: None = None,
    engine: str | None = None,
) -> Digests[bytes]: ...
@overload
def hash_rows(
    table: _Arrow,
    columns: Sequence[str] | None,
    algorithm: str,
    *,
    threads: int | None = 1,
    prefix: _Buffer | None = None,
    key: _Buffer | None = None,
    encoding: Literal["hex", "base64"],
    engine: str | None = None,
) -> Digests[str]: ...
@overload
def hash_rows(
    table: _Arrow,
    columns: Sequence[str] | None,
    algorithm: str,
    *,
    threads: int | None = 1,
    prefix: _Buffer | None = None,
    key: _Buffer | None = None,
    encoding: _Encoding,
    engine: str | None = None,
) -> Digests: ...
@overload
def hash_files(
    paths: Iterable[str | bytes | os.PathLike[str] | os.PathLike[bytes]],
    algorithm: str,
    *,
    threads: int | None = 1,
    key: _Buffer | None = None,
    encoding: None = None,
    engine: str | None = None,
) -> Digests[bytes]: ...
@overload
def hash_files(
    paths: Iterable[str | bytes | os.PathLike[str] | os.PathLike[bytes]],
    algorithm: str,
    *,
    threads: int | None = 1,
    key: _Buffer | None = None,
    encoding: Literal["hex", "base64"],
    engine: str | None = None,
) -> Digests[str]: ...
@overload
def hash_files(
    paths: Iterable[str | bytes | os.PathLike[str] | os.PathLike[bytes]],
    algorithm: str,
    *,
    threads: int | None = 1,
    key: _Buffer | None = None,
    encoding: _Encoding,
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
    data: _Buffer = b"", *, usedforsecurity: bool = True, string: _Buffer = b""
) -> Hash: ...
def blake256(
    data: _Buffer = b"", *, usedforsecurity: bool = True, string: _Buffer = b""
) -> Hash: ...
def blake384(
    data: _Buffer = b"", *, usedforsecurity: bool = True, string: _Buffer = b""
) -> Hash: ...
def blake512(
    data: _Buffer = b"", *, usedforsecurity: bool = True, string: _Buffer = b""
) -> Hash: ...
def groestl224(
    data: _Buffer = b"", *, usedforsecurity: bool = True, string: _Buffer = b""
) -> Hash: ...
def groestl256(
    data: _Buffer = b"", *, usedforsecurity: bool = True, string: _Buffer = b""
) -> Hash: ...
def groestl384(
    data: _Buffer = b"", *, usedforsecurity: bool = True, string: _Buffer = b""
) -> Hash: ...
def groestl512(
    data: _Buffer = b"", *, usedforsecurity: bool = True, string: _Buffer = b""
) -> Hash: ...
def jh224(
    data: _Buffer = b"", *, usedforsecurity: bool = True, string: _Buffer = b""
) -> Hash: ...
def jh256(
    data: _Buffer = b"", *, usedforsecurity: bool = True, string: _Buffer = b""
) -> Hash: ...
def jh384(
    data: _Buffer = b"", *, usedforsecurity: bool = True, string: _Buffer = b""
) -> Hash: ...
def jh512(
    data: _Buffer = b"", *, usedforsecurity: bool = True, string: _Buffer = b""
) -> Hash: ...
def keccak224(
    data: _Buffer = b"", *, usedforsecurity: bool = True, string: _Buffer = b""
) -> Hash: ...
def keccak256(
    data: _Buffer = b"", *, usedforsecurity: bool = True, string: _Buffer = b""
) -> Hash: ...
def keccak384(
    data: _Buffer = b"", *, usedforsecurity: bool = True, string: _Buffer = b""
) -> Hash: ...
def keccak512(
    data: _Buffer = b"", *, usedforsecurity: bool = True, string: _Buffer = b""
) -> Hash: ...
def md5(
    data: _Buffer = b"", *, usedforsecurity: bool = True, string: _Buffer = b""
) -> Hash: ...
def ripemd128(
    data: _Buffer = b"", *, usedforsecurity: bool = True, string: _Buffer = b""
) -> Hash: ...
def ripemd160(
    data: _Buffer = b"", *, usedforsecurity: bool = True, string: _Buffer = b""
) -> Hash: ...
def ripemd256(
    data: _Buffer = b"", *, usedforsecurity: bool = True, string: _Buffer = b""
) -> Hash: ...
def ripemd320(
    data: _Buffer = b"", *, usedforsecurity: bool = True, string: _Buffer = b""
) -> Hash: ...
def sha1(
    data: _Buffer = b"", *, usedforsecurity: bool = True, string: _Buffer = b""
) -> Hash: ...
def sha224(
    data: _Buffer = b"", *, usedforsecurity: bool = True, string: _Buffer = b""
) -> Hash: ...
def sha256(
    data: _Buffer = b"", *, usedforsecurity: bool = True, string: _Buffer = b""
) -> Hash: ...
def sha384(
    data: _Buffer = b"", *, usedforsecurity: bool = True, string: _Buffer = b""
) -> Hash: ...
def sha3_224(
    data: _Buffer = b"", *, usedforsecurity: bool = True, string: _Buffer = b""
) -> Hash: ...
def sha3_256(
    data: _Buffer = b"", *, usedforsecurity: bool = True, string: _Buffer = b""
) -> Hash: ...
def sha3_384(
    data: _Buffer = b"", *, usedforsecurity: bool = True, string: _Buffer = b""
) -> Hash: ...
def sha3_512(
    data: _Buffer = b"", *, usedforsecurity: bool = True, string: _Buffer = b""
) -> Hash: ...
def sha512(
    data: _Buffer = b"", *, usedforsecurity: bool = True, string: _Buffer = b""
) -> Hash: ...
def sha512_224(
    data: _Buffer = b"", *, usedforsecurity: bool = True, string: _Buffer = b""
) -> Hash: ...
def sha512_256(
    data: _Buffer = b"", *, usedforsecurity: bool = True, string: _Buffer = b""
) -> Hash: ...
def shake_128(
    data: _Buffer = b"", *, usedforsecurity: bool = True, string: _Buffer = b""
) -> Hash: ...
def shake_256(
    data: _Buffer = b"", *, usedforsecurity: bool = True, string: _Buffer = b""
) -> Hash: ...
def skein1024(
    data: _Buffer = b"", *, usedforsecurity: bool = True, string: _Buffer = b""
) -> Hash: ...
def skein256(
    data: _Buffer = b"", *, usedforsecurity: bool = True, string: _Buffer = b""
) -> Hash: ...
def skein512(
    data: _Buffer = b"", *, usedforsecurity: bool = True, string: _Buffer = b""
) -> Hash: ...
