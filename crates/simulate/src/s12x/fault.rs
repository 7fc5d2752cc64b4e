//! Faults: instructions that a core cannot execute.

use std::fmt;

/// One of the two cores.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum CoreName {
    /// The S12X CPU.
    Cpu,
    /// The coprocessor.
    Xgate,
}

impl fmt::Display for CoreName {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(match self {
            Self::Cpu => "the CPU",
            Self::Xgate => "XGATE",
        })
    }
}

/// A fault: a core stopped at an instruction that it cannot execute.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{core} at {address:#06x}: {what}")]
pub struct Fault {
    /// The core.
    pub core: CoreName,
    /// The local address of the instruction.
    pub address: u16,
    /// What is wrong with it.
    pub what: Wrong,
}

/// What is wrong with an instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Wrong {
    /// No instruction begins with these bytes.
    Opcode(Vec<u8>),
    /// The instruction exists and is not simulated; what it is.
    Unsupported(Vec<u8>, &'static str),
    /// XGATE can neither read, write nor execute a word at this odd address.
    Odd(u16),
    /// XGATE's instruction BRK, which gives control to a debugger.
    Break,
    /// Nothing answers at this address.
    Nothing(u32),
    /// The register at this address cannot be used so; why.
    Register(u16, &'static str),
    /// The memory at this address, of this name, cannot be written.
    ReadOnly(u32, String),
}

impl fmt::Display for Wrong {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let hex = |bytes: &[u8]| bytes.iter().map(|b| format!("{b:02x}")).collect::<String>();
        match self {
            Self::Opcode(bytes) => write!(f, "no instruction begins with {}", hex(bytes)),
            Self::Unsupported(bytes, what) => {
                write!(f, "{} is {what}, which is not simulated", hex(bytes))
            }
            Self::Odd(address) => {
                write!(f, "no word lies at the odd address {address:#06x}; align it")
            }
            Self::Break => write!(f, "BRK, a breakpoint in the program"),
            Self::Nothing(address) => write!(f, "nothing answers at address {address:#06x}"),
            Self::Register(address, why) => write!(f, "register {address:#06x}: {why}"),
            Self::ReadOnly(address, memory) => {
                write!(f, "address {address:#06x} is {memory}, which cannot be written")
            }
        }
    }
}
