//! The declarations for C, around the functions of a program.

use super::{About, Cores};

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
