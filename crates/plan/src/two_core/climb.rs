//! Hill climbing on the charged simulator.

use super::simulate::Machine;
use crate::units::Units;
use std::collections::HashMap;

/// A generator of pseudo-random numbers that a seed determines (xorshift64*).
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        let high = self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 32;
        ((high * bound as u64) >> 32) as usize
    }
}

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
    let mut random = Random(seed | 1);
    let mut best = machine.end(&cores);
    let mut moved: Vec<u32> = Vec::new();
    for _ in 0..evaluations {
        moved.clear();
        let unit = random.below(cores.len());
        match random.below(4) {
            0 => moved.extend(&places[random.below(places.len())]),
            1 => {
                let length = 1 + random.below(8);
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
