//! The rows of the table, family by family.

use super::registers::Register::{self, *};
use super::table::Format::{self, *};
use super::table::Operation::{self, *};
use super::table::{Binary, BitOperand, Cycles, LOOPS, Row, Source, Target, Unary, Where};

/// Makes all rows. Of an opcode's mnemonics the one that is preferred comes first.
pub(super) fn build() -> Vec<Row> {
    let mut builder = Builder { rows: Vec::new() };
    builder.accumulators_and_words();
    builder.loads_and_stores();
    builder.one_operand();
    builder.control();
    builder.arithmetic();
    builder.rows
}

/// The first mnemonics of the sixteen conditions, in the order of the opcodes 0x20 to 0x2F.
const CONDITIONS: [&str; 16] = [
    "bra", "brn", "bhi", "bls", "bcc", "bcs", "bne", "beq", "bvc", "bvs", "bpl", "bmi", "bge",
    "blt", "bgt", "ble",
];

/// Branches on conditions with a displacement of 16 bits.
const LONG_CONDITIONS: [&str; 16] = [
    "lbra", "lbrn", "lbhi", "lbls", "lbcc", "lbcs", "lbne", "lbeq", "lbvc", "lbvs", "lbpl", "lbmi",
    "lbge", "lblt", "lbgt", "lble",
];

/// The pages of opcodes, and the part of page 2 that only the CPU12X has.
#[derive(Clone, Copy, PartialEq)]
enum Page {
    One,
    Two,
    Cpu12x,
}

/// Distances from the first opcode of a family of instructions to those of its forms.
const READ_DIRECT: u8 = 0x10;
const READ_INDEXED: u8 = 0x20;
const READ_EXTENDED: u8 = 0x30;

const READ_CYCLES: Cycles = [3, 3, 4, 6, 6];
const WRITE_CYCLES: Cycles = [2, 3, 3, 5, 5];
const MODIFY_CYCLES: Cycles = [3, 4, 5, 6, 6];
const CLEAR_CYCLES: Cycles = [2, 3, 3, 5, 5];

/// Bus cycles of an instruction without indexed modes.
const fn one(cycles: u8) -> Cycles {
    [cycles; 5]
}

struct Builder {
    rows: Vec<Row>,
}

impl Builder {
    fn add(
        &mut self,
        page: Page,
        mnemonic: &'static str,
        opcode: u8,
        format: Format,
        operation: Operation,
        cycles: Cycles,
    ) {
        let page2 = page != Page::One;
        let cpu12x = page == Page::Cpu12x;
        let alias = self.rows.iter().any(|r| (r.page2, r.opcode) == (page2, opcode));
        let prefixed = if cpu12x { cycles.map(|c| c + 1) } else { cycles };
        self.rows.push(Row {
            mnemonic,
            page2,
            opcode,
            format,
            operation,
            cpu12x,
            alias,
            cycles: prefixed,
            listed: cycles,
        });
    }

    /// The direct, extended and indexed forms of an instruction that reads memory.
    fn reads(&mut self, page: Page, mnemonic: &'static str, opcode: u8, operation: Operation) {
        let mut add = |distance, format, cycles| {
            self.add(page, mnemonic, opcode.wrapping_add(distance), format, operation, cycles);
        };
        add(READ_DIRECT, Direct, one(3));
        add(READ_EXTENDED, Extended, one(3));
        add(READ_INDEXED, Indexed, READ_CYCLES);
    }

    /// The forms of [`Self::reads`] and the immediate form, whose opcode is given.
    fn operand(
        &mut self,
        page: Page,
        mnemonic: &'static str,
        opcode: u8,
        register: Register,
        operation: Operation,
    ) {
        let (format, cycles) =
            if register.bits() == 8 { (Immediate8, one(1)) } else { (Immediate16, one(2)) };
        self.add(page, mnemonic, opcode, format, operation, cycles);
        self.reads(page, mnemonic, opcode, operation);
    }

    fn combine(
        &mut self,
        page: Page,
        mnemonic: &'static str,
        opcode: u8,
        binary: Binary,
        register: Register,
    ) {
        self.operand(page, mnemonic, opcode, register, Combine(binary, register));
    }

    /// The direct, extended and indexed forms of an instruction that writes memory; the opcode is
    /// that of the direct form.
    fn store(&mut self, page: Page, mnemonic: &'static str, opcode: u8, register: Register) {
        let operation = Store(register, page == Page::Cpu12x);
        self.add(page, mnemonic, opcode, Direct, operation, one(2));
        self.add(page, mnemonic, opcode + 0x20, Extended, operation, one(3));
        self.add(page, mnemonic, opcode + 0x10, Indexed, operation, WRITE_CYCLES);
    }

