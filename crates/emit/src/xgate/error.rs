//! The reasons why no thread can be made.

use crate::backend;

/// The name that errors give.
const NAME: &str = "xgate";

/// The reason for which there is no thread.
#[derive(Debug)]
pub struct Error {
    place: String,
    problem: String,
    remedy: String,
}

impl Error {
    /// Makes an error from the place, the problem and the remedy.
    pub fn new(place: impl Into<String>, problem: impl Into<String>, remedy: &str) -> Self {
        Self { place: place.into(), problem: problem.into(), remedy: remedy.to_owned() }
    }
}

impl From<Error> for backend::Error {
    fn from(error: Error) -> Self {
        let Error { place, problem, remedy } = error;
        Self::Program { backend: NAME, place, problem, remedy }
    }
}
