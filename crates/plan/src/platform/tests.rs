//! Reading a long file takes work in proportion to its length.

use super::Platform;
use crate::source::SourceError;
use crate::work;
use std::fmt::Write;

/// The steps of work that reading a platform's text takes with `count` more lines, and the bytes
/// of that text.
fn work_of(header: &str, line: impl Fn(usize) -> String, count: usize) -> (usize, usize) {
    let mut text = format!("{}{header}\n", include_str!("../../platforms/unit.toml"));
    for i in 0..count {
        // Numbers of four digits: all lines have one length.
        writeln!(text, "{}", line(1000 + i)).unwrap();
    }
    let (work, read): (usize, Result<Platform, SourceError>) =
        work::of(|| Platform::parse("p.toml", &text));
    read.unwrap_or_else(|error| panic!("{error}"));
    (work, text.len())
}

/// Refuses more than two steps of work for each byte by which one text is longer than another. Work
/// that does not depend on the length, such as tracing the primitives once, cancels out.
fn check(header: &str, of_lines: impl Fn(usize) -> (usize, usize)) {
    let lengths = [400, 800, 1600].map(of_lines);
    for [(less, short), (more, long)] in [[lengths[0], lengths[1]], [lengths[1], lengths[2]]] {
        let (work, bytes) = (more - less, long - short);
        assert!(work >= bytes, "{header}: {work} steps for {bytes} bytes are not counted");
        assert!(work <= 2 * bytes, "{header}: {work} steps for {bytes} bytes");
    }
}

#[test]
fn work_grows_as_the_text_does() {
    type Line = fn(usize) -> String;
    let shapes: [(&str, Line); 7] = [
        ("# comments", |i| format!("# {i}")),
        ("[steps.sha256]", |i| format!("\"block[{i}]/round\" = 1")),
        ("[steps.sha256]", |i| format!("\"block[{i}]/round | block[{i}]/schedule\" = 1")),
        ("[steps.\"*\"]", |i| format!("\"block[{i}]/round\" = 1")),
        ("[steps.sha256]\nlike = \"md5\"\n[steps.md5]", |i| format!("\"block[{i}]/round\" = 1")),
        ("[totals.sha256]", |i| format!("{i} = {}", i + 1)),
        ("[programs]", |i| format!("\"sha256.p{i}\" = {{ block = 1, message = 1 }}")),
    ];
    for (header, line) in shapes {
        check(header, |count| work_of(header, line, count));
    }
}

/// Many patterns in one key take no more work than many keys.
#[test]
fn patterns_of_one_key_take_no_more() {
    let header = "[steps.sha256]";
    check(header, |count| {
        let pattern = |i: usize| format!("block[{i}]/round");
        let patterns: Vec<String> = (1000..1000 + count).map(pattern).collect();
        work_of(header, |_| format!("\"{}\" = 1", patterns.join(" | ")), 1)
    });
}
