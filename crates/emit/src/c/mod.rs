//! C99: a library for one primitive, from the graphs of its functions.
//!
//! ```text
//!  Hash    ── compression ──► body: static void P_compress(...) ─┐
//!          ── framing ──────► context, init, update, final ──────┼──► files of a folder
//!  Cipher  ── expansion, both directions of a block ──► modes ───┘    sources, self-test, packages
//! ```
//!
//! What is written is freestanding C99 without heap, recursion or mutable globals. Every name at
//! file scope begins with the library's prefix P, so that several libraries fit into one program.

mod backend;
mod body;
mod cipher;
mod expr;
mod folder;
mod hash;
mod helpers;
mod names;
mod packaging;
mod readme;
mod signature;
mod templates;
mod text;

pub use backend::Library;
pub use cipher::SHARE as CIPHER_SHARE;
pub use folder::Folder;
pub use manylane_graph::calls::Keyed;
pub use names::check_prefix;
pub use packaging::Packaging;

use manylane_graph::framing::Stream;
use manylane_plan::program::Program;

/// The primitive that a library computes.
#[derive(Clone, Copy)]
pub enum Subject<'s> {
    /// A hash function; `mac` adds HMAC in files of its own.
    Hash {
        /// The hash.
        hash: &'s Hash<'s>,
        /// HMAC by the definition: key and message to MAC.
        mac: Option<Keyed<'s>>,
    },
    /// A block cipher of two-word blocks.
    Cipher(&'s Cipher<'s>),
}

impl<'s> Subject<'s> {
    /// The programs that a library consists of.
    fn programs(&self) -> Vec<&'s Program> {
        let of = |programs: Programs<'s>| [Some(programs.one), programs.two].into_iter().flatten();
        match self {
            Self::Hash { hash, .. } => of(hash.compression).collect(),
            Self::Cipher(cipher) => {
                let alone = [cipher.expansion, cipher.encryption, cipher.decryption];
                alone.into_iter().chain(cipher.beside.into_iter().flat_map(of)).collect()
            }
        }
    }
}

/// A hash function: what a library needs to know of it.
#[derive(Clone, Copy)]
pub struct Hash<'s> {
    /// The framing of its messages and the form of its output.
    pub stream: &'s Stream,
    /// One call of the compression: inputs `h`, `m` and, if it is counted, the counter's words;
    /// outputs `h`.
    pub compression: Programs<'s>,
    /// The digest by the definition, for known answers.
    pub digest: &'s dyn Fn(&[u8]) -> Vec<u8>,
}

/// One function, planned for one core and for two.
#[derive(Clone, Copy)]
pub struct Programs<'p> {
    /// The program of one core.
    pub one: &'p Program,
    /// The program with a share for a second core, if there is one.
    pub two: Option<&'p Program>,
}

/// A block cipher whose key is expanded to a table of words. A block is two words, in little-endian
/// order of bytes.
#[derive(Clone, Copy)]
pub struct Cipher<'s> {
    /// Bits of a word.
    pub word_bits: u8,
    /// Mixes the key's words `l` into the table `s`; outputs `s`.
    pub expansion: &'s Program,
    /// The table before the key is mixed in.
    pub table: &'s [u64],
    /// Encrypts the words `p` under the table `s`; outputs `c`.
    pub encryption: &'s Program,
    /// Decrypts the words `p` under the table `s`; outputs `c`.
    pub decryption: &'s Program,
    /// Key expansion beside the encryption of a message's first blocks, where that is planned for
    /// two cores: inputs are the key's words `l` and the blocks' words `p`, outputs the encrypted
    /// words `c` and the table `s`.
    pub beside: Option<Programs<'s>>,
    /// Bytes of a key.
    pub key_bytes: usize,
    /// Encryption of whole blocks one by one by the definition, key first, for known answers.
    pub encrypt: Keyed<'s>,
}

