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
//! they agree. The relation of each register of the control to the picture is guessed from the
//! unrolled core: a register that is 1 in clocks 3 and 4 of a block is taken to be 1 exactly while
//! a block is in place 3 or 4. The guesses need no trust, because they are proved with the rest.

mod control;
mod invariant;
mod properties;

use super::claim::Walk;
use super::statement::{Claim, Error};
use super::unroll::Carried;
use crate::rtl::{SignalId, Style, text};
use control::{Control, cone};
use invariant::{Invariant, Register};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Two modules and a script, by file name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HandshakeProof {
    /// The control of the core, its properties, and the script for yosys.
    pub files: [(&'static str, String); 3],
}

impl Walk<'_> {
    /// The files of the proof.
    ///
    /// # Errors
    /// If a signal cannot be followed, or an output does not come out of registers.
    pub(super) fn handshake(&mut self) -> Result<HandshakeProof, Error> {
        let claim = self.claim;
        claim.combinational()?;
        let mut control = Control::new(claim)?;
        let mut registers = Vec::new();
        for (register, kept) in control.registers.clone() {
            let invariant = self.invariant(register)?;
            let signal = control.net.signal(kept);
            let (name, width) = (format!("state_{}", signal.name), signal.width);
            control.net.output(&name, kept);
            registers.push(Register { name, width, invariant });
        }
        let note = "The control of the core; what out_chain depends on takes any values.";
        Ok(HandshakeProof {
            files: [
                ("control.v", text(&control.net, Style::default(), note)),
                ("handshake.sv", properties::properties(claim, control.data, &registers)?),
                ("handshake.ys", SCRIPT.to_owned()),
            ],
        })
    }

    fn invariant(&mut self, register: SignalId) -> Result<Invariant, Error> {
        if let Some(marks) = self.marks.get(&register) {
            return Ok(Invariant::Marks(marks.clone()));
        }
        let latency = self.claim.core.latency as u32;
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
        Ok(if tags.is_empty() { Invariant::Counts(values) } else { Invariant::Tags(tags) })
    }
}

impl Claim<'_> {
    /// Checks that neither side of a handshake waits, within a clock, for the other.
    fn combinational(&self) -> Result<(), Error> {
        for (output, input) in [("in_ready", "in_valid"), ("out_valid", "out_ready")] {
            let top = self.output(output)?;
            if cone(&self.core.netlist, [top].into_iter(), false).contains(&self.input(input)?) {
                return Err(Error::Control(format!(
                    "{output} depends on {input} in the same clock"
                )));
            }
        }
        Ok(())
    }
}

const SCRIPT: &str = "\
# Proves handshake.sv, by induction over clocks, with the solver in yosys itself.
read_verilog -formal -sv control.v handshake.sv
prep -flatten -top handshake
async2sync
dffunmap
sat -tempinduct -prove-asserts -set-assumes -maxsteps 3 -verify
";

/// The program yosys, by its path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Yosys(PathBuf);

impl Yosys {
    /// The yosys at the path `program`.
    pub fn at(program: &Path) -> Self {
        Self(program.to_owned())
    }

    /// Proves the handshakes in a folder that has the files of a [`HandshakeProof`].
    ///
    /// # Errors
    /// If a property does not hold, with the end of what yosys said.
    pub fn prove(&self, folder: &Path) -> Result<(), Error> {
        let program = self.0.display();
        let script = ["-Q", "-T", "handshake.ys"];
        let said = match Command::new(&self.0).args(script).current_dir(folder).output() {
            Ok(done) if done.status.success() => return Ok(()),
            Ok(done) => [done.stdout, done.stderr].concat(),
            Err(error) => error.to_string().into_bytes(),
        };
        let said = String::from_utf8_lossy(&said);
        let lines: Vec<&str> = said.lines().filter(|line| !line.trim().is_empty()).collect();
        let end = lines[lines.len().saturating_sub(ENOUGH)..].join("\n  ");
        Err(Error::Control(format!("the handshakes are not proved; {program} says\n  {end}")))
    }
}

/// Lines of an error.
const ENOUGH: usize = 12;
