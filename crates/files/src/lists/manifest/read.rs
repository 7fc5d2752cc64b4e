//! Reading lists: lines of coreutils and BSD, hashdeep's, rhash's, and our own of JSON.

use super::{ListFormat, Record, from_seconds};
use crate::lists::checkfile::{Entry, Line, OWN_COMMENT, Parser, stated_hash};
use crate::lists::lines::{Object, from_hex};
use crate::lists::list_lines::ListLines;
use crate::names::DEFAULT;
use crate::names::{self, Named};
use crate::quote::quote;
use crate::system::reason;
use anyhow::anyhow;
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use manylane_engine::Algorithm;
use std::fs::File;
use std::path::Path;

/// The next item of a list.
#[derive(Debug)]
pub enum Item {
    /// A file.
    Record(Record),
    /// A comment or an empty line, with its line feed if it has one.
    Comment(Vec<u8>),
    /// The number of a line that cannot be taken, from 1, and why.
    Fault(u64, String),
}

/// Reads a list.
pub struct Reader {
    lines: ListLines,
    title: String,
    parser: Parser,
    /// The form, once a line has shown it.
    form: Option<ListFormat>,
    /// The columns of a list of hashdeep between size and name.
    columns: Vec<Result<Algorithm, String>>,
    stamp: Option<FileComment>,
    /// Whether a comment of our own has named the hash of untagged lines.
    names_hash: bool,
}

/// The size and times that the last comment gave for the file in the next line.
struct FileComment {
    size: u64,
    times: (i64, i64),
    /// The file, once its line was read.
    of: Option<Vec<u8>>,
}

impl Reader {
    /// Opens a list. `parser` reads lines of coreutils' form.
    ///
    /// # Errors
    /// If it cannot be opened.
    pub fn open(file: &Path, parser: Parser) -> anyhow::Result<Self> {
        let title = quote(file.as_os_str().as_encoded_bytes());
        let opened = File::open(file).map_err(|error| anyhow!("{title}: {}", reason(&error)))?;
        let (lines, columns) = (ListLines::new(opened), Vec::new());
        Ok(Self { lines, title, parser, form: None, columns, stamp: None, names_hash: false })
    }

    /// The form of the list, if the lines read so far show it.
    pub fn form(&self) -> Option<ListFormat> {
        self.form
    }

    /// Returns the next item.
    ///
    /// # Errors
    /// If the list cannot be read any further.
    pub fn next_item(&mut self) -> anyhow::Result<Option<Item>> {
        let mut line = Vec::new();
        loop {
            let read = self.lines.next(&mut line);
            if !read.map_err(|why| anyhow!("{}: {why}", self.title))? {
                return Ok(None);
            }
            let item = match self.line(&line) {
                Ok(Some(record)) => Some(Item::Record(record)),
                Ok(None) => self.comment(&line),
                Err(why) => Some(Item::Fault(self.lines.number(), why)),
            };
            if item.is_some() {
                return Ok(item);
            }
        }
    }

    /// A comment that a list of this form keeps when it is written anew.
    fn comment(&self, line: &[u8]) -> Option<Item> {
        let kept = self.form.is_none_or(|form| matches!(form, ListFormat::Gnu | ListFormat::Bsd))
            && (line.starts_with(b"#") || line.trim_ascii().is_empty())
            && !line.starts_with(OWN_COMMENT);
        kept.then(|| Item::Comment(line.to_owned()))
    }

    /// The file that a line names, if it names one.
    fn line(&mut self, line: &[u8]) -> Result<Option<Record>, String> {
        let bare = line.strip_suffix(b"\n").unwrap_or(line);
        let bare = bare.strip_suffix(b"\r").unwrap_or(bare);
        if let Some(header) = bare.strip_prefix(b"%%%% ") {
            self.form = Some(ListFormat::Hashdeep);
            if !header.starts_with(b"HASHDEEP-") {
                self.columns = columns(header)?;
            }
            return Ok(None);
        }
        let found = match self.form {
            Some(ListFormat::Hashdeep) => self.hashdeep(bare)?,
            None | Some(ListFormat::Json) if bare.starts_with(b"{") => {
                self.form = Some(ListFormat::Json);
                json(bare)?
            }
            _ => return self.coreutils(line, bare),
        };
        for (algorithm, _) in found.iter().flat_map(|record| &record.digests) {
            let length = self.parser.judge_length(Named::Hash(*algorithm));
            length.map_err(|fault| fault.to_string())?;
        }
        Ok(found)
    }

