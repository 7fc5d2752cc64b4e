"""Columns of Parquet files: held to hashlib row by row."""

import hashlib

import manylane
import manylane.parquet
import pyarrow
import pyarrow.parquet
import pytest

VALUES = [b"%d" % i * (i % 50) if i % 7 else None for i in range(10_000)]
EXPECTED = [value if value is None else hashlib.sha256(value).digest() for value in VALUES]


def written(path, values, **options):
    """A file with the column among others, two of which are named like parts of it."""
    size = len(values)
    columns = {"a": range(size), "value": values, "values": [b"no"] * size, "val": [b"no"] * size}
    pyarrow.parquet.write_table(pyarrow.table(columns), path, **options)
    return path


@pytest.mark.parametrize("threads", [1, 2, None])
@pytest.mark.parametrize("mapped", [False, True])
@pytest.mark.parametrize("dictionary", [False, True])
@pytest.mark.parametrize("group", [10_000, 3000, 1])
def test_every_row_in_its_order(tmp_path, monkeypatch, threads, mapped, dictionary, group):
    """Batches of a few rows, of which the last of a group is shorter."""
    monkeypatch.setattr(manylane.parquet, "BATCH_BYTES", 1 << 12)
    count = 300 if group == 1 else len(VALUES)
    options = {"row_group_size": group, "use_dictionary": dictionary}
    path = written(tmp_path / "a.parquet", VALUES[:count], **options)
    digests = manylane.parquet.hash_column(
        path, "value", "sha256", threads=threads, memory_map=mapped
    )
    assert digests.type == pyarrow.binary(32)
    assert digests.to_pylist() == EXPECTED[:count]


@pytest.mark.parametrize("kind", [pyarrow.string(), pyarrow.large_binary(), pyarrow.binary(4)])
def test_kinds_and_options(tmp_path, kind):
    values = pyarrow.array([b"abcd", None, b"1234"]).cast(kind)
    path = written(tmp_path / "a.parquet", values)
    options = {"prefix": b"salt", "encoding": "hex", "threads": 2}
    found = manylane.parquet.hash_column(path, "value", "md5", **options)
    salted = [hashlib.md5(b"salt" + value).hexdigest() for value in [b"abcd", b"1234"]]
    assert found.to_pylist() == [salted[0], None, salted[1]]
    tags = manylane.parquet.hash_column(path, "value", "sha256", key=b"key")
    assert tags[0].as_py() == manylane.hmac.digest(b"key", b"abcd", "sha256")


def test_files_without_rows(tmp_path):
    path = written(tmp_path / "a.parquet", pyarrow.array([], pyarrow.binary()))
    digests = manylane.parquet.hash_column(path, "value", "sha256", threads=2)
    assert len(digests) == 0 and digests.type == pyarrow.binary(32)


def test_what_is_refused(tmp_path):
    path = written(tmp_path / "a.parquet", VALUES, row_group_size=1000)
    with pytest.raises(KeyError, match="no column 'valu'; there are: a, value, values, val"):
        manylane.parquet.hash_column(path, "valu", "sha256")
    with pytest.raises(ValueError, match="sha257"):
        manylane.parquet.hash_column(tmp_path / "no file", "value", "sha257")
    with pytest.raises(ValueError, match="threads=0"):
        manylane.parquet.hash_column(path, "value", "sha256", threads=0)
    with pytest.raises(FileNotFoundError):
        manylane.parquet.hash_column(tmp_path / "no file", "value", "sha256")
    with pytest.raises(TypeError, match="rows of type Int64 are no bytes"):
        manylane.parquet.hash_column(path, "a", "sha256", threads=2)
    pyarrow.parquet.write_table(
        pyarrow.Table.from_arrays([pyarrow.array([b"1"])] * 2, ["value", "value"]), path
    )
    with pytest.raises(KeyError, match="two columns 'value'"):
        manylane.parquet.hash_column(path, "value", "sha256")


@pytest.mark.parametrize("threads", [1, 2])
def test_damaged_files_are_errors(tmp_path, threads):
    """A page's header is overwritten: no digests come of the groups that can be read."""
    options = {"row_group_size": 1000, "use_dictionary": False, "compression": "none"}
    path = written(tmp_path / "a.parquet", VALUES, **options)
    place = pyarrow.parquet.read_metadata(path).row_group(7).column(1).data_page_offset
    with open(path, "r+b") as file:
        file.seek(place)
        file.write(b"\xff" * 16)
    with pytest.raises((OSError, pyarrow.ArrowException)):
        manylane.parquet.hash_column(path, "value", "sha256", threads=threads)


def test_a_column_named_like_a_part_of_a_struct(tmp_path):
    table = pyarrow.table({"a": [{"b": "no"}, {"b": "no"}], "a.b": ["x", "y"]})
    pyarrow.parquet.write_table(table, tmp_path / "a.parquet")
    found = manylane.parquet.hash_column(tmp_path / "a.parquet", "a.b", "sha256")
    assert found.to_pylist() == [hashlib.sha256(value).digest() for value in [b"x", b"y"]]
