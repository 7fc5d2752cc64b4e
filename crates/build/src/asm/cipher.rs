//! RC5 in assembly for the S12X: planned, written, assembled, and run on the simulated chip.

use super::hash::code_bytes;
use super::program::{Assembly, CipherCalls, Predicted, bytes_of, message, object_of};
use super::shape::{Search, WHOLE};
use crate::error::Error;
use manylane_emit::asm::{
    About, Cipher, CipherAssembly, Cores, IMAGE, Layout, Made, Modes, Written, as_compression,
    cipher_threads,
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
use manylane_simulate::s12x::cpu12::CpuSet;
use manylane_simulate::s12x::object::Object;
use manylane_simulate::s12x::xgate::XgateSet;

/// RC5's programs and texts, assembled.
pub struct AssembledCipher {
    params: Rc5Params,
    programs: [Program; 3],
    xgate: Option<[Written; 3]>,
    cores: Cores,
    modes: Modes,
    is_small: bool,
    falls_back: bool,
    image: Vec<u8>,
    /// XGATE's part.
    thread: Object,
    layout: Layout,
    made: Made,
    object: Object,
    code_bytes: usize,
    prefix: String,
}

/// The most orders of XGATE's instructions that are tried for each function.
const MOST_EFFORT: usize = 600;

/// Key expansion, encryption and decryption of a block, with so many rounds in an iteration.
fn programs(params: Rc5Params, worth: Worth, unroll: usize) -> [Program; 3] {
    let shape = Shape { unroll: Some(unroll), worth, word: WHOLE };
    [Rc5::KeyExpansion, Rc5::Block, Rc5::Inverse]
        .map(|part| as_compression(&shape.one(&part::cipher(&params, part))))
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
    let (worth, unroll) = (search.worth, search.unroll.unwrap_or(1));
    let cpu = programs(params, worth, if cores == Cores::Cpu { unroll } else { 1 });
    let xgate = match cores {
        Cores::Cpu => None,
        Cores::Xgate | Cores::Both => {
            let [expand, encrypt, decrypt] = &programs(params, worth, unroll);
            let effort = usize::from(search.effort).min(MOST_EFFORT);
            Some(cipher_threads(prefix, [expand, encrypt, decrypt], effort)?)
        }
    };
    let mut assembled = AssembledCipher {
        params,
        programs: cpu,
        xgate,
        cores,
        modes: search.modes,
        is_small: worth == Worth::Size || cores != Cores::Cpu,
        falls_back: search.falls_back || cores == Cores::Cpu,
        image: Vec::new(),
        thread: Object::default(),
        layout: Layout::default(),
        made: Made::default(),
        object: Object::default(),
        code_bytes: 0,
        prefix: prefix.to_owned(),
    };
    let about = About {
        title: "",
        standard: "",
        warning: None,
        command: "",
        prefix,
        code_bytes: None,
        block_cycles: None,
        figures: &[],
    };
    let name = &params.to_string();
    assembled.made = assembled.with(&about, |assembly, cipher| assembly.make(cipher))?;
    if let Some(text) = &assembled.made.xgate {
        assembled.thread = object_of(name, &XgateSet, text, IMAGE)?;
        assembled.image = bytes_of(&assembled.thread);
        let size = assembled.made.image_bytes;
        if assembled.image.len() != size {
            return Err(Error::Image { name: name.clone() });
        }
        assembled.made = assembled.with(&about, |assembly, cipher| assembly.make(cipher))?;
    }
    let layout = assembled.layout;
    assembled.object = object_of(name, &CpuSet, &assembled.made.whole(), layout.code)?;
    assembled.code_bytes = code_bytes(name, &assembled.object, layout.code, prefix)?;
    let most = search.within.map_or(usize::MAX, usize::from);
    if assembled.code_bytes > most {
        let (name, bytes) = (name.clone(), assembled.code_bytes);
        return Err(Error::Within { name, bytes, is_least: false, most });
    }
    Ok(assembled)
}

impl AssembledCipher {
    /// Calls a function with the backend and its input.
    fn with<T, E>(
        &self,
        about: &About<'_>,
        f: impl FnOnce(&CipherAssembly<'_>, &Cipher<'_>) -> Result<T, E>,
    ) -> Result<T, E> {
        let encrypt = |key: &[u8], data: &[u8]| {
            let mut data = data.to_vec();
            modes::ecb_encrypt(&*rc5(self.params, key), &mut data).expect("whole blocks");
            data
        };
        let [expand, encryption, decryption] = &self.programs;
        let cipher = Cipher {
            name: &self.params.to_string(),
            cpu: [expand, encryption, decryption],
            xgate: self.xgate.as_ref(),
            table: &rc5_table(self.params),
            key_bytes: self.params.key_bytes(),
            encrypt: &encrypt,
        };
        let Self { layout, cores, modes, is_small, falls_back, ref image, .. } = *self;
        let assembly = CipherAssembly { about, layout, cores, modes, is_small, falls_back, image };
        f(&assembly, &cipher)
    }
}

impl Assembly for AssembledCipher {
    fn name(&self) -> String {
        self.params.to_string()
    }

    fn blocks(&self, bytes: usize) -> usize {
        bytes.div_ceil(self.params.block_bytes())
    }

    /// The key's expansion, and the message in mode CTR from a counter of ones on, or in mode ECB
    /// with zeros behind it up to a whole block.
    fn run(&self, message: &[u8]) -> Result<(Hashed, bool), Error> {
        let mut caller = self.caller(&self.prefix, 0, self.xgate.is_some())?;
        let key = key(self.params);
        let (block, cipher) = (self.params.block_bytes(), rc5(self.params, &key));
        let mut expected = message.to_vec();
        let hashed = match self.modes {
            Modes::All => {
                let counter = vec![0xff; block];
                modes::ctr(&*cipher, &counter, &mut expected)?;
                caller.ctr(&key, &counter, message)?
            }
            Modes::Ecb => {
                expected.resize(message.len().next_multiple_of(block), 0);
                let hashed = caller.ecb(&key, block, &expected)?;
                modes::ecb_encrypt(&*cipher, &mut expected)?;
                hashed
            }
        };
        let is_right = hashed.digest == expected;
        Ok((hashed, is_right))
    }

    fn made(&self) -> &Made {
        &self.made
    }

    fn object(&self) -> &Object {
        &self.object
    }

    fn thread(&self) -> &Object {
        &self.thread
    }

    fn code_bytes(&self) -> usize {
        self.code_bytes
    }

    fn write(&self, about: &About<'_>, out: &mut Folder) -> Result<(), Error> {
        Ok(self.with(about, |assembly, cipher| assembly.emit(cipher, out))?)
    }

    fn entries(&self) -> Option<(Option<String>, String)> {
        let of = |what: &str| format!("{}_encrypt_{what}", self.prefix);
        (self.falls_back || self.cores == Cores::Both).then(|| (Some(of("take")), of("compress")))
    }

    fn predicted(&self, _: &Platform, _: usize) -> Option<Predicted> {
        None
    }

    fn measured_as(&self) -> Option<(String, Identity)> {
        None
    }

    fn program(&self) -> Option<Identity> {
        None
    }

    fn calls(&self) -> Result<Option<CipherCalls>, Error> {
        let mut caller = self.caller(&self.prefix, 0, self.xgate.is_some())?;
        let key = key(self.params);
        let block = self.params.block_bytes();
        let context = self.made.ram.start.next_multiple_of(2);
        // The key's place is free for the block once it is expanded.
        let input = context + self.made.context_bytes.next_multiple_of(2) as u16;
        let output = input + block as u16;
        caller.write(input, &key)?;
        let (_, init) = caller.call_timed("init", context, &[input])?;
        let text = message(block);
        caller.write(input, &text)?;
        let (_, encrypt_block) = caller.call_timed("encrypt_block", context, &[input, output])?;
        let mut expected = text.clone();
        modes::ecb_encrypt(&*rc5(self.params, &key), &mut expected)?;
        let wrong = |what| Error::Wrong { name: self.params.to_string(), what };
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

/// The key with which the cipher is run.
fn key(params: Rc5Params) -> Vec<u8> {
    (0..params.key_bytes()).map(|i| (29 * i + 3) as u8).collect()
}
