//! `manylane emit rtl`.

pub mod args;
mod hashes;
mod name;
mod wrapped;

use crate::emit::command::recorded;
use crate::emit::delays::Delays;
use crate::synth::INTERRUPTED;
use crate::terminal::output::{Output, complain};
use anyhow::bail;
use args::{Args, Clear, Preset};
use hashes::Hashes;
use manylane_emit::backend::{Backend, Folder};
use manylane_emit::prove::{Claim, Proof, Solver, Yosys, files};
use manylane_emit::rtl::{
    self, Datasheet, Design, Designer, Language, Netlist, Options, Project, Rtl, Storage, Style,
    TestBlock, Wanted, Wrapper, best, check_module_name,
};
use manylane_files::quote::quote;
use manylane_files::system::staged::{OutputFolder, Staged};
use manylane_graph::Function;
use manylane_graph::calls::{Call, calls};
use manylane_plan::hardware::{self, DelayModel};
use manylane_synth::{Tool, Tools};
use std::path::Path;
use std::process::ExitCode;
use wrapped::{Bus, Messages, clocks};

/// A core, and its folder's files.
pub(crate) struct Made {
    /// The core, and the program that it was made from.
    pub(crate) design: Design,
    /// The trace of the definition, which the core is proved to be.
    pub(crate) definition: Function,
    /// The wrapper around the core, if there is one.
    pub(crate) wrapper: Option<Wrapper>,
    /// The language and the reset of the text.
    pub(crate) style: Style,
    pub(crate) folder: Folder,
    summary: String,
}

impl Made {
    /// The module on top.
    pub(crate) fn top(&self) -> &Netlist {
        self.wrapper.as_ref().map_or(&self.design.core.netlist, |wrapper| &wrapper.netlist)
    }

    /// Paths of the hardware's files in the folder: the core's first, then the wrapper's, which
    /// uses the core.
    pub(crate) fn sources(&self) -> Vec<String> {
        let inner = [&self.design.core.netlist].into_iter();
        let all = inner.chain(self.wrapper.as_ref().map(|wrapper| &wrapper.netlist));
        all.map(|netlist| self.file_of(netlist).0.to_owned()).collect()
    }

    /// The content of its core.json.
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

/// Plans the core, proves it if asked, and writes its folder.
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
    // The folder is checked before the proof, which takes minutes.
    let place = OutputFolder::new(&args.output, args.force)?;
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
        let program = plan.map_err(|error| self.in_preset(error))?.program;
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
        backend.check(&program)?;
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

    /// The error of a plan that cannot be made. If a preset asks for a number of stages that the
    /// hash cannot have, the error also names the preset.
    fn in_preset(&self, error: rtl::Error) -> anyhow::Error {
        let of_preset = self.preset != Preset::Best && self.stages.is_none();
        match error {
            rtl::Error::Plan(hardware::Error::Stages { stages, .. }) if of_preset => {
                anyhow::Error::new(error)
                    .context(format!("the preset asks for {stages} stages, --stages for others"))
            }
            error => error.into(),
        }
    }

    /// Whether the core clears its registers.
    pub(super) fn clears(&self) -> bool {
        self.clear == Clear::OnDone
    }

    /// Returns the shape that `manylane emit rtl PRIMITIVE` makes for the same target without any
    /// option of a shape, if there is one. `hardware` is the shape of this command, which is
    /// returned if this command has no such option either.
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
        let folder = recorded(&self.output);
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
             --precompute {precompute}{window}{chaining} --target {target} --lang {lang} --reset \
             {reset}{bus}{clear}{module} {prove}-o {folder}"
        )
    }
}

/// Proves a core, and the files of its proof.
fn prove(claim: &Claim<'_>) -> anyhow::Result<(Proof, Vec<(String, String)>)> {
    let proof = claim.prove(&Solver::find_by(manylane_synth::program)?)?;
    let files = files(claim, &proof.cuts, &claim.handshake()?);
    Ok((proof, files))
}

/// Proves the handshakes of a core whose folder is written, if yosys is there. The folder will be
/// called `named`.
fn prove_handshakes(staged: &Staged<'_>, named: &Path) -> anyhow::Result<String> {
    let tools = match Tools::find([Tool::Yosys]) {
        Ok(tools) => tools,
        Err(missing) => {
            let again = quote(named.as_os_str().as_encoded_bytes());
            return Ok(format!(
                "  handshakes: not proved, for {missing}; then make -C {again} prove\n"
            ));
        }
    };
    Yosys::at(&tools.get(Tool::Yosys).program).prove(&staged.folder().join("proof"))?;
    Ok("  proved: its handshakes, by induction (yosys)\n".to_owned())
}

/// Bits of the tags that tell the blocks in flight from each other.
const TAG_BITS: u32 = 8;

/// The blocks of messages whose lengths lie around multiples of a block: the first block of each
/// message, then the second of each, and so on.
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

/// The core that was made, in a few lines, of which the first has the answer.
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
        "{folder}: {} bits every {}, {} bits of registers{memory}\n  \
         with {messages} messages in flight; one alone waits {} per block: {share} % of \
         that\n  \
         make -C {folder} test   simulates it ({simulator}); README.md says the rest\n",
        program.block_bits(),
        clocks(core.cycles_per_block),
        core.netlist.register_bits(),
        clocks(core.latency),
    )
}
