//! The text form of a program of threads: written, and read back exactly.
//!
//! ```text
//! threads @eta-t-1223.pairing: 612 pieces, joined, function 0x9a5c0b1e6f1d2c3b
//! thread 0: 0..155, receive 0          ; pieces from 0 up to 155, without 155
//! thread 1: 155..300, send 0
//! thread 2: nothing
//! transfer 0: thread 1 to 0
//! ```

use super::{Action, Results, ThreadsProgram, Transfer, Work};
use crate::program::text::{ends, exchange, list, numbered, plural, read_list};
use manylane_graph::text::{Line, ParseError};
use std::fmt::{self, Display, Formatter};
use std::ops::Range;
use std::str::FromStr;

impl Display for ThreadsProgram {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Work { name, fingerprint, pieces, results } = &self.work;
        let s = if *pieces == 1 { "" } else { "s" };
        let results = results.name();
        writeln!(f, "threads @{name}: {pieces} piece{s}, {results}, function {fingerprint:#018x}")?;
        for (thread, part) in self.parts.iter().enumerate() {
            match part[..] {
                [] => writeln!(f, "thread {thread}: nothing")?,
                _ => writeln!(f, "thread {thread}: {}", list(part))?,
            }
        }
        for (t, Transfer { from, to }) in self.transfers.iter().enumerate() {
            writeln!(f, "transfer {t}: thread {from} to {to}")?;
        }
        Ok(())
    }
}

impl Display for Action {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Compute(Range { start, end }) => write!(f, "{start}..{end}"),
            Self::Send(id) => write!(f, "send {}", id.0),
            Self::Receive(id) => write!(f, "receive {}", id.0),
        }
    }
}

const HEAD: &str = "`threads @NAME: N pieces, apart|joined|chain, function 0x…`";

impl FromStr for ThreadsProgram {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, ParseError> {
        let mut lines = Line::all(text).into_iter();
        let work = head(lines.next().ok_or_else(|| ParseError::end(1, HEAD))?)?;
        let mut program = Self { work, parts: Vec::new(), transfers: Vec::new() };
        for mut line in lines {
            if program.transfers.is_empty() && line.is_next("thread") {
                line.keyword("thread")?;
                numbered(&mut line, program.parts.len(), "thread")?;
                line.sign(":")?;
                program.parts.push(part(&mut line)?);
            } else if line.is_next("transfer") {
                let [from, to] = ends(&mut line, program.transfers.len(), "thread")?;
                program.transfers.push(Transfer { from, to });
            } else {
                let is_first = program.transfers.is_empty();
                return Err(line.expected(if is_first {
                    "`thread` or `transfer`"
                } else {
                    "`transfer`"
                }));
            }
            line.end()?;
        }
        Ok(program)
    }
}

fn head(mut line: Line<'_>) -> Result<Work, ParseError> {
    line.word(HEAD, |word| (word == "threads").then_some(()))?;
    line.sign("@")?;
    let name = line.word("a function's name", Some)?.to_owned();
    line.sign(":")?;
    let pieces = line.number("a number of pieces")?;
    plural(&mut line, "pieces")?;
    line.sign(",")?;
    let results = line.word("`apart`, `joined` or `chain`", Results::by_name)?;
    line.sign(",")?;
    line.keyword("function")?;
    let fingerprint = line.number("a fingerprint of 64 bits")?;
    line.end()?;
    Ok(Work { name, fingerprint, pieces, results })
}

fn part(line: &mut Line<'_>) -> Result<Vec<Action>, ParseError> {
    if line.is_next("nothing") {
        line.keyword("nothing")?;
        return Ok(Vec::new());
    }
    read_list(line, |line| match exchange(line, Action::Send, Action::Receive)? {
        Some(action) => Ok(action),
        None => line.word("pieces such as `0..155`, `send`, `receive` or `nothing`", |word| {
            let (start, end) = word.split_once("..")?;
            Some(Action::Compute(start.parse().ok()?..end.parse().ok()?))
        }),
    })
}
