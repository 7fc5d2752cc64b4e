"""Manifests of data sets on this machine."""

import fcntl
import hashlib
import json
import os
import resource
import subprocess
import sys
import tempfile

import fsspec
import manylane
import pyarrow
import pyarrow.parquet
import pytest
from manylane import _parts, manifest


LOCAL = fsspec.get_filesystem_class("file")


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


@pytest.mark.parametrize("url", ["memory://b/m", "file:///tmp/m", "s3://b/m", "zip::file:///m"])
def test_a_manifest_is_no_url(files, tmp_path, url):
    for arguments in [["build", files[0], url], ["verify", files[0], url], ["diff", url, url]]:
        done = run(*arguments, cwd=tmp_path)
        assert done.returncode == 1
        assert f"{url}: is a URL, and a manifest is a local folder" in done.stderr
    assert os.listdir(tmp_path) == ["data"]
    done = run("build", f"file://{files[0]}", files[0] / "m")
    assert "lies in the data set" in done.stderr


def test_files_that_are_no_tables(tables, tmp_path):
    """The error names the file, and says what is wrong with it."""
    folder, _ = tables
    (folder / "x.parquet").write_bytes(b"PAR1 and no more")
    for engine in [["--column", "url"], ["--rows", "*"]]:
        done = run("build", folder, tmp_path / "m", *engine)
        assert done.returncode == 1 and "manifest: x.parquet: " in done.stderr
        assert "Traceback" not in done.stderr
    pyarrow.parquet.write_table(pyarrow.table({"url": [["a"], ["b"]]}), folder / "x.parquet")
    for engine in [["--column", "url"], ["--rows", "url"]]:
        done = run("build", folder, tmp_path / "m", *engine)
        assert done.returncode == 1 and "manifest: x.parquet: " in done.stderr
        assert "List" in done.stderr and "Traceback" not in done.stderr
    twice = pyarrow.Table.from_arrays([pyarrow.array(["a"])] * 2, ["url", "url"])
    pyarrow.parquet.write_table(twice, folder / "x.parquet")
    done = run("build", folder, tmp_path / "m", "--column", "url")
    assert "x.parquet: two columns 'url'" in done.stderr
    # A page whose bytes were overwritten, under a footer that can be read.
    table = pyarrow.table({"url": [str(i) * 50 for i in range(1000)]})
    pyarrow.parquet.write_table(table, folder / "x.parquet", use_dictionary=False)
    metadata = pyarrow.parquet.read_metadata(folder / "x.parquet")
    with open(folder / "x.parquet", "r+b") as file:
        file.seek(metadata.row_group(0).column(0).data_page_offset)
        file.write(b"\xff" * 16)
    done = run("build", folder, tmp_path / "m", "--column", "url")
    assert done.returncode == 1 and "manifest: x.parquet: " in done.stderr


def test_names_of_tables(tmp_path):
    (tmp_path / "data").mkdir()
    for name in ["_x.PARQUET", ".hidden.parquet", "a.Pq", "b.parq", "c.parquet.bak", "parquet"]:
        pyarrow.parquet.write_table(pyarrow.table({"c": ["a"]}), tmp_path / "data" / name)
    manifest.build(tmp_path / "data", tmp_path / "m", column="c")
    found = [".hidden.parquet", "_x.PARQUET", "a.Pq", "b.parq"]
    assert manifest.read(tmp_path / "m")["path"].to_pylist() == found


def flip(path, place):
    content = bytearray(path.read_bytes())
    content[place] ^= 1
    path.write_bytes(content)


def digest_place(path, digest):
    """Where a digest stands in a part, which is found by its bytes."""
    return path.read_bytes().index(digest)


def test_damaged_parts(files, tmp_path):
    data, expected = files
    out = tmp_path / "m"
    said = manifest.build(str(data), str(out), part_bytes=50_000)
    for part in said["parts"]:
        content = (out / part["file"]).read_bytes()
        assert part["sha256"] == hashlib.sha256(content).hexdigest()
    assert not (out / manifest.JOURNAL).exists()
    part = out / said["parts"][1]["file"]
    whole = part.read_bytes()
    digest = pyarrow.parquet.read_table(part)["digest"][2].as_py()
    for damage, what in [
        (lambda: flip(part, digest_place(part, digest)), "is damaged: its SHA-256 is not that"),
        (lambda: flip(part, len(whole) - 20), "is damaged: its SHA-256 is not that"),
        (part.unlink, "is missing"),
    ]:
        damage()
        text = f"{part}: this part of the manifest {what}"
        for arguments in [["verify", data, out], ["diff", out, out]]:
            done = run(*arguments)
            assert done.returncode == 1 and text in done.stderr, done.stderr
            assert "build again with the same arguments" in done.stderr
        manifest.build(str(data), str(out), part_bytes=50_000)
        assert part.read_bytes() == whole and digests(out) == expected


