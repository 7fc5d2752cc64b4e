//! Inline functions for operations that C has no operator for. A source has those that it calls and
//! no others.

use super::Tables;
use super::text::uses;
use manylane_graph::Op;
use manylane_graph::interpret::evaluate;
use std::fmt::Write;

/// Widths of words.
const WIDTHS: [u8; 4] = [8, 16, 32, 64];

/// The helpers that `text` calls, and those that they call, each before its callers. All have names
/// `prefix_helper`.
pub(super) fn helpers(text: &str, prefix: &str, tables: Tables) -> String {
    let mut all = Vec::new();
    for width in WIDTHS {
        all.extend(of_width(width, tables));
    }
    // Later helpers call earlier ones.
    let mut needed: Vec<String> = Vec::new();
    for (name, body) in all.iter().rev() {
        let name = format!("{prefix}_{name}");
        let mut users = std::iter::once(text).chain(needed.iter().map(|text| &text[..]));
        if users.any(|user| uses(user, &name)) {
            needed.push(body.replace("P_", &format!("{prefix}_")));
        }
    }
    if needed.iter().any(|helper| uses(helper, &format!("{prefix}_s_box"))) {
        needed.push(s_box(prefix));
    }
    needed.reverse();
    needed.join("\n")
}

/// The substitution of every byte, as a table.
fn s_box(prefix: &str) -> String {
    let mut out = format!("static const uint8_t MANYLANE_DATA({prefix}_s_box)[256] = {{");
    for byte in 0..256_u64 {
        let end = if byte % 12 == 0 { "\n    " } else { " " };
        let _ = write!(out, "{end}0x{:02x},", evaluate(Op::SubBytes, 8, &[byte]));
    }
    out + "\n};\n"
}

/// The number with `byte` in each byte of a word.
fn repeated(byte: u8, width: u8) -> String {
    let digits = format!("{byte:02x}").repeat(usize::from(width / 8));
    format!("UINT{width}_C(0x{digits})")
}

/// A rotation of 64 bits by a variable amount, with `body` where words of 64 bits are native.
/// Elsewhere compilers branch on the amount, which is secret in RC5: halves of 32 bits are
/// exchanged under a mask and shifted.
fn in_halves(name: &str, body: &str) -> String {
    let (out, into) = if name == "rotl" { ("<<", ">>") } else { (">>", "<<") };
    format!(
        "#if UINTPTR_MAX > 0xffffffff\n{body}#else\n\
         \x20   const unsigned n = (unsigned)y & 31u;\n\
         \x20   const uint32_t mask = (uint32_t)0 - (((uint32_t)y >> 5) & 1u);\n\
         \x20   const uint32_t crossed = ((uint32_t)x ^ (uint32_t)(x >> 32)) & mask;\n\
         \x20   const uint32_t low = (uint32_t)x ^ crossed;\n\
         \x20   const uint32_t high = (uint32_t)(x >> 32) ^ crossed;\n\
         \x20   return (uint64_t)((high {out} n) | ((low {into} 1) {into} (31u - n))) << 32\n\
         \x20       | (uint64_t)((low {out} n) | ((high {into} 1) {into} (31u - n)));\n#endif\n"
    )
}

