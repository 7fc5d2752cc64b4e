//! Points in a plane: throughput against area.
//!
//! ```text
//! title, what it says, how it was made
//! key: a sample of each mark
//! Mbit/s │ · · claim · · · · · · · · ·   marks differ in form, so that they do in print
//!        │      ┌──◆                     what none beats is joined by steps and labelled
//!        │  ●───┘    ○   ▲ peer
//!        └────────────────────── area
//! ```

use super::Html;
use super::axis::Axis;
use super::labels::{Labels, width};
use super::svg::{Anchor, Svg, number};

/// A point.
#[derive(Clone, Debug)]
pub struct Point {
    /// The coordinate to the right.
    pub x: f64,
    /// The coordinate upwards.
    pub y: f64,
    /// Its name.
    pub label: String,
    /// The text of its tooltip.
    pub about: String,
    /// The kind of point, which decides how it looks.
    pub kind: PointKind,
    /// Whether it has the shape of a published design: a frame and a label.
    pub published: bool,
}

/// The kind of a point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PointKind {
    /// A shape that another one beats; it has no label.
    Beaten,
    /// A shape that no other one beats.
    Best,
    /// The recommended shape.
    Chosen,
    /// A core of another project.
    Peer,
}

impl Point {
    /// The radius of the mark, its frame included.
    fn radius(&self) -> f64 {
        match self.kind {
            _ if self.published => 9.0,
            PointKind::Chosen | PointKind::Peer => 7.5,
            PointKind::Best | PointKind::Beaten => 5.0,
        }
    }
}

/// What was asked of the exploration, drawn as a line, with its text in the key.
#[derive(Clone, Debug, PartialEq)]
pub enum GuideLine {
    /// At most this x: an upright line.
    Right(f64, String),
    /// At least this y: a level line.
    Up(f64, String),
    /// The y per x of the recommended point: the line of all points with this ratio.
    Ratio(f64, String),
}

/// A drawing of points.
#[derive(Clone, Debug, Default)]
pub struct Scatter {
    /// The title of the diagram.
    pub title: String,
    /// Lines below the title: the result, and how it was made.
    pub lines: Vec<String>,
    /// The quantity to the right, with its unit.
    pub x_title: String,
    /// The quantity upwards, with its unit.
    pub y_title: String,
    /// The points.
    pub points: Vec<Point>,
    /// Heights with a name: claims without an x.
    pub levels: Vec<(f64, String)>,
    /// The limit that was asked for, such as one of area, or the recommended ratio.
    pub guide: Option<GuideLine>,
    /// The key's name for the points with a frame.
    pub published: String,
    /// The explanation of labels at the end of the key.
    pub reading: String,
}

const WIDTH: f64 = 980.0;
const LEFT: f64 = 84.0;
const RIGHT: f64 = 24.0;
/// The height of the plane in which the points are.
const PLANE: f64 = 460.0;
const BOTTOM: f64 = 56.0;
const LINE: f64 = 18.0;
/// A sample of a mark in the key, and the gap to the next.
const SAMPLE: f64 = 26.0;
const GAP: f64 = 22.0;

impl PointKind {
    const ALL: [Self; 4] = [Self::Best, Self::Chosen, Self::Beaten, Self::Peer];

    fn class(self) -> &'static str {
        match self {
            Self::Beaten => "dot beaten",
            Self::Best => "dot best",
            Self::Chosen => "dot chosen",
            Self::Peer => "dot peer",
        }
    }

    fn means(self) -> &'static str {
        match self {
            Self::Beaten => "another is as small and as fast",
            Self::Best => "none is as small and as fast",
            Self::Chosen => "recommended",
            Self::Peer => "core of others",
        }
    }

    /// Draws the mark of this kind around a place.
    fn mark(self, svg: &mut Svg, [x, y]: [f64; 2], about: &str) {
        let outline = |parts: &[[f64; 2]]| {
            let corners: Vec<[f64; 2]> = parts.iter().map(|[dx, dy]| [x + dx, y + dy]).collect();
            path(&corners) + "Z"
        };
        let class = self.class();
        match self {
            Self::Best => svg.circle(class, [x, y], 4.5, about),
            Self::Beaten => svg.circle(class, [x, y], 3.5, about),
            Self::Chosen => {
                let diamond = [[0.0, -7.5], [7.5, 0.0], [0.0, 7.5], [-7.5, 0.0]];
                svg.outline(class, &outline(&diamond), about);
            }
            Self::Peer => {
                svg.outline(class, &outline(&[[0.0, -6.5], [6.0, 4.5], [-6.0, 4.5]]), about);
            }
        }
    }
}

