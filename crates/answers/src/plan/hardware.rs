//! A plan for hardware, beside the other ways to make the same clock.

use super::args::Args;
use super::format::{counted, percent};
use super::text::cycles;
use crate::json_or_text;
use anyhow::bail;
use manylane_graph::Function;
use manylane_graph::part::Subject;
use manylane_pages::INFALLIBLE;
use manylane_pages::explain::text::wrapped;
use manylane_pages::svg::number;
use manylane_plan::hardware::{Adders, DelayModel, HardwarePlan, Options, Precompute, plan};
use serde::Serialize;
use std::fmt::Write;

/// The delay model if no other is asked for.
const MODEL: &str = "generic-gates";

/// Everything that is printed of a plan: the fields of `--json`, see docs/plan-json.md.
#[derive(Debug, Serialize)]
struct Answer {
    kind: &'static str,
    primitive: String,
    title: String,
    answer: String,
    rate: Option<f64>,
    bound: f64,
    above_bound: Option<f64>,
    messages: usize,
    single_message: f64,
    alternatives: Vec<Alternative>,
    plan: HardwarePlan,
}

/// One way of adding with one of pre-computing.
#[derive(Debug, Serialize)]
struct Alternative {
    adders: Adders,
    precompute: Precompute,
    logic: f64,
    period: f64,
    rate: Option<f64>,
    above_bound: Option<f64>,
    latency: usize,
    carry_adders: usize,
    compressors: usize,
    register_bits: u64,
    area: f64,
    chosen: bool,
}

/// Plans hardware for a subject by every kind of adder, and writes the answer as text or JSON.
pub fn run(args: &Args, subject: &Subject) -> anyhow::Result<String> {
    let asked = &args.hardware_options;
    if let Subject::Rc5(params) = subject
        && params.rounds() < 2
    {
        bail!(
            "{subject} has {}: hardware is planned for two or more that follow each other",
            counted(params.rounds(), "round")
        );
    }
    let model = DelayModel::load(asked.delay.as_deref().unwrap_or(MODEL))?;
    let function = subject.block_function();
    let mut plans = Vec::new();
    for adders in Adders::ALL {
        for precompute in Precompute::ALL {
            let [merge, stages] = [asked.merge, asked.stages].map(|n| n.unwrap_or(1) as usize);
            let options = Options { merge, stages, adders, precompute };
            plans.push(plan(&function, &options, &model)?);
        }
    }
    let wanted = |plan: &HardwarePlan| {
        let Options { adders, precompute, .. } = plan.program.options;
        asked.adders.is_none_or(|a| a == adders) && asked.precompute.is_none_or(|p| p == precompute)
    };
    // The fastest, of equals the smallest, of equals the simplest.
    let order = |&a: &usize, &b: &usize| {
        let period = |i: usize| plans[i].period.total;
        let area = |i: usize| plans[i].resources.all.area;
        period(a).total_cmp(&period(b)).then(area(a).total_cmp(&area(b)))
    };
    let chosen = (0..plans.len()).filter(|&i| wanted(&plans[i])).min_by(order);
    let chosen = chosen.expect("every way of adding goes with every one of pre-computing");
    if args.program {
        return Ok(plans[chosen].program.to_string());
    }
    let answer = Answer::new(subject, plans, chosen);
    json_or_text(&answer, args.json, |answer| answer.text(subject, &model, &function))
}

fn rate(plan: &HardwarePlan) -> Option<f64> {
    Some(plan.rate()).filter(|rate| rate.is_finite())
}

/// The throughput of a single long message, as a part of that with a message in every stage.
fn single_message(plan: &HardwarePlan) -> f64 {
    plan.program.cycles_per_block as f64 / plan.latency.max(1) as f64
}

impl Answer {
    fn new(subject: &Subject, mut plans: Vec<HardwarePlan>, chosen: usize) -> Self {
        let line = |(i, plan): (usize, &HardwarePlan)| Alternative {
            adders: plan.program.options.adders,
            precompute: plan.program.options.precompute,
            logic: plan.period.logic,
            period: plan.period.total,
            rate: rate(plan),
            above_bound: plan.above_bound(),
            latency: plan.latency,
            carry_adders: plan.resources.all.adders,
            compressors: plan.resources.all.compressors,
            register_bits: plan.resources.all.register_bits,
            area: plan.resources.all.area,
            chosen: i == chosen,
        };
        let alternatives = plans.iter().enumerate().map(line).collect();
        let plan = plans.swap_remove(chosen);
        Self {
            kind: "hardware",
            primitive: subject.to_string(),
            title: subject.title(),
            answer: answer(subject, &plan),
            rate: rate(&plan),
            bound: plan.bound(),
            above_bound: plan.above_bound(),
            messages: plan.messages(),
            single_message: single_message(&plan),
            alternatives,
            plan,
        }
    }

