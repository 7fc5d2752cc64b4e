//! The text form of a program of hardware: written, and read back exactly.
//!
//! ```text
//! ; from a semicolon to the end of the line is a comment
//! hardware @sha256.compression: 16 clocks per block, function 0x9a5c0b1e6f1d2c3b
//! options: merge 1, stages 4, adders chain, precompute kw
//! function @sha256.compression {          ; as manylane_graph::text has it
//!   …
//! }
//! region 0: 8 words                       ; of state
//! function @sha256.compression.round {    ; one turn
//!   …
//! }
//! varying v9                              ; whose amounts turns say
//! period 14.5
//! v9: clock -1, 3 to 4.5                  ; runs from 3 to 4.5 of the delay model's units
//! register v9: -1 to 1, 32 bits           ; made in clock -1, kept up to clock 1
//! turn 0: kind 0, v120, v121 by rotl 7    ; what flows into its inputs, what varying nodes do
//! resources: adders 7, compressors 0, register bits 256, area 1234.5
//! message schedule: 16 words              ; of the window, if there is one
//! …
//! ; stage 1 takes over before turn 16: v500, …
//! ; leaves: v900, …
//! ```
//!
//! Every node of a region's function has its clock, in order. Times may be `-inf`: what is there
//! from the beginning. Reading does not [`verify`](super::verify::verify).

mod read;
mod write;
