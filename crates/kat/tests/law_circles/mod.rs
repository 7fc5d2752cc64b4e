//! No circle of files, and no arrow upwards between the engine's floors: read from the paths in the
//! sources. A file that imports another has an arrow to it; where it imports a name that another
//! file only passes on (`pub use`), the arrow goes to the file that has the item. A name that a
//! file passes on and uses too is an arrow like any other import. A crate's root is a file like the
//! others.

use super::law_names::without_comments;
use super::{root, sources};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;

/// The engine's floors from the lowest on: each uses those below it and itself.
const FLOORS: [&str; 7] = ["error", "cpu", "lanes", "kernels", "select", "drive", "api"];

/// The parts beside the floors, which use the floors. Neither the floors nor the other parts use
/// them.
const BESIDE: [&str; 3] = ["cipher", "pairing", "peer"];

/// The crates of the workspace, and the bindings that are workspaces of their own.
const CRATES: [&str; 21] = [
    "primitives",
    "engine",
    "manylane",
    "slh-dsa",
    "capi",
    "python",
    "nearest",
    "files",
    "ir",
    "graph",
    "plan",
    "pages",
    "emit",
    "synth",
    "simulate",
    "build",
    "measure",
    "answers",
    "cli",
    "wasm",
    "kat",
];

/// A crate's files by the paths of their modules, the crate's root being the empty path.
type Files = BTreeMap<String, String>;
/// The files that each file imports.
type Arrows = BTreeMap<String, BTreeSet<String>>;

/// The files of a crate without comments and tests.
fn files(name: &str) -> Files {
    files_of(&format!("crates/{name}/src"))
}

/// The files of a crate or of a test program, by its folder.
fn files_of(folder: &str) -> Files {
    let mut files = Files::new();
    for (file, content) in sources(folder) {
        let path = file.strip_prefix(folder).unwrap().with_extension("");
        let mut parts: Vec<_> = path.iter().map(|part| part.to_str().unwrap()).collect();
        let is_root = parts.len() == 1 && parts[0] == "main" && !folder.ends_with("/src");
        if is_root || ["mod", "lib"].contains(parts.last().unwrap()) {
            parts.pop();
        }
        let code = content.lines();
        let code = code.take_while(|line| line.starts_with(' ') || !line.ends_with("mod tests {"));
        let code: Vec<_> = code.collect();
        files.insert(parts.join("::"), without_comments(&code.join("\n")).0.join("\n"));
    }
    assert!(!files.is_empty(), "{folder} is empty: the search is broken");
    files
}

/// A path in an import, and the name by which the file knows what it leads to.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Import {
    path: String,
    name: String,
}

/// The imports in a tree: `a::{b, c::d as e}` has `a::b` by the name `b`, and `a::c::d` by `e`.
fn imports(tree: &str) -> Vec<Import> {
    let tree = tree.trim();
    let Some((stem, rest)) = tree.split_once('{') else {
        let mut words = tree.split_whitespace();
        let Some(path) = words.next() else { return Vec::new() };
        let name = match words.nth(1) {
            Some(name) => name,
            None => path.trim_end_matches("::self").rsplit("::").next().unwrap_or_default(),
        };
        return vec![Import { path: path.to_owned(), name: name.to_owned() }];
    };
    let inner = rest.rsplit_once('}').map_or(rest, |(inner, _)| inner);
    let (mut depth, mut from, mut found) = (0, 0, Vec::new());
    for (at, c) in inner.char_indices().chain([(inner.len(), ',')]) {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => {
                found.extend(imports(&inner[from..at]).into_iter().map(|mut import| {
                    import.path.insert_str(0, stem);
                    if import.name == "self" {
                        let before = stem.trim_end_matches("::").rsplit("::").next();
                        import.name = before.unwrap_or_default().to_owned();
                    }
                    import
                }));
                from = at + 1;
            }
            _ => {}
        }
    }
    found
}

/// The lines of `code`, those that a path is broken over being joined.
fn with_whole_paths(code: &str) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for line in code.lines() {
        let next = line.trim();
        match lines.last_mut() {
            Some(last) if next.starts_with("::") || last.ends_with("::") => *last += next,
            _ => lines.push(line.trim_end().to_owned()),
        }
    }
    lines
}

