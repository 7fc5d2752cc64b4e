//! The words of the frame: where they lie, and how they are reached.
//!
//! A load or store reaches the 16 words from a base register on. The base register therefore moves:
//! by ADDL or SUBL in one clock, by LDL and LDH in two where the carry must stay. A load can also
//! take its destination as the index, one clock more, and leave the base where it is. Between two
//! labels the cheapest sequence is found by dynamic programming over the base's places.

pub use super::code::Slot;
use super::code::{Code, Register};

/// The base register of the frame.
pub const BASE: Register = 7;

/// Bytes that an offset reaches.
const REACH: usize = 32;

/// Distance in bytes of the places that the base is moved to.
const STEP: usize = 16;

/// The code with frame accesses written out. `at` gives each slot its byte offset; the frame's
/// label is `label`. At every label, jump and end the base is at the frame's beginning.
pub fn placed(code: Vec<Code>, at: &[usize], label: &str) -> Vec<Code> {
    let mut out = Vec::with_capacity(code.len());
    let mut run: Vec<Code> = Vec::new();
    for line in code {
        if matches!(line, Code::Label(_) | Code::JumpUnlessZero(..) | Code::End) {
            straight(&mut out, std::mem::take(&mut run), at, label);
            out.push(line);
        } else {
            run.push(line);
        }
    }
    straight(&mut out, run, at, label);
    out
}

/// How an access is made when the base is at some place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum How {
    /// The base reaches it.
    Near,
    /// The destination is the index.
    Indexed,
    /// The base moves to this place first.
    Moved(usize),
}

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
    let accesses: Vec<(bool, usize, bool)> = run
        .iter()
        .filter_map(|line| match *line {
            Code::Frame { stores, slot, carry, .. } => Some((stores, at[slot], carry)),
            _ => None,
        })
        .collect();
    let hows = cheapest(&accesses);
    let mut base = 0;
    let mut next = 0;
    for line in run {
        let Code::Frame { stores, register, slot, carry } = line else {
            out.push(line);
            continue;
        };
        let place = at[slot];
        let how = hows[next];
        next += 1;
        if let How::Moved(to) = how {
            move_base(out, base, to, carry, label);
            base = to;
        }
        let mnemonic = if stores { "stw" } else { "ldw" };
        if how == How::Indexed {
            out.push(Code::Number("ldl", register, (place - base) as u16));
            out.push(Code::Index(mnemonic, register, BASE, register));
        } else {
            out.push(Code::Offset(mnemonic, register, BASE, (place - base) as u16));
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

/// An access: whether it stores, the word, and whether the carry must stay.
pub type Access = (bool, Slot, bool);

/// The accesses of code between its labels and jumps, where the base is at the frame's beginning.
pub fn accesses(code: &[Code]) -> Vec<Vec<Access>> {
    let mut runs = vec![Vec::new()];
    for line in code {
        match *line {
            Code::Frame { stores, slot, carry, .. } => {
                runs.last_mut().expect("there is a run").push((stores, slot, carry));
            }
            Code::Label(_) | Code::JumpUnlessZero(..) | Code::End => runs.push(Vec::new()),
            Code::Registers(..)
            | Code::Pair(..)
            | Code::Number(..)
            | Code::Wide(..)
            | Code::Offset(..)
            | Code::Index(..) => {}
        }
    }
    runs.retain(|run| !run.is_empty());
    runs
}

/// Clocks of a run of accesses.
pub fn clocks(run: &[Access], at: &[usize], costs: &mut Vec<u32>, next: &mut Vec<u32>) -> u32 {
    const NEVER: u32 = u32::MAX / 2;
    let last = run.iter().map(|&(_, slot, _)| at[slot] / STEP).max().unwrap_or(0);
    costs.clear();
    costs.resize(last + 1, NEVER);
    costs[0] = 0;
    for &(stores, slot, carry) in run {
        let place = at[slot];
        next.clear();
        next.resize(last + 1, NEVER);
        // From anywhere the base moves to one of the two places that reach the word.
        let home = place / STEP;
        let first = home.saturating_sub(1);
        for (to, cost) in next[first..=home].iter_mut().enumerate() {
            let moved = costs.iter().enumerate().map(|(from, &cost)| {
                cost + move_cost(STEP * from, STEP * (first + to), carry) as u32
            });
            *cost = moved.min().unwrap_or(NEVER) + 2;
        }
        if !stores {
            for from in place.saturating_sub(254).div_ceil(STEP)..home.saturating_sub(1) {
                next[from] = costs[from] + 3;
            }
        }
        std::mem::swap(costs, next);
    }
    let end = costs.iter().enumerate();
    end.map(|(s, &cost)| cost + move_cost(STEP * s, 0, false) as u32).min().unwrap_or(0)
}

/// How each access is made, so that all take the fewest clocks; the base is at 0 before and after.
fn cheapest(accesses: &[(bool, usize, bool)]) -> Vec<How> {
    let last = accesses.iter().map(|&(_, place, _)| place / STEP).max().unwrap_or(0);
    let states = last + 1;
    const NEVER: usize = usize::MAX / 2;
    let mut costs = vec![NEVER; states];
    costs[0] = 0;
    // For each access and state after it: the state before, and how.
    let mut ways: Vec<Vec<(usize, How)>> = Vec::with_capacity(accesses.len());
    for &(stores, place, carry) in accesses {
        let mut next = vec![NEVER; states];
        let mut way = vec![(0, How::Near); states];
        // Moves come from the cheapest state; those near it by ADDL and SUBL.
        let best = (0..states).min_by_key(|&s| costs[s]).expect("there is a state");
        for to in 0..states {
            let start = STEP * to;
            let mut offer = |from: usize, cost: usize, how: How| {
                if cost < next[to] {
                    next[to] = cost;
                    way[to] = (from, how);
                }
            };
            let reach = place.wrapping_sub(start);
            if reach < REACH {
                offer(to, costs[to] + 2, How::Near);
                for from in (0..states).filter(|&from| from != to && costs[from] <= costs[best] + 2)
                {
                    let cost = costs[from] + move_cost(STEP * from, start, carry) + 2;
                    offer(from, cost, How::Moved(start));
                }
            } else if !stores && reach < 256 {
                offer(to, costs[to] + 3, How::Indexed);
            }
        }
        costs = next;
        ways.push(way);
    }
    let end = |s: usize| costs[s] + move_cost(STEP * s, 0, false);
    let mut state = (0..states).min_by_key(|&s| end(s)).expect("there is a state");
    let mut hows = vec![How::Near; accesses.len()];
    for (how, way) in hows.iter_mut().zip(&ways).rev() {
        let (from, done) = way[state];
        *how = done;
        state = from;
    }
    hows
}
