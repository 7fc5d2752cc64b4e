"""Manifests of files on servers."""

import contextlib
import hashlib
import http.server
import threading

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
