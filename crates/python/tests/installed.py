"""Holds an installed module to hashlib and to the published vectors, by itself.

A wheel for another system is tried where there may be neither pip nor pytest nor a second process:
`make test-wheels` runs this file by that system's Python. Columns are hashed where pyarrow is.

    python installed.py VECTORS ARCHITECTURE
"""

import hashlib
import hmac
import os
import pathlib
import platform
import sys
import tempfile
import threading
from importlib.machinery import EXTENSION_SUFFIXES

import manylane

try:
    import pyarrow
except ImportError:
    pyarrow = None

# Around the blocks of every hash.
BLOCKS = (0, 64, 72, 104, 128, 136, 144, 168, 256, 2048)
LENGTHS = sorted({block + more for block in BLOCKS for more in range(-2, 3)})
MESSAGES = [bytes((7 * i + n) % 256 for i in range(n)) for n in LENGTHS if n >= 0]


def blobs(data):
    """The blobs of a file of RustCrypto's, of both versions (crates/kat/src/blobby.rs)."""
    if data[:6] == b"blobby":
        size, at = data[6] - ord("0"), 7
        while at < len(data):
            length = int.from_bytes(data[at : at + size], "little")
            at += size + length
            yield data[at - length : at]
        return
    at = 0

    def number():
        nonlocal at
        value = data[at] & 127
        while data[at] & 128:
            at += 1
            value = ((value + 1) << 7) | (data[at] & 127)
        at += 1
        return value

    def take(length):
        nonlocal at
        at += length
        return data[at - length : at]

    count, entries = number(), number()
    index = [take(number()) for _ in range(entries)]
    for _ in range(count):
        value = number()
        yield index[value // 2] if value % 2 else take(value // 2)


def records(text):
    """The messages of whole bytes and their digests in a file with fields Len, Msg and MD."""
    fields = [line.strip().split(" = ") for line in text.splitlines()]
    fields = [field[1] for field in fields if field[0] in ("Len", "Msg", "MD")]
    for bits, message, digest in zip(fields[::3], fields[1::3], fields[2::3]):
        if int(bits) % 8 == 0:
            yield bytes.fromhex(message)[: int(bits) // 8], bytes.fromhex(digest)


def published(folder):
    """(algorithm, message, digest) of the hashes that hashlib may lack."""
    files = {f"ripemd{n}": f"ripemd/rustcrypto_ripemd{n}_kat.blb" for n in (128, 160, 256, 320)}
    for n in (224, 256, 384, 512):
        files[f"groestl{n}"] = f"groestl/rustcrypto/groestl{n}_kat.blb"
        files[f"jh{n}"] = f"jh/rustcrypto/jh{n}_short_kat.blb"
        files[f"blake{n}"] = f"blake/cryptocorrosion/blake{n}.blb"
    for state, bits in [(256, 256), (256, 512), (512, 256), (512, 512), (1024, 1024)]:
        files[f"skein{state}-{bits}"] = f"skein/rustcrypto/skein{state}_{bits}_kat.blb"
    for name, file in files.items():
        pairs = list(blobs((folder / file).read_bytes()))
        assert pairs and len(pairs) % 2 == 0, file
        yield from ((name, *pair) for pair in zip(pairs[::2], pairs[1::2]))
    texts = {f"keccak{n}": f"keccak/keccak_kat3/ShortMsgKAT_{n}.txt" for n in (224, 256, 384, 512)}
    for n in (224, 256):
        texts[f"sha512_{n}"] = f"sha2/cavp_byte/SHA512_{n}ShortMsg.rsp"
    for name, file in texts.items():
        pairs = list(records((folder / file).read_text()))
        assert pairs, file
        yield from ((name, *pair) for pair in pairs)


def ours(name):
    """Digests of all messages, asked for in every way; SHAKE's have their usual length."""
    many = manylane.hash_many(MESSAGES, name).to_pylist()
    extendable = name.startswith("shake")
    size = (len(many[0]),) if extendable else ()
    one = [getattr(manylane, name)(message).digest(*size) for message in MESSAGES]
    assert many == one, name
    for engine in manylane.engines(name):
        assert many == manylane.hash_many(MESSAGES, name, engine=engine).to_pylist(), (name, engine)
    assert many == manylane.hash_many(iter(MESSAGES), name, threads=2).to_pylist(), name
    pieces = manylane.new(name)
    for start in range(0, len(MESSAGES[-1]), 100):
        pieces.update(MESSAGES[-1][start : start + 100])
    assert pieces.digest(*size) == many[-1], name
    return many


def in_hashlib():
    """The names of hashlib's that are held to it, after they were."""
    held = set()
    for name in sorted(manylane.algorithms_available):
        digests = ours(name)
        try:
            size = (len(digests[0]),) if name.startswith("shake") else ()
            theirs = [hashlib.new(name, message).digest(*size) for message in MESSAGES]
        except ValueError:
            continue
        assert digests == theirs, name
        held.add(name)
        if name.startswith("shake"):
            continue
        for key in (b"", b"key", b"k" * 300):
            tags = [hmac.digest(key, message, name) for message in MESSAGES]
            assert manylane.hash_many(MESSAGES, name, key=key).to_pylist() == tags, name
            assert manylane.hmac.digest(key, MESSAGES[-1], name) == tags[-1], name
    return held


def in_vectors(folder):
    """The names that are held to published vectors, after they were."""
    held = {}
    for name, message, digest in published(folder):
        held.setdefault(name, []).append((message, digest))
    for name, pairs in held.items():
        found = manylane.hash_many([message for message, _ in pairs], name).to_pylist()
        assert found == [digest for _, digest in pairs], name
    return set(held)


def files():
    with tempfile.TemporaryDirectory() as folder:
        paths = [pathlib.Path(folder, str(i)) for i in range(len(MESSAGES))]
        for path, message in zip(paths, MESSAGES):
            path.write_bytes(message)
        digests = manylane.hash_files(paths, "sha256", threads=2).to_pylist()
        assert digests == [hashlib.sha256(message).digest() for message in MESSAGES]


def columns():
    rows = [None if i % 5 == 0 else message for i, message in enumerate(MESSAGES)]
    for name in ("md5", "sha256", "sha3_256", "sha512"):
        column = pyarrow.chunked_array([pyarrow.array(rows), pyarrow.array(rows)])
        expected = [row and hashlib.new(name, row).digest() for row in rows]
        expected = [hashlib.new(name).digest() if row == b"" else row for row in expected]
        digests = pyarrow.chunked_array(manylane.hash_array(column, name)).to_pylist()
        assert digests == 2 * expected, name
    table = pyarrow.table({"a": [1, 2], "b": ["x", None]})
    assert len(set(manylane.hash_rows(table, None, "sha256").to_pylist())) == 2


def threads():
    """Many threads hash at the same time, with one hash between them too."""
    expected = manylane.hash_many(MESSAGES, "sha256").to_pylist()
    shared, wrong = manylane.sha256(), []

    def work():
        for _ in range(5):
            if manylane.hash_many(MESSAGES, "sha256").to_pylist() != expected:
                wrong.append("hash_many")
            shared.update(b"x" * 3000)
            shared.update(b"x")

    workers = [threading.Thread(target=work) for _ in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert not wrong, wrong
    assert shared.digest() == hashlib.sha256(b"x" * 4 * 5 * 3001).digest()


def main(vectors, architecture):
    assert platform.machine() == architecture, platform.machine()
    # Without optimisation the threads of Python need as much stack as those of Rust.
    threading.stack_size(int(os.environ.get("RUST_MIN_STACK", 0)))
    folder = pathlib.Path(vectors)
    held = in_hashlib()
    if folder.is_dir():
        held |= in_vectors(folder)
        names = {manylane.new(name).name for name in held}
        missing = manylane.algorithms_available - names
        assert not missing, f"held to nothing: {sorted(missing)}"
    else:
        print(f"skipped: no vectors in {folder}")
    files()
    threads()
    if pyarrow:
        columns()
    assert manylane.explain("sha256")["work"] > 2000
    print(
        f"{platform.python_implementation()} {platform.python_version()} on {architecture},",
        f"{EXTENSION_SUFFIXES[0]}: {len(held)} algorithms, {len(MESSAGES)} messages;",
        f"SHA-256 by {', '.join(manylane.engines('sha256'))};",
        f"pyarrow {pyarrow.__version__}" if pyarrow else "no pyarrow",
    )


if __name__ == "__main__":
    main(*sys.argv[1:])
