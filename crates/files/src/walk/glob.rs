//! Lines of a .gitignore in the syntax of the crate `ignore`.
//!
//! That crate reads braces as alternatives and knows neither escapes nor POSIX classes in brackets.
//! To git a brace is a character like any other (gitignore(5), `wildmatch.c`).

use std::iter::Peekable;
use std::str::Chars;

/// What a pair of brackets matches, or does not match.
#[derive(Default)]
struct Class {
    negated: bool,
    /// First and last characters, both included.
    ranges: Vec<(char, char)>,
}

/// The line for the crate `ignore`; `None` if its brackets do not close or name an unknown class,
/// which to git matches nothing.
pub fn translated(line: &str) -> Option<String> {
    let mut translated = String::with_capacity(line.len() + 8);
    let mut rest = line.chars().peekable();
    while let Some(c) = rest.next() {
        match c {
            '\\' => {
                translated.push(c);
                translated.extend(rest.next());
            }
            '{' | '}' => translated.extend(['\\', c]),
            '[' => class(&mut rest)?.write(&mut translated),
            _ => translated.push(c),
        }
    }
    Some(translated)
}

/// Reads a class behind its opening bracket.
fn class(rest: &mut Peekable<Chars>) -> Option<Class> {
    let negated = rest.next_if(|c| matches!(c, '!' | '^')).is_some();
    let mut class = Class { negated, ranges: Vec::new() };
    let mut is_first = true;
    loop {
        let c = match rest.next()? {
            ']' if !is_first => return Some(class),
            '[' if rest.next_if_eq(&':').is_some() => {
                let mut name = String::new();
                while !name.ends_with(":]") {
                    name.push(rest.next()?);
                }
                class.ranges.extend(posix(name.trim_end_matches(":]"))?);
                is_first = false;
                continue;
            }
            '\\' => rest.next()?,
            c => c,
        };
        is_first = false;
        let mut ahead = rest.clone();
        let is_range = ahead.next() == Some('-') && ahead.next().is_some_and(|c| c != ']');
        let last = match is_range {
            false => c,
            true => match (rest.next(), rest.next()?) {
                (_, '\\') => rest.next()?,
                (_, last) => last,
            },
        };
        // Of a range from a greater character to a lesser one, git matches the first alone.
        class.ranges.push((c, last.max(c)));
    }
}

/// The characters of a class of POSIX in the locale C.
fn posix(name: &str) -> Option<Vec<(char, char)>> {
    let ranges: &[(char, char)] = match name {
        "alnum" => &[('0', '9'), ('A', 'Z'), ('a', 'z')],
        "alpha" => &[('A', 'Z'), ('a', 'z')],
        "blank" => &[('\t', '\t'), (' ', ' ')],
        "cntrl" => &[('\0', '\x1f'), ('\x7f', '\x7f')],
        "digit" => &[('0', '9')],
        "graph" => &[('!', '~')],
        "lower" => &[('a', 'z')],
        "print" => &[(' ', '~')],
        "punct" => &[('!', '/'), (':', '@'), ('[', '`'), ('{', '~')],
        "space" => &[('\t', '\r'), (' ', ' ')],
        "upper" => &[('A', 'Z')],
        "xdigit" => &[('0', '9'), ('A', 'F'), ('a', 'f')],
        _ => return None,
    };
    Some(ranges.to_vec())
}

impl Class {
    /// Whether one of the ranges has this character.
    fn has(&self, c: char) -> bool {
        self.ranges.iter().any(|&(first, last)| (first..=last).contains(&c))
    }

