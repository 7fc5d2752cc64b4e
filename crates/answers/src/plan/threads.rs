//! Many messages, or the blocks of a mode of operation, on p processors.

use super::args::Args;
use super::format::{counted, percent};
use super::platform_line::PlatformLine;
use super::program;
use super::subject::{self, title};
use super::text::cycles;
use crate::choices::distinct;
use crate::json_or_text;
use anyhow::bail;
use manylane_build::Primitive;
use manylane_build::processors::{Coprocessor, Pieces, ProcessorRow, Processors};
use manylane_pages::explain::text::wrapped;
use manylane_pages::{INFALLIBLE, thousands};
use manylane_plan::Platform;
use manylane_plan::threads::{Batch, Mode};
use serde::Serialize;
use std::fmt::Write;

/// The platform whose main core's costs are taken if no other is asked for.
const PLATFORM: &str = "x86-two-threads";
/// How many blocks or messages if no others are asked for.
const PIECES: u64 = 1024;

/// The most bytes of a message: SHA-256's longest (FIPS 180-4, §1).
const MOST_BYTES: u64 = (1 << 61) - 1;

/// Everything that is printed of a plan: the fields of `--json`, see docs/plan-json.md.
#[derive(Debug, Serialize)]
struct Answer {
    kind: &'static str,
    primitive: String,
    title: String,
    what: String,
    mode: Option<Mode>,
    length: Option<usize>,
    key_length: Option<usize>,
    platform: String,
    costs: PlatformLine,
    estimate: bool,
    pieces: u64,
    piece: f64,
    /// Whether `piece` is what an emitted program takes, or operations alone.
    priced: &'static str,
    coprocessor: Option<Coprocessor>,
    fork_join: f64,
    processors: Option<usize>,
    worth_it: bool,
    answer: String,
    reason: String,
    batches: Vec<ProcessorRow>,
}

/// Plans messages, or the blocks of a mode, on each number of processors that is asked for.
pub fn run(args: &Args, primitive: Primitive) -> anyhow::Result<String> {
    let platform = Platform::load(args.on.as_deref().unwrap_or(PLATFORM))?;
    if args.threads_options.measure {
        bail!("--measure is for eta-t: `manylane bench {primitive}` measures");
    }
    let pieces = pieces(args, primitive)?;
    let processors = Processors::new(pieces, &platform, args.on.is_none())?;
    let asked = args.threads();
    let most = processors.available.filter(|most| asked.iter().any(|number| number > most));
    let numbers = distinct(asked.into_iter().map(|number| number.min(most.unwrap_or(number))));
    let batches: Vec<ProcessorRow> = numbers.into_iter().map(|n| processors.row(n)).collect();
    if let (true, [line]) = (args.program, &batches[..]) {
        let work = program::work(primitive, pieces.mode, pieces.count);
        return Ok(line.batch.program(work).to_string());
    }
    let answer = Answer::new(pieces, processors, batches, most, &platform);
    json_or_text(&answer, args.json, |answer| answer.text(&platform))
}

/// The messages or blocks that are asked for.
fn pieces(args: &Args, primitive: Primitive) -> anyhow::Result<Pieces> {
    let asked = &args.threads_options;
    let (mode, count) = match primitive {
        Primitive::Hash(_) | Primitive::Hmac(_)
            if asked.mode.is_some() || asked.blocks.is_some() =>
        {
            bail!(
                "{primitive} is a hash function: give --messages and --length, not --mode or \
                 --blocks"
            )
        }
        Primitive::Hash(_) | Primitive::Hmac(_) => (None, asked.messages.unwrap_or(PIECES)),
        Primitive::Rc5(_) if asked.messages.is_some() || args.two_core.length.is_some() => {
            bail!(
                "{primitive} is a block cipher: give --mode and --blocks, not --messages or \
                 --length"
            )
        }
        Primitive::Rc5(_) => {
            (Some(asked.mode.unwrap_or(Mode::Ctr)), asked.blocks.unwrap_or(PIECES))
        }
    };
    let lengths = subject::lengths(primitive, &args.two_core, None)?;
    if let Some(length) = lengths.message.filter(|length| *length as u64 > MOST_BYTES) {
        bail!(
            "{primitive}: a message of {} bytes is too long: plans take up to {}, whose bits a \
             counter of 64 bits can count; give a smaller --length",
            thousands(length),
            thousands(MOST_BYTES as usize)
        );
    }
    Ok(Pieces { primitive, lengths, mode, count })
}

/// The pieces in words.
fn what(pieces: Pieces) -> String {
    let Pieces { lengths, mode, count, .. } = pieces;
    let Some(length) = lengths.message else {
        let mode = mode.map_or("ecb", Mode::name);
        return format!("{} in mode {mode}", counted(count as usize, "block"));
    };
    let key = lengths
        .key
        .map_or(String::new(), |key| format!(", each under a key of {}", counted(key, "byte")));
    format!("{} of {} each{key}", counted(count as usize, "message"), counted(length, "byte"))
}

