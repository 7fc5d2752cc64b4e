//! What a user has to know.

use super::wrapped::Wrapped;
use crate::rtl::modes;
use crate::rtl::package::Package;
use crate::rtl::package::readme::{folder, instance, ports_of};
use crate::rtl::wrap::Register;
use crate::rtl::wrap::axilite::{chain_registers, has_order_of_digest};
use crate::rtl::{Interface, Message, Netlist, Reset};
use manylane_graph::framing::ByteOrder;
use std::fmt::Write;

pub(super) fn readme(of: Wrapped<'_>, package: &Package<'_>) -> String {
    let about = package.about;
    let Wrapped { built, wrapper, framing, messages } = of;
    let top = &wrapper.netlist.name;
    let mut out = format!("# {top}\n\n{}: messages in, digests out.\n\n", about.title);
    if let Some(warning) = about.warning {
        let _ = writeln!(out, "**{warning}**\n");
    }
    let _ = writeln!(out, "Made by\n\n```sh\n{}\n```\n", about.command);
    figures(&mut out, of);
    match wrapper.interface {
        Interface::Stream(bytes) => stream(&mut out, of, bytes),
        Interface::Registers => registers(&mut out, of),
    }
    let reset = match about.style.reset {
        Reset::Sync => "synchronous",
        Reset::Async => "asynchronous, to be let go in step with the clock",
    };
    let files = match package.sources {
        [_] => "the file",
        _ => "both files",
    };
    let _ = write!(
        out,
        "## Instantiate it\n\nAdd {files} of `rtl/` to the design. `clk` is the bus's clock, `rst` \
         its \
         reset: {reset}, active high (`aresetn` inverted). Vivado takes ports of these names for \
         AXI \
         interfaces of their own accord.\n\n"
    );
    out.push_str(&instance(&wrapper.netlist, about.style.language));
    let bits = (
        wrapper.netlist.register_bits() + built.core.netlist.register_bits(),
        wrapper.netlist.memory_bits() + built.core.netlist.memory_bits(),
    );
    if built.core.clears {
        let _ = writeln!(
            out,
            "\n## What stays\n\nNothing that is secret. A clock after a message's last block has \
             left \
             its buffer, zeros are written over that and over its chaining value; what passes a \
             register leaves zeros there; the core is zero while it has nothing to do, and a \
             digest is \
             gone when it has been taken. In the clock of the zeros no lane is taken and no \
             chaining \
             value: two clocks more for a message at most. Lengths, contexts and modes are no \
             secrets \
             and stay.\n\n\
             `clear` makes every register zero at the next edge: messages under way are forgotten \
             whole, their digests with them, and what comes next in a context is a message's first \
             byte. Nothing is taken in that clock. The memories follow in {} clocks, and so they \
             do \
             after a reset. Registers have {} bits, the core's among them, memories {}.\n",
            wrapper.contexts, bits.0, bits.1
        );
    } else {
        stays(&mut out, bits);
    }
    let longest = messages.iter().map(|message| message.bytes.len()).max().unwrap_or(0);
    let tests = format!(
        "Benches hold the module to {} messages of 0 to {longest} bytes, at full speed and with \
         both \
         sides pausing at random. Blocks are of {} bytes.",
        messages.len(),
        framing.block_bytes
    );
    out.push_str(&folder(package, &tests));
    out
}

fn stays(out: &mut String, (registers, memories): (u64, u64)) {
    let _ = writeln!(
        out,
        "\n## What stays\n\nBuffers and chaining values are not cleared by a reset, only \
         forgotten: a \
         secret message's last block and chaining value stay in memory until others take their \
         place. Of that there are {registers} bits in registers, the core's among them, and \
         {memories} \
         in memories. `--clear on-done` makes the core and its surroundings forget.\n",
    );
}

