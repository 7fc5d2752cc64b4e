//! The instructions of XGATE, from which decoder, assembler and disassembler are made.
//!
//! MC9S12XDP512 data sheet, chapter 9 (S12XGATEV2), §9.8.

use std::sync::LazyLock;

/// The places of an instruction's operands in its word. Registers are R0 to R7.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OperandFormat {
    /// None.
    Inherent,
    /// `#IMM3`: bits 10 to 8.
    Imm3,
    /// `R`: bits 10 to 8.
    Monadic,
    /// `R, CCR`.
    FromCcr,
    /// `CCR, R`.
    ToCcr,
    /// `R, PC`.
    FromPc,
    /// `RD, RS`: bits 10 to 8, 7 to 5.
    Dyadic,
    /// `RD, #IMM4`: bits 10 to 8, 7 to 4.
    Imm4,
    /// `RD, RS1, RS2`: bits 10 to 8, 7 to 5, 4 to 2.
    Triadic,
    /// A displacement in words, 9 bits, from the next instruction.
    Rel9,
    /// A displacement in words, 10 bits, from the next instruction.
    Rel10,
    /// `RD, (RB, #OFFS5)`: an offset of 0 to 31 bytes.
    Offset5,
    /// `RD, (RB, RI)`.
    Index,
    /// `RD, (RB, RI+)`: RI is incremented by the size of the access afterwards.
    IndexIncrement,
    /// `RD, (RB, -RI)`: RI is decremented by the size of the access before it.
    IndexDecrement,
    /// `RD, #IMM8`: bits 10 to 8, 7 to 0.
    Imm8,
}

impl OperandFormat {
    /// Bits of the word that hold no operand.
    const fn fixed(self) -> u16 {
        match self {
            Self::Inherent => 0xffff,
            Self::Imm3 | Self::Monadic | Self::FromCcr | Self::ToCcr | Self::FromPc => 0xf8ff,
            Self::Dyadic => 0xf81f,
            Self::Imm4 => 0xf80f,
            Self::Triadic | Self::Index | Self::IndexIncrement | Self::IndexDecrement => 0xf803,
            Self::Rel9 => 0xfe00,
            Self::Rel10 => 0xfc00,
            Self::Offset5 | Self::Imm8 => 0xf800,
        }
    }
}

macro_rules! operations {
    ($($name:ident $text:literal)*) => {
        /// The operation of an instruction.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[allow(missing_docs)]
        pub enum Operation {
            $($name,)*
        }

        impl Operation {
            /// The mnemonic, in small letters.
            pub fn mnemonic(self) -> &'static str {
                match self {
                    $(Self::$name => $text,)*
                }
            }
        }
    };
}

operations! {
    Brk "brk" Nop "nop" Rts "rts" Sif "sif" Csem "csem" Ssem "ssem" Sex "sex" Par "par" Jal "jal"
    Tfr "tfr" Bffo "bffo"
    Asr "asr" Csl "csl" Csr "csr" Lsl "lsl" Lsr "lsr" Rol "rol" Ror "ror"
    And "and" Or "or" Xnor "xnor" Sub "sub" Sbc "sbc" Add "add" Adc "adc"
    Bcc "bcc" Bcs "bcs" Bne "bne" Beq "beq" Bpl "bpl" Bmi "bmi" Bvc "bvc" Bvs "bvs"
    Bhi "bhi" Bls "bls" Bge "bge" Blt "blt" Bgt "bgt" Ble "ble" Bra "bra"
    Ldb "ldb" Ldw "ldw" Stb "stb" Stw "stw"
    Bfext "bfext" Bfins "bfins" Bfinsi "bfinsi" Bfinsx "bfinsx"
    Andl "andl" Andh "andh" Bitl "bitl" Bith "bith" Orl "orl" Orh "orh" Xnorl "xnorl" Xnorh "xnorh"
    Subl "subl" Subh "subh" Cmpl "cmpl" Cpch "cpch" Addl "addl" Addh "addh" Ldl "ldl" Ldh "ldh"
}

/// One instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Row {
    /// Its operation.
    pub operation: Operation,
    /// The places of its operands.
    pub form: OperandFormat,
    /// The word with all operands 0.
    pub word: u16,
}

const fn row(operation: Operation, form: OperandFormat, word: u16) -> Row {
    Row { operation, form, word }
}

