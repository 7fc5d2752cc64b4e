//! How much of a function's loops is written out.

use super::assign::{CALLS, assign};
use super::behind::behind;
use super::fit::{measured_shares, primitive, scaled_by};
use super::prices::{PriceBasis, Prices};
use super::time::time_jobs;
use super::{Program, fingerprint, is_work};
use crate::costs::CostError;
use crate::platform::{HandshakeCosts, Platform};
use manylane_graph::framing::ByteOrder;
use manylane_graph::passes::{ahead, nest};
use manylane_graph::roll::{
    Origin, Region, Rolled, Source, Unroll, Value, interleaved, limbs, loops, quartered, roll,
    roll_apart, roll_each,
};
use manylane_graph::{Function, Op, Role};

/// The trade between speed and the size of the program.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Worth {
    /// The fewest operations in all bodies, mostly one round in an iteration.
    Size,
    /// Rounds are unrolled up to 1,200 operations, and as far as for speed where each round takes
    /// other words of the message, whose numbers a loop would have to look up.
    #[default]
    Both,
    /// Rounds are unrolled up to 4,000 operations.
    Speed,
}

manylane_primitives::names! { Worth:
    /// Its name on the command line.
    Size "size", Both "both", Speed "speed",
}

impl Worth {
    /// The most operations on words of 32 or 64 bits that all bodies may have together, straight
    /// code included.
    fn most_operations(self) -> usize {
        match self {
            Self::Size => 0,
            Self::Both => 1200,
            Self::Speed => 4000,
        }
    }
}

/// How a program is to be written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Shape {
    /// Rounds in an iteration; if not given, as many as `worth` allows.
    pub unroll: Option<usize>,
    /// The trade between speed and size.
    pub worth: Worth,
    /// Bits of the target's words. Wider ones are cut into limbs of 8, 16 or 32 bits; with 64 they
    /// stay as they are. If `None`, compilers cut them, or they are split into their bits at even
    /// and at odd places where that is faster on words of 32 bits.
    pub word: Option<u8>,
}

/// Loops of different shapes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Loops {
    /// Whether the message schedule is computed before the rounds, see [`ahead`].
    pub is_ahead: bool,
    /// For each loop, the number of rounds in an iteration.
    pub rounds: Vec<usize>,
}

impl Loops {
    /// The numbers of rounds of a function's loops. With `is_ahead` the message schedule is
    /// computed before the rounds; `None` if it already is in the function, or if there is no
    /// schedule (see [`ahead`]).
    pub fn of(function: &Function, is_ahead: bool) -> Option<Vec<usize>> {
        match is_ahead {
            true => ahead(function).as_ref().map(loops),
            false => Some(loops(function)),
        }
    }
}

/// Rounds in an iteration that are tried.
const ROUNDS: [Unroll; 7] = [
    Unroll::Rounds(1),
    Unroll::Rounds(2),
    Unroll::Rounds(4),
    Unroll::Rounds(8),
    Unroll::Rounds(16),
    Unroll::Rounds(20),
    Unroll::All,
];

impl Shape {
    /// This shape for `processors` processors of a platform: if no word size is given, the one at
    /// which the primitive was measured to be fastest there.
    #[must_use]
    pub fn on(self, platform: &Platform, primitive: &str, processors: usize) -> Self {
        let word =
            self.word.or_else(|| platform.word_size(primitive, processors).map(|of| of.word));
        Self { word, ..self }
    }

    /// The program of a function on one processor. The function should be literal (see
    /// [`manylane_graph::builder::Builder::literal`]).
    pub fn one(&self, function: &Function) -> Program {
        let rolled = match self.unroll {
            Some(rounds) => roll(function, Unroll::Rounds(rounds)),
            None => self.rolled(function),
        };
        self.sequential(function, rolled)
    }

    /// The smallest program of a function on one processor: what stands in front of the first round
    /// does not keep that round out of the loop. An iteration has one round if [`Shape::unroll`] is
    /// not given.
    pub fn smallest(&self, function: &Function) -> Program {
        self.sequential(function, roll_apart(function, self.unroll.unwrap_or(1)))
    }

    /// The program on one processor of a function that repeats itself after `period` rounds, as one
    /// does that goes through a table: an iteration has a whole period, if that is not too large,
    /// so that the words of the state have the same places in each iteration. With [`Worth::Size`],
    /// or if a number of rounds is given, it is [`Shape::smallest`].
    pub fn periodic(&self, function: &Function, period: usize) -> Program {
        if self.unroll.is_some() || self.worth == Worth::Size {
            return self.smallest(function);
        }
        let rolled = roll(function, Unroll::Rounds(period));
        match rolled.size() <= self.worth.most_operations() / self.limbs_of_32() {
            true => self.sequential(function, rolled),
            false => self.one(function),
        }
    }

