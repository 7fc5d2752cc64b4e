//! A schedule of two cores as a chart.

use super::gantt::{Arrow, Bar, Gantt};
use manylane_plan::schedule::{Placement, Schedule};

/// The most bars of a chart. If there are more, bars that follow each other are drawn as one.
const BARS: usize = 2000;

/// The chart of a schedule, with the names of its cores.
pub fn gantt(schedule: &Schedule, cores: Vec<String>) -> Gantt {
    let mut placements: Vec<&Placement> =
        schedule.placements.iter().filter(|p| p.time.end > p.time.start).collect();
    placements.sort_by(|a, b| {
        a.core.cmp(&b.core).then(a.time.start.total_cmp(&b.time.start)).then(a.unit.cmp(&b.unit))
    });
    let names: Vec<Vec<&str>> = placements.iter().map(|p| p.name.split('/').collect()).collect();
    let deepest = names.iter().map(Vec::len).max().unwrap_or(1);
    // The deepest level of steps is drawn at which there are at most `BARS` bars.
    let bars = (1..=deepest).rev().map(|depth| merged(&placements, &names, depth));
    let mut last = Vec::new();
    for bars in bars {
        last = bars;
        if last.len() <= BARS {
            break;
        }
    }
    let arrows = schedule.handshakes.iter().map(|handshake| Arrow {
        from: handshake.from,
        to: 1 - handshake.from,
        time: handshake.receive.start,
    });
    Gantt { cores, bars: last, arrows: arrows.collect(), unit: "cycles".to_owned() }
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
