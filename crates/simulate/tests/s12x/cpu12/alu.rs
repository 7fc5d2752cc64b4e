//! Results and flags by wide arithmetic.

use super::{Bench, Numbers, ORIGIN};
use manylane_simulate::s12x::cpu12::{Register, Registers, flag};

/// The flags N, Z, V and C, and H of bytes, of a result in wide arithmetic: as a signed number, as
/// an unsigned one, and of the low four bits.
fn arithmetic_flags(bits: u32, signed: i64, unsigned: i64, nibble: Option<i64>) -> u16 {
    let modulus = 1_i64 << bits;
    let value = unsigned.rem_euclid(modulus);
    let mut flags = 0;
    if value >= modulus / 2 {
        flags |= flag::N;
    }
    if value == 0 {
        flags |= flag::Z;
    }
    if !(-modulus / 2..modulus / 2).contains(&signed) {
        flags |= flag::V;
    }
    if !(0..modulus).contains(&unsigned) {
        flags |= flag::C;
    }
    if nibble.is_some_and(|nibble| nibble > 15) {
        flags |= flag::H;
    }
    flags
}

fn signed(bits: u32, value: u16) -> i64 {
    let value = i64::from(value);
    if value >> (bits - 1) != 0 { value - (1 << bits) } else { value }
}

/// What an operation of two operands must give: the value, none if the register stays, and which
/// flags it sets to what.
fn expected(kind: &str, bits: u32, r: u16, m: u16, carry: bool) -> (Option<u16>, u16, u16) {
    let c = i64::from(carry && matches!(kind, "adc" | "sbc" | "cpc"));
    let (ru, mu) = (i64::from(r), i64::from(m));
    let (rs, ms) = (signed(bits, r), signed(bits, m));
    let all = flag::N | flag::Z | flag::V | flag::C;
    let logic = |value: u16| {
        let flags = arithmetic_flags(bits, signed(bits, value), value.into(), None);
        (flag::N | flag::Z | flag::V, flags)
    };
    let low = |value: i64| value.rem_euclid(1 << bits) as u16;
    match kind {
        "add" | "adc" => {
            let nibble = (bits == 8).then_some((ru & 15) + (mu & 15) + c);
            let flags = arithmetic_flags(bits, rs + ms + c, ru + mu + c, nibble);
            (Some(low(ru + mu + c)), if bits == 8 { all | flag::H } else { all }, flags)
        }
        "sub" | "sbc" | "cmp" | "cpc" => {
            let flags = arithmetic_flags(bits, rs - ms - c, ru - mu - c, None);
            let kept = matches!(kind, "sub" | "sbc").then_some(low(ru - mu - c));
            (kept, all, flags)
        }
        "and" => (Some(r & m), logic(r & m).0, logic(r & m).1),
        "bit" => (None, logic(r & m).0, logic(r & m).1),
        "eor" => (Some(r ^ m), logic(r ^ m).0, logic(r ^ m).1),
        "or" => (Some(r | m), logic(r | m).0, logic(r | m).1),
        "ld" => (Some(m), logic(m).0, logic(m).1),
        _ => unreachable!("{kind}"),
    }
}

/// Mnemonics, register and kind of all instructions with a register and an operand.
fn instructions() -> Vec<(&'static str, Register, &'static str)> {
    use Register::{A, B, D, Sp, X, Y};
    let mut all = Vec::new();
    for (kind, names) in [
        ("add", "adda:a addb:b addd:d addx:x addy:y"),
        ("adc", "adca:a adcb:b aded:d adex:x adey:y"),
        ("sub", "suba:a subb:b subd:d subx:x suby:y"),
        ("sbc", "sbca:a sbcb:b sbed:d sbex:x sbey:y"),
        ("cmp", "cmpa:a cmpb:b cpd:d cpx:x cpy:y cps:s"),
        ("cpc", "cped:d cpex:x cpey:y cpes:s"),
        ("and", "anda:a andb:b andx:x andy:y"),
        ("bit", "bita:a bitb:b bitx:x bity:y"),
        ("eor", "eora:a eorb:b eorx:x eory:y"),
        ("or", "oraa:a orab:b orx:x ory:y"),
        ("ld", "ldaa:a ldab:b ldd:d ldx:x ldy:y lds:s"),
    ] {
        for name in names.split(' ') {
            let (mnemonic, register) = name.split_once(':').unwrap();
            let register = match register {
                "a" => A,
                "b" => B,
                "d" => D,
                "x" => X,
                "y" => Y,
                _ => Sp,
            };
            all.push((mnemonic, register, kind));
        }
    }
    all
}

/// Checks one instruction with its operand at 0x2000, and returns the registers that must be there.
fn check(
    bench: &mut Bench,
    (mnemonic, register, kind): (&str, Register, &str),
    start: Registers,
    m: u16,
) {
    let carry = start.ccr & flag::C != 0;
    let bits = register.bits();
    let r = start.get(register);
    let (value, mask, flags) = expected(kind, bits, r, m, carry);
    let mut wanted = start;
    if let Some(value) = value {
        wanted.set(register, value);
    }
    wanted.ccr = (start.ccr & !mask) | (flags & mask);
    let got = bench.once(start);
    wanted.pc = got.pc;
    assert_eq!(got, wanted, "{mnemonic} {r:#x}, {m:#x}, CCR {:#04x}", start.ccr);
}

