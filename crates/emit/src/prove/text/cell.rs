//! The cells of yosys's library that hardware languages are read into, as logic.
//!
//! After yosys's manual, "Cell library: word-level cells". A cell that is not here is refused: a
//! proof must not guess.

use super::aig::{Aig, Lit, Word};
use super::fault::Difference;
use super::rtlil::{Bit, Cell, Memory, Module, Parameter};
use std::collections::HashMap;

/// The role of a cell in the walk that computes values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CellKind {
    /// Its output depends on its inputs in the same clock.
    Logic,
    /// A flip-flop.
    Register,
    /// A port of a memory at which it is read in the same clock.
    Read,
    /// A port of a memory at which it is written, or what it holds at the beginning.
    Write,
    /// Another module.
    Instance,
}

/// Operations on words.
const LOGIC: &[&str] = &[
    "$not",
    "$pos",
    "$neg",
    "$and",
    "$or",
    "$xor",
    "$xnor",
    "$reduce_and",
    "$reduce_or",
    "$reduce_xor",
    "$reduce_xnor",
    "$reduce_bool",
    "$shl",
    "$shr",
    "$sshl",
    "$sshr",
    "$shift",
    "$shiftx",
    "$lt",
    "$le",
    "$eq",
    "$ne",
    "$eqx",
    "$nex",
    "$ge",
    "$gt",
    "$add",
    "$sub",
    "$logic_not",
    "$logic_and",
    "$logic_or",
    "$mux",
    "$pmux",
];

/// Returns the kind of a cell, if it is known.
pub(super) fn kind(cell: &Cell) -> Option<CellKind> {
    match &cell.kind[..] {
        kind if kind.starts_with('\\') => Some(CellKind::Instance),
        "$dff" | "$adff" => Some(CellKind::Register),
        "$memrd" | "$memrd_v2" if cell.number("CLK_ENABLE") == 0 => Some(CellKind::Read),
        "$memwr" | "$memwr_v2" | "$meminit" | "$meminit_v2" => Some(CellKind::Write),
        kind if LOGIC.contains(&kind) => Some(CellKind::Logic),
        _ => None,
    }
}

/// The error for a cell that is not in the library.
pub(super) fn unknown(cell: &Cell) -> String {
    match &cell.kind[..] {
        "$dlatch" | "$adlatch" | "$dlatchsr" | "$sr" => {
            "is a latch: it keeps its value without a clock".to_owned()
        }
        "$aldff" | "$dffsr" | "$aldffe" | "$dffsre" => {
            "is a register that is set to something other than a constant without its clock"
                .to_owned()
        }
        "$tribuf" => "is high impedance at times".to_owned(),
        kind => format!("comes from what a proof does not follow ({kind})"),
    }
}

/// The port that carries the cell's value.
pub(super) fn output(kind: CellKind) -> &'static str {
    match kind {
        CellKind::Register => "Q",
        CellKind::Read => "DATA",
        CellKind::Logic | CellKind::Write | CellKind::Instance => "Y",
    }
}

/// The bits that a cell's output depends on in the same clock.
pub(super) fn inputs(cell: &Cell) -> Vec<Bit> {
    match kind(cell) {
        Some(CellKind::Read) => cell.port("ADDR").to_vec(),
        _ => {
            let inputs = cell.ports.iter().filter(|(port, _)| *port != "Y");
            inputs.flat_map(|(_, bits)| bits.clone()).collect()
        }
    }
}

/// The name of the memory to which a cell, one of the memory's ports, belongs.
pub(super) fn memory(cell: &Cell) -> &str {
    cell.text("MEMID").trim_start_matches('\\')
}

