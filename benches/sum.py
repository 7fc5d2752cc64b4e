#!/usr/bin/env python3
"""Times `manylane sum` beside coreutils and OpenSSL on the same warm files, whole processes.

    benches/sum.py [--program target/release/manylane] [--coreutils DIR] [--runs 9] [--json FILE]

DIR holds sha256sum and its like of another coreutils than the one on the path.

Sets: 2,000 files of 16 B to 64 KiB and of 4 KiB to 256 KiB, lengths log-uniform; single files of
0 B to 256 MiB. Programs run in turn, so that disturbances of the machine affect all of them alike;
medians of the paired ratios are printed. Memory is the largest resident set over a sparse file of
4 GiB and over 100,000 small files. benches/files.py has the ratio to a program that only reads.
"""

import argparse
import json
import os
import random
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

SETS = {"16 B to 64 KiB": (16, 64 << 10), "4 KiB to 256 KiB": (4 << 10, 256 << 10)}
COUNT = 2000
ALGORITHMS = ["sha256", "md5", "sha1", "sha512"]
SINGLES = [0, 1 << 10, 64 << 10, 1 << 20, 16 << 20, 256 << 20]
# The hashes that `openssl dgst` has.
SINGLE_ALGORITHMS = ["sha256", "sha1", "md5", "sha512", "sha3-256", "ripemd160"]


def wall(command, cwd):
    """Seconds that the command takes, and its largest resident set in MiB."""
    begin = time.perf_counter()
    process = subprocess.Popen(command, cwd=cwd, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    if status != 0:
        sys.exit(f"{command[0]} ends with status {status}")
    return time.perf_counter() - begin, usage.ru_maxrss / 1024


def paired(ours, theirs, cwd, runs):
    """Median seconds of both and the median of the ratios theirs to ours."""
    pairs = []
    for run in range(runs + 1):
        pair = wall(ours, cwd)[0], wall(theirs, cwd)[0]
        if run > 0:  # The first warms up.
            pairs.append(pair)
    return (
        statistics.median(pair[0] for pair in pairs),
        statistics.median(pair[1] for pair in pairs),
        statistics.median(pair[1] / pair[0] for pair in pairs),
    )


def fill(folder, low, high):
    """Files of log-uniform lengths, always the same. Returns their names."""
    chance = random.Random(f"{low} {high}")
    names = []
    for i in range(COUNT):
        length = round(low * (high / low) ** chance.random())
        names.append(f"{i:04}")
        (folder / names[-1]).write_bytes(chance.randbytes(length))
    return names


def versions(coreutils):
    """First lines of what the peers say of their versions, and what coreutils hash by."""
    first = lambda *command: subprocess.run(command, capture_output=True, text=True).stdout.split(
        "\n"
    )[0]
    found = {"openssl": first("openssl", "version")}
    if sha256sum := coreutils["sha256sum"]:
        libraries = subprocess.run(["ldd", sha256sum], capture_output=True, text=True).stdout
        by = re.search(r"libcrypto\S*", libraries)
        found["coreutils"] = first(sha256sum, "--version")
        found["coreutils hash by"] = by.group() if by else "their own code"
    return found


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--program", default="target/release/manylane", type=Path)
    parser.add_argument("--coreutils", type=Path, help="folder of sha256sum and its like")
    parser.add_argument("--runs", default=9, type=int)
    parser.add_argument("--json", type=Path)
    args = parser.parse_args()
    program = str(args.program.resolve())
    path = f"{args.coreutils.resolve()}:{os.environ['PATH']}" if args.coreutils else None
    coreutils = {name: shutil.which(name, path=path) for name in map("{}sum".format, ALGORITHMS)}
    rows = []

    def row(what, peer, ours, theirs, ratio):
        rows.append(
            {"what": what, "peer": peer, "ms": ours * 1e3, "peer_ms": theirs * 1e3, "ratio": ratio}
        )
        print(
            f"{what:<42} {ours * 1e3:9.1f} ms   {peer:<10} {theirs * 1e3:9.1f} ms   {ratio:6.2f} x",
            flush=True,
        )

    with tempfile.TemporaryDirectory(prefix="manylane-bench-") as root:
        root = Path(root)
        for title, (low, high) in SETS.items():
            folder = root / title.replace(" ", "-")
            folder.mkdir()
            names = fill(folder, low, high)
            for algorithm in ALGORITHMS:
                peer = f"{algorithm}sum"
                ours = [program, "sum", "-a", algorithm, *names]
                if coreutils[peer]:
                    what = f"{algorithm}, {COUNT} files of {title}"
                    theirs = [coreutils[peer], *names]
                    row(what, peer, *paired(ours, theirs, folder, args.runs))
            shutil.rmtree(folder)

        for bytes in SINGLES:
            with open(root / "single", "wb") as single:
                for at in range(0, bytes, 1 << 20):
                    single.write(os.urandom(min(1 << 20, bytes - at)))
            for algorithm in SINGLE_ALGORITHMS:
                theirs = ["openssl", "dgst", f"-{algorithm}", "single"]
                ours = [program, "sum", "-a", algorithm, "single"]
                runs = args.runs if bytes < 64 << 20 else max(3, args.runs // 3)
                row(
                    f"{algorithm}, one file of {bytes} B",
                    "openssl",
                    *paired(ours, theirs, root, runs),
                )

        with open(root / "sparse", "wb") as sparse:
            sparse.truncate(4 << 30)
        memory = {"sparse file of 4 GiB": wall([program, "sum", "sparse"], root)[1]}
        small = root / "small"
        for i in range(100_000):
            folder = small / f"{i // 1000:03}"
            folder.mkdir(parents=True, exist_ok=True)
            (folder / f"{i % 1000:03}").write_bytes(str(i).encode())
        memory["100,000 small files"] = wall([program, "sum", "-r", "small"], root)[1]
        for what, mib in memory.items():
            print(f"{what:<42} {mib:9.1f} MiB")
        if args.json:
            record = {"versions": versions(coreutils), "rows": rows, "max_resident_mib": memory}
            args.json.write_text(json.dumps(record, indent=2) + "\n")


if __name__ == "__main__":
    main()
