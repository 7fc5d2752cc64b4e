//! The report as a page.

use super::limits::{answer, limits};
use super::text::{range, step_name};
use crate::steps::{Edge, Node, StepGraph};
use crate::table::{Column, Row, Table};
use crate::{Html, Page, Section, bars, thousands};
use manylane_graph::analysis::{self, Chain, Contraction, OperationCount, StepKind, Timing, Unit};
use manylane_graph::ir::OPAQUE;
use manylane_graph::part::{Extract, Report, Subject};
use manylane_graph::{Function, NodeId, Op, StepId};
use std::collections::HashMap;

/// The most boxes of the step graph: a larger graph is drawn with coarser steps.
const BOXES: usize = 200;

/// Most operations that are drawn one by one.
const SMALL: usize = 64;

/// The page as one file.
pub fn html(subject: &Subject, found: &Extract, made_by: &str) -> String {
    page(subject, found, made_by).render()
}

/// The page.
pub fn page(subject: &Subject, found: &Extract, made_by: &str) -> Page {
    let Extract { function, report } = found;
    let section = |heading: &str, lead: &str, body: Html| Section {
        heading: heading.to_owned(),
        lead: lead.to_owned(),
        body,
    };
    let (heading, graph) = match report.work <= SMALL {
        true => {
            let name = |op: Op| op.name().to_owned();
            ("Operations, and what they take from each other", operation_graph(function, name))
        }
        false => ("Steps, and what they take from each other", step_graph(function)),
    };
    let mut sections = vec![
        section("What limits it", "", Html::list(&limits(report))),
        section(
            heading,
            "Each column begins after those it takes something from; after the last column of a \
             line \
             comes the first of the next. Point at a box to see its edges; turn the wheel to zoom, \
             drag to move.",
            graph.html(),
        ),
        section(
            "How many operations can run at each time",
            "Every operation takes 1 and begins as soon as it can. Above the line more can run \
             than \
             on average, below it less.",
            bars::profile(&report.profile),
        ),
        section("Operations in figures", "", operations(report)),
    ];
    if report.steps.iter().any(|kind| !kind.name.is_empty()) {
        sections.push(section(
            "Steps in figures",
            "Span: the longest chain of one alone. Growth: what one more adds to the longest chain \
             up to it.",
            steps(report),
        ));
    }
    Page {
        title: format!("{}: what can run at the same time", report.title),
        answer: answer(report, subject.whole()),
        sections,
        made_by: made_by.to_owned(),
    }
}

fn operations(report: &Report) -> Html {
    let columns = vec![
        Column::text("operation"),
        Column::number("bits"),
        Column::number("count"),
        Column::number("share"),
        Column::number("on a longest chain"),
    ];
    let row = |kind: &OperationCount| Row {
        cells: vec![
            kind.operation.to_owned(),
            kind.width.to_string(),
            thousands(kind.count),
            format!("{:.1} %", 100.0 * kind.count as f64 / report.work as f64),
            thousands(kind.on_chain),
        ],
        emphasised: false,
    };
    Table { columns, rows: report.operations.iter().map(row).collect() }.html()
}

fn steps(report: &Report) -> Html {
    let columns = vec![
        Column::text("step"),
        Column::number("count"),
        Column::number("operations"),
        Column::number("each"),
        Column::number("span"),
        Column::number("parallel"),
        Column::number("on a longest chain"),
        Column::number("growth"),
    ];
    let row = |kind: &StepKind| Row {
        cells: vec![
            step_name(kind),
            thousands(kind.count),
            thousands(kind.work),
            range(kind.least_work, kind.most_work),
            range(kind.least_span, kind.most_span),
            format!("{:.2}", kind.parallelism),
            thousands(kind.on_chain),
            kind.growth.map_or_else(|| "-".to_owned(), |growth| format!("{growth:.2}")),
        ],
        emphasised: false,
    };
    Table { columns, rows: report.steps.iter().map(row).collect() }.html()
}