#[test]
fn bytes_with_all_operands() {
    for instruction in instructions().into_iter().filter(|(_, r, _)| r.bits() == 8) {
        let mut bench = Bench::new(&format!("{} *0x80", instruction.0));
        for r in 0..=0xff_u16 {
            for m in 0..=0xff_u16 {
                bench.memory.bytes_mut()[0x80] = m as u8;
                for carry in [0, flag::C] {
                    // The other accumulator holds another number.
                    let d = r << 8 | r;
                    let mut start = Registers { d: d ^ 0x5a5a, ..Registers::default() };
                    start.set(instruction.1, r);
                    // All other flags are set before one half of the cases, and clear before the
                    // other.
                    start.ccr = if (r ^ m) & 1 == 0 { 0xfe | carry } else { carry };
                    check(&mut bench, instruction, start, m);
                }
            }
        }
    }
}

#[test]
fn words_with_edges_and_random_operands() {
    let mut numbers = Numbers(1);
    for instruction in instructions().into_iter().filter(|(_, r, _)| r.bits() == 16) {
        let mut bench = Bench::new(&format!("{} 0x2000", instruction.0));
        for _ in 0..4000 {
            let m = numbers.edgy();
            bench.set_word(0x2000, m);
            let (d, x, y, sp) = (numbers.edgy(), numbers.edgy(), numbers.edgy(), numbers.edgy());
            let start = Registers { d, x, y, sp, pc: ORIGIN, ccr: numbers.word() & 0xff };
            check(&mut bench, instruction, start, m);
        }
    }
}

/// What an operation of one operand must give: the value, and which flags it sets to what.
fn expected_unary(kind: &str, bits: u32, m: u16, carry: bool) -> (u16, u16, u16) {
    let modulus = 1_i64 << bits;
    let (u, s, c) = (i64::from(m), signed(bits, m), i64::from(carry));
    let all = flag::N | flag::Z | flag::V | flag::C;
    let without_c = flag::N | flag::Z | flag::V;
    let plain = |signed_result: i64, unsigned_result: i64| {
        let value = unsigned_result.rem_euclid(modulus) as u16;
        (value, arithmetic_flags(bits, signed_result, unsigned_result, None))
    };
    // A shift's V is the exclusive or of its N and C.
    let shift = |value: i64, out: bool| {
        let value = value as u16;
        let mut flags = arithmetic_flags(bits, 0, value.into(), None);
        if out {
            flags |= flag::C;
        }
        if (flags & flag::N != 0) != out {
            flags |= flag::V;
        }
        (value, all, flags)
    };
    match kind {
        "neg" => {
            let (value, flags) = plain(-s, -u);
            (value, all, flags)
        }
        "com" => {
            let (value, flags) = plain(0, modulus - 1 - u);
            (value, all, flags | flag::C)
        }
        "inc" => {
            let (value, flags) = plain(s + 1, u + 1);
            (value, without_c, flags)
        }
        "dec" => {
            let (value, flags) = plain(s - 1, u - 1);
            (value, without_c, flags)
        }
        "clr" => (0, all, flag::Z),
        "tst" => (m, all, plain(s, u).1),
        "lsr" => shift(u / 2, u % 2 == 1),
        "asr" => shift(s.div_euclid(2).rem_euclid(modulus), u % 2 == 1),
        "ror" => shift(u / 2 + c * (modulus / 2), u % 2 == 1),
        "lsl" | "asl" => shift(u * 2 % modulus, u * 2 >= modulus),
        "rol" => shift((u * 2 + c) % modulus, u * 2 >= modulus),
        _ => unreachable!("{kind}"),
    }
}

const UNARY: [&str; 12] =
    ["neg", "com", "inc", "dec", "clr", "tst", "lsr", "asr", "ror", "lsl", "asl", "rol"];

#[test]
fn one_operand_in_registers() {
    use Register::{A, B, D, X, Y};
    for kind in UNARY {
        for (letter, register) in [("a", A), ("b", B), ("d", D), ("x", X), ("y", Y)] {
            if register == D && !matches!(kind, "lsr" | "lsl" | "asl") {
                continue;
            }
            let mut bench = Bench::new(&format!("{kind}{letter}"));
            let bits = register.bits();
            for m in 0..=((1_u32 << bits) - 1) as u16 {
                let carry = if m & 2 == 0 { flag::C } else { 0 };
                for ccr in [carry, 0xff & !carry] {
                    let mut start =
                        Registers { d: 0x1234, x: 0x5678, y: 0x9abc, ..Registers::default() };
                    start.ccr = ccr;
                    start.set(register, m);
                    let (value, mask, flags) = expected_unary(kind, bits, m, ccr & flag::C != 0);
                    let mut wanted = start;
                    wanted.set(register, value);
                    wanted.ccr = (ccr & !mask) | flags & mask;
                    let got = bench.once(start);
                    wanted.pc = got.pc;
                    assert_eq!(got, wanted, "{kind}{letter} {m:#x}, CCR {ccr:#04x}");
                }
            }
        }
    }
}

