//! Messages that each have a start of their own: the chaining value after a key's block.

use super::ends::Ends;
use super::layout::{Beginning, InLine, Start, State};
use super::longest::LongestFirst;
use super::ragged::{self, Job, Jobs};
use super::single::Single;
use super::template::{Area, Starts, Template};
use crate::kernels::kernel::MAX_LANES;
use crate::kernels::runs::Runs;
use crate::select::choice::Choice;

/// Appends the chaining value after each of the blocks, which lie one after the other, each the
/// first of a message that goes on.
pub fn after_first<H: Runs>(
    hash: &H,
    choice: &Choice<H>,
    blocks: &[u8],
    states: &mut Vec<State<H>>,
) {
    struct First<'b, 's, H: Runs> {
        blocks: std::iter::Enumerate<std::slice::ChunksExact<'b, u8>>,
        start: State<H>,
        first: usize,
        states: &'s mut [State<H>],
    }
    impl<'b, H: Runs> Jobs<'b, H> for First<'b, '_, H> {
        fn next(&mut self) -> Option<Job<'b, '_, H>> {
            let (index, bytes) = self.blocks.next()?;
            Some(Job { index, state: &self.start, blocks_before: 0, lead: &[], bytes })
        }
        fn done(&mut self, index: usize, state: &State<H>) {
            self.states[self.first + index] = *state;
        }
    }
    let blocks = blocks.chunks_exact(hash.block_bytes());
    let (count, first, start) = (blocks.len(), states.len(), hash.initial_value());
    states.resize(first + count, start);
    if count <= MAX_LANES && choice.prefers_one_by_one(blocks.clone().map(|_| 1), false) {
        let single = Single { hash, kernel: choice.for_one() };
        let states = states[first..].iter_mut();
        states.zip(blocks).for_each(|(state, block)| single.absorb(state, &mut 0, block));
        return;
    }
    let blocks = blocks.enumerate();
    ragged::run(hash, choice, count, &mut First { blocks, start, first, states });
}

/// Messages that each follow a block, with the chaining value after this block and the block
/// itself.
pub trait Started<H: Runs> {
    fn count(&self) -> usize;
    fn message(&self, index: usize) -> &[u8];
    fn state(&self, index: usize) -> &State<H>;
    fn block(&self, index: usize) -> &[u8];
}

/// The most bytes of a message of which each lane has a copy.
const MOST_COPIED: usize = 2048;

/// Writes the digest of each message to `out`, one after the other.
pub fn run<H: Runs>(hash: &H, choice: &Choice<H>, messages: &dyn Started<H>, out: &mut [u8]) {
    let count = messages.count();
    if count == 0 {
        return;
    }
    let bytes = |index: usize| messages.message(index).len();
    let first = bytes(0);
    let blocks = |bytes: usize| whole_blocks(hash, bytes) + 1;
    let are_alike = (1..count).all(|index| bytes(index) == first);
    let one_by_one = match are_alike {
        true => count == 1 || choice.prefers_few_one_by_one(count, blocks(first)),
        false => {
            count <= MAX_LANES
                && choice.prefers_one_by_one((0..count).map(|i| blocks(bytes(i))), false)
        }
    };
    if one_by_one {
        let single = Single { hash, kernel: choice.for_one() };
        let outs = out.chunks_exact_mut(hash.digest_bytes());
        outs.enumerate().for_each(|(index, out)| run_single(&single, messages, index, out));
        return;
    }
    // Where a last block is held back, the block before an empty message is the last one.
    if are_alike && first <= MOST_COPIED && !(H::HOLDS_LAST && first == 0) {
        return run_alike(hash, choice, messages, first, out);
    }
    let beginning = Beginning { start: Start::of(hash), lead: &[], past_lead: None };
    let ends = Ends::new(hash, choice, &beginning, hash.digest_bytes(), out);
    let order = LongestFirst::of(count);
    let mut jobs = StartedJobs { hash, messages, order, ends };
    ragged::run(hash, choice, count, &mut jobs);
    jobs.ends.flush();
}

/// Whole blocks of a message of `bytes` bytes, without the block that it follows.
fn whole_blocks<H: Runs>(hash: &H, bytes: usize) -> usize {
    // Where a last block is held back, this is the block before an empty message: then there is
    // none.
    hash.whole_blocks((hash.block_bytes() + bytes) as u64).saturating_sub(1) as usize
}

/// Writes the digest of one message to `out`.
fn run_single<H: Runs>(
    single: &Single<H>,
    messages: &dyn Started<H>,
    index: usize,
    out: &mut [u8],
) {
    let message = messages.message(index);
    if H::HOLDS_LAST && message.is_empty() {
        return single.digest_whole(messages.block(index), out);
    }
    single.digest_rest(&InLine(*messages.state(index)), 1, message, out);
}

