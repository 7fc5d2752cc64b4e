//! Test benches that check themselves: messages in, digests out.

use super::Wrapper;
use crate::rtl::{Core, Driver};
use std::fmt::Write;

mod registers;
mod stream;

pub use registers::register_bench;
pub use stream::{Files, stream_bench};
pub(super) use stream::{Order, ordered_bench};

/// A message and its digest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// The message.
    pub bytes: Vec<u8>,
    /// Its digest, by the definition.
    pub digest: Vec<u8>,
    /// For a core with modes, the mode of the message.
    pub mode: usize,
    /// The chaining values after its first block, its second one and so on, each in words.
    pub chain: Vec<Vec<u64>>,
}

/// Registers and memories around a core that hold no secret: positions and numbers of bytes, the
/// numbers of their contexts and modes.
#[rustfmt::skip]
const PUBLIC: [&str; 24] = [
    "beat_wrong", "digest_wrong", "beat_id", "beat_last", "beat_keep", "beat_mode", "keep", "last",
    "word_mode", "control_mode",
    "positions", "bytes_kept", "counts", "count", "modes", "chosen_id", "after_last",
    "zeros_id_kept", "swept", "digest_id", "digest_mode", "digest_count", "response_kept",
    "response_kept_",
];

/// Statements of a bench in Verilog that fail where a register or memory of the module or its core
/// is not zero, but those that are [`PUBLIC`].
fn clearing_checks(wrapper: &Wrapper, core: &Core) -> String {
    let public = |name: &str| PUBLIC.contains(&name.trim_end_matches(char::is_numeric));
    let mut out = String::new();
    let mut check = |place: &str, width: u32| {
        let _ = writeln!(
            out,
            "      if (dut.{place} !== {width}'d0) begin\n        \
             $display(\"{place} is not cleared: %h\", dut.{place});\n        $fatal;\n      end"
        );
    };
    for (net, path) in [(&wrapper.netlist, ""), (&core.netlist, "core.")] {
        let registers = net.signals().map(|(_, signal)| signal);
        for signal in registers.filter(|s| matches!(s.driver, Driver::Register { .. })) {
            if !(path.is_empty() && public(&signal.name)) {
                check(&format!("{path}{}", signal.name), signal.width);
            }
        }
        for memory in net.memories().iter().filter(|memory| !public(&memory.name)) {
            (0..memory.depth).for_each(|n| check(&format!("{}[{n}]", memory.name), memory.width));
        }
    }
    out
}
