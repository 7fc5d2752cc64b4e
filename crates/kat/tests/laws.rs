//! Checks the rules of ARCHITECTURE.md that a program can check: dependencies among crates and
//! among files, places of `unsafe`, inlining, overrides in wrappers of lanes, the counting laws,
//! names of primitives, openings of comments, items and fields without one, licences of
//! dependencies, the contents of packages and features, lock files, and the table of engines.

mod law_circles;
mod law_comments;
mod law_counts;
mod law_documented;
mod law_engines;
mod law_features;
mod law_lines;
mod law_locks;
mod law_names;
mod law_wrappers;

use manylane_primitives::catalog::{HashId, Security};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The workspace's crates, each of which may depend on those before it and on no other.
const ORDER: [&str; 19] = [
    "manylane-primitives",
    "manylane-nearest",
    "manylane-engine",
    "manylane",
    "manylane-slh-dsa",
    "manylane-capi",
    "manylane-files",
    "manylane-ir",
    "manylane-graph",
    "manylane-plan",
    "manylane-pages",
    "manylane-emit",
    "manylane-synth",
    "manylane-simulate",
    "manylane-build",
    "manylane-measure",
    "manylane-answers",
    "manylane-cli",
    "manylane-kat",
];

/// A crate for tests only, which no other crate may need to be built.
const FOR_TESTS: &str = "manylane-kat";

/// Licences that code linked into the library and the program may have.
const LICENCES: [&str; 9] = [
    "MIT",
    "Apache-2.0",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "ISC",
    "Zlib",
    "Unlicense",
    "0BSD",
    "Unicode-3.0",
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

fn read(file: impl AsRef<Path>) -> String {
    let file = root().join(file);
    fs::read_to_string(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
}

/// Every package that the workspace needs, on any platform.
fn packages() -> Vec<Value> {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--locked"])
        .current_dir(root())
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: Value = serde_json::from_slice(&output.stdout).unwrap();
    metadata["packages"].as_array().unwrap().clone()
}

/// The packages of the workspace that others can depend on.
fn published() -> Vec<Value> {
    let mut packages = packages();
    packages.retain(|package| is_ours(package) && package["publish"].is_null());
    assert_eq!(packages.len(), ORDER.len() - 1, "all but {FOR_TESTS}");
    packages
}

/// The folder of a package.
fn folder(package: &Value) -> PathBuf {
    Path::new(text(&package["manifest_path"])).parent().unwrap().to_owned()
}

/// Packages of the workspace come from no registry.
fn is_ours(package: &Value) -> bool {
    package["source"].is_null()
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

/// Names of the dependencies that a package is built with, those of its tests not among them.
fn needs(package: &Value) -> impl Iterator<Item = &str> {
    let dependencies = package["dependencies"].as_array().unwrap().iter();
    dependencies.filter(|d| text(&d["kind"]) != "dev").map(|d| text(&d["name"]))
}

/// The Rust files below `folder`, with their content.
fn sources(folder: impl AsRef<Path>) -> Vec<(PathBuf, String)> {
    files_of(folder, "rs")
}

/// The files below `folder` whose names end in `extension`, with their content.
fn files_of(folder: impl AsRef<Path>, extension: &str) -> Vec<(PathBuf, String)> {
    let mut files = Vec::new();
    let mut folders = vec![root().join(folder)];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.extend((!path.ends_with("target")).then_some(path));
            } else if path.extension().is_some_and(|found| found == extension) {
                let content = fs::read_to_string(&path).unwrap();
                files.push((path.strip_prefix(root()).unwrap().into(), content));
            }
        }
    }
    files.sort();
    files
}

/// What a line says, without the comment at its end.
fn code(line: &str) -> &str {
    line.split("//").next().unwrap_or_default()
}