/// Writes the digests of messages that all have `bytes` bytes to `out`: a kernel full at a time,
/// from the chaining values to the digests. Whole blocks are read where they lie; the bytes after
/// them are copied to where their padding is.
fn run_alike<H: Runs>(
    hash: &H,
    choice: &Choice<H>,
    messages: &dyn Started<H>,
    bytes: usize,
    out: &mut [u8],
) {
    let count = messages.count();
    let digest = hash.digest_bytes();
    let template = Template::new(hash, 1, &[], bytes);
    let direct = template.whole.min(bytes / hash.block_bytes());
    let copied = direct * hash.block_bytes()..bytes;
    let mut lanes: Option<(Area<H>, Starts<H>)> = None;
    let mut at = 0;
    while at < count {
        let kernel = choice.for_messages(count - at, template.blocks);
        let now = kernel.lanes.min(count - at);
        let outs = &mut out[at * digest..(at + now) * digest];
        if kernel.lanes == 1 {
            run_single(&Single { hash, kernel }, messages, at, outs);
            at += 1;
            continue;
        }
        if lanes.as_ref().is_some_and(|(area, _)| area.most < kernel.lanes) {
            lanes = None;
        }
        let (area, starts) = lanes.get_or_insert_with(|| {
            (Area::new(&template, kernel), Starts::of(&[hash.initial_value()], kernel.lanes))
        });
        area.set_kernel(kernel);
        let of_lane = |lane: usize| at + lane.min(now - 1);
        starts.set(kernel.lanes, |lane| *messages.state(of_lane(lane)));
        for lane in 0..now {
            let message = &messages.message(at + lane)[copied.clone()];
            area.lane(lane)[copied.clone()].copy_from_slice(message);
        }
        let inputs = (0..kernel.lanes).map(|lane| messages.message(of_lane(lane)));
        area.hash((hash, &template, starts), (inputs, direct), digest, outs);
        at += now;
    }
}

/// The messages for the lanes, longest first, and the digests of those that have ended.
struct StartedJobs<'m, 'a, H: Runs> {
    hash: &'a H,
    messages: &'m dyn Started<H>,
    order: LongestFirst,
    ends: Ends<'a, H>,
}

impl<'m, H: Runs> Jobs<'m, H> for StartedJobs<'m, '_, H> {
    fn next(&mut self) -> Option<Job<'m, '_, H>> {
        loop {
            let length = |i| Some(self.messages.message(i).len() as u64);
            let index = self.order.next(&length)?;
            let message = self.messages.message(index);
            let whole = whole_blocks(self.hash, message.len());
            if whole > 0 {
                let bytes = &message[..whole * self.hash.block_bytes()];
                let state = self.messages.state(index);
                return Some(Job { index, state, blocks_before: 1, lead: &[], bytes });
            }
            if H::HOLDS_LAST && message.is_empty() {
                let block = self.messages.block(index);
                self.ends.push(index, &self.hash.initial_value(), 0, block);
            } else {
                self.ends.push(index, self.messages.state(index), 1, message);
            }
        }
    }

    fn done(&mut self, index: usize, state: &State<H>) {
        let message = self.messages.message(index);
        let whole = whole_blocks(self.hash, message.len());
        let rest = &message[whole * self.hash.block_bytes()..];
        self.ends.push(index, state, 1 + whole as u64, rest);
    }
}

/// Applies HMAC to each tag, to the result, and so on, `times` times, and XORs all results into the
/// tag. This is the inner loop of PBKDF2 (RFC 8018 §5.2): `tags` has U₁ before it and T after it.
///
/// Each tag has the chaining values after the inner and the outer block of its key.
pub fn iterate<H: Runs>(
    hash: &H,
    choice: &Choice<H>,
    keys: &dyn Fn(usize) -> [State<H>; 2],
    times: u32,
    tags: &mut [u8],
) {
    let bytes = hash.digest_bytes();
    let template = Template::new(hash, 1, &[], bytes);
    let (mut first, mut tags) = (0, tags);
    while !tags.is_empty() {
        let kernel = choice.for_count(tags.len() / bytes);
        let count = kernel.lanes.min(tags.len() / bytes);
        let (now, later) = std::mem::take(&mut tags).split_at_mut(count * bytes);
        let mut area = Area::new(&template, kernel);
        for (lane, tag) in now.chunks_exact(bytes).enumerate() {
            area.lane(lane)[..bytes].copy_from_slice(tag);
        }
        let of_lanes: Vec<_> = (first..first + count).map(keys).collect();
        let [inner, outer] = [0, 1].map(|block| {
            let starts: Vec<_> = of_lanes.iter().map(|states| states[block]).collect();
            Starts::of(&starts, kernel.lanes)
        });
        let mut sums = area.no_sums();
        for _ in 0..times {
            area.compress(hash, &template, &inner);
            area.write_back(hash, count, 0, bytes);
            area.compress(hash, &template, &outer);
            area.add_and_write_back(hash, &mut sums, count, bytes);
        }
        for (lane, tag) in now.chunks_exact_mut(bytes).enumerate() {
            area.add_sum(hash, &sums, lane, tag);
        }
        (first, tags) = (first + count, later);
    }
}
