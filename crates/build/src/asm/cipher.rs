//! RC5 in assembly for the S12X: planned, written, assembled, and run on the simulated chip.

use super::built::Built;
use super::hash::NOTHING;
use super::program::{Assembly, CipherCalls, PredictedCycles, message};
use super::shape::{Search, WHOLE};
use crate::error::Error;
use crate::keys::key;
use manylane_emit::asm::{
    About, Cipher, CipherAssembly, Cores, Layout, Modes, Written, as_compression, cipher_threads,
    lean_cipher_threads,
};
use manylane_emit::backend::Folder;
use manylane_graph::calls::{rc5, rc5_table};
use manylane_graph::part;
use manylane_graph::trace::Rc5;
use manylane_plan::Platform;
use manylane_plan::platform::Identity;
use manylane_plan::program::Program;
use manylane_plan::program::shape::{Shape, Worth};
use manylane_primitives::cipher::{Rc5Params, modes};
use manylane_simulate::s12x::caller::Hashed;

/// RC5's programs.
struct Programs {
    params: Rc5Params,
    cpu: [Program; 3],
    xgate: Option<[Written; 3]>,
    cores: Cores,
    modes: Modes,
    is_small: bool,
    falls_back: bool,
    prefix: String,
}

/// RC5's programs and texts, assembled.
pub struct AssembledCipher {
    base: Programs,
    built: Built,
}

/// The most orders of XGATE's instructions that are tried for each function.
const MOST_EFFORT: usize = 600;

/// Key expansion, encryption and decryption of a block, with `unroll` rounds in an iteration.
fn programs(params: Rc5Params, worth: Worth, unroll: usize) -> [Program; 3] {
    let shape = Shape { unroll: Some(unroll), worth, word: WHOLE };
    [Rc5::KeyExpansion, Rc5::Block, Rc5::Inverse]
        .map(|part| as_compression(&shape.one(&part::cipher(&params, part))))
}

/// Key expansion, encryption and decryption of a block, each as small as it can be.
fn lean_programs(params: Rc5Params, worth: Worth, unroll: usize) -> [Program; 3] {
    let shape = Shape { unroll: Some(unroll), worth, word: WHOLE };
    [Rc5::KeyExpansion, Rc5::Block, Rc5::Inverse]
        .map(|part| as_compression(&shape.smallest(&part::literal_cipher(&params, part))))
}

/// Plans, writes and assembles RC5.
///
/// # Errors
/// If no assembly is written for it.
pub fn of_cipher(
    params: Rc5Params,
    cores: Cores,
    search: &Search,
    prefix: &str,
) -> Result<AssembledCipher, Error> {
    // Small threads are slower: unless size is asked for, they are made only where fast ones do not
    // fit.
    if search.worth != Worth::Size {
        match with_threads(params, cores, search, prefix, false) {
            Err(Error::Within { .. }) => {}
            made => return made,
        }
    }
    with_threads(params, cores, search, prefix, true)
}

fn with_threads(
    params: Rc5Params,
    cores: Cores,
    search: &Search,
    prefix: &str,
    is_lean: bool,
) -> Result<AssembledCipher, Error> {
    let (worth, unroll) = (search.worth, search.unroll.unwrap_or(1));
    let cpu = programs(params, worth, if cores == Cores::Cpu { unroll } else { 1 });
    let xgate = match cores {
        Cores::Cpu => None,
        Cores::Xgate | Cores::Both => {
            let effort = usize::from(search.effort).min(MOST_EFFORT);
            let has_one = search.modes == Modes::Block && !search.falls_back;
            Some(match is_lean {
                true => {
                    let [expand, encrypt, decrypt] = &lean_programs(params, worth, unroll);
                    lean_cipher_threads(prefix, [expand, encrypt, decrypt], effort, has_one)?
                }
                false => {
                    let [expand, encrypt, decrypt] = &programs(params, worth, unroll);
                    cipher_threads(prefix, [expand, encrypt, decrypt], effort)?
                }
            })
        }
    };
    let base = Programs {
        params,
        cpu,
        xgate,
        cores,
        modes: search.modes,
        is_small: worth == Worth::Size || cores != Cores::Cpu,
        falls_back: search.falls_back || cores == Cores::Cpu,
        prefix: prefix.to_owned(),
    };
    let about = About { prefix, ..NOTHING };
    let name = params.to_string();
    let make = |image: &[u8]| base.with(&about, image, |assembly, cipher| assembly.make(cipher));
    let built = Built::new(&name, prefix, make)?;
    let most = search.within.map_or(usize::MAX, usize::from);
    if built.code_bytes > most {
        return Err(Error::Within { name, bytes: built.code_bytes, is_least: false, most });
    }
    Ok(AssembledCipher { base, built })
}

impl AssembledCipher {
    /// Whether the CPU computes blocks while XGATE computes others.
    fn is_beside(&self) -> bool {
        self.base.cores == Cores::Both && self.base.modes != Modes::Block
    }
}

