//! The shapes that no other built shape beats, and the choice among them.

use serde::{Deserialize, Serialize};

/// The goal of an exploration.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Goal {
    /// The fastest shape of at most this area.
    Budget(f64),
    /// The smallest shape of at least this many Mbit/s.
    Throughput(f64),
    /// The shape with the most Mbit/s per area.
    Efficiency,
}

/// Which points, each an area and a throughput, no other beats: no other is as small and as fast,
/// and smaller or faster. Of equal points only the first counts.
pub fn frontier(points: &[[f64; 2]]) -> Vec<bool> {
    let beats = |(i, a): (usize, &[f64; 2]), (j, b): (usize, &[f64; 2])| {
        a[0] <= b[0] && a[1] >= b[1] && (a != b || i < j)
    };
    let beaten =
        |b: (usize, &[f64; 2])| points.iter().enumerate().any(|a| a.0 != b.0 && beats(a, b));
    points.iter().enumerate().map(|point| !beaten(point)).collect()
}

/// The point that serves the goal best; none if no point does.
pub fn choose(points: &[[f64; 2]], goal: Goal) -> Option<usize> {
    let on = frontier(points);
    let serves = |&[area, mbps]: &[f64; 2]| match goal {
        Goal::Budget(most) => area <= most,
        Goal::Throughput(least) => mbps >= least,
        Goal::Efficiency => true,
    };
    let worth = |&[area, mbps]: &[f64; 2]| match goal {
        Goal::Budget(_) => mbps,
        Goal::Throughput(_) => -area,
        Goal::Efficiency => mbps / area,
    };
    let good = (0..points.len()).filter(|&i| on[i] && serves(&points[i]));
    good.max_by(|&a, &b| worth(&points[a]).total_cmp(&worth(&points[b])))
}

#[cfg(test)]
mod tests {
    use super::*;

    const POINTS: [[f64; 2]; 5] =
        [[100.0, 10.0], [200.0, 30.0], [210.0, 20.0], [400.0, 40.0], [200.0, 30.0]];

    #[test]
    fn what_is_beaten_is_not_on_the_frontier() {
        assert_eq!(frontier(&POINTS), [true, true, false, true, false]);
        assert!(frontier(&[]).is_empty());
    }

    #[test]
    fn each_goal_has_its_choice() {
        assert_eq!(choose(&POINTS, Goal::Budget(399.0)), Some(1));
        assert_eq!(choose(&POINTS, Goal::Budget(99.0)), None);
        assert_eq!(choose(&POINTS, Goal::Throughput(31.0)), Some(3));
        assert_eq!(choose(&POINTS, Goal::Throughput(41.0)), None);
        assert_eq!(choose(&POINTS, Goal::Efficiency), Some(1));
    }
}
