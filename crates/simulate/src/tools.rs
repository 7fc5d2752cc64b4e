//! Finds the tools.

use crate::Error;
use etcetera::BaseStrategy;
use std::env;
use std::path::{Path, PathBuf};

/// The command that installs all.
const REMEDY: &str = "`make setup-simulators` installs it";

/// Finds a program: in the folder that `MANYLANE_TOOLS` names, in
/// `~/.local/share/manylane/tools/bin`, on the path. A name with a folder in it stays what it is.
pub fn program(machine: &'static str, name: &str) -> Result<PathBuf, Error> {
    let found = match Path::new(name).components().count() {
        1 => folders().iter().map(|folder| folder.join(name)).find(|file| file.is_file()),
        _ => std::path::absolute(name).ok().filter(|file| file.is_file()),
    };
    found.ok_or_else(|| missing(machine, name.to_owned()))
}

/// The RTL of Ibex, as PyPI's `pythondata-cpu-ibex` has it: the folder that `MANYLANE_IBEX` names,
/// or that of the project's own tools.
pub fn ibex(machine: &'static str) -> Result<PathBuf, Error> {
    let inside = Path::new("pythondata_cpu_ibex/system_verilog");
    let of_versions = |tools: PathBuf| {
        let versions = tools.join("lib").read_dir().into_iter().flatten().flatten();
        versions.map(move |version| version.path().join("site-packages").join(inside))
    };
    let named = env::var_os("MANYLANE_IBEX").filter(|named| !named.is_empty()).map(PathBuf::from);
    let mut all = named.into_iter().chain(own().into_iter().flat_map(of_versions));
    all.find(|folder| folder.join("rtl/ibex_top.sv").is_file()).ok_or_else(|| {
        missing(machine, "the RTL of Ibex (PyPI pythondata-cpu-ibex, or MANYLANE_IBEX)".into())
    })
}

/// The package `rp2040js` of npm: the folder that `MANYLANE_RP2040JS` names, or that of the
/// project's own tools.
pub fn rp2040js(machine: &'static str) -> Result<PathBuf, Error> {
    let named = env::var_os("MANYLANE_RP2040JS").filter(|named| !named.is_empty());
    let own = own().map(|tools| tools.join("node_modules/rp2040js"));
    let mut all = named.map(PathBuf::from).into_iter().chain(own);
    all.find(|folder| folder.join("dist/esm/cortex-m0-core.js").is_file())
        .ok_or_else(|| missing(machine, "rp2040js (of npm, or MANYLANE_RP2040JS)".into()))
}

/// The name and version of the package of Ibex's RTL: that of the folder beside it in which
/// Python's package manager describes it.
pub fn ibex_version(machine: &'static str) -> String {
    const NAME: &str = "pythondata_cpu_ibex";
    let described = |rtl: PathBuf| {
        let packages = rtl.ancestors().nth(2)?.read_dir().ok()?;
        packages.flatten().find_map(|entry| {
            let name = entry.file_name().into_string().ok()?;
            Some(name.strip_prefix(NAME)?.strip_prefix('-')?.strip_suffix(".dist-info")?.to_owned())
        })
    };
    match ibex(machine).ok().and_then(described) {
        Some(version) => format!("pythondata-cpu-ibex {version}"),
        None => "Ibex of an unknown version".to_owned(),
    }
}

/// The name and version of the package `rp2040js`.
pub fn rp2040js_version(machine: &'static str) -> String {
    let described = |package: PathBuf| {
        let text = std::fs::read_to_string(package.join("package.json")).ok()?;
        let described: serde_json::Value = serde_json::from_str(&text).ok()?;
        Some(described.get("version")?.as_str()?.to_owned())
    };
    match rp2040js(machine).ok().and_then(described) {
        Some(version) => format!("rp2040js {version}"),
        None => "rp2040js of an unknown version".to_owned(),
    }
}

/// The error of a tool that is not there.
pub fn missing(machine: &'static str, tool: String) -> Error {
    Error::Missing { machine, tool, remedy: REMEDY.to_owned() }
}

/// The project's own folder of tools, where `make setup-simulators` installs.
fn own() -> Option<PathBuf> {
    let folders = etcetera::base_strategy::choose_native_strategy().ok()?;
    Some(folders.data_dir().join("manylane/tools"))
}

/// Where programs are looked for.
fn folders() -> Vec<PathBuf> {
    let named = env::var_os("MANYLANE_TOOLS").map(PathBuf::from);
    let own = own().map(|tools| tools.join("bin"));
    let path = env::var_os("PATH").unwrap_or_default();
    let all = named.into_iter().chain(own).chain(env::split_paths(&path));
    all.filter(|folder| folder != Path::new("")).collect()
}
