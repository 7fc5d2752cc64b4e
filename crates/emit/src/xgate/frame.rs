//! The words of the frame: where they lie, and how they are reached.
//!
//! A load or store reaches the 16 words from a base register on. The base register therefore moves:
//! by ADDL or SUBL in one clock, by LDL and LDH in two clocks where the carry is live.
//! Post-increment moves it on by a word in an access of the word at the base, and pre-decrement
//! moves it back to the word before it, both without an extra clock. A load can also use its
//! destination as the index register, at one clock more, and leave the base where it is. Between
//! two labels the cheapest sequence is found by dynamic programming over the base's places.

pub use super::code::Slot;
use super::code::{Code, Part, Register};

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
        let Code::Frame { stores, part, register, slot, carry } = line else {
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
        let mnemonic = match part {
            Part::Word if stores => "stw",
            Part::Word => "ldw",
            Part::High | Part::Low if stores => "stb",
            Part::High | Part::Low => "ldb",
        };
        let offset = (place + usize::from(part == Part::Low)).wrapping_sub(base) as u16;
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
        Code::Frame { stores, part, slot, carry, .. } => {
            Some(Access { stores, slot, carry, is_byte: part != Part::Word })
        }
        _ => None,
    }
}

/// The accesses of code, as runs between labels and jumps, where the base is at the frame's
/// beginning.
pub fn accesses(code: &[Code]) -> Vec<Vec<Access>> {
    let mut runs = vec![Vec::new()];
    for line in code {
        match line {
            Code::Frame { .. } => {
                runs.last_mut().expect("there is a run").extend(access(line));
            }
            Code::Label(_)
            | Code::JumpUnlessZero(..)
            | Code::BranchUnlessZero(..)
            | Code::BranchUnlessEqual(..)
            | Code::JumpUnlessAt(_)
            | Code::Base(_)
            | Code::Call(..)
            | Code::Return(_)
            | Code::End => runs.push(Vec::new()),
            Code::Registers(..)
            | Code::Pair(..)
            | Code::Number(..)
            | Code::AddHigh(..)
            | Code::Wide(..)
            | Code::Offset(..)
            | Code::Index(..)
            | Code::Step(..) => {}
        }
    }
    runs.retain(|run| !run.is_empty());
    runs
}

/// Clocks of a run of accesses when the words have the byte offsets `at`.
pub fn clocks(run: &[Access], at: &[usize], costs: &mut Bases, next: &mut Bases) -> u32 {
    let last = run.iter().map(|of| at[of.slot] / 2).max().unwrap_or(0);
    costs.begin(last + 1);
    let mut total = 0;
    for &of in run {
        total += costs.after(Access { slot: at[of.slot], ..of }, next);
        std::mem::swap(costs, next);
    }
    total + costs.end()
}

