//! What must hold of a program, and the check that it does.
//!
//! 1. There are 1 to 256 processors, and for each region a part for every processor.
//! 2. Every operation of a body is computed by one processor, once, in the iteration.
//! 3. Before and after a loop there are only sends and receives.
//! 4. A transfer is sent once, by its sender in its region, and received once, by another
//!    processor: in the same list of actions if it belongs to the iteration, otherwise before a
//!    later region or after one that is not earlier.
//! 5. A transfer has values, which are operations of its region's body.
//! 6. No processor uses what it does not have: an argument is a constant, an input that the
//!    processor holds, or was computed or received before.
//! 7. At the end the main processor has the outputs.
//! 8. The processors do not wait for each other in a circle.
//! 9. The regions follow the rules of [`manylane_graph::roll::verify`].
//! 10. A processor holds exactly those inputs that its operations, and the values that it takes
//!     from the region later, are computed from, in ascending order.
//! 11. The program is of its function ([`check_function`]): the fingerprint says so, and the
//!     regions compute it.

use super::place::{Assignment, held};
use super::run::{Stuck, run};
use super::{Action, Part, Program, Transfer, When, fingerprint, is_work};
use manylane_graph::interpret::run_main;
use manylane_graph::random::split_mix;
use manylane_graph::{Function, Module, NodeId, passes, roll};
use std::collections::BTreeMap;

pub use crate::violation::Violation;

fn violated<T>(rule: u8, problem: impl Into<String>) -> Result<T, Violation> {
    Err(Violation { rules: "program::verify", rule, problem: problem.into() })
}

/// Checks every rule but the last.
///
/// # Errors
/// The first one that does not hold.
pub fn verify(program: &Program) -> Result<(), Violation> {
    let regions = &program.rolled.regions;
    if !(1..=1 << u8::BITS).contains(&program.processors) {
        return violated(1, format!("there are {} processors", program.processors));
    }
    if program.parts.len() != regions.len() {
        return violated(
            1,
            format!("{} regions have parts, of {}", program.parts.len(), regions.len()),
        );
    }
    roll::verify::verify(&program.rolled).or_else(|wrong| violated(9, wrong.to_string()))?;
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
    inputs(program)?;
    // One run is enough: availability does not depend on values, and the order of one processor's
    // actions does not depend on the others.
    let zeros = vec![0; program.rolled.inputs.len()];
    match run(program, &zeros, |_| 0) {
        Ok(_) => Ok(()),
        Err(stuck @ Stuck::Circle(_)) => violated(8, stuck.to_string()),
        Err(stuck @ Stuck::Missing { .. }) => violated(6, stuck.to_string()),
        Err(stuck @ Stuck::Output { .. }) => violated(7, stuck.to_string()),
    }
}

/// Checks that a program was made from this function, and that its regions compute the same: by the
/// fingerprint, and by their outputs for some inputs.
///
/// # Errors
/// Rule 11 if it was made from another function, any other rule if it is no program at all.
pub fn check_function(program: &Program, function: &Function) -> Result<(), Violation> {
    verify(program)?;
    let (has, of, name) = (program.fingerprint, fingerprint(function), &function.name);
    if has != of {
        return violated(
            11,
            format!(
                "the program is of function {has:#018x}, and {name} is {of:#018x}; plan it anew"
            ),
        );
    }
    let rolled = &program.rolled;
    let limbs = match (rolled.is_quartered(), rolled.is_interleaved()) {
        (true, _) => quarters,
        (false, true) => halves,
        (false, false) => limbs,
    };
    let width = |value: &roll::Value| rolled.definition(*value).width;
    let into: Vec<u8> = rolled.inputs.iter().map(|input| width(&input.value)).collect();
    let out: Vec<u8> = rolled.outputs.iter().map(|(_, value)| width(value)).collect();
    let widths = |nodes: &[NodeId]| nodes.iter().map(|&node| function.width(node)).collect();
    let inputs: Vec<NodeId> = function.inputs().iter().map(|input| input.node).collect();
    let outputs: Vec<NodeId> = function.outputs().iter().map(|output| output.value).collect();
    let (inputs, outputs): (Vec<u8>, Vec<u8>) = (widths(&inputs), widths(&outputs));
    let module = Module::of(function.clone());
    for seed in 0..3 {
        let words = numbers(seed, inputs.len());
        let is_same = limbs(&words, &inputs, &into).is_some_and(|limbs_in| {
            let expected = limbs(&run_main(&module, &words), &outputs, &out);
            expected == Some(roll::run(rolled, &limbs_in))
        });
        if !is_same {
            return violated(11, format!("the regions do not compute {name}; plan it anew"));
        }
    }
    Ok(())
}

