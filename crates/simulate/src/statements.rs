//! Cycles of single statements of C, such as calls of one step of a primitive.

use crate::{Clock, Error, Job, Machine};
use std::fmt::Write;

/// How often a statement stands in the shorter function, and in the longer one.
const FEW: usize = 4;
const MANY: usize = 12;

/// Measures statements on a machine that counts cycles. Each stands 4 times in one function and 12
/// times in another; the difference of the two times is that of 8 statements, without the calls
/// around them.
///
/// The job's files are compiled with it; `prelude` is what the statements need before them,
/// includes among it. A statement should be a call of a function that is not inlined, because the
/// compiler removes a statement whose effect it can derive from the statement before.
///
/// # Errors
/// If the machine counts no cycles, or the program does not compile or end.
pub fn time_statements(
    machine: Machine,
    job: &Job,
    prelude: &str,
    statements: &[&str],
) -> Result<Vec<f64>, Error> {
    if machine.clock() != Clock::Cycles {
        return Err(Error::no_cycles(machine.name()));
    }
    let job = job.clone().file("manylane-statements.c", &program(prelude, statements));
    let outcome = machine.run(&job)?;
    let cycles = |n| Ok(outcome.number(&format!("statement_{n}"))? as f64 / (MANY - FEW) as f64);
    (0..statements.len()).map(cycles).collect()
}

fn program(prelude: &str, statements: &[&str]) -> String {
    let mut text = format!("#include \"board.h\"\n{prelude}\n");
    let mut main = String::from("int main(void)\n{\n");
    for (n, statement) in statements.iter().enumerate() {
        for (name, times) in [("few", FEW), ("many", MANY)] {
            let _ = write!(
                text,
                "static __attribute__((noinline)) uint32_t {name}_{n}(void)\n{{\n    \
                 uint32_t from = board_cycles();\n{}    return board_cycles() - from;\n}}\n",
                format!("    {statement}\n").repeat(times)
            );
        }
        let _ = writeln!(main, "    board_report(\"statement_{n}\", many_{n}() - few_{n}());");
    }
    text + &main + "    return 0;\n}\n"
}
