//! Every item that other files can see says what it is: a `pub` function, type, trait, constant,
//! static or module, whatever its visibility, has a comment of the documentation. So has every
//! `pub` field of such a structure.

use super::sources;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The kinds of items.
const KINDS: [&str; 9] =
    ["fn", "struct", "enum", "union", "trait", "const", "static", "type", "mod"];

/// Words that may stand between the visibility of an item and its kind; beside them the name of an
/// ABI.
const QUALIFIERS: [&str; 6] = ["async", "const", "default", "extern", "safe", "unsafe"];

/// Words after a `const` that does not begin a constant.
const QUALIFIED: [&str; 4] = ["async", "extern", "fn", "unsafe"];

/// The kind and the name of the item that a line begins, if other files can see it.
fn item(line: &str) -> Option<(&str, &str)> {
    let rest = line.strip_prefix("pub")?;
    let rest = match rest.strip_prefix('(') {
        Some(scope) => scope.split_once(')')?.1,
        None => rest,
    };
    let rest = rest.strip_prefix(' ')?;
    let words: Vec<&str> = rest.split_whitespace().collect();
    let is_kind = |(at, word): (usize, &&str)| {
        // `const fn` is a function.
        let qualifies = words.get(at + 1).is_some_and(|next| QUALIFIED.contains(next));
        KINDS.contains(word) && !(*word == "const" && qualifies)
    };
    let at = words.iter().enumerate().position(is_kind)?;
    let qualifies = |word: &&str| QUALIFIERS.contains(word) || word.starts_with('"');
    if !words[..at].iter().all(qualifies) {
        return None;
    }
    let name = words.get(at + 1)?;
    Some((words[at], name.split(['(', '<', ':', ';', '{', '=']).next().unwrap_or(name)))
}

/// The name of the field that a line of a structure begins, if the field is `pub`.
fn field(line: &str) -> Option<&str> {
    let (name, rest) = line.strip_prefix("pub ")?.split_once(':')?;
    let is_name = name.chars().all(|c| c.is_alphanumeric() || c == '_');
    (is_name && !rest.starts_with(':')).then_some(name)
}

