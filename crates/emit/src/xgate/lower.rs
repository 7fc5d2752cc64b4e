//! Lowers the nodes of a body, of any width, to limbs.

use super::gather::Gather;
use super::limb::{Chained, Id, Limbs, Within};
use super::lookup::Lookups;
use manylane_graph::{Function, NodeId, Op};

/// Lowers a body, and returns the limbs of each output, the lowest first.
///
/// # Errors
/// The node of an operation that XGATE has no code for, and the remedy.
pub(super) fn lower(
    body: &Function,
    inputs: &[Vec<Id>],
    lookups: &Lookups,
    limbs: &mut Limbs,
) -> Result<Vec<Vec<Id>>, (NodeId, &'static str)> {
    let mut words: Vec<Vec<Id>> = Vec::with_capacity(body.len());
    let users = body.users();
    let mut gather = Gather::of(lookups);
    let (sums, is_constant) = sums(body, inputs, limbs);
    let mut have_constant = vec![false; body.len()];
    for node in body.nodes() {
        let width = body.width(node);
        limbs.step = body.step(node).index();
        if !matches!(width, 16 | 32 | 64) {
            return Err((node, "words of 16, 32 and 64 bits have code"));
        }
        // Each user of an input behind a pointer loads it anew: keeping the word in the frame for
        // the next user would cost as much.
        let arg = |limbs: &mut Limbs, arg: NodeId| -> Vec<Id> {
            let word = &words[arg.index()];
            let is_input = matches!(body.op(arg), Op::Input(_)) && users[arg.index()].len() > 1;
            let reload = |&id: &Id| if is_input { limbs.reload(id, node.index()) } else { id };
            word.iter().map(reload).collect()
        };
        let args: Vec<Vec<Id>> = body.args(node).iter().map(|&of| arg(limbs, of)).collect();
        let count = usize::from(width / 16);
        if let Some(sum) = sums[node.index()] {
            let first = body.args(node).iter().position(|arg| is_constant[arg.index()]);
            let first = first.filter(|_| !std::mem::replace(&mut have_constant[sum], true));
            words.push(added(limbs, &args, sum, first));
            continue;
        }
        let taken = |of: NodeId| words.get(body.args(of)[0].index()).cloned();
        if let Some(gathered) = gather.word(limbs, node, count, &taken) {
            words.push(gathered);
            continue;
        }
        // A word of four limbs that is added as well can be rotated in place behind its sum.
        let dies = body.args(node).first().is_some_and(|arg| {
            let others = users[arg.index()].iter().filter(|&&user| user != node);
            let mut ops = others.map(|&user| body.op(user));
            if count == 4 { ops.all(|op| op == Op::Add) } else { ops.next().is_none() }
        });
        words.push(
            word(limbs, body.op(node), count, &args, inputs, dies)
                .ok_or((node, "inline calls first"))?,
        );
    }
    Ok(body.outputs().iter().map(|output| words[output.value.index()].clone()).collect())
}

/// For each node, the number of the sum with a constant that it belongs to, if any; and whether it
/// is a constant. A sum belongs to another sum if that one is its only user. Constants are numbers,
/// and those words of `inputs` that lie in tables for one use.
fn sums(body: &Function, inputs: &[Vec<Id>], limbs: &Limbs) -> (Vec<Option<usize>>, Vec<bool>) {
    let users = body.users();
    let is_output = |node: NodeId| body.outputs().iter().any(|output| output.value == node);
    let is_taken_once: Vec<bool> =
        body.nodes().map(|node| users[node.index()].len() == 1 && !is_output(node)).collect();
    let is_constant: Vec<bool> = body
        .nodes()
        .map(|node| match body.op(node) {
            Op::Const(_) => true,
            Op::Input(i) => {
                is_taken_once[node.index()]
                    && inputs[i as usize].iter().all(|limb| limbs.in_tables.contains(limb))
            }
            _ => false,
        })
        .collect();
    let mut has_constant = vec![false; body.len()];
    for node in body.nodes().filter(|&node| body.op(node) == Op::Add) {
        has_constant[node.index()] = body.args(node).iter().any(|arg| {
            is_constant[arg.index()] || is_taken_once[arg.index()] && has_constant[arg.index()]
        });
    }
    let mut sums = vec![None; body.len()];
    // Whole sums come before their parts.
    for node in body.nodes().rev().filter(|&node| body.op(node) == Op::Add) {
        if sums[node.index()].is_none() && has_constant[node.index()] {
            sums[node.index()] = Some(node.index());
        }
        for &arg in body.args(node) {
            if body.op(arg) == Op::Add && is_taken_once[arg.index()] {
                sums[arg.index()] = sums[node.index()];
            }
        }
    }
    (sums, is_constant)
}