    fn hashdeep(&self, line: &[u8]) -> Result<Option<Record>, String> {
        if line.is_empty() || line.starts_with(b"##") {
            return Ok(None);
        }
        let mut words = line.splitn(self.columns.len() + 2, |&byte| byte == b',');
        let mut word = || words.next().ok_or("not a line of hashdeep: columns are missing");
        let size = word()?;
        let size = std::str::from_utf8(size).ok().and_then(|size| size.parse().ok());
        let size = size.ok_or("not a line of hashdeep: it does not begin with a size")?;
        let mut digests = Vec::new();
        for column in &self.columns {
            let digits = word()?;
            // Columns of hashes that are not computed here are ignored if there are others.
            let Ok(algorithm) = column else { continue };
            let digest = from_hex(digits)
                .filter(|digest| digest.len() == algorithm.digest_bytes())
                .ok_or_else(|| format!("not a digest of {algorithm}"))?;
            digests.push((*algorithm, digest));
        }
        let name = word()?.to_owned();
        if name.is_empty() {
            return Err("a line without a name".into());
        }
        if digests.is_empty() {
            let why = self.columns.iter().find_map(|column| column.clone().err());
            return Err(why.unwrap_or_else(|| {
                "hashdeep's second line, which names the columns, is missing".into()
            }));
        }
        Ok(Some(Record { name, digests, size: Some(size), times: None }))
    }

    /// Takes a comment of our own; `comment` is what follows [`OWN_COMMENT`] in the line.
    fn said(&mut self, line: &[u8], comment: &[u8]) -> Result<(), String> {
        if let Some(hash) = stated_hash(line)? {
            self.parser.set_algorithm(hash);
            self.names_hash = true;
            return Ok(());
        }
        self.stamp = parse_stamp(comment);
        // A list of ours that does not name its hash is of the default one, even if a hash with
        // digests as long, or of any length, was asked for.
        let default = Algorithm::new(DEFAULT);
        let asked = self.parser.asked().hash();
        let may_be_as_long =
            asked.digest_bytes() == default.digest_bytes() || asked.id().entry().shape.any_length;
        if self.stamp.is_some() && !self.names_hash && may_be_as_long {
            self.parser.set_algorithm(default);
        }
        Ok(())
    }

    fn coreutils(&mut self, line: &[u8], bare: &[u8]) -> Result<Option<Record>, String> {
        if let Some(stamp) = bare.strip_prefix(OWN_COMMENT) {
            return self.said(bare, stamp).map(|()| None);
        }
        // rhash begins comments with a semicolon.
        if bare.starts_with(b";") {
            return Ok(None);
        }
        let mut record = match self.parser.line(&unpadded(line)) {
            Line::Nothing => return Ok(None),
            Line::Entry(Entry { algorithm, tagged, digest, name }) => {
                self.form =
                    self.form.or(Some(if tagged { ListFormat::Bsd } else { ListFormat::Gnu }));
                Record { name, digests: vec![(algorithm, digest)], ..Record::default() }
            }
            Line::Malformed(fault) => rhash(bare, self.parser.asked()).unwrap_or_else(|| {
                Err(match is_crc32(bare) {
                    true => "CRC32 is no hash and is not computed here; rhash --sha256 prints \
                             digests that can be checked"
                        .to_owned(),
                    false => fault.to_string(),
                })
            })?,
        };
        // The comment counts for all lines of the file, which follow each other.
        if let Some(FileComment { size, times, of }) = &mut self.stamp
            && *of.get_or_insert_with(|| record.name.clone()) == record.name
        {
            (record.size, record.times) = (Some(*size), Some(*times));
        }
        Ok(Some(record))
    }
}

/// The algorithms of hashdeep's line `size,md5,sha256,filename`.
fn columns(header: &[u8]) -> Result<Vec<Result<Algorithm, String>>, String> {
    let header = String::from_utf8_lossy(header);
    let words: Vec<&str> = header.split(',').collect();
    let ["size", names @ .., "filename"] = &words[..] else {
        return Err("hashdeep's line of columns is size,...,filename".into());
    };
    let column = |name: &&str| match names::parse(name) {
        Ok(named) => Ok(named.hash()),
        Err(error) => Err(error.to_string().lines().next().unwrap_or_default().to_owned()),
    };
    Ok(names.iter().map(column).collect())
}

