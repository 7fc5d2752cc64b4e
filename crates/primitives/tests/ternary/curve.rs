//! The group of the curves.

use super::common::{Natural, Rng, group_order};
use manylane_primitives::pairing::ternary::field::Ring;
use manylane_primitives::pairing::ternary::{Curve, Element, Eta97, Eta509, Point};

#[test]
fn the_order_is_the_cofactor_times_r() {
    fn check<C: Curve>() {
        let r = Natural::from_bytes(C::ORDER);
        assert_eq!(r.times(&Natural::from(C::COFACTOR)), group_order::<C>());
    }
    check::<Eta97>();
    check::<Eta509>();
}

fn order<C: Curve>(rng: &mut Rng) {
    let one = Element::<C>::one();
    let point = loop {
        if let Some(point) = Point::<Element<C>>::from_x(rng.element()) {
            break point;
        }
    };
    assert_eq!(point.on_curve(), one);
    assert_eq!(point.multiply(&group_order::<C>().to_bytes()), Point::infinity());
    let inside = point.clear_cofactor();
    assert_eq!((inside.on_curve(), inside.in_subgroup()), (one, one));
    assert_ne!(inside, Point::infinity());
}

/// N times any point is ∞, and so is r times a point that was multiplied by the cofactor.
#[test]
fn points_have_the_order_of_the_group() {
    let mut rng = Rng::from_name("points_have_the_order_of_the_group");
    for _ in 0..4 {
        order::<Eta97>(&mut rng);
    }
    order::<Eta509>(&mut rng);
}

fn law<C: Curve>() {
    let mut rng = Rng::from_name("law");
    let [p, q, s] = [(); 3].map(|()| rng.point::<C>());
    let infinity = Point::infinity();
    assert_eq!((p + q).on_curve(), Element::one());
    assert_eq!(p + q, q + p);
    assert_eq!((p + q) + s, p + (q + s));
    assert_eq!((p + p) + p, p.triple());
    assert_eq!(p + -p, infinity);
    assert_eq!((p + infinity, infinity + p), (p, p));
    assert_eq!(infinity + infinity, infinity);
    assert_eq!(infinity.triple(), infinity);
    // Doubling a point with y = 0 cannot be tested: its order would be 2, and N is odd.
    assert_eq!(p.multiply(&[1, 5]), p.multiply(&[1, 0]) + p.multiply(&[5]));
    assert_eq!(p.multiply(&[]), infinity);
}

#[test]
fn the_group_law_holds() {
    law::<Eta97>();
    law::<Eta509>();
}
