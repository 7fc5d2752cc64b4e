//! The properties of the handshakes, as a module for yosys.

use super::invariant::{Invariant, Register};
use crate::prove::{Claim, Error};
use std::collections::BTreeMap;
use std::fmt::Write;

/// The text of the module. `data` is the width of the word that represents the result.
pub(super) fn properties(
    claim: &Claim<'_>,
    data: u32,
    registers: &[Register],
) -> Result<String, Error> {
    let net = &claim.core.netlist;
    let (latency, cycles) = (claim.core.latency, claim.core.cycles_per_block);
    let module = &net.name;
    let tag_top = net.signal(claim.input("in_tag")?).width - 1;
    let data_top = data - 1;
    let (mut wires, mut ports, mut held) = (String::new(), String::new(), String::new());
    for Register { name, width, invariant } in registers {
        let _ = writeln!(wires, "  wire [{}:0] {name};", width - 1);
        let _ = write!(ports, ",\n    .{name}({name})");
        held.push_str(&invariant.text(name));
    }
    // The first stage is free if no block is in the first places; blocks under way are apart.
    let (is_free, apart) = match cycles {
        1 => (String::new(), String::new()),
        _ => (
            format!(" && !(|flight[{}:1])", cycles - 1),
            format!(
                "    for (i = 1; i < {cycles}; i = i + 1) assert (!(|(flight & flight >> i)));\n"
            ),
        ),
    };
    let shifted = |register: &str, first: &str| match latency {
        1 => first.to_owned(),
        _ => format!("{{{register}[{}:1], {first}}}", latency - 1),
    };
    // A core that clears has a port that makes it forget all blocks.
    let (reset, cleared, port, connected) = match claim.core.clears {
        false => ("rst", "1'b0", "", ""),
        true => ("rst || clear", "clear", " input wire clear,", ".clear(clear), "),
    };
    let (flight, mine) = (shifted("flight", "taken"), shifted("mine", "follow"));
    Ok(format!(
        r"// What holds of the handshakes of {module}, whatever its surroundings do.
`default_nettype none

module handshake (
    input wire clk, input wire rst,
    input wire in_valid, input wire [{tag_top}:0] in_tag, input wire out_ready,
    input wire [{data_top}:0] any,{port}
    input wire pick
);
  wire in_ready, out_valid;
  wire [{tag_top}:0] out_tag;
  wire [{data_top}:0] out_chain;
{wires}
  control core (
    .clk(clk), .rst(rst), .in_valid(in_valid), .in_tag(in_tag), .out_ready(out_ready),
    .any(any), {connected}.in_ready(in_ready), .out_valid(out_valid), .out_tag(out_tag),
    .out_chain(out_chain){ports}
  );

  // Blocks on their way: in place t, one that was taken t clocks ago; waiting does not count.
  wire moves = !out_valid || out_ready;
  wire taken = in_valid && in_ready;
  reg [{latency}:1] flight;
  always @(posedge clk)
    if ({reset}) flight <= 0;
    else if (moves) flight <= {flight};

  // One of them, any one, is followed.
  reg [{latency}:1] mine;
  reg [{tag_top}:0] due;
  reg followed;
  wire follow = taken && pick && !followed;
  always @(posedge clk)
    if ({reset}) begin
      mine <= 0;
      followed <= 1'b0;
    end else begin
      if (moves) mine <= {mine};
      if (follow) begin
        due <= in_tag;
        followed <= 1'b1;
      end
    end

  reg waited;
  reg [{tag_top}:0] tag_before;
  reg [{data_top}:0] chain_before;
  always @(posedge clk) begin
    waited <= !({reset}) && out_valid && !out_ready;
    tag_before <= out_tag;
    chain_before <= out_chain;
  end

  // The first clock is a reset; others may follow.
  reg begun = 1'b0;
  always @(posedge clk) begun <= 1'b1;
  integer i;
  always @* if (!begun) assume (rst); else begin
    // Each block comes out, once, in its turn, with its tag, and nothing else does.
    assert (out_valid == flight[{latency}]);
    if (mine[{latency}]) assert (out_tag == due);
    // A result stands until it is taken.
    if (waited) assert (out_valid && out_tag == tag_before && out_chain == chain_before);
    // A block is taken as soon as the first stage is free, and none while a result waits.
    assert (in_ready == (moves && !{cleared}{is_free}));

    // How the registers follow the blocks, which makes all this inductive.
    assert (!(|(mine & ~flight)));
    if (!followed) assert (!(|mine));
{apart}{held}  end
endmodule
"
    ))
}

impl Invariant {
    /// Assertions about the register `name`.
    fn text(&self, name: &str) -> String {
        let mut out = String::new();
        let _ = match self {
            Self::Marks(places) => {
                writeln!(out, "    assert ({name} == ({}));", any_of("flight", places))
            }
            Self::Tags(places) => {
                writeln!(out, "    if ({}) assert ({name} == due);", any_of("mine", places))
            }
            Self::Counts(values) => {
                for (from, to, first) in stretches(values) {
                    let less = i64::from(from) - first as i64;
                    let _ = writeln!(
                        out,
                        "    for (i = {from}; i <= {to}; i = i + 1) \
                         if (flight[i]) assert ({name} == i - {less});"
                    );
                }
                Ok(())
            }
        };
        out
    }
}

/// Whether a bit in one of these places is 1.
fn any_of(register: &str, places: &[u32]) -> String {
    let places: BTreeMap<u32, u64> = places.iter().map(|&place| (place, place.into())).collect();
    let any: Vec<String> = stretches(&places)
        .into_iter()
        .map(|(from, to, _)| format!("|{register}[{to}:{from}]"))
        .collect();
    if any.is_empty() { "1'b0".to_owned() } else { any.join(" || ") }
}

/// Stretches of places in which the value grows with the place: first place, last place, first
/// value.
fn stretches(values: &BTreeMap<u32, u64>) -> Vec<(u32, u32, u64)> {
    let mut stretches: Vec<(u32, u32, u64)> = Vec::new();
    for (&place, &value) in values {
        match stretches.last_mut() {
            Some((from, to, first))
                if *to + 1 == place && value == *first + u64::from(place - *from) =>
            {
                *to = place;
            }
            _ => stretches.push((place, place, value)),
        }
    }
    stretches
}
