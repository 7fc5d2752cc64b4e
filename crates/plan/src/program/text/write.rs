//! Writes programs as text.

use crate::program::{Action, Part, Program, When};
use manylane_graph::Function;
use manylane_graph::roll::{Definition, Origin, Region, Source, Value};
use std::fmt::{self, Display, Formatter};

impl Display for Program {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let (rolled, count) = (&self.rolled, self.processors);
        let name = &rolled.name;
        let s = if count == 1 { "" } else { "s" };
        writeln!(f, "program @{name}: {count} processor{s}, function {:#018x}", self.fingerprint)?;
        for (x, Definition { width, origin }) in rolled.values.iter().enumerate() {
            write!(f, "{}: u{width} = ", Value(x as u32))?;
            match origin {
                Origin::Input(i) => writeln!(f, "input {i}")?,
                Origin::Constant(value) => writeln!(f, "const {value:#x}")?,
                Origin::Result { region, output, iteration } => {
                    writeln!(f, "result {region}, {output}, {iteration}")?;
                }
            }
        }
        for input in &rolled.inputs {
            writeln!(f, "input {} {} = {}", input.name, input.role.name(), input.value)?;
        }
        for (name, value) in &rolled.outputs {
            writeln!(f, "output {name} = {value}")?;
        }
        for (r, region) in rolled.regions.iter().enumerate() {
            let s = if region.times == 1 { "" } else { "s" };
            writeln!(f, "region {r}: {} time{s}", region.times)?;
            write!(f, "{}", region.body)?;
            write_sources(f, region)?;
            let parts = self.parts.get(r).into_iter().flatten();
            for (p, part) in parts.enumerate() {
                write_part(f, p, part, &region.body)?;
            }
        }
        for (t, transfer) in self.transfers.iter().enumerate() {
            let (from, to, region) = (transfer.from, transfer.to, transfer.region);
            let when = match transfer.when {
                When::Each => "each",
                When::After => "last",
            };
            write!(
                f,
                "transfer {t}: processor {from} to {to}, region {region}, {when} iteration: "
            )?;
            writeln!(f, "{}", list(&transfer.values))?;
        }
        Ok(())
    }
}

fn write_sources(f: &mut Formatter<'_>, Region { body, sources, .. }: &Region) -> fmt::Result {
    for (i, source) in sources.iter().enumerate() {
        match body.inputs().get(i) {
            Some(input) => write!(f, "{} = ", input.node)?,
            None => write!(f, "#{i} = ")?,
        }
        match source {
            Source::Same(value) => writeln!(f, "same {value}")?,
            Source::Each(values) => writeln!(f, "each {}", list(values))?,
            Source::Earlier { output, distance, first } => {
                writeln!(f, "earlier {output}, {distance}: {}", list(first))?;
            }
        }
    }
    Ok(())
}

fn write_part(f: &mut Formatter<'_>, p: usize, part: &Part, body: &Function) -> fmt::Result {
    let Part { inputs, before, each, after } = part;
    let node = |&i: &usize| match body.inputs().get(i) {
        Some(input) => input.node.to_string(),
        None => format!("#{i}"),
    };
    let held: Vec<String> = inputs.iter().map(node).collect();
    match held[..] {
        [] => writeln!(f, "processor {p} holds nothing")?,
        _ => writeln!(f, "processor {p} holds {}", held.join(", "))?,
    }
    for (name, actions) in [("before", before), ("each", each), ("after", after)] {
        for run in runs(actions, body) {
            write!(f, "{name}: {}", list(run.actions))?;
            match run.step.is_empty() {
                true => writeln!(f)?,
                false => writeln!(f, "  ; {}", run.step)?,
            }
        }
    }
    Ok(())
}

/// The actions on one line: operations of one step, or one send or receive.
struct ActionLine<'p> {
    actions: &'p [Action],
    /// The step's path; empty where there is none.
    step: String,
}

fn runs<'p>(actions: &'p [Action], body: &Function) -> Vec<ActionLine<'p>> {
    let step = |action: &Action| match action {
        Action::Compute(node) if node.index() < body.len() => Some(body.step(*node)),
        Action::Compute(_) | Action::Send(_) | Action::Receive(_) => None,
    };
    let lines = actions.chunk_by(|a, b| step(a).is_some() && step(a) == step(b));
    let run = |actions: &'p [Action]| ActionLine {
        actions,
        step: step(&actions[0]).map_or(String::new(), |step| body.path_name(step)),
    };
    lines.map(run).collect()
}

impl Display for Action {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Compute(node) => write!(f, "{node}"),
            Self::Send(id) => write!(f, "send {}", id.0),
            Self::Receive(id) => write!(f, "receive {}", id.0),
        }
    }
}

/// Items with commas between them.
pub(crate) fn list<T: Display>(all: &[T]) -> String {
    all.iter().map(T::to_string).collect::<Vec<_>>().join(", ")
}
