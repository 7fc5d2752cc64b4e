//! Multiplication, division, decimal numbers, interpolation, membership.

use super::{Bench, Numbers};
use manylane_simulate::s12x::cpu12::{Registers, flag};

fn when(condition: bool, flag: u16) -> u16 {
    if condition { flag } else { 0 }
}

#[test]
fn mul_of_all_bytes() {
    let mut bench = Bench::new("mul");
    for d in 0..=u16::MAX {
        let got = bench.once(Registers { d, ccr: d >> 3 & 0xff, ..Registers::default() });
        let product = (d >> 8) * (d & 0xff);
        let carry = when(product & 0x80 != 0, flag::C);
        assert_eq!((got.d, got.ccr), (product, (d >> 3 & 0xfe) | carry), "{d:#06x}");
    }
}

#[test]
fn words_multiplied() {
    let mut numbers = Numbers(4);
    for (mnemonic, is_signed) in [("emul", false), ("emuls", true)] {
        let mut bench = Bench::new(mnemonic);
        for _ in 0..20_000 {
            let start = Registers {
                d: numbers.edgy(),
                y: numbers.edgy(),
                ccr: numbers.word() & 0xff,
                ..Registers::default()
            };
            let got = bench.once(start);
            let product = if is_signed {
                (i64::from(start.d as i16) * i64::from(start.y as i16)) as u32
            } else {
                u32::from(start.d) * u32::from(start.y)
            };
            assert_eq!(u32::from(got.y) << 16 | u32::from(got.d), product, "{mnemonic}");
            let flags = when(product >= 1 << 31, flag::N)
                | when(product == 0, flag::Z)
                | when(product & 0x8000 != 0, flag::C);
            let kept = start.ccr & !(flag::N | flag::Z | flag::C);
            assert_eq!(got.ccr, kept | flags, "{mnemonic} {start:?}");
        }
    }
}

#[test]
fn emacs_adds_a_product_to_memory() {
    let mut numbers = Numbers(5);
    let mut bench = Bench::new("emacs 0x2000");
    for _ in 0..20_000 {
        let (a, b) = (numbers.edgy(), numbers.edgy());
        let old = i64::from(numbers.edgy() as i16) << 16 | i64::from(numbers.edgy());
        bench.set_word(0x2100, a);
        bench.set_word(0x2200, b);
        bench.set_word(0x2000, (old >> 16) as u16);
        bench.set_word(0x2002, old as u16);
        let got = bench.once(Registers { x: 0x2100, y: 0x2200, ..Registers::default() });
        let product = i64::from(a as i16) * i64::from(b as i16);
        let sum = old + product;
        let value = u32::from(bench.word(0x2000)) << 16 | u32::from(bench.word(0x2002));
        assert_eq!(value, sum as u32);
        let overflow = i32::try_from(sum).is_err();
        let carry = (old & 0xffff) + (product & 0xffff) > 0xffff;
        let flags = when(sum as i32 == 0, flag::Z) | when((sum as i32) < 0, flag::N);
        let flags = flags | when(overflow, flag::V) | when(carry, flag::C);
        assert_eq!(got.ccr & 0xf, flags, "{old:#x} + {a:#x} * {b:#x}");
        assert_eq!((got.x, got.y), (0x2100, 0x2200));
    }
}

/// Quotient times divisor plus remainder is the dividend, and the remainder is small and has the
/// dividend's sign.
#[test]
fn divisions() {
    let mut numbers = Numbers(6);
    for mnemonic in ["idiv", "idivs", "fdiv", "ediv", "edivs"] {
        let is_signed = mnemonic.ends_with('s');
        let is_long = mnemonic.starts_with('e');
        let mut bench = Bench::new(mnemonic);
        let (mut exact, mut overflows) = (0, 0);
        for _ in 0..40_000 {
            let start = Registers {
                d: numbers.edgy(),
                x: numbers.edgy(),
                y: if numbers.next() & 1 == 0 { numbers.word() >> 9 } else { numbers.edgy() },
                ccr: numbers.word() & 0xff,
                ..Registers::default()
            };
            let got = bench.once(start);
            let word = |w: u16| if is_signed { i64::from(w as i16) } else { i64::from(w) };
            let dividend = match mnemonic {
                "fdiv" => i64::from(start.d) << 16,
                _ if is_long => word(start.y) << 16 | i64::from(start.d),
                _ => word(start.d),
            };
            let divisor = word(start.x);
            let (quotient, remainder) =
                if is_long { (got.y, word(got.d)) } else { (got.x, word(got.d)) };
            let zero_flag = when(quotient == 0, flag::Z);
            if divisor == 0 {
                assert_eq!(got.ccr & flag::C, flag::C, "{mnemonic} by 0");
                if is_long {
                    assert_eq!((got.y, got.d), (start.y, start.d), "{mnemonic} by 0");
                } else if !is_signed {
                    assert_eq!(got.x, 0xffff, "{mnemonic} by 0");
                }
                continue;
            }
            assert_eq!(got.ccr & flag::C, 0, "{mnemonic} {start:?}");
            let true_quotient = dividend / divisor;
            let fits = if is_signed {
                i16::try_from(true_quotient).is_ok()
            } else {
                u16::try_from(true_quotient).is_ok()
            };
            assert_eq!(got.ccr & flag::V != 0, !fits, "{mnemonic} {start:?}");
            if !fits {
                overflows += 1;
                continue;
            }
            exact += 1;
            assert_eq!(word(quotient) * divisor + remainder, dividend, "{mnemonic} {start:?}");
            assert!(remainder.abs() < divisor.abs(), "{mnemonic} {start:?}");
            assert!(remainder == 0 || (remainder < 0) == (dividend < 0), "{mnemonic} {start:?}");
            assert_eq!(got.ccr & flag::Z, zero_flag, "{mnemonic} {start:?}");
            // IDIV and FDIV leave N.
            let negative = if mnemonic == "idiv" || mnemonic == "fdiv" {
                start.ccr & flag::N
            } else {
                when(quotient & 0x8000 != 0, flag::N)
            };
            assert_eq!(got.ccr & flag::N, negative, "{mnemonic} {start:?}");
            if !is_long {
                assert_eq!(got.y, start.y);
            }
        }
        assert!(exact > 5000 && (overflows > 0 || mnemonic == "idiv"), "{mnemonic}: {exact}");
    }
}

