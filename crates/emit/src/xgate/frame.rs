//! The words of the frame: where they lie, and how they are reached.
//!
//! A load or store reaches the 16 words from a base register on. The base register therefore moves:
//! by ADDL or SUBL in one clock, by LDL and LDH in two clocks where the carry is live.
//! Post-increment moves it on by a word in an access of the word at the base, and pre-decrement
//! moves it back to the word before it, both without an extra clock. A load can also use its
//! destination as the index register, at one clock more, and leave the base where it is. Between
//! two labels the cheapest sequence is found by dynamic programming over the base's places.

pub use super::code::Slot;
use super::code::{Code, Portion, Register};
use std::ops::Range;

/// The base register of the frame.
pub const BASE: Register = 7;

/// The number of bytes from the base that an access with an offset reaches.
const REACH: usize = 32;

/// The code with frame accesses written out. `at` has the byte offset of each word; the frame's
/// label is `label`. At every label, jump and end the base is at the frame's beginning.
pub fn placed(code: Vec<Code>, at: &[usize], label: &str) -> Vec<Code> {
    let mut out = Vec::with_capacity(code.len());
    let mut run: Vec<Code> = Vec::new();
    for line in code {
        if is_end(&line) {
            straight(&mut out, std::mem::take(&mut run), at, label);
            out.push(line);
        } else {
            run.push(line);
        }
    }
    straight(&mut out, run, at, label);
    out
}

/// Whether the base is at the frame's beginning at this line.
pub fn is_end(line: &Code) -> bool {
    matches!(
        line,
        Code::Label(_)
            | Code::JumpUnlessZero(..)
            | Code::BranchUnlessZero(..)
            | Code::BranchUnlessEqual(..)
            | Code::JumpUnlessAt(_)
            | Code::Base(_)
            | Code::Call(..)
            | Code::Return(_)
            | Code::End
    )
}

/// How the code accesses a word, relative to the place of the base.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Addressing {
    /// An access with an offset from the base.
    Near,
    /// A load with its destination as the index register.
    Indexed,
    /// The base moves to this byte offset first, then the access has an offset.
    Moved(usize),
    /// The base is at the word, perhaps after a move to it, and moves on by a word with the access.
    Up(Option<usize>),
    /// The base is one word behind the word and moves back to it with the access.
    Down,
}

/// Number of bytes by which the base moves with an access.
const STEP: usize = 2;

fn move_cost(from: usize, to: usize, carry: bool) -> usize {
    let distance = from.abs_diff(to);
    if distance == 0 {
        0
    } else if carry || distance > 255 {
        2
    } else {
        1
    }
}

fn straight(out: &mut Vec<Code>, run: Vec<Code>, at: &[usize], label: &str) {
    let accesses: Vec<Access> =
        run.iter().filter_map(access).map(|of| Access { slot: at[of.slot], ..of }).collect();
    let hows = cheapest(&accesses);
    let mut base = 0;
    let mut next = 0;
    for line in run {
        let Code::Frame { stores, portion, register, slot, carry } = line else {
            out.push(line);
            continue;
        };
        let place = at[slot];
        let how = hows[next];
        next += 1;
        if let Addressing::Moved(to) | Addressing::Up(Some(to)) = how {
            move_base(out, base, to, carry, label);
            base = to;
        }
        let mnemonic = match portion {
            Portion::Word if stores => "stw",
            Portion::Word => "ldw",
            Portion::High | Portion::Low if stores => "stb",
            Portion::High | Portion::Low => "ldb",
        };
        let offset = (place + usize::from(portion == Portion::Low)).wrapping_sub(base) as u16;
        match how {
            Addressing::Indexed => {
                out.push(Code::Number("ldl", register, offset));
                out.push(Code::Index(mnemonic, register, BASE, register));
            }
            Addressing::Near | Addressing::Moved(_) => {
                out.push(Code::Offset(mnemonic, register, BASE, offset));
            }
            Addressing::Up(_) => {
                out.push(Code::Step(mnemonic, register, BASE, true));
                base += STEP;
            }
            Addressing::Down => {
                out.push(Code::Step(mnemonic, register, BASE, false));
                base -= STEP;
            }
        }
    }
    if base != 0 {
        move_base(out, base, 0, false, label);
    }
}

