//! The CPU12X's peephole rules: instructions that are left out, and short sequences in place of
//! longer ones.
//!
//! The tests execute pattern and replacement on the simulated CPU with random registers and flags
//! and compare everything that is live afterwards. The flags N, Z and V are not, because no branch
//! of a compression depends on the values that it computes.

/// An instruction that changes nothing that lives on, and is therefore left out.
#[derive(Debug)]
pub(super) struct Needless {
    /// What it would do.
    #[cfg_attr(not(test), expect(dead_code, reason = "its proof reads it"))]
    pub rule: &'static str,
    /// The name of the instruction.
    pub mnemonic: &'static str,
    /// Its operands; `{0}` is any operand in memory at a fixed address.
    pub operands: &'static str,
}

const fn needless(rule: &'static str, mnemonic: &'static str, operands: &'static str) -> Needless {
    Needless { rule, mnemonic, operands }
}

/// The instructions that are left out.
pub(super) const NEEDLESS: [Needless; 10] = [
    needless("and_ones_a", "anda", "#255"),
    needless("and_ones_b", "andb", "#255"),
    needless("and_ones_x", "andx", "#65535"),
    needless("or_zero_a", "oraa", "#0"),
    needless("or_zero_b", "orab", "#0"),
    needless("or_zero_x", "orx", "#0"),
    needless("xor_zero_a", "eora", "#0"),
    needless("xor_zero_b", "eorb", "#0"),
    needless("xor_zero_x", "eorx", "#0"),
    needless("move_in_place", "movw", "{0},{0}"),
];

/// Whether an instruction is left out.
pub(super) fn is_needless(mnemonic: &str, operands: &str) -> bool {
    NEEDLESS.iter().any(|of| {
        of.mnemonic == mnemonic
            && match of.operands {
                "{0},{0}" => is_same_place(operands),
                text => text == operands,
            }
    })
}

/// Whether the two operands of a move are one place in memory: they are equal texts, and the
/// instruction does not change the address register.
fn is_same_place(operands: &str) -> bool {
    let parts: Vec<&str> = operands.split(',').collect();
    let (from, to) = parts.split_at(parts.len() / 2);
    let changes = |part: &&str| {
        let register = part.trim_matches(['+', '-']);
        register != *part && matches!(register, "x" | "y" | "sp")
    };
    from == to && !from.iter().any(changes)
}

/// Instructions for something that is done bit by bit.
#[derive(Debug)]
pub(super) struct Sequence {
    /// What it does, as the proof states it.
    #[cfg_attr(not(test), expect(dead_code, reason = "its proof reads it"))]
    pub rule: &'static str,
    /// The instructions before the first bit.
    pub begin: &'static str,
    /// The instructions for each bit.
    pub each: &'static str,
    /// The longer instructions for each bit that `each` replaces.
    #[cfg_attr(not(test), expect(dead_code, reason = "its proof reads it"))]
    pub pattern: &'static str,
}

/// A rotation of 32 bits left by one, with the low half in D or in X: the bit that leaves the high
/// half is added to the low one.
pub(super) const TURN_LEFT: [Sequence; 2] = [
    Sequence {
        rule: "turn_left_low_in_d",
        begin: "",
        each: "lsld\nrolx\nadcb #0\n",
        pattern: "lsld\nrolx\nbcc 1f\norab #1\n1:\n",
    },
    Sequence {
        rule: "turn_left_low_in_x",
        begin: "",
        each: "lslx\nrolb\nrola\nadex #0\n",
        pattern: "lslx\nrolb\nrola\nbcc 1f\norx #1\n1:\n",
    },
];

/// A rotation right by one. Y is a copy of the low half that gives up its bits one after another.
pub(super) const TURN_RIGHT: [Sequence; 2] = [
    Sequence {
        rule: "turn_right_low_in_d",
        begin: "tfr d,y\n",
        each: "lsry\nrorx\nrora\nrorb\n",
        pattern: "lsrx\nrora\nrorb\nbcc 1f\norx #32768\n1:\n",
    },
    Sequence {
        rule: "turn_right_low_in_x",
        begin: "tfr x,y\n",
        each: "lsry\nrora\nrorb\nrorx\n",
        pattern: "lsra\nrorb\nrorx\nbcc 1f\noraa #128\n1:\n",
    },
];

