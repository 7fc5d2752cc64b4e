//! The shared vectors, and the reports about wrong ones.

use manylane_simulate::s12x::vectors::{Report, check};
use std::path::{Path, PathBuf};
use std::{env, fs};

/// The folder of the S12X's vectors, in the one that `MANYLANE_VECTORS` names, else
/// `../shared/vectors` beside the workspace; none if it is missing, which fails where vectors are
/// required.
fn folder() -> Option<PathBuf> {
    let folder = env::var_os("MANYLANE_VECTORS").map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/vectors"),
        PathBuf::from,
    );
    let folder = folder.join("s12x");
    if folder.is_dir() {
        return Some(folder);
    }
    let missing = format!("the S12X's vectors: no folder {}", folder.display());
    for variable in ["CI", "MANYLANE_REQUIRE_VECTORS"] {
        let is_set = env::var(variable).is_ok_and(|v| !["", "0", "false"].contains(&v.as_str()));
        assert!(!is_set, "{missing} (set MANYLANE_VECTORS)");
    }
    eprintln!("skipped {missing}");
    None
}

fn report(file: &str) -> Option<Report> {
    let text = fs::read_to_string(folder()?.join(file)).unwrap();
    let report = check(&text).unwrap_or_else(|error| panic!("{file}: {error}"));
    if let Some(first) = report.disagree.first() {
        panic!("{file}: {} disagree, the first: {first}", report.disagree.len());
    }
    Some(report)
}

#[test]
fn instructions_of_xgate() {
    let Some(report) = report("xgate-instructions.jsonl") else { return };
    assert_eq!(report.agree, 2_927);
    assert_eq!(report.exceptions, []);
}

#[test]
fn programs_of_xgate() {
    let Some(report) = report("xgate-programs.jsonl") else { return };
    assert_eq!(report.agree, 169);
}

/// The two that binutils assembles wrongly are named.
#[test]
fn encodings_of_xgate() {
    let Some(report) = report("xgate-encodings.jsonl") else { return };
    assert_eq!(report.agree, 570);
    let names: Vec<_> = report.exceptions.iter().map(|exception| &*exception.name).collect();
    assert_eq!(names, ["tfr ccr,r2", "tfr r2,pc"]);
}

/// Instructions that no document describes are named: a store of the register that it steps, and
/// quotients of more than 16 bits.
#[test]
fn instructions_of_the_cpu() {
    let Some(report) = report("cpu12-instructions.jsonl") else { return };
    assert_eq!(report.agree, 3_972);
    let named = |start| report.exceptions.iter().filter(|e| e.name.starts_with(start)).count();
    assert_eq!((named("c-sty"), named("c-ediv"), report.exceptions.len()), (2, 9, 11));
}

#[test]
fn programs_of_the_cpu() {
    let Some(report) = report("cpu12-programs.jsonl") else { return };
    assert_eq!((report.agree, report.exceptions.len()), (34, 0));
}

/// The two that binutils assembles wrongly are named.
#[test]
fn encodings_of_the_cpu() {
    let Some(report) = report("cpu12x-encodings.jsonl") else { return };
    assert_eq!(report.agree, 1_897);
    let names: Vec<_> = report.exceptions.iter().map(|exception| &*exception.name).collect();
    assert_eq!(names, ["gsts 50317", "gsts 57376"]);
}