/// Name and text of each helper for words of one width. `P_` stands for the prefix.
fn of_width(w: u8, tables: Tables) -> Vec<(String, String)> {
    let t = format!("uint{w}_t");
    let (mask, bytes) = (w - 1, w / 8);
    let mut all = Vec::new();
    let mut add = |name: &str, args: &str, body: &str| {
        let text = format!("static inline {t} P_{name}({args})\n{{\n{body}}}\n");
        all.push((name.to_owned(), text));
    };
    let x = format!("{t} x");
    let by = format!("{t} x, unsigned n");
    for (name, one, other) in [("rotl", "<<", ">>"), ("rotr", ">>", "<<")] {
        // The function is called with 0 < n < w only.
        let half = if w == 32 { with_zbb(HALF_TURN, "") } else { String::new() };
        let body = format!("{half}    return ({t})((x {one} n) | (x {other} ({w} - n)));\n");
        add(&format!("{name}{w}"), &by, &body);
        let body = format!(
            "    const unsigned n = (unsigned)y;\n\
             \x20   return ({t})((x {one} (n & {mask})) | (x {other} ((0u - n) & {mask})));\n"
        );
        let body = match w {
            32 => with_zbb(&by_word(name), &body),
            64 => in_halves(name, &body),
            _ => body,
        };
        add(&format!("{name}_var{w}"), &format!("{t} x, {t} y"), &body);
    }
    let body = format!(
        "    const {t} sum = ({t})(x + y);\n\
         \x20   return ({t})((sum < x) | (({t})(sum + carry) < sum));\n"
    );
    add(&format!("carry{w}"), &format!("{t} x, {t} y, {t} carry"), &body);
    if w > 8 {
        let parts: Vec<String> = (0..bytes)
            .map(|i| {
                let (from, to) = (8 * i, 8 * (bytes - 1 - i));
                let moved = match i32::from(to) - i32::from(from) {
                    by if by > 0 => format!("(x << {by})"),
                    by => format!("(x >> {})", -by),
                };
                format!("({moved} & UINT{w}_C(0x{:x}))", 0xff_u64 << to)
            })
            .collect();
        let by_shifts = format!("    return ({t})({});\n", parts.join("\n        | "));
        let body = match w {
            // Masks of 16 bits are signed with some compilers.
            16 => "    return (uint16_t)((x << 8) | (x >> 8));\n".to_owned(),
            32 => with_zbb(SWAP, &by_shifts),
            64 => with_zbb(SWAP_HALVES, &by_shifts),
            _ => by_shifts,
        };
        add(&format!("swap{w}"), &x, &body);
    }
    // The word as it lies in memory, where that is aligned.
    let body = format!(
        "    {t} x;\n\
         #if defined(__GNUC__)\n\
         \x20   p = (const uint8_t *)__builtin_assume_aligned(p, {bytes} < P_word_alignment ? \
         {bytes} : P_word_alignment);\n\
         #endif\n\
         \x20   memcpy(&x, p, sizeof x);\n    return x;\n"
    );
    add(&format!("load{w}"), "const uint8_t *p", &body);
    for (order, native) in [("le", "LITTLE"), ("be", "BIG")] {
        let shift = |i: u8| 8 * if order == "le" { i } else { bytes - 1 - i };
        let parts: Vec<String> =
            (0..bytes).map(|i| format!("(({t})p[{i}] << {})", shift(i))).collect();
        let by_bytes = format!("    return ({t})({});\n", parts.join(" | "));
        add(&format!("read{w}{order}"), "const uint8_t *p", &by_bytes);
        let swapped = if w > 8 { format!("P_swap{w}(x)") } else { "x".to_owned() };
        let body = format!(
            "#if defined(__BYTE_ORDER__) && defined(__GNUC__)\n\
             \x20   {t} x;\n\
             \x20   memcpy(&x, __builtin_assume_aligned(p, {bytes} < P_word_alignment ? {bytes} : \
             P_word_alignment), sizeof x);\n\
             \x20   return __BYTE_ORDER__ == __ORDER_{native}_ENDIAN__ ? x : {swapped};\n\
             #else\n{by_bytes}#endif\n"
        );
        add(&format!("load{w}{order}"), "const uint8_t *p", &body);
    }
    add(
        &format!("xtime{w}"),
        &x,
        &format!(
            "    const {t} m = ({t})((x >> 7) & {ones});\n\
             \x20   return ({t})(((x << 1) & {fes}) ^ m ^ (m << 1) ^ (m << 3) ^ (m << 4));\n",
            ones = repeated(1, w),
            fes = repeated(0xfe, w),
        ),
    );
    if w == 64 {
        // These are functions because they are called for each word of a block: inlined, they would
        // fill instruction caches and registers.
        for (name, body) in [("part64", PART), ("join64", JOIN)] {
            let text = format!(
                "#if defined(__GNUC__)\n__attribute__((noinline))\n#endif\n\
                 static uint64_t P_{name}(uint64_t x)\n{{\n{body}}}\n"
            );
            all.push((name.to_owned(), text));
        }
    }
    let body = match tables {
        Tables::Lookup => {
            let part = |i| format!("({t})(({t})P_s_box[(uint8_t)(x >> {0})] << {0})", 8 * i);
            let parts: Vec<String> = (0..bytes).map(part).collect();
            format!("    return ({t})({});\n", parts.join("\n        | "))
        }
        Tables::Bitwise => sub_bytes(w),
    };
    let text = format!("static {t} P_sub_bytes{w}({x})\n{{\n{body}}}\n");
    all.push((format!("sub_bytes{w}"), text));
    all.push((format!("copy{w}"), copy(w)));
    for order in ["le", "be"] {
        let shift = |i: u8| 8 * if order == "le" { i } else { bytes - 1 - i };
        let lines: String =
            (0..bytes).map(|i| format!("    p[{i}] = (uint8_t)(x >> {});\n", shift(i))).collect();
        let name = format!("store{w}{order}");
        let text = format!("static inline void P_{name}(uint8_t *p, {t} x)\n{{\n{lines}}}\n");
        all.push((name, text));
    }
    all
}