    /// A function on one processor, with loops of different shapes; [`Shape::unroll`] does not
    /// count.
    ///
    /// # Panics
    /// If there are fewer numbers than loops.
    pub fn one_with(&self, function: &Function, loops: &Loops) -> Program {
        let first = if loops.is_ahead { ahead(function) } else { None };
        let rolled = roll_each(first.as_ref().unwrap_or(function), &loops.rounds);
        self.sequential(function, rolled)
    }

    fn sequential(&self, function: &Function, rolled: Rolled) -> Program {
        // Nested rotations keep fewer words live, because each may overwrite its operand.
        let rolled = each_body(rolled, nest);
        let rolled = match self.word {
            Some(64) => rolled,
            Some(bits) => limbs(&rolled, bits),
            None => faster_interleaved(&rolled).unwrap_or(rolled),
        };
        Program::sequential(rolled, fingerprint(function))
    }

    /// The program of a function on words of 16 bits that hold every fourth bit of a word of 64;
    /// `None` where that is not possible. A rotation of the word is then one rotation of each of
    /// the four.
    pub fn quartered(&self, function: &Function) -> Option<Program> {
        let whole = Self { word: Some(64), ..*self }.one(function);
        let rolled = quartered(&whole.rolled)?;
        Some(Program::sequential(rolled, whole.fingerprint))
    }

    /// A function with all of its loops written out, on words as a program without options has
    /// them.
    pub fn written_out(function: &Function) -> Function {
        let rolled = roll(function, Unroll::All);
        let rolled = faster_interleaved(&rolled).unwrap_or(rolled);
        let [region] = &rolled.regions[..] else { return function.clone() };
        region.body.clone()
    }

    /// Limbs of a word of 32 bits, each of which takes the operations of the word.
    fn limbs_of_32(&self) -> usize {
        self.word.map_or(1, |bits| 32 / usize::from(bits.min(32)))
    }

    fn rolled(&self, function: &Function) -> Rolled {
        let all = ROUNDS.map(|unroll| roll(function, unroll));
        let smallest = all.iter().map(Rolled::size).min().expect("there are several");
        let largest = |worth: Worth| {
            let most = (worth.most_operations() / self.limbs_of_32()).max(smallest);
            let fits = all.iter().filter(|rolled| rolled.size() <= most);
            fits.max_by_key(|rolled| rolled.size()).expect("the smallest fits")
        };
        let rolled = largest(self.worth);
        let is_looking_up = looked_up(rolled) * LOOK_UP * 10 >= executed(rolled);
        match self.worth == Worth::Both && is_looking_up {
            true => largest(Worth::Speed).clone(),
            false => rolled.clone(),
        }
    }
}

/// Operations that looking up a message word by its number takes beyond those of a word whose place
/// is known: loading the number, and computing the address.
const LOOK_UP: usize = 2;

/// The number of message words that loops look up: all words of a loop in which the number of one
/// of them does not grow in step with the iterations.
fn looked_up(rolled: &Rolled) -> usize {
    let number = |value: &Value| match rolled.definition(*value).origin {
        Origin::Input(i) => {
            (rolled.inputs[i as usize].role == Role::Message).then_some(i64::from(i))
        }
        Origin::Constant(_) | Origin::Result { .. } => None,
    };
    let numbers = |source: &Source| match source {
        Source::Each(values) => values.iter().map(number).collect::<Option<Vec<i64>>>(),
        Source::Same(_) | Source::Earlier { .. } => None,
    };
    let is_in_step = |numbers: &Vec<i64>| {
        let step = numbers[1] - numbers[0];
        step >= 0 && numbers.windows(2).all(|pair| pair[1] - pair[0] == step)
    };
    let of_region = |region: &Region| {
        let words: Vec<Vec<i64>> = region.sources.iter().filter_map(numbers).collect();
        if words.iter().all(is_in_step) { 0 } else { region.times * words.len() }
    };
    rolled.regions.iter().map(of_region).sum()
}

/// Operations of one call.
fn executed(rolled: &Rolled) -> usize {
    let work = |body: &Function| body.nodes().filter(|&node| is_work(body, node)).count();
    rolled.regions.iter().map(|region| region.times * work(&region.body)).sum()
}

/// The function with each body passed through a pass that keeps inputs and outputs.
fn each_body(mut rolled: Rolled, pass: impl Fn(&Function) -> Function) -> Rolled {
    for region in &mut rolled.regions {
        region.body = pass(&region.body);
    }
    rolled
}

/// The cost of a 64-bit rotation in operations on 32-bit words: in limbs, two shifts and an `or`
/// for each limb; in halves, two rotations of up to two cycles each.
const ROTATION: [usize; 2] = [6, 4];

/// Operations that split a 64-bit word into its bits at even and at odd places.
const PARTING: usize = 56;

