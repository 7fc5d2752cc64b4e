#!/usr/bin/env bash
# Disassembles every compression kernel and every shell of the pairing in the release build of the
# engine and holds them to what the design asks:
#
#   - no calls but of mem* and panics: everything is inlined into the shell, except the pairing's
#     products and powers and the writing of a cut digest, which are functions of their own;
#   - no word shifted or rotated by a register, but in RC5, whose definition does that, and where
#     constants from a table are the amounts (Keccak of one message, SHA-256 and MD5 in one loop);
#   - vzeroupper before a kernel that uses ymm or zmm registers returns;
#   - no hash instruction after a ymm or zmm register was used: until vzeroupper it takes hundreds
#     of cycles on Intel's cores;
#   - no spill storms: loads and stores of the stack within a budget, what the kernel had when the
#     budgets were written and a tenth (half, with another compiler) and 16 more.
#
# Prints a table; the exit status tells whether all kernels pass.
#
#   tools/check-asm.sh              the table and the faults
#   tools/check-asm.sh --faults     the faults only
#   tools/check-asm.sh --bless      write the budgets as the kernels are now
#   tools/check-asm.sh --self-test  whether each fault is found, in a disassembly that has them all
#
# Columns: static counts over the whole kernel, its loads of the state and of the message included.
#   vector   share of instructions that touch a vector register
#   stores, loads   instructions that write and read the stack: spills, and arrays kept there
#   frame    bytes of stack
#   var.     words shifted by a register; in lanes a general register holds no word, only a mask or
#            an address
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
PATH="$PATH:$HOME/.cargo/bin"
budgets=tools/check-asm.budgets

check() { awk -v mode="$1" -v budgets="$2" -v slack="$3" -f tools/check-asm.awk; }

if [ "${1:-}" = --self-test ]; then
    found=$(check faults tools/check-asm.sample.budgets 1.1 <tools/check-asm.sample) &&
        { echo 'check-asm: the sample passes, with all its faults' >&2; exit 1; }
    diff -u tools/check-asm.sample.expected - <<<"$found"
    exit
fi
if [ "$(uname -m)" != x86_64 ]; then
    echo 'check-asm: reads x86-64 only, skipped' >&2
    exit 0
fi
command -v objdump >/dev/null || {
    echo 'check-asm: objdump is missing: apt-get install binutils' >&2
    exit 1
}

cargo build --quiet --release --locked --package manylane-engine
library=${CARGO_TARGET_DIR:-target}/release/libmanylane_engine.rlib
disassembly() { objdump --disassemble --reloc --demangle --no-show-raw-insn "$library"; }
compiler=$(rustc --version | cut -d ' ' -f 2)

case ${1:-} in
--bless)
    {
        echo "# Accesses of the stack in each kernel, by rustc $compiler."
        echo '# Written by tools/check-asm.sh --bless.'
        disassembly | check bless '' 1
    } >$budgets.new
    mv $budgets.new $budgets
    ;;
*)
    slack=1.1
    grep -q "by rustc $compiler\.$" $budgets || slack=1.5
    mode=table
    [ "${1:-}" = --faults ] && mode=faults
    disassembly | check "$mode" $budgets $slack
    ;;
esac
