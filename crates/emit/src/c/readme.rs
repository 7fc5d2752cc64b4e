//! The paragraph of the README that says which functions are constant in time.

use super::{Options, Subject, Tables};
use manylane_graph::Op;

/// Which parts of a library take a time that does not depend on secrets.
pub(super) fn constant_time(subject: &Subject<'_>, options: &Options) -> String {
    let programs = subject.programs();
    let has = |is: fn(Op) -> bool| {
        let mut bodies = programs.iter().flat_map(|of| &of.rolled.regions).map(|of| &of.body);
        bodies.any(|body| body.nodes().any(|node| is(body.op(node))))
    };
    let mut said = Vec::new();
    if has(|op| op == Op::SubBytes) && options.tables == Tables::Lookup {
        said.push(
            "**Not constant in time:** the S-box is a table that is read at addresses which depend \
             on the \
             data (`--tables lookup`). Where there is a cache, they can be seen; `--tables \
             bitwise` has none.",
        );
    } else {
        said.push(
            "No branch and no address depends on the data: a block takes the same time whatever \
             its bytes. \
             How long a message is, and into which pieces it is cut, can be seen.",
        );
    }
    if has(|op| matches!(op, Op::RotlVar | Op::RotrVar)) {
        said.push(
            "The cipher rotates by amounts that are secret. On a core without a barrel shifter \
             (AVR, MSP430) \
             that takes a time which depends on them; on Cortex-M and RISC-V it does not.",
        );
    }
    match subject {
        Subject::Hash { mac: Some(_), .. } => said.push(
            "MACs are compared in a time that does not depend on their bytes. The length of a key \
             can be seen.",
        ),
        Subject::Hash { .. } => {}
        Subject::Cipher(_) => said.push(
            "Padding is checked without a branch on its bytes; whether it was right is the answer, \
             and can be \
             seen: check a MAC over the ciphertext first.",
        ),
    }
    said.join(" ")
}
