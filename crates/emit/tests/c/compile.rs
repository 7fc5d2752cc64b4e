//! Folders on disk, compilers, and programs made with them.

use manylane_emit::c::Folder;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// What the sources must be clean under.
pub const STRICT: [&str; 8] =
    ["-std=c99", "-pedantic", "-Wall", "-Wextra", "-Wconversion", "-Wshadow", "-Wundef", "-Werror"];

/// Whether a tool is there. On CI it has to be.
pub fn has(tool: &str) -> bool {
    let found = Command::new(tool).arg("--version").output().is_ok();
    assert!(found || std::env::var_os("CI").is_none(), "{tool} is missing: tools/setup.sh test");
    if !found {
        eprintln!("skipped: {tool} is missing");
    }
    found
}

/// The C compilers of this machine.
pub fn compilers() -> Vec<&'static str> {
    ["gcc", "clang"].into_iter().filter(|compiler| has(compiler)).collect()
}

/// A folder that goes away.
pub struct Written {
    root: tempfile::TempDir,
}

impl Written {
    pub fn new(folder: &Folder) -> Self {
        let written = Self { root: tempfile::tempdir().unwrap() };
        for (path, text) in &folder.files {
            written.add(path, text);
        }
        written
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.root.path().join(name)
    }

    pub fn add(&self, name: &str, text: &str) {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    pub fn text(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap()
    }

    /// Runs a tool in the folder, which must go well.
    #[track_caller]
    pub fn run(&self, tool: &str, args: &[&str]) -> String {
        good(
            tool,
            args,
            Command::new(tool).args(args).current_dir(self.root.path()).output().unwrap(),
        )
    }

    /// Compiles sources to a program and runs it.
    #[track_caller]
    pub fn build_and_run(&self, compiler: &str, flags: &[&str], sources: &[String]) -> String {
        let sources: Vec<&str> = sources.iter().map(|source| &source[..]).collect();
        let args = [flags, &["-Iinclude"], &sources, &["-o", "program"]].concat();
        self.run(compiler, &args);
        self.run("./program", &[])
    }
}

#[track_caller]
fn good(tool: &str, args: &[&str], output: Output) -> String {
    let (out, error) =
        (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{tool} {args:?}: {:?}\n{out}\n{error}", output.status);
    out.into_owned()
}

/// The C of a driver in which `P` and `M` stand for the names of a library.
pub fn driver(name: &str, p: &str, m: &str) -> String {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/c").join(name);
    let text = std::fs::read_to_string(file).unwrap();
    let word =
        |text: String, from: &str, to: &str| text.replace(&format!("{from}_"), &format!("{to}_"));
    let text = text.replace("\"src/P.c\"", &format!("\"src/{p}.c\""));
    let text = text.replace("\"src/M.c\"", &format!("\"src/{m}.c\""));
    let text =
        text.replace("\"P.h\"", &format!("\"{p}.h\"")).replace("\"M.h\"", &format!("\"{m}.h\""));
    let text = text.replace("P(", &format!("{p}(")).replace("M(", &format!("{m}("));
    let text = word(word(text, "UP", &p.to_uppercase()), "UM", &m.to_uppercase());
    word(word(text, "P", p), "M", m)
}