#[test]
fn dependencies_point_one_way() {
    for package in packages().iter().filter(|package| is_ours(package)) {
        let name = text(&package["name"]);
        let place = ORDER.iter().position(|crate_| *crate_ == name);
        let place = place.unwrap_or_else(|| panic!("{name}: give it its place in ORDER"));
        for dependency in needs(package) {
            let before = ORDER[..place].contains(&dependency);
            let foreign = !ORDER.contains(&dependency);
            assert!(before || foreign, "{name} must not depend on {dependency}");
            assert_ne!(dependency, FOR_TESTS, "{name}: as a dev-dependency only");
            assert_ne!(name, ORDER[0], "{name} depends on nothing, not on {dependency}");
        }
    }
}

/// Bindings and benchmarks compile the libraries, and not the program around them.
#[test]
fn nobody_else_compiles_the_program() {
    for beside in ["crates/python", "crates/wasm", "benches/peers", "benches/chains"] {
        let lock = read(format!("{beside}/Cargo.lock"));
        assert!(!lock.contains("name = \"manylane-cli\""), "{beside} needs manylane-cli");
    }
}

#[test]
fn primitives_needs_no_standard_library() {
    assert!(read("crates/primitives/src/lib.rs").contains("\n#![no_std]\n"));
}

/// How unsafe code begins. In two pieces each, for this file is searched too.
const UNSAFE: [&str; 5] = [
    concat!("unsafe", " {"),
    concat!("unsafe", " fn "),
    concat!("unsafe", " impl "),
    concat!("unsafe", " extern "),
    concat!("unsafe", "("),
];

/// The one exception, and the attribute that it takes: see "unsafe" in ARCHITECTURE.md.
const BEFORE_MAIN: (&str, &str) =
    ("crates/cli/src/closed.rs", concat!("unsafe", "(link_section = "));

/// Bindings to other languages, which take pointers from callers: see "unsafe" in ARCHITECTURE.md.
const BINDINGS: [&str; 2] = ["manylane-capi", "manylane-python"];

/// Words that unsafe code of bindings must not contain, because it may neither compute nor evade a
/// check.
const NOT_IN_BINDINGS: [&str; 7] = [
    "arch::",
    "asm!",
    "transmute",
    "get_unchecked",
    "static mut",
    "from_utf8_unchecked",
    "MaybeUninit",
];

/// Bindings are thin: pointers to slices and objects, and no other unsafe code.
#[test]
fn unsafe_code_of_bindings_is_about_pointers_alone() {
    for name in BINDINGS {
        let folder = format!("crates/{}/src", name.trim_start_matches("manylane-"));
        for (file, content) in sources(&folder) {
            for (number, line) in content.lines().enumerate() {
                let found = NOT_IN_BINDINGS.iter().find(|word| code(line).contains(**word));
                assert!(found.is_none(), "{}:{}: {line}", file.display(), number + 1);
            }
        }
        assert!(read(format!("{folder}/lib.rs")).contains("#![deny(unsafe_op_in_unsafe_fn)]"));
    }
}

#[test]
fn unsafe_code_is_in_the_engine_alone() {
    for package in packages().iter().filter(|package| is_ours(package)) {
        let name = text(&package["name"]);
        if name == "manylane-engine" || BINDINGS.contains(&name) {
            continue;
        }
        let folder = folder(package);
        for target in package["targets"].as_array().unwrap() {
            let source = Path::new(text(&target["src_path"]));
            if target["kind"] == serde_json::json!(["lib"]) {
                let forbids = read(source).contains("#![forbid(unsafe_code)]");
                assert!(forbids, "{}: #![forbid(unsafe_code)]", source.display());
            }
        }
        for (file, content) in sources(folder.strip_prefix(root()).unwrap()) {
            for (number, line) in content.lines().enumerate() {
                let mut code = code(line).to_owned();
                if file == Path::new(BEFORE_MAIN.0) && code.starts_with("#[cfg_attr(") {
                    code = code.replace(BEFORE_MAIN.1, "");
                }
                let found = UNSAFE.iter().any(|open| code.contains(open));
                assert!(!found, "{}:{}: {line}", file.display(), number + 1);
            }
        }
    }
}

