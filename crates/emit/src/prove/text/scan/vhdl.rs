//! Constructs that a text in VHDL may not have.

use super::follow::follow;
use super::refused::Refused;
use super::tokens::Token;
use crate::rtl::Language;
use std::collections::BTreeMap;

/// Words of VHDL that have an effect in simulators only.
const ONLY_SIMULATED: &[&str] = &[
    "after",
    "wait",
    "transport",
    "reject",
    "force",
    "release",
    "guarded",
    "disconnect",
    "shared",
    "file",
    "assert",
    "report",
    "package",
    "postponed",
    "real",
    "time",
    "protected",
    "access",
    "configuration",
    "context",
];

/// The libraries' parts that a core uses.
const LIBRARIES: &[&str] = &["std_logic_1164", "numeric_std"];

/// Refuses the first construct that simulators and synthesis may read in different ways.
pub(super) fn vhdl(tokens: &[Token<'_>], emitted: &[Token<'_>]) -> Result<(), Refused> {
    follow(Language::Vhdl, tokens, emitted)?;
    edges(tokens, emitted)?;
    for (i, &token) in tokens.iter().enumerate() {
        let word = token.text.to_lowercase();
        let at = |i: usize| tokens.get(i).map_or(String::new(), |token| token.text.to_lowercase());
        if word.starts_with('`') {
            return token.refuse(format!(
                "the directive {word} makes the text another one for other tools"
            ));
        }
        if ONLY_SIMULATED.contains(&&word[..]) {
            return token
                .refuse(format!("`{word}` means something to simulators that is not hardware"));
        }
        if let Some(sign) = weak(token.text) {
            return token.refuse(format!(
                "the value '{sign}' is neither '0' nor '1' to simulators, and one of them to \
                 synthesis"
            ));
        }
        let is_attribute = i > 0 && tokens[i - 1].text == "'";
        if is_attribute && matches!(&word[..], "val" | "succ" | "pred" | "leftof" | "rightof") {
            return token.refuse(format!(
                "the attribute `{word}`, which the core does not have, and which a proof does not \
                 follow"
            ));
        }
        if word == "signal" {
            let declaration = tokens[i..].iter().take_while(|token| token.text != ";");
            if declaration.clone().any(|token| token.text == ":=") {
                let name = at(i + 1);
                return token.refuse(format!(
                    "`{name}` has a value before the first clock, which the core does not give it"
                ));
            }
        }
        if word == "use" && (at(i + 1) != "ieee" || !LIBRARIES.contains(&&at(i + 3)[..])) {
            return token.refuse(format!(
                "uses {}.{}, which may give operators another meaning",
                at(i + 1),
                at(i + 3)
            ));
        }
    }
    // Compares the sensitivity lists, because synthesis ignores them and takes the signals that a
    // process reads.
    let known = waits(emitted);
    for (list, (count, line)) in waits(tokens) {
        let of_core = known.get(&list).map_or(0, |(count, _)| *count);
        if count > of_core && list != "all" {
            let why = format!(
                "{count} processes wait for ({list}), and of the core {of_core}: simulators wait \
                 for \
                 these signals alone, and synthesis for all that are read"
            );
            return Err(Refused { line, why });
        }
    }
    Ok(())
}

/// A weak value in a character or a string. In simulators, `=` and `case` tell it from the strong
/// value.
fn weak(text: &str) -> Option<char> {
    let is_literal = text.starts_with('"') || (text.starts_with('\'') && text.len() == 3);
    text.chars().find(|c| is_literal && matches!(c, 'H' | 'L' | 'W'))
}

/// Refuses an edge of another signal than the core's clock, which comes later than the clock in a
/// simulator alone, and one in a process that waits for all signals.
fn edges(tokens: &[Token<'_>], emitted: &[Token<'_>]) -> Result<(), Refused> {
    let is = |tokens: &[Token<'_>], i: usize, word: &str| {
        tokens.get(i).is_some_and(|token| token.is(Language::Vhdl, word))
    };
    // `rising_edge(clk)`, or `clk'event`: the place of the signal.
    let signal = |tokens: &[Token<'_>], i: usize| {
        let is_function = is(tokens, i, "rising_edge") || is(tokens, i, "falling_edge");
        let is_event = is(tokens, i, "event") && i >= 2 && is(tokens, i - 1, "'");
        if is_function { Some(i + 2) } else { is_event.then(|| i - 2) }
    };
    let clocks = |tokens: &[Token<'_>]| -> Vec<(usize, String)> {
        let edges = (0..tokens.len()).filter_map(|i| Some((i, signal(tokens, i)?)));
        edges
            .map(|(i, at)| (i, tokens.get(at).map_or(String::new(), |t| t.text.to_lowercase())))
            .collect()
    };
    let known = clocks(emitted);
    for (at, clock) in clocks(tokens) {
        let token = tokens[at];
        if !known.iter().any(|(_, known)| *known == clock) {
            return token.refuse(format!("an edge of {clock}, which is no clock of the core"));
        }
        let process = tokens[..at].iter().rposition(|token| token.is(Language::Vhdl, "process"));
        let waits_for_all = process.is_some_and(|process| {
            tokens.get(process + 2).is_some_and(|token| token.is(Language::Vhdl, "all"))
        });
        if waits_for_all {
            return token
                .refuse("an edge in a process that waits for all signals: name the clock alone");
        }
    }
    Ok(())
}

/// The sensitivity lists of a text: how many processes have each, and the line of the last one.
fn waits(tokens: &[Token<'_>]) -> BTreeMap<String, (usize, usize)> {
    let mut lists = BTreeMap::new();
    for (i, token) in tokens.iter().enumerate() {
        let is_end = i > 0 && tokens[i - 1].text.eq_ignore_ascii_case("end");
        if !token.text.eq_ignore_ascii_case("process") || is_end {
            continue;
        }
        let list = match tokens.get(i + 1) {
            Some(token) if token.text == "(" => {
                let names = tokens[i + 2..].iter().take_while(|token| token.text != ")");
                let mut names: Vec<String> = names
                    .filter(|token| token.text != ",")
                    .map(|token| token.text.to_lowercase())
                    .collect();
                names.sort();
                names.join(", ")
            }
            _ => String::new(),
        };
        let (count, line) = lists.entry(list).or_insert((0, 0));
        *count += 1;
        *line = token.line;
    }
    lists
}
