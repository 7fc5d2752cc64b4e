//! Shifts and rotations over all limbs of a value in memory: by a bit through the carry, by more
//! through products with a power of two.

use super::register::{Register, SCRATCH, SCRATCH_BYTES, byte_op, load, place, rotate_right};
use crate::cpu12x::operand::{Address, Area, Limb, View};
use crate::cpu12x::rules;
use crate::cpu12x::text::{Lines, Table};

/// Scratch memory of rotations by a variable amount: a power of two; and two copies of a word of up
/// to four limbs, the second one without the last limb.
const POWER: Address = Address { area: Area::Kept, offset: SCRATCH_BYTES };
const TWICE: Address = Address { area: Area::Kept, offset: SCRATCH_BYTES + 2 };

/// Bytes of the scratch memory, including that of rotations by a variable amount.
pub const ROTATION_BYTES: usize = SCRATCH_BYTES + 2 + 14;

/// A shift or a rotation left by one bit, limb by limb through the carry.
pub fn bit_left(start: &View, target: Address, is_rotation: bool, lines: &mut Lines) {
    let limbs = start.limbs();
    if is_rotation {
        byte_op("lda", 'a', start.0[2 * limbs - 1], lines);
        lines.op("lsla", "");
    }
    for i in 0..limbs {
        load(Register::D, start.limb(i), lines);
        if i == 0 && !is_rotation {
            lines.op("lsld", "");
        } else {
            lines.op("rolb", "");
            lines.op("rola", "");
        }
        lines.op("std", &place(target, limbs, i).to_string());
    }
}

/// A shift or a rotation right by one bit.
pub fn bit_right(start: &View, target: Address, is_rotation: bool, lines: &mut Lines) {
    let limbs = start.limbs();
    if is_rotation {
        byte_op("lda", 'b', start.0[0], lines);
        lines.op("lsrb", "");
    }
    for i in (0..limbs).rev() {
        load(Register::D, start.limb(i), lines);
        if i + 1 == limbs && !is_rotation {
            lines.op("lsrd", "");
        } else {
            rotate_right(Register::D, lines);
        }
        lines.op("std", &place(target, limbs, i).to_string());
    }
}

/// Multiplies a limb by 2^bits: D takes the low 16 bits of the product, Y the high ones. Returns
/// whether the product is more than zero.
pub fn product(start: &View, i: usize, bits: u8, lines: &mut Lines) -> bool {
    let limb = start.limb(i);
    if limb == Limb::Number(0) {
        return false;
    }
    load(Register::D, limb, lines);
    lines.ops(&rules::shift_into_y(bits));
    true
}

/// A shift or a rotation left by 1 to 15 bits: each limb takes what its lower neighbour loses.
pub fn left(start: &View, target: Address, bits: u8, is_rotation: bool, lines: &mut Lines) {
    let limbs = start.limbs();
    let at = |i| place(target, limbs, i).to_string();
    // Whether the scratch memory holds the bits that the limb before has lost.
    let mut has_lost = false;
    for i in 0..limbs {
        if !product(start, i, bits, lines) {
            match has_lost {
                true => lines.op("movw", &format!("{SCRATCH},{}", at(i))),
                false => lines.op("movw", &format!("#0,{}", at(i))),
            }
            has_lost = false;
            continue;
        }
        if has_lost {
            lines.op("addd", &SCRATCH.to_string());
        }
        lines.op("std", &at(i));
        if i + 1 < limbs {
            lines.op("sty", &SCRATCH.to_string());
        } else if is_rotation {
            lines.op("tfr", "y,d");
            lines.op("addd", &at(0));
            lines.op("std", &at(0));
        }
        has_lost = true;
    }
}

/// A rotation by a variable amount, in the same time for every amount. The amount's bits from bit 4
/// on choose the limb at which reading begins in two copies of the word. EMUL by 2^k, where k is
/// the amount's low four bits, shifts a limb, and leaves in Y the bits for the upper neighbour.
pub fn rotate_by(start: &View, amount: &View, is_right: bool, target: Address, lines: &mut Lines) {
    let limbs = start.limbs();
    for i in 0..2 * limbs - 1 {
        // The loop goes from the highest limb down.
        let to = TWICE.plus(2 * i);
        match start.limb(limbs - 1 - i % limbs) {
            Limb::Word(from) => lines.op("movw", &format!("{from},{to}")),
            Limb::Number(value) => lines.op("movw", &format!("#{value},{to}")),
            apart @ Limb::Bytes(..) => {
                load(Register::D, apart, lines);
                lines.op("std", &to.to_string());
            }
        }
    }
    let count = |lines: &mut Lines, mask: usize| {
        byte_op("lda", 'b', amount.0[0], lines);
        if is_right {
            lines.op("negb", "");
        }
        lines.op("andb", &format!("#{mask}"));
    };
    count(lines, 15);
    let powers = lines.table(Table::Powers);
    lines.op("ldx", &format!("#{powers}"));
    lines.op("aslb", "");
    lines.op("ldy", "b,x");
    lines.op("sty", &POWER.to_string());
    lines.op("ldx", &format!("#{TWICE}"));
    if limbs > 1 {
        count(lines, 16 * (limbs - 1));
        for _ in 0..3 {
            lines.op("lsrb", "");
        }
        lines.op("leax", "b,x");
    }
    let at = |i: usize| target.plus(2 * i).to_string();
    for i in 0..limbs {
        lines.op("ldd", &format!("{},x", 2 * i));
        lines.op("ldy", &POWER.to_string());
        lines.op("emul", "");
        if i == 0 {
            lines.op("sty", &SCRATCH.to_string());
        }
        if i + 1 == limbs {
            lines.op("addd", &SCRATCH.to_string());
        }
        lines.op("std", &at(i));
        if i > 0 {
            lines.op("tfr", "y,d");
            lines.op("addd", &at(i - 1));
            lines.op("std", &at(i - 1));
        }
    }
}

/// A shift right by 1 to 15 bits. Each limb is the high half of its product with 2^(16 - bits),
/// plus the low half of its upper neighbour's product.
pub fn right(start: &View, target: Address, bits: u8, lines: &mut Lines) {
    let limbs = start.limbs();
    let at = |i| place(target, limbs, i).to_string();
    let mut has_kept = false;
    for i in 0..limbs {
        let is_some = product(start, i, 16 - bits, lines);
        if i > 0 {
            match (is_some, has_kept) {
                (true, true) => {
                    lines.op("addd", &SCRATCH.to_string());
                    lines.op("std", &at(i - 1));
                }
                (true, false) => lines.op("std", &at(i - 1)),
                (false, true) => lines.op("movw", &format!("{SCRATCH},{}", at(i - 1))),
                (false, false) => lines.op("movw", &format!("#0,{}", at(i - 1))),
            }
        }
        match (is_some, i + 1 == limbs) {
            (true, true) => lines.op("sty", &at(i)),
            (true, false) => lines.op("sty", &SCRATCH.to_string()),
            (false, true) => lines.op("movw", &format!("#0,{}", at(i))),
            (false, false) => {}
        }
        has_kept = is_some;
    }
}
