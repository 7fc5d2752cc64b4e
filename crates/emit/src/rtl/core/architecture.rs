//! The decisions about a core that are made before a signal exists.

use super::asked::Asked;
use super::chaining;
use super::recurrences::Recurrences;
use super::storage::Storage;
use super::timetable::Timetable;
use super::window::plan::WindowPlan;
use crate::rtl::error::Error;
use crate::rtl::split::SplitRegion;

/// All that is decided before a signal exists.
#[derive(Debug)]
pub(super) struct Microarchitecture<'m> {
    /// The program and the options of the core.
    pub asked: Asked<'m>,
    /// The recurrences from state to state.
    pub recurrences: Recurrences<'m>,
    /// The plan of the memory for message words, if they are kept in memory.
    pub window: Option<WindowPlan>,
    /// The clock of each operation.
    pub times: Timetable,
}

impl<'m> Microarchitecture<'m> {
    /// Makes the decisions in their order: recurrences, the window in memory, the timetable.
    pub fn new(asked: Asked<'m>, split: &'m SplitRegion) -> Result<Self, Error> {
        let recurrences = Recurrences::new(asked, split);
        let window = match asked.options.window {
            Storage::Registers => None,
            Storage::Ram => Some(WindowPlan::new(asked, &recurrences)?),
        };
        chaining::check(asked)?;
        let times = Timetable::new(asked, &recurrences, window.as_ref());
        Ok(Self { asked, recurrences, window, times })
    }
}
