//! The laws of F_2^m, its polynomials, and the contract's formulas.

use crate::common::{Lanes, M101B1, Rng, for_each_field, samples};
use manylane_primitives::pairing::{BinaryField, Curve, Element, Eta271, Parameters};
use manylane_primitives::word::Words;

type E<P> = Element<P>;

/// z.
fn z<P: Parameters>() -> E<P> {
    let mut limbs = P::Limbs::splat(0);
    limbs.as_mut()[0] = 2;
    E::from_limbs(limbs).unwrap()
}

fn coefficient<P: Parameters>(a: E<P>, i: usize) -> bool {
    a.limbs().as_ref()[i / 64] >> (i % 64) & 1 == 1
}

/// a · b by the definition: bit by bit, z^m replaced by f − z^m.
fn textbook<P: Parameters>(a: E<P>, b: E<P>) -> E<P> {
    let bit = |i: usize| {
        let mut limbs = P::Limbs::splat(0);
        limbs.as_mut()[i / 64] = 1 << (i % 64);
        E::<P>::from_limbs(limbs).unwrap()
    };
    let tail = P::MIDDLE.iter().fold(E::one(), |sum, &e| sum + bit(e));
    let mut product = E::<P>::zero();
    for i in (0..P::M).rev() {
        let mut shifted = P::Limbs::splat(0);
        for (k, limb) in shifted.as_mut().iter_mut().enumerate() {
            let below = if k == 0 { 0 } else { product.limbs().as_ref()[k - 1] >> 63 };
            *limb = product.limbs().as_ref()[k] << 1 | below;
        }
        shifted.as_mut()[P::M / 64] &= !(1 << (P::M % 64));
        let overflow = coefficient(product, P::M - 1);
        product = E::from_limbs(shifted).unwrap();
        if overflow {
            product = product + tail;
        }
        if coefficient(a, i) {
            product = product + b;
        }
    }
    product
}

/// Rabin's test for a prime m: z^(2^m) = z, and f has no root, having f(0) = f(1) = 1.
#[test]
fn polynomials_are_irreducible() {
    fn body<C: Curve>() {
        assert!((2..C::M).take_while(|d| d * d <= C::M).all(|d| C::M % d != 0), "{} prime", C::M);
        assert_eq!(C::MIDDLE.len() % 2, 1);
        let power = (0..C::M).fold(z::<C>(), |power, _| power.square());
        assert_eq!(power, z());
        assert_ne!(power.square(), power);
    }
    for_each_field!(body);
}

#[test]
fn products_are_those_of_the_definition() {
    fn body<C: Curve>() {
        for a in samples::<C>("products_are_those_of_the_definition") {
            for b in samples::<C>("other operands").into_iter().step_by(3) {
                assert_eq!(a * b, textbook(a, b), "{a:?} {b:?}");
            }
        }
    }
    for_each_field!(body);
}

#[test]
fn products_are_commutative_associative_and_distributive() {
    fn body<C: Curve>() {
        let mut rng = Rng::from_name("products_are_commutative_associative_and_distributive");
        for a in samples::<C>("laws") {
            let (b, c) = (rng.element(), rng.element());
            assert_eq!(a * b, b * a);
            assert_eq!(a * b * c, a * (b * c));
            assert_eq!(a * (b + c), a * b + a * c);
            assert_eq!(a * E::one(), a);
            assert_eq!(a * E::zero(), E::zero());
            assert_eq!(a + a, E::zero());
        }
    }
    for_each_field!(body);
}

#[test]
fn squares_roots_and_inverses_agree_with_products() {
    fn body<C: Curve>() {
        for a in samples::<C>("squares_roots_and_inverses_agree_with_products") {
            assert_eq!(a.square(), a * a);
            assert_eq!(a.square_root() * a.square_root(), a);
            let mut in_place = a;
            in_place.square_assign();
            assert_eq!(in_place, a.square());
            in_place.square_root_assign();
            assert_eq!(in_place, a);
            let expected = if a == E::zero() { E::zero() } else { E::one() };
            assert_eq!(a * a.inverse(), expected, "{a:?}");
        }
        assert_eq!(E::<C>::zero().inverse(), E::zero());
    }
    for_each_field!(body);
}

#[test]
fn frobenius_is_repeated_squaring() {
    fn body<C: Curve>() {
        let a: E<C> = Rng::from_name("frobenius_is_repeated_squaring").element();
        let mut power = a;
        for n in 0..=C::M {
            assert_eq!(a.frobenius(n), power, "{n}");
            power = power.square();
        }
    }
    body::<Eta271>();
    body::<M101B1>();
}

/// The plain element's own ways against the formulas of the contract.
#[test]
fn overrides_agree_with_the_formulas() {
    fn body<C: Curve>() {
        let samples = samples::<C>("overrides_agree_with_the_formulas");
        for pair in samples.windows(2) {
            let lanes = Lanes([pair[0], pair[1]]);
            assert_eq!(lanes.trace().0, lanes.0.map(Element::trace), "{pair:?}");
            assert_eq!(lanes.is_zero().0, lanes.0.map(Element::is_zero), "{pair:?}");
            for bit in [E::zero(), E::one()] {
                let chosen = Lanes([bit, bit]).choose(lanes, Lanes([pair[1], pair[0]]));
                assert_eq!(chosen.0[0], bit.choose(pair[0], pair[1]));
                assert_eq!(bit.choose(pair[0], pair[1]), pair[usize::from(bit == E::zero())]);
            }
        }
    }
    for_each_field!(body);
}

#[test]
fn half_trace_solves_the_quadratic() {
    fn body<C: Curve>() {
        for a in samples::<C>("half_trace_solves_the_quadratic") {
            let h = a.half_trace();
            assert_eq!(h.square() + h, a + a.trace());
            assert_eq!(a.square().trace(), a.trace());
        }
        assert_eq!(E::<C>::one().trace(), E::one());
    }
    for_each_field!(body);
}

#[test]
fn different_elements_are_not_equal() {
    fn body<C: Curve>() {
        let a: E<C> = Rng::from_name("different_elements_are_not_equal").element();
        let mut power = E::one();
        for _ in 0..C::M {
            assert_ne!(a, a + power);
            power = power * z();
        }
    }
    for_each_field!(body);
}
