//! The graph of the η_T pairing is the definition's.

use manylane_graph::pairing::{
    Calls, Report, SplitCalls, evaluate, even_cuts, pair, pair_in_parts,
};
use manylane_graph::verify::verify;
use manylane_graph::{Module, StepId};
use manylane_primitives::pairing::{
    self as definition, Curve, Element, Eta271, Eta379, Eta1223, Point,
};
use manylane_primitives::word::Words;

fn point<C: Curve>(seed: u8) -> Point<Element<C>> {
    let mut digest = C::Bytes::splat(seed);
    for (i, byte) in digest.as_mut().iter_mut().enumerate() {
        *byte = byte.wrapping_mul(i as u8 | 1);
    }
    Point::from_digest(digest).expect("a point")
}

/// In one part and in several, on every curve.
#[test]
fn the_graph_means_the_pairing() {
    fn check<C: Curve>(parts: &[usize]) {
        let (p, q) = (point::<C>(29), point::<C>(71));
        let expected = definition::pair(p, q).0;
        for &parts in parts {
            let module = pair_in_parts::<C>(&even_cuts::<C>(parts));
            verify(&module).unwrap();
            let found = evaluate(&module, module.main(), &[p.x(), p.y(), q.x(), q.y()]);
            assert_eq!(found, expected, "{parts} parts over F_2^{}", C::M);
        }
    }
    check::<Eta271>(&[1, 2, 3, 8]);
    check::<Eta379>(&[1, 5]);
    check::<Eta1223>(&[3]);
}

#[test]
fn the_text_reads_back() {
    let module = pair::<Eta271>();
    assert_eq!(module.to_string().parse::<Module>().as_ref(), Ok(&module));
}

fn step(module: &Module, path: &str) -> StepId {
    module.main().find_step(path).unwrap_or_else(|| panic!("no step {path}"))
}

/// Algorithm 5, lines 2 to 7 and 9 to 14; 6 products for F · G as G is sparse.
#[test]
fn factors_call_what_the_paper_counts() {
    let module = pair::<Eta1223>();
    let calls = |path: &str| Calls { add: 0, ..Calls::in_step(&module, step(&module, path)) };
    let first = Calls { multiply: 4, square: 1, ..Calls::default() };
    assert_eq!(calls("factor[0]"), first);
    let other = Calls { multiply: 7, square: 2, square_root: 2, ..Calls::default() };
    for i in [1, 2, 300, 611] {
        assert_eq!(calls(&format!("factor[{i}]")), other, "factor {i}");
    }
    let products = calls("final exponentiation[0]").multiply;
    assert_eq!(Calls::of(&module, module.main()).multiply, 4 + 611 * 7 + products);
    // m − 1 = 1222 has 11 bits, of which 5 are set.
    assert_eq!(Calls::of_inverse(&module).multiply, 10 + 4);
}

/// A later part starts with four powers; two parts are joined by nine products.
#[test]
fn parts_start_with_powers_and_are_joined() {
    let module = pair_in_parts::<Eta1223>(&[0, 300, 612]);
    let calls = |path: &str| Calls { add: 0, ..Calls::in_step(&module, step(&module, path)) };
    assert_eq!(calls("part[0]/start[0]"), Calls::default());
    let start = Calls { frobenius: 4, ..Calls::default() };
    assert_eq!(calls("part[1]/start[300]"), start);
    let line = Calls { multiply: 1, ..Calls::default() };
    assert_eq!(calls("part[1]/factor[300]"), line);
    assert_eq!(calls("join[0]"), Calls { multiply: 9, ..Calls::default() });
}

#[test]
fn the_report_adds_up() {
    let report = Report::new::<Eta1223>();
    let all = report.calls.multiply + report.calls.inverse * report.inverse.multiply;
    assert_eq!(report.profile.iter().sum::<usize>(), all);
    let [one, .., most] = &report.parts[..] else { panic!("several numbers of parts") };
    assert_eq!((one.parts, one.products, one.chain), (1, all, report.profile.len()));
    assert_eq!(most.parts, 612);
    // Up to 256 parts, every doubling of their number shortens the chain. It costs no product: what
    // a join takes, the sparse first factors of its parts save.
    for pair in report.parts.windows(2).filter(|pair| pair[1].parts <= 256) {
        assert!(pair[0].chain > pair[1].chain && pair[0].products == pair[1].products);
    }
}

/// What is counted for one curve holds for all.
#[test]
fn curves_differ_in_the_inversion_alone() {
    let without_sums = |split: SplitCalls| {
        [split.first, split.factor, split.start, split.join, split.last]
            .map(|calls| Calls { add: 0, ..calls })
    };
    let [a, b, c] = [SplitCalls::of::<Eta271>(), SplitCalls::of::<Eta379>(), SplitCalls::eta1223()];
    assert_eq!(without_sums(a), without_sums(c));
    assert_eq!(without_sums(b), without_sums(c));
}
