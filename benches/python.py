#!/usr/bin/env python3
"""Times the Python module beside what people use, on messages and on columns.

    make bench-python [RECORD=DATE-MACHINE]      builds the module first
    benches/python.py [--runs 7] [--json FILE] [PART OF A CONTEST'S NAME...]

Contestants run in turn, so that disturbances of the machine affect all of them alike; medians of
the paired ratios are printed. Digests are compared before anything is timed. Fails where a goal is
missed.
"""

import argparse
import hashlib
import importlib.metadata
import itertools
import json
import os
import platform
import ssl
import statistics
import sys
import tempfile
import time

import columns
import manylane
import numpy

PEERS = ["pyarrow", "polars", "polars-hash", "duckdb", "datafusion", "daft", "ray"]


def seconds(contestants, runs):
    """Seconds of every run of every contestant, by name; a first run warms up."""
    times = {name: [] for name in contestants}
    for run in range(runs + 1):
        for name, work in contestants.items():
            begin = time.perf_counter()
            work()
            if run > 0:
                times[name].append(time.perf_counter() - begin)
    return times


def one_by_one(name, length, count):
    """Messages that both hash one by one."""
    message = bytes(length)

    def run(new):
        return [new(message).digest() for _ in range(count)]

    ours, theirs = getattr(manylane, name), getattr(hashlib, name)
    assert run(ours)[:3] == run(theirs)[:3]
    return {"manylane": lambda: run(ours), "hashlib": lambda: run(theirs)}


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
    return {"manylane": ours, "hashlib": loop}


def messages():
    """(what, rows, bytes, goals by peer, contestants) of messages that are Python's."""
    for length, count, hashes in [(1024, 20_000, ["sha256", "md5"]), (64, 50_000, ["sha256"])]:
        goals = {"hashlib": 1.0} if length == 1024 else {}
        for name in hashes:
            what = f"{length} B one by one, {name}"
            yield what, count, length * count, goals, lambda: one_by_one(name, length, count)
    for name, threads in [("sha256", 1), ("sha256", 2), ("md5", 1)]:
        what = f"list of 100,000 x 64 B, {name}, threads={threads}"
        yield what, 100_000, 6_400_000, {"hashlib": 8.0}, lambda: many(name, 64, 100_000, threads)


def versions():
    """What was measured, by name."""
    found = {"python": platform.python_version(), "openssl": ssl.OPENSSL_VERSION}
    for name in ["manylane", *PEERS]:
        found[name] = importlib.metadata.version(name)
    return found


def cpu():
    """The processor's name, where Linux says it."""
    try:
        with open("/proc/cpuinfo") as file:
            names = (line.split(":")[1] for line in file if line.startswith("model name"))
            return next(names).strip()
    except (OSError, StopIteration):
        return platform.processor() or platform.machine()


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--runs", type=int, default=7)
    parser.add_argument("--json", metavar="FILE")
    parser.add_argument("parts", nargs="*", metavar="PART", help="run only contests named so")
    args = parser.parse_args()
    record = {
        "cpu": cpu(),
        "cpus": os.cpu_count(),
        "load": os.getloadavg()[0],
        "versions": versions(),
        "runs": args.runs,
        "contests": [],
    }
    missed = 0
    print(f"{'':52} {'ns/row':>9} {'MB/s':>7} {'times':>6}  goal")
    with tempfile.TemporaryDirectory() as folder:
        contests = itertools.chain(messages(), columns.contests(folder))
        for what, rows, size, goals, make in contests:
            if args.parts and not any(part in what for part in args.parts):
                continue
            times = seconds(make(), args.runs)
            print(what)
            ours, found = next(iter(times)), []
            for name, runs in times.items():
                median = statistics.median(runs)
                pairs = zip(runs, times[ours])
                ratio = statistics.median(theirs / own for theirs, own in pairs)
                goal = goals.get(name)
                told = "" if goal is None else f"{goal:5.2f}"
                if goal is not None and ratio < goal:
                    missed += 1
                    told += "  missed"
                nanoseconds, rate = median / rows * 1e9, size / 1e6 / median
                figures = f"{nanoseconds:9.1f} {rate:7.0f} {ratio:6.2f}"
                print(f"    {name:48} {figures} {told}", flush=True)
                found.append(
                    {
                        "who": name,
                        "ns_per_row": round(nanoseconds, 1),
                        "mb_per_s": round(rate, 1),
                        "times_as_long": round(ratio, 3),
                        "goal": goal,
                    }
                )
            record["contests"].append({"what": what, "rows": rows, "bytes": size, "of": found})
    if args.json:
        with open(args.json, "w") as file:
            json.dump(record, file, indent=1)
            file.write("\n")
    if missed:
        sys.exit(f"{missed} goals missed")


if __name__ == "__main__":
    main()
