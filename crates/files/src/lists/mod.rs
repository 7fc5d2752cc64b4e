//! Lists of checksums: lines to be checked, lines to be printed, and lists that are brought up to
//! date or compared with a folder.
//!
//! ```text
//!  a list's file ──► list_lines ──► checkfile    lines of GNU's and BSD's forms, to be checked
//!                        └────────► manifest     lists of all forms, read and written
//!                                      └──► ledger    the files of a list beside those of a folder
//!                                      └──► comments  what stands between the files
//!  digests ────────► lines          lines to be printed
//! ```

pub mod checkfile;
pub mod comments;
pub mod ledger;
pub mod lines;
pub mod list_lines;
pub mod manifest;
