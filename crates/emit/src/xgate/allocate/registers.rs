//! The words in registers.

use crate::xgate::code::Register;

/// Registers that hold words.
const REGISTERS: [Register; COUNT] = [1, 2, 3, 4, 5, 6];

/// The number of registers that hold words.
pub const COUNT: usize = 6;

/// The number that stands for no word.
const NO_WORD: u32 = u32::MAX;

/// For each register the word in it.
#[derive(Clone, Copy)]
pub struct Registers([u32; COUNT]);

impl Default for Registers {
    fn default() -> Self {
        Self([NO_WORD; COUNT])
    }
}

impl Registers {
    /// The registers in the order of their numbers.
    pub fn all() -> impl Iterator<Item = Register> {
        REGISTERS.into_iter()
    }

    /// The word in a register.
    pub fn word(&self, register: Register) -> Option<usize> {
        let word = self.0[usize::from(register) - 1];
        (word != NO_WORD).then_some(word as usize)
    }

    /// The register of a word, 0 if none.
    pub fn of(&self, word: usize) -> Register {
        let held = self.0.iter().position(|&held| held as usize == word);
        held.map_or(0, |at| REGISTERS[at])
    }

    /// Says that a register holds a word from now on.
    pub fn hold(&mut self, register: Register, word: usize) {
        self.0[usize::from(register) - 1] = word as u32;
    }

    /// Says that a register holds no word from now on.
    pub fn release(&mut self, register: Register) {
        self.0[usize::from(register) - 1] = NO_WORD;
    }

    /// The words in ascending order, whatever their registers.
    pub fn words(&self) -> impl Iterator<Item = usize> + Clone {
        let mut words = self.0;
        words.sort_unstable();
        words.into_iter().take_while(|&word| word != NO_WORD).map(|word| word as usize)
    }
}

/// Registers that an instruction needs, so that none of them can be spilled.
#[derive(Clone, Copy, Default)]
pub struct Locked(u8);

impl Locked {
    /// Locks a register.
    pub fn lock(&mut self, register: Register) {
        self.0 |= 1 << register;
    }

    /// Whether a register is locked.
    pub fn has(&self, register: Register) -> bool {
        self.0 >> register & 1 == 1
    }
}
