//! Cores of several hashes: blocks of messages of all these hashes take turns.

use super::case::{Case, blocks};
use super::check::check;
use super::tools::{Simulator, simulate};
use manylane_emit::rtl::{Flow, Language, Reset, modes, text, vectors};
use manylane_graph::framing::framing;
use manylane_plan::hardware::{Adders, Precompute};
use manylane_primitives::catalog::Algorithm;

const NARROW: &str = "sha224+sha256";
const WIDE: &str = "sha384+sha512+sha512-224+sha512-256";

fn passes(case: Case, lengths: &[usize]) {
    let simulators = [Simulator::of(case.style.language)];
    check(&case, &simulators, lengths).unwrap_or_else(|error| panic!("{error}"));
}

#[test]
fn modes_in_flight_side_by_side() {
    let lengths = [0, 55, 64, 119];
    passes(Case::new(NARROW).shape(1, 4, Adders::CarrySave, Precompute::Auto), &lengths);
    passes(Case::new(WIDE).shape(1, 1, Adders::CarrySave, Precompute::Auto), &[3, 112, 200]);
}

#[test]
fn modes_in_every_language() {
    let shape = |case: Case| case.shape(2, 2, Adders::Tree, Precompute::Full);
    passes(shape(Case::new(NARROW).style(Language::SystemVerilog, Reset::Async)), &[3, 64]);
    passes(shape(Case::new(WIDE).style(Language::Vhdl, Reset::Sync)), &[3, 112]);
}

/// A mode's chaining value, the mode's way through the stages, what is cut off a digest.
#[test]
fn a_planted_error_is_found() {
    let case = Case::new(NARROW).shape(1, 2, Adders::Chain, Precompute::Kw);
    if !Simulator::Icarus.is_there() {
        return;
    }
    let design = case.design();
    let vectors = vectors(design.built(), &blocks(&case.algorithms(), &[3, 70]));
    let core = text(&design.core.netlist, case.style, "planted");
    for (right, wrong) in [
        ("32'hc1059ed8", "32'hc1059ed9"),
        ("kept1_mode <= kept0_mode;", "kept1_mode <= in_mode;"),
        ("in_first ? first_h7", "~in_first ? first_h7"),
        ("mask7 = 32'h00000000", "mask7 = 32'h80000000"),
    ] {
        assert!(core.contains(right), "{right}");
        let planted = core.replacen(right, wrong, 1);
        let said = simulate(Simulator::Icarus, &case, &planted, &design, &vectors, Flow::Full);
        assert!(said.contains("not "), "{right}: {said}");
    }
}

/// Modes differ in the first chaining value and the length of the digest alone.
#[test]
fn hashes_that_differ_in_more_are_named() {
    let refused = |names: &[&str]| {
        let named = |name: &&str| {
            let hash: Algorithm = name.parse().unwrap();
            (hash.to_string(), framing(hash).unwrap())
        };
        modes(&names.iter().map(named).collect::<Vec<_>>()).unwrap_err().to_string()
    };
    let said = refused(&["blake224", "blake256"]);
    assert!(said.contains("blake224 and blake256 differ in their padding"), "{said}");
    assert!(refused(&["sha256", "sha256"]).contains("sha256 is named twice"));
    assert!(refused(&["sha256"]).contains("two hashes or more"));
}
