//! Overwrites the words of a context by zeros after its message's last block has left.
//!
//! ```text
//!  a message's last block is loaded ──► a clock later: zeros over its buffer and chaining value
//!  reset, clear ──► a clock for each context: the same, one after the other
//! ```
//!
//! Memories are written at one address in a clock. In the clock of the zeros no lane is taken, and
//! a next chaining value waits.

use super::{FrameBuilder, Store};
use crate::rtl::netlist::SignalId;

/// The times at which zeros are written, and the context whose memory they overwrite.
#[derive(Clone, Copy)]
pub(in crate::rtl::wrap) struct Wipe {
    /// Zeros are written in this clock.
    pub(in crate::rtl::wrap) now: SignalId,
    /// The context whose memory they overwrite.
    pub(in crate::rtl::wrap) id: SignalId,
    /// Driven later: a message's last block is loaded.
    last: SignalId,
    /// Driven later: the context of that message.
    last_id: Option<SignalId>,
}

impl FrameBuilder<'_> {
    /// Makes the zeros of a core that clears; `forgets` is another signal that makes a message's
    /// words worthless.
    pub(super) fn wipe(&mut self, forgets: Option<SignalId>) -> Option<Wipe> {
        if !self.shape.core.clears {
            return None;
        }
        let id_bits = self.shape.id_bits;
        let l = &mut *self.logic;
        l.begin("Zeros");
        let last = l.later("last_loaded", 1);
        let last_id = (id_bits > 0).then(|| l.later("last_id", id_bits));
        let follows = l.state("zeros_follow", 1);
        let begins = l.or("zeros_due", &[&[last], forgets.as_slice()].concat());
        l.connect(follows, begins);
        // Contexts that were overwritten since the reset; the highest bit says that all were.
        let swept = l.state("swept", id_bits + 1);
        let all = l.slice("all_swept", swept, id_bits, 1);
        let more = l.plus("one_more_swept", swept, 1);
        let next = l.choose("next_swept", all, swept, more, id_bits + 1);
        l.connect(swept, next);
        let sweeps = l.not("sweeps", all);
        let now = l.or("zeros", &[follows, sweeps]);
        let id = match last_id {
            None => now,
            Some(last_id) => {
                let of_last = l.register("zeros_id_kept", last_id, last);
                let swept = l.slice("swept_id", swept, 0, id_bits);
                l.choose("zeros_id", sweeps, swept, of_last, id_bits)
            }
        };
        Some(Wipe { now, id, last, last_id })
    }

    /// Says when a message's last block is loaded, and whose.
    pub(super) fn wipes_after(&mut self, wipe: Option<Wipe>, last: SignalId, id: SignalId) {
        let Some(wipe) = wipe else { return };
        self.logic.drive(wipe.last, last);
        if let Some(last_id) = wipe.last_id {
            self.logic.drive(last_id, id);
        }
    }

    /// A store with a value for each context, which is overwritten by zeros.
    pub(super) fn secret(
        &mut self,
        name: &str,
        write: SignalId,
        id: SignalId,
        data: SignalId,
        wipe: Option<Wipe>,
    ) -> Store {
        let (write, data) = self.wiped(name, write, data, wipe);
        let id = match (wipe, self.shape.id_bits) {
            (None, _) | (_, 0) => id,
            (Some(wipe), bits) => {
                self.logic.choose(&format!("{name}_to"), wipe.now, wipe.id, id, bits)
            }
        };
        self.store(name, write, id, data)
    }

    /// When a store is written, and the data: zeros in the clock of the zeros.
    pub(super) fn wiped(
        &mut self,
        name: &str,
        write: SignalId,
        data: SignalId,
        wipe: Option<Wipe>,
    ) -> (SignalId, SignalId) {
        let Some(Wipe { now, .. }) = wipe else { return (write, data) };
        let l = &mut *self.logic;
        let width = l.width(data);
        let write = l.or(&format!("{name}_written"), &[write, now]);
        let data = l.choose(&format!("{name}_in"), now, 0, data, width);
        (write, data)
    }
}