/// A shift of D left by 0 to 15 bits, which leaves in Y the bits that pass its end: a product with
/// 2^bits.
pub(super) fn shift_into_y(bits: u8) -> String {
    format!("ldy #{}\nemul\n", 1_u32 << bits)
}

/// X, which is a word XORed with `before`, becomes the word XORed with `next`.
pub(super) fn xor_next(before: u16, next: u16) -> String {
    format!("eorx #{}\n", before ^ next)
}

#[cfg(test)]
mod tests {
    use super::super::text::Lines;
    use super::*;
    use crate::xgate::random::Random;
    use manylane_simulate::s12x::assembler::assemble;
    use manylane_simulate::s12x::cpu12::{Cpu, CpuSet, Registers, Timing};
    use manylane_simulate::s12x::{Core, Flat};

    #[test]
    fn a_move_in_place_is_known_by_its_operands() {
        let is = |operands: &str| is_needless("movw", operands);
        assert!(is("kept+8,kept+8") && is("152,y,152,y") && is("-4,x,-4,x"));
        assert!(!is("2,y+,2,y+") && !is("2,-y,2,-y") && !is("152,y,150,y"));
        assert!(!is("kept+8,8,y") && !is("8,y,kept+8") && !is("#8,kept+8"));
    }

    /// States in which a rule is run.
    const STATES: usize = 100_000;

    /// The carry in the condition code register.
    const CARRY: u16 = 1;

    const CODE: u16 = 0x4000;
    const DATA: u16 = 0x2000;

    /// Assembled instructions, which run from [`CODE`] to their end.
    struct Code(Vec<u8>);

    fn assembled(text: &str) -> Code {
        let lines = text.lines().map(|line| match line.ends_with(':') {
            true => format!("{line}\n"),
            false => format!("\t{line}\n"),
        });
        let text: String = lines.collect();
        let object = assemble(&CpuSet, &text, CODE).unwrap_or_else(|error| panic!("{error}"));
        Code(object.segments.into_iter().flat_map(|of| of.bytes).collect())
    }

    struct Bench {
        cpu: Cpu,
        memory: Flat,
        random: Random,
    }

    impl Bench {
        fn new() -> Self {
            let mut random = Random::new(8);
            let mut memory = Flat::new();
            for byte in memory.bytes_mut() {
                *byte = random.below(256) as u8;
            }
            Self { cpu: Cpu::new(Timing::default()), memory, random }
        }

        fn word(&mut self) -> u16 {
            const EDGES: [u16; 6] = [0, 1, 0x7fff, 0x8000, 0xff, 0xffff];
            match self.random.below(4) {
                0 => EDGES[self.random.below(EDGES.len())],
                _ => self.random.below(0x1_0000) as u16,
            }
        }

        fn registers(&mut self) -> Registers {
            let [d, x, y, ccr] = [(); 4].map(|()| self.word());
            Registers { d, x, y, sp: 0x3f00, pc: CODE, ccr }
        }

        /// The registers after the code, and its data.
        fn run(&mut self, code: &Code, from: Registers) -> (Registers, Vec<u8>) {
            let Code(bytes) = code;
            let at = usize::from(CODE);
            self.memory.bytes_mut()[at..at + bytes.len()].copy_from_slice(bytes);
            *self.cpu.registers_mut() = from;
            let end = CODE + bytes.len() as u16;
            while self.cpu.registers().pc != end {
                self.cpu.step(&mut self.memory).unwrap_or_else(|fault| panic!("{fault}"));
            }
            let data = usize::from(DATA);
            (*self.cpu.registers(), self.memory.bytes()[data..data + 64].to_vec())
        }
    }

