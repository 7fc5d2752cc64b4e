//! The tools themselves, on a core of eight bits.

mod common;

use common::{Looker, request};
use manylane_synth::{Cache, Measured, Sums, Target, Tools, synthesize};

/// Builds the small core, if the tools are there. On CI they have to be.
fn build(target: Target, sums: Sums) -> Option<Measured> {
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
    let mut request = request(target, 1);
    request.sums = sums;
    Some(synthesize(&[request], &tools, &cache, 2, &Looker::default()).remove(0).unwrap())
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
