//! The names that a person may have meant: of algorithms, platforms, keys of files.

#![forbid(unsafe_code)]

/// How many names are offered at most.
const MOST: usize = 3;

/// Returns the candidates that are the fewest edits (Damerau and Levenshtein's, letter case apart)
/// from `name`: at most three, each once, the nearest first. More edits than a third of the letters
/// of `name`, rounded up, are too many.
pub fn nearest<'n>(name: &str, candidates: impl IntoIterator<Item = &'n str>) -> Vec<&'n str> {
    nearest_by(name, candidates.into_iter().map(|candidate| (candidate, candidate)))
}

/// Does the same as [`nearest`], but returns the values that the names stand for.
pub fn nearest_by<'n, T: PartialEq>(
    name: &str,
    candidates: impl IntoIterator<Item = (&'n str, T)>,
) -> Vec<T> {
    let allowed = name.chars().count().div_ceil(3);
    let name = name.to_lowercase();
    let distance = |candidate: &str| strsim::damerau_levenshtein(&name, &candidate.to_lowercase());
    let mut near: Vec<(usize, T)> =
        candidates.into_iter().map(|(candidate, of)| (distance(candidate), of)).collect();
    near.retain(|&(distance, _)| distance <= allowed);
    near.sort_by_key(|&(distance, _)| distance);
    let mut found: Vec<T> = Vec::new();
    for (_, of) in near {
        if found.len() < MOST && !found.contains(&of) {
            found.push(of);
        }
    }
    found
}

/// The text that errors give for an unknown name: the nearest names, or all of them.
pub fn suggestion(name: &str, candidates: &[&str]) -> String {
    listed(&nearest(name, candidates.iter().copied()), candidates)
}

/// The text that errors give for an unknown name: the names `near` to it, or `all` if there are
/// none.
pub fn listed(near: &[&str], all: &[&str]) -> String {
    let quoted: Vec<String> = near.iter().map(|name| format!("`{name}`")).collect();
    match &quoted[..] {
        [] => format!("known are {}", all.join(", ")),
        [one] => format!("did you mean {one}?"),
        [first @ .., last] => format!("did you mean {} or {last}?", first.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_with_few_edits_are_found() {
        let names = ["s12x-xgate", "rp2040", "unit", "unit-adder"];
        assert_eq!(nearest("rp2400", names), ["rp2040"]);
        assert_eq!(nearest("S12X-xgat", names), ["s12x-xgate"]);
        assert_eq!(nearest("unti", names), ["unit"]);
        assert!(nearest("entirely else", names).is_empty());
        assert_eq!(nearest("ab", ["b", "abc", "b", "a", "ac"]), ["b", "abc", "a"]);
    }

    #[test]
    fn what_is_like_nothing_gets_the_whole_list() {
        assert_eq!(suggestion("x", &["gate", "unit"]), "known are gate, unit");
        assert_eq!(suggestion("gat", &["gate", "unit"]), "did you mean `gate`?");
        assert_eq!(suggestion("tre", &["tree", "trie"]), "did you mean `tree` or `trie`?");
    }
}
