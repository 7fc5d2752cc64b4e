"""Threads that hash at the same time, also where Python has no global lock."""

import concurrent.futures
import gc
import hashlib
import sys
import sysconfig
import threading

import manylane
import pyarrow
import pytest
from common import EXPECTED, MESSAGES, many

THREADS = 8


def together(work, turns=40):
    """Runs `work(thread)` in turns on all threads, which begin at the same moment."""
    start = threading.Barrier(THREADS)

    def all_turns(thread):
        start.wait()
        return [work(thread) for _ in range(turns)]

    with concurrent.futures.ThreadPoolExecutor(THREADS) as pool:
        return [turn for turns in pool.map(all_turns, range(THREADS)) for turn in turns]


@pytest.mark.skipif(not sysconfig.get_config_var("Py_GIL_DISABLED"), reason="Python has its lock")
def test_the_module_needs_no_lock_of_pythons():
    assert not sys._is_gil_enabled()


def test_many_messages_at_the_same_time():
    assert all(digests == EXPECTED for digests in together(lambda _: many(MESSAGES).to_pylist()))
    assert all(digests == EXPECTED for digests in together(lambda _: list(many(iter(MESSAGES)))))


def test_every_algorithm_is_first_used_by_many_threads():
    names = sorted(manylane.algorithms_available)

    def digest(thread):
        name = names[thread % len(names)]
        return [getattr(manylane, name)(b"abc").name for name in names[thread:] + [name]]

    assert len(together(digest, turns=3)) == 3 * THREADS


def test_one_hash_for_all_threads():
    """Short and long pieces, and whoever reads meanwhile: no piece is lost or torn."""
    ours, hmac = manylane.sha256(), manylane.hmac.new(b"key", None, "sha256")
    pieces = [b"x", b"x" * 3000, bytearray(b"x" * 5000)]

    def work(thread):
        for piece in pieces:
            ours.update(piece)
            hmac.update(piece)
        gc.collect(0)
        return (ours.copy().digest(), ours.hexdigest(), hmac.copy().digest(), ours.save())

    assert len(together(work)) == 40 * THREADS
    everything = b"x" * (8001 * 40 * THREADS)
    assert ours.digest() == hashlib.sha256(everything).digest()
    assert hmac.digest() == manylane.hmac.digest(b"key", everything, "sha256")


def test_the_list_changes_while_it_is_hashed():
    """The messages are those that the list had at one moment, or it is refused."""
    messages = [b"a", b"b"]
    digest = {message: hashlib.sha256(message).digest() for message in (b"a", b"b", b"c")}

    def work(thread):
        if thread % 2:
            messages.append(b"c")
            messages.extend([b"c"] * 500)
            del messages[2:]
            return None
        return many(messages).to_pylist()

    for digests in filter(None, together(work, turns=200)):
        assert digests[:2] == [digest[b"a"], digest[b"b"]]
        assert set(digests[2:]) <= {digest[b"c"]}


def test_a_buffer_changes_while_it_is_hashed():
    """Which bytes are hashed is not said; nothing else happens."""
    buffer = bytearray(100_000)

    def work(thread):
        if thread % 2:
            buffer[:] = bytes([thread]) * len(buffer)
            return True
        assert len(manylane.sha256(buffer).digest()) == 32
        return len(many([buffer] * 3)) == 3

    assert all(together(work))


def test_columns_at_the_same_time():
    column = pyarrow.array([None, *MESSAGES])
    expected = [None, *EXPECTED]

    def work(thread):
        return pyarrow.array(manylane.hash_array(column, "sha256", threads=1 + thread % 2))

    assert all(digests.to_pylist() == expected for digests in together(work))


def test_digests_are_read_by_all_threads():
    digests = many(MESSAGES)

    def work(thread):
        view = memoryview(digests)
        return view.tobytes() == b"".join(digests) and digests.index(EXPECTED[7]) == 7

    assert all(together(work))


def test_one_iterator_for_all_threads():
    """As with any iterator of Python's: each message is somebody's."""

    class Messages:
        """Hands out each number once; generators refuse a second thread."""

        def __init__(self):
            self.lock, self.next = threading.Lock(), 0

        def __iter__(self):
            return self

        def __next__(self):
            with self.lock:
                self.next += 1
                if self.next > 20_000:
                    raise StopIteration
                return str(self.next).encode()

    messages = Messages()
    found = set()
    for digests in together(lambda _: many(messages), turns=1):
        found.update(digests)
    assert found == {hashlib.sha256(str(n).encode()).digest() for n in range(1, 20_001)}


def test_files_and_answers_at_the_same_time(tmp_path):
    paths = [tmp_path / str(i) for i in range(len(MESSAGES))]
    for path, message in zip(paths, MESSAGES):
        path.write_bytes(message)
    work = lambda _: manylane.hash_files(paths, "sha256", threads=2).to_pylist()  # noqa: E731
    assert all(digests == EXPECTED for digests in together(work, turns=3))
    works = together(lambda _: manylane.explain("md5")["work"], turns=2)
    assert len(set(works)) == 1
