//! A primitive as it is planned for a number of cores.

use super::row::Row;
use super::subject::{Hmac, Subject};
use crate::c::{HashPrograms, Planner, Rc5Programs};
use crate::error::Error;
use crate::primitive::Primitive;
use manylane_emit::c::Cores;
use manylane_plan::Platform;
use manylane_plan::program::Program;

/// A planned primitive of any kind.
pub enum Planned {
    /// A hash function.
    Hash(HashPrograms),
    /// HMAC with one.
    Hmac(Hmac),
    /// RC5 with its parameters.
    Rc5(Box<Rc5Programs>),
}

impl Planned {
    /// Plans a primitive for one core or two.
    ///
    /// # Errors
    /// If the hash has no known form, or the platform lacks a cost.
    pub fn new(
        primitive: Primitive,
        cores: Cores,
        planner: &mut Planner<'_>,
    ) -> Result<Self, Error> {
        Ok(match primitive {
            Primitive::Hash(hash) => Self::Hash(planner.plan(hash, cores)?),
            Primitive::Hmac(hash) => Self::Hmac(Hmac(planner.plan(hash, cores)?)),
            Primitive::Rc5(params) => Self::Rc5(Box::new(Rc5Programs::new(
                params,
                cores,
                planner.shape,
                planner.platform,
            )?)),
        })
    }

    /// Returns the subject that is measured.
    pub fn subject(&self) -> &dyn Subject {
        match self {
            Self::Hash(hash) => hash,
            Self::Hmac(hmac) => hmac,
            Self::Rc5(rc5) => &**rc5,
        }
    }

    /// Whether a second core has something to do. With HMAC and RC5 it has, whatever is planned for
    /// one call.
    pub fn has_share(&self) -> bool {
        match self {
            Self::Hash(hash) => hash.has_share(),
            Self::Hmac(_) | Self::Rc5(_) => true,
        }
    }

    /// The program of a call on two cores: of a hash its compression, of a cipher the key's
    /// expansion beside the first blocks. `None` where it is not divided.
    pub fn divided(&self) -> Option<&Program> {
        let two = match self {
            Self::Hash(hash) => &hash.two,
            Self::Hmac(hmac) => &hmac.0.two,
            Self::Rc5(rc5) => &rc5.two,
        };
        two.as_ref().filter(|two| two.processors > 1)
    }

    /// The row of a run before it is run. `platform` prices the prediction, if there is one.
    ///
    /// # Errors
    /// If the platform lacks a cost.
    pub fn row(
        &self,
        cores: Cores,
        length: usize,
        platform: Option<&Platform>,
    ) -> Result<Row, Error> {
        match self {
            Self::Hash(hash) => Row::new(hash, cores, length, platform),
            Self::Hmac(hmac) => hmac.row(cores, length, platform),
            Self::Rc5(rc5) => super::cipher::row(rc5, cores, length, platform),
        }
    }
}
