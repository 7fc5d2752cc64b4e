//! The name that the program was started by: `manylane`, or that of a program of coreutils.
//!
//! As `md5sum`, `sha256sum` or any other algorithm's name and `sum`, the program is `manylane sum`
//! with that algorithm; as `cksum`, it is `manylane sum` with lines that name their algorithm.

use manylane_files::names;
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
    if arguments.len() == 1 {
        arguments.extend(given);
        return arguments;
    }
    let name = Path::new(&first).file_stem().unwrap_or(&first).to_string_lossy().into_owned();
    let theirs = if name == "cksum" { &OPTIONS[..] } else { &OPTIONS[..OF_ALL] };
    CALLED.get_or_init(|| name);
    let mut only_files = false;
    arguments.extend(given.filter_map(|argument| {
        only_files |= argument == "--";
        let argument = if only_files { argument } else { whole(argument, theirs) };
        // `cksum --debug` tells which instructions its CRC uses, which is not computed here.
        let is_idle = !only_files && is_cksum() && argument == "--debug";
        (!is_idle).then_some(argument)
    }));
    arguments
}

/// The long options of coreutils' programs; those behind the first [`OF_ALL`] are of `cksum` alone.
const OPTIONS: [&str; 18] = [
    "binary",
    "check",
    "help",
    "ignore-missing",
    "quiet",
    "status",
    "strict",
    "tag",
    "text",
    "version",
    "warn",
    "zero",
    "algorithm",
    "base64",
    "debug",
    "length",
    "raw",
    "untagged",
];
const OF_ALL: usize = 12;

/// Completes a shortened long option of coreutils' program, if it is the beginning of one name in
/// `theirs` alone. Among the options of this program, which are more, it may be ambiguous.
fn whole(argument: OsString, theirs: &[&str]) -> OsString {
    let Some(option) = argument.to_str().and_then(|text| text.strip_prefix("--")) else {
        return argument;
    };
    let (begin, value) = option.split_at(option.find('=').unwrap_or(option.len()));
    let mut meant = theirs.iter().filter(|name| !begin.is_empty() && name.starts_with(begin));
    match (meant.next(), meant.next()) {
        (Some(name), None) => format!("--{name}{value}").into(),
        _ => argument,
    }
}

/// Why the name that the program was started by, which ends as those of coreutils' programs do,
/// stands for no algorithm.
pub fn stands_for_nothing(program: &OsString) -> Option<String> {
    let name = Path::new(program).file_stem()?.to_str()?;
    let algorithm = name.strip_suffix("sum").filter(|algorithm| *algorithm != "ck")?;
    let why = names::parse(algorithm).err()?;
    Some(format!("the name {name} stands for no algorithm: {why}"))
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

    #[test]
    fn shortened_options_are_those_of_coreutils() {
        for (given, of_all, of_cksum) in [
            ("--b", "--binary", "--b"),
            ("--bi", "--binary", "--binary"),
            ("--ver", "--version", "--version"),
            ("--c", "--check", "--check"),
            ("--cache", "--cache", "--cache"),
            ("--a=md5", "--a=md5", "--algorithm=md5"),
            ("--st", "--st", "--st"),
            ("--text", "--text", "--text"),
            ("--", "--", "--"),
            ("-b", "-b", "-b"),
            ("b", "b", "b"),
        ] {
            assert_eq!(whole(given.into(), &OPTIONS[..OF_ALL]), of_all, "{given}");
            assert_eq!(whole(given.into(), &OPTIONS), of_cksum, "{given}");
        }
        assert!(OPTIONS[..OF_ALL].is_sorted() && OPTIONS[OF_ALL..].is_sorted());
    }
}
