//! Register allocation for a body's instructions in a given order.
//!
//! A word that is in no register is in the frame, or in memory behind a pointer, or is a number.
//! The register that is spilled is the one whose word has the farthest next use, in relation to
//! what it costs to store the word and to load it again (Belady's rule with costs).

mod body;
mod bytes;
mod count;
mod facts;
mod registers;
mod trial;

use super::code::{Code, Portion, Register};
use super::frame::Slot;
use super::select::{Inst, InstKind, Tri};
use super::uses::Uses;
pub use body::{Body, Place};
use count::Count;
pub use count::{BASE_MOVE, RECENT, RECENT_ACCESS};
pub use facts::Facts;
pub use registers::COUNT;
use registers::{Locked, Registers};
pub use trial::Trial;

/// The largest distance to a next use, in instructions, that counts. A use that is further away
/// counts as this far away: what happens there has no effect on the registers here.
const FAR: usize = 64;

/// The distance in instructions from which on a word's last use makes a store free: such a word
/// will be spilled at some time anyway. It is less than [`FAR`].
const LASTING: usize = 24;

/// The code of a body, and the number of temporary words that it uses.
pub fn allocate(body: &Body, order: &[usize]) -> (Vec<Code>, usize) {
    let facts = Facts::of(body);
    let uses = Uses::of(&facts.uses(order), facts.count());
    let mut a = Allocate::new(&facts, &uses, Sink::Code(Vec::new()));
    for (position, &i) in order.iter().enumerate() {
        a.step(position, i);
    }
    a.finish();
    let Sink::Code(code) = a.sink else { unreachable!("it was made for code") };
    (code, a.state.temporaries)
}

/// The number that stands for no word of the frame.
const NONE: u16 = u16::MAX;

/// Spill slots, the temporary words of the frame, are numbered from here on in [`State::slot_of`].
const SPILL_SLOTS: u16 = 1 << 15;

/// The state that changes from instruction to instruction. It is small because it is copied often.
#[derive(Clone, Default)]
struct State {
    registers: Registers,
    /// For each word its place in the frame, or [`NONE`].
    slot_of: Vec<u16>,
    /// For each output whether it must still be stored in its home.
    is_away: Vec<bool>,
    /// For each word how many of its uses are past.
    over: Vec<u16>,
    /// For each word of the frame how many uses of its initial value are left.
    leaves_left: Vec<u32>,
    free_slots: Vec<Slot>,
    temporaries: usize,
    /// Whether the carry is in use.
    carry: bool,
}

/// The destination of the code.
enum Sink {
    /// The code is written.
    Code(Vec<Code>),
    /// The code is only counted.
    Count(Count),
}

struct Allocate<'a> {
    facts: &'a Facts<'a>,
    body: &'a Body,
    insts: &'a [Inst],
    /// For each word the positions of the instructions that take it.
    uses: &'a Uses,
    state: State,
    position: usize,
    locked: Locked,
    sink: Sink,
}

impl<'a> Allocate<'a> {
    fn new(facts: &'a Facts<'a>, uses: &'a Uses, sink: Sink) -> Self {
        let mut a = Self::bare(facts, uses, sink);
        a.state = State {
            slot_of: vec![NONE; facts.count()],
            is_away: vec![true; facts.body.homes.len()],
            over: vec![0; facts.count()],
            leaves_left: facts.leaves.clone(),
            ..State::default()
        };
        for (i, &slot) in facts.pointers.iter().enumerate() {
            a.set_slot(facts.insts.len() + i, Some(slot));
        }
        a
    }

    /// Makes an allocator with an empty state, which the caller replaces.
    fn bare(facts: &'a Facts<'a>, uses: &'a Uses, sink: Sink) -> Self {
        let Facts { body, insts, .. } = *facts;
        let state = State::default();
        Self { facts, body, insts, uses, state, position: 0, locked: Locked::default(), sink }
    }

    /// Allocates registers for the instruction at a position.
    fn step(&mut self, position: usize, i: usize) {
        self.position = position;
        self.instruction(i);
        // Instructions between the members of a chain keep the carry, and so must added loads and
        // stores.
        if self.facts.has_follower[i] {
            self.state.carry = true;
        } else if self.insts[i].follows.is_some() {
            self.state.carry = false;
        }
    }

    /// The word of the frame in which a word must be in the end; `None` if it is there already or
    /// is no output.
    fn home_of(&self, word: usize) -> Option<Slot> {
        let output = self.facts.words[word].output? as usize;
        self.state.is_away[output].then(|| self.body.homes[output])
    }

    fn is_home(&mut self, word: usize) {
        if let Some(output) = self.facts.words[word].output {
            self.state.is_away[output as usize] = false;
        }
    }

