//! The files of a program.

use super::{About, Cores, Figure, Hash, Made};
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

/// The declarations for C.
pub(super) fn header(
    about: &About<'_>,
    cores: Cores,
    hash: &Hash<'_>,
    context_bytes: usize,
) -> String {
    let digest_bytes = hash.stream.digest_bytes;
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
    let settle = match cores {
        Cores::Cpu | Cores::Xgate => String::new(),
        Cores::Both => format!(
            r#"
/* Waits until XGATE is done with what {p}_update gave it. The data of an update must stay as it is,
 * and its context must not be copied, until this or another call of these functions returns. */
void {p}_settle(void);
"#
        ),
    };
    let (init, end) = match hash.mac {
        Some(_) => (
            format!(
                "/* Begins a message under a key of any length. */\n\
                 void {p}_init({p}_ctx *c, const void *key, uint16_t length);"
            ),
            format!(
                "/* Ends the message, writes its MAC and overwrites the context. */\n\
                 void {p}_final({p}_ctx *c, uint8_t mac[{upper}_DIGEST_BYTES]);"
            ),
        ),
        None => (
            format!("void {p}_init({p}_ctx *c);"),
            format!("void {p}_final({p}_ctx *c, uint8_t digest[{upper}_DIGEST_BYTES]);"),
        ),
    };
    format!(
        r#"/* {title} ({standard}): the header.
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
{xgate}
/* The functions share a work area: an interrupt must not call them while one of them runs. They use
 * D, X and Y, as gcc for the 68HC12 lets them; its int must have 16 bits (-mshort). */
{init}
void {p}_update({p}_ctx *c, const void *data, uint16_t length);
{end}
{settle}
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

fn readme(about: &About<'_>, cores: Cores, made: &Made) -> String {
    let About { title, standard, command, prefix: p, .. } = about;
    let warning = about.warning.map_or(String::new(), |warning| format!("**{warning}**\n\n"));
    let on = match cores {
        Cores::Cpu => "on its CPU",
        Cores::Xgate => "on XGATE, its coprocessor",
        Cores::Both => "on XGATE, its coprocessor, while the CPU goes on",
    };
    let (xgate_file, begin, xgate) = match cores {
        Cores::Cpu => (String::new(), String::new(), String::new()),
        Cores::Xgate | Cores::Both => (
            format!(
                "| `src/{p}_xgate.s` | XGATE's thread, whose bytes `src/{p}.s` has as constants |\n"
            ),
            format!("{p}_xgate_init();                  /* once */\n"),
            handover(p, cores, made),
        ),
    };
    let mut text = format!(
        r#"# {p}

{title} ({standard}) in assembly for the S12X, {on}.

{warning}Made by

```sh
{command}
```

from the definition that manylane also runs, plans and proves. To change it, make it anew.

| file | |
|---|---|
| `src/{p}.s` | what an application needs: `{p}_init`, `{p}_update`, `{p}_final` |
{xgate_file}| `src/{p}_selftest.s` | `{p}_self_test`, {answers} known answers; `{p}_start` runs it |
| `include/{p}.h` | the declarations for C |
| `{p}.s19`, `{p}.map` | all of it assembled: S-records from 0x{code:04x} on, and where what lies |
| `{p}.ld` | the linker's script: code from 0x{code:04x} on |

## Use

```sh
m68hc11-as -mm9s12x -o {p}.o src/{p}.s src/{p}_selftest.s
m68hc11-ld -m m68hc12elf -T {p}.ld -e {p}_start -o {p}.elf {p}.o    # the bytes of {p}.s19
```

```c
#include "{p}.h"

{p}_ctx c;
uint8_t digest[{upper}_DIGEST_BYTES];
{begin}{init}
{p}_update(&c, piece, piece_length);
{p}_final(&c, digest);
```

The functions follow the convention of gcc for the 68HC12 with `-mshort`: the first argument in D,
the others on the stack, D, X and Y free. They work in {work} bytes of RAM from `{label}_work` on, which
is set to 0x{at:04x} at the beginning of `src/{p}.s`. Only one of them may run at a time. {cleared}

No branch and no address depends on the message's bytes but those of tables. The chip has no cache,
so these take the same time too. How long a message is, and into which pieces it is cut, can be
seen.
{xgate}
## Sizes

| | bytes |
|---|--:|
"#,
        answers = made.answers,
        code = made.layout.code,
        at = made.layout.work,
        work = made.work_bytes,
        upper = p.to_uppercase(),
        init = match made.is_keyed {
            true => format!("{p}_init(&c, key, key_length);"),
            false => format!("{p}_init(&c);"),
        },
        label = if made.is_keyed { super::hash_prefix(p) } else { (*p).to_owned() },
        cleared = match made.is_keyed {
            true =>
                "`init` and `final`\noverwrite the key's blocks and `final` the context; the chaining \
                 values that the hash leaves in its\nwork area and XGATE in its memory are not \
                 cleared: an application that needs it does so.",
            false =>
                "What a\nmessage leaves there and in its context is not cleared: an application \
                 with secrets does so.",
        },
    );
    if let Some(bytes) = about.code_bytes {
        let _ = writeln!(text, "| code and constants in flash, without the self-test | {bytes} |");
    }
    if made.image_bytes > 0 {
        let _ =
            writeln!(text, "| XGATE's code and memory in RAM, of 20 KiB | {} |", made.image_bytes);
    }
    let _ = writeln!(text, "| RAM of the work area | {} |", made.work_bytes);
    let _ = writeln!(text, "| RAM of a context | {} |", made.context_bytes);
    let _ = writeln!(text, "| RAM of the self-test, behind the work area | {} |", made.test_bytes);
    if let Some(most) = about.figures.iter().map(|of| of.stack_bytes).max() {
        let _ = writeln!(text, "| stack of the deepest call | {most} |");
    }
    if !about.figures.is_empty() {
        text += r#"
## Time

Bus cycles of init, update and final, counted by manylane's simulator of the chip:

| bytes | blocks | cycles | a block |
|--:|--:|--:|--:|
"#;
        for Figure { length, blocks, cycles, .. } in about.figures {
            let each = cycles / (*blocks).max(1) as u64;
            let _ = writeln!(text, "| {length} | {blocks} | {cycles} | {each} |");
        }
        text += "\nA block takes the same cycles whatever its bytes";
        text += match cores {
            Cores::Cpu => ".\n",
            Cores::Xgate | Cores::Both => "; XGATE waits for the RAM when the CPU uses it.\n",
        };
    }
    text
}

/// What the README says of XGATE.
fn handover(p: &str, cores: Cores, made: &Made) -> String {
    let beside = match cores {
        Cores::Both => format!(
            r#"
`{p}_update` returns while XGATE still computes: its data must stay as it is until the next call, or
`{p}_settle`, returns. Meanwhile the CPU is the application's.
"#
        ),
        Cores::Cpu | Cores::Xgate => String::new(),
    };
    format!(
        r#"
## XGATE

`{p}_xgate_init` copies the thread to XGATE's RAM from 0xb000 on, sets XGVBR, gives XGATE software
trigger 0 and starts it. A program that has threads of its own puts the first two words of
`src/{p}_xgate.s` into its own table of vectors instead. The CPU posts a job, with a copy of the
chaining value, and waits for its flag a bounded time, eight times what XGATE needs. What XGATE has
not finished then, the CPU computes; XGATE gets no job until it has set the flag of that one.

XGATE reads blocks where they lie if they are in RAM at an even address, with RPAGE as after a
reset; others are copied beside the job. An application has the RAM from 0x{from:04x} to
0x{to:04x}.
{beside}"#,
        from = made.ram.start,
        to = made.ram.end - 1,
    )
}
