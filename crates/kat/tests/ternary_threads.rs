//! The pairing in characteristic three has the same bits on any number of threads.

use manylane_engine::pairing::ternary::{Curve, Element, Eta97, Eta509, Point, pair};
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