/// All instructions, in the order of their words within each form.
#[rustfmt::skip]
pub const ROWS: &[Row] = {
    use OperandFormat::*;
    use Operation::*;
    &[
        row(Brk,  Inherent, 0x0000), row(Nop,  Inherent, 0x0100),
        row(Rts,  Inherent, 0x0200), row(Sif,  Inherent, 0x0300),
        row(Csem, Imm3,     0x00f0), row(Csem, Monadic,  0x00f1),
        row(Ssem, Imm3,     0x00f2), row(Ssem, Monadic,  0x00f3),
        row(Sex,  Monadic,  0x00f4), row(Par,  Monadic,  0x00f5),
        row(Jal,  Monadic,  0x00f6), row(Sif,  Monadic,  0x00f7),
        row(Tfr,  FromCcr,  0x00f8), row(Tfr,  ToCcr,    0x00f9), row(Tfr, FromPc, 0x00fa),
        row(Bffo, Dyadic,   0x0810),
        row(Asr,  Dyadic,   0x0811), row(Csl,  Dyadic,   0x0812), row(Csr, Dyadic, 0x0813),
        row(Lsl,  Dyadic,   0x0814), row(Lsr,  Dyadic,   0x0815),
        row(Rol,  Dyadic,   0x0816), row(Ror,  Dyadic,   0x0817),
        row(Asr,  Imm4,     0x0809), row(Csl,  Imm4,     0x080a), row(Csr, Imm4,   0x080b),
        row(Lsl,  Imm4,     0x080c), row(Lsr,  Imm4,     0x080d),
        row(Rol,  Imm4,     0x080e), row(Ror,  Imm4,     0x080f),
        row(And,  Triadic,  0x1000), row(Or,   Triadic,  0x1002), row(Xnor, Triadic, 0x1003),
        row(Sub,  Triadic,  0x1800), row(Sbc,  Triadic,  0x1801),
        row(Add,  Triadic,  0x1802), row(Adc,  Triadic,  0x1803),
        row(Bcc,  Rel9,     0x2000), row(Bcs,  Rel9,     0x2200),
        row(Bne,  Rel9,     0x2400), row(Beq,  Rel9,     0x2600),
        row(Bpl,  Rel9,     0x2800), row(Bmi,  Rel9,     0x2a00),
        row(Bvc,  Rel9,     0x2c00), row(Bvs,  Rel9,     0x2e00),
        row(Bhi,  Rel9,     0x3000), row(Bls,  Rel9,     0x3200),
        row(Bge,  Rel9,     0x3400), row(Blt,  Rel9,     0x3600),
        row(Bgt,  Rel9,     0x3800), row(Ble,  Rel9,     0x3a00),
        row(Bra,  Rel10,    0x3c00),
        row(Ldb,  Offset5,  0x4000), row(Ldw,  Offset5,  0x4800),
        row(Stb,  Offset5,  0x5000), row(Stw,  Offset5,  0x5800),
        row(Ldb,  Index,    0x6000), row(Ldw,  Index,    0x6800),
        row(Stb,  Index,    0x7000), row(Stw,  Index,    0x7800),
        row(Ldb,  IndexIncrement, 0x6001), row(Ldw, IndexIncrement, 0x6801),
        row(Stb,  IndexIncrement, 0x7001), row(Stw, IndexIncrement, 0x7801),
        row(Ldb,  IndexDecrement, 0x6002), row(Ldw, IndexDecrement, 0x6802),
        row(Stb,  IndexDecrement, 0x7002), row(Stw, IndexDecrement, 0x7802),
        row(Bfext,  Triadic, 0x6003), row(Bfins,  Triadic, 0x6803),
        row(Bfinsi, Triadic, 0x7003), row(Bfinsx, Triadic, 0x7803),
        row(Andl,  Imm8, 0x8000), row(Andh,  Imm8, 0x8800),
        row(Bitl,  Imm8, 0x9000), row(Bith,  Imm8, 0x9800),
        row(Orl,   Imm8, 0xa000), row(Orh,   Imm8, 0xa800),
        row(Xnorl, Imm8, 0xb000), row(Xnorh, Imm8, 0xb800),
        row(Subl,  Imm8, 0xc000), row(Subh,  Imm8, 0xc800),
        row(Cmpl,  Imm8, 0xd000), row(Cpch,  Imm8, 0xd800),
        row(Addl,  Imm8, 0xe000), row(Addh,  Imm8, 0xe800),
        row(Ldl,   Imm8, 0xf000), row(Ldh,   Imm8, 0xf800),
    ]
};

