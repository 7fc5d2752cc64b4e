//! What a text may not have because simulators and synthesis take it for different things: a proof
//! about what synthesis reads would say nothing about the rest.

use crate::rtl::Language;
use std::collections::BTreeMap;

/// What is refused, and in which line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Refused {
    pub(super) line: usize,
    pub(super) why: String,
}

/// Looks through a text; `emitted` is the one that the generator makes.
pub(super) fn scan(language: Language, text: &str, emitted: &str) -> Result<(), Refused> {
    signs(text)?;
    let (tokens, emitted) = (tokens(language, text)?, self::tokens(language, emitted)?);
    units(language, &tokens, &emitted)?;
    match language {
        Language::Verilog | Language::SystemVerilog => verilog(&tokens, &emitted),
        Language::Vhdl => vhdl(&tokens, &emitted),
    }
}

/// Refuses control characters other than tabs and ends of lines: tools differ about which of them end
/// a comment.
fn signs(text: &str) -> Result<(), Refused> {
    let mut line = 1;
    let mut characters = text.chars().peekable();
    while let Some(c) = characters.next() {
        let is_end = c == '\r' && characters.peek() == Some(&'\n');
        if c.is_control() && !matches!(c, '\t' | '\n') && !is_end {
            let why = format!("the control character {c:?}, which ends a comment for some tools");
            return Err(Refused { line, why });
        }
        line += usize::from(c == '\n');
    }
    Ok(())
}

/// Words that begin what a file consists of.
const UNITS: &[&str] =
    &["module", "macromodule", "interface", "entity", "architecture", "component", "block"];

/// Refuses other modules than the core's, which synthesis drops where nothing uses them, and its ports
/// in another order, which exchanges them where an instance names none.
fn units(language: Language, tokens: &[Token<'_>], emitted: &[Token<'_>]) -> Result<(), Refused> {
    let begins = |token: &&Token<'_>| UNITS.iter().any(|word| token.is(language, word));
    let count = |tokens: &[Token<'_>]| tokens.iter().filter(begins).count();
    let is_more = count(tokens) > count(emitted);
    if let Some(token) = tokens.iter().rfind(begins).filter(|_| is_more) {
        return token.refuse(format!("another `{}`, which the core does not have", token.text));
    }
    let (ports, of_core) = (header(language, tokens), header(language, emitted));
    let sorted = |words: &[&str]| {
        let mut words: Vec<String> = words.iter().map(|word| word.to_lowercase()).collect();
        words.sort_unstable();
        words
    };
    let differ = || ports.iter().zip(&of_core).any(|(a, b)| !a.eq_ignore_ascii_case(b));
    if sorted(&ports) == sorted(&of_core) && differ() {
        let first = tokens.first().copied().unwrap_or(Token { text: "", line: 1 });
        return first.refuse("the ports stand in another order than the core's");
    }
    Ok(())
}

/// The words and signs that name the ports.
fn header<'t>(language: Language, tokens: &[Token<'t>]) -> Vec<&'t str> {
    let (begin, end) = match language {
        Language::Verilog | Language::SystemVerilog => ("module", ";"),
        Language::Vhdl => ("entity", "end"),
    };
    let after = tokens.iter().skip_while(|token| !token.is(language, begin));
    after.take_while(|token| !token.is(language, end)).map(|token| token.text).collect()
}

/// Words of Verilog that the generator does not write and a proof does not follow: what they stand
/// for is not the same to simulators, to synthesis and to who instantiates the core.
const NOT_FOLLOWED: &[&str] =
    &["function", "task", "casez", "casex", "parameter", "unique", "generic", "procedure"];

/// Refuses words that the emitted text does not have.
fn follow(language: Language, tokens: &[Token<'_>], emitted: &[Token<'_>]) -> Result<(), Refused> {
    let is_new = |token: &&Token<'_>| {
        NOT_FOLLOWED.iter().any(|word| {
            token.is(language, word) && !emitted.iter().any(|known| known.is(language, word))
        })
    };
    match tokens.iter().find(is_new) {
        Some(token) => token.refuse(format!(
            "`{}`, which the core does not have, and which a proof does not follow",
            token.text
        )),
        None => Ok(()),
    }
}

/// A word or a sign of a text.
#[derive(Clone, Copy, Debug)]
pub(super) struct Token<'t> {
    pub(super) text: &'t str,
    line: usize,
}

