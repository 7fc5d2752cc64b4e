//! The group law against the textbook's formulas, and its laws.

use crate::common::calls::{sum, times};
use crate::common::{Lanes, Rng, for_each_curve};
use manylane_primitives::pairing::curve::scalar_bits;
use manylane_primitives::pairing::{BinaryField, Curve, Element, Point};

type P<C> = Point<Element<C>>;

/// P + Q by chord and tangent, with branches.
fn textbook<C: Curve>(p: P<C>, q: P<C>) -> P<C> {
    if p == P::infinity() {
        return q;
    }
    if q == P::infinity() {
        return p;
    }
    if p == -q {
        return P::infinity();
    }
    let slope = match p == q {
        true => p.x().square() + Element::one(),
        false => (p.y() + q.y()) * (p.x() + q.x()).inverse(),
    };
    let x = slope.square() + p.x() + q.x();
    Point::new(x, slope * (p.x() + x) + p.y() + Element::one())
}

#[test]
fn sums_are_those_of_the_textbook() {
    fn body<C: Curve>() {
        let mut rng = Rng::from_name("sums_are_those_of_the_textbook");
        let (p, q): (P<C>, P<C>) = (rng.point(), rng.point());
        let points = [p, q, -p, p.double(), P::infinity()];
        for a in points {
            for b in points {
                assert_eq!(sum(a, b), textbook(a, b), "{a:?} + {b:?}");
                assert_eq!(sum(a, b).on_curve(), Element::one());
            }
            assert_eq!(a.double(), textbook(a, a));
        }
    }
    for_each_curve!(body);
}

#[test]
fn the_curve_is_a_group() {
    fn body<C: Curve>() {
        let mut rng = Rng::from_name("the_curve_is_a_group");
        let [p, q, r]: [P<C>; 3] = [(); 3].map(|()| rng.point());
        assert_eq!(sum(p, q), sum(q, p));
        assert_eq!(sum(sum(p, q), r), sum(p, sum(q, r)));
        assert_eq!(sum(p, -p), P::infinity());
        assert_eq!(sum(p, q).frobenius(3), sum(p.frobenius(3), q.frobenius(3)));
        assert_ne!(p, q);
        assert_ne!(p, -p);
        assert_ne!(p, P::infinity());
    }
    for_each_curve!(body);
}

#[test]
fn multiplication_is_repeated_addition() {
    fn body<C: Curve>() {
        let p: P<C> = Rng::from_name("multiplication_is_repeated_addition").point();
        let mut multiple = P::infinity();
        for k in 0..=20 {
            assert_eq!(times(p, &[k]), multiple, "{k}");
            assert_eq!(times(p, &[0, k]), multiple, "{k}");
            multiple = sum(multiple, p);
        }
    }
    for_each_curve!(body);
}

#[test]
fn multiplication_is_linear() {
    fn body<C: Curve>() {
        let mut rng = Rng::from_name("multiplication_is_linear");
        let p: P<C> = rng.point();
        let (a, b) = (rng.scalar::<C>(), rng.scalar::<C>());
        assert_eq!(times(times(p, &a), &b), times(times(p, &b), &a));
        let mut a_plus_b = vec![0];
        a_plus_b.extend(&a);
        let mut carry = 0;
        for (i, byte) in a_plus_b.iter_mut().enumerate().rev() {
            let total =
                u16::from(*byte) + u16::from(*b.get(i.wrapping_sub(1)).unwrap_or(&0)) + carry;
            (*byte, carry) = (total as u8, total >> 8);
        }
        assert_eq!(sum(times(p, &a), times(p, &b)), times(p, &a_plus_b));
        assert_eq!(times(P::<C>::infinity(), &a), P::infinity());
    }
    for_each_curve!(body);
}

/// N = 2^m + 1 + ν 2^((m+1)/2) kills every point, r those of the subgroup.
#[test]
fn orders_are_those_of_the_parameters() {
    fn body<C: Curve>() {
        let mut rng = Rng::from_name("orders_are_those_of_the_parameters");
        let any: P<C> =
            std::iter::repeat_with(|| Point::from_x(rng.element(), true)).flatten().next().unwrap();
        assert_eq!(times(times(any, C::ORDER), C::COFACTOR), P::infinity());
        let twice = |p: P<C>, n| (0..n).fold(p, |p, _| p.double());
        let middle = twice(any, C::M.div_ceil(2));
        let middle = if C::NU_IS_POSITIVE { middle } else { -middle };
        assert_eq!(sum(sum(twice(any, C::M), any), middle), P::infinity());

        let p: P<C> = rng.point();
        assert_eq!(times(p, C::ORDER), P::infinity());
        assert_eq!(p.in_subgroup(), Element::one());
        let mut less = C::ORDER.to_vec();
        *less.last_mut().unwrap() -= 1;
        assert_eq!(times(p, &less), -p);
    }
    for_each_curve!(body);
}

/// Points of the curve in the subgroup and out of it, those over F_2 among them.
#[test]
fn the_subgroup_is_what_r_kills() {
    fn body<C: Curve>() {
        let mut rng = Rng::from_name("the_subgroup_is_what_r_kills");
        let with_x = |x| Point::from_x(x, false);
        let mut points: Vec<P<C>> =
            [Element::zero(), Element::one()].map(with_x).into_iter().flatten().collect();
        points.extend((0..24).filter_map(|_| with_x(rng.element())));
        points.extend([rng.point(), Point::infinity()]);
        for point in points {
            let killed = times(point, C::ORDER) == Point::infinity();
            assert_eq!(point.in_subgroup() == Element::one(), killed, "{point:?}");
        }
    }
    for_each_curve!(body);
}

/// Each lane has its own point and its own scalar; one lane meets every exceptional case.
#[test]
fn lanes_are_independent() {
    fn body<C: Curve>() {
        let mut rng = Rng::from_name("lanes_are_independent");
        let (p, q): (P<C>, P<C>) = (rng.point(), rng.point());
        for other in [q, p, -p, P::infinity()] {
            let sum = Lanes::points([p, p]) + Lanes::points([other, q]);
            assert_eq!(Lanes::lanes_of(sum), [textbook(p, other), textbook(p, q)]);
        }
        let bits = scalar_bits(&[3]).zip(scalar_bits(&[250])).map(|(a, b)| Lanes([a, b]));
        let products = Lanes::points([p, q]).multiply_bits(bits);
        assert_eq!(Lanes::lanes_of(products), [p.multiply(&[3]), q.multiply(&[250])]);
    }
    body::<crate::common::M113B1>();
    body::<crate::common::M79B0>();
}
