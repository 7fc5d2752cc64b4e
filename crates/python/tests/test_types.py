"""The types that are promised to callers, by mypy."""

import os
import pathlib
import subprocess
import sys
import types

import manylane
import pytest


def test_digests_can_be_named_with_their_items():
    assert manylane.Digests[bytes] == types.GenericAlias(manylane.Digests, bytes)


def test_the_stubs_are_those_of_the_module(tmp_path):
    pytest.importorskip("mypy")
    settings = tmp_path / "mypy.ini"
    settings.write_text("[mypy]\nignore_missing_imports = True\nfollow_untyped_imports = True\n")
    # The modules are imported where the engines that they serve are installed. Before Python 3.12
    # a buffer has no method.
    allowed = tmp_path / "allowed"
    allowed.write_text("manylane.daft\nmanylane.ray\nmanylane.Digests.__buffer__\n")
    folder = pathlib.Path(manylane.__file__).parent
    command = [sys.executable, "-m", "mypy.stubtest", "manylane", "--ignore-missing-stub"]
    command += ["--allowlist", allowed, "--ignore-unused-allowlist"]
    done = subprocess.run(
        [*command, "--mypy-config-file", settings],
        env={**os.environ, "MYPYPATH": str(folder.parent)},
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert (folder / "py.typed").exists()


CALLER = """
import copy
import hashlib
import io
import pathlib
from collections.abc import Sequence
from typing import Any, Literal, Protocol

import manylane
import manylane.daft
import manylane.manifest
import manylane.parquet
import manylane.ray
import manylane.sweep
import numpy


class Column(Protocol):
    def __arrow_c_array__(self, requested_schema: Any = None) -> tuple[Any, Any]: ...


Encoding = Literal["hex", "base64"] | None
Numbers = numpy.ndarray[tuple[int], numpy.dtype[numpy.uint8]]


def work(
    path: pathlib.Path, numbers: Numbers, frame: Any, column: Column, encoding: Encoding
) -> int:
    manylane.sha256(b"a").update(bytearray(b"b"))
    manylane.md5(string=memoryview(b"a"))
    manylane.sha256(numbers)
    manylane.hmac.HMAC(b"key", b"message", hashlib.sha256).copy().update(msg=b"more")
    print(manylane.hmac.HMAC.blocksize + manylane.hmac.new(b"key", digestmod="md5").blocksize)
    digests = manylane.parquet.hash_column(path, "c", "sha256", threads=None, key=b"key")
    said: dict[str, object] = manylane.manifest.build(path, "m", rows=["c"], engine="ray")
    found: list[tuple[str, str, int | None]] = manylane.manifest.verify(path, "m")
    manylane.manifest.diff("m", path)
    manylane.manifest.read("m")
    manylane.ray.hash_dataset([path, "b.parquet"], "c", "sha256", threads=None)
    manylane.daft.hash_column(frame, "c", "sha256", into="d")
    plans: list[manylane.Answer] = manylane.sweep.plans([("md5", {"on": "rp2040"})], engine="daft")
    shapes = manylane.sweep.explores((name, {"dry_run": True}) for name in ["md5"])
    many = manylane.hash_files([b"a", "b", path], "sha256")
    seen: Sequence[object] = many
    one: bytes = many[0]
    tags: list[bytes] = [tag for tag in manylane.hash_many([b"a"], "sha256", key=b"key")]
    null: list[bytes | None] = manylane.hash_array(column, "sha256").to_pylist()
    text: manylane.Digests[str | None] = manylane.hash_array(column, "md5", encoding="hex")
    rows: Sequence[bytes] = manylane.hash_rows(column, None, "md5")[1:]
    either: manylane.Digests = manylane.hash_files([path], "md5", encoding=encoding)
    either = text
    tags.extend([one, *rows])
    null.extend(digest.encode() for digest in either if isinstance(digest, str))
    memoryview(many)
    with open(path, "rb") as file:
        theirs: bytes = manylane.file_digest(file, hashlib.sha256).digest()
        ours: manylane.Hash = manylane.file_digest(file, manylane.sha256)
        manylane.file_digest(file, "md5", _bufsize=4096)
        same: manylane.Hash = copy.copy(manylane.file_digest(io.BytesIO(theirs), "md5"))
    assert ours != same and len(seen) == many.count(b"") and "new" in manylane.__all__
    return len(digests) + len(said) + len(found) + len(plans) + len(shapes)
"""
WRONG = """
import manylane
import manylane.manifest
import manylane.sweep

manylane.sha256("text")
manylane.hash_many(["text"], "sha256")
manylane.hash_many("text", "sha256")
manylane.hmac.new("key", b"message", "sha256")
manylane.new("sha256").update(5)
manylane.manifest.build("data", "m", threads="two")
manylane.sweep.plans(["md5"])
manylane.hash_files([5], "sha256")
manylane.file_digest("path", "sha256")
text: str = manylane.hash_many([b"a"], "sha256")[0]
manylane.hash_files(["a"], "sha256")[0].encode()
"""


def test_callers_are_checked(tmp_path):
    """By `mypy --strict`, which finds every line of WRONG and none of CALLER."""
    pytest.importorskip("mypy")
    for name, text in [("caller.py", CALLER), ("wrong.py", WRONG)]:
        (tmp_path / name).write_text(text)
    command = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", tmp_path / "cache"]
    done = {
        name: subprocess.run([*command, name], cwd=tmp_path, capture_output=True, text=True)
        for name in ["caller.py", "wrong.py"]
    }
    assert done["caller.py"].returncode == 0, done["caller.py"].stdout
    told = done["wrong.py"].stdout
    wrong = {int(line.split(":")[1]) for line in told.splitlines() if ": error:" in line}
    assert wrong == set(range(6, 17)), told
