//! The names that a person may have meant: of algorithms, platforms, keys of files.

#![forbid(unsafe_code)]

/// How many names are offered at most.
const MOST: usize = 3;

/// The most letters of a name that is taken for a misspelt one. The distance of two names takes as
/// many steps as the product of their lengths.
const LONGEST: usize = 128;

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
    nearest_of(name, candidates, strsim::damerau_levenshtein)
}

/// Does the same as [`nearest_by`] with a function for the distance of two names.
fn nearest_of<'n, T: PartialEq>(
    name: &str,
    candidates: impl IntoIterator<Item = (&'n str, T)>,
    distance: impl Fn(&str, &str) -> usize,
) -> Vec<T> {
    if name.chars().nth(LONGEST).is_some() {
        return Vec::new();
    }
    let allowed = name.chars().count().div_ceil(3);
    let name = name.to_lowercase();
    let letters = name.chars().count();
    let mut near: Vec<(usize, T)> = Vec::new();
    for (candidate, of) in candidates {
        let candidate = candidate.to_lowercase();
        // The distance is at least the difference of the lengths.
        if candidate.chars().count().abs_diff(letters) <= allowed {
            near.push((distance(&name, &candidate), of));
        }
    }
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

    /// Counts the steps of the distances that are computed.
    fn steps(name: &str, candidates: &[&str]) -> usize {
        let steps = std::cell::Cell::new(0);
        let distance = |a: &str, b: &str| {
            steps.set(steps.get() + a.chars().count() * b.chars().count());
            strsim::damerau_levenshtein(a, b)
        };
        let found = nearest_of(name, candidates.iter().map(|name| (*name, *name)), distance);
        assert_eq!(found, nearest(name, candidates.iter().copied()));
        steps.get()
    }

    #[test]
    fn long_names_are_compared_with_none() {
        let long = "a".repeat(1 << 20);
        let longer = "a".repeat((1 << 20) + 1);
        assert_eq!(steps(&long, &["unit", "rp2040", &longer, "sha256"]), 0);
        assert_eq!(steps("units", &["unit", &longer]), 5 * 4);
        let most = "a".repeat(LONGEST);
        let near = format!("{most}a");
        assert_eq!(nearest(&most, ["unit", &near]), [near.as_str()]);
        assert!(nearest(&near, ["unit", &near]).is_empty());
    }

    #[test]
    fn what_is_like_nothing_gets_the_whole_list() {
        assert_eq!(suggestion("x", &["gate", "unit"]), "known are gate, unit");
        assert_eq!(suggestion("gat", &["gate", "unit"]), "did you mean `gate`?");
        assert_eq!(suggestion("tre", &["tree", "trie"]), "did you mean `tree` or `trie`?");
    }
}
