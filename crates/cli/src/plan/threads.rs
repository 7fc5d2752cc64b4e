//! Many messages, or the blocks of a mode of operation, on p processors.

use super::text::cycles;
use super::two_core::loading;
use super::{Args, json, percent};
use crate::explain::text::wrapped;
use crate::page::{INFALLIBLE, thousands};
use anyhow::bail;
use manylane_graph::Function;
use manylane_graph::part::{Subject, cipher, message};
use manylane_graph::trace::Rc5;
use manylane_plan::Platform;
use manylane_plan::costs::UnitCosts;
use manylane_plan::platform::{COPROCESSOR, MAIN};
use manylane_plan::threads::{self, Batch, Mode};
use manylane_plan::units::{Level, Units};
use serde::Serialize;
use std::fmt::Write;

/// The platform whose main core's costs are taken if no other is asked for.
const PLATFORM: &str = "x86-two-threads";
/// How many blocks or messages if no others are asked for.
const PIECES: u64 = 1024;

/// All that is said of a plan. The fields are those of `--json`: docs/plan-json.md.
#[derive(Debug, Serialize)]
struct Answer {
    kind: &'static str,
    primitive: String,
    title: String,
    what: String,
    mode: Option<Mode>,
    length: Option<usize>,
    platform: String,
    pieces: u64,
    piece: f64,
    fork_join: f64,
    processors: Option<usize>,
    worth_it: bool,
    answer: String,
    reason: String,
    batches: Vec<Batch>,
}

pub fn run(args: &Args, subject: &Subject) -> anyhow::Result<String> {
    let platform = Platform::load(args.on.as_deref().unwrap_or(PLATFORM))?;
    let asked = &args.threads_options;
    if asked.measure {
        bail!("--measure is for eta-t: `manylane bench {subject}` measures");
    }
    let (mode, length, pieces) = match subject {
        Subject::Hash(_) if asked.mode.is_some() || asked.blocks.is_some() => {
            bail!(
                "{subject} is a hash function: give --messages and --length, not --mode or --blocks"
            )
        }
        Subject::Hash(hash) => {
            let length = args.two_core.length.unwrap_or(hash.id().entry().shape.block_bytes);
            (None, Some(length), asked.messages.unwrap_or(PIECES))
        }
        Subject::Rc5(_) if asked.messages.is_some() || args.two_core.length.is_some() => {
            bail!(
                "{subject} is a block cipher: give --mode and --blocks, not --messages or --length"
            )
        }
        Subject::Rc5(_) => {
            (Some(asked.mode.unwrap_or(Mode::Ctr)), None, asked.blocks.unwrap_or(PIECES))
        }
    };
    let piece = match length {
        Some(length) => message_cost(subject, length, &platform)?,
        None => block_cost(subject, mode, &platform)?,
    };
    let fork_join = match platform.cores.len() > COPROCESSOR {
        true => platform.handshake.delay(COPROCESSOR) + platform.handshake.delay(MAIN),
        false => 0.0,
    };
    // Messages are pieces like the blocks of a mode without chaining.
    let order = mode.unwrap_or(Mode::Ecb);
    // Costs alone are those of a processor, of which there may be any number.
    let available = args.on.is_some().then_some(platform.processors);
    let mut numbers = args.threads.clone();
    if let Some(most) = available.filter(|most| numbers.iter().any(|number| number > most)) {
        numbers.iter_mut().for_each(|number| *number = most.min(*number));
        numbers.dedup();
    }
    let fewer = available.filter(|_| numbers != args.threads).map(|most| fewer(&platform, most));
    let batch = |&p: &usize| threads::cipher(order, pieces, piece, p, fork_join);
    let batches: Vec<Batch> = numbers.iter().map(batch).collect();
    let best = batches.iter().max_by(|a, b| a.speedup.total_cmp(&b.speedup));
    let best = best.expect("clap asks for a number of processors");
    let worth_it = best.speedup > 1.05;
    let (speedup, processors) = (best.speedup, best.processors);
    let answer = match worth_it {
        true => format!(
            "worth it: {speedup:.2} times as fast on {processors} processors; more than {:.2} times \
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
            format!("{} of {} each", counted(pieces, "message"), counted(length as u64, "byte"))
        }
        (None, mode) => {
            format!("{} in mode {}", counted(pieces, "block"), mode.map_or("ecb", Mode::name))
        }
    };
    let answer = Answer {
        kind: "processors",
        primitive: subject.to_string(),
        title: subject.title(),
        what,
        mode,
        length,
        platform: platform.name.clone(),
        pieces,
        piece,
        fork_join,
        processors: available,
        worth_it,
        answer,
        reason: reason(mode, pieces),
        batches,
    };
    match args.json {
        true => json(&answer),
        false => Ok(answer.text(&platform)),
    }
}

/// Why a plan is for fewer processors than were asked for.
fn fewer(platform: &Platform, most: usize) -> String {
    let Platform { name, cores, .. } = platform;
    match &cores[..] {
        [main, other] if most == 1 => format!(
            "{name} has one processor like {}: for {} beside it leave out --threads",
            main.name, other.name
        ),
        _ => format!("{name} has {}: more are not planned for", counted(most as u64, "processor")),
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

/// Cycles of a function on the main core.
fn cost(function: &Function, platform: &Platform, total: Option<f64>) -> anyhow::Result<f64> {
    let units = Units::of(function, Level::Step);
    Ok(UnitCosts::of(function, &units, platform, total)?.work(MAIN))
}

/// The encryption or decryption of one block, the key being expanded.
fn block_cost(subject: &Subject, mode: Option<Mode>, platform: &Platform) -> anyhow::Result<f64> {
    let Subject::Rc5(params) = subject else { unreachable!("only a block cipher has blocks") };
    let part = match mode {
        Some(Mode::CbcDecryption) => Rc5::Decryption,
        Some(Mode::Ecb | Mode::Ctr | Mode::CbcEncryption) | None => Rc5::Encryption,
    };
    let cost = |part| cost(&cipher(params, part), platform, None);
    Ok(cost(part)? - cost(Rc5::KeyExpansion)?)
}

/// The hash of a message. Every block of a long one costs the same.
fn message_cost(subject: &Subject, length: usize, platform: &Platform) -> anyhow::Result<f64> {
    /// Blocks of the longest message that is looked at as a whole.
    const WHOLE: usize = 16;
    let cost = |length: usize| -> anyhow::Result<f64> {
        let total = platform.total(&subject.to_string(), length);
        cost(&message(subject, length, loading(platform))?, platform, total)
    };
    let Subject::Hash(hash) = subject else { unreachable!("only a hash has messages") };
    let block = hash.id().entry().shape.block_bytes;
    if length <= WHOLE * block {
        return cost(length);
    }
    let short = length % block + 2 * block;
    let (one, two) = (cost(short)?, cost(short + block)?);
    Ok(one + (two - one) * ((length - short) / block) as f64)
}

fn counted(n: u64, name: &str) -> String {
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
        for batch in &self.batches {
            writeln!(
                out,
                "  {:>10} {:>16} {:>9.2} {:>9.2} {:>11}",
                thousands(batch.processors),
                cycles(batch.total),
                batch.speedup,
                batch.limit,
                percent(batch.speedup / batch.processors as f64),
            )
            .expect(INFALLIBLE);
        }
        out.push_str("\nWHY\n");
        out.push_str(&wrapped(&self.reason, 2));
        out
    }
}
