//! The commands on files, and what they share.
//!
//! ```text
//!  sum   print   check   tree   update   audit   dedupe   verity  commands, and forms of `sum`
//!  ──────────────────────────────────────────────────────────────────────────────────────────
//!  wanted    which algorithms             running    engines, threads, reading
//!  walk      which files of folders       recall     what is kept for the next run
//!  each                                   takes the digests, and shows the progress meanwhile
//!  ended, summary                         what is said at the end
//! ```

pub mod audit;
mod check;
pub mod dedupe;
pub mod each;
pub mod ended;
mod print;
mod recall;
mod running;
pub mod sum;
pub mod summary;
mod tree;
mod update;
pub mod verity;
mod walk;
mod wanted;