/// Lines from corner to corner, in SVG's language.
fn path(corners: &[[f64; 2]]) -> String {
    let corners = corners.iter().map(|&[x, y]| format!("{} {}", number(x), number(y)));
    format!("M{}", corners.collect::<Vec<_>>().join("L"))
}

/// The frame of a point of a published shape.
fn frame(svg: &mut Svg, [x, y]: [f64; 2]) {
    svg.rect("frame", [x - 8.5, y - 8.5, 17.0, 17.0], "");
}

/// A line of the key: the function that draws its sample, and the meaning.
type Entry<'e> = (Box<dyn Fn(&mut Svg, [f64; 2]) + 'e>, String);

impl Scatter {
    fn draw(&self) -> Svg {
        let top = 38.0 + LINE * self.lines.len() as f64;
        let rows = self.rows();
        let top_of_plane = top + LINE * (rows.len() as f64 + 0.7);
        let floor = top_of_plane + PLANE;
        let mut svg = Svg::new(WIDTH, floor + BOTTOM);
        svg.rect("ground", [0.0, 0.0, WIDTH, floor + BOTTOM], "");
        svg.text("title", [16.0, 26.0], Anchor::Start, &self.title);
        for (i, line) in self.lines.iter().enumerate() {
            svg.text("said", [16.0, 26.0 + LINE * (i + 1) as f64], Anchor::Start, line);
        }
        svg.open("class=\"key\"", "key");
        for (i, row) in rows.into_iter().enumerate() {
            let y = top + LINE * (i as f64 + 0.5);
            for (x, (sample, means)) in row {
                sample(&mut svg, [x + SAMPLE / 2.0, y]);
                svg.text("label", [x + SAMPLE, y + 4.0], Anchor::Start, &means);
            }
        }
        svg.close();
        self.plane(&mut svg, [LEFT, top_of_plane, WIDTH - RIGHT, floor]);
        svg
    }

    /// The key's entries, each at its x, in as many rows as they need.
    fn rows(&self) -> Vec<Vec<(f64, Entry<'_>)>> {
        let mut rows: Vec<Vec<(f64, Entry<'_>)>> = Vec::new();
        let mut x = f64::INFINITY;
        for entry in self.entries() {
            let wide = SAMPLE + width(&entry.1);
            if x + wide > WIDTH - RIGHT {
                rows.push(Vec::new());
                x = 16.0;
            }
            if let Some(row) = rows.last_mut() {
                row.push((x, entry));
            }
            x += wide + GAP;
        }
        rows
    }

    fn entries(&self) -> Vec<Entry<'_>> {
        let mut entries: Vec<Entry<'_>> = Vec::new();
        let stroke = |class: &'static str, means: &str| -> Entry<'_> {
            let line = move |svg: &mut Svg, [x, y]: [f64; 2]| {
                svg.line(class, [x - 10.0, y], [x + 8.0, y]);
            };
            (Box::new(line), means.to_owned())
        };
        for kind in PointKind::ALL {
            if self.points.iter().any(|point| point.kind == kind) {
                let mark = move |svg: &mut Svg, at| kind.mark(svg, at, "");
                entries.push((Box::new(mark), kind.means().to_owned()));
            }
        }
        if self.points.iter().any(|point| point.published) {
            entries.push((Box::new(frame), self.published.clone()));
        }
        if !self.levels.is_empty() {
            entries.push(stroke("claim", "claim of others, on another chip, without an area"));
        }
        if let Some(
            GuideLine::Right(_, name) | GuideLine::Up(_, name) | GuideLine::Ratio(_, name),
        ) = &self.guide
        {
            entries.push(stroke("guide", name));
        }
        if !self.reading.is_empty() {
            entries.push((Box::new(|_, _| ()), self.reading.clone()));
        }
        entries
    }

