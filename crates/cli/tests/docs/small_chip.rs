//! The table of `docs/hardware.md` of cores on an iCE40, made of the newest record of
//! `tools/synth-ice40.sh`.

use crate::{newest, thousands};
use serde_json::Value;
use std::fmt::Write;

/// The cores that fit, and then those that do not and why.
pub fn table() -> String {
    let Some(record) = newest("-ice40.json") else {
        return "There is no record yet: `tools/synth-ice40.sh --record` makes it.".to_owned();
    };
    let mut out = String::from(
        "| core | adders, ahead | LC | flip-flops | MHz (seeds) | Mbit/s | one alone |\n\
         |---|---|--:|--:|--:|--:|--:|\n",
    );
    let list = |value: &Value| value.as_array().unwrap_or_else(|| panic!("{value}")).clone();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    for row in list(&record["results"]) {
        assert_eq!(row["target"], "ice40-hx8k");
        let number = |value: &Value| value.as_f64().unwrap();
        let whole = |value: &Value| thousands(number(value).round() as usize);
        let placed = list(&row["placed"]);
        let clocks = placed.iter().map(|seed| number(&seed["mhz"]));
        let (least, most) =
            clocks.fold((f64::INFINITY, 0.0_f64), |(a, b), mhz| (a.min(mhz), b.max(mhz)));
        writeln!(
            out,
            "| {} | {}, `{}` | {} | {} | {:.1} ({least:.1} to {most:.1}) | {} | {} |",
            text(&row["primitive"]),
            text(&row["options"]["adders"]),
            text(&row["options"]["precompute"]),
            whole(&row["area"]["value"]),
            whole(&row["cells"]["flip_flops"]),
            number(&row["mhz"]),
            whole(&row["mbps"]),
            whole(&row["mbps_alone"]),
        )
        .unwrap();
    }
    out.push_str("\nThe chip has no room for these:\n\n");
    for failed in list(&record["failed"]) {
        assert_eq!(failed["does_not_fit"], true, "{failed}");
        let why = text(&failed["why"]);
        let (core, why) = why.split_once(" does not fit ice40-hx8k: ").unwrap();
        writeln!(out, "- {core}: {why};").unwrap();
    }
    let end = out.trim_end_matches([';', '\n']).len();
    out.truncate(end);
    out + "."
}
