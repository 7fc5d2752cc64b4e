//! The arguments of `manylane emit rtl`.

use super::hashes::Hashes;
use super::wrapped::Bus;
use crate::emit::delays::Delays;
use manylane_answers::choices::one_of;
use manylane_emit::rtl::{Language, Reset, Storage};
use manylane_plan::hardware::{Adders, Precompute};
use std::path::PathBuf;

/// Write the hardware of a hash, with test bench and packaging
///
/// The core takes padded blocks with their chaining value and gives the next one; on AXI4-Stream or
/// AXI4-Lite it takes messages and gives digests. The planner decides in which clock every
/// operation runs; the registers follow from that.
#[derive(Debug, clap::Args)]
#[command(after_long_help = AFTER_HELP)]
pub struct Args {
    /// A hash function of `manylane list`, or several that share a compression, joined by `+`: one
    /// core with a mode for each
    #[arg(value_name = "PRIMITIVE")]
    pub(super) primitive: Hashes,
    /// The shape, as far as the options below do not set it
    #[arg(long, value_name = "PRESET", default_value = "best")]
    pub(super) preset: Preset,
    /// Steps in one clock
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u64).range(1..))]
    pub(super) merge: Option<u64>,
    /// Stages of the pipeline, each with a message of its own
    #[arg(long, value_name = "P", value_parser = clap::value_parser!(u64).range(1..))]
    pub(super) stages: Option<u64>,
    /// How sums are made: as the standard writes them, as balanced trees, or by carry-save rows
    #[arg(long, value_parser = one_of(&Adders::ALL))]
    pub(super) adders: Option<Adders>,
    /// What may be computed before its clock: nothing, K + W, what the state only passes on, or
    /// anything
    #[arg(long, value_parser = one_of(&Precompute::ALL))]
    pub(super) precompute: Option<Precompute>,
    /// Where the words of a block are while it is computed: in registers, which take it at once, or
    /// in memory (LUT RAM, block RAM), into which they go one by one through the port `word`
    #[arg(
        long,
        value_name = "WHERE",
        default_value = "registers",
        value_parser = one_of(&Storage::ALL),
    )]
    pub(super) window: Storage,
    /// Where the chaining value is kept until the rounds are done: in registers of each stage, or
    /// in a memory of all blocks under way
    #[arg(
        long,
        value_name = "WHERE",
        default_value = "registers",
        value_parser = one_of(&Storage::ALL),
    )]
    pub(super) chaining: Storage,
    /// The technology that the core is planned for, which gives the delays of operations
    #[arg(long, value_name = "TARGET", default_value = "ecp5")]
    pub(super) target: Delays,
    /// Verilog-2001, SystemVerilog or VHDL-2008
    #[arg(
        long,
        value_name = "LANGUAGE",
        default_value = "verilog",
        value_parser = one_of(&Language::ALL),
    )]
    pub(super) lang: Language,
    /// Whether a reset waits for the clock
    #[arg(long, default_value = "sync", value_parser = one_of(&Reset::ALL))]
    pub(super) reset: Reset,
    /// What is written: the core with ports for blocks, or with padding around it, so that messages
    /// go in and digests come out
    #[arg(long, value_name = "INTERFACE", default_value = "core")]
    pub(super) interface: Bus,
    /// Bits of the streams of `--interface axis`: 32, 64, 128, 256 or 512; 32 if not given
    #[arg(long, value_name = "BITS")]
    pub(super) width: Option<usize>,
    /// What becomes of a block's words when its result has been taken: they stay until others take
    /// their place, or every register is zero as soon as no block is left; then there is also a
    /// port that clears at once
    #[arg(long, value_name = "WHEN", default_value = "never")]
    pub(super) clear: Clear,
    /// Prove that the core is the definition and keeps its handshakes, and write the proof; needs
    /// z3 or bitwuzla, and yosys for the handshakes, found as `manylane prove` finds them
    #[arg(long)]
    pub(super) prove: bool,
    /// The name of the module on top, of its files and of the FuseSoC core; the core inside an
    /// interface has it with `_core`. If not given, the hash and what was asked of it:
    /// `sha256_m1_s4_chain_none`
    #[arg(long, value_name = "NAME")]
    pub(super) name: Option<String>,
    /// The folder to write, which must not exist or be empty
    #[arg(short, long, value_name = "DIR")]
    pub(super) output: PathBuf,
    /// Write into a folder that has files, over those of the same names; others stay
    #[arg(long)]
    pub(super) force: bool,
}

/// The shape where no option chooses it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum Preset {
    /// The least area × time² per block of all shapes, as the planner sees the target
    Best,
    /// Michail, Kakarountas, Goutis: two operations merged, four stages, all sums in a chain
    Paper,
    /// What they compare with: one operation per clock, four stages, all sums in a chain
    Conventional,
}

/// When a core clears its registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum Clear {
    /// Words stay until others take their place
    Never,
    /// Nothing stays when results have been taken
    OnDone,
}

const AFTER_HELP: &str = "\
The folder gets rtl/ (the design), tb/ (benches that check themselves, with messages around the \
block boundaries, at full speed and with pauses; one for cocotb too), a Makefile (test, cocotb, \
lint, synth, prove), a FuseSoC .core file, constraints to begin with, and a README with clocks \
per block, latency, what one message alone gets, the ports or registers, and an instance to copy. \
With --prove it gets proof/ too: lemmas in SMT-LIB and properties that others can check. They are \
about the core as it is made; `manylane prove DIR` proves the text in rtl/ as it stands. The \
folder is there when all of it is written, or not at all.

Modules of different shapes have different names, so that several fit into one design: `sha256` \
is what PRIMITIVE alone gives, and what else is said is added, as in \
`sha256_m2_s4_chain_none_axis64`: steps (--merge), stages, adders, pre-computation, then wram, \
cram, clear, the target, async, the language and the interface where they are not the default. \
--name says another one.

Examples:
  manylane emit rtl sha256 -o sha256-core && make -C sha256-core test
  manylane emit rtl sha256 --interface axis --width 64 -o sha256-stream
  manylane emit rtl sha224+sha256 --interface axis -o sha2    (mode 0 and 1, in tuser)
  manylane emit rtl sha512 --clear on-done -o sha512-clearing
  manylane emit rtl sha1 --preset paper -o sha1-paper
  manylane emit rtl sha256 --stages 4 --name hasher -o hasher
  manylane emit rtl sha512 --merge 2 --adders tree --precompute full -o wide
  manylane emit rtl sha256 --window ram --target ice40 -o sha256-small
  manylane emit rtl blake256 --lang vhdl --reset async -o blake256-vhdl";
