//! Finds the values that a body computes from bytes of an S-box by linear operations alone, and
//! computes them as sums (exclusive ors) of table rows.
//!
//! ```text
//!  S-box of a byte ──► doublings, shifts, exclusive or ──► bytes, each of the same few S(x)
//!
//!  bytes of the same S(x) are a column:  column = row(x_0) ^ row(x_1) ^ ...
//!  row(x)   the words of 16 bits that S(x) alone contributes: 256 rows are a table
//! ```
//!
//! The set of words in a row matters, not where they go: bytes whose rows have the same words share
//! a table. Doublings and the S-box are in the table. A byte therefore costs one address, and a
//! load and an exclusive or for each word.

use manylane_graph::interpret::evaluate;
use manylane_graph::{Function, NodeId, Op};
use std::collections::HashMap;

/// The bits of a byte, or of a word of 16 bits, as sums of bits of S(x): the contribution of each
/// of the eight.
type Matrix = [u16; 8];

/// A byte of the word to which a node applies the S-box; the byte is looked up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SboxByte {
    /// The node of the S-box.
    pub node: NodeId,
    /// The number of the byte, the lowest first.
    pub byte: usize,
}

/// A byte of a node's word.
pub type Byte = (NodeId, usize);

/// Bytes that are sums of the same bytes.
#[derive(Clone, Debug)]
pub struct SumColumn {
    /// For each word of 16 bits: its high and its low byte, and the constant that is added in the
    /// end.
    pub words: Vec<([Byte; 2], u16)>,
    /// Each source with its table, and for each word the number of the row's word that it takes.
    pub sources: Vec<(SboxByte, usize, Vec<usize>)>,
}

/// A table, by the words that its rows have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table {
    words: Vec<Matrix>,
}

/// The columns of a body.
#[derive(Clone, Debug, Default)]
pub struct Lookups {
    /// All columns.
    pub columns: Vec<SumColumn>,
    /// The tables of all columns.
    pub tables: Vec<Table>,
    /// For each byte that is a sum: its column, and its place there. Two places are a word.
    pub places: HashMap<Byte, (usize, usize)>,
}

/// The largest number of bytes of all tables of a body.
const MOST_BYTES: usize = 4096;

/// The largest number of words of a row that a load reaches.
const MOST_WORDS: usize = 16;

impl Table {
    /// The number of bits by which a byte is shifted left to give the offset of its row.
    pub fn shift(&self) -> u8 {
        1 + self.words.len().next_power_of_two().trailing_zeros() as u8
    }

    /// Bytes of the whole table.
    pub fn bytes(&self) -> usize {
        256 << self.shift()
    }

    /// The table's label, which its content determines.
    pub fn label(&self) -> String {
        let words = self.words.iter().flatten();
        let hash = words.fold(0x811c_9dc5_u32, |hash, &word| {
            (hash ^ u32::from(word)).wrapping_mul(0x0100_0193)
        });
        format!("xgate_rows_{hash:08x}")
    }

    /// The words of all rows.
    pub fn rows(&self) -> impl Iterator<Item = Vec<u16>> {
        (0..256_u64).map(|x| {
            let s = evaluate(Op::SubBytes, 8, &[x]);
            let word = |of: &Matrix| {
                (0..8).filter(|bit| s >> bit & 1 == 1).fold(0, |word, bit| word ^ of[bit])
            };
            let mut row: Vec<u16> = self.words.iter().map(word).collect();
            row.resize(self.words.len().next_power_of_two(), 0);
            row
        })
    }
}

/// A bit as a sum of bits of S(x), given by ascending numbers, and whether 1 is added.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Bit {
    of: Vec<u32>,
    one: bool,
}

impl Bit {
    fn is_zero(&self) -> bool {
        self.of.is_empty() && !self.one
    }

    fn plus(&self, other: &Self) -> Self {
        let mut of = Vec::with_capacity(self.of.len() + other.of.len());
        let (mut a, mut b) = (self.of.iter().peekable(), other.of.iter().peekable());
        loop {
            match (a.peek(), b.peek()) {
                (Some(x), Some(y)) if x == y => {
                    a.next();
                    b.next();
                }
                (Some(x), Some(y)) if x < y => of.extend(a.next()),
                (Some(_), None) => of.extend(a.next()),
                (_, Some(_)) => of.extend(b.next()),
                (None, None) => break,
            }
        }
        Self { of, one: self.one ^ other.one }
    }
}

/// The bits of a word, the lowest first.
type Bits = Vec<Bit>;

fn sum(words: &[&Bits]) -> Bits {
    let width = words[0].len();
    (0..width)
        .map(|i| words[1..].iter().fold(words[0][i].clone(), |sum, word| sum.plus(&word[i])))
        .collect()
}

