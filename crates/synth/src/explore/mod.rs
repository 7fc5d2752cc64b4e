//! Builds all sensible shapes of a core, and chooses the best.
//!
//! ```text
//!  space ──► candidates ──► synthesize ──► frontier ──► choice
//!            planned, alike                 agreement of prediction and figure
//!            and hopeless ones left out
//! ```

mod candidates;
mod frontier;
mod peers;
mod rank;

pub use candidates::{Candidate, PlannedFigures, Space, Subject, candidates};
pub use frontier::{Goal, choose, frontier};
pub use peers::{Claim, Peer, Peers};
pub use rank::spearman;
