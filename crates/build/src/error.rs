//! The errors of building and running a program, each with its remedy.

use manylane_emit::backend;
use manylane_graph::framing;
use manylane_graph::part::PartError;
use manylane_plan::costs::CostError;
use manylane_plan::source::SourceError;
use manylane_primitives::catalog::UnknownName;
use manylane_primitives::cipher::modes;
use manylane_simulate::s12x::assembler::AssemblyError;
use manylane_simulate::s12x::caller::CallError;
use manylane_simulate::s12x::{Fault, MachineError};

/// An error: there is no program of a primitive, or there are no figures of it.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A backend refuses the planned program, or a file of its folder.
    #[error(transparent)]
    Emit(#[from] backend::Error),
    /// The padding, the counter or the output of a hash has no known form.
    #[error(transparent)]
    Framing(#[from] framing::Error),
    /// There is no graph of a message.
    #[error(transparent)]
    Part(#[from] PartError),
    /// No costs follow from the platform.
    #[error(transparent)]
    Cost(#[from] CostError),
    /// The platform's file has an error.
    #[error(transparent)]
    Platform(#[from] SourceError),
    /// No hash has the name that was given.
    #[error(transparent)]
    Name(#[from] UnknownName),
    /// A cipher's mode refuses its input.
    #[error(transparent)]
    Mode(#[from] modes::Error),
    /// A text in assembly is wrong.
    #[error(transparent)]
    Assembly(#[from] AssemblyError),
    /// A call on the simulated chip has no result.
    #[error(transparent)]
    Call(#[from] CallError),
    /// A C program was not compiled, or its run has no outcome.
    #[error(transparent)]
    Simulate(#[from] manylane_simulate::Error),
    /// The digest is longer than one for which programs are written.
    #[error("{name}: a digest of {bits} bits; {language} is written for {most} at most")]
    Digest {
        /// The primitive.
        name: String,
        /// Bits of its digest.
        bits: usize,
        /// C, or assembly.
        language: &'static str,
        /// Bits of the longest digest.
        most: usize,
    },
    /// HMAC is not defined with a hash.
    #[error(
        "{name}: HMAC needs a digest ({digest} bytes) no longer than the block ({block} bytes); \
         ask for a shorter digest"
    )]
    Hmac {
        /// The primitive.
        name: String,
        /// Bytes of the digest.
        digest: usize,
        /// Bytes of a block.
        block: usize,
    },
    /// The assembly that a backend wrote is wrong.
    #[error("{name}: the assembly that was written is wrong")]
    Written {
        /// The primitive.
        name: String,
        /// What is wrong with it.
        source: AssemblyError,
    },
    /// XGATE's part has other bytes than the backend counted.
    #[error("{name}: XGATE's size differs")]
    Image {
        /// The primitive.
        name: String,
    },
    /// Two parts of a program define the same label.
    #[error("{name}: {why}")]
    Link {
        /// The primitive.
        name: String,
        /// What the parts have both.
        why: String,
    },
    /// A program reaches beyond the address space.
    #[error(
        "{name}: the program reaches beyond the last address, 0xffff, from {origin:#06x} on; take \
         --size, or fewer rounds with --unroll"
    )]
    Addresses {
        /// The primitive.
        name: String,
        /// The program's first address.
        origin: u16,
    },
    /// A program is larger than the flash that the CPU sees at once.
    #[error(
        "{name}: code and self-test have {bytes} bytes, more than the {most} of flash that the CPU \
         sees without pages; take --size"
    )]
    Flash {
        /// The primitive.
        name: String,
        /// Bytes of code and self-test.
        bytes: usize,
        /// Bytes of flash.
        most: usize,
    },
    /// A program has more bytes than it may have.
    #[error(
        "{name}: {bytes} bytes of code and constants{}, more than --within {most}",
        if *is_least { " at least" } else { "" }
    )]
    Within {
        /// The primitive.
        name: String,
        /// Bytes of code and constants.
        bytes: usize,
        /// Whether no program that was tried has fewer.
        is_least: bool,
        /// Bytes that it may have.
        most: usize,
    },
    /// None of XGATE's programs that were tried has room.
    #[error(
        "{name}: none of the programs that were tried has {most} bytes at most and room in 20 KiB \
         of RAM; take more with --within{remedies}"
    )]
    Room {
        /// The compression.
        name: String,
        /// Bytes of code and constants that it may have.
        most: u16,
        /// Other options that make it smaller.
        remedies: String,
    },
    /// No thread of XGATE leaves room for the rest of a program.
    #[error(
        "{name}: XGATE's thread has {bytes} bytes at least, beside which a program has no room in \
         20 KiB of RAM; take --cores cpu"
    )]
    Thread {
        /// The compression.
        name: String,
        /// Bytes of the smallest thread.
        bytes: usize,
    },
    /// A subroutine on the simulated chip does not return.
    #[error("{label} does not return")]
    Endless {
        /// The subroutine.
        label: String,
    },
    /// A result is not the definition's.
    #[error("{name}: {what}")]
    Wrong {
        /// The primitive, and the machine if there are several.
        name: String,
        /// What differs.
        what: &'static str,
    },
    /// A measuring program printed other lines than those that are read.
    #[error("the program printed something else:\n{text}")]
    Printed {
        /// What it printed.
        text: String,
    },
    /// The accesses to flags that were watched are not those of the planned program.
    #[error("{name} on {machine}: the hand-overs of its C are not those of its program")]
    HandOvers {
        /// The primitive.
        name: String,
        /// The machine.
        machine: &'static str,
    },
    /// A program that was measured is none that a platform's file can name.
    #[error("{name}: its program has no name")]
    Nameless {
        /// The primitive and its cores.
        name: String,
    },
    /// An operation was not measured.
    #[error("{what}")]
    Operation {
        /// The operation, its width and the core.
        what: String,
        /// The reason.
        source: Box<Error>,
    },
    /// A platform's file is no TOML.
    #[error("a platform's file")]
    Toml(#[from] toml_edit::TomlError),
}

impl From<MachineError> for Error {
    fn from(error: MachineError) -> Self {
        Self::Call(error.into())
    }
}

impl From<Fault> for Error {
    fn from(error: Fault) -> Self {
        Self::Call(error.into())
    }
}