/// A vector of the CPU, then one with each of its values changed.
#[test]
fn a_wrong_value_of_the_cpu_is_found() {
    let right = r#"{"id":"a","op":"adda","form":"IDX:5","asm":"staa 2,x","bytes":"6a02","pc":4096,
        "r":[1,2,8192,4,5],"ccr":255,"mem":[[8194,9]],"r_after":[1,2,8192,4,5],"pc_after":4098,
        "ccr_after":241,"ccr_mask":255,"mem_after":[[8194,1]],"src":"both","cyc":2}"#
        .replace('\n', " ");
    let report = check(&right).unwrap();
    assert_eq!((report.agree, report.disagree.len()), (1, 0), "{:?}", report.disagree);
    for (old, new, what) in [
        (r#""r_after":[1"#, r#""r_after":[2"#, "A, B, X, Y, SP"),
        (r#""ccr_after":241"#, r#""ccr_after":240"#, "CCR"),
        (r#""pc_after":4098"#, r#""pc_after":4099"#, "PC"),
        (r#""cyc":2"#, r#""cyc":3"#, "cycles"),
        ("staa 2,x", "staa 3,x", "bytes of the text"),
        ("[[8194,1]]", "[[8194,2]]", "byte at 0x2002"),
        (r#""bytes":"6a02""#, r#""bytes":"1830""#, "bytes of the text"),
    ] {
        let wrong = right.replace(old, new);
        assert_ne!(wrong, right);
        let report = check(&wrong).unwrap();
        let found: Vec<_> = report.disagree.iter().flat_map(|d| &d.differences).collect();
        assert!(found.iter().any(|difference| difference.what == what), "{what}: {found:?}");
    }
}

/// A vector of each kind, then one with each of its values changed.
#[test]
fn a_wrong_value_is_found() {
    let right = r#"{"id":"a","op":"add","form":"TRI","asm":"add r1,r2,r3","w":"194e","pc":4096,
        "r":[0,65535,1,0,0,0,0],"ccr":0,"r_after":[0,65535,1,0,0,0,0],"ccr_after":5,"ccr_mask":15,
        "pc_after":4098,"cyc":1}"#
        .replace('\n', " ");
    let report = check(&right).unwrap();
    assert_eq!((report.agree, report.disagree.len()), (1, 0), "{:?}", report.disagree);
    for (old, new, what) in [
        (r#""r_after":[0"#, r#""r_after":[1"#, "registers"),
        (r#""ccr_after":5"#, r#""ccr_after":4"#, "CCR"),
        (r#""pc_after":4098"#, r#""pc_after":4100"#, "PC"),
        (r#""cyc":1"#, r#""cyc":2"#, "end"),
        ("add r1,r2,r3", "add r1,r3,r3", "words of the text"),
        (r#""cyc":1"#, r#""cyc":1,"mem_after":[[7,1]]"#, "byte at 0x0007"),
        (r#""cyc":1"#, r#""cyc":1,"sem_after":[0,2,0,0,0,0,0,0]"#, "semaphores"),
        (r#""cyc":1"#, r#""cyc":1,"sif":[4]"#, "interrupt flags"),
        (r#""cyc":1"#, r#""cyc":1,"idle":true"#, "idle"),
    ] {
        let wrong = right.replace(old, new);
        assert_ne!(wrong, right);
        let report = check(&format!("\n{wrong}")).unwrap();
        let [disagreement] = &report.disagree[..] else { panic!("{what}: {report:?}") };
        assert_eq!((disagreement.line, &*disagreement.name), (2, "a"));
        assert!(disagreement.differences.iter().any(|d| d.what == what), "{disagreement}");
    }
}

#[test]
fn wrong_files_are_named_by_their_line() {
    for (text, message) in [
        ("", "line 1: the file has no vectors"),
        ("\n\n{", "line 3: no JSON: EOF while parsing an object at line 1 column 1"),
        ("[1]", "line 1: a vector is an object of JSON, in braces"),
        (r#"{"a":1,"b":2}"#, "line 1: no form of vector has the fields a, b"),
        (r#"{"asm":"nop","words":"01"}"#, "line 1: the vector is not complete: missing field"),
        (r#"{"asm":"nop","words":"0x00"}"#, "line 1: `0x00` is no text of hexadecimal bytes"),
        (r#"{"asm":7,"words":"0100"}"#, "line 1: the vector is not complete: invalid type"),
    ] {
        match check(text) {
            Err(error) => assert!(error.to_string().starts_with(message), "{error}"),
            // Half a word is no word of an instruction.
            Ok(report) => assert_eq!(report.disagree.len(), 1, "{text}: {report:?}"),
        }
    }
}
