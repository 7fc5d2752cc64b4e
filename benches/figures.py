#!/usr/bin/env python3
"""Writes the figures of docs/performance.md and docs/tour.md.

It also draws docs/performance-MACHINE.svg.

    benches/figures.py            write
    benches/figures.py --check    say what differs from what is there, and fail if anything does

The figures of each machine of benches/limits.json, which holds the port limits of its kernels, come
from its newest records, benches/record/DATE-MACHINE-{peers,bench}.json. A machine whose limits were
not counted has none there, and no drawing. The same input gives the same output, byte by byte.
"""

import argparse
import json
import re
import sys
import textwrap
from functools import cached_property
from html import escape
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs/performance.md"
TOUR = ROOT / "docs/tour.md"

MANY = ("many", 16384)
SHORT = ("many", 64)
ONE = ("single", 16384)
MIX = ("mix", None)
PEERS = {
    "ipsec-mb": "libipsec-mb",
    "rustcrypto": "RustCrypto",
    "blake-hash": "blake-hash",
    "openssl": "OpenSSL",
}


class Records:
    """A machine's newest record beside its limits; rates in units of OpenSSL's SHA-256, xO."""

    def __init__(self, name, limits):
        self.name = name
        self.file, record = newest(f"{name}-peers")
        self.machine = record["machine"]
        self.rows = by_workload(record)
        self.drawing = ROOT / f"docs/performance-{name}.svg"
        self.title, self.short = limits["machine"], limits["short"]
        self.yardstick = limits.get("yardstick_cycles_per_byte")
        self.kernels = limits["kernels"]

    @cached_property
    def alone(self):
        """What `manylane bench` measured, without other peers than OpenSSL."""
        return by_workload(newest(f"{self.name}-bench")[1])

    def row(self, kernel, workload):
        key = (kernel["primitive"], *workload)
        return self.rows.get(key) or sys.exit(f"figures: {self.file.name} has no row for {key}")

    def ours(self, kernel, workload):
        return self.row(kernel, workload)["ratio_to_openssl_sha256"]

    def peer(self, kernel, workload):
        """Name and rate of the best, or nothing."""
        peers = self.row(kernel, workload)["peers"]
        return (PEERS[peers[0]["name"]], peers[0]["ratio_to_openssl_sha256"]) if peers else None

    def limit(self, kernel):
        return self.yardstick * kernel["lanes"] * kernel["block_bytes"] / kernel["cycles"]


def newest(name):
    """The file and what it says."""
    records = sorted((ROOT / "benches/record").glob(f"*-{name}.json"))
    if not records:
        sys.exit(
            f"figures: benches/record has no *-{name}.json: `make records RECORD=...` makes one"
        )
    return records[-1], json.loads(records[-1].read_text())


def by_workload(record):
    return {(row["primitive"], row["workload"], size(row)): row for row in record["rows"]}


def size(row):
    return row["bytes"] // row["count"] if row["workload"] != "mix" else None


