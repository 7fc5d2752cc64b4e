//! The step graph: boxes in layers, from left to right and then from line to line as text is read,
//! so that eighty rounds in a row still fit a window.
//!
//! ```text
//!  ┌─┐  ┌─┐  ┌─┐      a layer is a column; what a box takes comes from columns before it
//!  │ ├──┤ ├──┤ ├─┐
//!  └─┘  └─┘  └─┘ │
//!  ┌─────────────┘
//!  │ ┌─┐  ┌─┐         the next line of columns
//!  └─┤ ├──┤ │
//!    └─┘  └─┘
//! ```

use super::svg::{Anchor, Svg, number};
use super::{Html, INFALLIBLE, escape};
use std::fmt::Write;

/// A box.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// The text inside it.
    pub label: String,
    /// The text of its tooltip.
    pub title: String,
    /// The number of its kind in [`StepGraph::kinds`].
    pub kind: usize,
    /// Its column, counted through all lines.
    pub layer: usize,
    /// Whether a longest chain goes through it.
    pub critical: bool,
}

/// An edge from one box to a later one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edge {
    /// The box it leaves.
    pub from: usize,
    /// The box it enters, in a later layer.
    pub to: usize,
    /// Whether a longest chain goes along it.
    pub critical: bool,
}

/// A graph to be drawn.
#[derive(Clone, Debug, Default)]
pub struct StepGraph {
    /// Its boxes.
    pub nodes: Vec<Node>,
    /// Its edges.
    pub edges: Vec<Edge>,
    /// The names of the kinds of boxes, for the legend.
    pub kinds: Vec<String>,
}

const BOX_HEIGHT: f64 = 22.0;
const ROW: f64 = 32.0;
const GAP: f64 = 34.0;
const LINE_GAP: f64 = 44.0;
const MARGIN: f64 = 20.0;
const LETTER: f64 = 6.3;
/// Letters of the longest label that is shown whole.
const LABEL: usize = 16;
/// The greatest width of a drawing that is not broken into lines.
const WINDOW: f64 = 1040.0;
/// Width over height that a drawing of several lines comes near to.
const ASPECT: f64 = 1.7;

/// The places of boxes.
struct Layout {
    /// Columns in a line.
    columns: usize,
    column_width: f64,
    box_width: f64,
    /// For each line: its upper edge.
    tops: Vec<f64>,
    /// For each box: its row in its column.
    rows: Vec<usize>,
    width: f64,
    height: f64,
}

impl Layout {
    fn of(graph: &StepGraph) -> Self {
        let layers = graph.nodes.iter().map(|node| node.layer + 1).max().unwrap_or(0).max(1);
        let mut by_layer: Vec<Vec<usize>> = vec![Vec::new(); layers];
        for (i, node) in graph.nodes.iter().enumerate() {
            by_layer[node.layer].push(i);
        }
        let rows = rows(graph, &by_layer);
        let letters = graph.nodes.iter().map(|node| shortened(&node.label).chars().count());
        let box_width = LETTER * letters.max().unwrap_or(1) as f64 + 12.0;
        let column_width = box_width + GAP;
        let tall = |line: &[Vec<usize>]| {
            let most = line.iter().flatten().map(|&node| rows[node] + 1).max().unwrap_or(1);
            ROW * most as f64
        };
        let size = |columns: usize| {
            let lines = by_layer.chunks(columns);
            let height: f64 = lines.map(|line| tall(line) + LINE_GAP).sum();
            (column_width * columns.min(layers) as f64 - GAP + 2.0 * MARGIN, height)
        };
        let distance = |columns: &usize| {
            let (width, height) = size(*columns);
            (width / height / ASPECT).ln().abs()
        };
        let fitting = ((WINDOW - 2.0 * MARGIN + GAP) / column_width) as usize;
        let columns = (fitting.clamp(1, layers)..=layers)
            .min_by(|a, b| distance(a).total_cmp(&distance(b)))
            .unwrap_or(1);
        let mut tops = vec![LINE_GAP / 2.0];
        for line in by_layer.chunks(columns) {
            tops.push(tops[tops.len() - 1] + tall(line) + LINE_GAP);
        }
        let (width, height) = size(columns);
        Self { columns, column_width, box_width, tops, rows, width, height }
    }

