//! `manylane emit rtl`.

use super::Delays;
use super::hashes::Hashes;
use super::name;
use super::wrapped::{self, Bus, Messages};
use crate::output::{Output, complain};
use crate::plan::named;
use crate::quote::quote;
use crate::staged::{Place, Staged};
use crate::synth::INTERRUPTED;
use anyhow::bail;
use manylane_emit::backend::{Backend, Folder};
use manylane_emit::prove::{Claim, Proof, Solver, Yosys, files};
use manylane_emit::rtl::{
    self, Datasheet, Design, Designer, Language, Netlist, Options, Project, Reset, Rtl, Storage,
    Style, TestBlock, Wanted, Wrapper, best, check_module_name,
};
use manylane_graph::Function;
use manylane_graph::calls::{Call, calls};
use manylane_plan::hardware::{self, Adders, DelayModel, Precompute};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Write the hardware of a hash, with test bench and packaging
///
/// The core takes padded blocks with their chaining value and gives the next one; on AXI4-Stream or
/// AXI4-Lite it takes messages and gives digests. The planner decides in which clock every operation
/// runs; the registers follow from that.
#[derive(Debug, clap::Args)]
#[command(after_long_help = AFTER_HELP)]
pub struct Args {
    /// A hash function of `manylane list`, or several that share a compression, joined by `+`: one
    /// core with a mode for each
    #[arg(value_name = "PRIMITIVE")]
    primitive: Hashes,
    /// The shape where the options below say nothing
    #[arg(long, value_name = "PRESET", default_value = "best")]
    preset: Preset,
    /// Steps in one clock
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u64).range(1..))]
    merge: Option<u64>,
    /// Stages of the pipeline, each with a message of its own
    #[arg(long, value_name = "P", value_parser = clap::value_parser!(u64).range(1..))]
    stages: Option<u64>,
    /// How sums are made: as the standard writes them, as balanced trees, or by carry-save rows
    #[arg(long, value_parser = named(Adders::ALL))]
    adders: Option<Adders>,
    /// What may be computed before its clock: nothing, K + W, what the state only passes on, or
    /// anything
    #[arg(long, value_parser = named(Precompute::ALL))]
    precompute: Option<Precompute>,
    /// Where the words of a block are while it is computed: in registers, which take it at once, or
    /// in memory (LUT RAM, block RAM), into which they go one by one through the port `word`
    #[arg(long, value_name = "WHERE", default_value = "registers", value_parser = named(Storage::ALL))]
    pub(super) window: Storage,
    /// Where the chaining value is kept until the rounds are done: in registers of each stage, or in a
    /// memory of all blocks under way
    #[arg(long, value_name = "WHERE", default_value = "registers", value_parser = named(Storage::ALL))]
    pub(super) chaining: Storage,
    /// What the core is planned for: how long operations take there
    #[arg(long, value_name = "TARGET", default_value = "ecp5")]
    pub(super) target: Delays,
    /// Verilog-2001, SystemVerilog or VHDL-2008
    #[arg(long, value_name = "LANGUAGE", default_value = "verilog", value_parser = named(Language::ALL))]
    pub(super) lang: Language,
    /// Whether a reset waits for the clock
    #[arg(long, default_value = "sync", value_parser = named(Reset::ALL))]
    pub(super) reset: Reset,
    /// What is written: the core with ports for blocks, or with padding around it, so that messages
    /// go in and digests come out
    #[arg(long, value_name = "INTERFACE", default_value = "core")]
    interface: Bus,
    /// Bits of the streams of `--interface axis`: 32, 64, 128, 256 or 512; 32 if not given
    #[arg(long, value_name = "BITS")]
    width: Option<usize>,
    /// What becomes of a block's words when its result has been taken: they stay until others take
    /// their place, or every register is zero as soon as no block is left; then there is also a port
    /// that clears at once
    #[arg(long, value_name = "WHEN", default_value = "never")]
    clear: Clear,
    /// Prove that the core is the definition and keeps its handshakes, and write the proof; needs z3
    /// or bitwuzla, and yosys for the handshakes
    #[arg(long)]
    prove: bool,
    /// The name of the module on top, of its files and of the FuseSoC core; the core inside an
    /// interface has it with `_core`. If not given, the hash and what was asked of it:
    /// `sha256_m1_s4_chain_none`
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    /// The folder to write, which must not exist or be empty
    #[arg(short, long, value_name = "DIR")]
    output: PathBuf,
    /// Write into a folder that has files, over those of the same names; others stay
    #[arg(long)]
    force: bool,
}

