//! Points in a plane: throughput against area.

use super::svg::{Anchor, Svg, number};
use super::{Html, thousands};

/// A point.
#[derive(Clone, Debug)]
pub struct Point {
    /// To the right.
    pub x: f64,
    /// Upwards.
    pub y: f64,
    /// What it is called, beside it and under the pointer.
    pub label: String,
    /// What it is: decides how it looks.
    pub kind: Kind,
}

/// What a point is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// One that another beats; its label shows under the pointer alone.
    Beaten,
    /// One that none beats.
    Best,
    /// The one to take.
    Chosen,
    /// Somebody else's.
    Peer,
}

impl Kind {
    fn class(self) -> &'static str {
        match self {
            Self::Beaten => "dot beaten",
            Self::Best => "dot best",
            Self::Chosen => "dot chosen",
            Self::Peer => "dot peer",
        }
    }
}

/// A drawing of points.
#[derive(Clone, Debug, Default)]
pub struct Scatter {
    /// What is to the right.
    pub x_title: String,
    /// What is upwards.
    pub y_title: String,
    /// The points.
    pub points: Vec<Point>,
    /// Heights with a name: claims without an x.
    pub levels: Vec<(f64, String)>,
}

const WIDTH: f64 = 980.0;
const HEIGHT: f64 = 520.0;
const LEFT: f64 = 76.0;
const RIGHT: f64 = 24.0;
const TOP: f64 = 24.0;
const BOTTOM: f64 = 48.0;
/// From here on a range is drawn by its logarithm.
const WIDE: f64 = 5.0;
/// A letter of a label.
const LETTER: f64 = 6.0;

/// From values to places.
struct Axis {
    low: f64,
    high: f64,
    logarithmic: bool,
    from: f64,
    to: f64,
}

impl Axis {
    fn new(values: impl Iterator<Item = f64>, from: f64, to: f64) -> Self {
        let (least, most) = values.fold((f64::INFINITY, 0.0_f64), |(a, b), v| (a.min(v), b.max(v)));
        let logarithmic = most > WIDE * least;
        let (low, high) = match logarithmic {
            true => (least / 1.2, most * 1.2),
            false => (0.0, most * 1.1),
        };
        // Nothing to show is shown on an axis from 0 to 1.
        let (low, high) = if most > 0.0 { (low, high) } else { (0.0, 1.0) };
        Self { low, high, logarithmic, from, to }
    }

    fn at(&self, value: f64) -> f64 {
        let part = match self.logarithmic {
            true => (value / self.low).ln() / (self.high / self.low).ln(),
            false => (value - self.low) / (self.high - self.low),
        };
        self.from + part * (self.to - self.from)
    }

    fn ticks(&self) -> Vec<f64> {
        if !self.logarithmic {
            return super::gantt::ticks(self.high);
        }
        let first = self.low.log10().floor() as i32;
        let decades = (first..=self.high.log10().ceil() as i32).map(|power| 10f64.powi(power));
        let marks = decades.flat_map(|decade| [1.0, 2.0, 5.0].map(|m| m * decade));
        marks.filter(|mark| (self.low..=self.high).contains(mark)).collect()
    }
}

impl Scatter {
    fn draw(&self) -> Svg {
        let mut svg = Svg::new(WIDTH, HEIGHT);
        let (right, floor) = (WIDTH - RIGHT, HEIGHT - BOTTOM);
        let x = Axis::new(self.points.iter().map(|point| point.x), LEFT, right);
        let levels = self.levels.iter().map(|(y, _)| *y);
        let y = Axis::new(self.points.iter().map(|point| point.y).chain(levels), floor, TOP);
        for tick in y.ticks() {
            svg.line("grid", [LEFT, y.at(tick)], [right, y.at(tick)]);
            let place = [LEFT - 6.0, y.at(tick) + 4.0];
            svg.text("axis", place, Anchor::End, &thousands(tick as usize));
        }
        for tick in x.ticks() {
            svg.line("grid", [x.at(tick), TOP], [x.at(tick), floor]);
            let place = [x.at(tick), floor + 16.0];
            svg.text("axis", place, Anchor::Middle, &thousands(tick as usize));
        }
        svg.text("axis", [right, HEIGHT - 10.0], Anchor::End, &self.x_title);
        svg.text("axis", [8.0, 14.0], Anchor::Start, &self.y_title);
        for (level, name) in &self.levels {
            svg.line("claim", [LEFT, y.at(*level)], [right, y.at(*level)]);
            svg.text("claim", [LEFT + 6.0, y.at(*level) - 4.0], Anchor::Start, name);
        }
        svg.path("frontier", &self.frontier(&x, &y));
        let mut labels = Labels::default();
        for point in &self.points {
            let place = [x.at(point.x), y.at(point.y)];
            svg.circle(point.kind.class(), place, 4.5, &point.label);
            labels.taken.push([place[0] - 5.0, place[1] - 5.0, 10.0, 10.0]);
        }
        for point in self.points.iter().filter(|point| point.kind != Kind::Beaten) {
            if let Some((place, anchor)) =
                labels.place([x.at(point.x), y.at(point.y)], &point.label)
            {
                svg.text("label", place, anchor, &point.label);
            }
        }
        svg
    }

