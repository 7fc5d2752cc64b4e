"""Manifests of data sets on this machine."""

import hashlib
import json
import os
import tempfile

import fsspec
import manylane
import numpy
import pyarrow
import pyarrow.parquet
import pytest
from common import digests, failing_once, run
from manylane import _parts, manifest


def test_files(files, tmp_path):
    data, expected = files
    said = manifest.build(str(data), str(tmp_path / "m"), part_bytes=50_000, threads=2)
    assert digests(tmp_path / "m") == expected
    assert (said["rows"], said["files"], said["complete"]) == (61, 61, True)
    assert len(said["parts"]) > 3 and said == json.loads((tmp_path / "m/manifest.json").read_text())
    table = manifest.read(str(tmp_path / "m"))
    assert table.schema.field("digest").type == pyarrow.binary(32)
    sizes = dict(zip(table["path"].to_pylist(), table["size"].to_pylist()))
    assert sizes == {name: (data / name).stat().st_size for name in expected}
    assert manifest.verify(str(data), str(tmp_path / "m")) == []


def test_columns_and_rows(tables, tmp_path):
    folder, values = tables
    manifest.build(str(folder), str(tmp_path / "c"), "md5", column="url", part_bytes=1)
    found = manifest.read(str(tmp_path / "c")).to_pylist()
    expected = [
        {
            "path": f"{part}.parquet",
            "row": row,
            "digest": value and hashlib.md5(value.encode()).digest(),
        }
        for part, column in enumerate(values)
        for row, value in enumerate(column)
    ]
    assert found == expected
    for rows in [True, ["n", "url"]]:
        said = manifest.build(str(folder), str(tmp_path / f"r{rows}"), rows=rows)
        table = pyarrow.parquet.read_table(folder / "2.parquet")
        of = manylane.hash_rows(table, None if rows is True else rows, "sha256").to_pylist()
        found = manifest.read(str(tmp_path / f"r{rows}")).to_pylist()
        assert [row["digest"] for row in found if row["path"] == "2.parquet"] == of
        assert (said["rows"], said["files"]) == (6000, 4)
        assert manifest.verify(str(folder), str(tmp_path / f"r{rows}")) == []


def test_objects_are_as_files(files, tmp_path):
    """Small ones and, by a limit that is lowered, large ones that are read in pieces."""
    data, expected = files
    store = fsspec.filesystem("memory")
    for name in expected:
        store.pipe_file(f"/bucket/{name}", (data / name).read_bytes())
    try:
        for small, name in [(_parts.SMALL, "m"), (1000, "n")]:
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(_parts, "SMALL", small)
                manifest.build("memory://bucket", str(tmp_path / name))
            assert digests(tmp_path / name) == expected
        for algorithm in ["shake128", "skein512-128"]:
            manifest.build("memory://bucket", str(tmp_path / algorithm), algorithm)
            manifest.build(str(data), str(tmp_path / f"{algorithm}-files"), algorithm)
            assert digests(tmp_path / algorithm) == digests(tmp_path / f"{algorithm}-files")
    finally:
        store.rm("/bucket", recursive=True)


def test_one_file_and_no_file(files, tmp_path):
    data, expected = files
    manifest.build(str(data / "top"), str(tmp_path / "one"))
    assert digests(tmp_path / "one") == {"top": expected["top"]}
    (tmp_path / "empty").mkdir()
    said = manifest.build(str(tmp_path / "empty"), str(tmp_path / "none"))
    assert said["rows"] == 0 and manifest.read(str(tmp_path / "none")).num_rows == 0
    assert manifest.verify(str(tmp_path / "empty"), str(tmp_path / "none")) == []


def test_what_was_written_is_kept(files, tmp_path, monkeypatch):
    data, expected = files
    out, computed = str(tmp_path / "m"), failing_once(monkeypatch, 3)
    with pytest.raises(OSError, match="gone"):
        manifest.build(str(data), out, part_bytes=50_000)
    with pytest.raises(manifest.Incomplete, match="run build again"):
        manifest.read(out)
    assert computed == [0, 1, 2]
    # A part that was cut, and one that is of something else.
    with open(tmp_path / "m/part-00000.parquet", "r+b") as part:
        part.truncate(100)
    said = manifest.build(str(data), out, part_bytes=50_000)
    assert computed == [0, 1, 2, 0, *range(2, len(said["parts"]))]
    assert digests(out) == expected
    # Complete: nothing is computed, until a file changes.
    manifest.build(str(data), out, part_bytes=50_000)
    (data / "top").write_bytes(b"more")
    count = len(computed)
    manifest.build(str(data), out, part_bytes=50_000)
    assert len(computed) == count + 1
    assert digests(out) == {**expected, "top": hashlib.sha256(b"more").digest()}