/// The answer, in a line, for the number of processors that is fastest.
fn one_line(best: &Batch, mode: Option<Mode>) -> String {
    let Batch { speedup, processors, limit, .. } = *best;
    match is_worth_it(best) {
        true => format!(
            "worth it: {speedup:.2} times as fast on {processors} processors; with whole {} on \
             each, at this rate, more than {limit:.2} times is not possible there",
            if mode.is_some() { "blocks" } else { "messages" },
        ),
        false => format!(
            "not worth it: {speedup:.2} times as fast on {}",
            counted(processors, "processor")
        ),
    }
}

/// Whether more processors than one are worth using.
fn is_worth_it(best: &Batch) -> bool {
    best.speedup > 1.05
}

/// Why no number of processors gains more.
fn reason(pieces: Pieces, coprocessor: Option<&Coprocessor>) -> String {
    let Pieces { mode, count, .. } = pieces;
    match mode {
        mode if coprocessor.is_some() && mode.is_none_or(Mode::is_parallel) && count > 1 => {
            "each processor has as many as it does in the time in which the others do theirs"
                .to_owned()
        }
        Some(mode) if !mode.is_parallel() => format!(
            "{} is serial: each block waits for the one before. Only messages under other keys or \
             with other initial values run beside it.",
            mode.name()
        ),
        _ if count == 1 => {
            "one piece alone is serial: a block waits for the chaining value before it".to_owned()
        }
        Some(_) => "no block waits for another: the shares differ by one block at most".to_owned(),
        None => "no message waits for another: the shares differ by one message at most".to_owned(),
    }
}

impl Answer {
    /// `most` is the number of processors that the platform has, if more were asked for.
    fn new(
        pieces: Pieces,
        processors: Processors,
        batches: Vec<ProcessorRow>,
        most: Option<usize>,
        platform: &Platform,
    ) -> Self {
        let Pieces { primitive, lengths, mode, count } = pieces;
        let all = batches.iter().map(|line| &line.batch);
        let best = all.max_by(|a, b| a.speedup.total_cmp(&b.speedup));
        let best = best.expect("clap asks for a number of processors");
        let mut answer = one_line(best, mode);
        if let Some(most) = most {
            let most = counted(most, "processor");
            answer += &format!("; {} has {most}: more are not planned for", platform.name);
        }
        let costs = PlatformLine::new(platform);
        Self {
            kind: "processors",
            primitive: primitive.to_string(),
            title: title(primitive),
            what: what(pieces),
            mode,
            length: lengths.message,
            key_length: lengths.key,
            platform: platform.name.clone(),
            estimate: costs.is_estimate(),
            pieces: count,
            piece: processors.piece,
            priced: if processors.has_programs { "programs" } else { "operations" },
            fork_join: processors.fork_join,
            processors: processors.available,
            worth_it: is_worth_it(best),
            answer: costs.told(&answer),
            costs,
            reason: reason(pieces, processors.coprocessor.as_ref()),
            coprocessor: processors.coprocessor,
            batches,
        }
    }

    fn text(&self, platform: &Platform) -> String {
        let mut out = wrapped(&self.answer, 0);
        let about = format!(
            "{}, {}: {} cycles for each, {} to start and join the processors (costs of {})",
            self.primitive,
            self.what,
            cycles(self.piece),
            cycles(self.fork_join),
            platform.title
        );
        out.push_str(&wrapped(&about, 0));
        writeln!(
            out,
            "\n  {:>10} {:>16} {:>9} {:>9} {:>11}",
            "PROCESSORS", "CYCLES", "SPEEDUP", "LIMIT", "EFFICIENCY"
        )
        .expect(INFALLIBLE);
        for ProcessorRow { batch, efficiency, .. } in &self.batches {
            writeln!(
                out,
                "  {:>10} {:>16} {:>9.2} {:>9.2} {:>11}",
                thousands(batch.processors),
                cycles(batch.total),
                batch.speedup,
                batch.limit,
                percent(*efficiency),
            )
            .expect(INFALLIBLE);
        }
        let priced = match self.priced {
            "programs" => "a message takes what the emitted program of one core is predicted to",
            _ => {
                "only operations are priced, not loads, stores, spills and calls; the speedup \
                 depends little on them"
            }
        };
        out.push_str(&wrapped(priced, 2));
        if let Some(costs) = self.costs.costs() {
            out.push_str(&wrapped(&costs, 2));
        }
        if let Some(other) = &self.coprocessor {
            out.push_str("\nWHO DOES WHAT\n");
            let about = format!("one takes {} cycles on {}", cycles(other.piece), other.name);
            out.push_str(&wrapped(&about, 2));
            for ProcessorRow { batch, on, .. } in &self.batches {
                let share = |(share, name): (&u64, &String)| {
                    format!("{} on {name}", thousands(*share as usize))
                };
                let shares: Vec<String> = batch.shares.iter().zip(on).map(share).collect();
                let processors = counted(batch.processors, "processor");
                out.push_str(&wrapped(&format!("{processors}: {}", shares.join(", ")), 2));
            }
        }
        out.push_str("\nWHY\n");
        out.push_str(&wrapped(&self.reason, 2));
        out
    }
}
