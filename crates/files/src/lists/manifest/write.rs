//! Writing lists.

use super::{ListFormat, Record, seconds};
use crate::lists::checkfile::OWN_COMMENT;
use crate::lists::lines::{self, Digits, Object, Style, hex};
use crate::names::{self, DEFAULT};
use manylane_engine::Algorithm;
use serde_json::Value;

/// Writes the records of a list, one after the other.
pub struct Writer {
    form: ListFormat,
    algorithms: Vec<Algorithm>,
    styles: Vec<Style>,
}

impl Writer {
    /// A writer of lists with these digests for each file. Lines of coreutils' form hold one.
    pub fn new(form: ListFormat, algorithms: &[Algorithm]) -> Self {
        let style = |algorithm: &Algorithm| Style {
            tag: (form == ListFormat::Bsd).then(|| names::tag(*algorithm, false)),
            digits: Digits::Hex,
            marker: b' ',
            end: b'\n',
        };
        let styles = algorithms.iter().map(style).collect();
        Self { form, algorithms: algorithms.to_owned(), styles }
    }

    /// Whether a list of this form has comments and empty lines.
    pub fn takes_comments(&self) -> bool {
        matches!(self.form, ListFormat::Gnu | ListFormat::Bsd)
    }

    /// Appends the lines that stand before the first file.
    pub fn begin(&self, list: &mut Vec<u8>) {
        if self.form == ListFormat::Hashdeep {
            let columns: Vec<String> = self.algorithms.iter().map(Algorithm::to_string).collect();
            let header = format!(
                "%%%% HASHDEEP-1.0\n%%%% size,{},filename\n## manylane sum\n## \n",
                columns.join(",")
            );
            list.extend(header.bytes());
        }
    }

    /// Appends the comment that tells the next update which hash the digests are of, if the lines
    /// do not name it and it is not the default.
    pub fn name_hash(&self, list: &mut Vec<u8>) {
        if self.form == ListFormat::Gnu && self.algorithms[0] != Algorithm::new(DEFAULT) {
            list.extend(OWN_COMMENT);
            list.extend(format!("{}\n", self.algorithms[0]).bytes());
        }
    }

    /// Appends a file.
    ///
    /// # Errors
    /// If its name cannot stand in such a list.
    pub fn record(&self, record: &Record, list: &mut Vec<u8>) -> Result<(), String> {
        let of = |algorithm: &Algorithm| {
            let found = record.digests.iter().find(|(of, _)| of == algorithm);
            found
                .map(|(_, digest)| digest)
                .ok_or_else(|| format!("it has no digest of {algorithm}"))
        };
        let digests: Vec<&Vec<u8>> = self.algorithms.iter().map(of).collect::<Result<_, _>>()?;
        match self.form {
            ListFormat::Gnu | ListFormat::Bsd => {
                if let (Some(size), Some((modified, changed))) = (record.size, record.times) {
                    list.extend(OWN_COMMENT);
                    let (modified, changed) = (seconds(modified), seconds(changed));
                    list.extend(format!("{size} {modified} {changed}\n").bytes());
                }
                for (style, digest) in self.styles.iter().zip(digests) {
                    style.line(digest, &record.name, list);
                }
            }
            ListFormat::Hashdeep => {
                let end = record.name.iter().find_map(|byte| match byte {
                    b'\n' => Some("line feeds"),
                    b'\r' => Some("carriage returns"),
                    _ => None,
                });
                if let Some(end) = end {
                    return Err(format!(
                        "hashdeep's lists cannot hold names with {end}; take another --format"
                    ));
                }
                let size =
                    record.size.ok_or("its size is not known, which hashdeep's lists say")?;
                list.extend(size.to_string().bytes());
                for digest in digests {
                    list.push(b',');
                    list.extend(hex(digest).bytes());
                }
                list.push(b',');
                list.extend(&record.name);
                list.push(b'\n');
            }
            ListFormat::Json => {
                let names = self.algorithms.iter().map(Algorithm::to_string);
                let digests = digests.iter().map(|digest| Value::from(hex(digest)));
                let mut members = Object::new();
                members.insert("digests".into(), Value::Object(names.zip(digests).collect()));
                if let (Some(size), Some((modified, changed))) = (record.size, record.times) {
                    members.insert("size".into(), size.into());
                    members.insert("modified".into(), seconds(modified).into());
                    members.insert("changed".into(), seconds(changed).into());
                }
                list.extend(lines::json_object(&[("file", &record.name)], members));
            }
        }
        Ok(())
    }
}
