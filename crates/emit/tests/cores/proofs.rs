//! Cores proved equal to their definition, and errors planted in them, which a proof must name.

use super::case::Case;
use super::tools::has;
use manylane_emit::prove::{Claim, Error, Proof, Solver, Yosys, files};
use manylane_emit::rtl::{Design, Driver, Expr, Netlist, SignalId, Value};
use manylane_graph::{Op, trace};
use manylane_plan::hardware::{Adders, Precompute};
use std::path::Path;

const BEST: (usize, usize, Adders, Precompute) = (1, 1, Adders::CarrySave, Precompute::Auto);
const PAPER: (usize, usize, Adders, Precompute) = (2, 4, Adders::Chain, Precompute::Kw);

fn case(
    name: &'static str,
    (merge, stages, adders, precompute): (usize, usize, Adders, Precompute),
) -> Case {
    Case::new(name).shape(merge, stages, adders, precompute)
}

/// Examines a core without a solver: a lemma that no random values refute counts as true.
fn refute(case: &Case, design: &Design) -> Result<(), Error> {
    let definition = trace::compression(case.algorithm());
    claim(design, &definition).cuts().map(drop)
}

fn claim<'c>(design: &'c Design, definition: &'c manylane_graph::Function) -> Claim<'c> {
    Claim { core: &design.core, compression: design.compression(), definition }
}

/// Proves a core, if there is a solver.
fn prove(case: &Case) -> Option<Proof> {
    if !has("z3", "--version") {
        return None;
    }
    let design = case.design();
    let definition = trace::compression(case.algorithm());
    let proof = claim(&design, &definition).prove(&Solver::find().unwrap());
    Some(proof.unwrap_or_else(|error| panic!("{case}: {error}")))
}

/// Has yosys prove the handshakes of a core.
fn prove_handshake(case: &Case, design: &Design) -> Result<(), Error> {
    let definition = trace::compression(case.algorithm());
    let folder = case.folder().join("proof");
    std::fs::create_dir_all(&folder).unwrap();
    for (name, text) in claim(design, &definition).handshake()?.files {
        std::fs::write(folder.join(name), text).unwrap();
    }
    Yosys::at(Path::new("yosys")).prove(&folder)
}

/// Carry-save rows, operations in other clocks, choices among functions, stages.
#[test]
fn cores_are_their_definitions() {
    for name in ["sha256", "sha1", "sha512", "md5", "ripemd160", "skein512"] {
        let proof = prove(&case(name, BEST));
        // A few lemmas, each for many turns.
        assert!(proof.is_none_or(|p| p.cuts.lemmas.len() < 10 && p.replaced == 0), "{name}");
    }
    for shape in
        [(1, 16, Adders::CarrySave, Precompute::Auto), (4, 2, Adders::Tree, Precompute::Full)]
    {
        prove(&case("sha256", shape));
    }
    prove(&case("sha1", PAPER));
}

/// Every operation of these is the definition's own, so they need no lemma.
#[test]
fn cores_without_sums_of_many_terms() {
    for name in ["blake256", "keccak256", "groestl256"] {
        let proof = prove(&case(name, BEST));
        assert!(proof.is_none_or(|proof| proof.cuts.lemmas.is_empty() && proof.cuts.shared > 1000));
    }
    prove(&case("jh256", (7, 1, Adders::Chain, Precompute::Kw)));
}

/// The first signal of this kind.
fn find(net: &Netlist, is_it: impl Fn(&str, &Driver) -> bool) -> (SignalId, Driver) {
    let mut signals = net.signals().filter(|(_, signal)| is_it(&signal.name, &signal.driver));
    let (id, signal) = signals.next().expect("the core has it");
    (id, signal.driver.clone())
}

fn wire(net: &Netlist, is_it: impl Fn(&str, &Expr) -> bool) -> (SignalId, Expr) {
    let (id, driver) =
        find(net, |name, driver| matches!(driver, Driver::Wire(e) if is_it(name, e)));
    let Driver::Wire(expr) = driver else { unreachable!("it is a wire") };
    (id, expr)
}

