//! Constructs that a text in Verilog or SystemVerilog may not have.

use super::follow::follow;
use super::refused::Refused;
use super::tokens::Token;
use crate::rtl::Language;

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

pub(super) fn verilog(tokens: &[Token<'_>], emitted: &[Token<'_>]) -> Result<(), Refused> {
    follow(Language::Verilog, tokens, emitted)?;
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
                waits_for_something(token, &tokens[body..])?;
            }
            "always" | "always_ff" if matches!(at(i + 3), "posedge" | "negedge") => {
                let body = i + 3 + tokens[i + 3..].iter().take_while(|t| t.text != ")").count();
                clocked(&tokens[body + 1..])?;
            }
            _ => {}
        }
    }
    Ok(())
}

/// Refuses a block that waits for all that it reads, and reads nothing but what it writes: a
/// simulator never enters it.
fn waits_for_something(always: Token<'_>, tokens: &[Token<'_>]) -> Result<(), Refused> {
    const WORDS: &[&str] = &["begin", "end", "if", "else", "case", "endcase", "default"];
    let body = &tokens[..statement(tokens)];
    let at = |i: usize| body.get(i).map_or("", |token| token.text);
    let is_name = |i: usize| {
        let first = at(i).chars().next().unwrap_or(' ');
        let is_digits = i > 0 && at(i - 1) == "'";
        (first.is_alphabetic() || matches!(first, '_' | '\\'))
            && !is_digits
            && !WORDS.contains(&at(i))
    };
    // A name is written where a statement begins with it.
    let is_written = |i: usize| {
        is_name(i)
            && (i == 0
                || matches!(at(i - 1), ";" | "begin" | "end" | "else" | ")" | ":" | "default"))
    };
    let written: Vec<&str> = (0..body.len()).filter(|&i| is_written(i)).map(at).collect();
    let mut names = (0..body.len()).filter(|&i| is_name(i)).map(at);
    match names.any(|name| !written.contains(&name)) {
        true => Ok(()),
        false => always.refuse("this block reads no signal, and simulators never enter it"),
    }
}

/// Refuses `=` in a block of registers: other blocks that read the register at the same edge see
/// the old or the new value, depending on the simulator.
fn clocked(tokens: &[Token<'_>]) -> Result<(), Refused> {
    let end = statement(tokens);
    match tokens[..end].iter().find(|token| token.text == "=") {
        Some(token) => token.refuse("`=` at the clock's edge is a race in simulation: write `<=`"),
        None => Ok(()),
    }
}

/// The number of tokens of the first statement.
fn statement(tokens: &[Token<'_>]) -> usize {
    let at = |i: usize| tokens.get(i).map_or("", |token| token.text);
    let until = |i: usize, end: &str| {
        let rest = tokens.get(i..).unwrap_or_default();
        i + rest.iter().take_while(|token| token.text != end).count() + 1
    };
    let length = match at(0) {
        "begin" => {
            let mut i = 1;
            while i < tokens.len() && at(i) != "end" {
                i += statement(&tokens[i..]).max(1);
            }
            i + 1
        }
        "if" | "else" | "for" | "while" => {
            let mut i = 1;
            if at(1) == "(" {
                let mut depth = 0;
                while i < tokens.len() {
                    match at(i) {
                        "(" | "(*" => depth += 1,
                        ")" | "*)" => depth -= 1,
                        _ => {}
                    }
                    i += 1;
                    if depth == 0 {
                        break;
                    }
                }
            }
            i += statement(tokens.get(i..).unwrap_or_default());
            if at(0) == "if" && at(i) == "else" {
                i += statement(&tokens[i..]);
            }
            i
        }
        "case" | "casez" | "casex" => until(0, "endcase"),
        "unique" => 1 + statement(tokens.get(1..).unwrap_or_default()),
        _ => until(0, ";"),
    };
    length.min(tokens.len())
}
