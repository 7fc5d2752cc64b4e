"""Many messages, columns, rows and files: held to hashlib one by one."""

import collections.abc
import datetime
import decimal
import gc
import hashlib
import os
import signal
import struct
import subprocess
import sys
import threading
import time

import manylane
import numpy
import pyarrow
import pytest

LENGTHS = [0, 1, 63, 64, 65, 5000, 127, 128, 3, 55, 56] * 20
MESSAGES = [bytes([i % 256]) * length for i, length in enumerate(LENGTHS)]
EXPECTED = [hashlib.sha256(message).digest() for message in MESSAGES]


def sha256(message):
    return hashlib.sha256(message).digest()


def many(messages, **options):
    return manylane.hash_many(messages, "sha256", **options)


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
    import hmac

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


VALUES = [b"", b"abc", None, b"a" * 100, "ß".encode(), None, b"x" * 5000, b"abc"]
TEXTS = [value if value is None else value.decode() for value in VALUES]
DIGESTS = [value if value is None else sha256(value) for value in VALUES]


@pytest.mark.parametrize(
    "column",
    [
        pyarrow.array(VALUES, pyarrow.binary()),
        pyarrow.array(VALUES, pyarrow.large_binary()),
        pyarrow.array(VALUES, pyarrow.binary_view()),
        pyarrow.array(TEXTS, pyarrow.string()),
        pyarrow.array(TEXTS, pyarrow.large_string()),
        pyarrow.array(TEXTS, pyarrow.string_view()),
        pyarrow.array(TEXTS).dictionary_encode(),
        pyarrow.array(VALUES).dictionary_encode(),
        pyarrow.array([b"no"] + VALUES + [b"no"]).slice(1, len(VALUES)),
        pyarrow.array([b"no", b"no"] + VALUES).dictionary_encode()[2:],
        pyarrow.chunked_array([VALUES[:3], [], VALUES[3:4], VALUES[4:]], pyarrow.binary()),
        pyarrow.chunked_array([pyarrow.array(VALUES)[:5], pyarrow.array(VALUES)[5:]]),
        pyarrow.DictionaryArray.from_arrays(
            pyarrow.array([0, 1, 2, 3, 4, None, 5, 1]), pyarrow.array(VALUES[:5] + [VALUES[6]])
        ),
    ],
    ids=lambda column: str(column.type)[:40],
)
@pytest.mark.parametrize("threads", [1, 2])
def test_every_kind_of_column(column, threads):
    digests = manylane.hash_array(column, "sha256", threads=threads)
    assert digests == DIGESTS and digests.null_count == 2
    array = pyarrow.array(digests)
    array.validate(full=True)
    assert array.type == pyarrow.binary(32) and array.to_pylist() == DIGESTS
    text = pyarrow.array(manylane.hash_array(column, "sha256", encoding="hex"))
    text.validate(full=True)
    assert text.to_pylist() == [None if d is None else d.hex() for d in DIGESTS]
    with pytest.raises(BufferError, match="null"):
        memoryview(digests)
    assert digests[1:3].to_pylist() == DIGESTS[1:3]
    assert pyarrow.array(digests[2:5]).to_pylist() == DIGESTS[2:5]


def test_fixed_size_and_base64():
    import base64

    values = [b"abcd", None, b"efgh"]
    column = pyarrow.array([b"skip"] + values, pyarrow.binary(4))[1:]
    text = manylane.hash_array(column, "md5", encoding="base64")
    md5 = [None if v is None else hashlib.md5(v).digest() for v in values]
    assert list(text) == [None if d is None else base64.b64encode(d).decode() for d in md5]
    assert manylane.hash_array(column, "md5") == md5
    nothing = pyarrow.array([b"", b""], pyarrow.binary(0))
    assert manylane.hash_array(nothing, "md5") == [hashlib.md5().digest()] * 2


