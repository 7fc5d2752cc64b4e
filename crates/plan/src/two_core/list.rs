//! List scheduling: units in order of urgency, each to the core on which it ends first.

use super::simulate::Machine;

/// A core for each unit. The cost of a handshake is multiplied by `weight`: the larger it is, the
/// fewer handshakes there are. Times are ticks in floating point, since the simulator judges what
/// is assigned.
pub(super) fn assign(machine: &Machine<'_>, weight: f64) -> Vec<u8> {
    let Machine { units, costs, handshake, .. } = machine;
    let [send, receive] =
        [handshake.turn.send, handshake.turn.receive].map(|of| of.map(|t| t as f64));
    let latency = handshake.latency as f64;
    let mut order: Vec<usize> = (0..units.len()).collect();
    let rank = ranks(machine);
    order.sort_by(|&a, &b| rank[b].total_cmp(&rank[a]).then(a.cmp(&b)));

    let mut cores = vec![0u8; units.len()];
    let mut end = vec![0.0f64; units.len()];
    // For each core: when it is free, and up to which time it has the results of the other core.
    let mut free = [0.0, weight * handshake.delay(1) as f64];
    let mut seen = [0.0f64; 2];
    for unit in order {
        let placed = [0, 1].map(|core: usize| {
            let (mut start, mut handshakes): (f64, f64) = (free[core], 0.0);
            for &operand in units.before.of(unit) {
                let operand = operand as usize;
                if cores[operand] as usize == core || end[operand] <= seen[core] {
                    start = start.max(end[operand]);
                } else {
                    let way = send[1 - core] + latency;
                    start = start.max(end[operand] + weight * way);
                    handshakes = weight * receive[core];
                }
            }
            (start + handshakes + costs.ticks[core][unit] as f64, start, handshakes > 0.0)
        });
        let core = usize::from(placed[1].0 < placed[0].0);
        let (done, start, received) = placed[core];
        if received {
            seen[core] = start - send[1 - core] - latency;
            free[1 - core] += weight * send[1 - core];
        }
        (cores[unit], end[unit], free[core]) = (core as u8, done, done);
    }
    cores
}

/// Returns, for each unit, the time from its start to the end of all units, at mean costs.
fn ranks(machine: &Machine<'_>) -> Vec<f64> {
    let Machine { units, costs, .. } = machine;
    let mut rank = vec![0.0; units.len()];
    for unit in (0..units.len()).rev() {
        let after = units.after.of(unit).iter().map(|&next| rank[next as usize]);
        let mean = (costs.ticks[0][unit] + costs.ticks[1][unit]) as f64 / 2.0;
        rank[unit] = after.fold(0.0, f64::max) + mean;
    }
    rank
}