    /// Writes the class. A bracket stands first, where it does not close, and a hyphen last, where
    /// it makes no range; neither ends a range.
    fn write(&self, to: &mut String) {
        const SPECIAL: [char; 4] = ['!', '-', ']', '^'];
        let special: Vec<char> = SPECIAL.into_iter().filter(|&c| self.has(c)).collect();
        let mut plain = Vec::new();
        for &(first, last) in &self.ranges {
            let mut from = Some(first);
            for c in SPECIAL.into_iter().filter(|c| (first..=last).contains(c)) {
                let start = from.expect("special characters stand in their order");
                plain.extend(before(c).filter(|&end| start <= end).map(|end| (start, end)));
                from = after(c);
            }
            plain.extend(from.filter(|&start| start <= last).map(|start| (start, last)));
        }
        if !self.negated && plain.is_empty() && special.iter().all(|c| "!^".contains(*c)) {
            // Neither may stand first in brackets.
            let escaped: Vec<String> = special.iter().map(|c| format!("\\{c}")).collect();
            to.push_str(&format!("{{{}}}", escaped.join(",")));
            return;
        }
        to.push('[');
        to.extend(self.negated.then_some('!'));
        to.extend(special.contains(&']').then_some(']'));
        // Alone before a caret, a hyphen stands first.
        let hyphen_first = plain.is_empty() && !special.contains(&']');
        to.extend((hyphen_first && special.contains(&'-')).then_some('-'));
        for (first, last) in plain {
            to.extend([first, '-', last]);
        }
        to.extend(special.iter().filter(|c| "!^".contains(**c)));
        to.extend((!hyphen_first && special.contains(&'-')).then_some('-'));
        to.push(']');
    }
}

fn before(c: char) -> Option<char> {
    char::from_u32(c as u32 - 1)
}

fn after(c: char) -> Option<char> {
    char::from_u32(c as u32 + 1)
}

#[cfg(test)]
mod tests {
    use super::translated;
    use ignore::gitignore::GitignoreBuilder;

    /// Whether a line matches a name, judged by the crate.
    fn matches(line: &str, name: &str) -> bool {
        let Some(line) = translated(line) else { return false };
        let mut builder = GitignoreBuilder::new("");
        builder.allow_unclosed_class(false);
        builder.add_line(None, &line).unwrap();
        builder.build().unwrap().matched(name, false).is_ignore()
    }

    #[test]
    fn lines_match_what_git_matches() {
        // As `git ls-files -o -i --exclude-standard` has it, git 2.39.
        for (line, yes, no) in [
            ("{a,b}.c", &["{a,b}.c"][..], &["a.c", "b.c"][..]),
            ("{a", &["{a"], &["a"]),
            ("x{1..3}", &["x{1..3}"], &["x1"]),
            (r"\{a\}", &["{a}"], &["a"]),
            ("a[b", &[], &["a[b", "ab"]),
            ("[[:digit:]]x", &["0x", "9x"], &["ax", ":x", "[x"]),
            ("[^[:alpha:]_]x", &["0x", "-x"], &["ax", "_x"]),
            ("[[:nosuch:]]x", &[], &["nx", ":x"]),
            (r"[\]]x", &["]x"], &["\\x", "x"]),
            (r"[]-]x", &["]x", "-x"], &["ax"]),
            (r"[!]a-]x", &["bx"], &["]x", "ax", "-x"]),
            ("[{}]x", &["{x", "}x"], &["x", "\\x"]),
            (r"[\!]x", &["!x"], &["ax"]),
            (r"[\^!]x", &["^x", "!x"], &["ax"]),
            (r"[-\^]x", &["-x", "^x"], &["ax", "!x"]),
            ("[Z-a]x", &["Zx", "]x", "^x", "`x", "ax"], &["Yx", "bx"]),
            ("[+--]x", &["+x", ",x", "-x"], &[".x"]),
            ("[z-a]x", &["zx"], &["ax", "mx"]),
            ("*.[oa]", &["m.o", "m.a"], &["m.c"]),
        ] {
            for name in yes {
                assert!(matches(line, name), "{line} matches {name}");
            }
            for name in no {
                assert!(!matches(line, name), "{line} does not match {name}");
            }
        }
    }
}
