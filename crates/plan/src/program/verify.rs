//! What must hold of a program, and the check that it does.
//!
//! 1. There is a processor, and for each region a part for every processor.
//! 2. Every operation of a body is computed by one processor, once, in the iteration.
//! 3. Before and after a loop there are only sends and receives.
//! 4. A transfer is sent once, by its sender in its region, and received once, by another processor: in
//!    the same list of actions if it belongs to the iteration, otherwise before a later region or after
//!    one that is not earlier.
//! 5. The values of a transfer are operations of its region's body.
//! 6. No processor uses what it does not have: an argument is a constant, an input that the processor
//!    holds, or was computed or received before.
//! 7. The outputs are on the main processor in the end.
//! 8. The processors do not wait for each other in a circle.

use super::run::{Stuck, run};
use super::{Action, MAIN, Part, Program, Transfer, When, is_work};
use std::collections::BTreeMap;

/// A rule that does not hold.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{problem} (rule {rule} of manylane_plan::program::verify)")]
pub struct Violation {
    /// Its number in the list.
    pub rule: u8,
    /// What is there, and what should be.
    pub problem: String,
}

fn violated<T>(rule: u8, problem: impl Into<String>) -> Result<T, Violation> {
    Err(Violation { rule, problem: problem.into() })
}

/// Checks every rule.
///
/// # Errors
/// The first one that does not hold.
pub fn verify(program: &Program) -> Result<(), Violation> {
    let regions = &program.rolled.regions;
    if program.processors == 0 || program.parts.len() != regions.len() {
        return violated(
            1,
            format!("{} regions have parts, of {}", program.parts.len(), regions.len()),
        );
    }
    for (r, (region, parts)) in regions.iter().zip(&program.parts).enumerate() {
        if parts.len() != program.processors {
            return violated(
                1,
                format!("region {r} has {} parts, not {}", parts.len(), program.processors),
            );
        }
        let mut computed: BTreeMap<_, usize> = BTreeMap::new();
        for part in parts {
            for action in &part.each {
                if let Action::Compute(node) = action {
                    *computed.entry(*node).or_default() += 1;
                }
            }
            if part.before.iter().chain(&part.after).any(|a| matches!(a, Action::Compute(_))) {
                return violated(3, format!("region {r} computes outside of its iterations"));
            }
        }
        for node in region.body.nodes() {
            let times = computed.remove(&node).unwrap_or(0);
            if times != usize::from(is_work(&region.body, node)) {
                return violated(2, format!("{node} of region {r} is computed {times} times"));
            }
        }
        if let Some((node, _)) = computed.first_key_value() {
            return violated(2, format!("region {r} has no {node}"));
        }
    }
    transfers(program)?;
    // Every value is where it is used if it is there once: availability does not depend on values, and
    // the order of one processor's actions does not depend on the others.
    let inputs = vec![0; program.rolled.inputs.len()];
    match run(program, &inputs, |_| 0) {
        Ok(_) => Ok(()),
        Err(stuck @ Stuck::Circle(_)) => violated(8, stuck.to_string()),
        Err(stuck @ Stuck::Missing { processor, region, .. })
            if processor == MAIN && region + 1 == regions.len() =>
        {
            violated(7, stuck.to_string())
        }
        Err(stuck @ Stuck::Missing { .. }) => violated(6, stuck.to_string()),
    }
}

/// In which region and list of a processor an action stands.
type Place = (usize, usize, &'static str);

fn transfers(program: &Program) -> Result<(), Violation> {
    let mut sent: BTreeMap<u32, Vec<Place>> = BTreeMap::new();
    let mut received: BTreeMap<u32, Vec<Place>> = BTreeMap::new();
    for (r, parts) in program.parts.iter().enumerate() {
        for (p, Part { before, each, after, .. }) in parts.iter().enumerate() {
            for (list, name) in [(before, "before"), (each, "each"), (after, "after")] {
                for action in list {
                    match action {
                        Action::Send(id) => sent.entry(id.0).or_default().push((p, r, name)),
                        Action::Receive(id) => received.entry(id.0).or_default().push((p, r, name)),
                        Action::Compute(_) => {}
                    }
                }
            }
        }
    }
    for (i, Transfer { from, to, region, when, values }) in program.transfers.iter().enumerate() {
        let id = i as u32;
        let one = |places: Option<Vec<Place>>| match places.as_deref() {
            Some(&[place]) => Some(place),
            _ => None,
        };
        let (Some(send), Some(receive)) = (one(sent.remove(&id)), one(received.remove(&id))) else {
            return violated(4, format!("transfer {i} is not sent once and received once"));
        };
        let right = match when {
            When::Each => send == (*from, *region, "each") && receive == (*to, *region, "each"),
            When::After => {
                let later = match receive.2 {
                    "before" => receive.1 > *region,
                    "after" => receive.1 >= *region,
                    _ => false,
                };
                send == (*from, *region, "after") && receive.0 == *to && later
            }
        };
        if !right || from == to {
            return violated(4, format!("transfer {i} is sent or received in a wrong place"));
        }
        let body = &program.rolled.regions[*region].body;
        let foreign = values.iter().find(|n| n.index() >= body.len() || !is_work(body, **n));
        if let Some(node) = foreign {
            return violated(5, format!("transfer {i} carries {node}, which is no operation"));
        }
    }
    match sent.keys().chain(received.keys()).next() {
        Some(id) => violated(4, format!("there is no transfer {id}")),
        None => Ok(()),
    }
}
