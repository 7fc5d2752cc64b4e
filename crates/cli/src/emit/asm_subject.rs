//! A hash, or HMAC with one, in assembly for the S12X: planned, written, assembled, and run on the
//! simulated chip.

use super::asm::MACHINE;
use super::asm_program::Assembly;
use super::asm_shape::{Search, WHOLE, fastest};
use anyhow::{Context, bail, ensure};
use manylane_emit::asm::{
    self, About, Cores, Hash, IMAGE, Layout, MOST_DIGEST_BYTES, Made, Written, hash_prefix,
};
use manylane_emit::backend::{Backend, Folder};
use manylane_graph::calls::{digest, hmac};
use manylane_graph::framing::{Stream, stream};
use manylane_graph::{Function, trace};
use manylane_plan::Platform;
use manylane_plan::program::Program;
use manylane_plan::program::message::predict;
use manylane_plan::program::shape::{Shape, Worth};
use manylane_primitives::catalog::Algorithm;
use manylane_simulate::s12x::assembler::assemble;
use manylane_simulate::s12x::caller::{Callee, Caller, Hashed};
use manylane_simulate::s12x::cpu12::CpuSet;
use manylane_simulate::s12x::object::Object;
use manylane_simulate::s12x::xgate::XgateSet;

/// A hash's programs and texts, assembled.
pub struct Assembled {
    algorithm: Algorithm,
    /// Whether it is HMAC with the hash.
    is_keyed: bool,
    stream: Stream,
    program: Program,
    /// XGATE's thread, if it computes.
    xgate: Option<Written>,
    cores: Cores,
    is_small: bool,
    image: Vec<u8>,
    layout: Layout,
    made: Made,
    object: Object,
    /// Bytes of code and constants, without the self-test.
    code_bytes: usize,
    prefix: String,
}

/// Operations that all bodies have together where neither size nor speed is asked for: a body's
/// code is some ten bytes an operation and word of 16 bits.
const MOST_OPERATIONS: usize = 130;

/// The same where speed is asked for.
const MOST_OPERATIONS_FAST: usize = 500;

/// The program of one call on the CPU.
fn program(compression: &Function, worth: Worth, unroll: Option<usize>) -> Program {
    let of = |unroll| Shape { unroll: Some(unroll), worth, word: WHOLE }.one(compression);
    if let Some(unroll) = unroll {
        return of(unroll);
    }
    let most = match worth {
        Worth::Size => 0,
        Worth::Both => MOST_OPERATIONS,
        Worth::Speed => MOST_OPERATIONS_FAST,
    };
    let mut best = of(1);
    for unroll in [2, 4, 8] {
        let next = of(unroll);
        if next.rolled.size() > most.max(best.rolled.size()) {
            break;
        }
        best = next;
    }
    best
}

/// Bytes of the key with which HMAC is run: no longer than any block.
const KEY_BYTES: usize = 32;

/// Plans, writes and assembles a hash, or HMAC with it.
///
/// # Errors
/// If no assembly is written for it.
pub fn of_hash(
    algorithm: Algorithm,
    is_keyed: bool,
    cores: Cores,
    search: &Search,
    prefix: &str,
) -> anyhow::Result<Assembled> {
    ensure!(
        algorithm.digest_bytes() <= MOST_DIGEST_BYTES,
        "{algorithm}: a digest of {} bits; assembly is written for {} at most",
        8 * algorithm.digest_bytes(),
        8 * MOST_DIGEST_BYTES
    );
    let stream = stream(algorithm)?;
    let compression = trace::literal_compression(algorithm);
    let Search { worth, unroll, .. } = *search;
    let program = match cores {
        Cores::Cpu => program(&compression, worth, unroll),
        Cores::Xgate | Cores::Both => program(&compression, Worth::Size, None),
    };
    let layout = Layout::default();
    let about = About {
        title: "",
        standard: "",
        warning: None,
        command: "",
        prefix,
        code_bytes: None,
        figures: &[],
    };
    let digest = |message: &[u8]| digest(algorithm, message);
    let mac = |key: &[u8], message: &[u8]| hmac(algorithm, key, message);
    let mac: Option<&dyn Fn(&[u8], &[u8]) -> Vec<u8>> = if is_keyed { Some(&mac) } else { None };
    // What XGATE does not finish the CPU computes: seldom.
    let is_small = worth == Worth::Size || cores != Cores::Cpu;
    let make = |xgate: Option<&Written>, image: &[u8]| {
        let hash =
            Hash { stream: &stream, cpu: &program, xgate, ahead: None, digest: &digest, mac };
        asm::Assembly { about: &about, layout, cores, is_small, image }.make(&hash)
    };
    let fits =
        |written: &Written| make(Some(written), &[]).is_ok_and(|made| made.ram.len() >= LEAST_RAM);
    let xgate = match cores {
        Cores::Cpu => None,
        Cores::Xgate | Cores::Both => {
            let hash = if is_keyed { hash_prefix(prefix) } else { prefix.to_owned() };
            Some(fastest(&compression, &hash, &stream.framing, search, &fits)?)
        }
    };
    let wrong = || format!("{algorithm}: the assembly that was written is wrong");
    let mut made = make(xgate.as_ref(), &[])?;
    let mut image = Vec::new();
    if let Some(text) = &made.xgate {
        let assembled = assemble(&XgateSet, text, IMAGE).with_context(wrong)?;
        image = assembled.segments.into_iter().flat_map(|of| of.bytes).collect();
        ensure!(image.len() == made.image_bytes, "{algorithm}: XGATE's size differs");
        made = make(xgate.as_ref(), &image)?;
    }
    let object = assemble(&CpuSet, &made.whole(), layout.code).with_context(wrong)?;
    let code_bytes = code_bytes(&algorithm.to_string(), &object, layout, prefix)?;
    let prefix = prefix.to_owned();
    Ok(Assembled {
        algorithm,
        is_keyed,
        stream,
        program,
        xgate,
        cores,
        is_small,
        image,
        layout,
        made,
        object,
        code_bytes,
        prefix,
    })
}