fn figures(out: &mut String, of: Wrapped<'_>) {
    let Wrapped { built, wrapper, framing, .. } = of;
    let mhz = 100.0;
    let bits = 8.0 * framing.block_bytes as f64;
    let rate = |clocks: usize| bits * mhz / clocks as f64;
    let core = &built.core;
    let (all, alone) = (wrapper.cycles_per_block, wrapper.latency);
    let ends = 1 + usize::from(framing.closing.is_some());
    let _ = writeln!(
        out,
        "| | |\n|---|---|\n\
         | clocks per block, {} | {all} |\n\
         | clocks per block, **one message alone**: each block waits for the one before | {alone} \
         |\n\
         | Mbit/s at {mhz:.0} MHz, {} | {:.0} |\n\
         | Mbit/s at {mhz:.0} MHz, **one message alone** | {:.0} |\n\
         | messages under way at once | {} |\n\
         | clocks per block of the core, its latency | {}, {} |\n\
         | calls of the core beside those of whole blocks, per message | {ends} to {} |\n\
         | steps per clock, stages | {}, {} |\n",
        with(wrapper.contexts),
        with(wrapper.contexts),
        rate(all),
        rate(alone),
        wrapper.contexts,
        core.cycles_per_block,
        core.latency,
        ends + usize::from(framing.padding.room < framing.block_bytes - 1),
        built.program.options.merge,
        built.program.options.stages,
    );
}

fn with(contexts: usize) -> String {
    match contexts {
        1 => "if the bus brings a word per clock".to_owned(),
        _ => format!("{contexts} messages under way"),
    }
}

fn stream(out: &mut String, of: Wrapped<'_>, bytes: usize) {
    let contexts = of.wrapper.contexts;
    let _ = writeln!(
        out,
        "## The streams\n\n\
         AXI4-Stream; byte 0 of a beat is `tdata[7:0]`.\n\n\
         - `tid` names one of {contexts} contexts, each with a message of its own. Beats of \
         different \
         contexts may follow each other in any order. One message alone uses any.\n\
         - `tkeep` is all ones but in a message's last beat, where it is ones from bit 0 on. A \
         beat \
         with `tlast` and `tkeep` = 0 ends a message without a byte: so an empty message is sent, \
         and one that was thought to go on. Without `tlast` it is skipped.\n\
         - Any other `tkeep` is wrong: fewer bytes in a beat that is not the last, bytes that do \
         not \
         begin at bit 0 or do not follow each other. The message goes on to its `tlast`, and its \
         digest \
         comes as zeros with the highest bit of `m_axis_tuser` set, bit {flag}, in every beat. The \
         next \
         message is right again.\n\
         - `s_axis_tready` goes low for a beat whose context still has a block to go. Such a beat \
         holds \
         up those behind it: let the contexts take turns, block by block.\n\
         - A message may follow another in its context at once.\n\
         - A digest is {} beat{} of {bytes} bytes with the `tid` of its message and `tlast` on the \
         last; \
         digests of different contexts come in the order in which they are done. While one waits \
         to be \
         taken, so does the next, and at last the core.\n\
         - Messages may have up to 2^61 - 1 bytes.\n",
        of.framing.digest.len().div_ceil(bytes),
        if of.framing.digest.len() > bytes { "s" } else { "" },
        flag = match of.built.core.modes.len() {
            0 => 0,
            count => modes::bits(count),
        },
    );
    if !of.built.core.modes.is_empty() {
        let _ = writeln!(
            out,
            "`s_axis_tuser` has the mode, and counts in a message's first beat; `m_axis_tuser` has \
             it \
             in its low bits beside every beat of the digest, which is as long as the mode's.\n\n\
             {}",
            modes::table(&of.built.core.modes)
        );
    }
    streamed(out, of, bytes);
    ports(out, &of.wrapper.netlist);
}

/// The message that everybody knows.
fn abc<'m>(of: Wrapped<'m>) -> Option<&'m Message> {
    of.messages.iter().find(|message| message.bytes == b"abc")
}

/// A message and its digest, beat by beat.
fn streamed(out: &mut String, of: Wrapped<'_>, bytes: usize) {
    let Some(Message { bytes: message, digest, mode, .. }) = abc(of) else { return };
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
    let _ = writeln!(
        out,
        "The message `abc`{of_mode}, its beats and then those of its digest: tdata, tkeep, tlast \
         in \
         hexadecimal.\n\n```text\n{}{}```\n",
        beats('s', message),
        beats('m', digest)
    );
}

