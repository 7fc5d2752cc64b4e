//! Shapes of XGATE's thread whose loops differ: each has its own number of rounds in an iteration,
//! and the message schedule may come before the rounds.
//!
//! ```text
//!  base     each loop with few rounds              one thread is written
//!  changes  one loop with another number           one thread each: its bytes and clocks
//!  all      every choice of numbers                sums of the changes; the best are written
//! ```

use manylane_emit::asm::Written;
use manylane_emit::backend::Error;
use manylane_graph::Function;
use manylane_plan::program::Program;
use manylane_plan::program::shape::{Loops, Shape, Worth};

/// Rounds in an iteration that are tried where they divide the rounds of a loop, which is also
/// written out.
const ROUNDS: [usize; 8] = [1, 2, 4, 5, 8, 10, 16, 20];

/// The most rounds that an iteration of a loop has in the base.
const FEW: usize = 5;

/// The largest number of choices of which all are compared.
const MOST_CHOICES: usize = 200_000;

/// How many of the best choices are written for each order of the message schedule: [`WRITTEN`] of
/// those that have room, and [`HOPEFUL`] of those that are too long by at most one part in
/// [`SLACK`], because a better order of instructions is shorter. The [`LEAST`] smallest are written
/// too, because sums of changes are estimates.
const WRITTEN: usize = 8;
const HOPEFUL: usize = 2;
const LEAST: usize = 2;
const SLACK: isize = 40;

/// A shape is written if the bytes estimated from its operations are at most this fraction
/// (numerator, denominator) of the bytes that it may have.
const LARGER: (isize, isize) = (5, 4);

/// The bytes and clocks of a thread, or what a change adds to them.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Cost {
    bytes: isize,
    clocks: isize,
}

impl Cost {
    fn of(written: &Written) -> Self {
        let bytes = (written.code + written.constants) as isize;
        Self { bytes, clocks: written.clocks as isize }
    }

    fn plus(self, other: Self) -> Self {
        Self { bytes: self.bytes + other.bytes, clocks: self.clocks + other.clocks }
    }

    fn minus(self, other: Self) -> Self {
        Self { bytes: self.bytes - other.bytes, clocks: self.clocks - other.clocks }
    }
}

/// Writes a program's thread with the effort of a survey.
pub type Survey<'s> = dyn Fn(&Program) -> Result<Written, Error> + 's;

/// The best shapes with loops that differ, on words of `word` bits. `most` is the number of bytes
/// of flash that the thread may have, if it is limited; then the fastest shapes are taken, else the
/// smallest ones.
pub fn mixed(
    compression: &Function,
    word: Option<u8>,
    most: &dyn Fn(&Written) -> Option<usize>,
    survey: &Survey<'_>,
) -> Vec<(Program, Written)> {
    let mut all = Vec::new();
    for is_ahead in [false, true] {
        let Some(loops) = Loops::of(compression, is_ahead) else { continue };
        let numbers: Vec<Vec<usize>> = loops.iter().map(|&rounds| numbers(rounds)).collect();
        let choices: usize = numbers.iter().map(Vec::len).product();
        if (loops.len() < 2 && !is_ahead) || choices > MOST_CHOICES {
            continue;
        }
        all.extend(best(compression, word, is_ahead, &numbers, most, survey));
    }
    all
}

/// The numbers of rounds in an iteration that are tried in a loop of `rounds` rounds.
fn numbers(rounds: usize) -> Vec<usize> {
    let few = ROUNDS.into_iter().filter(|&few| few < rounds && rounds.is_multiple_of(few));
    few.chain([rounds]).collect()
}

fn best(
    compression: &Function,
    word: Option<u8>,
    is_ahead: bool,
    numbers: &[Vec<usize>],
    most: &dyn Fn(&Written) -> Option<usize>,
    survey: &Survey<'_>,
) -> Vec<(Program, Written)> {
    let shape = Shape { unroll: None, worth: Worth::Speed, word };
    let program = |choice: &[usize]| {
        let rounds = choice.iter().zip(numbers).map(|(&i, of)| of[i]).collect();
        shape.one_with(compression, &Loops { is_ahead, rounds })
    };
    let few = |of: &Vec<usize>| of.iter().rposition(|&rounds| rounds <= FEW).unwrap_or(0);
    let base: Vec<usize> = numbers.iter().map(few).collect();
    let smallest = program(&base);
    // Some loops begin with values that a thread has no place for.
    let Ok(first) = survey(&smallest) else { return Vec::new() };
    let most = most(&first).map(|most| most as isize);
    let first = Cost::of(&first);
    // A shape whose estimated bytes are more than this is not written.
    let limit = most.unwrap_or(first.bytes) * LARGER.0 / LARGER.1;
    // For each loop the numbers that may have room, each with what the thread costs beyond the
    // base.
    let mut changes: Vec<Vec<(usize, Cost)>> = Vec::new();
    for (which, of) in numbers.iter().enumerate() {
        let mut costs = vec![(base[which], Cost::default())];
        for i in (0..of.len()).filter(|&i| i != base[which]) {
            let mut choice = base.clone();
            choice[which] = i;
            let program = program(&choice);
            let grown = program.rolled.size() as f64 / smallest.rolled.size().max(1) as f64;
            // A change that makes one loop smaller counts even if the others are too large.
            let may_fit = grown <= 1.0 || grown * first.bytes as f64 <= limit as f64;
            if may_fit && let Ok(written) = survey(&program) {
                costs.push((i, Cost::of(&written).minus(first)));
            }
        }
        changes.push(costs);
    }
    let mut choices: Vec<(Cost, Vec<usize>)> = vec![(first, Vec::new())];
    for costs in &changes {
        let longer = |(cost, choice): &(Cost, Vec<usize>)| {
            let (cost, choice) = (*cost, choice.clone());
            let next = costs.iter().map(move |&(i, change)| {
                let choice = choice.iter().copied().chain([i]).collect();
                (cost.plus(change), choice)
            });
            next.collect::<Vec<_>>()
        };
        choices = choices.iter().flat_map(longer).collect();
    }
    let best: Vec<(Cost, Vec<usize>)> = match most {
        Some(most) => {
            choices.sort_by_key(|(cost, _)| (cost.bytes, cost.clocks));
            let least: Vec<_> = choices.iter().take(LEAST).cloned().collect();
            choices.sort_by_key(|(cost, _)| (cost.clocks, cost.bytes));
            choices.retain(|(cost, _)| cost.bytes <= most + most / SLACK);
            let (fitting, others): (Vec<_>, Vec<_>) =
                choices.into_iter().partition(|(cost, _)| cost.bytes <= most);
            let fitting = fitting.into_iter().take(WRITTEN);
            let mut best: Vec<_> = fitting.chain(others.into_iter().take(HOPEFUL)).collect();
            for choice in least {
                if !best.contains(&choice) {
                    best.push(choice);
                }
            }
            best
        }
        None => {
            choices.sort_by_key(|(cost, _)| (cost.bytes, cost.clocks));
            choices.into_iter().take(WRITTEN).collect()
        }
    };
    let mut all = Vec::new();
    for (_, choice) in best {
        let program = program(&choice);
        if let Ok(written) = survey(&program) {
            all.push((program, written));
        }
    }
    all
}
