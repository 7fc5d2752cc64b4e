//! The body of a function from its planned program: loops where the program has repeated regions, and
//! a C function for each core.
//!
//! ```text
//!  straight region   const words, in order of computation
//!  repeated region   for (i = 0; i < times; ++i) { const words; the results that live on }
//!     Same           declared before the loop
//!     Each           constants: a table; message words: a table of their numbers
//!     Earlier        variables e1, e2, …: the result of 1, 2, … iterations before; an array if there
//!                    are many of them
//! ```

mod history;
mod mailbox;
mod tables;
mod writer;

use super::straight::Signature;
use super::{Body, Error, Shared};
use history::Histories;
use mailbox::Mailbox;
use manylane_plan::program::{MAIN, Program};
use writer::Writer;

/// The C function of a program of one processor.
///
/// # Errors
/// If a node has no C.
pub fn sequential(program: &Program, signature: &Signature<'_>) -> Result<Body, Error> {
    let part = Writer::new(program, MAIN, signature, None).run()?;
    let Signature { name, parameters, about, .. } = signature;
    let (tables, lines) = (part.tables, part.lines);
    let unused = signature.unused(&lines);
    let text = format!(
        "{tables}/* {about} */\nstatic void MANYLANE_CODE({name})({parameters})\n{{\n{unused}{lines}}}\n"
    );
    Ok(Body { text, shared: None })
}

/// The C functions of a program of two processors: the second core's share, and the main core's, which
/// returns 0 and leaves the chaining value as it is if the second core does not answer. `alone` is the
/// same function on one core.
///
/// # Errors
/// If a node has no C.
pub fn two_core(
    program: &Program,
    alone: &Program,
    signature: &Signature<'_>,
) -> Result<Body, Error> {
    let sequential = sequential(alone, signature)?;
    if program.processors < 2 {
        return Err(Error::Cores {
            function: program.rolled.name.clone(),
            why: "no split over two cores is faster than one core",
        });
    }
    let mailbox = Mailbox::of(program);
    let pair_name = format!("{}_pair", signature.name);
    let main = Signature { name: &pair_name, ..*signature };
    let main = Writer::new(program, MAIN, &main, Some(&mailbox)).run()?;
    let worker_name = format!("{}_worker", signature.name);
    let worker = Signature { name: &worker_name, ..*signature };
    let worker = Writer::new(program, 1, &worker, Some(&mailbox)).run()?;
    let Signature { prefix, parameters, about, .. } = signature;
    let parameter = |name: &str| {
        parameters.split(',').map(str::trim).find(|p| {
            p.rsplit([' ', '*']).next().is_some_and(|n| n.split('[').next() == Some(name))
        })
    };
    // What the worker reads of the call, by the names of the parameters.
    let mut fields = mailbox.fields.clone();
    let (mut give, mut take) = (String::new(), String::new());
    for name in ["h", "block", "t0", "t1"] {
        let Some(parameter) = parameter(name) else { continue };
        let is_used = uses(&worker.lines, name);
        if !is_used {
            continue;
        }
        let kind =
            parameter.trim_end_matches(']').rsplit_once(name).map_or("", |(kind, _)| kind.trim());
        let kind = match name {
            "h" => format!(
                "const {} *",
                kind.trim_start_matches("const ").trim_end_matches('*').trim()
            ),
            "block" => "const uint8_t *".to_owned(),
            _ => format!("{kind} "),
        };
        if name != "block" {
            fields.push(format!("{kind}{name};"));
            give += &format!("    pair->{name} = {name};\n");
        }
        let kind =
            if name.starts_with('t') { format!("const {kind}") } else { format!("{kind}const ") };
        take += &format!("    {kind}{name} = pair->{name};\n");
    }
    let give = format!("    pair->block = block;\n{give}");
    let (tables, main_tables) = (worker.tables, main.tables);
    let base = |lines: &str| match uses(lines, "base") {
        true => "    const uint32_t base = pair->base;\n",
        false => "",
    };
    let text = format!(
        "{}\n{tables}\
         /* The second core's share of one call. */\n\
         static void MANYLANE_CODE({worker_name})(void *argument)\n{{\n\
         \x20   {prefix}_pair *const pair = ({prefix}_pair *)argument;\n\
         \x20   manylane_second *const second = pair->second;\n{}{take}{}}}\n\n{main_tables}\
         /* {about} The second core computes its share meanwhile. Returns 0, with h unchanged, if that\n\
         \x20  core is busy or does not answer. */\n\
         static int MANYLANE_CODE({pair_name})({prefix}_pair *pair, {parameters})\n{{\n\
         \x20   manylane_second *const second = pair->second;\n\
         \x20   uint32_t base;\n\
         \x20   if (!manylane_is_free(second)) {{\n        return 0;\n    }}\n\
         \x20   base = manylane_claim(second, {}u);\n\
         \x20   pair->base = base;\n{give}\
         \x20   if (!MANYLANE_START(second, {worker_name}, pair)) {{\n        return 0;\n    }}\n\
         {}    return 1;\n}}\n",
        sequential.text,
        base(&worker.lines),
        worker.lines,
        mailbox.most,
        main.lines,
    );
    let shared = Shared { fields, bytes: mailbox.bytes, handshakes: program.handshakes() };
    Ok(Body { text, shared: Some(shared) })
}

/// Whether a text has a name as a whole word.
fn uses(text: &str, name: &str) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    text.match_indices(name).any(|(at, _)| {
        !text[at + name.len()..].starts_with(is_part) && !text[..at].ends_with(is_part)
    })
}
