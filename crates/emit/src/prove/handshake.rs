//! The handshakes, by induction over clocks: blocks come out as they went in, an offer stands, and
//! nothing else comes out.
//!
//! ```text
//!  flight   ┌─┬─┬─┬─ … ─┬─┐   one bit per clock since a block was taken; moves when the core does
//!  taken ──►│ │ │ │     │ │──► out_valid
//!           └─┴─┴─┴─ … ─┴─┘
//! ```
//!
//! The core's control, with its data cut off, runs beside this picture of it, and yosys proves that
//! they agree. What a register of the control has to do with the picture is read off the unrolled
//! core: one that is 1 in clocks 3 and 4 of a block is 1 exactly while a block is in place 3 or 4.
//! Such guesses need no trust: they are proved with the rest.

use super::claim::{Walk, taken};
use super::unroll::{Carried, Unroll};
use super::{Claim, Error};
use crate::rtl::{Driver, Expr, Netlist, SignalId, Value, verilog};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt::Write;

/// Two modules and a script for yosys.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Handshake {
    /// The control of the core, as Verilog.
    pub control: String,
    /// What must hold of it.
    pub properties: String,
    /// `yosys handshake.ys` proves it.
    pub script: String,
}

/// What a register of the control has to do with blocks on their way.
enum Invariant {
    /// It is 1 exactly while a block is in one of these places.
    Marks(Vec<u32>),
    /// It has this value while a block is in this place.
    Counts(BTreeMap<u32, u64>),
    /// It has the tag of the block in one of these places.
    Tags(Vec<u32>),
}

impl Walk<'_> {
    /// The files of the proof.
    ///
    /// # Errors
    /// If a signal cannot be followed, or an output does not come out of registers.
    pub(super) fn handshake(&mut self) -> Result<Handshake, Error> {
        let claim = self.claim;
        let mut control = Control::new(claim)?;
        let mut invariants = Vec::new();
        for (register, kept) in control.registers.clone() {
            let invariant = self.invariant(register)?;
            let name = format!("state_{}", claim.core.netlist.signal(register).name);
            control.net.output(&name, kept);
            let width = control.net.signal(kept).width;
            invariants.push((name, width, invariant));
        }
        let note = "The control of the core; words of the chaining value are any bits.";
        Ok(Handshake {
            control: verilog(&control.net, note),
            properties: properties(claim, &control, &invariants)?,
            script: SCRIPT.to_owned(),
        })
    }

    fn invariant(&mut self, register: SignalId) -> Result<Invariant, Error> {
        let signal = self.claim.core.netlist.signal(register);
        let (width, latency) = (signal.width, self.claim.core.latency as u32);
        let (mut values, mut tags) = (BTreeMap::new(), Vec::new());
        for clock in 1..=latency {
            match self.unroll.carried(&mut self.cuts, register, clock)? {
                Carried::Few(few) if few.len() == 1 => {
                    values.extend(few.first().map(|&value| (clock, value)));
                }
                Carried::Words(words) if words == [self.tag] => tags.push(clock),
                Carried::Few(_) | Carried::Words(_) | Carried::Unknown(_) => {}
            }
        }
        let resets = matches!(signal.driver, Driver::Register { reset: true, .. });
        Ok(match (tags.is_empty(), resets && width == 1) {
            (false, _) => Invariant::Tags(tags),
            (true, true) => {
                values.retain(|_, value| *value == 1);
                Invariant::Marks(values.into_keys().collect())
            }
            (true, false) => Invariant::Counts(values),
        })
    }
}

/// The part of a core that its handshakes and its tag depend on.
struct Control {
    net: Netlist,
    /// Registers of the core, and what they are here.
    registers: Vec<(SignalId, SignalId)>,
    /// Bits that stand for the data of the result.
    data: u32,
}

