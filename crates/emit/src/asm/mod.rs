//! Assembly for the S12X, a microcontroller with two unlike cores, CPU12X and XGATE: complete
//! programs.
//!
//! ```text
//!  Hash ── compression ──► cpu12x: P_compress ─────────────────┐
//!       ── framing ──────► cpu12x: P_init, P_update, P_final ──┼──► files of a folder
//!       ── definition ───► known answers: P_self_test ─────────┘
//! ```
//!
//! The text is GNU as's. Who assembles it adds the bytes: this crate knows no encodings.

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
pub use backend::{Assembly, thread, thread_with};
pub use cipher::{CipherAssembly, as_compression, cipher_threads};
pub use error::Error;
pub use manylane_graph::calls::Keyed;
pub use name::{check_prefix, hash_prefix};
pub use usage::Usage;

use manylane_graph::framing::Stream;
use manylane_plan::program::Program;
use std::fmt;
use std::ops::Range;

/// Which cores compute.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Cores {
    /// The CPU alone.
    #[default]
    Cpu,
    /// XGATE computes, the CPU waits, a bounded time.
    Xgate,
    /// XGATE computes; meanwhile the CPU computes its [`Share`] if it has one, copies and pads, and
    /// the application goes on.
    Both,
}

impl Cores {
    /// All of them.
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

/// A hash function, as what is to be known of it.
#[derive(Clone, Copy)]
pub struct Hash<'s> {
    /// Its surroundings and its output.
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

/// A block cipher with words, as what is to be known of it: blocks have two words, and a key is
/// mixed into a table that begins as a constant.
#[derive(Clone, Copy)]
pub struct Cipher<'c> {
    /// Its name, for errors: those of its functions round the key up to whole words.
    pub name: &'c str,
    /// Key expansion, encryption of a block, decryption of one: on the CPU, as [`as_compression`]
    /// makes them.
    pub cpu: [&'c Program; 3],
    /// XGATE's [`cipher_threads`], if it is to compute.
    pub xgate: Option<&'c [Written; 3]>,
    /// The table before the key is mixed in: each word is the one before and a constant.
    pub table: &'c [u64],
    /// Bytes of a key.
    pub key_bytes: usize,
    /// The encryption of whole blocks in mode ECB by the definition, for known answers.
    pub encrypt: Keyed<'c>,
}

/// The share of the CPU in XGATE's compressions: what a block has before its chaining value.
#[derive(Clone, Debug)]
pub struct Share {
    /// From the block to the words that XGATE takes, on the CPU.
    pub cpu: Program,
    /// XGATE's thread for whole blocks, which goes on with [`Share::rest`].
    pub whole: Written,
    /// XGATE's thread for these words.
    pub rest: Written,
    /// Of so many blocks one is of words that the CPU computes; 1 is all but the first.
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
    /// What runs took.
    pub figures: &'a [Figure],
}

/// What a run took.
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

/// Where the program lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    /// The first address of code and constants.
    pub code: u16,
    /// The first address of the work area, in RAM that needs no page; behind XGATE's code, if that
    /// reaches further.
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
    /// With the work area behind XGATE's code, which ends before this address; none if that is
    /// behind the last address.
    fn behind(self, image_end: usize) -> Option<Self> {
        let end = u16::try_from(image_end.next_multiple_of(2)).ok()?;
        Some(Self { work: self.work.max(end), ..self })
    }
}

/// The longest digest in bytes for which a program is written.
pub const MOST_DIGEST_BYTES: usize = 1024;

/// The texts of a program, and what there is to know of it.
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
    /// Words of a block that the CPU computes for XGATE, and of how many blocks one is so shared; 0
    /// if none is.
    pub shared: (usize, usize),
    /// Bytes of XGATE's part in RAM, 0 if it does not compute.
    pub image_bytes: usize,
    /// XGATE's clocks of a block without waits, 0 if it does not compute.
    pub clocks: usize,
    /// Where the program lies.
    pub layout: Layout,
    /// RAM that is left to an application, the CPU's addresses.
    pub ram: Range<u16>,
    /// What it is called as.
    pub usage: Usage,
    /// Bytes of a context.
    pub context_bytes: usize,
    /// Bytes of the work area, without the self-test's.
    pub work_bytes: usize,
    /// Bytes of RAM that the self-test needs behind the work area.
    pub test_bytes: usize,
    /// How many known answers it computes.
    pub answers: usize,
}

impl Made {
    /// All of the CPU's text: one file to assemble.
    pub fn whole(&self) -> String {
        format!("{}\n{}", self.cpu, self.selftest)
    }
}
