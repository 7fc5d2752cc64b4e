//! The three counting laws, counted: which files name a hash, an instruction set, an operation of
//! the graph; and, in a copy of the workspace that is checked, which files a new hash and a new
//! emitter touch.

use super::{read, root, sources};
use crate::law_names::without_comments;
use manylane_primitives::for_each_hash;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The places where a hash has an entry, a line or an import, and the folder of definitions, which
/// may use each other.
const OF_HASHES: [&str; 3] = [
    "crates/primitives/src/catalog.rs",
    "crates/manylane/src/types.rs",
    "crates/primitives/src/hash/",
];

/// The kernels for single hashes, which a hash need not have.
const KERNELS: &str = "crates/engine/src/kernels/rounds/";

/// Files that name single hashes for a reason of their own, which a new hash need not have.
const NAMING: [(&str, &str); 8] = [
    ("crates/simulate/src/cache.rs", "results are kept under digests of what they depend on"),
    ("crates/synth/src/cache.rs", "results are kept under digests of what they depend on"),
    ("crates/measure/src/subject.rs", "what OpenSSL calls the hashes that it has"),
    ("crates/cli/src/pair/demo.rs", "the demonstration makes its secrets with it"),
    ("crates/files/src/names.rs", "the hash where none is named, and tags without a dash"),
    ("crates/engine/src/api/tree/ssz.rs", "a tree that is defined over one hash"),
    ("crates/slh-dsa/src/functions.rs", "a signature scheme that is defined over three hashes"),
    ("crates/slh-dsa/src/prehash.rs", "the hashes by which that scheme signs digests"),
];

/// Instruction sets of lanes: the word for it in the code, and the beginning of its own files.
const SETS: [(&str, &str); 4] = [
    ("Avx2", "crates/engine/src/lanes/avx2"),
    ("Avx512", "crates/engine/src/lanes/avx512"),
    ("Neon", "crates/engine/src/lanes/neon"),
    ("Simd128", "crates/engine/src/lanes/simd128"),
];

/// The places in the engine that name every instruction set of lanes, besides its `mod` line.
const OF_SETS: [&str; 5] = [
    "crates/engine/src/cipher/kernel.rs",
    "crates/engine/src/cpu/isa.rs",
    "crates/engine/src/kernels/runs.rs",
    "crates/engine/src/kernels/shell.rs",
    "crates/engine/src/lanes/laned.rs",
];

/// Operations that only files which treat every operation name together.
const RARE: [&str; 3] = ["SwapBytes", "SubBytes", "Xtime"];

/// The files that treat every operation of the graph, as ARCHITECTURE sums them up. Those of `emit`
/// are of an emitter or of the prover.
const OF_OPERATIONS: [(&str, &[&str]); 5] = [
    ("text", &["ir/src/text/read.rs", "ir/src/text/write.rs"]),
    ("verifier", &["ir/src/ir.rs", "ir/src/verify.rs"]),
    ("interpreter", &["ir/src/interpret.rs"]),
    (
        "passes",
        &[
            "ir/src/passes/interleave.rs",
            "ir/src/passes/lanes.rs",
            "ir/src/passes/legalize/wide.rs",
            "ir/src/passes/needed.rs",
            "ir/src/passes/xnor.rs",
        ],
    ),
    (
        "prices",
        &[
            "plan/src/costs.rs",
            "plan/src/hardware/body.rs",
            "plan/src/platform/cost.rs",
            "plan/src/program/bodies.rs",
        ],
    ),
];

/// The code of every crate by file, without comments and tests.
fn code() -> BTreeMap<String, String> {
    let mut files = BTreeMap::new();
    for (file, content) in sources("crates") {
        let file = file.to_str().expect("names are text").to_owned();
        if !file.contains("/src/") || file.starts_with("crates/kat/") {
            continue;
        }
        let lines = content.lines();
        let lines = lines.take_while(|l| l.starts_with(' ') || !l.ends_with("mod tests {"));
        let lines: Vec<_> = lines.collect();
        files.insert(file, without_comments(&lines.join("\n")).0.join("\n"));
    }
    assert!(files.len() > 400, "{} files found: the search is broken", files.len());
    files
}

