//! Finds the tools.

use crate::tool::Tool;
use crate::{Error, process};
use etcetera::BaseStrategy;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// A tool that was found.
#[derive(Clone, Debug)]
pub struct Found {
    /// Its program.
    pub program: PathBuf,
    /// The version that it prints.
    pub version: String,
}

/// The tools that are needed.
#[derive(Clone, Debug, Default)]
pub struct Tools(BTreeMap<Tool, Found>);

/// How long a tool may take to say its version: those of YoWASP compile themselves at first use.
const MOST_PATIENCE: Duration = Duration::from_secs(300);

/// The environment variable that names a folder of programs, which is searched before all others.
const FOLDER: &str = "MANYLANE_TOOLS";

impl Tools {
    /// Finds tools: by the variable of each, in the folder that `MANYLANE_TOOLS` names, in
    /// `~/.local/share/manylane/tools/bin`, on the path. Asks each for its version.
    ///
    /// # Errors
    /// If one is missing.
    pub fn find(needed: impl IntoIterator<Item = Tool>) -> Result<Self, Error> {
        let mut tools = Self::default();
        for tool in needed {
            if let Entry::Vacant(place) = tools.0.entry(tool) {
                place.insert(find(tool)?);
            }
        }
        Ok(tools)
    }

    /// A tool.
    ///
    /// # Panics
    /// If it was not asked for.
    pub fn get(&self, tool: Tool) -> &Found {
        &self.0[&tool]
    }
}

/// Tools that were found by other means.
impl FromIterator<(Tool, Found)> for Tools {
    fn from_iter<T: IntoIterator<Item = (Tool, Found)>>(found: T) -> Self {
        Self(found.into_iter().collect())
    }
}

fn find(tool: Tool) -> Result<Found, Error> {
    let missing = |why: String| Error::Missing { tool: tool.name(), remedy: why };
    let program = match env::var_os(tool.variable()).filter(|named| !named.is_empty()) {
        Some(named) => PathBuf::from(named),
        None => {
            let found = tool.programs().iter().find_map(|name| program(name));
            found.ok_or_else(|| missing(tool.remedy()))?
        }
    };
    // A name alone is searched on the path.
    let program = match program.components().count() {
        1 => program,
        _ => absolute(program),
    };
    let asked = || format!("`{} {}`", program.display(), tool.version_option());
    let mut command = Command::new(&program);
    let text = match process::ask(command.arg(tool.version_option()), MOST_PATIENCE) {
        Err(error) => {
            return Err(missing(format!("{}: {error}; {}", program.display(), tool.remedy())));
        }
        Ok(None) => {
            let seconds = MOST_PATIENCE.as_secs();
            let why = format!("{} has not answered for {seconds} s", asked());
            return Err(missing(format!("{why}; {}", tool.remedy())));
        }
        Ok(Some((status, _))) if !status.success() => {
            return Err(missing(format!("{} ended with {status}; {}", asked(), tool.remedy())));
        }
        Ok(Some((_, text))) => text,
    };
    let version = version(tool, &text)
        .ok_or_else(|| missing(format!("{} does not say a version; {}", asked(), tool.remedy())))?;
    Ok(Found { program, version })
}

/// The absolute path of a program: tools run in folders of their own, where a relative path would
/// lead elsewhere.
fn absolute(program: PathBuf) -> PathBuf {
    std::path::absolute(&program).unwrap_or(program)
}

/// Finds a program of this name where tools are looked for: in the folder that `MANYLANE_TOOLS`
/// names, in `~/.local/share/manylane/tools/bin`, on the path.
pub fn program(name: &str) -> Option<PathBuf> {
    let files = folders().into_iter().map(|folder| folder.join(name));
    files.into_iter().find(|file| file.is_file()).map(absolute)
}

/// `yosys 0.23`, `nextpnr-ice40 0.4-1+b1`: of what a tool says of itself; none if it has no number.
fn version(tool: Tool, said: &str) -> Option<String> {
    let line = said.lines().find(|line| !line.trim().is_empty())?;
    let number = match line.split_once("(Version ") {
        Some((_, rest)) => rest.trim_end_matches(')').trim_start_matches("nextpnr-"),
        None => line.split_whitespace().nth(1).unwrap_or(line),
    };
    number.contains(|c: char| c.is_ascii_digit()).then(|| format!("{} {number}", tool.name()))
}

/// Where programs are looked for.
fn folders() -> Vec<PathBuf> {
    let named = env::var_os(FOLDER).map(PathBuf::from);
    let own = etcetera::base_strategy::choose_native_strategy()
        .map(|folders| folders.data_dir().join("manylane/tools/bin"));
    let path = env::var_os("PATH").unwrap_or_default();
    let all = named.into_iter().chain(own).chain(env::split_paths(&path));
    all.filter(|folder| folder != Path::new("")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_read() {
        for (tool, said, expected) in [
            (Tool::Yosys, "Yosys 0.23 (git sha1 7ce5011c24b)\n", "yosys 0.23"),
            (Tool::YosysForEcp5, "Yosys 0.70+post (git sha1 0, clang)\n", "yosys 0.70+post"),
            (
                Tool::NextpnrIce40,
                "nextpnr-ice40 -- Next Generation Place and Route (Version 0.4-1+b1)\n",
                "nextpnr-ice40 0.4-1+b1",
            ),
        ] {
            assert_eq!(version(tool, said).as_deref(), Some(expected));
        }
        for said in ["", "\n\n", "Usage: false\n"] {
            assert_eq!(version(Tool::Yosys, said), None, "{said:?}");
        }
    }
}
