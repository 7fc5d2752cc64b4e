//! The order of a module's text, the same in every language.

use super::expr::{ByteFunction, Spelling, arms, expr, word_width};
use super::style::Reset;
use crate::rtl::netlist::{Driver, Expr, Instance, Memory, Netlist, Signal, SignalId, Value};

/// How a language writes a module around its expressions. Texts of several lines have their
/// indentation, and no line end after the last.
pub(super) trait Dialect {
    /// The sign with which a comment begins.
    const COMMENT: &'static str;

    /// How the language spells expressions.
    fn spelling(&self) -> &dyn Spelling;

    /// Writes the text from the first line to the last port.
    fn header(&self, ports: &Ports<'_>) -> String;
    /// A name for words of `width` bits, which [`Dialect::declaration`] then uses.
    fn word_type(&self, width: u32) -> Option<String>;
    /// A function of a byte.
    fn function(&self, function: ByteFunction) -> String;
    /// A signal that is no port.
    fn declaration(&self, signal: &Signal, word: Option<u32>) -> String;
    /// A memory.
    fn memory(&self, memory: &Memory) -> String;
    /// The line between declarations and logic.
    fn begin(&self) -> Option<&'static str>;
    /// A wire that carries an expression.
    fn assign(&self, name: &str, value: &str) -> String;
    /// A wire that carries the arm of a selector's value, or else the last one.
    fn select(&self, target: &Signal, selector: SignalId, arms: &[(Vec<u32>, String)]) -> String;
    /// Another module.
    fn instance(&self, instance: &Instance) -> String;
    /// Writes the process that writes a memory.
    fn write(&self, memory: &Memory) -> String;
    /// Registers that take their values under the same conditions.
    fn registers(&self, registers: &Registers, reset: Reset) -> String;
    /// Connects an output port to the signal that it carries.
    fn output(&self, name: &str, signal: SignalId) -> String;
    /// The last lines.
    fn footer(&self, module: &str) -> String;
}

/// The ports of a module beside clock and reset: names and widths.
pub(super) struct Ports<'n> {
    pub(super) module: &'n str,
    pub(super) inputs: Vec<(&'n str, u32)>,
    pub(super) outputs: Vec<(&'n str, u32)>,
}

/// Registers that take their values under the same conditions.
pub(super) struct Registers {
    /// Whether a reset makes them 0.
    pub(super) reset: bool,
    /// A signal that makes them 0 at the clock's edge.
    pub(super) zero: Option<SignalId>,
    /// One-bit signals that must all be 1.
    pub(super) enables: Vec<SignalId>,
    /// Name, zero, next value.
    pub(super) takes: Vec<NextValue>,
}

/// The next value of a register.
pub(super) struct NextValue {
    /// The register.
    pub(super) name: String,
    /// Its value after reset, as an expression.
    pub(super) zero: String,
    /// Its next value, as an expression.
    pub(super) next: String,
}

/// The text of a module.
pub(super) fn write<D: Dialect>(dialect: &D, net: &Netlist, reset: Reset, title: &str) -> String {
    let mut out = String::new();
    let mut line = |text: &str| {
        out.push_str(text);
        out.push('\n');
    };
    let comment = D::COMMENT;
    title.lines().for_each(|title| line(&format!("{comment} {title}")));
    line(&dialect.header(&ports(net)));
    let word = word_width(net);
    if let Some(text) = word.and_then(|word| dialect.word_type(word)) {
        line(&format!("\n{text}"));
    }
    for function in ByteFunction::ALL.into_iter().filter(|function| function.is_used(net)) {
        line(&format!("\n  {comment} {}\n{}", function.title(), dialect.function(function)));
    }
    let of_section = |section| net.signals().filter(move |(_, signal)| signal.section == section);
    for (section, title) in net.sections().iter().enumerate() {
        line(&format!("\n  {comment} {title}: signals"));
        let declared = of_section(section).filter(|(_, signal)| signal.driver != Driver::Input);
        declared.for_each(|(_, signal)| line(&dialect.declaration(signal, word)));
        let inside = net.memories().iter().filter(|memory| memory.section == section);
        inside.for_each(|memory| line(&dialect.memory(memory)));
    }
    dialect.begin().into_iter().for_each(&mut line);
    for (section, title) in net.sections().iter().enumerate() {
        line(&format!("\n  {comment} {title}"));
        for (id, signal) in of_section(section) {
            if let Driver::Wire(driver) = &signal.driver {
                line(&wire(dialect, net, id, driver));
            }
        }
        let inside = net.instances().iter().filter(|instance| instance.section == section);
        inside.for_each(|instance| line(&dialect.instance(instance)));
        let memories = net.memories().iter().filter(|memory| memory.section == section);
        memories.for_each(|memory| line(&dialect.write(memory)));
        let registers = registers(dialect, net, of_section(section));
        registers.iter().for_each(|group| line(&dialect.registers(group, reset)));
    }
    line("");
    net.outputs().iter().for_each(|(name, signal)| line(&dialect.output(name, *signal)));
    line(&dialect.footer(&net.name));
    out
}

fn ports(net: &Netlist) -> Ports<'_> {
    let inputs = net.signals().filter(|(_, signal)| signal.driver == Driver::Input);
    let outputs = net.outputs().iter();
    Ports {
        module: &net.name,
        inputs: inputs.map(|(_, signal)| (&signal.name[..], signal.width)).collect(),
        outputs: outputs.map(|(name, id)| (&name[..], net.signal(*id).width)).collect(),
    }
}

fn wire<D: Dialect>(dialect: &D, net: &Netlist, id: SignalId, driver: &Expr) -> String {
    let target = net.signal(id);
    match driver {
        Expr::Select { selector, arms: all } => {
            dialect.select(target, *selector, &arms(dialect.spelling(), net, all, id))
        }
        _ => dialect.assign(&target.name, &expr(dialect.spelling(), net, driver, id)),
    }
}

/// Registers in groups: those that are reset, those that always take a value, and those of each
/// load.
fn registers<'n, D: Dialect>(
    dialect: &D,
    net: &Netlist,
    signals: impl Iterator<Item = (SignalId, &'n Signal)>,
) -> Vec<Registers> {
    let mut groups: Vec<Registers> = Vec::new();
    for (id, signal) in signals {
        let Driver::Register { next, load, reset } = &signal.driver else { continue };
        let next = next.as_ref().expect("registers are connected");
        let take = NextValue {
            name: signal.name.clone(),
            zero: expr(dialect.spelling(), net, &Expr::Value(Value::Const(0)), id),
            next: expr(dialect.spelling(), net, next, id),
        };
        let enables: Vec<SignalId> = net.enable.into_iter().chain(*load).collect();
        let (reset, zero) = (*reset || net.zero.is_some(), net.zero);
        let same = |group: &&mut Registers| group.reset == reset && group.enables == enables;
        match groups.iter_mut().find(same) {
            Some(group) => group.takes.push(take),
            None => groups.push(Registers { reset, zero, enables, takes: vec![take] }),
        }
    }
    groups.sort_by_key(|group| (!group.reset, group.enables.len()));
    groups
}
