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
mod pair;
mod scope;
mod tables;
mod writer;

use super::straight::Signature;
use super::{Body, Cores, Error, Programs};
use history::Histories;
use mailbox::Mailbox;
use manylane_plan::program::{MAIN, Program};
use writer::Writer;

/// How calls of a function follow each other on two cores.
pub(super) enum Calls<'c> {
    /// Each is a job of its own.
    Single,
    /// Those of blocks in a row are one job. The words of a block, whose first byte the parameter `block`
    /// points to, are given as they lie there if the main core needs few of them; the function gives the
    /// expression of a word at an address.
    Blocks(&'c dyn Fn(&str) -> String),
}

/// The C functions of a function on as many cores as it is planned for, for calls one by one.
///
/// # Errors
/// If a node has no C, or nothing is gained by a second core.
pub(super) fn body(
    programs: &Programs<'_>,
    cores: Cores,
    signature: &Signature<'_>,
) -> Result<Body, Error> {
    body_of_calls(programs, cores, signature, &Calls::Single)
}

/// The same for calls that follow each other as `calls` says.
///
/// # Errors
/// As [`body`].
pub(super) fn body_of_calls(
    programs: &Programs<'_>,
    cores: Cores,
    signature: &Signature<'_>,
    calls: &Calls<'_>,
) -> Result<Body, Error> {
    match cores {
        Cores::One => sequential(programs.one, signature, "static"),
        Cores::Two => pair::two_core(programs, signature, calls),
    }
}

/// The C function of a program of one processor; `kind` is what its declaration begins with.
///
/// # Errors
/// If a node has no C.
fn sequential(program: &Program, signature: &Signature<'_>, kind: &str) -> Result<Body, Error> {
    let part = Writer::new(program, MAIN, signature, None).run()?;
    let Signature { name, parameters, about, .. } = signature;
    let (tables, lines) = (part.tables, part.lines);
    let unused = signature.unused(&lines);
    let text = format!(
        "{tables}/* {about} */\n{kind} void MANYLANE_CODE({name})({parameters})\n{{\n{unused}{lines}}}\n"
    );
    Ok(Body { text, shared: None })
}
