//! No circle of files, and no arrow upwards between the engine's floors: read from the paths in the
//! sources. A file that imports another has an arrow to it; where it imports a name that another
//! file only passes on (`pub use`), the arrow goes to the file that has the item.

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

/// The paths in a tree of imports: `a::{b, c::d as e}` has `a::b` and `a::c::d`.
fn paths(tree: &str) -> Vec<String> {
    let tree = tree.trim();
    let Some((stem, rest)) = tree.split_once('{') else {
        let path = tree.split(" as ").next().unwrap_or_default().trim();
        return if path.is_empty() { Vec::new() } else { vec![path.to_owned()] };
    };
    let inner = rest.rsplit_once('}').map_or(rest, |(inner, _)| inner);
    let (mut depth, mut from, mut found) = (0, 0, Vec::new());
    for (at, c) in inner.char_indices().chain([(inner.len(), ',')]) {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => {
                let branch = paths(&inner[from..at]);
                found.extend(branch.iter().map(|path| format!("{stem}{path}")));
                from = at + 1;
            }
            _ => {}
        }
    }
    found
}

/// The paths that a file names, and those of them that it only passes on. In a module inside the
/// file one `super` is the file itself.
fn named(code: &str) -> (Vec<String>, Vec<String>) {
    let (mut imports, mut passed_on) = (Vec::new(), Vec::new());
    // Where the modules inside the file are indented that the line is in.
    let mut inside: Vec<usize> = Vec::new();
    let mut lines = code.lines();
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
        let up = |path: String| {
            let mut path = path.as_str();
            for _ in &inside {
                path = path.strip_prefix("super::").unwrap_or(path);
            }
            path.to_owned()
        };
        if let Some(tree) = item.strip_prefix("use ") {
            let mut tree = tree.to_owned();
            while !tree.contains(';') {
                tree += lines.next().expect("a use ends");
            }
            let found = paths(tree.split(';').next().unwrap()).into_iter().map(up);
            if public { passed_on.extend(found) } else { imports.extend(found) }
        } else {
            let is_path = |c: char| c.is_alphanumeric() || "_:".contains(c);
            let words = text.split(|c| !is_path(c)).filter(|word| word.contains("::"));
            imports.extend(words.map(|word| up(word.trim_end_matches(':').to_owned())));
            if item.starts_with("mod ") && item.ends_with('{') {
                inside.push(indent);
            }
        }
    }
    (imports, passed_on)
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

/// The arrows of a crate.
fn arrows(files: &Files) -> Arrows {
    let named: BTreeMap<&String, _> =
        files.iter().map(|(file, code)| (file, named(code))).collect();
    // Names that files pass on, each with the file that has the item.
    let mut passed_on = BTreeMap::new();
    for (file, (_, public)) in &named {
        for path in public {
            let to = absolute(file, path);
            let name = to.last().expect("a path").clone();
            passed_on.insert((file.as_str(), name), to);
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
                    Some(to) if *to != path[..=end] => {
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
    for (file, (imports, public)) in &named {
        // A name that a file passes on and uses itself is imported too, unless a file below has it.
        let used = |path: &&String| {
            let name = path.rsplit("::").next().unwrap_or_default();
            let is_word = |c: char| c.is_alphanumeric() || c == '_';
            let words = files[*file].split(|c| !is_word(c));
            let is_below = absolute(file, path).join("::").starts_with(&format!("{file}::"));
            !is_below && words.filter(|word| *word == name).count() > 1
        };
        for path in imports.iter().chain(public.iter().filter(used)) {
            let first = path.split("::").next().unwrap_or_default();
            let own = ["crate", "$crate", "super", "self"].contains(&first);
            let below = absolute(file, first).join("::");
            // The root passes names on and declares modules; neither is an arrow.
            if file.is_empty() || !own && !files.contains_key(&below) {
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
    for (file, targets) in arrows {
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
    let mut count = 0;
    for name in CRATES {
        let arrows = arrows(&files(name));
        count += arrows.values().map(BTreeSet::len).sum::<usize>();
        let found = circles(&arrows);
        assert!(found.is_empty(), "{name}: {found:#?}");
    }
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
    for program in programs {
        let found = circles(&arrows(&files_of(&program)));
        assert!(found.is_empty(), "{program}: {found:#?}");
    }
}

#[test]
fn floors_of_the_engine_use_only_those_below() {
    let arrows = arrows(&files("engine"));
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
    let planted = |file: &str, text: &str| {
        let mut files = engine.clone();
        files.get_mut(file).unwrap_or_else(|| panic!("no {file}")).push_str(text);
        arrows(&files)
    };
    let circle = |file: &str, text: &str, expected: &[&str]| {
        assert_eq!(circles(&planted(file, text)), expected, "{text}");
    };
    let two = ["drive::layout → drive::ragged", "drive::ragged → drive::layout"];
    circle("drive::layout", "\nuse super::ragged::Job;\n", &two);
    circle("drive::layout", "\nuse crate::{cpu::Engine, drive::{ragged::{self, Job}}};\n", &two);
    circle("drive::layout", "\nfn f() {\n    super::ragged::run();\n}\n", &two);
    circle("drive::layout", "\nmod m {\n    use super::super::ragged::Job;\n}\n", &two);
    circle("drive::layout", "\nmod m {\n    use super::State;\n}\n", &[]);
    // By way of a name that is passed on, and of a third file.
    let found = circles(&planted("drive::layout", "\nuse crate::Stream;\n"));
    assert!(found.contains(&"drive::stream → drive::ragged".to_owned()), "{found:?}");
    assert!(found.contains(&"drive::layout → drive::stream".to_owned()), "{found:?}");
    let found = circles(&planted("lanes", "\nuse portable::Portable;\n"));
    assert_eq!(found, ["lanes → lanes::portable", "lanes::portable → lanes"]);

    let mut emit = files("emit");
    let ending = emit.get_mut("rtl::core::ending").expect("a file of emit");
    ending.push_str("\npub(in crate::rtl) const SHOWN: u8 = 0;\n");
    assert_eq!(circles(&arrows(&emit)), [""; 0]);
    let path = emit.get_mut("rtl::core::chaining").expect("a file of emit");
    path.push_str(
        "\npub(super) struct Both {\n    pub(in crate::rtl) of: super::ending::Ended,\n}\n",
    );
    let found = circles(&arrows(&emit));
    assert!(found.contains(&"rtl::core::chaining → rtl::core::ending".to_owned()), "{found:?}");

    let arrow = |file: &str, text: &str| upwards(&planted(file, text));
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
        // The root's own imports are no arrows.
        let all = arrows(&files).into_iter();
        let all = all.flat_map(|(from, to)| to.into_iter().map(move |to| (from.clone(), to)));
        let Some((from, to)) = all.into_iter().find(|(_, to)| !to.is_empty()) else { continue };
        let text = format!("\nuse crate::{from}::Planted;\n");
        files.get_mut(&to).expect("an arrow leads to a file").push_str(&text);
        let found = circles(&arrows(&files));
        assert!(found.contains(&format!("{to} → {from}")), "{name}: {found:?}");
        planted += 1;
    }
    assert!(planted >= 8, "{planted} circles were planted");
}
