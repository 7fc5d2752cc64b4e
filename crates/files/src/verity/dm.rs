//! dm-verity's header and tree (Linux' Documentation/admin-guide/device-mapper/verity.rst,
//! cryptsetup's on-disk format):
//!
//! ```text
//! │ header, zeros to the end of a block │ highest level │ … │ level 0: digests of the data │
//! ```

use super::data::{hash_file, length, open, title};
use super::parameters::TreeParameters;
use super::tree::{Target, TreeFile};
use crate::lists::lines::{from_hex, hex};
use crate::system::random;
use anyhow::{Context, bail};
use manylane_engine::tree::VerityBlock;
use std::path::Path;

/// Bytes of the header's field for the salt.
const MAX_SALT: usize = 256;
/// Bytes of a random salt, as in veritysetup.
const SALT_BYTES: usize = 32;

/// The fields of the header besides the sizes.
#[derive(Clone, Debug)]
pub struct Header {
    salt: Vec<u8>,
    uuid: [u8; 16],
}

/// The tree that was written.
#[derive(Clone, Debug)]
pub struct Formatted {
    /// The digest of the highest level, which is passed to the kernel.
    pub root: Vec<u8>,
    /// Blocks of the data.
    pub data_blocks: u64,
    /// Blocks of the tree, without the header.
    pub hash_blocks: u64,
}

impl Header {
    /// A header with this salt and this UUID; either is drawn at random if it is not given.
    ///
    /// # Errors
    /// If the salt is too long, the UUID is malformed, or there are no random bytes.
    pub fn new(
        form: &TreeParameters,
        salt: Option<Vec<u8>>,
        uuid: Option<&str>,
    ) -> anyhow::Result<Self> {
        let salt = match salt {
            Some(salt) => salt,
            None => {
                let mut salt = vec![0; SALT_BYTES];
                random::fill(&mut salt)?;
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
                random::fill(&mut uuid)?;
                // Version 4 and variant 1 (RFC 9562 §5.4).
                uuid[6] = uuid[6] & 0x0f | 0x40;
                uuid[8] = uuid[8] & 0x3f | 0x80;
                uuid
            }
        };
        Ok(Self { salt, uuid })
    }

    /// The header's bytes, struct verity_sb.
    fn bytes(&self, form: &TreeParameters, blocks: u64) -> Vec<u8> {
        let block_bytes = (form.block_bytes as u32).to_le_bytes();
        let mut header = b"verity\0\0".to_vec();
        header.extend_from_slice(&1u32.to_le_bytes());
        // Hash type 1: the salt precedes the block, and digests begin at powers of two.
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

    /// The salt.
    pub fn salt(&self) -> &[u8] {
        &self.salt
    }

    /// The UUID, in the usual form.
    pub fn uuid(&self) -> String {
        let digits = hex(&self.uuid);
        let parts = [0..8, 8..12, 12..16, 16..20, 20..32].map(|part| &digits[part]);
        parts.join("-")
    }
}

fn parse_uuid(text: &str) -> Option<[u8; 16]> {
    from_hex(text.replace('-', "").as_bytes())?.try_into().ok()
}

/// Writes header and tree of the data to a new file.
///
/// # Errors
/// If the data cannot be read, change meanwhile or are no whole number of blocks, or the file
/// cannot be written.
pub fn format(
    form: &TreeParameters,
    header: &Header,
    data: &Path,
    tree: &Target,
) -> anyhow::Result<Formatted> {
    let opened = open(data)?;
    let bytes = length(&opened)?;
    let block_bytes = form.block_bytes as u64;
    if bytes == 0 {
        bail!("{}: is empty, and dm-verity needs a block of data at least", title(data));
    }
    if bytes % block_bytes != 0 {
        bail!(
            "{}: {bytes} bytes are no whole number of blocks of {block_bytes}; fill the file up, \
             or choose another --block-size",
            title(data)
        );
    }
    let blocks = bytes / block_bytes;
    let mut head = header.bytes(form, blocks);
    head.resize(form.block_bytes, 0);
    let mut made = TreeFile::create(tree, &opened)?;
    made.begin(form, blocks, &head);
    let mut sink = |block: VerityBlock| made.write(block);
    let digested = hash_file(form, &header.salt, &opened, Some(bytes), &mut sink)?;
    made.finish()?;
    let hash_blocks = digested.levels.iter().sum();
    Ok(Formatted { root: digested.root, data_blocks: blocks, hash_blocks })
}