/// Adds words, as a part of the sum `sum`. `constant` is the index of the first constant in `args`.
fn added(l: &mut Limbs, args: &[Vec<Id>], sum: usize, constant: Option<usize>) -> Vec<Id> {
    let mut args: Vec<&[Id]> = args.iter().map(Vec::as_slice).collect();
    if constant == Some(0) {
        args.swap(0, 1);
    }
    let constant = constant.map(|constant| constant.max(1));
    (1..args.len()).fold(args[0].to_vec(), |first, i| {
        let within = match constant == Some(i) {
            true => Within::Constant(sum),
            false => Within::Sum(sum),
        };
        l.group_within(Chained::Sum, &first, args[i], within)
    })
}

/// The limbs of one operation's result, or `None` if it has no code.
fn word(
    l: &mut Limbs,
    op: Op,
    count: usize,
    args: &[Vec<Id>],
    inputs: &[Vec<Id>],
    dies: bool,
) -> Option<Vec<Id>> {
    let fold = |l: &mut Limbs, of: fn(&mut Limbs, Id, Id) -> Id| -> Vec<Id> {
        let limb = |i: usize, l: &mut Limbs| {
            let (first, rest) = args.split_first().expect("it has arguments");
            rest.iter().fold(first[i], |sum, arg| of(l, sum, arg[i]))
        };
        (0..count).map(|i| limb(i, l)).collect()
    };
    let each = |l: &mut Limbs, of: fn(&mut Limbs, Id) -> Id| -> Vec<Id> {
        args[0].iter().map(|&a| of(l, a)).collect()
    };
    Some(match op {
        Op::Input(i) => inputs[i as usize].clone(),
        Op::Const(value) => (0..count).map(|i| l.constant((value >> (16 * i)) as u16)).collect(),
        Op::Add => {
            args[1..].iter().fold(args[0].clone(), |sum, arg| l.group(Chained::Sum, &sum, arg))
        }
        Op::Sub => l.group(Chained::Difference, &args[0], &args[1]),
        Op::Carry => {
            let zero = l.constant(0);
            let carry_of = |l: &mut Limbs, a: &[Id], b: &[Id]| {
                let extended =
                    |word: &[Id]| -> Vec<Id> { word.iter().copied().chain([zero]).collect() };
                let mut sum = l.group(Chained::Sum, &extended(a), &extended(b));
                (sum.pop().expect("one limb more than the word"), sum)
            };
            let (first, sum) = carry_of(l, &args[0], &args[1]);
            let carry = match args.get(2) {
                None => first,
                Some(third) => {
                    let (second, _) = carry_of(l, &sum, third);
                    l.or(first, second)
                }
            };
            let mut word = vec![zero; count];
            word[0] = carry;
            word
        }
        Op::And => fold(l, Limbs::and),
        Op::Or => fold(l, Limbs::or),
        Op::Xor => fold(l, Limbs::xor),
        Op::Xnor => {
            let xor = fold(l, Limbs::xor);
            xor.into_iter().map(|a| l.not(a)).collect()
        }
        Op::Not => each(l, Limbs::not),
        Op::Rotr(n) => rotated(l, &args[0], usize::from(n), dies),
        Op::Rotl(n) => rotated(l, &args[0], 16 * count - usize::from(n), dies),
        Op::Shr(n) => shifted(l, &args[0], i32::from(n)),
        Op::Shl(n) => shifted(l, &args[0], -i32::from(n)),
        Op::Lut3(table) => {
            (0..count).map(|i| lut(l, table, [0, 1, 2].map(|a| args[a][i]))).collect()
        }
        Op::SubBytes => each(l, Limbs::substitute),
        Op::Xtime => each(l, doubled),
        Op::SwapBytes => args[0].iter().rev().map(|&a| l.rotate(a, 8)).collect(),
        Op::RotlVar => l.rotate_by(&args[0], args[1][0]),
        Op::RotrVar => {
            let zero = l.constant(0);
            let left = l.group(Chained::Difference, &[zero], &[args[1][0]])[0];
            l.rotate_by(&args[0], left)
        }
        Op::Call(_) | Op::Result(_) | Op::External => return None,
    })
}

