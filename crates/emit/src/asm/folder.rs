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

/// XGATE's bytes as data of the CPU, which copies them.
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

/// The declarations for C: what is in a context, and the functions.
pub(super) fn header(about: &About<'_>, cores: Cores, contents: &str, functions: &str) -> String {
    let About { title, standard, command, prefix: p, .. } = about;
    let upper = p.to_uppercase();
    let warning = about.warning.map_or(String::new(), |warning| format!(" * {warning}\n"));
    let xgate = match cores {
        Cores::Cpu => String::new(),
        Cores::Xgate | Cores::Both => format!(
            r#"
/* Copies XGATE's code into its RAM and starts XGATE, with software trigger 0. To be called once,
 * before the other functions. RPAGE must be as after a reset whenever one of them runs. */
void {p}_xgate_init(void);
"#
        ),
    };
    format!(
        r#"/* {title} ({standard}): the header.
{warning} * Made by: {command} */
#ifndef {upper}_H
#define {upper}_H

#include <stdint.h>

{contents}
typedef struct {{
    uint8_t bytes[{upper}_CONTEXT_BYTES];
}} {p}_ctx;
{xgate}{functions}
/* 0 if the known answers are right, else the number of the first wrong one. */
uint16_t {p}_self_test(void);

#endif
"#
    )
}

/// The files: paths and contents.
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
