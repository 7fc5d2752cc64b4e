//! Lemmas in SMT-LIB 2.6, logic QF_BV: each says that two words never differ, and is proved when a
//! solver answers `unsat`.

use super::frontier::{Frontier, Row};
use super::term::{TermId, TermKind, Terms};
use manylane_graph::Op;
use manylane_graph::interpret::evaluate;
use std::collections::HashMap;
use std::fmt::Write;

/// A lemma. Its variables are numbered as they occur, so that equal lemmas have equal texts.
#[derive(Clone, Debug)]
pub struct Lemma {
    /// Declarations, definitions and one assertion, without `check-sat`.
    pub text: String,
    /// How often it is used.
    pub uses: usize,
    /// A description of its first use.
    pub about: String,
    /// The terms for which its variables stand at the first use.
    pub(super) over: Vec<TermId>,
}

impl Lemma {
    /// The file.
    pub fn file(&self) -> String {
        let Self { text, uses, about, .. } = self;
        format!(
            "; {about}\n; used {uses} times; unsat says that it holds\n{text}(check-sat)\n(exit)\n"
        )
    }
}

/// States that two terms are equal for all values of the free terms.
pub(super) fn equal(terms: &Terms, new: TermId, old: TermId, frontier: &Frontier) -> Lemma {
    let mut text = Text::new(terms, frontier);
    let (new, old) = (text.name(new), text.name(old));
    text.finish(&format!("(distinct {new} {old})"))
}

/// States that the sum of the halves of a 3:2 row is the sum of its terms.
pub(super) fn row(terms: &Terms, half: TermId, row: Row, frontier: &Frontier) -> Lemma {
    let mut text = Text::new(terms, frontier);
    // The shifted half last and the terms in order, so that rows of one kind are one lemma.
    let mut halves = [half, row.other];
    halves.sort_by_key(|&half| terms.kind(half) == TermKind::Op(Op::Shl(1)));
    let [sum, carry] = halves.map(|half| text.name(half));
    let mut of = row.terms.map(|term| text.name(term));
    of.sort();
    let of = folded("bvadd", &of);
    text.finish(&format!("(distinct (bvadd {sum} {carry}) {of})"))
}

struct Text<'t> {
    terms: &'t Terms,
    frontier: &'t Frontier,
    names: HashMap<TermId, String>,
    over: Vec<TermId>,
    declared: String,
    defined: String,
    boxed: bool,
}

impl<'t> Text<'t> {
    fn new(terms: &'t Terms, frontier: &'t Frontier) -> Self {
        let (declared, defined) = (String::new(), String::new());
        Self {
            terms,
            frontier,
            names: HashMap::new(),
            over: Vec::new(),
            declared,
            defined,
            boxed: false,
        }
    }

    fn finish(self, claim: &str) -> Lemma {
        let s_box = if self.boxed { s_box() } else { String::new() };
        let (declared, defined) = (&self.declared, &self.defined);
        let text = format!("(set-logic QF_BV)\n{s_box}{declared}{defined}(assert {claim})\n");
        Lemma { text, uses: 0, about: String::new(), over: self.over }
    }

    /// The name of a term, once it is declared or defined.
    fn name(&mut self, term: TermId) -> String {
        if let Some(known) = self.names.get(&term) {
            return known.clone();
        }
        let width = self.terms.width(term);
        let is_free = self.frontier.free.contains(&term);
        let name = match self.terms.kind(term) {
            TermKind::Const(value) if !is_free || self.frontier.literal => literal(value, width),
            _ if is_free => self.variable(term, width),
            TermKind::Free | TermKind::Const(_) => self.variable(term, width),
            TermKind::Op(op) => {
                let below = self.frontier.below(self.terms, term);
                let args: Vec<String> = below.iter().map(|&arg| self.name(arg)).collect();
                let value = match self.frontier.rows.get(&term) {
                    Some(_) => {
                        let sum = folded("bvadd", &args[..3]);
                        format!("(bvsub {sum} {})", args[3])
                    }
                    None => self.op(op, width, &args),
                };
                let name = format!("t{}", self.names.len());
                let _ = writeln!(self.defined, "(define-fun {name} () (_ BitVec {width}) {value})");
                name
            }
        };
        self.names.insert(term, name.clone());
        name
    }

    fn variable(&mut self, term: TermId, width: u32) -> String {
        let name = format!("x{}", self.over.len());
        self.over.push(term);
        let _ = writeln!(self.declared, "(declare-const {name} (_ BitVec {width}))");
        name
    }

