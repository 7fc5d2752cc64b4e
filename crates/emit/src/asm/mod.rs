//! Assembly for the S12X, a microcontroller with two unlike cores, CPU12X and XGATE: complete
//! programs.
//!
//! ```text
//!  Hash ── compression ──► cpu12x: P_compress ─────────────────┐
//!       ── framing ──────► cpu12x: P_init, P_update, P_final ──┼──► files of a folder
//!       ── definition ───► known answers: P_self_test ─────────┘
//! ```
//!
//! The text is for GNU as. The caller assembles it and adds the bytes of XGATE's part, because this
//! crate knows no encodings.

mod backend;
mod cipher;
mod error;
mod folder;
mod header;
mod made;
mod name;
mod readme;
mod selftest;
mod usage;

pub use crate::cpu12x::{IMAGE, Modes};
pub use crate::xgate::Written;
pub use crate::xgate::{Ahead, Ring, SharedBlocks};
pub use backend::{Assembly, ThreadSize, thread};
pub use cipher::{CipherAssembly, as_compression, cipher_threads, lean_cipher_threads};
pub use error::Error;
pub use made::{Layout, Made, Shared};
pub use manylane_graph::calls::Keyed;
pub use name::{check_prefix, hash_prefix};
pub use usage::Usage;

use manylane_graph::framing::Stream;
use manylane_plan::program::Program;

/// The cores that compute.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Cores {
    /// The CPU alone.
    #[default]
    Cpu,
    /// XGATE computes, and the CPU waits for it, a bounded time.
    Xgate,
    /// XGATE computes; meanwhile the CPU computes its [`Share`] if it has one, copies and pads, and
    /// the application goes on.
    Both,
}

manylane_graph::names! { Cores:
    /// Its name on the command line.
    Cpu "cpu", Xgate "xgate", Both "both",
}

/// The description of a hash function.
#[derive(Clone, Copy)]
pub struct Hash<'s> {
    /// The framing of its messages and the form of its output.
    pub stream: &'s Stream,
    /// One call of the compression on the CPU, in words as wide as the definition's.
    pub cpu: &'s Program,
    /// XGATE's [`thread`], if it is to compute.
    pub xgate: Option<&'s Written>,
    /// The part that the CPU computes ahead while XGATE computes, if both work.
    pub ahead: Option<&'s Share>,
    /// The digest by the definition, for known answers.
    pub digest: &'s dyn Fn(&[u8]) -> Vec<u8>,
    /// HMAC of a key and a message by the definition, if HMAC with the hash is to be written.
    pub mac: Option<Keyed<'s>>,
}

/// The description of a block cipher on words. Its blocks have two words, and the key is mixed into
/// a table that begins as a constant.
#[derive(Clone, Copy)]
pub struct Cipher<'c> {
    /// The cipher's name, for errors. The names of its programs do not do, because they give the
    /// key's size in whole words.
    pub name: &'c str,
    /// Key expansion, encryption of a block, decryption of one: on the CPU, as [`as_compression`]
    /// makes them.
    pub cpu: [&'c Program; 3],
    /// XGATE's [`cipher_threads`], if it is to compute.
    pub xgate: Option<&'c [Written; 3]>,
    /// The table before the key is mixed in: each word is the sum of the one before and a constant.
    pub table: &'c [u64],
    /// Bytes of a key.
    pub key_bytes: usize,
    /// The encryption of whole blocks in mode ECB by the definition, for known answers.
    pub encrypt: Keyed<'c>,
}

/// The CPU's share of XGATE's compressions: the operations on a block that do not need the chaining
/// value.
#[derive(Clone, Debug)]
pub struct Share {
    /// The CPU's program, from the block to the words that XGATE takes.
    pub cpu: Program,
    /// XGATE's thread for whole blocks, which continues with [`Share::rest`]. `None` if the CPU
    /// computes the words of every block; then labels of the other thread have the prefix alone.
    pub whole: Option<Written>,
    /// XGATE's thread for these words.
    pub rest: Written,
    /// One block in this many is made of words that the CPU computes. 1 means all blocks but the
    /// first.
    pub every: usize,
    /// Whether the CPU's part is to be small rather than fast.
    pub is_small: bool,
}

/// The texts that are written beside the code.
#[derive(Clone, Copy, Debug)]
pub struct About<'a> {
    /// The primitive's title: `SHA-256`.
    pub title: &'a str,
    /// The document that defines it.
    pub standard: &'a str,
    /// A warning about its security, if it needs one.
    pub warning: Option<&'a str>,
    /// The command line that makes the folder.
    pub command: &'a str,
    /// The prefix of labels and of names in C; see [`check_prefix`].
    pub prefix: &'a str,
    /// Bytes of code and constants, if they are known.
    pub code_bytes: Option<usize>,
    /// Bus cycles of one compression, or of one block of a cipher, on the CPU, if the CPU has code
    /// for it and they are known.
    pub block_cycles: Option<u64>,
    /// The measurements of runs.
    pub figures: &'a [Figure],
}

/// The measurements of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Figure {
    /// Bytes of the message.
    pub length: usize,
    /// Calls of the compression.
    pub blocks: usize,
    /// Bus cycles of init, update and final.
    pub cycles: u64,
    /// Bytes of stack that were used.
    pub stack_bytes: usize,
}

/// The longest digest in bytes for which a program is written.
pub const MOST_DIGEST_BYTES: usize = 1024;
