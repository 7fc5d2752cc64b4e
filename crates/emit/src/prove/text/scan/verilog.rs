//! Constructs that a text in Verilog or SystemVerilog may not have.

use super::follow::follow;
use super::order::{Order, constants, is_blocking};
use super::refused::Refused;
use super::statement::statement;
use super::tokens::Token;
use crate::rtl::Language;
use std::collections::BTreeSet;

/// Attributes that change how something is built, not what it computes.
const PHYSICAL: &[&str] = &[
    "keep",
    "keep_hierarchy",
    "no_rw_check",
    "ram_style",
    "rom_style",
    "dont_touch",
    "mark_debug",
    "shreg_extract",
    "max_fanout",
    "src",
    "syn_keep",
    "syn_preserve",
    "syn_ramstyle",
    "preserve",
    "ramstyle",
    "loc",
    "async_reg",
];

/// Words of Verilog that have an effect in simulators only.
const ONLY_SIMULATED: &[&str] = &[
    "initial",
    "final",
    "force",
    "release",
    "deassign",
    "specify",
    "specparam",
    "fork",
    "wait",
    "disable",
    "event",
    "primitive",
    "program",
    "bind",
    "defparam",
    "wand",
    "wor",
    "triand",
    "trior",
    "tri0",
    "tri1",
    "trireg",
    "supply0",
    "supply1",
    "strong0",
    "strong1",
    "pull0",
    "pull1",
    "weak0",
    "weak1",
    "highz0",
    "highz1",
    "pullup",
    "pulldown",
    "real",
    "realtime",
    "assert",
    "assume",
    "cover",
    "restrict",
    "expect",
    "alias",
    "priority",
    "unique0",
];

/// Refuses the first construct that simulators and synthesis may read in different ways.
pub(super) fn verilog(tokens: &[Token<'_>], emitted: &[Token<'_>]) -> Result<(), Refused> {
    follow(Language::Verilog, tokens, emitted)?;
    edges(tokens, emitted)?;
    let constants = constants(tokens);
    for (i, &token) in tokens.iter().enumerate() {
        let at = |i: usize| tokens.get(i).map_or("", |token| token.text);
        match token.text {
            "`timescale" | "`default_nettype" => {}
            text if text.starts_with('`') => {
                return token.refuse(format!(
                    "the directive {text} makes the text another one for other tools; write what \
                     it \
                     stands for"
                ));
            }
            "$signed" | "$unsigned" | "$clog2" | "$bits" => {}
            text if text.starts_with('$') => {
                return token.refuse(format!("`{text}` is done by simulators alone"));
            }
            text if ONLY_SIMULATED.contains(&text) => {
                return token.refuse(format!(
                    "`{text}` means something to simulators that is not hardware"
                ));
            }
            "(*" if at(i + 1) != ")" => {
                let words = tokens[i + 1..].iter().take_while(|token| token.text != "*)");
                let is_name = |c: char| c.is_alphabetic() || matches!(c, '_' | '\\');
                let names = words.filter(|token| token.text.starts_with(is_name));
                for name in names {
                    if !PHYSICAL.contains(&name.text.trim_start_matches('\\')) {
                        return name.refuse(format!(
                            "the attribute `{}` may change what tools take the text for",
                            name.text
                        ));
                    }
                }
            }
            text if text.starts_with('"') => {
                return token.refuse("a string, which the core does not have");
            }
            "#" => return token.refuse("a delay or a parameter, which the core does not have"),
            "@" => {
                let is_edge = matches!(at(i + 2), "posedge" | "negedge");
                let is_all = at(i + 1) == "*" || (at(i + 1) == "(*" && at(i + 2) == ")");
                if !(is_all || at(i + 1) == "(" && is_edge) {
                    return token.refuse(
                        "simulators wait for the signals of this list alone, and synthesis for \
                         all: \
                         write @*",
                    );
                }
            }
            "always" if at(i + 1) != "@" => {
                return token.refuse("`always` without what it waits for");
            }
            "always" if matches!(at(i + 2), "*" | "(*") || at(i + 2) == "(" && at(i + 3) == "*" => {
                let body =
                    i + 3 + tokens[i + 3..].iter().take_while(|t| ")*".contains(t.text)).count();
                combinational(token, tokens, body, &constants)?;
            }
            "always_comb" => combinational(token, tokens, i + 1, &constants)?,
            "always" | "always_ff" if matches!(at(i + 3), "posedge" | "negedge") => {
                clocked(tokens, behind_bracket(tokens, i + 2))?;
            }
            _ => declared(tokens, i)?,
        }
    }
    Ok(())
}

