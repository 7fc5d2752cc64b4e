//! C as a backend: a library of a planned primitive.

use super::{About, Options, Subject, folder};
use crate::backend::{self, Backend, Line};
use manylane_plan::program::Program;
use manylane_plan::program::verify::verify;

/// Everything about a library that its programs leave open.
#[derive(Clone, Copy, Debug)]
pub struct Library<'l> {
    /// What the files say beside the code.
    pub about: &'l About<'l>,
    /// How it is to be made.
    pub options: &'l Options,
}

impl<'l> Backend for Library<'l> {
    type Program = Subject<'l>;

    fn line(&self) -> &'static Line {
        &backend::C
    }

    /// Verifies the programs and writes the library, without keeping it: only its text shows whether
    /// every operation has an expression.
    fn check(&self, program: &Subject<'l>) -> Result<(), backend::Error> {
        if let Subject::Hash { hash, .. } = program {
            let two = hash.compression.two.into_iter();
            two.chain([hash.compression.one]).try_for_each(verified)?;
        }
        folder(program, self.about, self.options)?;
        Ok(())
    }

    fn emit(&self, program: &Subject<'l>, out: &mut backend::Folder) -> Result<(), backend::Error> {
        self.check(program)?;
        Ok(out.add_all(folder(program, self.about, self.options)?.files)?)
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
