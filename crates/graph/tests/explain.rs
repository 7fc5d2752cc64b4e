//! The report on every primitive is a golden file, so that a changed count is noticed in review.
//!
//! `MANYLANE_BLESS=1 cargo test -p manylane-graph --test explain` writes what is there now.

use manylane_graph::analysis::{Chain, Contraction, Timing, kinds};
use manylane_graph::part::{Part, Subject, explain};
use manylane_primitives::catalog::HashId;
use serde_json::Value;
use std::fmt::Write;
use std::path::{Path, PathBuf};

fn subjects() -> Vec<Subject> {
    let ciphers = ["rc5-32/12/16", "rc5-16/16/8", "rc5-64/20/24"];
    let ciphers = ciphers.map(|name| Subject::Rc5(name.parse().unwrap()));
    HashId::ALL.iter().map(|&id| Subject::Hash(id.into())).chain(ciphers).collect()
}

fn golden(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/explain").join(name)
}

/// Compares with the golden file, or writes it; returns what differs.
fn differs(name: &str, text: &str) -> Option<String> {
    let file = golden(name);
    if std::env::var_os("MANYLANE_BLESS").is_some() {
        std::fs::write(&file, text).expect("the golden file can be written");
        return None;
    }
    let known = std::fs::read_to_string(&file).unwrap_or_default();
    if known == text {
        return None;
    }
    let mut diff = format!("{}:\n", file.display());
    let (mut old, mut new) = (known.lines(), text.lines());
    for line in 1.. {
        match (old.next(), new.next()) {
            (None, None) => break,
            (a, b) if a == b => {}
            (a, b) => {
                for (sign, text) in a.map(|a| ('-', a)).into_iter().chain(b.map(|b| ('+', b))) {
                    writeln!(diff, "{line:>4} {sign} {text}").unwrap();
                }
            }
        }
    }
    Some(diff)
}

fn assert_same(differences: Vec<String>) {
    assert!(
        differences.is_empty(),
        "{}\nif that is meant: MANYLANE_BLESS=1 cargo test -p manylane-graph --test explain",
        differences.concat()
    );
}

/// JSON in lines of at most 100 columns, so that a difference is a line or two.
fn layout(value: &Value, indent: usize, out: &mut String) {
    let short = value.to_string();
    let inner = " ".repeat(indent + 2);
    match value {
        _ if indent + short.len() <= 96 => out.push_str(&short),
        Value::Array(items) if items.iter().all(Value::is_number) => {
            out.push('[');
            let mut line = String::new();
            for (i, item) in items.iter().enumerate() {
                let item = format!("{item}{}", if i + 1 < items.len() { "," } else { "" });
                if indent + 3 + line.len() + item.len() > 96 {
                    write!(out, "\n{inner}{}", line.trim_end()).unwrap();
                    line.clear();
                }
                write!(line, "{item} ").unwrap();
            }
            write!(out, "\n{inner}{}\n{}]", line.trim_end(), " ".repeat(indent)).unwrap();
        }
        Value::Array(items) => {
            out.push('[');
            for (i, item) in items.iter().enumerate() {
                write!(out, "{}\n{inner}", if i > 0 { "," } else { "" }).unwrap();
                layout(item, indent + 2, out);
            }
            write!(out, "\n{}]", " ".repeat(indent)).unwrap();
        }
        Value::Object(fields) => {
            out.push('{');
            for (i, (name, item)) in fields.iter().enumerate() {
                write!(out, "{}\n{inner}\"{name}\": ", if i > 0 { "," } else { "" }).unwrap();
                layout(item, indent + 2, out);
            }
            write!(out, "\n{}}}", " ".repeat(indent)).unwrap();
        }
        _ => out.push_str(&short),
    }
}

#[test]
fn reports_are_pinned() {
    let mut differences = Vec::new();
    for subject in subjects() {
        let report = explain(&subject, Part::Compression, 0).unwrap().report;
        let mut text = String::new();
        layout(&serde_json::to_value(&report).unwrap(), 0, &mut text);
        text.push('\n');
        let name = subject.to_string().replace('/', "-");
        differences.extend(differs(&format!("{name}.json"), &text));
    }
    assert_same(differences);
}

/// The work and the span of the other parts are pinned, and nothing else of them.
#[test]
fn parts_are_pinned() {
    let mut text = String::from("# primitive, part (bytes of message): work, span\n");
    for subject in subjects() {
        for (part, length) in
            [(Part::Round, 0), (Part::Schedule, 0), (Part::Message, 0), (Part::Message, 119)]
        {
            let part_name = match part {
                Part::Message => format!("message({length})"),
                Part::Compression | Part::Round | Part::Schedule => part.name().to_owned(),
            };
            let figures = match explain(&subject, part, length) {
                Ok(found) => format!("{}, {}", found.report.work, found.report.span),
                Err(_) => "none".to_owned(),
            };
            writeln!(text, "{subject} {part_name}: {figures}").unwrap();
        }
    }
    assert_same(differs("parts.txt", &text).into_iter().collect());
}

