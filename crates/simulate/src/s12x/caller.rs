//! Calls a hash in assembly as an application in compiled C on the CPU does.

use super::chip::Chip;
use super::cpu12::Cpu;
use super::object::{Object, Space};
use super::{Counts, Fault, Machine, MachineError, Stalls, Stop};
use std::ops::Range;

/// The result of a hash with its cost.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hashed {
    /// The digest.
    pub digest: Vec<u8>,
    /// Bus cycles of init, update and final.
    pub cycles: u64,
    /// The counts of both cores in this time.
    pub counts: Counts,
    /// Bytes of stack that were used, the return address of the call among them.
    pub stack_bytes: usize,
}

/// An error: a call has no result.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CallError {
    /// A core did something that it cannot do.
    #[error(transparent)]
    Fault(#[from] Fault),
    /// No memory is at an address, or no symbol has a name.
    #[error(transparent)]
    Machine(#[from] MachineError),
    /// There is too little RAM for a context, a digest and a piece of a message.
    #[error("the program leaves {bytes} bytes of RAM; an application needs {needed}")]
    Room {
        /// The bytes that there are.
        bytes: usize,
        /// The bytes that are needed.
        needed: usize,
    },
    /// The call did not return.
    #[error("{name} did not return within {cycles} bus cycles")]
    Late {
        /// The function.
        name: String,
        /// The limit.
        cycles: u64,
    },
}

/// Bytes of the longest piece.
const MOST_AT_ONCE: usize = 2032;
/// Bytes behind a piece's place by which pieces may be moved.
const SPARE: usize = 16;
/// The shortest piece for which there must be room.
const LEAST_AT_ONCE: usize = 64;

/// The stack's end, and the bytes of stack that are watched.
const STACK: u16 = 0x4000;
const WATCHED: usize = 256;
/// The byte that unused stack is filled with before a call.
const UNUSED: u8 = 0xa5;

/// Bus cycles that a call may take.
const MOST_CYCLES: u64 = 100_000_000;

/// Where an application's data lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Data {
    context: u16,
    digest: u16,
    message: u16,
    /// Bytes of a piece of the message, at most.
    piece: usize,
}

/// A hash's program, as it is to be called.
#[derive(Clone, Debug)]
pub struct Callee<'c> {
    /// The program.
    pub object: &'c Object,
    /// The prefix of the names of its functions.
    pub prefix: &'c str,
    /// Bytes of a context.
    pub context_bytes: usize,
    /// Bytes of a digest.
    pub digest_bytes: usize,
    /// RAM that the program leaves to an application.
    pub ram: Range<u16>,
}

/// A machine with a hash's program.
pub struct Caller {
    machine: Machine<Cpu>,
    prefix: String,
    data: Data,
    digest_bytes: usize,
}

