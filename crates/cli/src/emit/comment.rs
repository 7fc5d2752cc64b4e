//! Text in comments of C.

/// A quoted argument in a form that a comment may contain. Between the two characters that would
/// end or begin a comment, the single quotes into which
/// [`quote`](manylane_files::quote::quote) puts every `*` are closed and opened again. A shell
/// reads the same argument.
pub fn in_comment(quoted: &str) -> String {
    quoted.replace("*/", "*''/").replace("/*", "/''*")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_comment_begins_or_ends() {
        for (text, safe) in [("'a/*b'", "'a/''*b'"), ("'*/*'", "'*''/''*'"), ("'/*/'", "'/''*''/'")]
        {
            assert_eq!(in_comment(text), safe);
        }
    }
}
