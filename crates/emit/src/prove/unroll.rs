//! Computes the values of a netlist's signals in the clocks after a block is taken, as terms over
//! the block.
//!
//! Clock 0 is the one in which the block is taken; clocks in which the core waits for its result to
//! be taken are not counted, for no register changes in them. Nothing else is assumed: registers
//! may have any values in clock 0, and ports may have any values later. The results therefore hold
//! for a core that works on other blocks before and after, whatever its state was.
//!
//! Control is followed as sets of possible values. Where such a set leaves open which of two words
//! is chosen, the word is unknown.

use super::cut::Cuts;
use super::term::TermId;
use crate::rtl::{Driver, Expr, Netlist, SignalId, Value};
use manylane_graph::Op;
use std::collections::{BTreeSet, HashMap};

/// A signal in a clock.
pub(super) type TimedSignal = (SignalId, u32);

/// What a signal carries.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Carried {
    /// Any of these numbers.
    Few(BTreeSet<u64>),
    /// Words side by side, the first at the most significant end.
    Words(Vec<TermId>),
    /// An unknown value: that of a signal in some clock.
    Unknown(TimedSignal),
}

/// Signals of at most this many bits are followed as sets.
const FEW_BITS: u32 = 8;

/// The reasons for which a signal cannot be followed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unrollable {
    /// Wires form a cycle.
    #[error("{signal} depends on itself in clock {clock}")]
    Loop {
        /// A signal of the cycle.
        signal: String,
        /// The clock.
        clock: u32,
    },
    /// A part of a word, or another module's output.
    #[error("{signal} is {what}, which the proof does not follow")]
    Unsupported {
        /// The signal.
        signal: String,
        /// What it is.
        what: &'static str,
    },
}

/// A netlist whose signals are followed from clock to clock.
pub(super) struct Unroll<'n> {
    net: &'n Netlist,
    /// Signals that have one value in all clocks.
    given: HashMap<SignalId, u64>,
    /// Signals that have a value in one clock.
    given_at: HashMap<TimedSignal, Carried>,
    /// The values that were found so far, by signal and clock.
    known: HashMap<TimedSignal, Carried>,
}

/// A value that must be known first, or the reason for which it cannot be known.
enum Lack {
    Value(TimedSignal),
    Error(Unrollable),
}

type Found<T = Carried> = Result<T, Lack>;

impl<'n> Unroll<'n> {
    /// Starts from values that the claim gives: `given` in all clocks, `given_at` in one each.
    pub(super) fn new(
        net: &'n Netlist,
        given: HashMap<SignalId, u64>,
        given_at: HashMap<TimedSignal, Carried>,
    ) -> Self {
        Self { net, given, given_at, known: HashMap::new() }
    }

    /// The signals and clocks that were looked at, with the word that they carry if it is one.
    pub(super) fn words(&self) -> impl Iterator<Item = (TimedSignal, TermId)> {
        self.known.iter().filter_map(|(&place, carried)| match carried {
            Carried::Words(words) if words.len() == 1 => Some((place, words[0])),
            Carried::Words(_) | Carried::Few(_) | Carried::Unknown(_) => None,
        })
    }

    /// The value of a signal in a clock, if it was computed.
    pub(super) fn known(&self, place: TimedSignal) -> Option<&Carried> {
        self.known.get(&place)
    }

    /// Returns what a signal carries in a clock.
    ///
    /// # Errors
    /// If it cannot be followed.
    pub(super) fn carried(
        &mut self,
        cuts: &mut Cuts,
        signal: SignalId,
        clock: u32,
    ) -> Result<Carried, Unrollable> {
        let mut open = vec![(signal, clock)];
        let mut pending: BTreeSet<TimedSignal> = open.iter().copied().collect();
        while let Some(&place) = open.last() {
            match self.attempt(cuts, place) {
                Ok(carried) => {
                    self.known.insert(place, carried);
                    pending.remove(&place);
                    open.pop();
                }
                Err(Lack::Value(lacking)) if pending.insert(lacking) => open.push(lacking),
                Err(Lack::Value((signal, clock))) => {
                    return Err(Unrollable::Loop { signal: self.name(signal), clock });
                }
                Err(Lack::Error(error)) => return Err(error),
            }
        }
        Ok(self.known[&(signal, clock)].clone())
    }

    fn name(&self, signal: SignalId) -> String {
        self.net.signal(signal).name.clone()
    }

    fn unsupported(&self, signal: SignalId, what: &'static str) -> Lack {
        Lack::Error(Unrollable::Unsupported { signal: self.name(signal), what })
    }

