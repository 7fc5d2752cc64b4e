//! The logic of a netlist, to which the logic of its text has to be equal.

use super::aig::{Aig, Lit, Word, constant};
use super::gate::without_zeros;
use crate::rtl::{Driver, Expr, MemoryId, Netlist, SignalId, Value};
use manylane_graph::Op;
use manylane_graph::interpret::evaluate;
use std::collections::HashMap;

/// A netlist that can be asked for values.
pub(super) struct Gold<'n> {
    pub(super) net: &'n Netlist,
    values: HashMap<SignalId, Word>,
    /// For each read of a memory so far: its address and its word.
    pub(super) reads: HashMap<MemoryId, Vec<(Word, Word)>>,
    /// Bits at an index beyond the end of a word, by the word and the index.
    beyond: HashMap<(Word, Word), Lit>,
}

impl<'n> Gold<'n> {
    /// A netlist of which no value has been asked for.
    pub(super) fn new(net: &'n Netlist) -> Self {
        Self { net, values: HashMap::new(), reads: HashMap::new(), beyond: HashMap::new() }
    }

    /// Sets the value of a signal that no expression drives.
    pub(super) fn set(&mut self, signal: SignalId, word: Word) {
        self.values.insert(signal, word);
    }

    /// The wires, each after those that it depends on.
    pub(super) fn wires(&self) -> Vec<SignalId> {
        let mut order = Vec::new();
        let mut seen = std::collections::HashSet::new();
        let mut stack: Vec<(SignalId, bool)> =
            self.net.signals().map(|(id, _)| (id, false)).collect();
        stack.reverse();
        while let Some((id, is_done)) = stack.pop() {
            let Driver::Wire(expr) = &self.net.signal(id).driver else { continue };
            if is_done {
                order.push(id);
            } else if seen.insert(id) {
                stack.push((id, true));
                stack.extend(expr.signals().into_iter().map(|id| (id, false)));
            }
        }
        order
    }

    /// The value of a signal.
    ///
    /// # Panics
    /// If it is asked for before those that it depends on.
    pub(super) fn signal(&self, id: SignalId) -> &Word {
        &self.values[&id]
    }

    /// Computes a wire.
    pub(super) fn wire(&mut self, aig: &mut Aig, id: SignalId) -> Word {
        let net = self.net;
        let signal = net.signal(id);
        let Driver::Wire(expr) = &signal.driver else { unreachable!("it is a wire") };
        let word = self.expr(aig, expr, signal.width as usize);
        self.values.insert(id, word.clone());
        word
    }

    fn value(&self, value: Value, width: usize) -> Word {
        match value {
            Value::Signal(id) => self.values[&id].clone(),
            Value::Const(number) => constant(number, width),
        }
    }

    /// The value of an expression, `width` bits wide.
    pub(super) fn expr(&mut self, aig: &mut Aig, expr: &Expr, width: usize) -> Word {
        match expr {
            Expr::Value(value) => self.value(*value, width),
            Expr::Op(op, args) => {
                let args: Vec<Word> = args.iter().map(|&arg| self.value(arg, width)).collect();
                operation(aig, *op, &args)
            }
            Expr::Choose { condition, then, otherwise } => {
                let condition = self.values[condition][0];
                let (then, otherwise) = (self.value(*then, width), self.value(*otherwise, width));
                aig.choose_word(condition, &then, &otherwise)
            }
            Expr::Select { selector, arms } => self.select(aig, *selector, arms, width),
            Expr::Equals(id, number) => vec![self.equals(aig, *id, *number)],
            Expr::AtLeast(id, number) => {
                let word = self.values[id].clone();
                let number = constant(u64::from(*number), word.len());
                vec![aig.sub(&word, &number).1]
            }
            Expr::Bit(id, number) => {
                let (word, number) = (self.values[id].clone(), self.values[number].clone());
                let beyond = *self
                    .beyond
                    .entry((word.clone(), number.clone()))
                    .or_insert_with(|| aig.input());
                let table: Vec<Word> = word.iter().map(|&bit| vec![bit]).collect();
                aig.look_up(&table, &number, &[beyond])
            }
            Expr::OneHot(number) => {
                let number = self.values[number].clone();
                let is = |i: usize| constant(i as u64, number.len());
                let reaches = |i: usize| number.len() >= 64 || i >> number.len() == 0;
                let bit = |i| if reaches(i) { aig.equal(&number, &is(i)) } else { Lit::FALSE };
                (0..width).map(bit).collect()
            }
            Expr::Bytes(bits, byte) => {
                let bits = self.values[bits].clone();
                let of = |i: usize| match *byte >> (i % 8) & 1 {
                    1 => bits[i / 8],
                    _ => Lit::FALSE,
                };
                (0..width).map(of).collect()
            }
            Expr::Read(memory, address) => self.read(aig, *memory, *address),
            Expr::Slice(id, low) => {
                let low = *low as usize;
                self.values[id][low..low + width].to_vec()
            }
            Expr::Concat(parts) => {
                parts.iter().rev().flat_map(|part| self.values[part].clone()).collect()
            }
        }
    }

    fn equals(&self, aig: &mut Aig, id: SignalId, number: u32) -> Lit {
        let word = &self.values[&id];
        aig.equal(word, &constant(u64::from(number), word.len()))
    }

