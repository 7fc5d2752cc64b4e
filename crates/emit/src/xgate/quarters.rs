//! Converts words of 64 bits to quarters, four words of 16 bits that each have every fourth bit,
//! and back.
//!
//! ```text
//!  bit 16 l + 4 q + r of the word    limb l, nibble q, bit r
//!  is bit 4 l + q of quarter r
//!
//!  transposed nibbles   in each limb: q and r change places
//!  transposed words     nibble r of limb l and nibble l of limb r change places
//! ```
//!
//! Both transpositions are their own inverses. A rotation of the word becomes a rotation of each
//! quarter. The chaining value is converted to quarters when a thread begins, and back when it
//! ends. The words of each block are converted before the block is compressed.

use super::code::{Code, Register, increase, load, number_into, store};
use super::frame::Slot;

/// Bytes of a word.
pub const BYTES: usize = 8;

/// The registers of the limbs, the lowest limb first.
const LIMBS: [Register; 4] = [3, 4, 5, 6];

/// Two more registers, for intermediate values.
const SPARE: [Register; 2] = [1, 2];

/// Words of the frame that a loop over words works with.
#[derive(Clone, Copy, Debug)]
pub struct Walk {
    /// The address of the next word.
    pub from: Slot,
    /// The address to which its quarters, or the word of the next quarters, go.
    pub to: Slot,
    /// Words that are left.
    pub left: Slot,
}

/// The direction and the byte order of a conversion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Conversion {
    /// Quarters of big-endian words.
    Quarter,
    /// Quarters of little-endian words.
    QuarterLittle,
    /// Big-endian words of quarters.
    Join,
}

impl Walk {
    /// The code of one iteration. The quarters lie in memory like the limbs of a big-endian word.
    pub fn code(&self, way: Conversion, label: &str) -> Vec<Code> {
        let [address, _] = SPARE;
        let mut code = vec![Code::Label(label.to_owned()), load(address, self.from)];
        for (limb, register) in LIMBS.into_iter().enumerate() {
            let little = way == Conversion::QuarterLittle;
            let offset = if little { 2 * limb } else { BYTES - 2 - 2 * limb };
            code.push(Code::Offset("ldw", register, address, offset as u16));
            code.extend(little.then_some(Code::Number("rol", register, 8)));
        }
        let next = |code: &mut Vec<Code>, slot: Slot| {
            code.extend(increase(address, BYTES));
            code.push(store(address, slot));
        };
        next(&mut code, self.from);
        if way == Conversion::Join {
            transpose_words(&mut code);
            transpose_nibbles(&mut code);
        } else {
            transpose_nibbles(&mut code);
            transpose_words(&mut code);
        }
        code.push(load(address, self.to));
        for (limb, register) in LIMBS.into_iter().enumerate() {
            let offset = (BYTES - 2 - 2 * limb) as u16;
            code.push(Code::Offset("stw", register, address, offset));
        }
        next(&mut code, self.to);
        code.extend([
            load(address, self.left),
            Code::Number("subl", address, 1),
            store(address, self.left),
            Code::JumpUnlessZero(address, label.to_owned()),
        ]);
        code
    }

    /// The code before the first of `words` iterations. It sets all variables but `from`; `to` is a
    /// label.
    pub fn begin(&self, to: String, words: usize) -> [Code; 4] {
        let [register, _] = SPARE;
        [
            Code::Wide(register, to),
            store(register, self.to),
            number_into(register, words as u16),
            store(register, self.left),
        ]
    }
}

/// Exchanges the bits of `a` under `mask << by` with those of `b` under `mask`. Both may be one
/// register. The complement of the mask is in the second spare register.
///
/// ```text
///   t = (a >> by ^ b) & mask;  b ^= t;  a ^= t << by
/// ```
///
/// There is XNOR and no XOR. The register holds ~t, in which the bits that are shifted out are 1,
/// so that a rotation of it gives ~(t << by). Two XNORs of complements are two XORs.
fn exchange(code: &mut Vec<Code>, a: Register, b: Register, by: u16) {
    let [t, complement] = SPARE;
    code.extend([
        Code::Registers("or", [t, 0, a]),
        Code::Number("lsr", t, by),
        Code::Registers("xnor", [t, t, b]),
        Code::Registers("or", [t, t, complement]),
        Code::Registers("xnor", [b, b, t]),
        Code::Number("rol", t, by),
        Code::Registers("xnor", [a, a, t]),
    ]);
}

fn transpose_nibbles(code: &mut Vec<Code>) {
    for (mask, by) in [(0x0a0a_u16, 3), (0x00cc, 6)] {
        code.push(number_into(SPARE[1], !mask));
        for limb in LIMBS {
            exchange(code, limb, limb, by);
        }
    }
}

fn transpose_words(code: &mut Vec<Code>) {
    code.push(number_into(SPARE[1], !0x0f0f));
    for [low, high] in [[0, 1], [2, 3]] {
        exchange(code, LIMBS[low], LIMBS[high], 4);
    }
    // The high byte of one limb is exchanged with the low byte of the other one.
    let [byte, field] = SPARE;
    let (high_byte, low_byte) = (0x78, 0x70);
    for [low, high] in [[0, 2], [1, 3]] {
        code.extend([
            Code::Number("ldl", field, high_byte),
            Code::Registers("bfext", [byte, LIMBS[low], field]),
            Code::Registers("bfins", [LIMBS[low], LIMBS[high], field]),
            Code::Number("ldl", field, low_byte),
            Code::Registers("bfins", [LIMBS[high], byte, field]),
        ]);
    }
}
