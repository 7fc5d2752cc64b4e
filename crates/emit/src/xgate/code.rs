//! Instructions of XGATE as text, with their clocks and sizes.

use std::collections::HashMap;
use std::fmt;

/// A word of the frame, before it is placed.
pub type Slot = usize;

/// A register, 0 to 7. Register 0 is always 0.
pub type Register = u8;

/// The portion of a word of the frame that is loaded or stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Portion {
    /// The whole word.
    Word,
    /// The high byte, which comes first in memory.
    High,
    /// The low byte.
    Low,
}

/// The distances that branches of XGATE reach in either direction, in words of code: one with a
/// condition, and one without.
const CONDITIONAL_REACH: usize = 250;
const UNCONDITIONAL_REACH: usize = 500;

/// How far a jump goes, in the distances that branches reach.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// A conditional branch reaches the label.
    Near,
    /// An unconditional branch reaches the label.
    Middle,
    /// The jump takes the label's address.
    Far,
}

/// The end of an iteration, which is the last one if a pointer has come to an address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loop {
    /// The register with the pointer.
    pub register: Register,
    /// The address, as an expression.
    pub end: String,
    /// Whether the address's low byte alone tells it from all others that the pointer takes.
    pub is_short: bool,
    /// The label of the loop.
    pub label: String,
    /// How far the jump goes.
    pub reach: Reach,
}