#[test]
fn one_operand_in_memory() {
    let mut numbers = Numbers(2);
    for kind in UNARY {
        for (suffix, bits) in [("", 8), ("w", 16)] {
            let mut bench = Bench::new(&format!("{kind}{suffix} 0x2001"));
            for _ in 0..2000 {
                let m = numbers.edgy() & ((1_u32 << bits) - 1) as u16;
                bench.memory.bytes_mut()[0x2000..0x2004].fill(0xa5);
                if bits == 8 {
                    bench.memory.bytes_mut()[0x2001] = m as u8;
                } else {
                    bench.set_word(0x2001, m);
                }
                let start = Registers { ccr: numbers.word() & 0xff, ..Registers::default() };
                let (value, mask, flags) = expected_unary(kind, bits, m, start.ccr & flag::C != 0);
                let got = bench.once(start);
                assert_eq!(got.ccr, (start.ccr & !mask) | flags & mask, "{kind}{suffix} {m:#x}");
                let mut memory = [0xa5; 4];
                let value = value.to_be_bytes();
                let size = bits as usize / 8;
                memory[1..1 + size].copy_from_slice(&value[2 - size..]);
                assert_eq!(bench.memory.bytes()[0x2000..0x2004], memory, "{kind}{suffix} {m:#x}");
            }
        }
    }
}

#[test]
fn both_accumulators() {
    for (mnemonic, kind) in [("aba", "add"), ("sba", "sub"), ("cba", "cmp")] {
        let mut bench = Bench::new(mnemonic);
        for d in 0..=u16::MAX {
            let start = Registers { d, ccr: d & 0xff, ..Registers::default() };
            let (value, mask, flags) = expected(kind, 8, d >> 8, d & 0xff, false);
            let got = bench.once(start);
            let a = value.unwrap_or(d >> 8);
            assert_eq!(got.d, a << 8 | d & 0xff, "{mnemonic} {d:#06x}");
            assert_eq!(got.ccr, (start.ccr & !mask) | flags & mask, "{mnemonic} {d:#06x}");
        }
    }
}

/// MINA and its like: flags of the comparison, and the lesser or greater number where it belongs.
#[test]
fn least_and_greatest() {
    let mut numbers = Numbers(3);
    for (mnemonic, bits, greater, memory) in [
        ("maxa", 8, true, false),
        ("mina", 8, false, false),
        ("emaxd", 16, true, false),
        ("emind", 16, false, false),
        ("maxm", 8, true, true),
        ("minm", 8, false, true),
        ("emaxm", 16, true, true),
        ("eminm", 16, false, true),
    ] {
        let mut bench = Bench::new(&format!("{mnemonic} 2,x+"));
        for _ in 0..2000 {
            let start = Registers {
                d: numbers.edgy(),
                x: 0x2000,
                ccr: numbers.word() & 0xff,
                ..Registers::default()
            };
            let content = numbers.edgy();
            bench.set_word(0x2000, content);
            let (r, m) = if bits == 8 { (start.d >> 8, content >> 8) } else { (start.d, content) };
            let (_, mask, flags) = expected("cmp", bits, r, m, false);
            let got = bench.once(start);
            let chosen = if greater { r.max(m) } else { r.min(m) };
            let above = |whole: u16| if bits == 8 { chosen << 8 | whole & 0xff } else { chosen };
            let (d, after) =
                if memory { (start.d, above(content)) } else { (above(start.d), content) };
            assert_eq!((got.d, bench.word(0x2000), got.x), (d, after, 0x2002), "{mnemonic}");
            assert_eq!(got.ccr, (start.ccr & !mask) | flags & mask, "{mnemonic} {r:#x}, {m:#x}");
        }
    }
}

#[test]
fn bits_of_memory() {
    for mnemonic in ["bset", "bclr", "btas"] {
        for mask in 0..=0xff_u16 {
            let mut bench = Bench::new(&format!("{mnemonic} 3,-x,#{mask}"));
            for m in 0..=0xff_u16 {
                bench.memory.bytes_mut()[0x1ffd] = m as u8;
                let ccr = (m ^ mask) & 0xff;
                let got = bench.once(Registers { x: 0x2000, ccr, ..Registers::default() });
                let after = if mnemonic == "bclr" { m & !mask } else { m | mask };
                // BTAS tells of the bits as they were.
                let told = if mnemonic == "btas" { m & mask } else { after };
                let (_, changes, flags) = expected("and", 8, told, 0xff, false);
                assert_eq!(u16::from(bench.byte(0x1ffd)), after, "{mnemonic} {m:#x}, {mask:#x}");
                assert_eq!(
                    got.ccr,
                    (ccr & !changes) | flags & changes,
                    "{mnemonic} {m:#x}, {mask:#x}"
                );
                assert_eq!(got.x, 0x1ffd);
            }
        }
    }
}
