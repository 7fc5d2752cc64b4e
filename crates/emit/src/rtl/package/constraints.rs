//! The files that place and route reads.

/// The clock constraint for place and route, the only one that a module without pins needs.
pub fn constraints(top: &str) -> [(String, String); 3] {
    let path = |extension: &str| format!("constraints/{top}.{extension}");
    [
        (
            path("lpf"),
            "# nextpnr-ecp5 --lpf: the clock of the design that the module is put in.\n\
             FREQUENCY PORT \"clk\" 100 MHZ;\n"
                .to_owned(),
        ),
        (
            path("xdc"),
            "# Vivado: read_xdc -mode out_of_context, where the module is built alone. 100 MHz.\n\
             create_clock -name clk -period 10.000 [get_ports clk]\n"
                .to_owned(),
        ),
        (
            path("sdc"),
            "# Quartus and others. 100 MHz; all ports are of the same clock's registers.\n\
             create_clock -name clk -period 10.0 [get_ports clk]\n\
             set_input_delay -clock clk 2.0 [remove_from_collection [all_inputs] [get_ports clk]]\n\
             set_output_delay -clock clk 2.0 [all_outputs]\n"
                .to_owned(),
        ),
    ]
}
