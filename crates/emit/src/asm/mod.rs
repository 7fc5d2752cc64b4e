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
mod name;
mod readme;
mod selftest;
mod usage;

pub use crate::cpu12x::{IMAGE, Modes};
pub use crate::xgate::Written;
pub use crate::xgate::{Ahead, Ring, Turns};
pub use backend::{Assembly, lean_thread, smallest_thread, thread, thread_with};
pub use cipher::{CipherAssembly, as_compression, cipher_threads, lean_cipher_threads};
pub use error::Error;
pub use manylane_graph::calls::Keyed;
pub use name::{check_prefix, hash_prefix};
pub use usage::Usage;

use manylane_graph::framing::Stream;
use manylane_plan::program::Program;
use std::fmt;
use std::ops::Range;

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

impl Cores {
    /// All choices of cores.
    pub const ALL: &'static [Self] = &[Self::Cpu, Self::Xgate, Self::Both];

    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Cpu => "cpu",
            Self::Xgate => "xgate",
            Self::Both => "both",
        }
    }
}

impl fmt::Display for Cores {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
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
    /// The cipher's name, for errors. The names of its functions round the key up to whole words.
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
    /// Bus cycles of one compression, or of one block of a cipher, on the CPU, if it has one and
    /// they are known.
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

/// The addresses of a program's parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    /// The first address of code and constants.
    pub code: u16,
    /// The first address of the work area, in RAM that needs no page. The area moves behind XGATE's
    /// code if that code reaches further.
    pub work: u16,
    /// The stack's first address, one behind its last byte.
    pub stack: u16,
}

/// The memory map of an MC9S12XDT512 after a reset: code in flash from 0x4000 on, the work area in
/// RAM that both cores see at one address.
impl Default for Layout {
    fn default() -> Self {
        Self { code: 0x4000, work: 0x2000, stack: 0x4000 }
    }
}

impl Layout {
    /// The layout with the work area behind XGATE's code, which ends before `image_end`; `None` if
    /// that is beyond the last address.
    fn behind(self, image_end: usize) -> Option<Self> {
        let end = u16::try_from(image_end.next_multiple_of(2)).ok()?;
        Some(Self { work: self.work.max(end), ..self })
    }
}

/// The longest digest in bytes for which a program is written.
pub const MOST_DIGEST_BYTES: usize = 1024;

/// What the CPU computes of XGATE's blocks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Shared {
    /// Number of words that the CPU computes for a block, 0 if it has no share.
    pub words: usize,
    /// One block in this many has such words.
    pub every: usize,
    /// Whether the first block has them too.
    pub is_each: bool,
}

/// The texts of a program, and the facts about it.
#[derive(Clone, Debug, Default)]
pub struct Made {
    /// The CPU's part: what an application needs.
    pub cpu: String,
    /// XGATE's part, if it computes.
    pub xgate: Option<String>,
    /// Whether the CPU computes what XGATE does not finish in time.
    pub falls_back: bool,
    /// The self-test, and a start that runs it.
    pub selftest: String,
    /// The declarations for C.
    pub header: String,
    /// Whether XGATE gets one block at a time.
    pub is_by_block: bool,
    /// The CPU's share of XGATE's blocks.
    pub shared: Shared,
    /// Bytes of XGATE's part in RAM, 0 if it does not compute.
    pub image_bytes: usize,
    /// XGATE's clocks of a block without waits, 0 if it does not compute.
    pub clocks: usize,
    /// The addresses of the program's parts.
    pub layout: Layout,
    /// The RAM that is left to an application, as addresses of the CPU.
    pub ram: Range<u16>,
    /// The kind of the program.
    pub usage: Usage,
    /// Bytes of a context.
    pub context_bytes: usize,
    /// Bytes of the work area, without the self-test's.
    pub work_bytes: usize,
    /// Bytes of RAM that the self-test needs behind the work area.
    pub test_bytes: usize,
    /// Number of known answers that the self-test computes.
    pub answers: usize,
}

impl Made {
    /// The whole text of the CPU, as one file to assemble.
    pub fn whole(&self) -> String {
        format!("{}\n{}", self.cpu, self.selftest)
    }
}
