//! Folders of bare cores: what is in them runs.

use super::case::{Case, blocks};
use super::tools::{cocotb, has, made, make};
use manylane_emit::rtl::{Language, Project, Reset, project};
use manylane_plan::hardware::{Adders, Precompute};
use std::path::PathBuf;

fn folder_of(case: &Case, lengths: &[usize]) -> PathBuf {
    let design = case.design();
    let blocks = blocks(&case.algorithms(), lengths);
    let (title, style) = (case.name, case.style);
    let about = Project { title, warning: None, command: "manylane", blocks: &blocks, style };
    let folder = case.folder();
    for (path, text) in project(design.built(), &about) {
        std::fs::create_dir_all(folder.join(&path).parent().unwrap()).unwrap();
        std::fs::write(folder.join(&path), text).unwrap();
    }
    folder
}

/// The bench in Python: blocks at once and word by word, modes, clearing, stages, every language.
#[test]
fn benches_in_python() {
    let Some(path) = cocotb() else { return };
    let auto = |case: Case, stages| case.shape(1, stages, Adders::CarrySave, Precompute::Auto);
    for case in [
        auto(Case::new("sha256"), 4),
        auto(Case::new("sha224+sha256").clearing(), 2),
        Case::new("md5").ram().chains().style(Language::SystemVerilog, Reset::Async),
        auto(Case::new("blake256").style(Language::Vhdl, Reset::Sync), 2),
    ] {
        let tool = if case.style.language == Language::Vhdl { "ghdl" } else { "iverilog" };
        if !has(tool, "-v") {
            continue;
        }
        let folder = folder_of(&case, &[0, 3, 64, 130]);
        let said = make(&folder, "cocotb", &path);
        assert!(said.contains("PASS=2 FAIL=0"), "{case}: {said}");
    }
}

/// A wrong word and a wrong tag.
#[test]
fn benches_in_python_find_planted_errors() {
    let Some(path) = cocotb().filter(|_| has("iverilog", "-V")) else { return };
    let case = Case::new("sha1").shape(2, 2, Adders::Chain, Precompute::Kw);
    let folder = folder_of(&case, &[0, 3]);
    let core = folder.join("rtl/sha1.v");
    let right = std::fs::read_to_string(&core).unwrap();
    for (what, planted, said) in [
        ("8f1bbcdc", "8f1bbcdd", "out_chain of block 0"),
        ("kept0_tag <= in_tag", "kept0_tag <= 8'd1", "the tag of block 0"),
    ] {
        assert!(right.contains(what), "{what}");
        std::fs::write(&core, right.replacen(what, planted, 1)).unwrap();
        let found = made(&folder, "cocotb", &path).unwrap_err();
        assert!(found.contains(said), "{planted}: {found}");
    }
}
