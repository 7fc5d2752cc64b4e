//! Temporary words of the frame, each value on its own.
//!
//! A spilled value lies in a temporary word of the frame from its store to its last load, and the
//! allocator reuses this word for later values. Here each value gets a word of its own, so that
//! values which are used at about the same time can lie within reach of one place of the base. A
//! value may also share the place of a word of the state, between the last access to the word's old
//! value and the store of its new one. The search begins with the places of the [`layout`]. Then
//! values move to other places and change places at random. A change stays if it takes no more
//! clocks, with exceptions that become rarer (simulated annealing). Only the accesses between a
//! value's first and last one are counted again, and the accesses behind them until the base's
//! costs are as before.
//!
//! [`layout`]: super::layout

use super::code::{Code, Portion};
use super::frame::{Access, Bases, Slot, accesses, is_end};
use super::random::Random;
use std::collections::{BTreeMap, HashMap};

/// Number of accesses between two points where the base's costs are kept.
const PART: usize = 16;

/// Number of changes that are tried for each unit of effort: 5/4 of the number of words, within
/// these limits.
const TRIED: [usize; 2] = [50, 750];

/// How much worse places may be, on average, to be kept at the start of the search, in clocks of
/// one iteration of the most frequent code.
const WARM: f64 = 0.5;

/// One change in `UNIFORM` moves a word to any place. The others move it near a word that is
/// accessed within `CLOSE` accesses of its own, at most `BESIDE` places from that word.
const UNIFORM: usize = 6;
const CLOSE: usize = 6;
const BESIDE: usize = 4;

/// A range of lines in one piece of code: the live range of a value, from its store to its last
/// load, or a gap in the life of a word.
#[derive(Clone, Copy, Debug)]
struct Web {
    piece: usize,
    /// The first line and the last line in the piece's code.
    first: usize,
    last: usize,
}

impl Web {
    fn overlaps(&self, other: &Self) -> bool {
        self.piece == other.piece && self.first <= other.last && other.first <= self.last
    }

    fn is_within(&self, gap: &Self) -> bool {
        self.piece == gap.piece && gap.first < self.first && self.last < gap.last
    }
}

/// The times at which a word's place is in use.
#[derive(Clone, Debug)]
enum Life {
    /// A temporary word is in use during the live range of its one value.
    Value(Web),
    /// Any other word is always in use, except in these gaps, each from an access to the next
    /// store.
    Except(Vec<Web>),
}

impl Life {
    fn meets(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Value(web), Self::Value(other)) => web.overlaps(other),
            (Self::Value(web), Self::Except(gaps)) | (Self::Except(gaps), Self::Value(web)) => {
                !gaps.iter().any(|gap| web.is_within(gap))
            }
            (Self::Except(_), Self::Except(_)) => true,
        }
    }
}

/// Gives each value of a temporary word a word of its own, numbered from `temporary` on, and
/// returns the byte offset of each word. `at` are the offsets so far. `pieces` are pairs of code
/// and how often it runs for a block; the code is changed. `effort` is the number of orders of
/// instructions that were tried.
pub fn separate(
    pieces: &mut [(usize, Vec<Code>)],
    temporary: Slot,
    at: &[usize],
    effort: usize,
) -> Vec<usize> {
    let mut search = Search::of(pieces, temporary, at);
    search.run(effort * (5 * search.slots.len() / 4).clamp(TRIED[0], TRIED[1]));
    let mut offsets = at[..temporary.min(at.len())].to_vec();
    offsets.resize(temporary + search.slots.last().map_or(0, |&last| last + 1), 0);
    for (&slot, &place) in search.slots.iter().zip(&search.places) {
        offsets[slot] = 2 * place;
    }
    offsets
}

/// Whether a store of one byte of a word completes the word, because the other byte was stored
/// before it.
fn completes(halves: &mut HashMap<Slot, Portion>, slot: Slot, portion: Portion) -> bool {
    let before = halves.remove(&slot);
    match (portion, before) {
        (Portion::High, Some(Portion::Low)) | (Portion::Low, Some(Portion::High)) => true,
        (Portion::Word, _) => false,
        (Portion::High | Portion::Low, _) => {
            halves.insert(slot, portion);
            false
        }
    }
}

/// Straight code, without a jump.
struct Run {
    times: usize,
    /// The accesses, in which `slot` is the index of the word in [`Search::slots`].
    accesses: Vec<Access>,
    /// The base's costs before each part of [`PART`] accesses, and behind the last part.
    before: Vec<Bases>,
    /// Clocks of each part, then those of the base's return to the frame's beginning.
    clocks: Vec<u32>,
}

