//! The list before it is brought up to date.

use crate::lists::checkfile::Parser;
use crate::lists::comments::Comments;
use crate::lists::ledger::Ledger;
use crate::lists::manifest::{Item, ListFormat, Reader};
use crate::quote::quote;
use crate::system::os;
use crate::system::reason;
use crate::system::stamp::Stamp;
use crate::walk::Key;
use anyhow::bail;
use manylane_engine::Algorithm;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// The contents of the list.
pub struct Old {
    /// The files of the list.
    pub ledger: Ledger,
    /// The form of the list, if its lines show it.
    pub form: Option<ListFormat>,
    /// Its comments and empty lines.
    pub comments: Comments,
    /// The stamp of the list's file, if there was one.
    pub stamp: Option<Stamp>,
}

impl Old {
    /// Reads the list, if there is one.
    ///
    /// # Errors
    /// If it cannot be read, or a new list would lose some of its content.
    pub fn read(list: &Path, title: &str, parser: Parser) -> anyhow::Result<Self> {
        let ledger = Ledger::new()?;
        let about = match fs::metadata(list) {
            Ok(about) => about,
            Err(_) if fs::symlink_metadata(list).is_ok_and(|about| about.is_symlink()) => {
                bail!("{title}: is a link to nothing; name the file that it should lead to")
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Ok(Self { ledger, form: None, comments: Comments::default(), stamp: None });
            }
            Err(error) => bail!("{title}: {}", reason(&error)),
        };
        if !about.is_file() {
            bail!("{title}: is no regular file, which alone can be replaced; name another");
        }
        let mut reader = Reader::open(list, parser)?;
        let mut comments = Comments::default();
        while let Some(item) = reader.next_item()? {
            match item {
                Item::Comment(line) => comments.line(&line),
                Item::Fault(number, why) => bail!(
                    "{title}: {number}: {why}; mend this line or take it out first, as a new list \
                     would lose it"
                ),
                Item::Record(record) => {
                    comments.file(&record.name);
                    let path = PathBuf::from(os::name_from_bytes(record.name.clone()));
                    if !ledger.list(&Key::of(&path), &record)? {
                        bail!(
                            "{title}: names {} twice, with different digests: remove the wrong one",
                            quote(&record.name)
                        );
                    }
                }
            }
        }
        Ok(Self { ledger, form: reader.form(), comments, stamp: Some(Stamp::of(&about)) })
    }

    /// The algorithms that are computed: those of the list, and those that were asked for. `named`
    /// says whether any were.
    ///
    /// # Errors
    /// If digests of the list would be lost.
    pub fn algorithms(
        &self,
        asked: Vec<Algorithm>,
        named: bool,
        title: &str,
    ) -> anyhow::Result<Vec<Algorithm>> {
        let listed = self.ledger.algorithms()?;
        if listed.is_empty() {
            return Ok(asked);
        }
        if !named {
            return Ok(listed);
        }
        if let Some(lost) = listed.iter().find(|listed| !asked.contains(listed)) {
            bail!(
                "{title}: has digests of {lost}, which -a leaves out and which would be lost: \
                 leave -a out, add {lost} to it, or name another list"
            );
        }
        Ok(asked)
    }

    /// The form that the list is to have: the one that was asked for, or its own, or that of a new
    /// list.
    ///
    /// # Errors
    /// If that form has no room for the digests.
    pub fn next_form(
        &self,
        asked: Option<ListFormat>,
        json: bool,
        algorithms: &[Algorithm],
        title: &str,
    ) -> anyhow::Result<ListFormat> {
        let form = asked.or(self.form).unwrap_or(match (json, algorithms.len()) {
            (true, _) => ListFormat::Json,
            (false, 1) => ListFormat::Gnu,
            (false, _) => ListFormat::Bsd,
        });
        if form == ListFormat::Gnu && algorithms.len() > 1 {
            bail!("{title}: lines of coreutils hold one digest: give --format bsd");
        }
        Ok(form)
    }
}
