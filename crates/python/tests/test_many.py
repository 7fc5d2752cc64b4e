"""Many messages: held to hashlib one by one. Options that all functions of many take."""

import ctypes
import hashlib
import hmac
import sys
import threading

import manylane
import numpy
import pyarrow
import pytest
from common import EXPECTED, MESSAGES, many, sha256


@pytest.mark.parametrize("threads", [1, 2, 7, None])
def test_every_kind_of_sequence(threads):
    for messages in [
        MESSAGES,
        tuple(MESSAGES),
        iter(MESSAGES),
        (message for message in MESSAGES),
        [bytearray(message) for message in MESSAGES],
        [memoryview(message) for message in MESSAGES],
        [numpy.frombuffer(message, "uint8") for message in MESSAGES],
        numpy.array(MESSAGES, dtype=object),
        pyarrow.array(MESSAGES),
    ]:
        digests = many(messages, threads=threads)
        assert digests == EXPECTED
        assert EXPECTED == digests
    assert many([]) == [] and len(many(iter([]))) == 0


def test_more_messages_than_are_taken_at_a_time():
    count = 70_000
    digests = many(i.to_bytes(4, "little") for i in range(count))
    assert len(digests) == count
    for i in [0, 1, 65_535, 65_536, count - 1]:
        assert digests[i] == sha256(i.to_bytes(4, "little"))


@pytest.mark.parametrize("kind", [list, tuple])
@pytest.mark.parametrize("place", [0, 1, 65_535, 65_536, 65_537, 69_999])
def test_other_buffers_among_bytes(kind, place):
    """Bytes are taken from a list or tuple as they lie there, what follows others one by one."""
    messages = [i.to_bytes(4, "little") for i in range(70_000)]
    expected = many(iter(messages), threads=2)
    messages[place] = bytearray(messages[place])
    assert many(kind(messages), threads=2) == expected
    messages[place] = 5
    with pytest.raises(TypeError, match=f"message {place}: "):
        many(kind(messages))


def test_an_iterator_takes_bounded_memory():
    """400 MB of messages, of which 64 MiB are held at a time."""
    import resource

    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    digests = manylane.hash_many((bytes(4 << 20) for _ in range(100)), "md5", threads=2)
    after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert digests[99] == hashlib.md5(bytes(4 << 20)).digest()
    assert after - before < 200_000


def test_rows_of_arrays():
    rows = numpy.arange(50 * 77, dtype="uint32").view("uint8").reshape(50, 4 * 77)
    expected = [sha256(row.tobytes()) for row in rows]
    assert many(rows) == expected
    assert many(rows.view("int8"), threads=3) == expected
    assert many(memoryview(rows)) == expected
    assert many(rows[::2]) == expected[::2]
    assert many(rows[:, 3:60]) == [sha256(row[3:60].tobytes()) for row in rows]
    assert many(rows.T) == [sha256(column.tobytes()) for column in rows.T]
    assert many(numpy.empty((3, 0), "uint8")) == [sha256(b"")] * 3
    assert many(numpy.empty((0, 3), "uint8")) == []


@pytest.mark.parametrize(
    ("messages", "error", "text"),
    [
        (b"one message", TypeError, "give .message."),
        (bytearray(b"one"), TypeError, "give .message."),
        ("one message", TypeError, "give .message."),
        (5, TypeError, "iterable"),
        (None, TypeError, "iterable"),
        (["text"], TypeError, "message 0: strings must be encoded"),
        ([b"", b"", 7], TypeError, "message 2: .*'int'"),
        ([b"", None], TypeError, "message 1"),
        (numpy.zeros((2, 2)), TypeError, "uint8"),
        (numpy.zeros(4, "uint8"), TypeError, "1 dimensions"),
        (numpy.zeros((2, 2, 2), "uint8"), TypeError, "3 dimensions"),
        (memoryview(b"abc"), TypeError, "1 dimensions"),
        (numpy.array([1, 2], "datetime64[s]"), TypeError, "of type datetime64.s. is no list"),
        (numpy.array([[1, 2]], "timedelta64[s]"), TypeError, "timedelta64.s. is no list"),
        ((ctypes.c_int * 2 * 2)(), TypeError, "format '<i'.*rows' bytes in a list"),
        ([numpy.zeros(8, "uint8")[::2]], BufferError, "message 0: .*contiguous"),
    ],
)
def test_what_is_no_list_of_messages(messages, error, text):
    with pytest.raises(error, match=text):
        many(messages)


def test_errors_of_iterators_come_through():
    def broken():
        yield b"one"
        raise LookupError("gone")

    with pytest.raises(LookupError, match="gone"):
        many(broken())
    with pytest.raises(ValueError, match="closed file"):
        file = open(__file__, "rb")
        file.close()
        many(file)


@pytest.mark.skipif(sys.version_info < (3, 12), reason="classes have no buffers before")
@pytest.mark.parametrize(
    "error", [OSError(2, "gone"), ValueError("gone"), KeyError("gone"), TypeError("gone")]
)
def test_errors_of_buffers_come_through(error):
    class Broken:
        def __buffer__(self, flags):
            raise error

    for messages in [[b"", Broken()], iter([b"", Broken()])]:
        with pytest.raises(type(error), match="gone") as raised:
            many(messages)
        assert raised.value is error and raised.value.args == error.args
        assert error.__notes__.pop() == "message 1"


