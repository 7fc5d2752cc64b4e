//! The name that a person may have meant.

/// The candidate with the fewest edits to `name`, if they are at most a third of its letters.
pub fn nearest<'n>(name: &str, candidates: impl IntoIterator<Item = &'n str>) -> Option<&'n str> {
    let allowed = name.chars().count().div_ceil(3);
    let distances = candidates.into_iter().map(|candidate| (distance(name, candidate), candidate));
    distances.min().filter(|&(distance, _)| distance <= allowed).map(|(_, candidate)| candidate)
}

/// What to say about an unknown name: the nearest one, or all of them.
pub fn suggestion(name: &str, candidates: &[&str]) -> String {
    match nearest(name, candidates.iter().copied()) {
        Some(candidate) => format!("did you mean `{candidate}`?"),
        None => format!("known are {}", candidates.join(", ")),
    }
}

/// The number of letters to insert, delete or replace (Levenshtein), letter case apart.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.to_lowercase().chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.to_lowercase().chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, &y) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(x != y);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(1 + row[j]).min(1 + diagonal);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_letter_off_is_found() {
        let names = ["rp2040", "s12x-xgate", "unit"];
        assert_eq!(nearest("rp2400", names), Some("rp2040"));
        assert_eq!(nearest("S12X-xgat", names), Some("s12x-xgate"));
        assert_eq!(nearest("entirely else", names), None);
        assert_eq!(suggestion("x", &names), "known are rp2040, s12x-xgate, unit");
    }
}