/// A function, by the first line of its item and of its signature.
struct Function<'f> {
    name: &'f str,
    attributes: String,
    signature: String,
    line: usize,
}

/// The functions with a body before the file's tests.
fn functions(content: &str) -> Vec<Function<'_>> {
    let lines: Vec<_> = content.lines().take_while(|line| !line.contains("#[cfg(test)]")).collect();
    let mut functions = Vec::new();
    let mut attributes = String::new();
    for (i, line) in lines.iter().enumerate() {
        let line = line.trim();
        let words = line.split_once("fn ").filter(|(before, _)| {
            let words = before.rsplit(']').next().unwrap_or_default();
            words.split_whitespace().all(|w| ["pub", "pub(crate)", "const", "unsafe"].contains(&w))
        });
        if let Some((before, after)) = words {
            attributes += before;
            let signature: Vec<_> = lines[i..].iter().map(|line| line.trim()).collect();
            let signature = signature.join(" ");
            let end = signature.find([';', '{']).unwrap_or(signature.len());
            let end = match signature[..end].rfind('[') {
                // This is the semicolon of an array type.
                Some(open) if !signature[open..end].contains(']') => {
                    signature[end + 1..].find([';', '{']).map_or(end, |next| end + 1 + next)
                }
                _ => end,
            };
            if signature[end..].starts_with('{') {
                let name = after.split(['(', '<']).next().unwrap_or_default();
                let signature = signature[..end].to_owned();
                let attributes = attributes.clone();
                functions.push(Function { name, attributes, signature, line: i + 1 });
            }
            attributes.clear();
        } else if line.starts_with("#[") || line.starts_with("//") {
            attributes += line;
        } else {
            attributes.clear();
        }
    }
    functions
}

/// Between a `#[target_feature]` shell and the intrinsics a call that is not inlined loses the
/// features: plain `#[inline]` cost a factor of 48. A function with features of its own cannot be
/// `always`, and loses none.
#[test]
fn what_runs_in_lanes_is_always_inlined() {
    let mut lanes = sources("crates/engine/src/lanes");
    let mut primitives = sources("crates/primitives/src");
    lanes.retain(|(_, content)| content.contains("fn "));
    primitives.retain(|(_, content)| content.contains("fn "));
    let mut checked = 0;
    let mut check = |file: &Path, function: &Function| {
        checked += 1;
        let has = |attribute| function.attributes.contains(attribute);
        assert!(
            has("#[inline(always)]") || (has("#[inline]") && has("#[target_feature(")),
            "{}:{}: `{}` needs #[inline(always)]",
            file.display(),
            function.line,
            function.name
        );
    };
    for (file, content) in &lanes {
        functions(content).iter().for_each(|function| check(file, function));
    }
    for (file, content) in &primitives {
        // The reference driver, which no kernel runs.
        if file.ends_with("hash/mod.rs") {
            continue;
        }
        for function in functions(content) {
            let mut words = function.signature.split(|c: char| !c.is_alphanumeric() && c != '_');
            let over_words = words.any(|word| word == "W");
            let of_compress = ["compress", "next_counter", "squeeze"].contains(&function.name);
            if over_words || of_compress {
                check(file, &function);
            }
        }
    }
    assert!(checked > 150, "{checked} functions found: the search is broken");
}

/// Lines of `content` with an `#[inline]` that only asks: neither `always` nor beside features of
/// the function's own.
fn plain_inlines(content: &str) -> Vec<usize> {
    let lines: Vec<&str> = content.lines().map(str::trim).collect();
    let is_attribute = |line: &&&str| line.starts_with("#[") || line.starts_with("//");
    let has_features = |line: &&str| line.starts_with("#[target_feature(");
    let plain = |&number: &usize| {
        let (before, from) = lines.split_at(number);
        code(from[0]).contains("#[inline]")
            && !before.iter().rev().take_while(is_attribute).any(has_features)
            && !from.iter().take_while(is_attribute).any(has_features)
    };
    (0..lines.len()).filter(plain).map(|number| number + 1).collect()
}