/// The ways to make the accesses in the fewest clocks; the base is at 0 before and after.
fn cheapest(accesses: &[Access]) -> Vec<Addressing> {
    let last = accesses.iter().map(|of| of.slot / 2).max().unwrap_or(0);
    let mut costs = vec![Bases::default()];
    costs[0].begin(last + 1);
    for &of in accesses {
        let mut next = Bases::default();
        costs[costs.len() - 1].after(of, &mut next);
        costs.push(next);
    }
    let end = |from: usize| costs[accesses.len()].0[from].saturating_add(end_cost(from));
    let mut base = (0..=last).min_by_key(|&from| end(from)).unwrap_or(0);
    let mut hows = vec![Addressing::Near; accesses.len()];
    for (i, &Access { slot, carry, is_byte, .. }) in accesses.iter().enumerate().rev() {
        let (place, before) = (slot / 2, &costs[i]);
        // The place of the base before the access, on the assumption that it moves on if it can.
        let at = if base == place + 1 { place } else { base };
        let (from, cost) = before.cheapest_to(at, carry);
        let is_reached = (base..base + REACH / 2).contains(&place);
        let stays = before.0[at] <= cost;
        let behind = before.0.get(place + 1).copied().unwrap_or(NEVER);
        (hows[i], base) = match (base == place + 1, is_reached, stays) {
            (true, _, true) => (Addressing::Up(None), at),
            (true, _, false) => (Addressing::Up(Some(2 * at)), from),
            _ if base == place && !is_byte && behind < cost.min(before.0[at]) => {
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

/// The state of the search for the base's cheapest way: for each place of the base, in words, how
/// many clocks more it takes to have the base there than at the cheapest place. The two numbers are
/// the first and the last of the cheapest places. A move from one of these takes at most 2 clocks,
/// so a larger cost is never used and is not recorded.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Bases(Vec<u8>, usize, usize);

/// The cost of a place that the base cannot have, greater than that of any way.
const NEVER: u8 = 100;

impl Bases {
    /// Begins a frame of `words` words, with the base at its beginning.
    pub fn begin(&mut self, words: usize) {
        self.0.clear();
        self.0.resize(words, NEVER);
        self.0[0] = 0;
        (self.1, self.2) = (0, 0);
    }

    /// The cheapest place from which the base moves to a word, and the clocks.
    fn cheapest_to(&self, to: usize, carry: bool) -> (usize, u8) {
        let from = if self.1.abs_diff(to) <= self.2.abs_diff(to) { self.1 } else { self.2 };
        (from, self.cost_to(to, carry))
    }

    /// Clocks to bring the base to a word from the nearest of the cheapest places.
    fn cost_to(&self, to: usize, carry: bool) -> u8 {
        let distance = self.1.abs_diff(to).min(self.2.abs_diff(to));
        u8::from(distance > 0) + u8::from(distance > 0 && (carry || 2 * distance > 255))
    }

    /// Clocks to bring the base back to the frame's beginning.
    pub fn end(&self) -> u32 {
        let each = self.0.iter().enumerate();
        let end = each.map(|(from, cost)| cost.saturating_add(end_cost(from)));
        u32::from(end.min().unwrap_or(0))
    }

    /// Writes the state after an access into `next`, and returns the clocks that the cheapest way
    /// takes for the access.
    pub fn after(&self, access: Access, next: &mut Self) -> u32 {
        let Access { stores, slot, carry, is_byte } = access;
        let place = slot / 2;
        next.0.clear();
        next.0.resize(self.0.len(), NEVER);
        let first = (place + 1).saturating_sub(REACH / 2);
        let near = next.0[first..=place].iter_mut().zip(&self.0[first..=place]);
        for (to, (next, &stays)) in (first..).zip(near) {
            *next = stays.min(self.cost_to(to, carry));
        }
        if !stores {
            // The offset in bytes is a number of 8 bits.
            let furthest = place.saturating_sub(127);
            let from = &self.0[furthest..first];
            for (next, &cost) in next.0[furthest..first].iter_mut().zip(from) {
                *next = if cost < 2 { cost + 1 } else { NEVER };
            }
        }
        // The base moves on by a word with the access, or back.
        let mut last = place;
        if !is_byte && place + 1 < self.0.len() {
            last += 1;
            next.0[last] = next.0[place];
            next.0[place] = next.0[place].min(self.0[last]);
        }
        let furthest = if stores { first } else { place.saturating_sub(127) };
        let reached = &mut next.0[furthest..=last];
        let is_free = reached.contains(&0);
        let least = if is_free { 0 } else { reached.iter().copied().min().unwrap_or(0) };
        let is_least = |cost: &u8| *cost == least;
        next.1 = furthest + reached.iter().position(is_least).unwrap_or(0);
        next.2 = furthest + reached.iter().rposition(is_least).unwrap_or(0);
        if least > 0 {
            for cost in reached.iter_mut().filter(|cost| **cost < NEVER) {
                *cost -= least;
            }
        }
        2 + u32::from(least)
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

    /// The estimate is the number of clocks of the code. In a frame that one instruction crosses,
    /// no way of the base takes fewer; in a larger frame hardly any does.
    #[test]
    fn the_base_takes_the_cheapest_way() {
        let mut random = Random(77);
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
            let [mut a, mut b] = [Bases::default(), Bases::default()];
            let clocks = clocks(&run, &at, &mut a, &mut b);
            assert_eq!(clocks, taken(&accesses, &cheapest(&accesses)), "{run:?}");
            let least = least(&accesses);
            match words {
                300 => assert!(clocks >= least && 100 * clocks <= 103 * least, "{clocks} {least}"),
                _ => assert_eq!(clocks, least, "{run:?}"),
            }
        }
    }
}
