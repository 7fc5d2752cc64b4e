#!/usr/bin/env bash
# Disassembles every compression kernel of the release build of the engine and holds it to what the
# design asks:
#
#   - no calls but of mem* and panics: everything is inlined into the shell;
#   - no word shifted or rotated by a register, but in RC5, whose definition does that;
#   - vzeroupper before a kernel that uses ymm or zmm registers returns.
#
# Prints a table; the exit status tells whether all kernels pass.
#
#   tools/check-asm.sh            the table and the faults
#   tools/check-asm.sh --faults   the faults only
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

if [ "$(uname -m)" != x86_64 ]; then
    echo 'check-asm: reads x86-64 only, skipped' >&2
    exit 0
fi
command -v objdump >/dev/null || {
    echo 'check-asm: objdump is missing: apt-get install binutils' >&2
    exit 1
}

# With the program, as `make demo` builds it: built alone, the engine would be compiled once more.
cargo build --quiet --release --locked --package manylane-cli --package manylane-engine
library=${CARGO_TARGET_DIR:-target}/release/libmanylane_engine.rlib

objdump --disassemble --reloc --demangle --no-show-raw-insn "$library" | awk -v only_faults="${1:-}" '
    # "<manylane_engine::kernel::avx2::compress::<…::Md5, …::Pair<…::Avx2<u32>>>>:" to its parts.
    function begin(title) {
        sub(/^[0-9a-f]+ </, "", title)
        sub(/>:$/, "", title)
        engine = title
        sub(/^manylane_engine::(cipher::kernel|kernel|rounds)::/, "", engine)
        sub(/::.*/, "", engine)
        what = title
        sub(/^[^<]*</, "", what)
        sub(/>$/, "", what)
        gsub(/[a-z_0-9]+::/, "", what)
        if (title ~ /::rounds::sha512::/) {
            engine = title
            sub(/^.*compress_/, "", engine)
            sub(/>:$/, "", engine)
            what = "Sha512, Wrapping<u64> and Avx2<u64>"
        } else if (title ~ /::rounds::jh::/) {
            engine = title
            sub(/^.*compress_/, "", engine)
            sub(/>:$/, "", engine)
            what = "Jh, one message"
        } else if (title ~ /::rounds::blake::/) {
            engine = title
            sub(/^.*compress_/, "", engine)
            sub(/::<.*/, "", engine)
            sub(/,.*/, ", one message", what)
        } else if (title ~ /::rounds::keccak::/) {
            engine = "avx512"
            what = "Keccak, one message"
        } else if (title ~ /::rounds::(md5|skein)::/) {
            engine = "bmi2"
            what = title ~ /md5/ ? "Md5, Wrapping in assembly" : "Skein<8>, Wrapping in assembly"
        } else if (title ~ /::rounds::groestl::/) {
            engine = title
            sub(/^.*groestl::/, "", engine)
            sub(/::.*/, "", engine)
            what = "Groestl, one message, " what
        } else if (title ~ /::rounds::/) { what = "× " what; engine = "sha-ni " engine }
        if (title ~ /::cipher::/) {
            split(what, types, ", ")
            what = title
            sub(/::<.*/, "", what)
            sub(/^.*::/, "", what)
            what = "RC5 " what " " types[1] ", " types[what == "ctr_many" ? 2 : 3]
        }
        instructions = vector = stores = loads = frame = variable = wide = zeroed = 0
        lanes = title ~ /::lanes::(avx|neon|row)/ || title ~ /::rounds::(sha1|sha256|jh|keccak)::/
        # One message in a register: each of its words is rotated by an amount of its own, a constant.
        own_amounts = title ~ /::rounds::keccak::/
        calls = examples = ""
        inside = 1
    }
    function finish(faults) {
        inside = 0
        kernels++
        faults = ""
        if (calls != "") faults = faults "  calls" calls "\n"
        if (variable && what !~ /^RC5/) {
            faults = faults "  " variable " shifts or rotations by a register:" examples "\n"
        }
        if (wide && !zeroed) faults = faults "  no vzeroupper\n"
        if (only_faults == "" && what !~ /Wrapping/ && vector < instructions / 2) {
            remarks = remarks sprintf("%s %s: %d of %d instructions touch a vector register\n", \
                engine, what, vector, instructions)
        }
        if (faults != "") {
            faulty++
            report = report engine " " what "\n" faults
        }
        if (only_faults == "") {
            printf "%-13s %-44s %6d %5d%% %6d %6d %6d %5d %s\n", engine, what, instructions, \
                100 * vector / instructions, stores, loads, frame, variable, \
                calls == "" ? "" : "calls" | "sort"
        }
    }
    # The function that a relocation names, if the instruction before it leaves the kernel.
    function leaves(target) {
        sub(/^.*R_X86_64_[A-Z0-9]+[ \t]+/, "", target)
        sub(/[-+]0x[0-9a-f]+$/, "", target)
        if (target ~ /^(memcpy|memset|memmove|memcmp|bcmp)$/) return
        if (target ~ /^\.(text|rodata|data)/ && mnemonic !~ /^call/) return
        if (target ~ /^core::panicking::/ || target ~ /_fail(ed)?$/) return
        if (index(calls, target) == 0) calls = calls " " target
    }
    BEGIN {
        if (only_faults == "") {
            printf "%-13s %-44s %6s %6s %6s %6s %6s %5s\n", "engine", "kernel", "instr.", "vector", \
                "stores", "loads", "frame", "var."
            fflush()
        }
    }
    /^[0-9a-f]+ <.*>:$/ {
        if (inside) finish()
        if ($0 ~ /^[0-9a-f]+ <manylane_engine::kernel::[a-z0-9_]+::compress::<.*>>:$/ ||
            $0 ~ /^[0-9a-f]+ <manylane_engine::rounds::([a-z0-9_]+::)+compress[a-z0-9_]*(::<.*>)?>:$/ ||
            $0 ~ /^[0-9a-f]+ <manylane_engine::cipher::kernel::[a-z0-9_]+::(ecb_encrypt|ecb_decrypt|cbc_decrypt|ctr|ctr_many)::<.*>>:$/) {
            if ($0 !~ /closure/) begin($0)
        }
        next
    }
    !inside { next }
    /R_X86_64_/ {
        if (mnemonic ~ /^(call|j)/) leaves($0)
        next
    }
    /^ *[0-9a-f]+:\t/ {
        line = $0
        sub(/^ *[0-9a-f]+:\t/, "", line)
        mnemonic = line
        sub(/[ \t].*/, "", mnemonic)
        operands = line
        sub(/^[^ \t]+[ \t]*/, "", operands)
        if (mnemonic ~ /^(nop|int3|data16|cs|xchg)/) next
        instructions++
        if (operands ~ /%[xyz]mm/) vector++
        if (operands ~ /%[yz]mm/) wide = 1
        if (mnemonic == "vzeroupper") zeroed = 1
        if (mnemonic == "sub" && operands ~ /^\$0x[0-9a-f]+,%rsp$/ && !frame) {
            frame = operands
            sub(/^\$/, "", frame)
            sub(/,.*/, "", frame)
            frame = hex(frame)
        }
        if (operands ~ /\(%rsp/) {
            if (mnemonic ~ /mov/ && operands ~ /,-?(0x[0-9a-f]+)?\(%rsp[^)]*\)$/) stores++
            else loads++
        }
        if ((!own_amounts && mnemonic ~ /^vp(rolv|rorv|sllv|srlv|srav)[dqw]$/) ||
            (mnemonic ~ /^v?ps(ll|rl|ra)[dqw]$/ && operands !~ /^\$/) ||
            (!lanes && mnemonic ~ /^(shl|shr|sar)x/) ||
            (!lanes && mnemonic ~ /^(rol|ror|shl|shr|sar|shld|shrd)[bwlq]?$/ && operands ~ /%cl/)) {
            if (variable++ < 3) examples = examples " [" mnemonic " " operands "]"
        }
    }
    function hex(digits, value, i) {
        digits = substr(digits, 3)
        for (i = 1; i <= length(digits); i++) {
            value = 16 * value + index("0123456789abcdef", substr(digits, i, 1)) - 1
        }
        return value
    }
    END {
        if (inside) finish()
        close("sort")
        if (remarks != "") printf "\nHardly vectorised:\n%s", remarks
        if (report != "") printf "\nFaults:\n%s", report
        if (kernels == 0) {
            print "check-asm: no kernel found: symbols must be mangled by v0 (.cargo/config.toml)"
            exit 1
        }
        printf "%d kernels, %d with faults\n", kernels, faulty
        exit faulty > 0
    }'
