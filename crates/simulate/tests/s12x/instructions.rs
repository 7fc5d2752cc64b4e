//! XGATE's instructions against independently written formulas, and by hand.

use manylane_simulate::s12x::assembler::assemble;
use manylane_simulate::s12x::xgate::{AddlCarry, BareBus, Registers, Timing, Xgate, XgateSet};
use manylane_simulate::s12x::{Flat, Wrong};

const N: u8 = 8;
const Z: u8 = 4;
const V: u8 = 2;
const C: u8 = 1;

struct Bench {
    core: Xgate,
    bus: BareBus,
}

/// Where programs lie.
const ORIGIN: u16 = 0x1000;

impl Bench {
    fn new(text: &str) -> Self {
        let mut bus = BareBus { memory: Flat::new(), registers: Registers::default() };
        let object = assemble(&XgateSet, text, ORIGIN).unwrap();
        let bytes = &object.segments[0].bytes;
        bus.memory.bytes_mut()[ORIGIN.into()..][..bytes.len()].copy_from_slice(bytes);
        let mut core = Xgate::new(Timing::default(), AddlCarry::default());
        core.start(5, ORIGIN, 0);
        Self { core, bus }
    }

    /// Executes one instruction with registers and flags, from the beginning.
    fn once(&mut self, registers: &[(usize, u16)], ccr: u8) -> (&[u16; 8], u8) {
        self.core.start(5, ORIGIN, 0);
        for &(number, value) in registers {
            self.core.r[number] = value;
        }
        self.core.ccr = ccr;
        self.core.step(&mut self.bus).unwrap();
        (&self.core.r, self.core.ccr)
    }

    /// Runs to RTS. Returns the clocks.
    fn run(&mut self) -> u32 {
        let mut clocks = 0;
        while self.core.running {
            clocks += self.core.step(&mut self.bus).unwrap().clocks;
            assert!(clocks < 10_000);
        }
        clocks
    }
}

/// N and Z of a value of so many bits, V if the exact signed result does not fit, C if the exact
/// unsigned one does not.
fn flags(bits: u32, exact_signed: i64, exact_unsigned: i64) -> u8 {
    let value = exact_unsigned.rem_euclid(1 << bits);
    let half = 1 << (bits - 1);
    let flag = |condition, bit| if condition { bit } else { 0 };
    flag(value >= half, N)
        | flag(value == 0, Z)
        | flag(!(-half..half).contains(&exact_signed), V)
        | flag(!(0..1 << bits).contains(&exact_unsigned), C)
}

fn signed(value: u16) -> i64 {
    i64::from(value as i16)
}

/// Values at which carries, signs and zeros change.
const EDGES: [u16; 14] =
    [0, 1, 2, 0x7f, 0x80, 0xff, 0x100, 0x7ffe, 0x7fff, 0x8000, 0x8001, 0xff00, 0xfffe, 0xffff];

#[test]
fn sums_and_differences() {
    for (name, sign, with_carry) in
        [("add", 1, false), ("adc", 1, true), ("sub", -1, false), ("sbc", -1, true)]
    {
        let mut bench = Bench::new(&format!("{name} r1,r2,r3"));
        for (a, b) in EDGES.into_iter().flat_map(|a| EDGES.map(|b| (a, b))) {
            for ccr in 0..16 {
                let carry = i64::from(with_carry && ccr & C != 0);
                let exact = |a: i64, b: i64| a + sign * (b + carry);
                let unsigned = exact(a.into(), b.into());
                let mut expected = flags(16, exact(signed(a), signed(b)), unsigned);
                if with_carry && ccr & Z == 0 {
                    expected &= !Z;
                }
                let (r, found) = bench.once(&[(2, a), (3, b)], ccr);
                assert_eq!((r[1], found), (unsigned as u16, expected), "{name} {a} {b} {ccr}");
            }
        }
    }
}

