#!/usr/bin/env python3
"""Counts what the AVX-512 kernels ask of the execution ports of an Intel core (Ice Lake to Sapphire
Rapids), from the disassembly of the release build.

With 512-bit vectors two ports compute: rotations, shifts, multiplications and masks take port 0,
shuffles port 5, the rest either. A loop within the block's loop counts as often as LOOPS says.

  tools/ports.py [LIBRARY]      default: target/release/libmanylane_engine.rlib

Columns, per block of all lanes:
  instr   instructions
  p0, p5  vector operations that only this port takes
  p05     vector operations that either takes
  loads, stores       of vectors and scalars; of those `spills`: vectors written to the stack
  limit   cycles that the busiest port needs: max(p0, p5, (p0 + p5 + p05) / 2)
Moves from register to register and zeroing are free: renaming does them.
"""
import re
import subprocess
import sys

LIBRARY = "target/release/libmanylane_engine.rlib"
KERNEL = re.compile(
    r"^[0-9a-f]+ <manylane_engine::kernel::(avx512(?:_gfni)?)::compress::<manylane_primitives::hash::"
    r"\w+::(\w+(?:<\d+>)?), (.*)>>:$"
)
LINE = re.compile(r"^ *([0-9a-f]+):\t(\S+) *\t?([^#]*)")
# Turns of the loops inside the loop over blocks, in the order of their first instruction.
LOOPS = {"Sha256": [3], "Sha512": [4]}

PORT_0 = re.compile(r"vp(rol|ror|sll|srl|sra)|vpmul|vgf2p8mul|vpmov.2m|vk|k")
PORT_5 = re.compile(
    r"vpunpck|vunpck|vshuf|vpshuf|vperm|vpermi|valign|vpalign|vextract|vpexpand|vpcompress|vpbroadcast|vbroadcast|vpcmp"
)


def classes(mnemonic, operands):
    """The classes of one instruction, a list."""
    found = []
    vector = re.search(r"%[xyz]mm|%k[0-7]", operands) is not None
    memory = re.search(r"\(.*\)", operands)
    pure_move = re.match(r"v?mov(dq|up|ap|q|d|ups|aps)", mnemonic) is not None
    if memory and not mnemonic.startswith(("lea", "nop", "prefetch")):
        stored = operands.rstrip().endswith(")") and not mnemonic.startswith(("cmp", "test", "jmp", "call"))
        found.append("stores" if stored else "loads")
        if stored and vector and "%rsp" in operands:
            found.append("spills")
    if not vector or mnemonic == "vzeroupper":
        return found
    if pure_move:
        return found if memory or "%{" not in operands else found + ["p05"]
    registers = re.findall(r"%([xyz]mm\d+)", operands)
    if re.match(r"v?p?xor", mnemonic) and len(registers) == 3 and len(set(registers)) == 1:
        return found
    if "broadcast" in mnemonic and memory:
        return found if "{%k" not in operands else found + ["p05"]
    if mnemonic.startswith("vinsert"):
        return found + (["p05"] if memory else ["p5"])
    if PORT_0.match(mnemonic):
        return found + ["p0"]
    if PORT_5.match(mnemonic):
        return found + ["p5"]
    return found + ["p05"]


def block_loop(lines, loops):
    """The instructions of the loop over blocks with their turns."""
    places = {address: i for i, (address, _, _) in enumerate(lines)}
    backward = {}
    for i, (_, mnemonic, operands) in enumerate(lines):
        target = re.match(r"([0-9a-f]+) <", operands)
        if mnemonic.startswith("j") and target and places.get(target[1], i + 1) <= i:
            backward[places[target[1]]] = max(i, backward.get(places[target[1]], 0))
    if not backward:
        return []
    start, end = max(backward.items(), key=lambda loop: loop[1] - loop[0])
    inner = [loop for loop in sorted(backward.items()) if start < loop[0] and loop[1] < end]
    if len(inner) != len(loops):
        print(f"    {len(inner)} inner loops, {len(loops)} known", file=sys.stderr)
    turns = [1] * len(lines)
    for (first, last), count in zip(inner, loops):
        for i in range(first, last + 1):
            turns[i] *= count
    return [(turns[i], *lines[i][1:]) for i in range(start, end + 1)]


def main():
    library = sys.argv[1] if len(sys.argv) > 1 else LIBRARY
    command = ["objdump", "--disassemble", "--demangle", "--no-show-raw-insn", library]
    listing = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    names = ["instr", "p0", "p5", "p05", "loads", "stores", "spills"]
    print(f"{'engine':12} {'kernel':14}" + "".join(f"{name:>8}" for name in names) + f"{'limit':>8}")
    kernel, lines = None, []
    for line in [*listing.splitlines(), "0 <end>:"]:
        if line.endswith(">:"):
            if kernel:
                counts = dict.fromkeys(names, 0)
                for turns, mnemonic, operands in block_loop(lines, LOOPS.get(kernel[2], [])):
                    counts["instr"] += turns
                    for name in classes(mnemonic, operands):
                        counts[name] += turns
                p0, p5, p05 = counts["p0"], counts["p5"], counts["p05"]
                limit = max(p0, p5, (p0 + p5 + p05) / 2)
                print(f"{kernel[1]:12} {kernel[2]:14}" + "".join(f"{counts[name]:8}" for name in names)
                      + f"{limit:8.0f}")
            kernel, lines = KERNEL.match(line), []
        elif kernel and (found := LINE.match(line)):
            lines.append(found.groups())


if __name__ == "__main__":
    main()
