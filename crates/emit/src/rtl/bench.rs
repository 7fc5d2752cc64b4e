//! A test bench that checks itself: blocks in, chaining values out, in order and with their tags.

use super::Core;
use super::netlist::Driver;
use std::fmt::Write;

/// One block: what goes into each port of [`Core::ports`], and the chaining value that comes out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Vector {
    /// Words for each port, in the port's order.
    pub inputs: Vec<Vec<u64>>,
    /// Words of the chaining value.
    pub output: Vec<u64>,
}

/// How the bench treats the handshakes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flow {
    /// A block is offered, and a result taken, in every clock.
    Full,
    /// Both sides pause at random.
    Stalls,
}

impl Flow {
    /// In Verilog: when a bench offers what it has, and when it takes what it gets. Without a seed of
    /// its own, which hangs Verilator.
    pub(super) fn conditions(self) -> (&'static str, &'static str) {
        match self {
            Self::Full => ("1'b1", "1'b1"),
            Self::Stalls => ("$urandom % 3 != 0", "$urandom % 4 != 0"),
        }
    }
}

/// The bench's text, and its memory file, which it reads as `file`.
///
/// It prints `ok N blocks in C clocks`, or what was wrong, and fails by `$fatal`.
pub fn bench(core: &Core, vectors: &[Vector], flow: Flow, file: &str) -> (String, String) {
    let layout = Layout::of(core);
    let Layout { module, ports, tag_bits, chain_bits, bits, .. } = &layout;
    let count = vectors.len();
    let (mut declarations, mut connections) = (String::new(), String::new());
    let mut low = *bits;
    let (offers, takes) = flow.conditions();
    let mut feed = String::new();
    for (name, width) in ports {
        low -= width;
        if *name == Core::WORD {
            let word = width / layout.words as u32;
            let top = low + width - 1;
            let _ = write!(
                declarations,
                "  integer words = 0;\n  reg word_valid = 1'b0;\n  wire word_ready;\n  \
                 wire [{}:0] word = vectors[words / {count}][{top} - {word} * (words % {count}) -: {word}];\n",
                word - 1,
                count = layout.words,
            );
            connections
                .push_str("\n    .word_valid(word_valid), .word_ready(word_ready), .word(word),");
            let all = layout.words * count;
            feed = format!(
                "    if (word_was_sent) words = words + 1;\n    \
                 if (!word_valid || word_was_sent) word_valid = words < {all} && {offers};\n"
            );
            continue;
        }
        let _ = writeln!(
            declarations,
            "  wire [{}:0] {name} = vectors[sent][{}:{low}];",
            width - 1,
            low + width - 1
        );
        let _ = write!(connections, "\n    .{name}({name}),");
    }
    let (noted, note) = match feed.is_empty() {
        true => ("", ""),
        false => (", word_was_sent", "    word_was_sent = word_valid && word_ready;\n"),
    };
    let limit = layout.limit(core, count);
    let (tag_top, chain_top, bits_top) = (tag_bits - 1, chain_bits - 1, bits - 1);
    let text = format!(
        r#"`timescale 1ns / 1ps
`default_nettype none

module {module}_tb;
  reg clk = 1'b0;
  reg rst = 1'b1;
  always #5 clk = ~clk;

  reg [{bits_top}:0] vectors [0:{last}];
  integer sent = 0, received = 0, clocks = 0;
  reg in_valid = 1'b0, out_ready = 1'b0;
  wire in_ready, out_valid;
  wire [{tag_top}:0] in_tag = sent;
  wire [{tag_top}:0] out_tag;
  wire [{tag_top}:0] due = received;
  wire [{chain_top}:0] out_chain;
{declarations}
  {module} dut (
    .clk(clk), .rst(rst),
    .in_valid(in_valid), .in_ready(in_ready), .in_tag(in_tag),{connections}
    .out_valid(out_valid), .out_ready(out_ready), .out_tag(out_tag), .out_chain(out_chain)
  );

  initial begin
    $readmemh("{file}", vectors);
    repeat (3) @(posedge clk);
    #1 rst = 1'b0;
  end

  // Inputs change after the edge; what was agreed at the edge is noted before.
  reg was_sent, was_received{noted};
  always @(posedge clk) if (!rst) begin
    clocks = clocks + 1;
    was_sent = in_valid && in_ready;
    was_received = out_valid && out_ready;
{note}    if (was_received) begin
      if (out_tag !== due || out_chain !== vectors[received][{chain_top}:0]) begin
        $display("block %0d: tag %0d, %h, not %h", received, out_tag, out_chain,
                 vectors[received][{chain_top}:0]);
        $fatal;
      end
      received = received + 1;
    end
    if (received == {count}) begin
      $display("ok %0d blocks in %0d clocks", received, clocks);
      $finish;
    end
    if (clocks > {limit}) begin
      $display("stuck: %0d blocks sent, %0d received", sent, received);
      $fatal;
    end
    #1;
    if (was_sent) sent = sent + 1;
    // What is offered stays offered until it is taken.
    if (!in_valid || was_sent) in_valid = sent < {count} && {offers};
{feed}    out_ready = {takes};
  end
endmodule

`default_nettype wire
"#,
        last = count.saturating_sub(1),
    );
    (text, layout.memory(vectors))
}

