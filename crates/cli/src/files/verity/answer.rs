//! What is printed of a file's digest and of a tree.

use manylane_files::lists::lines::{self, hex};
use manylane_files::verity::TreeParameters;
use manylane_files::verity::dm::{Formatted, Header};
use std::ffi::OsStr;
use std::path::Path;

/// The line of a file's digest.
pub fn fs_line(
    form: &TreeParameters,
    digest: &[u8],
    name: &OsStr,
    compact: bool,
    json: bool,
) -> Vec<u8> {
    let digest = hex(digest);
    if json {
        let members = [
            ("hash", form.algorithm().to_string().into()),
            ("digest", digest.into()),
            ("block_size", form.block_bytes().into()),
        ];
        return lines::json(&[("file", name.as_encoded_bytes())], members);
    }
    let mut line = match compact {
        true => digest.into_bytes(),
        false => {
            let mut line = format!("{}:{digest} ", form.algorithm()).into_bytes();
            line.extend_from_slice(name.as_encoded_bytes());
            line
        }
    };
    line.push(b'\n');
    line
}

/// What veritysetup prints of a tree.
pub fn of_dm(
    form: &TreeParameters,
    header: &Header,
    made: &Formatted,
    [data, tree]: [&Path; 2],
    json: bool,
) -> Vec<u8> {
    let Formatted { root, data_blocks, hash_blocks } = made;
    let (root, block_bytes) = (hex(root), form.block_bytes() as u64);
    if json {
        let members = [
            ("root_hash", root.into()),
            ("uuid", header.uuid().into()),
            ("hash", form.algorithm().to_string().into()),
            ("salt", hex(header.salt()).into()),
            ("data_blocks", (*data_blocks).into()),
            ("block_size", block_bytes.into()),
        ];
        let names = [
            ("file", data.as_os_str().as_encoded_bytes()),
            ("tree", tree.as_os_str().as_encoded_bytes()),
        ];
        return lines::json(&names, members);
    }
    let salt = if header.salt().is_empty() { "-".to_owned() } else { hex(header.salt()) };
    let text = format!(
        "VERITY header information for {}\n\
         UUID:            \t{}\n\
         Hash type:       \t1\n\
         Data blocks:     \t{data_blocks}\n\
         Data block size: \t{block_bytes}\n\
         Hash blocks:     \t{hash_blocks}\n\
         Hash block size: \t{block_bytes}\n\
         Hash algorithm:  \t{}\n\
         Salt:            \t{salt}\n\
         Root hash:      \t{root}\n\
         Hash device size: \t{} [bytes]\n",
        tree.display(),
        header.uuid(),
        form.algorithm(),
        (1 + hash_blocks) * block_bytes,
    );
    text.into_bytes()
}