    fn unknown(&self, (signal, clock): TimedSignal) -> Carried {
        match self.net.signal(signal).width {
            width @ ..=FEW_BITS => Carried::Few((0..1 << width).collect()),
            _ => Carried::Unknown((signal, clock)),
        }
    }

    fn attempt(&self, cuts: &mut Cuts, place: TimedSignal) -> Found {
        let (signal, clock) = place;
        if let Some(given) = self.given_at.get(&place) {
            return Ok(given.clone());
        }
        if let Some(&given) = self.given.get(&signal) {
            return Ok(Carried::Few([given].into()));
        }
        match &self.net.signal(signal).driver {
            Driver::Input => Ok(self.unknown(place)),
            Driver::Instance => Err(self.unsupported(signal, "another module's output")),
            Driver::Wire(expr) => self.expr(cuts, place, expr, clock),
            Driver::Register { .. } if clock == 0 => Ok(self.unknown(place)),
            Driver::Register { next, load, .. } => {
                let next = next.as_ref().expect("registers are connected");
                let loads = match load {
                    Some(load) => self.few((*load, clock - 1))?,
                    None => [1].into(),
                };
                let zeros = match self.net.zero {
                    Some(zero) => self.few((zero, clock - 1))?,
                    None => [0].into(),
                };
                let mut either = Vec::new();
                if zeros.contains(&1) {
                    let width = self.net.signal(signal).width;
                    either.push(self.value(cuts, Value::Const(0), width, clock)?);
                }
                if zeros == [1].into() {
                    return Ok(self.one_of(place, either));
                }
                if loads.contains(&1) {
                    either.push(self.expr(cuts, place, next, clock - 1)?);
                }
                if loads.contains(&0) {
                    either.push(self.get((signal, clock - 1))?);
                }
                Ok(self.one_of(place, either))
            }
        }
    }

    fn get(&self, place: TimedSignal) -> Found {
        self.known.get(&place).cloned().ok_or(Lack::Value(place))
    }

    /// The values that a signal of control may have.
    fn few(&self, place: TimedSignal) -> Found<BTreeSet<u64>> {
        match self.get(place)? {
            Carried::Few(few) => Ok(few),
            Carried::Words(_) | Carried::Unknown(_) => {
                let width = self.net.signal(place.0).width;
                match width {
                    ..=FEW_BITS => Ok((0..1 << width).collect()),
                    _ => Err(self.unsupported(place.0, "a word that control depends on")),
                }
            }
        }
    }

    /// A value that is one of these; it is not known which.
    fn one_of(&self, place: TimedSignal, either: Vec<Carried>) -> Carried {
        let few = |carried: &Carried| match carried {
            Carried::Few(few) => Some(few.clone()),
            Carried::Words(_) | Carried::Unknown(_) => None,
        };
        if either.windows(2).all(|pair| pair[0] == pair[1]) {
            return either.into_iter().next().unwrap_or_else(|| self.unknown(place));
        }
        match either.iter().map(few).collect::<Option<Vec<_>>>() {
            Some(sets) => Carried::Few(sets.into_iter().flatten().collect()),
            None => self.unknown(place),
        }
    }

    fn value(&self, cuts: &mut Cuts, value: Value, width: u32, clock: u32) -> Found {
        match value {
            Value::Signal(signal) => self.get((signal, clock)),
            Value::Const(value) if width <= FEW_BITS => Ok(Carried::Few([value].into())),
            Value::Const(value) if width <= 64 => {
                Ok(Carried::Words(vec![cuts.terms.constant(value, width)]))
            }
            Value::Const(_) => Ok(Carried::Words(Vec::new())),
        }
    }

