//! The C function of a program of one processor.

use super::super::signature::Signature;
use super::super::{Body, Error};
use super::writer::Writer;
use manylane_plan::program::{MAIN, Program};

/// The C function of a program of one processor; `kind` is what its declaration begins with.
///
/// # Errors
/// If a node has no C.
pub(super) fn sequential(
    program: &Program,
    signature: &Signature<'_>,
    kind: &str,
) -> Result<Body, Error> {
    let part = Writer::new(program, MAIN, signature, None).run()?;
    let Signature { name, parameters, about, .. } = signature;
    let (tables, lines) = (part.tables, part.lines);
    let unused = signature.unused(&lines);
    let text = format!(
        "{tables}/* {about} */\n{kind} void MANYLANE_CODE({name})({parameters})\n{{\n\
         {unused}{lines}}}\n"
    );
    Ok(Body { text, shared: None })
}