/// The bits of an operation's result, if they are sums of bits of S(x).
fn bits(op: Op, width: usize, args: &[&Bits]) -> Option<Bits> {
    let complement = |mut word: Bits| {
        word.iter_mut().for_each(|bit| bit.one = !bit.one);
        word
    };
    let shifted = |by: i32| -> Bits {
        let bit = |i: usize| usize::try_from(i as i32 + by).ok().and_then(|i| args[0].get(i));
        (0..width).map(|i| bit(i).cloned().unwrap_or_default()).collect()
    };
    let turned =
        |by: usize| -> Bits { (0..width).map(|i| args[0][(i + by) % width].clone()).collect() };
    Some(match op {
        Op::Const(value) => {
            let one = |i: usize| value >> i & 1 == 1;
            (0..width).map(|i| Bit { of: Vec::new(), one: one(i) }).collect()
        }
        Op::Xor => sum(args),
        Op::Xnor => complement(sum(args)),
        Op::Not => complement(args[0].clone()),
        // A disjunction of words that have no bit in common is a sum.
        Op::Or => {
            let meet = |i: usize| args.iter().filter(|word| !word[i].is_zero()).count() > 1;
            if (0..width).any(meet) {
                return None;
            }
            sum(args)
        }
        Op::Rotr(n) => turned(n.into()),
        Op::Rotl(n) => turned(width - usize::from(n)),
        Op::Shr(n) => shifted(n.into()),
        Op::Shl(n) => shifted(-i32::from(n)),
        Op::SwapBytes => {
            (0..width).map(|i| args[0][width - 8 - i / 8 * 8 + i % 8].clone()).collect()
        }
        // Multiplication by x: bit 7 goes to the bits of the modulus.
        Op::Xtime => {
            let modulus = evaluate(Op::Xtime, 8, &[0x80]);
            (0..width)
                .map(|i| {
                    let below = if i % 8 == 0 { Bit::default() } else { args[0][i - 1].clone() };
                    let top = &args[0][i / 8 * 8 + 7];
                    if modulus >> (i % 8) & 1 == 1 { below.plus(top) } else { below }
                })
                .collect()
        }
        Op::Input(_)
        | Op::Add
        | Op::Carry
        | Op::Sub
        | Op::And
        | Op::RotlVar
        | Op::RotrVar
        | Op::Lut3(_)
        | Op::SubBytes
        | Op::Call(_)
        | Op::Result(_)
        | Op::External => return None,
    })
}

/// Bit i of the result of the n-th S-box has the number `WIDEST * n + i`.
const WIDEST: u32 = 64;

impl Lookups {
    /// The columns of a body. There are none if a value has another form or the tables are too
    /// large.
    pub fn of(body: &Function) -> Self {
        let mut words: Vec<Option<Bits>> = Vec::with_capacity(body.len());
        let mut boxes: Vec<NodeId> = Vec::new();
        for node in body.nodes() {
            let width = usize::from(body.width(node));
            let args: Option<Vec<&Bits>> =
                body.args(node).iter().map(|arg| words[arg.index()].as_ref()).collect();
            let word = if body.op(node) == Op::SubBytes {
                let first = boxes.len() as u32 * WIDEST;
                boxes.push(node);
                let bit = |i: u32| Bit { of: vec![first + i], one: false };
                Some((0..width as u32).map(bit).collect())
            } else {
                args.and_then(|args| bits(body.op(node), width, &args))
            };
            words.push(word);
        }
        let has_doublings = body.nodes().any(|node| body.op(node) == Op::Xtime);
        if boxes.is_empty() || !has_doublings {
            return Self::default();
        }
        // The nodes that an output takes, or a node that is no sum of bits of S(x).
        let mut is_taken = vec![false; body.len()];
        for node in body.nodes() {
            if words[node.index()].is_none() || body.op(node) == Op::SubBytes {
                body.args(node).iter().for_each(|arg| is_taken[arg.index()] = true);
            }
        }
        body.outputs().iter().for_each(|output| is_taken[output.value.index()] = true);
        let is_sum = |node: NodeId| {
            let word = words[node.index()].as_ref();
            is_taken[node.index()]
                && body.op(node) != Op::SubBytes
                && word.is_some_and(|word| word.iter().any(|bit| !bit.of.is_empty()))
        };
        let bits_of = |(node, byte): Byte| -> &[Bit] {
            let word = words[node.index()].as_ref().expect("only sums are asked for");
            &word[8 * byte..8 * byte + 8]
        };
        let mut groups: Vec<(Vec<u32>, Vec<Byte>)> = Vec::new();
        for node in body.nodes().filter(|&node| is_sum(node)) {
            for byte in 0..usize::from(body.width(node)) / 8 {
                let numbers = bits_of((node, byte)).iter().flat_map(|bit| bit.of.iter());
                let mut sources: Vec<u32> = numbers.map(|number| number / 8 * 8).collect();
                sources.sort_unstable();
                sources.dedup();
                match groups.iter_mut().find(|(known, _)| *known == sources) {
                    Some((_, bytes)) => bytes.push((node, byte)),
                    None => groups.push((sources, vec![(node, byte)])),
                }
            }
        }
        // Neighbouring bytes follow each other, so that words can be put together early.
        groups.sort_by_key(|(_, bytes)| bytes.iter().map(|&(_, byte)| byte).min());
        let mut all = Self::default();
        for (sources, bytes) in groups {
            let is_even = bytes.len().is_multiple_of(2) && bytes.len() <= 2 * MOST_WORDS;
            if sources.len() < 2 || !is_even {
                return Self::default();
            }
            all.column(&sources, &bytes, &boxes, &bits_of);
        }
        let bytes: usize = all.tables.iter().map(Table::bytes).sum();
        if bytes > MOST_BYTES { Self::default() } else { all }
    }

