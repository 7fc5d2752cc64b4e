//! The η_T pairing over F_2^1223 on this CPU.
//!
//! # Security
//!
//! **About 59 bits: broken, for research and teaching only.** Discrete logarithms in fields of
//! small characteristic are easy, and those of this very field were estimated at 2^59 operations
//! (Granger, Kleinjung and Zumbrägel, CRYPTO 2014). Protocols take BLS12-381. The time depends on
//! no coordinate of a point if the time of each instruction does not depend on its operands.
//!
//! # Structure
//!
//! ```text
//! pool       p threads over the factors of one pairing; places: the CPUs they run on
//!    │ parts
//! executor   one table of functions for each engine: shells with its features
//!    │
//! continuant factors over lanes, in two products each
//! miller     the same by the paper, in seven; final exponentiation
//!    │ BinaryField, by lanes
//! vectors    ten vectors of 128-bit limbs ──► polynomial: product, reduction, root over any Limb
//!    │ Powers
//! powers     a^(2^n) as plan says: by maps (map: GFNI, sums: AVX), squares and roots
//!    │ Limb
//! xmm        PCLMULQDQ, one element               zmm         VPCLMULQDQ and GFNI, four elements
//!                                                 single      the same for one element
//! ```
//!
//! | engine | elements side by side | needs |
//! |---|---|---|
//! | scalar, portable | 1 | |
//! | pclmul | 1 | PCLMULQDQ, AVX |
//! | vpclmul | 4 | VPCLMULQDQ, GFNI, AVX-512 with VBMI and VBMI2 |
//!
//! [`ternary`] splits the pairing in characteristic three in the same way.
//!
//! The curve, the tower of fields and the formulas of the factors are those of
//! [`manylane_primitives::pairing`], over lanes.

mod continuant;
mod executor;
mod hash;
mod lanes;
#[cfg(target_arch = "x86_64")]
mod limb;
#[cfg(target_arch = "x86_64")]
mod map;
mod miller;
mod places;
#[cfg(target_arch = "x86_64")]
mod plan;
#[cfg(target_arch = "x86_64")]
mod polynomial;
mod pool;
#[cfg(target_arch = "x86_64")]
mod powers;
#[cfg(target_arch = "x86_64")]
mod single;
#[cfg(target_arch = "x86_64")]
mod sums;
pub mod ternary;
mod types;
#[cfg(target_arch = "x86_64")]
mod vectors;
#[cfg(target_arch = "x86_64")]
mod xmm;
#[cfg(target_arch = "x86_64")]
mod zmm;

use crate::cpu::Engine;
use crate::drive::threads::share_out;
use crate::error::Error;
use executor::{EXECUTORS, Executor};
use lanes::FourElements;
use manylane_primitives::pairing as definition;
use pool::Pool;
use std::fmt;
use std::num::NonZeroUsize;
use std::sync::Mutex;

pub use definition::encoding::Form;
pub use definition::{DecodeError, Eta1223};
pub use hash::hash_to_point;
pub use types::{Element, Operation, Point, Prepared, Shares, Value};

/// Number of factors of the Miller value, which threads share: 612.
pub const FACTORS: usize = miller::FACTORS;

/// Computes pairings on one engine and a number of threads.
///
/// In a build without optimisation a pairing needs up to 2.5 MB of the calling thread's stack, and
/// threads that a program starts have 2 MiB unless it asks for more
/// ([`stack_size`](std::thread::Builder::stack_size)).
///
/// ```
/// use manylane::pairing::{Pairing, Point};
///
/// let pairing = Pairing::new()?;
/// let [p, q] = [[1; 153], [2; 153]].map(|digest| Point::from_digest(digest).unwrap());
/// assert_eq!(pairing.pair(p, q), pairing.pair(q, p));
/// assert_eq!(pairing.pair(p.double(), q), pairing.pair(p, q.double()));
/// # Ok::<(), manylane::Error>(())
/// ```
pub struct Pairing {
    executor: &'static Executor,
    threads: usize,
    /// Where threads share one pairing.
    pool: Option<Pool>,
    /// Whether the Miller value is a product of factors.
    by_factors: bool,
    /// Memory of the coordinates' steps for each pairing at a time, kept between pairings: 96 KiB,
    /// by factors 383.
    steps: Mutex<Vec<Vec<FourElements>>>,
}