/// The names in a file.
#[derive(Default)]
struct Named {
    /// The paths that it uses.
    used: Vec<String>,
    /// The imports that it passes on.
    passed_on: Vec<Import>,
    /// The words outside of imports and of declarations of modules.
    words: BTreeSet<String>,
}

/// The names in a file. In a module inside the file one `super` is the file itself.
fn named(code: &str) -> Named {
    let Named { mut used, mut passed_on, mut words } = Named::default();
    // The indentations of the modules inside the file that contain the line, the innermost last.
    let mut inside: Vec<usize> = Vec::new();
    let lines = with_whole_paths(code);
    let mut lines = lines.iter();
    while let Some(line) = lines.next() {
        let indent = line.len() - line.trim_start().len();
        let whole = line.trim();
        // A visibility such as `pub(in path)` is no import.
        let shown = whole.split_once("pub(in ").and_then(|(_, rest)| rest.split_once(')'));
        let text = shown.map_or(whole, |(_, item)| item.trim());
        if text == "}" && inside.last() == Some(&indent) {
            inside.pop();
        }
        let (public, item) = match text.strip_prefix("pub") {
            _ if shown.is_some() => (true, text),
            Some(rest) if rest.starts_with([' ', '(']) => {
                (true, rest.split_once(' ').map_or(rest, |(_, item)| item))
            }
            _ => (false, text),
        };
        let up = |path: &str| {
            let mut path = path;
            for _ in &inside {
                path = path.strip_prefix("super::").unwrap_or(path);
            }
            path.to_owned()
        };
        if let Some(tree) = item.strip_prefix("use ") {
            let mut tree = tree.to_owned();
            while !tree.contains(';') {
                tree.push(' ');
                tree += lines.next().expect("a use ends");
            }
            for mut import in imports(tree.split(';').next().unwrap()) {
                import.path = up(&import.path);
                if public { passed_on.push(import) } else { used.push(import.path) }
            }
        } else {
            let is_path = |c: char| c.is_alphanumeric() || "_:".contains(c);
            let paths = text.split(|c| !is_path(c)).filter(|word| word.contains("::"));
            used.extend(paths.map(|path| up(path.trim_end_matches(':'))));
            if !item.starts_with("mod ") {
                let is_word = |c: char| c.is_alphanumeric() || c == '_';
                words.extend(text.split(|c| !is_word(c)).map(str::to_owned));
            } else if item.ends_with('{') {
                inside.push(indent);
            }
        }
    }
    Named { used, passed_on, words }
}

/// A path that file `from` names, from the crate's root on.
fn absolute(from: &str, path: &str) -> Vec<String> {
    let mut base: Vec<&str> = from.split("::").filter(|part| !part.is_empty()).collect();
    let mut parts: Vec<&str> = path.split("::").filter(|part| !part.is_empty()).collect();
    while let Some(&first) = parts.first() {
        match first {
            "crate" | "$crate" => base.clear(),
            "self" => {}
            "super" => drop(base.pop()),
            _ => break,
        }
        parts.remove(0);
    }
    base.into_iter().chain(parts).map(str::to_owned).collect()
}

/// Which of the names that a file passes on are arrows to the files that have the items.
#[derive(Clone, Copy, PartialEq, Eq)]
enum PassedOn {
    /// The names that the file uses itself.
    Used,
    /// All names.
    All,
}

