"""Columns of Arrow: held to hashlib row by row."""

import gc
import hashlib
import signal
import time

import manylane
import numpy
import pyarrow
import pytest
from common import EXPECTED, MESSAGES, limited, linux, megabytes, sha256, value, views

VALUES = [b"", b"abc", None, b"a" * 100, "ß".encode(), None, b"x" * 5000, b"abc"]
TEXTS = [content if content is None else content.decode() for content in VALUES]
DIGESTS = [content if content is None else sha256(content) for content in VALUES]


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


class Again:
    """Exports the same capsules again and again."""

    def __init__(self, exporter):
        for name in ["__arrow_c_array__", "__arrow_c_stream__"]:
            if hasattr(exporter, name):
                capsules = getattr(exporter, name)()
                setattr(self, name, lambda requested_schema=None: capsules)
                break


@pytest.mark.parametrize("taker", [pyarrow, manylane])
@pytest.mark.parametrize(
    "exporter",
    [pyarrow.array(["a"]), pyarrow.table({"a": ["a"]}), pyarrow.record_batch({"a": ["a"]})],
    ids=lambda exporter: type(exporter).__name__,
)
def test_capsules_that_were_taken(taker, exporter):
    """Their content is gone, and means nothing any more."""
    again = Again(exporter)
    is_table = not isinstance(exporter, pyarrow.Array)
    if taker is manylane:
        hash_it = manylane.hash_rows if is_table else manylane.hash_array
        hash_it(again, *[None] * is_table, "sha256")
    else:
        (pyarrow.table if is_table else pyarrow.array)(again)
    for hash_it in [
        lambda: manylane.hash_array(again, "sha256"),
        lambda: manylane.hash_rows(again, None, "sha256"),
        lambda: manylane.hash_many(again, "sha256"),
    ]:
        with pytest.raises(ValueError, match="was released"):
            hash_it()


@pytest.mark.parametrize("error", [KeyboardInterrupt, LookupError])
def test_errors_inside_streams(error):
    """Arrow tells them as texts; an interrupt stays one."""
    batch = pyarrow.record_batch({"a": ["a"]})

    def batches():
        yield batch
        raise error("gone")

    reader = pyarrow.RecordBatchReader.from_batches(batch.schema, batches())
    expected = KeyboardInterrupt if error is KeyboardInterrupt else ValueError
    with pytest.raises(expected, match="gone"):
        manylane.hash_rows(reader, None, "sha256")


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


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="no timers")
@pytest.mark.parametrize("dictionary", [False, True])
def test_an_interrupt_waits_for_few_bytes(dictionary):
    column, sample = megabytes(20_000), time.monotonic()
    manylane.hash_array(column[:200], "md5", engine="scalar")
    begin = time.monotonic()
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
    # A hundred samples are the whole column.
    assert time.monotonic() - begin < 50 * (begin - sample)


def test_a_dictionary_of_several_chunks_is_hashed_once():
    """Of 500 chunks with one dictionary of 32 MiB: 16 GiB, if each were hashed."""
    dictionary = pyarrow.array([bytes(32 << 20), b"a"])
    chunks = [
        pyarrow.DictionaryArray.from_arrays(pyarrow.array([i % 2, None, 0], "int8"), dictionary)
        for i in range(500)
    ]
    sample = time.monotonic()
    manylane.hash_array(dictionary, "sha256", engine="scalar")
    begin = time.monotonic()
    found = manylane.hash_array(pyarrow.chunked_array(chunks), "sha256", engine="scalar")
    assert time.monotonic() - begin < 100 * (begin - sample)
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


def test_rows_of_many_arrays_are_found_in_any_order_of_lengths():
    """Arrays of unlike lengths, some empty, hashed in windows that begin within them."""
    rows = [b"%d" % i * (i % 7) for i in range(3000)]
    expected = [hashlib.md5(row).digest() for row in rows]
    sizes, chunks, at = [1, 0, 700, 3, 1024, 0, 0, 500, 772], [], 0
    for size in sizes:
        chunks.append(rows[at : at + size])
        at += size
    for kind in [pyarrow.binary(), pyarrow.large_binary(), pyarrow.binary_view()]:
        column = pyarrow.chunked_array(chunks, kind)
        for threads in [1, 3]:
            assert manylane.hash_array(column, "md5", threads=threads) == expected
            tags = manylane.hash_array(column, "md5", key=b"key", threads=threads)
            assert tags == manylane.hash_many(rows, "md5", key=b"key")


