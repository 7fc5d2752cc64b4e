//! Makes a program of a job.

use crate::board::{FOLDER, HEADERS, LINKER_SCRIPT};
use crate::machine::Toolchain;
use crate::process::{self, End};
use crate::{Error, FileSize, Job, Machine, Program, StackUse};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Component, Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// How long a compiler may take for one file.
const PATIENCE: Duration = Duration::from_secs(600);

/// The folder of a job's files in the folder of a program; the board's files have one of their own.
const THEIRS: &str = "program";

/// How the files of a bare machine's board are compiled.
const BOARD_FLAGS: [&str; 7] =
    ["-O2", "-std=c99", "-pedantic", "-Wall", "-Wextra", "-Wconversion", "-Wshadow"];

/// A program's compiler in its folder.
struct Compiler<'c> {
    machine: Machine,
    toolchain: Toolchain,
    program: PathBuf,
    size: PathBuf,
    folder: &'c Path,
}

/// The compiler of a job.
fn compiler(machine: Machine, job: &Job) -> Result<PathBuf, Error> {
    let Toolchain { prefix, compiler, .. } = machine.toolchain();
    match &job.compiler {
        Some(named) => machine.tool(named),
        None => machine.tool(&format!("{prefix}{compiler}")),
    }
}

/// The first line that a job's compiler prints for `--version`.
pub fn version(machine: Machine, job: &Job) -> Result<String, Error> {
    let program = compiler(machine, job)?;
    process::first_line(Command::new(&program).arg("--version")).map_err(Error::file(&program))
}

/// Compiles and links a job's files with the machine's board, in a temporary folder.
pub fn build(machine: Machine, job: &Job) -> Result<Program, Error> {
    let toolchain = machine.toolchain();
    let program = compiler(machine, job)?;
    let size = machine.tool(&format!("{}size", toolchain.prefix))?;
    let made = tempfile::Builder::new().prefix("manylane-program-").tempdir();
    let folder = made.map_err(Error::file(&std::env::temp_dir()))?;
    let compiler = Compiler { machine, toolchain, program, size, folder: folder.path() };

    let includes = compiler.write(job)?;
    let ours = compiler.toolchain.board.sources.iter().map(|(name, _)| format!("{FOLDER}/{name}"));
    let theirs = job.files.iter().map(|(name, _)| format!("{THEIRS}/{name}"));
    let is_source = |name: &String| name.ends_with(".c") || name.ends_with(".S");
    let (mut objects, mut sizes, mut stack, mut warnings) = (vec![], vec![], vec![], String::new());
    for source in ours.chain(theirs).filter(is_source) {
        let object = format!("{}.o", objects.len());
        warnings += &compiler.compile(job, &includes, &source, &object)?;
        if let Some(name) = source.strip_prefix(&format!("{THEIRS}/")) {
            sizes.push(compiler.size_of(&object, name)?);
            stack.extend(stack_use(&folder.path().join(&object).with_extension("su"), name));
        }
        objects.push(object);
    }
    warnings += &compiler.link(job, &objects)?;
    let total = compiler.size_of(Program::FILE, Program::FILE)?;
    Ok(Program { machine, sizes, total, stack, warnings, folder })
}

