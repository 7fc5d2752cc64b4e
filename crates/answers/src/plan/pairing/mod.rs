//! The loop of the η_T pairing, shared out over p processors.
//!
//! **The curve has about 59 bits of security: for research and teaching only.**

mod here;

use super::args::Args;
use super::format::percent;
use super::program;
use crate::json_or_text;
use crate::listener::Listener;
use anyhow::bail;
use manylane_graph::pairing::{SECURITY, pair};
use manylane_pages::explain::text::wrapped;
use manylane_pages::{INFALLIBLE, thousands};
use manylane_plan::threads::program::Results;
use manylane_plan::threads::{Balance, Pairing, Published, Unit};
use manylane_primitives::pairing::Eta1223;
use serde::Serialize;
use std::fmt::Write;

/// The paper's costs and results.
const PAPER: &str = "core2-45nm";

/// Bounds of a partition that are listed before its last one.
const MOST_LISTED: usize = 32;

/// Everything that is printed of a plan: the fields of `--json`, see docs/plan-json.md.
#[derive(Debug, Serialize)]
struct Answer {
    kind: &'static str,
    primitive: &'static str,
    answer: String,
    security: &'static str,
    platform: Pairing,
    balances: Vec<ProcessorRow>,
}

/// The plan for one number of processors, with published and measured figures.
#[derive(Debug, Serialize)]
struct ProcessorRow {
    #[serde(flatten)]
    balance: Balance,
    published: Option<Published>,
    measured: Option<here::MeasuredPairing>,
}

/// Shares the loop out over each number of processors that is asked for, and measures it if asked.
pub fn run(args: &Args, listener: &dyn Listener) -> anyhow::Result<String> {
    let numbers = args.threads();
    if numbers.is_empty() {
        bail!("eta-t is a pairing: its loop is planned for processors, such as --threads 2,4,8");
    }
    let asked = &args.threads_options;
    let others = [asked.mode.is_some(), asked.blocks.is_some(), asked.messages.is_some()];
    let lengths = [args.two_core.length, args.two_core.key_length];
    if others.contains(&true) || lengths.iter().any(Option::is_some) {
        bail!(
            "eta-t is one pairing: leave out --mode, --blocks, --messages, --length and \
             --key-length"
        );
    }
    let platform = match &args.on {
        Some(platform) => Pairing::load(platform)?,
        None => Pairing { published: Pairing::load(PAPER)?.published, ..here::costs(listener)? },
    };
    let split_loop = platform.split_loop();
    if let (true, &[processors]) = (args.program, &numbers[..]) {
        let module = pair::<Eta1223>();
        let work = program::of(&module, split_loop.iterations, Results::Joined);
        return Ok(split_loop.program(processors, work).to_string());
    }
    let mut balances = Vec::new();
    for processors in numbers {
        let measured = match asked.measure {
            true => here::measured(processors, listener)?,
            false => None,
        };
        balances.push(ProcessorRow {
            balance: split_loop.balance(processors),
            published: platform.published_for(processors).copied(),
            measured,
        });
    }
    let best = balances.iter().max_by(|a, b| a.balance.speedup.total_cmp(&b.balance.speedup));
    let best = &best.expect("clap asks for a number of processors").balance;
    let answer = format!(
        "{:.2} times as fast on {} processor{}; no number of them gives {:.1} times",
        best.speedup,
        best.processors,
        if best.processors == 1 { "" } else { "s" },
        best.limit
    );
    let answer = match best.speedup > 1.05 {
        true => format!("worth it: {answer}"),
        false => format!("not worth it: {answer}"),
    };
    let answer = Answer {
        kind: "pairing",
        primitive: "eta-t",
        answer,
        security: SECURITY,
        platform,
        balances,
    };
    json_or_text(&answer, args.json, |answer| answer.text(asked.measure))
}

fn millions(cycles: f64) -> String {
    format!("{:.2} M", cycles / 1e6)
}

fn microseconds(nanoseconds: f64) -> String {
    format!("{:.1} µs", nanoseconds / 1e3)
}

/// The duration of a whole pairing, as text.
fn long(unit: Unit, time: f64) -> String {
    match unit {
        Unit::Cycles => millions(time),
        Unit::Nanoseconds => microseconds(time),
    }
}

/// The duration of an operation, as text.
fn short(unit: Unit, time: f64) -> String {
    match unit {
        Unit::Cycles => format!("{time:.0} cycles"),
        Unit::Nanoseconds => format!("{time:.0} ns"),
    }
}

