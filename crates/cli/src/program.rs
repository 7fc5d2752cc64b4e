//! The name that the program was started by: `manylane`, or that of a program of coreutils.
//!
//! As `md5sum`, `sha256sum` or any other algorithm's name and `sum`, the program is `manylane sum`
//! with that algorithm; as `cksum`, it is `manylane sum` with lines that name their algorithm.

use crate::names;
use std::ffi::OsString;
use std::path::Path;
use std::sync::OnceLock;

/// The name, if it is another than `manylane`.
static CALLED: OnceLock<String> = OnceLock::new();

/// The name of the program in messages.
pub fn name() -> &'static str {
    CALLED.get().map_or("manylane", String::as_str)
}

/// The command that explains `manylane sum`.
pub fn help_of_sum() -> String {
    match CALLED.get() {
        Some(name) => format!("{name} --help"),
        None => "manylane sum --help".to_owned(),
    }
}

/// Whether the program was started by another name than `manylane`.
pub fn is_other() -> bool {
    CALLED.get().is_some()
}

/// Whether the program was started as `cksum`.
pub fn is_cksum() -> bool {
    CALLED.get().is_some_and(|name| name == "cksum")
}

/// The arguments of `manylane`, whatever name it was started by.
pub fn arguments(given: impl IntoIterator<Item = OsString>) -> Vec<OsString> {
    let mut given = given.into_iter();
    let first = given.next().unwrap_or_else(|| "manylane".into());
    let mut arguments = meant(&first);
    if arguments.len() > 1 {
        let name = Path::new(&first).file_stem().unwrap_or(&first);
        CALLED.get_or_init(|| name.to_string_lossy().into_owned());
    }
    arguments.extend(given);
    arguments
}

/// The program, and the arguments that its name stands for.
fn meant(program: &OsString) -> Vec<OsString> {
    let sum = |more: &[&str]| ["manylane", "sum"].iter().chain(more).map(Into::into).collect();
    let name = Path::new(program).file_stem().and_then(|name| name.to_str());
    match name.and_then(|name| name.strip_suffix("sum")) {
        Some("ck") => sum(&[]),
        Some(algorithm) if names::parse(algorithm).is_ok() => sum(&["--algorithm", algorithm]),
        _ => vec![program.clone()],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stand_for_algorithms() {
        for (program, arguments) in [
            ("manylane", &["manylane"][..]),
            ("/usr/bin/sum", &["/usr/bin/sum"]),
            ("nonsensesum", &["nonsensesum"]),
            ("", &[""]),
            ("/opt/md5sum", &["manylane", "sum", "--algorithm", "md5"]),
            ("sha256sum.exe", &["manylane", "sum", "--algorithm", "sha256"]),
            ("sha3-384sum", &["manylane", "sum", "--algorithm", "sha3-384"]),
            ("./cksum", &["manylane", "sum"]),
        ] {
            let arguments: Vec<OsString> = arguments.iter().map(Into::into).collect();
            assert_eq!(meant(&program.into()), arguments, "{program}");
        }
    }
}
