//! A program as a hash, as HMAC or as a cipher: its functions, header, and texts in the README.

use super::header;
use super::{About, Cores, Hash, Modes};

/// The kind of a program.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Usage {
    /// A hash: init, update, final.
    #[default]
    Hash,
    /// HMAC with a hash: init with a key, update, final.
    Mac,
    /// A block cipher: key expansion, blocks and modes.
    Cipher {
        /// Bytes of a key.
        key_bytes: usize,
        /// The modes that have functions.
        modes: Modes,
    },
}

impl Usage {
    /// The functions in a few words.
    pub(super) fn functions(self, p: &str) -> String {
        match self {
            Self::Hash | Self::Mac => format!("`{p}_init`, `{p}_update`, `{p}_final`"),
            Self::Cipher { modes: Modes::All, .. } => {
                format!("`{p}_init`, blocks, ECB, CBC and CTR")
            }
            Self::Cipher { modes: Modes::Ecb, .. } => format!("`{p}_init`, blocks and ECB"),
            Self::Cipher { modes: Modes::Block, .. } => {
                format!("`{p}_init`, `{p}_encrypt_block`, `{p}_decrypt_block`")
            }
        }
    }

    /// The statements of an example in C, after the declaration of a context.
    pub(super) fn example(self, p: &str, begin: &str, falls_back: bool) -> String {
        let upper = p.to_uppercase();
        let init = match self {
            Self::Hash => format!("{p}_init(&c);"),
            Self::Mac => format!("{p}_init(&c, key, key_length);"),
            Self::Cipher { modes, .. } => {
                let init = format!("{p}_init(&c, key)");
                let encrypts = match modes {
                    Modes::All => format!("{p}_ctr(&c, counter, data, length)"),
                    Modes::Ecb | Modes::Block => format!("{p}_encrypt_block(&c, in, out)"),
                };
                return match falls_back {
                    true => format!(
                        "{begin}{init};                  /* once for each key */\n{encrypts};\n"
                    ),
                    false => format!(
                        "{begin}/* {p}_init once for each key */\n\
                         if ({init} == {upper}_LATE || {encrypts} == {upper}_LATE) {{ /* XGATE \
                         was late */ }}\n"
                    ),
                };
            }
        };
        let last = match falls_back {
            true => format!("{p}_final(&c, digest);"),
            false => {
                format!("if ({p}_final(&c, digest) != {upper}_OK) {{ /* XGATE was late */ }}")
            }
        };
        format!(
            "uint8_t digest[{upper}_DIGEST_BYTES];\n{begin}{init}\n\
             {p}_update(&c, piece, piece_length);\n{last}\n"
        )
    }

    /// Says what the functions leave in memory, and on what their time depends.
    pub(super) fn left(self) -> &'static str {
        match self {
            Self::Hash => {
                "\
What a message leaves there and in its context is not cleared: an application with secrets
does so.

No branch and no address depends on the message's bytes but those of tables. The chip has no cache,
so these take the same time too. How long a message is, and into which pieces it is cut, can be
seen."
            }
            Self::Mac => {
                "\
`init` and `final` overwrite the key's blocks, and `final` the context. The chaining values that
the hash leaves in its work area, and XGATE in its memory, are not cleared: an application that
needs it does so.

No branch and no address depends on the bytes of key and message but those of tables. The chip has
no cache, so these take the same time too. How long they are, and into which pieces a message is
cut, can be seen."
            }
            Self::Cipher { .. } => {
                "\
`init` overwrites the key's bytes there. The expanded key and blocks stay in the work area, in
XGATE's memory and in the context: an application that needs it clears them.

No branch depends on the bytes of key and data. Rotations by amounts that do read tables and limbs
at addresses that depend on them; the chip has no cache, so these take the same time too. How long
the data are can be seen."
            }
        }
    }

    /// Says which functions were measured.
    pub(super) fn measured(self) -> &'static str {
        match self {
            Self::Hash => "init, update and final",
            Self::Mac => "init with a key of 32 bytes, update and final",
            Self::Cipher { modes: Modes::All, .. } => "the key's expansion and mode CTR",
            Self::Cipher { modes: Modes::Ecb, .. } => {
                "the key's expansion and mode ECB, with zeros behind a message of no whole blocks"
            }
            Self::Cipher { modes: Modes::Block, .. } => {
                "the key's expansion and each block alone, with zeros behind a message of no whole \
                 blocks"
            }
        }
    }
}

/// The header of a hash, or of HMAC with it.
pub(super) fn header(
    about: &About<'_>,
    cores: Cores,
    falls_back: bool,
    hash: &Hash<'_>,
    context_bytes: usize,
) -> String {
    let p = about.prefix;
    let upper = p.to_uppercase();
    let statuses = match falls_back {
        true => String::new(),
        false => format!("\n\n#define {upper}_OK 0\n#define {upper}_LATE 1"),
    };
    let contents = format!(
        "#define {upper}_DIGEST_BYTES {}
#define {upper}_CONTEXT_BYTES {context_bytes}{statuses}

/* A message under way. Its bytes are not to be used; a context may be copied. */",
        hash.stream.digest_bytes
    );
    let settle = match cores {
        Cores::Cpu | Cores::Xgate => String::new(),
        Cores::Both => format!(
            r#"
/* Waits until XGATE is done with what {p}_update gave it. The data of an update must stay as it is,
 * and its context must not be copied, until this or another call of these functions returns. */
void {p}_settle(void);
"#
        ),
    };
    let (status, returns) = match falls_back {
        true => ("void", String::new()),
        false => (
            "uint16_t",
            format!(
                "Returns {upper}_OK, or {upper}_LATE if\n * XGATE did not finish a job of the \
                 message in time: then what is written is no result. "
            ),
        ),
    };
    let (init, end) = match hash.mac {
        Some(_) => (
            format!(
                "\n/* Begins a message under a key of any length. */\n\
                 void {p}_init({p}_ctx *c, const void *key, uint16_t length);"
            ),
            format!(
                "/* Ends the message, writes its MAC and overwrites the context. {returns}*/\n\
                 {status} {p}_final({p}_ctx *c, uint8_t mac[{upper}_DIGEST_BYTES]);"
            ),
        ),
        None => (
            format!("void {p}_init({p}_ctx *c);"),
            match falls_back {
                true => {
                    format!("void {p}_final({p}_ctx *c, uint8_t digest[{upper}_DIGEST_BYTES]);")
                }
                false => format!(
                    "/* Ends the message and writes its digest. {returns}*/\n\
                     uint16_t {p}_final({p}_ctx *c, uint8_t digest[{upper}_DIGEST_BYTES]);"
                ),
            },
        ),
    };
    let functions = format!(
        r#"
/* The functions share a work area: an interrupt must not call them while one of them runs. They use
 * D, X and Y, as gcc for the 68HC12 lets them; its int must have 16 bits (-mshort). */
{init}
void {p}_update({p}_ctx *c, const void *data, uint16_t length);
{end}
{settle}"#
    );
    header::header(about, cores, &contents, &functions)
}