impl Answer {
    fn text(&self, measure: bool) -> String {
        let Self { platform, .. } = self;
        let unit = platform.unit;
        let split_loop = platform.split_loop();
        let mut out = wrapped(&self.answer, 0);
        let about = format!(
            "{}: {} on one processor, {} iterations of {} in its loop",
            platform.title,
            long(unit, platform.whole),
            split_loop.iterations,
            short(unit, split_loop.iteration),
        );
        out.push_str(&wrapped(&about, 0));
        let time = match unit {
            Unit::Cycles => "CYCLES",
            Unit::Nanoseconds => "TIME",
        };
        write!(
            out,
            "\n  {:>10} {:>10} {:>8} {:>11} {:>12} {:>18} {:>11}",
            "PROCESSORS",
            time,
            "SPEEDUP",
            "EFFICIENCY",
            "PUBLISHED",
            "PUBLISHED SPEEDUP",
            "DIFFERENCE"
        )
        .expect(INFALLIBLE);
        out.push('\n');
        for line in &self.balances {
            out.push_str(&line.text(unit));
        }
        if self.balances.iter().any(|line| line.published.is_some_and(|p| p.estimated)) {
            out.push_str("  * estimated by its authors\n");
        }
        if measure {
            out.push_str(&self.measured());
        }
        out.push_str(&self.partition(split_loop.iterations));
        out.push_str("\nHOW\n");
        out.push_str(&wrapped(
            match platform.executor {
                Some(_) => {
                    "Each processor takes a run of factors, in the lanes of its vectors, as many \
                     as make all equally dear, and computes their coordinates itself: later ones \
                     raise \
                     their points to a power first. The first processor multiplies the results in \
                     turn and does the final exponentiation."
                }
                None => {
                    "Each processor takes a run of iterations, as long as makes all equally dear: \
                     the first begins at once, the others raise their points to a power of two \
                     first. Their results are multiplied; the final exponentiation is one \
                     processor's."
                }
            },
            2,
        ));
        out.push_str(&wrapped(&format!("costs: {}", platform.source), 2));
        out.push('\n');
        out.push_str(&wrapped(SECURITY, 0));
        out
    }

    /// The partition w_i of each number of processors.
    fn partition(&self, iterations: u64) -> String {
        let of = match self.platform.executor.map_or(1, |executor| executor.lanes) {
            1 => String::new(),
            lanes => format!(" of {lanes} factors"),
        };
        let mut out =
            format!("\nw_i, THE ITERATION{} AT WHICH PROCESSOR i BEGINS\n", of.to_uppercase());
        for ProcessorRow { balance, .. } in &self.balances {
            let begins: Vec<String> = (balance.bounds[..balance.processors].iter())
                .filter(|&&from| from < iterations)
                .map(|&from| thousands(from as usize))
                .collect();
            let listed = match &begins[..] {
                [first @ .., last] if first.len() > MOST_LISTED => {
                    format!("{}, …, {last}", first[..MOST_LISTED].join(", "))
                }
                all => all.join(", "),
            };
            let idle = match balance.processors - begins.len() {
                0 => String::new(),
                idle => format!("; {} without iterations", thousands(idle)),
            };
            let processors = thousands(balance.processors);
            out.push_str(&wrapped(&format!("{processors}: {listed}{idle}"), 2));
        }
        out
    }

    /// Predictions beside measurements.
    fn measured(&self) -> String {
        let mut out = format!(
            "\n  {:>10} {:>10} {:>18} {:>11}\n",
            "PROCESSORS", "MEASURED", "MEASURED SPEEDUP", "DIFFERENCE"
        );
        for ProcessorRow { balance, measured, .. } in &self.balances {
            let processors = thousands(balance.processors);
            match measured {
                Some(measured) => writeln!(
                    out,
                    "  {processors:>10} {:>10} {:>18.2} {:>11}",
                    microseconds(measured.nanoseconds),
                    measured.speedup,
                    percent(balance.speedup / measured.speedup - 1.0)
                ),
                None => writeln!(out, "  {processors:>10} more than this machine has"),
            }
            .expect(INFALLIBLE);
        }
        out
    }
}

impl ProcessorRow {
    fn text(&self, unit: Unit) -> String {
        let Self { balance, published, .. } = self;
        let mut out = format!(
            "  {:>10} {:>10} {:>8.2} {:>11}",
            thousands(balance.processors),
            long(unit, balance.total),
            balance.speedup,
            percent(balance.speedup / balance.processors as f64),
        );
        if let Some(published) = published {
            let mark = if published.estimated { "*" } else { "" };
            write!(
                out,
                " {:>12} {:>18} {:>11}",
                millions(published.cycles),
                format!("{:.2}{mark}", published.speedup),
                percent(balance.speedup / published.speedup - 1.0),
            )
            .expect(INFALLIBLE);
        }
        out.push('\n');
        out
    }
}
