//! The simulator of two Ibex cores: Verilator makes it of lowRISC's RTL and our files.

use crate::process::{self, End};
use crate::{Error, Machine, cache, tools};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// The packages of Ibex that are compiled, in the order in which they depend on each other.
const PACKAGES: [&str; 7] = [
    "vendor/lowrisc_ip/ip/prim/rtl/prim_util_pkg.sv",
    "vendor/lowrisc_ip/ip/prim/rtl/prim_count_pkg.sv",
    "vendor/lowrisc_ip/ip/prim/rtl/prim_cipher_pkg.sv",
    "vendor/lowrisc_ip/ip/prim/rtl/prim_secded_pkg.sv",
    "vendor/lowrisc_ip/ip/prim/rtl/prim_mubi_pkg.sv",
    "vendor/lowrisc_ip/ip/prim/rtl/prim_ram_1p_pkg.sv",
    "rtl/ibex_pkg.sv",
];

/// Folders of Ibex in which modules and included files are looked for.
const MODULES: [&str; 2] = ["rtl", "vendor/lowrisc_ip/ip/prim/rtl"];
const INCLUDES: [&str; 2] = ["vendor/lowrisc_ip/ip/prim/rtl", "vendor/lowrisc_ip/dv/sv/dv_utils"];

const OURS: [(&str, &str); 3] = [
    ("shims.sv", include_str!("../ibex/shims.sv")),
    ("ibex_duo.sv", include_str!("../ibex/ibex_duo.sv")),
    ("main.cpp", include_str!("../ibex/main.cpp")),
];

/// Verilator's options. Ibex is not our text, so that warnings of its style and the assertions for
/// other tools are switched off.
const OPTIONS: [&str; 19] = [
    "--cc",
    "--exe",
    "--build",
    "-j",
    "0",
    "--top-module",
    "ibex_duo",
    "-DSYNTHESIS",
    "-DYOSYS",
    "-Wno-fatal",
    "-Wno-lint",
    "-Wno-style",
    "-O3",
    "--noassert",
    "-MAKEFLAGS",
    "OPT_FAST=-O2",
    "--Mdir",
    "work",
    "-o",
];

const PROGRAM: &str = "ibex-duo";
const PATIENCE: Duration = Duration::from_secs(1800);

fn name() -> &'static str {
    Machine::IbexDuo.name()
}

/// Looks for the tools that build the simulator, if it has to be built.
pub fn check() -> Result<(), Error> {
    if is_built() {
        return Ok(());
    }
    for tool in ["verilator", "make", "g++"] {
        tools::program(name(), tool)?;
    }
    tools::ibex(name()).map(drop)
}

/// Whether the simulator of the installed RTL was built before.
pub fn is_built() -> bool {
    tools::ibex(name()).and_then(|rtl| place(&rtl)).is_ok_and(|folder| built(&folder).is_file())
}

fn built(folder: &Path) -> PathBuf {
    folder.join(PROGRAM)
}

/// The folder of the simulator of this RTL.
fn place(rtl: &Path) -> Result<PathBuf, Error> {
    let mut contents: Vec<_> = OURS.iter().map(|(_, text)| text.as_bytes().to_vec()).collect();
    contents.extend(OPTIONS.iter().map(|option| option.as_bytes().to_vec()));
    let mut files = Vec::new();
    let cores = rtl.join("rtl");
    for entry in fs::read_dir(&cores).map_err(Error::file(&cores))? {
        files.push(entry.map_err(Error::file(&cores))?.path());
    }
    files.extend(PACKAGES.iter().map(|file| rtl.join(file)));
    files.sort();
    for file in files.iter().filter(|file| file.is_file()) {
        contents.push(fs::read(file).map_err(Error::file(file))?);
    }
    Ok(cache::folder(PROGRAM, &contents))
}

/// The simulator's program. It is built if it is not there: half a minute.
pub fn simulator() -> Result<PathBuf, Error> {
    let rtl = tools::ibex(name())?;
    let folder = place(&rtl)?;
    if !built(&folder).is_file() {
        check()?;
        cache::fill(&folder, |work| verilate(&rtl, work))?;
    }
    Ok(built(&folder))
}

/// Builds the simulator's program in `to`.
fn verilate(rtl: &Path, to: &Path) -> Result<(), Error> {
    // make refuses folders with a space in their names, which a user's own folder may have.
    let made = tempfile::Builder::new().prefix("manylane-ibex-").tempdir();
    let made = made.map_err(Error::file(&std::env::temp_dir()))?;
    let work = made.path();
    if work.display().to_string().contains(char::is_whitespace) {
        let what = format!(
            "is built by make, which takes no folder with a space in its name: set TMPDIR to \
             another than {}",
            std::env::temp_dir().display()
        );
        return Err(Error::Unable { machine: name(), what });
    }
    let mut command = Command::new(tools::program(name(), "verilator")?);
    // Verilator calls make itself, which must not inherit variables of a make that called us.
    command.current_dir(work).env_remove("MAKEFLAGS").env_remove("MFLAGS");
    command.args(OPTIONS).arg(PROGRAM);
    for folder in INCLUDES {
        command.arg(format!("-I{}", rtl.join(folder).display()));
    }
    for folder in MODULES {
        command.arg("-y").arg(rtl.join(folder));
    }
    command.args(PACKAGES.map(|file| rtl.join(file)));
    for (name, text) in OURS {
        let file = work.join(name);
        fs::write(&file, text).map_err(Error::file(&file))?;
        command.arg(name);
    }
    let failed = |words: &str| Error::Simulator {
        machine: name(),
        simulator: "verilator".to_owned(),
        words: last_lines(words),
    };
    let ended = process::run(&mut command, PATIENCE).map_err(|error| failed(&error.to_string()))?;
    match ended.end {
        End::Exit(status) if status.success() => {
            let copied = fs::copy(work.join("work").join(PROGRAM), built(to));
            copied.map(drop).map_err(Error::file(to))
        }
        End::Exit(_) => Err(failed(&format!("{}\n{}", ended.output, ended.errors))),
        _ => Err(failed(&format!("stopped after {} s", PATIENCE.as_secs()))),
    }
}

/// The last lines of what a build printed, where its errors stand.
fn last_lines(words: &str) -> String {
    let lines: Vec<_> = words.trim_end().lines().collect();
    lines[lines.len().saturating_sub(20)..].join("\n")
}
