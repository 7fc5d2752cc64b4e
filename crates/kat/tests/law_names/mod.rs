//! Planners, emitters and the engine's lanes know no primitive and no step by name: what they must
//! know of a step is its kind. Otherwise the plan of a new primitive would depend on its names.

use super::{read, sources};
use manylane_primitives::catalog::HashId;
use manylane_primitives::word::Kind;

/// Where names are forbidden.
const NAMELESS: [&str; 3] = ["crates/plan/src", "crates/emit/src", "crates/engine/src"];

/// Kernels written by hand for one primitive each.
const KERNELS: &str = "crates/engine/src/kernels/rounds";

/// The beginnings of the names of primitives that are not hashes: RC5 and η_T.
const OTHERS: [&str; 2] = ["rc", "eta"];

/// After these a number must follow, because other words begin like them.
const WITH_NUMBER: [&str; 2] = ["md", "rc"];

/// Instruction sets that are called after what they compute.
const INSTRUCTIONS: [&str; 16] = [
    "ShaNi",
    "ShaCe",
    "Sha512Ce",
    "NeonSha3",
    "neon::Sha3",
    "sha-ni",
    "sha-ce",
    "sha512-ce",
    "neon-sha3",
    "neon,sha3",
    "neon_sha3",
    "detected!(\"sha\")",
    "detected!(\"sha2\")",
    "detected!(\"sha3\")",
    "struct Sha3;",
    "Extension for Sha3 ",
];

/// Files that are about a primitive by nature, the words for it that may stand there, and why.
const BY_NATURE: [(&str, &[&str], &str); 9] = [
    (
        "crates/engine/src/cipher",
        &["rc5"],
        "the one block cipher, its kernels, its types for users",
    ),
    ("crates/engine/src/error.rs", &["rc5"], "an error of the cipher's parameters"),
    ("crates/engine/src/lib.rs", &["rc5"], "the cipher's types for users"),
    ("crates/engine/src/cpu/isa.rs", &["sha"], "says in words what instruction sets are for"),
    ("crates/engine/src/api/tree/ssz.rs", &["sha"], "a tree that is defined over one hash"),
    ("crates/engine/src/api/tree/mod.rs", &["sha"], "the feature that this tree needs"),
    ("crates/engine/src/pairing/hash.rs", &["shake"], "how texts become points"),
    ("crates/engine/src/pairing", &["eta"], "the one pairing and its field"),
    ("crates/plan/src/threads", &["eta"], "the pairing's loop is what is divided there"),
];

/// Literals that are also names of steps, and what they are there.
const HOMONYMS: &[(&str, &str, &str)] = &[
    ("crates/emit/src/c/body/pair.rs", "pair", "a variable of emitted C"),
    ("crates/plan/src/platform/word_size.rs", "word", "a field of a platform's file"),
    ("crates/plan/src/platform/read.rs", "word", "a field of a platform's file"),
    ("crates/plan/src/platform/programs.rs", "block", "a field of a platform's file"),
    ("crates/plan/src/platform/keyed.rs", "block", "a field of a platform's file"),
    ("crates/plan/src/platform/programs.rs", "padding", "a field of a platform's file"),
    ("crates/plan/src/platform/read.rs", "start", "a field of a platform's file"),
    ("crates/emit/src/prove/text/cell.rs", "S", "a port of Yosys's cells"),
    ("crates/emit/src/prove/text/compare.rs", "word", "a word of a memory"),
    ("crates/emit/src/prove/text/rtlil.rs", "output", "a word of RTLIL"),
    ("crates/emit/src/prove/text/scan/mod.rs", "block", "a reserved word of VHDL"),
    ("crates/emit/src/prove/text/state.rs", "output", "a direction of a port"),
    ("crates/emit/src/rtl/core/made.rs", "word", "a port of a core"),
    ("crates/emit/src/rtl/core/ending.rs", "digest", "a port of a core"),
    ("crates/emit/src/rtl/core/window/memory.rs", "word", "a port of a core"),
    ("crates/emit/src/rtl/lang/verilog.rs", "output", "a direction of a port"),
    ("crates/emit/src/rtl/modes.rs", "padding", "what differs, in an error"),
    ("crates/emit/src/rtl/wrap/axilite.rs", "word", "a signal"),
    ("crates/emit/src/rtl/wrap/frame/result.rs", "digest", "a port of a wrapper"),
    ("crates/engine/src/peer/libcrypto.rs", "digest", "a parameter of OpenSSL's"),
    ("crates/emit/src/rtl/wrap/frame/call.rs", "start", "a signal"),
    ("crates/emit/src/rtl/wrap/padding.rs", "word", "a signal"),
    ("crates/engine/src/api/hasher.rs", "left", "a field, for debugging"),
];

