//! Executes the instructions.

use super::alu::{self, Outcome, binary, unary};
use super::decode::{Address, Base, Indexed, Instruction, Mode, Operands, Origin};
use super::registers::{Register, flag};
use super::table::{Binary, Operation, Unary, Where};
use super::timing::move_cycles;
use super::{Bus, Cpu, place};
use crate::s12x::GLOBAL;

impl Cpu {
    /// Executes an instruction after which `next` follows, and returns its bus cycles.
    ///
    /// The error is the name of an instruction that is not simulated; only the program counter has
    /// changed then.
    #[inline]
    pub(super) fn execute(
        &mut self,
        instruction: &Instruction,
        next: u16,
        bus: &mut impl Bus,
    ) -> Result<u8, &'static str> {
        let Instruction { row, operands } = *instruction;
        let cycles = self.costs[row.index()];
        self.r.pc = next;
        let spent = cycles[cost(operands)];
        match row.operation {
            Operation::Load(register, global) => {
                let value = self.operand(operands, register.bits(), global, bus);
                self.r.set(register, value);
                self.flags(alu::logic(register.bits(), value));
            }
            Operation::Store(register, global) => {
                let address = self.address(operands, bus) | if global { GLOBAL } else { 0 };
                let value = self.r.get(register);
                write(bus, register.bits(), address, value);
                self.flags(alu::logic(register.bits(), value));
            }
            Operation::Combine(function, register) => {
                let m = self.operand(operands, register.bits(), false, bus);
                let r = self.r.get(register);
                let outcome = binary(function, register.bits(), r, m, self.r.has(flag::C));
                self.flags(outcome);
                if !matches!(function, Binary::Compare | Binary::CompareBorrow | Binary::Bits) {
                    self.r.set(register, outcome.value);
                }
            }
            Operation::Modify(function, target) => self.modify(function, target, operands, bus),
            Operation::LoadAddress(register) => {
                let address = self.address(operands, bus);
                self.r.set(register, address as u16);
            }
            Operation::Count(register, by) => {
                let value = self.r.get(register).wrapping_add_signed(by.into());
                self.r.set(register, value);
                self.r.set_flags(flag::Z, if value == 0 { flag::Z } else { 0 });
            }
            Operation::Push(register) => self.push(bus, register.bits(), self.r.get(register)),
            Operation::Pull(register) => {
                let value = self.pull(bus, register.bits());
                self.r.set(register, value);
            }
            Operation::Branch(condition) => {
                let taken = self.condition(condition);
                if taken {
                    self.branch(operands);
                }
                return Ok(cycles[usize::from(!taken)]);
            }
            Operation::SetBits => self.mask(operands, bus, |m, mask| (m | mask, m | mask)),
            Operation::ClearBits => self.mask(operands, bus, |m, mask| (m & !mask, m & !mask)),
            Operation::TestAndSetBits => self.mask(operands, bus, |m, mask| (m | mask, m & mask)),
            Operation::BranchBitsSet => {
                self.branch_on_bits(operands, bus, |m, mask| !m & mask == 0)
            }
            Operation::BranchBitsClear => {
                self.branch_on_bits(operands, bus, |m, mask| m & mask == 0)
            }
            Operation::MoveByte => return Ok(spent + self.move_data(8, operands, bus)),
            Operation::MoveWord => return Ok(spent + self.move_data(16, operands, bus)),
            Operation::Accumulators(function) => {
                let (a, b) = (self.r.get(Register::A), self.r.get(Register::B));
                let outcome = binary(function, 8, a, b, false);
                self.flags(outcome);
                if function != Binary::Compare {
                    self.r.set(Register::A, outcome.value);
                }
            }
            Operation::Copy(from, to) => {
                let value = self.r.get(from);
                self.r.set(to, value);
                self.flags(alu::logic(8, value));
            }
            Operation::TransferExchange => {
                if let Operands::Transfer(_, transfer) = operands {
                    transfer.apply(&mut self.r);
                }
            }
            Operation::LoopPrimitive => self.count_and_branch(operands),
            Operation::AndFlags => {
                let m = self.operand(operands, 8, false, bus);
                self.r.set(Register::Ccr, self.r.ccr & m);
            }
            Operation::OrFlags => {
                let m = self.operand(operands, 8, false, bus);
                self.r.set(Register::Ccr, self.r.ccr | m);
            }
            Operation::Jump => self.r.pc = self.address(operands, bus) as u16,
            Operation::JumpSubroutine => {
                let target = match operands {
                    Operands::Relative(distance) => next.wrapping_add_signed(distance),
                    _ => self.address(operands, bus) as u16,
                };
                self.push(bus, 16, next);
                self.r.pc = target;
            }
            Operation::ReturnSubroutine => self.r.pc = self.pull(bus, 16),
            Operation::Call => self.call(operands, next, bus),
            Operation::ReturnCall => {
                let page = self.pull(bus, 8);
                bus.write8(place::PPAGE, page as u8);
                self.r.pc = self.pull(bus, 16);
            }
            Operation::ReturnInterrupt => self.return_from_interrupt(bus),
            Operation::SoftwareInterrupt => {
                self.stack_registers(bus);
                self.enter(bus.vector(place::SWI));
            }
            Operation::SystemCall => {
                self.stack_registers(bus);
                self.enter(bus.vector(place::SYS));
            }
            Operation::Wait => {
                self.stack_registers(bus);
                self.waiting = true;
            }
            Operation::Stop => {
                if !self.r.has(flag::S) {
                    self.stack_registers(bus);
                    self.waiting = true;
                    return Ok(cycles[1]);
                }
            }
            Operation::NoOperation => {}
            Operation::SelectRegister(register, greater) => {
                let m = self.operand(operands, register.bits(), false, bus);
                self.select(register, greater, m, |cpu, _, value| cpu.r.set(register, value), bus);
            }
            Operation::SelectMemory(register, greater) => {
                let address = self.address(operands, bus);
                let m = read(bus, register.bits(), address);
                let store = |_: &mut Self, bus: &mut _, value| {
                    write(bus, register.bits(), address, value);
                };
                self.select(register, greater, m, store, bus);
            }
            Operation::Background => return Err("BGND, the entry to the background debug mode"),
            Operation::Rules => return Err("REV, whose cycles depend on its rules"),
            Operation::WeightedRules => return Err("REVW, whose cycles depend on its rules"),
            Operation::WeightedAverage => return Err("WAV, whose cycles depend on its data"),
            _ => self.arithmetic(row.operation, operands, bus),
        }
        Ok(spent)
    }

    /// Sets the flags of an outcome.
    #[inline]
    pub(super) fn flags(&mut self, outcome: Outcome) {
        self.r.set_flags(outcome.mask, outcome.flags);
    }

    /// Returns the value of an operand: immediate, or read.
    #[inline]
    fn operand(&mut self, operands: Operands, bits: u32, global: bool, bus: &mut impl Bus) -> u16 {
        match operands {
            Operands::Immediate(value) => value,
            _ => {
                let address = self.address(operands, bus) | if global { GLOBAL } else { 0 };
                read(bus, bits, address)
            }
        }
    }

    /// Returns the address of an operand in memory, and changes the registers that its mode
    /// changes.
    #[inline]
    pub(super) fn address(&mut self, operands: Operands, bus: &mut impl Bus) -> u32 {
        match operands {
            Operands::Memory(address) => self.resolve(address, bus),
            // All formats with an address are formats of memory.
            _ => unreachable!("an operand without an address"),
        }
    }

    /// The address that a mode leads to. Changes the base register where the mode does, and reads a
    /// pointer from memory where the mode is indirect.
    #[inline]
    pub(super) fn resolve(&mut self, address: Address, bus: &mut impl Bus) -> u32 {
        match address {
            Address::Direct(low) => low.into(),
            Address::Extended(address) => address.into(),
            Address::Indexed(indexed) => self.indexed(indexed, bus).into(),
        }
    }

    #[inline]
    fn indexed(&mut self, Indexed { base, mode }: Indexed, bus: &mut impl Bus) -> u16 {
        let register = match base {
            Base::X => &mut self.r.x,
            Base::Y => &mut self.r.y,
            Base::Sp => &mut self.r.sp,
            Base::Pc => &mut self.r.pc,
        };
        let value = *register;
        match mode {
            Mode::Offset5(offset) => value.wrapping_add_signed(offset.into()),
            Mode::Offset9(offset) => value.wrapping_add_signed(offset),
            Mode::Offset16(offset) => value.wrapping_add(offset),
            Mode::Before(by) => {
                *register = value.wrapping_add_signed(by.into());
                *register
            }
            Mode::After(by) => {
                *register = value.wrapping_add_signed(by.into());
                value
            }
            Mode::Accumulator(accumulator) => value.wrapping_add(self.r.get(accumulator)),
            Mode::IndirectD => bus.read16(value.wrapping_add(self.r.d).into()),
            Mode::Indirect16(offset) => bus.read16(value.wrapping_add(offset).into()),
        }
    }

    fn modify(&mut self, function: Unary, target: Where, operands: Operands, bus: &mut impl Bus) {
        let carry = self.r.has(flag::C);
        let bits = match target {
            Where::In(register) => {
                let outcome = unary(function, register.bits(), self.r.get(register), carry);
                self.r.set(register, outcome.value);
                self.flags(outcome);
                return;
            }
            Where::Byte => 8,
            Where::Word => 16,
        };
        let address = self.address(operands, bus);
        // Clearing writes alone, testing reads alone.
        let m = if function == Unary::Clear { 0 } else { read(bus, bits, address) };
        let outcome = unary(function, bits, m, carry);
        if function != Unary::Test {
            write(bus, bits, address, outcome.value);
        }
        self.flags(outcome);
    }

    /// Pushes a byte or a word.
    pub(super) fn push(&mut self, bus: &mut impl Bus, bits: u32, value: u16) {
        self.r.sp = self.r.sp.wrapping_sub((bits / 8) as u16);
        write(bus, bits, self.r.sp.into(), value);
    }

    /// Pulls a byte or a word.
    pub(super) fn pull(&mut self, bus: &mut impl Bus, bits: u32) -> u16 {
        let value = read(bus, bits, self.r.sp.into());
        self.r.sp = self.r.sp.wrapping_add((bits / 8) as u16);
        value
    }

    /// Whether one of the sixteen conditions holds; an odd one is the opposite of the one before
    /// it.
    fn condition(&self, condition: u8) -> bool {
        let has = |flag| self.r.has(flag);
        let less = has(flag::N) != has(flag::V);
        let even = match condition >> 1 {
            0 => true,
            1 => !has(flag::C) && !has(flag::Z),
            2 => !has(flag::C),
            3 => !has(flag::Z),
            4 => !has(flag::V),
            5 => !has(flag::N),
            6 => !less,
            _ => !less && !has(flag::Z),
        };
        even == (condition & 1 == 0)
    }

    fn branch(&mut self, operands: Operands) {
        let (Operands::Relative(distance)
        | Operands::MaskBranch(_, _, distance)
        | Operands::Loop(_, _, distance)) = operands
        else {
            unreachable!("a branch without a distance");
        };
        self.r.pc = self.r.pc.wrapping_add_signed(distance);
    }

    /// BSET, BCLR and BTAS. The function gives the value that is written and the value that sets
    /// the flags.
    fn mask(&mut self, operands: Operands, bus: &mut impl Bus, f: impl Fn(u8, u8) -> (u8, u8)) {
        let Operands::Mask(address, mask) = operands else { unreachable!("no mask") };
        let address = self.resolve(address, bus);
        let (written, told) = f(bus.read8(address), mask);
        bus.write8(address, written);
        self.flags(alu::logic(8, told.into()));
    }

    fn branch_on_bits(
        &mut self,
        operands: Operands,
        bus: &mut impl Bus,
        holds: impl Fn(u8, u8) -> bool,
    ) {
        let Operands::MaskBranch(address, mask, _) = operands else { unreachable!("no mask") };
        let address = self.resolve(address, bus);
        if holds(bus.read8(address), mask) {
            self.branch(operands);
        }
    }

    /// Returns the cycles beyond those of the opcode.
    fn move_data(&mut self, bits: u32, operands: Operands, bus: &mut impl Bus) -> u8 {
        let Operands::Move(origin, target) = operands else { unreachable!("no move") };
        let value = match origin {
            Origin::Immediate(value) => value,
            Origin::Memory(address) => {
                let address = self.resolve(address, bus);
                read(bus, bits, address)
            }
        };
        let address = self.resolve(target, bus);
        write(bus, bits, address, value);
        move_cycles(origin, target)
    }

    fn count_and_branch(&mut self, operands: Operands) {
        let Operands::Loop(kind, counter, _) = operands else { unreachable!("no loop") };
        // DBEQ, DBNE, TBEQ, TBNE, IBEQ, IBNE
        let by = [-1, -1, 0, 0, 1, 1][usize::from(kind)];
        self.r.set(counter, self.r.get(counter).wrapping_add_signed(by));
        if (self.r.get(counter) == 0) == (kind & 1 == 0) {
            self.branch(operands);
        }
    }

    /// Sets the flags of register - m, and writes the greater or the lesser of both to the register
    /// or to memory.
    fn select<B: Bus>(
        &mut self,
        register: Register,
        greater: bool,
        m: u16,
        store: impl Fn(&mut Self, &mut B, u16),
        bus: &mut B,
    ) {
        let r = self.r.get(register);
        store(self, bus, if greater { r.max(m) } else { r.min(m) });
        self.flags(binary(Binary::Compare, register.bits(), r, m, false));
    }

    fn call(&mut self, operands: Operands, next: u16, bus: &mut impl Bus) {
        let Operands::Call(address, page) = operands else { unreachable!("no page") };
        let (target, page) = match (address, page) {
            (_, Some(page)) => (self.resolve(address, bus) as u16, page),
            (_, None) => {
                // A page in memory follows the address.
                let pointer = self.pointer(address);
                let target = bus.read16(pointer.into());
                (target, bus.read8(pointer.wrapping_add(2).into()))
            }
        };
        let old = bus.read8(place::PPAGE);
        self.push(bus, 16, next);
        self.push(bus, 8, old.into());
        bus.write8(place::PPAGE, page);
        self.r.pc = target;
    }

    /// The address that an indirect mode reads a word from.
    fn pointer(&self, address: Address) -> u16 {
        let Address::Indexed(Indexed { base, mode }) = address else {
            unreachable!("not indirect")
        };
        let base = match base {
            Base::X => self.r.x,
            Base::Y => self.r.y,
            Base::Sp => self.r.sp,
            Base::Pc => self.r.pc,
        };
        match mode {
            Mode::Indirect16(offset) => base.wrapping_add(offset),
            _ => base.wrapping_add(self.r.d),
        }
    }

    /// Pushes what an interrupt saves: from the lower address CCR as a word, B, A, X, Y, and the
    /// address to return to.
    pub(super) fn stack_registers(&mut self, bus: &mut impl Bus) {
        let saved = [self.r.pc, self.r.y, self.r.x, self.r.d.swap_bytes(), self.r.ccr];
        for word in saved {
            self.push(bus, 16, word);
        }
    }

    /// Masks interrupts and goes on at the address that a vector has.
    pub(super) fn enter(&mut self, target: u16) {
        self.r.ccr |= flag::I;
        self.r.pc = target;
    }

    fn return_from_interrupt(&mut self, bus: &mut impl Bus) {
        let ccr = self.pull(bus, 16);
        self.r.set(Register::Ccrw, ccr);
        self.r.d = self.pull(bus, 16).swap_bytes();
        self.r.x = self.pull(bus, 16);
        self.r.y = self.pull(bus, 16);
        self.r.pc = self.pull(bus, 16);
    }
}

/// The place of an address's mode in a row's cycles.
#[inline]
fn cost(operands: Operands) -> usize {
    match operands {
        Operands::Memory(Address::Indexed(indexed))
        | Operands::Mask(Address::Indexed(indexed), _)
        | Operands::MaskBranch(Address::Indexed(indexed), ..)
        | Operands::Call(Address::Indexed(indexed), _) => indexed.mode.cost(),
        _ => 0,
    }
}

/// Reads 8 or 16 bits from memory, 8 bits without a sign.
#[inline]
pub(super) fn read(bus: &mut impl Bus, bits: u32, address: u32) -> u16 {
    if bits == 8 { bus.read8(address).into() } else { bus.read16(address) }
}

/// Writes the low 8 bits of a value, or all 16, to memory.
#[inline]
pub(super) fn write(bus: &mut impl Bus, bits: u32, address: u32, value: u16) {
    if bits == 8 { bus.write8(address, value as u8) } else { bus.write16(address, value) }
}
