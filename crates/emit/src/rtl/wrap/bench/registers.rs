//! A test bench for registers: a script of writes and reads, as software would make them.

use super::{Message, looks};
use crate::rtl::bench::verilog_bench;
use crate::rtl::wrap::axilite::{DECERR, OKAY, SLVERR, VERSION, chain_registers, sizes};
use crate::rtl::wrap::{Register, Wrapper};
use crate::rtl::{Core, Flow};
use manylane_graph::framing::Framing;
use std::fmt::Write;

/// The bench's text, and its script, which it reads as `file`.
///
/// Every message of more than a block is put aside after its whole blocks, with the chaining value
/// that the definition has there. Another message is hashed, and the first one is taken up again
/// from that value. In the middle of a message comes what is not allowed, which changes nothing.
/// The bench prints `ok N messages in C clocks`, or what was wrong, and fails by `$fatal`.
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
        // Between two words, once.
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
                looks(wrapper, core)
            ),
            "\n    .clear(clear),",
            "    repeat (4) @(posedge clk);\n    #1 look;\n    write(10'h010, 32'h64636261);\n    \
             write(10'h010, 32'h68676665);\n    clear = 1'b1;\n    @(posedge clk);\n    \
             #1 clear = 1'b0;\n    repeat (3) @(posedge clk);\n    #1 look;\n",
        ),
    };
    let limit = (20 + core.latency) * script.lines * 4;
    let body = format!(
        r#"  // What to do, the answer that is due, where, with what: 0 write, 1 read and compare, 2 read until
  // the bits are set, 3 write ones to the bytes that the word's low bits have.
  reg [47:0] script [0:{last}];
  reg [31:0] value;
  integer line = 0, clocks = 0;

  reg awvalid = 1'b0, wvalid = 1'b0, arvalid = 1'b0, bready = 1'b0, rready = 1'b0;
  reg [9:0] address = 10'd0;
  reg [31:0] wdata = 32'd0;
  reg [3:0] wstrb = 4'hf;
  wire awready, wready, bvalid, arready, rvalid, irq;
  wire [1:0] bresp, rresp;
  wire [31:0] rdata;

  {module} dut (
    .clk(clk), .rst(rst),{clear_port}
    .s_axil_awvalid(awvalid), .s_axil_awready(awready), .s_axil_awaddr(address),
    .s_axil_wvalid(wvalid), .s_axil_wready(wready), .s_axil_wdata(wdata), .s_axil_wstrb(wstrb),
    .s_axil_bvalid(bvalid), .s_axil_bready(bready), .s_axil_bresp(bresp),
    .s_axil_arvalid(arvalid), .s_axil_arready(arready), .s_axil_araddr(address),
    .s_axil_rvalid(rvalid), .s_axil_rready(rready), .s_axil_rdata(rdata), .s_axil_rresp(rresp),
    .irq(irq)
  );

{clearing}  always @(posedge clk) begin
    clocks = clocks + 1;
    if (clocks > {limit}) begin
      $display("stuck: line %0d of the script", line);
      $fatal;
    end
  end

  // What AXI answers to what the line does.
  reg [1:0] answer = 2'b00;

  // Address and data are offered each in its own time; inputs change after the edge.
  reg address_due, data_due, address_taken, data_taken, answered;
  task write(input [9:0] to, input [31:0] word);
    begin
      address = to;
      wdata = word;
      address_due = 1'b1;
      data_due = 1'b1;
      while (address_due || data_due) begin
        if (!awvalid) awvalid = address_due && {offers};
        if (!wvalid) wvalid = data_due && {offers};
        @(posedge clk);
        address_taken = awvalid && awready;
        data_taken = wvalid && wready;
        #1;
        if (address_taken) begin awvalid = 1'b0; address_due = 1'b0; end
        if (data_taken) begin wvalid = 1'b0; data_due = 1'b0; end
      end
      answered = 1'b0;
      while (!answered) begin
        bready = {takes};
        @(posedge clk);
        answered = bvalid && bready;
        if (answered && bresp !== answer) begin
          $display("line %0d: write of %h answered by %b, not %b", line, to, bresp, answer);
          $fatal;
        end
        #1 bready = 1'b0;
      end
    end
  endtask

  task read(input [9:0] from);
    begin
      address = from;
      arvalid = 1'b1;
      address_taken = 1'b0;
      while (!address_taken) begin
        @(posedge clk);
        address_taken = arready;
        #1;
      end
      arvalid = 1'b0;
      answered = 1'b0;
      while (!answered) begin
        rready = {takes};
        @(posedge clk);
        answered = rvalid && rready;
        value = rdata;
        if (answered && rresp !== answer) begin
          $display("line %0d: read of %h answered by %b, not %b", line, from, rresp, answer);
          $fatal;
        end
        #1 rready = 1'b0;
      end
    end
  endtask

  reg [3:0] action;
  reg [9:0] where;
  reg [31:0] with_what;
  initial begin
    $readmemh("{file}", script);
    repeat (3) @(posedge clk);
    #1 rst = 1'b0;
    for (line = 0; line <= {last}; line = line + 1) begin
      {{action, answer, where, with_what}} = script[line];
      case (action)
        4'd0: write(where, with_what);
        4'd1: begin
          read(where);
          if (value !== with_what) begin
            $display("line %0d: register %h is %h, not %h", line, where, value, with_what);
            $fatal;
          end
        end
        4'd2: begin
          value = 32'd0;
          while ((value & with_what) !== with_what) read(where);
          if (with_what[1] && !irq) begin
            $display("line %0d: no interrupt", line);
            $fatal;
          end
        end
        default: begin
          wstrb = with_what[3:0];
          write(where, 32'hffffffff);
          wstrb = 4'hf;
        end
      endcase
    end
    answer = 2'b00;
{rests}    $display("ok {count} messages in %0d clocks", clocks);
    $finish;
  end
"#
    );
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

    /// What registers do not do, addresses that have none, and parts of words: answered by errors.
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

    /// The registers of a message that is put aside after so many bytes: addresses and words.
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
        // The last word goes in with the end, if it is not whole; or, for a test, if it is.
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
