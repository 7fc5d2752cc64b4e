//! The laws of F_q⁴, and its short cuts against the general product.

use crate::common::calls::{product, reduce};
use crate::common::{Rng, for_each_field};
use manylane_primitives::pairing::quartic::Line;
use manylane_primitives::pairing::{BinaryField, Curve, Element, Quartic};

#[test]
fn the_tower_is_a_field() {
    fn body<C: Curve>() {
        let mut rng = Rng::from_name("the_tower_is_a_field");
        let [x, y, w] = [(); 3].map(|()| rng.quartic::<C>());
        assert_eq!(product(x, y), product(y, x));
        assert_eq!(product(product(x, y), w), product(x, product(y, w)));
        assert_eq!(product(x, y + w), product(x, y) + product(x, w));
        assert_eq!(product(x, x.inverse()), Quartic::one());
        assert_eq!(x.square(), product(x, x));
        let (zero, one) = (Element::zero(), Element::one());
        let (s, t) = (Quartic([zero, one, zero, zero]), Quartic([zero, zero, one, zero]));
        assert_eq!(product(s, s), s + Quartic::<Element<C>>::one());
        assert_eq!(product(t, t), t + s);
    }
    for_each_field!(body);
}

#[test]
fn powers_of_two_are_squarings() {
    fn body<C: Curve>() {
        let x: Quartic<Element<C>> = Rng::from_name("powers_of_two_are_squarings").quartic();
        let mut power = x;
        for k in 0..=2 * C::M {
            if k < 6 || k % C::M < 3 {
                assert_eq!(x.frobenius(k), power, "{k}");
            }
            if k == 2 * C::M {
                assert_eq!(x.conjugate(), power);
                let norm = x.norm().0;
                let zero = Element::zero();
                assert_eq!(product(x, power), Quartic([norm[0], norm[1], zero, zero]));
            }
            power = power.square();
        }
    }
    for_each_field!(body);
}

#[test]
fn sparse_products_are_products() {
    fn body<C: Curve>() {
        let mut rng = Rng::from_name("sparse_products_are_products");
        let x: Quartic<Element<C>> = rng.quartic();
        let [g, h] = [(); 2].map(|()| Line { g0: rng.element(), g1: rng.element() });
        assert_eq!(x.times_line(g), product(x, g.to_quartic()));
        assert_eq!(g.times(h), product(g.to_quartic(), h.to_quartic()));
        let y: Quartic<Element<C>> = rng.quartic();
        let (a, b) = (x.operands(), y.operands());
        assert_eq!(Quartic::from_products(core::array::from_fn(|i| a[i] * b[i])), product(x, y));
    }
    for_each_field!(body);
}

/// The final exponentiation as the integer exponent (q² − 1)(q + 1 − ν 2^((m+1)/2)), by squarings
/// and general products.
#[test]
fn reduction_is_the_power_it_says() {
    fn body<C: Curve>() {
        let x: Quartic<Element<C>> = Rng::from_name("reduction_is_the_power_it_says").quartic();
        let squared = |x: Quartic<_>, k| (0..k).fold(x, |x, _| Quartic::square(x));
        let base = product(squared(x, 2 * C::M), x.inverse());
        let last = squared(base, C::M.div_ceil(2));
        let last = if C::NU_IS_POSITIVE { last.inverse() } else { last };
        assert_eq!(reduce(x), product(product(squared(base, C::M), base), last));
    }
    for_each_field!(body);
}