/// The texts that are written beside the code.
#[derive(Clone, Debug)]
pub struct About<'a> {
    /// The primitive's title: `SHA-256`.
    pub title: &'a str,
    /// The document that defines it.
    pub standard: &'a str,
    /// A warning about its security, if it needs one.
    pub warning: Option<&'a str>,
    /// The command line that makes the folder.
    pub command: &'a str,
    /// The prefix of the names in C; see [`check_prefix`].
    pub prefix: &'a str,
    /// The prefix of the names of the hash under an HMAC; for a hash alone `prefix` again.
    pub hash_prefix: &'a str,
    /// Figures of runs, as a table of Markdown, if there are any.
    pub measured: Option<&'a str>,
}

/// How a library is to be made.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// How bytes are substituted.
    pub tables: Tables,
    /// Whether a second core takes a share.
    pub cores: Cores,
    /// The build systems that the folder has files for.
    pub packaging: Vec<Packaging>,
}

/// How an S-box is computed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tables {
    /// A circuit on the bits of a word: no memory access depends on data.
    #[default]
    Bitwise,
    /// A constant table of 256 bytes: faster, but its addresses depend on data.
    Lookup,
}

manylane_graph::names! { Tables:
    /// Its name on the command line.
    Bitwise "bitwise", Lookup "lookup",
}

/// How many cores compute one block.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Cores {
    /// One.
    #[default]
    One,
    /// Two, where the second one is free; else one.
    Two,
}

/// C functions that compute one function of a graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Body {
    /// Their text. Helpers, such as rotations, are called and not defined in it.
    pub text: String,
    /// What both cores have in common, if there are two.
    pub shared: Option<Shared>,
}

/// Memory that both cores of a [`Body`] use, and the numbers of its hand-overs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shared {
    /// Declarations of the C fields that several hand-overs of a block use one after another, and
    /// of the flags, a line each. They come first, where short instructions reach them.
    pub reused_fields: Vec<String>,
    /// Declarations of the other C fields for the hand-overs of a block, a line each.
    pub fields: Vec<String>,
    /// How many blocks may be under way: each has these fields and its words.
    pub slots: usize,
    /// Bytes of all these fields.
    pub bytes: usize,
    /// Hand-overs in one call.
    pub handshakes: usize,
    /// How much the numbers of hand-overs grow with a call.
    pub numbers_per_call: usize,
    /// Whether each hand-over of a call has a flag of its own.
    pub has_flags: bool,
    /// Whether a share has the words of the block in variables all the time.
    pub keeps_words: bool,
    /// The statements with which the main core gives a block's words, and what else a share needs.
    pub give: Vec<String>,
    /// The statements with which the main core gives the words that the share reads only after its
    /// first wait.
    pub give_late: Vec<String>,
    /// Whether these statements write the words and the chaining value through pointers `words` and
    /// `chaining` to their arrays.
    pub by_pointers: bool,
    /// Whether the second core is done with a call's slot when the main core receives the call's
    /// last hand-over.
    pub ends_in_post: bool,
}

/// The reasons for which there is no library.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// A prefix that C names cannot begin with.
    #[error(
        "c: --name {name:?} {why}; a name has ASCII letters, digits and single underscores, begins \
         with a letter, and is no word of C, C++ or their libraries"
    )]
    Name {
        /// The name.
        name: String,
        /// Why not.
        why: String,
    },
    /// An operation without an expression in C.
    #[error(
        "c: {function} has a node {node} of the operation {op}, which C has no expression for; \
         {remedy}"
    )]
    Op {
        /// The function.
        function: String,
        /// The node.
        node: String,
        /// The operation.
        op: &'static str,
        /// What to do.
        remedy: &'static str,
    },
    /// Words of a width without an integer in C.
    #[error(
        "c: {function} has a node {node} of {width} bits; there are integers of 8, 16, 32 and 64 \
         bits"
    )]
    Width {
        /// The function.
        function: String,
        /// The node.
        node: String,
        /// The width.
        width: u8,
    },
    /// A part of a hash that the library around a compression cannot write.
    #[error("c: {function}: {what}, for which no C is written")]
    Form {
        /// The function.
        function: String,
        /// The part.
        what: &'static str,
    },
    /// There is no work for a second core.
    #[error("c: {function} --cores 2: {why}; take --cores 1")]
    Cores {
        /// The function.
        function: String,
        /// Why not.
        why: &'static str,
    },
}
