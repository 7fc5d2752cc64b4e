//! The result of an exploration as a drawing and a page.

use super::answer::{Answer, Shape};
use crate::synth::table::clock;
use manylane_pages::scatter::{GuideLine, Point, PointKind, Scatter};
use manylane_pages::table::{Column, Row, Table};
use manylane_pages::{Html, Page, Section, thousands};
use manylane_plan::hardware::Options;
use manylane_synth::CoreFigures;
use manylane_synth::explore::Goal;

/// Throughput against area.
pub fn scatter(answer: &Answer) -> Scatter {
    let point = |(shape_, measured): (&Shape, &CoreFigures)| {
        let kind = match (shape_.recommended, shape_.best) {
            (true, _) => PointKind::Chosen,
            (false, true) => PointKind::Best,
            (false, false) => PointKind::Beaten,
        };
        let (x, y, label) = (measured.area.value, measured.mbps, measured.shape());
        let about = about(&label, x, &measured.area.unit, y);
        Point { x, y, label, about, kind, published: Options::PAPERS.contains(&measured.options) }
    };
    let peers = answer.peers.cores.iter().map(|peer| Point {
        x: peer.area,
        y: peer.mbps,
        label: peer.name.clone(),
        about: about(&peer.name, peer.area, unit(answer), peer.mbps),
        kind: PointKind::Peer,
        published: false,
    });
    let claims = answer.peers.claims.iter().map(|claim| {
        let mbps = thousands(claim.mbps.round() as usize);
        (claim.mbps, format!("{}: {mbps} Mbit/s", claim.name))
    });
    Scatter {
        title: format!("{} in hardware: throughput against area", answer.title),
        lines: lines(answer),
        x_title: format!("area, {}", unit_in_words(unit(answer))),
        y_title: "throughput with a message in every stage, Mbit/s".to_owned(),
        points: measured(answer).map(point).chain(peers).collect(),
        levels: claims.collect(),
        guide: guide(answer),
        published: "the shapes of Michail et al., built here".to_owned(),
        reading: "K×P: K steps in one clock, P stages; how sums are made; what is computed ahead"
            .to_owned(),
    }
}

fn about(label: &str, area: f64, unit: &str, mbps: f64) -> String {
    let [area, mbps] = [area, mbps].map(|x| thousands(x.round() as usize));
    format!("{label}: {mbps} Mbit/s, {area} {unit}")
}

/// The result, and how it was made.
fn lines(answer: &Answer) -> Vec<String> {
    let made = measured(answer).next().map(|(_, measured)| {
        let clock = match measured.placed.len() {
            0 => "clock estimated from the longest path".to_owned(),
            1 => "clock of one seed".to_owned(),
            seeds => format!("clock the median of {seeds} seeds"),
        };
        format!("{}; {clock}", measured.tools.join(", "))
    });
    std::iter::once(answer.answer.clone()).chain(made).collect()
}

fn guide(answer: &Answer) -> Option<GuideLine> {
    let number = |x: f64| thousands(x.round() as usize);
    let unit = unit(answer);
    match answer.goal {
        Goal::Budget(most) => {
            Some(GuideLine::Right(most, format!("at most {} {unit}", number(most))))
        }
        Goal::Throughput(least) => {
            Some(GuideLine::Up(least, format!("at least {} Mbit/s", number(least))))
        }
        Goal::Efficiency => {
            let (_, chosen) = measured(answer).find(|(shape, _)| shape.recommended)?;
            let name = format!("{} kbit/s per {unit}", number(chosen.efficiency()));
            Some(GuideLine::Ratio(chosen.mbps / chosen.area.value, name))
        }
    }
}

fn unit_in_words(unit: &str) -> &str {
    match unit {
        "LC" => "logic cells (LC)",
        "LUT4" => "tables of four inputs (LUT4)",
        "GE" => "gate equivalents (GE)",
        other => other,
    }
}

fn measured(answer: &Answer) -> impl Iterator<Item = (&Shape, &CoreFigures)> {
    answer.shapes.iter().filter_map(|shape| Some((shape, shape.measured.as_ref()?)))
}

fn unit(answer: &Answer) -> &str {
    measured(answer).next().map_or("", |(_, measured)| &measured.area.unit)
}

/// The page as one file.
pub fn page(answer: &Answer) -> String {
    let section = |heading: &str, lead: &str, body: Html| Section {
        heading: heading.to_owned(),
        lead: lead.to_owned(),
        body,
    };
    let cited = |name: &str, source: &str| format!("{name}: {source}");
    let cores = answer.peers.cores.iter().map(|peer| cited(&peer.name, &peer.source));
    let claims = answer.peers.claims.iter().map(|claim| cited(&claim.name, &claim.source));
    let sources: Vec<String> = cores.chain(claims).collect();
    let drawn = scatter(answer).html();
    let drawn = if sources.is_empty() { drawn } else { drawn.then(&Html::list(&sources)) };
    let sections = vec![
        section("Throughput against area", "Point at a mark to read it.", drawn),
        section("Shapes", "K×P is K steps in one clock and P stages.", table(answer).html()),
    ];
    let page = Page {
        title: format!("{}: shapes of a core", answer.title),
        answer: answer.answer.clone(),
        sections,
        made_by: answer.command.clone(),
    };
    page.render()
}

fn table(answer: &Answer) -> Table {
    let numbers = [unit(answer), "LUT4", "carries", "flip-flops", "MHz", "Mbit/s", "one alone"];
    let columns = std::iter::once(Column::text("shape"));
    let columns = columns.chain(numbers.into_iter().map(Column::number));
    let row = |(shape_, measured): (&Shape, &CoreFigures)| {
        let number = |x: f64| thousands(x.round() as usize);
        let cells = &measured.cells;
        let cells = vec![
            measured.shape(),
            number(measured.area.value),
            thousands(cells.luts as usize),
            thousands(cells.carries as usize),
            thousands(cells.flip_flops as usize),
            clock(measured),
            number(measured.mbps),
            number(measured.mbps_alone),
        ];
        Row { cells, emphasised: shape_.recommended }
    };
    Table { columns: columns.collect(), rows: measured(answer).map(row).collect() }
}