/// What is chosen where nothing is said.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Preset {
    /// The least area × time² per block of all shapes, as the planner sees the target
    Best,
    /// Michail, Kakarountas, Goutis: two operations merged, four stages, all sums in a chain
    Paper,
    /// What they compare with: one operation per clock, four stages, all sums in a chain
    Conventional,
}

/// When a core forgets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Clear {
    /// Words stay until others take their place
    Never,
    /// Nothing stays when results have been taken
    OnDone,
}

const AFTER_HELP: &str = "\
The folder gets rtl/ (the design), tb/ (benches that check themselves, with messages around the block
boundaries, at full speed and with pauses; one for cocotb too), a Makefile (test, cocotb, lint,
synth, prove), a FuseSoC .core file, constraints to begin with, and a README with clocks per block,
latency, what one message alone gets, the ports or registers, and an instance to copy.
With --prove it gets proof/ too: lemmas in SMT-LIB and properties that others can check. They are about
the core as it is made; `manylane prove DIR` proves the text in rtl/ as it stands.
The folder is there when all of it is written, or not at all.

Modules of different shapes have different names, so that several fit into one design: `sha256` is what
PRIMITIVE alone gives, and what else is said is added, as in `sha256_m2_s4_chain_none_axis64`: steps
(--merge), stages, adders, pre-computation, then wram, cram, clear, the target, async, the language and
the interface where they are not the default. --name says another one.

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

/// A core, and its folder's files.
pub(crate) struct Made {
    pub(crate) design: Design,
    /// The trace of the definition, which the core is proved to be.
    pub(crate) definition: Function,
    /// What surrounds the core, if anything.
    pub(crate) wrapper: Option<Wrapper>,
    pub(crate) style: Style,
    pub(crate) folder: Folder,
    summary: String,
}

impl Made {
    /// The module on top.
    pub(crate) fn top(&self) -> &Netlist {
        self.wrapper.as_ref().map_or(&self.design.core.netlist, |wrapper| &wrapper.netlist)
    }

    /// The hardware's files, from the folder: those that are read before others first.
    pub(crate) fn sources(&self) -> Vec<String> {
        let inner = [&self.design.core.netlist].into_iter();
        let all = inner.chain(self.wrapper.as_ref().map(|wrapper| &wrapper.netlist));
        all.map(|netlist| self.file_of(netlist).0.to_owned()).collect()
    }

    /// What core.json says of it.
    pub(crate) fn sheet(&self) -> anyhow::Result<Datasheet> {
        let text = self.folder.text(Datasheet::FILE).expect("every core has its sheet");
        Ok(Datasheet::read(text)?.0)
    }

    /// The file of a module, and its text.
    pub(crate) fn file_of(&self, netlist: &Netlist) -> (&str, &str) {
        let name = format!("rtl/{}.{}", netlist.name, self.style.language.extension());
        let (file, text) = self.folder.file(&name).expect("each module has a file");
        (file, str::from_utf8(text).expect("modules are text"))
    }
}

pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    if args.prove && args.interface != Bus::Core {
        bail!("--prove is about the core: prove it with --interface core");
    }
    if args.prove && [args.window, args.chaining].contains(&Storage::Ram) {
        bail!(
            "--prove follows a block through registers, not through memory: prove the core with \
             --window registers --chaining registers; make test simulates it with either"
        );
    }
    let Made { design, definition, mut folder, mut summary, .. } = args.make()?;
    // Before a proof that takes its time.
    let place = Place::new(&args.output, args.force)?;
    let mut proved = None;
    if args.prove {
        let core = &design.core;
        let claim = Claim { core, compression: design.compression(), definition: &definition };
        let (proof, more) = prove(&claim)?;
        folder.add_all(more)?;
        proved = Some(proof);
    }
    let mut staged = place.stage()?;
    staged.write(folder.files())?;
    if let Some(proof) = proved {
        summary.push_str(&proof.to_string());
        let said = prove_handshakes(&staged, &args.output);
        // The signal that ends this program ends yosys too, which is no failure of a proof.
        summary.push_str(&if staged.is_interrupted() { String::new() } else { said? });
    }
    if staged.is_interrupted() {
        complain("interrupted; nothing was written");
        return Ok(ExitCode::from(INTERRUPTED));
    }
    staged.publish()?;
    let mut output = Output::stdout()?;
    output.write(summary.as_bytes())?;
    output.finish()?;
    Ok(ExitCode::SUCCESS)
}