    /// The axes, and the points between them.
    fn plane(&self, svg: &mut Svg, [left, top, right, floor]: [f64; 4]) {
        let x = Axis::new(self.points.iter().map(|point| point.x), left, right);
        let levels = self.levels.iter().map(|(y, _)| *y);
        let y = Axis::new(self.points.iter().map(|point| point.y).chain(levels), floor, top);
        for tick in y.ticks() {
            svg.line("grid", [left, y.at(tick)], [right, y.at(tick)]);
            svg.text("axis", [left - 7.0, y.at(tick) + 4.0], Anchor::End, &Axis::text(tick));
        }
        for tick in x.ticks() {
            svg.line("grid", [x.at(tick), top], [x.at(tick), floor]);
            svg.text("axis", [x.at(tick), floor + 17.0], Anchor::Middle, &Axis::text(tick));
        }
        svg.rect("border", [left, top, right - left, floor - top], "");
        let named = |title: &str, axis: &Axis| match axis.logarithmic {
            true => format!("{title} (logarithmic)"),
            false => title.to_owned(),
        };
        let middle = [(left + right) / 2.0, (top + floor) / 2.0];
        svg.text("name", [middle[0], floor + 40.0], Anchor::Middle, &named(&self.x_title, &x));
        svg.upright("name", [22.0, middle[1]], &named(&self.y_title, &y));

        let mut labels =
            Labels::new([left + 3.0, top + 3.0, right - left - 6.0, floor - top - 6.0]);
        self.guide_line(svg, &mut labels, &x, &y);
        let corners = self.frontier(&x, &y);
        for pair in corners.windows(2) {
            labels.take_line(pair[0], pair[1]);
        }
        for &(level, _) in &self.levels {
            svg.line("claim", [left, y.at(level)], [right, y.at(level)]);
            labels.take_line([left, y.at(level)], [right, y.at(level)]);
        }
        if !corners.is_empty() {
            svg.path("frontier", &path(&corners));
        }
        let at = |point: &Point| [x.at(point.x), y.at(point.y)];
        for point in &self.points {
            let ([px, py], radius) = (at(point), point.radius());
            labels.take([px - radius, py - radius, 2.0 * radius, 2.0 * radius]);
        }
        for (level, name) in &self.levels {
            let beginnings = [0.02, 0.98, 0.5, 0.25, 0.75];
            let room = right - left - width(name);
            let places = [-6.0, 14.0]
                .into_iter()
                .flat_map(|down| beginnings.map(|part| [left + part * room, y.at(*level) + down]));
            if let Some(place) = labels.first(name, places) {
                svg.text("claim", place, Anchor::Start, name);
            }
        }
        self.named(svg, &mut labels, at);
        // The recommended point is drawn above all others.
        let last = |point: &&Point| point.kind == PointKind::Chosen;
        let order = self.points.iter().filter(|p| !last(p)).chain(self.points.iter().filter(last));
        for point in order {
            if point.published {
                frame(svg, at(point));
            }
            point.kind.mark(svg, at(point), &point.about);
        }
    }

    /// Adds the labels, the most important first.
    fn named(&self, svg: &mut Svg, labels: &mut Labels, at: impl Fn(&Point) -> [f64; 2]) {
        let rank = |point: &Point| match point.kind {
            PointKind::Chosen => Some(0),
            PointKind::Peer => Some(1),
            _ if point.published => Some(2),
            PointKind::Best => Some(3),
            PointKind::Beaten => None,
        };
        for now in 0..=3 {
            for point in self.points.iter().filter(|point| rank(point) == Some(now)) {
                let Some(placed) = labels.beside(at(point), point.radius(), &point.label) else {
                    continue;
                };
                if let Some(end) = placed.lead {
                    svg.line("lead", at(point), end);
                }
                let class = if now == 0 { "label chosen" } else { "label" };
                svg.text(class, placed.place, placed.anchor, &point.label);
            }
        }
    }

