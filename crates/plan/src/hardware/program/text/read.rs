//! Reads programs of hardware from text.

use super::super::{HardwareProgram, Region};
use crate::hardware::resources::Resources;
use crate::hardware::schedule::{HardwareSchedule, Placed, Register};
use crate::hardware::{Adders, Options, Precompute, Turn};
use crate::program::text::{numbered, plural, read_list as list};
use manylane_graph::text::{Line, ParseError};
use manylane_graph::{Function, NodeId, Op};
use std::str::FromStr;
use std::vec::IntoIter;

const HEAD: &str = "`hardware @NAME: N clocks per block, function 0x…`";

/// The first words of the region of the message schedule.
pub(super) const SCHEDULE: &str = "message schedule";

impl FromStr for HardwareProgram {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, ParseError> {
        let mut lines = Lines { lines: Line::all(text).into_iter(), last: 1 };
        let mut head = lines.next(HEAD)?;
        head.word(HEAD, |word| (word == "hardware").then_some(()))?;
        head.sign("@")?;
        let name = head.word("a function's name", Some)?;
        head.sign(":")?;
        let cycles_per_block = head.number("a number of clocks")?;
        plural(&mut head, "clocks")?;
        head.keyword("per")?;
        head.keyword("block")?;
        head.sign(",")?;
        head.keyword("function")?;
        let fingerprint = head.number("a fingerprint of 64 bits")?;
        head.end()?;
        let options = options(lines.next("`options: …`")?)?;
        let at = lines.clone().next("the function")?;
        let function = lines.function("the function")?;
        if function.name != name {
            return Err(ParseError {
                line: at.number,
                found: format!("`@{}`", function.name),
                expected: format!("`@{name}`, the function of the first line"),
            });
        }
        let mut regions = Vec::new();
        let mut schedule = None;
        while let Some(mut line) = lines.lines.next() {
            if schedule.is_some() {
                return Err(line.expected("the end of the text"));
            } else if line.take(SCHEDULE) {
                schedule = Some(lines.region(line)?);
            } else if line.is_next("region") {
                line.keyword("region")?;
                numbered(&mut line, regions.len(), "region")?;
                regions.push(lines.region(line)?);
            } else {
                return Err(line.expected(format!("`region` or `{SCHEDULE}`")));
            }
        }
        Ok(Self { fingerprint, function, options, cycles_per_block, regions, schedule })
    }
}

/// Reads `options: merge 1, stages 4, adders chain, precompute kw`.
fn options(mut line: Line<'_>) -> Result<Options, ParseError> {
    line.keyword("options")?;
    line.sign(":")?;
    line.keyword("merge")?;
    let merge = line.number("a number of steps")?;
    line.sign(",")?;
    line.keyword("stages")?;
    let stages = line.number("a number of stages")?;
    line.sign(",")?;
    line.keyword("adders")?;
    let adders = line.word("`chain`, `tree` or `csa`", Adders::by_name)?;
    line.sign(",")?;
    line.keyword("precompute")?;
    let precompute = line.word("`none`, `kw`, `full` or `auto`", Precompute::by_name)?;
    line.end()?;
    Ok(Options { merge, stages, adders, precompute })
}

/// The lines that are left.
#[derive(Clone)]
struct Lines<'t> {
    lines: IntoIter<Line<'t>>,
    /// The number of the last line that was read.
    last: usize,
}

impl<'t> Lines<'t> {
    fn next(&mut self, expected: &str) -> Result<Line<'t>, ParseError> {
        let line = self.lines.next().ok_or_else(|| ParseError::end(self.last, expected))?;
        self.last = line.number;
        Ok(line)
    }

    /// Whether the next line begins with `word`.
    fn is_next(&self, word: &str) -> bool {
        self.lines.as_slice().first().is_some_and(|line| line.is_next(word))
    }

    fn function(&mut self, expected: &str) -> Result<Function, ParseError> {
        if self.lines.as_slice().is_empty() {
            return Err(ParseError::end(self.last, expected));
        }
        Function::read(&mut self.lines)
    }

    /// Reads `: 8 words`, and the lines that follow up to the resources.
    fn region(&mut self, mut head: Line<'t>) -> Result<Region, ParseError> {
        head.sign(":")?;
        let words = head.number("a number of words")?;
        plural(&mut head, "words")?;
        head.end()?;
        self.last = head.number;
        let function = self.function("the region's function")?;
        let mut varying = Vec::new();
        if self.is_next("varying") {
            let mut line = self.next("`varying`")?;
            line.keyword("varying")?;
            varying = list(&mut line, |line| of_function(line, &function))?;
            line.end()?;
        }
        let mut line = self.next("`period`")?;
        line.keyword("period")?;
        let period = float(&mut line)?;
        line.end()?;
        let nodes = function.nodes().map(|node| self.placed(node));
        let nodes = nodes.collect::<Result<Vec<Placed>, _>>()?;
        let mut registers = Vec::new();
        while self.is_next("register") {
            registers.push(register(self.next("`register`")?, &function)?);
        }
        let mut turns = Vec::new();
        while self.is_next("turn") {
            turns.push(turn(self.next("`turn`")?, varying.len())?);
        }
        let resources = resources(self.next("`register`, `turn` or `resources`")?)?;
        let schedule = HardwareSchedule { period, nodes, registers };
        Ok(Region { function, schedule, words, varying, turns, resources })
    }

    /// Reads `v9: clock -1, 3 to 4.5`.
    fn placed(&mut self, node: NodeId) -> Result<Placed, ParseError> {
        let what = format!("`{node}: clock …`");
        let mut line = self.next(&what)?;
        line.word(&what, |word| (word == node.to_string()).then_some(()))?;
        line.sign(":")?;
        line.keyword("clock")?;
        let clock = integer(&mut line)?;
        line.sign(",")?;
        let start = float(&mut line)?;
        line.keyword("to")?;
        let end = float(&mut line)?;
        line.end()?;
        Ok(Placed { clock, start, end })
    }
}

