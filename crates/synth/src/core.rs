//! A core as it was emitted.

use crate::Error;
use manylane_emit::rtl::Datasheet;
use std::fs;
use std::path::Path;

/// A core's text and what is said of it.
#[derive(Clone, Debug)]
pub struct Core {
    /// What is said of it.
    pub sheet: Datasheet,
    /// The Verilog of its modules, one after the other, without the comments above them: these
    /// name the folder, and a core is the same one in any.
    pub verilog: String,
}

impl Core {
    /// Reads a folder that `manylane emit rtl` wrote.
    ///
    /// # Errors
    /// If it is none, or a file cannot be read.
    pub fn read(folder: &Path) -> Result<Self, Error> {
        let file = folder.join(Datasheet::FILE);
        let text = match fs::read_to_string(&file) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                return Err(Error::NoCore { folder: folder.to_owned() });
            }
            Err(error) => return Err(Error::file(&file, error)),
        };
        let sheet: Datasheet = serde_json::from_str(&text)
            .map_err(|error| Error::Datasheet { file, why: error.to_string() })?;
        let mut verilog = String::new();
        for source in &sheet.sources {
            if source.ends_with(".vhd") {
                return Err(Error::Vhdl { folder: folder.to_owned() });
            }
            let file = folder.join(source);
            let text = fs::read_to_string(&file).map_err(|error| Error::file(&file, error))?;
            let body = text.lines().skip_while(|line| line.starts_with("//"));
            body.for_each(|line| verilog.extend([line, "\n"]));
        }
        Ok(Self { sheet, verilog })
    }

    /// Mbit/s at a clock of `mhz`: with enough messages in flight, and of one alone.
    pub fn throughput(&self, mhz: f64) -> [f64; 2] {
        let sheet = &self.sheet;
        [sheet.cycles_per_block, sheet.latency]
            .map(|clocks| sheet.block_bits as f64 * mhz / clocks as f64)
    }
}
