//! A test bench for streams: messages of several contexts, beats of all in any order.

use super::{Message, clearing_checks};
use crate::rtl::bench::verilog_bench;
use crate::rtl::templates::render;
use crate::rtl::wrap::{Interface, Wrapper};
use crate::rtl::{Core, Flow, modes};
use minijinja::context;
use std::fmt::Write;

/// Where the bench reads beats and digests.
#[derive(Clone, Copy, Debug)]
pub struct Files<'f> {
    /// Beats: id, last, keep, data.
    pub beats: &'f str,
    /// Digests, those of each context in their order.
    pub digests: &'f str,
}

/// The bench's text, and the contents of its files.
///
/// Message n belongs to context n mod contexts. At full speed contexts take turns, each with a
/// block; else their beats are mixed at random, with beats without bytes and wrong ones among them.
/// The bench prints `ok N messages in C clocks`, or what was wrong, and fails by `$fatal`.
pub fn stream_bench(
    wrapper: &Wrapper,
    core: &Core,
    messages: &[Message],
    flow: Flow,
    files: Files<'_>,
) -> (String, String, String) {
    let order = match flow {
        Flow::Full => Order::Turns,
        Flow::Stalls => Order::Mixed,
    };
    ordered_bench(wrapper, core, messages, order, flow, files)
}

/// The order of all contexts' beats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::rtl::wrap) enum Order {
    /// A block of each context in turn.
    Turns,
    /// Any context's next beat, beats without bytes between them, and messages of which a beat has
    /// its bytes in the wrong place: their digests are marked.
    Mixed,
}

