//! Text in comments of C.

/// Returns a quoted argument in a form that a C comment may contain: `*/` and `/*` get two single
/// quotes between their characters. [`quote`](manylane_files::quote::quote) puts every `*` into
/// single quotes, which the two close and open again, so a shell reads the same argument.
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
