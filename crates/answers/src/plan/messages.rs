//! Several messages on two cores.

use super::answer::LimitLine;
use super::args::Args;
use super::emitted::Emitted;
use super::format::percent;
use super::platform_line::PlatformLine;
use super::subject::{title, what};
use super::text::{self, cycles};
use super::two_core::{Task, limit};
use crate::json_or_text;
use crate::listener::Listener;
use anyhow::bail;
use manylane_build::Primitive;
use manylane_build::predicted::MessageTimes as Program;
use manylane_pages::explain::text::wrapped;
use manylane_pages::{INFALLIBLE, thousands};
use manylane_plan::Platform;
use manylane_plan::costs::UnitCosts;
use manylane_plan::platform::COPROCESSOR;
use manylane_plan::two_core::messages::{MOST_MESSAGES, Message, Messages, Shares};
use manylane_plan::two_core::{Plan, part_saved};
use manylane_plan::units::Level;
use serde::Serialize;
use std::fmt::Write;

/// Everything that is printed of a plan: the fields of `--json`, see docs/plan-json.md.
#[derive(Debug, Serialize)]
struct Answer {
    kind: &'static str,
    primitive: String,
    title: String,
    what: String,
    length: Option<usize>,
    key_length: Option<usize>,
    fixed_length: bool,
    platform: PlatformLine,
    estimate: bool,
    level: Level,
    measured_total: Option<f64>,
    messages: u64,
    /// By the emitted programs where they are known, else by their operations.
    message: Message,
    emitted: Option<Emitted>,
    operations_only: Option<String>,
    worth_it: bool,
    answer: String,
    reason: String,
    saved: f64,
    saved_over_best_core: f64,
    limit: LimitLine,
    candidates: Vec<PlanRow>,
    /// Names of the main core and the other.
    cores: [String; 2],
}

#[derive(Debug, Serialize)]
struct PlanRow {
    name: &'static str,
    #[serde(flatten)]
    shares: Shares,
    saved: f64,
    saved_over_best_core: f64,
    above_limit: f64,
    chosen: bool,
}

/// Plans `count` messages of a hash function on the two cores of the platform `name`.
pub fn run(
    args: &Args,
    primitive: Primitive,
    name: &str,
    count: u64,
    listener: &dyn Listener,
) -> anyhow::Result<String> {
    if let Primitive::Rc5(_) = primitive {
        bail!("{primitive} is a block cipher: --messages is for a hash function");
    }
    if count > MOST_MESSAGES {
        bail!("{count} messages: at most {MOST_MESSAGES} are planned for");
    }
    let platform = Platform::load(name)?;
    let [main, other] = &platform.cores[..] else {
        bail!(
            "{} has one core, which does one message after the other: leave out --messages",
            platform.name
        );
    };
    let cores = [main, other].map(|core| core.name.clone());
    let task = Task::new(&args.two_core, primitive, &platform)?;
    let plan = task.plan(args.two_core.exact)?;
    let costs = UnitCosts::of(&task.function, &task.units, &platform, task.total)?;
    let (emitted, operations_only) = match task.emitted(name, listener)? {
        Some(Ok(emitted)) => (Some(emitted), None),
        Some(Err(why)) => (None, Some(why)),
        None => (None, None),
    };
    let message = message(emitted.as_ref(), &plan, &costs);
    let is_divided = emitted.as_ref().is_none_or(|of| of.message().two_cores.is_some());
    let messages = Messages::new(&platform, message);
    let all = messages.candidates(count, is_divided);
    let limit = LimitLine {
        cycles: plan.limit.span.max(count as f64 * plan.limit.work),
        work: count as f64 * plan.limit.work,
        ..limit(&plan)
    };
    let is_slower = all[1].1.cycles > 1.05 * all[0].1.cycles;
    let [main, single] = [all[0].1.cycles, all[0].1.cycles.min(all[1].1.cycles)];
    let row = |(name, shares): (&'static str, Shares)| PlanRow {
        name,
        shares,
        saved: part_saved(shares.cycles, main),
        saved_over_best_core: part_saved(shares.cycles, single),
        above_limit: 0.0 - part_saved(shares.cycles, limit.cycles),
        chosen: false,
    };
    let mut candidates: Vec<PlanRow> = all.into_iter().map(row).collect();
    let best = candidates.iter_mut().min_by(|a, b| a.shares.cycles.total_cmp(&b.shares.cycles));
    let best = best.expect("all on the main core is there");
    best.chosen = true;
    let of_operations = part_saved(limit.cycles, count as f64 * plan.candidates[0].cycles);
    let limit = LimitLine { saved: of_operations, gain: of_operations, ..limit };
    let worth_it = best.saved >= Plan::WORTH;
    let answer = match (worth_it, part_saved(single, main)) {
        (false, _) => {
            format!("not worth it: only {} of the main core's time is saved", percent(best.saved))
        }
        (true, alone) if alone > 0.0 => format!(
            "worth it: {} of the main core's time is saved, {}; the coprocessor alone saves {}",
            percent(best.saved),
            told(&best.shares, &cores),
            percent(alone)
        ),
        (true, _) => format!(
            "worth it: {} of {} core's time is saved, {}",
            percent(best.saved),
            if is_slower { "the main" } else { "either" },
            told(&best.shares, &cores)
        ),
    };
    let reason = reason(&best.shares).to_owned();
    let (saved, saved_over_best_core) = (best.saved, best.saved_over_best_core);
    let platform = PlatformLine::new(&platform);
    let one = what(primitive, task.lengths);
    let answer = Answer {
        kind: "messages on two cores",
        primitive: primitive.to_string(),
        title: title(primitive),
        what: format!("{} times {one}", thousands(count as usize)),
        length: task.lengths.message,
        key_length: task.lengths.key,
        fixed_length: task.lengths.fixed,
        estimate: platform.is_estimate(),
        answer: platform.told(&answer),
        platform,
        level: task.level,
        measured_total: task.total,
        messages: count,
        message,
        emitted,
        operations_only,
        worth_it,
        reason,
        saved,
        saved_over_best_core,
        limit: LimitLine { ..limit },
        candidates,
        cores,
    };
    json_or_text(&answer, args.json, Answer::text)
}

