//! Figures in a core's folder.

use super::table::clock;
use anyhow::Context;
use manylane_answers::json;
use manylane_files::system::staged::failed_at;
use manylane_pages::thousands;
use manylane_synth::{CoreFigures, Sums, read_text};
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// The file of all figures.
const FILE: &str = "synth.json";
const README: &str = "README.md";
/// The section of the README.
const BEGIN: &str = "<!-- measured -->";
const END: &str = "<!-- end of measured -->";

/// Whether figures can be added to a folder: its files are readable, and others can be made.
///
/// # Errors
/// If they cannot be added. It is better to know this before tools run for minutes.
pub fn check(folder: &Path) -> anyhow::Result<()> {
    known(folder)?;
    readme(folder)?;
    let probe = beside(&folder.join(FILE));
    fs::write(&probe, "")
        .and_then(|()| fs::remove_file(&probe))
        .with_context(|| format!("{}: cannot take figures", folder.display()))
}

/// Adds figures to those of the folder, in place of older ones of the same target and handling of
/// sums.
pub fn update(folder: &Path, measured: &CoreFigures) -> anyhow::Result<()> {
    let mut all = known(folder)?;
    all.retain(|other| (other.target, other.sums) != (measured.target, measured.sums));
    all.push(measured.clone());
    all.sort_by_key(|measured| (measured.target.name(), measured.sums as u8));
    write(&folder.join(FILE), &json(&all)?)?;
    write(&folder.join(README), &with_section(&readme(folder)?, &section(&all)))
}

/// The figures that the folder has.
fn known(folder: &Path) -> anyhow::Result<Vec<CoreFigures>> {
    let file = folder.join(FILE);
    let text = text(&file)?;
    if text.is_empty() {
        return Ok(Vec::new());
    }
    serde_json::from_str(&text).with_context(|| {
        format!("{}: has no figures of `manylane synth`; move it away", file.display())
    })
}

fn readme(folder: &Path) -> anyhow::Result<String> {
    text(&folder.join(README))
}

/// A file's text; nothing if there is no file. What cannot be read must not be written over.
fn text(file: &Path) -> anyhow::Result<String> {
    match read_text(file) {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(String::new()),
        other => other.map_err(failed_at(file)),
    }
}

/// Writes a file, whole or not at all.
fn write(file: &Path, text: &str) -> anyhow::Result<()> {
    let beside = beside(file);
    fs::write(&beside, text).and_then(|()| fs::rename(&beside, file)).map_err(failed_at(file))
}

/// The temporary path at which a file is written before it is renamed.
fn beside(file: &Path) -> PathBuf {
    file.with_extension(format!("{}.tmp", std::process::id()))
}

/// Replaces the section in a text, or appends it.
fn with_section(text: &str, section: &str) -> String {
    let (before, after) = match text.split_once(BEGIN) {
        Some((before, rest)) => (before, rest.split_once(END).map_or("", |(_, after)| after)),
        None => (text, "\n"),
    };
    format!("{}\n\n{BEGIN}\n{section}{END}{after}", before.trim_end())
}

fn section(all: &[CoreFigures]) -> String {
    let mut out = "## CoreFigures\n\nBy `manylane synth`, without the harness; the clock is the \
                   median over seeds of place and \
         route, and how far any lies from it.\n\n\
         | target | area | LUT4 | carries | flip-flops | RAM | MHz | Mbit/s | one message alone | \
         tools |\n\
         |---|--:|--:|--:|--:|--:|--:|--:|--:|---|\n"
        .to_owned();
    for measured in all {
        let CoreFigures { cells, area, .. } = measured;
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
