//! The paper's table-driven arithmetic against the constant-time one.

use crate::common::{Rng, samples};
use manylane_primitives::pairing::tables::{self, TableElement};
use manylane_primitives::pairing::{BinaryField, Element, Eta1223, Point, eta_t};

#[test]
fn algorithms_1_and_3_multiply() {
    for a in samples::<Eta1223>("algorithms_1_and_3_multiply") {
        for b in samples::<Eta1223>("other operands") {
            assert_eq!(tables::multiply(a.limbs(), b.limbs()), *(a * b).limbs(), "{a:?} {b:?}");
        }
    }
}

#[test]
fn tables_square_and_take_roots() {
    for a in samples::<Eta1223>("tables_square_and_take_roots") {
        assert_eq!(tables::square(a.limbs()), *a.square().limbs());
        assert_eq!(tables::square_root(a.limbs()), *a.square_root().limbs());
    }
}

/// Both algorithms take any 40 limbs, whatever their degree.
#[test]
fn algorithms_2_and_3_reduce_alike() {
    let mut rng = Rng::from_name("algorithms_2_and_3_reduce_alike");
    for round in 0..200 {
        let c: [u64; 40] = match round {
            0 => [u64::MAX; 40],
            1..=40 => std::array::from_fn(|i| if i == round - 1 { 1 << 63 } else { 0 }),
            _ => std::array::from_fn(|_| rng.word()),
        };
        let reduced = tables::reduce_64(c);
        assert_eq!(reduced, tables::reduce_128(c), "{c:x?}");
        assert!(Element::<Eta1223>::from_limbs(reduced).is_ok());
    }
}

/// Algorithm 5 over the paper's arithmetic, as one product and cut in two parts.
#[test]
fn the_pairing_by_tables_is_the_pairing() {
    let digest = |seed| {
        let mut rng = Rng::from_name(seed);
        let mut digest = [0; 153];
        rng.bytes(&mut digest);
        Point::<Element<Eta1223>>::from_digest(digest).unwrap()
    };
    let (p, q) = (digest("P"), digest("Q"));
    let by_tables = |point: Point<Element<Eta1223>>| {
        Point::<TableElement>::new(point.x().into(), point.y().into())
    };
    let expected = eta_t::pair(p, q).0.map(TableElement::from);
    let (p, q) = (by_tables(p), by_tables(q));
    assert_eq!(eta_t::pair(p, q).0, expected);
    let cut = 305;
    let parts = [0..cut, cut..612].map(|part| eta_t::miller_part(p, q, part));
    assert_eq!(eta_t::reduce(parts[0] * parts[1]).0, expected);
}
