//! The clock of a text. In simulators, but not in synthesis, a copy of the clock has its edge after
//! the clock's, so that registers on the copy may take other registers' next values.

use super::refused::Refused;
use super::tokens::Token;
use crate::rtl::Language;

/// Refuses a clock that is read elsewhere than the emitted text reads one: at edges, in sensitivity
/// lists, and at the ports of modules.
pub(super) fn clock(
    language: Language,
    tokens: &[Token<'_>],
    emitted: &[Token<'_>],
) -> Result<(), Refused> {
    let is_vhdl = language == Language::Vhdl;
    let clocks = of_edges(is_vhdl, emitted);
    let header = header_end(language, tokens);
    for (at, token) in tokens.iter().enumerate().skip(header) {
        let name = lower(is_vhdl, token.text);
        if clocks.contains(&name) && !is_usual(is_vhdl, tokens, at) {
            return token.refuse(format!(
                "`{name}` is read elsewhere than at an edge: in simulators a copy of the clock \
                 comes later"
            ));
        }
    }
    Ok(())
}

fn lower(is_vhdl: bool, text: &str) -> String {
    if is_vhdl { text.to_lowercase() } else { text.trim_start_matches('\\').to_string() }
}

/// The signals at whose edges a text acts, without the asynchronous reset of Verilog.
fn of_edges(is_vhdl: bool, tokens: &[Token<'_>]) -> Vec<String> {
    let at = |i: usize| tokens.get(i).map_or("", |token| token.text);
    let edges = (0..tokens.len()).filter(|&i| match is_vhdl {
        true => is_edge_of_vhdl(at(i)),
        false => matches!(at(i), "posedge" | "negedge") && i >= 2 && at(i - 2) == "@",
    });
    edges.map(|i| lower(is_vhdl, at(i + 1 + usize::from(is_vhdl)))).collect()
}

fn is_edge_of_vhdl(text: &str) -> bool {
    ["rising_edge", "falling_edge"].iter().any(|word| text.eq_ignore_ascii_case(word))
}

/// The place behind the ports of the module; 0 if the text has no module.
fn header_end(language: Language, tokens: &[Token<'_>]) -> usize {
    let (begin, end) = match language {
        Language::Vhdl => ("entity", "architecture"),
        Language::Verilog | Language::SystemVerilog => ("module", ";"),
    };
    match tokens.iter().position(|token| token.is(language, begin)) {
        Some(at) => at + tokens[at..].iter().take_while(|token| !token.is(language, end)).count(),
        None => 0,
    }
}

fn is_usual(is_vhdl: bool, tokens: &[Token<'_>], at: usize) -> bool {
    let text = |i: Option<usize>| i.and_then(|i| tokens.get(i)).map_or("", |token| token.text);
    let before = |n: usize| text(at.checked_sub(n));
    let is = |n: usize, word: &str| before(n).eq_ignore_ascii_case(word);
    // The innermost bracket in which the name stands.
    let opened = || {
        let mut depth = 0_usize;
        (0..at).rev().find(|&i| {
            match text(Some(i)) {
                ")" => depth += 1,
                "(" if depth == 0 => return true,
                "(" => depth -= 1,
                _ => {}
            }
            false
        })
    };
    let bracket = opened();
    let of_bracket = |n: usize| text(bracket.and_then(|i| i.checked_sub(n)));
    match is_vhdl {
        true => {
            let next = text(Some(at + 1));
            let has_event = is(1, "and") && is(2, "event");
            let is_port_map = of_bracket(1).eq_ignore_ascii_case("map");
            is_edge_of_vhdl(of_bracket(1))
                || of_bracket(1).eq_ignore_ascii_case("process")
                || (is_port_map && (next == "=>" || is(1, "=>")))
                || (next == "'" && text(Some(at + 2)).eq_ignore_ascii_case("event"))
                || (has_event && next == "=")
        }
        false => {
            let is_edge = matches!(before(1), "posedge" | "negedge")
                || (before(1) == "(" && matches!(before(2), "posedge" | "negedge"));
            let is_port = before(1) == "." && matches!(before(2), "(" | ",");
            let is_connected = of_bracket(2) == "." && !of_bracket(1).is_empty();
            is_edge || is_port || is_connected
        }
    }
}
