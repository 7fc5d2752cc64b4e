//! The table of times that `manylane tune` measures, as commands take it up.

use crate::terminal::output::complain;

/// Hands the table to the engine. Without a good one the engine goes by the times that are built
/// in, and the user is told why.
pub fn load() {
    if let Err(why) = manylane_measure::tuning::load() {
        complain(&why);
    }
}