impl Pairing {
    /// A pairing on the best engine of this CPU, on one thread.
    ///
    /// # Errors
    /// If `MANYLANE_MAX_ISA` names no engine.
    pub fn new() -> Result<Self, Error> {
        Self::on(None)
    }

    /// A pairing on the engine given, or on the best one.
    ///
    /// # Errors
    /// If the engine cannot serve.
    pub fn on(engine: impl Into<Option<Engine>>) -> Result<Self, Error> {
        let engine = engine.into();
        if let Some(engine) = engine {
            engine.require()?;
        }
        let engines = Self::engines()?;
        let wanted = engine.or(engines.last().copied());
        let executor = EXECUTORS.iter().find(|executor| Some(executor.engine) == wanted);
        let executor = executor.ok_or_else(|| Error::EngineLacksPrimitive {
            engine: wanted.map_or("", Engine::name),
            primitive: "the η_T pairing".into(),
            available: crate::cpu::names(&engines),
        })?;
        Ok(Self { executor, threads: 1, pool: None, by_factors: false, steps: Mutex::default() })
    }

    /// The engines of this CPU that compute pairings, the preferred one last.
    ///
    /// # Errors
    /// If `MANYLANE_MAX_ISA` names no engine.
    pub fn engines() -> Result<Vec<Engine>, Error> {
        let available = Engine::available()?;
        let engines = EXECUTORS.iter().map(|executor| executor.engine);
        Ok(engines.filter(|engine| available.contains(engine)).collect())
    }

    /// Computes on `threads` threads, the caller's among them. The others are started here, spin
    /// for a fifth of a millisecond after each pairing, then sleep, and end with this value. On
    /// Linux they keep to CPUs that this thread may use and the caller is not on. Where they find
    /// no free one, the caller does their work: [`Pairing::shares`] tells.
    #[must_use]
    pub fn threads(mut self, threads: NonZeroUsize) -> Self {
        self.threads = threads.get().min(FACTORS);
        self.pool = (self.threads > 1).then(|| Pool::new(self.threads - 1));
        self
    }

    /// Computes the Miller value as the paper does, a product of factors in seven products each,
    /// rather than as a [continuant](definition::continuant) in two. For comparison: the pairings
    /// are the same, and take three times as long.
    #[must_use]
    pub fn by_factors(mut self) -> Self {
        self.by_factors = true;
        self
    }

    /// How many parts the caller and the other threads have computed, over all pairings so far that
    /// threads shared. With p threads a pairing has p parts, of which the other threads compute p −
    /// 1, or fewer where they find no free CPU.
    pub fn shares(&self) -> Shares {
        self.pool.as_ref().map(Pool::shares).unwrap_or_default()
    }

    /// The engine it runs on.
    pub fn engine(&self) -> Engine {
        self.executor.engine
    }

    /// The number of elements or pairings that the engine computes side by side.
    pub fn lanes(&self) -> usize {
        self.executor.lanes
    }

    /// e(P, Q).
    pub fn pair(&self, p: Point, q: Point) -> Value {
        self.pair_prepared(&self.prepare(p), q)
    }

    /// e(P, Q), the 612 factors being shared at the given cuts, from 0 to [`FACTORS`]: a static
    /// partition for as many processors as there are parts. Without other threads the caller
    /// computes the parts in turn.
    ///
    /// # Panics
    /// If the cuts do not ascend from 0 to [`FACTORS`].
    pub fn pair_in_parts(&self, p: Point, q: Point, cuts: &[usize]) -> Value {
        assert!(
            cuts.first() == Some(&0) && cuts.last() == Some(&FACTORS) && cuts.is_sorted(),
            "cuts must ascend from 0 to {FACTORS}: {cuts:?}"
        );
        self.finish(self.miller(&self.prepare(p), q, cuts))
    }

    /// Prepares the first argument of [`Pairing::pair_prepared`].
    pub fn prepare(&self, p: Point) -> Prepared {
        // SAFETY: `on` gives only executors whose engine runs here.
        Prepared { point: p, root: unsafe { (self.executor.root)(p) } }
    }

