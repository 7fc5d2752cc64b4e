#!/usr/bin/env python3
"""Holds the memory of `manylane sum`, `audit` and `dedupe` to 64 MiB, whatever they are given.

    tools/test-memory.py [--program target/release/manylane] [--lines 10000000] [--names 1000000]
                         [--folder DIR]

Prints the largest resident set and the seconds of each run: a list of so many lines audited, a
folder of so many names walked, one digest for it, its equal files, files of two names, sparse files
of 4 GiB. The status is 1 if any run takes more. --folder is on a disk with room: a list of ten
million lines has a gigabyte, the tables of its audit three, and each name takes an inode.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

MOST_MIB = 64


def run(words, cwd, statuses):
    """The largest resident set in MiB and the seconds of a run that ends with one of these."""
    begin = time.perf_counter()
    environment = os.environ | {"MANYLANE_TUNING": "off", "SQLITE_TMPDIR": str(cwd)}
    process = subprocess.Popen(
        list(map(str, words)), cwd=cwd, stdout=subprocess.DEVNULL, env=environment
    )
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - begin
    status = os.waitstatus_to_exitcode(status)
    if status not in statuses:
        sys.exit(f"{' '.join(map(str, words))} ends with status {status}")
    return usage.ru_maxrss / 1024, seconds


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--program", default="target/release/manylane", type=Path)
    parser.add_argument("--lines", default=10_000_000, type=int)
    parser.add_argument("--names", default=1_000_000, type=int)
    parser.add_argument("--folder", type=Path)
    args = parser.parse_args()
    program = args.program.resolve()
    too_much = False

    def case(what, words, cwd, statuses=(0,)):
        nonlocal too_much
        mib, seconds = run([program, *words], cwd, statuses)
        too_much |= mib > MOST_MIB
        mark = "  TOO MUCH" if mib > MOST_MIB else ""
        print(f"{what:<60} {mib:7.1f} MiB {seconds:8.1f} s{mark}", flush=True)

    with tempfile.TemporaryDirectory(prefix="manylane-memory-", dir=args.folder) as root:
        root = Path(root)
        with open(root / "list", "w") as out:
            # Beyond what exists below `few`, so that nearly every line is an answer of its own.
            for i in range(args.lines):
                out.write(f"{i:064x}  few/{i // 1000:05}/a name as long as names are, {i:08}\n")
        (root / "few").mkdir()
        (root / "few" / "new").write_bytes(b"")
        lines = f"{args.lines:,} lines"
        case(f"audit, a list of {lines}", ["audit", "list", "few"], root, (1,))
        case(
            f"sum -c, the same, --ignore-missing",
            ["sum", "-c", "--ignore-missing", "--quiet", "list"],
            root,
            (1,),
        )
        (root / "list").unlink()

        many = root / "many"
        many.mkdir()
        for i in range(args.names):
            os.close(
                os.open(many / f"a name as long as names are, {i:08}", os.O_CREAT | os.O_WRONLY)
            )
        names = f"a folder of {args.names:,} names"
        case(f"sum -r, {names}", ["sum", "-r", "many"], root)
        case(f"sum --tree, {names}", ["sum", "--tree", "many"], root)
        case(f"sum --update, {names}", ["sum", "--update", "kept", "-r", "many"], root)
        case(f"sum --cache, {names}", ["sum", "--cache=cache", "-r", "many"], root)
        case(f"audit, {names}", ["audit", "kept", "many"], root)
        case(f"dedupe, {names}", ["dedupe", "many"], root)
        linked = root / "linked"
        linked.mkdir()
        # No list of all names: it would count, because each program begins as a copy of this one.
        for found in os.scandir(many):
            os.link(found.path, linked / found.name)
        once = ["sum", "--hardlinks", "once", "-r", "many", "linked"]
        case(f"sum --hardlinks once, two names for each of {args.names:,} files", once, root)

        for name in "abcd":
            with open(root / name, "wb") as sparse:
                sparse.truncate(4 << 30)
        case("sum, a sparse file of 4 GiB", ["sum", "a"], root)
        case("sum -a sha256,md5, the same", ["sum", "-a", "sha256,md5", "a"], root)
        case("sum, four of them", ["sum", *"abcd"], root)
    if too_much:
        sys.exit(f"more than {MOST_MIB} MiB")


if __name__ == "__main__":
    main()
