"""One message: held to hashlib and hmac where these have the algorithm."""

import copy
import hashlib
import hmac
import io
import os
import signal
import subprocess
import sys
import threading
import types

import manylane
import pytest

IN_HASHLIB = sorted(manylane.algorithms_available & hashlib.algorithms_guaranteed)
LENGTHS = [0, 1, 55, 56, 63, 64, 65, 111, 112, 127, 128, 129, 135, 136, 137, 1000, 5000]


def data(length):
    return bytes((i * 7 + i // 251) % 256 for i in range(length))


def test_the_guaranteed_ones_of_hashlib_are_there():
    assert len(IN_HASHLIB) >= 12
    assert {"md5", "sha1", "sha256", "sha3_256", "shake_128"} <= set(IN_HASHLIB)


@pytest.mark.parametrize("name", sorted(manylane.algorithms_available))
def test_every_algorithm_is_hashlibs(name):
    try:
        theirs = hashlib.new(name)
    except ValueError:
        theirs = None
    for length in LENGTHS:
        ours = getattr(manylane, name)(data(length))
        assert (ours.name, ours.block_size > 0) == (name, True)
        extendable = name.startswith("shake")
        digest = ours.digest(200) if extendable else ours.digest()
        pieces = manylane.new(name)
        for start in range(0, length, 50):
            pieces.update(data(length)[start : start + 50])
        assert digest == (pieces.digest(200) if extendable else pieces.digest())
        if theirs is not None:
            theirs = hashlib.new(name, data(length))
            assert digest == (theirs.digest(200) if extendable else theirs.digest())
            assert ours.digest_size == theirs.digest_size
            assert ours.block_size == theirs.block_size
            assert ours.name == theirs.name
        assert manylane.new(name).name == name
        assert (
            manylane.hash_many([data(length)], name)[0]
            == digest[: len(manylane.hash_many([b""], name)[0])]
        )


@pytest.mark.parametrize("spelling", ["SHA-512/256", "sha512_256", "sha512-256", "sha512t256"])
def test_spellings_are_understood(spelling):
    assert manylane.new(spelling, b"abc").hexdigest()[:8] == "53048e26"


def test_lengths_in_names():
    assert manylane.new("skein512-128", b"abc").digest_size == 16
    assert len(manylane.new("shake128-256", b"abc").digest()) == 32
    with pytest.raises(TypeError, match="length"):
        manylane.shake_128(b"abc").digest()
    with pytest.raises(TypeError, match="one length"):
        manylane.sha256(b"abc").digest(3)
    assert manylane.shake_256(b"abc").digest(0) == b""
    for method in [manylane.shake_256(b"abc").digest, manylane.shake_256(b"abc").hexdigest]:
        for length in [-1, -(1 << 70), 1 << 63, 1 << 70]:
            with pytest.raises(ValueError, match=f"length={length}: give a number of bytes"):
                method(length)
        with pytest.raises((MemoryError, OverflowError)):
            method(1 << 62)
        with pytest.raises(TypeError):
            method("16")


@pytest.mark.parametrize("name", ["", "md6", "sha257", "sha256\0", "blake2b", "ß" * 100])
def test_unknown_names(name):
    with pytest.raises(ValueError, match="unsupported hash"):
        manylane.new(name)


@pytest.mark.parametrize("wrong", ["text", 5, None, [1, 2], 1.5, object()])
def test_wrong_types(wrong):
    h = manylane.sha256()
    with pytest.raises(TypeError):
        h.update(wrong)
    with pytest.raises(TypeError):
        manylane.new(wrong if not isinstance(wrong, str) else 5)
    assert h.digest() == hashlib.sha256().digest()


def test_buffers_of_any_kind():
    import array

    import numpy

    long = data(3 << 20)
    for message in [long, bytearray(long), memoryview(long), memoryview(long)[5:-7]]:
        assert manylane.sha256(message).digest() == hashlib.sha256(message).digest()
    for message in [array.array("d", [1.5, 2.5]), numpy.arange(12, dtype="int32").reshape(3, 4)]:
        assert manylane.sha256(message).digest() == hashlib.sha256(message).digest()
    assert manylane.sha256(numpy.empty((0, 4))).digest() == hashlib.sha256().digest()
    with pytest.raises(BufferError, match="contiguous"):
        manylane.sha256(numpy.arange(12, dtype="uint8")[::2])

    class Bytes(bytes):
        pass

    assert manylane.md5(Bytes(b"abc")).digest() == hashlib.md5(b"abc").digest()


def test_buffers_that_are_gone():
    import mmap

    released = memoryview(b"abc")
    released.release()
    closed = mmap.mmap(-1, 100)
    closed.close()
    for gone in [released, closed]:
        with pytest.raises(ValueError, match="released|closed"):
            manylane.sha256(gone)
        with pytest.raises(ValueError, match="message 1: .*(released|closed)"):
            manylane.hash_many([b"", gone], "sha256")


def test_copies_go_their_own_way():
    h = manylane.sha3_256(b"a")
    for other in [h.copy(), copy.copy(h)]:
        other.update(b"c")
        assert other.digest() == hashlib.sha3_256(b"ac").digest()
    h.update(b"b")
    assert h.digest() == h.digest() == hashlib.sha3_256(b"ab").digest()


def test_saved_states_go_on():
    h = manylane.sha512(data(777))
    state = h.save()
    later = manylane.Hash.restore(state)
    later.update(b"more")
    assert later.digest() == hashlib.sha512(data(777) + b"more").digest()
    assert later.name == "sha512"
    changed = state[:70] + b"\0" + state[71:]
    for wrong in [b"", b"=", b"abc", state + b"=", state[:-1], changed, bytes(len(state))]:
        with pytest.raises(ValueError, match="saved state"):
            manylane.Hash.restore(wrong)


@pytest.mark.parametrize(
    ("name", "length"), [("shake128-256", 32), ("shake256-512", 64), ("shake128-128", 16)]
)
def test_saved_states_of_shake_keep_its_length(name, length):
    later = manylane.Hash.restore(manylane.new(name, b"ab").save())
    later = manylane.Hash.restore(later.copy().save())
    later.update(b"c")
    assert later.digest_size == length
    assert later.digest() == manylane.new(name, b"abc").digest()
    plain = name.partition("-")[0]
    later = manylane.Hash.restore(manylane.new(plain, b"abc").save())
    assert later.digest_size == 0 and later.digest(5) == manylane.new(plain, b"abc").digest(5)
    with pytest.raises(TypeError, match="length"):
        later.digest()


def test_usedforsecurity_is_taken():
    assert manylane.md5(b"abc", usedforsecurity=False).digest() == hashlib.md5(b"abc").digest()
    assert manylane.new("md5", b"abc", usedforsecurity=False).name == "md5"
    assert "md5" in manylane.warnings and "sha256" not in manylane.warnings


@pytest.mark.parametrize("truth", [0, 1, None, "", [], 1.5])
def test_usedforsecurity_is_any_truth(truth):
    for module in [hashlib, manylane]:
        assert module.md5(b"abc", usedforsecurity=truth).digest() == hashlib.md5(b"abc").digest()
        assert module.new("md5", b"abc", usedforsecurity=truth).name == "md5"
    assert manylane.Hash("md5", usedforsecurity=truth).name == "md5"


def test_none_is_no_message():
    """Only an absent message is the empty one, as in hashlib and hmac."""
    for module in [hashlib, manylane]:
        for refused in [
            lambda: module.sha256(None),
            lambda: module.sha256(string=None),
            lambda: module.new("sha256", None),
            lambda: module.new("sha256", data=None),
            lambda: module.sha256().update(None),
        ]:
            with pytest.raises(TypeError):
                refused()
        empty = module.sha256(b"").digest()
        assert module.sha256().digest() == module.new("sha256").digest() == empty
    with pytest.raises(TypeError):
        manylane.Hash("sha256", None)
    with pytest.raises(TypeError):
        manylane.new("sha256", None, engine="scalar")
    with pytest.raises(TypeError):
        manylane.sha256(data=None)
    empty = hmac.digest(b"k", b"", "sha256")
    for module in [hmac, manylane.hmac]:
        with pytest.raises(TypeError):
            module.digest(b"k", None, "sha256")
        for make in [module.new, module.HMAC]:
            assert make(b"k", None, "sha256").digest() == empty
            assert make(b"k", digestmod="sha256").digest() == empty
            with pytest.raises(TypeError):
                make(b"k", None, "sha256").update(None)


def test_engines():
    engines = manylane.engines("sha256")
    assert "scalar" in engines
    for engine in engines:
        h = manylane.new("sha256", b"abc", engine=engine)
        assert h.digest() == hashlib.sha256(b"abc").digest()
        assert manylane.hash_many([b"abc"] * 70, "sha256", engine=engine)[69] == h.digest()
    with pytest.raises(ValueError, match="mmx"):
        manylane.new("sha256", engine="mmx")
    with pytest.raises(ValueError, match="does not compute|cannot run"):
        manylane.hash_many([b"abc"], "md5", engine="sha-ni")


def test_one_hash_in_many_threads():
    h = manylane.sha256()
    piece = bytes(100_000)

    def work():
        for _ in range(20):
            h.update(piece)
            h.update(b"\0" * 10)
            h.digest()

    threads = [threading.Thread(target=work) for _ in range(4)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    assert h.digest() == hashlib.sha256(bytes(4 * 20 * 100_010)).digest()


def test_hmac_has_the_blocksize_of_hmac():
    """It is one number for every hash, in the class and in its objects."""
    assert manylane.hmac.HMAC.blocksize == hmac.HMAC.blocksize
    for name in ["md5", "sha512", "sha3_256"]:
        ours, theirs = (module.new(b"key", b"", name) for module in [manylane.hmac, hmac])
        assert (ours.blocksize, ours.block_size) == (theirs.blocksize, theirs.block_size)


def test_file_digest(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(data(5000))
    with open(path, "rb") as file:
        assert manylane.file_digest(file, "sha1").digest() == hashlib.sha1(data(5000)).digest()
    with pytest.raises(ValueError, match="closed"):
        manylane.file_digest(file, "sha1")
    with pytest.raises(ValueError, match="binary"):
        manylane.file_digest(io.StringIO("text"), "sha1")
    assert manylane.file_digest(io.BytesIO(b"abc"), manylane.md5).name == "md5"


def test_file_digest_in_pieces(tmp_path):
    """As in hashlib, the bytes of a piece can be given."""
    (tmp_path / "file").write_bytes(data(5000))

    class Counting(io.FileIO):
        pieces = ()

        def readinto(self, buffer):
            self.pieces += (len(buffer),)
            return super().readinto(buffer)

    for module in [hashlib, manylane]:
        with Counting(tmp_path / "file") as file:
            digest = module.file_digest(file, "sha1", _bufsize=2000).digest()
        assert digest == hashlib.sha1(data(5000)).digest() and file.pieces == (2000,) * 4
    with pytest.raises(ValueError, match="_bufsize=0: give 1 or more"):
        manylane.file_digest(io.BytesIO(b"abc"), "sha1", _bufsize=0)


def test_file_digest_of_other_files(tmp_path):
    """As hashlib, which takes the whole content of a BytesIO and needs no `read`."""
    stream = io.BytesIO(b"abc")
    stream.seek(2)
    for module in [manylane, hashlib]:
        assert module.file_digest(stream, "md5").digest() == hashlib.md5(b"abc").digest()
    assert manylane.file_digest(stream, hashlib.sha1).digest() == hashlib.sha1(b"abc").digest()

    class Into:
        def __init__(self, content):
            self.file = io.BytesIO(content)

        def readable(self):
            return True

        def readinto(self, buffer):
            return self.file.readinto(buffer)

    class Only:
        def __init__(self, content):
            self.read = io.BytesIO(content).read

    long = data(3 << 20) + b"end"
    for module, file in [(manylane, Into(long)), (hashlib, Into(long)), (manylane, Only(long))]:
        assert module.file_digest(file, "md5").digest() == hashlib.md5(long).digest()
    for module in [manylane, hashlib]:
        with open(tmp_path / "file", "wb") as file, pytest.raises(ValueError):
            module.file_digest(file, "md5")
        with pytest.raises(ValueError):
            module.file_digest(object(), "md5")


@pytest.mark.skipif(not hasattr(os, "set_blocking"), reason="every file blocks")
def test_files_that_have_no_data_yet():
    reader, writer = os.pipe()
    os.set_blocking(reader, False)
    with open(reader, "rb", buffering=0) as file, open(writer, "wb", buffering=0) as other:
        other.write(b"abc")
        with pytest.raises(BlockingIOError, match="no data yet"):
            manylane.file_digest(file, "md5")

        class Only:
            read = file.read

        with pytest.raises(BlockingIOError, match="no data yet"):
            manylane.file_digest(Only(), "md5")
        other.write(b"abc")
        other.close()
        assert manylane.file_digest(file, "md5").digest() == hashlib.md5(b"abc").digest()


@pytest.mark.parametrize("name", [name for name in IN_HASHLIB if not name.startswith("shake")])
@pytest.mark.parametrize("key", [b"", b"key", data(64), data(65), data(200)])
def test_hmac_is_the_standard_librarys(name, key):
    theirs = hmac.new(key, data(300), name)
    ours = manylane.hmac.new(key, data(100), name)
    fork = copy.copy(ours.copy())
    ours.update(bytearray(data(300)[100:]))
    assert ours.digest() == theirs.digest()
    assert ours.hexdigest() == theirs.hexdigest()
    assert (ours.name, ours.digest_size, ours.block_size) == (
        theirs.name,
        theirs.digest_size,
        theirs.block_size,
    )
    assert fork.digest() == hmac.digest(key, data(100), name)
    assert manylane.hmac.digest(key, data(300), name) == theirs.digest()
    tags = manylane.hash_many([data(300), b""], name, key=key)
    assert tags == [theirs.digest(), hmac.digest(key, b"", name)]


def test_hmac_refuses():
    with pytest.raises(TypeError):
        manylane.hmac.new(b"key", b"message")
    with pytest.raises(TypeError):
        manylane.hmac.new("key", b"message", "sha256")
    with pytest.raises(ValueError, match="longer than its block"):
        manylane.hmac.new(b"key", b"", "skein256-264")
    assert manylane.hmac.compare_digest is hmac.compare_digest
    assert manylane.hmac.new(b"key", None, manylane.sha1).name == "hmac-sha1"


@pytest.mark.parametrize(
    "digestmod", ["sha256", hashlib.sha256, manylane.sha256, lambda: hashlib.new("sha256")]
)
def test_hmac_takes_what_the_standard_class_takes(digestmod):
    if digestmod is not manylane.sha256:
        assert hmac.HMAC(b"key", b"message", digestmod).name == "hmac-sha256"
    theirs = hmac.HMAC(b"key", b"message", "sha256")
    for ours in [
        manylane.hmac.HMAC(b"key", b"message", digestmod),
        manylane.hmac.HMAC(b"key", msg=b"message", digestmod=digestmod),
        manylane.hmac.new(b"key", b"message", digestmod),
    ]:
        assert (ours.name, ours.digest()) == (theirs.name, theirs.digest())
    later = manylane.hmac.HMAC(b"key", digestmod=digestmod)
    later.update(b"message")
    assert later.digest() == theirs.digest() == manylane.hmac.digest(b"key", b"message", digestmod)


@pytest.mark.parametrize("module", [hmac, manylane.hmac], ids=["hmac", "manylane"])
def test_classes_derived_from_hmac(module):
    class Keyed(module.HMAC):
        def __init__(self, purpose):
            super().__init__(b"key", digestmod="sha256")
            self.update(msg=purpose)

    tag = Keyed(b"message")
    assert tag.digest() == hmac.digest(b"key", b"message", "sha256")
    for other in [tag.copy(), copy.copy(tag)]:
        assert type(other) is Keyed
    other = tag.copy()
    other.update(b"more")
    assert other.hexdigest() == hmac.new(b"key", b"messagemore", "sha256").hexdigest()
    assert tag.digest() == hmac.digest(b"key", b"message", "sha256")


def test_hmac_without_a_key():
    unmade = manylane.hmac.HMAC.__new__(manylane.hmac.HMAC)
    updates = [lambda: unmade.update(b"short"), lambda: unmade.update(bytes(5000))]
    for use in [unmade.digest, unmade.copy, lambda: unmade.name, *updates]:
        with pytest.raises(RuntimeError, match="has no key yet"):
            use()
    unmade.__init__(b"key", b"message", "sha256")
    assert unmade.digest() == hmac.digest(b"key", b"message", "sha256")


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="no timers")
@pytest.mark.parametrize("work", ["bytes", "bytearray", "hmac", "output"])
def test_signals_wait_for_no_long_message(work):
    """They are seen to between five windows, not only when all is done."""
    size, seen = 260 << 20, []
    message = {"bytes": bytes, "bytearray": bytearray, "hmac": bytes, "output": bytes}[work](size)
    hasher, tag = manylane.shake_128(), manylane.hmac.new(b"key", None, "sha256")
    before = signal.signal(signal.SIGALRM, lambda *_: seen.append(None))
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.005, 0.005)
        match work:
            case "output":
                hasher.digest(size)
            case "hmac":
                tag.update(message)
            case _:
                hasher.update(message)
        signal.setitimer(signal.ITIMER_REAL, 0)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert len(seen) >= 4
    if work == "hmac":
        assert tag.digest() == hmac.digest(b"key", message, "sha256")
    elif work != "output":
        assert hasher.digest(32) == hashlib.shake_128(message).digest(32)


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="no timers")
def test_an_interrupt_ends_a_long_message():
    message, hasher = bytes(260 << 20), manylane.sha1()

    def interrupt(*_):
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, interrupt)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.01)
        with pytest.raises(KeyboardInterrupt):
            hasher.update(message)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert hasher.digest() != hashlib.sha1(message).digest()


