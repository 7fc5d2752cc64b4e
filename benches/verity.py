#!/usr/bin/env python3
"""`manylane verity` beside `fsverity digest` on one file in memory, as whole processes.

    cargo build --release --locked
    benches/verity.py [--mib 1024] [--turns 7] [--threads N] [--json FILE]

The digests are compared first. Both take turns, in wall time, and the medians count; the gain is
the median of the turns' ratios. `fsverity digest` (Debian's package is `fsverity`) runs on one
core, `manylane verity` on up to `--threads`, by default as many as this process may use.
"""

import argparse
import json
import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

MANYLANE = Path(__file__).resolve().parent.parent / "target/release/manylane"


def run(command):
    """What a command prints, and the seconds that it took."""
    begin = time.perf_counter()
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return done.stdout.split()[0], time.perf_counter() - begin


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--mib", type=int, default=1024, help="length of the file in MiB")
    parser.add_argument("--turns", type=int, default=7)
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--json", type=Path, help="write the record to this file too")
    arguments = parser.parse_args()
    peer = shutil.which("fsverity")
    if peer is None:
        sys.exit("verity.py: fsverity is missing: apt-get install fsverity")
    load = os.getloadavg()
    memory = "/dev/shm" if os.path.isdir("/dev/shm") else None
    with tempfile.NamedTemporaryFile(dir=memory) as file:
        generator = random.Random(1)
        for _ in range(arguments.mib):
            file.write(generator.randbytes(1 << 20))
        file.flush()
        commands = [
            [MANYLANE, "verity", "--threads", str(arguments.threads), file.name],
            [peer, "digest", file.name],
        ]
        ours, theirs = (run(command)[0] for command in commands)
        if ours != theirs:
            sys.exit(f"verity.py: {ours} by manylane, {theirs} by fsverity")
        turns = [[run(command)[1] for command in commands] for _ in range(arguments.turns)]
    ours, theirs = (statistics.median(column) for column in zip(*turns))
    gain = statistics.median(theirs / ours for ours, theirs in turns)
    print("| MiB | s, manylane verity | threads | s, fsverity digest | gain |")
    print("|---|---|---|---|---|")
    print(f"| {arguments.mib} | {ours:.3f} | {arguments.threads} | {theirs:.3f} | {gain:.2f} |")
    if arguments.json:
        version = subprocess.run([peer, "--version"], capture_output=True, text=True)
        record = {
            "versions": {"fsverity": version.stdout.strip()},
            "load": load,
            "mib": arguments.mib,
            "threads": arguments.threads,
            "turns": arguments.turns,
            "seconds": ours,
            "fsverity_seconds": theirs,
            "gain": gain,
        }
        arguments.json.write_text(json.dumps(record, indent=2) + "\n")


if __name__ == "__main__":
    main()
