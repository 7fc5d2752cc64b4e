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

/// The C functions of a function on as many cores as it is planned for. `load` is the expression of a
/// message's word at an address.
///
/// # Errors
/// If a node has no C, or nothing is gained by a second core.
pub(super) fn body(
    programs: &Programs<'_>,
    cores: Cores,
    signature: &Signature<'_>,
    load: &dyn Fn(&str) -> String,
) -> Result<Body, Error> {
    match cores {
        Cores::One => sequential(programs.one, signature),
        Cores::Two => pair::two_core(programs, signature, load),
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