/// A part that is counted anew: its number, its clocks, and the base's costs behind it.
type Counted = (usize, u32, Option<Bases>);

struct Search {
    runs: Vec<Run>,
    /// The words of the frame; a temporary word of the allocator has one for each of its values.
    slots: Vec<Slot>,
    /// The life of each word.
    lives: Vec<Life>,
    /// For each word, each run that accesses it, with the indices of its first and last access
    /// there.
    uses: Vec<Vec<(usize, usize, usize)>>,
    /// The place of each word, in words from the frame's beginning.
    places: Vec<usize>,
    /// The words at each place.
    words: Vec<Vec<usize>>,
}

impl Search {
    fn of(pieces: &mut [(usize, Vec<Code>)], temporary: Slot, at: &[usize]) -> Self {
        let mut known: BTreeMap<Slot, (Life, usize)> = BTreeMap::new();
        let mut next = temporary;
        for (piece, (_, code)) in pieces.iter_mut().enumerate() {
            let mut open: HashMap<Slot, Slot> = HashMap::new();
            // Words of which one byte has been stored.
            let mut halves: HashMap<Slot, Portion> = HashMap::new();
            // For each word that is not temporary, the line of its last access since the last jump
            // or label.
            let mut accessed: HashMap<Slot, usize> = HashMap::new();
            let mut straight_from = 0;
            for (line, of) in code.iter_mut().enumerate() {
                let Code::Frame { stores, portion, slot, .. } = of else {
                    if is_end(of) {
                        accessed.clear();
                        straight_from = line;
                    }
                    continue;
                };
                let place = at[*slot] / 2;
                if *slot < temporary {
                    let (life, _) = known.entry(*slot).or_insert((Life::Except(Vec::new()), place));
                    let first = accessed.insert(*slot, line).unwrap_or(straight_from);
                    if let (Life::Except(gaps), true, Portion::Word) = (life, *stores, *portion) {
                        gaps.push(Web { piece, first, last: line });
                    }
                    continue;
                }
                let begins = *stores && !completes(&mut halves, *slot, *portion);
                if begins {
                    open.insert(*slot, next);
                    let web = Web { piece, first: line, last: line };
                    known.insert(next, (Life::Value(web), place));
                    next += 1;
                }
                *slot = *open.get(slot).expect("a temporary word is stored before it is loaded");
                if let Some((Life::Value(web), _)) = known.get_mut(slot) {
                    web.last = line;
                }
            }
        }
        let slots: Vec<Slot> = known.keys().copied().collect();
        let (lives, places): (Vec<Life>, Vec<usize>) = known.into_values().unzip();
        let count = places.iter().map(|place| place + 1).max().unwrap_or(0);
        let mut words = vec![Vec::new(); count];
        for (word, &place) in places.iter().enumerate() {
            words[place].push(word);
        }
        let mut search = Self {
            runs: Vec::new(),
            uses: vec![Vec::new(); slots.len()],
            slots,
            lives,
            places,
            words,
        };
        for (times, code) in pieces.iter().filter(|(times, _)| *times > 0) {
            for mut run in accesses(code) {
                for (i, access) in run.iter_mut().enumerate() {
                    let word = search.slots.binary_search(&access.slot);
                    let word = word.expect("every slot is known");
                    access.slot = word;
                    match search.uses[word].last_mut() {
                        Some((of, _, last)) if *of == search.runs.len() => *last = i,
                        _ => search.uses[word].push((search.runs.len(), i, i)),
                    }
                }
                let parts = run.len().div_ceil(PART);
                let before = vec![Bases::new(count); parts + 1];
                search.runs.push(Run {
                    times: *times,
                    accesses: run,
                    before,
                    clocks: vec![0; parts + 1],
                });
                let last = search.runs.len() - 1;
                let counted = search.counted(last, 0, usize::MAX);
                search.keep(last, counted);
            }
        }
        search
    }