    /// The forms on memory of an instruction that reads and writes back; the opcode is that of the
    /// indexed form.
    fn modify(
        &mut self,
        page: Page,
        mnemonic: &'static str,
        opcode: u8,
        unary: Unary,
        extended: u8,
        indexed: Cycles,
    ) {
        let place = if page == Page::One { Where::Byte } else { Where::Word };
        self.add(page, mnemonic, opcode + 0x10, Extended, Modify(unary, place), one(extended));
        self.add(page, mnemonic, opcode, Indexed, Modify(unary, place), indexed);
    }

    /// A bit instruction in its three forms, of which the last two may branch.
    fn bits(
        &mut self,
        page: Page,
        mnemonic: &'static str,
        opcodes: [u8; 3],
        operation: Operation,
        cycles: [Cycles; 3],
    ) {
        let branch = matches!(operation, BranchBitsSet | BranchBitsClear);
        for (place, (opcode, cycles)) in
            [BitOperand::Direct, BitOperand::Extended, BitOperand::Indexed]
                .into_iter()
                .zip(opcodes.into_iter().zip(cycles))
        {
            let format = if branch { MaskBranch(place) } else { Mask(place) };
            self.add(page, mnemonic, opcode, format, operation, cycles);
        }
    }

    fn inherent(
        &mut self,
        page: Page,
        mnemonic: &'static str,
        opcode: u8,
        operation: Operation,
        cycles: u8,
    ) {
        self.add(page, mnemonic, opcode, Inherent, operation, one(cycles));
    }

    /// Replaces the cycles by those of GNU binutils' table where that differs from the rule.
    fn list(&mut self, mnemonics: &[&str], format: Format, cycles: Cycles) {
        for row in &mut self.rows {
            if row.format == format && mnemonics.contains(&row.mnemonic) {
                row.listed = cycles;
            }
        }
    }

    fn accumulators_and_words(&mut self) {
        use Binary::*;
        for (name_a, name_b, low, binary) in [
            ("suba", "subb", 0, Subtract),
            ("cmpa", "cmpb", 1, Compare),
            ("sbca", "sbcb", 2, SubtractBorrow),
            ("anda", "andb", 4, And),
            ("bita", "bitb", 5, Bits),
            ("eora", "eorb", 8, ExclusiveOr),
            ("adca", "adcb", 9, AddCarry),
            ("oraa", "orab", 10, Or),
            ("adda", "addb", 11, Add),
        ] {
            self.combine(Page::One, name_a, 0x80 + low, binary, A);
            self.combine(Page::One, name_b, 0xc0 + low, binary, B);
        }
        self.combine(Page::One, "subd", 0x83, Subtract, D);
        self.combine(Page::One, "addd", 0xc3, Add, D);
        for (low, register, plain, borrow) in [
            (12, D, "cpd", "cped"),
            (13, Y, "cpy", "cpey"),
            (14, X, "cpx", "cpex"),
            (15, Sp, "cps", "cpes"),
        ] {
            self.combine(Page::One, plain, 0x80 + low, Compare, register);
            self.combine(Page::Cpu12x, borrow, 0x80 + low, CompareBorrow, register);
        }
        for (name_x, name_y, low, binary) in [
            ("subx", "suby", 0, Subtract),
            ("sbex", "sbey", 2, SubtractBorrow),
            ("andx", "andy", 4, And),
            ("bitx", "bity", 5, Bits),
            ("eorx", "eory", 8, ExclusiveOr),
            ("adex", "adey", 9, AddCarry),
            ("orx", "ory", 10, Or),
            ("addx", "addy", 11, Add),
        ] {
            self.combine(Page::Cpu12x, name_x, 0x80 + low, binary, X);
            self.combine(Page::Cpu12x, name_y, 0xc0 + low, binary, Y);
        }
        self.combine(Page::Cpu12x, "sbed", 0x83, SubtractBorrow, D);
        self.combine(Page::Cpu12x, "aded", 0xc3, AddCarry, D);
        self.list(
            &["andx", "andy", "bitx", "bity", "eorx", "eory", "orx", "ory"],
            Immediate16,
            one(1),
        );
    }