@pytest.mark.parametrize(
    "column",
    [
        pyarrow.array([], pyarrow.binary()),
        pyarrow.chunked_array([], pyarrow.string()),
        pyarrow.array([], pyarrow.string()).dictionary_encode(),
        pyarrow.array(VALUES)[3:3],
    ],
)
def test_empty_columns(column):
    digests = manylane.hash_array(column, "sha256")
    assert len(digests) == 0
    assert pyarrow.array(digests).type == pyarrow.binary(32)


def test_columns_of_nulls():
    for column in [
        pyarrow.array([None, None], pyarrow.binary()),
        pyarrow.array([None, None], pyarrow.string()).dictionary_encode(),
        pyarrow.chunked_array([[b"a"], [None]], pyarrow.binary())[1:],
        pyarrow.array([None, None, None]),
    ]:
        digests = manylane.hash_array(column, "sha256")
        assert digests == [None] * len(column)
        assert pyarrow.array(digests).null_count == len(column)


@pytest.mark.parametrize(
    ("column", "text"),
    [
        (pyarrow.array([1, 2]), "Int64"),
        (pyarrow.array([1, 2]).dictionary_encode(), "Int64"),
        (pyarrow.array([[b"a"]]), "List"),
        (pyarrow.table({"a": [b"x"], "b": [b"y"]}), "columns 'a', 'b'.*hash_rows"),
        ([b"abc"], "'list' exports no Arrow"),
        (b"abc", "'bytes'"),
        (None, "NoneType"),
        (numpy.zeros((2, 2), "uint8"), "ndarray.*hash_many"),
    ],
)
def test_what_is_no_column(column, text):
    with pytest.raises(TypeError, match=text):
        manylane.hash_array(column, "sha256")


def test_wrong_encodings_and_capsules():
    with pytest.raises(ValueError, match="hex"):
        manylane.hash_array(pyarrow.array([b""]), "sha256", encoding="octal")

    class Liar:
        def __arrow_c_array__(self, requested_schema=None):
            return 1, 2

    with pytest.raises((TypeError, ValueError)):
        manylane.hash_array(Liar(), "sha256")


def test_the_array_outlives_its_owner():
    array = pyarrow.array(manylane.hash_array(pyarrow.array(MESSAGES), "sha256"))
    gc.collect()
    assert array.to_pylist() == EXPECTED


def test_more_rows_than_are_taken_at_a_time():
    values = [b"%d" % i if i % 1000 else None for i in range(300_000)]
    digests = manylane.hash_array(pyarrow.array(values), "md5", threads=2)
    assert digests.null_count == 300
    for i in [1, 262_143, 262_145, 299_999]:
        assert digests[i] == hashlib.md5(values[i]).digest()
    assert digests[262_000] is None


@pytest.mark.parametrize("kind", [pyarrow.binary(), pyarrow.binary_view()])
def test_small_chunks_are_gathered(kind):
    """Chunks before and behind a window of 262,144 rows, some of them with nulls, some long."""
    values = [b"%d" % i if i % 1000 else None for i in range(300_000)]
    ends = [0, 1, 3, 3, 1000, 200_000, 262_140, 262_150, 299_999, 300_000]
    chunks = [pyarrow.array(values[a:b], kind) for a, b in zip(ends, ends[1:])]
    digests = manylane.hash_array(pyarrow.chunked_array(chunks), "md5", encoding="hex")
    assert digests.null_count == 300
    for i in {i + d for i in ends for d in [-1, 0, 1] if 0 <= i + d < len(values)} | {262_144}:
        assert digests[i] == (values[i] and hashlib.md5(values[i]).hexdigest())
    long = bytes(9 << 20)
    chunks = [pyarrow.array([b"%d" % i, long], kind) for i in range(20)]
    found = manylane.hash_array(pyarrow.chunked_array(chunks), "md5")
    assert found[::2] == [hashlib.md5(b"%d" % i).digest() for i in range(20)]
    assert set(found[1::2]) == {hashlib.md5(long).digest()}


