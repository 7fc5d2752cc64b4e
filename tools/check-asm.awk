# The rules of check-asm.sh over a disassembly by objdump. Set by -v:
#   mode      table, faults or bless
#   budgets   the file of budgets, or nothing
#   slack     what a kernel may have above its budget, as a factor; and 16 accesses besides

# "<manylane_engine::kernels::shell::avx2::compress::<…::Md5, …::Pair<…::Avx2<u32>>>>:" to its parts.
function begin(title) {
    sub(/^[0-9a-f]+ </, "", title)
    sub(/>:$/, "", title)
    # Only words of the definition over plain integers are in general registers; elsewhere these
    # hold addresses, masks and counts.
    rounds = title ~ /^manylane_engine::kernels::rounds::/
    lanes = title ~ /::lanes::(avx|neon|row)/ || rounds && title ~ /::(sha1|sha256|jh|keccak)::/
    # One message in a register: each of its words is rotated by an amount of its own, a constant.
    own_amounts = rounds && title ~ /::keccak::/
    # MD5's rounds in one loop, with SHA-256: the amounts come from a table of constants.
    if (title ~ /::rounds::both::joined::Joined/) own_amounts = 1
    rc5 = title ~ /::cipher::/
    pairing = title ~ /manylane_engine::pairing::/
    scalar = title ~ /Wrapping|::pairing::executor::scalar/ ||
        rounds && title ~ /::(md5|skein|sha512)::|::compress_on_words::/
    what = engine = title
    if (rounds || title ~ /manylane_engine::pairing::/) {
        engine = pairing ? "pairing" : "rounds"
        sub(/ as [^>]*>/, "", what)
        sub(/^.*manylane_engine::(kernels::rounds|pairing)::/, "", what)
        if (what ~ /::</) {
            types = what
            sub(/::<.*/, "", what)
            sub(/^[^<]*::</, "", types)
            gsub(/[a-z_0-9]+::/, "", types)
            what = what " <" types
        }
    } else {
        sub(/^manylane_engine::(cipher::kernel|kernels::shell)::/, "", engine)
        sub(/::.*/, "", engine)
        sub(/^[^<]*</, "", what)
        sub(/>$/, "", what)
        gsub(/[a-z_0-9]+::/, "", what)
        sub(/, Definition$/, "", what)
        if (title ~ /::compress_expanded::/) what = "expanded " what
        if (title ~ /::shell::[a-z0-9_]+::write::/) what = "write " what
    }
    if (rc5) {
        split(what, types_of, ", ")
        what = title
        sub(/::<.*/, "", what)
        sub(/^.*::/, "", what)
        what = "RC5 " what " " types_of[1] ", " types_of[what == "ctr_many" ? 2 : 3]
    }
    instructions = vector = stores = loads = frame = variable = wide = zeroed = 0
    dirty = assists = 0
    calls = examples = ""
    indirect = ""
    split("", addresses)
    inside = 1
}

function finish(faults, key, most, address, found) {
    inside = 0
    if (indirect != "") {
        # Which of the addresses is called is not followed: none may be another function's.
        mnemonic = "call"
        for (address in addresses) {
            leaves(address)
            found = 1
        }
        if (!found) calls = calls " " indirect
    }
    kernels++
    faults = ""
    key = engine " " what
    traffic = stores + loads
    if (mode == "bless") {
        print traffic, key | "LC_ALL=C sort -k 2"
        return
    }
    if (calls != "") faults = faults "  calls" calls "\n"
    if (variable && !rc5) {
        faults = faults "  " variable " shifts or rotations by a register:" examples "\n"
    }
    if (wide && !zeroed) faults = faults "  no vzeroupper\n"
    if (assists) faults = faults "  " assists " hash instructions after a register was written in full\n"
    if (!(key in budget)) {
        faults = faults "  no budget: if the kernel is meant, tools/check-asm.sh --bless\n"
    } else {
        most = int(budget[key] * slack) + 16
        if (traffic > most) {
            faults = faults "  spills: " traffic " accesses of the stack, where it had " \
                budget[key] " and may have " most "; if that is meant, tools/check-asm.sh --bless\n"
        }
        seen[key] = 1
    }
    if (mode == "table" && !scalar && vector < instructions / 2) {
        remarks = remarks sprintf("%s: %d of %d instructions touch a vector register\n", key, \
            vector, instructions)
    }
    if (faults != "") {
        faulty++
        report = report key "\n" faults
    }
    if (mode == "table") {
        printf "%-12s %-48s %6d %5d%% %6d %6d %6d %5d %s\n", engine, what, instructions, \
            100 * vector / instructions, stores, loads, frame, variable, \
            calls == "" ? "" : "calls" | "sort"
    }
}

# The function that a relocation names, if the instruction before it leaves the kernel.
function leaves(target) {
    sub(/^.*R_X86_64_[A-Z0-9_]+[ \t]+/, "", target)
    sub(/[-+]0x[0-9a-f]+$/, "", target)
    if (target ~ /^(memcpy|memset|memmove|memcmp|bcmp)$/) return
    if (target ~ /^\.(text|rodata|data)/ && mnemonic !~ /^call/) return
    if (target ~ /^core::panicking::/ || target ~ /_fail(ed)?$/) return
    # A cut digest is written by a function of its own.
    if (target ~ /::kernels::message::write_part::/) return
    if (pairing && allowed_in_pairing(target)) return
    if (index(calls, target) == 0) calls = calls " " target
}