    /// A selection as the text has it: the last arm applies to all other values.
    fn select(
        &mut self,
        aig: &mut Aig,
        selector: SignalId,
        arms: &[(Vec<u32>, Value)],
        width: usize,
    ) -> Word {
        let Some(((_, last), arms)) = arms.split_last() else { return vec![Lit::FALSE; width] };
        let mut word = self.value(*last, width);
        for (numbers, value) in arms.iter().rev() {
            let chosen: Vec<Lit> =
                numbers.iter().map(|&number| self.equals(aig, selector, number)).collect();
            let chosen = aig.any(&chosen);
            word = aig.choose_word(chosen, &self.value(*value, width), &word);
        }
        word
    }

    fn read(&mut self, aig: &mut Aig, memory: MemoryId, address: SignalId) -> Word {
        let width = self.net.memory_of(memory).width as usize;
        let address = without_zeros(&self.values[&address]);
        let known = self.reads.entry(memory).or_default();
        if let Some((_, word)) = known.iter().find(|(other, _)| *other == address) {
            return word.clone();
        }
        let word = aig.inputs(width);
        known.push((address, word.clone()));
        word
    }

    /// The next value of a register, and its value while the reset is 1 if the reset does not wait
    /// for the clock.
    pub(super) fn next(&mut self, aig: &mut Aig, id: SignalId, reset_at_edge: Lit) -> Word {
        let net = self.net;
        let signal = net.signal(id);
        let Driver::Register { next, load, reset } = &signal.driver else {
            unreachable!("it is a register")
        };
        let width = signal.width as usize;
        let expr = next.as_ref().expect("registers are connected");
        let taken = self.expr(aig, expr, width);
        let enables: Vec<Lit> =
            net.enable.iter().chain(load).map(|id| self.values[id][0]).collect();
        let goes = aig.all(&enables);
        let kept = self.values[&id].clone();
        let word = aig.choose_word(goes, &taken, &kept);
        let zero = net.zero.map(|zero| self.values[&zero][0]);
        let is_reset = *reset || net.zero.is_some();
        let zeroed: Vec<Lit> = is_reset.then_some(reset_at_edge).into_iter().chain(zero).collect();
        let zeroed = aig.any(&zeroed);
        word.iter().map(|&bit| aig.and(!zeroed, bit)).collect()
    }

    /// Whether a reset reaches a register.
    pub(super) fn is_reset(&self, id: SignalId) -> bool {
        match self.net.signal(id).driver {
            Driver::Register { reset, .. } => reset || self.net.zero.is_some(),
            Driver::Input | Driver::Instance | Driver::Wire(_) => false,
        }
    }
}

/// A function of two words.
type OfTwo = dyn Fn(&mut Aig, &[Lit], &[Lit]) -> Word;

fn operation(aig: &mut Aig, op: Op, args: &[Word]) -> Word {
    let width = args[0].len();
    let mut fold = |f: &OfTwo| {
        let rest = args[1..].iter();
        rest.fold(args[0].clone(), |so_far, arg| f(aig, &so_far, arg))
    };
    // Rotated by `n` places to the left.
    let rotated = |n: usize| -> Word {
        (0..width).map(|i| args[0][(i + width - n % width) % width]).collect()
    };
    match op {
        Op::Add => fold(&|aig, a, b| aig.add(a, b, Lit::FALSE).0),
        Op::Sub => fold(&|aig, a, b| aig.sub(a, b).0),
        Op::And => fold(&|aig, a, b| aig.bitwise(a, b, Aig::and)),
        Op::Or => fold(&|aig, a, b| aig.bitwise(a, b, Aig::or)),
        Op::Xor => fold(&|aig, a, b| aig.bitwise(a, b, Aig::xor)),
        Op::Xnor => {
            let word = fold(&|aig, a, b| aig.bitwise(a, b, Aig::xor));
            word.iter().map(|&bit| !bit).collect()
        }
        Op::Not => args[0].iter().map(|&bit| !bit).collect(),
        Op::Rotl(n) => rotated(n.into()),
        Op::Rotr(n) => rotated(width - usize::from(n) % width),
        Op::Shl(n) => {
            let n = usize::from(n);
            (0..width).map(|i| if i < n { Lit::FALSE } else { args[0][i - n] }).collect()
        }
        Op::Shr(n) => {
            let bit = |i: usize| args[0].get(i + usize::from(n)).copied().unwrap_or(Lit::FALSE);
            (0..width).map(bit).collect()
        }
        Op::Lut3(table) => (0..width)
            .map(|bit| {
                let table: Vec<Word> =
                    (0..8).map(|i| vec![Lit::constant(table >> i & 1 == 1)]).collect();
                let number = [args[2][bit], args[1][bit], args[0][bit]];
                aig.look_up(&table, &number, &[Lit::FALSE])[0]
            })
            .collect(),
        Op::SwapBytes => args[0].chunks(8).rev().flatten().copied().collect(),
        Op::SubBytes | Op::Xtime => {
            let table: Vec<Word> = (0..256).map(|x| constant(evaluate(op, 8, &[x]), 8)).collect();
            let byte = |byte: &[Lit]| aig.look_up(&table, byte, &[Lit::FALSE; 8]);
            args[0].chunks(8).flat_map(byte).collect()
        }
        Op::Carry
        | Op::RotlVar
        | Op::RotrVar
        | Op::Input(_)
        | Op::Const(_)
        | Op::Call(_)
        | Op::External
        | Op::Result(_) => unreachable!("no netlist has {op:?}"),
    }
}
