//! A hash, or HMAC with one, in assembly for the S12X: planned, written, assembled, and run on the
//! simulated chip.

use super::program::{Assembly, Predicted, bytes_of, message, object_of};
use super::shape::{Around, EFFORT, Search, WHOLE, fastest};
use super::share::Sharing;
use crate::error::Error;
use manylane_emit::asm::{
    self, About, Cores, Hash, IMAGE, Keyed, Layout, MOST_DIGEST_BYTES, Made, Share, Written,
    hash_prefix,
};
use manylane_emit::backend::{self, Backend, Folder};
use manylane_graph::calls::{digest, hmac};
use manylane_graph::framing::{Stream, stream};
use manylane_graph::{Function, trace};
use manylane_plan::Platform;
use manylane_plan::platform::Identity;
use manylane_plan::program::Program;
use manylane_plan::program::message::{measured, predict};
use manylane_plan::program::prices::Basis;
use manylane_plan::program::shape::{Shape, Worth};
use manylane_primitives::catalog::Algorithm;
use manylane_simulate::s12x::caller::Hashed;
use manylane_simulate::s12x::cpu12::CpuSet;
use manylane_simulate::s12x::object::Object;
use manylane_simulate::s12x::xgate::XgateSet;

/// The part of a hash's programs on some cores that does not depend on XGATE's part.
#[derive(Clone)]
pub struct Base {
    algorithm: Algorithm,
    /// Whether it is HMAC with the hash.
    is_keyed: bool,
    stream: Stream,
    /// The CPU's, which computes what XGATE does not.
    program: Program,
    cores: Cores,
    is_small: bool,
    falls_back: bool,
    /// Whether XGATE's instructions were ordered by the search that measured programs had.
    is_usual: bool,
    prefix: String,
}

/// A hash's programs and texts, assembled.
pub struct Assembled {
    base: Base,
    /// XGATE's thread, if it computes.
    xgate: Option<Written>,
    /// Which program XGATE's thread is, if it computes.
    thread: Option<Identity>,
    /// The CPU's share, if it has one.
    share: Option<Share>,
    image: Vec<u8>,
    /// XGATE's part.
    part: Object,
    made: Made,
    object: Object,
    /// Bytes of code and constants, without the self-test.
    code_bytes: usize,
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
) -> Result<Assembled, Error> {
    if algorithm.digest_bytes() > MOST_DIGEST_BYTES {
        let (bits, most) = (8 * algorithm.digest_bytes(), 8 * MOST_DIGEST_BYTES);
        let (name, language) = (algorithm.to_string(), "assembly");
        return Err(Error::Digest { name, bits, language, most });
    }
    let stream = stream(algorithm)?;
    let compression = trace::literal_compression(algorithm);
    let Search { worth, unroll, falls_back, .. } = *search;
    let program = match cores {
        Cores::Cpu => program(&compression, worth, unroll),
        Cores::Xgate | Cores::Both => program(&compression, Worth::Size, None),
    };
    // The CPU computes only what XGATE does not finish, which is seldom.
    let is_small = worth == Worth::Size || cores != Cores::Cpu;
    let prefix = prefix.to_owned();
    let falls_back = falls_back || cores == Cores::Cpu;
    let is_usual = search.effort == EFFORT && unroll.is_none() && !search.is_lean();
    let base = Base {
        algorithm,
        is_keyed,
        stream,
        program,
        cores,
        is_small,
        falls_back,
        is_usual,
        prefix,
    };
    let is_within = |assembled: &Assembled| {
        search.within.is_none_or(|most| assembled.code_bytes <= most.into())
    };
    if cores == Cores::Cpu {
        let assembled = base.assembled(None, None)?;
        if is_within(&assembled) {
            return Ok(assembled);
        }
        let (program, is_small) = (self::program(&compression, Worth::Size, unroll), true);
        let assembled = Base { program, is_small, ..base }.assembled(None, None)?;
        if !is_within(&assembled) {
            let (name, bytes) = (algorithm.to_string(), assembled.code_bytes);
            let most = usize::from(search.within.unwrap_or_default());
            return Err(Error::Within { name, bytes, is_least: true, most });
        }
        return Ok(assembled);
    }
    let framing = &base.stream.framing;
    let fits = |written: &Written| {
        let made = base.make(&NOTHING, Some(written), None, &[]);
        made.is_ok_and(|made| made.ram.len() >= LEAST_RAM)
            && (search.within.is_none()
                || base.assembled(Some(written.clone()), None).is_ok_and(|of| is_within(&of)))
    };
    let bytes = |written: &Written| {
        base.assembled(Some(written.clone()), None).ok().map(|of| of.code_bytes)
    };
    let around = Around { fits: &fits, bytes: &bytes };
    let prefix = &base.hash_prefix();
    let whole = fastest(&compression, prefix, framing, search, &around)?;
    let thread = Some(whole.program.identity());
    let alone = base.assembled(Some(whole.written.clone()), None)?;
    let alone = Assembled { thread, ..alone };
    if cores == Cores::Xgate || !search.shares || worth == Worth::Size {
        return Ok(alone);
    }
    let measured = message(MEASURED_BYTES);
    let cycles = |share: &Share| -> Result<Option<u64>, Error> {
        // If the program does not fit, this is an error, and the share is not taken.
        let of = |base: &Base| base.assembled(None, Some(share.clone())).ok();
        let has_room = |of: &Assembled| of.made.ram.len() >= LEAST_RAM;
        let fits = |of: &Assembled| has_room(of) && is_within(of);
        let Some(assembled) = of(&base).filter(fits) else { return Ok(None) };
        // With a fallback and without, the choice is the same where both fit.
        let assembled = match falls_back {
            true => assembled,
            false => {
                let of = of(&Base { falls_back: true, ..base.clone() });
                of.filter(has_room).unwrap_or(assembled)
            }
        };
        let (hashed, is_right) = assembled.run(&measured)?;
        if !is_right {
            let what = "with a share of the CPU a digest differs";
            return Err(Error::Wrong { name: algorithm.to_string(), what });
        }
        Ok(Some(hashed.cycles))
    };
    let sharing = Sharing {
        compression: &compression,
        prefix,
        framing,
        search,
        whole: &whole,
        cycles: &cycles,
    };
    match sharing.best(alone.run(&measured)?.0.cycles)? {
        Some(share) => base.assembled(Some(whole.written), Some(share)),
        None => Ok(alone),
    }
}

