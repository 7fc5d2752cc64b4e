//! Cores that keep nothing of a block: the bench looks into every register.

use super::case::{Case, blocks};
use super::check::check;
use super::tools::{Simulator, has, latches, lint, simulate};
use manylane_emit::rtl::{Flow, Language, Reset, text, vectors};
use manylane_plan::hardware::{Adders, Precompute};

fn passes(case: Case) {
    let block = case.algorithm().id().entry().shape.block_bytes;
    let simulators = [Simulator::of(case.style.language)];
    check(&case.clearing(), &simulators, &[0, block - 1, 2 * block + 1])
        .unwrap_or_else(|error| panic!("{error}"));
}

#[test]
fn nothing_stays_in_one_stage_or_several() {
    use Adders::*;
    use Precompute::*;
    passes(Case::new("sha256").shape(1, 1, CarrySave, Auto));
    passes(Case::new("sha256").shape(1, 8, CarrySave, Auto));
    passes(Case::new("sha224+sha256").shape(2, 2, Tree, Full));
    passes(Case::new("sha1").shape(2, 4, Chain, Kw));
    passes(Case::new("md5").shape(1, 1, Chain, Full));
    passes(Case::new("blake256").shape(1, 14, CarrySave, Auto));
    passes(Case::new("keccak256"));
}

#[test]
fn nothing_stays_in_every_language() {
    for (language, reset) in [
        (Language::SystemVerilog, Reset::Async),
        (Language::Vhdl, Reset::Sync),
        (Language::Vhdl, Reset::Async),
    ] {
        passes(Case::new("sha256").style(language, reset).shape(
            1,
            2,
            Adders::CarrySave,
            Precompute::Auto,
        ));
    }
}

#[test]
fn the_linters_are_content_and_there_are_no_latches() {
    for (name, language) in [
        ("sha224+sha256", Language::Verilog),
        ("sha384+sha512+sha512-224", Language::SystemVerilog),
    ] {
        let case = Case::new(name).style(language, Reset::Async).clearing();
        let case = case.shape(1, 4, Adders::CarrySave, Precompute::Auto);
        let folder = case.folder().join("lint");
        std::fs::create_dir_all(&folder).unwrap();
        let design = case.design();
        let file = format!("{}.{}", design.core.netlist.name, language.extension());
        let core = text(&design.core.netlist, case.style, "lint");
        std::fs::write(folder.join(&file), core).unwrap();
        if has("verilator", "--version") {
            assert_eq!(lint(&folder, &file), "", "{case}");
        }
        if has("yosys", "-V") {
            assert_eq!(latches(&folder, &file), "", "{case}");
        }
    }
}

/// What is in memory cannot all be cleared in a clock.
#[test]
fn a_window_in_memory_is_an_error() {
    let error = Case::new("sha256").ram().clearing().try_design().unwrap_err();
    assert!(error.contains("say --window registers"), "{error}");
}

/// A register that is left out, a core that is thought idle too soon, blocks that are not dropped.
#[test]
fn an_omission_is_found() {
    let case = Case::new("sha256").shape(1, 1, Adders::Chain, Precompute::Kw).clearing();
    if !Simulator::Icarus.is_there() {
        return;
    }
    let design = case.design();
    let vectors = vectors(design.built(), &blocks(&case.algorithms(), &[3, 70, 130]));
    let core = text(&design.core.netlist, case.style, "planted");
    for (right, wrong, said) in [
        ("s0_w9 <= 32'h00000000;", "s0_w9 <= s0_w9;", "s0_w9 is not cleared"),
        ("out_h3 <= 32'h00000000;", "", "out_h3 is not cleared"),
        ("busy = occupied0 | last0 | ", "busy = occupied0 | ", "stuck"),
        ("zero = clear | rests", "zero = rests", "is not cleared"),
        ("zero = clear | rests", "zero = clear", "is not cleared"),
    ] {
        assert!(core.contains(right), "{right}");
        let planted = core.replacen(right, wrong, 1);
        let heard = simulate(Simulator::Icarus, &case, &planted, &design, &vectors, Flow::Stalls);
        assert!(heard.contains(said), "{right}: {heard}");
    }
}
