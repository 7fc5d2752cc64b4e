//! How well two orders of the same things agree.

/// Spearman's rank correlation: 1 if both put all in the same order, -1 if in opposite orders.
/// Equal values share their ranks' mean. None of fewer than two pairs, or if all values of a side
/// are equal.
pub fn spearman(pairs: &[(f64, f64)]) -> Option<f64> {
    let [a, b] = [0, 1].map(|side| {
        let values: Vec<f64> = pairs.iter().map(|&(a, b)| [a, b][side]).collect();
        ranks(&values)
    });
    let mean = (pairs.len() as f64 + 1.0) / 2.0;
    let covariance = |a: &[f64], b: &[f64]| -> f64 {
        a.iter().zip(b).map(|(a, b)| (a - mean) * (b - mean)).sum()
    };
    let spread = covariance(&a, &a) * covariance(&b, &b);
    (spread > 0.0).then(|| covariance(&a, &b) / spread.sqrt())
}

/// The place of each value in ascending order, from 1.
fn ranks(values: &[f64]) -> Vec<f64> {
    let rank = |value: &f64| {
        let below = values.iter().filter(|other| *other < value).count();
        let equal = values.iter().filter(|other| *other == value).count();
        below as f64 + (equal as f64 + 1.0) / 2.0
    };
    values.iter().map(rank).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agreement_is_between_minus_one_and_one() {
        assert_eq!(spearman(&[(1.0, 10.0), (2.0, 100.0), (3.0, 1e6)]), Some(1.0));
        assert_eq!(spearman(&[(1.0, 3.0), (2.0, 2.0), (3.0, 1.0)]), Some(-1.0));
        // 1 - 6 Σd² / n(n² - 1) with d = 0, 1, -1, 0.
        let swapped = spearman(&[(1.0, 1.0), (2.0, 3.0), (3.0, 2.0), (4.0, 4.0)]).unwrap();
        assert!((swapped - 0.8).abs() < 1e-12, "{swapped}");
        // Ranks 1, 2.5, 2.5 against 1, 2, 3.
        let tied = spearman(&[(1.0, 1.0), (2.0, 2.0), (2.0, 3.0)]).unwrap();
        assert!((tied - 0.75f64.sqrt()).abs() < 1e-12, "{tied}");
        assert_eq!(spearman(&[(1.0, 1.0)]), None);
        assert_eq!(spearman(&[(1.0, 1.0), (1.0, 2.0)]), None);
    }
}