    fn loads_and_stores(&mut self) {
        for (load, store, global_load, global_store, opcode, direct, register) in [
            ("ldaa", "staa", "gldaa", "gstaa", 0x86, 0x5a, A),
            ("ldab", "stab", "gldab", "gstab", 0xc6, 0x5b, B),
            ("ldd", "std", "gldd", "gstd", 0xcc, 0x5c, D),
            ("ldy", "sty", "gldy", "gsty", 0xcd, 0x5d, Y),
            ("ldx", "stx", "gldx", "gstx", 0xce, 0x5e, X),
            ("lds", "sts", "glds", "gsts", 0xcf, 0x5f, Sp),
        ] {
            self.operand(Page::One, load, opcode, register, Load(register, false));
            self.store(Page::One, store, direct, register);
            self.reads(Page::Cpu12x, global_load, opcode, Load(register, true));
            self.store(Page::Cpu12x, global_store, direct, register);
            self.list(&[global_store], Direct, one(3));
            self.list(&[global_store], Extended, one(3));
            self.list(&[global_store], Indexed, READ_CYCLES);
        }
        for (mnemonic, opcode, register) in
            [("leay", 0x19, Y), ("leax", 0x1a, X), ("leas", 0x1b, Sp)]
        {
            self.add(Page::One, mnemonic, opcode, IndexedDirect, LoadAddress(register), one(2));
        }
        for (push, pull, opcode, register) in [
            ("pshx", "pulx", 0x30, X),
            ("pshy", "puly", 0x31, Y),
            ("psha", "pula", 0x32, A),
            ("pshb", "pulb", 0x33, B),
        ] {
            self.inherent(Page::One, pull, opcode, Pull(register), 3);
            self.inherent(Page::One, push, opcode + 4, Push(register), 2);
        }
        for (page, pull, push, opcode, register) in [
            (Page::One, "pulc", "pshc", 0x38, Ccr),
            (Page::One, "puld", "pshd", 0x3a, D),
            (Page::Cpu12x, "pulcw", "pshcw", 0x38, Ccrw),
        ] {
            self.inherent(page, pull, opcode, Pull(register), 3);
            self.inherent(page, push, opcode + 1, Push(register), 2);
        }
        self.list(&["pulcw"], Inherent, one(2));
        self.inherent(Page::Two, "tab", 0x0e, Copy(A, B), 2);
        self.inherent(Page::Two, "tba", 0x0f, Copy(B, A), 2);
        for mnemonic in ["tfr", "exg", "sex"] {
            self.add(Page::One, mnemonic, 0xb7, Transfer, TransferExchange, one(1));
        }
        for (mnemonic, opcode, immediate, operation) in
            [("movw", 0x00, 5, MoveWord), ("movb", 0x08, 4, MoveByte)]
        {
            for (distance, source, target, cycles) in [
                (0, Source::Immediate, Target::Indexed, 4),
                (1, Source::Extended, Target::Indexed, 5),
                (2, Source::Indexed, Target::Indexed, 5),
                (3, Source::Immediate, Target::Extended, immediate),
                (4, Source::Extended, Target::Extended, 6),
                (5, Source::Indexed, Target::Extended, 5),
            ] {
                let format = Move(source, target);
                self.add(Page::Two, mnemonic, opcode + distance, format, operation, one(cycles));
            }
        }
    }