    /// Counts the clocks of a run anew from the part of access `first` on. The count stops at the
    /// first part behind access `last` where the base's costs are as before.
    fn counted(&self, run: usize, first: usize, last: usize) -> Vec<Counted> {
        let Run { accesses, before, .. } = &self.runs[run];
        let mut counted = Vec::new();
        let mut part = first / PART;
        let mut costs = before[part];
        for accesses in accesses.chunks(PART).skip(part) {
            let mut clocks = 0;
            for &of in accesses {
                let slot = 2 * self.places[of.slot];
                clocks += costs.access(Access { slot, ..of });
            }
            counted.push((part, clocks, Some(costs)));
            part += 1;
            if part * PART > last && costs == before[part] {
                return counted;
            }
        }
        counted.push((part, costs.end(), None));
        counted
    }

    fn keep(&mut self, run: usize, counted: Vec<Counted>) {
        let of = &mut self.runs[run];
        for (part, clocks, costs) in counted {
            of.clocks[part] = clocks;
            if let Some(costs) = costs {
                of.before[part + 1] = costs;
            }
        }
    }

    /// Whether a word can share a place with all words there but the one that is `leaving`.
    fn fits(&self, word: usize, place: usize, leaving: Option<usize>) -> bool {
        let mut others = self.words[place].iter().filter(|&&other| Some(other) != leaving);
        others.all(|&other| !self.lives[word].meets(&self.lives[other]))
    }

    fn put(&mut self, word: usize, place: usize) {
        let before = std::mem::replace(&mut self.places[word], place);
        self.words[before].retain(|&other| other != word);
        self.words[place].push(word);
    }

    fn run(&mut self, moves: usize) {
        if self.slots.len() < 2 || self.words.len() <= 16 {
            return;
        }
        let mut random = Random::new(0x5eed_0ff5_e75a_11ed);
        let (mut now, mut least) = (0, 0);
        let mut best = self.places.clone();
        let often = self.runs.iter().map(|run| run.times).max().unwrap_or(1);
        let warm = WARM * often as f64;
        for step in 0..moves {
            let temperature = warm * (1.0 - step as f64 / moves as f64);
            let changed = self.change(&mut random);
            let Some(changed) = changed else { continue };
            let mut ranges: BTreeMap<usize, (usize, usize)> = BTreeMap::new();
            for &(run, first, last) in changed.iter().flat_map(|&(word, _)| &self.uses[word]) {
                let range = ranges.entry(run).or_insert((first, last));
                *range = (range.0.min(first), range.1.max(last));
            }
            let counted: Vec<(usize, Vec<Counted>)> = ranges
                .into_iter()
                .map(|(run, (first, last))| (run, self.counted(run, first, last)))
                .collect();
            let more: i64 = counted
                .iter()
                .map(|(run, counted)| {
                    let of = &self.runs[*run];
                    let each = counted.iter();
                    let more: i64 = each
                        .map(|&(part, clocks, _)| i64::from(clocks) - i64::from(of.clocks[part]))
                        .sum();
                    more * of.times as i64
                })
                .sum();
            if more as f64 <= -temperature * random.unit().max(1e-9).ln() {
                now += more;
                for (run, counted) in counted {
                    self.keep(run, counted);
                }
                if now < least {
                    least = now;
                    best.clone_from(&self.places);
                }
            } else {
                for (word, place) in changed.into_iter().rev() {
                    self.put(word, place);
                }
            }
        }
        self.places = best;
    }

    /// A random place near that of a word which is accessed just before or after the word.
    fn near(&self, word: usize, random: &mut Random) -> usize {
        let uses = &self.uses[word];
        if uses.is_empty() {
            return random.below(self.words.len());
        }
        let (run, first, last) = uses[random.below(uses.len())];
        let accesses = &self.runs[run].accesses;
        let at = [first, last][random.below(2)] + random.below(2 * CLOSE + 1);
        let other = accesses[at.saturating_sub(CLOSE).min(accesses.len() - 1)].slot;
        let place = self.places[other] + random.below(2 * BESIDE + 1);
        place.saturating_sub(BESIDE).min(self.words.len() - 1)
    }

    /// Moves a random word to another place, or exchanges words between the two places. Returns the
    /// words that moved, each with its place before, or `None` if nothing moves because lives
    /// overlap or both places are the same.
    fn change(&mut self, random: &mut Random) -> Option<Vec<(usize, usize)>> {
        let word = random.below(self.slots.len());
        let from = self.places[word];
        let to = match random.below(UNIFORM) {
            0 => random.below(self.words.len()),
            _ => self.near(word, random),
        };
        if from == to {
            return None;
        }
        let all = || -> Vec<(usize, usize)> {
            let each =
                [from, to].into_iter().flat_map(|at| self.words[at].iter().map(move |&w| (w, at)));
            each.collect()
        };
        let changed = match random.below(4) {
            // All words at both places are exchanged, which is always possible.
            0 => all(),
            // The word is exchanged with one of the words at the other place.
            1 if !self.words[to].is_empty() => {
                let other = self.words[to][random.below(self.words[to].len())];
                let fits = self.fits(word, to, Some(other)) && self.fits(other, from, Some(word));
                fits.then(|| vec![(word, from), (other, to)])?
            }
            _ => self.fits(word, to, None).then(|| vec![(word, from)])?,
        };
        for &(word, before) in &changed {
            self.put(word, from + to - before);
        }
        Some(changed)
    }
}

