//! Constants of more than 32 bits that GHDL 2.0 takes for zero: those whose lower 32 bits are zero.
//!
//! Its synthesis reads `x"3000000000000000"` as 0, and so a text with that constant would pass for
//! one with 0. If the installed GHDL does this, such constants are refused, and so are expressions
//! of constants alone, whose value GHDL would compute.

use super::scan::{Refused, Token};

/// A design with such a constant; a GHDL that reads it correctly keeps the constant's highest bits.
pub(super) const PROBE: &str = "\
library ieee;
use ieee.std_logic_1164.all;
entity probe is
  port (a : in std_logic_vector(63 downto 0); b : out std_logic_vector(63 downto 0));
end entity probe;
architecture rtl of probe is
begin
  b <= a xor x\"3000000000000000\";
end architecture rtl;
";

/// Whether GHDL's Verilog of [`PROBE`] has the constant.
pub(super) fn is_right(verilog: &str) -> bool {
    verilog.contains("00110000000000000000")
}

const OPERATORS: &[&str] =
    &["&", "and", "or", "xor", "nand", "nor", "xnor", "+", "-", "*", "sll", "srl", "rol", "ror"];
const FUNCTIONS: &[&str] =
    &["shift_left", "shift_right", "rotate_left", "rotate_right", "resize", "not", "to_x01"];

/// Refuses what such a GHDL may read wrongly.
pub(super) fn refuse(tokens: &[Token<'_>], emitted: &[Token<'_>]) -> Result<(), Refused> {
    let word = |i: usize| tokens.get(i).map_or(String::new(), |token| token.text.to_lowercase());
    let is_string = |i: usize| word(i).starts_with('"');
    // A conversion or a bracket around a constant, and the base before it.
    let is_around = |i: usize| {
        let word = word(i);
        let base = word.trim_start_matches(|c: char| c.is_ascii_digit());
        matches!(&word[..], "(" | "'" | "unsigned" | "std_logic_vector")
            || matches!(base, "x" | "b" | "o" | "d" | "ux" | "ub" | "uo" | "sx" | "sb" | "so")
    };
    let of_constants = |tokens: &[Token<'_>]| {
        tokens.iter().filter(|token| token.text.eq_ignore_ascii_case("constant")).count()
    };
    for (i, &token) in tokens.iter().enumerate() {
        if word(i) == "others" && word(i.wrapping_sub(1)) != "when" {
            return token.refuse(format!("an aggregate, which {GHDL} may read wrongly"));
        }
        if word(i) == "constant" && of_constants(tokens) > of_constants(emitted) {
            return token.refuse(format!(
                "a constant that the core does not have; {GHDL} may read it wrongly"
            ));
        }
        if !is_string(i) {
            continue;
        }
        if is_taken_for_zero(&word(i.wrapping_sub(1)), &word(i)) {
            return token.refuse(format!(
                "{GHDL} reads the constant {} as 0, so this text cannot be proved by it: use a \
                 later \
                 GHDL, or emit the core with --lang verilog",
                token.text
            ));
        }
        let before = (0..i).rev().find(|&i| !is_around(i)).map_or(String::new(), word);
        let next = (i + 1..).find(|&i| word(i) != ")").unwrap_or(i);
        let after = (next + 1..).find(|&i| !is_around(i)).unwrap_or(next);
        if FUNCTIONS.contains(&&before[..])
            || OPERATORS.contains(&&word(next)[..]) && is_string(after)
        {
            return token.refuse(format!(
                "an expression of constants, which {GHDL} may compute wrongly: write its value"
            ));
        }
    }
    Ok(())
}

const GHDL: &str = "this GHDL";

fn is_taken_for_zero(base: &str, string: &str) -> bool {
    let digits = string.trim_matches('"').replace('_', "");
    let size = base.trim_end_matches(|c: char| c.is_alphabetic());
    let has_base = base.len() > size.len() && base.len() <= size.len() + 2;
    let bits_each = match base.chars().next_back() {
        Some('x') if has_base => 4,
        Some('o') if has_base => 3,
        // Decimal numbers are judged by their value.
        Some('d') if has_base && !size.is_empty() => {
            return digits.parse::<u128>().map_or(true, |n| n != 0 && n & 0xffff_ffff == 0);
        }
        _ => 1,
    };
    let bits: String = digits
        .chars()
        .map(|digit| match digit.to_digit(16) {
            Some(value) if bits_each > 1 => format!("{value:0bits_each$b}"),
            _ => digit.to_string(),
        })
        .collect();
    let low = bits.len().saturating_sub(32);
    bits.len() > 32 && bits[low..].chars().all(|c| c == '0') && bits.contains('1')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prove::text::scan::tokens;
    use crate::rtl::Language;

    #[test]
    fn constants_that_are_taken_for_zero_are_refused() {
        let is_refused = |text: &str| refuse(&tokens(Language::Vhdl, text).unwrap(), &[]).is_err();
        for text in [
            "a <= x\"3000000000000000\";",
            "a <= b or 64x\"30_0000_0000\";",
            "a <= \"100000000000000000000000000000000\";",
            "a <= x\"30000000\" & x\"00000000\";",
            "a <= unsigned'(x\"30000000\") & unsigned'(x\"00000000\");",
            "a <= not x\"ffffffffffffffff\";",
            "a <= shift_left(x\"0000000000000001\", 60);",
            "a <= (63 => '1', others => '0');",
            "constant a : word_t := b;",
        ] {
            assert!(is_refused(text), "{text}");
        }
        for text in [
            "a <= x\"3000000000000001\" when b else x\"0000000000000000\";",
            "a <= unsigned'(\"000\" & b(7) & '0');\nc <= d when others;",
            "a <= b + x\"80000000\";",
        ] {
            assert!(!is_refused(text), "{text}");
        }
    }
}
