//! Refuses constructs that simulators and synthesis read differently. A proof of the text as
//! synthesis reads it would say nothing about simulation.

mod clock;
mod follow;
mod order;
mod refused;
mod statement;
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
    of_language(language, text)?;
    let (tokens, emitted) = (tokens::tokens(language, text)?, tokens::tokens(language, emitted)?);
    if language != Language::Vhdl {
        is_whole(text, &tokens)?;
    }
    units(language, &tokens, &emitted)?;
    match language {
        Language::Verilog | Language::SystemVerilog => verilog(&tokens, &emitted)?,
        Language::Vhdl => vhdl(&tokens, &emitted)?,
    }
    clock::clock(language, &tokens, &emitted)
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

/// Refuses a text of the other language, for which later checks would give misleading reasons.
fn of_language(language: Language, text: &str) -> Result<(), Refused> {
    let is_vhdl = language == Language::Vhdl;
    let begins = |(_, line): &(usize, &str)| match *line.split_whitespace().collect::<Vec<_>>() {
        [first, _, is, ..] if !is_vhdl => {
            first.eq_ignore_ascii_case("entity") && is.eq_ignore_ascii_case("is")
        }
        ["module", ..] => is_vhdl,
        _ => false,
    };
    let Some((at, _)) = text.lines().enumerate().find(begins) else { return Ok(()) };
    let (is, of_core) = if is_vhdl { ("Verilog", "VHDL") } else { ("VHDL", "Verilog") };
    let why = format!("is {is}, and the core's text is {of_core}: emit the core again");
    Err(Refused { line: at + 1, why })
}

