//! Hill climbing on the charged simulator.

use super::simulate::Machine;
use crate::units::Units;
use manylane_graph::random::XorShift64Star;
use std::collections::HashMap;

/// Moves units between the cores as long as that helps, by at most `evaluations` simulations.
///
/// A move is of one unit, of a few units that follow each other, or of all units of one place: the
/// same part of every round.
pub(super) fn climb(
    machine: &Machine<'_>,
    mut cores: Vec<u8>,
    evaluations: usize,
    seed: u64,
) -> Vec<u8> {
    let places = places(machine.units);
    let mut random = XorShift64Star(seed | 1);
    let mut below = |bound: usize| (((random.word() >> 32) * bound as u64) >> 32) as usize;
    let mut best = machine.end(&cores);
    let mut moved: Vec<u32> = Vec::new();
    for _ in 0..evaluations {
        moved.clear();
        let unit = below(cores.len());
        match below(4) {
            0 => moved.extend(&places[below(places.len())]),
            1 => {
                let length = 1 + below(8);
                let from = cores[unit];
                let run = (unit..cores.len()).take(length).filter(|&u| cores[u] == from);
                moved.extend(run.map(|u| u as u32));
            }
            _ => moved.push(unit as u32),
        }
        let to = 1 - cores[moved[0] as usize];
        let before: Vec<u8> = moved.iter().map(|&unit| cores[unit as usize]).collect();
        moved.iter().for_each(|&unit| cores[unit as usize] = to);
        let end = machine.end(&cores);
        if end <= best {
            best = end;
        } else {
            moved.iter().zip(before).for_each(|(&unit, core)| cores[unit as usize] = core);
        }
    }
    cores
}

/// Units of the same place, in the order of their first units, so that the climb does not depend on
/// the names of steps.
fn places(units: &Units) -> Vec<Vec<u32>> {
    let mut places: Vec<Vec<u32>> = Vec::new();
    let mut known: HashMap<&str, usize> = HashMap::new();
    for (i, unit) in units.units.iter().enumerate() {
        let place = *known.entry(&unit.place).or_insert_with(|| {
            places.push(Vec::new());
            places.len() - 1
        });
        places[place].push(i as u32);
    }
    places
}