/// The times of one message, by the emitted programs where they are known, else by its operations.
fn message(emitted: Option<&Emitted>, plan: &Plan, costs: &UnitCosts) -> Message {
    let Some(emitted) = emitted else {
        return Message {
            main: plan.candidates[0].cycles,
            coprocessor: costs.work(COPROCESSOR),
            divided: plan.best().cycles,
        };
    };
    let Program { one_core, other_core, two_cores, .. } = *emitted.message();
    let main = one_core.cycles;
    // If no program divides a message, the main core does it.
    Message {
        main,
        coprocessor: other_core.map_or(main, |of| of.cycles),
        divided: two_cores.map_or(main, |of| of.cycles),
    }
}

/// Says how many messages each core does.
fn told(shares: &Shares, cores: &[String; 2]) -> String {
    let count = |n: u64| thousands(n as usize);
    let parts = [
        (shares.main, format!("{} on {}", count(shares.main), cores[0])),
        (shares.coprocessor, format!("{} on {}", count(shares.coprocessor), cores[1])),
        (shares.divided, format!("{} divided over both", count(shares.divided))),
    ];
    let parts: Vec<String> =
        parts.into_iter().filter(|(n, _)| *n > 0).map(|(_, text)| text).collect();
    parts.join(", ")
}

fn reason(shares: &Shares) -> &'static str {
    match (shares.main > 0, shares.coprocessor > 0, shares.divided > 0) {
        (_, _, false) if shares.main > 0 && shares.coprocessor > 0 => {
            "whole messages wait for nothing: each core has as many as it does in the time in \
             which the other does its own"
        }
        (true, true, true) => {
            "whole messages wait for nothing; those that are left over are divided, so that no \
             core is idle while the other does the last of them"
        }
        (false, false, _) => "dividing each message takes less time than whole ones side by side",
        (_, _, true) => "those that one core does not take whole are divided over both",
        _ => "a message on the other core takes longer than all of them on this one",
    }
}

impl Answer {
    fn text(&self) -> String {
        let mut out = wrapped(&self.answer, 0);
        let Self { primitive, what, platform, message, .. } = self;
        out.push_str(&wrapped(&format!("{primitive}, {what}, on {}", platform.title), 0));
        if let Some(costs) = platform.costs() {
            out.push_str(&wrapped(&costs, 0));
        }
        let divided = match &self.emitted {
            Some(of) if of.message().two_cores.is_none() => "no program divides it".to_owned(),
            _ => format!("{} divided over both", cycles(message.divided)),
        };
        let one = format!(
            "one message: {} cycles on {}, {} on {}, {divided}",
            cycles(message.main),
            self.cores[0],
            cycles(message.coprocessor),
            self.cores[1],
        );
        out.push_str(&wrapped(&one, 0));
        if let Some(emitted) = &self.emitted {
            out.push_str(&wrapped(&emitted.about(false), 0));
        }
        if let Some(why) = &self.operations_only {
            out.push_str(&wrapped(&format!("only operations are priced: {why}"), 0));
        }
        out.push_str(&wrapped(&text::limit(&self.limit), 0));
        writeln!(
            out,
            "\n  {:<26} {:>10} {:>10} {:>8} {:>14} {:>8} {:>12}",
            "PLAN", "MAIN", "OTHER", "DIVIDED", "CYCLES", "SAVED", "ABOVE LIMIT"
        )
        .expect(INFALLIBLE);
        for line in &self.candidates {
            let Shares { main, coprocessor, divided, .. } = line.shares;
            let [main, coprocessor, divided] =
                [main, coprocessor, divided].map(|n| thousands(n as usize));
            writeln!(
                out,
                "{} {:<26} {main:>10} {coprocessor:>10} {divided:>8} {:>14} {:>8} {:>12}",
                if line.chosen { '*' } else { ' ' },
                line.name,
                cycles(line.shares.cycles),
                percent(line.saved),
                percent(line.above_limit),
            )
            .expect(INFALLIBLE);
        }
        out.push_str("\nWHY\n");
        out.push_str(&wrapped(&self.reason, 2));
        out
    }
}
