"""Manifests of data sets on this machine."""

import fcntl
import hashlib
import json
import os
import resource
import subprocess
import sys

import fsspec
import manylane
import pyarrow
import pyarrow.parquet
import pytest
from manylane import _parts, manifest


def run(*arguments, **options):
    command = [sys.executable, "-m", "manylane.manifest", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, **options)


@pytest.fixture
def files(tmp_path):
    """A folder with files of many lengths, and what their digests are."""
    folder = tmp_path / "data"
    contents = {f"sub {i % 3}/file {i:03} ß": bytes([i]) * (i * 997 % 9000) for i in range(60)}
    contents["top"] = b""
    for name, content in contents.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
    return folder, {name: hashlib.sha256(content).digest() for name, content in contents.items()}


@pytest.fixture
def tables(tmp_path):
    """Parquet files, one with several row groups, one without rows."""
    folder = tmp_path / "tables"
    folder.mkdir()
    values = [[f"{part}-{i}" if i % 7 else None for i in range(part * 1000)] for part in range(4)]
    for part, column in enumerate(values):
        table = pyarrow.table({"url": pyarrow.array(column, "string"), "n": range(len(column))})
        pyarrow.parquet.write_table(table, folder / f"{part}.parquet", row_group_size=300)
    (folder / "notes.txt").write_text("no table")
    return folder, values


def digests(folder):
    table = manifest.read(str(folder)).to_pydict()
    return dict(zip(table["path"], table["digest"]))


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
    out, computed, compute = str(tmp_path / "m"), [], _parts.compute

    def failing(part, threads):
        computed.append(part.number)
        if len(computed) == 3:
            raise OSError("the disk is gone")
        return compute(part, threads)

    monkeypatch.setattr(_parts, "compute", failing)
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


def test_a_full_disk(files, tmp_path):
    """A limit on the length of files, which writing meets as a disk that is full."""
    data, expected = files

    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (1500, 1500))

    done = run("build", data, tmp_path / "m", "--part-bytes", "70000", preexec_fn=limit)
    assert done.returncode == 1 and "manifest: " in done.stderr and "Traceback" not in done.stderr
    assert not [name for name in os.listdir(tmp_path / "m") if name.startswith(".part-")]
    assert run("verify", data, tmp_path / "m").returncode == 1
    done = run("build", data, tmp_path / "m", "--part-bytes", "70000")
    assert done.returncode == 0, done.stderr
    assert digests(tmp_path / "m") == expected


def test_changes_are_found(files, tmp_path):
    data, _ = files
    old, new = tmp_path / "old", tmp_path / "new"
    assert run("build", data, old).stdout == f"{old}: 61 digests of 61 files, in 1 parts\n"
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


def test_what_is_refused(files, tables, tmp_path):
    data, _ = files
    out = tmp_path / "m"
    assert run("build", data, out).returncode == 0
    other = tmp_path / "other"
    other.mkdir()
    (other / "thesis.txt").write_text("mine")
    (data / "pipe").unlink(missing_ok=True)
    for arguments, text in [
        (["build", data, out, "-a", "md5"], "algorithm sha256, not md5"),
        (["build", data, other], "has other files"),
        (["build", data, data / "top"], "lies in the data set"),
        (["build", data, data / "m"], "lies in the data set"),
        (["build", data, tables[0] / "notes.txt"], "is a file"),
        (["build", tmp_path / "missing", tmp_path / "x"], "missing"),
        (["build", data, tmp_path / "x", "-a", "sha257"], "unsupported hash `sha257`"),
        (["build", data, tmp_path / "x", "--engine", "spark"], "local, ray and daft"),
        (["build", data, tmp_path / "x", "--column", "url"], "no Parquet files"),
        (
            ["build", tables[0], tmp_path / "x", "--column", "uri"],
            "no column 'uri'; there are: url, n",
        ),
        (["build", tables[0], tmp_path / "x", "--column", "n"], "Int64"),
        (["build", tables[0], tmp_path / "y", "--column", "n", "--rows", "n"], "not allowed"),
        (["build", data, tmp_path / "y", "--part-bytes", "0"], "--part-bytes"),
        (["build", data, tmp_path / "y", "--threads", "0"], "threads=0"),
        (["verify", data, other], "is no manifest"),
        (["diff", out, tmp_path / "missing"], "is no manifest"),
        (["build", data], "required: MANIFEST"),
        ([], "required: COMMAND"),
    ]:
        done = run(*arguments)
        assert done.returncode == 1 and text in done.stderr, (arguments, done.stderr)
        assert "Traceback" not in done.stderr
    assert (other / "thesis.txt").read_text() == "mine" and os.listdir(other) == ["thesis.txt"]
    (out / "manifest.json").write_text("{}")
    assert "is no manifest's" in run("verify", data, out).stderr
    assert "SRC MANIFEST" in run("build", "--help").stdout


def test_pipes_and_names_that_are_no_text(files, tmp_path):
    data, _ = files
    os.mkfifo(data / "pipe")
    assert "pipe: is no regular file" in run("build", data, tmp_path / "m").stderr
    (data / "pipe").unlink()
    with open(os.fsencode(data) + b"/\xff", "wb"):
        pass
    done = run("build", data, tmp_path / "m")
    assert done.returncode == 1 and "is no UTF-8" in done.stderr


def test_two_builds_at_once(files, tmp_path):
    data, _ = files
    (tmp_path / "m").mkdir()
    with open(tmp_path / "m/.lock", "ab") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        assert "another build" in run("build", data, tmp_path / "m").stderr
    assert run("build", data, tmp_path / "m").returncode == 0


def test_a_file_that_changes_while_it_is_read(files, tmp_path):
    data, expected = files
    listing = _parts.listing

    def changing(job):
        found = listing(job)
        (data / "top").write_bytes(b"longer")
        return found

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_parts, "listing", changing)
        with pytest.raises(ValueError, match="top: changed while it was read"):
            manifest.build(str(data), str(tmp_path / "m"))
    manifest.build(str(data), str(tmp_path / "m"))
    assert digests(tmp_path / "m")["top"] == hashlib.sha256(b"longer").digest()