    /// The upper left corner of a box.
    fn corner(&self, graph: &StepGraph, node: usize) -> [f64; 2] {
        let (line, column) = self.place(graph, node);
        let x = MARGIN + self.column_width * column as f64;
        [x, self.tops[line] + ROW * self.rows[node] as f64]
    }

    /// Line and column of a box.
    fn place(&self, graph: &StepGraph, node: usize) -> (usize, usize) {
        let layer = graph.nodes[node].layer;
        (layer / self.columns, layer % self.columns)
    }

    /// The path of an edge.
    fn edge(&self, graph: &StepGraph, edge: &Edge) -> String {
        let ([x1, y1], [x2, y2]) = (self.corner(graph, edge.from), self.corner(graph, edge.to));
        let ((line1, column1), (line2, column2)) =
            (self.place(graph, edge.from), self.place(graph, edge.to));
        let (half, middle) = (BOX_HEIGHT / 2.0, self.box_width / 2.0);
        let points = if line1 != line2 {
            // The edge leaves a box at its lower side and enters the other at its upper side.
            let (y1, bend) = (y1 + BOX_HEIGHT, LINE_GAP);
            [x1 + middle, y1, x1 + middle, y1 + bend, x2 + middle, y2 - bend, x2 + middle, y2]
        } else if column2 > column1 + 1 && self.rows[edge.from] == self.rows[edge.to] {
            // The edge is an arch over the boxes between.
            let rise = 8.0 + 3.0 * (column2 - column1).min(8) as f64;
            let (from, to) = (x1 + 0.8 * self.box_width, x2 + 0.2 * self.box_width);
            [from, y1, from + 10.0, y1 - rise, to - 10.0, y2 - rise, to, y2]
        } else {
            let (from, bend) = (x1 + self.box_width, 0.5 * (x2 - x1 - self.box_width));
            [from, y1 + half, from + bend, y1 + half, x2 - bend, y2 + half, x2, y2 + half]
        };
        let [x1, y1, x2, y2, x3, y3, x4, y4] = points.map(number);
        format!("M{x1} {y1}C{x2} {y2} {x3} {y3} {x4} {y4}")
    }
}

/// Rows within columns: boxes are ordered by kind, then placed near those that they take from.
fn rows(graph: &StepGraph, by_layer: &[Vec<usize>]) -> Vec<usize> {
    let mut before: Vec<Vec<usize>> = vec![Vec::new(); graph.nodes.len()];
    for edge in &graph.edges {
        before[edge.to].push(edge.from);
    }
    let mut rows = vec![0; graph.nodes.len()];
    for layer in by_layer {
        let mut order: Vec<(usize, f64, usize)> = Vec::new();
        for &node in layer {
            let sum: usize = before[node].iter().map(|&from| rows[from]).sum();
            let mean = sum as f64 / before[node].len().max(1) as f64;
            order.push((graph.nodes[node].kind, mean, node));
        }
        order.sort_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)).then(a.2.cmp(&b.2)));
        for (row, &(_, _, node)) in order.iter().enumerate() {
            rows[node] = row;
        }
    }
    rows
}

/// A label that fits its box.
fn shortened(label: &str) -> String {
    if label.chars().count() <= LABEL {
        return label.to_owned();
    }
    // The number at the end is what tells steps of a name apart.
    let (name, number) = label.rsplit_once(' ').unwrap_or((label, ""));
    let room = LABEL.saturating_sub(number.chars().count() + 2);
    let name: String = name.chars().take(room).collect();
    format!("{}… {number}", name.trim_end())
}

