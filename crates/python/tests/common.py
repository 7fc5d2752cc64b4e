"""What tests of several kinds of input share."""

import hashlib
import struct
import subprocess
import sys

import manylane
import numpy
import pyarrow
import pytest
from manylane import _parts, manifest

LENGTHS = [0, 1, 63, 64, 65, 5000, 127, 128, 3, 55, 56] * 20
MESSAGES = [bytes([i % 256]) * length for i, length in enumerate(LENGTHS)]
EXPECTED = [hashlib.sha256(message).digest() for message in MESSAGES]


def sha256(message):
    return hashlib.sha256(message).digest()


def many(messages, **options):
    return manylane.hash_many(messages, "sha256", **options)


def limited(code, more):
    """The exit status of a process that may take so many bytes more after `limit()`, and what it
    says."""
    prelude = f"""
import re, resource, sys
def limit():
    size = int(re.search(r"VmSize:\\s+(\\d+)", open("/proc/self/status").read())[1]) * 1024
    resource.setrlimit(resource.RLIMIT_AS, (size + {more},) * 2)
import manylane, numpy, pyarrow
"""
    done = subprocess.run([sys.executable, "-c", prelude + code], capture_output=True, text=True)
    return done.returncode, done.stderr


linux = pytest.mark.skipif(sys.platform != "linux", reason="memory is limited by Linux's means")


def views(views, data, valid, kind):
    """An array of views as they are, of which those of null rows may be any."""
    views = numpy.array(views, "int32")
    buffers = [valid and pyarrow.py_buffer(valid), pyarrow.py_buffer(views), *data]
    return pyarrow.Array.from_buffers(kind, len(views), buffers)


MEGABYTE = b"x" * (1 << 20)


def megabytes(count):
    """A column of rows of a mebibyte that lie in one place."""
    row = [len(MEGABYTE), 0x78787878, 0, 0]
    return views([row] * count, [pyarrow.py_buffer(MEGABYTE)], None, pyarrow.binary_view())


def value(kind, content):
    """A value of a row as docs/python.md encodes it."""
    return bytes([kind]) + struct.pack("<Q", len(content)) + content


def run(*arguments, **options):
    """A run of the program for manifests."""
    command = [sys.executable, "-m", "manylane.manifest", *map(str, arguments)]
    options = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **options}
    return subprocess.run(command, text=True, **options)


def digests(folder):
    """The digests in a manifest of files, by their paths."""
    table = manifest.read(str(folder)).to_pydict()
    return dict(zip(table["path"], table["digest"]))


def failing_once(monkeypatch, at):
    """Lets the part that is computed as number `at`, from 1 on, fail. Returns a list to which the
    number of each part is appended when it is computed."""
    computed, compute = [], _parts.compute

    def failing(part, threads):
        computed.append(part.number)
        if len(computed) == at:
            raise OSError("the disk is gone")
        return compute(part, threads)

    monkeypatch.setattr(_parts, "compute", failing)
    return computed