impl Args {
    /// Makes the core and its files, and writes nothing.
    pub(crate) fn make(&self) -> anyhow::Result<Made> {
        let name = self.primitive.to_string();
        if let Some(name) = &self.name {
            check_module_name(name)?;
        }
        let definition = self.primitive.compression()?;
        let model = DelayModel::load(self.target.name())?;
        let hardware = self.hardware(&definition, &model)?;
        let interface = self.interface.interface(self.width)?;
        let module = match &self.name {
            Some(name) => name.clone(),
            None => {
                let usual = self.usual(&definition, &model, &hardware);
                name::module(self, &name, &hardware, usual.as_ref(), interface)
            }
        };
        let options = Options {
            module,
            tag_bits: TAG_BITS,
            window: self.window,
            chaining: self.chaining,
            block_ram: self.target == Delays::Ice40,
            modes: self.primitive.modes()?,
            clear: self.clears(),
        };
        let plan = Designer::new(&definition).plan(&hardware, &model);
        let program = self.in_preset(&hardware, plan)?.program;
        let (title, warning) = (self.primitive.title(), self.primitive.warning());
        let style = Style { language: self.lang, reset: self.reset };
        let hash = interface.map(|interface| Messages::new(&self.primitive, interface));
        let hash = hash.transpose()?;
        let blocks = match hash {
            None => blocks(&self.primitive, program.block_bits() as usize / 8),
            Some(_) => Vec::new(),
        };
        let backend = Rtl {
            options: &options,
            about: Project {
                title: &title,
                warning: warning.as_deref(),
                command: &self.command(&name, &hardware),
                blocks: &blocks,
                style,
            },
            surroundings: hash.as_ref().map(Messages::surroundings),
        };
        self.in_preset(&hardware, backend.check(&program))?;
        let mut folder = Folder::new();
        backend.emit(&program, &mut folder)?;
        let rtl::Made { core, wrapper } = backend.make(&program)?;
        let design = Design { program, core };
        let summary = match &wrapper {
            None => summary(&design, self.lang, &self.output),
            Some(wrapper) => wrapped::summary(&design, wrapper, &self.output),
        };
        Ok(Made { design, definition, wrapper, style, folder, summary })
    }

    /// A result; where there is none because a preset asks for stages of which there is no core, the
    /// error says so.
    fn in_preset<T, E: std::error::Error + Send + Sync + 'static>(
        &self,
        hardware: &hardware::Options,
        result: Result<T, E>,
    ) -> anyhow::Result<T> {
        result.map_err(|error| {
            let error = anyhow::Error::new(error);
            match self.preset != Preset::Best && self.stages.is_none() {
                true => error.context(format!(
                    "the preset asks for {} stages, --stages for others",
                    hardware.stages
                )),
                false => error,
            }
        })
    }

    /// Whether the core forgets.
    pub(super) fn clears(&self) -> bool {
        self.clear == Clear::OnDone
    }

    /// The shape where nothing is said, which `hardware` is if that is so here.
    fn usual(
        &self,
        compression: &Function,
        model: &DelayModel,
        hardware: &hardware::Options,
    ) -> Option<hardware::Options> {
        let Self { merge, stages, adders, precompute, .. } = self;
        let asked = merge.is_some() || stages.is_some() || adders.is_some() || precompute.is_some();
        match self.preset {
            Preset::Best if !asked => Some(*hardware),
            _ => best(compression, &Wanted::default(), model).ok(),
        }
    }

    fn hardware(
        &self,
        compression: &Function,
        model: &DelayModel,
    ) -> anyhow::Result<hardware::Options> {
        let (merge, stages) = (self.merge.map(|k| k as usize), self.stages.map(|p| p as usize));
        let (adders, precompute) = (self.adders, self.precompute);
        let of_preset = match self.preset {
            Preset::Best => {
                let wanted = Wanted { merge, stages, adders, precompute };
                return Ok(best(compression, &wanted, model)?);
            }
            Preset::Paper => hardware::Options::PAPER,
            Preset::Conventional => hardware::Options::CONVENTIONAL,
        };
        Ok(hardware::Options {
            merge: merge.unwrap_or(of_preset.merge),
            stages: stages.unwrap_or(of_preset.stages),
            adders: adders.unwrap_or(of_preset.adders),
            precompute: precompute.unwrap_or(of_preset.precompute),
        })
    }

    /// The command that makes the same folder, with nothing left to presets.
    fn command(&self, name: &str, hardware: &hardware::Options) -> String {
        let Self { lang, reset, .. } = self;
        let target = self.target.name();
        let hardware::Options { merge, stages, adders, precompute } = hardware;
        let folder = quote(self.output.as_os_str().as_encoded_bytes());
        let bus = self.interface.options(self.width);
        let clear = if self.clears() { " --clear on-done" } else { "" };
        let module = self.name.as_ref().map_or(String::new(), |name| format!(" --name {name}"));
        let prove = if self.prove { "--prove " } else { "" };
        let in_memory = |name: &str, storage| match storage {
            Storage::Registers => String::new(),
            Storage::Ram => format!(" --{name} ram"),
        };
        let (window, chaining) =
            (in_memory("window", self.window), in_memory("chaining", self.chaining));
        format!(
            "manylane emit rtl {name} --merge {merge} --stages {stages} --adders {adders} \
             --precompute {precompute}{window}{chaining} --target {target} --lang {lang} --reset {reset}{bus}{clear}{module} {prove}-o {folder}"
        )
    }
}

