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
use super::{Body, Cores, Error, Programs, Shared};
use history::Histories;
use mailbox::Mailbox;
use manylane_graph::Role;
use manylane_plan::program::{MAIN, Program};
use writer::Writer;

/// The C functions of a function on as many cores as it is planned for.
///
/// # Errors
/// If a node has no C, or nothing is gained by a second core.
pub(super) fn body(
    programs: &Programs<'_>,
    cores: Cores,
    signature: &Signature<'_>,
) -> Result<Body, Error> {
    match cores {
        Cores::One => sequential(programs.one, signature),
        Cores::Two => two_core(programs.two.unwrap_or(programs.one), programs.one, signature),
    }
}

/// The C function of a program of one processor.
///
/// # Errors
/// If a node has no C.
fn sequential(program: &Program, signature: &Signature<'_>) -> Result<Body, Error> {
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
fn two_core(program: &Program, alone: &Program, signature: &Signature<'_>) -> Result<Body, Error> {
    let sequential = sequential(alone, signature)?;
    if program.processors < 2 {
        return Err(Error::Cores {
            function: program.rolled.name.clone(),
            why: "no split over two cores is faster than one core",
        });
    }
    let mailbox = Mailbox::of(program);
    // Both cores read the block's words from the mailbox, where the main core puts them in order: what
    // the caller has may be gone before a worker that is late has read it.
    let input = |name: &str| match name.strip_prefix('m') {
        Some(number) => format!("pair->block[{number}]"),
        None => (signature.input)(name),
    };
    let signature_of_words = Signature { input: &input, ..*signature };
    let pair_name = format!("{}_pair", signature.name);
    let main = Signature { name: &pair_name, ..signature_of_words };
    let main = Writer::new(program, MAIN, &main, Some(&mailbox)).run()?;
    let worker_name = format!("{}_worker", signature.name);
    let worker = Signature { name: &worker_name, ..signature_of_words };
    let worker = Writer::new(program, 1, &worker, Some(&mailbox)).run()?;
    let Signature { prefix, parameters, about, .. } = signature;
    let mut fields = mailbox.fields.clone();
    let mut bytes = mailbox.bytes;
    let inputs = &program.rolled.inputs;
    let width = |role: Role| {
        let of_role = inputs.iter().filter(|input| input.role == role);
        let words = of_role.map(|input| program.rolled.definition(input.value).width);
        let names = inputs.iter().filter(|input| input.role == role && !input.name.contains('.'));
        let limbs = inputs.iter().filter(|input| input.role == role && input.name.ends_with(".0"));
        let bits: u32 = words.map(u32::from).sum();
        let count = (names.count() + limbs.count()).max(1);
        (count, bits / count as u32)
    };
    let (mut give, mut take) = (String::new(), String::new());
    let words = inputs.iter().filter(|input| input.role == Role::Message);
    let words = words.filter(|input| input.name.split('.').nth(1).is_none_or(|limb| limb == "0"));
    for (i, input) in words.enumerate() {
        let name = input.name.split('.').next().unwrap_or_default();
        give += &format!("    pair->block[{i}] = {};\n", (signature.input)(name));
    }
    if uses(&worker.lines, "h") {
        let (words, bits) = width(Role::Chaining);
        fields.push(format!("uint{bits}_t h[{words}];"));
        bytes += words * bits as usize / 8;
        give += "    memcpy(pair->h, h, sizeof pair->h);\n";
        take += &format!("    const uint{bits}_t *const h = pair->h;\n");
    }
    for name in ["t0", "t1"].into_iter().filter(|name| uses(&worker.lines, name)) {
        let (_, bits) = width(Role::Counter);
        fields.push(format!("uint{bits}_t {name};"));
        bytes += bits as usize / 8;
        give += &format!("    pair->{name} = {name};\n");
        take += &format!("    const uint{bits}_t {name} = pair->{name};\n");
    }
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
         {}    manylane_settle(second);\n    return 1;\n}}\n",
        sequential.text,
        base(&worker.lines),
        worker.lines,
        mailbox.most,
        main.lines,
    );
    let shared = Shared { fields, bytes, handshakes: program.handshakes() };
    Ok(Body { text, shared: Some(shared) })
}

/// Whether a text has a name as a whole word.
fn uses(text: &str, name: &str) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    text.match_indices(name).any(|(at, _)| {
        !text[at + name.len()..].starts_with(is_part) && !text[..at].ends_with(is_part)
    })
}
