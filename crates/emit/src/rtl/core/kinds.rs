//! The error for turns that are not alike: no core is made of them.

use crate::rtl::Error;
use manylane_plan::hardware::{HardwareProgram, Precompute};

/// The error that the turns of a program are not alike.
pub(in crate::rtl) fn kinds(program: &HardwareProgram) -> Error {
    let (function, merge) = (program.function.name.clone(), program.options.merge);
    let hint = match (period(program), program.options.precompute) {
        (Some(merge), _) => format!(": --merge {merge}"),
        (None, Precompute::None) => "; or compute ahead what differs: --precompute kw".to_owned(),
        (None, Precompute::Kw | Precompute::Full | Precompute::Auto) => String::new(),
    };
    Error::Kinds { function, merge, kinds: program.regions.len(), hint }
}

/// Returns the number of steps after which the kinds of turns repeat, if it divides the steps.
fn period(program: &HardwareProgram) -> Option<usize> {
    let turns = program.cycles_per_block * program.stages();
    let mut kind = vec![0; turns];
    for (number, region) in program.regions.iter().enumerate() {
        region.turns.iter().for_each(|turn| kind[turn.clock] = number);
    }
    let repeats = |period: &usize| (*period..turns).all(|t| kind[t] == kind[t - period]);
    let merge = program.options.merge;
    let period = (2..=turns / 2).find(repeats)? * merge;
    (turns * merge).is_multiple_of(period).then_some(period)
}
