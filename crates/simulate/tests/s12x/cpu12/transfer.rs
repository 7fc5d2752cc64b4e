//! TFR, EXG and SEX: every postbyte, by the table of the CPU12X.

use super::{Bench, ORIGIN};
use manylane_simulate::s12x::cpu12::{Register, Registers, flag};

/// Returns the D, X, Y, SP and CCR that are expected; none if the postbyte names an internal
/// register, or documents describe its result in different ways.
fn expected(postbyte: u8, r: Registers) -> Option<Registers> {
    use Register::{A, B, Ccr, Ccrh, Ccrw, D, Sp, Sph, Spl, X, Xh, Xl, Y, Yh, Yl};
    let [column, row] = [postbyte >> 4, postbyte & 15];
    let mut after = r;
    // Columns 0 to 7 and 8 to 15 name the same registers.
    let wide = [Some(A), Some(B), Some(Ccr), None, Some(D), Some(X), Some(Y), Some(Sp)];
    let source = wide[usize::from(column & 7)]?;
    let target = wide[usize::from(row & 7)]?;
    let low = |word: u16| word & 0xff;
    let high_of = |register| match register {
        X => Xh,
        Y => Yh,
        _ => Sph,
    };
    let low_of = |register| match register {
        X => Xl,
        Y => Yl,
        _ => Spl,
    };
    let mut swap = |one, other| {
        after.set(one, r.get(other));
        after.set(other, r.get(one));
    };
    match (column, row) {
        // Transfers to a byte take the low byte; to a word they extend the sign.
        (0..=7, 0..=2) => after.set(target, low(r.get(source))),
        (0..=2, 4..=7) => after.set(target, r.get(source) as u8 as i8 as u16),
        (4..=7, 4..=7) => after.set(target, r.get(source)),
        // The CPU12X also transfers high bytes, and the condition codes as a word.
        (2, 8) => after.a_is(r.ccr >> 8),
        (5, 8) => after.a_is(r.x >> 8),
        (6, 8) => after.a_is(r.y >> 8),
        (7, 8) => after.a_is(r.sp >> 8),
        (0 | 1 | 4, 8) | (0..=7, 9) => after.set(target, low(r.get(source))),
        (0, 10) => after.set(Ccrh, r.d >> 8),
        (1, 10) => after.set(Ccr, low(r.d)),
        (2, 10) => {}
        (4..=7, 10) => after.set(Ccrw, r.get(source)),
        (0 | 1, 12) => after.set(D, r.get(source) as u8 as i8 as u16),
        (0, 13..=15) => after.set(high_of(target), r.d >> 8),
        (1, 13..=15) => after.set(low_of(target), low(r.d)),
        (2, 12..=15) => after.set(target, r.ccr),
        (4, 13 | 14) => after.set(target, if r.d & 0x8000 != 0 { 0xffff } else { 0 }),
        (4..=7, 12..=15) => after.set(target, r.get(source)),
        // Exchanges.
        (8..=10, 0..=2) | (12..=15, 4..=7) => swap(source, target),
        (12, 0 | 8) => swap(A, B),
        (12, 1 | 9) => after.a_is(0xff),
        (8, 4 | 12) => after.d = r.d >> 8,
        (9, 4 | 12) => after.d = low(r.d),
        (8..=10, 4..=7) => {
            after.set(source, low(r.get(target)));
            after.set(target, low(r.get(source)));
        }
        (12..=15, 0) => {
            after.set(source, r.d >> 8);
            after.a_is(low(r.get(source)));
        }
        (12..=15, 1 | 2) => {
            after.set(target, low(r.get(source)));
            after.set(source, 0xff00 | low(r.get(target)));
        }
        (10, 8) | (8, 10) => swap(A, Ccrh),
        (8 | 9, 8) | (8..=10, 9) | (9, 10) => swap(source, target),
        (13..=15, 8) => return None,
        (13..=15, 9) => swap(low_of(source), B),
        (10, 10) => {}
        (12..=15, 10) => swap(source, Ccrw),
        (8, 13..=15) => swap(A, high_of(target)),
        (9, 13..=15) => swap(B, low_of(target)),
        (10, 12..=15) => swap(Ccrw, target),
        (12..=15, 12..=15) => swap(source, target),
        _ => unreachable!("{postbyte:#04x}"),
    }
    Some(after)
}

trait SetA {
    fn a_is(&mut self, value: u16);
}

impl SetA for Registers {
    fn a_is(&mut self, value: u16) {
        self.d = value << 8 | self.d & 0xff;
    }
}

#[test]
fn every_postbyte() {
    let mut meaningless = 0;
    for postbyte in 0..=0xff_u8 {
        for (d, ccr) in [(0x12f4, 0x5c5), (0x92a4, 0x07d), (0x8001, 0x2c2)] {
            let mut bench = Bench::new("");
            bench.load(ORIGIN, &[0xb7, postbyte]);
            let start = Registers { d, x: 0xab12, y: 0x34cd, sp: 0x56e7, pc: ORIGIN, ccr };
            *bench.r() = start;
            match expected(postbyte, start) {
                None => {
                    meaningless += 1;
                    assert!(bench.try_step().is_err(), "{postbyte:#04x}");
                }
                Some(wanted) => {
                    assert_eq!(bench.step(), 1, "{postbyte:#04x}");
                    let got = *bench.cpu.registers();
                    let pc = ORIGIN + 2;
                    assert_eq!(got, Registers { pc, ..wanted }, "{postbyte:#04x} of {start:x?}");
                }
            }
        }
    }
    // Columns 3 and B and rows 3 and B, and three exchanges with a high byte.
    assert_eq!(meaningless, 3 * (256 - 14 * 14 + 3));
}

/// A program can clear the flag X and never set it.
#[test]
fn the_flag_x_is_not_set_by_a_program() {
    for text in
        ["tfr a,ccr", "exg a,ccr", "orcc #0x40", "pulc", "pulcw", "rti", "tfr d,ccr", "exg x,ccrw"]
    {
        let mut bench = Bench::new(text);
        bench.memory.bytes_mut()[0x3f00..0x3f10].fill(0xff);
        let all = Registers { d: 0xffff, x: 0xffff, sp: 0x3f00, ..Registers::default() };
        assert_eq!(bench.once(Registers { ccr: 0, ..all }).ccr & flag::X, 0, "{text}");
        assert_eq!(bench.once(Registers { ccr: 0x40, ..all }).ccr & flag::X, flag::X, "{text}");
    }
    let mut bench = Bench::new("andcc #0xbf");
    assert_eq!(bench.once(Registers { ccr: 0xff, ..Registers::default() }).ccr, 0xbf);
}