def test_fewer_parts_than_before(files, tmp_path):
    data, expected = files
    manifest.build(str(data), str(tmp_path / "m"), part_bytes=20_000)
    said = manifest.build(str(data), str(tmp_path / "m"))
    assert [part["file"] for part in said["parts"]] == ["part-00000.parquet"]
    assert [name for name in os.listdir(tmp_path / "m") if name.startswith("part-")] == [
        "part-00000.parquet"
    ]
    assert digests(tmp_path / "m") == expected


def test_changes_are_found(files, tmp_path):
    data, _ = files
    old, new = tmp_path / "old", tmp_path / "new"
    assert run("build", data, old).stdout == f"{old}: 61 digests of 61 files, in 1 part\n"
    assert run("verify", data, old).returncode == 0
    (data / "top").write_bytes(b"x")
    (data / "added\nhere").write_bytes(b"x")
    (data / "sub 1/file 001 ß").unlink()
    done = run("verify", data, old)
    told = 'added    "added\\nhere"\nremoved  sub 1/file 001 ß\nchanged  top\n'
    assert (done.returncode, done.stdout, done.stderr) == (1, told, "")
    run("build", data, new, "--algorithm", "sha256")
    assert run("diff", old, new).stdout == told
    assert run("diff", new, new).returncode == 0
    found = json.loads(run("diff", new, old, "--json").stdout)
    assert {"what": "removed", "path": "added\nhere", "row": None} in found and len(found) == 3


def test_rows_that_changed(tables, tmp_path):
    folder, _ = tables
    manifest.build(str(folder), str(tmp_path / "m"), column="url")
    table = pyarrow.table({"url": ["1-0", "1-1", "other"] + [None] * 997, "n": range(1000)})
    pyarrow.parquet.write_table(table.slice(0, 3), folder / "1.parquet")
    found = manifest.verify(str(folder), str(tmp_path / "m"))
    assert found[:3] == [
        ("changed", "1.parquet", 0),
        ("changed", "1.parquet", 2),
        ("removed", "1.parquet", 3),
    ]
    assert len(found) == 2 + 997


def test_links(files, tmp_path):
    """A link to a file is that file; others are named, with what to do."""
    data, expected = files
    os.symlink("top", data / "link")
    os.symlink(tmp_path / "elsewhere", data / "sub 0/outward")
    (tmp_path / "elsewhere").write_bytes(b"far")
    build = ["build", data, tmp_path / "m"]
    assert run(*build).returncode == 0
    far = hashlib.sha256(b"far").digest()
    assert digests(tmp_path / "m") == {**expected, "link": expected["top"], "sub 0/outward": far}
    # What changes is the file that it leads to.
    (tmp_path / "elsewhere").write_bytes(b"further")
    assert run("verify", data, tmp_path / "m").stdout == "changed  sub 0/outward\n"
    assert run(*build).returncode == 0 and run("verify", data, tmp_path / "m").returncode == 0
    for target, text in [
        ("nothing", "bad: is a symbolic link that leads to no file (No such file"),
        ("bad", "bad: is a symbolic link that leads to no file (Too many levels"),
        ("sub 1", "bad: is a symbolic link to a folder, which is not followed; put the folder"),
        ("/dev/null", "bad: is no regular file"),
    ]:
        os.symlink(target, data / "bad")
        done = run(*build)
        assert done.returncode == 1 and text in done.stderr, done.stderr
        (data / "bad").unlink()


def test_links_among_tables(tables, tmp_path):
    folder, values = tables
    os.symlink("3.parquet", folder / "link.parquet")
    os.symlink("nothing", folder / "of no table")
    said = manifest.build(str(folder), str(tmp_path / "m"), column="url")
    assert said["files"] == 5 and said["rows"] == 9000
    os.symlink("..", folder / "up")
    with pytest.raises(ValueError, match="up: is a symbolic link to a folder"):
        manifest.build(str(folder), str(tmp_path / "n"), column="url")


def test_names_of_tables(tmp_path):
    (tmp_path / "data").mkdir()
    for name in ["_x.PARQUET", ".hidden.parquet", "a.Pq", "b.parq", "c.parquet.bak", "parquet"]:
        pyarrow.parquet.write_table(pyarrow.table({"c": ["a"]}), tmp_path / "data" / name)
    manifest.build(tmp_path / "data", tmp_path / "m", column="c")
    found = [".hidden.parquet", "_x.PARQUET", "a.Pq", "b.parq"]
    assert manifest.read(tmp_path / "m")["path"].to_pylist() == found