/// What a bench in any language has to know of a core.
pub(super) struct Layout<'c> {
    pub(super) module: &'c str,
    /// The input ports of [`Core::ports`], and their bits, those of [`Core::WORD`] for a block.
    pub(super) ports: Vec<(&'static str, u32)>,
    /// Words of a block that go in one by one; 1 if the block goes in at once.
    pub(super) words: usize,
    pub(super) tag_bits: u32,
    pub(super) chain_bits: u32,
    /// Of a line of the memory file: the ports in their order, then the chaining value.
    pub(super) bits: u32,
}

impl<'c> Layout<'c> {
    pub(super) fn of(core: &'c Core) -> Self {
        let net = &core.netlist;
        let width = |name: &str| {
            let input = net.signals().find(|(_, s)| s.driver == Driver::Input && s.name == name);
            let output = net.outputs().iter().find(|(output, _)| output == name);
            match (input, output) {
                (Some((_, signal)), _) => signal.width,
                (None, Some((_, signal))) => net.signal(*signal).width,
                (None, None) => unreachable!("the core has the port {name}"),
            }
        };
        let ports = core.ports.iter().map(|(name, nodes)| match *name {
            Core::WORD => (*name, width(name) * nodes.len() as u32),
            _ => (*name, width(name)),
        });
        let (ports, words): (Vec<_>, _) = (ports.collect(), core.words().unwrap_or(1));
        let (tag_bits, chain_bits) = (width("in_tag"), width("out_chain"));
        let bits = ports.iter().map(|(_, width)| width).sum::<u32>() + chain_bits;
        Self { module: &net.name, ports, words, tag_bits, chain_bits, bits }
    }

    /// The memory file: a line per vector.
    pub(super) fn memory(&self, vectors: &[Vector]) -> String {
        let mut memory = String::new();
        for vector in vectors {
            for (words, (_, width)) in vector.inputs.iter().zip(&self.ports) {
                hex(&mut memory, words, *width);
            }
            hex(&mut memory, &vector.output, self.chain_bits);
            memory.push('\n');
        }
        memory
    }

    /// Clocks after which a core that has not answered never will.
    pub(super) fn limit(&self, core: &Core, blocks: usize) -> usize {
        20 * (core.latency + blocks * core.cycles_per_block) + 1000
    }
}

/// Words of equal width as digits, first word first.
fn hex(out: &mut String, words: &[u64], bits: u32) {
    let digits = (bits / 4) as usize / words.len();
    for word in words {
        let _ = write!(out, "{word:0digits$x}");
    }
}
