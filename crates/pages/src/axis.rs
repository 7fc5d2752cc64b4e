//! An axis that shows the range of its values, with round ticks.

use super::svg::number;
use super::thousands;

/// The ratio of the greatest value to the least from which the axis is logarithmic.
const WIDE: f64 = 5.0;
/// The margin at either end, as a part of the axis.
const MARGIN: f64 = 0.06;
/// The sets of marks in a decade, the smallest set first.
const MARKS: [&[f64]; 4] = [
    &[1.0],
    &[1.0, 2.0, 5.0],
    &[1.0, 1.5, 2.0, 3.0, 5.0, 7.0],
    &[1.0, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0],
];
/// The fewest ticks of an axis.
const FEW: usize = 5;

/// Maps values to coordinates along an axis.
#[derive(Clone, Debug)]
pub struct Axis {
    low: f64,
    high: f64,
    /// Whether the axis is logarithmic.
    pub logarithmic: bool,
    from: f64,
    to: f64,
}

impl Axis {
    /// An axis for positive values, from the coordinate `from` to `to`. Without values it shows 0
    /// to 1.
    pub fn new(values: impl IntoIterator<Item = f64>, from: f64, to: f64) -> Self {
        let (least, most) =
            values.into_iter().fold((f64::INFINITY, 0.0_f64), |(a, b), v| (a.min(v), b.max(v)));
        let logarithmic = most > WIDE * least;
        let (low, high) = match () {
            () if most <= 0.0 => (0.0, 1.0),
            () if logarithmic => {
                let free = (most / least).powf(MARGIN);
                (least / free, most * free)
            }
            () => {
                // A single value gets a margin of a tenth of itself.
                let free = (MARGIN * (most - least)).max(0.1 * least * f64::from(most == least));
                ((least - free).max(0.0), most + free)
            }
        };
        Self { low, high, logarithmic, from, to }
    }

    /// The coordinate of a value.
    pub fn at(&self, value: f64) -> f64 {
        let part = match self.logarithmic {
            true => (value / self.low).ln() / (self.high / self.low).ln(),
            false => (value - self.low) / (self.high - self.low),
        };
        self.from + part * (self.to - self.from)
    }

    /// The least and the greatest value on the axis.
    pub fn range(&self) -> [f64; 2] {
        [self.low, self.high]
    }

    /// Whether a value lies on the axis.
    pub fn has(&self, value: f64) -> bool {
        (self.low..=self.high).contains(&value)
    }

    /// Round values on the axis, in ascending order.
    pub fn ticks(&self) -> Vec<f64> {
        if !self.logarithmic {
            let step = step((self.high - self.low) / 9.0);
            let first = (self.low / step).ceil() as i64;
            let all = (first..).map(|i| i as f64 * step);
            return all.take_while(|&tick| tick <= self.high).collect();
        }
        let first = self.low.log10().floor() as i32;
        let decades = || (first..=self.high.log10().ceil() as i32).map(|power| 10f64.powi(power));
        let of = |marks: &[f64]| -> Vec<f64> {
            let all = decades().flat_map(|decade| marks.iter().map(move |mark| mark * decade));
            all.filter(|&mark| self.has(mark)).collect()
        };
        let densest = of(MARKS[MARKS.len() - 1]);
        MARKS.iter().map(|marks| of(marks)).find(|ticks| ticks.len() >= FEW).unwrap_or(densest)
    }

    /// A tick as text.
    pub fn text(tick: f64) -> String {
        if tick.fract() == 0.0 { thousands(tick as usize) } else { number(tick) }
    }
}

/// The least value of the form 1, 2 or 5 times a power of ten that is not below `rough`.
fn step(rough: f64) -> f64 {
    let power = 10f64.powf(rough.log10().floor());
    [1.0, 2.0, 5.0, 10.0].map(|m| m * power).into_iter().find(|&s| s >= rough).unwrap_or(rough)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wide_ranges_are_logarithmic() {
        let axis = Axis::new([10.0, 1000.0], 0.0, 100.0);
        assert!(axis.logarithmic && (axis.at(100.0) - 50.0).abs() < 1e-9);
        assert_eq!(axis.ticks(), [10.0, 20.0, 50.0, 100.0, 200.0, 500.0, 1000.0]);
        assert_eq!(Axis::text(1000.0), "1,000");
    }

    #[test]
    fn an_axis_shows_the_range_of_its_values() {
        for [least, most] in
            [[1800.0, 2100.0], [0.5, 2.0], [399.0, 1900.0], [7.0, 7000.0], [5.0, 26.0]]
        {
            let axis = Axis::new([least, most], 0.0, 100.0);
            let [near, far] = [least, most].map(|value| axis.at(value));
            assert!((2.0..10.0).contains(&near) && (90.0..98.0).contains(&far), "{axis:?}");
            let ticks = axis.ticks();
            assert!((4..=12).contains(&ticks.len()), "{axis:?}: {ticks:?}");
            assert!(ticks.iter().all(|&tick| axis.has(tick)), "{axis:?}: {ticks:?}");
            assert!(ticks.is_sorted_by(|a, b| a < b), "{axis:?}: {ticks:?}");
        }
    }

    #[test]
    fn one_value_and_none_have_an_axis() {
        let one = Axis::new([2000.0], 0.0, 100.0);
        assert!((one.at(2000.0) - 50.0).abs() < 1e-9 && one.ticks().len() >= 4, "{one:?}");
        let none = Axis::new([], 0.0, 100.0);
        assert_eq!(none.at(0.5), 50.0);
        assert_eq!(Axis::text(none.ticks()[1]), "0.2");
    }
}