#[test]
fn the_parts_of_a_report_agree() {
    for subject in subjects() {
        let found = explain(&subject, Part::Compression, 0).unwrap();
        let report = &found.report;
        assert_eq!(report.profile.iter().sum::<usize>(), report.work, "{subject}");
        assert_eq!(report.profile.len(), report.span, "{subject}");
        assert!(report.profile.iter().all(|&width| width > 0), "{subject}");
        let sum = |f: fn(&(usize, usize)) -> usize| {
            report.operations.iter().map(|o| f(&(o.count, o.on_chain))).sum::<usize>()
        };
        assert_eq!((sum(|o| o.0), sum(|o| o.1)), (report.work, report.span), "{subject}");
        let outermost = report.steps.iter().filter(|kind| !kind.name.contains('/'));
        let (work, on_chain) =
            outermost.fold((0, 0), |(w, c), kind| (w + kind.work, c + kind.on_chain));
        assert_eq!((work, on_chain), (report.work, report.span), "{subject}");
        for kind in &report.steps {
            assert!(kind.least_work * kind.count <= kind.work, "{subject} {}", kind.name);
            assert!(kind.most_span <= kind.most_work && kind.critical <= kind.count);
            assert!(kind.on_chain == 0 || kind.critical > 0, "{subject} {}", kind.name);
        }
    }
}

/// A chain is operations that each take what the one before makes.
#[test]
fn the_chain_is_a_chain() {
    for subject in subjects() {
        let function = subject.compression();
        let timing = Timing::unit(&function);
        let chain = Chain::of(&function, &timing);
        assert_eq!(chain.nodes.len(), timing.span as usize, "{subject}");
        assert!(chain.nodes.iter().all(|node| chain.critical[node.index()]), "{subject}");
        for pair in chain.nodes.windows(2) {
            assert!(function.args(pair[1]).contains(&pair[0]), "{subject}");
        }
    }
}

#[test]
fn a_contraction_keeps_the_work_and_goes_forward() {
    for subject in subjects() {
        let function = subject.compression();
        let timing = Timing::unit(&function);
        let chain = Chain::of(&function, &timing);
        for depth in 1..=3 {
            let contraction = Contraction::at_depth(&function, &timing, &chain, depth);
            let units = &contraction.units;
            assert_eq!(units.iter().map(|unit| unit.work).sum::<usize>(), timing.work as usize);
            for edge in &contraction.edges {
                assert!(edge.from < edge.to && edge.values > 0, "{subject}");
                assert!(units[edge.from].layer < units[edge.to].layer, "{subject}");
                let along = units[edge.from].critical && units[edge.to].critical;
                assert!(along || !edge.critical, "{subject}");
            }
            for unit in units {
                assert!(unit.start + unit.span <= unit.end, "{subject}");
            }
        }
    }
}

/// RFC 1321 by hand: from b to the next b there are and, xor, add, rotate, add; a whole round also
/// adds x + k and has another xor or two.
#[test]
fn md5_is_as_by_hand() {
    let report = explain(&"md5".parse().map(Subject::Hash).unwrap(), Part::Compression, 0).unwrap();
    let rounds = report.report.steps.iter().find(|kind| kind.name == "round").unwrap();
    assert_eq!((rounds.count, rounds.growth), (64, Some(5.0)));
    assert_eq!((rounds.critical, rounds.least_work), (64, 7));
}

#[test]
fn a_part_has_the_figures_of_its_steps() {
    for subject in subjects() {
        let whole = subject.compression();
        let timing = Timing::unit(&whole);
        let kinds = kinds(&whole, &timing, &Chain::of(&whole, &timing));
        let of = |name: &str| kinds.iter().find(|kind| kind.name == name);
        for part in [Part::Round, Part::Schedule] {
            let Ok(found) = explain(&subject, part, 0) else { continue };
            let path = found.report.step.unwrap().path;
            let lines: Vec<_> = path
                .split(" + ")
                .map(|path| of(path.split('[').next().unwrap()).unwrap())
                .collect();
            let least: usize = lines.iter().map(|kind| kind.least_work).sum();
            let most: usize = lines.iter().map(|kind| kind.most_work).sum();
            assert!((least..=most).contains(&found.report.work), "{subject} {path}");
            assert!(lines.iter().any(|kind| kind.most_span >= found.report.span), "{subject}");
        }
    }
}

#[test]
fn what_is_missing_is_said() {
    let hash = |name: &str| Subject::Hash(name.parse().unwrap());
    let says = |subject: Subject, part, length, text: &str| {
        let error = explain(&subject, part, length).unwrap_err().to_string();
        assert!(error.contains(text), "{error}");
    };
    says(hash("md5"), Part::Schedule, 0, "md5 has no schedule step: its steps are round");
    says(hash("ripemd160"), Part::Schedule, 0, "its steps are left and right");
    says(hash("sha256"), Part::Message, 1 << 30, "at most 1000000");
    let rc5 = Subject::Rc5("rc5-32/12/16".parse().unwrap());
    says(rc5, Part::Message, 0, "is a block cipher");
}