fn registers(out: &mut String, of: Wrapped<'_>) {
    out.push_str(
        "## The registers\n\nAXI4-Lite, 32 bits. Address and data of a write come in any order. \
         What \
         registers do not do is answered by SLVERR: a write to VERSION, SHAPE or DIGEST, a read of \
         CONTROL, DATA or END, a write of part of a word, an address that is no multiple of 4. \
         Addresses without a register are answered by DECERR. Neither changes anything, and both \
         read \
         as 0.\n\n| address | name | |\n|---|---|---|\n",
    );
    for Register { name, address, what } in Register::ALL {
        let _ = writeln!(out, "| 0x{address:03x} | {name} | {what} |");
    }
    let words = of.framing.digest.len().div_ceil(4);
    let chain = of.framing.word_bits as usize * of.framing.initial.len() / 32;
    let _ = writeln!(
        out,
        "\nDIGEST has {words} words, CHAIN {chain}.\n\n\
         A message: words to DATA, its last 0 to 4 bytes to END*n*, wait for STATUS bit 1, read \
         DIGEST, \
         write STATUS. A write waits on the bus while the buffer is full: at most for a call of \
         the \
         core. The next message may be written at once; its digest replaces the one before.\n\n\
         To put a message aside: wait for STATUS bit 2, read COUNT and CHAIN, write 1 to CONTROL. \
         To \
         take it up again: write 1 to CONTROL, write COUNT and CHAIN, write 2 to CONTROL, and go \
         on \
         with the message's byte number COUNT (what was sent beyond it is sent again). If COUNT is \
         0, \
         begin anew.\n"
    );
    chain_order(out, of);
    if let Some(Message { digest, .. }) = abc(of) {
        let first = digest.iter().take(4).rev().map(|byte| format!("{byte:02x}"));
        let _ = writeln!(
            out,
            "The message `abc`: write 0x00636261 to END3; the first word of its digest is 0x{}.\n",
            first.collect::<String>()
        );
    }
    if !of.built.core.modes.is_empty() {
        let _ = writeln!(
            out,
            "Bits 8 and up of CONTROL are the mode of messages that begin after it is written, 0 \
             at \
             first; bit 0 or 1 may be written with them. A message that is taken up again has that \
             of \
             the write that takes it up. Bits 8 and up of STATUS are the mode of the digest. Words \
             of DIGEST beyond the mode's are 0.\n\n{}",
            modes::table(&of.built.core.modes)
        );
    }
    if of.built.core.clears {
        let _ = writeln!(
            out,
            "DIGEST is 0 once STATUS has been written: read it before. Bit 0 of CONTROL also makes \
             zeros of what was kept of the message.\n"
        );
    }
    ports(out, &of.wrapper.netlist);
}

/// Which register of CHAIN is which word, with an example.
fn chain_order(out: &mut String, of: Wrapped<'_>) {
    let Wrapped { framing, messages, .. } = of;
    let last = framing.initial.len() - 1;
    let words = match (framing.word_bits, framing.order) {
        (32, _) => format!("CHAIN + 4*i* is word *i*, from 0 to {last}"),
        (_, ByteOrder::Big) => format!(
            "CHAIN + 8*i* is the high half of word *i*, from 0 to {last}, and CHAIN + 8*i* + 4 its \
             low \
             half"
        ),
        (_, ByteOrder::Little) => format!(
            "CHAIN + 8*i* is the low half of word *i*, from 0 to {last}, and CHAIN + 8*i* + 4 its \
             high \
             half"
        ),
    };
    let bytes = match framing.order {
        _ if !has_order_of_digest(framing) => {
            "The bytes of the digest are spread over the words, so that DIGEST has another order"
        }
        ByteOrder::Big => {
            "DIGEST has the same order, but bytes: its registers are byte-swapped words"
        }
        ByteOrder::Little => "DIGEST has the same order",
    };
    let _ = writeln!(out, "{words}, each as a number: bit 0 is the word's lowest. {bytes}.");
    let block = framing.block_bytes;
    if let Some(message) = messages.iter().find(|message| message.bytes.len() == block + 1) {
        let registers = chain_registers(framing, &message.chain[0]);
        let first: Vec<String> =
            registers[..2].iter().map(|register| format!("0x{register:08x}")).collect();
        let _ = writeln!(
            out,
            "After the first block of the first message of {} bytes in `tb/messages.txt` CHAIN \
             begins \
             with {}.",
            block + 1,
            first.join(", ")
        );
    }
    out.push('\n');
}

fn ports(out: &mut String, net: &Netlist) {
    out.push_str("| port | | bits |\n|---|---|--:|\n| `clk`, `rst` | in | 1 |\n");
    for (name, way, bits) in ports_of(net) {
        let _ = writeln!(out, "| `{name}` | {way} | {bits} |");
    }
    out.push('\n');
}
