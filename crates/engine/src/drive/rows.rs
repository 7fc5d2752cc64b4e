//! Messages of one length, each hashed once: `prefix ‖ address ‖ input ‖ suffix`.

use super::layout::Start;
use super::stream::Stream;
use super::template::{Area, Starts, Template};
use crate::cpu::Engine;
use crate::error::Error;
use crate::kernels::kernel::Kernel;
use crate::kernels::runs::Runs;
use crate::select::choice::Choice;
use std::ops::Range;

/// Lengths and constant parts of the messages.
#[derive(Clone, Debug, Default)]
pub struct Fields {
    /// The bytes at the beginning of every message.
    pub prefix: Vec<u8>,
    /// Bytes of the address.
    pub address: usize,
    /// Bytes of the input.
    pub input: usize,
    /// The bytes at the end of every message.
    pub suffix: Vec<u8>,
    /// Bytes of the digest that are kept.
    pub output: usize,
}

/// A hash with the fields of its messages, prepared.
pub struct RowHash<H: Runs> {
    /// The hash, with its digest's length.
    pub hash: H,
    /// The kernels of the hash for each number of messages.
    pub choice: &'static Choice<H>,
    /// The chaining value after the whole blocks of the prefix.
    pub start: Start<H>,
    /// The blocks of a message with its constant parts and its padding.
    pub template: Template<H>,
    /// Where the address lies in a lane's blocks.
    pub address: Range<usize>,
    /// Where the input lies in a lane's blocks.
    pub input: Range<usize>,
    /// Bytes of the digest that are kept.
    pub output: usize,
    suffix: Vec<u8>,
}

/// An area with the start in each of its lanes.
pub struct Scratch<H: Runs> {
    /// The blocks of each lane.
    pub area: Area<H>,
    starts: Starts<H>,
}

impl<H: Runs> RowHash<H> {
    /// Hashes the whole blocks of the prefix and makes the padding. Fails if the CPU lacks the
    /// engine.
    pub fn new(hash: H, engine: Option<Engine>, fields: &Fields) -> Result<Self, Error> {
        let mut stream = Stream::on(hash.clone(), engine)?;
        stream.update(&fields.prefix);
        let (start, lead) = stream.checkpoint();
        let address = lead.len()..lead.len() + fields.address;
        let input = address.end..address.end + fields.input;
        let message = fields.address + fields.input + fields.suffix.len();
        let template = Template::new(&hash, start.blocks, lead, message);
        let (output, suffix) = (fields.output, fields.suffix.clone());
        let choice = Choice::new(engine)?;
        Ok(Self { choice, start, template, address, input, output, suffix, hash })
    }

    /// Returns lanes set to the kernel for `count` messages: those of the last call, or new ones if
    /// that kernel needs more lanes.
    pub fn at_hand<'s>(
        &self,
        scratch: &'s mut Option<Scratch<H>>,
        count: usize,
    ) -> &'s mut Scratch<H> {
        let kernel = self.choice.for_count(count);
        if scratch.as_ref().is_some_and(|scratch| scratch.area.most < kernel.lanes) {
            *scratch = None;
        }
        let scratch = scratch.get_or_insert_with(|| self.scratch(kernel));
        scratch.set_kernel(kernel, self);
        scratch
    }

    fn scratch(&self, kernel: &Kernel<H>) -> Scratch<H> {
        let mut area = Area::new(&self.template, kernel);
        for lane in 0..kernel.lanes {
            area.lane(lane)[self.input.end..][..self.suffix.len()].copy_from_slice(&self.suffix);
        }
        Scratch { area, starts: Starts::of(&[self.start.state], kernel.lanes) }
    }

    /// Hashes as many messages as `out` has places for. The addresses and the inputs lie one after
    /// the other.
    pub fn run(
        &self,
        scratch: &mut Option<Scratch<H>>,
        addresses: &[u8],
        inputs: &[u8],
        out: &mut [u8],
    ) {
        let mut count = out.len() / self.output;
        // Whole blocks of an input that nothing precedes need no copy.
        let block_bytes = self.hash.block_bytes();
        let direct = match self.input.start {
            0 => self.template.whole.min(self.input.end / block_bytes),
            _ => 0,
        };
        let (mut at, mut out) = (0, out);
        while count > 0 {
            let scratch = self.at_hand(scratch, count);
            let area = &mut scratch.area;
            let lanes = area.kernel.lanes;
            let now = count.min(lanes);
            let input = |i: usize| &inputs[(at + i) * self.input.len()..][..self.input.len()];
            let copied = direct * block_bytes..self.input.len();
            // Even an empty copy takes a third of the time of a block in its lane.
            if !(self.address.is_empty() && copied.is_empty()) {
                for lane in 0..now {
                    let (blocks, input) = (area.lane(lane), input(lane));
                    if !self.address.is_empty() {
                        let address = &addresses[(at + lane) * self.address.len()..];
                        let address = &address[..self.address.len()];
                        blocks[self.address.clone()].copy_from_slice(address);
                    }
                    blocks[self.input.start..][copied.clone()]
                        .copy_from_slice(&input[copied.clone()]);
                }
            }
            let (digests, later) = std::mem::take(&mut out).split_at_mut(now * self.output);
            let messages = (0..lanes).map(|lane| input(lane.min(now - 1)));
            let what = (&self.hash, &self.template, &scratch.starts);
            area.hash(what, (messages, direct), self.output, digests);
            (at, count, out) = (at + now, count - now, later);
        }
    }
}

impl<H: Runs> Scratch<H> {
    /// Continues with another kernel, no wider than the first.
    pub fn set_kernel(&mut self, kernel: &Kernel<H>, rows: &RowHash<H>) {
        if self.area.kernel.lanes != kernel.lanes {
            self.starts = Starts::of(&[rows.start.state], kernel.lanes);
        }
        self.area.set_kernel(kernel);
    }

    /// Compresses the blocks of all lanes and writes the digests of the first `count` back to
    /// `input`.
    #[inline(always)]
    pub fn step(&mut self, rows: &RowHash<H>, count: usize) {
        self.area.compress(&rows.hash, &rows.template, &self.starts);
        self.area.write_back(&rows.hash, count, rows.input.start, rows.output);
    }
}
