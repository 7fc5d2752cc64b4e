//! The part of the help texts about the environment.

use manylane_engine::Engine;

/// The most columns of a line of help.
const COLUMNS: usize = 100;

/// A help text with the variables that choose engines and colours at its end.
pub fn with_environment(help: &str) -> String {
    let [others @ .., last] = &Engine::ALL.map(Engine::name);
    let cap = "  MANYLANE_MAX_ISA  uses no engine beyond this one:".to_owned();
    let names = others.iter().enumerate().map(|(i, name)| match i + 1 < others.len() {
        true => format!("{name},"),
        false => (*name).to_owned(),
    });
    let mut lines = vec![cap];
    for word in names.chain(["or".to_owned(), (*last).to_owned()]) {
        let line = lines.last_mut().expect("the first line");
        if line.len() + 1 + word.len() > COLUMNS {
            lines.push(format!("{:20}{word}", ""));
        } else {
            *line += &format!(" {word}");
        }
    }
    format!(
        "{help}\n\nEnvironment:\n{}\n\
         \x20 MANYLANE_TUNING   the file of the times that `manylane tune` measured; off: the \
         built-in \
         ones\n\
         \x20 NO_COLOR          when set, nothing is coloured",
        lines.join("\n")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_engine_is_named_and_lines_are_short() {
        let help = with_environment("Examples:");
        assert!(help.starts_with("Examples:\n\nEnvironment:\n  MANYLANE_MAX_ISA  uses no engine"));
        let words: Vec<_> = help.split([' ', ',', '\n']).collect();
        for engine in Engine::ALL {
            assert!(words.contains(&engine.name()), "{engine}: {help}");
        }
        let words: Vec<_> = help.split_whitespace().collect();
        assert!(words.windows(2).any(|pair| pair == ["or", "vpclmul"]), "{help}");
        assert!(help.lines().all(|line| line.len() <= COLUMNS), "{help}");
    }
}
