//! RC5, planned from its definition for a C library.

use crate::error::Error;
use manylane_emit::c::{About, Cipher, Cores, Folder, Library, Options, Programs, Subject};
use manylane_graph::calls::{rc5, rc5_table};
use manylane_graph::framing::ByteOrder;
use manylane_graph::part;
use manylane_graph::trace::Rc5;
use manylane_plan::Platform;
use manylane_plan::program::Program;
use manylane_plan::program::shape::{Shape, two};
use manylane_primitives::cipher::{Rc5Params, modes};

/// Blocks that are encrypted while their key is expanded: as many as fill the other core's time in
/// the last third of the expansion, when the entries of the table come.
pub const BESIDE: usize = 4;

/// RC5 with its functions.
pub struct Rc5Programs {
    /// Bits of words, rounds, bytes of the key.
    pub params: Rc5Params,
    /// The expansion of the key.
    pub expansion: Program,
    /// The encryption of a block.
    pub encryption: Program,
    decryption: Program,
    /// Key expansion beside the encryption of [`BESIDE`] blocks, on one core.
    pub one: Program,
    /// Key expansion beside the encryption of [`BESIDE`] blocks, with a share for a second core, if
    /// one is asked for.
    pub two: Option<Program>,
}

impl Rc5Programs {
    /// Plans RC5 for one core or two of a platform.
    ///
    /// # Errors
    /// If the platform lacks a cost.
    pub fn new(
        params: Rc5Params,
        cores: Cores,
        shape: Shape,
        platform: &Platform,
    ) -> Result<Self, Error> {
        let [expansion, encryption, decryption] =
            [Rc5::KeyExpansion, Rc5::Block, Rc5::Inverse].map(|part| function(params, part, shape));
        let one = shape.one(&part::cipher_beside(&params, BESIDE));
        let two = match cores {
            Cores::One => None,
            Cores::Two => Some(two(&one, ByteOrder::Little, platform)?),
        };
        Ok(Self { params, expansion, encryption, decryption, one, two })
    }

    /// The expansion of the key and the encryption of a block with these parameters, as they are
    /// written without options.
    pub fn usual(params: Rc5Params) -> [Program; 2] {
        [Rc5::KeyExpansion, Rc5::Block].map(|part| function(params, part, Shape::default()))
    }

    /// The library.
    ///
    /// # Errors
    /// As [`Library::make`].
    pub fn folder(&self, about: &About<'_>, options: &Options) -> Result<Folder, Error> {
        let encrypt = |key: &[u8], data: &[u8]| {
            let mut data = data.to_vec();
            modes::ecb_encrypt(&*rc5(self.params, key), &mut data).expect("whole blocks");
            data
        };
        let cipher = Cipher {
            word_bits: self.params.word_bits() as u8,
            expansion: &self.expansion,
            table: &rc5_table(self.params),
            encryption: &self.encryption,
            decryption: &self.decryption,
            beside: Some(Programs { one: &self.one, two: self.two.as_ref() }),
            key_bytes: self.params.key_bytes(),
            encrypt: &encrypt,
        };
        Ok(Library { about, options }.make(&Subject::Cipher(&cipher))?)
    }
}

/// A function of the cipher on one core.
fn function(params: Rc5Params, part: Rc5, shape: Shape) -> Program {
    // The key is mixed in by three passes through its words or the table's, whichever are more.
    let period = match part {
        Rc5::KeyExpansion => params.iterations() / 3,
        _ => params.rounds(),
    };
    shape.periodic(&part::literal_cipher(&params, part), period)
}
