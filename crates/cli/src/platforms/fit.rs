//! From measured messages of few lengths to what a program takes of any.

use crate::run::Shares;
use manylane_graph::framing::Framing;
use manylane_plan::platform::{Identity, ProgramTime, ShareTime};
use manylane_plan::program::message::Calls;

/// Blocks of the two longer messages, whose difference is that of their blocks.
const BLOCKS: [usize; 2] = [2, 6];

/// The messages by which a program of one core is measured: nothing; a byte, and the most bytes that take
/// as many blocks as one does; a byte more than a block holds with its padding; two numbers of blocks.
pub fn lengths_of_one(framing: &Framing) -> [usize; 6] {
    let (room, block) = (framing.padding.room, framing.block_bytes);
    let [few, many] = BLOCKS.map(|blocks| blocks * block);
    match room {
        // The padding takes a block of its own behind whatever is left.
        0 => [0, 1, block - 1, 1, few, many],
        room => [0, 1, room.min(block - 1), room + 1, few, many],
    }
}

/// The times of the program, from the cycles of these messages; those of a call may be known.
pub fn one(framing: &Framing, cycles: &[f64], block: Option<f64>) -> ProgramTime {
    let lengths = lengths_of_one(framing);
    let calls = lengths.map(|length| Calls::of(framing, length));
    let per_call = (cycles[5] - cycles[4]) / (calls[5].whole - calls[4].whole) as f64;
    let block = block.unwrap_or(per_call);
    // What a message takes beside its calls.
    let beside = |i: usize| cycles[i] - block * calls[i].count() as f64;
    let message = beside(0).max(0.0);
    let byte = ((beside(2) - beside(1)) / (lengths[2] - lengths[1]) as f64).max(0.0);
    let held = (beside(1) - message - byte).max(0.0);
    let padding = match calls[3].has_padding && !calls[1].has_padding {
        true => (beside(3) - message - held - byte * calls[3].held as f64).max(0.0),
        false => 0.0,
    };
    ProgramTime { program: None, block, message, held, byte, padding }
}

/// The messages by which a program of two cores is measured: nothing, and two numbers of blocks and one
/// byte, so that hashes that hold their last block have as many whole ones as others.
pub fn lengths_of_two(framing: &Framing) -> [usize; 3] {
    let [few, many] = BLOCKS.map(|blocks| blocks * framing.block_bytes + 1);
    [0, few, many]
}

/// The times of the program, from its shares of these messages. `rest` is what the byte of the longer
/// ones takes, as on one core.
pub fn two(framing: &Framing, program: Identity, shares: &[Shares], rest: f64) -> ShareTime {
    let calls = lengths_of_two(framing).map(|length| Calls::of(framing, length).count() as f64);
    // Cycles = rest + job · jobs + call · calls; without a rest on the second core.
    let per_call = |of: &dyn Fn(&Shares) -> u32| {
        let difference = f64::from(of(&shares[2])) - f64::from(of(&shares[1]));
        difference / (calls[2] - calls[1])
    };
    let jobs = shares.iter().map(|of| f64::from(of.jobs)).collect::<Vec<_>>();
    // Where every call is a job, nobody can tell what is the job's.
    let is_one_each = jobs.iter().zip(&calls).all(|(jobs, calls)| jobs == calls);
    let per_job = |of: &dyn Fn(&Shares) -> u32, call: f64, rest: f64| {
        let beside = |i: usize| f64::from(of(&shares[i])) - call * calls[i];
        match is_one_each || jobs[1] == jobs[0] {
            true => 0.0,
            false => ((beside(1) - rest - beside(0)) / (jobs[1] - jobs[0])).max(0.0),
        }
    };
    let [of_main, of_second]: [&dyn Fn(&Shares) -> u32; 2] = [&|of| of.main, &|of| of.second];
    let (main, second) = (per_call(of_main), per_call(of_second));
    let (give, take) = (per_job(of_main, main, rest), per_job(of_second, second, 0.0));
    let message = f64::from(shares[0].main) - main * calls[0] - give * jobs[0];
    ShareTime { program, main, second, message: message.max(0.0), give, take, parts: None }
}