impl Programs {
    /// Calls a function with the backend and its input.
    fn with<T, E>(
        &self,
        about: &About<'_>,
        image: &[u8],
        f: impl FnOnce(&CipherAssembly<'_>, &Cipher<'_>) -> Result<T, E>,
    ) -> Result<T, E> {
        let encrypt = |key: &[u8], data: &[u8]| {
            let mut data = data.to_vec();
            modes::ecb_encrypt(&*rc5(self.params, key), &mut data).expect("whole blocks");
            data
        };
        let [expand, encryption, decryption] = &self.cpu;
        let cipher = Cipher {
            name: &self.params.to_string(),
            cpu: [expand, encryption, decryption],
            xgate: self.xgate.as_ref(),
            table: &rc5_table(self.params),
            key_bytes: self.params.key_bytes(),
            encrypt: &encrypt,
        };
        let Self { cores, modes, is_small, falls_back, .. } = *self;
        let layout = Layout::default();
        let assembly = CipherAssembly { about, layout, cores, modes, is_small, falls_back, image };
        f(&assembly, &cipher)
    }
}

impl Assembly for AssembledCipher {
    fn name(&self) -> String {
        self.base.params.to_string()
    }

    fn blocks(&self, bytes: usize) -> usize {
        bytes.div_ceil(self.base.params.block_bytes())
    }

    /// Runs the key's expansion and the message: in mode CTR from a counter of ones on, in mode
    /// ECB, or block by block, as the program's modes allow. Outside of CTR the message is filled
    /// up with zeros to whole blocks.
    fn run(&self, message: &[u8]) -> Result<(Hashed, bool), Error> {
        let mut caller = self.caller(&self.base.prefix, 0, self.base.xgate.is_some())?;
        let key = key(self.base.params.key_bytes());
        let (block, cipher) = (self.base.params.block_bytes(), rc5(self.base.params, &key));
        let mut expected = message.to_vec();
        let hashed = match self.base.modes {
            Modes::All => {
                let counter = vec![0xff; block];
                modes::ctr(&*cipher, &counter, &mut expected)?;
                caller.ctr(&key, &counter, message)?
            }
            Modes::Ecb | Modes::Block => {
                expected.resize(message.len().next_multiple_of(block), 0);
                let hashed = match self.base.modes {
                    Modes::Block => caller.blocks(&key, block, &expected)?,
                    _ => caller.ecb(&key, block, &expected)?,
                };
                modes::ecb_encrypt(&*cipher, &mut expected)?;
                hashed
            }
        };
        let is_right = hashed.digest == expected;
        Ok((hashed, is_right))
    }

    fn built(&self) -> &Built {
        &self.built
    }

    fn write(&self, about: &About<'_>, out: &mut Folder) -> Result<(), Error> {
        Ok(self
            .base
            .with(about, &self.built.image, |assembly, cipher| assembly.emit(cipher, out))?)
    }

    fn entries(&self) -> Option<(Option<String>, String)> {
        let of = |what: &str| format!("{}_encrypt_{what}", self.base.prefix);
        (self.base.falls_back || self.is_beside()).then(|| (Some(of("take")), of("compress")))
    }

    fn predicted(&self, _: &Platform, _: usize) -> Option<PredictedCycles> {
        None
    }

    fn measured_as(&self) -> Option<(String, Identity)> {
        None
    }

    fn program(&self) -> Option<Identity> {
        None
    }

    fn calls(&self) -> Result<Option<CipherCalls>, Error> {
        let mut caller = self.caller(&self.base.prefix, 0, self.base.xgate.is_some())?;
        let key = key(self.base.params.key_bytes());
        let block = self.base.params.block_bytes();
        let context = self.built.made.ram.start.next_multiple_of(2);
        // The key's place is free for the block once it is expanded.
        let input = context + self.built.made.context_bytes.next_multiple_of(2) as u16;
        let output = input + block as u16;
        caller.write(input, &key)?;
        let (_, init) = caller.call_timed("init", context, &[input])?;
        let text = message(block);
        caller.write(input, &text)?;
        let (_, encrypt_block) = caller.call_timed("encrypt_block", context, &[input, output])?;
        let mut expected = text.clone();
        modes::ecb_encrypt(&*rc5(self.base.params, &key), &mut expected)?;
        let wrong = |what| Error::Wrong { name: self.base.params.to_string(), what };
        if caller.read(output, block)? != expected {
            return Err(wrong("an encrypted block differs from the definition's"));
        }
        let (_, decrypt_block) = caller.call_timed("decrypt_block", context, &[output, input])?;
        if caller.read(input, block)? != text {
            return Err(wrong("a decrypted block differs from the definition's"));
        }
        Ok(Some(CipherCalls { init, encrypt_block, decrypt_block }))
    }
}