def test_manifests_of_earlier_versions(files, tmp_path):
    """They have no digests of parts, and the algorithm as it was spelled."""
    data, expected = files
    out = tmp_path / "m"
    said = manifest.build(str(data), str(out), part_bytes=50_000)
    for part in said["parts"]:
        del part["sha256"]
    (out / "manifest.json").write_text(json.dumps({**said, "algorithm": "SHA-256"}))
    assert digests(out) == expected and manifest.verify(data, out) == []
    again = manifest.build(str(data), str(out), part_bytes=50_000)
    assert all("sha256" in part for part in again["parts"]) and again["algorithm"] == "sha256"
    part = out / "part-00000.parquet"
    part.unlink()
    (out / "manifest.json").write_text(json.dumps(said))
    with pytest.raises(FileNotFoundError, match="is missing; restore it"):
        manifest.read(out)


def test_spellings_are_one_algorithm(files, tmp_path):
    data, _ = files
    said = manifest.build(data, tmp_path / "m", "SHA-256")
    assert said["algorithm"] == "sha256"
    for spelling in ["sha256", "SHA256", "sha-256"]:
        done = run("build", data, tmp_path / "m", "-a", spelling)
        assert done.returncode == 0, done.stderr
    for one, two in [("shake128", "SHAKE128-256"), ("SHA-512/256", "sha512_256")]:
        manifest.build(data, tmp_path / one.replace("/", "-"), one)
        manifest.build(data, tmp_path / two, two)
        assert manifest.diff(tmp_path / one.replace("/", "-"), tmp_path / two) == []


def test_threads(files, tmp_path):
    """Refused before an engine is asked, also where nothing is left to be hashed."""
    manifest.build(files[0], tmp_path / "m", threads=None)
    for threads in [0, -1]:
        with pytest.raises(ValueError, match=f"threads={threads}: give 1 or more"):
            manifest.build(files[0], tmp_path / "m", threads=threads)
    for wrong, kind in [("2", "str"), (2.0, "float"), ([2], "list")]:
        for option in ["threads", "part_bytes"]:
            with pytest.raises(TypeError, match=f"{option}=.*: give a whole number, not a {kind}"):
                manifest.build(files[0], tmp_path / "m", **{option: wrong})
        with pytest.raises(TypeError, match=f"threads=.*: give a whole number, not a {kind}"):
            manifest.verify(files[0], tmp_path / "m", threads=wrong)
    manifest.build(files[0], tmp_path / "n", threads=numpy.int64(2), part_bytes=numpy.int64(1000))
    assert digests(tmp_path / "n") == files[1]


def test_one_of_a_kind_has_no_plural(files, tmp_path):
    done = run("build", files[0] / "top", tmp_path / "m")
    assert done.stdout == f"{tmp_path / 'm'}: 1 digest of 1 file, in 1 part\n"
    done = run("build", files[0], tmp_path / "n", "--part-bytes", "100000")
    assert done.stdout == f"{tmp_path / 'n'}: 61 digests of 61 files, in 3 parts\n"


@pytest.mark.parametrize("mask", [0o022, 0o077, 0o002])
def test_files_have_the_rights_of_new_files(files, tmp_path, mask):
    data, _ = files
    before = os.umask(mask)
    try:
        said = manifest.build(data, tmp_path / "m")
    finally:
        os.umask(before)
    for name in ["manifest.json", said["parts"][0]["file"]]:
        assert (tmp_path / "m" / name).stat().st_mode & 0o777 == 0o666 & ~mask


def test_temporary_files_in_the_data_set(files, tmp_path, monkeypatch):
    data, _ = files
    manifest.build(data, tmp_path / "m")
    monkeypatch.setattr(tempfile, "tempdir", str(data / "sub 1"))
    assert manifest.verify(data, tmp_path / "m") == []
    (data / "top").write_bytes(b"more")
    assert manifest.verify(data, tmp_path / "m") == [("changed", "top", None)]
    done = run("verify", data, tmp_path / "m", env={**os.environ, "TMPDIR": str(data)})
    assert (done.returncode, done.stdout) == (1, "changed  top\n")


def test_columns_named_like_parts_of_structs(tmp_path):
    (tmp_path / "data").mkdir()
    table = pyarrow.table({"a": [{"b": "no"}, {"b": "no"}], "a.b": ["x", "y"], "c": [1, 2]})
    pyarrow.parquet.write_table(table, tmp_path / "data/x.parquet")
    manifest.build(tmp_path / "data", tmp_path / "m", column="a.b")
    expected = [hashlib.sha256(value).digest() for value in [b"x", b"y"]]
    assert manifest.read(tmp_path / "m")["digest"].to_pylist() == expected
