//! Answers to a command line, for bindings to other languages.

use crate::listener::Listener;
use crate::stack::on_own_stack;
use crate::{explain, plan};
use anyhow::bail;
use clap::Parser;
use clap::error::ErrorKind;
use std::ffi::OsString;

/// The part of the program's command line that has answers.
#[derive(Debug, Parser)]
#[command(name = "manylane", version, propagate_version = true, infer_long_args = true)]
enum Command {
    Explain(explain::Args),
    Plan(plan::Args),
}

/// Returns the text that `manylane explain` or `manylane plan` prints, and writes the files that
/// are asked for. `arguments` begin with the name of the command.
///
/// # Errors
/// The error that the program would report.
pub fn printed(
    arguments: impl IntoIterator<Item = OsString>,
    listener: &dyn Listener,
) -> anyhow::Result<String> {
    let arguments = std::iter::once("manylane".into()).chain(arguments).collect::<Vec<_>>();
    on_own_stack(|| answered(arguments.clone(), listener))
}

fn answered(arguments: Vec<OsString>, listener: &dyn Listener) -> anyhow::Result<String> {
    match Command::try_parse_from(arguments) {
        Ok(Command::Explain(args)) => explain::answer(&args)?.written(),
        Ok(Command::Plan(args)) => plan::answer(&args, listener)?.written(),
        Err(error) if error.kind() == ErrorKind::InvalidSubcommand => {
            bail!("only explain and plan have an answer of their own")
        }
        Err(error) => {
            let text = error.to_string();
            let what = text.split("\n\n").next().unwrap_or_default();
            bail!("{}", what.trim_start_matches("error: "))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A listener that ignores everything.
    struct Deaf;

    impl Listener for Deaf {
        fn searches(&self, _: &str) {}
        fn found(&self) {}
        fn complain(&self, _: &str) {}
    }

    #[test]
    fn bindings_get_what_is_printed() {
        let printed = |line: &str| printed(line.split_whitespace().map(Into::into), &Deaf);
        assert!(printed("explain --json -- sha256").unwrap().starts_with('{'));
        assert!(printed("plan --on rp2040 sha256").unwrap().contains("sha256"));
        for (line, text) in [
            ("explain sha257", "sha257"),
            ("explain --part nothing sha256", "'nothing'"),
            ("plan sha256", "--hardware"),
            ("sum /etc/passwd", "only explain and plan"),
            ("explain", "PRIMITIVE"),
        ] {
            let error = format!("{:#}", printed(line).unwrap_err());
            assert!(error.contains(text) && !error.contains("error:"), "{line}: {error}");
        }
    }
}
