//! The body of a function from its planned program: loops where the program has repeated regions,
//! and a C function for each core.
//!
//! ```text
//!  straight region   const words, in order of computation
//!  repeated region   for (i = 0; i < times; ++i) { const words; the results that live on }
//!     Same           declared before the loop
//!     Each           constants: a table; message words: a table of their numbers
//!     Earlier        variables e1, e2, …: the result of 1, 2, … iterations before; an array if
//!                    there are many of them, in which results replace each other where they can
//! ```

mod elements;
mod history;
mod kept;
mod later;
mod mailbox;
mod one_core;
mod pair;
mod places;
mod regions;
mod ring;
mod rings;
mod scope;
mod tables;
mod writer;

use super::signature::Signature;
use super::{Body, Cores, Error, Programs};
use one_core::sequential;
pub(super) use pair::Calls;

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

/// As [`body`], for calls that follow each other as `calls` says.
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
