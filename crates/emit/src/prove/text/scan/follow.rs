//! Words that a proof does not follow.

use super::refused::Refused;
use super::tokens::Token;
use crate::rtl::Language;

/// Words of Verilog that the generator does not write and a proof does not follow: simulators,
/// synthesis and a module that instantiates the core may take them for different things.
const NOT_FOLLOWED: &[&str] =
    &["function", "task", "casez", "casex", "parameter", "unique", "generic", "procedure"];

/// Refuses words that the emitted text does not have.
pub(super) fn follow(
    language: Language,
    tokens: &[Token<'_>],
    emitted: &[Token<'_>],
) -> Result<(), Refused> {
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
