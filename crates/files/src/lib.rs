//! Hashes many files at once, and reads, writes and keeps their digests. Prints nothing.
//!
//! ```text
//!  listing    files that arguments name            update   a list that is brought up to date
//!  tree       one digest for a folder              audit    a folder compared with a list
//!  copies     groups of equal files                verity   the trees of fs-verity and dm-verity
//!  ────────────────────────────────────────────────────────────────────────────────────────────
//!  walk ──────► hashing ──────► lists     lines of checksums, lists of all forms
//!  folders      files to        known     digests kept between runs: cache, checkpoint
//!               digests
//!  ────────────────────────────────────────────────────────────────────────────────────────────
//!  names    algorithms as people write them        quote    names of files in messages
//!  system   what the operating system offers: files, limits, storage, temporary files
//! ```
//!
//! The program `manylane` reads arguments and prints around it; the Python module hashes files with
//! it. Errors are whole messages that name the file and the remedy.

#![forbid(unsafe_code)]

pub mod audit;
pub mod copies;
pub mod hashing;
pub mod known;
pub mod listing;
pub mod lists;
pub mod names;
pub mod quote;
pub mod system;
pub mod tree;
pub mod update;
pub mod verity;
pub mod walk;
