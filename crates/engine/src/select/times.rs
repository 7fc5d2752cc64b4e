//! Times of kernels, which decide which of them serves how many messages.
//!
//! Each kernel states a time of its own, a constant. A [`Table`] of times measured on one CPU takes
//! the place of the constants: one that is built in for cores where they choose badly, or the one
//! that was installed.

use super::visit::{Visit, visit};
use crate::cpu::Engine;
use crate::kernels::kernel::Kernel;
use crate::kernels::runs::Runs;
use manylane_primitives::catalog::{Algorithm, HashId};
use manylane_primitives::hash::Hash;
use std::any::TypeId;
use std::fmt;
use std::sync::OnceLock;

/// A kernel of a hash: an engine and the messages that it computes side by side.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct KernelName {
    /// The engine.
    pub engine: Engine,
    /// Messages side by side.
    pub lanes: usize,
}

impl fmt::Display for KernelName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&format!("{} × {}", self.engine, self.lanes))
    }
}

impl<H: Hash> Kernel<H> {
    /// The engine and the number of lanes, which tell it from the hash's other kernels.
    pub(crate) fn name(&self) -> KernelName {
        KernelName { engine: self.engine, lanes: self.lanes }
    }
}

/// Nanoseconds that a call of each kernel takes per block.
///
/// Every program has the code of this type, so it is a list in the order of the kernels' names: the
/// code of a `BTreeMap` takes 20 KB.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Times(Vec<(KernelName, f64)>);

impl Times {
    /// The time of a kernel, if it has one.
    pub fn get(&self, kernel: KernelName) -> Option<f64> {
        self.place(kernel).ok().map(|at| self.0[at].1)
    }

    /// The kernels and their times, in the order of the kernels' names.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (KernelName, f64)> {
        self.0.iter().copied()
    }

    /// Sets the time of a kernel.
    fn set(&mut self, kernel: KernelName, nanoseconds: f64) {
        match self.place(kernel) {
            Ok(at) => self.0[at].1 = nanoseconds,
            Err(at) => self.0.insert(at, (kernel, nanoseconds)),
        }
    }

    /// Where a kernel is in the list, or where it would be.
    fn place(&self, kernel: KernelName) -> Result<usize, usize> {
        self.0.binary_search_by_key(&kernel, |entry| entry.0)
    }
}

impl FromIterator<(KernelName, f64)> for Times {
    fn from_iter<T: IntoIterator<Item = (KernelName, f64)>>(entries: T) -> Self {
        let mut times = Self::default();
        entries.into_iter().for_each(|(kernel, nanoseconds)| times.set(kernel, nanoseconds));
        times
    }
}

/// The geometric means of the times on several cores, if there are any. A kernel that one of these
/// lacks is left out, since the times of a core belong together.
pub(crate) fn mean(cores: &[&Times]) -> Option<Times> {
    if let [one] = cores {
        return Some((*one).clone());
    }
    let (first, _) = cores.split_first()?;
    let mean = |(kernel, _)| {
        let product = cores.iter().map(|times| times.get(kernel)).product::<Option<f64>>()?;
        Some((kernel, product.powf(1.0 / cores.len() as f64)))
    };
    Some(first.iter().filter_map(mean).collect())
}

/// Times of the kernels of some hashes.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Table {
    /// The times of each [family](family) under its first hash, in the catalogue's order.
    times: Vec<(HashId, Times)>,
}

impl Table {
    /// Sets the time of a kernel: nanoseconds of a call per block, more than 0.
    pub fn set(&mut self, hash: HashId, kernel: KernelName, nanoseconds: f64) {
        let first = family(hash)[0];
        let place = |id| HashId::ALL.iter().position(|&other| other == id);
        let at = match self.times.binary_search_by_key(&place(first), |entry| place(entry.0)) {
            Ok(at) => at,
            Err(at) => {
                self.times.insert(at, (first, Times::default()));
                at
            }
        };
        self.times[at].1.set(kernel, nanoseconds);
    }

    /// The times of a hash's kernels, if it has them.
    pub fn of(&self, hash: HashId) -> Option<&Times> {
        let first = family(hash)[0];
        self.times.iter().find(|entry| entry.0 == first).map(|entry| &entry.1)
    }

    /// The first hash of each family that it has times of, and these times.
    pub fn families(&self) -> impl Iterator<Item = (HashId, &Times)> {
        self.times.iter().map(|(hash, times)| (*hash, times))
    }

    /// Number of times.
    pub fn kernels(&self) -> usize {
        self.times.iter().map(|(_, times)| times.0.len()).sum()
    }
}

/// The hashes that are computed by the same kernels as this one, in the catalogue's order.
pub fn family(hash: HashId) -> Vec<HashId> {
    struct Type;
    impl Visit for Type {
        type Output = TypeId;
        fn visit<H: Runs>(self, _: H) -> TypeId {
            TypeId::of::<H>()
        }
    }
    let of = |id: HashId| visit(Algorithm::new(id), Type);
    let kernels = of(hash);
    HashId::ALL.iter().copied().filter(|&id| of(id) == kernels).collect()
}

/// The table that was installed, at most one in a process: it is part of what is known of the CPU.
static INSTALLED: OnceLock<Table> = OnceLock::new();

/// The table that was installed, if one was.
pub(crate) fn installed() -> Option<&'static Table> {
    INSTALLED.get()
}

/// Installs a table, or gives it back where there is one.
pub(crate) fn install(table: Table) -> Result<(), Table> {
    INSTALLED.set(table)
}
