//! Words that a signal or a module cannot be called, in any of the languages. Case does not count
//! in VHDL, and names are in lower case here.

use super::Error;
use crate::words::{is_in, malformed};

/// The longest name of a module: file names are longer by up to 14 bytes, and have 255 at most.
const LONGEST: usize = 128;

/// Whether a module, with all that is named after it, can be called so in every language, by make
/// and FuseSoC: letters, digits and single underscores, the first a letter and the last none.
///
/// # Errors
/// If it cannot; the error says why.
pub fn check_module_name(name: &str) -> Result<(), Error> {
    let lower = name.to_ascii_lowercase();
    let why = if let Some(why) = malformed(name, LONGEST, "VHDL") {
        why
    } else if is_reserved(&lower) {
        "is a reserved word of Verilog, SystemVerilog or VHDL".to_owned()
    } else if is_in(OF_LIBRARIES, &lower) {
        "means something else in VHDL's standard libraries or in `manylane synth`".to_owned()
    } else if is_port(&lower) || is_in(OF_TEXT, &lower) {
        "is that of a port or of something else inside a module".to_owned()
    } else {
        return Ok(());
    };
    Err(Error::Name { name: name.to_owned(), why })
}

/// Whether a port of any module has this name.
fn is_port(name: &str) -> bool {
    is_in(PORTS, name) || ["s_axis_", "m_axis_", "s_axil_"].iter().any(|bus| name.starts_with(bus))
}

/// Ports but those of buses.
const PORTS: &str = "
    clk rst clear irq word word_valid word_ready in_valid in_ready in_tag in_chain in_block
    in_counter in_mode in_first out_valid out_ready out_tag out_chain out_mode out_digest";

/// Names in a text that are not those of signals: architectures, types, functions, instances.
const OF_TEXT: &str = "rtl core dut word_t table table_t s_box xtime b x";

/// Names that the VHDL text takes from its libraries, which an entity of that name would hide, and
/// the module that `manylane synth` puts around a core.
const OF_LIBRARIES: &str = "
    work std ieee standard textio std_logic_1164 numeric_std env std_logic std_ulogic
    std_logic_vector std_ulogic_vector unsigned signed bit bit_vector boolean true false integer
    natural positive real time string character line rising_edge falling_edge to_integer
    to_unsigned resize shift_left shift_right rotate_left rotate_right now note warning error
    failure ns ps hread read readline write writeline finish stop manylane_harness";

/// Whether Verilog-2001, SystemVerilog-2012 or VHDL-2008 reserves a word.
pub(super) fn is_reserved(name: &str) -> bool {
    is_in(VERILOG, name) || is_in(VHDL, name)
}

/// IEEE 1800-2012, Annex B, which has those of IEEE 1364-2001.
const VERILOG: &str = "
    accept_on alias always always_comb always_ff always_latch and assert assign assume automatic
    before begin bind bins binsof bit break buf bufif0 bufif1 byte case casex casez cell chandle
    checker class clocking cmos config const constraint context continue cover covergroup
    coverpoint cross deassign default defparam design disable dist do edge else end endcase
    endchecker endclass endclocking endconfig endfunction endgenerate endgroup endinterface
    endmodule endpackage endprimitive endprogram endproperty endsequence endspecify endtable
    endtask enum event eventually expect export extends extern final first_match for force foreach
    forever fork forkjoin function generate genvar global highz0 highz1 if iff ifnone ignore_bins
    illegal_bins implements implies import incdir include initial inout input inside instance int
    integer interconnect interface intersect join join_any join_none large let liblist library
    local localparam logic longint macromodule matches medium modport module nand negedge nettype
    new nexttime nmos nor noshowcancelled not notif0 notif1 null or output package packed
    parameter pmos posedge primitive priority program property protected pull0 pull1 pulldown
    pullup pulsestyle_ondetect pulsestyle_onevent pure rand randc randcase randsequence rcmos real
    realtime ref reg reject_on release repeat restrict return rnmos rpmos rtran rtranif0 rtranif1
    s_always s_eventually s_nexttime s_until s_until_with scalared sequence shortint shortreal
    showcancelled signed small soft solve specify specparam static string strong strong0 strong1
    struct super supply0 supply1 sync_accept_on sync_reject_on table tagged task this throughout
    time timeprecision timeunit tran tranif0 tranif1 tri tri0 tri1 triand trior trireg type
    typedef union unique unique0 unsigned until until_with untyped use uwire var vectored virtual
    void wait wait_order wand weak weak0 weak1 while wildcard wire with within wor xnor xor";

/// IEEE 1076-2008, §15.10.
const VHDL: &str = "
    abs access after alias all and architecture array assert assume assume_guarantee attribute
    begin block body buffer bus case component configuration constant context cover default
    disconnect downto else elsif end entity exit fairness file for force function generate generic
    group guarded if impure in inertial inout is label library linkage literal loop map mod nand
    new next nor not null of on open or others out package parameter port postponed procedure
    process property protected pure range record register reject release rem report restrict
    restrict_guarantee return rol ror select sequence severity shared signal sla sll sra srl
    strong subtype then to transport type unaffected units until use variable vmode vprop vunit
    wait when while with xnor xor";