/// Whether a word stands in a text.
fn names(text: &str, word: &str) -> bool {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(word).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let after = text[at + word.len()..].chars().next();
        !before.is_some_and(is_word) && !after.is_some_and(is_word)
    })
}

/// The files in whose code a word stands.
fn naming<'f>(code: &'f BTreeMap<String, String>, word: &str) -> BTreeSet<&'f str> {
    code.iter().filter(|(_, text)| names(text, word)).map(|(file, _)| file.as_str()).collect()
}

/// The types of the definitions, such as `Sha256`, by the catalogue's values.
fn definitions() -> BTreeSet<String> {
    macro_rules! values {
        ($($id:ident $name:literal [$($alias:literal),*] $title:literal $standard:literal
            $security:ident $(($why:literal))? => $value:expr;)*) => { [$(stringify!($value)),*] };
    }
    let of = |value: &str| {
        let path: String = value.chars().filter(|c| !c.is_whitespace()).collect();
        path.split("::").nth(3).expect("a path to a type").to_owned()
    };
    for_each_hash!(values).into_iter().map(of).collect()
}

/// First counting law: every hash is named in the same few places.
#[test]
fn hashes_are_named_where_the_first_law_says() {
    let code = code();
    let definitions = definitions();
    assert!(definitions.len() > 10, "{definitions:?}");
    for (file, why) in NAMING {
        let is_needed = definitions.iter().any(|definition| names(&code[file], definition));
        assert!(is_needed, "{file} names no hash any more ({why})");
    }
    for definition in &definitions {
        let found = naming(&code, definition);
        for place in &OF_HASHES[..2] {
            assert!(found.contains(place), "{place} does not name {definition}");
        }
        for file in found {
            let known = OF_HASHES.iter().chain([&KERNELS]).any(|place| file.starts_with(place))
                || NAMING.iter().any(|(place, _)| *place == file);
            assert!(known, "{file} names {definition}");
        }
    }
}

/// Second counting law.
#[test]
fn instruction_sets_are_named_where_the_second_law_says() {
    let code = code();
    for (set, own) in SETS {
        let mut found = naming(&code, set);
        found.retain(|file| !file.starts_with(own) && !file.starts_with(KERNELS));
        assert_eq!(found, BTreeSet::from(OF_SETS), "files that name {set}");
        let module = own.rsplit('/').next().expect("a path");
        assert!(code["crates/engine/src/lanes/mod.rs"].contains(&format!("mod {module};")));
    }
    let architecture = read("ARCHITECTURE.md");
    for place in OF_SETS.map(|place| place.strip_prefix("crates/engine/src/").expect("a path")) {
        assert!(architecture.contains(&format!("`{place}`")), "ARCHITECTURE.md: {place}");
    }
}

/// Third counting law.
#[test]
fn operations_of_the_graph_are_treated_where_the_third_law_says() {
    let code = code();
    let has_all = |text: &String| RARE.iter().all(|operation| text.contains(operation));
    let found = code.iter().filter(|(_, text)| has_all(text)).map(|(file, _)| file.clone());
    let (emit, found): (BTreeSet<String>, BTreeSet<String>) =
        found.partition(|file| file.starts_with("crates/emit/"));
    let expected = OF_OPERATIONS.iter().flat_map(|(_, files)| files.iter());
    let expected: BTreeSet<String> = expected.map(|file| format!("crates/{file}")).collect();
    assert_eq!(found, expected, "files that treat every operation");
    let rooms: BTreeSet<_> = emit.iter().filter_map(|file| file.split('/').nth(3)).collect();
    for room in ["rtl", "c", "prove"] {
        assert!(rooms.contains(room), "{room} treats no operations: the search is broken");
    }
    let architecture = read("ARCHITECTURE.md");
    let law = architecture.split("**A new operation of the graph**").nth(1).expect("the third law");
    let law: Vec<_> = law.split("##").next().expect("its text").split_whitespace().collect();
    let law = law.join(" ");
    assert!(law.contains(&format!("{} files", found.len())), "ARCHITECTURE.md: {}", found.len());
    for what in OF_OPERATIONS.map(|(what, _)| what).into_iter().chain(["emitter", "prover"]) {
        assert!(law.contains(what), "ARCHITECTURE.md does not name {what}");
    }
}