/// What a Rust text says without its comments: its lines, and its literal strings with their lines.
pub fn without_comments(content: &str) -> (Vec<String>, Vec<(usize, String)>) {
    let chars: Vec<char> = content.chars().collect();
    let is = |at: usize, text: &str| {
        text.chars().enumerate().all(|(i, c)| chars.get(at + i) == Some(&c))
    };
    let (mut code, mut literals) = (String::new(), Vec::new());
    let mut at = 0;
    while at < chars.len() {
        let start = at;
        // Finds the end of a comment, which is left out, or of a literal string, which is also
        // collected.
        let hashes = chars[at + 1..].iter().take_while(|&&c| c == '#').count();
        let raw = chars[at] == 'r' && chars.get(at + 1 + hashes) == Some(&'"');
        let is_raw = raw && (at == 0 || !chars[at - 1].is_alphanumeric());
        if is(at, "//") {
            at += chars[at..].iter().take_while(|&&c| c != '\n').count();
            continue;
        } else if is(at, "/*") {
            at += 2;
            while at < chars.len() && !is(at, "*/") {
                code.extend((chars[at] == '\n').then_some('\n'));
                at += 1;
            }
            at += 2;
            continue;
        } else if is_raw {
            let close = format!("\"{}", "#".repeat(hashes));
            at += 2 + hashes;
            let from = at;
            while at < chars.len() && !is(at, &close) {
                at += 1;
            }
            let line = 1 + code.matches('\n').count();
            literals.push((line, chars[from..at].iter().collect()));
            at += close.len();
        } else if chars[at] == '"' {
            at += 1;
            while at < chars.len() && chars[at] != '"' {
                at += if chars[at] == '\\' { 2 } else { 1 };
            }
            let line = 1 + code.matches('\n').count();
            literals.push((line, chars[start + 1..at.min(chars.len())].iter().collect()));
            at += 1;
        } else if is(at, "'\"'") || is(at, "'\\'") || is(at, "'/'") {
            at += 3;
        } else {
            at += 1;
        }
        code.extend(&chars[start..at.min(chars.len())]);
    }
    (code.lines().map(str::to_owned).collect(), literals)
}

/// The files in which names are forbidden, without their tests.
fn nameless() -> Vec<(String, String)> {
    let mut files = Vec::new();
    for folder in NAMELESS {
        for (file, content) in sources(folder) {
            let is_test = file.components().any(|part| part.as_os_str() == "tests")
                || file.file_name().is_some_and(|name| name == "tests.rs");
            if is_test || file.starts_with(KERNELS) {
                continue;
            }
            let end = content.find("#[cfg(test)]\nmod tests {").unwrap_or(content.len());
            let file = file.to_str().unwrap().to_owned();
            files.push((file, content[..end].to_owned()));
        }
    }
    assert!(files.len() > 150, "{} files found: the search is broken", files.len());
    files
}

/// The words of a line in small letters, `NeonSha3` being two.
fn words(line: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut before = ' ';
    for c in line.chars() {
        let begins = c.is_uppercase() && (before.is_lowercase() || before.is_ascii_digit());
        if begins || !c.is_alphanumeric() {
            words.push(String::new());
        }
        if c.is_alphanumeric() {
            words.last_mut().unwrap().extend(c.to_lowercase());
        }
        before = c;
    }
    words.retain(|word| !word.is_empty());
    words
}

/// What names of primitives begin with, such as `sha` and `blake`.
fn families() -> Vec<String> {
    let letters = |name: &str| name.chars().take_while(|c| c.is_alphabetic()).collect::<String>();
    let of_hash = |id: &HashId| [id.name(), id.entry().title].map(letters);
    let mut families: Vec<String> =
        HashId::ALL.iter().flat_map(of_hash).map(|name| name.to_lowercase()).collect();
    families.extend(OTHERS.map(str::to_owned));
    families.sort();
    families.dedup();
    families
}

/// Whether a word names a primitive: is a family, or a family and a number, as in `blake2b`.
fn is_primitive(word: &str, families: &[String]) -> bool {
    families.iter().any(|family| match word.strip_prefix(family.as_str()) {
        Some("") => !WITH_NUMBER.contains(&family.as_str()),
        Some(rest) => rest.starts_with(|c: char| c.is_ascii_digit()),
        None => false,
    })
}

/// The names of primitives in a text that may have none, with their lines.
fn primitives_in(file: &str, content: &str, families: &[String]) -> Vec<(usize, String)> {
    let allowed = |word: &str| {
        let mut here = BY_NATURE.iter().filter(|(place, ..)| file.starts_with(place));
        here.any(|(_, own, _)| own.iter().any(|own| word.starts_with(own)))
    };
    let mut found = Vec::new();
    for (number, line) in without_comments(content).0.iter().enumerate() {
        let line = INSTRUCTIONS.iter().fold(line.clone(), |line, set| line.replace(set, " "));
        let named = |word: &String| is_primitive(word, families) && !allowed(word);
        found.extend(words(&line).into_iter().filter(named).map(|word| (number + 1, word)));
    }
    found
}

