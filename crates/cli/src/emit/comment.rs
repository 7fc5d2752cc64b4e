//! Text in comments of C.

/// A text that neither ends the comment that it stands in nor seems to begin another one.
pub fn in_comment(text: &str) -> String {
    text.replace("*/", "*\\/").replace("/*", "/\\*")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_comment_begins_or_ends() {
        for (text, safe) in [("a/*b", "a/\\*b"), ("*/*", "*\\/\\*"), ("/*/", "/\\*\\/")] {
            assert_eq!(in_comment(text), safe);
        }
    }
}
