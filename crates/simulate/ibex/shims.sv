// Ibex instantiates these cells by names that a chip's own library defines. In a simulation they are
// wires and flip-flops.

module prim_buf #(parameter int Width = 1) (
  input  logic [Width-1:0] in_i,
  output logic [Width-1:0] out_o
);
  assign out_o = in_i;
endmodule

module prim_flop #(parameter int Width = 1, parameter logic [Width-1:0] ResetValue = 0) (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic [Width-1:0] d_i,
  output logic [Width-1:0] q_o
);
  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) q_o <= ResetValue;
    else q_o <= d_i;
endmodule

// The clock always runs. A core that sleeps does nothing with it, and its counters go on.
module prim_clock_gating (
  input  logic clk_i,
  input  logic en_i,
  input  logic test_en_i,
  output logic clk_o
);
  assign clk_o = clk_i;
endmodule
