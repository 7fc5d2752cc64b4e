//! From an [`Algorithm`] known at run time to the type that computes it.

use crate::error::Error;
use crate::kernels::runs::Runs;
use manylane_primitives::catalog::{Algorithm, HashId};
use manylane_primitives::for_each_hash;
use manylane_primitives::hash::Hash;

/// A computation for any hash.
pub(crate) trait Visit {
    type Output;
    fn visit<H: Runs>(self, hash: H) -> Self::Output;
}

macro_rules! dispatch {
    ($($id:ident $name:literal $aliases:tt $title:literal $standard:literal
       $security:ident $(($why:literal))? => $value:expr;)*) => {
        /// Runs `visitor` on the hash that `algorithm` names.
        pub(crate) fn visit<V: Visit>(algorithm: Algorithm, visitor: V) -> V::Output {
            match algorithm.id() {
                $( HashId::$id => visitor.visit(sized($value, algorithm)), )*
            }
        }
    };
}
for_each_hash!(dispatch);

/// [`visit`] where the visit may fail: an error that names the hash by its type, which several
/// algorithms share, names the algorithm by its title instead.
pub(crate) fn try_visit<T, V>(algorithm: Algorithm, visitor: V) -> Result<T, Error>
where
    V: Visit<Output = Result<T, Error>>,
{
    visit(algorithm, visitor).map_err(|error| error.naming(algorithm.id().entry().title))
}

/// `hash` with the digest length that `algorithm` asks for.
fn sized<H: Hash>(hash: H, algorithm: Algorithm) -> H {
    if hash.digest_bytes() == algorithm.digest_bytes() {
        hash
    } else {
        hash.with_digest_bytes(algorithm.digest_bytes()).expect("an Algorithm's length is checked")
    }
}
