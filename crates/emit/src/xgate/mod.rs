//! XGATE: a compression function as a thread of the S12X's coprocessor.
//!
//! ```text
//!  Program ──► places    where values lie that cross the edges of regions
//!          ──► lower     words to limbs of 16 bits, choices and rotations recognised
//!          ──► polarity  which registers hold complements: there is XNOR and no XOR
//!          ──► select    instructions, schedule their order, allocate registers R1 to R6
//!          ──► frame     the words of the frame and the base register R7
//!          ──► text      one section in the syntax of GNU as (m68hc11-as -mm9s12xg)
//! ```
//!
//! The thread `PREFIX_xgate_compress` starts with R1 at a job. It reads the chaining value,
//! compresses as many blocks as the job says, writes the chaining value back, sets the flag and
//! ends.
//!
//! | offset in the job, bytes | word of 16 bits |
//! |---|---|
//! | 0 | flag: 2 is done, in a job of one object 0 |
//! | 2 | address of the chaining value: its words in order, each big-endian |
//! | 4 | address of the first block, even |
//! | 6 | number of blocks |
//! | 8 | the counter of the first block, if the function takes one: its words, each big-endian |
//!
//! Between blocks the counter is advanced in the job. All addresses are XGATE's. Blocks of words
//! that the CPU computes ahead have words of the job of their own, see [`Ring`].

mod ahead;
mod allocate;
mod anneal;
mod clusters;
mod code;
mod column_code;
mod columns;
mod copies;
mod error;
mod frame;
mod gather;
mod greedy;
mod kind;
mod layout;
mod limb;
mod lookup;
mod lower;
mod memory;
mod moves;
mod places;
mod polarity;
mod quarters;
pub(crate) mod random;
mod ranks;
mod region;
mod rules;
mod schedule;
mod select;
mod thread;
mod uses;
mod webs;

pub use ahead::{Ahead, Ring, SharedBlocks};
pub use thread::{Thread, Walks, Written};