    fn one_operand(&mut self) {
        use Unary::*;
        // (name in memory, of a word, for A, B, X and Y, low digit of the opcode, function)
        for (names, low, unary) in [
            (["neg", "negw", "nega", "negb", "negx", "negy"], 0, Negate),
            (["com", "comw", "coma", "comb", "comx", "comy"], 1, Complement),
            (["inc", "incw", "inca", "incb", "incx", "incy"], 2, Increment),
            (["dec", "decw", "deca", "decb", "decx", "decy"], 3, Decrement),
            (["lsr", "lsrw", "lsra", "lsrb", "lsrx", "lsry"], 4, ShiftRight),
            (["rol", "rolw", "rola", "rolb", "rolx", "roly"], 5, RotateLeft),
            (["ror", "rorw", "rora", "rorb", "rorx", "rory"], 6, RotateRight),
            (["asr", "asrw", "asra", "asrb", "asrx", "asry"], 7, ArithmeticRight),
            (["lsl", "lslw", "lsla", "lslb", "lslx", "lsly"], 8, ShiftLeft),
            (["asl", "aslw", "asla", "aslb", "aslx", "asly"], 8, ShiftLeft),
        ] {
            let [memory, word, a, b, x, y] = names;
            self.modify(Page::One, memory, 0x60 + low, unary, 4, MODIFY_CYCLES);
            self.modify(Page::Cpu12x, word, 0x60 + low, unary, 4, MODIFY_CYCLES);
            for (page, name, opcode, register) in [
                (Page::One, a, 0x40, A),
                (Page::One, b, 0x50, B),
                (Page::Cpu12x, x, 0x40, X),
                (Page::Cpu12x, y, 0x50, Y),
            ] {
                self.inherent(page, name, opcode + low, Modify(unary, Where::In(register)), 1);
            }
        }
        self.list(&["incx", "incy", "decx", "decy"], Inherent, one(4));
        self.list(&["comx", "comy"], Inherent, one(2));
        for (mnemonic, opcode, unary) in
            [("lsrd", 0x49, ShiftRight), ("lsld", 0x59, ShiftLeft), ("asld", 0x59, ShiftLeft)]
        {
            self.inherent(Page::One, mnemonic, opcode, Modify(unary, Where::In(D)), 1);
        }
        self.modify(Page::One, "clr", 0x69, Clear, 3, CLEAR_CYCLES);
        self.modify(Page::Cpu12x, "clrw", 0x69, Clear, 3, CLEAR_CYCLES);
        self.list(&["clrw"], Extended, one(4));
        self.list(&["clrw"], Indexed, MODIFY_CYCLES);
        self.modify(Page::One, "tst", 0xe7, Test, 3, READ_CYCLES);
        self.modify(Page::Cpu12x, "tstw", 0xe7, Test, 3, READ_CYCLES);
        for (page, clear, test, opcode, register) in [
            (Page::One, "clra", "tsta", 0x87, A),
            (Page::One, "clrb", "tstb", 0xc7, B),
            (Page::Cpu12x, "clrx", "tstx", 0x87, X),
            (Page::Cpu12x, "clry", "tsty", 0xc7, Y),
        ] {
            self.inherent(page, clear, opcode, Modify(Clear, Where::In(register)), 1);
            self.inherent(page, test, opcode + 0x10, Modify(Test, Where::In(register)), 1);
        }
        self.list(&["clrx", "clry"], Inherent, one(4));
        for (mnemonic, opcode, register, by) in
            [("iny", 0x02, Y, 1), ("dey", 0x03, Y, -1), ("inx", 0x08, X, 1), ("dex", 0x09, X, -1)]
        {
            self.inherent(Page::One, mnemonic, opcode, Count(register, by), 1);
        }
        let four = [one(4), one(4), [4, 4, 6, 6, 6]];
        self.bits(Page::One, "bset", [0x4c, 0x1c, 0x0c], SetBits, four);
        self.bits(Page::One, "bclr", [0x4d, 0x1d, 0x0d], ClearBits, four);
        self.bits(Page::Cpu12x, "btas", [0x35, 0x36, 0x37], TestAndSetBits, four);
        let branch = [one(4), one(5), [4, 6, 8, 8, 8]];
        self.bits(Page::One, "brset", [0x4e, 0x1e, 0x0e], BranchBitsSet, branch);
        self.bits(Page::One, "brclr", [0x4f, 0x1f, 0x0f], BranchBitsClear, branch);
    }

