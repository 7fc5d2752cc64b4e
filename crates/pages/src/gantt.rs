//! A Gantt chart: the bars of each core, and the handshakes between them.

use super::Html;
use super::svg::{Anchor, Svg, number};

/// Something that a core does.
#[derive(Clone, Debug, PartialEq)]
pub struct Bar {
    /// The core's number, from 0.
    pub core: usize,
    /// When it begins.
    pub start: f64,
    /// When it ends.
    pub end: f64,
    /// The text on the bar.
    pub label: String,
}

/// A handshake, by which one core hands its results to the other.
#[derive(Clone, Debug, PartialEq)]
pub struct Arrow {
    /// The core that hands over.
    pub from: usize,
    /// The core that waits for it.
    pub to: usize,
    /// When it happens.
    pub time: f64,
}

/// A schedule to be drawn.
#[derive(Clone, Debug)]
pub struct Gantt {
    /// The cores' names.
    pub cores: Vec<String>,
    /// The work of the cores.
    pub bars: Vec<Bar>,
    /// The handshakes.
    pub arrows: Vec<Arrow>,
    /// The unit of time.
    pub unit: String,
}

const LEFT: f64 = 110.0;
const WIDTH: f64 = 980.0;
const ROW: f64 = 64.0;
const BAR: f64 = 30.0;
/// Width of a letter in the label of a bar.
const LETTER: f64 = 6.4;

impl Gantt {
    /// The chart; it can be zoomed.
    pub fn html(&self) -> Html {
        let end = self.bars.iter().map(|bar| bar.end).fold(0.0, f64::max);
        let end = self.arrows.iter().map(|arrow| arrow.time).fold(end, f64::max);
        let scale = if end > 0.0 { (WIDTH - LEFT - 20.0) / end } else { 0.0 };
        let x = |time: f64| LEFT + scale * time;
        let y = |core: usize| 16.0 + ROW * core as f64;
        let floor = y(self.cores.len());
        let mut svg = Svg::new(WIDTH, floor + 40.0);

        for tick in ticks(end) {
            svg.line("grid", [x(tick), 8.0], [x(tick), floor]);
            svg.text("axis", [x(tick), floor + 16.0], Anchor::Middle, &number(tick));
        }
        svg.text("axis", [WIDTH - 20.0, floor + 34.0], Anchor::End, &self.unit);
        for (core, name) in self.cores.iter().enumerate() {
            svg.text("name", [LEFT - 10.0, y(core) + BAR / 2.0 + 4.0], Anchor::End, name);
        }
        for bar in &self.bars {
            let (left, width) = (x(bar.start), scale * (bar.end - bar.start));
            let title = format!("{}: {} to {}", bar.label, number(bar.start), number(bar.end));
            let class = format!("task c{}", bar.core % 6);
            svg.rect(&class, [left, y(bar.core), width.max(0.5), BAR], &title);
            if width > LETTER * bar.label.chars().count() as f64 + 4.0 {
                let middle = [left + width / 2.0, y(bar.core) + BAR / 2.0 + 4.0];
                svg.text("on-bar", middle, Anchor::Middle, &bar.label);
            }
        }
        for arrow in &self.arrows {
            let down = arrow.to > arrow.from;
            let from = y(arrow.from) + if down { BAR } else { 0.0 };
            let to = y(arrow.to) + if down { 0.0 } else { BAR };
            let (at, back) = (x(arrow.time), if down { -6.0 } else { 6.0 });
            let [at_, left, right] = [at, at - 3.5, at + 3.5].map(number);
            let [from_, to_, head] = [from, to, to + back].map(number);
            let d = format!("M{at_} {from_}V{to_}M{left} {head}L{at_} {to_}L{right} {head}");
            svg.path("handshake", &d);
        }
        let label =
            format!("what {} do, until {} {}", self.cores.join(" and "), number(end), self.unit);
        super::steps::zoomable(svg, "gantt", &label)
    }
}

/// About six round numbers from 0 to `end`.
pub fn ticks(end: f64) -> Vec<f64> {
    if end <= 0.0 {
        return vec![0.0];
    }
    let rough = end / 6.0;
    let power = 10f64.powf(rough.log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0].map(|m| m * power).into_iter().find(|&step| step >= rough);
    let step = step.unwrap_or(rough).max(1.0);
    (0..).map(|i| f64::from(i) * step).take_while(|&tick| tick <= end).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_and_handshakes_are_drawn() {
        let bar = |core, start, end, label: &str| Bar { core, start, end, label: label.into() };
        let chart = Gantt {
            cores: vec!["cpu".into(), "xgate".into()],
            bars: vec![bar(0, 0.0, 400.0, "round[0]"), bar(1, 50.0, 52.0, "too long for its bar")],
            arrows: vec![Arrow { from: 0, to: 1, time: 50.0 }],
            unit: "cycles".into(),
        };
        let html = chart.html().0;
        assert_eq!(html.matches("class=\"task ").count(), 2);
        assert_eq!(html.matches("class=\"handshake\"").count(), 1);
        assert!(html.contains(">round[0]<") && !html.contains(">too long for its bar<"));
        let empty = Gantt { bars: Vec::new(), arrows: Vec::new(), ..chart };
        assert!(!empty.html().0.contains("NaN"));
    }

    #[test]
    fn ticks_are_round_and_few() {
        for end in [1.0, 7.0, 99.0, 89_898.0, 1e9] {
            let ticks = ticks(end);
            assert!((2..=8).contains(&ticks.len()), "{end}: {ticks:?}");
        }
    }
}