    fn slot_of(&self, word: usize) -> Option<Slot> {
        match self.state.slot_of[word] {
            NONE => None,
            slot @ SPILL_SLOTS.. => Some(self.body.temporary + usize::from(slot - SPILL_SLOTS)),
            slot => Some(slot.into()),
        }
    }

    fn set_slot(&mut self, word: usize, slot: Option<Slot>) {
        self.state.slot_of[word] = match slot {
            None => NONE,
            Some(slot) if slot < self.body.temporary => slot as u16,
            Some(slot) => SPILL_SLOTS + (slot - self.body.temporary) as u16,
        };
    }

    /// The register of a word, 0 if none.
    fn register_of(&self, word: usize) -> Register {
        self.state.registers.of(word)
    }

    /// The position of the next use of a word.
    fn next(&self, word: usize) -> Option<usize> {
        self.uses.at(word, self.state.over[word].into())
    }

    /// Whether the word can be loaded again without being stored.
    fn is_clean(&self, word: usize) -> bool {
        self.facts.words[word].is_given || self.state.slot_of[word] != NONE
    }

    fn emit(&mut self, code: Code) {
        match &mut self.sink {
            Sink::Code(text) => text.push(code),
            Sink::Count(count) => count.add(&code),
        }
    }

    /// Loads a number or an address of 16 bits. Its text is made only where code is written, not
    /// where it is counted.
    fn wide(&mut self, register: Register, value: impl FnOnce() -> String) {
        match &mut self.sink {
            Sink::Code(text) => text.push(Code::Wide(register, value())),
            Sink::Count(count) => count.add(&Code::Wide(register, String::new())),
        }
    }

    fn frame(&mut self, stores: bool, register: Register, slot: Slot) {
        let carry = self.state.carry;
        self.emit(Code::Frame { stores, portion: Portion::Word, register, slot, carry });
    }

    fn is_home_free(&self, home: Slot) -> bool {
        self.state.leaves_left[home] == 0
    }

    /// Stores a word before its register is lost, if it is still needed.
    fn save(&mut self, word: usize) {
        let register = self.register_of(word);
        if let Some(home) = self.home_of(word).filter(|&home| self.is_home_free(home)) {
            self.frame(true, register, home);
            self.is_home(word);
            self.state.free_slots.extend(self.slot_of(word));
            self.set_slot(word, Some(home));
        } else if !self.is_clean(word)
            && (self.next(word).is_some() || self.home_of(word).is_some())
        {
            let slot = self.new_slot();
            self.frame(true, register, slot);
            self.set_slot(word, Some(slot));
        }
    }

    /// Returns a free temporary word of the frame.
    fn new_slot(&mut self) -> Slot {
        self.state.free_slots.pop().unwrap_or_else(|| {
            self.state.temporaries += 1;
            self.body.temporary + self.state.temporaries - 1
        })
    }

    fn release(&mut self, register: Register) {
        self.state.registers.release(register);
    }

    fn hold(&mut self, register: Register, word: usize) {
        self.state.registers.hold(register, word);
    }

    fn is_free(&self, register: Register) -> bool {
        self.state.registers.word(register).is_none() && !self.locked.has(register)
    }

    fn free(&self) -> Option<Register> {
        Registers::all().find(|&register| self.is_free(register))
    }

    /// Returns a free register, after a spill if there is none.
    fn take(&mut self) -> Register {
        if let Some(register) = self.free() {
            return register;
        }
        let (_, victim, word) = Registers::all()
            .filter(|&register| !self.locked.has(register))
            .map(|register| {
                let word = self.state.registers.word(register).expect("no register is free");
                (self.score(word), register, word)
            })
            .max_by(|(a, ..), (b, ..)| a.total_cmp(b))
            .expect("instructions lock fewer registers than there are");
        self.save(word);
        self.release(victim);
        victim
    }

    /// Returns a free register as [`Self::take`] does, while another one is locked.
    fn take_beside(&mut self, other: Register) -> Register {
        let before = self.locked;
        self.locked.lock(other);
        let register = self.take();
        self.locked = before;
        register
    }

    /// How good a word is to spill: the distance to its next use, divided by the clocks that it
    /// takes to store and load it.
    fn score(&self, word: usize) -> f64 {
        let must_store = self.home_of(word).is_some_and(|home| self.is_home_free(home));
        let is_lasting = || self.uses.last(word).is_some_and(|last| last > self.position + LASTING);
        let store = if self.is_clean(word) || must_store || is_lasting() { 0.0 } else { 2.4 };
        match self.next(word) {
            None if must_store => f64::INFINITY,
            None => 1e6 / (store + 1.0),
            Some(at) => {
                let distance = (at - self.position + 1).min(FAR) as f64;
                distance / (store + self.facts.words[word].reload)
            }
        }
    }