/// What is said of a core with an error in it.
fn said(shape: (usize, usize, Adders, Precompute), plant: impl Fn(&mut Netlist)) -> String {
    let case = case("sha256", shape);
    let mut design = case.design();
    assert_eq!(refute(&case, &design), Ok(()));
    plant(&mut design.core.netlist);
    refute(&case, &design).expect_err("the error is found").to_string()
}

fn contains(said: &str, parts: &[&str]) {
    parts.iter().for_each(|part| assert!(said.contains(part), "{part}: {said}"));
}

#[test]
fn another_operation_is_named() {
    for shape in [BEST, PAPER] {
        let said = said(shape, |net| {
            let is_and =
                |_: &str, expr: &Expr| matches!(expr, Expr::Op(Op::And, args) if args.len() == 2);
            let (id, expr) = wire(net, |name, expr| name.starts_with("s0_") && is_and(name, expr));
            let Expr::Op(_, args) = expr else { unreachable!("it is an operation") };
            net.drive(id, Expr::Op(Op::Or, args));
        });
        contains(
            &said,
            &[
                "sha256 is not sha256.compression: the new h",
                "should be 0x",
                "after round[0]",
                "m15 = 0x",
            ],
        );
    }
}

#[test]
fn another_rotation_is_named() {
    let said = said(BEST, |net| {
        let (id, expr) = wire(net, |_, expr| matches!(expr, Expr::Op(Op::Rotr(17), _)));
        let Expr::Op(_, args) = expr else { unreachable!("it is an operation") };
        net.drive(id, Expr::Op(Op::Rotr(18), args));
    });
    contains(&said, &["the first word it does not have is word 0 after schedule[16]"]);
}

/// The turn is that whose constant was changed.
#[test]
fn another_constant_is_named() {
    let said = said(BEST, |net| {
        let k_17 = |arms: &[(Vec<u32>, Value)]| {
            arms.iter().position(|(_, value)| *value == Value::Const(0xefbe_4786))
        };
        let has_it =
            |expr: &Expr| matches!(expr, Expr::Select { arms, .. } if k_17(arms).is_some());
        let (id, expr) = wire(net, |_, expr| has_it(expr));
        let Expr::Select { selector, mut arms } = expr else { unreachable!("it selects") };
        let arm = k_17(&arms).unwrap();
        arms[arm].1 = Value::Const(0xefbe_4787);
        net.drive(id, Expr::Select { selector, arms });
    });
    contains(&said, &["after round[17], due in s0_", " where it should be 0x"]);
}

#[test]
fn a_word_that_is_a_clock_late_is_named() {
    let said = said(BEST, |net| {
        let (id, driver) = find(net, |name, _| name == "s0_w3");
        let section = net.signal(id).section;
        let late = net.add(section, "late", 32, driver);
        net.connect(id, Expr::Value(Value::Signal(late)));
    });
    contains(
        &said,
        &["the new h0 depends on late ", "the first word it does not have is a after round["],
    );
}

/// A difference that random values do not show is one that the solver finds.
#[test]
fn a_rare_difference_is_found() {
    if !has("z3", "--version") {
        return;
    }
    let case = case("sha256", BEST);
    let mut design = case.design();
    let net = &mut design.core.netlist;
    // Σ₁ of a word of ones differs.
    let (id, expr) = wire(net, |_, expr| matches!(expr, Expr::Op(Op::Rotr(6), _)));
    let section = net.signal(id).section;
    let rotated = net.add(section, "rotated", 32, Driver::Wire(expr));
    let mut word = rotated;
    for by in [1, 2, 4, 8, 16] {
        let op = |op, args: &[SignalId]| {
            let args = args.iter().map(|&arg| Value::Signal(arg)).collect();
            Driver::Wire(Expr::Op(op, args))
        };
        let turned = net.add(section, "turned", 32, op(Op::Rotr(by), &[word]));
        word = net.add(section, "together", 32, op(Op::And, &[word, turned]));
    }
    let args = vec![Value::Signal(rotated), Value::Signal(word)];
    net.drive(id, Expr::Op(Op::Xor, args));
    assert_eq!(refute(&case, &design), Ok(()), "random values do not show it");
    let definition = trace::compression(case.algorithm());
    let error = claim(&design, &definition).prove(&Solver::find().unwrap()).unwrap_err();
    contains(&error.to_string(), &["no proof was found", "a cut is refuted by "]);
}

