//! The text of a core is proved equal to the netlist: another text of the same meaning passes, and
//! a text of another meaning fails.

use super::case::Case;
use super::faults::{Random, plant};
use super::scratch::folder;
use super::tools::has;
use manylane_emit::prove::Solver;
use manylane_emit::prove::text::{Compared, Emitted, Fault, Readers, Source, prove_text};
use manylane_emit::rtl::{Interface, Language, Netlist, Options, Reset, Style, design, text, wrap};
use manylane_graph::framing::framing;
use manylane_graph::trace;
use manylane_plan::hardware::{Adders, DelayModel, Precompute};
use std::time::Instant;

/// Modules and their text.
struct Text {
    netlists: Vec<Netlist>,
    style: Style,
    files: Vec<Source>,
}

impl Text {
    fn new(netlists: Vec<Netlist>, style: Style) -> Self {
        let file = |net: &Netlist| Source {
            file: format!("rtl/{}.{}", net.name, style.language.extension()),
            text: text(net, style, "A test"),
        };
        let files = netlists.iter().map(file).collect();
        Self { netlists, style, files }
    }

    fn core(case: &Case) -> Self {
        Self::new(vec![case.design().core.netlist], case.style)
    }

    fn wrapped(name: &str, interface: Interface, style: Style) -> Self {
        let algorithm = name.parse().unwrap();
        let (model, options) = (DelayModel::load("gate").unwrap(), Options::new(name));
        let hardware = Default::default();
        let design = design(&trace::compression(algorithm), &hardware, &model, &options).unwrap();
        let framing = framing(algorithm).unwrap();
        let (core, wrapper) = wrap(&design.program, &options, &framing, interface).unwrap();
        Self::new(vec![core.netlist, wrapper.netlist], style)
    }

    /// Proves the files, or these in place of them.
    fn prove(&self, files: &[Source]) -> Result<Vec<Compared>, Fault> {
        let emitted = self.netlists.iter().zip(&self.files);
        let emitted: Vec<Emitted<'_>> = emitted
            .map(|(netlist, Source { file, text })| Emitted { netlist, file, text })
            .collect();
        let readers = Readers { yosys: "yosys".into(), ghdl: Some("ghdl".into()) };
        let scratch = folder("text");
        std::fs::remove_dir_all(&scratch).unwrap();
        std::fs::create_dir_all(&scratch).unwrap();
        prove_text(&emitted, self.style, files, &readers, &Solver::find().unwrap(), &scratch)
    }

    /// Proves the files with a piece of one of them in another form.
    fn edited(&self, old: &str, new: &str) -> Result<Vec<Compared>, Fault> {
        let mut files = self.files.clone();
        let file = files.iter_mut().find(|file| file.text.contains(old));
        let file = file.unwrap_or_else(|| panic!("no file has {old}"));
        file.text = file.text.replacen(old, new, 1);
        self.prove(&files)
    }

    /// What is said of a text with a piece of it in another form.
    fn said(&self, old: &str, new: &str) -> String {
        self.edited(old, new).expect_err(new).to_string()
    }
}

fn best(name: &'static str) -> Case {
    Case::new(name).shape(1, 1, Adders::CarrySave, Precompute::Auto)
}

fn has_tools(language: Language) -> bool {
    let tools = [("yosys", "-V"), ("z3", "--version")];
    tools.into_iter().all(|(tool, version)| has(tool, version))
        && (language != Language::Vhdl || has("ghdl", "--version"))
}

/// A text as it was emitted passes: every language and reset, words in memory, modes, clearing,
/// stages, surroundings.
#[test]
fn emitted_texts_pass() {
    if !has_tools(Language::Vhdl) {
        return;
    }
    let style = |language, reset| Style { language, reset };
    let sv = style(Language::SystemVerilog, Reset::Async);
    let vhdl = style(Language::Vhdl, Reset::Async);
    let cases = [
        best("sha256"),
        best("sha224+sha256").clearing().style(Language::SystemVerilog, Reset::Async),
        best("md5").ram().chains().style(Language::Vhdl, Reset::Async),
        Case::new("sha1").shape(2, 4, Adders::Chain, Precompute::Kw),
        best("keccak256").style(Language::Vhdl, Reset::Sync),
    ];
    let bare = cases.iter().map(Text::core);
    let wrapped = [
        Text::wrapped("sha1", Interface::Stream(4), sv),
        Text::wrapped("sha256", Interface::Registers, vhdl),
    ];
    for text in bare.chain(wrapped) {
        let compared = text.prove(&text.files).unwrap_or_else(|fault| panic!("{fault}"));
        for (compared, net) in compared.iter().zip(&text.netlists) {
            assert_eq!(compared.register_bits as u64, net.register_bits(), "{}", net.name);
        }
    }
}

