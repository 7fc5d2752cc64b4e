#!/usr/bin/env python3
"""Counts what the kernels on AVX-512 lanes ask of the execution ports of an Intel core (Ice Lake to
Sapphire Rapids) and of AMD's Zen 5, from the disassembly of the release build.

On the Intel cores two ports compute on 512-bit vectors: shifts, rotations, products and masks take
port 0, shuffles of registers port 5, sums, logic and insertions from memory either. Moves between
registers are free: renaming does them.

On Zen 5 four do (tools/zen5-probe.py measures it): rotations, shifts and products have two of them,
shuffles of bytes and across quarters two, sums, logic and unpacking all four. It loads two vectors a
cycle and stores one.

  tools/ports.py [LIBRARY]      default: target/release/libmanylane_engine.rlib

Columns, per block of every lane:
  lanes          messages side by side
  instr.         instructions
  p0, p5, p05    vector operations that take port 0, port 5, either
  loads, stores  memory operands, of scalars too; `spills` are the vectors stored on the stack
  limit          cycles of the busier port: max(p0, p5, (p0 + p5 + p05) / 2)
  zen5           cycles on Zen 5: max(p0 / 2, (p0 + p5 + p05) / 4, loads / 2, stores)
"""
import re
import subprocess
import sys

LIBRARY = "target/release/libmanylane_engine.rlib"
KERNEL = re.compile(
    r"[0-9a-f]+ <manylane_engine::kernels::shell::(avx512(?:_gfni)?)::compress::"
    r"<manylane_primitives::hash::\w+::(\w+(?:<\d+>)?), (.*), [^ ]*::(\w+)>>:"
)
INSTRUCTION = re.compile(r" *([0-9a-f]+):\t(\S+) *\t?([^#]*)")
# Another text than the definition's that serves instead of it.
TEXTS = {"Keccak": "PlaneByPlane"}
# Turns of the loops within the loop over blocks, in the order of their first instructions; other
# kernels have none. Keccak: four words and the last one (SHA3-256), rounds.
LOOPS = {
    "Sha256": [3],
    "Sha512": [4],
    "Keccak": [4, 1, 3],
    "Jh": [6],
    "Groestl<8>": [5, 5],
    "Groestl<16>": [7, 7],
}
PORT_0 = re.compile(r"vp(rol|ror|sll|srl|sra|sh[lr]d|mul)|vgf2p8mul|vpmov[bwdq]2m|k")
PORT_5 = re.compile(r"vp?unpck|vp?shuf|vperm|vpalign|valign|vextract|vp?broadcast|vpcmp")
COUNTS = ["instr.", "p0", "p5", "p05", "loads", "stores", "spills"]


def memory(mnemonic, operands):
    """Whether the instruction loads, stores, spills a vector."""
    if "(" not in operands or mnemonic.startswith(("lea", "nop", "prefetch")):
        return []
    if not operands.endswith(")") or mnemonic.startswith(("cmp", "test", "call", "jmp")):
        return ["loads"]
    return ["stores", "spills"] if re.match(r"%[yz]mm.*%rsp", operands) else ["stores"]


def ports(mnemonic, operands):
    """The port of a vector operation."""
    registers = re.findall(r"%[xyz]mm\d+", operands)
    if not (registers or "%k" in operands) or mnemonic == "vzeroupper":
        return []
    from_memory, masked = "(" in operands, "{%k" in operands
    moves = mnemonic.startswith(("vmov", "mov")) or (from_memory and "broadcast" in mnemonic)
    zeroes = re.match(r"vp?xor", mnemonic) and len(registers) == 3 and len(set(registers)) == 1
    if zeroes or (moves and not masked):
        return []
    if moves or (from_memory and mnemonic.startswith("vinsert")):
        return ["p05"]
    if PORT_0.match(mnemonic):
        return ["p0"]
    return ["p5"] if PORT_5.match(mnemonic) or mnemonic.startswith("vinsert") else ["p05"]


def count(kernel, instructions):
    """The counts of one turn of the longest loop, that over blocks."""
    places = {address: place for place, (address, _, _) in enumerate(instructions)}
    loops = {}
    for place, (_, mnemonic, operands) in enumerate(instructions):
        target = places.get(operands.split(" ")[0], place + 1)
        if mnemonic.startswith("j") and target <= place:
            loops[target] = place
    first, last = max(loops.items(), key=lambda loop: loop[1] - loop[0])
    inner = sorted((a, b) for a, b in loops.items() if first < a and b < last)
    known = LOOPS.get(kernel, [])
    if len(inner) != len(known):
        sys.exit(f"ports: {kernel}: {len(inner)} loops within that over blocks, not {len(known)}")
    counts = dict.fromkeys(COUNTS, 0)
    for place in range(first, last + 1):
        turns = 1
        for (begin, end), times in zip(inner, known):
            turns *= times if begin <= place <= end else 1
        _, mnemonic, operands = instructions[place]
        for name in ["instr.", *memory(mnemonic, operands), *ports(mnemonic, operands)]:
            counts[name] += turns
    return counts


def main():
    library = sys.argv[1] if len(sys.argv) > 1 else LIBRARY
    command = ["objdump", "--disassemble", "--demangle", "--no-show-raw-insn", library]
    objdump = subprocess.run(command, stdout=subprocess.PIPE, text=True)
    if objdump.returncode:
        sys.exit(objdump.returncode)
    listing = objdump.stdout
    kernels, instructions = {}, None
    for line in listing.splitlines():
        if line.endswith(">:"):
            kernel = KERNEL.match(line)
            if kernel and kernel[4] != TEXTS.get(kernel[2], "Definition"):
                kernel = None
            instructions = kernels.setdefault(kernel.groups()[:3], []) if kernel else None
        elif instructions is not None and (found := INSTRUCTION.match(line)):
            address, mnemonic, operands = found.groups()
            instructions.append((address, mnemonic, operands.strip()))
    if not kernels:
        sys.exit(f"ports: no kernel on AVX-512 lanes in {library}: build it with --release")
    columns = ["lanes", *COUNTS, "limit", "zen5"]
    print(f"{'engine':12} {'kernel':12}", *(f"{name:>7}" for name in columns))
    for (engine, kernel, lane_type), instructions in kernels.items():
        counts = count(kernel, instructions)
        p0, p5, p05 = counts["p0"], counts["p5"], counts["p05"]
        limit = max(p0, p5, (p0 + p5 + p05) / 2)
        zen5 = max(p0 / 2, (p0 + p5 + p05) / 4, counts["loads"] / 2, counts["stores"])
        lanes = (16 if "u32" in lane_type else 8) << lane_type.count("Pair<")
        columns = [lanes, *counts.values(), round(limit), round(zen5)]
        print(f"{engine:12} {kernel:12}", *(f"{column:7}" for column in columns))


if __name__ == "__main__":
    main()
