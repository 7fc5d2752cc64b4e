//! The layout that most text files share: `# comment`, `[Section = value]`, `Name = value`. A
//! record is a run of fields that ends with a field of a known name.

use crate::{Error, hex};

/// One record, its fields taken one by one.
pub(crate) struct Record<'a> {
    file: &'a str,
    /// The line of the last field, counted from 1.
    pub line: usize,
    /// The sections in force, the latest last.
    pub sections: Vec<(&'a str, &'a str)>,
    fields: Vec<(&'a str, &'a str)>,
}

/// Cuts `text` into records whose last field is named `last`.
pub(crate) fn records<'a>(
    file: &'a str,
    text: &'a str,
    last: &str,
) -> Result<Vec<Record<'a>>, Error> {
    let mut records = Vec::new();
    let mut sections: Vec<(&str, &str)> = Vec::new();
    let mut fields: Vec<(&str, &str)> = Vec::new();
    let mut end = 1;
    for (line, content) in text.lines().enumerate().map(|(i, content)| (i + 1, content.trim())) {
        if content.is_empty() || content.starts_with('#') {
            continue;
        }
        end = line;
        if let Some(section) = content.strip_prefix('[') {
            let section = section
                .strip_suffix(']')
                .ok_or_else(|| Error::line(file, line, "a section without ]"))?;
            if !fields.is_empty() {
                return Err(Error::line(file, line, format!("a section before {last}")));
            }
            let (name, value) = section.split_once('=').unwrap_or((section, ""));
            let (name, value) = (name.trim(), value.trim());
            sections.retain(|&(other, _)| other != name);
            sections.push((name, value));
            continue;
        }
        let (name, value) = content
            .split_once('=')
            .ok_or_else(|| Error::line(file, line, "neither a section nor Name = value"))?;
        let (name, value) = (name.trim(), value.trim());
        if fields.iter().any(|&(other, _)| other == name) {
            return Err(Error::line(file, line, format!("{name} again before {last}")));
        }
        fields.push((name, value));
        if name == last {
            let fields = std::mem::take(&mut fields);
            records.push(Record { file, line, sections: sections.clone(), fields });
        }
    }
    if let Some((name, _)) = fields.first() {
        return Err(Error::line(file, end, format!("{name} without {last}")));
    }
    Ok(records)
}

impl<'a> Record<'a> {
    /// An error at the record's last line.
    pub fn error(&self, what: impl Into<String>) -> Error {
        Error::line(self.file, self.line, what)
    }

    /// Takes the field `name`, if there is one.
    pub fn maybe(&mut self, name: &str) -> Option<&'a str> {
        let at = self.fields.iter().position(|&(other, _)| other == name)?;
        Some(self.fields.remove(at).1)
    }

    /// Takes the field `name`.
    pub fn text(&mut self, name: &str) -> Result<&'a str, Error> {
        self.maybe(name).ok_or_else(|| self.error(format!("a record without {name}")))
    }

    /// Takes the field `name`, a number.
    pub fn number(&mut self, name: &str) -> Result<u64, Error> {
        let text = self.text(name)?;
        text.parse().map_err(|_| self.error(format!("{name} is no number: {text}")))
    }

    /// Takes the field `name`, bytes.
    pub fn bytes(&mut self, name: &str) -> Result<Vec<u8>, Error> {
        let text = self.text(name)?;
        hex::decode(text).map_err(|what| self.error(format!("{name}: {what}")))
    }

    /// Takes `Len`, in bits, and the message `name` of that length; `00` stands for the empty one.
    pub fn message(&mut self, name: &str) -> Result<(u64, Vec<u8>), Error> {
        let bits = self.number("Len")?;
        let mut message = self.bytes(name)?;
        if bits == 0 {
            message.clear();
        }
        if message.len() as u64 != bits.div_ceil(8) {
            return Err(self.error(format!("{} bytes for Len = {bits} bits", message.len())));
        }
        Ok((bits, message))
    }

    /// The section `name` in force, a number.
    pub fn section(&self, name: &str) -> Result<usize, Error> {
        let section = self.sections.iter().find(|&&(other, _)| other == name);
        section
            .and_then(|(_, value)| value.parse().ok())
            .ok_or_else(|| self.error(format!("no section [{name} = number]")))
    }

    /// Reports a field that nobody took.
    pub fn done(self) -> Result<(), Error> {
        match self.fields.first() {
            None => Ok(()),
            Some((name, _)) => Err(self.error(format!("unexpected {name}"))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_name_file_and_line() {
        for (text, expected) in [
            ("# a\n\nLen 8", "f:3: neither a section nor Name = value"),
            ("[L = 32", "f:1: a section without ]"),
            ("Len = 8\n[L = 32]", "f:2: a section before MD"),
            ("Len = 8\nLen = 8", "f:2: Len again before MD"),
            ("Len = 8\nMsg = 00\n\n", "f:2: Len without MD"),
        ] {
            assert_eq!(records("f", text, "MD").err().unwrap().to_string(), expected);
        }
    }

    #[test]
    fn sections_stay_in_force() {
        let text = "[A = 1]\n[B=2]\nMD = 00\n[A = 3]\nMD = 01\n";
        let records = records("f", text, "MD").unwrap();
        let sections: Vec<_> = records
            .iter()
            .map(|record| (record.section("A").unwrap(), record.section("B").unwrap(), record.line))
            .collect();
        assert_eq!(sections, [(1, 2, 3), (3, 2, 5)]);
    }
}
