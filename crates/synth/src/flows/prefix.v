// Adders of gates: Kogge and Stone's parallel prefix, log2(width) levels of carries.
(* techmap_celltype = "$alu" *)
module _manylane_alu (A, B, CI, BI, X, Y, CO);
  parameter A_SIGNED = 0;
  parameter B_SIGNED = 0;
  parameter A_WIDTH = 1;
  parameter B_WIDTH = 1;
  parameter Y_WIDTH = 1;
  localparam LEVELS = $clog2(Y_WIDTH);
  input [A_WIDTH-1:0] A;
  input [B_WIDTH-1:0] B;
  input CI, BI;
  output [Y_WIDTH-1:0] X, Y, CO;

  wire [Y_WIDTH-1:0] a, b;
  \$pos #(.A_SIGNED(A_SIGNED), .A_WIDTH(A_WIDTH), .Y_WIDTH(Y_WIDTH)) extend_a (.A(A), .Y(a));
  \$pos #(.A_SIGNED(B_SIGNED), .A_WIDTH(B_WIDTH), .Y_WIDTH(Y_WIDTH)) extend_b (.A(B), .Y(b));
  wire [Y_WIDTH-1:0] operand = b ^ {Y_WIDTH{BI}};

  // Row l: whether bits i - 2^l + 1 to i generate, and pass on, a carry.
  wire [(LEVELS+1)*Y_WIDTH-1:0] generates, passes;
  assign X = a ^ operand;
  assign passes[Y_WIDTH-1:0] = X;
  // The carry in is one that bit 0 may pass on.
  assign generates[Y_WIDTH-1:0] = (a & operand) | (X & {{Y_WIDTH{1'b0}}, CI});
  genvar level, i;
  generate
    for (level = 0; level < LEVELS; level = level + 1)
      for (i = 0; i < Y_WIDTH; i = i + 1)
        if (i < 2**level) begin
          assign generates[(level+1)*Y_WIDTH + i] = generates[level*Y_WIDTH + i];
          assign passes[(level+1)*Y_WIDTH + i] = passes[level*Y_WIDTH + i];
        end else begin
          assign generates[(level+1)*Y_WIDTH + i] = generates[level*Y_WIDTH + i]
            | (passes[level*Y_WIDTH + i] & generates[level*Y_WIDTH + i - 2**level]);
          assign passes[(level+1)*Y_WIDTH + i] =
            passes[level*Y_WIDTH + i] & passes[level*Y_WIDTH + i - 2**level];
        end
  endgenerate
  assign CO = generates[LEVELS*Y_WIDTH +: Y_WIDTH];
  assign Y = X ^ ((CO << 1) | CI);
endmodule