impl Token<'_> {
    /// Whether it is a word of the language: VHDL does not tell small letters from capital ones.
    fn is(&self, language: Language, word: &str) -> bool {
        match language {
            Language::Verilog | Language::SystemVerilog => self.text == word,
            Language::Vhdl => self.text.eq_ignore_ascii_case(word),
        }
    }

    pub(super) fn refuse<T>(self, why: impl Into<String>) -> Result<T, Refused> {
        Err(Refused { line: self.line, why: why.into() })
    }
}

/// What comments begin with that tools obey.
const ORDERS: &[&str] =
    &["synopsys", "synthesis", "pragma", "rtl_synthesis", "altera", "ambit", "exemplar"];

/// What comments contain that switch tools off and on, whatever they begin with.
const SWITCHES: &[&str] = &["translate_off", "translate_on", "synthesis_off", "synthesis_on"];

/// Words and signs, without comments and strings.
pub(super) fn tokens(language: Language, text: &str) -> Result<Vec<Token<'_>>, Refused> {
    let is_vhdl = language == Language::Vhdl;
    let mut tokens = Vec::new();
    let (mut rest, mut line) = (text, 1);
    while let Some(c) = rest.chars().next() {
        let is_comment = match is_vhdl {
            true => rest.starts_with("--"),
            false => rest.starts_with("//"),
        };
        let is_word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$');
        let length = if is_comment {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            rest.find("*/").map_or(rest.len(), |end| end + 2)
        } else if c == '"' {
            rest[1..].find('"').map_or(rest.len(), |end| end + 2)
        } else if c == '\'' && is_character(rest, tokens.last().copied()) {
            3
        } else if c == '\\' {
            // An identifier of any signs.
            let ends = |c: char| if is_vhdl { c == '\\' } else { c.is_whitespace() };
            rest[1..].find(ends).map_or(rest.len(), |end| end + 1 + usize::from(is_vhdl))
        } else if c == '`' || is_word(c) {
            let word = &rest[c.len_utf8()..];
            word.find(|c| !is_word(c)).map_or(rest.len(), |end| end + c.len_utf8())
        } else {
            let signs = ["<=", ">=", "==", "!=", "=>", "(*", "*)", "/=", ":="];
            signs.iter().find(|sign| rest.starts_with(**sign)).map_or(c.len_utf8(), |s| s.len())
        };
        let (word, after) = rest.split_at(length);
        let token = Token { text: word, line };
        if is_comment || rest.starts_with("/*") {
            let said = word.trim_start_matches(['-', '/', '*', ' ', '\t']).to_lowercase();
            let names_one = |order: &&str| said.contains(*order);
            if ORDERS.iter().any(|order| said.starts_with(order)) || SWITCHES.iter().any(names_one)
            {
                return token.refuse(format!(
                    "the comment {:?} is an order to tools, some of which obey it",
                    word.lines().next().unwrap_or(word)
                ));
            }
        } else if !word.is_ascii() {
            return token.refuse("a character beyond ASCII, which tools read in different ways");
        } else if !c.is_whitespace() {
            tokens.push(token);
        }
        line += word.matches('\n').count();
        rest = after;
    }
    Ok(tokens)
}

/// Whether a text begins with a character in quotes, and not with the quote of an attribute or of a
/// qualified expression, which follows a name.
fn is_character(text: &str, before: Option<Token<'_>>) -> bool {
    let after_name = before.is_some_and(|token| {
        token
            .text
            .ends_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | ')' | ']' | '"' | '\\'))
    });
    !after_name && text.as_bytes().get(2) == Some(&b'\'')
}

/// Attributes that say how something is built, and not what it is.
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

/// Words of Verilog that only simulators take for what they are.
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