def test_damaged_parts_of_a_build_that_stopped(files, tmp_path, monkeypatch):
    data, expected = files
    out, computed, compute = tmp_path / "m", [], _parts.compute

    def failing(part, threads):
        computed.append(part.number)
        if len(computed) == 4:
            raise OSError("the disk is gone")
        return compute(part, threads)

    monkeypatch.setattr(_parts, "compute", failing)
    with pytest.raises(OSError, match="gone"):
        manifest.build(str(data), str(out), part_bytes=50_000)
    part = out / "part-00001.parquet"
    digest = pyarrow.parquet.read_table(part)["digest"][2].as_py()
    flip(part, digest_place(part, digest))
    # The computer was switched off while a line was written.
    with open(out / manifest.JOURNAL, "ab") as journal:
        journal.write(b'{"file": "part-0')
    said = manifest.build(str(data), str(out), part_bytes=50_000)
    assert computed == [0, 1, 2, 3, 1, *range(3, len(said["parts"]))]
    assert digests(out) == expected and manifest.verify(data, out) == []


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


@pytest.mark.parametrize(
    ("absent", "engine", "extra"),
    [
        ("pyarrow", "local", "manifest"),
        ("fsspec", "local", "manifest"),
        ("ray", "ray", "ray"),
        ("daft", "daft", "daft"),
    ],
)
def test_packages_that_are_not_installed(files, tmp_path, absent, engine, extra):
    code = (
        "import runpy, sys; sys.modules[sys.argv.pop(1)] = None; "
        "runpy.run_module('manylane.manifest', run_name='__main__', alter_sys=True)"
    )
    arguments = ["build", files[0], tmp_path / "m", "--engine", engine]
    done = subprocess.run(
        [sys.executable, "-c", code, absent, *map(str, arguments)], capture_output=True, text=True
    )
    remedy = f"manifest: {absent} is not installed: pip install 'manylane[{extra}]'\n"
    assert (done.returncode, done.stderr) == (1, remedy)
    assert not (tmp_path / "m").exists()


@pytest.mark.parametrize("module", ["parquet", "manifest", "ray", "daft"])
def test_modules_say_what_they_need(module):
    needed = "pyarrow" if module in {"parquet", "manifest"} else module
    code = f"import sys; sys.modules[{needed!r}] = None; import manylane.{module}"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    extra = "manifest" if needed == "pyarrow" else module
    assert done.stderr.endswith(
        f"ImportError: {needed} is not installed: pip install 'manylane[{extra}]'\n"
    )


def test_threads(files, tmp_path):
    """Refused before an engine is asked, also where nothing is left to be hashed."""
    manifest.build(files[0], tmp_path / "m", threads=None)
    for threads in [0, -1]:
        with pytest.raises(ValueError, match=f"threads={threads}: give 1 or more"):
            manifest.build(files[0], tmp_path / "m", threads=threads)


class Unreadable(LOCAL):
    """Local files, of which some folders cannot be listed."""

    folders = {}

    def ls(self, path, detail=False, **options):
        if error := self.folders.get(self._strip_protocol(path)):
            raise error
        return super().ls(path, detail, **options)


@pytest.mark.parametrize(
    ("error", "kind", "text"),
    [
        (PermissionError(13, "Permission denied"), PermissionError, "listed .Permission denied"),
        (OSError("the network is gone"), OSError, "listed .the network is gone"),
        (FileNotFoundError("x"), FileNotFoundError, "no such file or folder"),
    ],
)
def test_folders_that_cannot_be_listed(files, tmp_path, monkeypatch, error, kind, text):
    """They are errors that name the folder: without its files nothing is complete."""
    data, _ = files
    manifest.build(data, tmp_path / "m")
    fsspec.register_implementation("file", Unreadable, clobber=True)
    try:
        assert manifest.verify(data, tmp_path / "m") == []
        for folder in [data / "sub 1/deep", data / "sub 1", data]:
            folder.mkdir(exist_ok=True)
            monkeypatch.setattr(Unreadable, "folders", {str(folder): error})
            for work in [
                lambda: manifest.build(data, tmp_path / "n"),
                lambda: manifest.build(data, tmp_path / "m"),
                lambda: manifest.verify(data, tmp_path / "m"),
            ]:
                with pytest.raises(kind, match=text) as raised:
                    work()
                assert raised.value.filename == str(folder)
    finally:
        fsspec.register_implementation("file", LOCAL, clobber=True)