impl Caller {
    /// Loads a program.
    ///
    /// # Errors
    /// If there is no memory where it lies, or too little for a message beside it.
    pub fn new(callee: &Callee<'_>) -> Result<Self, CallError> {
        let Callee { object, prefix, context_bytes, digest_bytes, ram } = callee;
        let mut machine = Machine::of(&Chip::xdt512());
        machine.load(object)?;
        let before =
            context_bytes.next_multiple_of(2) + digest_bytes.next_multiple_of(2) + 2 * SPARE;
        let piece = (ram.len().saturating_sub(before) / 2).min(MOST_AT_ONCE) & !1;
        if piece < LEAST_AT_ONCE {
            return Err(CallError::Room { bytes: ram.len(), needed: before + 2 * LEAST_AT_ONCE });
        }
        let context = ram.start.next_multiple_of(2);
        let digest = context + context_bytes.next_multiple_of(2) as u16;
        let message = digest + digest_bytes.next_multiple_of(2) as u16;
        let data = Data { context, digest, message, piece };
        Ok(Self { machine, prefix: (*prefix).to_owned(), data, digest_bytes: *digest_bytes })
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

    /// Calls a function as [`Caller::call`], and returns D and the bus cycles that it took.
    ///
    /// # Errors
    /// As [`Caller::call`].
    pub fn call_timed(
        &mut self,
        function: &str,
        first: u16,
        others: &[u16],
    ) -> Result<(u16, u64), CallError> {
        let before = self.machine.now();
        let d = self.call(function, first, others)?;
        Ok((d, (self.machine.now() - before).div_ceil(2)))
    }

    /// The machine's memory as the CPU sees it.
    ///
    /// # Errors
    /// If there is none.
    pub fn read(&self, address: u16, bytes: usize) -> Result<Vec<u8>, CallError> {
        Ok(self.machine.read(Space::Cpu, address.into(), bytes)?)
    }

    /// Writes into the machine's memory as the CPU sees it.
    ///
    /// # Errors
    /// If there is none.
    pub fn write(&mut self, address: u16, bytes: &[u8]) -> Result<(), CallError> {
        Ok(self.machine.write(Space::Cpu, address.into(), bytes)?)
    }

    /// Hashes a message, in pieces that fit into the RAM, of at most 2032 bytes.
    ///
    /// # Errors
    /// As [`Caller::call`].
    pub fn hash(&mut self, message: &[u8]) -> Result<Hashed, CallError> {
        self.hash_pieces(message, &[MOST_AT_ONCE])
    }

    /// Hashes a message in pieces of these sizes, again and again, if they fit into the RAM; they
    /// lie at even addresses and odd ones, each until the call for the next one returns.
    ///
    /// # Errors
    /// As [`Caller::call`].
    pub fn hash_pieces(&mut self, message: &[u8], sizes: &[usize]) -> Result<Hashed, CallError> {
        self.pieces(None, message, sizes)
    }

    /// The MAC of a message under a key, in pieces as [`Caller::hash`].
    ///
    /// # Errors
    /// As [`Caller::call`], and if the key is too long.
    pub fn mac(&mut self, key: &[u8], message: &[u8]) -> Result<Hashed, CallError> {
        self.mac_pieces(key, message, &[MOST_AT_ONCE])
    }

    /// The MAC of a message under a key, in pieces as [`Caller::hash_pieces`]. The key must fit
    /// into the place of a piece.
    ///
    /// # Errors
    /// As [`Caller::call`], and if the key is too long.
    pub fn mac_pieces(
        &mut self,
        key: &[u8],
        message: &[u8],
        sizes: &[usize],
    ) -> Result<Hashed, CallError> {
        if key.len() > self.data.piece {
            return Err(CallError::Room { bytes: self.data.piece, needed: key.len() });
        }
        self.pieces(Some(key), message, sizes)
    }

    /// Expands a key and encrypts data in mode CTR from a counter on, in pieces of whole blocks
    /// that fit into the RAM, each at an even address.
    ///
    /// # Errors
    /// As [`Caller::call`], and if the key is too long.
    pub fn ctr(&mut self, key: &[u8], counter: &[u8], data: &[u8]) -> Result<Hashed, CallError> {
        self.encrypt("ctr", key, counter, counter.len(), data)
    }

    /// Expands a key and encrypts data in mode ECB. The data are whole blocks of `block` bytes.
    ///
    /// # Errors
    /// As [`Caller::ctr`].
    pub fn ecb(&mut self, key: &[u8], block: usize, data: &[u8]) -> Result<Hashed, CallError> {
        self.encrypt("ecb_encrypt", key, &[], block, data)
    }

    /// Expands a key and encrypts data block by block: each call of `encrypt_block` has the same
    /// place as input and output.
    ///
    /// # Errors
    /// As [`Caller::ctr`].
    pub fn blocks(&mut self, key: &[u8], block: usize, data: &[u8]) -> Result<Hashed, CallError> {
        let Data { context, message: place, piece, .. } = self.data;
        if key.len().max(block) > piece {
            return Err(CallError::Room { bytes: piece, needed: key.len().max(block) });
        }
        self.watch()?;
        self.machine.write(Space::Cpu, place.into(), key)?;
        self.machine.clear_counts();
        let mut clocks = self.timed("init", &[place])?;
        let mut out = Vec::with_capacity(data.len());
        for text in data.chunks(block.max(1)) {
            self.machine.write(Space::Cpu, place.into(), text)?;
            let before = self.machine.now();
            self.call("encrypt_block", context, &[place, place])?;
            clocks += self.machine.now() - before;
            out.extend(self.machine.read(Space::Cpu, place.into(), text.len())?);
        }
        self.taken(out, clocks)
    }

    /// Expands a key and encrypts data by a function, which takes the vector first if there is one.
    fn encrypt(
        &mut self,
        function: &str,
        key: &[u8],
        vector: &[u8],
        block: usize,
        data: &[u8],
    ) -> Result<Hashed, CallError> {
        let Data { context, message: place, piece, .. } = self.data;
        let block = block.max(1);
        let room = (piece - block) / block * block;
        if key.len() > piece || room == 0 {
            return Err(CallError::Room { bytes: piece, needed: key.len().max(2 * block) });
        }
        self.watch()?;
        self.machine.write(Space::Cpu, place.into(), key)?;
        self.machine.clear_counts();
        let mut clocks = self.timed("init", &[place])?;
        self.machine.write(Space::Cpu, place.into(), vector)?;
        let at = place + block.next_multiple_of(2) as u16;
        let mut out = Vec::with_capacity(data.len());
        for piece in data.chunks(room) {
            self.machine.write(Space::Cpu, at.into(), piece)?;
            let before = self.machine.now();
            let arguments = [place, at, piece.len() as u16];
            let first = usize::from(vector.is_empty());
            self.call(function, context, &arguments[first..])?;
            clocks += self.machine.now() - before;
            out.extend(self.machine.read(Space::Cpu, at.into(), piece.len())?);
        }
        self.taken(out, clocks)
    }

    /// Notes how deep the stack goes from now on.
    fn watch(&mut self) -> Result<(), CallError> {
        let bottom = u32::from(STACK) - WATCHED as u32;
        Ok(self.machine.write(Space::Cpu, bottom, &[UNUSED; WATCHED])?)
    }

    /// The outcome of a computation that took `clocks` XGATE clocks.
    fn taken(&self, digest: Vec<u8>, clocks: u64) -> Result<Hashed, CallError> {
        let bottom = u32::from(STACK) - WATCHED as u32;
        let stack = self.machine.read(Space::Cpu, bottom, WATCHED)?;
        let free = stack.iter().take_while(|&&byte| byte == UNUSED).count();
        Ok(Hashed {
            digest,
            cycles: clocks.div_ceil(2),
            counts: self.machine.counts(),
            stack_bytes: WATCHED - free,
        })
    }

    fn pieces(
        &mut self,
        key: Option<&[u8]>,
        message: &[u8],
        sizes: &[usize],
    ) -> Result<Hashed, CallError> {
        self.watch()?;
        let place = self.data.message;
        self.machine.write(Space::Cpu, place.into(), key.unwrap_or_default())?;
        self.machine.clear_counts();
        let mut clocks = match key {
            Some(key) => self.timed("init", &[place, key.len() as u16])?,
            None => self.timed("init", &[])?,
        };
        let mut rest = message;
        for (i, &size) in sizes.iter().cycle().enumerate() {
            if rest.is_empty() {
                break;
            }
            let (piece, after) = rest.split_at(size.clamp(1, self.data.piece).min(rest.len()));
            rest = after;
            // A piece stays where it is until the next call returns.
            let half = (self.data.piece + SPARE) * (i % 2);
            let place = self.data.message + (half + i / 2 % SPARE) as u16;
            self.machine.write(Space::Cpu, place.into(), piece)?;
            clocks += self.timed("update", &[place, piece.len() as u16])?;
        }
        clocks += self.timed("final", &[self.data.digest])?;
        let digest = self.machine.read(Space::Cpu, self.data.digest.into(), self.digest_bytes)?;
        self.taken(digest, clocks)
    }

    /// Calls a function for the context, and returns the XGATE clocks that it took.
    fn timed(&mut self, function: &str, others: &[u16]) -> Result<u64, CallError> {
        let before = self.machine.now();
        self.call(function, self.data.context, others)?;
        Ok(self.machine.now() - before)
    }
}
