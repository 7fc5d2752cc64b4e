//! Simulators and what else reads hardware. A tool that is missing is a named skip, on CI an error.

use super::case::Case;
use manylane_emit::rtl::{Design, Flow, Language, Vector, bench, bench_vhdl};
use std::path::Path;
use std::process::Command;

/// What can run a core.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Simulator {
    Icarus,
    /// Compiles the core: seconds, but then fast.
    Verilator,
    Ghdl,
}

impl Simulator {
    /// The one that is always at hand for a language.
    pub fn of(language: Language) -> Self {
        match language {
            Language::Verilog | Language::SystemVerilog => Self::Icarus,
            Language::Vhdl => Self::Ghdl,
        }
    }

    pub fn is_there(self) -> bool {
        match self {
            Self::Icarus => has("iverilog", "-V"),
            Self::Verilator => has("verilator", "--version"),
            Self::Ghdl => has("ghdl", "--version"),
        }
    }
}

/// Whether a tool of the Debian package of the same name is there.
pub fn has(tool: &str, version: &str) -> bool {
    let found = Command::new(tool).arg(version).output().is_ok();
    if !found {
        assert!(std::env::var_os("CI").is_none(), "{tool} is missing: apt-get install {tool}");
        eprintln!("skipped: {tool} is missing (apt-get install {tool})");
    }
    found
}

/// A path with cocotb's programs, those of `tools/setup.sh` among them.
pub fn cocotb() -> Option<String> {
    let home = std::env::var("HOME").unwrap_or_default();
    let data = std::env::var("XDG_DATA_HOME").unwrap_or(format!("{home}/.local/share"));
    let path = std::env::var("PATH").unwrap_or_default();
    // Before others: the Python that cocotb embeds is the first of the path.
    let path = format!("{data}/manylane/tools/bin:{path}");
    let found = path.split(':').any(|folder| Path::new(folder).join("cocotb-config").is_file());
    if !found {
        assert!(std::env::var_os("CI").is_none(), "cocotb is missing: pip install cocotb==1.9.2");
        eprintln!("skipped: cocotb is missing (pip install cocotb==1.9.2)");
    }
    found.then_some(path)
}

/// What make says of a folder's target.
pub fn make(folder: &Path, target: &str, path: &str) -> String {
    made(folder, target, path)
        .unwrap_or_else(|said| panic!("{target} in {}: {said}", folder.display()))
}

/// # Errors
/// What make says of a target that it does not make.
pub fn made(folder: &Path, target: &str, path: &str) -> Result<String, String> {
    let mut make = Command::new("make");
    make.arg("-C").arg(folder).arg(target).env("PATH", path).env_remove("MAKEFLAGS");
    let made = make.output().unwrap();
    let said = String::from_utf8_lossy(&made.stdout) + String::from_utf8_lossy(&made.stderr);
    if made.status.success() { Ok(said.into_owned()) } else { Err(said.into_owned()) }
}

/// What the bench says.
pub fn simulate(
    simulator: Simulator,
    case: &Case,
    core: &str,
    design: &Design,
    vectors: &[Vector],
    flow: Flow,
) -> String {
    let folder = case.folder();
    let language = case.style.language;
    let (text, hex, extension) = match language {
        Language::Verilog | Language::SystemVerilog => {
            let (text, hex) = bench(&design.core, vectors, flow, "vectors.hex");
            (text, hex, "v")
        }
        Language::Vhdl => {
            let (text, hex) = bench_vhdl(&design.core, vectors, flow, "vectors.hex");
            (text, hex, "vhd")
        }
    };
    let core_file = format!("core.{}", language.extension());
    let bench_file = format!("tb.{extension}");
    std::fs::write(folder.join(&core_file), core).unwrap();
    std::fs::write(folder.join(&bench_file), text).unwrap();
    std::fs::write(folder.join("vectors.hex"), hex).unwrap();
    let files = [&core_file[..], &bench_file];
    let top = format!("{}_tb", design.core.netlist.name);
    match simulator {
        Simulator::Icarus => {
            let said = run(&folder, "iverilog", &["-g2012", "-Wall", "-o", "sim"], &files);
            assert!(said.is_empty(), "iverilog has something to say of {case}: {said}");
            run(&folder, "vvp", &["-n", "sim"], &[])
        }
        Simulator::Verilator => {
            let options =
                ["--binary", "--timing", "-Wno-fatal", "-CFLAGS", "-O0", "--Mdir", "sim.v"];
            run(&folder, "verilator", &[&options[..], &["--top-module", &top]].concat(), &files);
            let program = folder.join(format!("sim.v/V{top}"));
            run(&folder, program.to_str().unwrap(), &[], &[])
        }
        Simulator::Ghdl => {
            let said = run(&folder, "ghdl", &["-a", "--std=08"], &files);
            assert!(said.is_empty(), "ghdl has something to say of {case}: {said}");
            run(&folder, "ghdl", &["--elab-run", "--std=08", &top, "--ieee-asserts=disable"], &[])
        }
    }
}

/// What Verilator's linter has to say of a core.
pub fn lint(folder: &Path, file: &str) -> String {
    run(folder, "verilator", &["--lint-only", "-Wall"], &[file])
}

/// What yosys has to say of a core: an error if a latch is in it.
pub fn latches(folder: &Path, file: &str) -> String {
    let script =
        format!("read_verilog -sv {file}; proc; select -assert-none t:$dlatch t:$adlatch t:$sr");
    run(folder, "yosys", &["-q", "-p", &script], &[])
}

/// What yosys says of a core that it synthesizes for `chip`: an error unless its memories become
/// `count` cells of the kind `cell`.
pub fn memories(
    folder: &Path,
    file: &str,
    module: &str,
    chip: &str,
    cell: &str,
    count: usize,
) -> String {
    // Synthesis stops when memories have been mapped.
    let until = "map_ffram";
    let script = format!(
        "read_verilog {file}; synth_{chip} -top {module} -run begin:{until}; \
         select -assert-count {count} t:{cell}"
    );
    run(folder, "yosys", &["-q", "-p", &script], &[])
}

fn run(folder: &Path, program: &str, options: &[&str], files: &[&str]) -> String {
    let done = Command::new(program).args(options).args(files).current_dir(folder).output();
    let done = done.unwrap_or_else(|error| panic!("{program}: {error}"));
    let said = String::from_utf8_lossy(&done.stdout) + String::from_utf8_lossy(&done.stderr);
    said.lines().collect::<Vec<_>>().join("\n")
}