    /// Returns the register of a word, and loads the word if it is in none.
    fn ensure(&mut self, word: usize) -> Register {
        let known = self.register_of(word);
        if known != 0 {
            return known;
        }
        if let Some(slot) = self.slot_of(word) {
            let register = self.take();
            self.frame(false, register, slot);
            self.hold(register, word);
            return register;
        }
        let register = match self.insts[word].kind {
            InstKind::Number(value @ 0..=255) => {
                let register = self.take();
                self.emit(Code::Number("ldl", register, value));
                register
            }
            InstKind::Number(value) => {
                let register = self.take();
                self.wide(register, || value.to_string());
                register
            }
            InstKind::Table => {
                let register = self.take();
                self.wide(register, || self.body.table.clone());
                register
            }
            InstKind::Leaf(place) => match self.body.places[place] {
                Place::Frame(slot) => {
                    let register = self.take();
                    self.frame(false, register, slot);
                    register
                }
                Place::Behind { offset, swaps, .. } => {
                    let pointer = self.facts.words[word].pointer.expect("it has one");
                    let base = self.ensure(pointer as usize);
                    let register = self.take_beside(base);
                    self.load(register, base, offset, swaps);
                    register
                }
            },
            InstKind::Tri(_)
            | InstKind::Com
            | InstKind::Copy
            | InstKind::Insert(_)
            | InstKind::Shift(..)
            | InstKind::ShiftBy(_)
            | InstKind::Byte
            | InstKind::Entry(..)
            | InstKind::Half(..)
            | InstKind::Joined(_)
            | InstKind::Load(..)
            | InstKind::Store(_) => {
                unreachable!("a computed word is in a register or in the frame")
            }
        };
        self.hold(register, word);
        register
    }

    fn load(&mut self, register: Register, base: Register, offset: u16, swaps: bool) {
        if offset < 32 {
            self.emit(Code::Offset("ldw", register, base, offset));
        } else {
            self.index(register, offset);
            self.emit(Code::Index("ldw", register, base, register));
        }
        if swaps {
            self.emit(Code::Number("rol", register, 8));
        }
    }

    fn index(&mut self, register: Register, offset: u16) {
        match offset {
            0..256 => self.emit(Code::Number("ldl", register, offset)),
            _ => self.wide(register, || offset.to_string()),
        }
    }

    /// Notes that the instruction at this position has taken a word.
    fn note_use(&mut self, word: usize) {
        let over = self.uses.over(word, self.state.over[word].into(), self.position);
        self.state.over[word] = over as u16;
    }

    /// Frees the register and the temporary word of a word that is not used any more.
    fn free_if_dead(&mut self, word: usize) {
        if self.next(word).is_some() || self.home_of(word).is_some() {
            return;
        }
        if self.register_of(word) != 0 {
            self.release(self.register_of(word));
        }
        if word < self.insts.len()
            && let Some(slot) = self.slot_of(word)
            && slot >= self.body.temporary
        {
            self.set_slot(word, None);
            self.state.free_slots.push(slot);
        }
    }

    fn is_last_use(&self, word: usize) -> bool {
        self.home_of(word).is_none()
            && self.uses.is_last(word, self.state.over[word].into(), self.position)
    }

