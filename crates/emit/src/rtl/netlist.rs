//! Hardware as signals: ports, wires, and registers of one clock.

use super::reserved::is_reserved;
use manylane_graph::Op;
use std::collections::{HashMap, HashSet};

/// A signal of a [`Netlist`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SignalId(pub u32);

impl SignalId {
    fn index(self) -> usize {
        self.0 as usize
    }
}

/// A signal, or a constant as wide as its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Value {
    /// A signal.
    Signal(SignalId),
    /// A constant.
    Const(u64),
}

impl From<SignalId> for Value {
    fn from(signal: SignalId) -> Self {
        Self::Signal(signal)
    }
}

impl From<u64> for Value {
    fn from(value: u64) -> Self {
        Self::Const(value)
    }
}

/// The expression that a wire carries or a register takes.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Expr {
    /// A value as it is.
    Value(Value),
    /// An operation on words. Rotations and shifts are wires.
    Op(Op, Vec<Value>),
    /// `then` if the one-bit signal is 1, else `otherwise`.
    Choose {
        /// The condition.
        condition: SignalId,
        /// The value if the condition is 1.
        then: Value,
        /// The value if not.
        otherwise: Value,
    },
    /// The arm that has the selector's value. Other selector values do not matter.
    Select {
        /// An unsigned number.
        selector: SignalId,
        /// Selector values, ascending, and what each chooses.
        arms: Vec<(Vec<u32>, Value)>,
    },
    /// Whether an unsigned number is this one.
    Equals(SignalId, u32),
    /// Whether an unsigned number is this one or greater.
    AtLeast(SignalId, u32),
    /// The bit of the signal that an unsigned number chooses.
    Bit(SignalId, SignalId),
    /// The bit that an unsigned number chooses is 1, the others are 0.
    OneHot(SignalId),
    /// For each bit of the signal a byte: the given one where the bit is 1, otherwise 0.
    Bytes(SignalId, u8),
    /// The word of a memory at an address, in the same clock.
    Read(MemoryId, SignalId),
    /// Bits `low` and up, as many as the signal is wide.
    Slice(SignalId, u32),
    /// Signals side by side, the first at the most significant end.
    Concat(Vec<SignalId>),
}

impl Expr {
    /// The expression with other signals.
    pub fn map(&self, f: &mut impl FnMut(SignalId) -> SignalId) -> Self {
        let mut value = |value: &Value| match value {
            Value::Signal(signal) => Value::Signal(f(*signal)),
            Value::Const(_) => *value,
        };
        match self {
            Self::Value(of) => Self::Value(value(of)),
            Self::Op(op, args) => Self::Op(*op, args.iter().map(value).collect()),
            Self::Choose { condition, then, otherwise } => {
                let (then, otherwise) = (value(then), value(otherwise));
                Self::Choose { condition: f(*condition), then, otherwise }
            }
            Self::Select { selector, arms } => {
                let arms = arms.iter().map(|(values, of)| (values.clone(), value(of))).collect();
                Self::Select { selector: f(*selector), arms }
            }
            Self::Equals(of, number) => Self::Equals(f(*of), *number),
            Self::AtLeast(of, number) => Self::AtLeast(f(*of), *number),
            Self::Bit(of, number) => Self::Bit(f(*of), f(*number)),
            Self::OneHot(number) => Self::OneHot(f(*number)),
            Self::Bytes(bits, byte) => Self::Bytes(f(*bits), *byte),
            Self::Read(memory, address) => Self::Read(*memory, f(*address)),
            Self::Slice(of, low) => Self::Slice(f(*of), *low),
            Self::Concat(parts) => Self::Concat(parts.iter().map(|part| f(*part)).collect()),
        }
    }

    /// The signals in it.
    pub fn signals(&self) -> Vec<SignalId> {
        let mut signals = Vec::new();
        self.map(&mut |signal| {
            signals.push(signal);
            signal
        });
        signals
    }
}

