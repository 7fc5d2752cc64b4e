"""Files by their names."""

import hashlib
import os
import subprocess
import sys
import threading

import manylane
import pytest


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


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes")
def test_waiting_for_a_writer_can_be_interrupted(tmp_path):
    """In a process of its own: it waits in the thread that opens the pipe."""
    os.mkfifo(tmp_path / "pipe")
    code = """
import _thread, sys, threading, manylane
threading.Timer(0.2, _thread.interrupt_main).start()
try:
    manylane.hash_files(sys.argv[1:], "md5")
except KeyboardInterrupt:
    print("interrupted")
"""
    command = [sys.executable, "-c", code, str(tmp_path / "pipe")]
    done = subprocess.run(command, capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, "interrupted\n", "")


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
