//! The files of a program.

use super::readme::readme;
use super::{About, Cores, Made};
use std::fmt::Write;

/// The comment that a file begins with.
pub(super) fn head(about: &About<'_>, what: &str) -> String {
    let About { title, standard, command, .. } = about;
    let mut text = format!("; {title} ({standard}): {what}.\n");
    if let Some(warning) = about.warning {
        let _ = writeln!(text, "; {warning}");
    }
    let _ = writeln!(text, "; Made by: {command}\n; Assemble with: m68hc11-as -mm9s12x\n");
    text
}

/// XGATE's bytes as data in the CPU's part, which copies them to XGATE's RAM.
pub(super) fn image(p: &str, file: &str, bytes: &[u8]) -> String {
    let mut text = format!("\n; The bytes of {file}_xgate.s.\n{p}_xgate_image:\n");
    let mut even = bytes.to_vec();
    even.resize(bytes.len().next_multiple_of(2), 0);
    for row in even.chunks(16) {
        let row: Vec<String> = row.iter().map(|byte| format!("0x{byte:02x}")).collect();
        let _ = writeln!(text, "        .byte   {}", row.join(","));
    }
    let _ = writeln!(text, "{p}_xgate_image_end:");
    text
}

/// The files of a program, as paths and contents.
pub(super) fn files(about: &About<'_>, cores: Cores, made: &Made) -> Vec<(String, String)> {
    let p = about.prefix;
    let mut files = vec![
        ("README.md".to_owned(), readme(about, cores, made)),
        (format!("include/{p}.h"), made.header.clone()),
        (format!("src/{p}.s"), made.cpu.clone()),
        (format!("src/{p}_selftest.s"), made.selftest.clone()),
        (format!("{p}.ld"), script(made)),
    ];
    if let Some(xgate) = &made.xgate {
        files.push((format!("src/{p}_xgate.s"), xgate.clone()));
    }
    files
}

/// The script with which GNU ld links the sources to the bytes of the S-records.
fn script(made: &Made) -> String {
    format!("SECTIONS {{ .text 0x{:04x} : {{ *(.text) }} }}\n", made.layout.code)
}
