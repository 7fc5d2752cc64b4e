//! The pairing's laws, and its algorithms against each other.

use crate::common::calls::{miller_function, pair, power, product, reduce, sum, times};
use crate::common::{Counted, Lanes, M113B1, Rng, for_each_curve};
use manylane_primitives::pairing::eta_t::{self, factors, miller, miller_part};
use manylane_primitives::pairing::{BinaryField, Curve, Element, Eta271, Eta1223, Point, Quartic};
use manylane_primitives::pairing::{continuant, pair_product};

fn points<C: Curve>(name: &str) -> [Point<Element<C>>; 2] {
    let mut rng = Rng::from_name(name);
    [rng.point(), rng.point()]
}

#[test]
fn the_pairing_is_bilinear() {
    fn body<C: Curve>() {
        let mut rng = Rng::from_name("the_pairing_is_bilinear");
        let [p, q] = points::<C>("points of the_pairing_is_bilinear");
        let (a, b) = (rng.scalar::<C>(), rng.scalar::<C>());
        let e = pair(p, q);
        let expected = power(power(e, &a), &b);
        assert_eq!(pair(times(p, &a), times(q, &b)), expected);
        assert_eq!(pair(times(times(p, &a), &b), q), expected);
        assert_eq!(pair(q, p), e);
        assert_eq!(pair(-p, q), e.conjugate());
        assert_eq!(pair(sum(p, q), q), product(e, pair(q, q)));
    }
    for_each_curve!(body);
}

#[test]
fn the_pairing_is_not_degenerate() {
    fn body<C: Curve>() {
        let [p, q] = points::<C>("the_pairing_is_not_degenerate");
        for e in [pair(p, q), pair(p, p)] {
            assert_ne!(e, Quartic::one());
            assert_eq!(power(e, C::ORDER), Quartic::one());
        }
        let infinity = Point::infinity();
        for (p, q) in [(p, infinity), (infinity, q), (infinity, infinity)] {
            assert_eq!(pair(p, q), Quartic::one());
        }
    }
    for_each_curve!(body);
}

/// Algorithm 4 for the integer T' = 2^((m+1)/2) + ν and the point P' = −νP: η_T by its definition.
#[test]
fn algorithm_5_is_the_miller_function_of_t() {
    fn body<C: Curve>() {
        let [p, q] = points::<C>("algorithm_5_is_the_miller_function_of_t");
        let half = C::M.div_ceil(2);
        let mut t = vec![0; half / 8 + 1];
        let last = t.len() - 1;
        let p_prime = if C::NU_IS_POSITIVE {
            t[0] = 1 << (half % 8);
            t[last] |= 1;
            -p
        } else {
            t.fill(0xff);
            t[0] = (1 << (half % 8)) - 1;
            p
        };
        assert_eq!(reduce(miller_function(&t, p_prime, q)), pair(p, q));
    }
    for_each_curve!(body);
}

/// Algorithm 4 for n = r − 1: the Tate pairing of order r.
#[test]
fn the_tate_pairing_is_bilinear_too() {
    fn body<C: Curve>() {
        let [p, q] = points::<C>("the_tate_pairing_is_bilinear_too");
        let mut n = C::ORDER.to_vec();
        *n.last_mut().unwrap() -= 1;
        let tate = |p, q| power(reduce(miller_function(&n, p, q)), C::COFACTOR);
        let a = [201, 77];
        assert_eq!(tate(times(p, &a), q), power(tate(p, q), &a));
        assert_ne!(tate(p, q), Quartic::one());
    }
    for_each_curve!(body);
}

