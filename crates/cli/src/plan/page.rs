//! A plan for two cores as a page.

use super::answer::{Answer, CandidateLine};
use super::cores::{CoreLine, KindLine};
use super::format::percent;
use super::text;
use crate::explain::html::step_graph;
use crate::page::gantt::{Arrow, Bar, Gantt};
use crate::page::table::{self, Column, Row, Table};
use crate::page::{Html, Page, Section, bars, thousands};
use manylane_graph::Function;
use manylane_graph::analysis::Timing;
use manylane_plan::schedule::Placement;

/// The file.
pub fn page(answer: &Answer, function: &Function, made_by: &str) -> String {
    let section = |heading: &str, lead: &str, body: Html| Section {
        heading: heading.to_owned(),
        lead: lead.to_owned(),
        body,
    };
    let chart = gantt(answer);
    let does = |core: &CoreLine| format!("{}: {}", core.name, core.does.join(", "));
    let does: Vec<String> = answer.cores.iter().map(does).collect();
    let mut reasons = vec![answer.reason.clone()];
    if answer.cores.len() > 1 {
        reasons.push(text::limit(&answer.limit));
    }
    reasons.extend(answer.units_limit.answer.clone());
    reasons.extend(answer.platform.costs());
    let profile = Timing::unit(function).width_profile(function);
    let sections = vec![
        section(
            "Plans against the limit",
            "The limit charges no handshake: the longest chain of operations with each on its \
             faster \
             core, or all operations divided over both cores, whichever takes longer.",
            candidates(answer).then(&Html::list(&reasons)),
        ),
        section(
            "Who does what when",
            "Arrows are handshakes: what one core has computed so far becomes visible to the \
             other. \
             Point at a bar to read it; turn the wheel to zoom, drag to move.",
            chart.html().then(&Html::list(&does)),
        ),
        section("The cores in figures", "", cores(answer)),
        section(
            "Steps, and what they take from each other",
            "Each column begins after those it takes something from; after the last column of a \
             line \
             comes the first of the next.",
            step_graph(function).html(),
        ),
        section(
            "How many operations can run at each time",
            "Every operation takes 1 here and begins as soon as it can.",
            bars::profile(&profile),
        ),
    ];
    let Answer { title, what, platform, .. } = answer;
    let page = Page {
        title: format!("{title}, {what}, on {}", platform.title),
        answer: answer.answer.clone(),
        sections,
        made_by: made_by.to_owned(),
    };
    page.render()
}

fn candidates(answer: &Answer) -> Html {
    let candidate = |line: &CandidateLine| table::Candidate {
        name: format!(
            "{} ({} saved, {} handshakes)",
            line.name,
            percent(line.saved.saved),
            line.handshakes
        ),
        time: line.cycles,
        chosen: line.chosen,
    };
    let candidates: Vec<_> = answer.candidates.iter().map(candidate).collect();
    table::candidates(&candidates, answer.limit.cycles, "cycles")
}

fn cores(answer: &Answer) -> Html {
    let columns = vec![
        Column::text("core"),
        Column::number("busy, cycles"),
        Column::number("handshakes, cycles"),
        Column::number("idle, cycles"),
        Column::number("units"),
        Column::text("busiest with"),
    ];
    let cycles = |cycles: f64| thousands(cycles.round() as usize);
    let row = |core: &CoreLine| {
        let kind = |kind: &KindLine| format!("{} {}", percent(kind.cycles / core.busy), kind.name);
        let busiest: Vec<String> =
            core.busiest.iter().filter(|kind| kind.cycles > 0.0).take(2).map(kind).collect();
        let cells = vec![
            core.name.clone(),
            cycles(core.busy),
            cycles(core.handshakes),
            cycles(core.idle),
            thousands(core.units),
            busiest.join(", "),
        ];
        Row { cells, emphasised: false }
    };
    Table { columns, rows: answer.cores.iter().map(row).collect() }.html()
}

/// Most bars of a chart: more than this are drawn as one where they follow each other.
const BARS: usize = 2000;

fn gantt(answer: &Answer) -> Gantt {
    let mut placements: Vec<&Placement> =
        answer.schedule.placements.iter().filter(|p| p.time.end > p.time.start).collect();
    placements.sort_by(|a, b| {
        a.core.cmp(&b.core).then(a.time.start.total_cmp(&b.time.start)).then(a.unit.cmp(&b.unit))
    });
    let names: Vec<Vec<&str>> = placements.iter().map(|p| p.name.split('/').collect()).collect();
    let deepest = names.iter().map(Vec::len).max().unwrap_or(1);
    // As deep as the bars fit.
    let bars = (1..=deepest).rev().map(|depth| merged(&placements, &names, depth));
    let mut last = Vec::new();
    for bars in bars {
        last = bars;
        if last.len() <= BARS {
            break;
        }
    }
    let arrows = answer.schedule.handshakes.iter().map(|handshake| Arrow {
        from: handshake.from,
        to: 1 - handshake.from,
        time: handshake.receive.start,
    });
    Gantt {
        cores: answer.cores.iter().map(|core| core.name.clone()).collect(),
        bars: last,
        arrows: arrows.collect(),
        unit: "cycles".to_owned(),
    }
}

/// A bar for each run of units with the same path down to `depth`, without a pause between them.
fn merged(placements: &[&Placement], names: &[Vec<&str>], depth: usize) -> Vec<Bar> {
    let mut bars: Vec<Bar> = Vec::new();
    for (placement, name) in placements.iter().zip(names) {
        let label = name[..depth.min(name.len())].join("/");
        let time = placement.time;
        match bars.last_mut() {
            Some(bar)
                if bar.core == placement.core
                    && bar.label == label
                    && time.start - bar.end < 1e-6 =>
            {
                bar.end = time.end;
            }
            _ => bars.push(Bar { core: placement.core, start: time.start, end: time.end, label }),
        }
    }
    bars
}