/// Parses `SIZE MODIFIED CHANGED`.
fn parse_stamp(text: &[u8]) -> Option<FileComment> {
    let mut words = std::str::from_utf8(text).ok()?.split(' ');
    let size = words.next()?.parse().ok()?;
    let times = (from_seconds(words.next()?)?, from_seconds(words.next()?)?);
    words.next().is_none().then_some(FileComment { size, times, of: None })
}

/// Reduces the blanks with which rhash pads tags to one length, `MD5   (NAME) = HEX`, to one.
fn unpadded(line: &[u8]) -> Vec<u8> {
    let tag = line.iter().take_while(|byte| byte.is_ascii_alphanumeric() || b"-/".contains(byte));
    let tag = tag.count();
    let blanks = line[tag..].iter().take_while(|byte| **byte == b' ').count();
    let is_padded = tag > 0 && blanks > 1 && line[tag + blanks..].starts_with(b"(");
    match is_padded && names::by_tag(&line[..tag]).is_some() {
        true => [&line[..tag], &line[tag + blanks - 1..]].concat(),
        false => line.to_owned(),
    }
}

/// Parses a line of rhash with several digests, `NAME  HEX  HEX`, or of its option --sfv with one,
/// `NAME HEX`. The length of a digest tells its hash: the one that was asked for, else the usual
/// one of that length. A tagged line that was refused, `TAG (NAME) = HEX`, is not taken for one of
/// --sfv.
fn rhash(line: &[u8], asked: Named) -> Option<Result<Record, String>> {
    let mut rest = line;
    let mut digests: Vec<(Algorithm, Vec<u8>)> = Vec::new();
    let mut unclear = None;
    let is_first = |rest: &[u8]| rest.len() == line.len();
    let sfv = |rest| column(rest, b" ").filter(|(name, _)| is_first(rest) && !name.ends_with(b"="));
    let is_sfv = column(line, b"  ").is_none();
    while let Some((name, digest)) = column(rest, b"  ").or_else(|| sfv(rest)) {
        rest = name;
        let usual = match digest.len() {
            // CRC32, which is not computed here.
            4 => continue,
            16 => "md5",
            20 => "sha1",
            32 => "sha256",
            48 => "sha384",
            64 => "sha512",
            _ => "",
        };
        let asked = asked.hash();
        let algorithm = match digest.len() == asked.digest_bytes() {
            true => Some(asked),
            false => usual.parse().ok(),
        };
        match algorithm {
            Some(new) if digests.iter().all(|(old, _)| *old != new) => {
                digests.insert(0, (new, digest));
            }
            // A second digest of this hash, or a length for which there is no usual hash.
            _ => unclear = Some(digest.len()),
        }
    }
    if rest.is_empty() {
        return None;
    }
    // With single blanks, a word before the digest may be another digest or the end of the name.
    if is_sfv && !digests.is_empty() && column(rest, b" ").is_some() {
        unclear = Some(0);
    }
    let why = match unclear {
        Some(28) => {
            "a column of 56 digits is of SHA-224 or of SHA3-224: say which by -a, or let rhash \
             --bsd write names beside them"
        }
        _ if digests.is_empty() => return None,
        Some(_) => "its columns cannot be told apart; rhash --bsd writes names beside them",
        None => return Some(Ok(Record { name: rest.to_owned(), digests, ..Record::default() })),
    };
    Some(Err(why.into()))
}

/// What stands before the last column of a line, and the digest in it.
fn column<'l>(line: &'l [u8], blanks: &[u8]) -> Option<(&'l [u8], Vec<u8>)> {
    let at = line.windows(blanks.len()).rposition(|bytes| bytes == blanks)?;
    let digest = from_hex(&line[at + blanks.len()..]).filter(|digest| digest.len() >= 4)?;
    Some((&line[..at], digest))
}

/// Whether a line is one of an SFV file: a name and eight digits.
fn is_crc32(line: &[u8]) -> bool {
    let Some(at) = line.iter().rposition(|&byte| byte == b' ') else { return false };
    line.len() - at == 9 && line[at + 1..].iter().all(u8::is_ascii_hexdigit)
}

