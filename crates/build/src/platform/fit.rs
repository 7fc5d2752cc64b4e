//! Derives the times of a program for every length from measured messages of few lengths.

use crate::run::{PlainJob, Shares};
use manylane_graph::framing::Framing;
use manylane_plan::platform::{Identity, KeyTime, ProgramTime, ShareTime, StreamTime};
use manylane_plan::program::message::Calls;

/// Blocks of the two longer messages, whose difference is that of their blocks.
const BLOCKS: [usize; 2] = [2, 6];

/// The messages by which a program of one core is measured: nothing; a byte, and the most bytes
/// that take as many blocks as one does; a byte more than a block holds with its padding; two
/// numbers of blocks.
pub fn lengths_of_one(framing: &Framing) -> [usize; 6] {
    let (room, block) = (framing.padding.room, framing.block_bytes);
    let [few, many] = BLOCKS.map(|blocks| blocks * block);
    match room {
        // The padding takes a block of its own behind whatever is left.
        0 => [0, 1, block - 1, 1, few, many],
        room => [0, 1, room.min(block - 1), room + 1, few, many],
    }
}

/// The times of the program, from the cycles of the messages of [`lengths_of_one`]. `block` is the
/// time of a call, if it is already known.
pub fn one(framing: &Framing, cycles: &[f64], block: Option<f64>) -> ProgramTime {
    let lengths = lengths_of_one(framing);
    let calls = lengths.map(|length| Calls::of(framing, length));
    let per_call = (cycles[5] - cycles[4]) / (calls[5].whole - calls[4].whole) as f64;
    let block = block.unwrap_or(per_call);
    // The time of a message without its calls.
    let beside = |i: usize| cycles[i] - block * calls[i].count() as f64;
    let message = beside(0).max(0.0);
    let byte = ((beside(2) - beside(1)) / (lengths[2] - lengths[1]) as f64).max(0.0);
    let held = (beside(1) - message - byte).max(0.0);
    let padding = match calls[3].has_padding && !calls[1].has_padding {
        true => (beside(3) - message - held - byte * calls[3].held as f64).max(0.0),
        false => 0.0,
    };
    ProgramTime { block, message, held, byte, padding, ..ProgramTime::default() }
}

/// The messages by which a program of two cores is measured: nothing, and two numbers of blocks and
/// one byte, so that hashes that hold their last block have as many whole ones as others.
pub fn lengths_of_two(framing: &Framing) -> [usize; 3] {
    let [few, many] = BLOCKS.map(|blocks| blocks * framing.block_bytes + 1);
    [0, few, many]
}

/// The times of the program, from its shares of these messages. `rest` is what the byte of the
/// longer ones takes, as on one core.
pub fn two(framing: &Framing, program: Identity, shares: &[Shares], rest: f64) -> ShareTime {
    let calls = lengths_of_two(framing).map(|length| Calls::of(framing, length).count() as f64);
    // Cycles = rest + job · jobs + call · calls; the second core has no rest.
    let per_call = |of: &dyn Fn(&Shares) -> u32| {
        let difference = f64::from(of(&shares[2])) - f64::from(of(&shares[1]));
        difference / (calls[2] - calls[1])
    };
    let jobs = shares.iter().map(|of| f64::from(of.jobs)).collect::<Vec<_>>();
    // If every call is a job of its own, the costs of job and call cannot be told apart.
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
    let message = message.max(0.0);
    ShareTime { program, main, second, message, give, take, word_size: None, parts: None }
}

/// The times of HMAC's key. They follow from the empty message on one core (`alone`, in cycles) and
/// from its shares on two cores (`both`), of which `key` is the key's job. `shared` is the main
/// core's time for the calls and jobs of this message; `calls` is the time of all calls on one
/// core, the key's included.
pub fn key(
    program: Identity,
    alone: f64,
    calls: f64,
    both: &Shares,
    shared: f64,
    key: PlainJob,
) -> KeyTime {
    KeyTime {
        program,
        alone: (alone - calls).max(0.0),
        message: (f64::from(both.main) - shared - key.main).max(0.0),
        main: key.main,
        second: key.second,
    }
}