/// The number of spaces at the beginning of a line.
fn indentation(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

/// By how much the brackets of an attribute's line are deeper at its end, and what follows where
/// the attribute ends. Brackets in strings do not count.
fn brackets(line: &str, mut depth: i32) -> (i32, &str) {
    let mut is_text = false;
    for (at, c) in line.char_indices() {
        match c {
            '"' => is_text = !is_text,
            '[' if !is_text => depth += 1,
            ']' if !is_text => {
                depth -= 1;
                if depth == 0 {
                    return (0, line[at + 1..].trim_start_matches([')', '?', '*']).trim());
                }
            }
            _ => {}
        }
    }
    (depth, "")
}

/// The items in a file that other files can see and that no comment documents, with the fields of
/// structures, and how many such items and fields there are at all. `has_module` says whether the
/// file of a module begins with a comment.
fn undocumented(content: &str, has_module: impl Fn(&str) -> bool) -> (Vec<String>, usize) {
    let lines: Vec<&str> = content.lines().collect();
    let (mut found, mut count, mut depth) = (Vec::new(), 0, 0);
    let mut is_documented = false;
    // The indentation of the structure in whose braces the line is.
    let mut structure = None;
    for (i, line) in lines.iter().enumerate() {
        if line.ends_with("mod tests {") && !line.starts_with(' ') {
            break;
        }
        let mut text = line.trim();
        // An attribute. The comment of an item that a macro makes comes from where it is used.
        while depth > 0 || text.starts_with("#[") || text.starts_with("$(#[") {
            is_documented |= text.starts_with("$(#[$") || text.starts_with("#[doc");
            (depth, text) = brackets(text, depth);
            if text.is_empty() {
                break;
            }
        }
        if text.starts_with("///") {
            is_documented = true;
        }
        if text.is_empty() && line.trim() != "" || text.starts_with("//") {
            continue;
        }
        if let Some((kind, name)) = item(text) {
            let opens = lines.get(i + 1).is_some_and(|next| next.trim().starts_with("//!"));
            let module = kind == "mod" && (opens || text.ends_with(';') && has_module(name));
            count += 1;
            if !is_documented && !module {
                found.push(format!("{}: {kind} {name}", i + 1));
            }
            let has_lines = matches!(kind, "struct" | "union") && !text.ends_with([';', '}']);
            structure = has_lines.then(|| indentation(line));
        } else if structure == Some(indentation(line)) && text.starts_with(['}', ')']) {
            structure = None;
        } else if let Some(name) = structure.and_then(|_| field(text)) {
            count += 1;
            if !is_documented {
                found.push(format!("{}: field {name}", i + 1));
            }
        }
        is_documented = false;
    }
    (found, count)
}

/// Whether the module `name`, declared in `file`, has a file that begins with a comment.
fn has_comment(files: &BTreeMap<PathBuf, String>, file: &Path, name: &str) -> bool {
    let stem = file.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
    let folder = match stem {
        "lib" | "main" | "mod" => file.with_file_name(""),
        _ => file.with_extension(""),
    };
    let places = [folder.join(format!("{name}.rs")), folder.join(name).join("mod.rs")];
    places.iter().any(|place| files.get(place).is_some_and(|content| content.contains("//!")))
}

#[test]
fn items_that_others_see_are_documented() {
    let is_code = |file: &Path| {
        let mut parts = file.iter();
        parts.nth(2).is_some_and(|part| part == "src")
            && !parts.any(|part| part == "tests" || part == "tests.rs")
    };
    let files: BTreeMap<PathBuf, String> =
        sources("crates").into_iter().filter(|(file, _)| is_code(file)).collect();
    let (mut items, mut wrong) = (0, Vec::new());
    for (file, content) in &files {
        let (found, count) = undocumented(content, |name| has_comment(&files, file, name));
        wrong.extend(found.iter().map(|item| format!("{}:{item}", file.display())));
        items += count;
    }
    assert!(wrong.is_empty(), "say what these are: {wrong:#?}");
    assert!(items > 6000, "{items} items found: the search is broken");
}

#[test]
fn planted_fields_without_comments_are_found() {
    let found = |text: &str| undocumented(text, |_| false).0;
    let fields = |text: &str| found(&format!("/// A.\npub(crate) struct A<T> {{\n{text}}}\n"));
    assert_eq!(fields("    pub a: u8,\n    pub b_2: u8,\n"), ["3: field a", "4: field b_2"]);
    assert_eq!(fields("    /// Bytes.\n    #[serde(flatten)]\n    pub a: u8,\n"), [""; 0]);
    assert_eq!(fields("    /// Bytes.\n    pub a: u8,\n    pub b: u8,\n"), ["5: field b"]);
    assert_eq!(fields("    a: u8,\n    pub(super) b: u8,\n"), [""; 0]);
    assert_eq!(fields("    #[serde(default)]\n    pub a: Option<b::C>,\n"), ["4: field a"]);
    let bounded = "/// A.\npub struct A<T>\nwhere\n    T: B,\n{\n    pub a: T,\n}\n";
    assert_eq!(found(bounded), ["6: field a"]);
    let nested = "    /// A.\n    pub struct A {\n        pub a: u8,\n    }\n    pub b: u8,\n";
    assert_eq!(found(nested), ["3: field a"]);
    assert_eq!(found("/// A.\npub struct A(u8);\nstruct B {\n    pub a: u8,\n}\n"), [""; 0]);
    let shown = "/// A.\npub union A {\n    pub a: u8,\n}\n";
    assert_eq!(undocumented(shown, |_| true), (vec!["3: field a".to_owned()], 2));
}

#[test]
fn planted_items_without_comments_are_found() {
    let found = |text: &str| undocumented(text, |_| false).0;
    assert_eq!(found("pub fn f() {}\n"), ["1: fn f"]);
    assert_eq!(found("/// Adds.\n#[inline]\npub fn f() {}\n\npub fn g() {}\n"), ["5: fn g"]);
    assert_eq!(found("/// A.\n#[cfg(\n    any(a, b)\n)]\n#[x = \"]\"]\npub struct A;\n"), [""; 0]);
    assert_eq!(found("#[inline] pub(super) const fn f() {}\n"), ["1: fn f"]);
    assert_eq!(found("    pub(in crate::a) const N: u8 = 0;\n"), ["1: const N"]);
    assert_eq!(found("/// Of A.\nuse a;\npub type T<'t> = &'t u8;\n"), ["3: type T"]);
    assert_eq!(found("// No documentation.\npub static S: u8 = 0;\n"), ["2: static S"]);
    assert_eq!(found(concat!("pub unsafe", " extern \"C\" fn f() {}\n")), ["1: fn f"]);
    assert_eq!(found("pub trait T {}\npub enum E {}\n"), ["1: trait T", "2: enum E"]);
    assert_eq!(found("pub mod m;\npub mod n {\n    //! N.\n}\n"), ["1: mod m"]);
    assert_eq!(found("pub mod m {\n    pub fn f() {}\n}\n"), ["1: mod m", "2: fn f"]);
    assert_eq!(found("        $(#[$doc])*\n        pub struct $name;\n"), [""; 0]);
    assert_eq!(found("    $(#[target_feature(enable = $f)])?\n    pub fn f() {}\n").len(), 1);
    assert_eq!(found("pub use a::B;\nfn f() {}\nstruct S {\n    pub a: u8,\n}\n"), [""; 0]);
    assert_eq!(found("mod tests {\n    pub fn f() {}\n}\n"), [""; 0]);
    assert_eq!(undocumented("pub mod m;\n", |name| name == "m"), (Vec::new(), 1));
}
