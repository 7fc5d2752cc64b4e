//! XGATE's peephole rules: terms on words of 16 bits that are replaced when a node is made, and
//! short instruction sequences in place of an operation that the machine does not have.
//!
//! ```text
//!  rule       pattern, condition on its numbers ──► replacement     limb/simplify.rs applies it
//!  sequence   pattern ──► instructions                              select.rs writes them
//! ```
//!
//! The tests execute pattern and replacement of every rule and sequence on the simulated core: see
//! `proof.rs`.

#[cfg(test)]
mod proof;

use super::kind::{InstKind, Tri};

/// A number of bits in a term.
#[derive(Clone, Copy, Debug)]
pub enum Amount {
    /// The first number that a pattern has.
    By,
    /// The second number.
    More,
    /// 16 minus the first number.
    Rest,
    /// A number of bits that the term itself gives.
    Is(u8),
    /// What a replacement computes from the numbers of the pattern.
    Of(fn(Numbers) -> u8),
}

/// The numbers of a pattern: a mask, and amounts of bits. 0 stands for what the pattern lacks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Numbers {
    /// The number by which a word is masked.
    pub mask: u16,
    /// The first amount.
    pub by: u8,
    /// The second amount.
    pub more: u8,
}

/// A term. Its operations are those of limbs with the same names.
#[derive(Clone, Copy, Debug)]
pub enum Term {
    /// The word of this number, the same at every place.
    Word(usize),
    /// A word that is not the number 0.
    Some(usize),
    /// A constant that the term itself gives.
    Is(u16),
    /// The mask.
    Mask,
    /// The complement of the mask.
    Unmasked,
    Not(&'static Term),
    And(&'static [Term; 2]),
    Or(&'static [Term; 2]),
    Xor(&'static [Term; 2]),
    Choose(&'static [Term; 3]),
    Funnel(&'static [Term; 2], Amount),
    Rotate(&'static Term, Amount),
    Exchange(&'static Term, Amount),
    /// The second word's low bits in a field of the first word: its width, its lowest bit.
    Insert(&'static [Term; 2], Amount, Amount),
    Pack(&'static [Term; 2]),
}

/// A rule.
#[derive(Debug)]
pub struct Rule {
    /// What it does.
    #[cfg_attr(not(test), expect(dead_code, reason = "its proof reads it"))]
    pub name: &'static str,
    /// The term that it replaces.
    pub pattern: Term,
    /// Whether it holds for these numbers.
    pub when: fn(Numbers) -> bool,
    /// The term that takes the place.
    pub replacement: Term,
}

use Amount::{By, More, Of, Rest};
use Term::{And, Choose, Exchange, Funnel, Insert, Is, Mask, Not, Or, Pack, Rotate, Unmasked, Xor};

const X: Term = Term::Word(0);
const Y: Term = Term::Word(1);
const Z: Term = Term::Word(2);
const W: Term = Term::Word(3);
const ZERO: Term = Is(0);
const ONES: Term = Is(u16::MAX);

const fn rule(name: &'static str, pattern: Term, replacement: Term) -> Rule {
    Rule { name, pattern, when: always, replacement }
}

const fn rule_if(
    name: &'static str,
    pattern: Term,
    when: fn(Numbers) -> bool,
    replacement: Term,
) -> Rule {
    Rule { name, pattern, when, replacement }
}

fn always(_: Numbers) -> bool {
    true
}

/// The bits of a funnel that come from its low word.
fn from_low(by: u8) -> u16 {
    u16::MAX >> by
}

/// The width and the lowest bit of the field that a mask leaves out, if this is one field that
/// reaches down to bit 0 or up to bit 15.
fn field(mask: u16) -> Option<(u8, u8)> {
    let width = (!mask).count_ones() as u8;
    let low = u16::MAX.checked_shr(u32::from(16 - width))?;
    match mask {
        _ if mask == !low => Some((width, 0)),
        _ if mask == !(low << (16 - width)) => Some((width, 16 - width)),
        _ => None,
    }
}

fn width(of: Numbers) -> u8 {
    field(of.mask).map_or(0, |field| field.0)
}

fn offset(of: Numbers) -> u8 {
    field(of.mask).map_or(0, |field| field.1)
}

/// The rules. Of two that match, the first one is applied.
pub static RULES: [Rule; 34] = [
    rule("complement_of_complement", Not(&Not(&X)), X),
    rule("and_zero", And(&[ZERO, X]), ZERO),
    rule("and_ones", And(&[ONES, X]), X),
    rule("and_itself", And(&[X, X]), X),
    // The half of a funnel that the mask cuts off is zero.
    rule_if(
        "mask_of_high_bits",
        And(&[Funnel(&[Term::Some(0), Y], By), Mask]),
        |of| of.mask & !from_low(of.by) == 0,
        And(&[Funnel(&[ZERO, Y], By), Mask]),
    ),
    rule_if(
        "mask_of_low_bits",
        And(&[Funnel(&[Y, Term::Some(0)], By), Mask]),
        |of| of.mask & from_low(of.by) == 0,
        And(&[Funnel(&[Y, ZERO], By), Mask]),
    ),
    // The mask covers all bits that are not known to be zero.
    rule_if(
        "mask_around_shift_right",
        And(&[Funnel(&[ZERO, X], By), Mask]),
        |of| of.mask & from_low(of.by) == from_low(of.by),
        Funnel(&[ZERO, X], By),
    ),
    rule_if(
        "mask_around_shift_left",
        And(&[Funnel(&[X, ZERO], By), Mask]),
        |of| of.mask & !from_low(of.by) == !from_low(of.by),
        Funnel(&[X, ZERO], By),
    ),
    rule("or_zero", Or(&[ZERO, X]), X),
    rule("or_ones", Or(&[ONES, X]), ONES),
    rule("or_itself", Or(&[X, X]), X),
    // Two shifts in opposite directions whose bits do not overlap.
    rule(
        "or_of_shifts",
        Or(&[Funnel(&[ZERO, X], By), Funnel(&[Y, ZERO], By)]),
        Funnel(&[Y, X], By),
    ),
    // A word without a field, and bits that are in this field only.
    rule_if(
        "insert_shifted_left",
        Or(&[And(&[X, Mask]), Funnel(&[Y, ZERO], By)]),
        |of| field(of.mask) == Some((of.by, 16 - of.by)),
        Insert(&[X, Y], Of(width), Of(offset)),
    ),
    rule_if(
        "insert_shifted_right",
        Or(&[And(&[X, Mask]), Funnel(&[ZERO, Y], By)]),
        |of| field(of.mask) == Some((16 - of.by, 0)),
        Insert(&[X, Funnel(&[ZERO, Y], By)], Of(width), Of(offset)),
    ),
    rule_if(
        "insert_low_bits",
        Or(&[And(&[X, Mask]), And(&[Y, Unmasked])]),
        |of| field(of.mask).is_some_and(|field| field.1 == 0),
        Insert(&[X, Y], Of(width), Of(offset)),
    ),
    rule_if(
        "insert_high_bits",
        Or(&[And(&[X, Mask]), And(&[Y, Unmasked])]),
        |of| field(of.mask).is_some_and(|field| field.1 > 0),
        Insert(&[X, Funnel(&[ZERO, Y], Of(offset))], Of(width), Of(offset)),
    ),
    // A word that is shifted up and down under masks: neighbouring fields change places.
    rule_if(
        "exchange_fields",
        Or(&[And(&[Funnel(&[X, ZERO], Rest), Unmasked]), And(&[Funnel(&[ZERO, X], By), Mask])]),
        |of| matches!(of.by, 1 | 2 | 4) && of.mask << of.by == !of.mask,
        Exchange(&X, By),
    ),
    rule("xor_zero", Xor(&[ZERO, X]), X),
    rule("xor_ones", Xor(&[ONES, X]), Not(&X)),
    rule("xor_itself", Xor(&[X, X]), ZERO),
    rule(
        "xor_of_shifts",
        Xor(&[Funnel(&[ZERO, X], By), Funnel(&[Y, ZERO], By)]),
        Funnel(&[Y, X], By),
    ),
    rule("choice", Xor(&[Z, And(&[X, Xor(&[Y, Z])])]), Choose(&[X, Y, Z])),
    rule("choose_never", Choose(&[ZERO, Y, Z]), Z),
    rule("choose_always", Choose(&[ONES, Y, Z]), Y),
    rule("choose_by_mask", Choose(&[Mask, Y, Z]), Or(&[And(&[Mask, Y]), And(&[Unmasked, Z])])),
    rule("choose_a_number", Choose(&[X, Mask, Z]), Or(&[And(&[X, Mask]), And(&[Not(&X), Z])])),
    rule("choose_or_a_number", Choose(&[X, Y, Mask]), Or(&[And(&[X, Y]), And(&[Not(&X), Mask])])),
    rule("shift_by_nothing", Funnel(&[Y, X], Amount::Is(0)), X),
    rule("shift_by_a_word", Funnel(&[Y, X], Amount::Is(16)), Y),
    rule("funnel_of_one_word", Funnel(&[X, X], By), Rotate(&X, Rest)),
    rule("funnel_of_bytes", Funnel(&[Pack(&[W, Y]), Pack(&[X, Z])], Amount::Is(8)), Pack(&[Y, X])),
    rule_if("rotate_by_nothing", Rotate(&X, By), |of| of.by == 0, X),
    rule("rotate_bytes", Rotate(&Pack(&[X, Y]), Amount::Is(8)), Pack(&[Y, X])),
    rule(
        "rotate_twice",
        Rotate(&Rotate(&X, More), By),
        Rotate(&X, Of(|of| (of.by + of.more) % 16)),
    ),
];

impl Term {
    /// The terms that it is made of.
    pub fn parts(&self) -> &'static [Self] {
        match *self {
            Self::Word(_) | Self::Some(_) | Is(_) | Mask | Unmasked => &[],
            Not(a) | Rotate(a, _) | Exchange(a, _) => std::slice::from_ref(a),
            And(of) | Or(of) | Xor(of) | Funnel(of, _) | Insert(of, ..) | Pack(of) => of,
            Choose(of) => of,
        }
    }
}

impl Amount {
    /// The number.
    pub fn value(self, of: Numbers) -> u8 {
        match self {
            By => of.by,
            More => of.more,
            Rest => 16 - of.by,
            Self::Is(number) => number,
            Of(number) => number(of),
        }
    }
}

/// The argument of an instruction in a sequence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arg {
    /// A word that the sequence takes.
    Word(usize),
    /// A number.
    Is(u16),
    /// The result of the instruction of this number.
    Step(usize),
}

/// Instructions in place of an operation.
#[derive(Clone, Debug)]
pub struct Sequence {
    /// What it does.
    #[cfg_attr(not(test), expect(dead_code, reason = "its proof reads it"))]
    pub name: String,
    /// What each result is, as a term on the words that the sequence takes.
    #[cfg_attr(not(test), expect(dead_code, reason = "its proof reads it"))]
    pub patterns: Vec<Term>,
    /// The instructions: the operation, its arguments, and whether it takes the carry of the
    /// instruction before it.
    pub steps: Vec<(InstKind, Vec<Arg>, bool)>,
    /// For each result the number of the instruction that has it.
    pub results: Vec<usize>,
}

/// Neighbouring fields of `by` bits change places, in a word of either polarity. AND extracts the
/// even fields a. With the odd fields b, the result is `a << by | b >> by`; for single bits it is
/// `((a + b + a) >> 1) + a`, where the first sum has 17 bits.
pub fn exchange(by: u8) -> Sequence {
    use Arg::{Step, Word};
    let even = (InstKind::Tri(Tri::And), vec![Word(0), Arg::Is(u16::MAX / ((1 << by) + 1))], false);
    let steps = match by {
        1 => vec![
            even,
            (InstKind::Tri(Tri::Add), vec![Word(0), Step(0)], false),
            (InstKind::Shift("csr", 1), vec![Step(1)], true),
            (InstKind::Tri(Tri::Add), vec![Step(2), Step(0)], false),
        ],
        _ => vec![
            even,
            (InstKind::Tri(Tri::Sub), vec![Word(0), Step(0)], false),
            (InstKind::Shift("lsl", by), vec![Step(0)], false),
            (InstKind::Shift("lsr", by), vec![Step(1)], false),
            (InstKind::Tri(Tri::Or), vec![Step(2), Step(3)], false),
        ],
    };
    let pattern = FIELDS[by.ilog2() as usize];
    let results = vec![steps.len() - 1];
    Sequence { name: format!("exchange_fields_of_{by}"), patterns: vec![pattern], steps, results }
}

/// The word X with its neighbouring fields of 1, 2 and 4 bits exchanged.
const FIELDS: [Term; 3] = [
    Or(&[
        And(&[Funnel(&[X, ZERO], Amount::Is(15)), Is(0xaaaa)]),
        And(&[Funnel(&[ZERO, X], Amount::Is(1)), Is(0x5555)]),
    ]),
    Or(&[
        And(&[Funnel(&[X, ZERO], Amount::Is(14)), Is(0xcccc)]),
        And(&[Funnel(&[ZERO, X], Amount::Is(2)), Is(0x3333)]),
    ]),
    Or(&[
        And(&[Funnel(&[X, ZERO], Amount::Is(12)), Is(0xf0f0)]),
        And(&[Funnel(&[ZERO, X], Amount::Is(4)), Is(0x0f0f)]),
    ]),
];

/// Pairs of a limb and its lower neighbour, for words of two limbs and of four.
const NEIGHBOURS: [&[[Term; 2]]; 2] = [&[[X, Y], [Y, X]], &[[X, W], [Y, X], [Z, Y], [W, Z]]];

/// The neighbours of a word of `limbs` limbs, 2 or 4.
fn neighbours(limbs: usize) -> &'static [[Term; 2]] {
    NEIGHBOURS[usize::from(limbs > 2)]
}

/// A word of `limbs` limbs, the lowest first, is rotated left by one: LSL of the lowest limb, CSL
/// of the others, then ADC adds the last carry to the lowest limb.
pub fn turn_left(limbs: usize) -> Sequence {
    let shift = |i: usize| {
        (InstKind::Shift(if i == 0 { "lsl" } else { "csl" }, 1), vec![Arg::Word(i)], i > 0)
    };
    let mut steps: Vec<_> = (0..limbs).map(shift).collect();
    steps.push((InstKind::Tri(Tri::Adc), vec![Arg::Step(0), Arg::Is(0)], true));
    let results = std::iter::once(limbs).chain(1..limbs).collect();
    let patterns = neighbours(limbs).iter().map(|of| Funnel(of, Amount::Is(15))).collect();
    Sequence { name: format!("turn_{limbs}_limbs_left"), patterns, steps, results }
}

/// A word of `limbs` limbs is rotated right by one: LSR of a copy of the lowest limb puts its
/// lowest bit into the carry, then CSR shifts from the highest limb down.
pub fn turn_right(limbs: usize) -> Sequence {
    let mut steps = vec![(InstKind::Shift("lsr", 1), vec![Arg::Word(0)], false)];
    let down = (0..limbs).rev();
    steps.extend(down.map(|i| (InstKind::Shift("csr", 1), vec![Arg::Word(i)], true)));
    let results = (0..limbs).map(|i| limbs - i).collect();
    // Limb i takes its highest bit from the limb above: limb i + 1 is that whose lower neighbour is
    // limb i.
    let above = |i: usize| &neighbours(limbs)[(i + 1) % limbs];
    let patterns = (0..limbs).map(|i| Funnel(above(i), Amount::Is(1))).collect();
    Sequence { name: format!("turn_{limbs}_limbs_right"), patterns, steps, results }
}
