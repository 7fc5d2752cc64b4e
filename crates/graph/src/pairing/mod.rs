//! The graph of the η_T pairing: calls of functions of its field, traced from the definition.
//!
//! **Broken: about 59 bits of security at m = 1223, less below. For research and teaching only.**
//!
//! ```text
//! manylane_primitives::pairing::eta_t over Traced elements
//!     │
//! Module   functions of the field: multiply, square, … (external), inverse (products and powers)
//!          main: a call for each operation on elements, each in its step
//!     │
//! Report   calls by step, the longest chain in products
//! ```
//!
//! An element is an opaque value ([`OPAQUE`](crate::ir::OPAQUE)): only a field says what a product
//! of two elements is. [`evaluate`] computes a graph in a field.

mod evaluate;
mod functions;
mod report;
mod split;
mod traced;

pub use evaluate::evaluate;
pub use functions::{Calls, FieldFunction, FunctionKind, operation_name};
pub use report::{Parts, Products, Report, SECURITY, StepCalls};
pub use split::SplitCalls;
pub use traced::{Traced, Tracer};

use crate::builder::Builder;
use crate::ir::Module;
use crate::part::cut;
use manylane_primitives::pairing::eta_t::{factors, miller_part, reduce};
use manylane_primitives::pairing::{BinaryField, Curve, Eta1223, Point, Quartic};

/// e(P, Q), from the coordinates of P and Q to those of the value: Algorithm 5 of the paper that
/// [`manylane_primitives::pairing`] implements.
pub fn pair<C: Curve>() -> Module {
    pair_in_parts::<C>(&[0, factors::<C>()])
}

/// e(P, Q) with the factors of the Miller value in parts, part i from `cuts[i]` to `cuts[i + 1]`,
/// that are multiplied two by two: Algorithm 6. With one part this is Algorithm 5.
///
/// # Panics
/// If the cuts are not increasing from 0 to [`factors`].
pub fn pair_in_parts<C: Curve>(cuts: &[usize]) -> Module {
    let increasing = cuts.windows(2).all(|cut| cut[0] < cut[1]);
    let ends = (cuts.first(), cuts.last());
    assert!(increasing && ends == (Some(&0), Some(&factors::<C>())), "parts cut at {cuts:?}");
    trace::<C>(cuts)
}

/// The product of the factors in parts, some of which may be missing at the end, and the final
/// exponentiation.
fn trace<C: Curve>(cuts: &[usize]) -> Module {
    let tracer = Tracer::new(Builder::new(&format!("eta-t-{}.pairing", C::M)));
    let [xp, yp, xq, yq] = ["x_P", "y_P", "x_Q", "y_Q"].map(|name| tracer.input::<C>(name));
    let (p, q) = (Point::new(xp, yp), Point::new(xq, yq));
    let part = |cut: &[usize]| miller_part(p, q, cut[0]..cut[1]);
    let mut values: Vec<Quartic<Traced<'_, C>>> = match cuts {
        [_, _] => vec![part(cuts)],
        _ => {
            let parts = cuts.windows(2).enumerate();
            parts.map(|(i, cut)| step("part", i, &[xp, yp, xq, yq], || part(cut))).collect()
        }
    };
    let mut joins = 0..;
    while values.len() > 1 {
        let product = |pair: &[Quartic<_>]| match *pair {
            [f, g] => step("join", joins.next().expect("endless"), &f.0, || f * g),
            _ => pair[0],
        };
        values = values.chunks(2).map(product).collect();
    }
    tracer.outputs("c", &reduce(values[0]).0);
    tracer.into_module()
}

/// One factor of the pairing over F_2^1223, from the middle: from the coordinates and the value
/// before it to those after it.
pub fn factor() -> Module {
    let mut module = pair::<Eta1223>();
    let main = module.pop().expect("the pairing");
    let middle = format!("factor[{}]", factors::<Eta1223>() / 2);
    let step = main.find_step(&middle).expect("a factor");
    module.push(cut(&main, &[step], "eta-t-1223.factor"));
    module
}

/// Computes `f` in the step `name[index]`, a part of the whole.
fn step<F: BinaryField, T>(
    name: &'static str,
    index: usize,
    over: &[F],
    f: impl FnOnce() -> T,
) -> T {
    F::enter(over, crate::ir::Kind::Part, name, index);
    let value = f();
    F::leave(over);
    value
}

/// The cuts that make `parts` parts of nearly equal length.
pub fn even_cuts<C: Curve>(parts: usize) -> Vec<usize> {
    (0..=parts).map(|i| factors::<C>() * i / parts).collect()
}