/// A line of JSON as `manylane sum --json` prints it; nothing where it says that a file had no
/// digest.
fn json(line: &[u8]) -> Result<Option<Record>, String> {
    let object: Object =
        serde_json::from_slice(line).map_err(|error| format!("not JSON: {error}"))?;
    let text = |key: &str| object.get(key).and_then(|value| value.as_str());
    let name = match text("file_base64") {
        Some(name) => BASE64_STANDARD.decode(name).map_err(|error| error.to_string())?,
        None => text("file").ok_or("an object without a file")?.as_bytes().to_owned(),
    };
    if text("error").is_some() && !object.contains_key("digests") {
        return Ok(None);
    }
    let found = object.get("digests").and_then(|digests| digests.as_object());
    let found = found.filter(|found| !found.is_empty()).ok_or("an object without digests")?;
    let mut digests = Vec::new();
    for (key, digits) in found {
        let named = names::parse(key);
        let named = named
            .map_err(|error| error.to_string().lines().next().unwrap_or_default().to_owned())?;
        let Named::Hash(algorithm) = named else {
            return Err(format!("{key} needs a key, which lists of JSON cannot be checked with"));
        };
        let digest = digits.as_str().and_then(|digits| from_hex(digits.as_bytes()));
        let digest = digest.filter(|digest| digest.len() == algorithm.digest_bytes());
        digests.push((algorithm, digest.ok_or_else(|| format!("not a digest of {key}"))?));
    }
    let time = |key: &str| text(key).and_then(from_seconds);
    let size = object.get("size").and_then(|size| size.as_u64());
    Ok(Some(Record { name, digests, size, times: time("modified").zip(time("changed")) }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    /// Lists of every form in which bytes were changed, left out or doubled are read to their end.
    /// Each item is a record, a comment or a fault.
    #[test]
    fn damaged_lists_are_read_to_their_end() {
        let (md5, sha1) = ("0123456789abcdef".repeat(2), "01234567".repeat(5));
        let lists = [
            format!("#manylane: 4 -1.000000005 17.123456789\n{md5}  a\n\\{md5}  a\\nb\n"),
            format!("MD5 (a) = {md5}\nSHA1   (b) = {sha1}\n; comment\nc  {md5}  {sha1}\n"),
            format!("%%%% HASHDEEP-1.0\n%%%% size,md5,sha1,filename\n## x\n7,{md5},{sha1},a,b\n"),
            format!(
                "{{\"file\":\"a\",\"digests\":{{\"md5\":\"{md5}\"}},\"size\":1,\
                 \"modified\":\"1.000000000\"}}\n"
            ),
        ];
        let mut state = 1u64;
        let mut below = |end: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 33) as usize % end
        };
        let mut faults = 0;
        for list in lists {
            for _ in 0..300 {
                let mut bytes = list.clone().into_bytes();
                for _ in 0..1 + below(4) {
                    let at = below(bytes.len());
                    match below(4) {
                        0 => bytes[at] = below(256) as u8,
                        1 => bytes[at] = b" ,\\(){}\"\r\n-."[below(12)],
                        2 => _ = bytes.drain(at..bytes.len().min(at + 1 + below(9))),
                        _ => bytes.insert(at, bytes[below(bytes.len())]),
                    }
                    if bytes.is_empty() {
                        bytes.push(b'\n');
                    }
                }
                let mut file = tempfile::NamedTempFile::new().unwrap();
                file.write_all(&bytes).unwrap();
                let parser = Parser::new("md5".parse().unwrap());
                let mut reader = Reader::open(file.path(), parser).unwrap();
                // A change of the first two bytes may make the mark of another encoding, which is
                // refused.
                while let Ok(Some(item)) = reader.next_item() {
                    match item {
                        Item::Record(record) => assert!(!record.digests.is_empty()),
                        Item::Comment(line) => {
                            assert!(line.starts_with(b"#") || line.trim_ascii().is_empty());
                        }
                        Item::Fault(number, why) => {
                            assert!(number > 0 && !why.is_empty());
                            faults += 1;
                        }
                    }
                }
            }
        }
        assert!(faults > 300, "{faults}");
    }
}