/// Another mnemonic of an instruction, with the operands that the programmer does not write.
#[derive(Clone, Copy, Debug)]
pub struct Alias {
    /// The mnemonic.
    pub mnemonic: &'static str,
    /// How many registers the programmer writes.
    pub registers: usize,
    /// The instruction, triadic.
    pub operation: Operation,
    /// For each of its three registers: the number of the written one, or none for R0.
    pub operands: [Option<usize>; 3],
}

const fn alias(
    mnemonic: &'static str,
    registers: usize,
    operation: Operation,
    operands: [Option<usize>; 3],
) -> Alias {
    Alias { mnemonic, registers, operation, operands }
}

/// Other names of triadic instructions.
#[rustfmt::skip]
pub const ALIASES: &[Alias] = {
    use Operation::*;
    &[
        alias("cmp", 2, Sub,  [None,    Some(0), Some(1)]),
        alias("cpc", 2, Sbc,  [None,    Some(0), Some(1)]),
        alias("com", 1, Xnor, [Some(0), None,    Some(0)]),
        alias("com", 2, Xnor, [Some(0), None,    Some(1)]),
        alias("mov", 2, Or,   [Some(0), None,    Some(1)]),
        alias("neg", 2, Sub,  [Some(0), None,    Some(1)]),
        alias("tst", 1, Sub,  [None,    Some(0), None]),
    ]
};

/// Other names of branches.
pub const BRANCH_ALIASES: [(&str, Operation); 2] =
    [("bhs", Operation::Bcc), ("blo", Operation::Bcs)];

/// Two instructions with an immediate of 16 bits: the one of its low byte, then that of its high
/// byte.
pub const PAIRS: [(&str, Operation, Operation); 7] = {
    use Operation::*;
    [
        ("add", Addl, Addh),
        ("and", Andl, Andh),
        ("cmp", Cmpl, Cpch),
        ("ldw", Ldl, Ldh),
        ("or", Orl, Orh),
        ("sub", Subl, Subh),
        ("xnor", Xnorl, Xnorh),
    ]
};

/// For each word the number of its row, or [`NONE`].
pub(super) type Decoder = [u8; 0x1_0000];

/// No row: an illegal word.
pub(super) const NONE: u8 = u8::MAX;

static DECODER: LazyLock<Box<Decoder>> = LazyLock::new(|| {
    let mut rows = Box::new([NONE; 0x1_0000]);
    for (number, row) in ROWS.iter().enumerate() {
        let operands = !row.form.fixed();
        // All subsets of the bits of the operands.
        let mut bits = 0;
        loop {
            rows[usize::from(row.word | bits)] = number as u8;
            bits = bits.wrapping_sub(operands) & operands;
            if bits == 0 {
                break;
            }
        }
    }
    rows
});

/// The row of each of the 65,536 words.
pub(super) fn decoder() -> &'static Decoder {
    &DECODER
}

/// Returns the instruction of a word, none if the word is illegal.
pub fn decode(word: u16) -> Option<&'static Row> {
    ROWS.get(usize::from(DECODER[usize::from(word)]))
}

/// Returns where a branch at `address` goes, whose displacement has `bits` bits, counts words and
/// is relative to the next instruction.
pub(super) fn branch_target(word: u16, address: u16, bits: u32) -> u16 {
    let unused = 16 - bits;
    let words = (word << unused) as i16 >> unused;
    address.wrapping_add(2).wrapping_add((2 * words) as u16)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// No word is two instructions, and the decoder knows what searching the table finds.
    #[test]
    fn every_word_is_one_instruction_or_none() {
        let mut legal = 0;
        for word in 0..=u16::MAX {
            let found: Vec<_> =
                ROWS.iter().filter(|row| word & row.form.fixed() == row.word).collect();
            assert!(found.len() <= 1, "{word:04x}: {found:?}");
            assert_eq!(decode(word), found.first().copied(), "{word:04x}");
            legal += found.len();
        }
        // 4 without operands, 11 with one of eight registers, 8 and 7 of shifts with 2^6 and 2^7
        // operands, 11 triadic and 12 indexed with 2^9, 14 branches with 2^9 and one with 2^10, 4
        // with an offset and 16 with an immediate byte with 2^11.
        let expected =
            4 + 11 * 8 + 8 * 64 + 7 * 128 + (11 + 12) * 512 + 14 * 512 + 1024 + (4 + 16) * 2048;
        assert_eq!(legal, expected);
    }
}
