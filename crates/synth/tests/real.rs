//! The tools themselves, on a core of eight bits.

mod common;

use common::{Looker, request};
use manylane_emit::rtl::Port;
use manylane_synth::{Cache, CoreFigures, Error, Request, Sums, Target, Tools, synthesize};

/// Builds the small core, if the tools are there. On CI they have to be.
fn build(target: Target, sums: Sums) -> Option<CoreFigures> {
    let mut request = request(target, 1);
    request.sums = sums;
    Some(built(request)?.unwrap())
}

/// Builds a core, if the tools are there. On CI they have to be.
fn built(request: Request) -> Option<Result<CoreFigures, Error>> {
    let target = request.target;
    let needed = [Some(target.synthesizer()), target.placer()];
    let tools = match Tools::find(needed.into_iter().flatten()) {
        Ok(tools) => tools,
        Err(error) => {
            assert!(std::env::var_os("CI").is_none(), "{error}");
            eprintln!("skipped: {error}");
            return None;
        }
    };
    let folder = tempfile::tempdir().unwrap();
    let cache = Cache::at(folder.path().to_owned()).unwrap();
    Some(synthesize(&[request], &tools, &cache, 2, &Looker::default()).remove(0))
}

#[test]
fn a_small_core_on_ice40() {
    let Some(measured) = build(Target::Ice40Hx8k, Sums::AsWritten) else { return };
    // Two adders of eight bits, a register of eight; the harness has 17 and 3 flip-flops more.
    assert_eq!(measured.cells.flip_flops, 8);
    assert!((14..=16).contains(&measured.cells.carries), "{measured:?}");
    assert!((16..=20).contains(&measured.cells.luts), "{measured:?}");
    assert!((16.0..=24.0).contains(&measured.area.value), "{measured:?}");
    assert!(measured.mhz > 20.0 && measured.placed[0].limited_by_core(), "{measured:?}");
    assert_eq!(measured.mbps, 8.0 * measured.mhz);
    assert_eq!(measured.mbps_alone, 4.0 * measured.mhz);
}

/// yosys makes one carry-save row and one adder of a sum of three: less than two adders.
#[test]
fn sums_are_built_as_written_unless_they_are_to_be_fused() {
    let Some(written) = build(Target::Ice40Hx8k, Sums::AsWritten) else { return };
    let Some(fused) = build(Target::Ice40Hx8k, Sums::Fused) else { return };
    assert!(fused.cells.carries < written.cells.carries - 4, "{fused:?} {written:?}");
}

#[test]
fn a_small_core_of_gates() {
    let Some(measured) = build(Target::GenericGates, Sums::AsWritten) else { return };
    // Eight flip-flops of 5.67; the adders of eight bits are some sixty gates each.
    assert!((120.0..300.0).contains(&measured.area.value), "{measured:?}");
    // Two prefix adders: propagate, three levels of two gates, sum; and the reset.
    assert!((8..=20).contains(&measured.depth.unwrap()), "{measured:?}");
}

/// The text of the small core with one place changed, and what is said of it.
const BROKEN: [(&str, &str, &str); 6] = [
    ("assign y = sum", "assign y = 8'd0", "y comes from no input"),
    ("assign y = sum", "assign y = {4'd0, sum[3:0]}", "y[7:4] comes from no input"),
    ("a + b", "b", "a leads to no output"),
    ("a + b", "{1'b0, a[6:0]} + b", "a[7] leads to no output"),
    ("posedge clk", "posedge 1'b0", "y comes from no input"),
    // This core counts, whatever its inputs are.
    ("a + b + y", "y + 8'd1", "y comes from no input"),
];

#[test]
fn a_core_of_which_a_part_is_removed_has_no_figures() {
    for target in [Target::GenericGates, Target::Ice40Hx8k] {
        for (text, other, said) in BROKEN {
            let mut request = request(target, 1);
            assert!(request.core.verilog.contains(text));
            request.core.verilog = request.core.verilog.replace(text, other);
            let Some(result) = built(request) else { return };
            let error = result.expect_err(other).to_string();
            assert!(error.starts_with("tiny: yosys ") && error.contains(said), "{other}: {error}");
        }
    }
}

/// A stream that is wider than the digest has bytes that are never valid, and says so.
#[test]
fn bytes_that_are_never_valid_may_be_constant() {
    for (keep, whole) in [("8'h0f", true), ("8'h1f", false)] {
        let mut request = request(Target::GenericGates, 1);
        let core = &mut request.core;
        core.verilog = core.verilog.replace(
            "output wire [7:0] y",
            "output wire [63:0] y_tdata, output wire [7:0] y_tkeep",
        );
        core.verilog =
            core.verilog.replace("reg [7:0] sum", "reg [31:0] sum").replace("+ y", "+ sum * 3");
        let out = format!("assign y_tdata = {{32'd0, sum}}; assign y_tkeep = {keep}");
        core.verilog = core.verilog.replace("assign y = sum", &out).replace("? 8'd0", "? 32'd0");
        let mut keep = core.sheet.ports.pop().unwrap();
        let data = Port { name: "y_tdata".into(), bits: 64, ..keep.clone() };
        keep.name = "y_tkeep".into();
        core.sheet.ports.extend([data, keep]);
        match built(request) {
            Some(Err(error)) => {
                assert!(!whole && error.to_string().contains("y_tdata[39:32]"), "{error}");
            }
            Some(Ok(_)) => assert!(whole),
            None => return,
        }
    }
}

#[test]
fn ports_are_as_wide_as_they_are_said_to_be() {
    let mut request = request(Target::GenericGates, 1);
    request.core.sheet.ports[2].bits = 9;
    let Some(result) = built(request) else { return };
    let error = result.unwrap_err().to_string();
    assert!(error.contains("a has 8 bits, and 9 in core.json"), "{error}");
}

#[test]
fn a_chaining_value_has_its_registers() {
    let mut request = request(Target::GenericGates, 1);
    request.core.sheet.primitive = "md5".to_owned();
    let Some(result) = built(request) else { return };
    let error = result.unwrap_err().to_string();
    assert!(
        error.contains("8 flip-flops are left, and the chaining value alone has 128"),
        "{error}"
    );
}