/// Over all pairs of bytes, beside a byte that must not matter.
#[test]
fn comparisons_of_bytes() {
    for immediate in 0..=255_u16 {
        let mut low = Bench::new(&format!("cmpl r1,#{immediate}"));
        let mut high = Bench::new(&format!("cpch r1,#{immediate}"));
        for byte in 0..=255_u16 {
            let signed = |byte: u16| i64::from(byte as u8 as i8);
            let exact = i64::from(byte) - i64::from(immediate);
            let expected = flags(8, signed(byte) - signed(immediate), exact);
            let (r, found) = low.once(&[(1, 0xa500 | byte)], 15);
            assert_eq!((r[1], found), (0xa500 | byte, expected), "cmpl {byte} {immediate}");
            for ccr in [0, C, Z, Z | C] {
                let borrow = i64::from(ccr & C);
                let exact_signed = signed(byte) - signed(immediate) - borrow;
                let mut expected = flags(8, exact_signed, exact - borrow);
                if ccr & Z == 0 {
                    expected &= !Z;
                }
                let (_, found) = high.once(&[(1, byte << 8 | 0xa5)], ccr);
                assert_eq!(found, expected, "cpch {byte} {immediate} {ccr}");
            }
        }
    }
}

/// Each shift against a reference that shifts one bit at a time.
#[test]
fn shifts() {
    type Bit = fn(u16, bool) -> (u16, bool);
    let shifts: [(&str, Bit); 5] = [
        ("asr", |value, _| (value >> 1 | value & 0x8000, value & 1 != 0)),
        ("csl", |value, c| (value << 1 | u16::from(c), value & 0x8000 != 0)),
        ("csr", |value, c| (value >> 1 | u16::from(c) << 15, value & 1 != 0)),
        ("lsl", |value, _| (value << 1, value & 0x8000 != 0)),
        ("lsr", |value, _| (value >> 1, value & 1 != 0)),
    ];
    for (name, bit) in shifts {
        let mut by_register = Bench::new(&format!("{name} r1,r2"));
        for amount in 0..=17_u16 {
            // 0 as an immediate stands for 16.
            let immediate = (1..=16).contains(&amount).then_some(amount % 16);
            let mut by_immediate =
                immediate.map(|immediate| Bench::new(&format!("{name} r1,#{immediate}")));
            for (old, ccr) in EDGES.into_iter().flat_map(|old| [(old, 0), (old, 15)]) {
                let (mut value, mut last) = (old, ccr & C != 0);
                for _ in 0..amount.min(16) {
                    (value, last) = bit(value, ccr & C != 0);
                }
                let overflow = if (old ^ value) & 0x8000 != 0 { V } else { 0 };
                let zero = if value == 0 { Z } else { 0 };
                let negative = if value & 0x8000 != 0 { N } else { 0 };
                let expected = (value, negative | zero | overflow | u8::from(last));
                let (r, found) = by_register.once(&[(1, old), (2, amount)], ccr);
                assert_eq!((r[1], found), expected, "{name} {old:#x} by {amount}, ccr {ccr}");
                if let Some(bench) = &mut by_immediate {
                    let (r, found) = bench.once(&[(1, old)], ccr);
                    assert_eq!((r[1], found), expected, "{name} {old:#x} by #{amount}");
                }
            }
        }
    }
}

/// Every width and offset, bit by bit; bits beyond bit 15 are lost.
#[test]
fn bit_fields() {
    let (source, old) = (0b1010_0110_1100_1001_u16, 0b0011_1101_0100_0111_u16);
    let get = |value: u16, at: u16| at < 16 && value >> at & 1 != 0;
    for description in 0..=255_u16 {
        let (width, offset) = ((description >> 4) + 1, description & 15);
        let inside = |at: u16| (offset..offset + width).contains(&at);
        let make = |bit: &dyn Fn(u16) -> bool| {
            (0..16).filter(|&at| bit(at)).fold(0_u16, |value, at| value | 1 << at)
        };
        let insert =
            |bit: &dyn Fn(u16) -> bool| make(&|at| if inside(at) { bit(at) } else { get(old, at) });
        for (name, expected) in [
            ("bfext", make(&|at| at < width && get(source, at + offset))),
            ("bfins", insert(&|at| get(source, at - offset))),
            ("bfinsi", insert(&|at| !get(source, at - offset))),
            ("bfinsx", insert(&|at| get(source, at - offset) == get(old, at))),
        ] {
            let mut bench = Bench::new(&format!("{name} r1,r2,r3"));
            let registers = [(1, old), (2, source), (3, 0xff00 | description)];
            let (r, ccr) = bench.once(&registers, V | C);
            let flags =
                if expected & 0x8000 != 0 { N } else { 0 } | if expected == 0 { Z } else { 0 };
            assert_eq!((r[1], ccr), (expected, flags | C), "{name} {description:#x}");
        }
    }
}

