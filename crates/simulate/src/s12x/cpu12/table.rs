//! The table of instructions, from which decoder, assembler and disassembler are made.

use super::registers::Register;

/// The form of an instruction's operands, which says how many bytes follow the opcode.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// No operand.
    Inherent,
    /// An immediate byte.
    Immediate8,
    /// An immediate word.
    Immediate16,
    /// A byte: an address below 0x100.
    Direct,
    /// A word: a local address.
    Extended,
    /// A postbyte and up to two bytes; any of the indexed modes.
    Indexed,
    /// An indexed operand without the two indirect modes: LEAX, LEAY, LEAS.
    IndexedDirect,
    /// A postbyte alone: TBL and ETBL.
    IndexedShort,
    /// A signed byte, counted from the next instruction.
    Relative8,
    /// A signed word, counted from the next instruction.
    Relative16,
    /// A place in memory of this form and a mask.
    Mask(BitOperand),
    /// A place in memory of this form, a mask, and a signed byte counted from the next instruction.
    MaskBranch(BitOperand),
    /// A source and a destination.
    Move(Source, Target),
    /// The postbyte of a loop and a displacement of nine bits.
    Loop,
    /// The postbyte of TFR, EXG and SEX.
    Transfer,
    /// A local address and a page.
    CallExtended,
    /// A postbyte and a page; the page is in memory in the two indirect modes.
    CallIndexed,
}

/// How a bit instruction names its byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BitOperand {
    /// A byte: an address below 0x100.
    Direct,
    /// A word: a local address.
    Extended,
    /// An indexed mode that is not indirect.
    Indexed,
}

/// How MOVB and MOVW name what they read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Source {
    /// An immediate value of the instruction's width.
    Immediate,
    /// A local address.
    Extended,
    /// Any indexed mode.
    Indexed,
}

/// How MOVB and MOVW name where they write.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Target {
    /// A local address.
    Extended,
    /// Any indexed mode.
    Indexed,
}

/// What an instruction with one operand, read and written back, computes of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Unary {
    /// 0 - m.
    Negate,
    /// The complement of every bit.
    Complement,
    /// m + 1.
    Increment,
    /// m - 1.
    Decrement,
    /// Logical shift right.
    ShiftRight,
    /// Rotation left through C.
    RotateLeft,
    /// Rotation right through C.
    RotateRight,
    /// Arithmetic shift right.
    ArithmeticRight,
    /// Shift left.
    ShiftLeft,
    /// 0.
    Clear,
    /// Nothing: only the flags are set.
    Test,
}

/// Where the operand of a [`Unary`] is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Where {
    /// In this register.
    In(Register),
    /// A byte of memory.
    Byte,
    /// A word of memory.
    Word,
}

/// The operations of two operands that set flags.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Binary {
    /// r + m.
    Add,
    /// r + m + C.
    AddCarry,
    /// r - m.
    Subtract,
    /// r - m - C.
    SubtractBorrow,
    /// r - m, of which only the flags stay.
    Compare,
    /// r - m - C, of which only the flags stay.
    CompareBorrow,
    /// r & m.
    And,
    /// r & m, of which only the flags stay.
    Bits,
    /// r ^ m.
    ExclusiveOr,
    /// r | m.
    Or,
}