def test_hmac_takes_modules_and_refuses_others():
    module = types.ModuleType("sha256")
    module.new = hashlib.sha256
    for make in [hmac.HMAC, manylane.hmac.HMAC]:
        assert make(b"key", b"message", module).name == "hmac-sha256"
        with pytest.raises(TypeError):
            make(b"key", b"message")
        with pytest.raises(TypeError):
            make(b"key", b"message", "")
        with pytest.raises(AttributeError):
            make(b"key", b"message", 5)
    with pytest.raises(ValueError, match="unsupported hash `blake2b`"):
        manylane.hmac.HMAC(b"key", b"message", hashlib.blake2b)


@pytest.mark.parametrize("name", ["sha256", "md5", "shake_128"])
def test_the_message_by_either_name(name):
    """It is `string` up to Python 3.12, and both later."""
    make, length = getattr(manylane, name), [16] if name == "shake_128" else []
    theirs = hashlib.new(name, b"a").digest(*length)
    assert make(string=b"a", usedforsecurity=False).digest(*length) == theirs
    assert make(data=b"a").digest(*length) == theirs
    with pytest.raises(TypeError, match="give one"):
        make(b"a", string=b"a")
    with pytest.raises(TypeError):
        make(string="a")


def test_examples_in_the_documentation():
    import doctest

    import manylane.manifest
    import manylane.parquet
    import manylane.sweep

    attempted = 0
    modules = [manylane, manylane.hmac, manylane.parquet, manylane.manifest, manylane.sweep]
    for module in [*modules, manylane._answers, manylane._needs, manylane._manylane]:
        result = doctest.testmod(module)
        assert result.failed == 0
        attempted += result.attempted
    assert attempted > 60
    for example in [manylane.engines, manylane.Hash.save, manylane.Answer]:
        assert ">>> " in example.__doc__
    # doctest passes over static methods of compiled classes.
    restore = doctest.DocTestParser().get_doctest(manylane.Hash.restore.__doc__, {}, "", None, 0)
    assert len(restore.examples) == 2 and doctest.DocTestRunner().run(restore).failed == 0


def test_it_is_imported_without_others():
    code = "import sys, manylane; sys.exit('numpy' in sys.modules or 'pyarrow' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0


def test_what_has_no_bytes_or_no_name():
    numpy = pytest.importorskip("numpy")
    dates = numpy.array(["2020-01-01"], "M8[D]")
    for work in [
        lambda: manylane.md5(dates),
        lambda: manylane.hmac.new(b"key", dates, "md5"),
        lambda: manylane.hash_many([b"a", dates], "md5"),
    ]:
        with pytest.raises(TypeError, match="datetime64"):
            work()
    nameless = types.SimpleNamespace(new=lambda: object())
    with pytest.raises(TypeError, match="without a name"):
        manylane.hmac.new(b"key", b"", nameless)
    with pytest.raises(ValueError, match="from 0 to 9223372036854775807"):
        manylane.shake_128().digest(1 << 63)
