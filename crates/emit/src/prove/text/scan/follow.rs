//! Words that a proof does not follow.

use super::refused::Refused;
use super::tokens::Token;
use crate::rtl::Language;

/// Words that the generator does not write and a proof does not follow: simulators, synthesis and a
/// module that instantiates the core may take them for different things.
const NOT_FOLLOWED: &[&str] =
    &["function", "task", "casez", "casex", "parameter", "unique", "generic", "procedure"];

/// Words of VHDL alone that a proof does not follow: a simulator stops where a number leaves its
/// range or an index its vector, and synthesis cuts the number.
const NOT_FOLLOWED_IN_VHDL: &[&str] = &["integer", "natural", "positive", "range", "to_integer"];

/// Refuses words that the emitted text does not have.
pub(super) fn follow(
    language: Language,
    tokens: &[Token<'_>],
    emitted: &[Token<'_>],
) -> Result<(), Refused> {
    let of_language =
        if language == Language::Vhdl { NOT_FOLLOWED_IN_VHDL } else { Default::default() };
    let is_new = |token: &&Token<'_>| {
        NOT_FOLLOWED.iter().chain(of_language).any(|word| {
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
