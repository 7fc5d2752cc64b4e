//! Refuses constructs that simulators and synthesis read differently. A proof of the text as
//! synthesis reads it would say nothing about simulation.

mod follow;
mod refused;
mod tokens;
mod verilog;
mod vhdl;

use crate::rtl::Language;
pub(super) use refused::Refused;
pub(super) use tokens::{Token, tokens};
use verilog::verilog;
use vhdl::vhdl;

/// Looks through a text; `emitted` is the one that the generator makes.
pub(super) fn scan(language: Language, text: &str, emitted: &str) -> Result<(), Refused> {
    signs(text)?;
    let (tokens, emitted) = (tokens::tokens(language, text)?, tokens::tokens(language, emitted)?);
    units(language, &tokens, &emitted)?;
    match language {
        Language::Verilog | Language::SystemVerilog => verilog(&tokens, &emitted),
        Language::Vhdl => vhdl(&tokens, &emitted),
    }
}

/// Refuses control characters other than tabs and ends of lines: tools differ about which of them
/// end a comment.
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

/// Keywords that begin the units of a file.
const UNITS: &[&str] =
    &["module", "macromodule", "interface", "entity", "architecture", "component", "block"];

/// Refuses modules besides the core's, because synthesis drops unused ones. Also refuses the core's
/// ports in another order, because an instance that names no ports would connect the wrong ones.
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
            "always @(*) b = c;\nalways @(posedge clk or posedge rst) begin if (a == b) c <= d; \
             end",
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
