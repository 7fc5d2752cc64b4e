//! A netlist written as expressions, each a wire or a register with a name.

use crate::rtl::netlist::{Driver, Expr, Instance, Memory, MemoryId, Netlist, SignalId, Value};
use manylane_graph::Op;

/// A netlist that is being built.
pub(super) struct Logic {
    pub(super) net: Netlist,
    /// The part that new signals belong to.
    pub(super) section: usize,
}

impl Logic {
    /// An empty netlist of this name.
    pub(super) fn new(name: &str) -> Self {
        Self { net: Netlist::new(name), section: 0 }
    }

    /// Begins a part, to which all that follows belongs.
    pub(super) fn begin(&mut self, title: &str) {
        self.section = self.net.section(title);
    }

    /// The width of a signal in bits.
    pub(super) fn width(&self, signal: SignalId) -> u32 {
        self.net.signal(signal).width
    }

    /// A port that comes in.
    pub(super) fn input(&mut self, name: &str, width: u32) -> SignalId {
        self.net.add(self.section, name, width, Driver::Input)
    }

    /// A wire that carries an expression.
    pub(super) fn wire(&mut self, name: &str, width: u32, expr: Expr) -> SignalId {
        self.net.wire(self.section, name, width, expr)
    }

    /// A wire that is driven later.
    pub(super) fn later(&mut self, name: &str, width: u32) -> SignalId {
        self.net.later(self.section, name, width)
    }

    /// Drives a wire that was made by [`later`](Self::later).
    pub(super) fn drive(&mut self, wire: SignalId, from: SignalId) {
        self.net.drive(wire, Expr::Value(Value::Signal(from)));
    }

    /// A constant of `width` bits.
    pub(super) fn constant(&mut self, name: &str, width: u32, value: u64) -> SignalId {
        self.wire(name, width, Expr::Value(Value::Const(value)))
    }

    /// An operation whose result is as wide as its first argument.
    pub(super) fn op(&mut self, name: &str, op: Op, args: &[SignalId]) -> SignalId {
        let width = self.width(args[0]);
        let args = args.iter().map(|&arg| Value::Signal(arg)).collect();
        self.wire(name, width, Expr::Op(op, args))
    }

    /// The conjunction of signals of one width, bit by bit.
    pub(super) fn and(&mut self, name: &str, args: &[SignalId]) -> SignalId {
        self.op(name, Op::And, args)
    }

    /// The disjunction of signals of one width, bit by bit; of one signal, the signal itself.
    pub(super) fn or(&mut self, name: &str, args: &[SignalId]) -> SignalId {
        match args {
            [one] => *one,
            _ => self.op(name, Op::Or, args),
        }
    }

    /// The complement, bit by bit.
    pub(super) fn not(&mut self, name: &str, arg: SignalId) -> SignalId {
        self.op(name, Op::Not, &[arg])
    }

    /// The port that makes all registers zero.
    pub(super) fn clears(&mut self) {
        self.begin("Zeros");
        self.net.zero = Some(self.input("clear", 1));
    }

    /// `then` but `except`, bit by bit.
    pub(super) fn but(&mut self, name: &str, then: SignalId, except: SignalId) -> SignalId {
        let not = self.not(&format!("not_{}", self.net.signal(except).name.clone()), except);
        self.and(name, &[then, not])
    }

    /// The sum of a signal and a constant, modulo 2 to the power of the signal's width.
    pub(super) fn plus(&mut self, name: &str, a: SignalId, b: u64) -> SignalId {
        let args = vec![Value::Signal(a), Value::Const(b)];
        self.wire(name, self.width(a), Expr::Op(Op::Add, args))
    }

    /// `then` where the condition holds, else `otherwise`; each has `width` bits.
    pub(super) fn choose(
        &mut self,
        name: &str,
        condition: SignalId,
        then: impl Into<Value>,
        otherwise: impl Into<Value>,
        width: u32,
    ) -> SignalId {
        let (then, otherwise) = (then.into(), otherwise.into());
        self.wire(name, width, Expr::Choose { condition, then, otherwise })
    }

    /// `value` where the condition holds, else 0.
    pub(super) fn gate(&mut self, name: &str, condition: SignalId, value: SignalId) -> SignalId {
        self.choose(name, condition, value, 0, self.width(value))
    }

    /// The `width` bits of a signal from bit `low` on.
    pub(super) fn slice(&mut self, name: &str, from: SignalId, low: u32, width: u32) -> SignalId {
        self.net.part(self.section, name, from, low, width)
    }

    /// Signals side by side, the first in the highest bits.
    pub(super) fn concat(&mut self, name: &str, parts: &[SignalId]) -> SignalId {
        if let [one] = parts {
            return *one;
        }
        let width = parts.iter().map(|&part| self.width(part)).sum();
        self.wire(name, width, Expr::Concat(parts.to_vec()))
    }