/// Decimal numbers of two digits are added, with a carry in and out.
#[test]
fn daa_after_every_decimal_addition() {
    let mut bench = Bench::new("adca *0x80\ndaa");
    let coded = |number: u16| (number / 10 * 16) + number % 10;
    for left in 0..100 {
        for right in 0..100 {
            for carry in 0..2 {
                bench.memory.bytes_mut()[0x80] = coded(right) as u8;
                *bench.r() = Registers {
                    d: coded(left) << 8 | 0x77,
                    ccr: carry,
                    pc: super::ORIGIN,
                    ..Registers::default()
                };
                bench.step();
                bench.step();
                let sum = left + right + carry;
                let got = *bench.cpu.registers();
                assert_eq!(got.d, coded(sum % 100) << 8 | 0x77, "{left} + {right} + {carry}");
                assert_eq!(got.ccr & flag::C, sum / 100, "{left} + {right} + {carry}");
                assert_eq!(got.ccr & flag::Z != 0, sum % 100 == 0);
                assert_eq!(got.ccr & flag::N != 0, sum % 100 >= 80);
            }
        }
    }
}

/// A table of two entries: at 0 the first, and never beyond the second, whichever is greater.
#[test]
fn interpolation() {
    for (mnemonic, bits) in [("tbl", 8), ("etbl", 16)] {
        let mut bench = Bench::new(&format!("{mnemonic} 0,x"));
        let mut numbers = Numbers(7);
        for _ in 0..4000 {
            let (from, to, b) = (numbers.edgy(), numbers.edgy(), numbers.word() & 0xff);
            let (from, to) = if bits == 8 { (from & 0xff, to & 0xff) } else { (from, to) };
            if bits == 8 {
                bench.set_word(0x2000, from << 8 | to);
            } else {
                bench.set_word(0x2000, from);
                bench.set_word(0x2002, to);
            }
            let start = Registers { d: 0x5a00 | b, x: 0x2000, ..Registers::default() };
            let got = bench.once(start);
            let value = if bits == 8 { got.d >> 8 } else { got.d };
            let exact = f64::from(from) + (f64::from(to) - f64::from(from)) * f64::from(b) / 256.0;
            assert_eq!(f64::from(value), exact.floor(), "{mnemonic} {from} to {to} at {b}");
            assert_eq!(
                got.ccr & flag::C != 0,
                exact - exact.floor() >= 0.5,
                "{from} to {to} at {b}"
            );
            assert_eq!(got.ccr & flag::Z != 0, value == 0);
            assert_eq!(got.ccr & flag::N != 0, value >> (bits - 1) != 0);
        }
    }
}

#[test]
fn membership_in_a_trapezoid() {
    // From 0 at 20 up by 8, flat, and down by 4 to 0 at 200; vertical sides with slope 0.
    for (a, shape, grade) in [
        (19, [20, 200, 8, 4], 0),
        (20, [20, 200, 8, 4], 0),
        (21, [20, 200, 8, 4], 8),
        (51, [20, 200, 8, 4], 248),
        (52, [20, 200, 8, 4], 255),
        (137, [20, 200, 8, 4], 252),
        (199, [20, 200, 8, 4], 4),
        (201, [20, 200, 8, 4], 0),
        (20, [20, 200, 0, 0], 255),
        (200, [20, 200, 0, 0], 255),
        (255, [0, 255, 255, 255], 0),
        (0, [0, 255, 0, 1], 255),
    ] {
        let mut bench = Bench::new("mem");
        bench.load(0x2000, &shape);
        let got = bench.once(Registers { d: a << 8, x: 0x2000, y: 0x2100, ..Registers::default() });
        assert_eq!(bench.byte(0x2100), grade, "{a} in {shape:?}");
        assert_eq!((got.x, got.y), (0x2004, 0x2101));
    }
}