/// Reads a node that the function has.
fn of_function(line: &mut Line<'_>, function: &Function) -> Result<NodeId, ParseError> {
    let before = line.clone();
    let node = line.node()?;
    match node.index() < function.len() {
        true => Ok(node),
        false => Err(before.expected("a node of the region's function")),
    }
}

/// The most clocks before and after a turn's own that a text may give, far more than a core has.
const CLOCKS: i64 = 1 << 16;

fn integer(line: &mut Line<'_>) -> Result<i64, ParseError> {
    line.word("a clock, such as `-1`", |word| {
        word.parse().ok().filter(|clock| (-CLOCKS..=CLOCKS).contains(clock))
    })
}

/// The largest time or area that a text may give, in units.
const UNITS: f64 = 1e9;

/// Reads a number of units of a delay model, up to [`UNITS`]; `-inf` is the time of values that are
/// always available.
fn float(line: &mut Line<'_>) -> Result<f64, ParseError> {
    line.word("a time, such as `4.5`", |word| {
        let is_time = |time: &f64| *time == f64::NEG_INFINITY || time.abs() <= UNITS;
        word.parse().ok().filter(is_time)
    })
}

/// Reads `register v9: -1 to 1, 32 bits`.
fn register(mut line: Line<'_>, function: &Function) -> Result<Register, ParseError> {
    line.keyword("register")?;
    let node = of_function(&mut line, function)?.0;
    line.sign(":")?;
    let from = integer(&mut line)?;
    line.keyword("to")?;
    let to = integer(&mut line)?;
    line.sign(",")?;
    let bits = line.number("a number of bits")?;
    line.keyword("bits")?;
    line.end()?;
    Ok(Register { node, from, to, bits })
}

/// Reads `turn 0: kind 0, v1, v2 by rotl 5, rotl 9`.
fn turn(mut line: Line<'_>, varying: usize) -> Result<Turn, ParseError> {
    line.keyword("turn")?;
    let clock = line.number("a clock")?;
    line.sign(":")?;
    line.keyword("kind")?;
    let kind = line.number("a number of a kind")?;
    line.sign(",")?;
    let arguments = list(&mut line, Line::node)?;
    let mut amounts = Vec::new();
    if varying > 0 {
        line.keyword("by")?;
        amounts = list(&mut line, amount)?;
    }
    line.end()?;
    Ok(Turn { clock, kind, arguments, amounts })
}

/// Reads `rotl 5`.
fn amount(line: &mut Line<'_>) -> Result<Op, ParseError> {
    type By = fn(u8) -> Op;
    let of = [("rotl", Op::Rotl as By), ("rotr", Op::Rotr), ("shl", Op::Shl), ("shr", Op::Shr)];
    let op = line.word("`rotl`, `rotr`, `shl` or `shr`", |word| {
        of.iter().find(|(name, _)| *name == word).map(|(_, op)| op)
    })?;
    Ok(op(line.number("a number below 256")?))
}

/// Reads `resources: adders 7, compressors 0, register bits 256, area 1234.5`.
fn resources(mut line: Line<'_>) -> Result<Resources, ParseError> {
    if !line.is_next("resources") {
        return Err(line.expected("`register`, `turn` or `resources`"));
    }
    line.keyword("resources")?;
    line.sign(":")?;
    line.keyword("adders")?;
    let adders = line.number("a number of adders")?;
    line.sign(",")?;
    line.keyword("compressors")?;
    let compressors = line.number("a number of rows")?;
    line.sign(",")?;
    line.keyword("register")?;
    line.keyword("bits")?;
    let register_bits = line.number("a number of bits")?;
    line.sign(",")?;
    line.keyword("area")?;
    let area = float(&mut line)?;
    line.end()?;
    Ok(Resources { adders, compressors, register_bits, area })
}
