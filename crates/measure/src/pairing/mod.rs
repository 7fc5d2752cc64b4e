//! The η_T pairing: the field, one pairing, many, threads; beside BLS12-381.
//!
//! **The curve has about 59 bits of security: for research and teaching only.**
//!
//! | module | does |
//! |---|---|
//! | [`contestants`] | what is measured, as calls to be timed |
//! | [`peers`] | what it is measured beside: BLS12-381, and the core's clock |
//! | [`row`] | one measurement |
//! | [`threads`] | one pairing on several threads |
//! | `ate` | one pairing of BLS12-381 on two threads, with the feature `blst` |
//! | [`paper`] | the algorithms of the paper, by Aranha, López and Hankerson |

#[cfg(feature = "blst")]
pub mod ate;
pub mod contestants;
pub mod paper;
pub mod peers;
pub mod row;
pub mod threads;