/// The driver of a signal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Driver {
    /// A port that the surroundings drive.
    Input,
    /// An output of an [`Instance`].
    Instance,
    /// Logic.
    Wire(Expr),
    /// A register that takes its next value at each rising edge at which the netlist's enable and
    /// `load`, if there is one, are 1.
    Register {
        /// Its next value.
        next: Option<Expr>,
        /// When it takes its next value.
        load: Option<SignalId>,
        /// Whether it is 0 after reset. Data registers are not reset.
        reset: bool,
    },
}

/// One signal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signal {
    /// Its name, unique in the netlist.
    pub name: String,
    /// Bits.
    pub width: u32,
    /// Its driver.
    pub driver: Driver,
    /// The part of the core that it belongs to: a heading in the text.
    pub section: usize,
}

impl Signal {
    /// The signals that drive it, once for each place.
    fn reads(&self) -> Vec<SignalId> {
        match &self.driver {
            Driver::Input | Driver::Instance => Vec::new(),
            Driver::Wire(expr) => expr.signals(),
            Driver::Register { next, load, .. } => {
                let next = next.iter().flat_map(Expr::signals);
                next.chain(*load).collect()
            }
        }
    }
}

/// A memory of a [`Netlist`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct MemoryId(u32);

/// A memory whose words are written one at a time, at a rising edge, and read at any address in the
/// same clock. FPGAs make such memories of look-up tables. It is not reset.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Memory {
    /// Its name, unique among signals and memories.
    pub name: String,
    /// Words, a power of two.
    pub depth: usize,
    /// Bits of a word.
    pub width: u32,
    /// When it is written.
    pub write: SignalId,
    /// The address that is written.
    pub address: SignalId,
    /// The word that is written.
    pub data: SignalId,
    /// Whether no word that matters is read in the clock in which it is written.
    pub apart: bool,
    /// The part of the netlist that it belongs to.
    pub section: usize,
}

/// Another module inside a netlist, on the same clock and reset.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Instance {
    /// The module.
    pub module: String,
    /// Its name here, unique in the netlist.
    pub name: String,
    /// Its ports, `clk` and `rst` aside, and what they are connected to.
    pub ports: Vec<(String, SignalId)>,
    /// The part of the netlist that it belongs to.
    pub section: usize,
}

/// A module of hardware.
#[derive(Clone, Debug, Default)]
pub struct Netlist {
    /// Its name.
    pub name: String,
    /// While this signal is 0 no register takes a value. Without this signal, registers never wait.
    pub enable: Option<SignalId>,
    /// Where this is 1 all registers take 0, whatever the enable is. With such a signal, a reset
    /// clears all registers, too.
    pub zero: Option<SignalId>,
    instances: Vec<Instance>,
    memories: Vec<Memory>,
    signals: Vec<Signal>,
    dropped: HashSet<SignalId>,
    outputs: Vec<(String, SignalId)>,
    sections: Vec<String>,
    names: HashMap<String, u32>,
}

impl Netlist {
    /// An empty module. No signal will have its name, which VHDL would take for the signal's.
    pub fn new(name: &str) -> Self {
        let names = HashMap::from([(name.to_ascii_lowercase(), 1)]);
        Self { name: name.to_owned(), names, ..Self::default() }
    }

    /// Returns the number of the part of this title, which is added if there is none.
    pub fn section(&mut self, title: &str) -> usize {
        if let Some(known) = self.sections.iter().position(|section| section == title) {
            return known;
        }
        self.sections.push(title.to_owned());
        self.sections.len() - 1
    }

    /// The parts' titles.
    pub fn sections(&self) -> &[String] {
        &self.sections
    }

    /// Adds a signal. A name that is taken, or means something in one of the languages, gets a
    /// number.
    pub fn add(&mut self, section: usize, name: &str, width: u32, driver: Driver) -> SignalId {
        let name = self.unique(name);
        self.signals.push(Signal { name, width, driver, section });
        SignalId(self.signals.len() as u32 - 1)
    }

    /// Adds a wire.
    pub fn wire(&mut self, section: usize, name: &str, width: u32, expr: Expr) -> SignalId {
        self.add(section, name, width, Driver::Wire(expr))
    }