    /// The value of an expression for signal `place.0` in clock `clock`.
    fn expr(&self, cuts: &mut Cuts, place: TimedSignal, expr: &Expr, clock: u32) -> Found {
        let width = self.net.signal(place.0).width;
        match expr {
            Expr::Value(value) => self.value(cuts, *value, width, clock),
            Expr::Op(op, args) => {
                let args: Vec<Carried> = args
                    .iter()
                    .map(|&arg| self.value(cuts, arg, width, clock))
                    .collect::<Found<_>>()?;
                self.op(cuts, place, *op, &args)
            }
            Expr::Choose { condition, then, otherwise } => {
                let condition = self.few((*condition, clock))?;
                let arms = [(1, then), (0, otherwise)].into_iter();
                let chosen = arms.filter(|(value, _)| condition.contains(value));
                let chosen = chosen.map(|(_, arm)| self.value(cuts, *arm, width, clock));
                Ok(self.one_of(place, chosen.collect::<Found<_>>()?))
            }
            Expr::Select { selector, arms } => {
                let mut chosen = Vec::new();
                for value in self.few((*selector, clock))? {
                    let arm = arms.iter().find(|(values, _)| values.contains(&(value as u32)));
                    // A selector value without an arm does not matter: the result may be anything.
                    let Some((_, arm)) = arm else { return Ok(self.unknown(place)) };
                    let arm = self.value(cuts, *arm, width, clock)?;
                    if !chosen.contains(&arm) {
                        chosen.push(arm);
                    }
                }
                Ok(self.one_of(place, chosen))
            }
            Expr::Equals(signal, value) => {
                let is = |few: BTreeSet<u64>| {
                    few.iter().map(|x| u64::from(*x == u64::from(*value))).collect()
                };
                Ok(Carried::Few(match self.get((*signal, clock))? {
                    Carried::Few(few) => is(few),
                    Carried::Words(_) | Carried::Unknown(_) => [0, 1].into(),
                }))
            }
            Expr::AtLeast(..)
            | Expr::Bit(..)
            | Expr::OneHot(_)
            | Expr::Bytes(..)
            | Expr::Read(..) => Err(self.unsupported(place.0, "made by what cores do not have")),
            Expr::Slice(signal, low) => match self.get((*signal, clock))? {
                Carried::Few(few) => {
                    let mask = (1 << width) - 1;
                    Ok(Carried::Few(few.iter().map(|x| x >> low & mask).collect()))
                }
                Carried::Unknown(place) => Ok(Carried::Unknown(place)),
                Carried::Words(words) => match slice(cuts, &words, *low, width) {
                    Some(words) => Ok(Carried::Words(words)),
                    None => Err(self.unsupported(place.0, "a part of a word")),
                },
            },
            Expr::Concat(parts) => {
                let mut words = Vec::new();
                for part in parts {
                    match self.get((*part, clock))? {
                        Carried::Few(_) => return Ok(self.unknown(place)),
                        Carried::Words(part) => words.extend(part),
                        Carried::Unknown(place) => return Ok(Carried::Unknown(place)),
                    }
                }
                Ok(Carried::Words(words))
            }
        }
    }

    fn op(&self, cuts: &mut Cuts, place: TimedSignal, op: Op, args: &[Carried]) -> Found {
        let width = self.net.signal(place.0).width;
        let few = |arg: &Carried| match arg {
            Carried::Few(few) => Some(few.iter().copied().collect::<Vec<u64>>()),
            Carried::Words(_) | Carried::Unknown(_) => None,
        };
        if let Some(few) = args.iter().map(few).collect::<Option<Vec<_>>>() {
            return Ok(self.of_few(place, op, &few));
        }
        let mut words = Vec::new();
        for arg in args {
            match arg {
                Carried::Words(word) if word.len() == 1 && width > FEW_BITS => words.push(word[0]),
                Carried::Unknown(place) => return Ok(Carried::Unknown(*place)),
                Carried::Words(_) | Carried::Few(_) => return Ok(self.unknown(place)),
            }
        }
        if !matches!(width, 16 | 32 | 64) {
            return Err(self.unsupported(place.0, "an operation on words of an unusual width"));
        }
        Ok(Carried::Words(vec![cuts.op(op, width, &words)]))
    }

    /// An operation of control, on every combination of what its arguments may be.
    fn of_few(&self, place: TimedSignal, op: Op, args: &[Vec<u64>]) -> Carried {
        let mask = (1_u64 << self.net.signal(place.0).width) - 1;
        let function: fn(u64, u64) -> u64 = match op {
            Op::And => |x, y| x & y,
            Op::Or => |x, y| x | y,
            Op::Xor => |x, y| x ^ y,
            Op::Add => u64::wrapping_add,
            Op::Sub => u64::wrapping_sub,
            Op::Not => {
                return Carried::Few(args[0].iter().map(|x| !x & mask).collect());
            }
            _ => return self.unknown(place),
        };
        let first: BTreeSet<u64> = args[0].iter().copied().collect();
        Carried::Few(args[1..].iter().fold(first, |left, right| {
            let pairs = left.iter().flat_map(|x| right.iter().map(move |y| (*x, *y)));
            pairs.map(|(x, y)| function(x, y) & mask).collect()
        }))
    }
}

/// `width` bits from `low` up, if words begin and end there.
fn slice(cuts: &Cuts, words: &[TermId], low: u32, width: u32) -> Option<Vec<TermId>> {
    let mut at: u32 = words.iter().map(|&word| cuts.terms.width(word)).sum();
    let mut taken = Vec::new();
    let mut bits = 0;
    for &word in words {
        let word_bits = cuts.terms.width(word);
        at -= word_bits;
        if at >= low && at + word_bits <= low + width {
            taken.push(word);
            bits += word_bits;
        }
    }
    (bits == width).then_some(taken)
}
