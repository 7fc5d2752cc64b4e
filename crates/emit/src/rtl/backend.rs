//! Hardware as a backend: a core, alone or in its surroundings.

use super::wrap::{Message, Wrapped, Wrapper, wrap, wrapped_project};
use super::{Built, Core, Error, Interface, Options, Project, core, project};
use crate::backend::{self, Backend, Description, Folder};
use manylane_graph::framing::Framing;
use manylane_plan::hardware::HardwareProgram;
use manylane_plan::hardware::program::verify::verify;

/// Everything about a core that its program leaves open.
#[derive(Clone, Copy, Debug)]
pub struct Rtl<'r> {
    /// How the core is to look.
    pub options: &'r Options,
    /// The texts of the files beside the core.
    pub about: Project<'r>,
    /// The surroundings of the core, if there are any.
    pub surroundings: Option<Surroundings<'r>>,
}

/// The surroundings that make a core into a hash of messages.
#[derive(Clone, Copy, Debug)]
pub struct Surroundings<'r> {
    /// How messages go in and digests come out.
    pub interface: Interface,
    /// Padding, counters and the digest's bytes.
    pub framing: &'r Framing,
    /// Messages for the benches.
    pub messages: &'r [Message],
}

/// The hardware of a backend.
#[derive(Debug)]
pub struct Made {
    /// The core.
    pub core: Core,
    /// Its surroundings, if there are any.
    pub wrapper: Option<Wrapper>,
}

impl Rtl<'_> {
    /// Makes the hardware, without files.
    ///
    /// # Errors
    /// The errors of [`core`], and of [`wrap`](super::wrap()) if there are surroundings, which need
    /// messages.
    pub fn make(&self, program: &HardwareProgram) -> Result<Made, Error> {
        match self.surroundings {
            None => Ok(Made { core: core(program, self.options)?, wrapper: None }),
            Some(Surroundings { messages: [], .. }) => Err(Error::NoMessages),
            Some(Surroundings { interface, framing, .. }) => {
                let (core, wrapper) = wrap(program, self.options, framing, interface)?;
                Ok(Made { core, wrapper: Some(wrapper) })
            }
        }
    }
}

impl Backend for Rtl<'_> {
    type Program = HardwareProgram;

    fn description(&self) -> &'static Description {
        &backend::RTL
    }

    /// Verifies the program and makes its hardware: only the whole netlist shows whether memory has
    /// each word when a turn takes it.
    fn check(&self, program: &HardwareProgram) -> Result<(), backend::Error> {
        verify(program).map_err(|wrong| backend::Error::Program {
            backend: backend::RTL.name,
            place: program.function.name.clone(),
            problem: wrong.to_string(),
            remedy: "give the program as the hardware planner made it".to_owned(),
        })?;
        self.make(program)?;
        Ok(())
    }

    fn emit(&self, program: &HardwareProgram, out: &mut Folder) -> Result<(), backend::Error> {
        let Made { core, wrapper } = self.make(program)?;
        let built = Built { program, core: &core };
        let files = match (&wrapper, self.surroundings) {
            (Some(wrapper), Some(Surroundings { framing, messages, .. })) => {
                wrapped_project(Wrapped { built, wrapper, framing, messages }, &self.about)
            }
            _ => project(built, &self.about),
        };
        Ok(out.add_all(files)?)
    }
}
