//! The result of an exploration as text for people.

use super::answer::{Answer, Shape};
use crate::synth::table::clock;
use manylane_pages::thousands;
use manylane_plan::hardware::Options;
use manylane_synth::explore::{Candidate, Goal};
use manylane_synth::{CoreFigures, Target};
use serde_json::json;
use std::fmt::Write;

/// The shapes that would be built, for people or as JSON.
pub fn planned(shapes: &[Candidate], target: Target, json: bool) -> serde_json::Result<String> {
    if json {
        let shape = |shape: &Candidate| {
            let Candidate { predicted, core } = shape;
            let (command, options) = (&core.sheet.command, &core.sheet.options);
            json!({ "command": command, "options": options, "predicted": predicted })
        };
        let shapes: Vec<_> = shapes.iter().map(shape).collect();
        return Ok(serde_json::to_string_pretty(&json!({ "shapes": shapes }))? + "\n");
    }
    let mut out = format!("{} shapes would be built for {}:\n", shapes.len(), target.title());
    for shape in shapes {
        let Options { merge, stages, adders, precompute } = shape.core.sheet.options;
        let _ = writeln!(
            out,
            "  --merge {merge} --stages {stages} --adders {adders} --precompute {precompute}"
        );
    }
    Ok(out)
}

/// The first line, which has the answer.
pub fn answer(goal: Goal, target: Target, chosen: Option<&CoreFigures>) -> String {
    let wanted = match goal {
        Goal::Budget(area) => format!("at most {}", thousands(area as usize)),
        Goal::Throughput(mbps) => format!("at least {} Mbit/s", thousands(mbps as usize)),
        Goal::Efficiency => "the most Mbit/s per area".to_owned(),
    };
    let chip = target.title();
    let Some(chosen) = chosen else { return format!("{chip}, {wanted}: no shape is that good") };
    format!(
        "{chip}, {wanted}: {} gives {} Mbit/s at {:.1} MHz in {} {}",
        chosen.shape(),
        thousands(chosen.mbps.round() as usize),
        chosen.mhz,
        thousands(chosen.area.value.round() as usize),
        chosen.area.unit,
    )
}

/// The answer, the table, and how well it was predicted.
pub fn text(answer: &Answer) -> String {
    let mut out = format!("{}: {}\n", answer.primitive, answer.answer);
    if let Some(shape) = answer.shapes.iter().find(|shape| shape.recommended) {
        let _ = writeln!(out, "  {}", shape.command);
    }
    let measured = answer.shapes.iter().filter_map(|shape| shape.measured.as_ref());
    if let Some(first) = measured.clone().next() {
        let _ = writeln!(
            out,
            "\n  {:<18} {:>8} {:>7} {:>6} {:>12} {:>9} {:>8} {:>10}",
            "SHAPE",
            first.area.unit,
            "LUT4",
            "FF",
            "MHZ",
            "MBIT/S",
            "ALONE",
            format!("KBIT/S/{}", first.area.unit)
        );
    }
    for shape in &answer.shapes {
        row(&mut out, shape);
    }
    for peer in &answer.peers.cores {
        let (area, mbps) = (thousands(peer.area as usize), thousands(peer.mbps as usize));
        let _ = writeln!(out, "  {:<30} {area:>8} {:>12} {mbps:>9}", peer.name, "");
    }
    for shape in &answer.shapes {
        if let Some(why) = &shape.failed {
            let _ = writeln!(out, "not built: {}: {why}", shape.command);
        }
    }
    let coefficient =
        |value: Option<f64>| value.map_or_else(|| "-".to_owned(), |value| format!("{value:.2}"));
    let agreement = &answer.agreement;
    let _ = writeln!(
        out,
        "\nThe planner's order beside this one (Spearman's coefficient, 1 is the same): throughput \
         {}, \
         area {}",
        coefficient(agreement.throughput),
        coefficient(agreement.area)
    );
    out
}

fn row(out: &mut String, shape_: &Shape) {
    let Some(measured) = &shape_.measured else { return };
    let mark = match (shape_.recommended, shape_.best) {
        (true, _) => '>',
        (false, true) => '*',
        (false, false) => ' ',
    };
    let number = |x: f64| thousands(x.round() as usize);
    let _ = writeln!(
        out,
        "{mark} {:<18} {:>8} {:>7} {:>6} {:>12} {:>9} {:>8} {:>10.0}",
        measured.shape(),
        number(measured.area.value),
        thousands(measured.cells.luts as usize),
        thousands(measured.cells.flip_flops as usize),
        clock(measured),
        number(measured.mbps),
        number(measured.mbps_alone),
        measured.efficiency(),
    );
}