/// The names that steps have, as the definitions and the frames around them give them.
fn steps() -> Vec<String> {
    let kinds = Kind::ALL.map(|kind| format!("{kind:?}"));
    // What stands behind `step!(` and `Kind::`: a kind, a comma, a name.
    let name = |rest: &str| -> Option<String> {
        let rest = rest.trim_start();
        let rest = kinds.iter().find_map(|kind| rest.strip_prefix(kind.as_str()))?;
        let rest = rest.strip_prefix(',')?.trim_start().strip_prefix('"')?;
        rest.split('"').next().map(str::to_owned)
    };
    let mut names = Vec::new();
    for (_, content) in ["crates/primitives/src", "crates/graph/src"].into_iter().flat_map(sources)
    {
        for open in ["step!(", "Kind::"] {
            let found =
                content.match_indices(open).filter_map(|(at, _)| name(&content[at + open.len()..]));
            names.extend(found);
        }
    }
    names.sort();
    names.dedup();
    names
}

/// The literals in a text that are names or paths of steps, with their lines.
fn steps_in(file: &str, content: &str, names: &[String]) -> Vec<(usize, String)> {
    let is_step = |literal: &str| {
        names.iter().any(|name| {
            let rest = literal.strip_prefix(name.as_str());
            rest.is_some_and(|rest| {
                rest.is_empty() || rest.starts_with('[') || rest.starts_with('/')
            })
        })
    };
    let allowed = |literal: &str| {
        HOMONYMS.iter().any(|(place, homonym, _)| *place == file && *homonym == literal)
    };
    let literals = without_comments(content).1.into_iter();
    literals.filter(|(_, literal)| is_step(literal) && !allowed(literal)).collect()
}

#[test]
fn planners_and_emitters_name_no_primitive() {
    let families = families();
    for (file, content) in nameless() {
        let found = primitives_in(&file, &content, &families);
        assert!(found.is_empty(), "{file} names primitives: {found:?}");
    }
}

#[test]
fn planners_and_emitters_name_no_step() {
    let names = steps();
    assert!(names.len() > 30, "{names:?}: the search is broken");
    for (file, content) in nameless() {
        let found = steps_in(&file, &content, &names);
        assert!(found.is_empty(), "{file} names steps: {found:?}");
    }
}

/// The search finds what is planted, wherever a rule by name could stand.
#[test]
fn planted_names_are_found() {
    let (families, steps) = (families(), steps());
    let of = |text: &str| -> Vec<String> {
        let found = primitives_in("crates/plan/src/units.rs", text, &families);
        found.into_iter().map(|(_, word)| word).collect()
    };
    assert_eq!(of("if name.starts_with(\"blake2b\") {"), ["blake2b"]);
    assert_eq!(of("rule(\"sha\", \"jh\"); // md5"), ["sha", "jh"]);
    assert_eq!(
        of("HashId::Sha512_256 => GroestlRows, MD5, rc5"),
        ["sha512", "groestl", "md5", "rc5"]
    );
    assert_eq!(of("/* sha256 */ share, readme.md, theta, \"handshake\", ShaNi"), [""; 0]);
    assert_eq!(primitives_in("crates/engine/src/cpu/isa.rs", "Keccak", &families).len(), 1);
    let of = |text: &str| steps_in("crates/plan/src/costs.rs", text, &steps);
    assert_eq!(of("const HALF: &str = \"half\";"), [(1, "half".to_owned())]);
    assert_eq!(of("a\n  \"round of Q\" // \"g\""), [(2, "round of Q".to_owned())]);
    assert_eq!(of("find_step(\"round[3]/g[0]\")").len(), 1);
    assert_eq!(of("r#\"byte swap\"#, '\"', \"K + W\", \"around\"").len(), 2);
}

/// Every exception is still needed.
#[test]
fn every_exception_is_needed() {
    for (place, words, why) in BY_NATURE {
        let own = |file: &str| file.starts_with(place);
        let mut files = nameless().into_iter().filter(|(file, _)| own(file));
        let used = files.any(|(_, content)| {
            without_comments(&content)
                .0
                .iter()
                .flat_map(|line| self::words(line))
                .any(|word| words.iter().any(|own| word.starts_with(own)))
        });
        assert!(used, "{place} needs no {words:?} ({why})");
    }
    for (file, literal, what) in HOMONYMS {
        let used = without_comments(&read(file)).1.iter().any(|(_, found)| found == literal);
        assert!(used, "{file} has no {literal:?} ({what})");
    }
}
