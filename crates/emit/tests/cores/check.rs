//! Simulators hold a core to the definition.

use super::case::{Case, blocks};
use super::tools::{Simulator, simulate};
use manylane_emit::rtl::{Flow, text, vectors};

/// Simulates the blocks of messages of these lengths, at full speed and with stalls, and returns
/// how many simulations that were.
///
/// # Errors
/// What a simulator said that is wrong.
pub fn check(case: &Case, simulators: &[Simulator], lengths: &[usize]) -> Result<usize, String> {
    let design = case.try_design()?;
    let vectors = vectors(design.built(), &blocks(&case.algorithms(), lengths));
    let core = text(&design.core.netlist, case.style, &case.to_string());
    let mut done = 0;
    for simulator in simulators.iter().filter(|simulator| simulator.is_there()) {
        for flow in [Flow::Full, Flow::Stalls] {
            let said = simulate(*simulator, case, &core, &design, &vectors, flow);
            let clocks = clocks(&said, vectors.len());
            let clocks =
                clocks.ok_or_else(|| format!("{case}: {simulator:?}, {flow:?}: {said}"))?;
            // The clocks must be those that the core states, and a few before the first block.
            let due = (vectors.len() - 1) * design.core.cycles_per_block + design.core.latency;
            // The first block's words are stored before it begins. Where memory holds several
            // blocks, `cycles_per_block` is a quotient rounded up, so that blocks may take up to a
            // clock less.
            let due = due + design.core.words().unwrap_or(0);
            let spare = design.core.words().map_or(0, |_| vectors.len());
            if flow == Flow::Full && !(due - spare..due + 4).contains(&clocks) {
                return Err(format!("{case}: {clocks} clocks, {due} due"));
            }
            done += 1;
        }
    }
    Ok(done)
}

/// The number of clocks that a bench reports if it passed.
fn clocks(said: &str, blocks: usize) -> Option<usize> {
    let (_, rest) = said.split_once(&format!("ok {blocks} blocks in "))?;
    rest.split(' ').next()?.parse().ok()
}