/// The limbs of a word rotated right. If the word `dies`, no other node takes it, and it can be
/// rotated in place.
fn rotated(l: &mut Limbs, word: &[Id], right: usize, dies: bool) -> Vec<Id> {
    let (skip, by, count) = (right / 16, (right % 16) as u8, word.len());
    let limb = |i: usize| word[(i + skip) % count];
    let are_whole =
        count > 2 && !word.iter().any(|&limb| matches!(l.ops[limb], super::limb::Op::Pack(..)));
    let has_constants = word.iter().any(|&limb| l.value(limb).is_some());
    if count > 1 && (count == 2 || dies) && !has_constants && (by == 1 || by == 15) {
        let chained = if by == 1 { Chained::Right } else { Chained::Left };
        // A rotation right by 15 is one by 16, which moves limbs, and one left by 1.
        let first = usize::from(by == 15);
        let turned: Vec<Id> = (0..count).map(|i| limb(i + first)).collect();
        return l.group(chained, &turned, &turned);
    }
    // Each limb is rotated in place and gives its low bits to the next one. This takes one
    // description of a field instead of two, and one register less than funnels do. Funnels by 8
    // have neither drawback, and disappear where bytes are put together.
    if count > 1 && dies && !has_constants && by != 0 && (by != 8 || are_whole) {
        let turned: Vec<Id> = (0..count).map(|i| l.rotate(limb(i), 16 - by)).collect();
        let next = |i: usize| turned[(i + 1) % count];
        let limb = |i: usize, l: &mut Limbs| l.insert(next(i), turned[i], 16 - by, 0);
        if count == 2 {
            return (0..count).map(|i| limb(i, l)).collect();
        }
        // The highest limb first: then only one of them is needed again after it has changed.
        let mut limbs: Vec<Id> = (0..count).rev().map(|i| limb(i, l)).collect();
        limbs.reverse();
        return limbs;
    }
    (0..count).map(|i| l.funnel(limb(i + 1), limb(i), by)).collect()
}

/// The limbs of a word shifted right, or left by a negative amount.
fn shifted(l: &mut Limbs, word: &[Id], right: i32) -> Vec<Id> {
    let zero = l.constant(0);
    let (skip, by) = (right.div_euclid(16), right.rem_euclid(16) as u8);
    let limb = |i: i32| usize::try_from(i + skip).ok().and_then(|i| word.get(i)).copied();
    (0..word.len() as i32)
        .map(|i| l.funnel(limb(i + 1).unwrap_or(zero), limb(i).unwrap_or(zero), by))
        .collect()
}

/// Any function of three bits, by Shannon's expansion.
fn lut(l: &mut Limbs, table: u8, [x, y, z]: [Id; 3]) -> Id {
    let of_z = |l: &mut Limbs, two: u8| match two & 3 {
        0 => l.constant(0),
        1 => l.not(z),
        2 => z,
        _ => l.constant(u16::MAX),
    };
    let mut of_yz = |four: u8| {
        let (if_one, if_zero) = (of_z(l, four >> 2), of_z(l, four));
        l.choose(y, if_one, if_zero)
    };
    let (if_one, if_zero) = (of_yz(table >> 4), of_yz(table));
    l.choose(x, if_one, if_zero)
}

