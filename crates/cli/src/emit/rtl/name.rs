//! The name of a core where none is given. No two different cores have the same name.

use super::args::Args;
use crate::emit::delays::Delays;
use manylane_emit::rtl::{Interface, Language, Reset, Storage};
use manylane_plan::hardware;

/// The hash's name, followed by every option that differs from those of `manylane emit rtl
/// PRIMITIVE`: `sha256`, `sha256_axis64`, `sha256_m1_s4_chain_none_ice40`. `usual` is the shape
/// that `manylane emit rtl PRIMITIVE` makes for the same target, if there is one.
pub fn module(
    args: &Args,
    hash: &str,
    shape: &hardware::Options,
    usual: Option<&hardware::Options>,
    interface: Option<Interface>,
) -> String {
    let mut parts = vec![hash.replace(['-', '/', '+'], "_")];
    if usual != Some(shape) {
        let hardware::Options { merge, stages, adders, precompute } = shape;
        parts.push(format!("m{merge}_s{stages}_{adders}_{precompute}"));
    }
    let mut say = |differs: bool, what: &str| {
        if differs {
            parts.push(what.to_owned());
        }
    };
    say(args.window == Storage::Ram, "wram");
    say(args.chaining == Storage::Ram, "cram");
    say(args.clears(), "clear");
    say(args.target != Delays::Ecp5, &args.target.name().replace('-', "_"));
    say(args.reset == Reset::Async, "async");
    say(args.lang != Language::Verilog, args.lang.name());
    match interface {
        None => {}
        Some(Interface::Stream(4)) => say(true, "axis"),
        Some(Interface::Stream(bytes)) => say(true, &format!("axis{}", 8 * bytes)),
        Some(Interface::Registers) => say(true, "axilite"),
    }
    parts.join("_")
}