/// Refuses an edge of a signal that is no port: a copy of the clock comes later than the clock in
/// simulators alone.
fn edges(tokens: &[Token<'_>], emitted: &[Token<'_>]) -> Result<(), Refused> {
    let edges = |tokens: &[Token<'_>]| {
        let at = |i: usize| tokens.get(i).map_or("", |token| token.text);
        (0..tokens.len())
            .filter(|&i| matches!(at(i), "posedge" | "negedge"))
            .map(|i| if at(i + 1) == "(" { i + 2 } else { i + 1 })
            .collect::<Vec<_>>()
    };
    let name = |token: &Token<'_>| token.text.trim_start_matches('\\').to_string();
    let mut known: Vec<String> =
        edges(emitted).iter().filter_map(|&i| emitted.get(i)).map(name).collect();
    let header = emitted.iter().take_while(|token| token.text != ";");
    known.extend(header.map(name));
    for token in edges(tokens).into_iter().filter_map(|i| tokens.get(i)) {
        if !known.contains(&name(token)) {
            return token
                .refuse(format!("an edge of {}, which is no clock of the core", token.text));
        }
    }
    Ok(())
}

/// The place behind the bracket that begins at a place.
fn behind_bracket(tokens: &[Token<'_>], at: usize) -> usize {
    let mut depth = 0_usize;
    let open = tokens[at..].iter().take_while(|token| {
        match token.text {
            "(" => depth += 1,
            ")" => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth > 0
    });
    (at + open.count() + 1).min(tokens.len())
}

/// Refuses a block that waits for all that it reads, and reads nothing but constants and what it
/// writes: a simulator never enters it. Also refuses one that reads what it writes later.
fn combinational(
    always: Token<'_>,
    tokens: &[Token<'_>],
    at: usize,
    constants: &BTreeSet<&str>,
) -> Result<(), Refused> {
    let (block, _) = statement(tokens, at)?;
    let is_comb = always.text == "always_comb";
    let order = Order::of(tokens, constants, &block, is_comb);
    if !is_comb && !order.reads_another() {
        return always.refuse("this block reads no signal, and simulators never enter it");
    }
    order.check()
}

/// Refuses `=` in a block of registers: other blocks that read the register at the same edge see
/// the old or the new value, depending on the simulator.
fn clocked(tokens: &[Token<'_>], at: usize) -> Result<(), Refused> {
    let (_, end) = statement(tokens, at)?;
    match tokens[at..end].iter().find(|token| is_blocking(token.text)) {
        Some(token) => token.refuse(format!(
            "`{}` at the clock's edge is a race in simulation: write `<=`",
            token.text
        )),
        None => Ok(()),
    }
}

/// Refuses a variable that is declared with a value, which it has once in simulators and for ever
/// in synthesis; the value of a constant or of a wire is another matter.
fn declared(tokens: &[Token<'_>], at: usize) -> Result<(), Refused> {
    const VARIABLES: &[&str] = &["reg", "logic", "bit", "integer", "int", "var", "byte"];
    const OTHERS: &[&str] = &["localparam", "parameter", "wire", "tri", "enum", "typedef", "for"];
    let text = |i: usize| tokens.get(i).map_or("", |token| token.text);
    let before = tokens[..at].iter().rev().take_while(|token| token.text != ";").take(3);
    if !VARIABLES.contains(&text(at)) || before.clone().any(|token| OTHERS.contains(&token.text)) {
        return Ok(());
    }
    let (mut depth, mut name) = (0_usize, "");
    for token in &tokens[at + 1..] {
        match token.text {
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" if depth > 0 => depth -= 1,
            ";" | ")" => break,
            "=" if depth == 0 => {
                return token.refuse(format!(
                    "`{name}` has a value before the first clock, which the core does not give it"
                ));
            }
            text if depth == 0 => name = text,
            _ => {}
        }
    }
    Ok(())
}