/// The arrows of a crate.
fn arrows(files: &Files, counted: PassedOn) -> Arrows {
    let named: BTreeMap<&String, _> =
        files.iter().map(|(file, code)| (file, named(code))).collect();
    let is_own = |file: &str, path: &str| {
        let first = path.split("::").next().unwrap_or_default();
        let own = ["crate", "$crate", "super", "self"].contains(&first);
        own || files.contains_key(&absolute(file, first).join("::"))
    };
    // Names that files pass on, each with the path to the item, or none if another crate has it.
    let mut passed_on = BTreeMap::new();
    for (file, Named { passed_on: public, .. }) in &named {
        for Import { path, name } in public {
            let to = is_own(file, path).then(|| absolute(file, path));
            passed_on.insert((file.as_str(), name.clone()), to);
        }
    }
    let owner = |mut path: Vec<String>| {
        'followed: for _ in 0..8 {
            for end in (0..=path.len()).rev() {
                let file = path[..end].join("::");
                if !files.contains_key(&file) {
                    continue;
                }
                let next = path.get(end).and_then(|n| passed_on.get(&(file.as_str(), n.clone())));
                match next {
                    Some(None) => return None,
                    Some(Some(to)) if *to != path[..=end] => {
                        path = to.iter().chain(&path[end + 1..]).cloned().collect();
                        continue 'followed;
                    }
                    _ => return Some(file),
                }
            }
            break;
        }
        None
    };
    let mut arrows = Arrows::new();
    for (file, Named { used, passed_on: public, words }) in &named {
        let is_counted =
            |import: &&Import| counted == PassedOn::All || words.contains(&import.name);
        let public = public.iter().filter(is_counted).map(|import| &import.path);
        for path in used.iter().chain(public) {
            if !is_own(file, path) {
                continue;
            }
            let Some(to) = owner(absolute(file, path)) else { continue };
            if to != **file {
                arrows.entry((*file).clone()).or_default().insert(to);
            }
        }
    }
    arrows
}

/// The arrows that are left when files that import none of the others, or that none imports, are
/// taken away until there is no such file: none, unless there is a circle.
fn circles(arrows: &Arrows) -> Vec<String> {
    let mut left = arrows.clone();
    loop {
        let targets: BTreeSet<String> = left.values().flatten().cloned().collect();
        let before: usize = left.values().map(BTreeSet::len).sum();
        left.retain(|file, to| targets.contains(file) && !to.is_empty());
        let sources: BTreeSet<String> = left.keys().cloned().collect();
        left.values_mut().for_each(|to| to.retain(|to| sources.contains(to)));
        if left.values().map(BTreeSet::len).sum::<usize>() == before {
            break;
        }
    }
    let shown = |(file, to): (&String, &BTreeSet<String>)| -> Vec<String> {
        to.iter().map(|to| format!("{file} → {to}")).collect()
    };
    left.iter().flat_map(shown).collect()
}

/// The engine's arrows that go upwards, or to what stands beside.
fn upwards(arrows: &Arrows) -> Vec<String> {
    let place = |file: &str| {
        let first = file.split("::").next().unwrap_or_default().to_owned();
        let floor = FLOORS.iter().position(|floor| *floor == first);
        (floor, first)
    };
    let mut found = Vec::new();
    // The root stands above all floors.
    for (file, targets) in arrows.iter().filter(|(file, _)| !file.is_empty()) {
        let (floor, room) = place(file);
        assert!(floor.is_some() || BESIDE.contains(&room.as_str()), "{file} stands on no floor");
        for to in targets {
            let (below, other) = place(to);
            let allowed = match (floor, below) {
                (Some(floor), Some(below)) => below <= floor,
                (None, Some(_)) => true,
                (_, None) => room == other,
            };
            if !allowed {
                found.push(format!("{file} → {to}"));
            }
        }
    }
    found
}

