//! The backends as data: one table of function pointers each, compiled for its features.
//!
//! **About 59 bits of security: for research and teaching only** (see [the module](super)).

use super::lanes::{Backend, FourElements};
use super::types::{Element, Operation, Point, Prepared, Value};
use super::{continuant, miller};
#[cfg(target_arch = "x86_64")]
use super::{single::Vpclmul, vectors::Vectors, xmm::Pclmul, xmm::Xmm, zmm::Zmm};
use crate::cpu::Engine;
use core::hint::black_box;
use core::ops::Range;
use manylane_primitives::pairing::BinaryField;

/// A part of the factors, up to a factor in F_q².
pub(super) type PartOfFactors =
    unsafe fn(&Prepared, Point, Range<usize>, &mut Vec<FourElements>) -> Value;

/// One backend. Every function may be called only where the engine runs.
pub(super) struct Executor {
    /// The instruction set that the CPU must have.
    pub engine: Engine,
    /// Elements, or pairings, side by side.
    pub lanes: usize,
    /// [`miller::root`].
    pub root: unsafe fn(Point) -> [Element; 2],
    /// [`continuant::part`].
    pub part: PartOfFactors,
    /// [`miller::part`].
    pub factors: PartOfFactors,
    /// [`miller::product`].
    pub product: unsafe fn(Value, Value) -> Value,
    /// [`miller::finish`].
    pub finish: unsafe fn(&mut [Value]),
    /// [`field`].
    pub field: unsafe fn(Operation, usize, &mut [Element], &[Element]),
}

/// `a[i]` becomes `operation(a[i], b[i])`, `times` times.
#[inline(always)]
fn field<F: Backend>(operation: Operation, times: usize, a: &mut [Element], b: &[Element]) {
    for (a, b) in a.chunks_mut(F::LANES).zip(b.chunks(F::LANES)) {
        let (mut x, mut y) = ([Element::zero(); 4], [Element::zero(); 4]);
        let (x, y) = (padded::<F>(a, &mut x), padded::<F>(b, &mut y));
        let (mut f, g) = (F::load(x), F::load(y));
        // Each operation has a loop of its own, so that the operation is not chosen again in every
        // turn.
        macro_rules! repeat {
            ($step:expr) => {
                for _ in 0..times {
                    $step;
                }
            };
        }
        match operation {
            // `black_box` hides the sum; otherwise the compiler sees that a + b + b = a.
            Operation::Add => repeat!(f = black_box(f + g)),
            Operation::Multiply => repeat!(f = f * g),
            Operation::Square => repeat!(f.square_assign()),
            Operation::SquareRoot => repeat!(f.square_root_assign()),
            Operation::Frobenius(n) => repeat!(f = f.frobenius(n)),
            Operation::Inverse => repeat!(f = f.inverse()),
            Operation::Trace => repeat!(f = f.trace()),
            Operation::HalfTrace => repeat!(f = f.half_trace()),
            Operation::IsZero => repeat!(f = f.is_zero()),
            Operation::Choose => repeat!(f = f.choose(g, F::zero())),
        }
        match F::LANES {
            1 => f.store(a),
            lanes => {
                let mut x = [Element::zero(); 4];
                f.store(&mut x[..lanes]);
                a.copy_from_slice(&x[..a.len()]);
            }
        }
    }
}

/// At most [`Backend::LANES`] elements, and zeros up to that number.
#[inline(always)]
fn padded<'a, F: Backend>(elements: &'a [Element], all: &'a mut [Element; 4]) -> &'a [Element] {
    if F::LANES == 1 {
        return &elements[..1];
    }
    all[..elements.len()].copy_from_slice(elements);
    &all[..F::LANES]
}

/// The functions of a backend, for the features of an engine: not generic, so that each is compiled
/// once, in this crate.
macro_rules! shell {
    ($name:ident, $engine:expr, $field:ty, single $single:ty $(, $features:literal)?) => {
        mod $name {
            use super::*;

            /// # Safety
            /// The CPU must have the features.
            $(#[target_feature(enable = $features)])?
            unsafe fn root(p: Point) -> [Element; 2] {
                miller::root::<$field, $single>(p)
            }

            /// # Safety
            /// The CPU must have the features.
            $(#[target_feature(enable = $features)])?
            unsafe fn part(
                p: &Prepared,
                q: Point,
                part: Range<usize>,
                memory: &mut Vec<FourElements>,
            ) -> Value {
                continuant::part::<$field, $single>(p, q, part, memory)
            }

            /// # Safety
            /// The CPU must have the features.
            $(#[target_feature(enable = $features)])?
            unsafe fn factors(
                p: &Prepared,
                q: Point,
                part: Range<usize>,
                memory: &mut Vec<FourElements>,
            ) -> Value {
                miller::part::<$field, $single>(p, q, part, memory)
            }

            /// # Safety
            /// The CPU must have the features.
            $(#[target_feature(enable = $features)])?
            unsafe fn product(f: Value, g: Value) -> Value {
                miller::product::<$field, $single>(f, g)
            }

            /// # Safety
            /// The CPU must have the features.
            $(#[target_feature(enable = $features)])?
            unsafe fn finish(values: &mut [Value]) {
                miller::finish::<$field, $single>(values);
            }

            /// # Safety
            /// The CPU must have the features.
            $(#[target_feature(enable = $features)])?
            unsafe fn field(operation: Operation, times: usize, a: &mut [Element], b: &[Element]) {
                match a.len() {
                    1 => super::field::<$single>(operation, times, a, b),
                    _ => super::field::<$field>(operation, times, a, b),
                }
            }

            /// The table of this shell's functions.
            pub(super) const EXECUTOR: Executor = Executor {
                engine: $engine,
                lanes: <$field as Backend>::LANES,
                root,
                part,
                factors,
                product,
                finish,
                field,
            };
        }
    };
}

shell!(scalar, Engine::Scalar, Element, single Element);
#[cfg(target_arch = "x86_64")]
shell!(pclmul, Engine::Pclmul, Vectors<Xmm<Pclmul>>, single Vectors<Xmm<Pclmul>>, "pclmulqdq,avx");
#[cfg(target_arch = "x86_64")]
shell!(
    vpclmul,
    Engine::Vpclmul,
    Vectors<Zmm>,
    single Vectors<Xmm<Vpclmul>>,
    "avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi,avx512vbmi2,vpclmulqdq,pclmulqdq,gfni"
);

/// The executors of this architecture, whether or not this CPU runs them, the preferred one last.
/// The executor over plain integers is listed under both of its names.
pub(super) static EXECUTORS: &[Executor] = &[
    scalar::EXECUTOR,
    Executor { engine: Engine::Portable, ..scalar::EXECUTOR },
    #[cfg(target_arch = "x86_64")]
    pclmul::EXECUTOR,
    #[cfg(target_arch = "x86_64")]
    vpclmul::EXECUTOR,
];