/// A copy of the workspace for a trial, and the right to be the only one: cargo takes what it
/// compiled for one copy as compiled for another whose files are not newer.
struct Trial {
    folder: PathBuf,
    _alone: MutexGuard<'static, ()>,
}

static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

impl Trial {
    /// Copies what cargo reads.
    fn new(name: &str) -> Self {
        let _alone = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap();
        for part in ["Cargo.toml", "Cargo.lock", "README.md", "crates"] {
            copy(&root().join(part), &folder.join(part));
        }
        Self { folder, _alone }
    }

    /// Adds a file.
    fn add(&self, file: &str, text: &str) {
        let path = self.folder.join(file);
        fs::create_dir_all(path.parent().expect("a file has a folder")).unwrap();
        assert!(!path.exists(), "{file} is there already");
        fs::write(path, text).unwrap();
    }

    /// Writes `text` after the first `place` of a file.
    fn insert(&self, file: &str, place: &str, text: &str) {
        let path = self.folder.join(file);
        let content = fs::read_to_string(&path).unwrap();
        let (before, after) =
            content.split_once(place).unwrap_or_else(|| panic!("{file}: {place}"));
        fs::write(path, format!("{before}{place}{text}{after}")).unwrap();
    }

    /// The files that are not as in the workspace.
    fn touched(&self) -> Vec<String> {
        let (mut found, mut folders) = (Vec::new(), vec![self.folder.clone()]);
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(&folder).unwrap() {
                let path = entry.unwrap().path();
                let file = path.strip_prefix(&self.folder).expect("it is in the copy");
                if path.is_dir() {
                    folders.push(path);
                } else if fs::read(root().join(file)).ok() != fs::read(&path).ok() {
                    found.push(file.to_str().expect("names are text").to_owned());
                }
            }
        }
        found.sort();
        found
    }

    /// Runs cargo on the copy. What is compiled is kept for the next trial, in a folder that is
    /// neither the workspace's nor above the copies: cargo would take files of one for the other's.
    fn cargo(&self, arguments: &[&str]) {
        let target = Path::new(env!("CARGO_TARGET_TMPDIR")).join("trials");
        let mut cargo = Command::new(env!("CARGO"));
        let (subcommand, arguments) = arguments.split_first().expect("a subcommand");
        // `--locked` stands first: what follows `--` goes to the test program.
        cargo.args([subcommand, "--locked"]).args(arguments).env("CARGO_TARGET_DIR", target);
        let output = cargo.current_dir(&self.folder).output().unwrap();
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "cargo {subcommand} {arguments:?}: {errors}");
    }
}

/// Copies a file or a folder; links in it become what they lead to.
fn copy(from: &Path, to: &Path) {
    if from.is_dir() {
        fs::create_dir_all(to).unwrap();
        for entry in fs::read_dir(from).unwrap() {
            let name = entry.unwrap().file_name();
            copy(&from.join(&name), &to.join(&name));
        }
    } else {
        fs::copy(from, to).unwrap();
    }
}

/// A copy of the workspace with a hash that is not there.
fn trial_hash(name: &str) -> Trial {
    let trial = Trial::new(name);
    trial.add("crates/primitives/src/hash/blake2b.rs", include_str!("blake2b.txt"));
    trial.insert("crates/primitives/src/hash/mod.rs", "pub mod blake;\n", "pub mod blake2b;\n");
    let entry = concat!(
        "            Blake2b \"blake2b\" [] \"BLAKE2b\" \"RFC 7693\" Standard\n",
        "                => $crate::hash::blake2b::Blake2b::BLAKE2B;\n",
    );
    trial.insert("crates/primitives/src/catalog.rs", "\n        blake {\n", entry);
    let types = "crates/manylane/src/types.rs";
    trial.insert(types, "use manylane_primitives::hash::{blake, ", "blake2b, ");
    let line = "    (Blake2b $part:ident) => { of!(@$part blake2b::Blake2b, U64, U128, U64) };\n";
    trial.insert(types, "macro_rules! of {\n", line);
    trial
}

