//! What is wrong with a question, in words of the page's fields.
//!
//! Where the remedy is an option of the program `manylane`, the libraries' errors name that option.
//! Here each variant gets a text that names the page's field instead.

use manylane_graph::part::PartError;
use manylane_plan::costs::CostError;
use manylane_plan::hardware;
use manylane_plan::source::{LoadError, Remedy, SourceError};

/// An error of an answer.
pub enum Fault {
    /// The primitive lacks the part.
    Part(PartError),
    /// The text of a platform is wrong.
    Source(SourceError),
    /// A platform does not suffice.
    Cost(CostError),
    /// There is no model of this name.
    Load(LoadError),
    /// There is no such shape of a core.
    Hardware(hardware::Error),
    /// Another error, whose text names no option.
    Other(String),
}

impl Fault {
    /// What a reader of the page is told.
    pub fn told(&self) -> String {
        match self {
            Self::Part(error) => part(error),
            Self::Source(error) | Self::Cost(CostError::Platform(error)) => source(error),
            Self::Load(LoadError::Source(error)) => source(error),
            Self::Load(LoadError::Unknown { what, name, suggestion }) => {
                format!("no {what} `{name}`: {suggestion}")
            }
            Self::Cost(error) => error.to_string(),
            Self::Load(error) => error.to_string(),
            Self::Hardware(error) => error.to_string(),
            Self::Other(words) => words.clone(),
        }
    }
}

fn part(error: &PartError) -> String {
    match error {
        PartError::NoStep { .. } => format!("{error}; choose another Part"),
        PartError::NoMessage(subject) => format!(
            "{subject} is a block cipher, of which there are no messages: choose another Part, \
             such as the whole of one block"
        ),
        PartError::LongDigest { hash, digest, block } => format!(
            "hmac-{hash} is not defined: HMAC needs a digest no longer than a block, and {digest} \
             bytes are more than {block}; choose another Primitive"
        ),
        PartError::TooLong { .. } => format!("{error}; write fewer Bytes of the message"),
    }
}

fn source(error: &SourceError) -> String {
    let SourceError { file, line, problem, remedy } = error;
    let remedy = match remedy {
        Remedy::Words(words) => words,
        Remedy::Primitives => "the list Primitive has all there are",
        Remedy::Form => "what is built in shows the form",
    };
    format!("{file}:{line}: {problem}; {remedy}")
}

macro_rules! from {
    ($($variant:ident($error:ty)),* $(,)?) => {
        $(impl From<$error> for Fault {
            fn from(error: $error) -> Self {
                Self::$variant(error)
            }
        })*
    };
}

from!(
    Part(PartError),
    Source(SourceError),
    Cost(CostError),
    Load(LoadError),
    Hardware(hardware::Error),
    Other(String),
);