def table(alignment, head, rows):
    lines = [head, [{"l": "---", "r": "--:"}[side] for side in alignment], *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def rates(records):
    rows = []
    for kernel in records.kernels:
        row = [kernel["title"]]
        for workload in (MANY, MIX):
            ours, peer = records.ours(kernel, workload), records.peer(kernel, workload)
            row += [f"{ours:.2f}", f"{ours / peer[1]:.2f} × {peer[0]}" if peer else ""]
        limit = records.limit(kernel)
        row += [f"{limit:.2f}", f"{100 * records.ours(kernel, MANY) / limit:.0f} %"]
        rows.append(row)
    head = [
        "primitive",
        "16 KiB, xO",
        "to the best peer",
        "mix, xO",
        "to the best peer",
        "port limit, xO",
        "16 KiB of the limit",
    ]
    return table("lrrrrrr", head, rows)


def users(records):
    """The rates of one core for many messages, short ones and one alone, beside the best peers."""
    rows = []
    for kernel in records.kernels:
        row = [kernel["title"]]
        for workload in (MANY, SHORT, ONE):
            ours, peer = records.row(kernel, workload), records.peer(kernel, workload)
            beside = f"{ours['ratio_to_openssl_sha256'] / peer[1]:.2f} × {peer[0]}" if peer else ""
            row += [f"{ours['mb_per_s']:,.0f}", beside]
        rows.append(row)
    head = [
        "hash or cipher",
        "1,000 of 16 KiB, MB/s",
        "beside the best peer",
        "1,000 of 64 B, MB/s",
        "beside",
        "one of 16 KiB, MB/s",
        "beside",
    ]
    return table("lrrrrrr", head, rows)


def ports(records):
    rows = []
    for kernel in records.kernels:
        counts = [kernel.get(name, "") for name in ("port_0", "port_5", "either", "spills")]
        shape = f"{kernel['lanes']} × {kernel['block_bytes']}"
        rows.append(
            [kernel["title"], shape, *map(str, counts), f"{kernel['cycles']:g}", kernel["binds"]]
        )
    head = [
        "primitive",
        "lanes × bytes",
        "port 0",
        "port 5",
        "either",
        "spills",
        "cycles",
        "what binds",
    ]
    return table("lrrrrrrl", head, rows)


def source(records):
    machine = records.machine
    text = (
        f"Record [{records.file.name}](../benches/record/{records.file.name}): {machine['cpu']}, "
        f"{machine['openssl']}, libipsec-mb {machine['ipsec_mb']}; medians of {machine['runs']} "
        f"runs in turn, processor time of one core. Load of the machine's {machine['cpus']} CPUs "
        f"when it began (1, 5, 15 minutes): {machine['load']}."
    )
    return textwrap.fill(text, 100, break_long_words=False, break_on_hyphens=False) + "\n"


def many(machines):
    """Messages of 16 KiB and of 64 bytes on every machine."""
    rows = []
    for kernel in next(iter(machines.values())).kernels:
        row = [kernel["title"]]
        for records in machines.values():
            long, short = (
                records.alone[kernel["primitive"], *workload] for workload in (MANY, SHORT)
            )
            ratios = (f"{of['ratio_to_openssl_sha256']:.2f}" for of in (long, short))
            row += [f"{long['mb_per_s']:.0f}", *ratios]
        rows.append(row)
    head = ["1,000 messages"]
    for records in machines.values():
        head += [f"{records.short}: 16 KiB, MB/s", "xO", "64 B, xO"]
    return table("l" + "rrr" * len(machines), head, rows)


def renewed(file, made):
    """The page with what stands between its markers made anew."""
    page = file.read_text()
    for name, text in made.items():
        pattern = re.compile(rf"(<!-- {name} -->\n).*?(<!-- end -->\n)", re.DOTALL)
        page, found = pattern.subn(lambda match: match[1] + text + match[2], page)
        if found != 1:
            sys.exit(f"figures: {file.name} has {found} places for `{name}`, not one")
    return page


STYLE = """text { font: 13px sans-serif; fill: #24292f; }
.small { font-size: 12px; fill: #57606a; }
.title { font-weight: bold; }
.ours { fill: #0969da; }
.peer { fill: #8c959f; }
.grid { stroke: #57606a; stroke-opacity: 0.25; }
.limit { stroke: #bc4c00; stroke-width: 2; }
@media (prefers-color-scheme: dark) {
  text { fill: #e6edf3; }
  .small { fill: #a5afba; }
  .ours { fill: #4493f8; }
  .peer { fill: #6e7681; }
  .grid { stroke: #a5afba; }
  .limit { stroke: #f0883e; }
}
"""

LEFT, RIGHT, TOP, BAR, GAP, GROUP = 132, 860, 64, 9, 3, 58
WIDTH = 900


def drawing(records):
    """Horizontal bars: for each primitive 16 KiB and the mix, ours above the best peer's."""
    most = max(max(records.limit(k), records.ours(k, MANY)) for k in records.kernels)
    top_tick = int(most) + 1
    height = TOP + GROUP * len(records.kernels) + 34
    x = lambda rate: LEFT + (RIGHT - LEFT) * rate / top_tick
    label = (
        "Throughput of one core with many messages, in units of OpenSSL's SHA-256 over one "
        "message of "
        "16 KiB: manylane, the best other implementation measured in the same run, and the limit "
        "of the "
        "execution ports. The figures are in the tables of docs/performance.md."
    )
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" '
        f'viewBox="0 0 {WIDTH} {height}" role="img" aria-labelledby="title desc">',
        '<title id="title">manylane beside the best peers and the limits of the ports: '
        f'{escape(records.title)}</title>',
        f'<desc id="desc">{escape(label)}</desc>',
        f"<style>\n{STYLE}</style>",
    ]
    put = out.append
    legend = [("ours", "manylane"), ("peer", "best peer measured"), ("limit", "port limit")]
    at = LEFT
    for kind, text in legend:
        if kind == "limit":
            put(f'<line class="limit" x1="{at + 6}" y1="12" x2="{at + 6}" y2="26"/>')
        else:
            put(f'<rect class="{kind}" x="{at}" y="14" width="12" height="{BAR}"/>')
        put(f'<text x="{at + 18}" y="24">{text}</text>')
        at += 44 + 8 * len(text)
    put(
        f'<text class="small" x="{LEFT}" y="44">times OpenSSL’s SHA-256 of one 16 KiB message on '
        'the same core</text>'
    )
    bottom = height - 28
    for tick in range(top_tick + 1):
        put(
            f'<line class="grid" x1="{x(tick):.1f}" y1="{TOP - 10}" x2="{x(tick):.1f}" '
            f'y2="{bottom}"/>'
        )
        put(
            f'<text class="small" x="{x(tick):.1f}" y="{bottom + 16}" '
            f'text-anchor="middle">{tick}</text>'
        )
    for i, kernel in enumerate(records.kernels):
        y = TOP + GROUP * i
        put(
            f'<text class="title" x="{LEFT - 48}" y="{y + 27}" '
            f'text-anchor="end">{escape(kernel["title"])}</text>'
        )
        for workload, name in ((MANY, "16 KiB"), (MIX, "mix")):
            put(f'<text class="small" x="{LEFT - 6}" y="{y + 13}" text-anchor="end">{name}</text>')
            bars = [("ours", "manylane", records.ours(kernel, workload))]
            if peer := records.peer(kernel, workload):
                bars.append(("peer", *peer))
            for j, (kind, who, rate) in enumerate(bars):
                top = y + j * (BAR + 1)
                put(
                    f'<rect class="{kind}" x="{LEFT}" y="{top}" width="{x(rate) - LEFT:.1f}" '
                    f'height="{BAR}">'
                    f"<title>{escape(kernel['title'])}, {name}: {escape(who)} "
                    f"{rate:.2f}</title></rect>"
                )
            y += 2 * BAR + GAP + 2
        limit = records.limit(kernel)
        y = TOP + GROUP * i
        put(
            f'<line class="limit" x1="{x(limit):.1f}" y1="{y - 3}" x2="{x(limit):.1f}" '
            f'y2="{y + 4 * BAR + GAP + 6}">'
            f"<title>{escape(kernel['title'])}: port limit {limit:.2f}</title></line>"
        )
    put("</svg>")
    return "\n".join(out) + "\n"


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--check", action="store_true")
    check = parser.parse_args().check
    limits = json.loads((ROOT / "benches/limits.json").read_text())
    machines = {name: Records(name, limits[name]) for name in limits}
    bounded = {name: records for name, records in machines.items() if records.yardstick}
    tables = {}
    for name, records in machines.items():
        tables |= {f"source: {name}": source(records), f"users: {name}": users(records)}
        if name in bounded:
            tables[f"rates: {name}"] = rates(records)
        if "port_0" in records.kernels[0]:
            tables[f"ports: {name}"] = ports(records)
    made = {PAGE: renewed(PAGE, tables), TOUR: renewed(TOUR, {"many": many(bounded)})}
    made |= {records.drawing: drawing(records) for records in bounded.values()}
    stale = []
    for file, text in made.items():
        if not check:
            file.write_text(text)
        elif not file.exists() or file.read_text() != text:
            stale.append(str(file.relative_to(ROOT)))
    if stale:
        sys.exit(
            f"figures: not what the records give: {', '.join(stale)}; benches/figures.py makes them"
        )


main()
