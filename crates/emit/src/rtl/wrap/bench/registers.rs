//! A test bench for registers: a script of writes and reads, as software would make them.

use super::{Message, clearing_checks};
use crate::rtl::bench::verilog_bench;
use crate::rtl::templates::render;
use crate::rtl::wrap::axilite::{DECERR, OKAY, SLVERR, VERSION, chain_registers, sizes};
use crate::rtl::wrap::{Register, Wrapper};
use crate::rtl::{Core, Flow};
use manylane_graph::framing::Framing;
use minijinja::context;
use std::fmt::Write;

/// The bench's text, and its script, which it reads as `file`.
///
/// Every message of more than a block is put aside after its whole blocks, with the chaining value
/// that the definition has there. Another message is hashed, and the first one is taken up again
/// from that value. In the middle of a message come accesses that are not allowed, which must
/// change nothing. The bench prints `ok N messages in C clocks`, or what was wrong, and fails by
/// `$fatal`.
pub fn register_bench(
    wrapper: &Wrapper,
    core: &Core,
    framing: &Framing,
    messages: &[Message],
    flow: Flow,
    file: &str,
) -> (String, String) {
    let digest_bytes = messages.iter().map(|message| message.digest.len()).max().unwrap_or(0);
    let mut script = Script { out: String::new(), lines: 0, words: digest_bytes.div_ceil(4) };
    script.read(Register::VERSION.address, VERSION);
    script.mistakes(framing);
    let has_modes = !core.modes.is_empty();
    for (n, message) in messages.iter().enumerate() {
        script.mode(0, has_modes, message.mode);
        let whole = message.bytes.len() / framing.block_bytes * framing.block_bytes;
        let rest = if whole == 0 {
            &message.bytes[..]
        } else {
            let other = &messages[n / 2];
            script.words(&message.bytes[..whole]);
            let held = if framing.padding.holds_last { framing.block_bytes } else { 0 };
            script.poll(1 << 2);
            let blocks = (whole - held) / framing.block_bytes;
            let chain = blocks.checked_sub(1).map(|last| &message.chain[last]);
            let state = chain.map(|chain| Script::state(framing, chain, (whole - held) as u32));
            match &state {
                Some(state) => state.iter().for_each(|&(address, word)| script.read(address, word)),
                None => script.read(Register::COUNT.address, 0),
            }
            script.mode(1, true, other.mode);
            script.message(&other.bytes, &other.digest);
            script.restore(state.as_deref(), message.mode);
            &message.bytes[whole - held..]
        };
        // In the middle of one message, accesses that are not allowed come between two words.
        let (begun, rest) =
            rest.split_at(if n == messages.len() / 2 { rest.len() / 8 * 4 } else { 0 });
        if !begun.is_empty() {
            script.words(begun);
            script.mistakes(framing);
        }
        script.message(rest, &message.digest);
    }
    let (offers, takes) = flow.conditions();
    let (module, count, last) = (&wrapper.netlist.name, messages.len(), script.lines - 1);
    // When the last digest has been read and taken note of, nothing is left.
    let (clearing, clear_port, rests) = match core.clears {
        false => (String::new(), "", ""),
        true => (
            format!(
                "  reg clear = 1'b0;\n  task look;\n    begin\n{}    end\n  endtask\n\n",
                clearing_checks(wrapper, core)
            ),
            "\n    .clear(clear),",
            "    repeat (4) @(posedge clk);\n    #1 look;\n    write(10'h010, 32'h64636261);\n    \
             write(10'h010, 32'h68676665);\n    clear = 1'b1;\n    @(posedge clk);\n    \
             #1 clear = 1'b0;\n    repeat (3) @(posedge clk);\n    #1 look;\n",
        ),
    };
    let limit = (20 + core.latency) * script.lines * 4;
    let values = context! {
        last, module, clear_port, clearing, limit, offers, takes, file, rests, count,
    };
    let body = render("registers", &values);
    (verilog_bench(module, &body), script.out)
}

/// Lines for the bench: an action, an address, a word.
struct Script {
    out: String,
    lines: usize,
    /// Words of the longest digest.
    words: usize,
}

