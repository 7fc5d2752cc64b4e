//! The README of a program's folder.

use super::{About, Cores, Figure, Made, Modes, Shared, Usage};
use crate::cpu12x::PATIENCE;
use std::fmt::Write;

/// Writes the README.
pub(super) fn readme(about: &About<'_>, cores: Cores, made: &Made) -> String {
    let About { title, standard, command, prefix: p, .. } = about;
    let warning = about.warning.map_or(String::new(), |warning| format!("**{warning}**\n\n"));
    let on = match cores {
        Cores::Cpu => "on its CPU",
        Cores::Xgate => "on XGATE, its coprocessor",
        Cores::Both if is_waiting(made) => "on XGATE, its coprocessor",
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
| `src/{p}.s` | what an application needs: {functions} |
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
{example}```

The functions follow the convention of gcc for the 68HC12 with `-mshort`: the first argument in D,
the others on the stack, D, X and Y free. They work in {work} bytes of RAM from `{label}_work` on,
which is set to 0x{at:04x} at the beginning of `src/{p}.s`. Only one of them may run at a time.
{left}
{xgate}
## Sizes

| | bytes |
|---|--:|
"#,
        answers = made.answers,
        code = made.layout.code,
        at = made.layout.work,
        work = made.work_bytes,
        functions = made.usage.functions(p),
        example = made.usage.example(p, &begin, made.falls_back),
        label = match made.usage {
            Usage::Mac => super::hash_prefix(p),
            Usage::Hash | Usage::Cipher { .. } => (*p).to_owned(),
        },
        left = made.usage.left(),
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

"#;
        let _ = writeln!(
            text,
            "Bus cycles of {}, counted by manylane's simulator of the chip:\n\n\
             | bytes | blocks | cycles | a block |\n|--:|--:|--:|--:|",
            made.usage.measured()
        );
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
    text + &worst(about, made)
}

/// Describes the longest time of a block.
fn worst(about: &About<'_>, made: &Made) -> String {
    if about.block_cycles.is_none() && made.clocks == 0 {
        return String::new();
    }
    let mut text =
        String::from("\n## The longest time of a block\n\n| | bus cycles |\n|---|--:|\n");
    let mut how = String::from("No branch depends on data, so that every path is the longest one");
    if let Some(cpu) = about.block_cycles {
        let _ = writeln!(text, "| on the CPU, which waits for nothing | {cpu} |");
        how += ": the CPU's cycles are counted\nby running a block";
    }
    if made.clocks > 0 {
        let (alone, most) = (made.clocks.div_ceil(2), made.clocks);
        let late = made.clocks / 2 * PATIENCE;
        let _ = writeln!(text, "| on XGATE, if the CPU leaves the RAM alone | {alone} |");
        let _ = writeln!(text, "| on XGATE, if the CPU uses the RAM in every bus cycle | {most} |");
        let until = match made.falls_back {
            true => "until the CPU does without XGATE",
            false => "until the CPU gives up",
        };
        let _ = writeln!(text, "| {until}, about | {late} |");
        how += if about.block_cycles.is_some() { ", XGATE's are" } else { ". XGATE's cycles are" };
        how += " the clocks of its instructions, each\nloop as often as it runs. Each of XGATE's \
                clocks is an access, two of which the\nRAM answers in a bus cycle; one is left \
                where the CPU takes the other";
    }
    how += ". Interrupts come on top.\n";
    if made.clocks > 0 && made.falls_back {
        how += "If XGATE does not answer, a block takes that wait and the CPU's time.\n";
    }
    text + "\n" + &how
}

/// Whether the CPU waits for each job, whatever the cores: there are only single blocks.
fn is_waiting(made: &Made) -> bool {
    matches!(made.usage, Usage::Cipher { modes: Modes::Block, .. })
}

/// The part of the README about XGATE.
fn handover(p: &str, cores: Cores, made: &Made) -> String {
    let (what, blocks) = match made.usage {
        Usage::Cipher { modes: Modes::Block, .. } => {
            ("a copy of the block", "XGATE reads the table in the work area.")
        }
        Usage::Cipher { .. } => {
            ("a copy of up to 16 blocks", "XGATE reads the table in the work area.")
        }
        Usage::Hash | Usage::Mac if made.shared.is_each => (
            "a copy of the\nchaining value",
            "XGATE reads words that the CPU computes, and no block: blocks may be anywhere.",
        ),
        Usage::Hash | Usage::Mac if made.is_by_block => (
            "a copy of the\nchaining value and of one block",
            "XGATE reads the copy, so that messages may be anywhere.",
        ),
        Usage::Hash | Usage::Mac => (
            "a copy of the\nchaining value",
            "XGATE reads blocks where they lie if they are in RAM at an even address, with RPAGE \
             as after a\nreset; others are copied beside the job.",
        ),
    };
    let beside = match cores {
        Cores::Both if is_waiting(made) => "
A single block is XGATE's alone; the CPU waits for it.
"
        .to_owned(),
        Cores::Both if matches!(made.usage, Usage::Cipher { .. }) => "
Of every eight blocks the CPU computes one while XGATE computes the others.
"
        .to_owned(),
        Cores::Both => beside(p, made.shared),
        Cores::Cpu | Cores::Xgate => String::new(),
    };
    let upper = p.to_uppercase();
    let late = match (made.falls_back, made.usage) {
        (true, _) => "\
What XGATE has
not finished then, the CPU computes; XGATE gets no job until it has set the flag of that one."
            .to_owned(),
        (false, Usage::Hash | Usage::Mac) => format!(
            "\
The CPU
has no code for a block. If XGATE has not finished one in time, `{p}_final` of its message returns
{upper}_LATE, and what it has written is no result. So do messages that come until XGATE has set the
flag of that job: they do not wait. The message is to be hashed once more, or given up."
        ),
        (false, Usage::Cipher { modes: Modes::Block, .. }) => format!(
            "\
If
XGATE has not finished a job in time, the function returns {upper}_LATE and leaves `out` as it was.
So do all of them, at once, until XGATE has set the flag of that job. After `init` the context is
then not to be used."
        ),
        (false, Usage::Cipher { modes, .. }) => format!(
            "\
If
XGATE has not finished a job in time, the function returns {upper}_LATE, and so do all of them, at
once, until XGATE has set the flag of that job. After `init` the context is then not to be used.
Modes leave the data as they were from the first block that was late{}.",
            match modes {
                Modes::All => "; `iv` and `counter` are those\nto go on with from there",
                Modes::Ecb | Modes::Block => "",
            }
        ),
    };
    format!(
        r#"
## XGATE

`{p}_xgate_init` copies the thread to XGATE's RAM from 0xb000 on, sets XGVBR, gives XGATE software
trigger 0 and starts it. A program that has threads of its own puts the first two words of
`src/{p}_xgate.s` into its own table of vectors instead. The CPU posts a job,
with {what}, and waits for its flag
a bounded time, eight times what XGATE needs. {late}

{blocks} An application has the RAM from 0x{from:04x} to
0x{to:04x}.
{beside}"#,
        from = made.ram.start,
        to = made.ram.end - 1,
    )
}

/// Describes the work of the CPU meanwhile.
fn beside(p: &str, Shared { words, every, is_each }: Shared) -> String {
    let share = match (words, every) {
        (0, _) => {
            return format!(
                r#"
`{p}_update` returns while XGATE still computes: its data must stay as it is until the next call, or
`{p}_settle`, returns. Meanwhile the CPU is the application's: it has no share of a block.
"#
            );
        }
        _ if is_each => "of every block,\n\
                         those of the next one while XGATE computes this one"
            .to_owned(),
        (_, 1) => "of the next block while XGATE computes this one. The first\n\
                   block of an update is XGATE's alone"
            .to_owned(),
        (_, every) => {
            format!("of every {every} blocks\nthe last one; the others are XGATE's alone")
        }
    };
    format!(
        r#"
The CPU has a share: `{p}_ahead` computes {words} words {share}. They go through two places in RAM
in turn; in the job the CPU counts what it filled and XGATE what it has done. `{p}_update` returns
when the CPU has nothing more to compute, while XGATE still does: its data must stay as it is until
the next call, or `{p}_settle`, returns. With `--no-share` it returns at once.
"#
    )
}
