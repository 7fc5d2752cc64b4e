//! The η_T pairing in characteristic three on threads, over the portable element.
//!
//! **Broken: for research and teaching only** (see [`manylane_primitives::pairing::ternary`]).

use super::hash::expanded;
use crate::drive::threads::share_out;
use manylane_primitives::pairing::ternary::eta_t::{factors, miller, miller_part, reduce};
use manylane_primitives::word::Words;
use std::num::NonZeroUsize;

pub use manylane_primitives::pairing::ternary::field::Ring;
pub use manylane_primitives::pairing::ternary::{
    Cubic, Curve, Element, Eta97, Eta509, Parameters, Point, Quadratic, Sextic, TernaryField,
};

/// The arguments P and Q of a pairing.
pub type Pair<C> = (Point<Element<C>>, Point<Element<C>>);

/// e(P, Q). The factors of the Miller value are computed in as many parts as threads; the result
/// has the same bits for every number of threads. The threads are started for the call and end with
/// it. This takes some tens of microseconds, and the 49 factors of [`Eta97`] a fraction of a
/// millisecond.
pub fn pair<C: Curve>(
    p: Point<Element<C>>,
    q: Point<Element<C>>,
    threads: NonZeroUsize,
) -> Sextic<Element<C>> {
    let threads = threads.get().min(factors::<C>());
    let cut = |i| factors::<C>() * i / threads;
    let mut products = vec![None; threads];
    share_out(threads, products.iter_mut().enumerate().collect(), |(i, product)| {
        *product = Some(miller_part(p, q, cut(i)..cut(i + 1)));
    });
    let product = products.into_iter().flatten().reduce(|f, g| f * g);
    reduce(product.expect("a part for each thread"))
}

/// e(P_i, Q_i) for each i, in order: threads take pairs, or parts of the only one.
pub fn pair_many<C: Curve>(pairs: &[Pair<C>], threads: NonZeroUsize) -> Vec<Sextic<Element<C>>> {
    if let &[(p, q)] = pairs {
        return vec![pair(p, q, threads)];
    }
    let mut values = vec![Sextic::<Element<C>>::one(); pairs.len()];
    let share = pairs.len().div_ceil(threads.get()).max(1);
    let shares = pairs.chunks(share).zip(values.chunks_mut(share)).collect();
    share_out(threads.get(), shares, |(pairs, values)| {
        for (&(p, q), value) in pairs.iter().zip(values) {
            *value = reduce(miller(p, q));
        }
    });
    values
}

/// Π e(P_i, Q_i), with one final exponentiation; 1 for no pairs. Threads take pairs.
pub fn pair_product<C: Curve>(pairs: &[Pair<C>], threads: NonZeroUsize) -> Sextic<Element<C>> {
    let share = pairs.len().div_ceil(threads.get()).max(1);
    let mut products = vec![Sextic::<Element<C>>::one(); pairs.len().div_ceil(share)];
    let shares = pairs.chunks(share).zip(&mut products).collect();
    share_out(threads.get(), shares, |(pairs, product)| {
        for &(p, q) in pairs {
            *product = *product * miller(p, q);
        }
    });
    reduce(products.into_iter().fold(Sextic::<Element<C>>::one(), |f, g| f * g))
}

/// A point of a ternary curve's subgroup from a public message. Each byte of SHAKE256 below 243 is
/// five coefficients, base 3, least significant first; [`Point::from_seed`] does the rest.
/// The time depends on the message.
///
/// # Panics
/// If the environment variable `MANYLANE_MAX_ISA` names no engine.
pub fn hash_to_point<C: Curve>(message: &[u8]) -> Point<Element<C>> {
    // One byte in 20 is refused. Coefficients for which no byte were left would be 0.
    let bytes = expanded(message, 2 * C::M.div_ceil(5) + 32);
    let (mut one, mut minus_one) = (C::Limbs::splat(0), C::Limbs::splat(0));
    let accepted = bytes.into_iter().filter(|&byte| byte < 243);
    let trits = accepted.flat_map(|byte| [1, 3, 9, 27, 81].map(|power| byte / power % 3));
    for (i, trit) in trits.take(C::M).enumerate() {
        match trit {
            0 => {}
            1 => one.as_mut()[i / 64] |= 1 << (i % 64),
            _ => minus_one.as_mut()[i / 64] |= 1 << (i % 64),
        }
    }
    let seed = Element::from_planes(one, minus_one).expect("coefficients below x^m");
    Point::from_seed(seed).expect("one of 256 successive x has a point: half of all x do")
}