impl Compiler<'_> {
    /// Writes all files. Returns the folders to be searched for headers.
    fn write(&self, job: &Job) -> Result<Vec<String>, Error> {
        let board = &self.toolchain.board;
        let mut includes = BTreeSet::from([FOLDER.to_owned(), THEIRS.to_owned()]);
        let script = board.script.map(|text| (LINKER_SCRIPT, text));
        for (name, text) in HEADERS.iter().chain(board.sources).chain(&script) {
            self.put(&format!("{FOLDER}/{name}"), text)?;
        }
        let mut names = BTreeSet::new();
        for (name, text) in &job.files {
            let path = Path::new(name);
            let plain = path.components().all(|part| matches!(part, Component::Normal(_)));
            let why = match () {
                () if name.is_empty() => Some("it is empty"),
                () if !plain => Some("it leads out of the program's folder"),
                () if name.starts_with('-') => Some("it looks like an option"),
                () if !names.insert(path) => Some("another file has it"),
                () => None,
            };
            if let Some(why) = why {
                return Err(Error::Name { name: name.clone(), why });
            }
            self.put(&format!("{THEIRS}/{name}"), text)?;
            if let Some(parent) = path.parent().filter(|parent| *parent != Path::new("")) {
                includes.insert(format!("{THEIRS}/{}", parent.display()));
            }
        }
        Ok(includes.into_iter().map(|folder| format!("-I{folder}")).collect())
    }

    fn put(&self, name: &str, text: &str) -> Result<(), Error> {
        let file = self.folder.join(name);
        let parent = file.parent().expect("a file of a folder");
        let written = fs::create_dir_all(parent).and_then(|()| fs::write(&file, text));
        written.map_err(Error::file(&file))
    }

    /// Runs a tool in the program's folder. Returns what it printed and what it complained of.
    fn tool(&self, command: &mut Command, what: &str) -> Result<(String, String), Error> {
        let machine = self.machine.name();
        let failed = |words: String| {
            let words = words.trim_end().to_owned();
            Error::Compile { machine, what: what.to_owned(), words }
        };
        let program = Path::new(command.get_program()).to_owned();
        let ended = process::run(command.current_dir(self.folder), PATIENCE);
        let ended = ended.map_err(Error::file(&program))?;
        match ended.end {
            End::Exit(status) if status.success() => Ok((ended.output, ended.errors)),
            End::Exit(_) => Err(failed(ended.errors)),
            End::TooLong => Err(failed(format!("stopped after {} s", PATIENCE.as_secs()))),
            End::PrintsTooMuch => Err(failed("it complains without end".to_owned())),
        }
    }

    /// Compiles a source to an object, and returns the compiler's warnings.
    fn compile(
        &self,
        job: &Job,
        includes: &[String],
        source: &str,
        object: &str,
    ) -> Result<String, Error> {
        let mut command = Command::new(&self.program);
        command.args(self.toolchain.compile);
        if self.toolchain.is_bare() {
            command.args(["--specs=picolibc.specs", "-ffunction-sections", "-fdata-sections"]);
        }
        command.args(includes);
        match source.starts_with(&format!("{FOLDER}/")) {
            // The board's files have flags of their own, so that their share of a measured time
            // does not depend on the job's flags.
            true if self.toolchain.is_bare() => command.args(BOARD_FLAGS),
            // A sanitizer has to see the board's files too.
            true => command.args(job.all_flags()).arg("-Wno-error"),
            false => command.args(job.all_flags()),
        };
        if source.ends_with(".c") {
            command.arg("-fstack-usage");
        }
        command.args(["-c", source, "-o", object]);
        Ok(self.tool(&mut command, &format!("{source} does not compile"))?.1)
    }

    fn link(&self, job: &Job, objects: &[String]) -> Result<String, Error> {
        let mut command = Command::new(&self.program);
        command.args(self.toolchain.link);
        if self.toolchain.is_bare() {
            command.args(["--specs=picolibc.specs", "-nostartfiles"]);
            command.arg(format!("-T{FOLDER}/{LINKER_SCRIPT}"));
        } else {
            // Sanitizers are linked too.
            command.args(job.all_flags());
        }
        command.args(objects).args(["-o", Program::FILE]);
        Ok(self.tool(&mut command, "the program does not link")?.1)
    }

    /// Sizes of an object or of the program.
    fn size_of(&self, object: &str, name: &str) -> Result<FileSize, Error> {
        let mut command = Command::new(&self.size);
        let listed = self.tool(command.args(["-A", "-d", object]), "the size cannot be read")?.0;
        Ok(sections(&listed, name))
    }
}

/// Sums the sections that `size -A` lists.
fn sections(listed: &str, name: &str) -> FileSize {
    let mut size = FileSize { file: name.to_owned(), ..FileSize::default() };
    for line in listed.lines() {
        let mut words = line.split_whitespace();
        let (Some(section), Some(Ok(bytes))) = (words.next(), words.next().map(str::parse::<u64>))
        else {
            continue;
        };
        let kind = section.trim_start_matches('.').split('.').next().unwrap_or_default();
        match kind {
            "text" | "init" | "fini" | "start" | "vectors" | "plt" => size.code += bytes,
            "data" if section.starts_with(".data.rel.ro") => size.constants += bytes,
            "rodata" | "srodata" => size.constants += bytes,
            "data" | "sdata" | "tdata" => size.data += bytes,
            "bss" | "sbss" | "tbss" => size.zero += bytes,
            _ => (),
        }
    }
    size
}

/// Reads the file that `-fstack-usage` wrote: lines `FILE:LINE:COLUMN:FUNCTION BYTES KIND`,
/// separated by tabs. There is no such file for assembly.
fn stack_use(file: &Path, name: &str) -> Vec<StackUse> {
    let text = fs::read_to_string(file).unwrap_or_default();
    let read = |line: &str| {
        let mut fields = line.split('\t');
        let function = fields.next()?.rsplit(':').next()?.to_owned();
        let bytes = fields.next()?.parse().ok()?;
        let bounded = fields.next().is_some_and(|kind| kind != "dynamic");
        Some(StackUse { file: name.to_owned(), function, bytes, bounded })
    };
    text.lines().filter_map(read).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sections_are_summed_by_kind() {
        let listed = "0.o  :\nsection            size   addr\n.text                 4      0\n\
                      .text.f             100      0\n.rodata.k           256      0\n\
                      .data.rel.ro.local    8      0\n.data                12      0\n\
                      .sbss                 3      0\n.comment             40      0\nTotal 423\n";
        let expected =
            FileSize { file: "x.c".into(), code: 104, constants: 264, data: 12, zero: 3 };
        assert_eq!(sections(listed, "x.c"), expected);
    }
}
