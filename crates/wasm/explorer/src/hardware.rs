//! Shapes of a core by prediction: no synthesis runs in a page.

use crate::primitive::Primitive;
use crate::{Answer, json, pieces};
use manylane_graph::part::Subject;
use manylane_pages::svg::number;
use manylane_pages::table::{Column, Row, Table};
use manylane_pages::{Html, Page, Section, thousands};
use manylane_plan::hardware::{Adders, DelayModel, HardwarePlan, Options, Precompute, plan};
use serde::Serialize;

/// The figures of the fastest shape.
#[derive(Serialize)]
struct Figures {
    model: String,
    unit: String,
    period: f64,
    clocks_per_block: usize,
    latency: usize,
    messages: usize,
    area: f64,
}

pub fn shapes(name: &str, model: &str, merge: usize, stages: usize) -> Answer {
    let primitive = Primitive::named(name)?;
    let subject = primitive.subject();
    if let Subject::Rc5(params) = &subject
        && params.rounds() < 2
    {
        return Err(
            format!("{subject} has fewer than two rounds: hardware is planned for more").into()
        );
    }
    let model = DelayModel::load(model)?;
    let function = subject.block_function();
    let mut plans = Vec::new();
    for adders in Adders::ALL {
        for precompute in Precompute::ALL {
            let options = Options { merge, stages, adders, precompute };
            plans.push(plan(&function, &options, &model)?);
        }
    }
    // The fastest, of equals the smallest, of equals the simplest.
    let order = |a: &&HardwarePlan, b: &&HardwarePlan| {
        let smaller = a.resources.all.area.total_cmp(&b.resources.all.area);
        a.period.total.total_cmp(&b.period.total).then(smaller)
    };
    let best = plans.iter().min_by(order).ok_or_else(|| "there are no shapes".to_owned())?;
    let clocks = best.program.cycles_per_block;
    let unit = &best.unit;
    let figures = Figures {
        model: model.name.clone(),
        unit: unit.clone(),
        period: best.period.total,
        clocks_per_block: clocks,
        latency: best.latency,
        messages: best.messages(),
        area: best.resources.all.area,
    };
    let rate = match best.rate() {
        rate if rate.is_finite() => format!(", {rate:.2} bits per {unit}"),
        _ => String::new(),
    };
    let own = match primitive {
        Primitive::Of(_) => String::new(),
        Primitive::Hmac(hash) => format!(
            "{primitive} has no core of its own: one of {hash} computes both hashes, one after the \
             other. "
        ),
    };
    let plural = |n: usize| if n == 1 { "" } else { "s" };
    let Options { adders, precompute, .. } = best.program.options;
    let page = Page {
        title: format!("{} as a core, in {}", subject.title(), model.title),
        answer: format!(
            "{own}{subject}: a clock of {} {unit}, {clocks} clock{} per block{rate}; sums by \
             {adders}, ahead {precompute}",
            number(best.period.total),
            plural(clocks),
        ),
        sections: vec![Section {
            heading: "Shapes of this core".to_owned(),
            lead: format!(
                "{merge} step{} to a clock, {stages} stage{}. The clock is in the model's units, \
                 latency in clocks, registers in bits; 3:2 are rows of carry-save adders. \
                 Predicted, not synthesised.",
                plural(merge),
                plural(stages)
            ),
            body: table(&plans, best),
        }],
        made_by: format!(
            "manylane plan {subject} --hardware --merge {merge} --stages {stages} --delay {}",
            model.name
        ),
    };
    json(&pieces(page, figures))
}

fn table(plans: &[HardwarePlan], best: &HardwarePlan) -> Html {
    let numbers =
        ["clock", "bits per unit", "latency", "in flight", "adders", "3:2", "registers", "area"];
    let mut columns = vec![Column::text("adders"), Column::text("ahead")];
    columns.extend(numbers.map(Column::number));
    let row = |plan: &HardwarePlan| {
        let rate = plan.rate();
        let all = &plan.resources.all;
        let cells = vec![
            plan.program.options.adders.to_string(),
            plan.program.options.precompute.to_string(),
            number(plan.period.total),
            if rate.is_finite() { format!("{rate:.3}") } else { "-".to_owned() },
            plan.latency.to_string(),
            plan.messages().to_string(),
            all.adders.to_string(),
            all.compressors.to_string(),
            thousands(all.register_bits as usize),
            thousands(all.area.round() as usize),
        ];
        Row { cells, emphasised: std::ptr::eq(plan, best) }
    };
    Table { columns, rows: plans.iter().map(row).collect() }.html()
}