/// The function's steps, as deep as they fit.
pub fn step_graph(function: &Function) -> StepGraph {
    let timing = Timing::unit(function);
    let chain = Chain::of(function, &timing);
    let contraction = Contraction::fitting(function, &timing, &chain, BOXES);
    let mut kinds: Vec<String> = Vec::new();
    let mut node = |unit: &Unit| {
        let label = label(function, unit.step);
        let name = label.rsplit_once(' ').map_or(&label[..], |(name, _)| name).to_owned();
        let known = kinds.iter().position(|kind| *kind == name);
        let kind = known.unwrap_or_else(|| {
            kinds.push(name);
            kinds.len() - 1
        });
        Node {
            title: title(function, unit),
            label,
            kind,
            layer: unit.layer,
            critical: unit.critical,
        }
    };
    let nodes = contraction.units.iter().map(&mut node).collect();
    let edge =
        |edge: &analysis::Edge| Edge { from: edge.from, to: edge.to, critical: edge.critical };
    let edges = contraction.edges.iter().map(edge).collect();
    let mut graph = StepGraph { nodes, edges, kinds };
    late(&mut graph);
    graph
}

/// Single operations, by their names, and the inputs they take.
pub fn operation_graph(function: &Function, name: impl Fn(Op) -> String) -> StepGraph {
    let timing = Timing::unit(function);
    let chain = Chain::of(function, &timing);
    let mut graph = StepGraph { kinds: vec!["input".to_owned()], ..StepGraph::default() };
    let mut box_of: HashMap<NodeId, usize> = HashMap::new();
    for node in function.nodes() {
        let op = function.op(node);
        let amount = op.immediate().map(|n| format!(" {n}")).unwrap_or_default();
        let end = timing.end[node.index()] as usize;
        let (kind, label) = match op {
            Op::Const(_) => continue,
            Op::Input(i) => ("input".to_owned(), function.inputs()[i as usize].name.clone()),
            _ => (name(op), format!("{}{amount}", name(op))),
        };
        let known = graph.kinds.iter().position(|name| *name == kind);
        let kind = known.unwrap_or_else(|| {
            graph.kinds.push(kind);
            graph.kinds.len() - 1
        });
        let this = graph.nodes.len();
        box_of.insert(node, this);
        let critical = chain.critical[node.index()];
        for arg in function.args(node) {
            let Some(&from) = box_of.get(arg) else { continue };
            let before = timing.end[arg.index()] as usize + 1 == end;
            let critical = critical && before && chain.critical[arg.index()];
            graph.edges.push(Edge { from, to: this, critical });
        }
        let title = match op {
            Op::Input(i) => {
                let input = &function.inputs()[i as usize];
                format!("{}: input, {}", input.name, input.role.name())
            }
            _ => {
                let bits = match function.width(node) {
                    OPAQUE => String::new(),
                    width => format!(", {width} bits"),
                };
                format!("{label}{bits}; at the earliest at time {}", end - 1)
            }
        };
        graph.nodes.push(Node { label, title, kind, layer: end, critical });
    }
    late(&mut graph);
    graph
}

/// Moves each box that takes nothing from others to the layer just before its first user.
fn late(graph: &mut StepGraph) {
    let layers: Vec<usize> = graph.nodes.iter().map(|node| node.layer).collect();
    for (this, node) in graph.nodes.iter_mut().enumerate().filter(|(_, node)| node.layer == 0) {
        let users = graph.edges.iter().filter(|edge| edge.from == this);
        node.layer = users.map(|edge| layers[edge.to]).min().unwrap_or(1) - 1;
    }
}

/// The text of a box: the innermost step, with the number of the step around it if it is the only
/// one of its name there.
fn label(function: &Function, step: StepId) -> String {
    let about = &function.steps()[step.index()];
    let alone = |parent: StepId| {
        let mut others = function.steps().iter().filter(|other| other.parent == parent);
        parent != StepId::ROOT && others.all(|other| other.name != about.name || other == about)
    };
    match step {
        StepId::ROOT => "other".to_owned(),
        _ if alone(about.parent) => {
            format!("{} {}", about.name, function.steps()[about.parent.index()].index)
        }
        _ => format!("{} {}", about.name, about.index),
    }
}

/// The tooltip of a box.
fn title(function: &Function, unit: &Unit) -> String {
    let name = match unit.step {
        StepId::ROOT => "in no step".to_owned(),
        step => function.path_name(step),
    };
    let chain = if unit.critical { ", on a longest chain" } else { "" };
    format!(
        "{name}: {} operations, alone a chain of {}; at the earliest from time {} to {}{chain}",
        unit.work, unit.span, unit.start, unit.end
    )
}