def test_arrays_that_are_not_valid():
    """Arrow reads and writes them without a word."""
    for keys in [[0, 7], [-1, 0]]:
        keys = pyarrow.array(keys, pyarrow.int32())
        column = pyarrow.DictionaryArray.from_arrays(keys, ["x", "y"], safe=False)
        for work in [
            lambda: manylane.hash_array(column, "md5"),
            lambda: manylane.hash_rows(pyarrow.table({"c": column}), None, "md5"),
        ]:
            with pytest.raises(ValueError, match="no valid Arrow array.*no value"):
                work()
    for kind, width in [(pyarrow.string(), "i4"), (pyarrow.large_binary(), "i8")]:
        ends = pyarrow.py_buffer(numpy.array([0, 3, 1], width))
        column = pyarrow.Array.from_buffers(kind, 2, [None, ends, pyarrow.py_buffer(b"abcdef")])
        for work in [
            lambda: manylane.hash_array(column, "md5"),
            lambda: manylane.hash_rows(pyarrow.table({"c": column}), None, "md5"),
        ]:
            with pytest.raises(ValueError, match="no valid Arrow array.*before it begins"):
                work()


@pytest.mark.parametrize("kind", [pyarrow.binary_view(), pyarrow.string_view()])
@pytest.mark.parametrize(
    ("view", "told"),
    [
        ([20, 0, 1, 0], "of buffer 1, but the buffers have numbers below 1$"),
        ([20, 0, -1, 0], "of buffer -1, but"),
        ([20, 0, 0, 11], "20 bytes from byte 11 of buffer 0, which has 30 bytes$"),
        ([13, 0, 0, 2**31 - 1], "13 bytes from byte 2147483647 of buffer 0, which has 30"),
        ([20, 0, 0, -20], "20 bytes from byte -20 of buffer 0, which has 30"),
        ([-1, 0, 0, 0], "-1 bytes from byte 0 of buffer 0, which has 30"),
        ([-(2**31), 0, 0, 0], "-2147483648 bytes"),
        ([2**31 - 1, 0, 0, 2**31 - 1], "2147483647 bytes from byte 2147483647"),
    ],
)
def test_views_that_lead_nowhere(kind, view, told):
    """Arrow takes them without a word."""
    data = pyarrow.py_buffer(b"0123456789" * 3)
    whole = [20, 0x33323130, 0, 10]
    column = views([whole, view, [1, ord("a"), 0, 0]], [data], None, kind)
    dictionary = pyarrow.DictionaryArray.from_arrays(pyarrow.array([0, 1, 2]), column)
    for given in [column, column[1:], pyarrow.chunked_array([column[:1], column]), dictionary]:
        for work in [
            lambda: manylane.hash_array(given, "md5"),
            lambda: manylane.hash_array(given, "md5", threads=2),
            lambda: manylane.hash_many(given, "md5"),
            lambda: manylane.hash_rows(pyarrow.table({"c": given}), None, "md5"),
        ]:
            with pytest.raises(ValueError, match=f"no valid Arrow array: the view of row.*{told}"):
                work()
    # Nothing is wrong with the rows beside it, nor with it as a null.
    expected = [hashlib.md5(content).digest() for content in [b"0123456789" * 2, b"a"]]
    assert manylane.hash_array(column[:1], "md5") == expected[:1]
    assert manylane.hash_array(column[2:], "md5") == expected[1:]
    column = views([whole, view, [1, ord("a"), 0, 0]], [data], b"\5", kind)
    assert manylane.hash_array(column, "md5") == [expected[0], None, expected[1]]


def test_a_view_up_to_the_end_of_its_buffer():
    data = [pyarrow.py_buffer(b"0123456789" * 3), pyarrow.py_buffer(b"x" * 13)]
    rows = [[30, 0, 0, 0], [13, 0, 1, 0], [13, 0, 0, 17]]
    column = views(rows, data, None, pyarrow.binary_view())
    rows = [b"0123456789" * 3, b"x" * 13, b"7890123456789"]
    assert manylane.hash_array(column, "md5") == [hashlib.md5(row).digest() for row in rows]


def test_python_objects_of_polars_are_no_bytes():
    polars = pytest.importorskip("polars")
    column = polars.Series("c", [object()], dtype=polars.Object)
    table = polars.DataFrame({"c": column, "b": [b"x"]})
    for work in [
        lambda: manylane.hash_array(column, "md5"),
        lambda: manylane.hash_many(column, "md5"),
        lambda: manylane.hash_rows(table, None, "md5"),
    ]:
        with pytest.raises(TypeError, match="Object"):
            work()
    assert len(manylane.hash_rows(table, ["b"], "md5")) == 1


def test_remedies_are_such():
    for column, has_encoding in [
        (pyarrow.array([1.5]), True),
        (pyarrow.array([True]), True),
        (pyarrow.array([[b"a"]]), False),
        (pyarrow.array([[b"a"]], pyarrow.list_(pyarrow.binary(), 1)), False),
    ]:
        with pytest.raises(TypeError) as refused:
            manylane.hash_array(column, "md5")
        assert ("hash_rows" in str(refused.value)) == has_encoding