impl StepGraph {
    /// The drawing, to be zoomed, and its legend.
    pub fn html(&self) -> Html {
        let layout = Layout::of(self);
        let mut svg = Svg::new(layout.width, layout.height);
        // Longest chains over the others, boxes over edges.
        for critical in [false, true] {
            for edge in self.edges.iter().filter(|edge| edge.critical == critical) {
                let chain = if critical { " chain" } else { "" };
                let class = format!("edge{chain} f{} t{}", edge.from, edge.to);
                svg.path(&class, &layout.edge(self, edge));
            }
        }
        for (i, node) in self.nodes.iter().enumerate() {
            let [x, y] = layout.corner(self, i);
            let chain = if node.critical { " chain" } else { "" };
            svg.open(
                &format!("class=\"unit k{}{chain}\" data-unit=\"{i}\"", node.kind % 6),
                &node.title,
            );
            svg.rect("", [x, y, layout.box_width, BOX_HEIGHT], "");
            let place = [x + layout.box_width / 2.0, y + BOX_HEIGHT / 2.0 + 3.8];
            svg.text("", place, Anchor::Middle, &shortened(&node.label));
            svg.close();
        }
        self.legend().then(&zoomable(svg, "graph", "the steps and what they take from each other"))
    }

    fn legend(&self) -> Html {
        let mut out = String::from("<p class=\"legend\">");
        for (i, kind) in self.kinds.iter().enumerate() {
            let name = escape(kind);
            write!(out, "<span><i class=\"k{}\"></i>{name}</span> ", i % 6).expect(INFALLIBLE);
        }
        if self.nodes.iter().any(|node| node.critical) {
            out.push_str("<span><i class=\"chain\"></i>on a longest chain</span>");
        }
        out.push_str("</p>\n");
        Html(out)
    }
}

/// A drawing that the page's script can zoom and drag, with its buttons, and a line below that says
/// what is under the pointer.
pub fn zoomable(svg: Svg, class: &str, label: &str) -> Html {
    // Small drawings are not blown up.
    let widest = number(1.25 * svg.width());
    let svg = svg.html("", label);
    Html(format!(
        "<div class=\"zoom {class}\" style=\"--widest:{widest}px\">\n<div class=\"buttons\">\
         <button type=\"button\" data-zoom=\"1.5\" aria-label=\"larger\">+</button>\
         <button type=\"button\" data-zoom=\"0.6667\" aria-label=\"smaller\">−</button>\
         <button type=\"button\" data-zoom=\"0\">whole</button></div>\n{svg}\
         <p class=\"said\" aria-live=\"polite\"></p>\n</div>\n"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chain(length: usize) -> StepGraph {
        let node = |i| Node {
            label: format!("round {i}"),
            title: format!("round[{i}]"),
            kind: 0,
            layer: i,
            critical: true,
        };
        let edge = |i| Edge { from: i, to: i + 1, critical: true };
        StepGraph {
            nodes: (0..length).map(node).collect(),
            edges: (0..length.saturating_sub(1)).map(edge).collect(),
            kinds: vec!["round".into()],
        }
    }

    /// Every box has a place of its own inside the drawing.
    #[test]
    fn boxes_do_not_overlap() {
        let mut graph = chain(80);
        for i in 0..80 {
            let kind = 1 + i % 2;
            let label = "key expansion 1".to_owned();
            let node = Node { label, title: String::new(), kind, layer: i / 3, critical: false };
            graph.nodes.push(node);
        }
        let layout = Layout::of(&graph);
        let corners: Vec<_> = (0..graph.nodes.len()).map(|i| layout.corner(&graph, i)).collect();
        for (i, a) in corners.iter().enumerate() {
            assert!(a[0] >= 0.0 && a[0] + layout.box_width <= layout.width, "{i}");
            assert!(a[1] >= 0.0 && a[1] + BOX_HEIGHT <= layout.height, "{i}");
            for b in &corners[..i] {
                let apart = (a[0] - b[0]).abs() >= layout.box_width;
                assert!(apart || (a[1] - b[1]).abs() >= BOX_HEIGHT, "{i}");
            }
        }
    }

    #[test]
    fn long_chains_are_broken_into_lines() {
        for length in [1, 2, 24, 64, 80, 400] {
            let layout = Layout::of(&chain(length));
            let aspect = layout.width / layout.height;
            assert!(layout.width <= WINDOW || (0.8..3.5).contains(&aspect), "{length}: {aspect}");
        }
        assert!(!StepGraph::default().html().0.contains("NaN"));
    }

    #[test]
    fn labels_keep_their_numbers() {
        assert_eq!(shortened("schedule 12"), "schedule 12");
        assert_eq!(shortened("a very long name of a step 345"), "a very long… 345");
        assert!(shortened("a very long name of a step 345").chars().count() <= LABEL);
    }
}
