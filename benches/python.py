#!/usr/bin/env python3
"""Times the Python module beside hashlib, on messages, and beside pyarrow with hashlib, on columns.

    make bench-python [RECORD=DATE-MACHINE]      builds the module first
    benches/python.py [--runs 9] [--json FILE]

Contestants run in turn, so that the machine's moods meet all alike; medians of the paired ratios
are printed. Digests are compared before anything is timed. Columns are read from Parquet by both, by
pyarrow, and that is part of the time; two threads, as pyarrow reads with two.
"""

import argparse
import hashlib
import json
import os
import platform
import ssl
import statistics
import tempfile
import time

import manylane
import numpy
import pyarrow
import pyarrow.parquet

ROWS = 200_000


def paired(ours, theirs, runs):
    """Median seconds of both and the median of the ratios theirs to ours."""
    pairs = []
    for run in range(runs + 1):
        times = []
        for work in [ours, theirs]:
            begin = time.perf_counter()
            work()
            times.append(time.perf_counter() - begin)
        if run > 0:  # The first warms up.
            pairs.append(times)
    return (
        statistics.median(pair[0] for pair in pairs),
        statistics.median(pair[1] for pair in pairs),
        statistics.median(pair[1] / pair[0] for pair in pairs),
    )


def one_by_one(name, length, count):
    """Messages that both hash one by one."""
    message = bytes(length)
    ours, theirs = getattr(manylane, name), getattr(hashlib, name)

    def run(new):
        return [new(message).digest() for _ in range(count)]

    assert run(ours)[:3] == run(theirs)[:3]
    return lambda: run(ours), lambda: run(theirs), length * count


def many(name, length, count, threads):
    """A list of messages, beside a loop over hashlib."""
    random = numpy.random.default_rng(1)
    messages = [row.tobytes() for row in random.integers(0, 256, (count, length), "uint8")]
    theirs = getattr(hashlib, name)

    def loop():
        return [theirs(message).digest() for message in messages]

    def ours():
        return manylane.hash_many(messages, name, threads=threads)

    assert ours() == loop()
    return ours, loop, length * count


def column(name, lengths, path):
    """A column of a Parquet file, read and hashed; null-free."""
    random = numpy.random.default_rng(2)
    offsets = numpy.concatenate([[0], numpy.cumsum(lengths)]).astype("int64")
    data = random.integers(0, 256, int(offsets[-1]), "uint8")
    array = pyarrow.LargeBinaryArray.from_buffers(
        pyarrow.large_binary(),
        len(lengths),
        [None, pyarrow.py_buffer(offsets), pyarrow.py_buffer(data)],
    )
    pyarrow.parquet.write_table(
        pyarrow.table({"c": array}), path, compression="none", use_dictionary=False
    )
    theirs = getattr(hashlib, name)

    def ours():
        table = pyarrow.parquet.read_table(path)
        return pyarrow.array(manylane.hash_array(table["c"], name, threads=2))

    def loop():
        table = pyarrow.parquet.read_table(path)
        size = theirs().digest_size
        digests = [theirs(value.as_buffer()).digest() for value in table["c"]]
        return pyarrow.array(digests, pyarrow.binary(size))

    assert ours().equals(loop())
    return ours, loop, int(offsets[-1])


def contests(folder):
    """(what, goal of the ratio or None, contestants)."""
    path = os.path.join(folder, "column.parquet")
    random = numpy.random.default_rng(3)
    yield "1 KiB one by one, sha256", 1.0, lambda: one_by_one("sha256", 1024, 20_000)
    yield "1 KiB one by one, md5", 1.0, lambda: one_by_one("md5", 1024, 20_000)
    yield "64 B one by one, sha256", None, lambda: one_by_one("sha256", 64, 50_000)
    yield "100,000 x 64 B, sha256, 1 thread", 8.0, lambda: many("sha256", 64, 100_000, 1)
    yield "100,000 x 64 B, sha256, 2 threads", 8.0, lambda: many("sha256", 64, 100_000, 2)
    yield "100,000 x 64 B, md5, 1 thread", 8.0, lambda: many("md5", 64, 100_000, 1)
    for name in ["sha256", "md5", "sha512", "sha3_256"]:
        goal = 4.0 if name == "sha256" else None
        yield f"column of 200,000 x 1 KiB, {name}", goal, lambda: column(name, [1024] * ROWS, path)
    lengths = random.integers(8, 41, 1_000_000)
    yield "column of 1,000,000 x 8 to 40 B, sha256", None, lambda: column("sha256", lengths, path)
    skewed = numpy.exp(random.uniform(numpy.log(16), numpy.log(16384), 70_000)).astype(int)
    yield "column of 70,000 x 16 B to 16 KiB, sha256", None, lambda: column("sha256", skewed, path)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--runs", type=int, default=9)
    parser.add_argument("--json", metavar="FILE")
    args = parser.parse_args()
    record = {
        "python": platform.python_version(),
        "openssl": ssl.OPENSSL_VERSION,
        "pyarrow": pyarrow.__version__,
        "manylane": manylane.__version__,
        "load": os.getloadavg()[0],
        "runs": args.runs,
        "contests": [],
    }
    print(f"{'':44} {'MB/s':>8} {'peer':>8} {'ratio':>6}  goal")
    with tempfile.TemporaryDirectory() as folder:
        for what, goal, contest in contests(folder):
            ours, theirs, size = contest()
            seconds, peer, ratio = paired(ours, theirs, args.runs)
            rates = [size / 1e6 / seconds, size / 1e6 / peer]
            told = "" if goal is None else f"{goal:5.1f}"
            print(f"{what:44} {rates[0]:8.0f} {rates[1]:8.0f} {ratio:6.2f} {told}", flush=True)
            record["contests"].append(
                {
                    "what": what,
                    "mb_per_s": rates[0],
                    "peer_mb_per_s": rates[1],
                    "ratio": ratio,
                    "goal": goal,
                }
            )
    if args.json:
        with open(args.json, "w") as file:
            json.dump(record, file, indent=1)
            file.write("\n")


if __name__ == "__main__":
    main()