/// 32 bits to the left by 5, as generated code does it: 6 clocks (16 bits that stay are not
/// needed).
#[test]
fn a_rotation_of_32_bits() {
    let mut bench = Bench::new(
        "ldl r3,#0x40\nrol r1,#5\nrol r2,#5\nmov r4,r1\nbfins r1,r2,r3\nbfins r2,r4,r3\nrts",
    );
    bench.core.r[1..3].copy_from_slice(&[0x0123, 0x4567]);
    assert_eq!(bench.run(), 7);
    let value = u32::from(bench.core.r[1]) << 16 | u32::from(bench.core.r[2]);
    assert_eq!(value, 0x0123_4567_u32.rotate_left(5));
}

/// Fibonacci numbers by a loop, a routine by JAL, a table by increments.
#[test]
fn a_program_with_calls_and_memory() {
    let mut bench = Bench::new(
        "        ldw r7,#table
                 ldl r5,#0
                 ldl r1,#0
                 ldl r2,#1
         loop:   ldw r6,#step
                 jal r6
                 stw r1,(r7,r5+)
                 cmpl r5,#20
                 bne loop
                 sif
                 rts
         step:   add r3,r1,r2
                 mov r1,r2
                 mov r2,r3
                 jal r6
                 .align 1
         table:  .space 20",
    );
    let clocks = bench.run();
    // LDW of an immediate is two instructions: 5 before the loop, in each turn 2 for the address,
    // JAL 2, three sums and moves, JAL 2, STW 2, CMPL 1, BNE 2 but 1 in the last turn; SIF, RTS.
    assert_eq!(clocks, 5 + 10 * 14 - 1 + 2);
    let table = usize::from(ORIGIN) + 2 * 17;
    let numbers: Vec<_> = bench.bus.memory.bytes()[table..table + 20]
        .chunks(2)
        .map(|pair| u16::from_be_bytes([pair[0], pair[1]]))
        .collect();
    assert_eq!(numbers, [1, 1, 2, 3, 5, 8, 13, 21, 34, 55]);
    assert_eq!(bench.bus.registers.flags, 1 << 5);
}

#[test]
fn what_cannot_be_executed_is_a_fault() {
    for (text, what, message) in [
        (
            ".word 0x0400",
            Wrong::Opcode(vec![4, 0]),
            "XGATE at 0x1000: no instruction begins with 0400",
        ),
        ("brk", Wrong::Break, "XGATE at 0x1000: BRK, a breakpoint in the program"),
        (
            "ldw r1,(r0,#1)",
            Wrong::Odd(1),
            "XGATE at 0x1000: no word lies at the odd address 0x0001; align it",
        ),
        (
            "stw r1,(r0,-r2)",
            Wrong::Odd(0xffff),
            "XGATE at 0x1000: no word lies at the odd address 0xffff; align it",
        ),
    ] {
        let mut bench = Bench::new(text);
        bench.core.r[2] = 1;
        let before = bench.core.r;
        let fault = bench.core.step(&mut bench.bus).unwrap_err();
        assert_eq!((&fault.what, fault.to_string().as_str()), (&what, message));
        assert_eq!((bench.core.r, bench.core.pc), (before, ORIGIN), "{text}: as it was");
    }
    let mut bench = Bench::new("jal r1");
    bench.once(&[(1, 0x2001)], 0);
    let fault = bench.core.step(&mut bench.bus).unwrap_err();
    assert_eq!(fault.what, Wrong::Odd(0x2001));
}

/// Instructions with an alignment cycle take 1 or 2 clocks on silicon.
#[test]
fn clocks_with_alignment_are_a_parameter() {
    for n in [1, 2] {
        let mut bench = Bench::new("ssem #3\ncsem #3\nsif\nrts");
        bench.core.timing = Timing { ssem: n, csem: n, sif: n, rts: n };
        assert_eq!(bench.run(), 4 * n);
    }
}
