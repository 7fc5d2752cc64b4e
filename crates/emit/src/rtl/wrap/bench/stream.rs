//! A test bench for streams: messages of several contexts, beats of all in any order.

use super::{Message, looks};
use crate::rtl::bench::verilog_bench;
use crate::rtl::wrap::{Interface, Wrapper};
use crate::rtl::{Core, Flow, modes};
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
/// Message n belongs to context n mod contexts. At full speed contexts take turns, each with a block;
/// else their beats are mixed at random. The bench
/// prints `ok N messages in C clocks`, or what was wrong, and fails by `$fatal`.
pub fn stream_bench(
    wrapper: &Wrapper,
    core: &Core,
    messages: &[Message],
    flow: Flow,
    files: Files<'_>,
) -> (String, String, String) {
    let Interface::Stream(bytes) = wrapper.interface else {
        panic!("a wrapper with streams");
    };
    let contexts = wrapper.contexts;
    let block = wrapper.block_bytes.div_ceil(bytes);
    let beats = mixed(messages, contexts, bytes, flow, block);
    let (keep_digits, data_digits) = (bytes.div_ceil(4), 2 * bytes);
    let mut memory = String::new();
    // The mode counts in a message's first beat; in the others it is another one.
    let mode_bits = if core.modes.is_empty() { 1 } else { modes::bits(core.modes.len()) };
    for Beat { id, last, data, mode, first } in &beats {
        let mode = if *first { *mode } else { !mode & ((1 << mode_bits) - 1) };
        let _ = write!(memory, "{mode:x}");
        let keep = (1_u128 << data.len()) - 1;
        let _ = write!(memory, "{id:02x}{}{keep:0keep_digits$x}", u8::from(*last));
        let zeros = "00".repeat(bytes - data.len());
        let data: String = data.iter().rev().map(|byte| format!("{byte:02x}")).collect();
        let _ = writeln!(memory, "{zeros}{data}");
    }
    let digest_bytes = messages.iter().map(|message| message.digest.len()).max().unwrap_or(1);
    let (mut digests, mut first) = (String::new(), String::new());
    let mut before = 0;
    for id in 0..contexts {
        let _ = writeln!(first, "    first[{id}] = {before};");
        for message in messages.iter().skip(id).step_by(contexts) {
            let digest: String = message.digest.iter().rev().map(|b| format!("{b:02x}")).collect();
            let zeros = "00".repeat(digest_bytes - message.digest.len());
            let _ = writeln!(digests, "{:x}{zeros}{digest}", message.mode);
            before += 1;
        }
    }

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
            let number = if mode + 1 == lengths.len() { "default".to_owned() } else { format!("4'd{mode}") };
            format!(
                "      {number}: begin\n        last_part = {};\n        last_keep = {keep};\n      end\n",
                length.div_ceil(bytes) - 1
            )
        })
        .collect();
    let mode_top = mode_bits - 1;
    let (mode_wires, mode_ports, mode_due) = match core.modes.is_empty() {
        true => (String::new(), String::new(), String::new()),
        false => (
            format!("  wire [{mode_top}:0] m_user;\n"),
            format!("\n    .s_axis_tuser(s_user[{mode_top}:0]), .m_axis_tuser(m_user),"),
            format!(" || m_user !== due_mode[{mode_top}:0]"),
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
                looks(wrapper, core)
            ),
            "\n    .clear(clear),",
            " && rests == 4",
            " - rests",
            format!(
                "\n    if (received == {}) rests = rests + 1;\n    if (rests == 4) look;{}",
                messages.len(),
                match flow {
                    Flow::Full => String::new(),
                    Flow::Stalls => forget(contexts),
                }
            ),
        ),
    };
    let (offers, takes) = flow.conditions();
    let (beat_count, message_count) = (beats.len(), messages.len());
    let limit = 40 * wrapper.latency * beat_count + 1000;
    let body = format!(
        r#"  reg [{beat_top}:0] beats [0:{last_beat}];
  reg [{digest_top}:0] digests [0:{last_message}];
  integer first [0:{last_context}];
  integer seen [0:{last_context}];
  integer sent = 0, received = 0, part = 0, clocks = 0, i;

  reg s_valid = 1'b0, m_ready = 1'b0;
  wire s_ready, m_valid, m_last;
  wire [{id_top}:0] s_id, m_id;
  wire s_last;
  wire [{keep_top}:0] s_keep, m_keep;
  wire [{data_top}:0] s_data, m_data;
  wire [{unused_id_top}:0] no_id;
  wire [2:0] no_last;
  wire [3:0] s_user;
  assign {{s_user, no_id, s_id, no_last, s_last, s_keep, s_data}} = beats[sent];
{mode_wires}{clearing}
  {module} dut (
    .clk(clk), .rst(rst),{clear_port}{mode_ports}
    .s_axis_tvalid(s_valid), .s_axis_tready(s_ready), .s_axis_tdata(s_data),
    .s_axis_tkeep(s_keep), .s_axis_tlast(s_last), .s_axis_tid(s_id),
    .m_axis_tvalid(m_valid), .m_axis_tready(m_ready), .m_axis_tdata(m_data),
    .m_axis_tkeep(m_keep), .m_axis_tlast(m_last), .m_axis_tid(m_id)
  );

  initial begin
    $readmemh("{beats_file}", beats);
    $readmemh("{digests_file}", digests);
{first}    for (i = 0; i < {contexts}; i = i + 1) seen[i] = 0;
    repeat (3) @(posedge clk);
    #1 rst = 1'b0;
  end

  // The part of a digest that is due, and the bytes of it.
  wire [{digest_top}:0] due = digests[first[m_id] + seen[m_id]];
  wire [3:0] due_mode = due[{digest_top}:{mode_low}];
  wire [{data_top}:0] due_data = due[{digest_bits_top}:0] >> ({data_bits} * part);
  integer last_part;
  reg [{keep_top}:0] last_keep;
  always @*
    case (due_mode)
{lasts}    endcase
  wire [{keep_top}:0] due_keep = part == last_part ? last_keep : {{{bytes}{{1'b1}}}};

  // Inputs change after the edge; what was agreed at the edge is noted before.
  reg was_sent, waits = 1'b0;
  reg [{output_top}:0] waiting;
  always @(posedge clk) if (!rst) begin
    clocks = clocks + 1;
    was_sent = s_valid && s_ready;
    if (waits && (!m_valid || {{m_id, m_last, m_keep, m_data}} !== waiting)) begin
      $display("an output changed before it was taken");
      $fatal;
    end
    waits = m_valid && !m_ready;
    waiting = {{m_id, m_last, m_keep, m_data}};
    if (m_valid && m_ready) begin
      if (m_data !== due_data || m_keep !== due_keep || m_last !== (part == last_part){mode_due}) begin
        $display("digest %0d of id %0d, part %0d: %h, not %h", seen[m_id], m_id, part,
                 m_data, due_data);
        $fatal;
      end
      part = m_last ? 0 : part + 1;
      if (m_last) begin
        seen[m_id] = seen[m_id] + 1;
        received = received + 1;
      end
    end
    if (received == {message_count}{at_end}) begin
      $display("ok %0d messages in %0d clocks", received, clocks{less});
      $finish;
    end
    if (clocks > {limit}) begin
      $display("stuck: %0d beats sent, %0d digests received", sent, received);
      $fatal;
    end
    #1;
    if (was_sent) sent = sent + 1;{rests}
    // What is offered stays offered until it is taken.
    if (!s_valid || was_sent) s_valid = sent < {beat_count}{not_held} && {offers};
    m_ready = {takes};
  end
"#,
        beats_file = files.beats,
        digests_file = files.digests,
        beat_top = 4 * (4 + keep_digits + data_digits) - 1,
        last_beat = beat_count - 1,
        digest_top = 8 * digest_bytes + 3,
        mode_low = 8 * digest_bytes,
        digest_bits_top = 8 * digest_bytes - 1,
        last_message = message_count - 1,
        last_context = contexts - 1,
        id_top = contexts.trailing_zeros() - 1,
        unused_id_top = 7 - contexts.trailing_zeros(),
        keep_top = bytes - 1,
        data_top = 8 * bytes - 1,
        data_bits = 8 * bytes,
        output_top = 9 * bytes + contexts.trailing_zeros() as usize,
    );
    (verilog_bench(module, &body), memory, digests)
}

/// Clears once, under way, and looks into everything; then all is sent again.
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

struct Beat<'m> {
    id: usize,
    mode: usize,
    first: bool,
    last: bool,
    data: &'m [u8],
}

/// The beats of all messages: each context's in order; contexts take turns of `block` beats
/// or are mixed.
fn mixed(
    messages: &[Message],
    contexts: usize,
    bytes: usize,
    flow: Flow,
    block: usize,
) -> Vec<Beat<'_>> {
    let mut queues: Vec<_> = (0..contexts)
        .map(|id| {
            let messages = messages.iter().enumerate().skip(id).step_by(contexts);
            messages.flat_map(move |(n, message)| beats(n, id, message, bytes)).peekable()
        })
        .collect();
    let mut mixed = Vec::new();
    let (mut draw, mut turn) = (1_u32, 0);
    while queues.iter_mut().any(|queue| queue.peek().is_some()) {
        draw = draw.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let id = match flow {
            Flow::Full => turn / block % contexts,
            Flow::Stalls => (draw >> 16) as usize % contexts,
        };
        turn += 1;
        mixed.extend(queues[id].next());
    }
    mixed
}

/// A message's beats. Where its last one is full, every other message ends with an empty one.
fn beats(n: usize, id: usize, of: &Message, bytes: usize) -> Vec<Beat<'_>> {
    let (message, mode) = (&of.bytes[..], of.mode);
    let chunks = message.chunks(bytes);
    let ends_empty = message.is_empty() || (message.len().is_multiple_of(bytes) && n % 2 == 1);
    let count = chunks.len();
    let full = chunks.enumerate().map(|(i, data)| {
        let last = i + 1 == count && !ends_empty;
        Beat { id, mode, first: i == 0, last, data }
    });
    let first = message.is_empty();
    let empty = ends_empty.then_some(Beat { id, mode, first, last: true, data: &[] });
    full.chain(empty).collect()
}