    fn text(&self, subject: &Subject, model: &DelayModel, function: &Function) -> String {
        let Self { plan, .. } = self;
        let Options { merge, stages, adders, precompute } = plan.program.options;
        let mut out = wrapped(&self.answer, 0);
        let steps = counted(plan.steps, "step");
        let how = format!(
            "{}: {steps}, {merge} to a clock, {}, sums by {adders}, ahead {precompute}, in {}",
            function.name,
            counted(stages, "stage"),
            model.title
        );
        out.push_str(&wrapped(&how, 0));
        let (pieces, alone) = match subject {
            Subject::Hash(_) => ("message", "one long message alone"),
            Subject::Rc5(_) => ("block", "a mode in which each block waits for the one before"),
        };
        let alone = format!(
            "that is with {} in flight; {alone} gets {} of it, a block each {} clocks",
            counted(self.messages, pieces),
            percent(self.single_message),
            plan.latency
        );
        out.push_str(&wrapped(&alone, 0));
        if let Subject::Rc5(_) = subject {
            out.push_str(&wrapped(
                "The key is expanded once for all blocks, and not here: the round keys are inputs, \
                 held in registers.",
                0,
            ));
        }
        self.table(&mut out);
        self.parts(&mut out);
        let kinds = plan.stages.iter().map(|stage| stage.kinds).max().unwrap_or(1);
        if kinds > 1 {
            let not_counted = format!(
                "A stage does up to {kinds} kinds of step: the multiplexers between them are not \
                 counted."
            );
            out.push_str(&wrapped(&not_counted, 0));
        }
        out
    }

    fn table(&self, out: &mut String) {
        writeln!(
            out,
            "\n  {:<6} {:<6} {:>9} {:>10} {:>12} {:>8} {:>7} {:>6} {:>10} {:>10}",
            "ADDERS",
            "AHEAD",
            "CLOCK",
            "BITS",
            "ABOVE BOUND",
            "LATENCY",
            "ADDERS",
            "3:2",
            "REGISTERS",
            "AREA"
        )
        .expect(INFALLIBLE);
        for line in &self.alternatives {
            let rate = line.rate.map_or_else(|| "-".to_owned(), |rate| format!("{rate:.4}"));
            let above = line.above_bound.map_or_else(|| "-".to_owned(), percent);
            writeln!(
                out,
                "{} {:<6} {:<6} {:>9.2} {rate:>10} {above:>12} {:>8} {:>7} {:>6} {:>10} {:>10}",
                if line.chosen { '*' } else { ' ' },
                line.adders,
                line.precompute,
                line.period,
                line.latency,
                line.carry_adders,
                line.compressors,
                cycles(line.register_bits as f64),
                cycles(line.area),
            )
            .expect(INFALLIBLE);
        }
        let legend = format!(
            "CLOCK is in {units}, BITS per {unit}, LATENCY in clocks, REGISTERS in bits, AREA in \
             the \
             model's units; 3:2 are rows of carry-save adders.",
            units = plural(&self.plan.unit),
            unit = self.plan.unit,
        );
        out.push_str(&wrapped(&legend, 0));
    }

    fn parts(&self, out: &mut String) {
        let parts = &self.plan.resources;
        writeln!(
            out,
            "\n  {:<40} {:>7} {:>6} {:>10} {:>10}",
            "WHAT IT IS BUILT OF", "ADDERS", "3:2", "REGISTERS", "AREA"
        )
        .expect(INFALLIBLE);
        for (name, part) in [
            ("the steps of all stages", parts.rounds),
            ("message words and their schedule", parts.message),
            ("round keys", parts.key),
            ("what is prepared ahead", parts.prepared),
            ("what follows the last step", parts.ending),
            ("all", parts.all),
        ] {
            // A hash has no key.
            if name == "round keys" && part.register_bits == 0 {
                continue;
            }
            writeln!(
                out,
                "  {name:<40} {:>7} {:>6} {:>10} {:>10}",
                part.adders,
                part.compressors,
                cycles(part.register_bits as f64),
                cycles(part.area)
            )
            .expect(INFALLIBLE);
        }
    }
}

/// The answer, which is the first line.
fn answer(subject: &Subject, plan: &HardwarePlan) -> String {
    let period = plan.period;
    let unit = &plan.unit;
    let units =
        |x: f64| format!("{} {}", number(x), if x == 1.0 { unit.clone() } else { plural(unit) });
    let registers = match period.register > 0.0 {
        true => format!(" ({} logic, {} registers)", number(period.logic), number(period.register)),
        false => String::new(),
    };
    let clock = format!("a clock of {}{registers}", units(period.total));
    let blocks = counted(plan.program.cycles_per_block, "clock");
    let rate = match rate(plan) {
        Some(rate) => format!("{rate:.2} bits per {unit}"),
        None => format!("no {unit} in its way"),
    };
    let above = match plan.above_bound() {
        Some(above) if above < 0.0005 => "; the logic is at the iteration bound".to_owned(),
        Some(above) => {
            format!("; the logic is {} above the iteration bound", percent(above))
        }
        None => String::new(),
    };
    format!("{subject}: {clock}, {blocks} per block, {rate}{above}")
}

/// The plural of a delay model's unit: gates are counted; `ns` is a symbol, which has no plural.
pub fn plural(unit: &str) -> String {
    if unit == "ns" { unit.to_owned() } else { format!("{unit}s") }
}