/// As [`stream_bench`], with beats in the order `order`.
pub(in crate::rtl::wrap) fn ordered_bench(
    wrapper: &Wrapper,
    core: &Core,
    messages: &[Message],
    order: Order,
    flow: Flow,
    files: Files<'_>,
) -> (String, String, String) {
    let Interface::Stream(bytes) = wrapper.interface else {
        panic!("a wrapper with streams");
    };
    let contexts = wrapper.contexts;
    let block = wrapper.block_bytes.div_ceil(bytes);
    let queues = queues(messages, contexts, order);
    let beats = mixed(&queues, bytes, order, block);
    let (keep_digits, data_digits) = (bytes.div_ceil(4), 2 * bytes);
    let mut memory = String::new();
    // The mode counts in a message's first beat; the other beats carry another one.
    let mode_bits = if core.modes.is_empty() { 1 } else { modes::bits(core.modes.len()) };
    for Beat { id, last, keep, data, mode, first } in &beats {
        let mode = if *first { *mode } else { !mode & ((1 << mode_bits) - 1) };
        let _ = write!(memory, "{mode:x}");
        let _ = write!(memory, "{id:02x}{}{keep:0keep_digits$x}", u8::from(*last));
        let zeros = "00".repeat(bytes - data.len());
        let data: String = data.iter().rev().map(|byte| format!("{byte:02x}")).collect();
        let _ = writeln!(memory, "{zeros}{data}");
    }
    let digest_bytes = messages.iter().map(|message| message.digest.len()).max().unwrap_or(1);
    let (mut digests, mut first) = (String::new(), String::new());
    let mut before = 0;
    for (id, queue) in queues.iter().enumerate() {
        let _ = writeln!(first, "    first[{id}] = {before};");
        for Sent { message, fault, .. } in queue {
            let (mode, is_wrong) = (message.mode, u8::from(fault.is_some()));
            let digest: String = match fault {
                None => message.digest.iter().rev().map(|byte| format!("{byte:02x}")).collect(),
                Some(_) => "00".repeat(message.digest.len()),
            };
            let zeros = "00".repeat(digest_bytes - message.digest.len());
            let _ = writeln!(digests, "{is_wrong}{mode:x}{zeros}{digest}");
            before += 1;
        }
    }
    let message_count = before;
    let marked = match message_count - messages.len() {
        0 => String::new(),
        wrong => format!(", and {wrong} with wrong beats are marked"),
    };

    let module = &wrapper.netlist.name;
    let lengths: Vec<usize> = match core.modes.is_empty() {
        true => vec![digest_bytes],
        false => core.modes.iter().map(|mode| mode.digest_bytes).collect(),
    };
    let lasts: String = lengths
        .iter()
        .enumerate()
        .map(|(mode, length)| {
            let keep = match length % bytes {
                0 => format!("{{{bytes}{{1'b1}}}}"),
                odd => format!("{bytes}'d{}", (1_u64 << odd) - 1),
            };
            let number =
                if mode + 1 == lengths.len() { "default".to_owned() } else { format!("4'd{mode}") };
            format!(
                "      {number}: begin\n        last_part = {};\n        last_keep = \
                 {keep};\n      end\n",
                length.div_ceil(bytes) - 1
            )
        })
        .collect();
    let mode_top = mode_bits - 1;
    let (user_top, mode_port, due_user) = match core.modes.is_empty() {
        true => (0, String::new(), "due_wrong".to_owned()),
        false => (
            mode_bits,
            format!("\n    .s_axis_tuser(s_user[{mode_top}:0]),"),
            format!("{{due_wrong, due_mode[{mode_top}:0]}}"),
        ),
    };
    // When the last digest has been taken, nothing is left.
    let not_held = if core.clears { " && hold == 0" } else { "" };
    let (clearing, clear_port, at_end, less, rests) = match core.clears {
        false => (String::new(), "", "", "", String::new()),
        true => (
            format!(
                "  reg clear = 1'b0, was_cleared = 1'b0;\n  integer rests = 0, hold = 0;\n  \
                 task look;\n    begin\n{}    end\n  endtask\n",
                clearing_checks(wrapper, core)
            ),
            "\n    .clear(clear),",
            " && rests == 4",
            " - rests",
            format!(
                "\n    if (received == {}) rests = rests + 1;\n    if (rests == 4) look;{}",
                message_count,
                match flow {
                    Flow::Full => String::new(),
                    Flow::Stalls => forget(contexts),
                }
            ),
        ),
    };
    let (offers, takes) = flow.conditions();
    let (beat_count, good_count) = (beats.len(), messages.len());
    let limit = 40 * wrapper.latency * beat_count + 1000;
    let values = context! {
        beat_top => 4 * (4 + keep_digits + data_digits) - 1, last_beat => beat_count - 1,
        digest_top => 8 * digest_bytes + 7, last_message => message_count - 1,
        last_context => contexts - 1, id_top => contexts.trailing_zeros() - 1,
        keep_top => bytes - 1, data_top => 8 * bytes - 1,
        unused_id_top => 7 - contexts.trailing_zeros(), user_top, clearing, module, clear_port,
        mode_port, beats_file => files.beats, digests_file => files.digests, first, contexts,
        wrong_bit => 8 * digest_bytes + 4, mode_high => 8 * digest_bytes + 3,
        mode_low => 8 * digest_bytes, digest_bits_top => 8 * digest_bytes - 1,
        data_bits => 8 * bytes, lasts, bytes,
        output_top => 9 * bytes + contexts.trailing_zeros() as usize + 1 + user_top as usize,
        due_user, message_count, at_end, good_count, marked, less, limit, rests, beat_count,
        not_held, offers, takes,
    };
    let body = render("stream", &values);
    (verilog_bench(module, &body), memory, digests)
}

/// Clears once while messages are under way, and looks into every register; then all is sent
/// again.
fn forget(contexts: usize) -> String {
    format!(
        "\n    if (clear) begin\n      sent = 0;\n      received = 0;\n      part = 0;\n      \
         for (i = 0; i < {contexts}; i = i + 1) seen[i] = 0;\n      s_valid = 1'b0;\n      \
         waits = 1'b0;\n      hold = {};\n    end\n    \
         if (hold == 1) look;\n    if (hold > 0) hold = hold - 1;\n    \
         clear = received == 1 && !was_cleared;\n    was_cleared = was_cleared || clear;",
        contexts + 3
    )
}

