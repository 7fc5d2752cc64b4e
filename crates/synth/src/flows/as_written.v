// A sum that yosys builds as it stands: alumacc would join sums of sums to carry-save trees.
(* techmap_celltype = "$add" *)
module _manylane_add (A, B, Y);
  parameter A_SIGNED = 0;
  parameter B_SIGNED = 0;
  parameter A_WIDTH = 1;
  parameter B_WIDTH = 1;
  parameter Y_WIDTH = 1;
  input [A_WIDTH-1:0] A;
  input [B_WIDTH-1:0] B;
  output [Y_WIDTH-1:0] Y;
  wire [Y_WIDTH-1:0] propagate, carry;
  \$alu #(
    .A_SIGNED(A_SIGNED), .B_SIGNED(B_SIGNED),
    .A_WIDTH(A_WIDTH), .B_WIDTH(B_WIDTH), .Y_WIDTH(Y_WIDTH)
  ) _TECHMAP_REPLACE_ (
    .A(A), .B(B), .CI(1'b0), .BI(1'b0), .X(propagate), .Y(Y), .CO(carry)
  );
endmodule
