//! The texts of errors.

use std::io;

/// The text of an error as coreutils has it, without Rust's number and the name of a temporary file
/// that the crate `tempfile` puts behind it.
pub fn reason(error: &io::Error) -> String {
    let text = error.to_string();
    match text.find(" (os error ") {
        Some(at) if error.raw_os_error().is_some() || text[at..].contains(") at path ") => {
            text[..at].to_owned()
        }
        _ => text,
    }
}

#[cfg(test)]
mod tests {
    use super::reason;
    use std::path::Path;

    #[test]
    fn reasons_are_those_of_the_system_alone() {
        let missing = std::fs::read("no such file").unwrap_err();
        let temporary = tempfile::NamedTempFile::new_in(Path::new("no such folder")).unwrap_err();
        assert_eq!(reason(&missing), reason(&temporary));
        assert!(!reason(&missing).contains("os error"), "{missing}");
        assert_eq!(reason(&std::io::Error::other("of one's own")), "of one's own");
    }
}
