#!/usr/bin/env python3
"""Hashes that follow hashes, beside OpenSSL: the tables of docs/chains.md.

    cargo build --release --locked -p manylane --example chains
    cargo build --release --locked -p manylane-slh-dsa --example speed
    taskset -c 1 benches/chains.py [--turns 5] [--json FILE]

PBKDF2 of OpenSSL is that of Python's hashlib, one password after the other, in processor time. It
and the example take turns on one core, and each line has the medians of all turns. The loop over
single hashes is the example's own, and takes turns with the lanes inside it; of many short turns
the least time counts there.
"""

import argparse
import hashlib
import json
import os
import re
import ssl
import statistics
import subprocess
import time
from pathlib import Path

EXAMPLES = Path(__file__).resolve().parent.parent / "target/release/examples"
# As many as the example computes.
ITERATIONS = 50
PASSWORDS = 200


def lines(example):
    """What an example prints, but for its head."""
    run = subprocess.run([EXAMPLES / example], check=True, capture_output=True, text=True)
    return run.stdout.splitlines()[1:]


def openssl(name):
    """Nanoseconds of an iteration of PBKDF2 by OpenSSL."""
    begin = time.process_time_ns()
    for i in range(PASSWORDS):
        hashlib.pbkdf2_hmac(name, b"password %d" % i, b"salt", ITERATIONS)
    return (time.process_time_ns() - begin) / (PASSWORDS * ITERATIONS)


def rows(turns):
    """Medians of the example's lines, and of OpenSSL's where it computes the same."""
    ours, peers = {}, {}
    for _ in range(turns):
        for line in lines("chains"):
            what, *times = re.match(r"(.*?) +([0-9.]+) +([0-9.]+) ", line).groups()
            ours.setdefault(what, []).append([float(time) for time in times])
            if "PBKDF2" in what:
                peers.setdefault(what, []).append(openssl(what.split("-")[-1].lower()))
    for what, times in ours.items():
        lanes, loop = (statistics.median(column) for column in zip(*times))
        row = {"what": what, "ns": lanes, "loop_ns": loop, "gain_over_loop": loop / lanes}
        if what in peers:
            row["openssl_ns"] = statistics.median(peers[what])
            row["gain_over_openssl"] = statistics.median(
                peer / ours[0] for peer, ours in zip(peers[what], times)
            )
        yield row


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--turns", type=int, default=5)
    parser.add_argument("--json", type=Path, help="write the record to this file too")
    arguments = parser.parse_args()
    load = os.getloadavg()
    found = list(rows(arguments.turns))
    print("| | ns in lanes | ns in a loop | gain | ns by OpenSSL | gain |")
    print("|---|---|---|---|---|---|")
    for row in found:
        peer = ""
        if "openssl_ns" in row:
            peer = f"{row['openssl_ns']:.0f} | {row['gain_over_openssl']:.2f}"
        gain = row["gain_over_loop"]
        print(
            f"| {row['what']} | {row['ns']:.1f} | {row['loop_ns']:.0f} | {gain:.2f} | "
            f"{peer or ' |'} |"
        )
    signatures = []
    print("\n| | key, ms | sign, ms | verify, ms |\n|---|---|---|---|")
    for line in lines("speed"):
        name, *times = line.split()
        signatures.append(
            dict(zip(["what", "key_ms", "sign_ms", "verify_ms"], [name, *map(float, times)]))
        )
        print(f"| {name} | {' | '.join(times)} |")
    if arguments.json:
        record = {
            "versions": {"openssl": ssl.OPENSSL_VERSION},
            "load": load,
            "rows": found,
            "signatures": signatures,
        }
        arguments.json.write_text(json.dumps(record, indent=2) + "\n")


if __name__ == "__main__":
    main()
