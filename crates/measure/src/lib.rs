//! How the kernels of this CPU are measured: the clock, what is timed, and the table of times that
//! the engine goes by. Prints nothing.
//!
//! ```text
//!  cpu       the processor's name             timing   computations timed in turn on one core
//!                     │                          │
//!        ┌────────────┴────────────┬─────────────┴───────────┐
//!  tuning    the table of times    subject, workload         pairing   the field and pairings
//!  meanwhile measures it beside    hashes, HMAC and RC5,               beside BLS12-381, on
//!            a long run            ours and OpenSSL's                  threads, the paper's own
//! ```
//!
//! `manylane bench`, `manylane tune` and the benchmarks beside the workspace print the results;
//! `manylane plan eta-t` plans with them.

#![forbid(unsafe_code)]

pub mod cpu;
pub mod meanwhile;
pub mod pairing;
pub mod subject;
pub mod timing;
pub mod tuning;
pub mod workload;
