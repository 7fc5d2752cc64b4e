//! The costs of operations, memory, loops and handshakes in compiled C on a machine that counts
//! cycles.

use crate::{Clock, Error, Job, Machine};
use std::fmt;

const OPERATIONS: &str = include_str!("../calibrate/operations.c");

/// The name of an exclusive or that keeps both operands. It is not an operation of the graph.
const KEPT: &str = "kept";

/// How often the program repeats what it measures.
const REPEATED: f64 = 32.0;

/// Cycles of an operation.
#[derive(Clone, Debug, PartialEq)]
pub struct Operation {
    /// Its name in the graph.
    pub name: String,
    /// Bits of its word.
    pub bits: u8,
    /// Its cycles, with both operands in registers; the result replaces the first.
    pub cycles: f64,
}

/// Cycles of compiled C, each the mean over 32 repetitions.
#[derive(Clone, Debug, PartialEq)]
pub struct Costs {
    /// The machine that was measured.
    pub machine: Machine,
    /// The name and version that the compiler prints.
    pub compiler: String,
    /// The compiler's flags, the level of optimisation among them.
    pub flags: Vec<String>,
    /// The names and versions of what simulates the machine.
    pub simulator: String,
    /// Operations on words of 32 bits, then of 64, which the compiler makes of two of 32.
    pub operations: Vec<Operation>,
    /// Copying a word that is still needed before an operation replaces it.
    pub copy: f64,
    /// Loading a word that is used two operations later or not at all.
    pub load: f64,
    /// Loading a word that the next operation uses.
    pub load_used: f64,
    /// Storing a word.
    pub store: f64,
    /// Reading four bytes at any address as a word whose lowest byte comes first.
    pub load_little: f64,
    /// Reading four bytes at any address as a word whose highest byte comes first.
    pub load_big: f64,
    /// An iteration of a loop without its body.
    pub turn: f64,
    /// Raising a counter that the other core waits for.
    pub send: f64,
    /// Seeing that a counter of the other core has been raised.
    pub receive: f64,
    /// Setting a flag that the other core waits for.
    pub flag_send: f64,
    /// Seeing that the other core has set a flag.
    pub flag_receive: f64,
    /// A round trip from one core to the other and back by such counters, while both cores wait.
    pub round_trip: f64,
}

impl Costs {
    /// The tools by which the costs were measured: compiler, flags and simulator.
    pub fn by(&self) -> String {
        format!("{}, {}; {}", self.compiler, self.flags.join(" "), self.simulator)
    }

    /// The latency of one hand-over: half of the round trip without the time of sending and
    /// receiving.
    pub fn latency(&self) -> f64 {
        (self.round_trip / 2.0 - self.send - self.receive).max(0.0)
    }
}

/// Measures a machine with a compiler's flags (`-O2` if they have no other level).
///
/// # Errors
/// If the machine counts no cycles, lacks a tool, or the flags are none of its compiler.
pub fn calibrate(machine: Machine, flags: &[String]) -> Result<Costs, Error> {
    if machine.clock() != Clock::Cycles {
        return Err(Error::no_cycles(machine.name()));
    }
    let job = Job { flags: flags.to_vec(), ..Job::of("operations.c", OPERATIONS) };
    let outcome = machine.run(&job)?;
    let of = |name: &str| Ok::<_, Error>(outcome.number(name)? as f64 / REPEATED);
    let mut operations = Vec::new();
    for line in outcome.text.lines() {
        let name = line.split(' ').next().unwrap_or_default();
        // A line is such as `add.32 40`. The name of a line about memory has no width; those are
        // read below.
        let Some((operation, bits)) = name.split_once('.') else { continue };
        let Some(bits) = bits.parse().ok().filter(|_| operation != KEPT) else { continue };
        operations.push(Operation { name: operation.to_owned(), bits, cycles: of(name)? });
    }
    Ok(Costs {
        machine,
        compiler: machine.compiler(&job)?,
        flags: job.all_flags().map(str::to_owned).collect(),
        simulator: machine.simulator().unwrap_or_default(),
        operations,
        copy: of(&format!("{KEPT}.32"))? - of("xor.32")?,
        load: of("load")?,
        load_used: of("load_used")? - of("add.32")?,
        store: of("store")?,
        load_little: of("load_little")?,
        load_big: of("load_big")?,
        turn: of("loop")?,
        send: of("send")?,
        receive: of("receive")?,
        flag_send: of("flag_send")?,
        flag_receive: of("flag_receive")?,
        round_trip: of("trip")?,
    })
}

/// As a platform's file has them: two decimals, which is more than the repetitions can tell.
impl fmt::Display for Costs {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let number = |cycles: f64| (cycles * 100.0).round() / 100.0;
        writeln!(f, "# {}", self.machine.title())?;
        writeln!(f, "measured = \"{}\"", self.by())?;
        writeln!(f, "\n[main.cost]")?;
        for Operation { name, bits, cycles } in &self.operations {
            let key = match bits {
                32 => name.clone(),
                bits => format!("\"{name}.{bits}\""),
            };
            writeln!(f, "{key} = {}", number(*cycles))?;
        }
        writeln!(f, "\n[main.memory]")?;
        for (key, cycles, is) in [
            ("copy", self.copy, "before an operation whose first operand is needed afterwards"),
            ("load", self.load, "a word"),
            ("load_used", self.load_used, "a word that the next operation uses"),
            ("store", self.store, "a word"),
            ("load_little", self.load_little, "a word of four bytes at any address"),
            ("load_big", self.load_big, "the same in the other order"),
            ("loop", self.turn, "a turn without its body"),
        ] {
            writeln!(f, "{:<24}# {is}", format!("{key} = {}", number(cycles)))?;
        }
        let [send, receive] = [self.send, self.receive].map(number);
        let [flag_send, flag_receive] = [self.flag_send, self.flag_receive].map(number);
        writeln!(f, "\n[handshake]")?;
        writeln!(
            f,
            "latency = {:<14}# there and back {}",
            number(self.latency()),
            number(self.round_trip)
        )?;
        writeln!(f, "main = {{ send = {send}, receive = {receive} }}")?;
        writeln!(f, "coprocessor = {{ send = {send}, receive = {receive} }}")?;
        writeln!(f, "\n[handshake.flag]")?;
        writeln!(f, "main = {{ send = {flag_send}, receive = {flag_receive} }}")?;
        writeln!(f, "coprocessor = {{ send = {flag_send}, receive = {flag_receive} }}")
    }
}