/// The words of a memory that nothing writes and that has a value at every address.
pub(super) fn table(module: &Module, memory: &Memory) -> Result<Option<Vec<Word>>, Difference> {
    let of_memory = |cell: &&Cell| self::memory(cell) == memory.name;
    let mut table = vec![None; memory.size];
    let mut is_initialized = false;
    for cell in module.cells.iter().filter(of_memory) {
        match &cell.kind[..] {
            "$memwr" | "$memwr_v2" => return Ok(None),
            "$meminit" | "$meminit_v2" => {
                is_initialized = true;
                let address = cell.port("ADDR").iter().enumerate();
                let address: usize =
                    address.map(|(i, bit)| usize::from(*bit == Bit::Const(true)) << i).sum();
                let data = cell.port("DATA");
                for (i, word) in data.chunks(memory.width).enumerate() {
                    let place = (address + i).checked_sub(memory.offset);
                    let place = place.and_then(|place| table.get_mut(place));
                    *place.ok_or_else(|| {
                        Difference::of(&memory.name, "has a word at no address")
                    })? = Some(word.to_vec());
                }
            }
            _ => {}
        }
    }
    let word = |word: Option<Vec<Bit>>| -> Option<Word> {
        let bit = |bit: &Bit| match bit {
            Bit::Const(value) => Some(Lit::constant(*value)),
            Bit::Wire(..) | Bit::Unknown => None,
        };
        word?.iter().map(bit).collect()
    };
    if !is_initialized || memory.offset != 0 {
        return Ok(None);
    }
    let table: Option<Vec<Word>> = table.into_iter().map(word).collect();
    table
        .map(Some)
        .ok_or_else(|| Difference::of(&memory.name, "is a table without some of its words"))
}

/// The questions that [`logic`] asks its caller.
pub(super) struct Questions<'q> {
    /// Gives the bit at an index beyond the end of a word, by the word and the index.
    pub(super) beyond: &'q mut Beyond<'q>,
    /// Whether two words are proved to be equal.
    pub(super) same: &'q mut Same<'q>,
}

/// Gives the bit beyond the end of a word: always the same one for the same word and index.
pub(super) type Beyond<'b> = dyn FnMut(&mut Aig, &[Lit], &[Lit]) -> Lit + 'b;

/// Proves that two words are equal, if it can.
pub(super) type Same<'s> = dyn FnMut(&mut Aig, &[Lit], &[Lit]) -> bool + 's;

