"""Rows of tables: their encoding, as docs/python.md has it."""

import datetime
import decimal
import os
import struct

import manylane
import pyarrow
import pytest
from common import limited, linux, sha256, value


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
    for nothing in [[], ()]:
        with pytest.raises(ValueError, match="names no column: name one or more, or give None"):
            manylane.hash_rows(table, nothing, "sha256")


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


def test_rows_that_are_null_as_a_whole():
    """In one array and in a stream of arrays: their hidden values are not hashed."""
    fields = [pyarrow.array(["a", "b", "c"]), pyarrow.array([1, 2, 3])]
    whole = pyarrow.StructArray.from_arrays(fields, ["s", "n"])
    mask = pyarrow.array([False, True, False])
    masked = pyarrow.StructArray.from_arrays(fields, ["s", "n"], mask=mask)
    expected = manylane.hash_rows(pyarrow.table(fields, ["s", "n"]), None, "sha256")
    for rows in [whole, *map(pyarrow.chunked_array, [[whole], [whole[:1], whole[1:]]])]:
        assert manylane.hash_rows(rows, None, "sha256") == expected
    for rows, place in [
        (masked, 1),
        (masked[1:], 0),
        (pyarrow.chunked_array([masked]), 1),
        (pyarrow.chunked_array([whole, masked[:1], masked[1:]]), 4),
    ]:
        for columns in [None, ["n"]]:
            with pytest.raises(ValueError, match=f"row {place} is null as a whole"):
                manylane.hash_rows(rows, columns, "sha256")
    later = pyarrow.chunked_array([masked[:1], masked[2:]])
    assert manylane.hash_rows(later, None, "sha256") == [expected[0], expected[2]]


@pytest.mark.parametrize(
    "column", [pyarrow.array(["a"]), pyarrow.chunked_array([["a"]]), pyarrow.array([1])]
)
def test_columns_are_no_tables(column):
    with pytest.raises(TypeError, match="a column of type (Utf8|Int64), no table: use hash_array"):
        manylane.hash_rows(column, None, "sha256")


@linux
def test_rows_of_tables_are_encoded_in_bounded_memory():
    code = """
sys.path.insert(0, {!r})
import common
table = pyarrow.table({{"a": common.megabytes(1000)}})
manylane.hash_rows(table.slice(0, 10), None, "sha256")
limit()
digests = manylane.hash_rows(table, None, "sha256")
assert digests == [common.sha256(common.value(1, common.MEGABYTE))] * 1000
"""
    status, told = limited(code.format(os.path.dirname(__file__)), 400 << 20)
    assert status == 0, told