/// The texts of files, for programs whose files are not written.
const NOTHING: About<'static> = About {
    title: "",
    standard: "",
    warning: None,
    command: "",
    prefix: "",
    code_bytes: None,
    block_cycles: None,
    figures: &[],
};

/// Bytes of the message by which shares are compared: the longest of the paper's.
const MEASURED_BYTES: usize = 1024;

impl Base {
    fn make(
        &self,
        about: &About<'_>,
        xgate: Option<&Written>,
        ahead: Option<&Share>,
        image: &[u8],
    ) -> Result<Made, backend::Error> {
        let about = &About { prefix: &self.prefix, ..*about };
        let assembly = self.assembly(about, image);
        self.with(xgate, ahead, |hash| assembly.make(hash))
    }

    /// The backend.
    fn assembly<'a>(&self, about: &'a About<'a>, image: &'a [u8]) -> asm::Assembly<'a> {
        let Self { cores, is_small, falls_back, .. } = *self;
        asm::Assembly { about, layout: Layout::default(), cores, is_small, falls_back, image }
    }

    /// Calls a function with the backend's input.
    fn with<T>(
        &self,
        xgate: Option<&Written>,
        ahead: Option<&Share>,
        f: impl FnOnce(&Hash<'_>) -> T,
    ) -> T {
        let digest = |message: &[u8]| digest(self.algorithm, message);
        let mac = |key: &[u8], message: &[u8]| hmac(self.algorithm, key, message);
        let mac: Option<Keyed<'_>> = if self.is_keyed { Some(&mac) } else { None };
        let (stream, cpu) = (&self.stream, &self.program);
        f(&Hash { stream, cpu, xgate, ahead, digest: &digest, mac })
    }

    /// The prefix of the labels of the hash itself.
    fn hash_prefix(&self) -> String {
        if self.is_keyed { hash_prefix(&self.prefix) } else { self.prefix.clone() }
    }

    fn assembled(&self, xgate: Option<Written>, share: Option<Share>) -> Result<Assembled, Error> {
        let algorithm = self.algorithm;
        let code = Layout::default().code;
        let name = &algorithm.to_string();
        let make = |image: &[u8]| self.make(&NOTHING, xgate.as_ref(), share.as_ref(), image);
        let mut made = make(&[])?;
        let (mut image, mut part) = (Vec::new(), Object::default());
        if let Some(text) = &made.xgate {
            part = object_of(name, &XgateSet, text, IMAGE)?;
            image = bytes_of(&part);
            if image.len() != made.image_bytes {
                return Err(Error::Image { name: algorithm.to_string() });
            }
            made = make(&image)?;
        }
        let object = object_of(name, &CpuSet, &made.whole(), code)?;
        let code_bytes = code_bytes(name, &object, code, &self.prefix)?;
        Ok(Assembled {
            base: self.clone(),
            thread: None,
            xgate,
            share,
            image,
            part,
            made,
            object,
            code_bytes,
        })
    }
}