/// First counting law, by a hash that is not there: with these lines every engine, the command line
/// and the library have it. Vectors and pages are not counted.
#[test]
fn a_trial_hash_touches_four_files() {
    let trial = trial_hash("trial-hash");
    let expected = [
        "crates/manylane/src/types.rs",
        "crates/primitives/src/catalog.rs",
        "crates/primitives/src/hash/blake2b.rs",
        "crates/primitives/src/hash/mod.rs",
    ];
    assert_eq!(trial.touched(), expected);
    trial.cargo(&["check", "--workspace", "--exclude", "manylane-kat"]);
}

/// The hash of the first counting law computes what its standard says; the graph knows its framing,
/// and emitted C and threads of XGATE compute what the definition does.
#[test]
#[ignore = "builds a copy of the workspace; `make test-laws`"]
fn a_trial_hash_is_computed_and_emitted() {
    let trial = trial_hash("trial-hash-built");
    trial.cargo(&["test", "-q", "-p", "manylane-primitives", "--lib", "blake2b"]);
    trial.cargo(&["test", "-q", "-p", "manylane-graph", "--lib"]);
    let emitted = ["every_hash_is_its_definition", "every_compression_is_the_definitions"];
    let of_emit = ["test", "-q", "-p", "manylane-emit", "--test", "c", "--test", "xgate", "--"];
    trial.cargo(&[&of_emit[..], &emitted].concat());
}

/// Second counting law, by an emitter that is not there: one folder, its line of `BACKENDS` and a
/// subcommand, each with the line that declares it.
#[test]
fn a_trial_emitter_touches_its_folder_and_three_lists() {
    let trial = Trial::new("trial-emitter");
    trial.add("crates/emit/src/scratch/mod.rs", include_str!("backend.txt"));
    trial.insert("crates/emit/src/lib.rs", "pub mod rtl;\n", "pub mod scratch;\n");
    let backends = "crates/emit/src/backend.rs";
    let line = "\n/// A trial.\npub const SCRATCH: Description = Description \
                { name: \"scratch\", writes: \"a trial\" };\n";
    let content = fs::read_to_string(trial.folder.join(backends)).unwrap();
    let declared = content.split_once("pub const BACKENDS: [Description; ").expect("the list").1;
    let (count, _) = declared.split_once(']').expect("its length");
    let more = count.parse::<usize>().expect("a number") + 1;
    let old = format!("[Description; {count}] = [");
    let new = format!("[Description; {more}] = [SCRATCH, ");
    assert_eq!(content.matches(&old).count(), 1);
    fs::write(trial.folder.join(backends), content.replace(&old, &new) + line).unwrap();
    trial.add("crates/cli/src/emit/scratch.rs", include_str!("subcommand.txt"));
    let emit = "crates/cli/src/emit/mod.rs";
    trial.insert(emit, "mod rtl;\n", "mod scratch;\n");
    trial.insert(emit, "enum What {\n", "    Scratch(scratch::Args),\n");
    trial.insert(
        emit,
        "match args.what {\n",
        "        What::Scratch(args) => scratch::run(&args),\n",
    );
    let expected = [
        "crates/cli/src/emit/mod.rs",
        "crates/cli/src/emit/scratch.rs",
        "crates/emit/src/backend.rs",
        "crates/emit/src/lib.rs",
        "crates/emit/src/scratch/mod.rs",
    ];
    assert_eq!(trial.touched(), expected);
    trial.cargo(&["check", "-p", "manylane-cli"]);
}
