//! Lists of checksums: lines to be checked, lines to be printed, and lists that are brought up to
//! date or compared with a folder.

pub mod checkfile;
pub mod ledger;
pub mod lines;
pub mod list_lines;
pub mod manifest;
