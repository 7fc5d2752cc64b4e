//! `manylane emit rtl --interface axis` and `axilite`.

use super::hashes::Hashes;
use anyhow::bail;
use manylane_emit::rtl::{Design, Interface, Message, Surroundings, Wrapper};
use manylane_files::quote::quote;
use manylane_graph::calls::{calls, digest};
use manylane_graph::framing::Framing;
use std::path::Path;

/// The interface of the hardware.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Bus {
    /// Padded blocks with their chaining values
    Core,
    /// Messages and digests on AXI4-Stream
    Axis,
    /// Messages and digests through registers on AXI4-Lite
    Axilite,
}

/// Bits of a stream where `--width` is not given.
const WIDTH: usize = 32;

impl Bus {
    /// The wrapper around the core, if there is one.
    pub fn interface(self, width: Option<usize>) -> anyhow::Result<Option<Interface>> {
        match (self, width) {
            (Self::Axis, _) => {
                let bits = width.unwrap_or(WIDTH);
                if ![32, 64, 128, 256, 512].contains(&bits) {
                    bail!("--width {bits}: there are streams of 32, 64, 128, 256 and 512 bits");
                }
                Ok(Some(Interface::Stream(bits / 8)))
            }
            (_, Some(_)) => bail!("--width is that of a stream; say --interface axis too"),
            (Self::Core, None) => Ok(None),
            (Self::Axilite, None) => Ok(Some(Interface::Registers)),
        }
    }

    /// The options of the command line that ask for this interface.
    pub fn options(self, width: Option<usize>) -> String {
        match self {
            Self::Core => String::new(),
            Self::Axis => format!(" --interface axis --width {}", width.unwrap_or(WIDTH)),
            Self::Axilite => " --interface axilite".to_owned(),
        }
    }
}

/// The interface around a core, and the messages of its test bench.
pub struct Messages {
    interface: Interface,
    framing: Framing,
    messages: Vec<Message>,
}

impl Messages {
    /// Probes how messages are framed, and computes the digests that the benches expect.
    pub fn new(hashes: &Hashes, interface: Interface) -> anyhow::Result<Self> {
        let framing = hashes.framing()?;
        let messages = messages(hashes, framing.block_bytes);
        Ok(Self { interface, framing, messages })
    }

    /// The interface, framing and messages as the emitter takes them.
    pub fn surroundings(&self) -> Surroundings<'_> {
        let Self { interface, framing, messages } = self;
        Surroundings { interface: *interface, framing, messages }
    }
}

/// Messages whose lengths lie around multiples of a block, each in every mode.
fn messages(hashes: &Hashes, block: usize) -> Vec<Message> {
    let around = [1, 2, 3].into_iter().flat_map(|n| [n * block - 1, n * block, n * block + 1]);
    let lengths = [0, 1, 3, block - 9, block - 8].into_iter().chain(around);
    let of_length = |length| {
        let bytes: Vec<u8> = match length {
            3 => b"abc".to_vec(),
            _ => (0..length).map(|i| (i * 31 + length) as u8).collect(),
        };
        let by_mode = |(mode, &hash)| {
            let chain = calls(hash, &bytes).into_iter().map(|call| call.out).collect();
            Message { digest: digest(hash, &bytes), bytes: bytes.clone(), mode, chain }
        };
        hashes.all.iter().enumerate().map(by_mode).collect::<Vec<_>>()
    };
    lengths.flat_map(of_length).collect()
}

/// The core that was made, in a few lines, of which the first has the answer.
pub fn summary(design: &Design, wrapper: &Wrapper, folder: &Path) -> String {
    let folder = quote(folder.as_os_str().as_encoded_bytes());
    let bits = design.program.block_bits();
    let (every, alone) = (clocks(wrapper.cycles_per_block), wrapper.latency);
    let registers = design.core.netlist.register_bits() + wrapper.netlist.register_bits();
    let memory = design.core.netlist.memory_bits() + wrapper.netlist.memory_bits();
    let rate = match wrapper.contexts {
        1 => format!("{bits} bits every {every}, a message at a time"),
        n => {
            format!("{bits} bits every {every} with {n} messages under way, every {alone} with one")
        }
    };
    format!(
        "{folder}: {rate}\n  {registers} bits of registers, {memory} of memory\n  \
         make -C {folder} test   simulates it; README.md says the rest\n"
    )
}

/// A number of clocks in words.
pub fn clocks(count: usize) -> String {
    if count == 1 { "1 clock".to_owned() } else { format!("{count} clocks") }
}