fn move_base(out: &mut Vec<Code>, from: usize, to: usize, carry: bool, label: &str) {
    let distance = from.abs_diff(to);
    out.push(if carry || distance > 255 {
        Code::Wide(BASE, format!("{label}+{to}"))
    } else if to > from {
        Code::Number("addl", BASE, distance as u16)
    } else {
        Code::Number("subl", BASE, distance as u16)
    });
}

/// An access of the frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Access {
    /// Whether it stores.
    pub stores: bool,
    /// The word, or its byte offset once the word has a place.
    pub slot: Slot,
    /// Whether the carry is live, so that the access must leave it unchanged.
    pub carry: bool,
    /// Whether only a byte is accessed. The base cannot move with such an access.
    pub is_byte: bool,
}

fn access(line: &Code) -> Option<Access> {
    match *line {
        Code::Frame { stores, portion, slot, carry, .. } => {
            Some(Access { stores, slot, carry, is_byte: portion != Portion::Word })
        }
        _ => None,
    }
}

/// The accesses of code, as runs between labels and jumps, where the base is at the frame's
/// beginning.
pub fn accesses(code: &[Code]) -> Vec<Vec<Access>> {
    let mut runs = vec![Vec::new()];
    for line in code {
        if is_end(line) {
            runs.push(Vec::new());
        }
        runs.last_mut().expect("there is a run").extend(access(line));
    }
    runs.retain(|run| !run.is_empty());
    runs
}

/// Clocks of a run of accesses when the words have the byte offsets `at`.
pub fn clocks(run: &[Access], at: &[usize]) -> u32 {
    let last = run.iter().map(|of| at[of.slot] / 2).max().unwrap_or(0);
    let mut bases = Bases::new(last + 1);
    let total: u32 = run.iter().map(|&of| bases.access(Access { slot: at[of.slot], ..of })).sum();
    total + bases.end()
}

/// The ways to make the accesses in the fewest clocks; the base is at 0 before and after.
fn cheapest(accesses: &[Access]) -> Vec<Addressing> {
    let last = accesses.iter().map(|of| of.slot / 2).max().unwrap_or(0);
    let mut bases = Bases::new(last + 1);
    let mut costs = vec![bases];
    for &of in accesses {
        bases.access(of);
        costs.push(bases);
    }
    let end = |from: usize| bases.cost(from) + end_cost(from);
    let mut base = (0..=last).min_by_key(|&from| end(from)).unwrap_or(0);
    let mut hows = vec![Addressing::Near; accesses.len()];
    for (i, &Access { slot, carry, is_byte, .. }) in accesses.iter().enumerate().rev() {
        let (place, before) = (slot / 2, &costs[i]);
        // The place of the base before the access, on the assumption that it moves on if it can.
        let at = if base == place + 1 { place } else { base };
        let (from, cost) = before.cheapest_to(at, carry);
        let is_reached = (base..base + REACH / 2).contains(&place);
        let stays = before.cost(at) <= cost;
        let behind = before.cost(place + 1);
        (hows[i], base) = match (base == place + 1, is_reached, stays) {
            (true, _, true) => (Addressing::Up(None), at),
            (true, _, false) => (Addressing::Up(Some(2 * at)), from),
            _ if base == place && !is_byte && behind < cost.min(before.cost(at)) => {
                (Addressing::Down, place + 1)
            }
            (false, true, true) => (Addressing::Near, base),
            (false, false, _) => (Addressing::Indexed, base),
            (false, true, false) => (Addressing::Moved(2 * base), from),
        };
    }
    hows
}

/// Clocks to bring the base back from a word to the frame's beginning.
fn end_cost(from: usize) -> u8 {
    move_cost(2 * from, 0, false) as u8
}

/// The state of the search for the cheapest moves of the base: which places of the base, in words,
/// take how many clocks more than the cheapest ones. A move from the first or the last of the
/// cheapest places takes at most 2 clocks, so a larger cost is never used and is not recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bases {
    /// The number of words of the frame.
    words: usize,
    /// The place of the lowest bit of each set, a multiple of 64.
    origin: usize,
    /// The places that take no clock more, at most one, and at most two.
    within: [Places; 3],
    /// The first of the cheapest places.
    first: usize,
    /// The last of the cheapest places.
    last: usize,
}

/// A set of places: a bit for each from an origin on. An access leaves at most 129 places, because
/// the offset of an indexed load is a number of 8 bits.
type Places = [u64; 3];

