// Two Ibex cores (lowRISC) over shared memory.
//
//               core 0                       core 1
//         fetch │    │ load, store     load, store │    │ fetch
//      ┌────────┴─┐  │                             │  ┌─┴────────┐
//      │ code 0   │  ├─────── device registers ────┤  │ code 1   │
//      └──────────┘  │                             │  └──────────┘
//                    └── arbiter of each bank ─────┘
//                   bank 0 │ bank 1 │ bank 2 │ bank 3
//
// * Each core has its own instruction memory. Both hold the same program, and a fetch never waits.
// * Data lies in four banks of one port each. Word n is in bank n mod 4, so that neighbours in memory
//   are in different banks. A bank serves one access in a clock, and answers in the next.
// * If both cores want the same bank in the same clock, the core that was refused last in that bank
//   is served; the other one waits for one clock, which is counted as its stall.
// * Device registers (at 0x8000_0000) are in each core's own bus: access to them never waits. Word 0
//   reads as the number of clocks since reset; word 1 is the doorbell; the driver does what is asked
//   for by writing the others.
// * Access to any other address is answered as an error, which the core takes as an exception.
module ibex_duo #(
  parameter int unsigned CodeWords = 65536,  // 256 KiB at 0x0010_0000
  parameter int unsigned BankWords = 16384   // 4 × 64 KiB at 0x2000_0000
) (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic [1:0]  hold_i,        // a core whose bit is set is granted no access in this clock
  output logic [1:0]  write_o,       // this core writes write_data_o to a device register
  output logic [3:0]  write_register_o [2],
  output logic [31:0] write_data_o [2],
  output logic [1:0]  stall_o,       // this core waits for a bank that serves the other core
  output logic [1:0]  access_o,      // this core is granted an access to data …
  output logic [1:0]  store_o,       // … which is a store …
  output logic [31:0] address_o [2], // … at this address
  output logic [1:0]  retired_o      // this core completed an instruction
);
  import ibex_pkg::*;

  logic [31:0] code [CodeWords] /* verilator public_flat_rw */;
  logic [31:0] bank [4][BankWords] /* verilator public_flat_rw */;

  logic [31:0] cycles /* verilator public_flat_rd */;
  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) cycles <= '0;
    else cycles <= cycles + 1;

  // Core 0 writes it and core 1 waits for it to change, without an access to memory.
  logic [31:0] doorbell;

  logic [1:0]  data_req, data_gnt, data_we, in_data;
  logic [3:0]  data_be [2];
  logic [31:0] data_addr [2], data_wdata [2], bank_rdata [2];
  logic [1:0]  data_bank [2];
  wire  [1:0]  ring = {write_o[1] && write_register_o[1] == 4'd1,
                       write_o[0] && write_register_o[0] == 4'd1};

  for (genvar core = 0; core < 2; core++) begin : g_core
    logic        instr_req, instr_rvalid, instr_err, data_rvalid, data_err, from_device;
    logic [31:0] instr_addr, instr_rdata, device_rdata, code_word;

    wire instr_gnt = instr_req && !hold_i[core];
    assign code_word = (instr_addr - 32'h0010_0000) >> 2;
    always_ff @(posedge clk_i or negedge rst_ni)
      if (!rst_ni) instr_rvalid <= 1'b0;
      else instr_rvalid <= instr_gnt;
    always_ff @(posedge clk_i)
      if (instr_gnt) begin
        instr_rdata <= code[code_word[$clog2(CodeWords)-1:0]];
        instr_err <= code_word >= CodeWords;
      end

    wire in_device = data_addr[core][31:6] == 26'h200_0000;
    wire [3:0] register = data_addr[core][5:2];
    assign in_data[core] =
        data_addr[core][31:20] == 12'h200 && data_addr[core][19:2] < 18'(4 * BankWords);
    assign data_bank[core] = data_addr[core][3:2];
    assign write_o[core] = data_gnt[core] && in_device && data_we[core];
    assign write_register_o[core] = register;
    assign write_data_o[core] = data_wdata[core];
    assign access_o[core] = data_gnt[core] && in_data[core];
    assign store_o[core] = data_we[core];
    assign address_o[core] = data_addr[core];

    always_ff @(posedge clk_i or negedge rst_ni)
      if (!rst_ni) data_rvalid <= 1'b0;
      else data_rvalid <= data_gnt[core];
    always_ff @(posedge clk_i) begin
      from_device <= !in_data[core];
      data_err <= !in_device && !in_data[core];
      unique case (register)
        4'd0: device_rdata <= cycles;
        4'd1: device_rdata <= doorbell;
        default: device_rdata <= '0;
      endcase
    end

    ibex_top #(
      .RV32M(RV32MSingleCycle),
      .RV32B(RV32BBalanced),
      .WritebackStage(1'b1)
    ) u_ibex (
      .clk_i,
      .rst_ni,
      .test_en_i(1'b1),
      .ram_cfg_i('0),
      .hart_id_i(core),
      .boot_addr_i(32'h0010_0000),
      .instr_req_o(instr_req),
      .instr_gnt_i(instr_gnt),
      .instr_rvalid_i(instr_rvalid),
      .instr_addr_o(instr_addr),
      .instr_rdata_i(instr_rdata),
      .instr_rdata_intg_i('0),
      .instr_err_i(instr_err),
      .data_req_o(data_req[core]),
      .data_gnt_i(data_gnt[core]),
      .data_rvalid_i(data_rvalid),
      .data_we_o(data_we[core]),
      .data_be_o(data_be[core]),
      .data_addr_o(data_addr[core]),
      .data_wdata_o(data_wdata[core]),
      .data_wdata_intg_o(),
      .data_rdata_i(from_device ? device_rdata : bank_rdata[core]),
      .data_rdata_intg_i('0),
      .data_err_i(data_err),
      .irq_software_i(1'b0),
      .irq_timer_i(1'b0),
      .irq_external_i(1'b0),
      .irq_fast_i('0),
      .irq_nm_i(1'b0),
      .scramble_key_valid_i(1'b0),
      .scramble_key_i('0),
      .scramble_nonce_i('0),
      .scramble_req_o(),
      .debug_req_i(1'b0),
      .crash_dump_o(),
      .double_fault_seen_o(),
      .fetch_enable_i(IbexMuBiOn),
      .alert_minor_o(),
      .alert_major_internal_o(),
      .alert_major_bus_o(),
      .core_sleep_o(),
      .scan_rst_ni(1'b1)
    );

    assign retired_o[core] = u_ibex.u_ibex_core.perf_instr_ret_wb;
  end

  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) doorbell <= '0;
    else if (ring[0]) doorbell <= data_wdata[0];
    else if (ring[1]) doorbell <= data_wdata[1];

  // The core that each bank serves if both want it.
  logic [3:0] favourite;
  logic [1:0] wants;
  assign wants = data_req & in_data & ~hold_i;
  wire clash = &wants && data_bank[0] == data_bank[1];
  wire winner = favourite[data_bank[0]];
  always_comb begin
    data_gnt = data_req & ~hold_i;
    if (clash) data_gnt[!winner] = 1'b0;
    stall_o = data_req & ~hold_i & ~data_gnt;
  end
  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) favourite <= '0;
    else if (clash) favourite[data_bank[0]] <= !winner;

  for (genvar core = 0; core < 2; core++) begin : g_access
    wire [$clog2(BankWords)-1:0] word = data_addr[core][$clog2(BankWords)+3:4];
    always_ff @(posedge clk_i)
      if (data_gnt[core] && in_data[core]) begin
        bank_rdata[core] <= bank[data_bank[core]][word];
        if (data_we[core])
          for (int byte_ = 0; byte_ < 4; byte_++)
            if (data_be[core][byte_])
              bank[data_bank[core]][word][8*byte_+:8] <= data_wdata[core][8*byte_+:8];
      end
  end
endmodule
