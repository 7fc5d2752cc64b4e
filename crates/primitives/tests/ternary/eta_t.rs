//! The pairing: bilinear, symmetric, not degenerate, and what Miller's algorithm gives.

use super::common::{Natural, Rng, group_order};
use manylane_primitives::pairing::ternary::eta_t::{factors, miller, miller_part, pair, reduce};
use manylane_primitives::pairing::ternary::field::Ring;
use manylane_primitives::pairing::ternary::{
    Cubic, Curve, Element, Eta97, Eta509, Point, Quadratic, Sextic, TernaryField,
};

type E<C> = Element<C>;

fn constant<C: Curve>(c: E<C>) -> Sextic<E<C>> {
    let zero = Quadratic::zero();
    Cubic::new([Quadratic([c, E::zero()]), zero, zero])
}

/// f_{n,P}(ψ(Q)) by doubling and adding, with lines through points of E(F_q), vertical ones left
/// out: they lie in F_q³. No kP, 0 < k ≤ n, may be ∞.
fn miller_function<C: Curve>(n: &Natural, p: Point<E<C>>, q: Point<E<C>>) -> Sextic<E<C>> {
    let (zero, one) = (E::<C>::zero(), E::one());
    // ψ(Q) = (ρ − x, y σ).
    let x = Cubic::new([Quadratic([-q.x(), zero]), Quadratic::one(), Quadratic::zero()]);
    let y = Cubic::new([Quadratic([zero, q.y()]), Quadratic::zero(), Quadratic::zero()]);
    let line = |t: Point<E<C>>, p: Point<E<C>>| {
        let slope = match t == p {
            true => t.y().inverse(),
            false => (p.y() - t.y()) * (p.x() - t.x()).inverse(),
        };
        y - constant(t.y()) - constant(slope) * (x - constant(t.x()))
    };
    let bytes = n.to_bytes();
    let bits = bytes.iter().flat_map(|byte| (0..8).rev().map(move |i| byte >> i & 1 == 1));
    let (mut f, mut t) = (Sextic::<E<C>>::one(), p);
    for bit in bits.skip_while(|bit| !bit).skip(1) {
        f = f * f * line(t, t);
        t = t + t;
        if bit {
            f = f * line(t, p);
            t = t + p;
        }
    }
    assert_eq!(p.is_infinite() + q.is_infinite(), zero);
    assert_ne!(t.is_infinite(), one);
    f
}

/// (3^6m − 1)/N, from its factors.
fn final_exponent<C: Curve>() -> Natural {
    let (one, q) = (Natural::from(1), Natural::power_of_three(C::M));
    let h = Natural::power_of_three(C::M.div_ceil(2));
    let last = q.plus(&one);
    let last = if C::MU_B_IS_POSITIVE { last.minus(&h) } else { last.plus(&h) };
    let exponent = q.times(&q).times(&q).minus(&one).times(&q.plus(&one)).times(&last);
    let all = Natural::power_of_three(6 * C::M).minus(&one);
    assert_eq!(exponent.times(&group_order::<C>()), all);
    exponent
}

#[test]
fn the_final_exponentiation_is_the_power() {
    let mut rng = Rng::from_name("the_final_exponentiation_is_the_power");
    let f = Cubic::new([(); 3].map(|()| Quadratic([rng.element::<Eta97>(), rng.element()])));
    assert_eq!(reduce(f), f.power(&final_exponent::<Eta97>().to_bytes()));
    assert_eq!(reduce(Sextic::<E<Eta97>>::one()), Sextic::<E<Eta97>>::one());
}

/// The factors multiply to f_{T',P'}(ψ(Q)), T' = 3^((m+1)/2) + μ b, P' = −μ b P.
fn definition<C: Curve>() {
    let mut rng = Rng::from_name("definition");
    let (p, q) = (rng.point::<C>(), rng.point::<C>());
    let h = Natural::power_of_three(C::M.div_ceil(2));
    let (t, p_) = match C::MU_B_IS_POSITIVE {
        true => (h.plus(&Natural::from(1)), -p),
        false => (h.minus(&Natural::from(1)), p),
    };
    assert_eq!(pair(p, q), reduce(miller_function(&t, p_, q)));
}

#[test]
fn the_value_is_that_of_its_miller_function() {
    definition::<Eta97>();
    definition::<Eta509>();
}

/// With T = 3^m − N, T³ + 1 = L N and L = −μ b 3^((m+3)/2): the Tate pairing to the power L is η_T
/// to the power 3 T² (Barreto, Galbraith, Ó hÉigeartaigh and Scott 2007, §4).
fn tate<C: Curve>() {
    let mut rng = Rng::from_name("tate");
    let (p, q) = (rng.point::<C>(), rng.point::<C>());
    // f_{N,P} is f_{N−1,P} but for a vertical line, as (N − 1)P = −P.
    let n = group_order::<C>().minus(&Natural::from(1));
    let tate = reduce(miller_function(&n, p, q));
    let h = Natural::power_of_three(C::M.div_ceil(2));
    let t = match C::MU_B_IS_POSITIVE {
        true => h.plus(&Natural::from(1)),
        false => h.minus(&Natural::from(1)),
    };
    let tate = tate.frobenius(C::M.div_ceil(2) + 1);
    let tate = if C::MU_B_IS_POSITIVE { tate.conjugate() } else { tate };
    let exponent = t.times(&t).times(&Natural::from(3));
    assert_eq!(tate, pair(p, q).power(&exponent.to_bytes()));
}

#[test]
fn a_power_of_the_value_is_a_power_of_the_tate_pairing() {
    tate::<Eta97>();
    tate::<Eta509>();
}

fn bilinear<C: Curve>() {
    let mut rng = Rng::from_name("bilinear");
    let [p, q, s] = [(); 3].map(|()| rng.point::<C>());
    let one = Sextic::<E<C>>::one();
    let e = pair(p, q);
    assert_ne!(e, one);
    assert_eq!(e.power(C::ORDER), one);
    assert_eq!(e, pair(q, p));
    assert_eq!(pair(p + s, q), e * pair(s, q));
    assert_eq!(pair(p, q + s), e * pair(p, s));
    assert_eq!(pair(-p, q), e.conjugate());
    let a = rng.scalar(4);
    assert_eq!(pair(p.multiply(&a), q), e.power(&a));
    assert_eq!(pair(p, q.multiply(&a)), e.power(&a));
    let infinity = Point::infinity();
    assert_eq!((pair(infinity, q), pair(p, infinity)), (one, one));
}

#[test]
fn the_pairing_is_bilinear_symmetric_and_not_degenerate() {
    bilinear::<Eta97>();
    bilinear::<Eta509>();
}

fn parts<C: Curve>() {
    let mut rng = Rng::from_name("parts");
    let (p, q) = (rng.point::<C>(), rng.point::<C>());
    let whole = miller(p, q);
    for parts in 1..=8 {
        let cut = |i| factors::<C>() * i / parts;
        let product =
            (0..parts).map(|i| miller_part(p, q, cut(i)..cut(i + 1))).reduce(|f, g| f * g);
        assert_eq!(product, Some(whole), "{parts} parts");
    }
    assert_eq!(miller_part(p, q, 3..3), Sextic::<E<C>>::one());
}

#[test]
fn parts_multiply_to_the_whole() {
    parts::<Eta97>();
    parts::<Eta509>();
}