def test_folders_without_the_right_to_read_them():
    """Root may read all, so that a process of another user lists them."""
    code = """
import fsspec.implementations.local, os, sys
from manylane import _parts
if os.geteuid() == 0:
    os.setgroups([])
    os.setgid(65534)
    os.setuid(65534)
try:
    _parts.listing(_parts.Job(sys.argv[1], "sha256"))
except PermissionError as error:
    print(error.filename, error.strerror)
"""
    with tempfile.TemporaryDirectory() as data:
        os.chmod(data, 0o755)
        closed = os.path.join(data, "open", "closed")
        os.makedirs(closed)
        os.chmod(closed, 0)
        command = [sys.executable, "-c", code, data]
        done = subprocess.run(command, capture_output=True, text=True)
        os.chmod(closed, 0o700)
    told = f"{closed} the folder cannot be listed (Permission denied): "
    assert done.stdout.startswith(told), done.stdout + done.stderr


def test_a_manifest_behind_a_link(files, tmp_path):
    data, _ = files
    (tmp_path / "link").symlink_to(data)
    (tmp_path / "into").symlink_to(data / "sub 1")
    for source, out in [
        (tmp_path / "link", data / "m"),
        (data, tmp_path / "link/m"),
        (data, tmp_path / "into/m"),
        (f"file://{tmp_path}/link", data / "sub 0/m"),
    ]:
        with pytest.raises(ValueError, match="lies in the data set"):
            manifest.build(source, out)
    assert not (data / "m").exists() and not (data / "sub 1/m").exists()
    manifest.build(tmp_path / "link", tmp_path / "m")
    assert manifest.verify(data, tmp_path / "m") == []


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


def test_rows_of_no_columns(tables, tmp_path):
    folder, _ = tables
    for rows, error, text in [
        ([], ValueError, "names no column: name one or more, or give True"),
        ((), ValueError, "names no column"),
        ("url", TypeError, "give .'url'., or True for all"),
    ]:
        with pytest.raises(error, match=text):
            manifest.build(folder, tmp_path / "m", rows=rows)
    for rows in [True, ["n"], []]:
        with pytest.raises(ValueError, match="exclude each other"):
            manifest.build(folder, tmp_path / "m", column="url", rows=rows)
    assert not (tmp_path / "m").exists()
    said = manifest.build(folder, tmp_path / "m", column="url", rows=False)
    assert said["kind"] == "column"


def test_missing_columns_are_key_errors(tables, tmp_path):
    folder, _ = tables
    for options in [{"column": "zz"}, {"rows": ["n", "zz"]}]:
        with pytest.raises(KeyError, match="0.parquet: no column 'zz'; there are: url, n"):
            manifest.build(folder, tmp_path / "m", **options)


@pytest.mark.parametrize(
    "content",
    [
        '{"version": 1}',
        '{"version": 1, "algorithm": "sha256", "kind": "files", "source": "x"}',
        '{"version": 1, "algorithm": "sha256", "kind": "files", "source": "x", "columns": null,'
        ' "complete": true}',
        "[1]",
    ],
)
def test_json_that_is_no_manifest(files, tmp_path, content):
    data, _ = files
    (tmp_path / "m").mkdir()
    (tmp_path / "m/manifest.json").write_text(content)
    for work in [
        lambda: manifest.build(data, tmp_path / "m"),
        lambda: manifest.verify(data, tmp_path / "m"),
        lambda: manifest.read(tmp_path / "m"),
        lambda: manifest.diff(tmp_path / "m", tmp_path / "m"),
    ]:
        with pytest.raises(ValueError, match="manifest.json: is no manifest's"):
            work()


def test_sources_that_are_not_there(tmp_path):
    for source in ["memory://there/is/none", f"file://{tmp_path}/none", tmp_path / "none"]:
        done = run("build", source, tmp_path / "m")
        assert done.returncode == 1 and "there is no such file or folder" in done.stderr
        assert "none'" in done.stderr


def test_digests_that_are_too_long_for_tables(files, tmp_path):
    """Refused before a file is read; there is no such folder."""
    done = run("build", tmp_path / "none", tmp_path / "m", "-a", "shake256-80000000000000")
    assert done.returncode == 1 and "digests have 10000000000000 bytes each" in done.stderr


def test_columns_named_like_parts_of_structs(tmp_path):
    (tmp_path / "data").mkdir()
    table = pyarrow.table({"a": [{"b": "no"}, {"b": "no"}], "a.b": ["x", "y"], "c": [1, 2]})
    pyarrow.parquet.write_table(table, tmp_path / "data/x.parquet")
    manifest.build(tmp_path / "data", tmp_path / "m", column="a.b")
    expected = [hashlib.sha256(value).digest() for value in [b"x", b"y"]]
    assert manifest.read(tmp_path / "m")["digest"].to_pylist() == expected
