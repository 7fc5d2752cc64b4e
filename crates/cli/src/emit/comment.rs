//! Text in comments of C.

/// An argument of a shell in which [`quote`](manylane_files::quote::quote) has put every `*` into
/// single quotes, as a comment may have it: between the two characters that would end a comment or
/// begin one the quotes are closed and opened again, which a shell reads as the same argument.
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