def test_arrays_of_ctypes():
    row = ctypes.c_ubyte * 3
    rows = (row * 2)(row(*b"abc"), row(*b"def"))
    expected = [sha256(b"abc"), sha256(b"def")]
    assert many(rows) == expected and many(list(rows)) == expected
    assert manylane.sha256(rows[0]).digest() == expected[0]
    assert manylane.sha256(rows).digest() == sha256(b"abcdef")
    places = [ctypes.create_string_buffer(64), (ctypes.c_ubyte * 64)(), (ctypes.c_uint8 * 32 * 2)()]
    for out in places:
        assert many([b"abc", b"def"], out=out) is out
        assert bytes(out) == b"".join(expected)
    for wrong in [(ctypes.c_uint32 * 16)(), ctypes.create_string_buffer(63)]:
        with pytest.raises((TypeError, ValueError)):
            many([b"abc", b"def"], out=wrong)
    long = (ctypes.c_uint16 * (3 << 20))(*range(1000))
    assert manylane.sha256(long).digest() == sha256(bytes(long))
    assert manylane.hmac.digest(b"key", long, "md5") == hmac.digest(b"key", bytes(long), "md5")


def test_wrong_options():
    with pytest.raises(ValueError, match="unsupported hash"):
        manylane.hash_many([], "sha257")
    with pytest.raises(ValueError, match="threads=0"):
        many([], threads=0)
    with pytest.raises((OverflowError, ValueError)):
        many([], threads=-1)
    with pytest.raises(TypeError):
        many([], prefix="text")
    with pytest.raises(TypeError):
        many([], key=5)
    with pytest.raises(ValueError, match="block"):
        manylane.hash_many([], "skein256-264", key=b"key")


def test_prefix_and_key():
    prefix = bytes(range(100))
    assert many(MESSAGES, prefix=prefix) == [sha256(prefix + message) for message in MESSAGES]
    expected = [hmac.digest(b"key", prefix + message, "sha256") for message in MESSAGES]
    assert many(MESSAGES, prefix=bytearray(prefix), key=memoryview(b"key"), threads=2) == expected


def test_out():
    for out in [bytearray(32 * len(MESSAGES)), numpy.zeros((len(MESSAGES), 32), "uint8")]:
        assert many(MESSAGES, out=out) is out
        assert bytes(out) == b"".join(EXPECTED)
    out = bytearray(32)
    assert many(pyarrow.array([b"abc"]), out=out) is out and out == sha256(b"abc")
    with pytest.raises(ValueError, match="64 are needed"):
        many([b"", b""], out=bytearray(63))
    for wrong in [bytes(32), numpy.zeros((2, 64), "uint8")[:, ::4], numpy.zeros(4), "text", 5]:
        with pytest.raises((TypeError, BufferError)):
            many([b"abc"], out=wrong)
    with pytest.raises(ValueError, match="null"):
        many(pyarrow.array([b"abc", None]), out=bytearray(64))


def test_buffers_that_are_written_meanwhile():
    """They are copied: a digest is of the bytes before or after a write, or of some of both, and
    nothing breaks. A buffer that is held open could not be resized."""
    messages = [bytearray(1 << 16) for _ in range(64)]
    end = threading.Event()

    def write():
        while not end.is_set():
            for message in messages:
                message[0] ^= 1
                message.append(0)
                message.pop()

    thread = threading.Thread(target=write)
    thread.start()
    try:
        possible = {
            sha256(bytes([first]) + bytes((1 << 16) - 1 + more))
            for first in (0, 1)
            for more in (0, 1)
        }
        for _ in range(5):
            assert set(many(messages, threads=2)) <= possible
    finally:
        end.set()
        thread.join()


def test_other_threads_run_meanwhile():
    """While many messages are hashed, Python goes on in another thread."""
    message = [bytes(100 << 20)]
    running, count = threading.Event(), [0]

    def hash():
        many(message)
        running.set()

    thread = threading.Thread(target=hash)
    thread.start()
    while not running.is_set():
        count[0] += 1
    thread.join()
    assert count[0] > 1000


def test_bytes_are_released():
    message = bytes(1000)
    before = sys.getrefcount(message)
    digests = many([message] * 100)
    assert sys.getrefcount(message) == before
    del digests


@pytest.mark.parametrize("threads", [-1, 1 << 70, -(1 << 70), 0])
def test_wrong_numbers_of_threads(tmp_path, threads):
    for hash_them in [
        lambda: many([], threads=threads),
        lambda: manylane.hash_array(pyarrow.array([b""]), "md5", threads=threads),
        lambda: manylane.hash_rows(pyarrow.table({"a": [1]}), None, "md5", threads=threads),
        lambda: manylane.hash_files([], "md5", threads=threads),
    ]:
        with pytest.raises(ValueError, match=f"threads={threads}: give 1 or more"):
            hash_them()
    with pytest.raises(TypeError):
        many([], threads="two")


@pytest.mark.parametrize("error", [KeyboardInterrupt, MemoryError, LookupError, AttributeError])
def test_errors_of_exporters_come_through(error):
    class Exporter:
        def __arrow_c_stream__(self, requested_schema=None):
            raise error("gone")

    for hash_it in [
        lambda: manylane.hash_rows(Exporter(), None, "md5"),
        lambda: manylane.hash_array(Exporter(), "md5"),
        lambda: many(Exporter()),
    ]:
        with pytest.raises(error, match="gone"):
            hash_it()