/// The output of a cell of logic.
pub(super) fn logic(
    aig: &mut Aig,
    cell: &Cell,
    ports: &HashMap<&str, Word>,
    questions: &mut Questions<'_>,
) -> Result<Word, String> {
    let port = |name: &str| ports.get(name).cloned().unwrap_or_default();
    let (a, b, s) = (port("A"), port("B"), port("S"));
    let (a_signed, b_signed) = (cell.number("A_SIGNED") == 1, cell.number("B_SIGNED") == 1);
    let signed = a_signed && b_signed;
    let width = match cell.parameters.get("Y_WIDTH") {
        Some(Parameter::Bits(_)) => cell.number("Y_WIDTH") as usize,
        _ => cell.port("Y").len(),
    };
    // Operands extended to the result's width, and operands extended to the wider one's.
    let wide = |word: &[Lit], signed: bool| extend(word, width, signed);
    let common = a.len().max(b.len());
    let (x, y) = (extend(&a, common, signed), extend(&b, common, signed));
    let bit = |lit: Lit| extend(&[lit], width, false);
    Ok(match &cell.kind[..] {
        "$not" => wide(&a, a_signed).iter().map(|&bit| !bit).collect(),
        "$pos" => wide(&a, a_signed),
        "$neg" => {
            let zero = vec![Lit::FALSE; width];
            aig.sub(&zero, &wide(&a, a_signed)).0
        }
        "$and" => aig.bitwise(&wide(&a, signed), &wide(&b, signed), Aig::and),
        "$or" => aig.bitwise(&wide(&a, signed), &wide(&b, signed), Aig::or),
        "$xor" => aig.bitwise(&wide(&a, signed), &wide(&b, signed), Aig::xor),
        "$xnor" => aig.bitwise(&wide(&a, signed), &wide(&b, signed), |aig, a, b| !aig.xor(a, b)),
        "$reduce_and" => bit(aig.all(&a)),
        "$reduce_or" | "$reduce_bool" => bit(aig.any(&a)),
        "$reduce_xor" => bit(aig.parity(&a)),
        "$reduce_xnor" => bit(!aig.parity(&a)),
        "$logic_not" => bit(!aig.any(&a)),
        "$logic_and" | "$logic_or" => {
            let (a, b) = (aig.any(&a), aig.any(&b));
            bit(if cell.kind == "$logic_and" { aig.and(a, b) } else { aig.or(a, b) })
        }
        "$add" => aig.add(&wide(&a, signed), &wide(&b, signed), Lit::FALSE).0,
        "$sub" => aig.sub(&wide(&a, signed), &wide(&b, signed)).0,
        "$eq" | "$eqx" => bit(aig.equal(&x, &y)),
        "$ne" | "$nex" => bit(!aig.equal(&x, &y)),
        "$lt" => bit(less(aig, &x, &y, signed)),
        "$ge" => bit(!less(aig, &x, &y, signed)),
        "$gt" => bit(less(aig, &y, &x, signed)),
        "$le" => bit(!less(aig, &y, &x, signed)),
        "$shl" | "$sshl" => {
            let of = wide(&a, a_signed);
            shifted(aig, &of, &b, |bits, by| {
                (0..bits.len()).map(|i| if i < by { Lit::FALSE } else { bits[i - by] }).collect()
            })
        }
        "$shr" | "$sshr" => {
            let longest = width.max(a.len());
            let of = extend(&a, longest, a_signed);
            let fill = match of.last() {
                Some(&top) if cell.kind == "$sshr" && a_signed => top,
                _ => Lit::FALSE,
            };
            let word = shifted(aig, &of, &b, |bits, by| {
                (0..bits.len()).map(|i| bits.get(i + by).copied().unwrap_or(fill)).collect()
            });
            extend(&word, width, false)
        }
        "$shift" | "$shiftx" if b_signed => {
            return Err(
                "is chosen by a number that may be negative, which a proof does not follow"
                    .to_owned(),
            );
        }
        "$shift" | "$shiftx" => {
            let fill = match cell.kind == "$shift" {
                true => Lit::FALSE,
                false => (questions.beyond)(aig, &a, &b),
            };
            let mut of = a.clone();
            of.resize(a.len().max(width), fill);
            let word = shifted(aig, &of, &b, |bits, by| {
                (0..bits.len()).map(|i| bits.get(i + by).copied().unwrap_or(fill)).collect()
            });
            extend(&word, width, false)
        }
        "$mux" => aig.choose_word(s[0], &b, &a),
        // One of several words, where the bit of that word and no other is 1.
        "$pmux" => {
            let count = a.len();
            let mut chosen_before = Lit::FALSE;
            let mut clash = Lit::FALSE;
            for &chosen in &s {
                let both = aig.and(chosen_before, chosen);
                clash = aig.or(clash, both);
                chosen_before = aig.or(chosen_before, chosen);
            }
            let mut out: Word = a.iter().map(|&bit| aig.and(!chosen_before, bit)).collect();
            for (i, &chosen) in s.iter().enumerate() {
                let word = &b[i * count..(i + 1) * count];
                let word: Word = word.iter().map(|&bit| aig.and(chosen, bit)).collect();
                out = aig.bitwise(&out, &word, Aig::or);
            }
            match (questions.same)(aig, &[clash], &[Lit::FALSE]) {
                true => out,
                // If two bits are 1, simulators and synthesis need not agree on the word.
                false => {
                    let anything = aig.inputs(count);
                    aig.choose_word(clash, &anything, &out)
                }
            }
        }
        kind => return Err(format!("comes from what a proof does not follow ({kind})")),
    })
}

/// A word truncated or extended to `width` bits: with zeros or, if `signed`, with copies of the top
/// bit.
fn extend(word: &[Lit], width: usize, signed: bool) -> Word {
    let fill = match word.last() {
        Some(&top) if signed => top,
        _ => Lit::FALSE,
    };
    word.iter().copied().chain(std::iter::repeat(fill)).take(width).collect()
}

fn less(aig: &mut Aig, a: &[Lit], b: &[Lit], signed: bool) -> Lit {
    let (mut a, mut b) = (a.to_vec(), b.to_vec());
    if signed && let (Some(a), Some(b)) = (a.last_mut(), b.last_mut()) {
        // Two's complement numbers with the top bit inverted have the order of unsigned numbers.
        (*a, *b) = (!*a, !*b);
    }
    !aig.sub(&a, &b).1
}

/// A barrel shifter: shifts a word once for each bit of the number `by`.
fn shifted(aig: &mut Aig, word: &[Lit], by: &[Lit], shift: impl Fn(&[Lit], usize) -> Word) -> Word {
    let mut word = word.to_vec();
    for (i, &bit) in by.iter().enumerate() {
        let amount = 1_usize.checked_shl(i as u32).filter(|_| i < 32).unwrap_or(usize::MAX / 2);
        let moved = shift(&word, amount);
        word = aig.choose_word(bit, &moved, &word);
    }
    word
}