/// Numbers of blocks by which a cipher's stream is measured on one core: none, few, many; and bytes
/// of a last block that is not whole.
const STREAM: [usize; 3] = [0, 8, 40];
const REST: usize = 1;

/// The messages by which a cipher's program of one core is measured.
pub fn lengths_of_stream(block_bytes: usize) -> [usize; 5] {
    let [none, few, many] = STREAM.map(|blocks| blocks * block_bytes);
    [none, few, many, few + REST, few + block_bytes - REST]
}

/// The messages by which a cipher's program of two cores is measured, in bytes: one block; nothing;
/// the blocks beside the key; a job of two blocks more; a job of `most` blocks more; a job of
/// `most` blocks and one of two blocks more.
pub fn lengths_of_jobs(block_bytes: usize, beside: usize, most: usize) -> [usize; 6] {
    [1, 0, beside, beside + 2, beside + most, beside + most + 2].map(|blocks| blocks * block_bytes)
}

/// The times of a cipher's stream, from the cycles of both lists of messages. `jobs` are those of
/// the longest message of two cores, first that of `most` blocks, then that of two; `call` is what
/// the key's expansion beside the first blocks takes of the main core's share.
pub fn stream(
    block_bytes: usize,
    program: Identity,
    alone: &[f64],
    shares: &[Shares],
    most: usize,
    jobs: [PlainJob; 2],
    call: f64,
) -> StreamTime {
    let whole = (alone[2] - alone[1]) / (STREAM[2] - STREAM[1]) as f64;
    let byte = ((alone[4] - alone[3]) / (block_bytes - 2 * REST).max(1) as f64).max(0.0);
    let held = (alone[3] - alone[1] - byte * REST as f64).max(0.0);
    let main: Vec<f64> = shares[1..].iter().map(|of| f64::from(of.main)).collect();
    let half = most as f64 / 2.0;
    let line = |many: f64, one: f64| {
        let block = ((many - one) / (half - 1.0)).max(0.0);
        [(one - block).max(0.0), block]
    };
    let [many, few] = jobs;
    // From a job of two blocks to one of `most`.
    let block = ((main[3] - main[2] - (many.main - few.main)) / (most as f64 - 2.0)).max(0.0);
    let job = (main[4] - main[3] - 2.0 * block - few.main).max(0.0);
    let open = (main[2] - main[1] - 2.0 * block - few.main - job).max(0.0);
    StreamTime {
        program,
        key: alone[0],
        whole,
        held,
        byte,
        message: main[0],
        beside: (main[1] - call).max(0.0),
        only: (f64::from(shares[0].main) - main[0]).max(0.0),
        open,
        job,
        block,
        main: line(many.main, few.main),
        second: line(many.second, few.second),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use manylane_graph::framing::framing;
    use manylane_plan::program::message::measured;
    use manylane_primitives::catalog::HashId;

    /// The cycles of a program whose times are known lead back to these times.
    #[test]
    fn known_times_are_found_again() {
        for &id in HashId::ALL {
            let framing = framing(id.into()).unwrap();
            let lengths = lengths_of_one(&framing);
            let calls = lengths.map(|length| Calls::of(&framing, length));
            let has_padding = calls[3].has_padding && !calls[1].has_padding;
            let time = ProgramTime {
                block: 1000.0,
                message: 70.0,
                held: 30.0,
                byte: 2.0,
                padding: if has_padding { 11.0 } else { 0.0 },
                ..ProgramTime::default()
            };
            let cycles = lengths.map(|length| measured(&time, &framing, length));
            let found = one(&framing, &cycles, None);
            let same = |a: f64, b: f64| assert!((a - b).abs() < 1e-6, "{id:?}: {found:?}");
            same(found.block, time.block);
            same(found.message, time.message);
            same(found.byte, time.byte);
            same(found.held, time.held);
            same(found.padding, time.padding);
        }
    }
}
