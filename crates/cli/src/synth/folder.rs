//! Figures in a core's folder.

use super::table::clock;
use crate::page::thousands;
use anyhow::Context;
use manylane_synth::{Measured, Sums};
use std::fs;
use std::path::Path;

/// The file of all figures.
const FILE: &str = "synth.json";
/// The section of the README.
const BEGIN: &str = "<!-- measured -->";
const END: &str = "<!-- end of measured -->";

/// Adds figures to those that the folder has, in place of older ones of the same target.
pub fn update(folder: &Path, measured: &Measured) -> anyhow::Result<()> {
    let file = folder.join(FILE);
    let known = fs::read(&file).ok().and_then(|text| serde_json::from_slice(&text).ok());
    let mut all: Vec<Measured> = known.unwrap_or_default();
    all.retain(|other| (other.target, other.sums) != (measured.target, measured.sums));
    all.push(measured.clone());
    all.sort_by_key(|measured| (measured.target.name(), measured.sums as u8));
    write(&file, &(serde_json::to_string_pretty(&all)? + "\n"))?;
    let readme = folder.join("README.md");
    let text = fs::read_to_string(&readme).unwrap_or_default();
    write(&readme, &with_section(&text, &section(&all)))
}

/// Writes a file, whole or not at all.
fn write(file: &Path, text: &str) -> anyhow::Result<()> {
    let beside = file.with_extension(format!("{}.tmp", std::process::id()));
    fs::write(&beside, text)
        .and_then(|()| fs::rename(&beside, file))
        .with_context(|| file.display().to_string())
}

/// A text with the section in place of the one that it has, or at its end.
fn with_section(text: &str, section: &str) -> String {
    let (before, after) = match text.split_once(BEGIN) {
        Some((before, rest)) => (before, rest.split_once(END).map_or("", |(_, after)| after)),
        None => (text, "\n"),
    };
    format!("{}\n\n{BEGIN}\n{section}{END}{after}", before.trim_end())
}

fn section(all: &[Measured]) -> String {
    let mut out = "## Measured\n\nBy `manylane synth`, without the harness; the clock is the median over seeds of place and \
         route, and how far any lies from it.\n\n\
         | target | area | LUT4 | carries | flip-flops | RAM | MHz | Mbit/s | one message alone | tools |\n\
         |---|--:|--:|--:|--:|--:|--:|--:|--:|---|\n"
        .to_owned();
    for measured in all {
        let Measured { cells, area, .. } = measured;
        let sums = match measured.sums {
            Sums::AsWritten => "",
            Sums::Fused => ", sums fused",
        };
        let number = |x: f64| thousands(x.round() as usize);
        out += &format!(
            "| {}{sums} | {} {} | {} | {} | {} | {} | {} | {} | {} | {} |\n",
            measured.target.title(),
            number(area.value),
            area.unit,
            cells.luts,
            cells.carries,
            cells.flip_flops,
            cells.rams,
            clock(measured),
            number(measured.mbps),
            number(measured.mbps_alone),
            measured.tools.join(", "),
        );
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_section_is_replaced_and_nothing_else() {
        let once = with_section("# Core\n\nText.\n", "one\n");
        assert_eq!(once, format!("# Core\n\nText.\n\n{BEGIN}\none\n{END}\n"));
        let more = once + "\n## After\n";
        let twice = with_section(&more, "two\n");
        assert_eq!(twice, format!("# Core\n\nText.\n\n{BEGIN}\ntwo\n{END}\n\n## After\n"));
    }
}
