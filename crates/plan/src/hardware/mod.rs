//! Merged and pipelined hardware: the shortest clock of a hash, its area, and the limit of both
//! merging and retiming.
//!
//! ```text
//!             ┌── stage 1 ──┐   ┌── stage 2 ──┐         ┌── stage p ──┐
//!  h ──► S_0 ─► k steps ──┐ ├─► ┤ k steps     ├─► … ──► ┤ k steps     ├──► + h ──► h
//!             │ ▲         │ │   │             │         │             │
//!             │ └── reg ◄─┘ │   │             │         │             │
//!             └──── ▲ ──────┘   └──── ▲ ──────┘         └──── ▲ ──────┘
//!                  W, K              W, K                    W, K
//! ```
//!
//! A **step** is what the primitive calls a step: a round of SHA-256, of Keccak, of JH. The two
//! lines of RIPEMD-160, and P and Q of Grøstl, run side by side. One clock does k steps, and a
//! stage works n/(k·p) clocks on each block. These rules hold for all primitives:
//!
//! * The state is registered between clocks. Message words, those of the message schedule too, come
//!   out of registers: the schedule has a block and a period of its own.
//! * With pre-computation `none`, everything that is written in a step is computed in its clock.
//!   With `kw`, everything that does not depend on the state (K_t + W_t, Skein's subkeys) is ready
//!   before it. Equations (2) and (3) of the paper named below are `none`; the levels that the
//!   paper counts are those of `kw`, in which K_t + W_t is not part of the chain.
//! * A `chain` adds in the order of the definition's text, two terms at a time; the text of SHA-2
//!   has T_2 = Σ_0 + Maj as a sum of its own beside T_1. `tree` and `csa` take sums of sums as one
//!   sum of many terms; a value that an operation other than a sum needs is still computed.
//! * `full` and `auto` retime: see [`Precompute`]. No operation straddles the end of a clock, so a
//!   clock is at least as long as an adder's delay; a 3:2 row is two operations.
//! * Multiplexers between steps of different kinds (SHA-1's f_t, MD5's amounts) are not counted;
//!   the plan says how many kinds a stage has. The period of a message schedule and the final
//!   additions are counted.
//!
//! The planner gives a [`HardwarePlan`]: a [`HardwareProgram`], which an emitter takes, with the
//! figures that follow from it.
//!
//! Throughput is eq. (1) of the paper: bits per block × f / clocks between blocks. It holds when
//! every stage has a message of its own; one long message alone gets one block in
//! [`HardwarePlan::latency`] clocks.
//!
//! ```
//! use manylane_graph::trace;
//! use manylane_plan::hardware::{DelayModel, Options, plan};
//!
//! let sha256 = trace::compression("sha256".parse().unwrap());
//! let merged = Options { merge: 2, stages: 4, ..Options::default() };
//! let plan = plan(&sha256, &merged, &DelayModel::load("unit-adder")?)?;
//! assert_eq!((plan.period.total, plan.program.cycles_per_block, plan.latency), (7.0, 8, 33));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! H. E. Michail, A. P. Kakarountas, C. E. Goutis: Parallelism technique for speeded-up and
//! low-powered cryptographic primitives. Its claims, and what this model says of them (levels per
//! clock of unit adders, area in unit gates, pre-computation `kw`):
//!
//! | claim | here |
//! |---|---|
//! | SHA-1, 4 stages: 80 operations in 20 clocks, merged 10 | the same |
//! | SHA-256, 4 stages: 16 clocks, merged 8 | the same |
//! | SHA-1: one addition level more, + 33 to 50 % | levels 3 → 4: + 50 %; `none` 4 → 5: + 60 % |
//! | SHA-256: levels 4 → 6, + 33 % | chain 4 → 7: + 14 %; `none` 5 → 8: + 25 %; tree 3 → 6: none |
//! | MD5, RIPEMD: "similar results" | levels 3 → 5: + 20 % |
//! | area + 10 % | 4 stages: SHA-1 + 28 %, SHA-256 + 42 % |
//! | SHA-256 at 50.1 MHz in 16 clocks: 1632.0 Mbit/s | 1603.2 |
//! | SHA-1 at 55.7 MHz in 10 clocks: 2816.7 Mbit/s | 2851.8 |
//! | SHA-256 at 36.1 MHz in 8 clocks: 2310.1 Mbit/s | 2310.4 to five messages, 560.1 to one alone |
//!
//! Two levels are claimed for SHA-256: 4 is that of a chain and 6 that of a tree. The paper's eq.
//! (3) prints f(a, c, ROTL5(b)) for f(a, ROTL30(b), c). The paper does not compare with retiming:
//! carry-save sums that move across the registers gain more at one step per clock than merging does
//! (unit gates, registers included, against the chain at k = 1):
//!
//! | | merged chain | carry-save, `auto` |
//! |---|---|---|
//! | SHA-1 | + 55 % | + 118 % |
//! | SHA-256 | + 16 % | + 121 % |
//! | SHA-512 | + 16 % | + 133 % |
//! | MD5, RIPEMD-160 | + 19 % | + 23 % |

mod body;
mod delay;
mod net;
mod options;
mod period;
mod plan;
pub mod program;
mod report;
mod resources;
mod schedule;
mod sums;
mod timing;

pub use crate::kinds::DELAY_MODELS as BUILT_IN;
pub use body::Turn;
pub use delay::DelayModel;
pub use options::{Adders, Error, Options, Precompute};
pub use plan::plan;
pub use program::{HardwareProgram, Region, Transfer};
pub use report::{HardwarePlan, Limit, Period, Stage};
pub use resources::{Resources, Totals};
pub use schedule::{HardwareSchedule, Placed, Register, ScheduleError};
