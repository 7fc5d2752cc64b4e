//! Options that take one of a few names.

use clap::builder::{PossibleValuesParser, TypedValueParser};

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
