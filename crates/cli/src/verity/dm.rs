//! dm-verity's header and tree (Linux' Documentation/admin-guide/device-mapper/verity.rst,
//! cryptsetup's on-disk format):
//!
//! ```text
//! │ header, zeros to the end of a block │ highest level │ … │ level 0: digests of the data │
//! ```

use super::file::{Form, from_hex, hash_file, hex, of_file, open, title};
use crate::lines;
use crate::os;
use crate::output::Output;
use anyhow::{Context, anyhow, bail};
use std::fs::File;
use std::io::{self, Seek, SeekFrom, Write};
use std::path::Path;

/// Bytes of the salt's place in the header.
const MAX_SALT: usize = 256;
/// Bytes of a salt that nobody chose, as veritysetup has it.
const SALT_BYTES: usize = 32;

/// What the header says beside the sizes.
pub struct Header {
    salt: Vec<u8>,
    uuid: [u8; 16],
}

impl Header {
    pub fn new(form: &Form, salt: Option<Vec<u8>>, uuid: Option<&str>) -> anyhow::Result<Self> {
        let random = |bytes: &mut [u8]| {
            getrandom::fill(bytes).map_err(|error| anyhow!("no random bytes: {error}"))
        };
        let salt = match salt {
            Some(salt) => salt,
            None => {
                let mut salt = vec![0; SALT_BYTES];
                random(&mut salt)?;
                salt
            }
        };
        let most = MAX_SALT.min(form.block_bytes);
        if salt.len() > most {
            bail!("a salt of {} bytes: dm-verity takes at most {most}", salt.len());
        }
        let uuid = match uuid {
            Some(text) => parse_uuid(text)
                .with_context(|| format!("UUID {text}: 32 hexadecimal digits are needed"))?,
            None => {
                let mut uuid = [0; 16];
                random(&mut uuid)?;
                // Version 4 and variant 1 (RFC 9562 §5.4).
                uuid[6] = uuid[6] & 0x0f | 0x40;
                uuid[8] = uuid[8] & 0x3f | 0x80;
                uuid
            }
        };
        Ok(Self { salt, uuid })
    }

    /// The header's bytes, struct verity_sb.
    fn bytes(&self, form: &Form, blocks: u64) -> Vec<u8> {
        let block_bytes = (form.block_bytes as u32).to_le_bytes();
        let mut header = b"verity\0\0".to_vec();
        header.extend_from_slice(&1u32.to_le_bytes());
        // The salt precedes the block, and digests begin at powers of two.
        header.extend_from_slice(&1u32.to_le_bytes());
        header.extend_from_slice(&self.uuid);
        header.extend_from_slice(form.algorithm.to_string().as_bytes());
        header.resize(64, 0);
        header.extend_from_slice(&block_bytes);
        header.extend_from_slice(&block_bytes);
        header.extend_from_slice(&blocks.to_le_bytes());
        header.extend_from_slice(&(self.salt.len() as u16).to_le_bytes());
        header.extend_from_slice(&[0; 6]);
        header.extend_from_slice(&self.salt);
        header.resize(512, 0);
        header
    }

    fn uuid(&self) -> String {
        let digits = hex(&self.uuid);
        let parts = [0..8, 8..12, 12..16, 16..20, 20..32].map(|part| &digits[part]);
        parts.join("-")
    }
}

fn parse_uuid(text: &str) -> Option<[u8; 16]> {
    from_hex(&text.replace('-', ""))?.try_into().ok()
}

