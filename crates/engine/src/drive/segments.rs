//! Messages whose bytes lie in several places, or that others have begun.

use super::ends::Ends;
use super::layout::{Beginning, MAX_BLOCK, Start, State};
use super::longest::LongestFirst;
use super::ragged::{self, Job, Jobs};
use crate::kernels::runs::Runs;
use crate::select::choice::Choice;

/// Messages in segments.
pub trait Segmented<'m, H: Runs> {
    /// The number of messages.
    fn count(&self) -> usize;
    /// The bytes of all segments of a message.
    fn bytes(&self, message: usize) -> u64;
    /// The chaining value from which a message starts, and the bytes between it and the first
    /// segment, at most a block.
    fn start(&self, message: usize) -> (Start<H>, &'m [u8]);
    /// A segment of a message, or `None` after its last.
    fn segment(&self, message: usize, number: usize) -> Option<&'m [u8]>;
}

/// Writes the digest of each message to `out`, one after the other.
pub fn run<'m, H: Runs>(
    hash: &H,
    choice: &Choice<H>,
    messages: &dyn Segmented<'m, H>,
    out: &mut [u8],
) {
    let beginning = Beginning { start: Start::of(hash), lead: &[], past_lead: None };
    let mut jobs = SegmentJobs {
        hash,
        messages,
        order: LongestFirst::of(messages.count()),
        cursors: Vec::new(),
        idle: Vec::new(),
        ready: Vec::new(),
        ends: Ends::new(hash, choice, &beginning, hash.digest_bytes(), out),
    };
    ragged::run(hash, choice, messages.count(), &mut jobs);
    jobs.ends.flush();
}

/// How far a message has come.
struct Cursor<'m, H: Runs> {
    message: usize,
    at: Start<H>,
    /// The bytes after the blocks of `at` that were taken from their segments, at most a block.
    lead: [u8; MAX_BLOCK],
    held: usize,
    /// What is left of the segment before number `next`.
    rest: &'m [u8],
    next: usize,
}

/// The messages that lanes hash at the moment, and the digests of those that have ended.
struct SegmentJobs<'s, 'm, 'a, H: Runs> {
    hash: &'a H,
    messages: &'s dyn Segmented<'m, H>,
    order: LongestFirst,
    /// One for each message that is in a lane at a time; the number of a cursor is that of its job.
    cursors: Vec<Cursor<'m, H>>,
    /// Cursors whose message has ended.
    idle: Vec<usize>,
    /// Cursors whose message goes on.
    ready: Vec<usize>,
    ends: Ends<'a, H>,
}

impl<'m, H: Runs> SegmentJobs<'_, 'm, '_, H> {
    /// A cursor at the beginning of the next message.
    fn begin(&mut self) -> Option<usize> {
        let messages = self.messages;
        let message = self.order.next(&|message| Some(messages.bytes(message)))?;
        let (at, begun) = messages.start(message);
        let mut lead = [0; MAX_BLOCK];
        lead[..begun.len()].copy_from_slice(begun);
        let cursor = Cursor { message, at, lead, held: begun.len(), rest: &[], next: 0 };
        Some(match self.idle.pop() {
            Some(idle) => {
                self.cursors[idle] = cursor;
                idle
            }
            None => {
                self.cursors.push(cursor);
                self.cursors.len() - 1
            }
        })
    }

    /// Moves a cursor to where its lead and the returned bytes are whole blocks, or to the end of
    /// its message.
    fn advance(&mut self, cursor: usize) -> Option<&'m [u8]> {
        let block = self.hash.block_bytes();
        let cursor = &mut self.cursors[cursor];
        loop {
            let Cursor { held, rest, .. } = *cursor;
            let blocks = self.hash.whole_blocks((held + rest.len()) as u64) as usize;
            if blocks > 0 {
                let whole;
                (whole, cursor.rest) = rest.split_at(blocks * block - held);
                return Some(whole);
            }
            cursor.lead[held..held + rest.len()].copy_from_slice(rest);
            cursor.held += rest.len();
            cursor.rest = self.messages.segment(cursor.message, cursor.next)?;
            cursor.next += 1;
        }
    }
}

impl<'m, H: Runs> Jobs<'m, H> for SegmentJobs<'_, 'm, '_, H> {
    fn next(&mut self) -> Option<Job<'m, '_, H>> {
        let (index, bytes) = loop {
            let index = self.ready.pop().or_else(|| self.begin())?;
            if let Some(bytes) = self.advance(index) {
                break (index, bytes);
            }
            let Cursor { message, at, lead, held, .. } = &self.cursors[index];
            self.ends.push(*message, &at.state, at.blocks, &lead[..*held]);
            self.idle.push(index);
        };
        let block = self.hash.block_bytes();
        let Cursor { at: Start { state, blocks }, lead, held, .. } = &mut self.cursors[index];
        let blocks_before = *blocks;
        let lead = &lead[..std::mem::take(held)];
        *blocks += ((lead.len() + bytes.len()) / block) as u64;
        Some(Job { index, state, blocks_before, lead, bytes })
    }

    fn done(&mut self, index: usize, state: &State<H>) {
        self.cursors[index].at.state = *state;
        self.ready.push(index);
    }
}
