//! The common interface of programs in assembly for the S12X.

use super::built::Built;
use crate::error::Error;
use manylane_emit::asm::{About, Figure};
use manylane_emit::backend::{self, Folder};
use manylane_plan::Platform;
use manylane_plan::platform::Identity;
use manylane_plan::program::prices::PriceBasis;
use manylane_simulate::s12x::caller::{Callee, Caller, Hashed};
use manylane_simulate::s12x::chip::Chip;
use manylane_simulate::s12x::object::{link_map, write_srecords};
use manylane_simulate::s12x::{Machine, Stop};
use serde::Serialize;

/// The name of the machine, and of the platform that describes it.
pub const MACHINE: &str = "s12x-xgate";

/// Bus cycles that one block may take.
const MOST_CYCLES: u64 = 10_000_000;

/// The predicted bus cycles of a message.
#[derive(Clone, Copy, Debug)]
pub struct PredictedCycles {
    /// Bus cycles of init, update and final.
    pub cycles: f64,
    /// The figures that the prediction rests on.
    pub basis: PriceBasis,
}

/// Bus cycles of a cipher's functions, each called alone.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct CipherCalls {
    /// The expansion of the key.
    pub init: u64,
    /// The encryption of a block.
    pub encrypt_block: u64,
    /// The decryption of a block.
    pub decrypt_block: u64,
}

/// A program that is assembled and can be run.
pub trait Assembly {
    /// Its name in the catalogue.
    fn name(&self) -> String;

    /// Calls of its compression, or blocks of its cipher, for a message of `bytes` bytes.
    fn blocks(&self, bytes: usize) -> usize;

    /// Runs a message. Returns its figures, and whether its result is that of the definition.
    ///
    /// # Errors
    /// If a call does not return.
    fn run(&self, message: &[u8]) -> Result<(Hashed, bool), Error>;

    /// A machine with the program, ready for calls from C of functions whose names begin with
    /// `prefix`.
    ///
    /// # Errors
    /// If the program does not fit, or XGATE's part does not begin.
    fn caller(&self, prefix: &str, digest_bytes: usize, has_xgate: bool) -> Result<Caller, Error> {
        let Built { made, object, .. } = self.built();
        let (context_bytes, ram) = (made.context_bytes, made.ram.clone());
        let mut caller = Caller::new(&Callee { object, prefix, context_bytes, digest_bytes, ram })?;
        if has_xgate {
            caller.call("xgate_init", 0, &[])?;
        }
        Ok(caller)
    }

    /// Its texts and bytes.
    fn built(&self) -> &Built;

    /// Adds its files; `about` has the texts that they carry.
    ///
    /// # Errors
    /// If a path cannot be taken.
    fn write(&self, about: &About<'_>, out: &mut Folder) -> Result<(), Error>;

    /// Adds the S-records of the program and the linker's map of all labels, XGATE's too.
    ///
    /// # Errors
    /// If a path cannot be taken, or a label is defined twice.
    fn write_linked(&self, prefix: &str, out: &mut Folder) -> Result<(), Error> {
        let Built { object, thread, .. } = self.built();
        let entry = object.find(&format!("{prefix}_start")).map_or(0, |of| of.address);
        let records = write_srecords(prefix, &object.segments, entry);
        out.add(format!("{prefix}.s19"), records).map_err(backend::Error::from)?;
        let both = object.clone().join(thread.clone());
        let both = both.map_err(|why| Error::Link { name: self.name(), why })?;
        out.add(format!("{prefix}.map"), link_map(&both)).map_err(backend::Error::from)?;
        Ok(())
    }

    /// Returns the labels of two subroutines of the CPU: the one that loads the block at address Y
    /// for the function, if there is one, and the function itself, whose block or chaining value is
    /// at address X.
    fn entries(&self) -> Option<(Option<String>, String)>;

    /// Bus cycles of the function of one block on the CPU, if it has one: the same for all data.
    ///
    /// # Errors
    /// If it does not return.
    fn block_cycles(&self) -> Result<Option<u64>, Error> {
        let Some((take, function)) = self.entries() else { return Ok(None) };
        let mut machine = Machine::of(&Chip::xdt512());
        machine.load(&self.built().object)?;
        let ram = self.built().made.ram.start.next_multiple_of(2);
        let mut cycles = 0;
        for label in take.into_iter().chain([function]) {
            let at = machine.symbol(&label)?.address as u16;
            let registers = machine.cpu.registers_mut();
            // Operands may overlap, because no time depends on data.
            (registers.sp, registers.x, registers.y) = (0x4000, ram, ram);
            let before = machine.now();
            if machine.call(at, MOST_CYCLES)? != Stop::Returned {
                return Err(Error::Endless { label });
            }
            cycles = (machine.now() - before).div_ceil(2);
        }
        Ok(Some(cycles))
    }

    /// The prediction of a message, if the platform has one.
    fn predicted(&self, platform: &Platform, length: usize) -> Option<PredictedCycles>;

    /// The name of its time in a platform's `[programs]`, and the identity of the program.
    fn measured_as(&self) -> Option<(String, Identity)>;

    /// The planned program as a platform's file names it; of HMAC that of its hash. `None` where no
    /// single program is planned.
    fn program(&self) -> Option<Identity>;

    /// The times of a cipher's functions; a hash has none.
    ///
    /// # Errors
    /// If a call does not return, or its result is wrong.
    fn calls(&self) -> Result<Option<CipherCalls>, Error> {
        Ok(None)
    }

    /// The figures of messages of these lengths.
    ///
    /// # Errors
    /// If a result is wrong.
    fn figures(&self, lengths: &[usize]) -> Result<Vec<Figure>, Error> {
        let figure = |&length: &usize| {
            let (hashed, is_right) = self.run(&message(length))?;
            if !is_right {
                let what = "a result differs from the definition's";
                return Err(Error::Wrong { name: self.name(), what });
            }
            let (blocks, stack_bytes) = (self.blocks(length), hashed.stack_bytes);
            Ok(Figure { length, blocks, cycles: hashed.cycles, stack_bytes })
        };
        lengths.iter().map(figure).collect()
    }
}

/// A message of `length` bytes.
pub fn message(length: usize) -> Vec<u8> {
    (0..length).map(|i| (i * 11 + i / 7 + 5) as u8).collect()
}