    /// Draws the guide line, as far as it lies in the plane.
    fn guide_line(&self, svg: &mut Svg, labels: &mut Labels, x: &Axis, y: &Axis) {
        let [[x0, x1], [y0, y1]] = [x.range(), y.range()];
        match &self.guide {
            Some(GuideLine::Right(most, _)) if x.has(*most) => {
                let ends = [y0, y1].map(|end| [x.at(*most), y.at(end)]);
                svg.line("guide", ends[0], ends[1]);
                labels.take_line(ends[0], ends[1]);
            }
            Some(GuideLine::Up(least, _)) if y.has(*least) => {
                let ends = [x0, x1].map(|end| [x.at(end), y.at(*least)]);
                svg.line("guide", ends[0], ends[1]);
                labels.take_line(ends[0], ends[1]);
            }
            // The line is straight if both axes are linear or both are logarithmic, and curved
            // otherwise.
            Some(GuideLine::Ratio(ratio, _)) => {
                let parts = (0..=100).map(|i| x0 + (x1 - x0) * f64::from(i) / 100.0);
                let on = parts.filter(|px| y.has(ratio * px));
                let corners: Vec<[f64; 2]> = on.map(|px| [x.at(px), y.at(ratio * px)]).collect();
                // The rectangles around short pieces approximate the line.
                corners.windows(2).for_each(|ends| labels.take_line(ends[0], ends[1]));
                if corners.len() > 1 {
                    svg.path("guide", &path(&corners));
                }
            }
            _ => {}
        }
    }

    /// The corners of the steps through the points that none beats.
    fn frontier(&self, x: &Axis, y: &Axis) -> Vec<[f64; 2]> {
        let best = |point: &&Point| matches!(point.kind, PointKind::Best | PointKind::Chosen);
        let mut best: Vec<&Point> = self.points.iter().filter(best).collect();
        best.sort_by(|a, b| a.x.total_cmp(&b.x));
        let mut corners: Vec<[f64; 2]> = Vec::new();
        for point in best {
            let at = [x.at(point.x), y.at(point.y)];
            corners.extend(corners.last().map(|&[_, before]| [at[0], before]));
            corners.push(at);
        }
        corners
    }

    /// The drawing as part of a page.
    pub fn html(&self) -> Html {
        let svg = self.draw().html("scatter", &self.title);
        Html(format!("<div class=\"scroll\">{svg}</div>\n"))
    }

    /// The drawing as an SVG file, for light and dark surroundings.
    pub fn file(&self) -> String {
        self.draw().file(&self.title, FILE_STYLE)
    }
}

const FILE_STYLE: &str = "\
text { font: 12px system-ui, \"DejaVu Sans\", sans-serif; fill: #57606a; }
text.title { font-size: 16px; font-weight: 600; }
text.title, text.name, text.label { fill: #1f2328; }
text.label { font-size: 11px; }
text.label.chosen { font-weight: 600; }
text.claim { font-size: 11px; fill: #8250df; }
.ground { fill: #ffffff; }
.border, .frame { fill: none; stroke: #57606a; }
.grid { stroke: #57606a; stroke-opacity: 0.18; }
.lead { stroke: #57606a; stroke-opacity: 0.6; stroke-width: 0.8; }
line.claim { stroke: #8250df; stroke-dasharray: 5 3; }
.guide { fill: none; stroke: #1a7f37; stroke-dasharray: 2 3; stroke-width: 1.3; }
.frontier { fill: none; stroke: #2f6fbd; stroke-opacity: 0.6; stroke-width: 1.4; }
.dot { fill: #2f6fbd; }
.dot.beaten { fill: #ffffff; stroke: #6e7781; }
.dot.chosen { fill: #1a7f37; }
.dot.peer { fill: #bc4c00; }
@media (prefers-color-scheme: dark) {
  text { fill: #a5afba; }
  text.title, text.name, text.label { fill: #e6edf3; }
  text.claim { fill: #c297ff; }
  .ground { fill: #0f1419; }
  .border, .frame { stroke: #a5afba; }
  .grid, .lead { stroke: #a5afba; }
  line.claim { stroke: #c297ff; }
  .guide { stroke: #4ac26b; }
  .frontier { stroke: #5b9bea; }
  .dot { fill: #5b9bea; }
  .dot.beaten { fill: #0f1419; stroke: #8b949e; }
  .dot.chosen { fill: #4ac26b; }
  .dot.peer { fill: #f0a35e; }
}
";

#[cfg(test)]
mod tests;