/// A message on its way, in the order of its context.
struct Sent<'m> {
    id: usize,
    message: &'m Message,
    /// Whether its last beat has no bytes even where the one before is full.
    ends_empty: bool,
    /// Whether beats without bytes are between its own.
    has_gaps: bool,
    /// Which of its beats is wrong, and how.
    fault: Option<(usize, Fault)>,
}

/// The faults of a beat.
#[derive(Clone, Copy)]
enum Fault {
    /// Fewer bytes than it has room for, and more follow.
    Short,
    /// Bytes that do not begin at the first one.
    Unaligned,
    /// A byte left out between others.
    Hole,
}

struct Beat<'m> {
    id: usize,
    mode: usize,
    first: bool,
    last: bool,
    /// The bits of `tkeep`.
    keep: u128,
    data: &'m [u8],
}

/// The messages of each context.
fn queues(messages: &[Message], contexts: usize, order: Order) -> Vec<Vec<Sent<'_>>> {
    let mut queues: Vec<Vec<Sent<'_>>> = (0..contexts).map(|_| Vec::new()).collect();
    for (n, message) in messages.iter().enumerate() {
        let id = n % contexts;
        let sent = |has_gaps, fault| Sent { id, message, ends_empty: n % 2 == 1, has_gaps, fault };
        let is_odd = order == Order::Mixed && n % 3 == 1 && !message.bytes.is_empty();
        if is_odd {
            let fault = [Fault::Short, Fault::Unaligned, Fault::Hole][n / 3 % 3];
            queues[id].push(sent(n % 2 == 0, Some((n, fault))));
        }
        queues[id].push(sent(order == Order::Mixed && n % 4 < 2, None));
    }
    queues
}

/// The beats of all messages: each context's in order; contexts take turns of `block` beats
/// or are mixed.
fn mixed<'m>(queues: &[Vec<Sent<'m>>], bytes: usize, order: Order, block: usize) -> Vec<Beat<'m>> {
    let mut queues: Vec<_> = queues
        .iter()
        .map(|queue| queue.iter().flat_map(|sent| beats(sent, bytes)).peekable())
        .collect();
    let contexts = queues.len();
    let mut mixed = Vec::new();
    let (mut draw, mut turn) = (1_u32, 0);
    while queues.iter_mut().any(|queue| queue.peek().is_some()) {
        draw = draw.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let id = match order {
            Order::Turns => turn / block % contexts,
            Order::Mixed => (draw >> 16) as usize % contexts,
        };
        turn += 1;
        mixed.extend(queues[id].next());
    }
    mixed
}

/// A message's beats.
fn beats<'m>(sent: &Sent<'m>, bytes: usize) -> Vec<Beat<'m>> {
    let Sent { id, message, ends_empty, has_gaps, fault } = *sent;
    let (mode, all) = (message.mode, &message.bytes[..]);
    let ends_empty = all.is_empty() || (all.len().is_multiple_of(bytes) && ends_empty);
    let of = |data: &'m [u8]| Beat {
        id,
        mode,
        first: false,
        last: false,
        keep: (1 << data.len()) - 1,
        data,
    };
    let mut beats: Vec<Beat<'m>> = all.chunks(bytes).map(of).collect();
    if let Some((n, fault)) = fault {
        let count = beats.len();
        let beat = &mut beats[n % count];
        let full = (1_u128 << bytes) - 1;
        beat.keep = match fault {
            Fault::Short => full >> (bytes / 2),
            Fault::Unaligned => full << 1 & full,
            Fault::Hole => full & !2,
        };
        // A short beat is wrong where others follow.
        if n % count == count - 1 && matches!(fault, Fault::Short) {
            beats.push(of(&[]));
        }
    }
    if ends_empty {
        beats.push(of(&[]));
    }
    beats.first_mut().expect("an empty message has a beat").first = true;
    beats.last_mut().expect("an empty message has a beat").last = true;
    match has_gaps {
        false => beats,
        true => beats.into_iter().flat_map(|beat| [of(&[]), beat]).collect(),
    }
}
