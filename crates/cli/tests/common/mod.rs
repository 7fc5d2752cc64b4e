//! A directory to work in, and programs run in it.
#![allow(dead_code)]

#[cfg(unix)]
mod program;
#[cfg(unix)]
pub use program::write_program;

use serde_json::Value;
use std::ffi::OsStr;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The program under test.
pub const MANYLANE: &str = env!("CARGO_BIN_EXE_manylane");

/// A temporary directory, which is removed at the end of the test.
pub struct Sandbox(tempfile::TempDir);

/// The output and the status of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ran {
    pub stdout: Vec<u8>,
    pub stderr: String,
    pub status: Option<i32>,
}

impl Ran {
    pub fn text(&self) -> &str {
        text(&self.stdout)
    }

    /// The output of a program that went well and did not complain.
    #[track_caller]
    pub fn good(self) -> Vec<u8> {
        assert_eq!((self.status, &self.stderr[..]), (Some(0), ""), "{self:?}");
        self.stdout
    }
}

impl Sandbox {
    pub fn new() -> Self {
        Self(tempfile::tempdir().expect("a temporary directory"))
    }

    pub fn path(&self, name: impl AsRef<Path>) -> PathBuf {
        self.0.path().join(name)
    }

    pub fn write(&self, name: impl AsRef<Path>, bytes: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, bytes).unwrap();
        path
    }

    pub fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command.current_dir(self.0.path()).env_remove("MANYLANE_MAX_ISA").env("LC_ALL", "C.UTF-8");
        // The user's own table of kernel times must have no effect.
        command.env("MANYLANE_TUNING", "off");
        command
    }

    pub fn run<A: AsRef<OsStr>>(&self, program: &str, args: impl IntoIterator<Item = A>) -> Ran {
        self.run_with_input(program, args, b"")
    }

    /// What the program under test prints: lines of at most 100 columns, without spaces at their
    /// ends.
    #[track_caller]
    pub fn text(&self, args: &str) -> String {
        let text = String::from_utf8(self.run(MANYLANE, args.split_whitespace()).good()).unwrap();
        for line in text.lines() {
            assert!(line.chars().count() <= 100, "{args}: {line}");
            assert_eq!(line, line.trim_end(), "{args}");
        }
        text
    }

    /// The output of the program under test with `--json`.
    #[track_caller]
    pub fn json(&self, args: &str) -> Value {
        let args = format!("{args} --json");
        let printed = self.run(MANYLANE, args.split_whitespace()).good();
        serde_json::from_slice(&printed).unwrap_or_else(|error| panic!("{args}: {error}"))
    }

    pub fn run_with_input<A: AsRef<OsStr>>(
        &self,
        program: &str,
        args: impl IntoIterator<Item = A>,
        input: &[u8],
    ) -> Ran {
        let mut command = self.command(program);
        command.args(args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap_or_else(|error| panic!("{program}: {error}"));
        let mut stdin = child.stdin.take().unwrap();
        let output = std::thread::scope(|scope| {
            // A program that does not read its input breaks the pipe.
            scope.spawn(move || _ = stdin.write_all(input));
            child.wait_with_output().unwrap()
        });
        Ran {
            stdout: output.stdout,
            stderr: String::from_utf8(output.stderr).expect("messages are text"),
            status: output.status.code(),
        }
    }

    /// Runs the program as a user who may not read everything: in place of root, nobody. Where that
    /// is not possible the test is skipped.
    #[cfg(unix)]
    pub fn run_unprivileged(&self, args: &[&str], test: &str) -> Option<Ran> {
        use std::os::unix::fs::{MetadataExt, PermissionsExt};
        use std::os::unix::process::CommandExt;
        let (folder, program) = (self.0.path(), self.path("manylane"));
        // Not everybody may run the program where it was built.
        write_program(&program, std::fs::read(MANYLANE).unwrap());
        std::fs::set_permissions(folder, PermissionsExt::from_mode(0o755)).unwrap();
        let mut command = self.command(program.to_str().unwrap());
        if folder.metadata().unwrap().uid() == 0 {
            command.uid(65534).gid(65534);
        }
        let ran = command.args(args).output();
        if let Err(error) = &ran {
            skip(test, &format!("cannot run as nobody: {error}"));
        }
        let output = ran.ok()?;
        Some(Ran {
            stdout: output.stdout,
            stderr: String::from_utf8(output.stderr).expect("messages are text"),
            status: output.status.code(),
        })
    }

    /// `manylane sum ARGS`.
    pub fn sum<A: AsRef<OsStr>>(&self, args: impl IntoIterator<Item = A>) -> Ran {
        let args = args.into_iter().map(|arg| arg.as_ref().to_owned());
        self.run(MANYLANE, [OsStr::new("sum").to_owned()].into_iter().chain(args))
    }
}