/// What kernels call, and what calls kernels, is inlined for certain or has features of its own.
#[test]
fn nothing_between_shells_and_intrinsics_is_inlined_by_chance() {
    let engine = sources("crates/engine/src");
    let primitives = sources("crates/primitives/src");
    for (file, content) in engine.iter().chain(&primitives) {
        let found = plain_inlines(content);
        assert!(found.is_empty(), "{}: #[inline(always)] at {found:?}", file.display());
    }
    let featured = "#[target_feature(enable = \"avx\")]\n/// Adds.\n#[inline]\nfn add() {}\n";
    assert_eq!(plain_inlines(featured), [0; 0]);
    assert_eq!(plain_inlines(&featured.replace("target_feature", "must_use")), [3]);
    assert_eq!(plain_inlines("fn f() {\n}\n#[inline]\nfn g() {}\n#[inline(always)]\n"), [3]);
}

/// First counting law: a primitive is one file and its lines of the catalogue.
#[test]
fn every_file_of_a_hash_is_in_the_catalogue() {
    const NOT_HASHES: [&str; 4] = ["absorber", "counter", "mod", "padding"];
    let catalogue = read("crates/primitives/src/catalog.rs");
    for (file, _) in sources("crates/primitives/src/hash") {
        let name = file.file_stem().unwrap().to_str().unwrap();
        let listed = catalogue.contains(&format!("$crate::hash::{name}::"));
        assert!(listed || NOT_HASHES.contains(&name), "{name} has no line in the catalogue");
    }
}

/// First and second counting laws: neither side names the other.
#[test]
fn primitives_and_lanes_do_not_know_each_other() {
    for (file, content) in sources("crates/primitives/src") {
        for word in ["target_arch", "target_feature", "core::arch", "std::arch", "_mm"] {
            let found = content.lines().any(|line| code(line).contains(word));
            assert!(!found, "{} names {word}", file.display());
        }
    }
    for (file, content) in sources("crates/engine/src/lanes") {
        for word in ["::hash::", "::cipher::", "::mac::", "HashId"] {
            let found = content.lines().any(|line| code(line).contains(word));
            assert!(!found, "{} names {word}", file.display());
        }
    }
}

/// README.md names every hash, and SECURITY.md those whose entries do not say `Standard`.
#[test]
fn the_documents_name_every_hash() {
    let readme = read("README.md");
    let security = read("SECURITY.md");
    for id in HashId::ALL {
        let entry = id.entry();
        assert!(readme.contains(entry.title), "README.md does not name {}", entry.title);
        let warned = match entry.security {
            Security::Standard => true,
            Security::Finalist | Security::Aged(_) | Security::Broken(_) => {
                let family = entry.title.split('-').next().unwrap();
                security.contains(entry.title) || security.contains(family)
            }
        };
        assert!(warned, "SECURITY.md does not warn of {}", entry.title);
    }
}

/// Whether an SPDX expression can be met by allowed licences alone. Brackets around a sum with AND
/// are read too strictly, never too loosely.
fn is_allowed(expression: &str) -> bool {
    let expression = expression.replace('/', " OR ");
    expression.split(" AND ").all(|all| {
        all.split(" OR ").any(|one| {
            let one = one.trim_matches(|c: char| "() ".contains(c));
            LICENCES.contains(&one.split(" WITH ").next().unwrap_or_default())
        })
    })
}

#[test]
fn licences_are_allowed() {
    let packages = packages();
    let refused: Vec<_> = packages
        .iter()
        .filter(|package| !is_allowed(text(&package["license"])))
        .map(|package| format!("{}: {}", text(&package["name"]), package["license"]))
        .collect();
    assert!(refused.is_empty(), "{refused:#?}");
    assert!(packages.len() > 10);
}