/// Refuses a text of Verilog that ends within a module.
fn is_whole(text: &str, tokens: &[Token<'_>]) -> Result<(), Refused> {
    let count = |word: &str| tokens.iter().filter(|token| token.text == word).count();
    if count("module") > count("endmodule") {
        let why = "syntax error: the text ends before `endmodule`: emit the core again".to_owned();
        return Err(Refused { line: text.lines().count(), why });
    }
    Ok(())
}

/// The name of the first module of a text, or entity, and its line.
pub(super) fn unit(language: Language, text: &str) -> Option<(usize, &str)> {
    let tokens = tokens::tokens(language, text).ok()?;
    let word = if language == Language::Vhdl { "entity" } else { "module" };
    let at = tokens.iter().position(|token| token.is(language, word))?;
    tokens.get(at + 1).map(|token| (token.line, token.text))
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
        let emitted = match language {
            Language::Vhdl => {
                "process (clk) begin if rising_edge(clk) then c <= d; end if; end process;"
            }
            _ => {
                "module m (input wire clk, input wire rst); always @(posedge clk) c <= d; endmodule"
            }
        };
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
            "module a; endmodule module b; endmodule",
            "parameter Z = 0;",
            "casez (a) endcase",
            "(* \\full_case *) case (a) endcase",
            "// xilinx translate_off",
            // A copy of the clock comes later than the clock.
            "reg c; always @* c <= clk;",
            "wire c = clk;",
            "always @(posedge other) a <= b;",
            "m i (.rst(rst), .clk(c)); assign c = m.clk;",
            // `=` at the clock's edge, wherever it stands.
            "always @(posedge clk) case (a) 1: case (b) 2: ; endcase default: c = d; endcase",
            "always @(posedge clk) if (a) repeat (1) begin b <= c; d = e; end",
            "always @(posedge clk) (* keep *) begin b <= c; d = e; end",
            "always @(posedge clk) begin : name b <= c; d <<= 1; end",
            // A block that reads constants alone.
            "localparam K = 1, L = 2; always @* a = L;",
            "genvar g; generate for (g = 0; g < 2; g = g + 1) always @* a[g] = g; endgenerate",
            "always @* begin : name a = 1'b0; end",
            // A block that reads what it writes later.
            "always @* begin a = b; b = c; end",
            "always @* begin : name reg t; a = t; t = c; end",
            "always @* begin b[0] = c; a = b; b[1] = d; end",
            "always @* for (i = 0; i < 2; i = i + 1) begin b[i] = c[i]; a[i] = b[1 - i]; end",
            "always @* begin if (d) a = b; else a = c; b = c; end",
            "always @* begin case (d) 1'b0: b = c; default: ; endcase a = b; b = e; end",
            "always_comb begin b <= c; a <= b; end",
            "always_comb begin b += c; end",
            // A variable with a value.
            "logic [3:0] a = b;",
            "output reg a = 1'b0, output b);",
        ] {
            assert!(refused(Language::Verilog, text).is_some(), "{text}");
        }
        for within in ["begin ", "if (a) ", "(* keep *) ", "forever ", "case (a) b: ", "c: "] {
            let text = format!("always @(posedge clk) {}", within.repeat(200_000));
            assert!(refused(Language::Verilog, &text).is_some(), "{within}");
        }
        // A text may be broken off, or no Verilog at all.
        for text in ["always @ ) posedge", "always @(posedge", "always @*", "always_comb"] {
            refused(Language::Verilog, text);
        }
        for text in [
            "always @* case (a) 2'd1: b = c; default: b = d; endcase",
            "always @(*) b = c;\nalways @(posedge clk or posedge rst) begin if (a == b) c <= d; \
             end",
            "// initial\n (* no_rw_check *) reg [1:0] a [0:3]; // synthesizable",
            "always @(posedge clk)\n  if (x) a[b] <= c;\nassign d = e;",
            "always @(posedge clk) if (a === b && c <= d) e <= f;\nalways @* g = h;",
            "always @(posedge (clk)) begin : name case (a) 1: b <= c; default b <= d; endcase end\n\
             assign e = f;",
            "core i (.clk(clk), .rst(rst));\ncore j (.a(b), .clk, .rst(!clk));",
            "wire [3:0] a = b; localparam logic [3:0] c = 1; typedef enum logic {d = 0} e;",
            "always @* begin a = b; c = a; end",
            "always @* begin b <= c; a <= b; end",
            "always @* begin a[0] = b; a[1] = c; d = a; end",
            "always @* begin if (b) begin t = c; a = t; end else begin t = d; a = t; end end",
            "always @* begin case (b) 1'b0: t = c; default: t = d; endcase a = t; t = e; end",
            "always @* begin a = 0; for (i = 0; i < 4; i = i + 1) a = a ^ b[i]; end",
            "always_comb begin {a, b} = c; d = a + b; d += 1; end",
            "always_comb a = 1'b0;",
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
            "c <= clk;",
            "c <= '1' when clk = '1' else '0';",
            "u: m port map (clk => c, rst => rst); c <= Clk;",
            "c <= 'H' when d = '1' else '0';",
            // A quote in quotes begins no string, which would hide what follows.
            "c <= '1' when d else '\"'; e <= clk; f <= '\"';",
            "c <= '1' when d = '1' else 'L';",
            "c <= d xor \"LLLL\";",
            "c <= std_logic'val(7);",
            "signal c : integer range 0 to 1;",
            "type t is range 0 to 1;",
            "c <= d(to_integer(e));",
            "process (all) begin if c'event and c = '1' then a <= b; end if; end process;",
            "process (all) begin if clk'event and clk = '1' then a <= b; end if; end process;",
        ] {
            assert!(refused(Language::Vhdl, text).is_some(), "{text}");
        }
        assert_eq!(refused(Language::Verilog, "-- x\nentity a is\nend;"), Some(2));
        assert_eq!(refused(Language::Vhdl, "\nmodule a (b);\nendmodule"), Some(2));
        let cut = "module a (b);\n  wire c;\n  wire d";
        assert_eq!(refused(Language::Verilog, cut), Some(3));
        for text in [
            "use ieee.numeric_std.all;\nprocess (clk) begin end process; -- after",
            "process (clk) begin if clk'event and clk = '1' then a <= b; end if; end process;",
            "u: m port map (rst => rst, clk => clk);",
            "u: m port map (CLK => c);",
            "H <= L(3) xor x\"AB\"; c <= '0' when H = '1' else '1';",
        ] {
            assert_eq!(refused(Language::Vhdl, text), None, "{text}");
        }
    }
}
