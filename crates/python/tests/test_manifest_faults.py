"""What cannot be a manifest or is one no longer: damage, missing rights, wrong requests."""

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
from common import digests, failing_once, run
from manylane import _parts, _store, manifest


def test_a_full_disk(files, tmp_path):
    """A limit on the length of files, which writing meets as a disk that is full."""
    data, expected = files

    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (1500, 1500))

    done = run("build", data, tmp_path / "m", "--part-bytes", "70000", preexec_fn=limit)
    assert done.returncode == 1 and "manifest: " in done.stderr and "Traceback" not in done.stderr
    assert "run it again to go on: " in done.stderr and f"{tmp_path / 'm'}/" in done.stderr
    assert not [name for name in os.listdir(tmp_path / "m") if name.startswith(".part-")]
    assert run("verify", data, tmp_path / "m").returncode == 1
    done = run("build", data, tmp_path / "m", "--part-bytes", "70000")
    assert done.returncode == 0, done.stderr
    assert digests(tmp_path / "m") == expected


@pytest.mark.parametrize("buffered", [True, False])
def test_a_standard_output_that_is_full(files, tmp_path, monkeypatch, buffered):
    """The status is that of an error, whether the interpreter keeps lines back or not."""
    data, expected = files
    monkeypatch.setenv("PYTHONUNBUFFERED", "" if buffered else "1")
    (tmp_path / "one").mkdir()
    with open("/dev/full", "w") as full:
        for arguments in [
            ["build", data, tmp_path / "m"],
            ["build", data, tmp_path / "m", "--json"],
            ["build", tmp_path / "one", tmp_path / "m2"],
            ["diff", tmp_path / "m", tmp_path / "m2"],
            ["verify", tmp_path / "one", tmp_path / "m", "--json"],
        ]:
            done = run(*arguments, stdout=full)
            said = "manifest: standard output: No space left on device\n"
            assert (done.returncode, done.stderr) == (1, said), arguments
    assert digests(tmp_path / "m") == expected


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
    told = "'\\udcff': its name is no UTF-8, which Parquet requires: rename it\n"
    assert done.returncode == 1 and done.stderr.endswith(told), done.stderr


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
    assert not (out / _store.JOURNAL).exists()
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
    out, computed = tmp_path / "m", failing_once(monkeypatch, 4)
    with pytest.raises(OSError, match="gone"):
        manifest.build(str(data), str(out), part_bytes=50_000)
    part = out / "part-00001.parquet"
    digest = pyarrow.parquet.read_table(part)["digest"][2].as_py()
    flip(part, digest_place(part, digest))
    with open(out / _store.JOURNAL, "ab") as journal:
        # Lines of other types are as good as none, deep ones too.
        journal.write(b'{"file": 3, "sha256": "x"}\n{"file": null, "sha256": "x"}\n[]\n\xff\n')
        journal.write(b'{"file": "part-00003.parquet", "sha256": 5}\n' + b"[" * 100_000 + b"\n")
        # The computer was switched off while a line was written.
        journal.write(b'{"file": "part-0')
    said = manifest.build(str(data), str(out), part_bytes=50_000)
    assert computed == [0, 1, 2, 3, 1, *range(3, len(said["parts"]))]
    assert digests(out) == expected and manifest.verify(data, out) == []


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


LOCAL = fsspec.get_filesystem_class("file")


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
        "",
        "[" * 100_000,
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
        with pytest.raises(ValueError, match="manifest.json: is no manifest's; restore "):
            work()


def _without_last(said):
    del said["parts"][-1]


def _twice(said):
    said["parts"][1] = said["parts"][0]


def _elsewhere(said):
    said["parts"][0]["file"] = "../m2/part-00000.parquet"


