//! Reads programs from text.

use crate::program::{Action, Part, Program, Transfer, TransferId, When};
use manylane_graph::roll::{Definition, Input, Origin, Region, Rolled, Source, Value};
use manylane_graph::text::{Line, ParseError};
use manylane_graph::{Function, Op, Role};
use std::str::FromStr;
use std::vec::IntoIter;

impl FromStr for Program {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, ParseError> {
        let mut lines = Line::all(text).into_iter();
        let mut program = head(lines.next().ok_or_else(|| ParseError::end(1, HEAD))?)?;
        while let Some(line) = lines.next() {
            program.line(line, &mut lines)?;
        }
        Ok(program)
    }
}

const HEAD: &str = "`program @NAME: N processors, function 0x…`";

fn head(mut line: Line<'_>) -> Result<Program, ParseError> {
    line.word(HEAD, |word| (word == "program").then_some(()))?;
    line.sign("@")?;
    let name = line.word("a function's name", Some)?.to_owned();
    line.sign(":")?;
    let processors = line.number("a number of processors")?;
    plural(&mut line, "processors")?;
    line.sign(",")?;
    line.keyword("function")?;
    let fingerprint = line.number("a fingerprint of 64 bits")?;
    line.end()?;
    let rolled = Rolled {
        name,
        inputs: Vec::new(),
        values: Vec::new(),
        regions: Vec::new(),
        outputs: Vec::new(),
    };
    Ok(Program { fingerprint, processors, rolled, parts: Vec::new(), transfers: Vec::new() })
}

impl Program {
    fn line(
        &mut self,
        mut line: Line<'_>,
        lines: &mut IntoIter<Line<'_>>,
    ) -> Result<(), ParseError> {
        let next = line.clone().word("a word", Some)?;
        let head = (self.rolled.regions.is_empty(), self.transfers.is_empty());
        match (next, head) {
            ("input", (true, _)) => {
                line.keyword("input")?;
                let name = line.word("an input's name", Some)?.to_owned();
                let role = line.word("a role, such as `message`", Role::by_name)?;
                line.sign("=")?;
                self.rolled.inputs.push(Input { name, role, value: value(&mut line)? });
            }
            ("output", (true, _)) => {
                line.keyword("output")?;
                let name = line.word("an output's name", Some)?.to_owned();
                line.sign("=")?;
                self.rolled.outputs.push((name, value(&mut line)?));
            }
            ("region", (_, true)) => return self.region(line, lines),
            ("transfer", (false, _)) => self.transfer(&mut line)?,
            ("processor", (false, true)) => self.part(&mut line)?,
            ("before" | "each" | "after", (false, true)) => self.actions(&mut line)?,
            (word, (true, _)) if word.starts_with('x') => self.value(&mut line)?,
            (word, (false, true)) if word.starts_with('v') => self.source(&mut line)?,
            (_, (true, _)) => {
                return Err(line.expected("a value, `input`, `output` or `region`"));
            }
            (_, (false, true)) => {
                let what = "`region`, what flows into an input, `processor`, `before`, `each`, \
                            `after` or `transfer`";
                return Err(line.expected(what));
            }
            (_, (false, false)) => return Err(line.expected("`transfer`")),
        }
        line.end()
    }

    /// Reads `x0: u32 = input 0`, `const 0x1` or `result 0, 1, 2`.
    fn value(&mut self, line: &mut Line<'_>) -> Result<(), ParseError> {
        let next = Value(self.rolled.values.len() as u32);
        if value(&mut line.clone())? != next {
            return Err(line.expected(format!("`{next}`, the next value")));
        }
        value(line)?;
        line.sign(":")?;
        let width =
            line.word("a width, such as `u32`", |word| word.strip_prefix('u')?.parse().ok())?;
        line.sign("=")?;
        let origin = match line.word("`input`, `const` or `result`", |word| {
            ["input", "const", "result"].into_iter().position(|of| of == word)
        })? {
            0 => Origin::Input(line.number("the number of an input")?),
            1 => Origin::Constant(line.number("a number below 2^64")?),
            _ => {
                let region = line.number("the number of a region")?;
                line.sign(",")?;
                let output = line.number("the number of an output")?;
                line.sign(",")?;
                Origin::Result { region, output, iteration: line.number("an iteration")? }
            }
        };
        self.rolled.values.push(Definition { width, origin });
        Ok(())
    }

    /// Reads `region 0: 4 times`, and the function that follows it.
    fn region(
        &mut self,
        mut line: Line<'_>,
        lines: &mut IntoIter<Line<'_>>,
    ) -> Result<(), ParseError> {
        line.keyword("region")?;
        numbered(&mut line, self.rolled.regions.len(), "region")?;
        line.sign(":")?;
        let times = line.number("a number of iterations")?;
        plural(&mut line, "times")?;
        line.end()?;
        if lines.as_slice().is_empty() {
            return Err(ParseError::end(line.number, "the region's function"));
        }
        let body = Function::read(lines)?;
        self.rolled.regions.push(Region { times, body, sources: Vec::new() });
        self.parts.push(Vec::new());
        Ok(())
    }