/// Bytes of code and constants in front of the self-test.
///
/// # Errors
/// If all of it is more than the flash that the CPU sees at once.
pub(super) fn code_bytes(
    name: &str,
    object: &Object,
    code: u16,
    prefix: &str,
) -> Result<usize, Error> {
    let code = usize::from(code);
    let bytes = object.segments.iter().map(|of| of.bytes.len()).sum::<usize>();
    if code + bytes > VECTORS {
        return Err(Error::Flash { name: name.to_owned(), bytes, most: VECTORS - code });
    }
    let start = object.find(&format!("{prefix}_start"));
    Ok(start.map_or(0, |of| of.address as usize) - code)
}

/// Bytes of RAM that are left to an application at least.
const LEAST_RAM: usize = 768;

/// Where the interrupt vectors begin.
const VECTORS: usize = 0xff10;

impl Assembly for Assembled {
    fn name(&self) -> String {
        match self.base.is_keyed {
            true => format!("hmac-{}", self.base.algorithm),
            false => self.base.algorithm.to_string(),
        }
    }

    /// Calls of the compression, of HMAC with those for the key.
    fn blocks(&self, bytes: usize) -> usize {
        let Stream { framing, digest_bytes, .. } = &self.base.stream;
        let closing = usize::from(framing.closing.is_some());
        let of = |bytes: usize| framing.blocks(&vec![0; bytes]).len() + closing;
        match self.base.is_keyed {
            // Without a message the key's block may be the last one.
            true => of(framing.block_bytes + bytes) + of(framing.block_bytes + digest_bytes),
            false => of(bytes),
        }
    }

    fn run(&self, message: &[u8]) -> Result<(Hashed, bool), Error> {
        let (digest_bytes, has_xgate) =
            (self.base.stream.digest_bytes, self.base.cores != Cores::Cpu);
        let mut caller = self.caller(&self.base.prefix, digest_bytes, has_xgate)?;
        let (hashed, expected) = match self.base.is_keyed {
            true => {
                let key = &key();
                (caller.mac(key, message)?, hmac(self.base.algorithm, key, message))
            }
            false => (caller.hash(message)?, digest(self.base.algorithm, message)),
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
        &self.part
    }

    fn code_bytes(&self) -> usize {
        self.code_bytes
    }

    fn write(&self, about: &About<'_>, out: &mut Folder) -> Result<(), Error> {
        let assembly = self.base.assembly(about, &self.image);
        let (xgate, share) = (self.xgate.as_ref(), self.share.as_ref());
        Ok(self.base.with(xgate, share, |hash| assembly.emit(hash, out))?)
    }

    fn entries(&self) -> Option<(Option<String>, String)> {
        self.base.falls_back.then(|| (None, format!("{}_compress", self.base.hash_prefix())))
    }

    /// Returns the time of the blocks, and of the work around them, of a program that was measured
    /// on the platform. The CPU's programs that were not are predicted from costs of operations.
    fn predicted(&self, platform: &Platform, length: usize) -> Option<Predicted> {
        let (name, program) = self.measured_as()?;
        let framing = &self.base.stream.framing;
        let time = platform.programs.get(&name).filter(|of| of.program == Some(program));
        match (time, self.base.cores) {
            (Some(time), _) => {
                let cycles = measured(time, framing, length);
                // A measured thread with its instructions in another order is another program.
                let is_measured = self.base.cores == Cores::Cpu || self.base.is_usual;
                let basis = if is_measured { Basis::Measured } else { Basis::Scaled };
                Some(Predicted { cycles, basis })
            }
            // The planner has no prediction of the second core alone, nor of this split.
            (None, Cores::Xgate | Cores::Both) => None,
            (None, Cores::Cpu) => {
                let predicted = predict(&self.base.program, framing, platform, length).ok()?;
                Some(Predicted { cycles: predicted.cycles, basis: predicted.basis })
            }
        }
    }

    fn measured_as(&self) -> Option<(String, Identity)> {
        if self.base.is_keyed {
            return None;
        }
        let name = &self.base.algorithm;
        let name = match (&self.share, self.base.cores) {
            (Some(_), _) => format!("{name}.share"),
            (None, Cores::Cpu) => name.to_string(),
            (None, cores) => format!("{name}.{cores}"),
        };
        Some((name, self.program()?))
    }

    fn program(&self) -> Option<Identity> {
        match (&self.share, self.base.cores) {
            (Some(share), _) => Some(share.cpu.identity()),
            (None, Cores::Cpu) => Some(self.base.program.identity()),
            (None, _) => self.thread,
        }
    }
}

/// The key with which HMAC is run.
fn key() -> Vec<u8> {
    (0..KEY_BYTES).map(|i| (29 * i + 3) as u8).collect()
}