    /// Adds a wire that is driven later.
    pub fn later(&mut self, section: usize, name: &str, width: u32) -> SignalId {
        self.wire(section, name, width, Expr::Value(Value::Const(0)))
    }

    /// Adds a wire that carries some bits of a signal, from bit `low` on. If these are all its
    /// bits, returns the signal itself.
    pub fn part(
        &mut self,
        section: usize,
        name: &str,
        of: SignalId,
        low: u32,
        bits: u32,
    ) -> SignalId {
        match self.signal(of).width == bits {
            true => of,
            false => self.wire(section, name, bits, Expr::Slice(of, low)),
        }
    }

    /// Adds a register for data, which a reset does not change.
    pub fn register(
        &mut self,
        section: usize,
        name: &str,
        width: u32,
        next: impl Into<Value>,
        load: Option<SignalId>,
    ) -> SignalId {
        let next = Some(Expr::Value(next.into()));
        self.add(section, name, width, Driver::Register { next, load, reset: false })
    }

    /// Adds a register for data that is connected later.
    pub fn register_later(&mut self, section: usize, name: &str, width: u32) -> SignalId {
        self.add(section, name, width, Driver::Register { next: None, load: None, reset: false })
    }

    /// Adds a register that is 0 after reset and is connected later.
    pub fn state(&mut self, section: usize, name: &str, width: u32) -> SignalId {
        self.add(section, name, width, Driver::Register { next: None, load: None, reset: true })
    }

    /// Adds a register of one bit that is 0 after reset and else has the value of `next` a clock
    /// ago.
    pub fn flag(&mut self, section: usize, name: &str, next: Expr) -> SignalId {
        self.add(section, name, 1, Driver::Register { next: Some(next), load: None, reset: true })
    }

    /// Adds a counter of `bits` bits, 0 after reset, that grows by 1 after each clock in which
    /// `moves` is 1.
    pub fn counter(&mut self, section: usize, name: &str, bits: u32, moves: SignalId) -> SignalId {
        let driver = Driver::Register { next: None, load: Some(moves), reset: true };
        let count = self.add(section, name, bits, driver);
        self.connect(count, Expr::Op(Op::Add, vec![count.into(), Value::Const(1)]));
        count
    }

    /// Adds a register that has a value a clock later. A constant needs none.
    pub fn delayed(&mut self, before: Value) -> Value {
        let Value::Signal(signal) = before else { return before };
        let Signal { name, width, section, .. } = self.signal(signal);
        let (name, width, section) = (format!("{name}_late"), *width, *section);
        self.register(section, &name, width, before, None).into()
    }

    fn unique(&mut self, name: &str) -> String {
        let taken = self.names.entry(name.to_owned()).or_insert(u32::from(is_reserved(name)));
        *taken += 1;
        match *taken {
            1 => name.to_owned(),
            n => {
                let numbered = format!("{name}_{n}");
                self.names.insert(numbered.clone(), 1);
                numbered
            }
        }
    }

    /// Says what a register that was made without its next value takes.
    ///
    /// # Panics
    /// If the signal is no register.
    pub fn connect(&mut self, register: SignalId, expr: Expr) {
        match &mut self.signals[register.index()].driver {
            Driver::Register { next, .. } => *next = Some(expr),
            Driver::Input | Driver::Instance | Driver::Wire(_) => {
                panic!("only registers are connected later")
            }
        }
    }

    /// Says what a wire carries.
    ///
    /// # Panics
    /// If the signal is no wire.
    pub fn drive(&mut self, wire: SignalId, expr: Expr) {
        match &mut self.signals[wire.index()].driver {
            Driver::Wire(known) => *known = expr,
            Driver::Input | Driver::Instance | Driver::Register { .. } => {
                panic!("only wires are driven")
            }
        }
    }

    /// Puts another module inside. Signals that it drives are [`Driver::Instance`].
    pub fn instance(&mut self, instance: Instance) {
        self.instances.push(instance);
    }