/// Faults at random places of a core, all of which are found.
fn all_are_found(language: Language, count: usize, seed: u64) {
    if !has_tools(language) {
        return;
    }
    let begin = Instant::now();
    let core = Text::core(&best("sha256").style(language, Reset::Sync));
    let wrapped =
        Text::wrapped("md5", Interface::Stream(4), Style { language, reset: Reset::Async });
    let mut random = Random::new(seed);
    let (mut read, mut passed) = (0, Vec::new());
    for i in 0..count {
        // One in four is in the surroundings of a core.
        let (text, file) = if i % 4 == 3 { (&wrapped, 1) } else { (&core, 0) };
        let mut files = text.files.clone();
        let fault = plant(language, &files[file].text, &mut random);
        files[file].text = fault.text;
        match text.prove(&files) {
            Ok(_) => passed.push(fault.what),
            Err(said) => read += usize::from(said.signal.is_some()),
        }
    }
    let seconds = begin.elapsed().as_secs_f64();
    eprintln!("{language}: {count} faults found, {read} with a signal, in {seconds:.0} s");
    assert!(passed.is_empty(), "{language}, not found: {}", passed.join("\n"));
    // Most texts can be read, so that it is the proof that finds the fault.
    assert!(2 * read > count, "{language}: {read} of {count} with a signal");
}

#[test]
fn faults_in_verilog_are_found() {
    all_are_found(Language::Verilog, 8, 1);
}

#[test]
fn faults_in_vhdl_are_found() {
    all_are_found(Language::Vhdl, 4, 2);
}

/// `make test-rtl`: 100 in each language.
#[test]
#[ignore = "some minutes"]
fn every_core_with_a_fault_is_found() {
    for language in Language::ALL {
        all_are_found(language, 100, 3);
    }
}

/// Faults of the kinds that people plant: the error names the signal and the line of each.
#[test]
fn planted_faults_are_named() {
    if !has_tools(Language::Verilog) {
        return;
    }
    let text = Text::core(&best("sha256"));
    let of = |old: &str, new: &str, parts: &[&str]| {
        let said = text.said(old, new);
        parts.iter().for_each(|part| assert!(said.contains(part), "{new}: {part}: {said}"));
    };
    // A rotation, a constant, an operand, the last sum.
    of(
        "{s0_w1[6:0], s0_w1[31:7]}",
        "{s0_w1[7:0], s0_w1[31:8]}",
        &["rtl/sha256.v:", "where it should be 0x"],
    );
    of("32'hefbe4786", "32'hefbe4787", &["`s0_chosen24`"]);
    of("end_add2185 = ", "end_add2185 = 32'd1 + ", &["`end_add2185`", "`out_h0`"]);
    // Counter, enable, tag.
    of("next_count0 = count0 + ", "next_count0 = count0 - ", &["`next_count0`"]);
    of("assign enable = ", "assign enable = 1'b1 | ", &["`enable`"]);
    of("<= in_tag;", "<= in_tag ^ 8'd1;", &["kept0_tag"]);
    // Something that happens for one state of 2^256, and something that counts by itself.
    let state = "{s0_a, s0_g, s0_d, s0_w0, s0_w2, s0_w3, s0_w4, s0_w5}";
    let number = "256'h6a09e667bb67ae853c6ef372a54ff53a510e527f9b05688c1f83d9ab5be0cd19";
    let trojan = format!("assign out_valid = ({state} == {number}) ^ ");
    of("assign out_valid = ", &trojan, &["`out_valid` has another value"]);
    let counts = "  reg [63:0] waits;\n  always @(posedge clk) waits <= waits + 64'd1;\n  \
                  assign out_valid = (&waits) ^ ";
    of("  assign out_valid = ", counts, &["`waits` is a register that the core does not have"]);
    // The clock's other edge, another reset, a value before the first clock, a latch.
    of("@(posedge clk)", "@(negedge clk)", &["falling edge"]);
    of("valid <= 1'h0;", "valid <= 1'h1;", &["`valid` has another next value"]);
    of("@(posedge clk)", "@(posedge clk or posedge rst)", &["is reset at once, and should not be"]);
    of("  reg  valid;", "  reg  valid = 1'b1;", &["`valid` has a value before the first clock"]);
    of(
        "assign enable = ",
        "reg enable_l; always @* if (in_valid) enable_l = 1'b1;\nassign enable = enable_l & ",
        &["latch"],
    );
    of(
        "  output wire [7:0] out_tag\n",
        "  output wire [7:0] out_tag,\n output wire leak\n",
        &["`leak` is a port"],
    );
    of("wire [7:0] out_tag", "wire [6:0] out_tag", &["output of 7 bits", "output of 8 bits"]);
    of("assign ready = ", "assign ready = ready & ", &["depends on itself within a clock"]);
    of("  assign ready = ", "  assign ready = 1'b0;\n  assign ready = ", &["`ready`", "drivers"]);
    // Texts that tools understand differently.
    of(
        "  assign ready = ",
        "`ifndef YOSYS\n  assign valid_2 = 0;\n`endif\n  assign ready = ",
        &["the directive `ifndef"],
    );
    of("valid <= 1'h0;", "valid = 1'h0;", &["is a race in simulation"]);
    of(
        "  always @(posedge clk)",
        "  reg late;\n  always @* late <= clk;\n  always @(posedge late)",
        &["an edge of late, which is no clock of the core"],
    );
    of(
        "  assign ready = ",
        "  reg early, a;\n  always @* begin early = a; a = enable & free; end\n  \
         assign ready = early & ",
        &["`a` is read before its block writes it"],
    );
    // Texts that are cut off, or are no Verilog.
    of("endmodule", "", &["rtl/sha256.v:", "syntax error"]);
    of("module sha256 ", "module sha265 ", &["sha256"]);
}

