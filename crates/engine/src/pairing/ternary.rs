//! The η_T pairing in characteristic three on threads, over the portable element.
//!
//! **Broken: for research and teaching only** (see [`manylane_primitives::pairing::ternary`]).

use crate::drive::threads::share_out;
use manylane_primitives::pairing::ternary::eta_t::{factors, miller_part, reduce};
use std::num::NonZeroUsize;

pub use manylane_primitives::pairing::ternary::{
    Curve, Element, Eta97, Eta509, Parameters, Point, Sextic,
};

/// e(P, Q), the factors of the Miller value in as many parts as threads, whose bits are the same
/// for every number of them. Threads are started here and end here: 49 factors of [`Eta97`] are a
/// fraction of a millisecond, some tens of microseconds of which that takes.
///
/// **Broken: for research and teaching only.**
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