#[cfg(test)]
mod tests {
    use super::super::frame::clocks;
    use super::*;

    const FIRST_SPILL: Slot = 100;

    /// Stores and loads of some words, none loaded before it is stored; some words are stored byte
    /// by byte, with other accesses between the bytes.
    fn code(random: &mut Random, lines: usize) -> Vec<Code> {
        let mut stored: Vec<Slot> = Vec::new();
        let mut other: Option<(Slot, Portion)> = None;
        let each = (0..lines).map(|_| {
            if let Some((slot, portion)) = other.filter(|_| random.below(2) == 0) {
                other = None;
                stored.push(slot);
                return Code::Frame { stores: true, portion, register: 1, slot, carry: false };
            }
            let mut slot = match random.below(3) {
                0 => random.below(20),
                _ => FIRST_SPILL + random.below(40),
            };
            if other.is_some_and(|(of, _)| of == slot) {
                slot = 20;
            }
            let stores = !stored.contains(&slot) || random.below(4) == 0;
            let mut portion = Portion::Word;
            if stores && slot >= FIRST_SPILL && other.is_none() && random.below(3) == 0 {
                let parts = [Portion::High, Portion::Low];
                let first = random.below(2);
                portion = parts[first];
                other = Some((slot, parts[1 - first]));
                stored.retain(|&known| known != slot);
            } else if stores {
                stored.push(slot);
            }
            Code::Frame { stores, portion, register: 1, slot, carry: random.below(5) == 0 }
        });
        each.collect()
    }

    /// For each load the lines of the stores that made the high and the low byte of its word.
    fn loaded(code: &[Code], at: &[usize]) -> Vec<[usize; 2]> {
        let mut lines: HashMap<usize, [usize; 2]> = HashMap::new();
        let mut loaded = Vec::new();
        for (line, of) in code.iter().enumerate() {
            let Code::Frame { stores, portion, slot, .. } = *of else { continue };
            let known = lines.entry(at[slot]).or_insert([usize::MAX; 2]);
            match (stores, portion) {
                (true, Portion::Word) => *known = [line; 2],
                (true, Portion::High) => known[0] = line,
                (true, Portion::Low) => known[1] = line,
                (false, _) => loaded.push(*known),
            }
        }
        loaded
    }

    fn total(pieces: &[(usize, Vec<Code>)], at: &[usize]) -> u64 {
        let each = pieces.iter().map(|(times, code)| {
            *times as u64 * accesses(code).iter().map(|run| u64::from(clocks(run, at))).sum::<u64>()
        });
        each.sum()
    }

    #[test]
    fn every_load_has_its_value_and_none_takes_longer() {
        let mut random = Random::new(99);
        let mut gained = 0;
        for _ in 0..30 {
            let mut pieces: Vec<(usize, Vec<Code>)> =
                [(1, 150), (14, 90)].map(|(times, lines)| (times, code(&mut random, lines))).into();
            let mut at = vec![0; FIRST_SPILL + 40];
            for (i, slot) in (0..21).chain(FIRST_SPILL..FIRST_SPILL + 40).enumerate() {
                at[slot] = 2 * i;
            }
            let before = total(&pieces, &at);
            // Words that are not temporary keep their values from piece to piece, and round a loop.
            let whole = |pieces: &[(usize, Vec<Code>)]| -> Vec<Code> {
                let all = [0, 1, 1, 0].into_iter().flat_map(|piece| pieces[piece].1.clone());
                all.collect()
            };
            let expected = loaded(&whole(&pieces), &at);
            let at = separate(&mut pieces, FIRST_SPILL, &at, 100);
            assert_eq!(loaded(&whole(&pieces), &at), expected);
            let after = total(&pieces, &at);
            assert!(after <= before, "{after} clocks, {before} before");
            gained += before - after;
        }
        assert!(gained > 0);
    }
}
