//! From an [`Algorithm`] known at run time to the type that computes it.

use crate::Error;
use crate::choice::Choice;
use crate::cpu::Engine;
use crate::kernels::runs::Runs;
use crate::tuning::of_this_core;
use manylane_primitives::catalog::{Algorithm, HashId};
use manylane_primitives::for_each_hash;
use manylane_primitives::hash::Hash;
use std::any::Any;
use std::sync::OnceLock;

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

        /// The [`Choice`] among all kernels of this CPU for each hash of the catalogue.
        ///
        /// Not generic and not inlined: through it, and through nothing else, a [`Stream`] finds
        /// its kernels, so that they are compiled in this crate and not again in each that names
        /// the type of a hash.
        ///
        /// [`Stream`]: crate::Stream
        #[inline(never)]
        pub(crate) fn choices() -> Result<&'static [Box<dyn Any + Send + Sync>], Error> {
            static CHOICES: OnceLock<Vec<Box<dyn Any + Send + Sync>>> = OnceLock::new();
            let available = Engine::available()?;
            Ok(CHOICES.get_or_init(|| vec![$( boxed_choice(HashId::$id, &$value, available) ),*]))
        }
    };
}
for_each_hash!(dispatch);

fn boxed_choice<H: Runs>(id: HashId, _: &H, available: &[Engine]) -> Box<dyn Any + Send + Sync> {
    Box::new(Choice::<H>::make(available, of_this_core(id)))
}

/// `hash` with the digest length that `algorithm` asks for.
fn sized<H: Hash>(hash: H, algorithm: Algorithm) -> H {
    if hash.digest_bytes() == algorithm.digest_bytes() {
        hash
    } else {
        hash.with_digest_bytes(algorithm.digest_bytes()).expect("an Algorithm's length is checked")
    }
}
