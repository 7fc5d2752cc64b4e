//! The time that the driver takes beside the kernels: to fill lanes, to empty them, and to begin a
//! batch.

use super::times::KernelName;
use crate::cpu::Engine;
use crate::kernels::kernel::MAX_LANES;

/// The driver's times on a core, in nanoseconds unless said otherwise.
#[derive(Clone, Copy)]
pub(crate) struct DriverTimes {
    /// The time to set up a call in a batch of a few messages, divided by that of Zen 5.
    pub few: f32,
    /// The time to set up a call of several messages on SHA-NI within a batch: for the call, and
    /// for each message.
    pub streams: [f32; 2],
    /// The time to begin a batch of such calls, which messages one by one do not take.
    pub batch: f32,
    /// The time to set up each of many calls of one kernel of several lanes: for the call, and for
    /// each lane.
    pub many: [f32; 2],
}

impl DriverTimes {
    /// The times for cores that were not measured. With these times calls of several messages on
    /// SHA-NI are chosen only where they gain much.
    pub const UNKNOWN: Self =
        Self { few: 1.0, streams: [80.0, 20.0], batch: 0.0, many: [40.0, 5.0] };

    /// Nanoseconds for a call of a kernel within a batch, of whose lanes `count` have a message, or
    /// for a message by itself.
    pub fn setup(&self, kernel: KernelName, count: usize, blocks: usize) -> f32 {
        if has_streams(kernel) {
            let [call, message] = self.streams;
            return call + message * kernel.lanes as f32;
        }
        setup(1.0, kernel, count, blocks)
    }

    /// Nanoseconds for a call among many of one kernel, with a message in each lane, or for a
    /// message by itself. Such calls are half done when the next begins: calls of 8 to 32 messages
    /// add 55 to 180 ns to the kernel's on Zen 5, and 100 to 340 ns on Sapphire Rapids.
    pub fn setup_of_many(&self, kernel: KernelName, blocks: usize) -> f32 {
        match kernel.lanes {
            1 => self.setup(kernel, 1, blocks),
            _ if has_streams(kernel) => self.setup(kernel, kernel.lanes, blocks),
            lanes => {
                let [call, lane] = self.many;
                call + lane * lanes as f32
            }
        }
    }

    /// [`Self::setup`] for a call in a batch of a few messages, with the beginning of the batch.
    pub fn setup_of_few(&self, kernel: KernelName, count: usize, blocks: usize) -> f32 {
        if has_streams(kernel) {
            return self.few * self.setup(kernel, count, blocks) + self.batch;
        }
        setup(self.few, kernel, count, blocks)
    }

    /// Nanoseconds by which `count` messages of unlike lengths take longer in lanes than one by
    /// one on the kernel `one`, beside what the kernels' calls take. Messages have `all` blocks
    /// together and at most `longest`. In lanes, time goes to begin a batch, unless it has `begun`,
    /// to pad each end in memory of its own and, where there are whole blocks, to take each message
    /// from the lanes of bodies to those of ends. Fitted on Zen 5 to 960 batches of 2 to 64
    /// messages by six hashes, and to 60 batches of 65 to 200 by three hashes; the latter have
    /// groups of like lengths.
    // One copy is enough for all hashes.
    #[inline(never)]
    pub fn unlike(
        &self,
        one: KernelName,
        count: usize,
        [all, longest]: [usize; 2],
        begun: bool,
    ) -> f32 {
        let messages = count as f32;
        if count > MAX_LANES && !begun {
            let ratio = [1.0, 1.75, 3.0][longest.clamp(1, 3) - 1];
            let of_two_blocks = (all as f32 / messages - 1.0).min(1.0);
            let [short, long] = [1, 2].map(|blocks| self.setup(one, 1, blocks));
            let alone = messages * (short + (long - short) * of_two_blocks);
            return self.few * ratio * (700.0 + 9.0 * messages) - alone;
        }
        let begin = if begun { 0.0 } else { self.few * 250.0 };
        begin + messages * if longest == 1 { 40.0 } else { 80.0 }
    }
}

/// Whether a kernel computes several messages on SHA-NI.
pub(super) fn has_streams(kernel: KernelName) -> bool {
    has_instructions(kernel) && kernel.lanes > 1
}

fn has_instructions(kernel: KernelName) -> bool {
    matches!(kernel.engine, Engine::ShaNi | Engine::ShaNiAvx512)
}

/// Nanoseconds to set up a call. `ratio` is the time to set up a call of several lanes, divided by
/// that of Zen 5. It does not apply to 80 ns of a call of more than six lanes.
fn setup(ratio: f32, kernel: KernelName, count: usize, blocks: usize) -> f32 {
    match (kernel.lanes, blocks) {
        // The CPU computes the last block of one message while it prepares the next. A single block
        // does not take long enough for that, unless it is computed by hash instructions: these are
        // so few that the CPU even begins the first block of the next message. Measured on Zen 3.
        (1, 1) if has_instructions(kernel) => -3.0,
        (1, _) if has_instructions(kernel) => -16.0,
        (1, 1) => 12.0,
        (1, _) => 0.0,
        (lanes @ 2..=6, _) => ratio * (80.0 + 20.0 * lanes as f32),
        (lanes, _) => 80.0 + ratio * (80.0 + 4.0 * lanes as f32 + 7.0 * lanes.min(count) as f32),
    }
}