    fn instruction(&mut self, i: usize) {
        let insts = self.insts;
        let (kind, args) = (insts[i].kind, &insts[i].args[..]);
        self.locked = Locked::default();
        match kind {
            InstKind::Entry(high, row) => return self.entry(i, args[0], high, row),
            InstKind::Half(is_high, to_high) => {
                return self.half(i, args[0], is_high, to_high);
            }
            InstKind::Joined(is_high) => return self.joined(i, args[0], args[1], is_high),
            InstKind::Tri(Tri::Bfext) => {
                if let Some(by) = self.shift_in_place(args) {
                    let register = self.own(args[0]);
                    self.emit(Code::Number("lsr", register, by));
                    self.locked.lock(register);
                    self.note_uses(args);
                    self.hold(register, i);
                    return self.free_if_dead(i);
                }
            }
            _ => {}
        }
        let in_place = kind.is_in_place();
        let mut registers: [Register; 3] = [0; 3];
        for (a, &arg) in args.iter().enumerate().skip(usize::from(in_place)) {
            // Register 0 holds 0.
            if self.insts[arg].kind != InstKind::Number(0) {
                registers[a] = self.ensure(arg);
                self.locked.lock(registers[a]);
            }
        }
        if in_place {
            registers[0] = self.own(args[0]);
            self.locked.lock(registers[0]);
        }
        // Offsets beyond the reach of an instruction need a register that is none of the
        // arguments'.
        let spare = match kind {
            InstKind::Load(32.., _) | InstKind::Store(32..) => Some(self.take()),
            _ => None,
        };
        self.note_uses(args);
        self.locked = Locked::default();
        let result = match kind {
            InstKind::Store(offset) => {
                match spare {
                    None => self.emit(Code::Offset("stw", registers[0], registers[1], offset)),
                    Some(spare) => {
                        self.index(spare, offset);
                        self.emit(Code::Index("stw", registers[0], registers[1], spare));
                    }
                }
                return;
            }
            _ if in_place => registers[0],
            _ => match spare {
                Some(spare) => spare,
                None => registers
                    .iter()
                    .copied()
                    .find(|&r| r != 0 && self.is_free(r))
                    .unwrap_or_else(|| self.take()),
            },
        };
        match kind {
            InstKind::Tri(tri) => {
                self.emit(Code::Registers(tri.mnemonic(), [result, registers[0], registers[1]]));
            }
            InstKind::Com => self.emit(Code::Registers("xnor", [result, 0, registers[0]])),
            InstKind::Copy => {
                if result != registers[0] {
                    self.emit(Code::Registers("or", [result, 0, registers[0]]));
                }
            }
            InstKind::Insert(inverts) => {
                let mnemonic = if inverts { "bfinsi" } else { "bfins" };
                self.emit(Code::Registers(mnemonic, [result, registers[1], registers[2]]));
            }
            InstKind::Shift(mnemonic, by) => self.emit(Code::Number(mnemonic, result, by.into())),
            InstKind::ShiftBy(mnemonic) => self.emit(Code::Pair(mnemonic, result, registers[1])),
            InstKind::Byte => self.emit(Code::Index("ldb", result, registers[0], registers[1])),
            InstKind::Load(offset, swaps) => self.load(result, registers[0], offset, swaps),
            InstKind::Store(_)
            | InstKind::Number(_)
            | InstKind::Table
            | InstKind::Leaf(_)
            | InstKind::Entry(..)
            | InstKind::Half(..)
            | InstKind::Joined(_) => {
                unreachable!("stores are done, and what is given is no instruction")
            }
        }
        self.hold(result, i);
        self.free_if_dead(i);
    }

    /// Notes that the instruction at this position has taken its arguments.
    fn note_uses(&mut self, args: &[usize]) {
        for &arg in args {
            if let Some(slot) = self.facts.words[arg].leaf {
                self.state.leaves_left[slot as usize] -= 1;
            }
        }
        for &arg in args {
            self.note_use(arg);
            if let Some(pointer) = self.facts.words[arg].pointer {
                let pointer = pointer as usize;
                self.note_use(pointer);
                self.free_if_dead(pointer);
            }
        }
        for &arg in args {
            self.free_if_dead(arg);
        }
    }

    /// The amount of an LSR that does the work of a field's BFEXT, if there is one: no register
    /// holds the field's description, no other instruction takes the word, and the carry is not
    /// live, as LSR changes it.
    fn shift_in_place(&self, args: &[usize]) -> Option<u16> {
        let &[word, field] = args else { return None };
        let InstKind::Number(number) = self.insts[field].kind else { return None };
        let (width, by) = ((number >> 4) + 1, number & 15);
        let spares = self.register_of(field) == 0 && self.is_last_use(word) && !self.state.carry;
        (spares && by > 0 && width + by == 16).then_some(by)
    }

    /// Returns a register with a word that the instruction may overwrite. If the word is used again
    /// it stays in another register or in memory.
    fn own(&mut self, word: usize) -> Register {
        let known = self.register_of(word);
        if known == 0 {
            let register = self.ensure(word);
            self.release(register);
            return register;
        }
        if self.locked.has(known) {
            let register = self.take();
            self.emit(Code::Registers("or", [register, 0, known]));
            return register;
        }
        if self.is_last_use(word)
            || (self.free().is_none() && self.is_clean(word) && self.home_of(word).is_none())
        {
            self.release(known);
            return known;
        }
        let register = self.take_beside(known);
        self.emit(Code::Registers("or", [register, 0, known]));
        register
    }

    /// Stores all outputs in their homes.
    fn finish(&mut self) {
        self.state.carry = false;
        self.locked = Locked::default();
        self.position = usize::MAX;
        for register in Registers::all() {
            if let Some(word) = self.state.registers.word(register) {
                self.save(word);
            }
        }
        for word in 0..self.insts.len() {
            if let (Some(home), Some(slot)) = (self.home_of(word), self.slot_of(word)) {
                self.frame(false, 1, slot);
                self.frame(true, 1, home);
            }
        }
    }
}