    /// The modules inside.
    pub fn instances(&self) -> &[Instance] {
        &self.instances
    }

    /// Adds a memory. A name that is taken gets a number.
    pub fn memory(&mut self, memory: Memory) -> MemoryId {
        let name = self.unique(&memory.name);
        self.memories.push(Memory { name, ..memory });
        MemoryId(self.memories.len() as u32 - 1)
    }

    /// The memories.
    pub fn memories(&self) -> &[Memory] {
        &self.memories
    }

    /// A memory.
    pub fn memory_of(&self, id: MemoryId) -> &Memory {
        &self.memories[id.0 as usize]
    }

    /// Declares an output port that carries a signal.
    pub fn output(&mut self, name: &str, signal: SignalId) {
        self.outputs.push((name.to_owned(), signal));
    }

    /// The output ports.
    pub fn outputs(&self) -> &[(String, SignalId)] {
        &self.outputs
    }

    /// A signal.
    pub fn signal(&self, id: SignalId) -> &Signal {
        &self.signals[id.index()]
    }

    /// All signals, in the order in which they were added, but those
    /// [dropped](Netlist::drop_unread).
    pub fn signals(&self) -> impl Iterator<Item = (SignalId, &Signal)> {
        let all = self.signals.iter().enumerate().map(|(i, signal)| (SignalId(i as u32), signal));
        all.filter(|(id, _)| !self.dropped.contains(id))
    }

    /// Drops logic whose result nothing reads.
    pub fn drop_unread(&mut self) {
        let mut reads = vec![0_usize; self.signals.len()];
        let ports = self.instances.iter().flat_map(|instance| &instance.ports).map(|port| port.1);
        let of_memories = self.memories.iter().flat_map(|m| [m.write, m.address, m.data]);
        let outputs = self.outputs.iter().map(|output| output.1);
        let of_all = [self.enable, self.zero].into_iter().flatten();
        let by_logic = self.signals.iter().flat_map(Signal::reads);
        for read in ports.chain(of_memories).chain(outputs).chain(of_all).chain(by_logic) {
            reads[read.index()] += 1;
        }
        let ids = (0..self.signals.len() as u32).map(SignalId);
        let mut unread: Vec<_> = ids.filter(|id| reads[id.index()] == 0).collect();
        while let Some(id) = unread.pop() {
            let signal = &self.signals[id.index()];
            if matches!(signal.driver, Driver::Wire(_) | Driver::Register { .. }) {
                self.dropped.insert(id);
                for read in signal.reads() {
                    reads[read.index()] -= 1;
                    if reads[read.index()] == 0 {
                        unread.push(read);
                    }
                }
            }
        }
    }

    /// The bits of all memories.
    pub fn memory_bits(&self) -> u64 {
        self.memories.iter().map(|m| m.depth as u64 * u64::from(m.width)).sum()
    }

    /// The bits of all registers.
    pub fn register_bits(&self) -> u64 {
        let registers = self.signals().filter(|(_, s)| matches!(s.driver, Driver::Register { .. }));
        registers.map(|(_, s)| u64::from(s.width)).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_nothing_reads_is_dropped_with_what_only_it_reads() {
        let mut net = Netlist::new("m");
        let section = net.section("All");
        let register = |next| Driver::Register { next: Some(next), load: None, reset: true };
        let of = |signal| Expr::Value(Value::Signal(signal));
        let input = net.add(section, "input", 1, Driver::Input);
        let shared = net.add(section, "shared", 1, Driver::Wire(of(input)));
        let before = net.add(section, "before", 1, Driver::Wire(of(shared)));
        let unread = net.add(section, "unread", 1, register(of(before)));
        let read = net.add(section, "read", 1, register(of(shared)));
        net.output("out", read);
        net.drop_unread();
        let left: Vec<_> = net.signals().map(|(id, _)| id).collect();
        assert_eq!(left, [input, shared, read], "without {unread:?} and {before:?}");
        assert_eq!(net.register_bits(), 1);
    }
}
