//! A cross-section of the cores, simulated: every call of the compression that messages around the
//! block boundaries make, at full speed and with stalls, against the definition. `sweep` has the
//! rest.

use super::case::{Case, blocks, boundaries};
use super::check::check;
use super::tools::{Simulator, has, latches, lint, memories, simulate};
use manylane_emit::rtl::{Flow, Language, Options, Reset, Wanted, best, design, text, vectors};
use manylane_graph::trace;
use manylane_plan::hardware::{Adders, DelayModel, Precompute};

fn passes(case: Case) {
    let block = case.algorithm().id().entry().shape.block_bytes;
    let simulators = [Simulator::of(case.style.language)];
    check(&case, &simulators, &boundaries(block)).unwrap_or_else(|error| panic!("{error}"));
}

#[test]
fn sha256_merged_retimed_and_in_stages() {
    use Adders::*;
    use Precompute::*;
    let sha256 = Case::new("sha256");
    passes(sha256.shape(1, 1, Chain, None));
    passes(sha256.shape(1, 1, CarrySave, Auto));
    passes(sha256.shape(1, 4, CarrySave, Auto));
    passes(sha256.shape(2, 4, Chain, Kw));
    passes(sha256.shape(4, 2, CarrySave, Full));
}

#[test]
fn rounds_of_four_functions() {
    passes(Case::new("sha1").shape(2, 4, Adders::Chain, Precompute::Kw));
    passes(Case::new("md5").shape(1, 1, Adders::CarrySave, Precompute::Auto));
    passes(Case::new("ripemd160").shape(2, 1, Adders::Tree, Precompute::Full));
}

#[test]
fn wide_words() {
    passes(Case::new("sha512").shape(2, 1, Adders::Tree, Precompute::Full));
    passes(Case::new("skein512").shape(1, 1, Adders::CarrySave, Precompute::Auto));
}

#[test]
fn counters_and_permutations() {
    passes(Case::new("blake256").shape(1, 1, Adders::CarrySave, Precompute::Auto));
    passes(Case::new("keccak256"));
    passes(Case::new("groestl256"));
}

/// One core is written in every language and with both resets; Grøstl has functions of bytes.
#[test]
fn every_language() {
    for language in Language::ALL {
        for reset in Reset::ALL {
            passes(Case::new("groestl256").style(language, reset));
        }
        let case = Case::new("sha1").style(language, Reset::Async);
        passes(case.shape(2, 4, Adders::CarrySave, Precompute::Full));
    }
}

#[test]
fn the_linter_is_content_and_there_are_no_latches() {
    for language in [Language::Verilog, Language::SystemVerilog] {
        let md5 = Case::new("md5");
        let sha256 = Case::new("sha256").shape(1, 4, Adders::CarrySave, Precompute::Auto);
        for case in [md5, Case::new("groestl256"), md5.ram(), sha256.ram().chains()] {
            let (name, case) = (case.name, case.style(language, Reset::Async));
            let folder = case.folder().join("lint");
            std::fs::create_dir_all(&folder).unwrap();
            let file = format!("{name}.{}", language.extension());
            let core = text(&case.design().core.netlist, case.style, "lint");
            std::fs::write(folder.join(&file), core).unwrap();
            if has("verilator", "--version") {
                assert_eq!(lint(&folder, &file), "", "{case}");
            }
            if has("yosys", "-V") {
                assert_eq!(latches(&folder, &file), "", "{case}");
            }
        }
    }
}

/// The cores have the shapes that `--preset best` chooses. After retiming, one value has names in
/// two clocks.
#[test]
fn the_linter_is_content_with_the_best_cores() {
    if !has("verilator", "--version") {
        return;
    }
    for platform in ["gate", "ecp5"] {
        let model = DelayModel::load(platform).unwrap();
        for name in ["sha256", "blake256", "sha1", "md5", "keccak256", "skein512"] {
            let mut case = Case::new(name);
            let graph = trace::compression(case.algorithm());
            case.hardware = best(&graph, &Wanted::default(), &model).unwrap();
            let folder = case.folder().join("best");
            std::fs::create_dir_all(&folder).unwrap();
            let options = Options::new(name);
            let design = design(&graph, &case.hardware, &model, &options).unwrap();
            let file = format!("{name}.{}", case.style.language.extension());
            let core = text(&design.core.netlist, case.style, "best");
            std::fs::write(folder.join(&file), core).unwrap();
            assert_eq!(lint(&folder, &file), "", "{case}, {platform}");
        }
    }
}

/// JH's seven rounds differ in what they permute; RIPEMD-256's lines exchange words.
#[test]
fn rounds_that_are_made_alike() {
    passes(Case::new("jh256"));
    passes(Case::new("ripemd256"));
    passes(Case::new("ripemd320").shape(1, 1, Adders::CarrySave, Precompute::Auto));
}