    /// Reads `v0 = same x0`, `each x1, x2` or `earlier 0, 1: x3`.
    fn source(&mut self, line: &mut Line<'_>) -> Result<(), ParseError> {
        let Region { body, sources, .. } = self.rolled.regions.last_mut().expect("in a region");
        let next = body.inputs().get(sources.len()).map(|input| input.node);
        if line.clone().node().ok() != next {
            return Err(line.expected(match next {
                Some(next) => format!("`{next}`, the next input of the region's function"),
                None => "no more: every input of the region's function has a source".to_owned(),
            }));
        }
        line.node()?;
        line.sign("=")?;
        let source = match line.word("`same`, `each` or `earlier`", |word| {
            ["same", "each", "earlier"].into_iter().position(|of| of == word)
        })? {
            0 => Source::Same(value(line)?),
            1 => Source::Each(list(line, value)?),
            _ => {
                let output = line.number("the number of an output")?;
                line.sign(",")?;
                let distance = line.number("a number of iterations")?;
                line.sign(":")?;
                Source::Earlier { output, distance, first: list(line, value)? }
            }
        };
        sources.push(source);
        Ok(())
    }

    /// Reads `processor 0 holds v0, v1`.
    fn part(&mut self, line: &mut Line<'_>) -> Result<(), ParseError> {
        let body = &self.rolled.regions.last().expect("in a region").body;
        let parts = self.parts.last_mut().expect("a region has parts");
        line.keyword("processor")?;
        numbered(line, parts.len(), "processor")?;
        line.keyword("holds")?;
        let inputs = match line.is_next("nothing") {
            true => {
                line.keyword("nothing")?;
                Vec::new()
            }
            false => list(line, |line| {
                let before = line.clone();
                let node = line.node()?;
                match (node.index() < body.len()).then(|| body.op(node)) {
                    Some(Op::Input(i)) => Ok(i as usize),
                    _ => Err(before.expected("an input of the region's function")),
                }
            })?,
        };
        parts.push(Part { inputs, ..Part::default() });
        Ok(())
    }

    /// Reads `each: v4, send 0, receive 1`, or `before`, or `after`.
    fn actions(&mut self, line: &mut Line<'_>) -> Result<(), ParseError> {
        let Some(part) = self.parts.last_mut().and_then(|parts| parts.last_mut()) else {
            return Err(line.expected("`processor 0 holds …` before what it does"));
        };
        let actions = match line.word("`before`, `each` or `after`", Some)? {
            "before" => &mut part.before,
            "each" => &mut part.each,
            _ => &mut part.after,
        };
        line.sign(":")?;
        actions.extend(list(line, |line| match exchange(line, Action::Send, Action::Receive)? {
            Some(action) => Ok(action),
            None if line.rest.starts_with('v') => line.node().map(Action::Compute),
            None => Err(line.expected("a node, `send` or `receive`")),
        })?);
        Ok(())
    }

    /// Reads `transfer 0: processor 0 to 1, region 2, each iteration: v3, v4`.
    fn transfer(&mut self, line: &mut Line<'_>) -> Result<(), ParseError> {
        let [from, to] = ends(line, self.transfers.len(), "processor")?;
        line.sign(",")?;
        line.keyword("region")?;
        let region = line.number("the number of a region")?;
        line.sign(",")?;
        let when = line.word("`each` or `last`", |word| match word {
            "each" => Some(When::Each),
            "last" => Some(When::After),
            _ => None,
        })?;
        line.keyword("iteration")?;
        line.sign(":")?;
        let values = list(line, Line::node)?;
        self.transfers.push(Transfer { from, to, region, when, values });
        Ok(())
    }
}

/// Reads `x0`.
fn value(line: &mut Line<'_>) -> Result<Value, ParseError> {
    line.word("a value, such as `x0`", |word| word.strip_prefix('x')?.parse().ok().map(Value))
}

/// Reads the number `next`, which a region, processor or transfer must have here.
pub(crate) fn numbered(line: &mut Line<'_>, next: usize, what: &str) -> Result<(), ParseError> {
    line.word(&format!("`{next}`, the number of the next {what}"), |word| {
        (word.parse() == Ok(next)).then_some(())
    })
}

/// Reads `send 0` or `receive 1` as an action. If the line goes on in another way, reads nothing
/// and returns `None`.
pub(crate) fn exchange<A>(
    line: &mut Line<'_>,
    send: impl Fn(TransferId) -> A,
    receive: impl Fn(TransferId) -> A,
) -> Result<Option<A>, ParseError> {
    let sends = line.is_next("send");
    if !sends && !line.is_next("receive") {
        return Ok(None);
    }
    line.keyword(if sends { "send" } else { "receive" })?;
    let id = TransferId(line.number("the number of a transfer")?);
    Ok(Some(if sends { send(id) } else { receive(id) }))
}

/// Reads `transfer 0: processor 0 to 1`: the two ends of the transfer of number `next`.
pub(crate) fn ends(line: &mut Line<'_>, next: usize, what: &str) -> Result<[usize; 2], ParseError> {
    line.keyword("transfer")?;
    numbered(line, next, "transfer")?;
    line.sign(":")?;
    line.keyword(what)?;
    let from = line.number(&format!("the number of a {what}"))?;
    line.keyword("to")?;
    Ok([from, line.number(&format!("the number of a {what}"))?])
}

/// Reads the word `many`, or the same word without its last letter, as it stands behind a 1.
pub(crate) fn plural(line: &mut Line<'_>, many: &str) -> Result<(), ParseError> {
    let is = |word: &str| word == many || many.strip_suffix('s') == Some(word);
    line.word(&format!("`{many}`"), |word| is(word).then_some(()))
}

/// Reads one or more items with commas between them.
pub(crate) fn list<'t, T>(
    line: &mut Line<'t>,
    mut one: impl FnMut(&mut Line<'t>) -> Result<T, ParseError>,
) -> Result<Vec<T>, ParseError> {
    let mut all = vec![one(line)?];
    while line.take(",") {
        all.push(one(line)?);
    }
    Ok(all)
}
