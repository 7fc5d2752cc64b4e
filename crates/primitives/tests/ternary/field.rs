//! The arithmetic of F_3^m against plain polynomials.

use super::common::{Rng, balanced, coefficients, element, product};
use manylane_primitives::pairing::ternary::field::Ring;
use manylane_primitives::pairing::ternary::{
    Cubic, Element, Eta97, Eta509, Parameters, Quadratic, TernaryField,
};

/// 0, 1, −1, x, x^(m−1), the polynomials of ones and of minus ones, and random ones.
fn operands<P: Parameters>(name: &str) -> Vec<Vec<i8>> {
    let mut rng = Rng::from_name(name);
    let term = |e: usize, c: i8| (0..P::M).map(|i| if i == e { c } else { 0 }).collect();
    let edges = [term(0, 0), term(0, 1), term(0, -1), term(1, 1), term(P::M - 1, -1)];
    let full = [vec![1; P::M], vec![-1; P::M]];
    edges.into_iter().chain(full).chain((0..8).map(|_| rng.polynomial::<P>())).collect()
}

fn sums_and_products<P: Parameters>() {
    let operands = operands::<P>("sums_and_products");
    for a in &operands {
        assert_eq!(coefficients(element::<P>(a)), *a);
        let negative: Vec<i8> = a.iter().map(|&a| -a).collect();
        assert_eq!(coefficients(-element::<P>(a)), negative);
        for b in &operands {
            let (x, y) = (element::<P>(a), element::<P>(b));
            let with = |f: fn(i32, i32) -> i32| -> Vec<i8> {
                a.iter().zip(b).map(|(&a, &b)| balanced(f(a.into(), b.into()))).collect()
            };
            assert_eq!(coefficients(x + y), with(|a, b| a + b));
            assert_eq!(coefficients(x - y), with(|a, b| a - b));
            assert_eq!(coefficients(x * y), product::<P>(a, b));
            assert_eq!(x == y, a == b);
        }
    }
}

#[test]
fn sums_and_products_are_those_of_polynomials() {
    sums_and_products::<Eta97>();
    sums_and_products::<Eta509>();
}

fn powers<P: Parameters>() {
    for a in operands::<P>("powers") {
        let x = element::<P>(&a);
        assert_eq!(coefficients(x.cube()), product::<P>(&product::<P>(&a, &a), &a));
        assert_eq!(x.cube().cube_root(), x);
        assert_eq!(x.cube_root().cube(), x);
        assert_eq!(x.frobenius(P::M), x);
        assert_eq!(x.frobenius(P::M - 2).cube().cube(), x);
        assert_eq!(x.frobenius(5), (0..5).fold(x, |x, _| x.cube()));
        let (zero, one) = (Element::<P>::zero(), Element::one());
        let (inverse, is_zero) = (x.inverse(), x.is_zero());
        match x == zero {
            true => assert!(inverse == zero && is_zero == one),
            false => assert!(x * inverse == one && is_zero == zero),
        }
        assert_eq!(is_zero, one - x * inverse);
        let square = x * x;
        let root = square.square_root();
        assert!(root == x || root == -x);
        assert_eq!([one, zero].map(|bit| bit.choose(x, square)), [x, square]);
    }
}

#[test]
fn powers_roots_and_inverses_are_those_of_the_field() {
    powers::<Eta97>();
    powers::<Eta509>();
}

#[test]
fn impossible_planes_are_refused() {
    let planes = |one, minus_one| Element::<Eta97>::from_planes(one, minus_one);
    assert!(planes([1, 0], [2, 1 << 32]).is_some());
    assert!(planes([1, 0], [1, 0]).is_none(), "both 1 and −1");
    assert!(planes([0, 1 << 33], [0, 0]).is_none(), "x^97");
    assert!(planes([0, 0], [0, 1 << 33]).is_none(), "−x^97");
}

/// σ² = −1 and ρ³ = ρ + b, by whose rules a schoolbook product of six coefficients is folded.
#[test]
fn towers_multiply_as_their_definition_says() {
    type E = Element<Eta97>;
    let mut rng = Rng::from_name("towers_multiply_as_their_definition_says");
    let mut sextic = || -> [[E; 2]; 3] { core::array::from_fn(|_| [rng.element(), rng.element()]) };
    for _ in 0..8 {
        let (a, b) = (sextic(), sextic());
        let mut product = [[E::zero(); 3]; 5];
        for (i, a) in a.iter().enumerate() {
            for (j, b) in b.iter().enumerate() {
                for (k, l) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
                    product[i + j][k + l] = product[i + j][k + l] + a[k] * b[l];
                }
            }
        }
        let mut c = product.map(|[c0, c1, c2]| [c0 - c2, c1]);
        // ρ⁴ = ρ² + b ρ, then ρ³ = ρ + b; b = 1.
        let plus = |[a0, a1]: [E; 2], [b0, b1]: [E; 2]| [a0 + b0, a1 + b1];
        for i in [4, 3] {
            c[i - 2] = plus(c[i - 2], c[i]);
            c[i - 3] = plus(c[i - 3], c[i]);
        }
        let make = |c: [[E; 2]; 3]| Cubic::<_, Eta97>::new(c.map(Quadratic));
        assert_eq!(make(a) * make(b), make([c[0], c[1], c[2]]));
        let x = make(a);
        assert_eq!(x.frobenius(1), x * x * x);
        assert_eq!(x.frobenius(2), x.frobenius(1).frobenius(1));
        assert_eq!(x.conjugate(), x.frobenius(3 * 97));
        assert_eq!(x.unitary() * x, x.conjugate());
        let base = Cubic::<E, Eta97>::new(a.map(|[c, _]| c));
        assert_eq!(base * base.inverse(), Ring::one());
    }
}