/// Control: a turn too few, a block taken while a result waits.
#[test]
fn errors_of_control_are_named() {
    let one_less = said(BEST, |net| {
        let (id, expr) = wire(net, |_, expr| matches!(expr, Expr::Equals(..)));
        let Expr::Equals(count, last) = expr else { unreachable!("it compares") };
        net.drive(id, Expr::Equals(count, last - 1));
    });
    contains(&one_less, &["sha256 is not sha256.compression: "]);
    let always = said(BEST, |net| {
        let (_, ready) = net.outputs().iter().find(|(port, _)| port == "in_ready").unwrap();
        net.drive(*ready, Expr::Value(Value::Const(1)));
    });
    contains(&always, &["in_ready is not always 0 while enable is"]);
}

/// Modes, and cores that clear: what a block starts from, its mode, and that none is lost.
#[test]
fn cores_with_modes_that_clear() {
    let narrow = case("sha224+sha256", BEST);
    for case in [narrow.clearing(), case("sha224+sha256", (2, 4, Adders::Tree, Precompute::Full))] {
        prove(&case);
        if has("yosys", "-V") {
            assert_eq!(prove_handshake(&case, &case.design()), Ok(()), "{case}");
        }
    }
    let mut design = narrow.clearing().design();
    assert_eq!(refute(&narrow, &design), Ok(()));
    let net = &mut design.core.netlist;
    let (id, expr) = wire(net, |name, _| name == "first_h3");
    let Expr::Select { selector, mut arms } = expr else { unreachable!("it selects") };
    arms[0].1 = Value::Const(0);
    net.drive(id, Expr::Select { selector, arms });
    let said = refute(&narrow, &design).unwrap_err().to_string();
    contains(&said, &["word 3 before a block is not that of sha224"]);
}

/// A core that is thought idle while a block is in it loses the block.
#[test]
fn a_block_that_is_cleared_is_found() {
    let case = case("sha256", BEST).clearing();
    let mut design = case.design();
    let net = &mut design.core.netlist;
    let (busy, expr) = wire(net, |name, _| name == "busy");
    let Expr::Op(_, args) = expr else { unreachable!("it is an operation") };
    net.drive(busy, Expr::Op(Op::Or, args[1..].to_vec()));
    assert!(refute(&case, &design).is_err());
}

/// One stage and several, a stage for every few steps, a clock for each stage.
#[test]
fn handshakes_hold() {
    let shape = |stages| (1, stages, Adders::CarrySave, Precompute::Auto);
    for case in [
        case("sha256", BEST),
        case("sha256", shape(4)),
        case("sha1", PAPER),
        case("blake256", shape(14)),
    ] {
        if has("yosys", "-V") {
            assert_eq!(prove_handshake(&case, &case.design()), Ok(()), "{case}");
        }
    }
}

/// yosys sees a result that is not kept.
#[test]
fn errors_of_handshakes_are_found() {
    if !has("yosys", "-V") {
        return;
    }
    let case = case("md5", PAPER);
    let mut design = case.design();
    let net = &mut design.core.netlist;
    let (empty, _) = wire(net, |name, _| name == "empty");
    net.drive(empty, Expr::Value(Value::Const(1)));
    let error = prove_handshake(&case, &design).unwrap_err().to_string();
    contains(&error, &["the handshakes are not proved", "proof did fail"]);
}

/// Others check the files with their own tools.
#[test]
fn a_proof_is_files() {
    let case = case("sha256", BEST);
    let design = case.design();
    let definition = trace::compression(case.algorithm());
    let claim = claim(&design, &definition);
    let files = files(&claim, &claim.cuts().unwrap(), &claim.handshake().unwrap());
    let text = |name: &str| &files.iter().find(|(file, _)| file == name).unwrap().1;
    contains(
        text("proof/lemma_01.smt2"),
        &["(set-logic QF_BV)", "(assert (distinct ", "(check-sat)"],
    );
    contains(text("proof/README.md"), &["lemma_01.smt2", "| 64 |", "after round[0], over "]);
    contains(text("proof/rules.mk"), &["prove:"]);
}