    /// All registers, the carry and memory are after each of these instructions as before it.
    /// A, B and the carry have all their states, X a hundred thousand.
    #[test]
    fn needless_instructions_change_nothing_that_lives_on() {
        let mut bench = Bench::new();
        for Needless { rule, mnemonic, operands } in &NEEDLESS {
            let code = assembled(&format!("{mnemonic} {}", operands.replace("{0}", "0x2010")));
            let before = bench.memory.bytes()[usize::from(DATA)..][..64].to_vec();
            for state in 0..2 * 0x1_0000 {
                let from = bench.registers();
                let ccr = from.ccr & !CARRY | (state >> 16) as u16;
                let from = Registers { d: state as u16, ccr, ..from };
                let (after, data) = bench.run(&code, from);
                let live = |r: Registers| (r.d, r.x, r.y, r.sp, r.ccr & CARRY);
                assert_eq!(live(after), live(from), "{rule}");
                assert!(data == before, "{rule}");
            }
        }
    }

    /// The instructions of [`NEEDLESS`] are left out, and similar ones are not.
    #[test]
    fn lines_leave_out_the_needless() {
        for Needless { mnemonic, operands, .. } in &NEEDLESS {
            assert!(is_needless(mnemonic, &operands.replace("{0}", "kept+4")), "{mnemonic}");
        }
        let mut lines = Lines::new("p");
        lines.op("anda", "#255");
        lines.op("movw", "kept+4,kept+4");
        assert_eq!(lines.text, "");
        for (mnemonic, operands) in [
            ("anda", "#254"),
            ("andb", "kept+255"),
            ("andx", "#255"),
            ("addd", "#0"),
            ("adcb", "#0"),
            ("movw", "kept+4,kept+6"),
            ("movw", "2,x+,2,x+"),
            ("movb", "kept+4,kept+5"),
        ] {
            assert!(!is_needless(mnemonic, operands), "{mnemonic} {operands}");
        }
    }

    /// Both ways leave D and X alike, for 1 to 15 bits.
    #[test]
    fn rotations_of_two_registers_are_proved_by_execution() {
        let mut bench = Bench::new();
        for Sequence { rule, begin, each, pattern } in TURN_LEFT.iter().chain(&TURN_RIGHT) {
            for bits in 1..16 {
                let text = begin.to_string() + &each.repeat(bits);
                let [pattern, made] = [pattern.repeat(bits), text].map(|text| assembled(&text));
                for _ in 0..STATES / 15 + 1 {
                    let from = bench.registers();
                    let [expected, after] = [&pattern, &made].map(|code| bench.run(code, from).0);
                    let what = format!("{rule} by {bits}: {from:x?}");
                    assert_eq!((after.d, after.x), (expected.d, expected.x), "{what}");
                }
            }
        }
    }

    /// A product with 2^n is n shifts of D into Y, for all words.
    #[test]
    fn shifts_by_products_are_proved_by_execution() {
        let mut bench = Bench::new();
        for bits in 0..16 {
            let pattern = assembled(&("ldy #0\n".to_owned() + &"lsld\nroly\n".repeat(bits)));
            let made = assembled(&shift_into_y(bits as u8));
            for d in 0..=u16::MAX {
                let from = Registers { d, ..bench.registers() };
                let [expected, after] = [&pattern, &made].map(|code| bench.run(code, from).0);
                let live = |r: Registers| (r.d, r.y, r.x);
                assert_eq!(live(after), live(expected), "{bits} bits of {d:04x}");
            }
        }
    }

    /// A word XORed with one number and then with the difference of two is the word XORed with the
    /// other; the carry stays.
    #[test]
    fn differences_of_numbers_are_proved_by_execution() {
        let mut bench = Bench::new();
        for _ in 0..1000 {
            let [before, next] = [(); 2].map(|()| bench.word());
            let pattern = assembled(&format!("eorx #{next}\n"));
            let made = assembled(&(format!("eorx #{before}\n") + &xor_next(before, next)));
            for _ in 0..STATES / 1000 {
                let from = bench.registers();
                let [expected, after] = [&pattern, &made].map(|code| bench.run(code, from).0);
                let live = |r: Registers| (r.d, r.y, r.x, r.ccr & CARRY);
                assert_eq!(live(after), live(expected), "{before:04x} {next:04x}");
            }
        }
    }
}
