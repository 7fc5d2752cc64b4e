//! Cores that are held to the definition, and the blocks that they are given.

use super::scratch::folder;
use manylane_emit::rtl::{
    Design, Language, Options, Reset, Storage, Style, TestBlock, design, modes,
};
use manylane_graph::calls::{Call, calls};
use manylane_graph::framing::framing;
use manylane_graph::trace;
use manylane_plan::hardware::{self, Adders, DelayModel, Precompute};
use manylane_primitives::catalog::Algorithm;
use std::fmt;
use std::path::PathBuf;

/// A core to be simulated.
#[derive(Clone, Copy, Debug)]
pub struct Case {
    pub name: &'static str,
    pub hardware: hardware::Options,
    pub style: Style,
    pub window: Storage,
    pub chaining: Storage,
    pub block_ram: bool,
    /// Whether the core clears.
    pub clear: bool,
}

impl Case {
    /// One step per clock, one stage, a chain, in Verilog.
    pub fn new(name: &'static str) -> Self {
        Self {
            name,
            hardware: hardware::Options::default(),
            style: Style::default(),
            window: Storage::default(),
            chaining: Storage::default(),
            block_ram: false,
            clear: false,
        }
    }

    pub fn shape(
        self,
        merge: usize,
        stages: usize,
        adders: Adders,
        precompute: Precompute,
    ) -> Self {
        let hardware = hardware::Options { merge, stages, adders, precompute };
        Self { hardware, ..self }
    }

    pub fn style(self, language: Language, reset: Reset) -> Self {
        Self { style: Style { language, reset }, ..self }
    }

    /// The case with its words of message in memory.
    pub fn ram(self) -> Self {
        Self { window: Storage::Ram, ..self }
    }

    /// The case with its chaining values in memory.
    pub fn chains(self) -> Self {
        Self { chaining: Storage::Ram, ..self }
    }

    /// The case with its words of message in block RAM.
    pub fn block_ram(self) -> Self {
        Self { block_ram: true, ..self.ram() }
    }

    pub fn clearing(self) -> Self {
        Self { clear: true, ..self }
    }

    /// The first of its modes, or the one hash that it is.
    pub fn algorithm(&self) -> Algorithm {
        self.algorithms()[0]
    }

    /// Its modes: `sha224+sha256`.
    pub fn algorithms(&self) -> Vec<Algorithm> {
        self.name.split('+').map(|name| name.parse().expect("the catalogue has it")).collect()
    }

    pub fn design(&self) -> Design {
        self.try_design().unwrap_or_else(|error| panic!("{error}"))
    }

    /// # Errors
    /// Why there is no such core.
    pub fn try_design(&self) -> Result<Design, String> {
        let module = self.name.replace(['-', '/', '+'], "_");
        let (model, options) = (DelayModel::load("gate").unwrap(), self.options(&module)?);
        let graph = trace::compression(self.algorithm());
        design(&graph, &self.hardware, &model, &options).map_err(|error| format!("{self}: {error}"))
    }

    pub fn options(&self, module: &str) -> Result<Options, String> {
        let named = |hash: Algorithm| (hash.to_string(), framing(hash).unwrap());
        let hashes: Vec<_> = self.algorithms().into_iter().map(named).collect();
        let modes = match &hashes[..] {
            [_] => Vec::new(),
            _ => modes(&hashes).map_err(|error| format!("{self}: {error}"))?.0,
        };
        let Self { window, chaining, block_ram, clear, .. } = *self;
        Ok(Options { window, chaining, block_ram, modes, clear, ..Options::new(module) })
    }

    /// Where its files are.
    pub fn folder(&self) -> PathBuf {
        folder(&self.to_string().replace([' ', '/'], "_").replace("_--", "-"))
    }
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let hardware::Options { merge, stages, adders, precompute } = self.hardware;
        let Style { language, reset } = self.style;
        write!(
            f,
            "{} --merge {merge} --stages {stages} --adders {adders} --precompute {precompute} \
             --lang {language} --reset {reset}",
            self.name
        )?;
        if self.chaining == Storage::Ram {
            f.write_str(" --chaining ram")?;
        }
        match self.window {
            Storage::Registers => {}
            Storage::Ram if self.block_ram => f.write_str(" --window ram --target ice40")?,
            Storage::Ram => f.write_str(" --window ram")?,
        }
        if self.clear { f.write_str(" --clear on-done") } else { Ok(()) }
    }
}

/// The calls for messages of `lengths` bytes by each hash, those of different messages in turn.
pub fn blocks(algorithms: &[Algorithm], lengths: &[usize]) -> Vec<TestBlock> {
    let messages = lengths.iter().flat_map(|&length| {
        let message: Vec<u8> = (0..length).map(|i| (i * 31 + length) as u8).collect();
        let of_mode = |(mode, &hash)| (mode, calls(hash, &message));
        algorithms.iter().enumerate().map(of_mode).collect::<Vec<_>>()
    });
    let messages: Vec<(usize, Vec<Call>)> = messages.collect();
    let most = messages.iter().map(|(_, calls)| calls.len()).max().unwrap_or(0);
    let turn = |i: usize| {
        let block = move |(mode, calls): &(usize, Vec<Call>)| {
            Some(TestBlock { mode: *mode, first: i == 0, call: calls.get(i)?.clone() })
        };
        messages.iter().filter_map(block)
    };
    (0..most).flat_map(turn).collect()
}

/// Lengths at the block's boundary and to each side of it.
pub fn boundaries(block: usize) -> Vec<usize> {
    vec![0, 1, block - 9, block - 1, block, block + 1, 2 * block - 1, 3 * block + 1]
}
