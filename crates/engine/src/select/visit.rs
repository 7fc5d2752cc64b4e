//! From an [`Algorithm`] known at run time to the type that computes it.

use crate::error::Error;
use crate::kernels::runs::Runs;
use manylane_primitives::catalog::Algorithm;
use manylane_primitives::hash::{Hash, LONGEST_END, Padded, Tail};
use manylane_primitives::{for_each_hash, match_hash};
use std::any::Any;

/// A computation for any hash.
pub(crate) trait Visit {
    type Output;
    fn visit<H: Runs>(self, hash: H) -> Self::Output;
}

/// Runs `visitor` on the hash that `algorithm` names.
#[inline(always)]
pub(crate) fn visit<V: Visit>(algorithm: Algorithm, visitor: V) -> V::Output {
    match_hash!(algorithm.id(), |hash| visitor.visit(algorithm.sized(hash)))
}

macro_rules! entries {
    ($($id:ident $name:literal $aliases:tt $title:literal $standard:literal
       $security:ident $(($why:literal))? => $value:expr;)*) => {
        /// The title in the catalogue of a hash given by a value of its type, which several entries
        /// share (SHA-224 and SHA-256): that of the entry with the same lengths, initial value and
        /// padding. None for a hash that the catalogue lacks.
        pub(crate) fn title<H: Runs>(hash: &H) -> Option<&'static str> {
            $(
                let entry: &dyn Any = &$value;
                if entry.downcast_ref().is_some_and(|entry| are_alike(hash, entry)) {
                    return Some($title);
                }
            )*
            None
        }
    };
}
for_each_hash!(entries);

/// Whether two hashes of one type have the same parameters.
fn are_alike<H: Hash>(one: &H, other: &H) -> bool {
    let end = |hash: &H| {
        let mut bytes = [0; LONGEST_END];
        let mut padded = Padded::new(&mut bytes);
        hash.pad(&Tail { bytes: &[], total_bits: 0 }, &mut padded);
        let length = padded.blocks * hash.block_bytes();
        bytes[..length].to_vec()
    };
    one.digest_bytes() == other.digest_bytes()
        && one.initial_value().as_ref() == other.initial_value().as_ref()
        && end(one) == end(other)
}

/// Does what [`visit`] does where the visitor may fail. An error that names the hash by its type,
/// which several algorithms share, is made to name the algorithm by its title.
#[inline(always)]
pub(crate) fn try_visit<T, V>(algorithm: Algorithm, visitor: V) -> Result<T, Error>
where
    V: Visit<Output = Result<T, Error>>,
{
    visit(algorithm, visitor).map_err(|error| error.naming(algorithm.id().entry().title))
}
