//! Calls as compiled C makes them: what an application on the CPU does with a hash in assembly.

use super::chip::Chip;
use super::cpu12::Cpu;
use super::object::{Object, Space};
use super::{Counts, Fault, Machine, MachineError, Stalls, Stop};

/// What a hash took.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hashed {
    /// The digest.
    pub digest: Vec<u8>,
    /// Bus cycles of init, update and final.
    pub cycles: u64,
    /// What both cores did in them.
    pub counts: Counts,
    /// Bytes of stack that were used, the return address of the call among them.
    pub stack_bytes: usize,
}

/// Why a call has no result.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CallError {
    /// A core did what it cannot do.
    #[error(transparent)]
    Fault(#[from] Fault),
    /// Nothing is at an address, or no symbol has a name.
    #[error(transparent)]
    Machine(#[from] MachineError),
    /// The call did not return.
    #[error("{name} did not return within {cycles} bus cycles")]
    Late {
        /// The function.
        name: String,
        /// The limit.
        cycles: u64,
    },
}

/// Where the application has its data: RAM before the work area.
const MESSAGE: u16 = 0x1000;
const MOST_AT_ONCE: usize = 0x800;
const CONTEXT: u16 = 0x1800;
const DIGEST: u16 = 0x1c00;
/// The stack's end, and how much of it is watched.
const STACK: u16 = 0x4000;
const WATCHED: usize = 256;
/// What the stack holds before a call.
const UNUSED: u8 = 0xa5;

/// Bus cycles that a call may take.
const MOST_CYCLES: u64 = 100_000_000;

/// A machine with a hash's program.
pub struct Caller {
    machine: Machine<Cpu>,
    prefix: String,
}

impl Caller {
    /// Loads a program whose functions begin with `prefix`.
    ///
    /// # Errors
    /// If there is no memory where it lies.
    pub fn new(object: &Object, prefix: &str) -> Result<Self, CallError> {
        let mut machine = Machine::of(&Chip::xdt512());
        machine.load(object)?;
        Ok(Self { machine, prefix: prefix.to_owned() })
    }

    /// The machine.
    pub fn machine(&mut self) -> &mut Machine<Cpu> {
        &mut self.machine
    }

    /// Lets the cores stall at random.
    pub fn set_stalls(&mut self, stalls: Option<Stalls>) {
        self.machine.set_stalls(stalls);
    }

    /// Calls a function: `first` is in D, the `others` are on the stack. Returns D.
    ///
    /// # Errors
    /// If it does not return, or a core does what it cannot do.
    pub fn call(&mut self, function: &str, first: u16, others: &[u16]) -> Result<u16, CallError> {
        let name = format!("{}_{function}", self.prefix);
        let address = self.machine.symbol(&name)?.address as u16;
        let sp = STACK - 2 * others.len() as u16;
        let bytes: Vec<u8> = others.iter().flat_map(|word| word.to_be_bytes()).collect();
        if !bytes.is_empty() {
            self.machine.write(Space::Cpu, sp.into(), &bytes)?;
        }
        let registers = self.machine.cpu.registers_mut();
        (registers.sp, registers.d) = (sp, first);
        match self.machine.call(address, MOST_CYCLES)? {
            Stop::Returned => Ok(self.machine.cpu.registers().d),
            _ => Err(CallError::Late { name, cycles: MOST_CYCLES }),
        }
    }

    /// Hashes a message, in pieces of at most 2 KiB from RAM.
    ///
    /// # Errors
    /// As [`Caller::call`].
    pub fn hash(&mut self, message: &[u8], digest_bytes: usize) -> Result<Hashed, CallError> {
        let unused = [UNUSED; WATCHED];
        let bottom = u32::from(STACK) - WATCHED as u32;
        self.machine.write(Space::Cpu, bottom, &unused)?;
        self.machine.clear_counts();
        let mut clocks = 0;
        let mut timed = |caller: &mut Self, function: &str, others: &[u16]| {
            let before = caller.machine.now();
            caller.call(function, CONTEXT, others)?;
            clocks += caller.machine.now() - before;
            Ok::<(), CallError>(())
        };
        timed(self, "init", &[])?;
        for piece in message.chunks(MOST_AT_ONCE) {
            self.machine.write(Space::Cpu, MESSAGE.into(), piece)?;
            timed(self, "update", &[MESSAGE, piece.len() as u16])?;
        }
        timed(self, "final", &[DIGEST])?;
        let stack = self.machine.read(Space::Cpu, bottom, WATCHED)?;
        let free = stack.iter().take_while(|&&byte| byte == UNUSED).count();
        Ok(Hashed {
            digest: self.machine.read(Space::Cpu, DIGEST.into(), digest_bytes)?,
            cycles: clocks.div_ceil(2),
            counts: self.machine.counts(),
            stack_bytes: WATCHED - free,
        })
    }
}
