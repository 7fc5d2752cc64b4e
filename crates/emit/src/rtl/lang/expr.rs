//! Expressions: one arm per operation, spelled as the language spells them.

use crate::rtl::netlist::{Driver, Expr, Memory, Netlist, Signal, SignalId, Value};
use manylane_graph::Op;
use manylane_graph::interpret::evaluate;

/// An operator between equally wide values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Infix {
    Add,
    Sub,
    And,
    Or,
    Xor,
}

/// A function of one byte that the module declares if it needs it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ByteFunction {
    /// The S-box of FIPS 197, Figure 7.
    SBox,
    /// Multiplication by x in GF(2^8), FIPS 197 §4.2.1.
    Xtime,
}

impl ByteFunction {
    /// The functions in the order in which they are declared.
    pub(super) const ALL: [Self; 2] = [Self::SBox, Self::Xtime];

    /// The name by which the text calls the function.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::SBox => "s_box",
            Self::Xtime => "xtime",
        }
    }

    /// Where the function is defined, for a comment in the text.
    pub(super) fn title(self) -> &'static str {
        match self {
            Self::SBox => "FIPS 197, Figure 7",
            Self::Xtime => "FIPS 197, section 4.2.1: multiplication by x in GF(2^8)",
        }
    }

    fn op(self) -> Op {
        match self {
            Self::SBox => Op::SubBytes,
            Self::Xtime => Op::Xtime,
        }
    }

    /// Whether a netlist needs it.
    pub(super) fn is_used(self, net: &Netlist) -> bool {
        net.signals().any(|(_, signal)| match &signal.driver {
            Driver::Wire(Expr::Op(op, _)) => *op == self.op(),
            Driver::Register { next: Some(Expr::Op(op, _)), .. } => *op == self.op(),
            Driver::Input | Driver::Instance | Driver::Wire(_) | Driver::Register { .. } => false,
        })
    }

    /// Its value for every byte.
    pub(super) fn table(self) -> impl Iterator<Item = u64> {
        (0..=255).map(move |x| evaluate(self.op(), 8, &[x]))
    }
}

/// How a language spells expressions.
pub(super) trait Spelling {
    /// A constant of `width` bits.
    fn constant(&self, value: u64, width: u32) -> String;
    /// The value of a signal.
    fn signal(&self, signal: SignalId) -> String;
    /// Bits `low` to `high` of a signal.
    fn slice(&self, signal: SignalId, high: u32, low: u32) -> String;
    /// An operator between values of `width` bits.
    fn operator(&self, infix: Infix, width: u32) -> &'static str;
    /// The complement of a value or of something in brackets.
    fn not(&self, x: &str) -> String;
    /// Values side by side, the first at the most significant end.
    fn concat(&self, parts: &[String]) -> String;
    /// `then` if a one-bit signal is 1.
    fn choose(&self, condition: SignalId, then: &str, otherwise: &str) -> String;
    /// Whether a signal is a number.
    fn equals(&self, signal: SignalId, number: u32) -> String;
    /// Whether a signal is a number or greater.
    fn at_least(&self, signal: SignalId, number: u32) -> String;
    /// The bit of a signal whose number is another.
    fn bit(&self, signal: SignalId, number: SignalId) -> String;
    /// A 1 at the bit whose number is a signal, in a word of `width` bits.
    fn one_hot(&self, number: SignalId, width: u32) -> String;
    /// A byte where a bit is 1, else 0.
    fn byte_if(&self, bit: &str, byte: u8) -> String;
    /// A word of a memory.
    fn read(&self, memory: &Memory, address: SignalId) -> String;
    /// A signal rotated left by `n` of its bits.
    fn rotated(&self, signal: SignalId, n: u32) -> String;
    /// A signal shifted by `n` bits, to the left if `left`.
    fn shifted(&self, signal: SignalId, n: u32, left: bool) -> String;
    /// A function of a byte.
    fn call(&self, function: ByteFunction, byte: &str) -> String;
    /// An expression, no constant, of the type that `target` has.
    fn as_type_of(&self, target: SignalId, expression: String) -> String;
}

/// An expression that drives `target`.
pub(super) fn expr(s: &dyn Spelling, net: &Netlist, expr: &Expr, target: SignalId) -> String {
    let width = net.signal(target).width;
    let typed = |value: &Value| match value {
        Value::Const(_) => spell(s, *value, width),
        Value::Signal(_) => s.as_type_of(target, spell(s, *value, width)),
    };
    match expr {
        Expr::Value(value) => typed(value),
        Expr::Op(op, args) => match constants(args) {
            Some(args) => s.constant(evaluate(*op, width as u8, &args), width),
            None => s.as_type_of(target, operation(s, net, *op, args, width)),
        },
        Expr::Choose { condition, then, otherwise } => {
            s.choose(*condition, &typed(then), &typed(otherwise))
        }
        Expr::Select { .. } => unreachable!("a selection is a statement"),
        Expr::Equals(signal, number) => s.equals(*signal, *number),
        Expr::AtLeast(signal, number) => s.at_least(*signal, *number),
        Expr::Bit(signal, number) => s.bit(*signal, *number),
        Expr::OneHot(number) => s.as_type_of(target, s.one_hot(*number, width)),
        Expr::Bytes(bits, byte) => {
            let byte = |i| s.byte_if(&s.slice(*bits, i, i), *byte);
            let bytes: Vec<String> = (0..width / 8).rev().map(byte).collect();
            s.as_type_of(target, s.concat(&bytes))
        }
        Expr::Read(memory, address) => {
            s.as_type_of(target, s.read(net.memory_of(*memory), *address))
        }
        Expr::Slice(signal, low) => s.as_type_of(target, s.slice(*signal, low + width - 1, *low)),
        Expr::Concat(parts) => {
            let parts: Vec<String> = parts.iter().map(|&part| s.signal(part)).collect();
            s.as_type_of(target, s.concat(&parts))
        }
    }
}