/// Proves a core, and the files of its proof.
fn prove(claim: &Claim<'_>) -> anyhow::Result<(Proof, Vec<(String, String)>)> {
    let proof = claim.prove(&Solver::find()?)?;
    let files = files(claim, &proof.cuts, &claim.handshake()?);
    Ok((proof, files))
}

/// Proves the handshakes of a core whose folder is written, if yosys is there. The folder will be
/// called `named`.
fn prove_handshakes(staged: &Staged<'_>, named: &Path) -> anyhow::Result<String> {
    let Some(yosys) = Yosys::find() else {
        let again = quote(named.as_os_str().as_encoded_bytes());
        return Ok(format!(
            "  handshakes: not proved, for yosys is missing: apt-get install yosys, \
             then make -C {again} prove\n"
        ));
    };
    yosys.prove(&staged.folder().join("proof"))?;
    Ok("  proved: its handshakes, by induction (yosys)\n".to_owned())
}

/// Enough to tell the blocks in flight from each other.
const TAG_BITS: u32 = 8;

/// The blocks of messages around the block's boundaries, those of different messages in turn.
fn blocks(hashes: &Hashes, block: usize) -> Vec<TestBlock> {
    let around = [1, 2, 3].into_iter().flat_map(|blocks| [blocks * block - 1, blocks * block + 1]);
    let lengths = [0, 1, 3, block - 9, block].into_iter().chain(around);
    let messages = lengths.flat_map(|length| {
        let message: Vec<u8> = match length {
            3 => b"abc".to_vec(),
            _ => (0..length).map(|i| i as u8).collect(),
        };
        let of_mode = |(mode, &hash)| (mode, calls(hash, &message));
        hashes.all.iter().enumerate().map(of_mode).collect::<Vec<_>>()
    });
    let messages: Vec<(usize, Vec<Call>)> = messages.collect();
    let most = messages.iter().map(|(_, calls)| calls.len()).max().unwrap_or(0);
    let turn = |i: usize| {
        messages.iter().filter_map(move |(mode, calls)| {
            Some(TestBlock { mode: *mode, first: i == 0, call: calls.get(i)?.clone() })
        })
    };
    (0..most).flat_map(turn).collect()
}

/// What was made, in a few lines; the first one answers.
fn summary(design: &Design, language: Language, folder: &Path) -> String {
    let simulator = match language {
        Language::Verilog | Language::SystemVerilog => "Icarus Verilog",
        Language::Vhdl => "GHDL",
    };
    let Design { program, core } = design;
    let messages = core.latency.div_ceil(core.cycles_per_block);
    let share = 100 * core.cycles_per_block / core.latency;
    let folder = quote(folder.as_os_str().as_encoded_bytes());
    let memory = match core.netlist.memory_bits() {
        0 => String::new(),
        bits => format!(", {bits} of memory"),
    };
    format!(
        "{folder}: {} bits every {} clocks, {} bits of registers{memory}\n  \
         with {messages} messages in flight; one alone waits {} clocks per block: {share} % of that\n  \
         make -C {folder} test   simulates it ({simulator}); README.md says the rest\n",
        program.block_bits(),
        core.cycles_per_block,
        core.netlist.register_bits(),
        core.latency,
    )
}
