//! The order in which the words of the frame lie.

use super::code::Code;
use super::frame::{Access, Slot, accesses, clocks};
use super::random::Random;

/// How many temporary words a later order of instructions may have beyond those of the present one.
const MORE: usize = 8192;

/// Returns the byte offset of each word of the frame, chosen so that accesses take few clocks. The
/// words begin in the order of their frequency or of their first use, whichever takes fewer clocks;
/// then words change places at random, `moves` times, and a change stays if it takes no more
/// clocks.
///
/// `pieces` are pairs of code and how often it runs for a block. `temporary` is the number of the
/// first temporary word. `before` is a layout of most of the words, which is another order to begin
/// with.
pub fn layout(
    pieces: &[(usize, Vec<Code>)],
    temporary: Slot,
    before: Option<&[usize]>,
    moves: usize,
) -> Vec<usize> {
    let mut slots: Vec<(Slot, usize)> = Vec::new();
    let mut runs: Vec<(usize, Vec<Access>)> = Vec::new();
    let mut pieces: Vec<&(usize, Vec<Code>)> = pieces.iter().collect();
    pieces.sort_by_key(|(times, _)| std::cmp::Reverse(*times));
    for (times, code) in pieces {
        for run in accesses(code) {
            for &Access { slot, .. } in &run {
                match slots.iter_mut().find(|(known, _)| *known == slot) {
                    Some((_, count)) => *count += times,
                    None => slots.push((slot, *times)),
                }
            }
            runs.push((*times, run));
        }
    }
    let last = slots.iter().map(|&(slot, _)| slot).max().unwrap_or(0).max(temporary);
    let mut at = vec![0; last + MORE];
    let place = |at: &mut [usize], slots: &[(Slot, usize)]| {
        for (i, &(slot, _)) in slots.iter().enumerate() {
            at[slot] = 2 * i;
        }
    };
    // Code that runs only once for a message does not count.
    runs.retain(|&(times, _)| times > 0);
    let total = |at: &[usize]| -> u64 {
        runs.iter().map(|(times, run)| *times as u64 * u64::from(clocks(run, at))).sum()
    };
    // Only other orders of instructions use these temporary words.
    for (i, at) in at[last + 1..].iter_mut().enumerate() {
        *at = 2 * (slots.len() + i);
    }
    place(&mut at, &slots);
    let by_use = total(&at);
    let mut frequent = slots.clone();
    frequent.sort_by_key(|&(slot, count)| (std::cmp::Reverse(count), slot));
    place(&mut at, &frequent);
    let mut least = total(&at);
    if by_use < least {
        place(&mut at, &slots);
        least = by_use;
    } else {
        slots = frequent;
    }
    if let Some(before) = before {
        let mut kept = slots.clone();
        kept.sort_by_key(|&(slot, _)| before.get(slot).copied().unwrap_or(usize::MAX));
        place(&mut at, &kept);
        let of_kept = total(&at);
        if of_kept < least {
            (slots, least) = (kept, of_kept);
        }
    }
    place(&mut at, &slots);
    if slots.len() <= 16 {
        return at;
    }
    let mut random = Random::new(0x0dd0_5eed_000f_1a70);
    for _ in 0..moves {
        let (a, b) = (random.below(slots.len()), random.below(slots.len()));
        // Two times out of three two words change places, else one moves and those between make
        // room.
        let rotates = random.below(3) == 0;
        let change = |slots: &mut [(Slot, usize)], back: bool| {
            if !rotates {
                slots.swap(a, b);
            } else if (a < b) != back {
                slots[a.min(b)..=a.max(b)].rotate_left(1);
            } else {
                slots[a.min(b)..=a.max(b)].rotate_right(1);
            }
        };
        change(&mut slots, false);
        place(&mut at, &slots);
        let now = total(&at);
        if now <= least {
            least = now;
        } else {
            change(&mut slots, true);
        }
    }
    place(&mut at, &slots);
    at
}
