//! C as a backend: a library of a planned primitive.

use super::{About, Folder, Options, Subject, folder::folder};
use crate::backend::{self, Backend, Description};
use manylane_plan::program::Program;
use manylane_plan::program::verify::verify;

/// Everything about a library that its programs leave open.
#[derive(Clone, Copy, Debug)]
pub struct Library<'l> {
    /// The texts of the files beside the code.
    pub about: &'l About<'l>,
    /// How it is to be made.
    pub options: &'l Options,
}

impl<'l> Backend for Library<'l> {
    type Program = Subject<'l>;

    fn description(&self) -> &'static Description {
        &backend::C
    }

    /// Makes the library and drops it: only its text shows whether every operation has an
    /// expression.
    fn check(&self, program: &Subject<'l>) -> Result<(), backend::Error> {
        self.make(program).map(drop)
    }

    fn emit(&self, program: &Subject<'l>, out: &mut backend::Folder) -> Result<(), backend::Error> {
        Ok(out.add_all(self.make(program)?.files)?)
    }
}

impl Library<'_> {
    /// Verifies the programs and makes the files, with what there is to know of them.
    ///
    /// # Errors
    /// A program that is wrong, and what C has no text for.
    pub fn make(&self, program: &Subject<'_>) -> Result<Folder, backend::Error> {
        program.programs().into_iter().try_for_each(verified)?;
        Ok(folder(program, self.about, self.options)?)
    }
}

fn verified(program: &Program) -> Result<(), backend::Error> {
    verify(program).map_err(|wrong| backend::Error::Program {
        backend: backend::C.name,
        place: program.rolled.name.clone(),
        problem: wrong.to_string(),
        remedy: "give the program as the planner made it".to_owned(),
    })
}
