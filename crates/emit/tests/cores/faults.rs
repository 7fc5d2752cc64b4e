//! Faults in the text of hardware, at random places: what a slip of the hand or of a tool makes of it.
//!
//! Each is another text by its kind: what may be the same again (operands that are exchanged, `|` for
//! `^` between words that share no bit) is not among them.

use manylane_emit::rtl::Language;

/// Random numbers, the same in every run.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    /// Below `n`.
    fn below(&mut self, n: usize) -> usize {
        // Marsaglia's xorshift64.
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 16) as usize % n
    }

    fn one_of<'t, T>(&mut self, all: &'t [T]) -> Option<&'t T> {
        if all.is_empty() { None } else { all.get(self.below(all.len())) }
    }
}

/// A text with a fault in it, and what was done.
pub struct Fault {
    pub text: String,
    pub what: String,
}

/// Pieces of text, and what takes their place.
const VERILOG: &[(&str, &[&str])] = &[
    (" + ", &[" - ", " ^ "]),
    (" - ", &[" + "]),
    (" ^ ", &[" | ", " & "]),
    (" & ", &[" | ", " ^ "]),
    (" | ", &[" & "]),
    (" == ", &[" != "]),
    (" >= ", &[" < "]),
    (" << ", &[" >> "]),
    (" && ", &[" || "]),
    ("posedge clk", &["negedge clk"]),
    ("if (", &["if (!"]),
    ("~", &[""]),
    (" ? ", &[" ? ~"]),
];

const VHDL: &[(&str, &[&str])] = &[
    (" + ", &[" - ", " xor "]),
    (" - ", &[" + "]),
    (" xor ", &[" or ", " and "]),
    (" and ", &[" or ", " xor "]),
    (" or ", &[" and "]),
    (" when clk", &[" when not clk"]),
    ("rotate_left(", &["rotate_right(", "shift_left("]),
    ("rotate_right(", &["rotate_left(", "shift_right("]),
    ("shift_left(", &["shift_right("]),
    ("shift_right(", &["shift_left("]),
    ("rising_edge", &["falling_edge"]),
    (" = '1'", &[" = '0'"]),
    ("not ", &[""]),
];

/// Puts a fault into a text, in a line of its logic.
pub fn plant(language: Language, text: &str, random: &mut Random) -> Fault {
    let lines: Vec<&str> = text.lines().collect();
    loop {
        let number = random.below(lines.len());
        let line = lines[number];
        let comment = if language == Language::Vhdl { "--" } else { "//" };
        if line.trim().is_empty() || line.trim().starts_with(comment) {
            continue;
        }
        let changed = match random.below(6) {
            0 => digit(line, random),
            1 => name(line, &lines, random),
            2 => term(line, random),
            3 => without(line, number, &lines),
            _ => operator(language, line, random),
        };
        let Some(changed) = changed.filter(|changed| changed != line) else { continue };
        let mut faulty = lines.clone();
        faulty[number] = &changed;
        let what = format!("line {}: {} -> {}", number + 1, line.trim(), changed.trim());
        return Fault { text: faulty.join("\n") + "\n", what };
    }
}

fn operator(language: Language, line: &str, random: &mut Random) -> Option<String> {
    let table = if language == Language::Vhdl { VHDL } else { VERILOG };
    let fitting: Vec<_> = table.iter().filter(|(piece, _)| line.contains(piece)).collect();
    let (piece, others) = random.one_of(&fitting)?;
    let places: Vec<usize> = line.match_indices(piece).map(|(at, _)| at).collect();
    let at = *random.one_of(&places)?;
    let other = random.one_of(others)?;
    Some(format!("{}{other}{}", &line[..at], &line[at + piece.len()..]))
}

