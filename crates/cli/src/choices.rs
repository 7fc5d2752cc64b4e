//! Options that take one of a few names, or a number from 1 on, and what is given several times.

use clap::builder::{PossibleValuesParser, TypedValueParser};
use std::num::NonZeroUsize;

/// Returns the parser of an option that takes one of `all`, each by the name that it prints as.
pub fn one_of<T>(all: &'static [T]) -> impl TypedValueParser<Value = T>
where
    T: Copy + ToString + Send + Sync + 'static,
{
    PossibleValuesParser::new(all.iter().map(ToString::to_string)).map(move |name| {
        let value = all.iter().find(|value| value.to_string() == name);
        *value.expect("only these names are possible")
    })
}

/// Returns the items in their order, each once.
pub fn distinct<T: PartialEq>(items: impl IntoIterator<Item = T>) -> Vec<T> {
    let mut all = Vec::new();
    for item in items {
        if !all.contains(&item) {
            all.push(item);
        }
    }
    all
}

/// Reads a number from 1 on.
///
/// # Errors
/// If it is 0, or no number that fits.
pub fn at_least_one(text: &str) -> Result<NonZeroUsize, String> {
    let number = text.parse().map_err(|error: std::num::ParseIntError| error.to_string())?;
    NonZeroUsize::new(number).ok_or_else(|| "0 is not in 1..".to_owned())
}
