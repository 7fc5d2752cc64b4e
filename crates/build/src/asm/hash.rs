//! A hash, or HMAC with one, in assembly for the S12X: written, assembled, and run on the simulated
//! chip.

use super::built::Built;
use super::program::{Assembly, PredictedCycles};
use crate::error::Error;
use crate::keys::{HMAC_KEY_BYTES, key};
use manylane_emit::asm::{
    self, About, Cores, Hash, Keyed, Layout, Made, Share, Written, hash_prefix,
};
use manylane_emit::backend::{self, Backend, Folder};
use manylane_graph::calls::{digest, hmac};
use manylane_graph::framing::Stream;
use manylane_plan::Platform;
use manylane_plan::platform::Identity;
use manylane_plan::program::message::{measured, predict};
use manylane_plan::program::prices::PriceBasis;
use manylane_plan::program::{Program, scaled_by};
use manylane_primitives::catalog::Algorithm;
use manylane_simulate::s12x::caller::Hashed;

/// The part of a hash's programs on some cores that does not depend on XGATE's part.
#[derive(Clone)]
pub struct Base {
    /// The hash, or the hash below HMAC.
    pub algorithm: Algorithm,
    /// Whether it is HMAC with the hash.
    pub is_keyed: bool,
    /// The padding and the counter around the compression, and the output.
    pub stream: Stream,
    /// The CPU's program, which computes what XGATE does not.
    pub program: Program,
    /// The CPU's program without options, as it is measured, if `program` is another one.
    pub usual: Option<Program>,
    /// The cores that compute.
    pub cores: Cores,
    /// Whether small code is worth more than fast code.
    pub is_small: bool,
    /// Whether the CPU computes what XGATE does not finish in time.
    pub falls_back: bool,
    /// Whether XGATE gets one block at a time, if it computes alone.
    pub is_by_block: bool,
    /// Whether XGATE's instructions were ordered by the same search as those of the measured
    /// programs.
    pub is_usual: bool,
    /// What the names in the text begin with.
    pub prefix: String,
}

/// A hash's programs and texts, assembled.
pub struct Assembled {
    base: Base,
    /// XGATE's thread, if it computes.
    xgate: Option<Written>,
    /// The identity of XGATE's planned thread, if XGATE computes.
    pub thread: Option<Identity>,
    /// The CPU's share, if it has one.
    share: Option<Share>,
    /// The assembled program.
    pub built: Built,
}

/// The texts of files, for programs whose files are not written.
pub(super) const NOTHING: About<'static> = About {
    title: "",
    standard: "",
    warning: None,
    command: "",
    prefix: "",
    code_bytes: None,
    block_cycles: None,
    figures: &[],
};

impl Base {
    /// Its texts and measures.
    pub fn make(
        &self,
        xgate: Option<&Written>,
        ahead: Option<&Share>,
        image: &[u8],
    ) -> Result<Made, backend::Error> {
        let about = &About { prefix: &self.prefix, ..NOTHING };
        let assembly = self.assembly(about, image);
        self.with(xgate, ahead, |hash| assembly.make(hash))
    }

    /// The backend.
    fn assembly<'a>(&self, about: &'a About<'a>, image: &'a [u8]) -> asm::Assembly<'a> {
        let Self { cores, is_small, falls_back, is_by_block, .. } = *self;
        let layout = Layout::default();
        asm::Assembly { about, layout, cores, is_small, falls_back, is_by_block, image }
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
    pub fn hash_prefix(&self) -> String {
        if self.is_keyed { hash_prefix(&self.prefix) } else { self.prefix.clone() }
    }

    /// The program with XGATE's thread, or with a share for the CPU.
    pub fn assembled(
        &self,
        xgate: Option<Written>,
        share: Option<Share>,
    ) -> Result<Assembled, Error> {
        let name = self.algorithm.to_string();
        let make = |image: &[u8]| self.make(xgate.as_ref(), share.as_ref(), image);
        let built = Built::new(&name, &self.prefix, make)?;
        Ok(Assembled { base: self.clone(), thread: None, xgate, share, built })
    }
}

impl Assembly for Assembled {
    fn name(&self) -> String {
        match self.base.is_keyed {
            true => format!("hmac-{}", self.base.algorithm),
            false => self.base.algorithm.to_string(),
        }
    }

    /// Calls of the compression; of HMAC also those for the key.
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
                let key = &key(HMAC_KEY_BYTES);
                (caller.mac(key, message)?, hmac(self.base.algorithm, key, message))
            }
            false => (caller.hash(message)?, digest(self.base.algorithm, message)),
        };
        let is_right = hashed.digest == expected;
        Ok((hashed, is_right))
    }

    fn built(&self) -> &Built {
        &self.built
    }

    fn write(&self, about: &About<'_>, out: &mut Folder) -> Result<(), Error> {
        let assembly = self.base.assembly(about, &self.built.image);
        let (xgate, share) = (self.xgate.as_ref(), self.share.as_ref());
        Ok(self.base.with(xgate, share, |hash| assembly.emit(hash, out))?)
    }

    fn entries(&self) -> Option<(Option<String>, String)> {
        self.base.falls_back.then(|| (None, format!("{}_compress", self.base.hash_prefix())))
    }

    /// Returns the time of the blocks, and of the work around them, of a program that was measured
    /// on the platform. The CPU's programs that were not are predicted from costs of operations.
    fn predicted(&self, platform: &Platform, length: usize) -> Option<PredictedCycles> {
        let (name, program) = self.measured_as()?;
        let framing = &self.base.stream.framing;
        let time = platform.programs.get(&name).filter(|of| of.program == Some(program));
        match (time, self.base.cores) {
            (Some(time), _) => {
                let cycles = measured(time, framing, length);
                // A measured thread with its instructions in another order is another program.
                let is_measured = self.base.cores == Cores::Cpu || self.base.is_usual;
                let basis = if is_measured { PriceBasis::Measured } else { PriceBasis::Scaled };
                Some(PredictedCycles { cycles, basis })
            }
            // The planner has no prediction of the second core alone, nor of this split.
            (None, Cores::Xgate | Cores::Both) => None,
            (None, Cores::Cpu) => {
                let usual = self.base.usual.as_ref().unwrap_or(&self.base.program);
                let platform = scaled_by(platform, usual, framing.order).ok()?;
                let predicted = predict(&self.base.program, framing, &platform, length).ok()?;
                Some(PredictedCycles { cycles: predicted.cycles, basis: predicted.basis })
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