/// The largest distance in words that one instruction moves the base, or that an index spans.
const SPAN: usize = 127;

/// The cost of a place where the base cannot be, greater than any real cost.
const NEVER: u8 = 100;

/// The set of a range of places.
fn places(origin: usize, range: Range<usize>) -> Places {
    std::array::from_fn(|i| {
        let below = |place: usize| match place.saturating_sub(origin + 64 * i) {
            bits @ 0..64 => (1 << bits) - 1,
            _ => u64::MAX,
        };
        below(range.end) & !below(range.start)
    })
}

impl Bases {
    /// Begins a frame of `words` words, with the base at its beginning.
    pub fn new(words: usize) -> Self {
        Self { words, origin: 0, within: [[1, 0, 0]; 3], first: 0, last: 0 }
    }

    /// The clocks that a place takes more than the cheapest ones.
    fn cost(&self, place: usize) -> u8 {
        let has = |set: &Places| {
            let bit = place.checked_sub(self.origin).filter(|&bit| bit < 64 * set.len());
            bit.is_some_and(|bit| set[bit / 64] >> (bit % 64) & 1 == 1)
        };
        self.within.iter().position(has).map_or(NEVER, |cost| cost as u8)
    }

    /// The cheapest place from which the base moves to a word, and the clocks.
    fn cheapest_to(&self, to: usize, carry: bool) -> (usize, u8) {
        let is_first = self.first.abs_diff(to) <= self.last.abs_diff(to);
        let from = if is_first { self.first } else { self.last };
        (from, move_cost(2 * from, 2 * to, carry) as u8)
    }

    /// The fewest clocks to bring the base back to the frame's beginning: a place's own cost, and
    /// that of [`end_cost`]. Places of equal cost are looked at together.
    pub fn end(&self) -> u32 {
        let has = |set: &Places, range: Range<usize>| {
            let range = places(self.origin, range);
            set.iter().zip(range).any(|(set, range)| set & range != 0)
        };
        let each = self.within.iter().zip(0..).map(|(set, cost)| {
            if has(set, 0..1) {
                cost
            } else if has(set, 1..SPAN + 1) {
                cost + 1
            } else if has(set, 0..usize::MAX) {
                cost + 2
            } else {
                NEVER.into()
            }
        });
        each.min().unwrap_or(0)
    }

    /// The sets, counted from another origin.
    fn seen_from(&self, origin: usize) -> [Places; 3] {
        self.within.map(|set| {
            std::array::from_fn(|i| {
                let word = (origin / 64 + i).checked_sub(self.origin / 64);
                word.and_then(|word| set.get(word)).copied().unwrap_or(0)
            })
        })
    }

    /// Changes the state to that after an access, and returns the clocks that the cheapest way
    /// takes for the access.
    pub fn access(&mut self, access: Access) -> u32 {
        let Access { stores, slot, carry, is_byte } = access;
        let place = slot / 2;
        let near = (place + 1).saturating_sub(REACH / 2)..place + 1;
        let far = if stores { near.start } else { place.saturating_sub(SPAN) }..near.start;
        let origin = far.start / 64 * 64;
        let before = self.seen_from(origin);
        let moved = [self.first, self.last]
            .map(|from| places(origin, from.saturating_sub(SPAN)..from + SPAN + 1));
        let [near, far] = [near, far].map(|range| places(origin, range));
        let mut within = [[0; 3]; 3];
        for i in 0..3 {
            let [zero, one, _] = before.map(|set| set[i]);
            let moved = if carry { 0 } else { moved[0][i] | moved[1][i] };
            within[0][i] = zero & near[i];
            within[1][i] = (one | moved) & near[i] | zero & far[i];
            within[2][i] = near[i] | one & far[i];
        }
        // The base moves on by a word with the access, or back.
        if !is_byte && place + 1 < self.words {
            let [here, next] = [place, place + 1].map(|place| (place - origin) / 64);
            let [at, behind] = [place, place + 1].map(|place| 1 << ((place - origin) % 64));
            for (set, before) in within.iter_mut().zip(before) {
                let is_here = set[here] & at != 0;
                if before[next] & behind != 0 {
                    set[here] |= at;
                }
                if is_here {
                    set[next] |= behind;
                }
            }
        }
        let least = within.iter().position(|set| *set != [0; 3]).unwrap_or(0);
        self.within = std::array::from_fn(|cost| within[(cost + least).min(2)]);
        self.origin = origin;
        let cheapest = &self.within[0];
        let low = cheapest.iter().position(|&bits| bits != 0).unwrap_or(0);
        let high = cheapest.iter().rposition(|&bits| bits != 0).unwrap_or(0);
        self.first = origin + 64 * low + cheapest[low].trailing_zeros() as usize;
        self.last = origin + 64 * high + 63 - cheapest[high].leading_zeros() as usize;
        2 + least as u32
    }
}

