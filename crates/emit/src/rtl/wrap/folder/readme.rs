//! The README of a folder with a core in its surroundings.

use super::wrapped::Wrapped;
use crate::rtl::package::Package;
use crate::rtl::package::readme::{ports_of, rate, values};
use crate::rtl::templates::render;
use crate::rtl::wrap::Register;
use crate::rtl::wrap::axilite::{chain_registers, has_order_of_digest};
use crate::rtl::{Interface, Message, modes};
use manylane_graph::framing::ByteOrder;
use minijinja::{Value, context};

/// Writes the README from its template: ports or registers, rates, sizes and tests.
pub(super) fn readme(of: Wrapped<'_>, package: &Package<'_>) -> String {
    let Wrapped { built, wrapper, framing, messages } = of;
    let (net, core) = (&wrapper.netlist, built.core);
    let bits = 8.0 * framing.block_bytes as f64;
    let ends = 1 + usize::from(framing.closing.is_some());
    let (stream, registers) = match wrapper.interface {
        Interface::Stream(bytes) => (Some(stream(of, bytes)), None),
        Interface::Registers => (None, Some(registers(of))),
    };
    let port = |(name, way, bits): (&str, &str, u32)| context! { name, way, bits };
    let longest = messages.iter().map(|message| message.bytes.len()).max().unwrap_or(0);
    let tests = format!(
        "Benches hold the module to {} messages of 0 to {longest} bytes, at full speed and with \
         both sides pausing at random. Blocks are of {} bytes.",
        messages.len(),
        framing.block_bytes
    );
    let values = context! {
        with => match wrapper.contexts {
            1 => "if the bus brings a word per clock".to_owned(),
            contexts => format!("{contexts} messages under way"),
        },
        all => wrapper.cycles_per_block, alone => wrapper.latency,
        rate_of_all => rate(bits, wrapper.cycles_per_block),
        rate_alone => rate(bits, wrapper.latency), contexts => wrapper.contexts,
        cycles => core.cycles_per_block, latency => core.latency, fewest_ends => ends,
        most_ends => ends + usize::from(framing.padding.room < framing.block_bytes - 1),
        stream, registers, block_bytes => framing.block_bytes,
        ports => ports_of(net).map(port).collect::<Vec<_>>(),
        register_bits => net.register_bits() + core.netlist.register_bits(),
        memory_bits => net.memory_bits() + core.netlist.memory_bits(),
        ..values(package, built, net, &tests)
    };
    render("surroundings.md", &values)
}

/// The values for the part about streams of `bytes` bytes.
fn stream(of: Wrapped<'_>, bytes: usize) -> Value {
    let flag = match of.built.core.modes.len() {
        0 => 0,
        count => modes::bits(count),
    };
    let beats = of.framing.digest.len().div_ceil(bytes);
    context! { flag, beats, bytes, example => streamed(of, bytes) }
}

/// The message of the standards' first example.
fn abc<'m>(of: Wrapped<'m>) -> Option<&'m Message> {
    of.messages.iter().find(|message| message.bytes == b"abc")
}

/// A message and its digest, beat by beat.
fn streamed(of: Wrapped<'_>, bytes: usize) -> Option<Value> {
    let Message { bytes: message, digest, mode, .. } = abc(of)?;
    let beats = |side: char, all: &[u8]| -> String {
        let last = all.len().div_ceil(bytes) - 1;
        let beat = |(i, part): (usize, &[u8])| {
            let data: String = part.iter().rev().map(|byte| format!("{byte:02x}")).collect();
            let ones: u128 = (1 << part.len()) - 1;
            let digits = bytes.div_ceil(4);
            format!("{side} {data:0>0$}  {ones:0digits$x}  {1}\n", 2 * bytes, u8::from(i == last))
        };
        all.chunks(bytes).enumerate().map(beat).collect()
    };
    let of_mode = match of.built.core.modes.get(*mode) {
        Some(of) => format!(" in mode {mode}, {}", of.name),
        None => String::new(),
    };
    Some(context! { of_mode, beats => beats('s', message) + &beats('m', digest) })
}

/// The values for the part about registers: their list, the order of CHAIN and DIGEST, and
/// examples.
fn registers(of: Wrapped<'_>) -> Value {
    let Wrapped { framing, messages, .. } = of;
    let register = |Register { name, address, what }: &Register| {
        context! { name => *name, address => format!("0x{address:03x}"), what => *what }
    };
    let digest_order = match framing.order {
        _ if !has_order_of_digest(framing) => {
            "The bytes of the digest are spread over the words, so that DIGEST has another order"
        }
        ByteOrder::Big => {
            "DIGEST has the same order, but bytes: its registers are byte-swapped words"
        }
        ByteOrder::Little => "DIGEST has the same order",
    };
    let longer = messages.iter().find(|message| message.bytes.len() == framing.block_bytes + 1);
    let begins = longer.map(|message| {
        let registers = chain_registers(framing, &message.chain[0]);
        format!("0x{:08x}, 0x{:08x}", registers[0], registers[1])
    });
    let first_word = |message: &Message| -> String {
        message.digest.iter().take(4).rev().map(|byte| format!("{byte:02x}")).collect()
    };
    context! {
        all => Register::ALL.iter().map(register).collect::<Vec<_>>(),
        words => framing.digest.len().div_ceil(4),
        chain => framing.word_bits as usize * framing.initial.len() / 32,
        halves => (framing.word_bits != 32).then_some(match framing.order {
            ByteOrder::Big => ["high", "low"],
            ByteOrder::Little => ["low", "high"],
        }),
        last => framing.initial.len() - 1, digest_order, begins,
        abc => abc(of).map(first_word),
    }
}