    /// Steps through the points that none beats.
    fn frontier(&self, x: &Axis, y: &Axis) -> String {
        let best = |point: &&Point| matches!(point.kind, Kind::Best | Kind::Chosen);
        let mut best: Vec<&Point> = self.points.iter().filter(best).collect();
        best.sort_by(|a, b| a.x.total_cmp(&b.x));
        let mut d = String::new();
        for point in best {
            let [px, py] = [x.at(point.x), y.at(point.y)].map(number);
            d += &if d.is_empty() { format!("M{px} {py}") } else { format!("H{px}V{py}") };
        }
        d
    }

    /// The drawing as part of a page.
    pub fn html(&self) -> Html {
        let svg = self.draw().html("scatter", &self.label());
        Html(format!("<div class=\"scroll\">{svg}</div>\n"))
    }

    /// The drawing as an SVG file, for light and dark surroundings.
    pub fn file(&self) -> String {
        self.draw().file(&self.label(), FILE_STYLE)
    }

    fn label(&self) -> String {
        format!("{} against {}", self.y_title, self.x_title)
    }
}

/// Places of labels, so that none lies on another or on a point.
#[derive(Default)]
struct Labels {
    taken: Vec<[f64; 4]>,
}

impl Labels {
    /// A place beside a point, if there is one that is free.
    fn place(&mut self, [x, y]: [f64; 2], label: &str) -> Option<([f64; 2], Anchor)> {
        let width = LETTER * label.chars().count() as f64;
        let right = |dy: f64| ([x + 8.0, y + dy], Anchor::Start, x + 8.0);
        let left = |dy: f64| ([x - 8.0, y + dy], Anchor::End, x - 8.0 - width);
        let tries = [right(4.0), left(4.0), right(-9.0), left(-9.0), right(17.0), left(17.0)];
        for (place, anchor, from) in tries {
            let room = [from, place[1] - 10.0, width, 13.0];
            let inside = from > LEFT && from + width < WIDTH;
            if inside && !self.taken.iter().any(|taken| overlap(taken, &room)) {
                self.taken.push(room);
                return Some((place, anchor));
            }
        }
        None
    }
}

/// Whether rectangles, each a corner, a width and a height, have anything in common.
fn overlap(a: &[f64; 4], b: &[f64; 4]) -> bool {
    a[0] < b[0] + b[2] && b[0] < a[0] + a[2] && a[1] < b[1] + b[3] && b[1] < a[1] + a[3]
}

const FILE_STYLE: &str = "\
text { font: 11px sans-serif; fill: #57606a; }
text.label { fill: #24292f; }
text.claim { fill: #8250df; }
.grid { stroke: #57606a; stroke-opacity: 0.2; }
line.claim { stroke: #8250df; stroke-dasharray: 5 3; }
.frontier { fill: none; stroke: #2f6fbd; stroke-opacity: 0.5; }
.dot { fill: #2f6fbd; }
.beaten { fill: #b6c2cf; }
.chosen { fill: #1a7f37; }
.peer { fill: #bc4c00; }
@media (prefers-color-scheme: dark) {
  text { fill: #a5afba; }
  text.label { fill: #e6edf3; }
  text.claim { fill: #c297ff; }
  line.claim { stroke: #c297ff; }
  .grid { stroke: #a5afba; }
  .dot { fill: #5b9bea; }
  .beaten { fill: #4a5563; }
  .chosen { fill: #4ac26b; }
  .peer { fill: #f0a35e; }
}
";

#[cfg(test)]
mod tests {
    use super::*;

    fn point(x: f64, y: f64, kind: Kind) -> Point {
        Point { x, y, label: format!("<{x}>"), kind }
    }

    #[test]
    fn wide_ranges_are_logarithmic() {
        let axis = Axis::new([10.0, 1000.0].into_iter(), 0.0, 100.0);
        assert!(axis.logarithmic && (axis.at(100.0) - 50.0).abs() < 1e-9);
        assert_eq!(axis.ticks(), [10.0, 20.0, 50.0, 100.0, 200.0, 500.0, 1000.0]);
        let narrow = Axis::new([100.0, 200.0].into_iter(), 0.0, 100.0);
        assert!(!narrow.logarithmic && narrow.at(0.0) == 0.0);
    }

    #[test]
    fn points_are_drawn_and_labels_keep_apart() {
        let mut points = vec![point(1.0, 1.0, Kind::Best), point(2.0, 3.0, Kind::Chosen)];
        points.extend((0..40).map(|_| point(1.5, 2.0, Kind::Peer)));
        points.push(point(2.0, 1.0, Kind::Beaten));
        let drawn = Scatter { points, levels: vec![(2.5, "claim".into())], ..Scatter::default() };
        let file = drawn.file();
        assert_eq!(file.matches("<circle").count(), 43);
        // At most six labels find room around one place.
        assert!(file.matches("class=\"label\"").count() <= 2 + 6);
        assert!(file.contains("&lt;1&gt;") && !file.contains("NaN"));
        assert!(!Scatter::default().file().contains("NaN"));
    }
}