/// Bytes of code and constants in front of the self-test.
///
/// # Errors
/// If all of it is more than the flash that the CPU sees at once.
pub(super) fn code_bytes(
    name: &str,
    object: &Object,
    layout: Layout,
    prefix: &str,
) -> anyhow::Result<usize> {
    let code = usize::from(layout.code);
    let end = code + object.segments.iter().map(|of| of.bytes.len()).sum::<usize>();
    if end > VECTORS {
        bail!(
            "{name}: code and self-test have {} bytes, more than the {} of flash that the CPU sees \
             without pages; take --size",
            end - code,
            VECTORS - code
        );
    }
    let start = object.find(&format!("{prefix}_start")).map_or(0, |symbol| symbol.address);
    Ok(start as usize - code)
}

/// Bytes of RAM that are left to an application at least.
const LEAST_RAM: usize = 768;

/// Where the interrupt vectors begin.
const VECTORS: usize = 0xff10;

impl Assembly for Assembled {
    /// Its name in the catalogue.
    fn name(&self) -> String {
        match self.is_keyed {
            true => format!("hmac-{}", self.algorithm),
            false => self.algorithm.to_string(),
        }
    }

    /// Calls of the compression for a message of so many bytes, of HMAC with those for the key.
    fn blocks(&self, bytes: usize) -> usize {
        let framing = &self.stream.framing;
        let closing = usize::from(framing.closing.is_some());
        let of = |bytes: usize| framing.blocks(&vec![0; bytes]).len() + closing;
        match self.is_keyed {
            // Without a message the key's block may be the last one.
            true => {
                of(framing.block_bytes + bytes) + of(framing.block_bytes + self.stream.digest_bytes)
            }
            false => of(bytes),
        }
    }

    /// What a message takes, and whether its digest is the definition's.
    ///
    /// # Errors
    /// If a call does not return.
    fn run(&self, message: &[u8]) -> anyhow::Result<(Hashed, bool)> {
        let mut caller = Caller::new(&Callee {
            object: &self.object,
            prefix: &self.prefix,
            context_bytes: self.made.context_bytes,
            digest_bytes: self.stream.digest_bytes,
            ram: self.made.ram.clone(),
        })?;
        if self.xgate.is_some() {
            caller.call("xgate_init", 0, &[])?;
        }
        let (hashed, expected) = match self.is_keyed {
            true => {
                let key = &key();
                (caller.mac(key, message)?, hmac(self.algorithm, key, message))
            }
            false => (caller.hash(message)?, digest(self.algorithm, message)),
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

    fn code_bytes(&self) -> usize {
        self.code_bytes
    }

    /// The planner's, which knows programs on the CPU.
    fn predicted(&self, cores: Cores, length: usize) -> Option<f64> {
        let platform = Platform::load(MACHINE).ok()?;
        let framing = &self.stream.framing;
        match cores {
            Cores::Cpu if !self.is_keyed => {
                predict(&self.program, framing, &platform, length).ok().map(|of| of.cycles)
            }
            // The planner has no prediction of the second core alone, nor of this split, nor of
            // HMAC's messages.
            Cores::Cpu | Cores::Xgate | Cores::Both => None,
        }
    }

    /// The files' backend, told what there is to say.
    fn write(&self, about: &About<'_>, out: &mut Folder) -> anyhow::Result<()> {
        let digest = |message: &[u8]| digest(self.algorithm, message);
        let mac = |key: &[u8], message: &[u8]| hmac(self.algorithm, key, message);
        let mac: Option<&dyn Fn(&[u8], &[u8]) -> Vec<u8>> =
            if self.is_keyed { Some(&mac) } else { None };
        let hash = Hash {
            stream: &self.stream,
            cpu: &self.program,
            xgate: self.xgate.as_ref(),
            ahead: None,
            digest: &digest,
            mac,
        };
        let Self { layout, cores, is_small, image, .. } = self;
        Ok(asm::Assembly { about, layout: *layout, cores: *cores, is_small: *is_small, image }
            .emit(&hash, out)?)
    }
}

/// The key with which HMAC is run.
fn key() -> Vec<u8> {
    (0..KEY_BYTES).map(|i| (29 * i + 3) as u8).collect()
}

/// A message of so many bytes.
pub fn message(length: usize) -> Vec<u8> {
    (0..length).map(|i| (i * 11 + i / 7 + 5) as u8).collect()
}