    fn control(&mut self) {
        for (code, (short, long)) in (0..16).zip(CONDITIONS.into_iter().zip(LONG_CONDITIONS)) {
            let (near, far) = match code {
                0 => ([3, 3], [4, 4]),
                1 => ([1, 1], [3, 3]),
                _ => ([3, 1], [4, 3]),
            };
            let cycles = |[taken, not]: [u8; 2]| [taken, not, 0, 0, 0];
            self.add(Page::One, short, 0x20 + code, Relative8, Branch(code), cycles(near));
            self.add(Page::Two, long, 0x20 + code, Relative16, Branch(code), cycles(far));
        }
        for (short, long, code) in [("bhs", "lbhs", 4), ("blo", "lblo", 5)] {
            self.add(Page::One, short, 0x20 + code, Relative8, Branch(code), [3, 1, 0, 0, 0]);
            self.add(Page::Two, long, 0x20 + code, Relative16, Branch(code), [4, 3, 0, 0, 0]);
        }
        for mnemonic in LOOPS {
            self.add(Page::One, mnemonic, 0x04, Loop, LoopPrimitive, one(3));
        }
        self.add(Page::One, "jmp", 0x06, Extended, Jump, one(3));
        self.add(Page::One, "jmp", 0x05, Indexed, Jump, READ_CYCLES);
        self.add(Page::One, "bsr", 0x07, Relative8, JumpSubroutine, one(4));
        self.add(Page::One, "jsr", 0x17, Direct, JumpSubroutine, one(4));
        self.add(Page::One, "jsr", 0x16, Extended, JumpSubroutine, one(4));
        self.add(Page::One, "jsr", 0x15, Indexed, JumpSubroutine, [4, 4, 5, 7, 7]);
        self.add(Page::One, "call", 0x4a, CallExtended, Call, one(8));
        self.add(Page::One, "call", 0x4b, CallIndexed, Call, [8, 8, 9, 10, 10]);
        self.inherent(Page::One, "rts", 0x3d, ReturnSubroutine, 5);
        self.inherent(Page::One, "rtc", 0x0a, ReturnCall, 6);
        self.inherent(Page::One, "rti", 0x0b, ReturnInterrupt, 8);
        self.inherent(Page::One, "swi", 0x3f, SoftwareInterrupt, 9);
        self.inherent(Page::Cpu12x, "sys", 0xa7, SystemCall, 9);
        self.inherent(Page::One, "wai", 0x3e, Wait, 5);
        self.add(Page::Two, "stop", 0x3e, Inherent, Stop, [2, 9, 0, 0, 0]);
        self.inherent(Page::One, "bgnd", 0x00, Background, 5);
        self.inherent(Page::One, "nop", 0xa7, NoOperation, 1);
        self.add(Page::One, "andcc", 0x10, Immediate8, AndFlags, one(1));
        self.add(Page::One, "orcc", 0x14, Immediate8, OrFlags, one(1));
    }

    fn arithmetic(&mut self) {
        self.inherent(Page::Two, "aba", 0x06, Accumulators(Binary::Add), 2);
        self.inherent(Page::Two, "sba", 0x16, Accumulators(Binary::Subtract), 2);
        self.inherent(Page::Two, "cba", 0x17, Accumulators(Binary::Compare), 2);
        self.inherent(Page::Two, "daa", 0x07, DecimalAdjust, 3);
        self.inherent(Page::One, "mul", 0x12, Multiply8, 1);
        self.inherent(Page::One, "emul", 0x13, Multiply16, 3);
        self.inherent(Page::Two, "emuls", 0x13, MultiplySigned, 3);
        self.add(Page::Two, "emacs", 0x12, Extended, MultiplyAccumulate, one(13));
        self.inherent(Page::Two, "idiv", 0x10, Divide, 12);
        self.inherent(Page::Two, "idivs", 0x15, DivideSigned, 12);
        self.inherent(Page::Two, "fdiv", 0x11, DivideFraction, 12);
        self.inherent(Page::One, "ediv", 0x11, DivideLong, 11);
        self.inherent(Page::Two, "edivs", 0x14, DivideLongSigned, 12);
        for (mnemonic, opcode, operation) in [
            ("maxa", 0x18, SelectRegister(A, true)),
            ("mina", 0x19, SelectRegister(A, false)),
            ("emaxd", 0x1a, SelectRegister(D, true)),
            ("emind", 0x1b, SelectRegister(D, false)),
        ] {
            self.add(Page::Two, mnemonic, opcode, Indexed, operation, [4, 4, 5, 7, 7]);
        }
        for (mnemonic, opcode, operation) in [
            ("maxm", 0x1c, SelectMemory(A, true)),
            ("minm", 0x1d, SelectMemory(A, false)),
            ("emaxm", 0x1e, SelectMemory(D, true)),
            ("eminm", 0x1f, SelectMemory(D, false)),
        ] {
            self.add(Page::Two, mnemonic, opcode, Indexed, operation, [4, 5, 6, 7, 7]);
        }
        self.add(Page::Two, "tbl", 0x3d, IndexedShort, Interpolate8, one(8));
        self.add(Page::Two, "etbl", 0x3f, IndexedShort, Interpolate16, one(10));
        self.inherent(Page::One, "mem", 0x01, Membership, 5);
        // The cycles of these three depend on their data.
        self.inherent(Page::Two, "rev", 0x3a, Rules, 0);
        self.inherent(Page::Two, "revw", 0x3b, WeightedRules, 0);
        self.inherent(Page::Two, "wav", 0x3c, WeightedAverage, 0);
    }
}
