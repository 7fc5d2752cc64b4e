//! The words and signs of a text in a hardware language.

use super::refused::Refused;
use crate::rtl::Language;

/// A word or a sign of a text.
#[derive(Clone, Copy, Debug)]
pub(in super::super) struct Token<'t> {
    pub(in super::super) text: &'t str,
    pub(super) line: usize,
}

impl Token<'_> {
    /// Whether it is a word of the language: VHDL does not tell small letters from capital ones.
    pub(super) fn is(&self, language: Language, word: &str) -> bool {
        match language {
            Language::Verilog | Language::SystemVerilog => self.text == word,
            Language::Vhdl => self.text.eq_ignore_ascii_case(word),
        }
    }

    /// An error at this token's line.
    pub(in super::super) fn refuse<T>(self, why: impl Into<String>) -> Result<T, Refused> {
        Err(Refused { line: self.line, why: why.into() })
    }
}

/// Beginnings of comments that tools obey.
const ORDERS: &[&str] =
    &["synopsys", "synthesis", "pragma", "rtl_synthesis", "altera", "ambit", "exemplar"];

/// Contents of comments that switch tools off and on, however the comments begin.
const SWITCHES: &[&str] = &["translate_off", "translate_on", "synthesis_off", "synthesis_on"];

/// Signs of more than one character, the longest first: a scanner takes the first that matches.
const SIGNS_OF_VERILOG: &[&str] = &[
    "<<<=", ">>>=", "===", "!==", "<<=", ">>=", "<=", ">=", "==", "!=", "=>", "(*", "*)", "+=",
    "-=", "*=", "/=", "%=", "&=", "|=", "^=", "++", "--",
];
const SIGNS_OF_VHDL: &[&str] = &["<=", ">=", "=>", "/=", ":="];

/// Words and signs, without comments and strings.
pub(in super::super) fn tokens(language: Language, text: &str) -> Result<Vec<Token<'_>>, Refused> {
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
            // An escaped identifier, of any characters.
            let ends = |c: char| if is_vhdl { c == '\\' } else { c.is_whitespace() };
            rest[1..].find(ends).map_or(rest.len(), |end| end + 1 + usize::from(is_vhdl))
        } else if c == '`' || is_word(c) {
            let word = &rest[c.len_utf8()..];
            word.find(|c| !is_word(c)).map_or(rest.len(), |end| end + c.len_utf8())
        } else {
            let signs = if is_vhdl { SIGNS_OF_VHDL } else { SIGNS_OF_VERILOG };
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

/// Words of VHDL behind which an expression begins. What stands before the quote of an attribute or
/// of a qualified expression is none of them, but a name or a bracket.
const BEFORE_EXPRESSIONS: &[&str] = &[
    "when", "else", "if", "elsif", "until", "return", "select", "case", "and", "or", "nand", "nor",
    "xor", "xnor", "not", "is", "to", "downto", "in", "mod", "rem", "abs", "sll", "srl", "sla",
    "sra", "rol", "ror", "report", "assert", "severity", "after", "range", "force", "with",
];

/// Whether a text begins with a character in quotes, and not with the quote of an attribute or of a
/// qualified expression.
fn is_character(text: &str, before: Option<Token<'_>>) -> bool {
    let after_name = before.is_some_and(|token| {
        let may_end_name =
            |c: char| c.is_alphanumeric() || matches!(c, '_' | ')' | ']' | '"' | '\\');
        let begins = BEFORE_EXPRESSIONS.iter().any(|word| token.is(Language::Vhdl, word));
        token.text.ends_with(may_end_name) && !begins
    });
    !after_name && text.as_bytes().get(2) == Some(&b'\'')
}
