"""Manifests of files on servers and in archives, and what their back ends may fail by."""

import contextlib
import hashlib
import http.server
import subprocess
import sys
import threading
import zipfile

import pytest
from common import digests, run
from manylane import manifest

@contextlib.contextmanager
def server(answers):
    """The URL of a server with these answers by path: status, headers and content."""
    pytest.importorskip("aiohttp")

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            status, headers, content = answers.get(self.path, (404, {}, b""))
            self.send_response(status)
            for name, value in {"Content-Length": str(len(content)), **headers}.items():
                if value is not None:
                    self.send_header(name, value)
            self.end_headers()
            if self.command == "GET":
                self.wfile.write(content)

        do_HEAD = do_GET

        def log_message(self, *_):
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as httpd:
        thread = threading.Thread(target=httpd.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{httpd.server_address[1]}"
        httpd.shutdown()
        thread.join()


PAGE = (200, {"Content-Type": "text/html"}, b'<a href="a">a</a>')
A = (200, {"Last-Modified": "Mon, 02 Nov 2026 00:00:00 GMT"}, b"abc")


def test_a_file_on_a_server(tmp_path):
    answers = {"/sub/a": A, "/sub/?of=a": A}
    with server(answers) as url:
        for name in ["a", "?of=a"]:
            manifest.build(f"{url}/sub/{name}", tmp_path / name)
            assert digests(tmp_path / name) == {name: hashlib.sha256(b"abc").digest()}
        # A file of the same length is another one by its date.
        later = {"Last-Modified": "Tue, 03 Nov 2026 00:00:00 GMT"}
        answers["/sub/a"] = (200, later, b"abd")
        manifest.build(f"{url}/sub/a", tmp_path / "a")
        assert digests(tmp_path / "a") == {"a": hashlib.sha256(b"abd").digest()}


def test_folders_on_a_server(tmp_path):
    """Their pages are no files of theirs."""
    moved = (301, {"Location": "/sub/"}, b"")
    with server({"/": PAGE, "/sub/": PAGE, "/sub": moved, "/sub/a": A}) as url:
        for source in ["", "/", "/sub/", "/sub/.", "/sub/..", "/sub", "/sub/#a"]:
            for chained in [f"{url}{source}", f"simplecache::{url}{source}"]:
                if chained == f"simplecache::{url}/sub":
                    # The cache does not tell where it was sent.
                    continue
                done = run("build", chained, tmp_path / "m")
                assert done.returncode == 1 and "but a page: name a file\n" in done.stderr, chained
                assert done.stderr.startswith("manifest: ") and done.stderr.count("\n") == 1
        assert not (tmp_path / "m").exists()
        manifest.build(f"{url}/sub/a", tmp_path / "m")
        with pytest.raises(ValueError, match="name a file"):
            manifest.verify(f"{url}/sub/", tmp_path / "m")


def test_files_of_unknown_length(tmp_path):
    with server({"/a": (200, {"Content-Length": None}, b"abc")}) as url:
        done = run("build", f"{url}/a", tmp_path / "m")
    told = "manifest: a: how long it is cannot be learnt"
    assert done.returncode == 1 and done.stderr.startswith(told), done.stderr
    assert done.stderr.count("\n") == 1


def one_line(source, out, kind):
    """Holds a build to an error that is one line, names the source and the kind of the error."""
    done = run("build", source, out)
    assert (done.returncode, done.stdout) == (1, ""), done.stdout + done.stderr
    assert done.stderr.startswith("manifest: ") and done.stderr.count("\n") == 1, done.stderr
    assert str(source) in done.stderr and kind in done.stderr, done.stderr


def test_servers_that_fail(tmp_path):
    answers = {"/a": (500, {}, b""), "/b": A}
    with server(answers) as url:
        one_line(f"{url}/a", tmp_path / "m", "500, message='Internal Server Error'")
        # The content ends before its length.
        answers["/b"] = (200, {**A[1], "Content-Length": "100"}, b"abc")
        one_line(f"{url}/b", tmp_path / "o", "Payload")
    one_line(f"{url}/b", tmp_path / "p", "Cannot connect to host")


def test_damaged_archives(tmp_path):
    (tmp_path / "n.zip").write_text("junk\n")
    one_line(f"zip://::{tmp_path}/n.zip", tmp_path / "m", "File is not a zip file (BadZipFile)")
    (tmp_path / "n.tar").write_text("junk\n")
    one_line(f"tar://::{tmp_path}/n.tar", tmp_path / "m", "ReadError")
    with zipfile.ZipFile(tmp_path / "z.zip", "w") as archive:
        archive.writestr("a", b"some text that is stored as it is")
    content = bytearray((tmp_path / "z.zip").read_bytes())
    content[content.index(b"text")] ^= 1
    (tmp_path / "z.zip").write_bytes(content)
    one_line(f"zip://::{tmp_path}/z.zip", tmp_path / "m", "Bad CRC-32 for file 'a' (BadZipFile)")


def test_object_stores_that_cannot_be_reached(tmp_path, monkeypatch):
    pytest.importorskip("s3fs")
    for name in ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"]:
        monkeypatch.setenv(name, "x")
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:9")
    monkeypatch.setenv("AWS_MAX_ATTEMPTS", "1")
    one_line("s3://bucket/x", tmp_path / "m", "Could not connect to the endpoint URL")


BACK_END = """
import fsspec, sys
from fsspec.implementations.memory import MemoryFileSystem
from manylane import manifest

class Foreign(Exception):
    pass

class Failing(MemoryFileSystem):
    def isfile(self, path):
        raise {error}

fsspec.register_implementation("memory", Failing, clobber=True)
sys.exit(manifest.main(["build", "memory://x", sys.argv[1]]))
"""


@pytest.mark.parametrize(
    ("error", "said"),
    [
        ('Foreign("first\\nsecond")', "manifest: memory://x: first second (Foreign)\n"),
        ("Foreign()", "manifest: memory://x: Foreign\n"),
        ('EOFError("cut")', "manifest: memory://x: cut (EOFError)\n"),
        ('OSError(5, "bad", "name")', "manifest: [Errno 5] bad: 'name'\n"),
    ],
)
def test_errors_of_other_packages(tmp_path, error, said):
    code = BACK_END.format(error=error)
    command = [sys.executable, "-c", code, str(tmp_path / "m")]
    done = subprocess.run(command, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (1, said)


def test_mistakes_of_programs_are_not_hidden(tmp_path):
    """What Python raises where a program is wrong keeps its traceback."""
    code = BACK_END.format(error='AttributeError("no such thing")')
    command = [sys.executable, "-c", code, str(tmp_path / "m")]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 1 and done.stderr.startswith("Traceback"), done.stderr
    assert done.stderr.endswith("AttributeError: no such thing\n")