    fn op(&mut self, op: Op, width: u32, args: &[String]) -> String {
        let x = &args[0];
        let amount = |n: u8| literal(n.into(), width);
        match op {
            Op::Add => folded("bvadd", args),
            Op::Sub => folded("bvsub", args),
            Op::And => folded("bvand", args),
            Op::Or => folded("bvor", args),
            Op::Xor => folded("bvxor", args),
            Op::Xnor => format!("(bvnot {})", folded("bvxor", args)),
            Op::Not => format!("(bvnot {x})"),
            Op::Rotl(n) => format!("((_ rotate_left {n}) {x})"),
            Op::Rotr(n) => format!("((_ rotate_right {n}) {x})"),
            Op::Shl(n) => format!("(bvshl {x} {})", amount(n)),
            Op::Shr(n) => format!("(bvlshr {x} {})", amount(n)),
            Op::RotlVar => turned(["bvshl", "bvlshr"], width, args),
            Op::RotrVar => turned(["bvlshr", "bvshl"], width, args),
            Op::Lut3(table) => minterms(table, width, args),
            Op::Carry => {
                let wide = |arg: &String| format!("((_ zero_extend {width}) {arg})");
                let sum = folded("bvadd", &args.iter().map(wide).collect::<Vec<_>>());
                format!("((_ extract {} {width}) {sum})", 2 * width - 1)
            }
            Op::SwapBytes => bytes(width, (0..width / 8).collect(), |i| byte(x, i)),
            Op::SubBytes => {
                self.boxed = true;
                let boxed = |i: u32| format!("(s_box {})", byte(x, i));
                bytes(width, (0..width / 8).rev().collect(), boxed)
            }
            Op::Xtime => {
                let doubled = |i: u32| {
                    let byte = byte(x, i);
                    format!(
                        "(bvxor (bvshl {byte} #x01) \
                         (bvmul ((_ zero_extend 7) ((_ extract 7 7) {byte})) #x1b))"
                    )
                };
                bytes(width, (0..width / 8).rev().collect(), doubled)
            }
            Op::Input(_) | Op::Const(_) | Op::Call(_) | Op::Result(_) | Op::External => {
                unreachable!("{op:?} is no operation on words")
            }
        }
    }
}

/// `f(f(a, b), c)`: not every solver takes more than two arguments.
fn folded(function: &str, args: &[String]) -> String {
    let first = args[0].clone();
    args[1..].iter().fold(first, |left, right| format!("({function} {left} {right})"))
}

/// A rotation: `x` shifted by `y` mod `width` one way, and by the rest the other way.
fn turned([there, back]: [&str; 2], width: u32, args: &[String]) -> String {
    let amount = format!("(bvand {} {})", args[1], literal(u64::from(width) - 1, width));
    let rest = format!("(bvsub {} {amount})", literal(width.into(), width));
    format!("(bvor ({there} {x} {amount}) ({back} {x} {rest}))", x = args[0])
}

fn minterms(table: u8, width: u32, args: &[String]) -> String {
    let minterm = |i: u8| {
        let factor = |(k, arg): (usize, &String)| match i >> (2 - k) & 1 {
            1 => arg.clone(),
            _ => format!("(bvnot {arg})"),
        };
        folded("bvand", &args.iter().enumerate().map(factor).collect::<Vec<_>>())
    };
    let ones: Vec<String> = (0..8).filter(|i| table >> i & 1 == 1).map(minterm).collect();
    if ones.is_empty() { literal(0, width) } else { folded("bvor", &ones) }
}

fn byte(x: &str, i: u32) -> String {
    format!("((_ extract {} {}) {x})", 8 * i + 7, 8 * i)
}

/// The bytes `f` of these numbers, the first at the most significant end.
fn bytes(width: u32, order: Vec<u32>, f: impl Fn(u32) -> String) -> String {
    let bytes: Vec<String> = order.into_iter().map(f).collect();
    if width == 8 { bytes[0].clone() } else { folded("concat", &bytes) }
}

fn literal(value: u64, width: u32) -> String {
    match width.is_multiple_of(4) {
        true => format!("#x{value:0digits$x}", digits = width as usize / 4),
        false => format!("#b{value:0width$b}", width = width as usize),
    }
}

/// FIPS 197, Figure 7.
fn s_box() -> String {
    let value = |x: u64| evaluate(Op::SubBytes, 8, &[x]);
    let table = (0..255).rev().fold(literal(value(255), 8), |rest, x| {
        format!("\n  (ite (= x {}) {} {rest})", literal(x, 8), literal(value(x), 8))
    });
    format!("(define-fun s_box ((x (_ BitVec 8))) (_ BitVec 8) {table})\n")
}
