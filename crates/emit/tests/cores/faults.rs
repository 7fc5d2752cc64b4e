//! Faults in the text of hardware, at random places, such as a typing error or a faulty tool might
//! make.
//!
//! Each kind of fault changes the meaning. Kinds that may keep it (exchanged operands, `|` for `^`
//! between words that share no bit) are left out.

use manylane_emit::rtl::Language;

/// Random numbers, the same in every run.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    /// A random number below `n`.
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

/// Another digit in a number that is no part of a name. A number of another width, or one that is
/// cut to the same bits, may be the same again.
fn digit(line: &str, random: &mut Random) -> Option<String> {
    // A wire may be wider than it has to be.
    if ["wire", "logic"].iter().any(|kind| line.trim_start().starts_with(kind)) {
        return None;
    }
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '\'' | '"');
    let mut places = Vec::new();
    let mut begin = 0;
    for part in line.split_inclusive(|c| !is_part(c)) {
        let number = part.trim_end_matches(|c| !is_part(c));
        // A slice that is longer at its upper end may be cut to the same bits.
        let number = if part.ends_with(':') { "" } else { number };
        places.extend(digits(number).into_iter().map(|(at, base)| (begin + at, base)));
        begin += part.len();
    }
    let &(at, base) = random.one_of(&places)?;
    let old = (line.as_bytes()[at] - b'0') as usize;
    let new = if base == 2 { old ^ 1 } else { (old + 1 + random.below(base - 1)) % base };
    Some(format!("{}{new}{}", &line[..at], &line[at + 1..]))
}

/// Where a number may have another digit, and below what.
fn digits(number: &str) -> Vec<(usize, usize)> {
    let is_digit = |(_, c): &(usize, char)| c.is_ascii_digit();
    let quote = number.find(['\'', '"']);
    let Some(quote) = quote else {
        let is_number = !number.is_empty() && number.chars().all(|c| c.is_ascii_digit());
        return if is_number { (0..number.len()).map(|at| (at, 10)).collect() } else { Vec::new() };
    };
    let (before, value) = number.split_at(quote);
    let all = value.char_indices().filter(is_digit).map(|(at, _)| quote + at);
    let size: Option<usize> = before.trim_end_matches(|c: char| c.is_alphabetic()).parse().ok();
    let is_hex = before == "x" || value.starts_with("'h");
    match size {
        Some(bits) if !(is_hex && bits % 4 == 0) => {
            all.max().map(|at| (at, 2)).into_iter().collect()
        }
        _ if is_hex => all.map(|at| (at, 10)).collect(),
        // Bits: VHDL's "0110" and '0'.
        _ if before.is_empty() => all.map(|at| (at, 2)).collect(),
        _ => Vec::new(),
    }
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
    // The neighbour in the list of declarations, if it is as wide. Bits may imply one another, so
    // that an exchange makes no difference.
    let width = |line: &str| match line.split_once(" : ") {
        Some((_, of_vhdl)) => Some(of_vhdl.to_owned()).filter(|of| !of.starts_with("std_logic;")),
        None => Some(line.split_once('[')?.1.split_once(']')?.0.to_owned()),
    };
    let own_width = width(declarations[own])?;
    let other =
        declarations.get(own + 1).filter(|line| width(line).as_ref() == Some(&own_width))?;
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