    /// e(P, Q) for a prepared P.
    pub fn pair_prepared(&self, p: &Prepared, q: Point) -> Value {
        self.finish(self.miller(p, q, &self.cuts()))
    }

    /// e(P_i, Q_i) for each i, in order: the way to compute many. Threads take pairings, lanes take
    /// final exponentiations.
    pub fn pair_many(&self, pairs: &[(Point, Point)]) -> Vec<Value> {
        let mut values = vec![Value::one(); pairs.len()];
        let lanes = self.executor.lanes;
        let share = pairs.len().div_ceil(self.threads).next_multiple_of(lanes).max(1);
        let shares = pairs.chunks(share).zip(values.chunks_mut(share)).collect();
        share_out(self.threads, shares, |(pairs, values)| self.pair_share(pairs, values));
        values
    }

    /// One thread's share of [`Pairing::pair_many`].
    fn pair_share(&self, pairs: &[(Point, Point)], values: &mut [Value]) {
        for (&(p, q), value) in pairs.iter().zip(&mut *values) {
            *value = self.miller(&self.prepare(p), q, &[0, FACTORS]);
        }
        // SAFETY: `on` gives only executors whose engine runs here.
        unsafe { (self.executor.finish)(values) };
    }

    /// Π e(P_i, Q_i), with one final exponentiation; 1 for no pairs.
    pub fn pair_product(&self, pairs: &[(Point, Point)]) -> Value {
        let cuts = self.cuts();
        let factors = pairs.iter().map(|&(p, q)| self.miller(&self.prepare(p), q, &cuts));
        // SAFETY: `on` gives only executors whose engine runs here.
        let product = factors.reduce(|f, g| unsafe { (self.executor.product)(f, g) });
        product.map_or_else(Value::one, |product| self.finish(product))
    }

    /// `a[i]` becomes `operation(a[i], b[i])`, `times` times, as many side by side as the engine
    /// has lanes. Each time waits for the one before it.
    ///
    /// # Panics
    /// If `a` and `b` differ in length.
    pub fn field(&self, operation: Operation, times: usize, a: &mut [Element], b: &[Element]) {
        assert_eq!(a.len(), b.len(), "one operand b for each a");
        // SAFETY: `on` gives only executors whose engine runs here.
        unsafe { (self.executor.field)(operation, times, a, b) }
    }

    /// Even parts for all threads, of whole groups of lanes.
    fn cuts(&self) -> Vec<usize> {
        let groups = FACTORS / self.executor.lanes;
        let cut = |i| groups * i / self.threads * self.executor.lanes;
        (0..=self.threads).map(cut).collect()
    }

    /// The Miller value, 1 if either point is ∞.
    fn miller(&self, p: &Prepared, q: Point, cuts: &[usize]) -> Value {
        let part = if self.by_factors { self.executor.factors } else { self.executor.part };
        let mut steps = self.steps.lock().expect("not poisoned").pop().unwrap_or_default();
        // SAFETY: `on` gives only executors whose engine runs here.
        let product = |f, g| unsafe { (self.executor.product)(f, g) };
        let f = match &self.pool {
            Some(pool) if cuts.len() > 2 => {
                pool.parts(part, p, q, cuts, &mut steps).into_iter().reduce(product)
            }
            _ => {
                let parts = cuts.windows(2).filter(|cut| cut[0] < cut[1]);
                // SAFETY: as above.
                let values = parts.map(|cut| unsafe { part(p, q, cut[0]..cut[1], &mut steps) });
                values.reduce(product)
            }
        };
        let f = f.expect("parts");
        self.steps.lock().expect("not poisoned").push(steps);
        let infinite = |point: Point| point.is_infinite();
        let f = Value::choose(infinite(q), Value::one(), f);
        Value::choose(infinite(p.point), Value::one(), f)
    }

    /// The final exponentiation of a Miller value, which any factor in F_q² does not change.
    pub fn finish(&self, value: Value) -> Value {
        let mut values = [value];
        // SAFETY: `on` gives only executors whose engine runs here.
        unsafe { (self.executor.finish)(&mut values) };
        values[0]
    }
}

impl fmt::Debug for Pairing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Pairing({}, {} threads)", self.engine(), self.threads)
    }
}
