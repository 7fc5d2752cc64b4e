//! The words of a block that a core in memory takes one by one.

use crate::rtl::netlist::SignalId;
use crate::rtl::wrap::logic::Logic;

/// A block's words on their way into the core's memory: read, and a clock later offered.
pub(in crate::rtl::wrap) struct Words {
    /// The number of the word that is read.
    pub(in crate::rtl::wrap) number: SignalId,
    /// The word is read in this clock.
    pub(in crate::rtl::wrap) goes: SignalId,
    /// The last word is read in this clock.
    pub(super) last: SignalId,
    /// A word is offered to the core.
    pub(super) valid: SignalId,
    /// The core takes the word; driven by the core.
    pub(super) ready: SignalId,
}

impl Words {
    /// Reads the chosen context's `words` words in turn; the last one waits for `issue_free`.
    pub(super) fn new(l: &mut Logic, words: usize, chosen: SignalId, issue_free: SignalId) -> Self {
        let ready = l.driven("word_ready", 1);
        let valid = l.state("word_valid", 1);
        let number = l.state("word_number", words.trailing_zeros());
        let stays = l.but("word_stays", valid, ready);
        let is_last = l.equals("word_is_last", number, words as u32 - 1);
        // The block is offered with its last word, which waits for the one before it.
        let early = l.not("word_not_last", is_last);
        let may = l.or("word_may", &[early, issue_free]);
        let reads = l.and("word_chosen", &[chosen, may]);
        let goes = l.but("word_goes", reads, stays);
        let next = l.or("next_word_valid", &[goes, stays]);
        l.connect(valid, next);
        let more = l.plus("word_number_more", number, 1);
        let next = l.choose("next_word_number", goes, more, number, words.trailing_zeros());
        l.connect(number, next);
        let last = l.and("word_ends", &[goes, is_last]);
        Self { number, goes, last, valid, ready }
    }
}
