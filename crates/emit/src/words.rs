//! The rules for names in emitted texts, whatever their language.

/// Why a name is refused; `None` if it begins with a letter, has only letters, digits and single
/// underscores, has at most `longest` bytes, and does not end in an underscore. `who` names the
/// language that refuses trailing and double underscores.
pub(crate) fn malformed(name: &str, longest: usize, who: &str) -> Option<String> {
    Some(if name.is_empty() {
        "is empty".to_owned()
    } else if name.len() > longest {
        format!("has {} bytes, more than {longest}", name.len())
    } else if !name.starts_with(|c: char| c.is_ascii_alphabetic()) {
        "does not begin with a letter".to_owned()
    } else if !name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') {
        "has other characters than letters, digits and underscores".to_owned()
    } else if name.ends_with('_') || name.contains("__") {
        format!("ends in an underscore or has two of them side by side, which {who} does not take")
    } else {
        return None;
    })
}

/// Whether a word is in a list, separated by white space.
pub(crate) fn is_in(list: &str, word: &str) -> bool {
    list.split_whitespace().any(|listed| listed == word)
}