/// The arms of a selection, of the type of `target`: selector values, and what they choose.
pub(super) fn arms(
    s: &dyn Spelling,
    net: &Netlist,
    arms: &[(Vec<u32>, Value)],
    target: SignalId,
) -> Vec<(Vec<u32>, String)> {
    let arm = |(numbers, value): &(Vec<u32>, Value)| {
        (numbers.clone(), expr(s, net, &Expr::Value(*value), target))
    };
    arms.iter().map(arm).collect()
}

fn constants(args: &[Value]) -> Option<Vec<u64>> {
    let constant = |value: &Value| match value {
        Value::Const(value) => Some(*value),
        Value::Signal(_) => None,
    };
    args.iter().map(constant).collect()
}

fn spell(s: &dyn Spelling, value: Value, width: u32) -> String {
    match value {
        Value::Signal(signal) => s.signal(signal),
        Value::Const(value) => s.constant(value, width),
    }
}

/// The complement of a value.
fn complement(s: &dyn Spelling, value: Value, width: u32) -> String {
    match value {
        Value::Signal(signal) => s.not(&s.signal(signal)),
        Value::Const(value) => s.constant(!value & u64::MAX >> (64 - width), width),
    }
}

/// An operation, not all of whose arguments are constants.
fn operation(s: &dyn Spelling, net: &Netlist, op: Op, args: &[Value], width: u32) -> String {
    let joined = |infix: Infix| {
        let args: Vec<String> = args.iter().map(|&arg| spell(s, arg, width)).collect();
        args.join(&format!(" {} ", s.operator(infix, width)))
    };
    let signal = || match args[0] {
        Value::Signal(signal) => signal,
        Value::Const(_) => unreachable!("the operation has one argument, which is no constant"),
    };
    let bytes = |f: &dyn Fn(String) -> String, order: &mut dyn Iterator<Item = u32>| {
        let parts: Vec<String> = order.map(|i| f(s.slice(signal(), 8 * i + 7, 8 * i))).collect();
        s.concat(&parts)
    };
    let on_bytes =
        |function: ByteFunction| bytes(&|byte| s.call(function, &byte), &mut (0..width / 8).rev());
    match op {
        Op::Add => joined(Infix::Add),
        Op::Sub => joined(Infix::Sub),
        Op::And => joined(Infix::And),
        Op::Or => joined(Infix::Or),
        Op::Xor => joined(Infix::Xor),
        Op::Xnor => s.not(&format!("({})", joined(Infix::Xor))),
        Op::Not => complement(s, args[0], width),
        Op::Rotl(n) => s.rotated(signal(), n.into()),
        Op::Rotr(n) => s.rotated(signal(), width - u32::from(n)),
        Op::Shl(n) => s.shifted(signal(), n.into(), true),
        Op::Shr(n) => s.shifted(signal(), n.into(), false),
        Op::Lut3(table) => lut3(s, table, args, width),
        Op::SwapBytes => bytes(&|byte| byte, &mut (0..width / 8)),
        Op::SubBytes => on_bytes(ByteFunction::SBox),
        Op::Xtime => on_bytes(ByteFunction::Xtime),
        Op::Carry
        | Op::RotlVar
        | Op::RotrVar
        | Op::Input(_)
        | Op::Const(_)
        | Op::Call(_)
        | Op::External
        | Op::Result(_) => unreachable!("no netlist of {} has {op:?}", net.name),
    }
}

/// The table's formula if it has a well-known one, else the sum of its minterms.
fn lut3(s: &dyn Spelling, table: u8, args: &[Value], width: u32) -> String {
    let [and, or, xor] = [Infix::And, Infix::Or, Infix::Xor].map(|infix| s.operator(infix, width));
    let arg = |i: usize| spell(s, args[i], width);
    let [x, y, z] = [arg(0), arg(1), arg(2)];
    let not = |i: usize| complement(s, args[i], width);
    match table {
        0x96 => return format!("{x} {xor} {y} {xor} {z}"),
        0xca => return format!("({x} {and} {y}) {or} ({} {and} {z})", not(0)),
        0xe8 => return format!("({x} {and} {y}) {or} ({x} {and} {z}) {or} ({y} {and} {z})"),
        _ => {}
    }
    let minterm = |i: usize| {
        let factor = |k: usize| if i >> (2 - k) & 1 == 1 { arg(k) } else { not(k) };
        format!("({} {and} {} {and} {})", factor(0), factor(1), factor(2))
    };
    let terms: Vec<String> = (0..8).filter(|i| table >> i & 1 == 1).map(minterm).collect();
    match terms.is_empty() {
        true => s.constant(0, width),
        false => terms.join(&format!(" {or} ")),
    }
}

/// The width that most signals wider than a bit have: the primitive's word.
pub(super) fn word_width(net: &Netlist) -> Option<u32> {
    let is_internal = |signal: &&Signal| signal.driver != Driver::Input && signal.width > 1;
    let mut counts = std::collections::BTreeMap::new();
    for signal in net.signals().map(|(_, signal)| signal).filter(is_internal) {
        *counts.entry(signal.width).or_insert(0_usize) += 1;
    }
    let (width, count) = counts.into_iter().max_by_key(|&(_, count)| count)?;
    (count > 1).then_some(width)
}
