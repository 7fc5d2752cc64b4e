//! A test bench that checks itself: blocks in, chaining values out, in order and with their tags.

use super::netlist::Driver;
use super::templates::render;
use super::{Built, Core};
use manylane_graph::Role;
use manylane_graph::calls::Call;
use minijinja::context;
use std::fmt::Write;

/// One block: what goes into each port of [`Core::ports`], and the chaining value that comes out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Vector {
    /// Words for each port, in the port's order.
    pub inputs: Vec<Vec<u64>>,
    /// Words of the chaining value.
    pub output: Vec<u64>,
    /// The mode, for a core with modes.
    pub mode: usize,
    /// For a core with modes, whether the block is a message's first, so that its chaining value is
    /// the mode's, whatever is given.
    pub first: bool,
}

/// A call of the compression for a bench.
#[derive(Clone, Debug)]
pub struct TestBlock {
    /// The mode, 0 of a core without modes.
    pub mode: usize,
    /// Whether the block is a message's first.
    pub first: bool,
    /// What goes in and what comes out.
    pub call: Call,
}

/// The blocks as they go through the ports of a core. A core with modes is given zeros for the
/// chaining value of a message's first block, where it must not matter.
pub fn vectors(built: Built<'_>, blocks: &[TestBlock]) -> Vec<Vector> {
    let Built { program, core } = built;
    let inputs = program.function.inputs();
    let vector = |TestBlock { mode, first, call }: &TestBlock| {
        let given = call.inputs();
        let value = |node: &_| {
            let place = inputs.iter().position(|input| input.node == *node);
            let place = place.expect("ports carry the compression's inputs");
            let is_ignored = *first && !core.modes.is_empty();
            match inputs[place].role {
                Role::Chaining if is_ignored => 0,
                _ => given[place],
            }
        };
        let port = |(_, nodes): &(_, Vec<_>)| nodes.iter().map(value).collect();
        let inputs = core.ports.iter().map(port).collect();
        Vector { inputs, output: call.out.clone(), mode: *mode, first: *first }
    };
    blocks.iter().map(vector).collect()
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
    /// The Verilog conditions under which a bench offers a block and takes a result. They use no
    /// seed of their own, which would hang Verilator.
    pub(super) fn conditions(self) -> (&'static str, &'static str) {
        match self {
            Self::Full => ("1'b1", "1'b1"),
            Self::Stalls => ("$urandom % 3 != 0", "$urandom % 4 != 0"),
        }
    }
}

/// A bench in Verilog around its body: the clock, of 10 ns, and the reset.
pub(super) fn verilog_bench(module: &str, body: &str) -> String {
    format!(
        "`timescale 1ns / 1ps\n`default_nettype none\n\nmodule {module}_tb;\n  reg clk = 1'b0;\n  \
         reg rst = 1'b1;\n  always #5 clk = ~clk;\n\n{body}endmodule\n\n`default_nettype wire\n"
    )
}

/// The bench's text, and its memory file, which it reads as `file`.
///
/// It prints `ok N blocks in C clocks`, or what was wrong, and fails by `$fatal`. For a core that
/// clears, the bench looks into every register at the end. With stalls it also clears once while
/// blocks are under way, and sends these blocks again.
pub fn bench(core: &Core, vectors: &[Vector], flow: Flow, file: &str) -> (String, String) {
    let layout = Layout::of(core);
    let Layout { module, inputs, outputs, words, tag_bits, bits } = &layout;
    let count = vectors.len();
    let (mut declarations, mut connections) = (String::new(), String::new());
    let (offers, takes) = flow.conditions();
    let mut feed = String::new();
    for Field { name, width, low } in inputs {
        let (top, high) = (width - 1, low + width - 1);
        if *name == Core::WORD {
            let word = width / *words as u32;
            let _ = write!(
                declarations,
                "  integer words = 0;\n  reg word_valid = 1'b0;\n  wire word_ready;\n  \
                 wire [{}:0] word = vectors[words / {words}][{high} - {word} * (words % {words}) \
                 -: {word}];\n",
                word - 1,
            );
            connections
                .push_str("\n    .word_valid(word_valid), .word_ready(word_ready), .word(word),");
            let all = words * count;
            feed = format!(
                "    if (word_was_sent) words = words + 1;\n    \
                 if (!word_valid || word_was_sent) word_valid = words < {all} && {offers};\n"
            );
            continue;
        }
        let _ = writeln!(declarations, "  wire [{top}:0] {name} = vectors[sent][{high}:{low}];");
        let _ = write!(connections, "\n    .{name}({name}),");
    }
    let (noted, note) = match feed.is_empty() {
        true => ("", ""),
        false => (", word_was_sent", "    word_was_sent = word_valid && word_ready;\n"),
    };
    let (mut results, mut dues) = (Vec::new(), Vec::new());
    for Field { name, width, low } in outputs {
        let _ = writeln!(declarations, "  wire [{}:0] {name};", width - 1);
        let _ = write!(connections, "\n    .{name}({name}),");
        results.push(*name);
        dues.push(format!("vectors[received][{}:{low}]", low + width - 1));
    }
    let (results, dues) = (results.join(", "), dues.join(", "));
    let clearing = if core.clears { clearing(core, flow, count) } else { Clearing::default() };
    let Clearing { port, declared, at_end, less, cleared } = &clearing;
    let limit = layout.limit(core, count);
    let (tag_top, bits_top) = (tag_bits - 1, bits - 1);
    let values = context! {
        bits_top, last => count.saturating_sub(1), tag_top, declarations, declared,
        module => *module, port => *port, connections, file, noted, note, results, dues, count,
        at_end => *at_end, less => *less, limit, cleared, offers, feed, takes,
    };
    let body = render("bench", &values);
    (verilog_bench(module, &body), layout.memory(core, vectors))
}