# Products and powers of the pairing's field are functions, a pairing being thousands of them, and so
# is what its final exponentiation maps over the pairs of an element. The steps of the coordinates
# are kept in memory, and one matrix is made at the first use. A function of the same object is named
# by its section, and mangled.
function allowed_in_pairing(target) {
    if (target ~ /^\.text\./) return target ~ /OnceLock.*initialize|try_map.*pairing7quartic/ ||
        target ~ /pairing7quartic.*try_map|7pairing(3map|4sums)|7pairing6powers/
    if (target ~ /^\.data\..*7pairing(3map|4sums)/) return 1
    return target ~ /^<?manylane_engine::pairing::(zmm|map|sums|xmm|single|powers)::/ ||
        target ~ /^<manylane_primitives::pairing::element::Element/ ||
        target ~ /^manylane_primitives::pairing::limbs::(multiply_mod|square|square_root)::/ ||
        target ~ /^<(\[|core::ops::try_trait::Wrapped<)manylane_primitives::pairing::quartic::/ ||
        target ~ /^<&mut core::array::drain::Drain<manylane_primitives::pairing::quartic::.*>::call_mut$/ ||
        target ~ /^<alloc::raw_vec::RawVec/ ||
        target ~ /^<std::sync::once_lock::OnceLock<.*::initialize::/
}

function hex(digits, value, i) {
    digits = substr(digits, 3)
    for (i = 1; i <= length(digits); i++) {
        value = 16 * value + index("0123456789abcdef", substr(digits, i, 1)) - 1
    }
    return value
}

BEGIN {
    while (budgets != "" && (getline line < budgets) > 0) {
        if (line ~ /^#/) continue
        key = line
        sub(/^[0-9]+ /, "", key)
        # A function and a copy of it for a constant argument have one name.
        if (!(key in budget) || line + 0 > budget[key]) budget[key] = line + 0
    }
    if (mode == "table") {
        printf "%-12s %-48s %6s %6s %6s %6s %6s %5s\n", "engine", "kernel", "instr.", "vector", \
            "stores", "loads", "frame", "var."
        fflush()
    }
}

/^[0-9a-f]+ <.*>:$/ {
    if (inside) finish()
    if ($0 ~ /closure/) next
    if ($0 ~ /<manylane_engine::kernels::shell::[a-z0-9_]+::(compress|compress_expanded|write)::<.*>>:$/ ||
        $0 ~ /<manylane_engine::kernels::rounds::([a-z0-9_]+::)+(compress[a-z0-9_]*|digest(s[a-z0-9_]*)?)(::<.*>)?>:$/ ||
        $0 ~ /<manylane_engine::cipher::kernel::[a-z0-9_]+::(ecb_encrypt|ecb_decrypt|cbc_decrypt|ctr|ctr_many)::<.*>>:$/ ||
        $0 ~ /<manylane_engine::pairing::executor::[a-z0-9_]+::(root|part|factors|product|finish|field)>:$/ ||
        $0 ~ /<manylane_engine::pairing::(zmm|map|sums)::(multiply|apply|sums::<[12]>)>:$/ ||
        $0 ~ /<manylane_engine::pairing::powers::(one_by_pclmul|one_by_vpclmul|four)>:$/ ||
        $0 ~ /<<manylane_engine::pairing::(xmm|single)::[A-Za-z]+ as .*>::multiply>:$/) {
        begin($0)
    }
    next
}
!inside { next }
/R_X86_64_/ {
    if (mnemonic ~ /^(call|j)/) leaves($0)
    # Maybe the address of a function, to be called through a register more than once.
    if (mnemonic == "mov" && operands ~ /\(%rip\),%r/) addresses[$0] = 1
    next
}
/^ *[0-9a-f]+:\t/ {
    line = $0
    sub(/^ *[0-9a-f]+:\t/, "", line)
    mnemonic = line
    sub(/[ \t].*/, "", mnemonic)
    operands = line
    sub(/^[^ \t]+[ \t]*/, "", operands)
    sub(/ *#.*/, "", operands)
    if (mnemonic ~ /^(nop|int3|data16|cs|xchg)/) next
    instructions++
    if (mnemonic ~ /^call/ && operands ~ /^\*/ && operands !~ /\(%rip\)/) indirect = operands
    if (operands ~ /%[xyz]mm/) vector++
    if (operands ~ /%[yz]mm/) wide = dirty = 1
    if (mnemonic == "vzeroupper") {
        zeroed = 1
        dirty = 0
    }
    if (dirty && mnemonic ~ /^sha(1|256)/) assists++
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

END {
    if (inside) finish()
    close("sort")
    close("LC_ALL=C sort -k 2")
    if (kernels == 0) {
        print "check-asm: no kernel found: symbols must be mangled by v0 (.cargo/config.toml)"
        exit 1
    }
    if (mode == "bless") exit 0
    for (key in budget) {
        if (key in seen) continue
        # The compiler may merge the portable engine's kernel and the scalar one, if both have the
        # same instructions.
        twin = key
        if (!sub(/^portable /, "scalar ", twin)) sub(/^scalar /, "portable ", twin)
        if (twin in seen) continue
        faulty++
        report = report key "\n  is gone: tools/check-asm.sh --bless\n"
    }
    if (remarks != "") printf "\nHardly vectorised:\n%s", remarks
    if (report != "") printf "\nFaults:\n%s", report
    printf "%d kernels, %d with faults\n", kernels, faulty
    exit faulty > 0
}