/// A wire more, one less, other names, other expressions of the same value.
#[test]
fn other_words_for_the_same_pass() {
    if !has_tools(Language::Verilog) {
        return;
    }
    let text = Text::core(&best("sha256"));
    let is = |old: &str, new: &str| {
        text.edited(old, new).unwrap_or_else(|fault| panic!("{new}: {fault}"));
    };
    is("  assign enable = ", "  wire more = in_valid;\n  assign enable = (more | ~more) & ");
    is("assign next_count0 = count0 + ", "assign next_count0 = count0 - 6'd2 + 6'd1 + 6'd1 + ");
    is("always @(posedge clk)", "always @(posedge clk) // another word");
    is(
        "  assign enable = ",
        "  reg a, b;\n  always @* begin : name a = in_valid; b = a; end\n  \
         assign enable = (b | ~a) & ",
    );
    // A wire of another value, whose readers undo the difference.
    let sum =
        text.files[0].text.lines().find(|line| line.contains("assign end_add2185 = ")).unwrap();
    let inverted = sum.replace("= ", "= ~(").replace(';', ");");
    let mut files = text.files.clone();
    files[0].text =
        files[0].text.replace(sum, &inverted).replace("<= end_add2185;", "<= ~end_add2185;");
    text.prove(&files).unwrap_or_else(|fault| panic!("{fault}"));
}

/// Faults around a core, in memories, and in VHDL.
#[test]
fn faults_elsewhere_are_named() {
    if !has_tools(Language::Vhdl) {
        return;
    }
    let verilog = Style::default();
    let stream = Text::wrapped("sha256", Interface::Stream(4), verilog);
    let said = stream.said("(\n    .clk(clk)", "(\n    .clk(!clk)");
    assert!(said.contains(".clk` is something other than `clk`"), "{said}");
    let said = stream.said(".rst(rst)", ".rst(1'b0)");
    assert!(said.contains(".rst` has another value"), "{said}");
    let said = stream.said("assign s_axis_tready = ", "assign s_axis_tready = s_axis_tvalid & ");
    assert!(said.contains("`s_axis_tready`"), "{said}");
    let ram = Text::core(&best("sha256").ram());
    let memory = &ram.netlists[0].memories()[0].name;
    let written = format!("{memory}[");
    let mut files = ram.files.clone();
    let line =
        files[0].text.lines().find(|line| line.contains(&written) && line.contains("<=")).unwrap();
    let other = line.replace("<= ", "<= ~");
    files[0].text = files[0].text.replace(line, &other);
    let said = ram.prove(&files).unwrap_err().to_string();
    assert!(said.contains(&format!("`{memory}` has another written word")), "{said}");
    // GHDL 2.0 reads this constant as 0. A later one reads it right, and then it differs.
    let chain = Text::core(&best("keccak256").style(Language::Vhdl, Reset::Sync));
    let zero = "x\"0000000000000001\"";
    let said = chain.said(zero, "x\"1000000000000000\"");
    assert!(said.contains("reads the constant") || said.contains("where it should"), "{said}");
    let vhdl = Text::core(&best("sha256").style(Language::Vhdl, Reset::Async));
    for (old, new, part) in [
        ("rotate_right(s0_w1, 7)", "rotate_right(s0_w1, 8)", "where it should be"),
        ("process (clk, rst)", "process (clk)", "simulators wait for these signals alone"),
        ("signal valid : std_logic;", "signal valid : std_logic := '1';", "before the first clock"),
        ("rising_edge(clk)", "falling_edge(clk)", "edge of"),
        ("  enable <= ", "  weak <= 'H';\n  enable <= ", "the value 'H' is neither"),
        ("  enable <= ", "  late <= clk;\n  enable <= ", "`clk` is read elsewhere"),
        ("end architecture", "end architectur", "rtl/sha256.vhd:"),
    ] {
        let said = vhdl.said(old, new);
        assert!(said.contains(part), "{new}: {said}");
    }
}