/// The additional checks of a bench for a core that clears.
#[derive(Default)]
struct Clearing {
    port: &'static str,
    declared: String,
    /// A condition: all registers were found to be zero.
    at_end: &'static str,
    /// Clocks that looking at the registers takes.
    less: &'static str,
    /// Statements after an edge of the clock.
    cleared: String,
}

fn clearing(core: &Core, flow: Flow, count: usize) -> Clearing {
    let mut declared =
        "  reg clear = 1'b0, clears, was_cleared = 1'b0;\n  integer rests = 0;\n\n  \
                        // Whether nothing has stayed.\n  task look;\n    begin\n"
            .to_owned();
    let registers = core.netlist.signals().map(|(_, signal)| signal);
    for signal in registers.filter(|signal| matches!(signal.driver, Driver::Register { .. })) {
        let (name, width) = (&signal.name, signal.width);
        let _ = writeln!(
            declared,
            "      if (dut.{name} !== {width}'d0) begin\n        \
             $display(\"{name} is not cleared: %h\", dut.{name});\n        $fatal;\n      end"
        );
    }
    declared.push_str("    end\n  endtask\n");
    let cleared = match flow {
        Flow::Full => "\n    if (received == {count}) rests = rests + 1;\n    \
                       if (rests == 3) look;"
            .replace("{count}", &count.to_string()),
        Flow::Stalls => format!(
            "\n    if (clear) begin\n      look;\n      sent = received;\n    end\n    \
             clear = received == {} && sent > received && !was_cleared;\n    \
             was_cleared = was_cleared || clear;\n    \
             if (received == {count}) rests = rests + 1;\n    \
             if (rests == 3) look;",
            count / 2
        ),
    };
    let (port, at_end, less) = ("\n    .clear(clear),", " && rests == 3", " - rests");
    Clearing { port, declared, at_end, less, cleared }
}

/// The facts about a core that a bench in any language needs.
pub(super) struct Layout<'c> {
    pub(super) module: &'c str,
    pub(super) inputs: Vec<Field>,
    pub(super) outputs: Vec<Field>,
    /// Words of a block that go in one by one; 1 if the block goes in at once.
    pub(super) words: usize,
    pub(super) tag_bits: u32,
    /// Bits of a line of the memory file: inputs, then outputs, each in whole digits.
    pub(super) bits: u32,
}

/// A port's place in a line of the memory file.
pub(super) struct Field {
    pub(super) name: &'static str,
    pub(super) width: u32,
    /// The place of its lowest bit in the line.
    pub(super) low: u32,
}

impl<'c> Layout<'c> {
    /// Places the ports of a core side by side in a line of the memory file.
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
        let of_modes = |names: &[&'static str]| -> Vec<&'static str> {
            if core.modes.is_empty() { Vec::new() } else { names.to_vec() }
        };
        let inputs = core.ports.iter().map(|(name, _)| *name);
        let inputs: Vec<_> = inputs.chain(of_modes(&["in_mode", "in_first"])).collect();
        let outputs = [vec!["out_chain"], of_modes(&["out_digest", "out_mode"])].concat();
        let words = core.words().unwrap_or(1);
        let mut low = 0;
        let mut field = |name: &&'static str| {
            let width = match *name {
                Core::WORD => width(name) * words as u32,
                _ => width(name),
            };
            let field = Field { name, width, low };
            low += field.width.next_multiple_of(4);
            field
        };
        // The last one has the low bits.
        let mut outputs: Vec<Field> = outputs.iter().rev().map(&mut field).collect();
        let mut inputs: Vec<Field> = inputs.iter().rev().map(&mut field).collect();
        outputs.reverse();
        inputs.reverse();
        Self { module: &net.name, inputs, outputs, words, tag_bits: width("in_tag"), bits: low }
    }

    /// The memory file: a line per vector.
    pub(super) fn memory(&self, core: &Core, vectors: &[Vector]) -> String {
        let mut memory = String::new();
        for vector in vectors {
            let Vector { inputs, output, mode, first } = vector;
            let (mode_word, first_word) = (vec![*mode as u64], vec![u64::from(*first)]);
            let mut words = inputs.clone();
            let of_mode = core.modes.get(*mode);
            if of_mode.is_some() {
                words.extend([mode_word.clone(), first_word]);
            }
            words.push(output.clone());
            words.extend(of_mode.into_iter().flat_map(|of| [of.digest(output), mode_word.clone()]));
            for (words, field) in words.iter().zip(self.inputs.iter().chain(&self.outputs)) {
                hex(&mut memory, words, field.width.next_multiple_of(4));
            }
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
