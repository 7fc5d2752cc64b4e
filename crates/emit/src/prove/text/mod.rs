//! Proves that a text is the netlist that it was written from, even if it has been edited since.
//!
//! ```text
//!  rtl/*.v ──────────────► yosys ──► registers, gates ──┐ the same names; for all values the
//!  rtl/*.vhd ──► GHDL ──►                               ├ same next values and outputs?
//!  netlist ─────────────────────────────────────────────┘ structure, trial, SMT solver
//! ```
//!
//! The netlist is the one that [`super::Claim`] proves to be the definition. It is not read back
//! from a text, so the way from netlist to text is proved too. The proof trusts yosys (and GHDL) as
//! readers of their languages, the meaning of yosys's cells in `cell`, and the solver.
//!
//! Every register and memory of either side has to be one of the other's, so that nothing can be
//! added; a wire may be anything that leaves registers and outputs as they are.

mod aig;
mod cell;
mod compare;
mod equal;
mod fault;
mod gate;
mod gold;
mod reader;
mod rtlil;
mod scan;
mod sides;
mod state;
mod wide;

pub use compare::Compared;
pub use fault::{Fault, Source};
pub use reader::Readers;

use super::Solver;
use crate::rtl::{Language, Netlist, Style};
use compare::compare;
use fault::Difference;
use std::collections::HashMap;
use std::path::Path;

/// A module of a folder.
#[derive(Clone, Copy, Debug)]
pub struct Emitted<'n> {
    /// The netlist to which the text has to be equal.
    pub netlist: &'n Netlist,
    /// Its file, from the folder.
    pub file: &'n str,
    /// The text as it is emitted.
    pub text: &'n str,
}

/// Proves that the files of a folder are the netlists, the top module's the last. `scratch` is an
/// empty folder, for what the tools write.
///
/// # Errors
/// The first difference, or the reason for which the comparison failed.
pub fn prove_text(
    modules: &[Emitted<'_>],
    style: Style,
    sources: &[Source],
    readers: &Readers,
    solver: &Solver,
    scratch: &Path,
) -> Result<Vec<Compared>, Fault> {
    let takes_wide_for_zero = style.language == Language::Vhdl && !readers.reads_wide(scratch)?;
    for source in sources {
        let emitted = modules.iter().find(|module| module.file == source.file);
        let emitted = emitted.map_or("", |module| module.text);
        let scanned = scan::scan(style.language, &source.text, emitted).and_then(|()| {
            let tokens = |text| scan::tokens(style.language, text);
            match takes_wide_for_zero {
                true => wide::refuse(&tokens(&source.text)?, &tokens(emitted)?),
                false => Ok(()),
            }
        });
        scanned.map_err(|refused| Fault::of(&source.file, Some(refused.line), refused.why))?;
        let module = modules.iter().find(|module| module.file == source.file);
        module.map_or(Ok(()), |module| has_module(style.language, source, &module.netlist.name))?;
    }
    let top = modules.last().expect("a core has a module");
    let read = readers.read(style.language, sources, &top.netlist.name, scratch)?;
    let outputs = |net: &'_ Netlist| net.outputs().iter().map(|(name, _)| name.clone()).collect();
    let outputs: HashMap<&str, Vec<String>> =
        modules.iter().map(|of| (&of.netlist.name[..], outputs(of.netlist))).collect();
    let outputs: HashMap<&str, Vec<&str>> = outputs
        .iter()
        .map(|(name, ports)| (*name, ports.iter().map(|port| &port[..]).collect()))
        .collect();
    let mut compared = Vec::new();
    for emitted in modules {
        let name = &emitted.netlist.name;
        let source = sources.iter().find(|source| source.file == emitted.file);
        let module = read.iter().find(|module| module.name == *name);
        let (Some(source), Some(module)) = (source, module) else {
            return Err(Fault::of(emitted.file, None, format!("module {name} is not there")));
        };
        let found = compare(emitted.netlist, style.reset, module, &outputs, solver);
        compared.push(found.map_err(|Difference { signal, why }| Fault {
            file: Some(source.file.clone()),
            line: signal.as_deref().and_then(|signal| line_of(&source.text, signal)),
            signal,
            why,
        })?);
    }
    Ok(compared)
}

/// Refuses a file whose first module is not the core's: yosys would not find the core's.
fn has_module(language: Language, source: &Source, name: &str) -> Result<(), Fault> {
    let is_same = |found: &str| match language {
        Language::Vhdl => found.eq_ignore_ascii_case(name),
        _ => found == name,
    };
    let (line, why) = match scan::unit(language, &source.text) {
        Some((_, found)) if is_same(found) => return Ok(()),
        Some((line, found)) => {
            (Some(line), format!("is the module {found}, and the core's is {name}"))
        }
        None => (None, format!("has no module, and the core's is {name}")),
    };
    Err(Fault::of(&source.file, line, why + ": emit the core again"))
}

/// The line in which a signal gets its value, or is named at all.
fn line_of(text: &str, signal: &str) -> Option<usize> {
    // For a port of an instance, the instance's name is searched.
    let name = signal.split('.').next().unwrap_or(signal);
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let words = |line: &str| -> Vec<usize> {
        let found = line.match_indices(name);
        let whole = found.filter(|(at, _)| {
            let before = line[..*at].chars().next_back();
            let after = line[at + name.len()..].chars().next();
            !before.is_some_and(is_word) && !after.is_some_and(is_word)
        });
        whole.map(|(at, _)| at + name.len()).collect()
    };
    let is_given = |line: &str| {
        words(line).into_iter().any(|end| {
            let rest = line[end..].trim_start();
            rest.starts_with("<=") || (rest.starts_with('=') && !rest.starts_with("=="))
        })
    };
    let lines = || text.lines().enumerate().map(|(i, line)| (i + 1, line));
    let given = lines().filter(|(_, line)| is_given(line)).last();
    let named = || lines().find(|(_, line)| !words(line).is_empty());
    given.or_else(named).map(|(number, _)| number)
}
