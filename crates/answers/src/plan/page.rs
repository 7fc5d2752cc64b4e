//! A plan for two cores as a page.

use super::answer::{Answer, CandidateLine};
use super::cores::{CoreLine, KindLine};
use super::emitted::Emitted;
use super::format::percent;
use super::text;
use manylane_build::predicted::MessageTimes;
use manylane_build::split::SplitPart;
use manylane_graph::Function;
use manylane_graph::analysis::Timing;
use manylane_pages::explain::html::step_graph;
use manylane_pages::schedule::gantt;
use manylane_pages::table::{self, Column, Row, Table};
use manylane_pages::{Html, Page, Section, bars, thousands};

/// The page, as the text of one file of HTML.
pub fn page(answer: &Answer, function: &Function, made_by: &str) -> String {
    let section = |heading: &str, lead: &str, body: Html| Section {
        heading: heading.to_owned(),
        lead: lead.to_owned(),
        body,
    };
    let names = answer.cores.iter().map(|core| core.name.clone()).collect();
    let chart = gantt(&answer.schedule, names);
    let does = |core: &CoreLine| format!("{}: {}", core.name, core.does.join(", "));
    let does: Vec<String> = answer.cores.iter().map(does).collect();
    let mut reasons = vec![answer.reason.clone()];
    if answer.cores.len() > 1 {
        reasons.push(text::limit(&answer.limit));
    }
    reasons.extend(answer.units_limit.answer.clone());
    reasons.extend(answer.platform.costs());
    if let Some(why) = &answer.operations_only {
        reasons.push(format!("only operations are priced: {why}"));
    }
    let profile = Timing::unit(function).width_profile(function);
    let programs = answer.emitted.as_ref().map(|emitted| {
        let mut lead = emitted.about(answer.length.is_none());
        lead.extend(emitted.of_words().map(|words| format!(". {words}")));
        section("What the emitted programs take", &lead, programs(emitted, &answer.cores))
    });
    let split = answer.emitted.as_ref().filter(|emitted| !emitted.split.is_empty());
    let split = split.map(|emitted| {
        section(
            "Who does what in a block of the emitted C",
            "Parts in their order, each with the steps of either core.",
            split_of(emitted, &answer.cores),
        )
    });
    let of_operations = vec![
        section(
            "Plans of the operations against their limit",
            "Priced are operations and hand-overs, not loads, stores, spills and calls: parts \
             saved are parts of the operations' time. The limit charges no handshake: the longest \
             chain of operations with each on its faster core, or all operations divided over both \
             cores, whichever takes longer.",
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
    let sections = programs.into_iter().chain(split).chain(of_operations).collect();
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

fn programs(emitted: &Emitted, cores: &[CoreLine]) -> Html {
    let number = |title: &str| Column::number(title);
    let mut columns = vec![number("bytes"), number("one core, cycles")];
    let has_other = emitted.message().other_core.is_some();
    if has_other {
        columns = vec![number("bytes"), number(&format!("{}, cycles", cores[0].name))];
        columns.push(number(&format!("{}, cycles", cores[1].name)));
    }
    columns.extend([number("two cores, cycles"), number("saved")]);
    let row = |line: &MessageTimes| {
        let MessageTimes { length, one_core, other_core, two_cores, saved, .. } = line;
        let mut cells = vec![thousands(*length), text::cycles(one_core.cycles)];
        cells.extend(other_core.map(|of| text::cycles(of.cycles)));
        cells.push(two_cores.map_or("no split".to_owned(), |of| text::cycles(of.cycles)));
        cells.push(percent(*saved));
        Row { cells, emphasised: line.length == emitted.message().length }
    };
    Table { columns, rows: emitted.messages.iter().map(row).collect() }.html()
}

/// What each core does in a call of the emitted program, all of it.
fn split_of(emitted: &Emitted, cores: &[CoreLine]) -> Html {
    let lines = emitted.split.iter().flat_map(|part| {
        let SplitPart { times, cores: steps } = part;
        let before = match times {
            1 => String::new(),
            _ => format!("{times} times, of which the first is: "),
        };
        let line = move |(core, steps): (&CoreLine, &Vec<String>)| {
            format!("{before}{}: {}", core.name, steps.join(", "))
        };
        cores.iter().zip(steps).map(line)
    });
    Html::list(&lines.collect::<Vec<_>>())
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
    let cycles = text::cycles;
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