#[cfg(test)]
mod tests {
    use super::super::random::Random;
    use super::*;

    /// The clocks of the accesses if the base moves as given, with every offset in reach.
    fn taken(accesses: &[Access], hows: &[Addressing]) -> u32 {
        let (mut base, mut total) = (0, 0);
        for (&Access { stores, slot: place, carry, is_byte }, how) in accesses.iter().zip(hows) {
            total += 2;
            match *how {
                Addressing::Near => {}
                Addressing::Up(to) => {
                    if let Some(to) = to {
                        total += move_cost(base, to, carry) as u32;
                        base = to;
                    }
                    assert!(!is_byte && base == place);
                    base += STEP;
                    continue;
                }
                Addressing::Down => {
                    base -= STEP;
                    assert!(!is_byte && base == place);
                    continue;
                }
                Addressing::Indexed => {
                    assert!(!stores && place > base && place - base < 256);
                    total += 1;
                    continue;
                }
                Addressing::Moved(to) => {
                    total += move_cost(base, to, carry) as u32;
                    base = to;
                }
            }
            assert!(base.is_multiple_of(2) && base <= place && place - base < REACH);
        }
        total + move_cost(base, 0, false) as u32
    }

    /// The fewest clocks, by trying every way of the base.
    fn least(accesses: &[Access]) -> u32 {
        let last = accesses.iter().map(|of| of.slot).max().unwrap_or(0);
        let mut costs: Vec<u32> = vec![u32::MAX / 2; last / 2 + 1];
        costs[0] = 0;
        for &Access { stores, slot: place, carry, is_byte } in accesses {
            let moved = |to: usize| {
                let all = costs.iter().enumerate();
                all.map(|(from, cost)| cost + move_cost(2 * from, 2 * to, carry) as u32).min()
            };
            let next = (0..costs.len()).map(|to| {
                let stays = match place.checked_sub(2 * to) {
                    Some(0..REACH) => moved(to).unwrap() + 2,
                    Some(0..256) if !stores => costs[to] + 3,
                    _ => u32::MAX / 2,
                };
                let steps = match place {
                    _ if is_byte => None,
                    _ if 2 * to == place + STEP => moved(to - 1),
                    _ if 2 * to == place && to + 1 < costs.len() => moved(to + 1),
                    _ => None,
                };
                stays.min(steps.map_or(u32::MAX / 2, |steps| steps + 2))
            });
            costs = next.collect();
        }
        let all = costs.iter().enumerate();
        all.map(|(from, cost)| cost + move_cost(2 * from, 0, false) as u32).min().unwrap()
    }

    /// The estimate is the number of clocks of the code. In a frame that one move of the base
    /// crosses, no sequence of moves takes fewer clocks; in a larger frame hardly any does.
    #[test]
    fn the_base_takes_the_cheapest_way() {
        let mut random = Random::new(77);
        for round in 0..300 {
            let words = [10, 40, 127, 300][round % 4];
            let run: Vec<Access> = (0..round % 60)
                .map(|_| Access {
                    stores: random.below(3) == 0,
                    slot: random.below(words),
                    carry: random.below(5) == 0,
                    is_byte: random.below(4) == 0,
                })
                .collect();
            let at: Vec<usize> = (0..words).map(|slot| 2 * slot).collect();
            let accesses: Vec<Access> =
                run.iter().map(|&of| Access { slot: at[of.slot], ..of }).collect();
            let clocks = clocks(&run, &at);
            assert_eq!(clocks, taken(&accesses, &cheapest(&accesses)), "{run:?}");
            let least = least(&accesses);
            match words {
                300 => assert!(clocks >= least && 100 * clocks <= 103 * least, "{clocks} {least}"),
                _ => assert_eq!(clocks, least, "{run:?}"),
            }
        }
    }
}
