//! A table of a TOML file with the places of its entries, for errors that name the line.

use crate::source::{Lines, Remedy, Source, SourceError, check_figure};
use crate::time::FIGURES;
use manylane_nearest::suggestion;
use std::ops::Range;
use toml::Spanned;
use toml::de::{DeString, DeTable, DeValue};

/// A value with its place in the file, in bytes.
pub(super) type Value<'i> = Spanned<DeValue<'i>>;
/// A name with its place in the file.
pub(super) type Key<'i> = Spanned<DeString<'i>>;
/// What was read, or the error with its line.
pub(super) type Result<T> = std::result::Result<T, SourceError>;

/// A table and its place in the file.
pub(super) struct Table<'t> {
    pub(super) source: Source<'t>,
    pub(super) lines: &'t Lines,
    /// The table's place in the file, in bytes.
    pub(super) at: Range<usize>,
    pub(super) table: &'t DeTable<'t>,
    /// What errors call the table.
    pub(super) what: &'static str,
}

impl<'t> Table<'t> {
    /// The entry of this name, if there is one.
    pub(super) fn get(&self, name: &str) -> Option<(&'t Key<'t>, &'t Value<'t>)> {
        self.table.get_key_value(name)
    }

    /// The table that `value` must be; errors in it call it `what`.
    pub(super) fn inner(&self, value: &'t Value<'t>, what: &'static str) -> Result<Table<'t>> {
        match value.get_ref() {
            DeValue::Table(table) => {
                Ok(Table { source: self.source, lines: self.lines, at: value.span(), table, what })
            }
            other => {
                let problem = format!("{} instead of a table", other.type_str());
                Err(self.wrong(value, problem, Remedy::Form))
            }
        }
    }

    /// The table `name`, if there is one.
    pub(super) fn optional_table(&self, name: &'static str) -> Result<Option<Table<'t>>> {
        self.get(name).map(|(_, value)| self.inner(value, name)).transpose()
    }

    /// The table `name`, which must be there.
    pub(super) fn table(&self, name: &'static str) -> Result<Table<'t>> {
        let table = self.optional_table(name)?;
        table.ok_or_else(|| self.missing(name, &format!("add the table `{name}`")))
    }

    /// The text `name`, which must be there.
    pub(super) fn string(&self, name: &str) -> Result<String> {
        let Some((_, value)) = self.get(name) else {
            return Err(self.missing(name, &format!("add `{name} = \"…\"`")));
        };
        match value.get_ref().as_str() {
            Some(text) => Ok(text.to_owned()),
            None => Err(self.wrong(value, format!("`{name}` is no text"), "put it in quotes")),
        }
    }

    /// A text that is printed in a line.
    pub(super) fn line_of_text(&self, name: &str) -> Result<String> {
        let text = self.string(name)?;
        match self.get(name).filter(|_| text.contains(char::is_control)) {
            Some((_, value)) => {
                let problem = format!("`{name}` in `{}` has control characters", self.what);
                Err(self.wrong(value, problem, "write it in one line, without them"))
            }
            None => Ok(text),
        }
    }

    /// The text `name`, which must not be empty.
    pub(super) fn name(&self) -> Result<String> {
        self.words("name")
    }

    /// A line of text that is not empty.
    pub(super) fn words(&self, key: &str) -> Result<String> {
        let words = self.line_of_text(key)?;
        match self.get(key).filter(|_| words.trim().is_empty()) {
            Some((_, value)) => {
                let problem = format!("`{key}` in `{}` is empty", self.what);
                Err(self.wrong(value, problem, "say what it is called"))
            }
            None => Ok(words),
        }
    }

    /// A key that is a number of bytes.
    pub(super) fn bytes(&self, key: &Key<'_>) -> Result<usize> {
        let text: &str = key.get_ref();
        let is_plain = text.bytes().all(|byte| byte.is_ascii_digit())
            && (text == "0" || !text.starts_with('0'));
        text.parse().ok().filter(|_| is_plain).ok_or_else(|| {
            self.wrong(key, format!("`{text}` is no number of bytes"), "write 64 = 2400")
        })
    }

    /// True or false under `name`, if it is there.
    pub(super) fn boolean(&self, name: &str) -> Result<Option<bool>> {
        let Some((_, value)) = self.get(name) else { return Ok(None) };
        match value.get_ref().as_bool() {
            Some(boolean) => Ok(Some(boolean)),
            None => {
                Err(self.wrong(value, format!("`{name}` is neither true nor false"), "give one"))
            }
        }
    }

    /// A number within [`FIGURES`] or 0, as times and sizes are.
    pub(super) fn number(&self, value: &Value<'_>) -> Result<f64> {
        let number = self.any_number(value)?;
        check_figure(number, &FIGURES)
            .map_err(|(size, remedy)| self.wrong(value, format!("{number:e} is {size}"), remedy))?;
        Ok(number)
    }

    /// A number of whatever size, whose range the caller knows.
    pub(super) fn any_number(&self, value: &Value<'_>) -> Result<f64> {
        let text = match value.get_ref() {
            DeValue::Integer(integer) if integer.radix() == 10 => Some(integer.as_str()),
            DeValue::Float(float) => Some(float.as_str()),
            _ => None,
        };
        let number = text.and_then(|text| text.parse().ok()).filter(|n: &f64| n.is_finite());
        number.ok_or_else(|| self.wrong(value, "no number", "give a decimal number"))
    }

    /// A number of at least `least`; `why` ends the sentence of the error.
    pub(super) fn at_least(&self, value: &Value<'_>, least: f64, why: &str) -> Result<f64> {
        let number = match least > 0.0 {
            true => self.number_from(value, &least.to_string())?,
            false => self.number(value)?,
        };
        if number >= least {
            return Ok(number);
        }
        let problem = format!("{number} is less than {least}: {why}");
        Err(self.wrong(value, problem, format!("give a number of at least {least}")))
    }

    /// A figure that may not be 0, whose remedy names the least one.
    fn number_from(&self, value: &Value<'_>, least: &str) -> Result<f64> {
        let number = self.any_number(value)?;
        check_figure(number, &FIGURES).map_err(|(size, _)| {
            let remedy = format!("give a number from {least} to {:e}", FIGURES.end());
            self.wrong(value, format!("{number:e} is {size}"), remedy)
        })?;
        Ok(number)
    }

    /// A list of times.
    pub(super) fn cycles(&self, value: &Value<'_>) -> Result<Vec<f64>> {
        let Some(list) = value.get_ref().as_array() else {
            return Err(self.wrong(value, "no list of cycles", "write `[12, 340, 7.5]`"));
        };
        list.iter().map(|value| self.at_least(value, 0.0, "it takes time")).collect()
    }

    /// A number above 0.
    pub(super) fn positive(&self, value: &Value<'_>) -> Result<f64> {
        let number = self.number_from(value, &format!("{:e}", FIGURES.start()))?;
        if number > 0.0 {
            return Ok(number);
        }
        Err(self.wrong(value, format!("{number} is not positive"), "give a number above 0"))
    }

    /// Refuses names other than `known`.
    pub(super) fn only(&self, known: &[&str]) -> Result<()> {
        match self.table.keys().find(|key| !known.contains(&key.get_ref().as_ref())) {
            Some(key) => Err(self.unknown(key, "name", key.get_ref(), known)),
            None => Ok(()),
        }
    }

    /// The error that no `kind` has this name, with the nearest of the known ones.
    pub(super) fn unknown(
        &self,
        key: &Key<'_>,
        kind: &str,
        name: &str,
        known: &[&str],
    ) -> SourceError {
        let problem = format!("no {kind} `{name}` in `{}`", self.what);
        self.wrong(key, problem, suggestion(name, known))
    }

    /// The error that the table lacks `name`.
    pub(super) fn missing(&self, name: &str, remedy: &str) -> SourceError {
        self.wrong_here(format!("no `{name}` in `{}`", self.what), remedy)
    }

    /// An error at a key or a value.
    pub(super) fn wrong<T>(
        &self,
        at: &Spanned<T>,
        problem: impl Into<String>,
        remedy: impl Into<Remedy>,
    ) -> SourceError {
        self.source.error(at.span(), problem, remedy)
    }

    /// An error about the whole table.
    pub(super) fn wrong_here(&self, problem: impl Into<String>, remedy: &str) -> SourceError {
        self.source.error(self.at.clone(), problem, remedy)
    }

    /// The line that a place is in, from 1.
    pub(super) fn line(&self, at: Range<usize>) -> usize {
        self.lines.line(at.start)
    }
}