    /// Adds a column of bytes with their bits. `sources` are the numbers of the lowest bits of the
    /// bytes that it is a sum of.
    fn column<'b>(
        &mut self,
        sources: &[u32],
        bytes: &[Byte],
        boxes: &[NodeId],
        bits: &dyn Fn(Byte) -> &'b [Bit],
    ) {
        let word = |pair: &[Byte], is_set: &dyn Fn(&Bit) -> bool| -> u16 {
            let low_first = pair.iter().rev().flat_map(|&byte| bits(byte));
            low_first.enumerate().map(|(i, bit)| u16::from(is_set(bit)) << i).sum()
        };
        let pairs = bytes.chunks(2);
        let words = pairs.clone().map(|pair| ([pair[0], pair[1]], word(pair, &|bit| bit.one)));
        let words = words.collect();
        let sources = sources.iter().map(|&first| {
            let of = |pair| -> Matrix {
                std::array::from_fn(|i| word(pair, &|bit| bit.of.contains(&(first + i as u32))))
            };
            let matrices: Vec<Matrix> = pairs.clone().map(of).collect();
            let mut row = matrices.clone();
            row.sort_unstable();
            row.dedup();
            let at = |of: &Matrix| row.binary_search(of).expect("the row has it");
            let takes = matrices.iter().map(at).collect();
            let table = Table { words: row };
            let known = self.tables.iter().position(|known| *known == table);
            let known = known.unwrap_or_else(|| {
                self.tables.push(table);
                self.tables.len() - 1
            });
            let node = boxes[(first / WIDEST) as usize];
            (SboxByte { node, byte: (first % WIDEST) as usize / 8 }, known, takes)
        });
        let sources = sources.collect();
        let number = self.columns.len();
        for (place, &byte) in bytes.iter().enumerate() {
            self.places.insert(byte, (number, place));
        }
        self.columns.push(SumColumn { words, sources });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use manylane_graph::builder::Builder;
    use manylane_graph::interpret::run_main;
    use manylane_graph::{Module, Role};

    /// A function that adds an operation on S(x), S(x) with its bytes rotated by one, and a number.
    fn mixed(op: Op, width: u8) -> Function {
        let mut b = Builder::new("mixed");
        let x = b.input("x", Role::Message, width);
        let s = b.op(Op::SubBytes, &[x]);
        let [changed, turned] = [op, Op::Rotr(8)].map(|op| b.op(op, &[s]));
        let y = b.op(Op::Xor, &[changed, turned]);
        let number = b.constant(0x12c8_07f1, width);
        let y = b.op(Op::Xor, &[y, number]);
        b.output("y", y);
        b.finish()
    }

    #[test]
    fn rows_add_up_to_what_the_body_computes() {
        let function = mixed(Op::Xtime, 16);
        let lookups = Lookups::of(&function);
        assert_eq!((lookups.columns.len(), lookups.tables.len()), (1, 2));
        let SumColumn { words, sources } = &lookups.columns[0];
        let rows: Vec<Vec<Vec<u16>>> =
            lookups.tables.iter().map(|table| table.rows().collect()).collect();
        let module = Module::of(function);
        for x in (0..=u64::from(u16::MAX)).step_by(251) {
            let expected = run_main(&module, &[x])[0];
            let looked_up = |&(source, table, ref at): &(SboxByte, usize, Vec<usize>)| {
                rows[table][(x >> (8 * source.byte) & 0xff) as usize][at[0]]
            };
            let word = sources.iter().map(looked_up).fold(words[0].1, |sum, row| sum ^ row);
            let [high, low] = words[0].0.map(|(_, byte)| byte);
            let got = u64::from(word >> 8) << (8 * high) | u64::from(word & 0xff) << (8 * low);
            assert_eq!(got, expected, "{x:04x}");
        }
    }

    #[test]
    fn bodies_of_another_kind_have_no_columns() {
        // In the first body nothing is doubled; in the second one no two bytes are sums of the same
        // bytes.
        for (op, width) in [(Op::Not, 16), (Op::Xtime, 32)] {
            assert!(Lookups::of(&mixed(op, width)).columns.is_empty(), "{op:?}, {width} bits");
        }
    }
}