impl Script {
    fn line(&mut self, action: u8, answer: u64, address: u32, word: u32) {
        let to = answer << 10 | u64::from(address);
        let _ = writeln!(self.out, "{action}{to:03x}{word:08x}");
        self.lines += 1;
    }

    fn write(&mut self, address: u32, word: u32) {
        self.line(0, OKAY, address, word);
    }

    fn read(&mut self, address: u32, word: u32) {
        self.line(1, OKAY, address, word);
    }

    /// Waits for bits of the status.
    fn poll(&mut self, bits: u32) {
        self.line(2, OKAY, Register::STATUS.address, bits);
    }

    /// Accesses that registers do not support, addresses without a register, and writes of parts of
    /// words. Each is answered by an error.
    fn mistakes(&mut self, framing: &Framing) {
        let [digest, chain] = sizes(framing);
        let (digest, chain) =
            (Register::DIGEST.address + 4 * digest, Register::CHAIN.address + 4 * chain);
        let ends = Register::END.address + 4 * 4;
        for to in [
            Register::VERSION.address,
            Register::SHAPE.address,
            Register::DIGEST.address,
            digest - 4,
        ] {
            self.line(0, SLVERR, to, u32::MAX);
        }
        for from in [Register::CONTROL.address, Register::DATA.address, Register::END.address, ends]
        {
            self.line(1, SLVERR, from, 0);
        }
        let count = Register::COUNT.address;
        for nowhere in [0x014, ends + 4, count - 4, count + 8, digest, chain, 0x3fc] {
            self.line(0, DECERR, nowhere, u32::MAX);
            self.line(1, DECERR, nowhere, 0);
        }
        for to in
            [Register::DATA, Register::END, Register::CONTROL, Register::COUNT, Register::CHAIN]
        {
            for strobes in [0, 1, 3, 7, 8, 14] {
                self.line(3, SLVERR, to.address, strobes);
            }
            self.line(0, SLVERR, to.address + 2, u32::MAX);
        }
        self.line(1, SLVERR, Register::STATUS.address + 1, 0);
    }

    /// The registers of a message that is put aside after `count` bytes: addresses and words.
    fn state(framing: &Framing, chain: &[u64], count: u32) -> Vec<(u32, u32)> {
        let words = chain_registers(framing, chain).into_iter().zip(0..);
        let chain = words.map(|(word, i)| (Register::CHAIN.address + 4 * i, word));
        let count = [(Register::COUNT.address, count), (Register::COUNT.address + 4, 0)];
        count.into_iter().chain(chain).collect()
    }

    /// The control register, with the mode of what follows.
    fn mode(&mut self, bits: u32, is_due: bool, mode: usize) {
        if is_due {
            self.write(Register::CONTROL.address, bits | (mode as u32) << 8);
        }
    }

    /// Forgets whatever was begun; goes on from a message's state, if there is any.
    fn restore(&mut self, state: Option<&[(u32, u32)]>, mode: usize) {
        self.mode(1, true, mode);
        if let Some(state) = state {
            state.iter().for_each(|&(address, word)| self.write(address, word));
            self.mode(2, true, mode);
        }
    }

    /// Whole words of a message.
    fn words(&mut self, bytes: &[u8]) {
        for word in bytes.chunks_exact(4) {
            self.write(Register::DATA.address, number(word));
        }
    }

    /// The rest of a message, and its digest.
    fn message(&mut self, bytes: &[u8], digest: &[u8]) {
        // The last word is written to END if it is not whole; so that whole ones are tested too,
        // also if the length is a multiple of 8.
        let whole = bytes.len().saturating_sub(usize::from(bytes.len().is_multiple_of(8))) / 4 * 4;
        self.words(&bytes[..whole]);
        let rest = &bytes[whole..];
        self.write(Register::END.address + 4 * rest.len() as u32, number(rest));
        self.poll(1 << 1);
        let words = digest.chunks(4).map(number).chain(std::iter::repeat(0)).take(self.words);
        for (i, word) in words.enumerate() {
            self.read(Register::DIGEST.address + 4 * i as u32, word);
        }
        self.write(Register::STATUS.address, 0);
    }
}

fn number(bytes: &[u8]) -> u32 {
    bytes.iter().rev().fold(0, |number, &byte| number << 8 | u32::from(byte))
}
