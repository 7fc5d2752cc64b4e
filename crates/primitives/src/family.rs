//! Families of hash functions. Each is a feature of this crate, and of those that depend on it:
//! without the feature a family has no entries in the catalogue, so that no backend compiles it.
//! The definitions themselves are always here; they are generic and cost nothing until used.
//!
//! ```text
//! for_each_hash!(with)      every family with its entries
//!      │ of_enabled_families!    takes the next family
//!      ▼
//! family::sha2!             `keep_family!` where the feature is on, `skip_family!` where not
//!      │
//!      ▼
//! with!                     the entries that were kept
//! ```
//!
//! Macros choose the entries. A `#[cfg]` on each entry would ask for the features of the crate in
//! which `with!` expands, not for those of this crate.

macro_rules! families {
    ($($name:ident $feature:literal)*) => {
        $(
            #[cfg(feature = $feature)]
            pub use crate::keep_family as $name;
            #[cfg(not(feature = $feature))]
            pub use crate::skip_family as $name;
        )*

        /// The features of this crate that are families, each with whether it is on.
        pub const FAMILIES: &[(&str, bool)] = &[$(($feature, cfg!(feature = $feature))),*];
    };
}
families! {
    md5 "md5"
    sha1 "sha1"
    sha2 "sha2"
    sha3 "sha3"
    ripemd "ripemd"
    blake "blake"
    groestl "groestl"
    jh "jh"
    skein "skein"
}

/// Calls `$with!` with the entries of the families whose feature is on. The brackets hold those
/// found so far.
#[doc(hidden)]
#[macro_export]
macro_rules! of_enabled_families {
    // Other crates name `match_hash!` alone, so that the path to its entries stands here.
    (match_hash [$($found:tt)*]) => {
        $crate::match_hash! { @entries $($found)* }
    };
    ($with:ident [$($found:tt)*]) => {
        $with! { $($found)* }
    };
    ($with:ident $found:tt $family:ident $entries:tt $($rest:tt)*) => {
        $crate::family::$family! { $with $found $entries $($rest)* }
    };
}

/// A family whose feature is on.
#[doc(hidden)]
#[macro_export]
macro_rules! keep_family {
    ($with:ident [$($found:tt)*] { $($entries:tt)* } $($rest:tt)*) => {
        $crate::of_enabled_families! { $with [$($found)* $($entries)*] $($rest)* }
    };
}

/// A family whose feature is off.
#[doc(hidden)]
#[macro_export]
macro_rules! skip_family {
    ($with:ident $found:tt $entries:tt $($rest:tt)*) => {
        $crate::of_enabled_families! { $with $found $($rest)* }
    };
}