/// What an instruction does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Operation {
    /// A register becomes the operand; by global address if `true`.
    Load(Register, bool),
    /// A register is written to memory; by global address if `true`.
    Store(Register, bool),
    /// A register becomes the register combined with the operand.
    Combine(Binary, Register),
    /// A register or a place in memory becomes a function of itself.
    Modify(Unary, Where),
    /// The effective address goes into a register.
    LoadAddress(Register),
    /// A register becomes one more, or less: INX, INY, DEX, DEY.
    Count(Register, i8),
    /// A register is pushed.
    Push(Register),
    /// A register is pulled.
    Pull(Register),
    /// A branch on one of the sixteen conditions, the low bits of its opcode.
    Branch(u8),
    /// BSET: m | mask.
    SetBits,
    /// BCLR: m & !mask.
    ClearBits,
    /// BTAS: flags of m & mask, then m | mask.
    TestAndSetBits,
    /// BRSET: branches if all bits of the mask are 1.
    BranchBitsSet,
    /// BRCLR: branches if all bits of the mask are 0.
    BranchBitsClear,
    /// MOVB.
    MoveByte,
    /// MOVW.
    MoveWord,
    /// A + B into A, A - B into A, A - B for its flags.
    Accumulators(Binary),
    /// TAB and TBA: the second register becomes the first.
    Copy(Register, Register),
    /// TFR, EXG and SEX.
    TransferExchange,
    /// DBEQ, DBNE, TBEQ, TBNE, IBEQ, IBNE.
    LoopPrimitive,
    /// ANDCC.
    AndFlags,
    /// ORCC.
    OrFlags,
    /// JMP.
    Jump,
    /// JSR and BSR.
    JumpSubroutine,
    /// RTS.
    ReturnSubroutine,
    /// CALL.
    Call,
    /// RTC.
    ReturnCall,
    /// RTI.
    ReturnInterrupt,
    /// SWI.
    SoftwareInterrupt,
    /// SYS.
    SystemCall,
    /// WAI.
    Wait,
    /// STOP.
    Stop,
    /// BGND.
    Background,
    /// NOP.
    NoOperation,
    /// MUL.
    Multiply8,
    /// EMUL.
    Multiply16,
    /// EMULS.
    MultiplySigned,
    /// EMACS.
    MultiplyAccumulate,
    /// IDIV.
    Divide,
    /// IDIVS.
    DivideSigned,
    /// FDIV.
    DivideFraction,
    /// EDIV.
    DivideLong,
    /// EDIVS.
    DivideLongSigned,
    /// DAA.
    DecimalAdjust,
    /// MAXA, MINA, EMAXD, EMIND: the register becomes the greater one if `true`, else the lesser
    /// one.
    SelectRegister(Register, bool),
    /// MAXM, MINM, EMAXM, EMINM: the memory becomes the greater one if `true`, else the lesser one.
    SelectMemory(Register, bool),
    /// TBL.
    Interpolate8,
    /// ETBL.
    Interpolate16,
    /// MEM.
    Membership,
    /// REV.
    Rules,
    /// REVW.
    WeightedRules,
    /// WAV.
    WeightedAverage,
}

/// Bus cycles of an instruction: by indexed mode in the order of [`super::decode::Mode::cost`], or
/// the first alone. A branch has (taken, not taken), STOP (passed over, entered).
pub(super) type Cycles = [u8; 5];

/// One instruction in one form.
#[derive(Clone, Debug)]
pub struct Row {
    /// The mnemonic, in small letters.
    pub mnemonic: &'static str,
    /// Whether the prefix 0x18 is in front.
    pub page2: bool,
    /// The opcode, after the prefix.
    pub opcode: u8,
    /// The form of the operands.
    pub format: Format,
    /// What it does.
    pub operation: Operation,
    /// Whether only the CPU12X has it.
    pub cpu12x: bool,
    /// Whether an earlier row has the same bytes; decoding then gives the mnemonic of that row.
    pub alias: bool,
    /// Bus cycles if each prefix of the CPU12X's instructions takes one.
    pub(super) cycles: Cycles,
    /// Bus cycles as the table of GNU binutils has them.
    pub(super) listed: Cycles,
}

/// Mnemonics of one fixed pair of bytes, for which other mnemonics are written with operands.
pub(super) const FIXED: [(&str, [u8; 2]); 18] = [
    ("abx", [0x1a, 0xe5]),
    ("aby", [0x19, 0xed]),
    ("clc", [0x10, 0xfe]),
    ("cli", [0x10, 0xef]),
    ("clv", [0x10, 0xfd]),
    ("sec", [0x14, 0x01]),
    ("sei", [0x14, 0x10]),
    ("sev", [0x14, 0x02]),
    ("des", [0x1b, 0x9f]),
    ("ins", [0x1b, 0x81]),
    ("tap", [0xb7, 0x02]),
    ("tpa", [0xb7, 0x20]),
    ("tsx", [0xb7, 0x75]),
    ("tsy", [0xb7, 0x76]),
    ("txs", [0xb7, 0x57]),
    ("tys", [0xb7, 0x67]),
    ("xgdx", [0xb7, 0xc5]),
    ("xgdy", [0xb7, 0xc6]),
];

/// The mnemonics of the loops, in the order of bits 7 to 5 of the postbyte.
pub(super) const LOOPS: [&str; 6] = ["dbeq", "dbne", "tbeq", "tbne", "ibeq", "ibne"];

impl Row {
    /// The place in [`Opcodes`](super::lookup::Opcodes).
    pub(super) fn index(&self) -> usize {
        usize::from(self.opcode) + if self.page2 { 256 } else { 0 }
    }
}
