//! Tables that `manylane tune` wrote, for cores on which the times of the [shells](crate::kernels::shell)
//! choose badly.

use super::{Times, Tuning, kernel_line};
use crate::cpu::is_zen5;
use manylane_primitives::catalog::HashId;
use std::sync::OnceLock;

/// AMD's Zen 5, measured on a server ("Turin"): what `manylane tune` keeps, as it is.
const ZEN_5: &str = include_str!("zen5.txt");

/// The times of a hash's kernels on cores like this one, if they are built in.
pub(crate) fn of_this_core(hash: HashId) -> Option<&'static Times> {
    static TABLE: OnceLock<Option<Tuning>> = OnceLock::new();
    let table = TABLE.get_or_init(|| is_zen5().then(|| times(ZEN_5)));
    table.as_ref()?.times(hash)
}

/// The times in a table from anywhere; a hash or an engine that it does not share with this program
/// is left out.
fn times(text: &str) -> Tuning {
    let mut table = Tuning::default();
    for (hash, kernel, nanoseconds) in text.lines().filter_map(|line| kernel_line(line).ok()) {
        table.set(hash, kernel, nanoseconds);
    }
    table
}