/// Statements for GCC on 32-bit RISC-V with Zbb, and those for all other compilers and machines.
fn with_zbb(statements: &str, others: &str) -> String {
    let or_else = if others.is_empty() { "" } else { "#else\n" };
    format!(
        "#if defined(__GNUC__) && !defined(__clang__) && defined(__riscv_zbb) \
         && __riscv_xlen == 32\n\
         {statements}{or_else}{others}#endif\n"
    )
}

/// GCC 12 has no pattern for this instruction on 32-bit processors.
const SWAP: &str = "    __asm__(\"rev8 %0, %1\" : \"=r\"(x) : \"r\"(x));
    return x;
";

const SWAP_HALVES: &str = "    uint32_t low = (uint32_t)x, high = (uint32_t)(x >> 32);
    __asm__(\"rev8 %0, %1\" : \"=r\"(low) : \"r\"(low));
    __asm__(\"rev8 %0, %1\" : \"=r\"(high) : \"r\"(high));
    return ((uint64_t)low << 32) | high;
";

/// GCC 12 turns by half a word with an instruction that takes the number of bits from a register.
const HALF_TURN: &str = "    if (n == 16) {
        __asm__(\"rori %0, %1, 16\" : \"=r\"(x) : \"r\"(x));
        return x;
    }
";

/// A rotation by a variable amount as one instruction. For the same in C, GCC 12 masks the amount
/// first, though `rol` and `ror` ignore its higher bits.
fn by_word(direction: &str) -> String {
    let turn = if direction == "rotl" { "rol" } else { "ror" };
    format!("    __asm__(\"{turn} %0, %1, %2\" : \"=r\"(x) : \"r\"(x), \"r\"(y));\n    return x;\n")
}

/// Words that are copied at once.
pub(in crate::c) const AT_ONCE: usize = 8;

/// The helper that copies [`AT_ONCE`] words as they lie in memory, and loads all of them before the
/// first store: a store right behind its load would wait for it, and compilers cannot reorder them,
/// because the stores might change the message. Thumb-1 loads and stores several words in one
/// instruction, which gcc uses for `memcpy` alone.
fn copy(w: u8) -> String {
    let (t, bytes) = (format!("uint{w}_t"), w / 8);
    let load = |i: usize| format!("v{i} = P_load{w}(p + {})", i * usize::from(bytes));
    let loads: Vec<String> = (0..AT_ONCE).map(load).collect();
    let stores: String = (0..AT_ONCE).map(|i| format!("    to[{i}] = v{i};\n")).collect();
    format!(
        "static inline void P_copy{w}({t} *to, const uint8_t *p)\n{{\n\
         #if defined(__GNUC__) && !defined(__clang__) && defined(__thumb__) && \
         !defined(__thumb2__)\n\
         \x20   memcpy(__builtin_assume_aligned(to, {bytes}), \
         __builtin_assume_aligned(p, {bytes}), {});\n\
         #else\n\
         \x20   const {t} {};\n{stores}#endif\n}}\n",
        AT_ONCE * usize::from(bytes),
        loads.join(",\n        "),
    )
}

/// The bits of a word at even places as its low half, those at odd places as its high half. `even`
/// first collects the even bits of both 32-bit limbs, the low limb's at even and the high limb's at
/// odd places; `odd` does the same with the odd bits. Swaps over distances of 1, 2, 4 and 8 then
/// bring each into order.
const PART: &str = "    const uint32_t low = (uint32_t)x, high = (uint32_t)(x >> 32);
    uint32_t even = (low & UINT32_C(0x55555555)) | ((high & UINT32_C(0x55555555)) << 1);
    uint32_t odd = ((low >> 1) & UINT32_C(0x55555555)) | (high & UINT32_C(0xaaaaaaaa));
    uint32_t t;
    t = (even ^ (even >> 1)) & UINT32_C(0x22222222);
    even ^= t ^ (t << 1);
    t = (odd ^ (odd >> 1)) & UINT32_C(0x22222222);
    odd ^= t ^ (t << 1);
    t = (even ^ (even >> 2)) & UINT32_C(0x0c0c0c0c);
    even ^= t ^ (t << 2);
    t = (odd ^ (odd >> 2)) & UINT32_C(0x0c0c0c0c);
    odd ^= t ^ (t << 2);
    t = (even ^ (even >> 4)) & UINT32_C(0x00f000f0);
    even ^= t ^ (t << 4);
    t = (odd ^ (odd >> 4)) & UINT32_C(0x00f000f0);
    odd ^= t ^ (t << 4);
    t = (even ^ (even >> 8)) & UINT32_C(0x0000ff00);
    even ^= t ^ (t << 8);
    t = (odd ^ (odd >> 8)) & UINT32_C(0x0000ff00);
    odd ^= t ^ (t << 8);
    return ((uint64_t)odd << 32) | even;
";

/// The inverse: the word whose bits at even and at odd places are these halves.
const JOIN: &str = "    uint32_t even = (uint32_t)x, odd = (uint32_t)(x >> 32);
    uint32_t t, low, high;
    t = (even ^ (even >> 8)) & UINT32_C(0x0000ff00);
    even ^= t ^ (t << 8);
    t = (odd ^ (odd >> 8)) & UINT32_C(0x0000ff00);
    odd ^= t ^ (t << 8);
    t = (even ^ (even >> 4)) & UINT32_C(0x00f000f0);
    even ^= t ^ (t << 4);
    t = (odd ^ (odd >> 4)) & UINT32_C(0x00f000f0);
    odd ^= t ^ (t << 4);
    t = (even ^ (even >> 2)) & UINT32_C(0x0c0c0c0c);
    even ^= t ^ (t << 2);
    t = (odd ^ (odd >> 2)) & UINT32_C(0x0c0c0c0c);
    odd ^= t ^ (t << 2);
    t = (even ^ (even >> 1)) & UINT32_C(0x22222222);
    even ^= t ^ (t << 1);
    t = (odd ^ (odd >> 1)) & UINT32_C(0x22222222);
    odd ^= t ^ (t << 1);
    low = (even & UINT32_C(0x55555555)) | ((odd & UINT32_C(0x55555555)) << 1);
    high = ((even >> 1) & UINT32_C(0x55555555)) | (odd & UINT32_C(0xaaaaaaaa));
    return ((uint64_t)high << 32) | low;
";

/// The AES S-box on every byte of a word: bit i of all bytes is a word of its own. The circuit is
/// that of Boyar and Peralta, "A depth-16 circuit for the AES S-box" (2011), 113 gates.
fn sub_bytes(w: u8) -> String {
    let t = format!("uint{w}_t");
    let ones = repeated(1, w);
    let mut out = String::new();
    for i in 0..8 {
        let _ = writeln!(out, "    const {t} x{i} = ({t})((x >> {}) & {ones});", 7 - i);
    }
    for line in CIRCUIT.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let (name, value) = line.split_once(" = ").expect("a line defines a value");
        let value = value.replace("~", &format!("{ones} ^ "));
        let _ = writeln!(out, "    const {t} {name} = ({t})({value});");
    }
    let parts: Vec<String> = (0..8).map(|i| format!("(s{i} << {})", 7 - i)).collect();
    let _ = writeln!(out, "    return ({t})({});", parts.join(" | "));
    out
}

/// x0 and s0 are the most significant bits.
const CIRCUIT: &str = "
    y14 = x3 ^ x5
    y13 = x0 ^ x6
    y9 = x0 ^ x3
    y8 = x0 ^ x5
    t0 = x1 ^ x2
    y1 = t0 ^ x7
    y4 = y1 ^ x3
    y12 = y13 ^ y14
    y2 = y1 ^ x0
    y5 = y1 ^ x6
    y3 = y5 ^ y8
    t1 = x4 ^ y12
    y15 = t1 ^ x5
    y20 = t1 ^ x1
    y6 = y15 ^ x7
    y10 = y15 ^ t0
    y11 = y20 ^ y9
    y7 = x7 ^ y11
    y17 = y10 ^ y11
    y19 = y10 ^ y8
    y16 = t0 ^ y11
    y21 = y13 ^ y16
    y18 = x0 ^ y16
    t2 = y12 & y15
    t3 = y3 & y6
    t4 = t3 ^ t2
    t5 = y4 & x7
    t6 = t5 ^ t2
    t7 = y13 & y16
    t8 = y5 & y1
    t9 = t8 ^ t7
    t10 = y2 & y7
    t11 = t10 ^ t7
    t12 = y9 & y11
    t13 = y14 & y17
    t14 = t13 ^ t12
    t15 = y8 & y10
    t16 = t15 ^ t12
    t17 = t4 ^ t14
    t18 = t6 ^ t16
    t19 = t9 ^ t14
    t20 = t11 ^ t16
    t21 = t17 ^ y20
    t22 = t18 ^ y19
    t23 = t19 ^ y21
    t24 = t20 ^ y18
    t25 = t21 ^ t22
    t26 = t21 & t23
    t27 = t24 ^ t26
    t28 = t25 & t27
    t29 = t28 ^ t22
    t30 = t23 ^ t24
    t31 = t22 ^ t26
    t32 = t31 & t30
    t33 = t32 ^ t24
    t34 = t23 ^ t33
    t35 = t27 ^ t33
    t36 = t24 & t35
    t37 = t36 ^ t34
    t38 = t27 ^ t36
    t39 = t29 & t38
    t40 = t25 ^ t39
    t41 = t40 ^ t37
    t42 = t29 ^ t33
    t43 = t29 ^ t40
    t44 = t33 ^ t37
    t45 = t42 ^ t41
    z0 = t44 & y15
    z1 = t37 & y6
    z2 = t33 & x7
    z3 = t43 & y16
    z4 = t40 & y1
    z5 = t29 & y7
    z6 = t42 & y11
    z7 = t45 & y17
    z8 = t41 & y10
    z9 = t44 & y12
    z10 = t37 & y3
    z11 = t33 & y4
    z12 = t43 & y13
    z13 = t40 & y5
    z14 = t29 & y2
    z15 = t42 & y9
    z16 = t45 & y14
    z17 = t41 & y8
    t46 = z15 ^ z16
    t47 = z10 ^ z11
    t48 = z5 ^ z13
    t49 = z9 ^ z10
    t50 = z2 ^ z12
    t51 = z2 ^ z5
    t52 = z7 ^ z8
    t53 = z0 ^ z3
    t54 = z6 ^ z7
    t55 = z16 ^ z17
    t56 = z12 ^ t48
    t57 = t50 ^ t53
    t58 = z4 ^ t46
    t59 = z3 ^ t54
    t60 = t46 ^ t57
    t61 = z14 ^ t57
    t62 = t52 ^ t58
    t63 = t49 ^ t58
    t64 = z4 ^ t59
    t65 = t61 ^ t62
    t66 = z1 ^ t63
    s0 = t59 ^ t63
    s6 = t56 ^ ~t62
    s7 = t48 ^ ~t60
    t67 = t64 ^ t65
    s3 = t53 ^ t66
    s4 = t51 ^ t66
    s5 = t47 ^ t65
    s1 = t64 ^ ~s3
    s2 = t55 ^ ~t67";
