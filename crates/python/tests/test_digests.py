"""The digests that functions of many return: a sequence, an array, and what has no room."""

import collections.abc
import copy
import gc
import pickle
import subprocess
import sys

import manylane
import numpy
import pyarrow
import pytest
from common import EXPECTED, MESSAGES, limited, linux, many, sha256


def test_digests_are_a_sequence():
    digests = many(MESSAGES)
    assert digests[0] == EXPECTED[0] and digests[-1] == EXPECTED[-1]
    assert list(iter(digests)) == EXPECTED and digests.to_pylist() == EXPECTED
    assert digests[3:9] == EXPECTED[3:9] and digests[::-2] == EXPECTED[::-2]
    assert digests[5:5] == [] and digests[300:] == EXPECTED[300:]
    assert digests.tobytes() == b"".join(EXPECTED) == bytes(memoryview(digests))
    assert digests[2:4].tobytes() == b"".join(EXPECTED[2:4])
    assert (digests.digest_size, digests.name, digests.null_count) == (32, "sha256", 0)
    assert digests != EXPECTED[1:] and digests != "text" and digests != 5
    assert digests != EXPECTED[:-1] + [b""]
    assert EXPECTED[7] in digests
    for wrong in [len(MESSAGES), -len(MESSAGES) - 1, 1 << 70]:
        with pytest.raises(IndexError):
            digests[wrong]
    with pytest.raises(TypeError):
        digests["first"]
    assert repr(digests) == f"<{len(MESSAGES)} digests of sha256>"


def test_digests_in_numpy_share_memory():
    digests = many(MESSAGES)
    array = numpy.asarray(digests)
    assert array.shape == (len(MESSAGES), 32) and array.dtype == "uint8"
    assert not array.flags.writeable and not array.flags.owndata
    assert array[5].tobytes() == EXPECTED[5]
    assert numpy.asarray(many([])).shape == (0, 32)
    assert numpy.frombuffer(digests, "uint8").shape == (32 * len(MESSAGES),)
    assert memoryview(digests).shape == (len(MESSAGES), 32)
    assert numpy.array(digests).flags.owndata
    del digests
    gc.collect()
    assert array[9].tobytes() == EXPECTED[9]


@linux
@pytest.mark.parametrize(
    "work",
    [
        "d = manylane.hash_many([b''] * 3, f'shake128-{800 << 20}'); limit(); d.tobytes()",
        "limit(); manylane.shake_128().digest(300 << 20)",
        "limit(); manylane.shake_128().hexdigest(100 << 20)",
        "limit(); manylane.new(f'shake128-{8 * (100 << 20)}').hexdigest()",
        "limit(); manylane.hash_many([b''] * 30, f'shake128-{800 << 20}')",
        "limit(); manylane.hash_files([sys.executable] * 30, f'shake128-{800 << 20}')",
    ],
)
def test_lack_of_memory_is_an_error(work):
    code = f"try:\n    {work}\nexcept MemoryError:\n    sys.exit(7)"
    status, told = limited(code, 150 << 20)
    assert status == 7, told


@linux
@pytest.mark.parametrize(
    "work",
    [
        "manylane.hash_many([b'a'] * 100_000, name)",
        "manylane.hash_many((b'a',) * 100_000, name)",
        "manylane.hash_many(numpy.zeros((100_000, 1), 'uint8'), name)",
        "manylane.hash_files(['missing'] * 100_000, name)",
    ],
)
def test_more_digests_than_there_is_memory(work):
    """200 TB: refused before anything is hashed, also where the system gives any address."""
    code = f"""
import sys, manylane, numpy
name = "shake128-17179869176"
try:
    {work}
except MemoryError as error:
    sys.exit(7 if "no memory for the digests" in str(error) else 1)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, timeout=60)
    assert done.returncode == 7, done.stderr


@pytest.mark.parametrize("bits", [8 << 31, 80_000_000_000_000, 800_000_000_000_000_000])
def test_digests_that_are_too_long_for_arrays(tmp_path, bits):
    """Refused before a message is read: there is none."""
    name = f"shake256-{bits}"

    def messages():
        raise AssertionError("a message was read")
        yield

    for hash_them in [
        lambda: manylane.hash_many(messages(), name),
        lambda: manylane.hash_many(messages(), name, out=bytearray(1)),
        lambda: manylane.hash_array(pyarrow.array([b""]), name, encoding="hex"),
        lambda: manylane.hash_rows(pyarrow.table({"a": [1]}), None, name),
        lambda: manylane.hash_files([tmp_path / "missing"], name),
    ]:
        with pytest.raises(ValueError, match=f"digests have {bits // 8} bytes each; name a length"):
            hash_them()


def test_digests_are_a_sequence_of_collections():
    digests = many([b"a", b"b", b"a"])
    a, b = sha256(b"a"), sha256(b"b")
    assert isinstance(digests, collections.abc.Sequence)
    assert (digests.count(a), digests.count(b), digests.count(None)) == (2, 1, 0)
    listed = list(digests)
    for arguments in [(a,), (b,), (a, 1), (a, -1), (a, -9), (b, 0, 2), (b, 1, -1), (a, 0, 99)]:
        assert digests.index(*arguments) == listed.index(*arguments), arguments
    for arguments in [(b"",), (b, 2), (b, 0, 1), (a, 1, -1), (a, 5), (b, -1)]:
        with pytest.raises(ValueError):
            listed.index(*arguments)
        with pytest.raises(ValueError, match="no such digest"):
            digests.index(*arguments)
    assert list(reversed(digests)) == listed[::-1]


def test_digests_beside_what_is_no_sequence():
    digests = many([b"a", b"b"])

    class Endless:
        def __len__(self):
            raise RuntimeError("nobody knows")

    for other in [iter(digests), Endless(), {1, 2}, {1: 2, 3: 4}, object(), "ab", b"ab", None]:
        assert digests != other and not digests == other
        assert other != digests and not other == digests
    array = numpy.asarray(digests)
    assert numpy.all(digests == array) and numpy.all(array == digests)
    assert not numpy.any(digests == array + 1)
    assert digests == tuple(digests) and digests == many([b"a", b"b"])


def test_digests_go_to_other_processes():
    column = pyarrow.array([b"a", None, b"b"])
    for digests in [
        many(MESSAGES),
        many(MESSAGES)[3:9],
        many([]),
        manylane.hash_array(column, "md5"),
        manylane.hash_array(column, "sha256", encoding="hex"),
    ]:
        sent = pickle.loads(pickle.dumps(digests))
        for same in [sent, copy.copy(digests), copy.deepcopy(digests)]:
            assert same == digests and same.to_pylist() == digests.to_pylist()
            assert (same.name, same.digest_size) == (digests.name, digests.digest_size)
            assert pyarrow.array(same) == pyarrow.array(digests)


def test_functions_of_hashes_go_to_other_processes():
    for name in manylane.algorithms_available:
        function = getattr(manylane, name)
        assert pickle.loads(pickle.dumps(function)) is function
        assert "constructor" not in repr(function)
