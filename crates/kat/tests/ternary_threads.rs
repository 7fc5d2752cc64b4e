//! The pairing in characteristic three has the same bits on any number of threads.

use manylane_engine::pairing::ternary::{
    Curve, Element, Eta97, Eta509, Point, hash_to_point, pair, pair_many, pair_product,
};
use manylane_primitives::pairing::ternary as definition;
use manylane_primitives::word::Words;
use std::num::NonZeroUsize;

fn point<C: Curve>(seed: u64) -> Point<Element<C>> {
    let mut one = C::Limbs::splat(0);
    one.as_mut()[0] = seed;
    Point::from_seed(Element::from_planes(one, C::Limbs::splat(0)).unwrap()).unwrap()
}

#[test]
fn threads_agree_with_the_definition() {
    fn check<C: Curve>(numbers: &[usize]) {
        let (p, q) = (point::<C>(0x9e37_79b9_7f4a_7c15), point::<C>(0xd1b5_4a32_d192_ed03));
        let expected = definition::pair(p, q);
        for &threads in numbers {
            let found = pair(p, q, NonZeroUsize::new(threads).unwrap());
            assert_eq!(found, expected, "{threads} threads over F_3^{}", C::M);
        }
    }
    check::<Eta97>(&[1, 2, 3, 4, 5, 6, 7, 8, 1000]);
    check::<Eta509>(&[1, 2, 5]);
}

/// Many pairs, one after the other and on threads; their product takes one final exponentiation.
#[test]
fn many_pairs_are_the_definitions() {
    let names = ["a", "b", "c", "d", "e"];
    let pairs: Vec<_> = (names.iter().zip(&names[1..]))
        .map(|(p, q)| (hash_to_point::<Eta97>(p.as_bytes()), hash_to_point(q.as_bytes())))
        .chain([(Point::infinity(), hash_to_point(b"f"))])
        .collect();
    let expected: Vec<_> = pairs.iter().map(|&(p, q)| definition::pair(p, q)).collect();
    let product = expected.iter().copied().reduce(|f, g| f * g).unwrap();
    for threads in [1, 2, 3, 16] {
        let threads = NonZeroUsize::new(threads).unwrap();
        assert_eq!(pair_many(&pairs, threads), expected, "{threads} threads");
        assert_eq!(pair_product(&pairs, threads), product, "{threads} threads");
        assert_eq!(pair_many(&pairs[..1], threads), expected[..1], "{threads} threads");
        assert_eq!(pair_many::<Eta97>(&[], threads), []);
        assert_eq!(pair_product::<Eta97>(&[], threads), pair(pairs[4].0, pairs[4].1, threads));
    }
}

/// Points made from texts lie in the subgroup, and other texts make other points.
#[test]
fn texts_make_points_of_the_subgroup() {
    fn check<C: Curve>() {
        let points = ["", "a", "b"].map(|text| hash_to_point::<C>(text.as_bytes()));
        for point in points {
            let one = Element::from_bit(1);
            assert!(point.on_curve() == one && point.in_subgroup() == one, "{point:?}");
            assert!(point.is_infinite() != one, "{point:?}");
        }
        assert!(points[0] != points[1] && points[1] != points[2] && points[1] != -points[2]);
    }
    check::<Eta97>();
    check::<Eta509>();
}