/// Another digit in a number that is no part of a name.
fn digit(line: &str, random: &mut Random) -> Option<String> {
    let bytes = line.as_bytes();
    let begins = |at: usize| {
        !at.checked_sub(1).is_some_and(|i| bytes[i].is_ascii_alphanumeric() || bytes[i] == b'_')
    };
    // From where a number begins to its end: 32'h0123abcd, x"0123abcd", 31.
    let in_number = |at: usize| {
        let mut begin = at;
        while begin > 0
            && (bytes[begin - 1].is_ascii_alphanumeric()
                || matches!(bytes[begin - 1], b'\'' | b'"' | b'_'))
        {
            begin -= 1;
        }
        let is_number = bytes[begin].is_ascii_digit()
            || line[begin..].starts_with("x\"")
            || bytes[begin] == b'"';
        begins(begin) && is_number && bytes[at].is_ascii_digit()
    };
    let places: Vec<usize> = (0..bytes.len()).filter(|&at| in_number(at)).collect();
    let at = *random.one_of(&places)?;
    let old = (bytes[at] - b'0') as usize;
    // Digits of bits stay digits of bits.
    let base = if line[..at].ends_with("'b") || line[..at].ends_with('\'') { 2 } else { 10 };
    let new = (old + 1 + random.below(base - 1)) % base;
    Some(format!("{}{new}{}", &line[..at], &line[at + 1..]))
}

/// Another signal of the same kind, such as `s0_w3` for `s0_w4`, where a value is read.
fn name(line: &str, lines: &[&str], random: &mut Random) -> Option<String> {
    let from = line.find(" = ").map(|at| at + 3).or_else(|| line.find("<= ").map(|at| at + 3))?;
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let words = line[from..].split(|c| !is_word(c)).filter(|word| word.len() > 1);
    let words: Vec<&str> = words.filter(|word| word.starts_with(char::is_alphabetic)).collect();
    let word = *random.one_of(&words)?;
    let declared = |line: &&&str| {
        let first = line.split_whitespace().next();
        matches!(first, Some("wire" | "reg" | "logic" | "signal"))
    };
    let declarations: Vec<&&str> = lines.iter().filter(declared).collect();
    let named = |line: &&&str, name: &str| line.split(|c| !is_word(c)).any(|word| word == name);
    let own = declarations.iter().position(|line| named(line, word))?;
    // The neighbour in the list of declarations, if it is as wide.
    let kind = |line: &str| {
        line.replace("reg ", "wire")
            .split_once('[')
            .map(|(_, rest)| rest.split(']').next().map(str::to_owned))
    };
    let other = declarations.get(own + 1).filter(|line| kind(line) == kind(declarations[own]))?;
    let other = other.trim_end_matches(';');
    let other = match other.trim_start().starts_with("signal") {
        true => other.split_whitespace().nth(1)?,
        false => other.split_whitespace().last()?,
    };
    let at = from + line[from..].find(word)?;
    Some(format!("{}{other}{}", &line[..at], &line[at + word.len()..]))
}

/// A sum or combination without its last term.
fn term(line: &str, random: &mut Random) -> Option<String> {
    let operators = [" + ", " ^ ", " & ", " | ", " xor ", " and ", " or "];
    let fitting: Vec<_> = operators.iter().filter(|operator| line.contains(**operator)).collect();
    let operator = random.one_of(&fitting)?;
    let at = line.rfind(**operator)?;
    // Brackets stay closed.
    let end = line[at..].find([')', ';'])? + at;
    Some(format!("{}{}", &line[..at], &line[end..]))
}

/// A register that does not take its value, if it takes one in another line too.
fn without(line: &str, number: usize, lines: &[&str]) -> Option<String> {
    let (name, _) = line.split_once(" <= ")?;
    let name = name.trim();
    let is_assignment = line.starts_with("      ") && line.ends_with(';') && !name.contains(' ');
    let elsewhere = lines
        .iter()
        .enumerate()
        .any(|(i, other)| i != number && other.trim().starts_with(&format!("{name} <= ")));
    (is_assignment && elsewhere).then(String::new)
}
