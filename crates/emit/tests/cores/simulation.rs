//! A cross-section of the cores, simulated: every call of the compression that messages around the
//! block boundaries make, at full speed and with stalls, against the definition. `sweep` has the
//! rest.

use super::case::{Case, blocks, boundaries, check, vectors};
use super::tools::{Simulator, has, latches, lint, simulate};
use manylane_emit::rtl::{Flow, Language, Options, Reset, Wanted, Window, best, design, text};
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

/// The same core in every language and with both resets; Grøstl has functions of bytes.
#[test]
fn every_language() {
    for &language in Language::ALL {
        for &reset in Reset::ALL {
            passes(Case::new("groestl256").style(language, reset));
        }
        let case = Case::new("sha1").style(language, Reset::Async);
        passes(case.shape(2, 4, Adders::CarrySave, Precompute::Full));
    }
}

#[test]
fn the_linter_is_content_and_there_are_no_latches() {
    for language in [Language::Verilog, Language::SystemVerilog] {
        for name in ["md5", "groestl256"] {
            let case = Case::new(name).style(language, Reset::Async);
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

/// In the shapes that `--preset best` chooses; retiming leaves names of one thing in two clocks.
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
            let options =
                Options { module: name.to_owned(), tag_bits: 8, window: Window::default() };
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
        let vectors = vectors(&design, &blocks(case.algorithm(), &[3]));
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

/// Where a round of RIPEMD-160 has no constant, nothing is added to the word: inside the step that
/// is another kind of round.
#[test]
fn rounds_that_cannot_be_made_alike_are_an_error() {
    let case = Case::new("ripemd160").shape(1, 1, Adders::Chain, Precompute::None);
    let error = case.try_design().unwrap_err();
    assert!(
        error.contains("rtl: the steps of ripemd160.compression, 1 to a clock, are of 3 kinds")
    );
    assert!(error.ends_with("or compute ahead what differs: --precompute kw"), "{error}");
}

#[test]
fn windows_in_memory() {
    use Adders::*;
    use Precompute::*;
    let only = std::env::var("ONLY").unwrap_or_default();
    let mut bad = 0;
    for name in ["sha256", "sha1", "sha512", "md5", "ripemd160", "blake256"] {
        for (merge, stages) in [(1, 1), (2, 1), (4, 1), (1, 2), (1, 4), (2, 2)] {
            for (adders, pre) in
                [(Chain, Kw), (Chain, None), (CarrySave, Full), (CarrySave, Auto), (Tree, Auto)]
            {
                let case = Case::new(name).shape(merge, stages, adders, pre).ram();
                if !case.to_string().starts_with(&only) {
                    continue;
                }
                let block = case.algorithm().id().entry().shape.block_bytes;
                let r = std::panic::catch_unwind(|| {
                    check(&case, &[Simulator::Icarus], &boundaries(block))
                });
                match r {
                    Ok(Ok(n)) => println!("ok {case} {n}"),
                    Ok(Err(e)) => {
                        println!("ERR {e}");
                        bad += 1
                    }
                    Err(e) => {
                        println!("PANIC {case} {:?}", e.downcast_ref::<String>());
                        bad += 1
                    }
                }
            }
        }
    }
    assert_eq!(bad, 0);
}