@pytest.mark.parametrize(
    ("damage", "text"),
    [
        (_without_last, "its parts have [0-9]+ rows, not 61"),
        (_twice, "part 1 is 'part-00000.parquet', not 'part-00001.parquet'"),
        (_elsewhere, "part 0 is '../m2/part-00000.parquet'"),
        (lambda said: said["parts"].reverse(), "part 0 is "),
        (lambda said: said["parts"][0].pop("rows"), "rows of part 0 is None"),
        (lambda said: said["parts"][0].update(sha256=5), "sha256 of part 0 is no text"),
        (lambda said: said.update(parts=5), "parts is no list"),
        (lambda said: said.update(parts=["part-00000.parquet"]), "parts is no list"),
        (lambda said: said.update(files=60), "it has 61 digests of 60 files"),
        (lambda said: said.update(rows="61"), "rows is '61'"),
        (lambda said: said.pop("files"), "files is None"),
        (lambda said: said.update(kind="zzz"), "kind is 'zzz'"),
        (lambda said: said.update(kind="column"), "columns is None where kind is column"),
        (lambda said: said.update(kind="rows", columns=[]), "columns is .. where kind is rows"),
        (lambda said: said.update(columns=["a"]), "columns is .'a'. where kind is files"),
        (lambda said: said.update(algorithm=5), "algorithm is no text"),
        (lambda said: said.update(algorithm="sha257"), "unsupported hash `sha257`"),
        (lambda said: said.update(complete="yes"), "complete is 'yes'"),
    ],
)
def test_damaged_json(files, tmp_path, damage, text):
    """What a manifest says of itself is held together before a part is read."""
    data, _ = files
    out = tmp_path / "m"
    manifest.build(data, tmp_path / "m2", part_bytes=50_000)
    said = manifest.build(data, out, part_bytes=50_000)
    damage(said)
    (out / "manifest.json").write_text(json.dumps(said))
    for work in [
        lambda: manifest.read(out),
        lambda: manifest.verify(data, out),
        lambda: manifest.diff(out, tmp_path / "m2"),
        lambda: manifest.diff(tmp_path / "m2", out),
        lambda: manifest.build(data, out, part_bytes=50_000),
    ]:
        told = f"manifest.json: the manifest is damaged: {text}.*; restore manifest.json"
        with pytest.raises(ValueError, match=told):
            work()
    done = run("verify", data, out)
    assert done.returncode == 1 and "the manifest is damaged" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_manifest_behind_a_chain_of_file_systems(files, tmp_path):
    data, _ = files
    for source in [f"simplecache::file://{data}", f"filecache::{data}", f"dir::local://{data}"]:
        for out in [data / "m", data / "sub 1/m"]:
            with pytest.raises(ValueError, match="lies in the data set"):
                manifest.build(source, out)
            assert not out.exists()


def test_sources_without_a_name(files, tmp_path, monkeypatch):
    """An empty name is not the current folder."""
    monkeypatch.chdir(files[0])
    for source in ["", "file://"]:
        for work in [
            lambda: manifest.build(source, tmp_path / "m"),
            lambda: manifest.build(files[0], source),
            lambda: manifest.read(source),
        ]:
            with pytest.raises(ValueError, match="is empty: name a folder, '.' for the current"):
                work()
    manifest.build(".", tmp_path / "m")
    with pytest.raises(ValueError, match="the source is empty"):
        manifest.verify("", tmp_path / "m")
    assert "the source is empty" in run("build", "", tmp_path / "n").stderr
    for work in [
        lambda: manifest.build(os.fsencode(files[0]), tmp_path / "n"),
        lambda: manifest.build(files[0], os.fsencode(tmp_path / "n")),
        lambda: manifest.verify(os.fsencode(files[0]), tmp_path / "m"),
        lambda: manifest.diff(b"m", b"m"),
    ]:
        with pytest.raises(TypeError, match="must be a path of str, not of bytes: give os.fsdec"):
            work()
    assert not (tmp_path / "n").exists()


def test_folders_named_like_chains(files, tmp_path):
    folder = tmp_path / "a::b"
    files[0].rename(folder)
    with pytest.raises(ValueError, match="a::b: its name has '::', .*; rename it, or name a link"):
        manifest.build(folder, tmp_path / "m")
    (tmp_path / "link").symlink_to(folder)
    manifest.build(tmp_path / "link", tmp_path / "m")
    assert digests(tmp_path / "m") == files[1]


@pytest.mark.parametrize("part_bytes", [0, -1])
def test_parts_of_no_bytes(files, tmp_path, part_bytes):
    with pytest.raises(ValueError, match=f"part_bytes={part_bytes}: give 1 or more"):
        manifest.build(files[0], tmp_path / "m", part_bytes=part_bytes)
    assert not (tmp_path / "m").exists()


def test_sources_that_are_not_there(tmp_path):
    for source in ["memory://there/is/none", f"file://{tmp_path}/none", tmp_path / "none"]:
        done = run("build", source, tmp_path / "m")
        assert done.returncode == 1 and "there is no such file or folder" in done.stderr
        assert "none'" in done.stderr


def test_digests_that_are_too_long_for_tables(files, tmp_path):
    """Refused before a file is read; there is no such folder."""
    done = run("build", tmp_path / "none", tmp_path / "m", "-a", "shake256-80000000000000")
    assert done.returncode == 1 and "digests have 10000000000000 bytes each" in done.stderr
