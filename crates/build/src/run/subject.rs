//! The subject of a run: a hash, HMAC with one, or RC5 under a key, with the C that calls it.

use crate::c::{HashPrograms, Rc5Programs};
use crate::error::Error;
use crate::keys::{HMAC_KEY_BYTES, key};
use manylane_emit::c::{About, Cores, Folder, Options};
use manylane_graph::calls::{digest, hmac, rc5};
use manylane_plan::program::Program;
use manylane_primitives::cipher::modes;

/// The prefix of the library's names.
pub const PREFIX: &str = "measured";

/// Something that is measured for messages of several lengths.
pub trait Subject {
    /// Its library.
    ///
    /// # Errors
    /// If the backend refuses the program.
    fn library(&self, about: &About<'_>, options: &Options) -> Result<Folder, Error>;

    /// The prefix of the names of the hash in it.
    fn hash_prefix(&self) -> &'static str {
        PREFIX
    }

    /// The C expression of the part of `pair` with the flags, where each hand-over has its own.
    fn flags(&self) -> Option<&'static str>;

    /// The C that computes it.
    fn calls(&self, cores: Cores) -> Calls;

    /// The result of the C for a message, by the definition.
    fn expected(&self, message: &[u8]) -> Vec<u8>;
}

/// Statements of a C program. `message.bytes` has `length` bytes; `pair` is there for two cores.
pub struct Calls {
    /// Declarations at file scope.
    pub state: String,
    /// The code before the time is taken.
    pub before: String,
    /// The code that is measured.
    pub measured: String,
    /// The code after it, until `result` is there.
    pub after: String,
    /// Bytes of `result`.
    pub result_bytes: usize,
}

/// The text for one core, or for two.
fn of(cores: Cores, one: &str, two: &str) -> String {
    if cores == Cores::One { one } else { two }.replace('@', PREFIX)
}

fn has_flags(two: Option<&Program>) -> bool {
    two.is_some_and(Program::has_flags)
}

impl Subject for HashPrograms {
    fn library(&self, about: &About<'_>, options: &Options) -> Result<Folder, Error> {
        self.folder(false, about, options)
    }

    fn flags(&self) -> Option<&'static str> {
        has_flags(self.two.as_ref()).then_some("pair.slots[0]")
    }

    fn calls(&self, cores: Cores) -> Calls {
        let begin = of(cores, "@_init(&c);", "@_init_pair(&c, &pair);");
        Calls {
            state: format!("static {PREFIX}_ctx c;"),
            before: String::new(),
            measured: format!(
                "{begin} {PREFIX}_update(&c, message.bytes, length); {PREFIX}_final(&c, result);"
            ),
            after: String::new(),
            result_bytes: self.digest_bytes(),
        }
    }

    fn expected(&self, message: &[u8]) -> Vec<u8> {
        digest(self.algorithm, message)
    }
}

/// HMAC, its key prepared in the call.
pub struct Hmac(pub HashPrograms);

impl Subject for Hmac {
    fn library(&self, about: &About<'_>, options: &Options) -> Result<Folder, Error> {
        self.0.folder(true, about, options)
    }

    fn hash_prefix(&self) -> &'static str {
        "measured_hash"
    }

    fn flags(&self) -> Option<&'static str> {
        has_flags(self.0.two.as_ref()).then_some("pair.hash.slots[0]")
    }

    fn calls(&self, cores: Cores) -> Calls {
        let begin =
            of(cores, "@_init(&c, key, sizeof key);", "@_init_pair(&c, key, sizeof key, &pair);");
        Calls {
            state: format!("static {PREFIX}_ctx c;\nstatic uint8_t key[{HMAC_KEY_BYTES}];"),
            before: "for (k = 0; k < sizeof key; k++) { key[k] = (uint8_t)(29u * k + 3u); }"
                .to_owned(),
            measured: format!(
                "{begin} {PREFIX}_update(&c, message.bytes, length); {PREFIX}_final(&c, result);"
            ),
            after: String::new(),
            result_bytes: self.0.digest_bytes(),
        }
    }

    fn expected(&self, message: &[u8]) -> Vec<u8> {
        hmac(self.0.algorithm, &key(HMAC_KEY_BYTES), message)
    }
}

/// Key expansion, then the message in mode CTR. The result is a sum of all bytes of the ciphertext
/// (FNV-1a of 32 bits), and the encryption of a block of zeros.
impl Subject for Rc5Programs {
    fn library(&self, about: &About<'_>, options: &Options) -> Result<Folder, Error> {
        self.folder(about, options)
    }

    fn flags(&self) -> Option<&'static str> {
        has_flags(self.two.as_ref()).then_some("pair")
    }

    fn calls(&self, cores: Cores) -> Calls {
        let (key, block) = (self.params.key_bytes(), self.params.block_bytes());
        let run = of(
            cores,
            "@_init(&c, key); status = @_ctr(&c, counter, data, length);",
            "status = @_key_ctr(&c, key, &pair, counter, data, length);",
        );
        Calls {
            state: format!(
                "static {PREFIX}_ctx c;\nstatic uint8_t key[{}];\nstatic uint8_t \
                 counter[{block}];\n\
                 static uint8_t data[sizeof message.bytes];\nstatic int status;",
                key + 1
            ),
            before:
                "for (k = 0; k < sizeof key; k++) { key[k] = (uint8_t)(29u * k + 3u); }\n        \
                     for (k = 0; k < sizeof counter; k++) { counter[k] = 255; }\n        \
                     for (k = 0; k < length; k++) { data[k] = message.bytes[k]; }"
                    .to_owned(),
            measured: run,
            after: format!(
                "k = UINT32_C(0x811c9dc5);\n        {{ uint32_t at; for (at = 0; at < length; \
                 at++) {{ \
                 k = (k ^ data[at]) * UINT32_C(0x01000193); }} }}\n        \
                 result[0] = (uint8_t)k; result[1] = (uint8_t)(k >> 8);\n        \
                 result[2] = (uint8_t)(k >> 16); result[3] = (uint8_t)(k >> 24);\n        \
                 for (k = 0; k < {block}u; k++) {{ result[4 + k] = 0; }}\n        \
                 {PREFIX}_encrypt_block(&c, result + 4, result + 4);\n        \
                 if (status != 0) {{ result[0] ^= 255; }}"
            ),
            result_bytes: 4 + block,
        }
    }

    fn expected(&self, message: &[u8]) -> Vec<u8> {
        let cipher = rc5(self.params, &key(self.params.key_bytes()));
        let mut data = message.to_vec();
        let block = self.params.block_bytes();
        modes::ctr(&*cipher, &vec![255; block], &mut data).expect("few blocks");
        let sum = data
            .iter()
            .fold(0x811c_9dc5_u32, |sum, &byte| (sum ^ u32::from(byte)).wrapping_mul(0x0100_0193));
        let mut result = sum.to_le_bytes().to_vec();
        result.resize(4 + block, 0);
        cipher.encrypt_block(&mut result[4..]);
        result
    }
}