/// `count` words for a seed: zeros for seed 0, else pseudorandom numbers.
pub(crate) fn numbers(seed: u64, count: usize) -> Vec<u64> {
    (0..count as u64).map(|i| split_mix(seed << 32 | i) * seed.min(1)).collect()
}

/// Words of the given widths cut into limbs, the low limb first; nothing if they do not fit.
fn limbs(words: &[u64], widths: &[u8], into: &[u8]) -> Option<Vec<u64>> {
    let mut limbs = Vec::with_capacity(into.len());
    let mut into = into.iter();
    for (word, &width) in words.iter().zip(widths) {
        let mut done = 0;
        while done < u32::from(width) {
            let bits = u32::from(*into.next()?);
            limbs.push(word >> done & u64::MAX >> (64 - bits));
            done += bits;
        }
        if done != u32::from(width) {
            return None;
        }
    }
    into.next().is_none().then_some(limbs)
}

/// The bits of 64-bit words at even and at odd places; nothing if they do not fit.
fn halves(words: &[u64], widths: &[u8], into: &[u8]) -> Option<Vec<u64>> {
    let fits = widths.iter().all(|&width| width == 64)
        && into.iter().all(|&width| width == 32)
        && into.len() == 2 * words.len();
    fits.then(|| words.iter().flat_map(|&word| passes::halves(word)).collect())
}

/// The halves of the halves of 64-bit words, 16 bits each; nothing if they do not fit.
fn quarters(words: &[u64], widths: &[u8], into: &[u8]) -> Option<Vec<u64>> {
    let fits = widths.iter().all(|&width| width == 64)
        && into.iter().all(|&width| width == 16)
        && into.len() == 4 * words.len();
    let halves = words.iter().flat_map(|&word| passes::halves(word));
    fits.then(|| halves.flat_map(passes::halves).collect())
}

/// Checks rule 10 for a program that keeps rules 1 and 2.
fn inputs(program: &Program) -> Result<(), Violation> {
    let mut assignment: Assignment =
        program.rolled.regions.iter().map(|region| vec![0; region.body.len()]).collect();
    for (of, parts) in assignment.iter_mut().zip(&program.parts) {
        for (p, part) in parts.iter().enumerate() {
            for action in &part.each {
                if let Action::Compute(node) = action {
                    of[node.index()] = p as u8;
                }
            }
        }
    }
    let held = held(&program.rolled, &assignment, program.processors);
    for (r, (parts, held)) in program.parts.iter().zip(&held).enumerate() {
        for (p, (part, held)) in parts.iter().zip(held).enumerate() {
            if !part.inputs.iter().eq(held) {
                let inputs = &part.inputs;
                return violated(
                    10,
                    format!("processor {p} holds inputs {inputs:?} of region {r}, not {held:?}"),
                );
            }
        }
    }
    Ok(())
}

/// The region and the list of a processor in which an action stands.
type ActionPlace = (usize, usize, &'static str);

fn transfers(program: &Program) -> Result<(), Violation> {
    let mut sent: BTreeMap<u32, Vec<ActionPlace>> = BTreeMap::new();
    let mut received: BTreeMap<u32, Vec<ActionPlace>> = BTreeMap::new();
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
        let one = |places: Option<Vec<ActionPlace>>| match places.as_deref() {
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
        if values.is_empty() {
            return violated(5, format!("transfer {i} carries nothing"));
        }
    }
    match sent.keys().chain(received.keys()).next() {
        Some(id) => violated(4, format!("there is no transfer {id}")),
        None => Ok(()),
    }
}
