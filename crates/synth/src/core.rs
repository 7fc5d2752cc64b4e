//! A core as it was emitted.

use crate::{Error, read_text};
use manylane_emit::rtl::Datasheet;
use std::collections::HashSet;
use std::path::Path;

/// A core's text and its description.
#[derive(Clone, Debug)]
pub struct Core {
    /// Its description, from core.json.
    pub sheet: Datasheet,
    /// The Verilog of its modules, one after the other, without the comments above them: these name
    /// the folder, and a core is the same in any folder.
    pub verilog: String,
    /// The files of the text, in its order.
    pub origins: Vec<Origin>,
}

/// A file whose text is a part of a core's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Origin {
    /// Its path from the core's folder.
    pub file: String,
    /// Lines of comments at its beginning, which are left out.
    pub skipped: usize,
    /// Lines that are in the core's text.
    pub lines: usize,
}

impl Core {
    /// Reads a folder that `manylane emit rtl` wrote.
    ///
    /// # Errors
    /// If the folder is no core's, or a file cannot be read.
    pub fn read(folder: &Path) -> Result<Self, Error> {
        let file = folder.join(Datasheet::FILE);
        let text = match read_text(&file) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                return Err(Error::NoCore { folder: folder.to_owned() });
            }
            Err(error) => return Err(Error::file(&file, error)),
        };
        let wrong = |why| Error::Datasheet { file: file.clone(), why };
        let sheet: Datasheet =
            serde_json::from_str(&text).map_err(|error| wrong(error.to_string()))?;
        sound(&sheet).map_err(wrong)?;
        let (mut verilog, mut origins) = (String::new(), Vec::new());
        for source in &sheet.sources {
            if source.ends_with(".vhd") {
                return Err(Error::Vhdl { folder: folder.to_owned() });
            }
            let file = folder.join(source);
            let text = read_text(&file).map_err(|error| Error::Source { file, error })?;
            let skipped = text.lines().take_while(|line| line.starts_with("//")).count();
            let lines = text.lines().count() - skipped;
            text.lines().skip(skipped).for_each(|line| verilog.extend([line, "\n"]));
            origins.push(Origin { file: source.clone(), skipped, lines });
        }
        if !declares(&verilog, &sheet.module) {
            return Err(wrong(format!("none of its sources has the module {}", sheet.module)));
        }
        Ok(Self { sheet, verilog, origins })
    }

    /// A tool's message about the core's text. If it begins with a line number in `file`, the name
    /// by which the tool knows the text, it gets the file and line of the folder instead.
    pub fn located(&self, said: &str, file: &str) -> String {
        let place = said.split_once(file).and_then(|(before, rest)| {
            let (line, rest) = rest.strip_prefix(':')?.split_once(':')?;
            let mut line: usize = line.parse().ok().filter(|_| before.is_empty())?;
            for Origin { file, skipped, lines } in &self.origins {
                if line <= *lines {
                    return Some(format!("{file}:{}:{rest}", line + skipped));
                }
                line -= lines;
            }
            None
        });
        place.unwrap_or_else(|| said.to_owned())
    }

    /// Mbit/s at a clock of `mhz`: with enough messages in flight, and of one alone.
    pub fn throughput(&self, mhz: f64) -> [f64; 2] {
        let sheet = &self.sheet;
        [sheet.cycles_per_block, sheet.latency]
            .map(|clocks| sheet.block_bits as f64 * mhz / clocks as f64)
    }
}

/// The largest number of bits of all ports of a core. The widest of ours has some thousands.
const MOST_BITS: u64 = 1 << 20;

/// Checks that a description is sound, since its figures are reported and its names go into scripts
/// and Verilog.
fn sound(sheet: &Datasheet) -> Result<(), String> {
    let names = sheet.ports.iter().map(|port| &port.name).chain([&sheet.module]);
    for name in names {
        let letters = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        if !letters || !name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
            return Err(format!("{name:?} is no name of a module or port"));
        }
    }
    let names: HashSet<&str> = sheet.ports.iter().map(|port| &port.name[..]).collect();
    if names.len() < sheet.ports.len() {
        return Err("two ports have one name".to_owned());
    }
    if sheet.ports.iter().any(|port| port.bits == 0) {
        return Err("a port has no bits".to_owned());
    }
    if sheet.ports.iter().map(|port| u64::from(port.bits)).sum::<u64>() > MOST_BITS {
        return Err(format!("its ports have more than {MOST_BITS} bits"));
    }
    let data = |input| sheet.ports.iter().any(|p| p.input == input && p.name != "clk");
    if !names.contains("clk") || !data(true) || !data(false) {
        return Err("a core has an input clk, other inputs, and outputs".to_owned());
    }
    let (clocks, latency) = (sheet.cycles_per_block, sheet.latency);
    if sheet.block_bits == 0 || clocks == 0 || latency < clocks {
        let bits = sheet.block_bits;
        return Err(format!(
            "{bits} bits in {clocks} clocks, or {latency} for a message alone, are no throughput"
        ));
    }
    Ok(())
}

/// Whether a text declares a module.
fn declares(verilog: &str, module: &str) -> bool {
    let is_end = |c: char| !(c.is_ascii_alphanumeric() || c == '_' || c == '$');
    let mut words = verilog.split(is_end).filter(|word| !word.is_empty());
    let mut before = "";
    words.any(|word| std::mem::replace(&mut before, word) == "module" && word == module)
}