/// Doubles each byte in GF(2^8): with m = x & 0x8080, `2 * (x - m) ^ ((m - (m >> 7)) & 0x1b1b)`. In
/// a byte whose highest bit is set, m - (m >> 7) is 0x7f, else 0, so that no byte borrows.
fn doubled(l: &mut Limbs, x: Id) -> Id {
    let (zero, high, modulus) = (l.constant(0), l.constant(0x8080), l.constant(0x1b1b));
    let m = l.and(x, high);
    let ones = l.funnel(zero, m, 7);
    let filled = l.group(Chained::Difference, &[m], &[ones])[0];
    let reduced = l.and(filled, modulus);
    let rest = l.group(Chained::Difference, &[x], &[m])[0];
    let twice = l.group(Chained::Sum, &[rest], &[rest])[0];
    l.xor(twice, reduced)
}

#[cfg(test)]
mod tests {
    use super::super::limb::Op::{self as Limbed, *};
    use super::*;

    /// The value of a node, by the meaning of its operation; leaves are 0, 1 and so on.
    fn value(l: &Limbs, id: Id, leaves: &[u16]) -> u16 {
        let of = |id: Id| value(l, id, leaves);
        match l.ops[id] {
            Limbed::Constant(number) => number,
            Leaf(leaf) => leaves[leaf],
            Not(a) => !of(a),
            And(a, b) => of(a) & of(b),
            Or(a, b) => of(a) | of(b),
            Xor(a, b) => of(a) ^ of(b),
            Choose(x, y, z) => of(x) & of(y) | !of(x) & of(z),
            Funnel(high, low, by) => of(low) >> by | of(high) << (16 - by),
            Rotate(a, by) => of(a).rotate_left(by.into()),
            Exchange(a, by) => {
                let even = u16::MAX / ((1 << by) + 1);
                (of(a) & even) << by | of(a) >> by & even
            }
            RotateBy(a, by) => of(a).rotate_left((of(by) % 16).into()),
            ShiftBy(a, by) => of(a) << of(by),
            Field(a, width, at) => of(a) >> at & ((1 << width) - 1),
            Insert(into, from, width, at) => {
                let field = (0xffff_u32 >> (16 - width)) as u16;
                of(into) & !(field << at) | (of(from) & field) << at
            }
            Limb(group, limb) => {
                let word = |second: bool| -> u64 {
                    let limbs = l.groups[group].limbs.iter().enumerate();
                    let limb = |(i, &(a, b))| u64::from(of(if second { b } else { a })) << (16 * i);
                    limbs.map(limb).sum()
                };
                let bits = 16 * l.groups[group].limbs.len() as u32;
                let whole = match l.groups[group].chained {
                    Chained::Sum => word(false).wrapping_add(word(true)),
                    Chained::Difference => word(false).wrapping_sub(word(true)),
                    Chained::Left => word(false) << 1 | word(false) >> (bits - 1),
                    Chained::Right => word(false) >> 1 | word(false) << (bits - 1),
                };
                (whole >> (16 * limb)) as u16
            }
            Substitute(..) | Entry(..) | Half(..) | Joined(..) | Pack(..) | Load(..) => {
                unreachable!("not made here")
            }
        }
    }

    /// An amount of any value in a limb rotates by its low bits alone.
    #[test]
    fn words_of_all_widths_rotate_by_every_amount() {
        for count in [1, 2, 4] {
            let mut l = Limbs::default();
            let word: Vec<Id> = (0..count).map(|i| l.leaf(i)).collect();
            let amount = l.leaf(count);
            let turned = l.rotate_by(&word, amount);
            let bits = 16 * count as u32;
            let limbs = [0x8c31_u16, 0x27fe, 0x0b5d, 0xe640];
            let limbs = &limbs[..count];
            for by in (0..80).chain([0xfff0, 0xffff]) {
                let leaves: Vec<u16> = limbs.iter().copied().chain([by]).collect();
                let bit = |i: u32| limbs[i as usize / 16] >> (i % 16) & 1;
                for (i, &id) in turned.iter().enumerate() {
                    let from = |j: u32| (16 * i as u32 + j + bits - u32::from(by) % bits) % bits;
                    let expected: u16 = (0..16).map(|j| bit(from(j)) << j).sum();
                    assert_eq!(value(&l, id, &leaves), expected, "{count} limbs by {by}, limb {i}");
                }
            }
        }
    }

