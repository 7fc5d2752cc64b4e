#!/usr/bin/env python3
"""Holds `manylane sum` to what a hasher of files is to reach, beside other programs.

    benches/files.py [--program target/release/manylane] [--coreutils DIR] [--runs 7] [--json FILE]
                     [--cpu]

DIR holds sha256sum and its like of the newest coreutils (`make bench-files` has them from Debian).
Files are warm. Programs run in turn, so that disturbances of the machine affect all of them alike;
medians of the ratios of neighbouring runs are printed. --cpu takes the seconds of all processors,
user and system, instead of those of the clock: on a busy machine they tell more about work, and
nothing about idle threads. The status is 1 if a goal is missed.

Where all processors are busy, the times of reading and of hashing add up. Beside some figures
stands the best that this allows, from the same run: the time of benches/read.c, that of a start of
the program, and that of hashing in memory at the rate of `manylane bench`.
"""

import argparse
import json
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from sum import COUNT, SETS, fill, versions

ONE_FILE = 1_500_000_000
MANY = 100_000
CORES = len(os.sched_getaffinity(0))
# Names for one call of a program under xargs: some calls for each core, so that all end together.
CALL = -(-COUNT // (8 * CORES))


class Command:
    """A command line, and the names that come on its standard input, if it is xargs."""

    def __init__(self, words, names=None):
        self.words = [str(word) for word in words]
        self.names = "\n".join(names).encode() if names else b""

    @classmethod
    def parallel(cls, words, names):
        """The command on as many cores as there are, some names at a time."""
        return cls(["xargs", f"-P{CORES}", f"-n{CALL}", *words], names)


def took(command, cwd, cpu):
    """Seconds of the clock, or of all processors."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    begin = time.perf_counter()
    done = subprocess.run(command.words, cwd=cwd, input=command.names, stdout=subprocess.DEVNULL)
    wall = time.perf_counter() - begin
    if done.returncode != 0:
        sys.exit(f"{command.words[0]} ends with status {done.returncode}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime if cpu else wall


class Bench:
    """Measures, prints, and keeps what was printed."""

    def __init__(self, args):
        self.args = args
        self.rows = []

    def seconds(self, commands, cwd):
        """Seconds of each command in each round; the first round warms up and is left out."""
        rounds = [
            [took(command, cwd, self.args.cpu) for command in commands]
            for _ in range(self.args.runs + 1)
        ]
        return rounds[1:]

    def row(self, what, value, goal=None, unit="x", best=None):
        """A figure; `goal` is (least, None) or (None, most), `best` the best that there can be."""
        least, most = goal or (None, None)
        met = (least is None or value >= least) and (most is None or value <= most)
        said = (
            f"at least {least:,g}" if least is not None else f"at most {most:,g}" if goal else "-"
        )
        row = {"what": what, "value": value, "unit": unit, "goal": said, "met": met}
        self.rows.append(row if best is None else row | {"best": best})
        mark = "" if goal is None else "  met" if met else "  MISSED"
        mark += "" if best is None else f", best possible {best:.2f}"
        print(f"{what:<66} {value:12,.2f} {unit:<8} {said:>16}{mark}", flush=True)

    def against(self, what, ours, peers, cwd):
        """How many times faster than each of the peers; peers are {name: (command, goal)}."""
        peers = {name: peer for name, peer in peers.items() if peer[0]}
        rounds = self.seconds([ours, *(command for command, _ in peers.values())], cwd)
        for at, (name, (_, goal)) in enumerate(peers.items(), 1):
            ratio = statistics.median(seconds[at] / seconds[0] for seconds in rounds)
            self.row(f"{what}, against {name}", ratio, goal)

    def together(self, what, program, names, cwd):
        """Two algorithms in one pass beside the slower of them alone."""
        algorithms = ["sha256", "md5", "sha256,md5"]
        commands = [Command([program, "sum", "-a", algorithm, *names]) for algorithm in algorithms]
        rounds = self.seconds(commands, cwd)
        ratio = statistics.median(both / max(first, second) for first, second, both in rounds)
        self.row(what, ratio, (None, 1.15))

    def reading(self, files, program, read, names, cwd, hashing):
        """How much of the time reading alone takes. The file `empty` shows what starts take."""
        words = [[read, CORES], *([program, "sum", "-a", algorithm] for algorithm in hashing)]
        commands = [Command([*words, *names]) for words in words]
        starts = [Command([*words, "empty"]) for words in words[:2]]
        rounds = self.seconds([*starts, *commands], cwd)
        for at, (algorithm, seconds) in enumerate(hashing.items(), 3):
            ratio = statistics.median(took[2] / took[at] for took in rounds)
            best = statistics.median(
                took[2] / (took[2] - took[0] + took[1] + seconds) for took in rounds
            )
            what = f"{algorithm}, {files}, against reading by benches/read.c"
            self.row(what, ratio, (0.8, None), best=best)

    def hashing(self, program, algorithms, size):
        """Seconds that each algorithm takes to hash so many bytes that lie in memory."""
        words = [program, "bench", *algorithms, "--json", "--runs", "5"]
        done = subprocess.run(words, stdout=subprocess.PIPE, check=True)
        rates = {}
        for row in json.loads(done.stdout)["rows"]:
            if row["workload"] == "many":
                name = row["primitive"]
                rates[name] = max(rates.get(name, 0), row["mb_per_s"] * 1e6)
        at_once = 1 if self.args.cpu else CORES
        for name, rate in rates.items():
            self.row(f"{name} in memory, one core, many messages", rate / 1e9, unit="GB/s")
        return {name: size / rates[name] / at_once for name in algorithms}


def reader(folder):
    """The program that reads files and does nothing with them, compiled, if there is a compiler."""
    if not shutil.which("cc"):
        return None
    source = Path(__file__).with_name("read.c")
    subprocess.run(["cc", "-O2", "-pthread", source, "-o", folder / "read"], check=True)
    return folder / "read"


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--program", default="target/release/manylane", type=Path)
    parser.add_argument("--coreutils", type=Path, help="folder of sha256sum and its like")
    parser.add_argument("--runs", default=7, type=int)
    parser.add_argument("--cpu", action="store_true", help="seconds of all processors")
    parser.add_argument("--json", type=Path)
    args = parser.parse_args()
    program = str(args.program.resolve())
    path = f"{args.coreutils.resolve()}:{os.environ['PATH']}" if args.coreutils else None
    coreutils = {name: shutil.which(name, path=path) for name in ["sha256sum", "md5sum"]}
    known = versions(coreutils)
    for name in ["hashdeep", "b3sum"]:
        if not shutil.which(name):
            print(f"{name} is missing, and left out (apt-get install {name})", file=sys.stderr)
    has = lambda name, make: make() if shutil.which(name) else None
    bench = Bench(args)
    print(f"{CORES} cores, {', '.join(f'{what}: {which}' for what, which in known.items())}")

    with tempfile.TemporaryDirectory(prefix="manylane-bench-") as root:
        root = Path(root)
        title = "4 KiB to 256 KiB"
        folder = root / "files"
        folder.mkdir()
        names = fill(folder, *SETS[title])
        files = f"{COUNT} files of {title}"
        read = reader(root)
        for algorithm, least in [("sha256", 1.7), ("md5", 4.0)]:
            peer = coreutils[f"{algorithm}sum"]
            bench.against(
                f"{algorithm}, {files}",
                Command([program, "sum", "-a", algorithm, *names]),
                {
                    f"coreutils by xargs -P{CORES}": (
                        peer and Command.parallel([peer], names),
                        (least, None),
                    ),
                    "hashdeep": (
                        has("hashdeep", lambda: Command(["hashdeep", "-c", algorithm, *names])),
                        None,
                    ),
                    "b3sum, another hash": (has("b3sum", lambda: Command(["b3sum", *names])), None),
                    f"cat by xargs -P{CORES}, which only reads": (
                        Command.parallel(["cat"], names),
                        None,
                    ),
                },
                folder,
            )
        size = sum((folder / name).stat().st_size for name in names)
        hashing = bench.hashing(program, ["sha256", "sha1", "md5"], size)
        (folder / "empty").touch()
        if read:
            bench.reading(files, program, read, names, folder, hashing)
        bench.together(f"sha256 and md5 in one pass, {files}", program, names, folder)
        shutil.rmtree(folder)

        with open(root / "one", "wb") as one:
            piece = os.urandom(1 << 20)
            for at in range(0, ONE_FILE, len(piece)):
                one.write(piece[: min(len(piece), ONE_FILE - at)])
        runs, args.runs = args.runs, max(3, args.runs // 2)
        # Within the noise of one in fifty, no slower.
        goal = (0.98, None)
        openssl = lambda: Command(["openssl", "dgst", "-sha256", "one"])
        bench.against(
            "sha256, one file of 1.5 GB",
            Command([program, "sum", "one"]),
            {
                "coreutils": (
                    coreutils["sha256sum"] and Command([coreutils["sha256sum"], "one"]),
                    goal,
                ),
                "openssl dgst": (has("openssl", openssl), goal),
                "hashdeep": (
                    has("hashdeep", lambda: Command(["hashdeep", "-c", "sha256", "one"])),
                    goal,
                ),
                "cat, which only reads": (Command(["cat", "one"]), None),
            },
            root,
        )
        bench.together("sha256 and md5 in one pass, one file of 1.5 GB", program, ["one"], root)
        os.remove(root / "one")
        args.runs = runs

        small = root / "small"
        for i in range(MANY):
            folder = small / f"{i // 1000:03}"
            folder.mkdir(parents=True, exist_ok=True)
            (folder / f"{i % 1000:03}").write_bytes(str(i).encode())
        # Past the tick of the clock in which the last file was written.
        time.sleep(0.1)
        cached = Command([program, "sum", "--cache=cache", "-r", "small"])
        rounds = bench.seconds([cached], root)
        rate = statistics.median(MANY / seconds for (seconds,) in rounds)
        bench.row(f"second run with --cache, {MANY:,} files", rate, (50_000, None), "files/s")

    if args.json:
        record = {"versions": known, "cores": CORES, "cpu": args.cpu, "rows": bench.rows}
        args.json.write_text(json.dumps(record, indent=2) + "\n")
    if not all(row["met"] for row in bench.rows):
        sys.exit(1)


if __name__ == "__main__":
    main()