/// Writes header and tree of the data to a new file, which gets its name when it is whole, and
/// prints what veritysetup prints.
pub fn format(
    form: &Form,
    header: &Header,
    data: &Path,
    tree: &Path,
    force: bool,
    json: bool,
    output: &mut Output,
) -> anyhow::Result<()> {
    let mut file = open(data)?;
    let bytes = file.seek(SeekFrom::End(0)).and_then(|end| file.rewind().map(|()| end));
    let bytes = bytes.map_err(|_| {
        anyhow!("{}: its length cannot be told; name a file or a block device", title(data))
    })?;
    let block_bytes = form.block_bytes as u64;
    if bytes == 0 || bytes % block_bytes != 0 {
        bail!(
            "{}: {bytes} bytes are no whole number of blocks of {block_bytes}; fill the file up, \
             or choose another --block-size",
            title(data)
        );
    }
    refuse_existing(data, &file, tree, force)?;
    let folder = match tree.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    let in_tree = |error: io::Error| of_file(tree, &error);
    let mut made = tempfile::Builder::new();
    let mut made = made.prefix(".manylane-").tempfile_in(folder).map_err(in_tree)?;

    let blocks = bytes / block_bytes;
    let places = places(form, blocks);
    let mut write =
        |at: u64, bytes: &[u8]| made.seek(SeekFrom::Start(at)).and_then(|_| made.write_all(bytes));
    let mut head = header.bytes(form, blocks);
    head.resize(form.block_bytes, 0);
    let mut written = write(0, &head);
    let digested = hash_file(form, &header.salt, data, &file, &mut |block| {
        // A file that grows while it is read may have more.
        if let (Ok(()), Some(level)) = (&written, places.get(block.level)) {
            written = write((level + block.index) * block_bytes, block.bytes);
        }
    })?;
    if digested.bytes != bytes {
        bail!("{}: its length changed while it was read", title(data));
    }
    written.map_err(in_tree)?;
    readable(made.as_file()).map_err(in_tree)?;
    match force {
        true => made.persist(tree).map_err(|error| in_tree(error.error))?,
        false => made.persist_noclobber(tree).map_err(|error| in_tree(error.error))?,
    };
    let root = hex(&digested.root);
    if json {
        let members = [
            ("root_hash", root.into()),
            ("uuid", header.uuid().into()),
            ("hash", form.algorithm.to_string().into()),
            ("salt", hex(&header.salt).into()),
            ("data_blocks", blocks.into()),
            ("block_size", form.block_bytes.into()),
        ];
        let names = [
            ("file", data.as_os_str().as_encoded_bytes()),
            ("tree", tree.as_os_str().as_encoded_bytes()),
        ];
        return Ok(output.write(&lines::json(&names, members))?);
    }
    let hash_blocks: u64 = digested.levels.iter().sum();
    let salt = if header.salt.is_empty() { "-".to_owned() } else { hex(&header.salt) };
    let text = format!(
        "VERITY header information for {}\n\
         UUID:            \t{}\n\
         Hash type:       \t1\n\
         Data blocks:     \t{blocks}\n\
         Data block size: \t{block_bytes}\n\
         Hash blocks:     \t{hash_blocks}\n\
         Hash block size: \t{block_bytes}\n\
         Hash algorithm:  \t{}\n\
         Salt:            \t{salt}\n\
         Root hash:      \t{root}\n\
         Hash device size: \t{} [bytes]\n",
        tree.display(),
        header.uuid(),
        form.algorithm,
        (1 + hash_blocks) * block_bytes,
    );
    Ok(output.write(text.as_bytes())?)
}

/// The block of the file at which each level begins, from the data up.
fn places(form: &Form, blocks: u64) -> Vec<u64> {
    let per_block = (form.block_bytes / form.algorithm.digest_bytes().next_power_of_two()) as u64;
    let mut counts = Vec::new();
    let mut count = blocks;
    while count > 1 {
        count = count.div_ceil(per_block);
        counts.push(count);
    }
    // The header takes the first block.
    let above = |level: usize| 1 + counts[level + 1..].iter().sum::<u64>();
    (0..counts.len()).map(above).collect()
}

/// Refuses to write over a file that nobody allowed to be lost, over the data, and to what is no
/// file.
fn refuse_existing(data: &Path, file: &File, tree: &Path, force: bool) -> anyhow::Result<()> {
    let Ok(found) = std::fs::metadata(tree) else { return Ok(()) };
    if !found.is_file() {
        bail!("{}: is no regular file; name a new one for the tree", title(tree));
    }
    let id = os::file_id(&found);
    if id.is_some() && id == file.metadata().ok().as_ref().and_then(os::file_id) {
        bail!("{}: is the data, {}; name another file for the tree", title(tree), title(data));
    }
    match force {
        true => Ok(()),
        false => bail!("{}: exists already; name another, or say --force", title(tree)),
    }
}

/// Gives a file the permissions of one that any program makes, not those of a temporary one.
#[cfg(unix)]
fn readable(file: &File) -> io::Result<()> {
    use rustix::fs::{Mode, fchmod};
    use rustix::process::umask;
    let mask = umask(Mode::empty());
    umask(mask);
    fchmod(file, Mode::from_raw_mode(0o666) & !mask)?;
    Ok(())
}

#[cfg(not(unix))]
fn readable(_: &File) -> io::Result<()> {
    Ok(())
}