impl Control {
    fn new(claim: &Claim<'_>) -> Result<Self, Error> {
        let from = &claim.core.netlist;
        let mut tops = Vec::new();
        for port in ["in_ready", "out_valid", "out_tag"] {
            tops.push((port, claim.output(port)?));
        }
        let kept = tops.iter().map(|(_, signal)| *signal).chain(from.enable);
        let kept = cone(from, kept.chain([claim.input("in_valid")?, claim.input("in_tag")?]), true);
        let new: HashMap<SignalId, SignalId> = kept.iter().copied().zip((0..).map(SignalId)).collect();
        let mut net = Netlist::new("control");
        let section = net.section("Control");
        let mut registers = Vec::new();
        for (signal, new_signal) in kept.iter().map(|old| (from.signal(*old), new[old])) {
            let driver = match &signal.driver {
                Driver::Wire(expr) => Driver::Wire(renamed(expr, &new)),
                Driver::Register { next, load, reset } => Driver::Register {
                    next: next.as_ref().map(|next| renamed(next, &new)),
                    load: load.map(|load| new[&load]),
                    reset: *reset,
                },
                Driver::Input | Driver::Instance => Driver::Input,
            };
            let added = net.add(section, &signal.name, signal.width, driver);
            assert_eq!(added, new_signal, "signals keep their order");
        }
        for (old, new) in kept.iter().map(|old| (*old, new[old])) {
            if matches!(from.signal(old).driver, Driver::Register { .. }) {
                registers.push((old, new));
            }
        }
        net.enable = from.enable.map(|enable| new[&enable]);
        for (port, signal) in tops {
            net.output(port, new[&signal]);
        }
        // What is a function of registers stands as long as they do.
        let data = result_registers(claim)?.len() as u32;
        let any = net.add(section, "any", data, Driver::Input);
        let next = Some(Expr::Value(Value::Signal(any)));
        let result = Driver::Register { next, load: None, reset: false };
        let result = net.add(section, "result", data, result);
        net.output("out_chain", result);
        Ok(Self { net, registers, data })
    }
}

/// The registers that `out_chain` is a function of.
fn result_registers(claim: &Claim<'_>) -> Result<Vec<SignalId>, Error> {
    let net = &claim.core.netlist;
    let cone = cone(net, [claim.output("out_chain")?].into_iter(), false);
    let mut registers = Vec::new();
    for signal in cone {
        match &net.signal(signal).driver {
            Driver::Register { .. } => registers.push(signal),
            Driver::Wire(_) => {}
            Driver::Input | Driver::Instance => {
                let name = &net.signal(signal).name;
                return Err(Error::Control(format!("out_chain depends on {name} in its own clock")));
            }
        }
    }
    Ok(registers)
}

/// The signals that some depend on: in the same clock, or at all. In the netlist's order.
fn cone(
    net: &Netlist,
    tops: impl Iterator<Item = SignalId>,
    through_registers: bool,
) -> BTreeSet<SignalId> {
    let (mut cone, mut open) = (BTreeSet::new(), tops.collect::<Vec<_>>());
    while let Some(signal) = open.pop() {
        if !cone.insert(signal) {
            continue;
        }
        match &net.signal(signal).driver {
            Driver::Wire(expr) => open.extend(taken(expr)),
            Driver::Register { next, load, .. } if through_registers => {
                open.extend(next.iter().flat_map(taken).chain(*load));
            }
            Driver::Register { .. } | Driver::Input | Driver::Instance => {}
        }
    }
    cone
}

fn renamed(expr: &Expr, new: &HashMap<SignalId, SignalId>) -> Expr {
    let value = |value: &Value| match value {
        Value::Signal(signal) => Value::Signal(new[signal]),
        Value::Const(_) => *value,
    };
    match expr {
        Expr::Value(of) => Expr::Value(value(of)),
        Expr::Op(op, args) => Expr::Op(*op, args.iter().map(value).collect()),
        Expr::Choose { condition, then, otherwise } => Expr::Choose {
            condition: new[condition],
            then: value(then),
            otherwise: value(otherwise),
        },
        Expr::Select { selector, arms } => Expr::Select {
            selector: new[selector],
            arms: arms.iter().map(|(values, of)| (values.clone(), value(of))).collect(),
        },
        Expr::Equals(of, number) => Expr::Equals(new[of], *number),
        Expr::Slice(of, low) => Expr::Slice(new[of], *low),
        Expr::Concat(parts) => Expr::Concat(parts.iter().map(|part| new[part]).collect()),
    }
}