    #[test]
    fn every_word_is_doubled_byte_by_byte() {
        let mut l = Limbs::default();
        let x = l.leaf(0);
        let doubled = doubled(&mut l, x);
        for word in 0..=u16::MAX {
            let expected = manylane_graph::interpret::evaluate(Op::Xtime, 16, &[word.into()]);
            assert_eq!(u64::from(value(&l, doubled, &[word])), expected, "{word:04x}");
        }
    }

    /// Shifts in both directions, under all masks of one field, in disjunctions with the bits that
    /// the mask leaves, keep their value when they are simplified. Each bit of the result is one
    /// bit of the input, so that single bits are all cases.
    #[test]
    fn masks_and_shifts_are_simplified_rightly() {
        let words: Vec<[u16; 2]> =
            (0..16).flat_map(|bit| [[1 << bit, 0], [0, 1 << bit], [!(1 << bit), 0xffff]]).collect();
        for (low, high) in (0..16).flat_map(|low| (low + 1..=16).map(move |high| (low, high))) {
            let mask = ((1_u32 << high) - (1 << low)) as u16;
            for by in 0..=16_u8 {
                let mut l = Limbs::default();
                let [a, b] = [l.leaf(0), l.leaf(1)];
                let [mask_of, rest] = [mask, !mask].map(|mask| l.constant(mask));
                let zero = l.constant(0);
                let shifts = [l.funnel(b, a, by), l.funnel(zero, a, by), l.funnel(a, zero, by)];
                for (way, shifted) in shifts.into_iter().enumerate() {
                    let masked = l.and(shifted, mask_of);
                    let others = l.and(b, rest);
                    let [or, xor] = [l.or(masked, others), l.xor(others, masked)];
                    for &[x, y] in &words {
                        let wide = |high: u16, low: u16| {
                            ((u32::from(high) << 16 | u32::from(low)) >> by) as u16
                        };
                        let shifted = [wide(y, x), wide(0, x), wide(x, 0)][way];
                        let expected = shifted & mask | y & !mask;
                        for made in [or, xor] {
                            let made = value(&l, made, &[x, y]);
                            assert_eq!(made, expected, "{mask:04x} {by} {way} {x:04x} {y:04x}");
                        }
                    }
                }
            }
        }
    }

    /// Each field of a word changes places with its neighbour. Other masks and distances are not
    /// recognised and keep their value.
    #[test]
    fn neighbouring_fields_change_places() {
        for by in 1..16_u8 {
            for mask in [0x5555, 0x3333, 0x0f0f, 0x71c7, 0x1111] {
                let mut l = Limbs::default();
                let a = l.leaf(0);
                let [zero, below, above] = [0, mask, !mask].map(|number| l.constant(number));
                let (up, down) = (l.funnel(a, zero, 16 - by), l.funnel(zero, a, by));
                let (up, down) = (l.and(up, above), l.and(down, below));
                let either = l.or(up, down);
                let is_exchange = matches!((by, mask), (1, 0x5555) | (2, 0x3333) | (4, 0x0f0f));
                assert_eq!(matches!(l.ops[either], Exchange(..)), is_exchange, "{by} {mask:04x}");
                for word in (0..16).map(|bit| 1_u16 << bit) {
                    let expected = word << by & !mask | word >> by & mask;
                    assert_eq!(value(&l, either, &[word]), expected, "{by} {mask:04x} {word:04x}");
                }
            }
        }
    }

    /// Rotations of words of two and four limbs by every amount.
    #[test]
    fn words_are_rotated_by_every_amount() {
        for count in [2, 4] {
            let bits = 16 * count;
            for right in 1..bits {
                let mut l = Limbs::default();
                let word: Vec<Id> = (0..count).map(|limb| l.leaf(limb)).collect();
                let turned = rotated(&mut l, &word, right, true);
                for bit in 0..bits {
                    let of = |bit: usize, limb: usize| ((1_u64 << bit) >> (16 * limb)) as u16;
                    let leaves: Vec<u16> = (0..count).map(|limb| of(bit, limb)).collect();
                    for (limb, &id) in turned.iter().enumerate() {
                        let expected = of((bit + bits - right) % bits, limb);
                        assert_eq!(value(&l, id, &leaves), expected, "{bits} {right} {bit} {limb}");
                    }
                }
            }
        }
    }
}
