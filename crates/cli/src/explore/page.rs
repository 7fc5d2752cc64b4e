//! What was explored, as a drawing and a page.

use super::{Answer, Shape};
use crate::page::scatter::{Kind, Point, Scatter};
use crate::page::table::{Column, Row, Table};
use crate::page::{Html, Page, Section, thousands};
use crate::synth::table::{clock, shape};
use manylane_synth::Measured;

/// Throughput against area.
pub fn scatter(answer: &Answer) -> Scatter {
    let point = |shape_: &Shape| {
        let measured = shape_.measured.as_ref()?;
        let kind = match (shape_.recommended, shape_.best) {
            (true, _) => Kind::Chosen,
            (false, true) => Kind::Best,
            (false, false) => Kind::Beaten,
        };
        Some(Point { x: measured.area.value, y: measured.mbps, label: shape(measured), kind })
    };
    let peers = answer.peers.cores.iter().map(|peer| Point {
        x: peer.area,
        y: peer.mbps,
        label: peer.name.clone(),
        kind: Kind::Peer,
    });
    let claims = answer.peers.claims.iter().map(|claim| (claim.mbps, claim.name.clone()));
    Scatter {
        x_title: unit(answer).to_owned(),
        y_title: "Mbit/s, a message in every stage".to_owned(),
        points: answer.shapes.iter().filter_map(point).chain(peers).collect(),
        levels: claims.collect(),
    }
}

fn measured(answer: &Answer) -> impl Iterator<Item = (&Shape, &Measured)> {
    answer.shapes.iter().filter_map(|shape| Some((shape, shape.measured.as_ref()?)))
}

fn unit(answer: &Answer) -> &str {
    measured(answer).next().map_or("", |(_, measured)| &measured.area.unit)
}

/// The file.
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
        section(
            "Throughput against area",
            "Point at a dot to read it. Grey: another is as small and as fast. Green: recommended. \
             Orange: cores of others. Lines: claims without an area, on another chip.",
            drawn,
        ),
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
    let row = |(shape_, measured): (&Shape, &Measured)| {
        let number = |x: f64| thousands(x.round() as usize);
        let cells = &measured.cells;
        let cells = vec![
            shape(measured),
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
