#!/usr/bin/env python3
"""Compares `manylane bench` of two states of the source.

    benches/compare.py BEFORE AFTER [--layouts 6] [--turns 2] [--core 1] [--show 20]

BEFORE and AFTER are checkouts with their own target folders. Each program is linked several times,
with its functions in another order each time: where a kernel lies in memory makes some rows faster
or slower by up to 6 %, and differs between any two builds. Only LLVM's linker can change the order;
Rust uses it on x86-64 Linux from 1.90 on. The programs take turns on one core. A row counts as
slower only if its median and its best rate of all layouts are both lower.

How many rows would be slower by chance is estimated by assigning the programs of each row to the
two states in every possible way. With six layouts and two turns 37 of 378 rows were slower by
chance, and 60 were found slower.
"""

import argparse
import json
import os
import statistics
import subprocess
import tempfile
from itertools import combinations
from math import exp, log
from pathlib import Path
from shutil import copy

ENVIRONMENT = os.environ | {"MANYLANE_TUNING": "off"}
SLOWER = 0.99


def link(checkout, seed, to):
    """Links the program of a checkout with its functions in the order that a number stands for."""
    command = ["cargo", "rustc", "--quiet", "--release", "--locked", "-p", "manylane-cli"]
    command += ["--bin", "manylane", "--", "-C", f"link-arg=-Wl,--shuffle-sections=.text*={seed}"]
    target = checkout / "target"
    subprocess.run(
        command, check=True, cwd=checkout, env=os.environ | {"CARGO_TARGET_DIR": str(target)}
    )
    # A file as the linker left it may run slower than its copy.
    copy(target / "release/manylane", to)


def rates(program, core):
    """MB/s of each row of a run, with the kernel that computed it."""
    command = ["taskset", "-c", str(core), program, "bench", "--json", "--runs", "1"]
    run = subprocess.run(command, check=True, capture_output=True, text=True, env=ENVIRONMENT)
    for row in json.loads(run.stdout)["rows"]:
        name = (row["primitive"], row["workload"], row["bytes"])
        yield name, row["mb_per_s"], f"{row['engine']} x {row['lanes']}"


def ratios(before, after):
    """The ratio of the medians of two lists of rates, and the greater of this ratio and that of the
    best rates."""
    medians = statistics.median(after) / statistics.median(before)
    return medians, max(medians, max(after) / max(before))


def by_chance(before, after):
    """The share of the ways to give programs to two states in which the row counts as slower."""
    programs = before + after
    ways = list(combinations(range(len(programs)), len(after)))
    slower = 0
    for way in ways:
        chosen = [rate for i in way for rate in programs[i]]
        others = [rate for i in set(range(len(programs))) - set(way) for rate in programs[i]]
        slower += ratios(others, chosen)[1] < SLOWER
    return slower / len(ways)


def flat(programs):
    return [rate for rates in programs for rate in rates]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("before", type=Path)
    parser.add_argument("after", type=Path)
    parser.add_argument("--layouts", type=int, default=6, help="how often each is linked")
    parser.add_argument("--turns", type=int, default=2, help="runs of each layout")
    parser.add_argument("--core", type=int, default=1, help="the core that all run on")
    parser.add_argument("--show", type=int, default=20, help="how many of the slowest rows to show")
    arguments = parser.parse_args()
    states = {"before": arguments.before.resolve(), "after": arguments.after.resolve()}
    found = {state: {} for state in states}
    with tempfile.TemporaryDirectory() as folder:
        programs = []
        for seed in range(1, arguments.layouts + 1):
            for state, checkout in states.items():
                programs.append((state, Path(folder) / f"{state}-{seed}"))
                link(checkout, seed, programs[-1][1])
        for _ in range(arguments.turns):
            for state, program in programs:
                for name, rate, kernel in rates(program, arguments.core):
                    row = found[state].setdefault(name, ({}, kernel))[0]
                    row.setdefault(program, []).append(rate)
    rows, chance = [], 0
    for name in found["before"].keys() & found["after"].keys():
        (old, old_kernel), (new, new_kernel) = found["before"][name], found["after"][name]
        old, new = list(old.values()), list(new.values())
        medians, best = ratios(flat(old), flat(new))
        rows.append((best, medians, name, old_kernel, new_kernel))
        chance += by_chance(old, new)
    rows.sort()
    mean = exp(statistics.fmean(log(medians) for _, medians, *_ in rows))
    slower = sum(best < SLOWER for best, *_ in rows)
    print(f"{len(rows)} rows, geometric mean of the ratios of medians {mean:.3f}")
    print(f"{slower} rows slower than {SLOWER} in median and best, {chance:.0f} of them by chance")
    print("\nbetter of both  medians  row")
    for best, medians, (primitive, workload, size), old, new in rows[: arguments.show]:
        kernels = new if old == new else f"{old}, then {new}"
        print(f"{best:14.3f} {medians:8.3f}  {primitive} {workload} {size} ({kernels})")


if __name__ == "__main__":
    main()
