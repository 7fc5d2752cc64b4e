//! fs-verity's file digest (Linux' Documentation/filesystems/fsverity.rst).

use super::data::{hash_file, length, open};
use super::parameters::TreeParameters;
use super::tree::{Target, TreeFile, finish_all};
use manylane_engine::hash;
use std::ffi::OsStr;
use std::path::Path;

/// Bytes of the descriptor's field for the salt.
pub const MAX_SALT: usize = 32;
/// Bytes of the descriptor's field for the root digest.
const ROOT_BYTES: usize = 64;

/// The digest of the descriptor of a file. The tree of blocks and the descriptor are written to
/// files if there are targets for them.
///
/// # Errors
/// If the file cannot be read or changes meanwhile, or a target cannot be written.
pub fn digest(
    form: &TreeParameters,
    salt: &[u8],
    name: &OsStr,
    tree: Option<&Target>,
    to_descriptor: Option<&Target>,
) -> anyhow::Result<Vec<u8>> {
    let data = open(Path::new(name))?;
    let mut made = tree.map(|tree| TreeFile::create(tree, &data)).transpose()?;
    let described = to_descriptor.map(|target| TreeFile::create(target, &data));
    let mut described = described.transpose()?;
    let bytes = made.is_some().then(|| length(&data)).transpose()?;
    if let (Some(made), Some(bytes)) = (&mut made, bytes) {
        made.begin(form, bytes.div_ceil(form.block_bytes as u64), &[]);
    }
    let block = form.algorithm.id().entry().shape.block_bytes;
    // The salt is padded with zeros to a block of the hash.
    let mut padded = salt.to_vec();
    padded.resize(salt.len().next_multiple_of(block), 0);
    let digested = hash_file(form, &padded, &data, bytes, &mut |block| {
        if let Some(made) = &mut made {
            made.write(block);
        }
    })?;
    let number = match form.algorithm.digest_bytes() {
        32 => 1,
        _ => 2,
    };
    // struct fsverity_descriptor
    let mut descriptor = vec![1, number, form.block_bytes.trailing_zeros() as u8, salt.len() as u8];
    descriptor.extend_from_slice(&[0; 4]);
    descriptor.extend_from_slice(&digested.bytes.to_le_bytes());
    descriptor.extend_from_slice(&digested.root);
    descriptor.resize(16 + ROOT_BYTES, 0);
    descriptor.extend_from_slice(salt);
    descriptor.resize(256, 0);
    if let Some(described) = &mut described {
        described.write_at(0, &descriptor);
    }
    finish_all(made.into_iter().chain(described))?;
    Ok(hash(form.algorithm, &descriptor))
}
