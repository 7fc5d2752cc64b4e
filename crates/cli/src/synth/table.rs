//! Figures for people.

use manylane_pages::thousands;
use manylane_synth::CoreFigures;
use std::fmt::Write;

/// The clock and how far its seeds lie from it: `96.7 ±3.1`.
pub fn clock(measured: &CoreFigures) -> String {
    let far = measured.placed.iter().map(|placed| (placed.mhz - measured.mhz).abs());
    match far.reduce(f64::max) {
        Some(far) if measured.placed.len() > 1 => format!("{:.1} ±{far:.1}", measured.mhz),
        _ => format!("{:.1}", measured.mhz),
    }
}

/// A table, and the notes on some of its lines.
pub fn text(results: &[&CoreFigures]) -> String {
    let Some(first) = results.first() else { return String::new() };
    let mut out = format!("{}, {}\n\n", first.target.title(), first.tools.join(", "));
    let unit = &first.area.unit;
    let _ = writeln!(
        out,
        "{:<14} {:<18} {unit:>7} {:>7} {:>6} {:>6} {:>4} {:>12} {:>9} {:>8}",
        "CORE", "SHAPE", "LUT4", "CARRY", "FF", "RAM", "MHZ", "MBIT/S", "ALONE"
    );
    for measured in results {
        let CoreFigures { cells, area, module, .. } = measured;
        let count = |n: u64| thousands(n as usize);
        let _ = writeln!(
            out,
            "{module:<14} {:<18} {:>7} {:>7} {:>6} {:>6} {:>4} {:>12} {:>9} {:>8}",
            measured.shape(),
            thousands(area.value.round() as usize),
            count(cells.luts),
            count(cells.carries),
            count(cells.flip_flops),
            count(cells.rams),
            clock(measured),
            thousands(measured.mbps.round() as usize),
            thousands(measured.mbps_alone.round() as usize),
        );
    }
    energy(&mut out, results);
    for measured in results {
        let elsewhere = measured.placed.iter().filter(|placed| !placed.limited_by_core()).count();
        if elsewhere > 0 {
            let (core, seeds) = (&measured.module, measured.placed.len());
            let _ = writeln!(
                out,
                "{core}: with {elsewhere} of {seeds} seeds the harness is slower than the core"
            );
        }
    }
    out
}

/// The switching activity of the cores that were simulated.
fn energy(out: &mut String, results: &[&CoreFigures]) {
    let simulated: Vec<_> =
        results.iter().filter_map(|measured| Some((measured, measured.energy?))).collect();
    if simulated.is_empty() {
        return;
    }
    let _ = writeln!(
        out,
        "\n{:<14} {:<18} {:>12} {:>10} {:>10} {:>10}",
        "CORE", "SHAPE", "PER BLOCK", "REGISTERS", "GLITCHES", "CLOCK"
    );
    for (measured, energy) in simulated {
        let part = |part: f64| format!("{:.0} %", 100.0 * part / energy.per_block);
        let _ = writeln!(
            out,
            "{:<14} {:<18} {:>12} {:>10} {:>10} {:>10}",
            measured.module,
            measured.shape(),
            thousands(energy.per_block.round() as usize),
            part(energy.registers),
            part(energy.glitches),
            part(energy.clock),
        );
    }
    out.push_str(
        "Changes of signals times load, a proxy; the clock's, at the flip-flops, come on top.\n",
    );
}
