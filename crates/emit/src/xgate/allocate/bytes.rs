//! Bytes of words of the frame: table look-ups of bytes in memory, and stores of single bytes.

use super::{Allocate, Locked, Place};
use crate::xgate::code::{Code, Portion};
use crate::xgate::frame::Slot;
use crate::xgate::limb::TableRows;
use crate::xgate::select::InstKind;

impl Allocate<'_> {
    /// Computes the address of a byte's row. If the word is in the frame and in no register, only
    /// its byte is loaded.
    pub(super) fn entry(&mut self, i: usize, word: usize, high: bool, row: TableRows) {
        let slot = match (self.slot_of(word), &self.insts[word].kind) {
            _ if self.register_of(word) != 0 => None,
            (Some(slot), _) => Some(slot),
            (None, &InstKind::Leaf(place)) => match self.body.places[place] {
                Place::Frame(slot) => Some(slot),
                Place::Behind { .. } => None,
            },
            (None, _) => None,
        };
        let register = match slot {
            Some(slot) => {
                let register = self.take();
                let portion = if high { Portion::High } else { Portion::Low };
                self.emit(Code::Frame { stores: false, portion, register, slot, carry: false });
                register
            }
            None => {
                let register = self.own(word);
                if high {
                    self.emit(Code::Number("lsr", register, 8));
                } else {
                    self.emit(Code::Number("lsl", register, 8));
                }
                register
            }
        };
        self.emit(match (slot, high) {
            (None, false) => Code::Number("lsr", register, u16::from(8 - row.shift)),
            _ => Code::Number("lsl", register, row.shift.into()),
        });
        self.emit(Code::AddHigh(register, self.body.rows[row.table].clone()));
        self.locked.lock(register);
        self.note_uses(&[word]);
        self.locked = Locked::default();
        self.hold(register, i);
        self.free_if_dead(i);
    }

    /// Stores the first byte of a word that is put together. The byte goes to the word's home if
    /// the value there is not needed any more, else to a temporary word.
    pub(super) fn half(&mut self, i: usize, word: usize, is_high: bool, to_high: bool) {
        let whole = self.facts.whole_of[i].expect("a half is completed");
        let home = self.home_of(whole).filter(|&home| self.is_home_free(home));
        if home.is_some() {
            self.is_home(whole);
        }
        let slot = home.unwrap_or_else(|| self.new_slot());
        self.set_slot(i, Some(slot));
        self.put(word, is_high, slot, to_high);
    }

    /// Stores the other byte, which completes the word.
    pub(super) fn joined(&mut self, i: usize, half: usize, word: usize, is_high: bool) {
        let to_high = !matches!(self.insts[half].kind, InstKind::Half(_, true));
        let slot = self.slot_of(half).expect("a half lies in the frame");
        self.set_slot(half, None);
        self.set_slot(i, Some(slot));
        self.note_use(half);
        self.put(word, is_high, slot, to_high);
        self.free_if_dead(i);
    }

    /// Stores the high or the low byte of a word as the high or the low one of a word of the frame.
    fn put(&mut self, word: usize, is_high: bool, slot: Slot, to_high: bool) {
        let register = if is_high { self.own(word) } else { self.ensure(word) };
        if is_high {
            self.emit(Code::Number("rol", register, 8));
        }
        let portion = if to_high { Portion::High } else { Portion::Low };
        let carry = self.state.carry;
        self.emit(Code::Frame { stores: true, portion, register, slot, carry });
        self.note_uses(&[word]);
    }
}