fn verilog(tokens: &[Token<'_>], emitted: &[Token<'_>]) -> Result<(), Refused> {
    follow(Language::Verilog, tokens, emitted)?;
    for (i, &token) in tokens.iter().enumerate() {
        let at = |i: usize| tokens.get(i).map_or("", |token| token.text);
        match token.text {
            "`timescale" | "`default_nettype" => {}
            text if text.starts_with('`') => {
                return token.refuse(format!(
                    "the directive {text} makes the text another one for other tools; write what it \
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
                        "simulators wait for the signals of this list alone, and synthesis for all: \
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

/// Refuses a block that waits for all that it reads, and reads nothing but what it writes: a simulator
/// never enters it.
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

/// Refuses `=` in a block of registers: others that read the register at the same edge see the value
/// before or after it, as the simulator likes.
fn clocked(tokens: &[Token<'_>]) -> Result<(), Refused> {
    let end = statement(tokens);
    match tokens[..end].iter().find(|token| token.text == "=") {
        Some(token) => token.refuse("`=` at the clock's edge is a race in simulation: write `<=`"),
        None => Ok(()),
    }
}

/// How many tokens the first statement has.
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

/// Words of VHDL that only simulators take for what they are.
const ONLY_SIMULATED_VHDL: &[&str] = &[
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

fn vhdl(tokens: &[Token<'_>], emitted: &[Token<'_>]) -> Result<(), Refused> {
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
        if ONLY_SIMULATED_VHDL.contains(&&word[..]) {
            return token
                .refuse(format!("`{word}` means something to simulators that is not hardware"));
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
    // What each process waits for: synthesis takes the signals that it reads.
    let known = waits(emitted);
    for (list, (count, line)) in waits(tokens) {
        let of_core = known.get(&list).map_or(0, |(count, _)| *count);
        if count > of_core && list != "all" {
            let why = format!(
                "{count} processes wait for ({list}), and of the core {of_core}: simulators wait for \
                 these signals alone, and synthesis for all that are read"
            );
            return Err(Refused { line, why });
        }
    }
    Ok(())
}

/// Refuses an edge of another signal than the core's clock, which comes later than the clock in a
/// simulator alone, and one in a process that waits for all signals.
fn edges(tokens: &[Token<'_>], emitted: &[Token<'_>]) -> Result<(), Refused> {
    let is_edge = |token: &Token<'_>| {
        ["rising_edge", "falling_edge"].iter().any(|word| token.is(Language::Vhdl, word))
    };
    let clocks = |tokens: &[Token<'_>]| -> Vec<(usize, String)> {
        let edges = (0..tokens.len()).filter(|&i| is_edge(&tokens[i]));
        edges
            .map(|i| (i, tokens.get(i + 2).map_or(String::new(), |t| t.text.to_lowercase())))
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

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(language: Language, text: &str) -> Option<usize> {
        let emitted = "process (clk) begin if rising_edge(clk) then c <= d; end if; end process;";
        scan(language, text, emitted).err().map(|refused| refused.line)
    }

    #[test]
    fn what_tools_differ_about_is_refused() {
        for text in [
            "`ifdef YOSYS\n",
            "`include \"x.v\"\n",
            "initial a = 0;",
            "assign #1 a = b;",
            "always @(a) b = a;",
            "// synopsys translate_off",
            "/* synthesis off */",
            "(* full_case *) case (a) endcase",
            "always @(posedge clk) if (a) b = c; else d <= e;",
            "always @(posedge clk) begin\n if (a) begin x <= y; end else z = y; end",
            "assign a = $random;",
            "wand a;",
            "assign é = \"\\\" ; /* \";",
            "wire \\zz\u{a0}/* ;\nassign a = b; // */",
            "// a\rassign b = c;",
            "function f; input x; f = x ^ y; endfunction",
            "task t; begin a = b; end endtask",
            "always @* a = 1'b0;",
            "always @* begin a = 1'b0; b = a; end",
            "module a; endmodule",
            "parameter Z = 0;",
            "casez (a) endcase",
            "(* \\full_case *) case (a) endcase",
            "// xilinx translate_off",
        ] {
            assert!(refused(Language::Verilog, text).is_some(), "{text}");
        }
        for text in [
            "always @* case (a) 2'd1: b = c; default: b = d; endcase",
            "always @(*) b = c;\nalways @(posedge clk or posedge rst) begin if (a == b) c <= d; end",
            "// initial\n (* no_rw_check *) reg [1:0] a [0:3]; // synthesizable",
            "always @(posedge clk)\n  if (x) a[b] <= c;\nassign d = e;",
        ] {
            let text = text.replace("// synthesizable", "");
            assert_eq!(refused(Language::Verilog, &text), None, "{text}");
        }
        for text in [
            "a <= b after 1 ns;",
            "-- pragma translate_off",
            "process (a) begin end process;",
            "process (clk) begin end process;\nprocess (clk) begin end process;",
            "use work.evil.all;",
            "signal a : std_logic := '0';",
            "a <= character'pos('\"'); b <= c after 1 ns; -- \"",
            "-- x\r a <= b;",
            "-- x\x0c a <= b;",
            "process (all) begin if rising_edge(clk) then a <= b; end if; end process;",
            "process (clk) begin if rising_edge(clk3) then a <= b; end if; end process;",
            "ENTITY a is end;",
            "generic (z : natural := 0);",
        ] {
            assert!(refused(Language::Vhdl, text).is_some(), "{text}");
        }
        let text = "use ieee.numeric_std.all;\nprocess (clk) begin end process; -- after";
        assert_eq!(refused(Language::Vhdl, text), None);
    }
}