def test_polars_and_duckdb():
    polars = pytest.importorskip("polars")
    duckdb = pytest.importorskip("duckdb")
    series = polars.Series("a", TEXTS)
    assert manylane.hash_array(series, "sha256") == DIGESTS
    assert manylane.hash_array(series.cast(polars.Binary), "sha256") == DIGESTS
    assert manylane.hash_array(series.cast(polars.Categorical), "sha256") == DIGESTS
    frame = polars.DataFrame({"a": TEXTS}).with_columns(
        polars.col("a")
        .map_batches(lambda s: polars.Series(manylane.hash_array(s, "sha256", encoding="hex")))
        .alias("sha256")
    )
    assert frame["sha256"].to_list() == [None if d is None else d.hex() for d in DIGESTS]
    query = "SELECT repeat('x', n::INT) AS a FROM range(0, 5000) t(n)"
    table = duckdb.sql(query).to_arrow_table()
    assert manylane.hash_array(table["a"], "sha256")[4999] == sha256(b"x" * 4999)
    assert len(manylane.hash_rows(duckdb.sql(query), None, "sha256")) == 5000


def value(kind, content):
    return bytes([kind]) + struct.pack("<Q", len(content)) + content


def test_rows_have_the_encoding_that_is_written_down():
    day = datetime.date(2024, 2, 29)
    moment = datetime.datetime(2024, 2, 29, 1, 2, 3, 456_000)
    columns = {
        "binary": ([b"abc", None], pyarrow.binary(), lambda v: value(1, v)),
        "text": (["ß", ""], pyarrow.string_view(), lambda v: value(2, v.encode())),
        "choice": (
            ["x", None],
            pyarrow.dictionary(pyarrow.int8(), pyarrow.string()),
            lambda v: value(2, v.encode()),
        ),
        "flag": ([True, False], pyarrow.bool_(), lambda v: value(3, bytes([v]))),
        "signed": ([-5, None], pyarrow.int16(), lambda v: value(4, struct.pack("<h", v))),
        "unsigned": ([1 << 63, 0], pyarrow.uint64(), lambda v: value(5, struct.pack("<Q", v))),
        "real": ([1.5, -0.0], pyarrow.float32(), lambda v: value(6, struct.pack("<f", v))),
        "day": (
            [day, day],
            pyarrow.date32(),
            lambda v: value(7, struct.pack("<i", v.toordinal() - 719163)),
        ),
        "moment": (
            [moment, None],
            pyarrow.timestamp("ms"),
            lambda v: value(9, b"\1" + struct.pack("<q", 1_709_168_523_456)),
        ),
        "price": (
            [decimal.Decimal("-1.25"), None],
            pyarrow.decimal128(10, 2),
            lambda v: value(10, b"\2" + (-125).to_bytes(16, "little", signed=True)),
        ),
        "wide": (
            [decimal.Decimal("7"), None],
            pyarrow.decimal256(50, 0),
            lambda v: value(10, b"\0" + (7).to_bytes(32, "little")),
        ),
        "hour": (
            [datetime.time(0, 0, 5), None],
            pyarrow.time32("s"),
            lambda v: value(11, b"\0" + struct.pack("<i", 5)),
        ),
        "span": (
            [None, datetime.timedelta(seconds=1)],
            pyarrow.duration("us"),
            lambda v: value(12, b"\2" + struct.pack("<q", 1_000_000)),
        ),
        "nothing": ([None, None], pyarrow.null(), None),
    }
    arrays = {name: pyarrow.array(values, kind) for name, (values, kind, _) in columns.items()}
    table = pyarrow.table(arrays)
    expected = []
    for row in range(2):
        encoded = b""
        for values, _, encode in columns.values():
            encoded += b"\0" if values[row] is None else encode(values[row])
        expected.append(sha256(encoded))
    assert manylane.hash_rows(table, None, "sha256") == expected
    assert manylane.hash_rows(table, list(columns), "sha256", threads=2) == expected
    assert manylane.hash_rows(table.slice(1), None, "sha256") == expected[1:]
    batch = table.combine_chunks().to_batches()[0]
    assert manylane.hash_rows(batch, None, "sha256") == expected
    some = manylane.hash_rows(table, ["text", "flag"], "sha256", encoding="hex")
    assert some[0] == sha256(value(2, "ß".encode()) + value(3, b"\1")).hex()