/// A core with an error in it does not pass: one bit of one constant, one rotation.
#[test]
fn a_planted_error_is_found() {
    let planted_in = |language, plants: [(&str, &str); 2]| {
        let case = Case::new("sha256").style(language, Reset::Sync);
        let simulator = Simulator::of(language);
        if !simulator.is_there() {
            return;
        }
        let design = case.design();
        let vectors = vectors(design.built(), &blocks(&case.algorithms(), &[3]));
        let core = text(&design.core.netlist, case.style, "planted");
        for (right, wrong) in plants {
            assert!(core.contains(right), "{right}");
            let planted = core.replacen(right, wrong, 1);
            let said = simulate(simulator, &case, &planted, &design, &vectors, Flow::Full);
            assert!(said.contains("not "), "{said}");
        }
    };
    planted_in(
        Language::Verilog,
        [("32'hc67178f2", "32'hc67178f3"), ("[5:0], s0_e[31:6]", "[6:0], s0_e[31:7]")],
    );
    planted_in(
        Language::Vhdl,
        [("x\"c67178f2\"", "x\"c67178f3\""), ("rotate_right(s0_e, 6)", "rotate_right(s0_e, 7)")],
    );
}

/// A round of RIPEMD without a constant adds zero, and two rounds of BLAKE compute m ⊕ c twice,
/// where that is computed inside a step.
#[test]
fn sides_of_rounds_that_are_made_alike() {
    passes(Case::new("ripemd160").shape(1, 1, Adders::Chain, Precompute::None));
    passes(Case::new("ripemd128").shape(2, 2, Adders::CarrySave, Precompute::None));
    passes(Case::new("blake256").shape(2, 1, Adders::Chain, Precompute::None));
}

/// Words come one by one, into memory, and cost no clock; in stages each has a line of its own.
#[test]
fn windows_in_memory() {
    use Adders::*;
    use Precompute::*;
    let sha256 = Case::new("sha256").ram();
    passes(sha256.shape(1, 1, CarrySave, Auto));
    passes(sha256.shape(2, 2, Chain, Kw).block_ram());
    passes(Case::new("sha1").shape(1, 4, Tree, Full).ram());
    passes(Case::new("md5").shape(1, 4, CarrySave, Auto).ram());
    passes(Case::new("ripemd160").shape(1, 1, Chain, Kw).block_ram());
    let blake256 = Case::new("blake256").style(Language::Vhdl, Reset::Async);
    passes(blake256.shape(1, 1, CarrySave, Auto).ram());
}

/// Chaining values wait in one memory for all stages, with windows of either kind.
#[test]
fn chaining_values_in_memory() {
    use Adders::*;
    use Precompute::*;
    passes(Case::new("sha256").shape(1, 4, CarrySave, Auto).ram().chains());
    passes(Case::new("blake256").shape(1, 2, Chain, Kw).chains());
    let sha1 = Case::new("sha1").style(Language::Vhdl, Reset::Sync);
    passes(sha1.shape(2, 8, Tree, Full).chains());
    passes(Case::new("md5").shape(1, 1, Chain, Kw).block_ram().chains());
    passes(Case::new("sha224+sha256").shape(1, 2, CarrySave, Auto).ram().chains());
    let error = Case::new("md5").chains().clearing().try_design().unwrap_err();
    assert!(error.contains("--window registers --chaining registers"), "{error}");
    let error = Case::new("sha1").shape(1, 80, Chain, Kw).chains().try_design().unwrap_err();
    assert!(
        error.contains("after 1 clocks, and the memory needs 2; take fewer --stages"),
        "{error}"
    );
}

/// A window that cannot be in memory is an error, which says why and which windows can be.
#[test]
fn windows_that_memory_cannot_have_are_an_error() {
    let error = |case: Case| case.ram().try_design().unwrap_err();
    for name in ["keccak256", "groestl256", "skein512"] {
        let said = error(Case::new(name));
        assert!(said.contains("a block goes into the state as a whole before the first round"));
        assert!(said.ends_with("or say --window registers"), "{said}");
    }
    let sha256 = Case::new("sha256");
    let said = error(sha256.shape(1, 8, Adders::Chain, Precompute::Kw));
    assert!(said.contains("possible are up to --stages 4"), "{said}");
    let said = error(sha256.shape(16, 1, Adders::Chain, Precompute::Kw));
    assert!(said.contains("possible are divisors of 16 up to --merge 8"), "{said}");
}

/// yosys infers RAM from memories: of look-up tables where chips have such RAM, else block RAM.
#[test]
fn memory_is_inferred() {
    if !has("yosys", "-V") {
        return;
    }
    // MD5 has two blocks of 16 words and one port; SHA-256 a block, and two ports of a line;
    // BLAKE-256 16 ports, for which yosys would not make copies of one memory.
    for (name, chip, cell, count) in [
        ("md5", "ecp5", "TRELLIS_DPR16X4", 16),
        ("sha256", "ice40", "SB_RAM40_4K", 6),
        ("blake256", "ice40", "SB_RAM40_4K", 32),
    ] {
        let case = Case::new(name).ram();
        let folder = case.folder().join("memory");
        std::fs::create_dir_all(&folder).unwrap();
        let core = text(&case.design().core.netlist, case.style, "memory");
        std::fs::write(folder.join("core.v"), core).unwrap();
        assert_eq!(memories(&folder, "core.v", name, chip, cell, count), "", "{case}");
    }
}