/// The function on bits at even and at odd places, where that exists and saves more per block than
/// splitting the message's words costs. Chaining values stay split from block to block.
fn faster_interleaved(rolled: &Rolled) -> Option<Rolled> {
    let is_rotation = |op: Op| matches!(op, Op::Rotl(_) | Op::Rotr(_));
    let rotations = rolled.regions.iter().map(|region| {
        let body = &region.body;
        region.times * body.nodes().filter(|&node| is_rotation(body.op(node))).count()
    });
    let words = rolled.inputs.iter().filter(|input| input.role == Role::Message).count();
    let saved = (ROTATION[0] - ROTATION[1]) * rotations.sum::<usize>();
    if saved <= PARTING * words { None } else { interleaved(rolled) }
}

/// Programs that are tried for two processors.
const EFFORT: usize = 4000;

/// The share of the time that a measured split has to save: predicted gains are right to about
/// three percentage points.
const LEAST_SAVED: f64 = 0.03;

/// The factor on the cost of hand-overs in a second search. Compilers make better code for a share
/// with few hand-overs than the prices of operations say, so the program that is best at the dearer
/// prices is often the best one when measured.
const DEARER: f64 = 4.0;

/// The platform with the costs of hand-overs multiplied by [`DEARER`].
fn dearer(platform: &Platform) -> Platform {
    let mut platform = platform.clone();
    let HandshakeCosts { turn, stream, flag, .. } = &mut platform.handshake;
    for sides in [turn, stream, flag] {
        for cycles in sides.send.iter_mut().chain(&mut sides.receive) {
            *cycles *= DEARER;
        }
    }
    platform
}

/// Programs of the same function with a share for the platform's second core, the most promising
/// first: those in which it is behind the main core, then others, in turn the best at the
/// platform's prices and at dearer hand-overs.
///
/// # Errors
/// As [`two`].
pub fn candidates(
    one: &Program,
    order: ByteOrder,
    platform: &Platform,
) -> Result<Vec<Program>, CostError> {
    let platform = &*scaled_by(platform, one, order)?;
    let search = |platform: &Platform| {
        assign(&one.rolled, one.fingerprint, order, platform, EFFORT).map(|found| found.candidates)
    };
    let lists = [search(platform)?, search(&dearer(platform))?];
    let most = lists.iter().map(Vec::len).max().unwrap_or(0);
    let behind = behind(one, order, platform)?;
    let mut all: Vec<Program> = behind.into_iter().map(|(_, program)| program).collect();
    for program in (0..most).flat_map(|i| lists.iter().filter_map(move |list| list.get(i))) {
        if all.iter().all(|known| known.identity() != program.identity()) {
            all.push(program.clone());
        }
    }
    Ok(all)
}

/// The program `one` with a share for the platform's second core; `one` itself where none is
/// faster, or where the shares of the best one were measured and save less than 3 %. The message's
/// words lie in memory in the byte order `order`.
///
/// # Errors
/// If the platform lacks a cost or contradicts itself.
pub fn two(one: &Program, order: ByteOrder, platform: &Platform) -> Result<Program, CostError> {
    let platform = &*scaled_by(platform, one, order)?;
    // Of the programs with a processor behind, the fastest one that the file has measured is taken.
    let is_measured = |of: &Program| measured_shares(of, platform).is_some();
    let behind = behind(one, order, platform)?;
    let known = behind.iter().map(|(_, program)| program).find(|of| is_measured(of));
    let found = match known {
        Some(program) => program.clone(),
        None => ahead_or_beside(one, order, platform, behind)?,
    };
    let both = Prices::of_program(&found, order, platform)?;
    if found.processors > 1 && both.basis() == PriceBasis::Measured {
        let alone = Prices::of_program(one, order, platform)?;
        if alone.basis() != PriceBasis::Measured {
            return Ok(found);
        }
        let jobs = [CALLS, 1];
        let cycles =
            |program, prices| time_jobs(program, prices, &jobs).map(|timing| timing.cycles());
        let saves =
            cycles(&found, &both).zip(cycles(one, &alone)).map(|(both, one)| 1.0 - both / one);
        if saves.is_none_or(|saves| saves < LEAST_SAVED) {
            return Ok(Program::sequential(one.rolled.clone(), one.fingerprint));
        }
    }
    Ok(found)
}

/// The measured one of the programs that a search finds, else the fastest one at the platform's
/// prices, of those in `behind` too.
fn ahead_or_beside(
    one: &Program,
    order: ByteOrder,
    platform: &Platform,
    behind: Vec<(f64, Program)>,
) -> Result<Program, CostError> {
    let measured = |programs: Vec<Program>| {
        programs.into_iter().find(|of| measured_shares(of, platform).is_some())
    };
    let found = assign(&one.rolled, one.fingerprint, order, platform, EFFORT)?;
    if let Some(program) = measured(found.candidates) {
        return Ok(program);
    }
    if platform.shares.contains_key(primitive(&one.rolled))
        && let Some(program) = measured(candidates(one, order, platform)?)
    {
        return Ok(program);
    }
    let faster = behind.into_iter().next().filter(|(cycles, _)| *cycles < found.cycles);
    Ok(faster.map_or(found.program, |(_, program)| program))
}