def test_rows_that_look_alike_differ():
    table = pyarrow.table(
        {
            "a": ["x", "xy", "", None, "xyz"],
            "b": ["yz", "z", "xyz", "xyz", None],
        }
    )
    assert len(set(manylane.hash_rows(table, ["a", "b"], "sha256"))) == 5
    swapped = manylane.hash_rows(table, ["b", "a"], "sha256")
    assert swapped[0] not in manylane.hash_rows(table, ["a", "b"], "sha256")
    assert len(manylane.hash_rows(table, [], "sha256")) == 5


def test_rows_refused():
    table = pyarrow.table({"a": [b"x"], "l": [[1]]})
    with pytest.raises(KeyError, match="no column 'b'; there are: a, l"):
        manylane.hash_rows(table, ["b"], "sha256")
    with pytest.raises(TypeError, match="column 'l' is of type List"):
        manylane.hash_rows(table, ["l"], "sha256")
    double = pyarrow.Table.from_arrays([pyarrow.array([1])] * 2, ["a", "a"])
    with pytest.raises(ValueError, match="two columns 'a'"):
        manylane.hash_rows(double, ["a"], "sha256")
    for wrong in [[b"abc"], pyarrow.array([1, 2]), None]:
        with pytest.raises((TypeError, ValueError)):
            manylane.hash_rows(wrong, None, "sha256")
    with pytest.raises(TypeError, match=r"give \['a'\]"):
        manylane.hash_rows(table, "a", "sha256")


@pytest.mark.parametrize("threads", [1, 3, None])
def test_files(tmp_path, threads):
    lengths = [0, 1, 5000, 256 << 10, (256 << 10) + 1, 3 << 20] + [100] * 100
    paths = []
    for i, length in enumerate(lengths):
        path = tmp_path / f"file {i} ß"
        path.write_bytes(bytes([i % 256]) * length)
        paths.append(path)
    expected = [hashlib.sha1(path.read_bytes()).digest() for path in paths]
    assert manylane.hash_files(paths, "sha1", threads=threads) == expected
    assert manylane.hash_files(map(str, paths), "sha1", threads=threads) == expected
    assert manylane.hash_files([], "sha1") == []
    assert manylane.hash_files(paths[:1], "sha1", encoding="hex")[0] == expected[0].hex()
    missing = paths[:50] + [tmp_path / "missing"] + paths[50:] + [tmp_path / "missing too"]
    with pytest.raises(FileNotFoundError) as error:
        manylane.hash_files(missing, "sha1", threads=threads)
    assert str(error.value.filename) == str(tmp_path / "missing")
    with pytest.raises(IsADirectoryError):
        manylane.hash_files([tmp_path], "sha1")
    for one in [paths[0], str(paths[0]), os.fsencode(paths[0])]:
        with pytest.raises(TypeError, match="give .path."):
            manylane.hash_files(one, "sha1")
        assert manylane.hash_files([one], "sha1")[0] == expected[0]
    with pytest.raises(TypeError):
        manylane.hash_files([5.5], "sha1")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes")