#[test]
fn licence_expressions_are_understood() {
    for (expression, allowed) in [
        ("MIT", true),
        ("MIT/Apache-2.0", true),
        ("(MIT OR Apache-2.0) AND Unicode-3.0", true),
        ("Apache-2.0 WITH LLVM-exception OR GPL-2.0", true),
        ("GPL-3.0", false),
        ("MIT AND GPL-3.0", false),
        ("", false),
    ] {
        assert_eq!(is_allowed(expression), allowed, "{expression}");
    }
}

/// Packages have the fields that a registry shows, and the texts of their licences.
#[test]
fn packages_say_whose_they_are() {
    for package in published() {
        let name = text(&package["name"]);
        for field in ["description", "license", "repository", "homepage", "documentation", "readme"]
        {
            assert!(!text(&package[field]).is_empty(), "{name} has no {field}");
        }
        assert_eq!(text(&package["documentation"]), format!("https://docs.rs/{name}"));
        let readme = folder(&package).join(text(&package["readme"]));
        assert!(readme.is_file(), "{name}: {}", readme.display());
        for licence in ["LICENSE-MIT", "LICENSE-APACHE"] {
            let own = fs::read_to_string(folder(&package).join(licence));
            assert_eq!(own.ok(), Some(read(licence)), "{name}: {licence}");
        }
    }
}

/// The files that a source includes, as it names them.
fn included(content: &str) -> Vec<&str> {
    let mut files = Vec::new();
    for macro_ in ["include_str!(", "include_bytes!(", "include!("] {
        for (at, _) in content.match_indices(macro_) {
            let argument = content[at + macro_.len()..].trim_start();
            let literal = argument.strip_prefix('"').and_then(|rest| rest.split('"').next());
            files.push(literal.unwrap_or_else(|| panic!("{macro_} of no literal: {argument:.40}")));
        }
    }
    files
}

/// A package without a file that it includes does not compile where it is installed.
#[test]
fn packages_hold_what_they_include() {
    let mut checked = 0;
    for package in published() {
        let (name, folder) = (text(&package["name"]), folder(&package));
        let list = Command::new(env!("CARGO"))
            .args(["package", "--list", "--allow-dirty", "--offline", "--package", name])
            .current_dir(root())
            .output()
            .unwrap();
        let found = String::from_utf8_lossy(&list.stdout);
        let found: Vec<&str> = found.lines().collect();
        for file in ["LICENSE-MIT", "LICENSE-APACHE", "README.md", "Cargo.toml"] {
            let error = String::from_utf8_lossy(&list.stderr);
            assert!(found.contains(&file), "{name} packages no {file}: {found:?} {error}");
        }
        for (file, content) in sources(folder.join("src").strip_prefix(root()).unwrap()) {
            for included in included(&content) {
                let path = root().join(&file).parent().unwrap().join(included);
                let path =
                    path.canonicalize().unwrap_or_else(|e| panic!("{}: {e}", path.display()));
                let inside = path.strip_prefix(&folder).ok().and_then(Path::to_str);
                assert!(
                    inside.is_some_and(|inside| found.contains(&inside)),
                    "{}: the package of {name} lacks {included}",
                    file.display()
                );
                checked += 1;
            }
        }
    }
    assert!(checked > 10, "{checked} includes found: the search is broken");
}

/// Users depend on `manylane`, whose pages these are too.
#[test]
fn examples_name_the_crate_of_the_users() {
    for (file, content) in sources("crates/engine/src") {
        for (number, line) in content.lines().enumerate() {
            let documents = ["///", "//!"].iter().any(|mark| line.trim_start().starts_with(mark));
            let foreign = documents && line.contains("manylane_engine");
            assert!(!foreign, "{}:{}: say `manylane`: {line}", file.display(), number + 1);
        }
    }
}
