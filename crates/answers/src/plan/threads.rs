//! Many messages, or the blocks of a mode of operation, on p processors.

use super::args::Args;
use super::emitted::alone;
use super::format::{json, percent};
use super::platform_line::PlatformLine;
use super::program;
use super::subject::{self, title};
use super::text::cycles;
use crate::choices::distinct;
use anyhow::bail;
use manylane_build::{Lengths, Primitive};
use manylane_graph::Function;
use manylane_graph::part::cipher;
use manylane_graph::trace::Rc5;
use manylane_pages::explain::text::wrapped;
use manylane_pages::{INFALLIBLE, thousands};
use manylane_plan::Platform;
use manylane_plan::costs::UnitCosts;
use manylane_plan::platform::{COPROCESSOR, MAIN};
use manylane_plan::threads::{self, Batch, Mode};
use manylane_plan::units::{Level, Units};
use manylane_primitives::cipher::Rc5Params;
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

/// A number of processors.
#[derive(Debug, Serialize)]
struct ProcessorRow {
    #[serde(flatten)]
    batch: Batch,
    /// The speedup over that of processors that are never idle.
    efficiency: f64,
    /// Names of the processors, where they differ; each has its share of the batch.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    on: Vec<String>,
}

/// A processor that takes another time than the others.
#[derive(Debug, Serialize)]
struct Coprocessor {
    name: String,
    piece: f64,
}

/// The least cost of an operation above 0 in a platform's file, in cycles.
const LEAST: f64 = 1e-6;

