//! Options that take one of a few names or a number of at least 1, and lists without repetitions.

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

/// Returns the items in their order, without repetitions.
pub fn distinct<T: PartialEq>(items: impl IntoIterator<Item = T>) -> Vec<T> {
    let mut all = Vec::new();
    for item in items {
        if !all.contains(&item) {
            all.push(item);
        }
    }
    all
}

/// Reads a number of at least 1.
///
/// # Errors
/// If the text is 0, or no number that a `usize` holds.
pub fn at_least_one(text: &str) -> Result<NonZeroUsize, String> {
    let number = text.parse().map_err(|error: std::num::ParseIntError| error.to_string())?;
    NonZeroUsize::new(number).ok_or_else(|| "0 is not in 1..".to_owned())
}