/// The module of properties.
fn properties(
    claim: &Claim<'_>,
    control: &Control,
    invariants: &[(String, u32, Invariant)],
) -> Result<String, Error> {
    let net = &claim.core.netlist;
    let (latency, cycles) = (claim.core.latency, claim.core.cycles_per_block);
    let tag_top = net.signal(claim.input("in_tag")?).width - 1;
    let data_top = control.data - 1;
    let (mut wires, mut ports, mut held) = (String::new(), String::new(), String::new());
    for (name, width, invariant) in invariants {
        let _ = writeln!(wires, "  wire [{}:0] {name};", width - 1);
        let _ = write!(ports, ",\n    .{name}({name})");
        match invariant {
            Invariant::Marks(places) => {
                let mut mask = vec!['0'; latency];
                places.iter().for_each(|&place| mask[latency - place as usize] = '1');
                let mask: String = mask.into_iter().collect();
                let _ = writeln!(
                    held,
                    "    assert ({name} == |(flight & {latency}'b{mask}));"
                );
            }
            Invariant::Counts(values) => {
                for (from, to, value) in runs(values) {
                    let _ = writeln!(
                        held,
                        "    for (i = {from}; i <= {to}; i = i + 1) \
                         if (flight[i]) assert ({name} == i - {});",
                        i64::from(from) - value as i64
                    );
                }
            }
            Invariant::Tags(places) => {
                for place in places {
                    let _ = writeln!(held, "    if (mine[{place}]) assert ({name} == due);");
                }
            }
        }
    }
    let is_free = match cycles {
        1 => String::new(),
        _ => format!(" && !(|flight[{}:1])", cycles - 1),
    };
    let apart: String = (1..cycles)
        .map(|by| format!("    assert (!(|(flight & flight >> {by})));\n"))
        .collect();
    let in_first = |name: &str, first: &str| match latency {
        1 => first.to_owned(),
        _ => format!("{{{name}[{}:1], {first}}}", latency - 1),
    };
    let (flies, moves_on) = (in_first("flight", "taken"), in_first("mine", "follow"));
    Ok(format!(
        r#"// What holds of the handshakes of {module}, for any surroundings.
`default_nettype none

module handshake (
    input wire clk, input wire rst,
    input wire in_valid, input wire [{tag_top}:0] in_tag, input wire out_ready,
    input wire [{data_top}:0] any,
    input wire pick
);
  wire in_ready, out_valid;
  wire [{tag_top}:0] out_tag;
  wire [{data_top}:0] out_chain;
{wires}
  control core (
    .clk(clk), .rst(rst), .in_valid(in_valid), .in_tag(in_tag), .out_ready(out_ready),
    .any(any), .in_ready(in_ready), .out_valid(out_valid), .out_tag(out_tag),
    .out_chain(out_chain){ports}
  );

  // The blocks on their way: in place t, one that was taken t clocks ago, waiting aside.
  wire moves = !out_valid || out_ready;
  wire taken = in_valid && in_ready;
  reg [{latency}:1] flight;
  always @(posedge clk)
    if (rst) flight <= 0;
    else if (moves) flight <= {flies};

  // One of them, any, is followed.
  reg [{latency}:1] mine;
  reg [{tag_top}:0] due;
  reg followed;
  wire follow = taken && pick && !followed;
  always @(posedge clk)
    if (rst) begin
      mine <= 0;
      followed <= 1'b0;
    end else begin
      if (moves) mine <= {moves_on};
      if (follow) begin
        due <= in_tag;
        followed <= 1'b1;
      end
    end

  reg waited;
  reg [{tag_top}:0] tag_before;
  reg [{data_top}:0] chain_before;
  always @(posedge clk) begin
    waited <= !rst && out_valid && !out_ready;
    tag_before <= out_tag;
    chain_before <= out_chain;
  end

  // The first clock is a reset; others may follow.
  reg begun = 1'b0;
  always @(posedge clk) begun <= 1'b1;
  integer i;
  always @* if (!begun) assume (rst); else begin
    // Each block comes out, once, in its turn, with its tag, and nothing else does.
    assert (out_valid == flight[{latency}]);
    if (mine[{latency}]) assert (out_tag == due);
    // A result stands until it is taken.
    if (waited) assert (out_valid && out_tag == tag_before && out_chain == chain_before);
    // A block is taken as soon as the first stage is free, and none while a result waits.
    assert (in_ready == (moves{is_free}));

    // How the registers follow; this makes the above inductive.
    assert (!(|(mine & ~flight)));
    if (!followed) assert (!(|mine));
{apart}{held}  end
endmodule
"#,
        module = net.name,
    ))
}

/// Stretches of consecutive places in which the value grows with the place: first place, last
/// place, first value.
fn runs(values: &BTreeMap<u32, u64>) -> Vec<(u32, u32, u64)> {
    let mut runs: Vec<(u32, u32, u64)> = Vec::new();
    for (&place, &value) in values {
        match runs.last_mut() {
            Some((from, to, first)) if *to + 1 == place && value == *first + u64::from(place - *from) => {
                *to = place;
            }
            _ => runs.push((place, place, value)),
        }
    }
    runs
}

const SCRIPT: &str = "\
read_verilog -formal -sv control.v handshake.sv
prep -flatten -top handshake
async2sync
dffunmap
sat -tempinduct -prove-asserts -set-assumes -maxsteps 3 -verify
";
