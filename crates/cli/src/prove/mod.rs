//! `manylane prove`: proves that the text of emitted cores computes the definition.

mod folder;

use crate::terminal::output::{Output, complain};
use anyhow::{Context, bail};
use folder::{Folder, other_version};
use indicatif::{ProgressBar, ProgressStyle};
use manylane_answers::json;
use manylane_emit::prove::text::{Compared, Emitted, Fault, Readers, prove_text};
use manylane_emit::prove::{Claim, Solver, Yosys};
use manylane_emit::rtl::Language;
use manylane_files::quote::quote;
use manylane_files::system::scratch;
use manylane_synth::{Tool, Tools, program};
use serde::Serialize;
use std::env;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::{Duration, Instant};

/// Prove that the text in emitted cores is the definition, whoever has edited it
///
/// The core is made anew from the command in core.json and proved to be the definition. The files
/// in rtl/ are read by yosys, VHDL by GHDL first, and proved to be that core: the same ports,
/// registers, memories and modules, and for all values of these the same outputs and next values. A
/// text that is another is named with the signal that differs. Of a wrapper (AXI4-Stream,
/// AXI4-Lite) the text is proved to be what manylane emits, and the core inside it to be the
/// definition.
#[derive(Debug, clap::Args)]
#[command(after_long_help = AFTER_HELP)]
pub struct Args {
    /// Folders that `manylane emit rtl` wrote
    #[arg(value_name = "DIR", required = true)]
    folders: Vec<PathBuf>,
    /// Prove only that the text is what manylane emits, and not that this is the definition: all
    /// that there is for cores with words in memory
    #[arg(long)]
    text: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

const AFTER_HELP: &str = "\
Examples:
  manylane emit rtl sha256 -o sha256-core && manylane prove sha256-core
  make -C sha256-core prove                     the same
  manylane prove */ --json                      many folders; what failed is in \"failed\"
  manylane prove --text sha256-ram              a core with --window ram

What is proved:
  function    a block that is taken comes out as the definition says, whatever surrounds it
  handshakes  each block comes out once, in its turn, and waits until it is taken
  text        rtl/ is that core, register by register and output by output

What is refused: registers, memories, ports, modules and files that the core does not have; what \
simulators and synthesis take for different things, such as `ifdef, delays, initial blocks, lists \
that leave out a signal, full_case and translate_off. Wires may be added, renamed and written \
otherwise.

Tools: yosys, z3 or bitwuzla, and ghdl for VHDL (apt-get install yosys z3 ghdl).

Exit status: 0 if all of it is proved; 1 if a text differs, or anything could not be proved.

Environment:
  MANYLANE_TOOLS  a folder with tools, searched first
  MANYLANE_YOSYS  the program to be used as yosys
  MANYLANE_GHDL   as ghdl";

/// What `--json` prints.
#[derive(Debug, Default, Serialize)]
struct Report {
    proved: Vec<Proved>,
    failed: Vec<Failed>,
}

/// A folder whose text is proved.
#[derive(Debug, Serialize)]
struct Proved {
    folder: String,
    module: String,
    /// The primitive's name in its standard.
    title: String,
    /// How the function was proved; nothing if it was not asked for.
    function: Option<String>,
    /// What proved the handshakes; nothing if it was not asked for.
    handshakes: Option<String>,
    text: Vec<Text>,
    /// Properties that a reader might think to be proved, but that are not.
    not_proved: Vec<&'static str>,
    seconds: f64,
}

/// A file that is proved.
#[derive(Debug, Serialize)]
struct Text {
    file: String,
    #[serde(flatten)]
    compared: Compared,
}

/// A folder without a proof.
#[derive(Debug, Serialize)]
struct Failed {
    folder: String,
    #[serde(flatten)]
    fault: Fault,
}

/// The programs that proofs of all folders need.
struct Provers {
    readers: Readers,
    /// yosys, by its name and version.
    yosys: String,
    solver: Solver,
}

/// Proves the core of each folder and prints the results as they come.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    // A missing tool is reported before anything that takes time.
    let provers = Provers::find()?;
    let bar = ProgressBar::new_spinner();
    let style = ProgressStyle::with_template("{spinner} {elapsed} {wide_msg}");
    bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_spinner()));
    bar.enable_steady_tick(Duration::from_millis(200));
    let mut report = Report::default();
    let mut output = Output::stdout()?;
    for path in &args.folders {
        let folder = quote(path.as_os_str().as_encoded_bytes());
        match provers.prove(path, &folder, args.text, &bar) {
            Ok(proved) => {
                if !args.json {
                    bar.suspend(|| {
                        output.write(proved.to_string().as_bytes()).and(output.flush())
                    })?;
                }
                report.proved.push(proved);
            }
            Err(error) => {
                let fault = error.downcast::<Fault>().unwrap_or_else(|error| Fault {
                    file: None,
                    line: None,
                    signal: None,
                    why: format!("{error:#}"),
                });
                bar.suspend(|| complain(&format!("{folder}: {fault}")));
                report.failed.push(Failed { folder, fault });
            }
        }
    }
    bar.finish_and_clear();
    if args.json {
        output.write(json(&report)?.as_bytes())?;
    }
    output.finish()?;
    Ok(if report.failed.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

impl Provers {
    fn find() -> anyhow::Result<Self> {
        scratch::check()?;
        let tools = Tools::find([Tool::Yosys])?;
        let yosys = tools.get(Tool::Yosys);
        let readers = Readers { yosys: yosys.program.clone(), ghdl: ghdl() };
        Ok(Self { readers, yosys: yosys.version.clone(), solver: Solver::find_by(program)? })
    }

    fn prove(
        &self,
        path: &Path,
        name: &str,
        only_text: bool,
        bar: &ProgressBar,
    ) -> anyhow::Result<Proved> {
        let begin = Instant::now();
        bar.set_message(format!("{name}: makes the core anew"));
        let folder = Folder::read(path)?;
        let made = &folder.made;
        if made.style.language == Language::Vhdl && self.readers.ghdl.is_none() {
            bail!(
                "is VHDL, and ghdl is missing: apt-get install ghdl; MANYLANE_GHDL may name the \
                 program"
            );
        }
        bar.set_message(format!("{name}: reads and compares {}", made.sources().join(", ")));
        let scratch = tempfile::tempdir().context("a folder for the tools")?;
        let modules = folder.modules();
        let compared = prove_text(
            &modules,
            made.style,
            &folder.sources,
            &self.readers,
            &self.solver,
            scratch.path(),
        );
        let compared = compared.map_err(|mut fault| {
            fault.why += &other_version(folder.version.as_deref());
            fault
        })?;
        let of = |(module, compared): (&Emitted<'_>, Compared)| Text {
            file: module.file.to_owned(),
            compared,
        };
        let text: Vec<Text> = modules.iter().zip(compared).map(of).collect();
        let (mut function, mut handshakes) = (None, None);
        if !only_text {
            bar.set_message(format!("{name}: proves that the core is the definition"));
            let (core, definition) = (&made.design.core, &made.definition);
            if core.in_memory() {
                bail!(
                    "the text is what manylane emits, but that this is the definition is not \
                     proved: \
                     a proof follows a block through registers, not through memory; say --text to \
                     prove the text alone (make test simulates the core), or emit it with --window \
                     registers --chaining registers"
                );
            }
            let claim = Claim { core, compression: made.design.compression(), definition };
            let proof = claim.prove(&self.solver)?;
            function = Some(format!(
                "{} operations by structure, {} words by {} lemmas ({})",
                proof.cuts.shared,
                proof.cuts.cuts,
                proof.cuts.lemmas.len(),
                proof.solver
            ));
            bar.set_message(format!("{name}: proves the handshakes"));
            for (file, text) in claim.handshake()?.files {
                std::fs::write(scratch.path().join(file), text).context("a file for yosys")?;
            }
            Yosys::at(&self.readers.yosys).prove(scratch.path())?;
            handshakes = Some(self.yosys.clone());
        }
        Ok(Proved {
            folder: name.to_owned(),
            module: made.top().name.clone(),
            title: folder.sheet.title.clone(),
            function,
            handshakes,
            not_proved: not_proved(only_text, made.wrapper.is_some()),
            text,
            seconds: begin.elapsed().as_secs_f64(),
        })
    }
}

impl std::fmt::Display for Proved {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { folder, module, title, seconds, .. } = self;
        let proved = if self.function.is_some() { "proved" } else { "the text is proved" };
        writeln!(f, "{folder}: {proved}, {module} ({title}), in {seconds:.1} s")?;
        for Text { file, compared } in &self.text {
            let Compared { register_bits, output_bits, by_structure, by_values, by_solver } =
                compared;
            writeln!(
                f,
                "  text        {file}: {register_bits} bits of registers and {output_bits} of \
                 outputs; \
                 {by_structure} words by structure, {by_values} by all values, {by_solver} by the \
                 solver"
            )?;
        }
        if let Some(function) = &self.function {
            writeln!(f, "  function    for every block it is the definition: {function}")?;
        }
        if let Some(handshakes) = &self.handshakes {
            writeln!(f, "  handshakes  by induction ({handshakes})")?;
        }
        self.not_proved.iter().try_for_each(|what| writeln!(f, "  not proved  {what}"))
    }
}

fn not_proved(only_text: bool, is_wrapped: bool) -> Vec<&'static str> {
    let function = "that what manylane emits is the definition: --text asks for the text alone";
    let around =
        "that padding and bus around the core are the standards': make test simulates them";
    let all = [(only_text, function), (is_wrapped, around)];
    all.into_iter().filter_map(|(is_open, what)| is_open.then_some(what)).collect()
}

/// GHDL, if it is there.
fn ghdl() -> Option<PathBuf> {
    let named = env::var_os("MANYLANE_GHDL").filter(|named| !named.is_empty());
    let program = named.map(PathBuf::from).or_else(|| program("ghdl"))?;
    let runs =
        Command::new(&program).arg("--version").output().is_ok_and(|said| said.status.success());
    runs.then_some(program)
}