/// Algorithm 6 on 1 to 8 processors, even and uneven shares.
#[test]
fn parts_multiply_to_the_whole() {
    fn body<C: Curve>() {
        let [p, q] = points::<C>("parts_multiply_to_the_whole");
        let (n, whole) = (factors::<C>(), miller(p, q));
        for parts in 1..=8 {
            let even: Vec<_> = (0..=parts).map(|i| i * n / parts).collect();
            let uneven: Vec<_> = (0..=parts).map(|i| i * i * n / (parts * parts)).collect();
            for cuts in [even, uneven] {
                let product =
                    cuts.windows(2).map(|cut| miller_part(p, q, cut[0]..cut[1])).reduce(product);
                assert_eq!(product, Some(whole), "{cuts:?}");
            }
        }
        assert_eq!(miller_part(p, q, n..n), Quartic::one());
    }
    for_each_curve!(body);
}

/// In parts, even and uneven, and for points at infinity.
#[test]
fn the_continuant_is_the_miller_value_up_to_a_factor_in_the_quadratic_field() {
    fn body<C: Curve>() {
        let [p, q] = points::<C>("the_continuant_is_the_miller_value");
        let n = factors::<C>();
        for cuts in [vec![0, n], vec![0, 1, 2, n], vec![0, n / 3, n - 1, n - 1, n]] {
            for (p, q) in [(p, q), (q, q), (p, Point::infinity()), (Point::infinity(), q)] {
                let part = |cut: &[usize]| continuant::miller_part(p, q, cut[0]..cut[1]);
                let f = cuts.windows(2).map(part).reduce(product).unwrap();
                assert_eq!(reduce(f), pair(p, q), "{cuts:?}");
            }
        }
    }
    for_each_curve!(body);
}

#[test]
#[should_panic = "factors beyond (m − 1)/2"]
fn parts_end_with_the_loop() {
    let p = Point::<Element<Eta1223>>::infinity();
    miller_part(p, p, 0..613);
}

#[test]
fn a_product_of_pairings_is_the_product() {
    fn body<C: Curve>() {
        let [p, q] = points::<C>("a_product_of_pairings_is_the_product");
        let pairs = [(p, q), (q, q), (p, Point::infinity())];
        assert_eq!(pair_product(pairs), product(pair(p, q), pair(q, q)));
        assert_eq!(pair_product([(p, q), (-p, q)]), Quartic::one());
        assert_eq!(pair_product::<Element<C>>([]), Quartic::one());
    }
    for_each_curve!(body);
}

/// Each lane has its own points; swapped or shared lanes cannot pass.
#[test]
fn lanes_are_independent() {
    fn body<C: Curve>() {
        let [p, q] = points::<C>("lanes_are_independent");
        for (lane0, lane1) in [([p, q], [q, q]), ([p, p], [q, Point::infinity()])] {
            let ps = Lanes::points([lane0[0], lane1[0]]);
            let qs = Lanes::points([lane0[1], lane1[1]]);
            let expected = [pair(lane0[0], lane0[1]), pair(lane1[0], lane1[1])];
            assert_eq!(Lanes::quartics(eta_t::pair(ps, qs)), expected);
        }
    }
    body::<Eta271>();
    body::<M113B1>();
}

/// 7 products per factor after the first, which takes 4; by the continuant 2 and a few at the end;
/// in the final exponentiation one inversion and 30 products besides.
#[test]
fn products_are_as_many_as_the_paper_counts() {
    type F = Counted<Eta1223>;
    let p = Point::new(F::NEW, F::NEW);
    let (inverse, _) = F::count(|| F::NEW.inverse());
    assert_eq!(inverse, 14);
    let (products, [opened, closed]) = F::count(|| miller(p, p));
    assert_eq!(products, 4 + 611 * 7);
    assert_eq!((opened, closed), (2 + 611 * 4, 2 + 611 * 4));
    assert_eq!(F::count(|| miller_part(p, p, 100..200)).0, 1 + 99 * 7);
    assert_eq!(F::count(|| continuant::miller_part(p, p, 0..612)).0, 611 * 2 + 12);
    assert_eq!(F::count(|| continuant::miller_part(p, p, 100..200)).0, 99 * 2 + 6);
    assert_eq!(F::count(|| eta_t::reduce(Quartic([F::NEW; 4]))).0, inverse + 30);
}
