//! The graph for graphviz: a cluster for each step, an ellipse for each input, a box for each
//! operation, constants in the boxes that take them.

use crate::INFALLIBLE;
use manylane_graph::analysis::{Chain, Timing};
use manylane_graph::{Function, NodeId, Op, StepId};
use std::fmt::Write;

/// The whole file, beginning with the command line that made it; `name` names operations.
pub fn dot(function: &Function, name: impl Fn(Op) -> String, made_by: &str) -> String {
    let timing = Timing::unit(function);
    let chain = Chain::of(function, &timing);
    let mut own: Vec<Vec<NodeId>> = vec![Vec::new(); function.steps().len()];
    for node in function.nodes().filter(|&node| function.op(node).is_work()) {
        own[function.step(node).index()].push(node);
    }
    let mut substeps: Vec<Vec<StepId>> = vec![Vec::new(); function.steps().len()];
    for step in (1..function.steps().len() as u32).map(StepId) {
        substeps[function.steps()[step.index()].parent.index()].push(step);
    }
    let mut out = String::new();
    writeln!(out, "// {}", made_by.replace('\n', " ")).expect(INFALLIBLE);
    writeln!(out, "digraph {} {{", quoted(&function.name)).expect(INFALLIBLE);
    out.push_str(
        "  node [shape=box, height=0.3, fontname=\"sans-serif\"]\n  edge [arrowsize=0.6]\n  \
         graph [fontname=\"sans-serif\", style=rounded]\n",
    );
    for input in function.inputs() {
        let label = quoted(&format!("{} ({})", input.name, input.role.name()));
        writeln!(out, "  {} [shape=ellipse, label={label}]", input.node).expect(INFALLIBLE);
    }
    let name = &name;
    let drawing = Drawing { function, name, chain: &chain, own: &own, substeps: &substeps };
    drawing.step(StepId::ROOT, 1, &mut out);
    for node in function.nodes().filter(|&node| function.op(node).is_work()) {
        for &arg in function.args(node) {
            let arg = match function.op(arg) {
                Op::Const(_) => continue,
                // The results of a call are drawn as edges from it.
                Op::Result(_) => function.args(arg)[0],
                _ => arg,
            };
            let along = chain.critical[arg.index()]
                && chain.critical[node.index()]
                && timing.end[arg.index()] + 1.0 == timing.end[node.index()];
            let style = if along { " [color=\"#bc4c00\", penwidth=2]" } else { "" };
            writeln!(out, "  {arg} -> {node}{style}").expect(INFALLIBLE);
        }
    }
    for output in function.outputs() {
        let name = quoted(&format!("out {}", output.name));
        writeln!(out, "  {name} [shape=ellipse, label={}]", quoted(&output.name))
            .expect(INFALLIBLE);
        writeln!(out, "  {} -> {name}", output.value).expect(INFALLIBLE);
    }
    out.push_str("}\n");
    out
}

struct Drawing<'f> {
    function: &'f Function,
    name: &'f dyn Fn(Op) -> String,
    chain: &'f Chain,
    own: &'f [Vec<NodeId>],
    substeps: &'f [Vec<StepId>],
}

impl Drawing<'_> {
    /// The operations of a step, and its substeps in clusters of their own.
    fn step(&self, step: StepId, depth: usize, out: &mut String) {
        let indent = "  ".repeat(depth);
        for &node in &self.own[step.index()] {
            let style = match self.chain.critical[node.index()] {
                true => ", color=\"#bc4c00\", penwidth=2",
                false => "",
            };
            let label = quoted(&self.label(node));
            writeln!(out, "{indent}{node} [label={label}{style}]").expect(INFALLIBLE);
        }
        for &substep in &self.substeps[step.index()] {
            let about = &self.function.steps()[substep.index()];
            let label = quoted(&format!("{}[{}]", about.name, about.index));
            writeln!(out, "{indent}subgraph cluster_{} {{\n{indent}  label={label}", substep.0)
                .expect(INFALLIBLE);
            self.step(substep, depth + 1, out);
            writeln!(out, "{indent}}}").expect(INFALLIBLE);
        }
    }

    /// The operation with its amount or table, and the constants it takes.
    fn label(&self, node: NodeId) -> String {
        let op = self.function.op(node);
        let mut label = (self.name)(op);
        if let Some(n) = op.immediate() {
            write!(label, " {n}").expect(INFALLIBLE);
        }
        for &arg in self.function.args(node) {
            if let Op::Const(value) = self.function.op(arg) {
                write!(label, " {value:#x}").expect(INFALLIBLE);
            }
        }
        label
    }
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

#[cfg(test)]
mod tests {
    use super::*;
    use manylane_graph::part::{Part, Subject, explain};

    #[test]
    fn every_operation_and_step_is_there() {
        let keccak = Subject::Hash("keccak256".parse().unwrap());
        for part in [Part::Compression, Part::Round] {
            let found = explain(&keccak, part, 0).unwrap();
            let name = |op: Op| op.name().to_owned();
            let dot = dot(&found.function, name, "manylane explain\nkeccak256");
            let boxes = dot.matches(" [label=").count();
            assert_eq!(boxes, found.report.work);
            let clusters = found.function.steps().len() - 1;
            assert_eq!(dot.matches("subgraph cluster_").count(), clusters);
            assert_eq!(dot.matches('{').count(), dot.matches('}').count());
            assert!(
                dot.starts_with("// manylane explain keccak256\ndigraph \"keccak256."),
                "{dot}"
            );
        }
    }
}
