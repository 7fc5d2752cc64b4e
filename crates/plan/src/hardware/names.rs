/// The names nearest to `name` by edit distance, for a message: the best three of those at most
/// half as far as `name` is long, or else all.
pub(super) fn nearest(name: &str, known: impl IntoIterator<Item = &'static str>) -> String {
    let known: Vec<&str> = known.into_iter().collect();
    let mut near: Vec<(usize, &str)> =
        known.iter().map(|&other| (distance(name, other), other)).collect();
    near.sort();
    near.retain(|&(distance, _)| 2 * distance <= name.chars().count());
    near.truncate(3);
    let names: Vec<&str> = match near.is_empty() {
        true => known,
        false => near.into_iter().map(|(_, name)| name).collect(),
    };
    names.join(", ")
}

/// Insertions, deletions and replacements between two words.
fn distance(a: &str, b: &str) -> usize {
    let mut row: Vec<usize> = (0..=b.chars().count()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.chars().enumerate() {
            let replaced = diagonal + usize::from(x != y);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.chars().count()]
}