#[test]
fn no_circle_of_files() {
    let folders: BTreeSet<_> = fs::read_dir(root().join("crates"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    assert_eq!(folders, CRATES.map(str::to_owned).into(), "give each crate its place in CRATES");
    let (mut count, mut found) = (0, BTreeMap::new());
    for name in CRATES {
        let arrows = arrows(&files(name), PassedOn::Used);
        count += arrows.values().map(BTreeSet::len).sum::<usize>();
        found.insert(name, circles(&arrows));
    }
    found.retain(|_, circles| !circles.is_empty());
    assert!(found.is_empty(), "{found:#?}");
    assert!(count > 1000, "{count} arrows found: the search is broken");
}

/// The test programs of several files, each a folder with its `main.rs`.
#[test]
fn no_circle_of_files_in_tests() {
    let mut programs = BTreeSet::new();
    for (file, _) in sources("crates") {
        let folder = file.parent().expect("a file has a folder");
        let is_test = folder.parent().is_some_and(|parent| parent.ends_with("tests"));
        if is_test && file.file_name().is_some_and(|name| name == "main.rs") {
            programs.insert(folder.to_str().expect("names are text").to_owned());
        }
    }
    assert!(programs.len() > 3, "{programs:?}: the search is broken");
    let found = programs.iter().map(|program| {
        let found = circles(&arrows(&files_of(program), PassedOn::Used));
        (program, found)
    });
    let found: BTreeMap<_, _> = found.filter(|(_, circles)| !circles.is_empty()).collect();
    assert!(found.is_empty(), "{found:#?}");
}

#[test]
fn floors_of_the_engine_use_only_those_below() {
    let arrows = arrows(&files("engine"), PassedOn::All);
    let count: usize = arrows.values().map(BTreeSet::len).sum();
    assert!(count > 150, "{count} arrows found: the search is broken");
    for floor in FLOORS.iter().chain(&BESIDE) {
        let stands = files("engine").keys().any(|file| file.split("::").next() == Some(*floor));
        assert!(stands, "the engine has no {floor}");
    }
    let found = upwards(&arrows);
    assert!(found.is_empty(), "{found:#?}");
}

/// Both searches find what is planted, however it is written.
#[test]
fn planted_circles_and_arrows_are_found() {
    let engine = files("engine");
    let planted = |file: &str, text: &str, counted| {
        let mut files = engine.clone();
        files.get_mut(file).unwrap_or_else(|| panic!("no {file}")).push_str(text);
        arrows(&files, counted)
    };
    let circle = |file: &str, text: &str, expected: &[&str]| {
        assert_eq!(circles(&planted(file, text, PassedOn::Used)), expected, "{text}");
    };
    let two = ["drive::layout → drive::ragged", "drive::ragged → drive::layout"];
    circle("drive::layout", "\nuse super::ragged::Job;\n", &two);
    circle("drive::layout", "\nuse crate::{cpu::Engine, drive::{ragged::{self, Job}}};\n", &two);
    circle("drive::layout", "\nfn f() {\n    super::ragged::run();\n}\n", &two);
    circle("drive::layout", "\nmod m {\n    use super::super::ragged::Job;\n}\n", &two);
    circle("drive::layout", "\nmod m {\n    use super::State;\n}\n", &[]);
    // By way of a name that is passed on, and of a third file.
    let found = circles(&planted("drive::layout", "\nuse crate::Stream;\n", PassedOn::Used));
    assert!(found.contains(&"drive::stream → drive::ragged".to_owned()), "{found:?}");
    assert!(found.contains(&"drive::layout → drive::stream".to_owned()), "{found:?}");
    let found = circles(&planted("lanes", "\nuse portable::Portable;\n", PassedOn::Used));
    assert_eq!(found, ["lanes → lanes::portable", "lanes::portable → lanes"]);

    let mut emit = files("emit");
    let ending = emit.get_mut("rtl::core::ending").expect("a file of emit");
    ending.push_str("\npub(in crate::rtl) const SHOWN: u8 = 0;\n");
    assert_eq!(circles(&arrows(&emit, PassedOn::Used)), [""; 0]);
    let path = emit.get_mut("rtl::core::chaining").expect("a file of emit");
    path.push_str(
        "\npub(super) struct Both {\n    pub(in crate::rtl) of: super::ending::Ended,\n}\n",
    );
    let found = circles(&arrows(&emit, PassedOn::Used));
    assert!(found.contains(&"rtl::core::chaining → rtl::core::ending".to_owned()), "{found:?}");

    // By way of the crate's root, which defines an item, and uses one from a file.
    let defined = "\npub(crate) fn defined() {}\n";
    for used in ["\nuse drive::ragged::Job;\n", "\nfn f() {\n    drive::ragged::run();\n}\n"] {
        let mut files = engine.clone();
        files.get_mut("").expect("the root").push_str(&format!("{defined}{used}"));
        let ragged = files.get_mut("drive::ragged").expect("a file of the engine");
        ragged.push_str("\nuse crate::defined;\n");
        let found = circles(&arrows(&files, PassedOn::Used));
        assert_eq!(found, [" → drive::ragged", "drive::ragged → "], "{used}");
    }
    // A name that a file passes on is no arrow, unless the file uses it.
    for (file, path, back) in
        [("", "drive::ragged::Job", "crate::defined"), ("drive", "ragged::Job", "super::defined")]
    {
        let passed_on = format!("\npub use {path} as Passed;\n");
        for (used, count) in [("", 0), ("\nfn f(_: Passed) {}\n", 2)] {
            let mut files = engine.clone();
            let from = files.get_mut(file).expect("a file of the engine");
            from.push_str(&format!("{defined}{passed_on}{used}"));
            let ragged = files.get_mut("drive::ragged").expect("a file of the engine");
            ragged.push_str(&format!("\nuse {back};\n"));
            assert_eq!(circles(&arrows(&files, PassedOn::Used)).len(), count, "{path}: {used}");
        }
    }

    let arrow = |file: &str, text: &str| upwards(&planted(file, text, PassedOn::All));
    for text in [
        "\npub use crate::api::batch::Batch;\n",
        "\npub(crate) use crate::api::{\n    batch::Batch,\n};\n",
        "\npub use crate::api::batch::*;\n",
        "\nfn f() {\n    crate::api::batch\n        ::Batch::new();\n}\n",
        "\nfn f() {\n    crate::api::\n        batch::Batch::new();\n}\n",
    ] {
        assert_eq!(arrow("lanes::pair", text), ["lanes::pair → api::batch"], "{text}");
    }
    let renamed = "\npub(crate) use crate::drive::ends::Ends as E;\n";
    assert_eq!(arrow("lanes::pair", renamed), ["lanes::pair → drive::ends"]);
    // By the other name, in another file.
    let mut files = engine.clone();
    files.get_mut("lanes").expect("a file of the engine").push_str(renamed);
    files.get_mut("cpu::isa").expect("a file of the engine").push_str("\nuse crate::lanes::E;\n");
    let found = upwards(&arrows(&files, PassedOn::All));
    assert_eq!(found, ["cpu::isa → drive::ends", "lanes → drive::ends"]);
    let found = arrow("lanes", "\npub use crate::{cpu::Engine, drive};\n");
    assert_eq!(found, ["lanes → drive"]);

    assert_eq!(arrow("cpu::isa", "\nuse crate::lanes::Lanes;\n"), ["cpu::isa → lanes"]);
    assert_eq!(arrow("lanes", "\nuse crate::Batch;\n"), ["lanes → api::batch"]);
    assert_eq!(arrow("error", "\nuse crate::Engine;\n"), ["error → cpu::isa"]);
    assert_eq!(arrow("api::work", "\nuse crate::Rc5;\n"), ["api::work → cipher::one_key"]);
    assert_eq!(arrow("cipher::select", "\nuse crate::pairing::Point;\n").len(), 1);
    assert_eq!(arrow("cipher::select", "\nuse crate::api::hasher::hash;\n"), [""; 0]);
}

/// In every crate, an import against an arrow that is there.
#[test]
fn planted_circles_are_found_in_every_crate() {
    let mut planted = 0;
    for name in CRATES {
        let mut files = files(name);
        let all = arrows(&files, PassedOn::Used).into_iter();
        let all = all.flat_map(|(from, to)| to.into_iter().map(move |to| (from.clone(), to)));
        let Some((from, to)) =
            all.into_iter().find(|(from, to)| !from.is_empty() && !to.is_empty())
        else {
            continue;
        };
        let text = format!("\nuse crate::{from}::Planted;\n");
        files.get_mut(&to).expect("an arrow leads to a file").push_str(&text);
        let found = circles(&arrows(&files, PassedOn::Used));
        assert!(found.contains(&format!("{to} → {from}")), "{name}: {found:?}");
        planted += 1;
    }
    assert!(planted >= 8, "{planted} circles were planted");
}