def test_pipes_are_read(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    content = bytes(1 << 20)
    writer = threading.Thread(target=pipe.write_bytes, args=(content,))
    writer.start()
    assert manylane.hash_files([pipe], "md5")[0] == hashlib.md5(content).digest()
    writer.join()


def test_files_that_change_are_errors(tmp_path):
    path = tmp_path / "log"
    path.write_bytes(bytes(8 << 20))
    stop = threading.Event()

    def write():
        with path.open("ab", buffering=0) as log:
            while not stop.is_set():
                log.write(b"line\n")

    writer = threading.Thread(target=write)
    writer.start()
    try:
        # The writer may have no turn while a file is read once, but not fifty times.
        with pytest.raises(OSError, match="log: changed while it was read"):
            for _ in range(50):
                manylane.hash_files([path], "sha256")
    finally:
        stop.set()
        writer.join()
    manylane.hash_files([path], "sha256")


def test_bytes_are_released():
    message = bytes(1000)
    before = sys.getrefcount(message)
    digests = many([message] * 100)
    assert sys.getrefcount(message) == before
    del digests


def test_a_column_that_lies_about_its_length_is_hashed_whole():
    """Its length says only how much memory is asked for at first."""

    class Lying:
        def __init__(self, length):
            self.length = length

        def __arrow_c_array__(self, requested_schema=None):
            return column.__arrow_c_array__(requested_schema)

        def __len__(self):
            if self.length is None:
                raise ValueError("nobody knows")
            return self.length

    column = pyarrow.array(["a", None, "b"])
    expected = pyarrow.array(manylane.hash_array(column, "sha256"))
    for length in [None, 0, 1, 2, 3, 4, 1000, 2**40, 2**62]:
        assert pyarrow.array(manylane.hash_array(Lying(length), "sha256")).equals(expected), length


def limited(code, more):
    """The exit status of a process that may take so many bytes more after `limit()`, and what it
    says."""
    prelude = f"""
import re, resource, sys
def limit():
    size = int(re.search(r"VmSize:\\s+(\\d+)", open("/proc/self/status").read())[1]) * 1024
    resource.setrlimit(resource.RLIMIT_AS, (size + {more},) * 2)
import manylane, numpy, pyarrow
"""
    done = subprocess.run([sys.executable, "-c", prelude + code], capture_output=True, text=True)
    return done.returncode, done.stderr


linux = pytest.mark.skipif(sys.platform != "linux", reason="memory is limited by Linux's means")


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


def views(views, data, valid, kind):
    """An array of views as they are, of which those of null rows may be any."""
    views = numpy.array(views, "int32")
    buffers = [valid and pyarrow.py_buffer(valid), pyarrow.py_buffer(views), *data]
    return pyarrow.Array.from_buffers(kind, len(views), buffers)


@pytest.mark.parametrize("kind", [pyarrow.binary_view(), pyarrow.string_view()])
@pytest.mark.parametrize("place", [(77, 123456), (0, 1 << 30), (-1, -1)])
def test_views_of_null_rows_are_not_read(kind, place):
    column = views([[1, ord("a"), 0, 0], [100, 0x41414141, *place]], [], b"\1", kind)
    expected = [sha256(b"a"), None]
    assert manylane.hash_array(column, "sha256") == expected
    assert manylane.hash_array(pyarrow.chunked_array([column, column]), "sha256") == expected * 2
    keys = pyarrow.array([1, 0, 1, None])
    dictionary = pyarrow.DictionaryArray.from_arrays(keys, column)
    assert manylane.hash_array(dictionary, "sha256") == [None, expected[0], None, None]
    tag = 2 if kind == pyarrow.string_view() else 1
    rows = [sha256(value(tag, b"a")), sha256(b"\0")]
    assert manylane.hash_rows(pyarrow.table({"a": column}), None, "sha256") == rows


MEGABYTE = b"x" * (1 << 20)


def megabytes(count):
    """A column of rows of a mebibyte that lie in one place."""
    row = [len(MEGABYTE), 0x78787878, 0, 0]
    return views([row] * count, [pyarrow.py_buffer(MEGABYTE)], None, pyarrow.binary_view())


@linux
def test_rows_of_tables_are_encoded_in_bounded_memory():
    code = """
sys.path.insert(0, {!r})
import test_many
table = pyarrow.table({{"a": test_many.megabytes(1000)}})
manylane.hash_rows(table.slice(0, 10), None, "sha256")
limit()
digests = manylane.hash_rows(table, None, "sha256")
assert digests == [test_many.sha256(test_many.value(1, test_many.MEGABYTE))] * 1000
"""
    status, told = limited(code.format(os.path.dirname(__file__)), 400 << 20)
    assert status == 0, told


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="no timers")
@pytest.mark.parametrize("dictionary", [False, True])
def test_an_interrupt_waits_for_few_bytes(dictionary):
    column, begin = megabytes(20_000), time.monotonic()
    if dictionary:
        keys = pyarrow.array(range(len(column)))
        column = pyarrow.DictionaryArray.from_arrays(keys, column)

    def interrupt(*_):
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, interrupt)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.1)
        with pytest.raises(KeyboardInterrupt):
            manylane.hash_array(column, "md5", engine="scalar")
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert time.monotonic() - begin < 5