    /// A number in more bits, or the low ones of it in fewer.
    pub(super) fn resize(&mut self, name: &str, from: SignalId, width: u32) -> SignalId {
        let known = self.width(from);
        if width <= known {
            return self.slice(name, from, 0, width);
        }
        let zeros = self.constant("zeros", width - known, 0);
        self.concat(name, &[zeros, from])
    }

    /// Whether a signal has this value.
    pub(super) fn equals(&mut self, name: &str, signal: SignalId, value: u32) -> SignalId {
        self.wire(name, 1, Expr::Equals(signal, value))
    }

    /// Whether a number is at least this one. For 0 that is a constant.
    pub(super) fn at_least(&mut self, name: &str, signal: SignalId, value: u32) -> SignalId {
        self.wire(name, 1, Expr::AtLeast(signal, value))
    }

    /// Whether any bit is 1.
    pub(super) fn any(&mut self, name: &str, signal: SignalId) -> SignalId {
        if self.width(signal) == 1 {
            return signal;
        }
        let none = self.equals(&format!("no_{name}"), signal, 0);
        self.not(name, none)
    }

    /// A register that is 0 after reset and connected later.
    pub(super) fn state(&mut self, name: &str, width: u32) -> SignalId {
        self.net.state(self.section, name, width)
    }

    /// Says what a register made by [`state`](Self::state) takes at the next clock edge.
    pub(super) fn connect(&mut self, register: SignalId, next: SignalId) {
        self.net.connect(register, Expr::Value(Value::Signal(next)));
    }

    /// A register for data, taken where `load` is 1.
    pub(super) fn register(&mut self, name: &str, next: SignalId, load: SignalId) -> SignalId {
        self.loaded(name, next, load, false)
    }

    /// A register for data, taken where `load` is 1, and 0 after reset.
    pub(super) fn reset_register(
        &mut self,
        name: &str,
        next: SignalId,
        load: SignalId,
    ) -> SignalId {
        self.loaded(name, next, load, true)
    }

    fn loaded(&mut self, name: &str, next: SignalId, load: SignalId, reset: bool) -> SignalId {
        let width = self.width(next);
        let next = Some(Expr::Value(Value::Signal(next)));
        let driver = Driver::Register { next, load: Some(load), reset };
        self.net.add(self.section, name, width, driver)
    }

    /// A register for data that passes: taken where `load` is 1, and overwritten by zeros where
    /// `leaves` is, if there is such a signal.
    pub(super) fn passing(
        &mut self,
        name: &str,
        next: SignalId,
        load: SignalId,
        leaves: Option<SignalId>,
    ) -> SignalId {
        let Some(leaves) = leaves else { return self.register(name, next, load) };
        let next = self.gate(&format!("{name}_next"), load, next);
        let load = self.or(&format!("{name}_moves"), &[load, leaves]);
        self.register(name, next, load)
    }

    /// Flags, each set and cleared by its own bit. Setting wins.
    pub(super) fn flags(&mut self, flags: SignalId, set: &[SignalId], clear: &[SignalId]) {
        let name = self.net.signal(flags).name.clone();
        let clear = self.or(&format!("clear_{name}"), clear);
        let kept = self.but(&format!("kept_{name}"), flags, clear);
        let set: Vec<SignalId> = set.iter().copied().chain([kept]).collect();
        let next = self.or(&format!("next_{name}"), &set);
        self.connect(flags, next);
    }

    /// A memory of `depth` words, written with `data` at `address` where `write` is 1.
    pub(super) fn memory(
        &mut self,
        name: &str,
        depth: usize,
        [write, address, data]: [SignalId; 3],
    ) -> MemoryId {
        let (width, section) = (self.width(data), self.section);
        let name = name.to_owned();
        let apart = false;
        self.net.memory(Memory { name, depth, width, write, address, data, section, apart })
    }

    /// The word of a memory at an address, in the same clock.
    pub(super) fn read(&mut self, name: &str, memory: MemoryId, address: SignalId) -> SignalId {
        let width = self.net.memory_of(memory).width;
        self.wire(name, width, Expr::Read(memory, address))
    }

    /// A signal that an instance drives.
    pub(super) fn driven(&mut self, name: &str, width: u32) -> SignalId {
        self.net.add(self.section, name, width, Driver::Instance)
    }

    /// The instance `core` of a module, with a signal for each of its ports.
    pub(super) fn instance(&mut self, module: &str, ports: Vec<(String, SignalId)>) {
        let (module, name) = (module.to_owned(), "core".to_owned());
        self.net.instance(Instance { module, name, ports, section: self.section });
    }
}