/// An instruction, or a step that is written as several instructions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Code {
    /// A label.
    Label(String),
    /// Three registers, of which the first one is written.
    Registers(&'static str, [Register; 3]),
    /// Two registers, of which the first one is changed.
    Pair(&'static str, Register, Register),
    /// A register and a number of 4 or 8 bits.
    Number(&'static str, Register, u16),
    /// A register that receives a number of 16 bits, or the address of a label, by two
    /// instructions.
    Wide(Register, String),
    /// `ldw`, `stw`: a register, a base and an offset of 0 to 31 bytes.
    Offset(&'static str, Register, Register, u16),
    /// `ldw`, `ldb`, `stw`: a register, a base and an index.
    Index(&'static str, Register, Register, Register),
    /// `ldw`, `stw`: a register, and a base that moves on by a word after the access, or back by a
    /// word before it.
    Step(&'static str, Register, Register, bool),
    /// A load from the frame, or a store into it.
    Frame {
        /// Whether it stores.
        stores: bool,
        /// The portion of the word that is loaded or stored.
        portion: Portion,
        /// The register that is loaded or stored.
        register: Register,
        /// The word of the frame.
        slot: Slot,
        /// Whether the carry is live, so that the access must leave it unchanged.
        carry: bool,
    },
    /// A jump to a label unless a register is 0. It overwrites the register.
    JumpUnlessZero(Register, String),
    /// A branch to a label that is near unless a register is 0. It keeps the register.
    BranchUnlessZero(Register, String),
    /// A branch to a label that is near unless the last result was 0.
    BranchUnlessEqual(String),
    /// A jump to a label unless a register is at an address. It overwrites the register if it goes
    /// far.
    JumpUnlessAt(Box<Loop>),
    /// Adds the high byte of a label's address to the high byte of a register.
    AddHigh(Register, String),
    /// Loads the address of a label into the base register. The frame begins there from then on.
    Base(String),
    /// A call of a subroutine through a register, which then holds the return address.
    Call(Register, String),
    /// The return from a subroutine to the address in the register.
    Return(Register),
    /// The end of the thread.
    End,
}

/// Loads a word of the frame.
pub fn load(register: Register, slot: Slot) -> Code {
    Code::Frame { stores: false, portion: Portion::Word, register, slot, carry: false }
}

/// Stores a word of the frame.
pub fn store(register: Register, slot: Slot) -> Code {
    Code::Frame { stores: true, portion: Portion::Word, register, slot, carry: false }
}

/// Puts a number into a register.
pub fn number_into(register: Register, value: u16) -> Code {
    match value {
        0..256 => Code::Number("ldl", register, value),
        _ => Code::Wide(register, value.to_string()),
    }
}

/// Adds a number to a register.
pub fn increase(register: Register, by: usize) -> Vec<Code> {
    let mut code = Vec::new();
    if by & 0xff != 0 || by == 0 {
        code.push(Code::Number("addl", register, (by & 0xff) as u16));
    }
    if by >> 8 != 0 {
        code.push(Code::Number("addh", register, (by >> 8) as u16));
    }
    code
}

/// Subtracts a number from a register.
pub fn decrease(register: Register, by: usize) -> Vec<Code> {
    match by {
        0..256 => vec![Code::Number("subl", register, by as u16)],
        _ => increase(register, by.wrapping_neg() & 0xffff),
    }
}

impl Code {
    /// Clocks of XGATE. A jump counts as taken, and an access of the frame without moves of the
    /// base.
    pub fn clocks(&self) -> usize {
        match self {
            Self::Label(_) => 0,
            Self::Registers(..)
            | Self::Pair(..)
            | Self::Number(..)
            | Self::AddHigh(..)
            | Self::End => 1,
            Self::Wide(..)
            | Self::Offset(..)
            | Self::Index(..)
            | Self::Step(..)
            | Self::Base(_)
            | Self::Return(_)
            | Self::Frame { .. } => 2,
            Self::Call(..) => 4,
            Self::JumpUnlessZero(..) => 6,
            Self::BranchUnlessZero(..) => 3,
            Self::BranchUnlessEqual(..) => 2,
            Self::JumpUnlessAt(of) => {
                let jump = match of.reach {
                    Reach::Near => 2,
                    Reach::Middle => 3,
                    Reach::Far => 5,
                };
                jump + if of.is_short { 1 } else { 2 }
            }
        }
    }

    /// The size of the code in words of 16 bits.
    pub fn words(&self) -> usize {
        match self {
            Self::Label(_) => 0,
            Self::Registers(..)
            | Self::Pair(..)
            | Self::Number(..)
            | Self::AddHigh(..)
            | Self::Offset(..)
            | Self::Index(..)
            | Self::Step(..)
            | Self::Frame { .. }
            | Self::Return(_)
            | Self::BranchUnlessEqual(..)
            | Self::End => 1,
            Self::Wide(..) | Self::Base(_) | Self::BranchUnlessZero(..) => 2,
            Self::Call(..) => 3,
            Self::JumpUnlessZero(..) => 5,
            Self::JumpUnlessAt(of) => {
                let jump = match of.reach {
                    Reach::Near => 1,
                    Reach::Middle => 2,
                    Reach::Far => 4,
                };
                jump + if of.is_short { 1 } else { 2 }
            }
        }
    }
}

/// A line or two in the syntax of GNU as.
impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Label(label) => writeln!(f, "{label}:"),
            Self::Registers(mnemonic, [d, a, b]) => writeln!(f, "\t{mnemonic} r{d},r{a},r{b}"),
            Self::Pair(mnemonic, d, s) => writeln!(f, "\t{mnemonic} r{d},r{s}"),
            Self::Number(mnemonic, register, number) => {
                writeln!(f, "\t{mnemonic} r{register},#{number}")
            }
            Self::AddHigh(register, label) => writeln!(f, "\taddh r{register},#%hi({label})"),
            Self::Wide(register, text) => writeln!(f, "\tldw r{register},#{text}"),
            Self::Offset(mnemonic, register, base, offset) => {
                writeln!(f, "\t{mnemonic} r{register},(r{base},#{offset})")
            }
            Self::Index(mnemonic, register, base, index) => {
                writeln!(f, "\t{mnemonic} r{register},(r{base},r{index})")
            }
            Self::Step(mnemonic, register, base, true) => {
                writeln!(f, "\t{mnemonic} r{register},(r0,r{base}+)")
            }
            Self::Step(mnemonic, register, base, false) => {
                writeln!(f, "\t{mnemonic} r{register},(r0,-r{base})")
            }
            Self::Frame { .. } => unreachable!("frame accesses are placed before they are written"),
            Self::JumpUnlessZero(register, label) => writeln!(
                f,
                "\ttst r{register}\n\tbeq 1f\n\tldw r{register},#{label}\n\tjal r{register}\n1:"
            ),
            Self::BranchUnlessZero(register, label) => {
                writeln!(f, "\ttst r{register}\n\tbne {label}")
            }
            Self::BranchUnlessEqual(label) => writeln!(f, "\tbne {label}"),
            Self::JumpUnlessAt(of) => {
                let Loop { register, end, is_short, label, reach } = &**of;
                writeln!(f, "\tcmpl r{register},#%lo({end})")?;
                if !is_short {
                    writeln!(f, "\tcpch r{register},#%hi({end})")?;
                }
                match reach {
                    Reach::Near => writeln!(f, "\tbne {label}"),
                    Reach::Middle => writeln!(f, "\tbeq 1f\n\tbra {label}\n1:"),
                    Reach::Far => {
                        writeln!(f, "\tbeq 1f\n\tldw r{register},#{label}\n\tjal r{register}\n1:")
                    }
                }
            }
            Self::Base(text) => writeln!(f, "\tldw r7,#{text}"),
            Self::Call(register, label) => {
                writeln!(f, "\tldw r{register},#{label}\n\tjal r{register}")
            }
            Self::Return(register) => writeln!(f, "\tjal r{register}"),
            Self::End => writeln!(f, "\trts"),
        }
    }
}

/// Turns jumps to near labels into branches. `pieces` are all the code of the thread in order, so
/// that distances can be computed across them.
pub fn shorten(pieces: &mut [(usize, Vec<Code>)]) {
    let mut labels: HashMap<String, usize> = HashMap::new();
    let mut at = 0;
    for line in pieces.iter().flat_map(|(_, code)| code) {
        if let Code::Label(label) = line {
            labels.insert(label.clone(), at);
        }
        at += line.words();
    }
    at = 0;
    for line in pieces.iter_mut().flat_map(|(_, code)| code) {
        at += line.words();
        if let Code::JumpUnlessZero(register, label) = line
            && labels.get(label).is_some_and(|&to| to.abs_diff(at) <= CONDITIONAL_REACH)
        {
            *line = Code::BranchUnlessZero(*register, std::mem::take(label));
        } else if let Code::JumpUnlessAt(of) = line
            && let Some(&to) = labels.get(&of.label)
        {
            let distance = to.abs_diff(at);
            of.reach = match distance <= UNCONDITIONAL_REACH {
                true if distance <= CONDITIONAL_REACH => Reach::Near,
                true => Reach::Middle,
                false => Reach::Far,
            };
        }
    }
}

/// Removes instructions that the ones before make needless: a test of the register from which SUBL
/// has just subtracted, and a load of the word that was just stored from or loaded into the same
/// register. A load of 0xffff becomes one instruction instead of two. This one leaves the carry as
/// it is, and changes other flags, which no branch takes after a load of a number.
pub fn tighten(pieces: &mut [(usize, Vec<Code>)]) {
    for (_, code) in pieces {
        let mut out: Vec<Code> = Vec::with_capacity(code.len());
        for line in code.drain(..) {
            let [before, last] = [2, 1].map(|i| out.len().checked_sub(i).map(|at| &out[at]));
            let made = match last {
                Some(Code::Offset("stw", ..) | Code::Step("stw", ..)) => before,
                last => last,
            };
            let counted = match made {
                Some(Code::Number("subl", of, _)) => Some(*of),
                _ => None,
            };
            match (line, last) {
                (Code::BranchUnlessZero(register, label), _) if counted == Some(register) => {
                    out.push(Code::BranchUnlessEqual(label));
                }
                (Code::Wide(register, number), _) if number.parse() == Ok(u16::MAX) => {
                    out.push(Code::Registers("xnor", [register, 0, 0]));
                }
                (Code::Offset("ldw", d, base, at), Some(&Code::Offset("stw" | "ldw", s, b, o)))
                    if (d, base, at) == (s, b, o) && d != base => {}
                (line, _) => out.push(line),
            }
        }
        *code = out;
    }
}