def test_a_dictionary_of_several_chunks_is_hashed_once():
    """Of 500 chunks with one dictionary of 32 MiB: 16 GiB, if each were hashed."""
    dictionary = pyarrow.array([bytes(32 << 20), b"a"])
    chunks = [
        pyarrow.DictionaryArray.from_arrays(pyarrow.array([i % 2, None, 0], "int8"), dictionary)
        for i in range(500)
    ]
    begin = time.monotonic()
    found = manylane.hash_array(pyarrow.chunked_array(chunks), "sha256", engine="scalar")
    assert time.monotonic() - begin < 5
    long = sha256(bytes(32 << 20))
    assert found == [long, None, long, sha256(b"a"), None, long] * 250


def test_other_dictionaries_among_chunks():
    one, two = pyarrow.array(["a", "b", "unused"]), pyarrow.array(["b", None, "c"])
    keys = [[0, 1, None], [1, 0], [2, 1, 0], [], [1, 1]]
    values = [one, one, two, two, one]
    chunks = [
        pyarrow.DictionaryArray.from_arrays(pyarrow.array(k, "int8"), v)
        for k, v in zip(keys, values)
    ]
    column = pyarrow.chunked_array(chunks)
    expected = [v and sha256(v.encode()) for v in column.to_pylist()]
    assert manylane.hash_array(column, "sha256") == expected
    assert manylane.hash_array(column, "sha256", threads=2, prefix=b"") == expected


@linux
def test_values_of_a_dictionary_that_no_row_has_are_not_hashed():
    """Digests of 1 MiB, of which ten thousand would not fit."""
    code = """
column = pyarrow.array([str(i) for i in range(10_000)]).dictionary_encode()
limit()
[first, last] = manylane.hash_array(column[9998:], f"shake128-{8 << 20}")
assert last == manylane.shake_128(b"9999").digest(1 << 20)
"""
    status, told = limited(code, 500 << 20)
    assert status == 0, told


def test_dictionaries_of_dictionaries():
    inner = pyarrow.DictionaryArray.from_arrays(
        pyarrow.array([1, 0, None, 1], "int8"), pyarrow.array(["a", "b"])
    )
    outer = pyarrow.DictionaryArray.from_arrays(pyarrow.array([3, 1, 0, None, 2, 3]), inner)
    values = ["b", "a", "b", None, None, "b"]
    expected = [v and sha256(v.encode()) for v in values]
    assert manylane.hash_array(outer, "sha256") == expected
    plain = manylane.hash_rows(pyarrow.table({"a": values}), None, "sha256")
    assert manylane.hash_rows(pyarrow.table({"a": outer}), None, "sha256") == plain


def test_nulls_of_polars():
    polars = pytest.importorskip("polars")
    assert manylane.hash_array(polars.Series("a", [None, None]), "sha256") == [None, None]
    assert manylane.hash_array(polars.Series("a", [], polars.Null), "sha256") == []


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
