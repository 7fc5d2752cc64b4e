//! Messages of close lengths, from their common start to their ends.
//!
//! ```text
//! lane 0  ████████████████████████████          █ whole blocks of a message
//! lane 1  ██████████████████████████░░          ░ the lane idles until all have ended
//! lane 2  ██████████████████████████░░
//! lane 3  █████████████████████████░░░
//!         ├───────────────────────┤├┤├┤  kernel calls
//! ```
//!
//! Where lengths are close this takes fewer calls than [`super::ragged`], where a lane that has
//! ended takes another message at once.

use super::ends::Ends;
use super::inputs::Inputs;
use super::layout::set;
use super::wide::Call;
use crate::kernels::kernel::Kernel;
use crate::kernels::runs::Runs;

impl<H: Runs> Ends<'_, H> {
    /// Hashes messages that go on from the same start, as many as the kernel has lanes, most blocks
    /// first. `numbers` has the index of each message and its number of whole blocks after the
    /// start, which is at least one.
    pub fn run_close(
        &mut self,
        kernel: &Kernel<H>,
        numbers: &[(usize, usize)],
        messages: &[&[u8]],
    ) {
        let (hash, block_bytes) = (self.hash, self.hash.block_bytes());
        let (start, lead) = self.beginning.of(messages[0].len());
        let call = Call { kernel, number: 0 };
        self.wide.begin(start, kernel.lanes, 1);
        self.wide.put_counters(kernel.lanes, &[[hash.counter(start.blocks); 2]], 0);
        let mut inputs = Inputs::new();
        inputs.put(messages, 0);
        let (mut running, mut done) = (messages.len(), 0);
        while running > 0 {
            let blocks = numbers[running - 1].1;
            if done == 0 {
                self.compress_bodies(&call, lead, messages, blocks);
            } else {
                let from = done * block_bytes - lead.len();
                set(&mut inputs, messages[..running].iter().map(|message| &message[from..]));
                let (running, idle) = inputs.split_at_mut(running);
                idle.fill(running[0]);
                self.wide.compress(hash, &call, &inputs, blocks - done);
            }
            done = blocks;
            let ended = numbers[..running].iter().rev().take_while(|(_, whole)| *whole == done);
            for &(index, _) in ended {
                running -= 1;
                let rest = &messages[running][done * block_bytes - lead.len()..];
                let state = self.wide.state(kernel.lanes, running);
                self.wait(index, &state, start.blocks + done as u64, rest);
            }
        }
        self.end_full();
    }
}