pub fn run(args: &Args, primitive: Primitive) -> anyhow::Result<String> {
    let platform = Platform::load(args.on.as_deref().unwrap_or(PLATFORM))?;
    let asked = &args.threads_options;
    if asked.measure {
        bail!("--measure is for eta-t: `manylane bench {primitive}` measures");
    }
    let (mode, pieces) = match primitive {
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
    let length = lengths.message;
    if let Some(length) = length.filter(|length| *length as u64 > MOST_BYTES) {
        bail!(
            "{primitive}: a message of {} bytes is too long: plans take up to {}, whose bits a \
             counter of 64 bits can count; give a smaller --length",
            thousands(length),
            thousands(MOST_BYTES as usize)
        );
    }
    let has_programs = has_programs(primitive, lengths, &platform)?;
    let cost = |core| match primitive {
        Primitive::Rc5(params) => block_cost(params, mode, &platform, core),
        Primitive::Hash(_) | Primitive::Hmac(_) => {
            message_cost(primitive, lengths, &platform, core, has_programs)
        }
    };
    // A core whose operations cost nothing is as fast as the cheapest one that a file can have.
    let cost = |core| cost(core).map(|cycles| cycles.max(LEAST));
    let piece = cost(MAIN)?;
    let coprocessor = match platform.cores.get(COPROCESSOR) {
        // Without --on, any number of processors have the costs of the platform's main core.
        Some(core) if args.on.is_some() && !platform.cores_are_equal() => {
            Some(Coprocessor { name: core.name.clone(), piece: cost(COPROCESSOR)? })
        }
        _ => None,
    };
    let fork_join = match platform.cores.len() > COPROCESSOR {
        true => platform.handshake.delay(COPROCESSOR) + platform.handshake.delay(MAIN),
        false => 0.0,
    };
    let available =
        args.on.is_some().then_some(platform.processors + usize::from(coprocessor.is_some()));
    let asked = args.threads();
    let most = available.filter(|most| asked.iter().any(|number| number > most));
    let numbers = distinct(asked.into_iter().map(|number| number.min(most.unwrap_or(number))));
    let fewer = most.map(|most| {
        let most = counted(most as u64, "processor");
        format!("{} has {most}: more are not planned for", platform.name)
    });
    // Messages are pieces like the blocks of a mode without chaining.
    let order = mode.unwrap_or(Mode::Ecb);
    let line = |&p: &usize| {
        let Some(other) = &coprocessor else {
            let batch = threads::cipher(order, pieces, piece, p, fork_join);
            let efficiency = batch.speedup / p as f64;
            return ProcessorRow { batch, efficiency, on: Vec::new() };
        };
        let mut team = vec![(&platform.cores[MAIN].name, piece); p];
        // The coprocessor takes part where it is the faster core, or where no other is left.
        if p > 1 && (other.piece < piece || p > platform.processors) {
            team[p - 1] = (&other.name, other.piece);
        }
        let times: Vec<f64> = team.iter().map(|(_, time)| *time).collect();
        let batch = threads::unequal(pieces, &times, fork_join, order.is_parallel());
        let all: f64 = times.iter().map(|time| piece / time).sum();
        let efficiency = batch.speedup / all;
        ProcessorRow {
            batch,
            efficiency,
            on: team.into_iter().map(|(name, _)| name.clone()).collect(),
        }
    };
    let batches: Vec<ProcessorRow> = numbers.iter().map(line).collect();
    if let (true, [line]) = (args.program, &batches[..]) {
        return Ok(line.batch.program(program::work(primitive, mode, pieces)).to_string());
    }
    let best =
        batches.iter().map(|line| &line.batch).max_by(|a, b| a.speedup.total_cmp(&b.speedup));
    let best = best.expect("clap asks for a number of processors");
    let worth_it = best.speedup > 1.05;
    let (speedup, processors) = (best.speedup, best.processors);
    let answer = match worth_it {
        true => format!(
            "worth it: {speedup:.2} times as fast on {processors} processors; more than {:.2} \
             times \
             is not possible there",
            best.limit
        ),
        false => format!(
            "not worth it: {speedup:.2} times as fast on {}",
            counted(processors as u64, "processor")
        ),
    };
    let answer = fewer.iter().fold(answer, |answer, fewer| format!("{answer}; {fewer}"));
    let what = match (length, mode) {
        (Some(length), _) => {
            let key = lengths.key.map_or(String::new(), |key| {
                format!(", each under a key of {}", counted(key as u64, "byte"))
            });
            format!(
                "{} of {} each{key}",
                counted(pieces, "message"),
                counted(length as u64, "byte")
            )
        }
        (None, mode) => {
            format!("{} in mode {}", counted(pieces, "block"), mode.map_or("ecb", Mode::name))
        }
    };
    let costs = PlatformLine::new(&platform);
    let reason = match (&coprocessor, mode) {
        (Some(_), mode) if mode.is_none_or(Mode::is_parallel) && pieces > 1 => {
            "each processor has as many as it does in the time in which the others do theirs"
                .to_owned()
        }
        _ => reason(mode, pieces),
    };
    let answer = Answer {
        kind: "processors",
        primitive: primitive.to_string(),
        title: title(primitive),
        what,
        mode,
        length,
        key_length: lengths.key,
        platform: platform.name.clone(),
        estimate: costs.is_estimate(),
        pieces,
        piece,
        priced: if has_programs { "programs" } else { "operations" },
        coprocessor,
        fork_join,
        processors: available,
        worth_it,
        answer: costs.told(&answer),
        costs,
        reason,
        batches,
    };
    match args.json {
        true => json(&answer),
        false => Ok(answer.text(&platform)),
    }
}

fn reason(mode: Option<Mode>, pieces: u64) -> String {
    match mode {
        Some(mode) if !mode.is_parallel() => format!(
            "{} is serial: each block waits for the one before. Only messages under other keys or \
             with other initial values run beside it.",
            mode.name()
        ),
        _ if pieces == 1 => {
            "one piece alone is serial: a block waits for the chaining value before it".to_owned()
        }
        Some(_) => "no block waits for another: the shares differ by one block at most".to_owned(),
        None => "no message waits for another: the shares differ by one message at most".to_owned(),
    }
}

/// Cycles of a function on a core.
fn cost(
    function: &Function,
    platform: &Platform,
    total: Option<f64>,
    core: usize,
) -> anyhow::Result<f64> {
    let units = Units::of(function, Level::Step);
    Ok(UnitCosts::of(function, &units, platform, total)?.work(core))
}

/// The encryption or decryption of one block, the key being expanded.
fn block_cost(
    params: Rc5Params,
    mode: Option<Mode>,
    platform: &Platform,
    core: usize,
) -> anyhow::Result<f64> {
    let part = match mode {
        Some(Mode::CbcDecryption) => Rc5::Decryption,
        Some(Mode::Ecb | Mode::Ctr | Mode::CbcEncryption) | None => Rc5::Encryption,
    };
    let cost = |part| cost(&cipher(&params, part), platform, None, core);
    Ok(cost(part)? - cost(Rc5::KeyExpansion)?)
}

/// Whether emitted programs of messages were measured on every kind of core that the platform has.
fn has_programs(
    primitive: Primitive,
    lengths: Lengths,
    platform: &Platform,
) -> anyhow::Result<bool> {
    if let Primitive::Rc5(_) = primitive {
        return Ok(false);
    }
    let kinds = if platform.cores_are_equal() { 1 } else { platform.cores.len() };
    // The time of any length is known, or of none.
    let lengths = Lengths { message: Some(0), ..lengths };
    for core in 0..kinds {
        if alone(primitive, lengths, platform, core)?.is_none() {
            return Ok(false);
        }
    }
    Ok(true)
}

/// The hash of a message, by emitted programs if the platform has them, else by its operations.
/// Every block of a long one costs the same.
fn message_cost(
    primitive: Primitive,
    lengths: Lengths,
    platform: &Platform,
    core: usize,
    has_programs: bool,
) -> anyhow::Result<f64> {
    /// Blocks of the longest message that is looked at as a whole.
    const WHOLE: usize = 16;
    let cost = |length: usize| -> anyhow::Result<f64> {
        let lengths = Lengths { message: Some(length), ..lengths };
        if has_programs && let Some(cycles) = alone(primitive, lengths, platform, core)? {
            return Ok(cycles);
        }
        let total = primitive.total(lengths, platform);
        cost(&primitive.function(lengths, platform)?, platform, total, core)
    };
    let (Primitive::Hash(hash) | Primitive::Hmac(hash)) = primitive else {
        unreachable!("only a hash has messages")
    };
    let block = hash.id().entry().shape.block_bytes;
    let length = lengths.message.unwrap_or_default();
    if length <= WHOLE * block {
        return cost(length);
    }
    let short = length % block + 2 * block;
    let (one, two) = (cost(short)?, cost(short + block)?);
    Ok(one + (two - one) * ((length - short) / block) as f64)
}

/// `1 message`, `2 messages`.
pub fn counted(n: u64, name: &str) -> String {
    format!("{} {name}{}", thousands(n as usize), if n == 1 { "" } else { "s" })
}

impl Answer {
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
                let processors = counted(batch.processors as u64, "processor");
                out.push_str(&wrapped(&format!("{processors}: {}", shares.join(", ")), 2));
            }
        }
        out.push_str("\nWHY\n");
        out.push_str(&wrapped(&self.reason, 2));
        out
    }
}