/// Whether a program is there; where it is not, the caller skips its test by name.
pub fn has(program: &str, test: &str) -> bool {
    let answers =
        |arg| Command::new(program).arg(arg).output().is_ok_and(|out| out.status.success());
    let found = answers("--version") || answers("version");
    if !found {
        skip(test, &format!("{program} is missing"));
    }
    found
}

/// Whether a tool is there, which `flag` makes say its version. A missing one is a named skip, on
/// CI an error.
pub fn has_tool(tool: &str, flag: &str) -> bool {
    let found = Command::new(tool).arg(flag).output().is_ok();
    assert!(found || std::env::var_os("CI").is_none(), "{tool} is missing: apt-get install {tool}");
    if !found {
        eprintln!("skipped: {tool} is missing (apt-get install {tool})");
    }
    found
}

/// The output of a program, which is text.
pub fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).expect("the output is text")
}

/// Lines that were broken, joined again.
pub fn joined(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[track_caller]
pub fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is no number"))
}

/// Says that a test, or a part of it, did not run; on CI that is an error.
pub fn skip(test: &str, why: &str) {
    assert!(std::env::var_os("CI").is_none(), "{test} must not be skipped on CI: {why}");
    eprintln!("skipped: {test}: {why}");
}

/// Whether coreutils here are of version 9.1, with which messages are compared word for word.
pub fn coreutils_is_9_1() -> bool {
    coreutils() == Some((9, 1))
}

/// The version of coreutils, if it is there.
pub fn coreutils() -> Option<(u32, u32)> {
    static VERSION: std::sync::OnceLock<Option<(u32, u32)>> = std::sync::OnceLock::new();
    *VERSION.get_or_init(|| {
        let out = Command::new("sha256sum").arg("--version").output().ok()?;
        let text = String::from_utf8(out.stdout).ok()?;
        let version = text.lines().next()?.strip_prefix("sha256sum (GNU coreutils) ")?;
        let mut numbers = version.split('.').map_while(|number| number.parse().ok());
        Some((numbers.next()?, numbers.next()?))
    })
}

/// Bytes that look random, the same at every run.
pub struct Rng(u64);

impl Rng {
    pub fn from_name(name: &str) -> Self {
        // FNV-1a.
        let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        Self(name.bytes().fold(0xcbf2_9ce4_8422_2325, step))
    }

    /// SplitMix64.
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A random number below `end`.
    pub fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }

    pub fn bytes(&mut self, length: usize) -> Vec<u8> {
        let mut bytes: Vec<u8> =
            (0..length.div_ceil(8)).flat_map(|_| self.next().to_le_bytes()).collect();
        bytes.truncate(length);
        bytes
    }
}

/// Names that are hard to write down.
#[cfg(unix)]
pub fn nasty_names() -> Vec<std::ffi::OsString> {
    use std::os::unix::ffi::OsStringExt;
    [
        &b"plain"[..],
        b" leading space",
        b"  two",
        b"trailing space ",
        b"-dash",
        b"--check",
        b"*star",
        b"back\\slash",
        b"back\\nslash",
        b"\\",
        b"new\nline",
        b"\n",
        b"both\\\n",
        b"carriage\rreturn",
        b"ends with CR\r",
        b"tab\there",
        b"invalid \xff\xfe utf-8",
        b"(parentheses) = x",
        b") = 0",
        b"#comment",
        b"quote'\"",
        "\u{e9}\u{1f600}".as_bytes(),
        b"\x1b[31m",
    ]
    .map(|name| std::ffi::OsString::from_vec(name.to_vec()))
    .into()
}
