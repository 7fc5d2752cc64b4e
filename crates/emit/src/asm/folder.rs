//! The files of a program.

use super::{About, Figure, Made};
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
pub(super) fn image(p: &str, bytes: &[u8]) -> String {
    let mut text = format!("\n; The bytes of {p}_xgate.s.\n{p}_xgate_image:\n");
    let mut even = bytes.to_vec();
    even.resize(bytes.len().next_multiple_of(2), 0);
    for row in even.chunks(16) {
        let row: Vec<String> = row.iter().map(|byte| format!("0x{byte:02x}")).collect();
        let _ = writeln!(text, "        .byte   {}", row.join(","));
    }
    let _ = writeln!(text, "{p}_xgate_image_end:");
    text
}

/// The declarations for C.
pub(super) fn header(about: &About<'_>, digest_bytes: usize, context_bytes: usize) -> String {
    let About { title, standard, command, prefix: p, .. } = about;
    let upper = p.to_uppercase();
    let warning = about.warning.map_or(String::new(), |warning| format!(" * {warning}\n"));
    format!(
        "/* {title} ({standard}): the header.
{warning} * Made by: {command} */
#ifndef {upper}_H
#define {upper}_H

#include <stdint.h>

#define {upper}_DIGEST_BYTES {digest_bytes}
#define {upper}_CONTEXT_BYTES {context_bytes}

/* A message under way. Its bytes are not to be used; a context may be copied. */
typedef struct {{
    uint8_t bytes[{upper}_CONTEXT_BYTES];
}} {p}_ctx;

/* The functions share a work area: an interrupt must not call them while one of them runs. They use D, X
 * and Y, as gcc for the 68HC12 lets them; its int must have 16 bits (-mshort). */
void {p}_init({p}_ctx *c);
void {p}_update({p}_ctx *c, const void *data, uint16_t length);
void {p}_final({p}_ctx *c, uint8_t digest[{upper}_DIGEST_BYTES]);

/* 0 if the known answers are right, else the number of the first wrong one. */
uint16_t {p}_self_test(void);

#endif
"
    )
}

/// The files: paths and contents.
pub(super) fn files(about: &About<'_>, made: &Made) -> Vec<(String, String)> {
    let p = about.prefix;
    vec![
        ("README.md".to_owned(), readme(about, made)),
        (format!("include/{p}.h"), made.header.clone()),
        (format!("src/{p}.s"), made.cpu.clone()),
        (format!("src/{p}_selftest.s"), made.selftest.clone()),
    ]
}

fn readme(about: &About<'_>, made: &Made) -> String {
    let About { title, standard, command, prefix: p, .. } = about;
    let layout = made.layout;
    let warning = about.warning.map_or(String::new(), |warning| format!("**{warning}**\n\n"));
    let mut text = format!(
        "# {p}

{title} ({standard}) in assembly for the S12X, on its CPU.

{warning}Made by

```sh
{command}
```

from the definition that manylane also runs, plans and proves. To change it, make it anew.

| file | |
|---|---|
| `src/{p}.s` | what an application needs: `{p}_init`, `{p}_update`, `{p}_final` |
| `src/{p}_selftest.s` | `{p}_self_test` with {answers} known answers, and `{p}_start`, which runs it |
| `include/{p}.h` | the declarations for C |
| `{p}.s19`, `{p}.map` | both sources, assembled: S-records from 0x{code:04x} on, and where what lies |

## Use

```sh
m68hc11-as -mm9s12x -o {p}.o src/{p}.s src/{p}_selftest.s
```

```c
#include \"{p}.h\"

{p}_ctx c;
uint8_t digest[{upper}_DIGEST_BYTES];
{p}_init(&c);
{p}_update(&c, piece, piece_length);
{p}_final(&c, digest);
```

The functions follow the convention of gcc for the 68HC12 with `-mshort`: the first argument in D, the others on
the stack, D, X and Y free. They work in {work} bytes of RAM from `{p}_work` on, which is set to 0x{at:04x} at the
beginning of `src/{p}.s`, and keep nothing there between calls. Only one of them may run at a time.

No branch and no address depends on the message's bytes but those of tables in flash. The chip has no cache, so
these take the same time too. How long a message is, and into which pieces it is cut, can be seen.

## Sizes

| | bytes |
|---|--:|
",
        answers = made.answers,
        code = layout.code,
        at = layout.work,
        work = made.work_bytes,
        upper = p.to_uppercase(),
    );
    if let Some(bytes) = about.code_bytes {
        let _ = writeln!(text, "| code and constants, without the self-test | {bytes} |");
    }
    let _ = writeln!(text, "| RAM of the work area | {} |", made.work_bytes);
    let _ = writeln!(text, "| RAM of a context | {} |", made.context_bytes);
    let _ = writeln!(text, "| RAM of the self-test, behind the work area | {} |", made.test_bytes);
    if !about.figures.is_empty() {
        text += "\n## Time\n\nBus cycles of init, update and final, counted by a simulator that is exact to the cycle but \
                 for what\nthe manuals leave open:\n\n| bytes | blocks | cycles | a block |\n|--:|--:|--:|--:|\n";
        for Figure { length, blocks, cycles } in about.figures {
            let each = cycles / (*blocks).max(1) as u64;
            let _ = writeln!(text, "| {length} | {blocks} | {cycles} | {each} |");
        }
    }
    text
}
