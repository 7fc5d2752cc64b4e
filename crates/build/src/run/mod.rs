//! Runs of programs on simulated machines and this computer, beside what was predicted of them.
//!
//! ```text
//!  planned   a primitive, planned for one core or two    subject  its library, and C that calls it
//!  driver    compiles and runs both, reads the figures    timeline  times of hand-overs in a run
//!  row       figures of a run, beside their prediction    mac, cipher  predictions, HMAC and RC5
//!  s12x      runs of assembly
//! ```

mod cipher;
mod driver;
mod mac;
mod planned;
mod row;
pub mod s12x;
mod subject;
mod timeline;

pub use cipher::section;
pub use driver::{
    Latencies, MOST_BYTES, MeasuredMessage, Shares, SingleMessages, measure, measure_shares,
};
pub use planned::Planned;
pub use row::{Memory, Row, set_gains};
pub use subject::{Calls, Hmac, Subject};
pub use timeline::{PlainJob, parts, parts_of_one, whole_jobs};
