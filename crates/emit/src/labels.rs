//! Parts of labels that name steps as a definition does.
//!
//! ```text
//!  step round[16]/theta[0]              round16_theta0
//!  loop over rounds, the only one       round_loop
//!  loops over rounds 0 .. and 16 ..     round0_loop, round16_loop
//! ```

use manylane_graph::roll::Rolled;
use manylane_graph::{Function, StepId};

/// The label of a step: the names on its path, each with its index. `None` for the root.
pub fn of_step(body: &Function, step: StepId) -> Option<String> {
    let parts = body.path(step).into_iter().map(|id| {
        let step = &body.steps()[id.index()];
        format!("{}{}", word(&step.name), step.index)
    });
    Some(parts.collect::<Vec<_>>().join("_")).filter(|label| !label.is_empty())
}

/// The letter of a word of a state as the standards use them, if there are enough.
pub fn of_word(word: usize, words: usize) -> Option<char> {
    (words <= 8).then(|| char::from(b'a' + word as u8))
}

/// For each region the label of its steps, without the suffix for its loop, its table and so on. A
/// region of the work around the steps has none.
pub fn of_regions(rolled: &Rolled) -> Vec<Option<String>> {
    let mains: Vec<Option<(String, u32)>> =
        rolled.regions.iter().map(|region| main_step(&region.body)).collect();
    let is_loop = |r: usize| rolled.regions[r].times > 1;
    let mut labels: Vec<Option<String>> = Vec::new();
    for (r, main) in mains.iter().enumerate() {
        let label = main.as_ref().map(|(name, index)| {
            let loops = (0..mains.len()).filter(|&other| is_loop(other));
            let alike =
                loops.filter(|&other| mains[other].as_ref().is_some_and(|of| of.0 == *name));
            if is_loop(r) && alike.count() == 1 { name.clone() } else { format!("{name}{index}") }
        });
        // Two regions of one step are told apart by their numbers.
        let is_taken = label.is_some() && labels.contains(&label);
        labels.push(if is_taken { label.map(|label| format!("{label}_{r}")) } else { label });
    }
    labels
}

/// The name shared by the outermost steps that do most of a body's work, and their least index.
fn main_step(body: &Function) -> Option<(String, u32)> {
    let mut steps: Vec<(&str, u32, usize)> = Vec::new();
    for node in body.nodes().filter(|&node| body.op(node).is_work()) {
        let of = body.ancestor(body.step(node), 1);
        if body.is_frame(of) {
            continue;
        }
        let step = &body.steps()[of.index()];
        match steps.iter_mut().find(|(name, ..)| *name == step.name) {
            Some((_, index, work)) => (*index, *work) = ((*index).min(step.index), *work + 1),
            None => steps.push((&step.name, step.index, 1)),
        }
    }
    // Of several names with equal work the first one is taken.
    let most = steps.iter().map(|&(.., work)| work).max()?;
    let &(name, index, _) = steps.iter().find(|&&(.., work)| work == most)?;
    Some((word(name), index))
}

/// A name as a part of a label: what no label can have becomes an underscore.
fn word(name: &str) -> String {
    name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect()
}
