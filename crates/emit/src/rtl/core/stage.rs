//! Stages as parts of a netlist.

use crate::rtl::netlist::Netlist;

/// The part of the netlist that a stage's signals belong to.
pub(super) fn stage_section(net: &mut Netlist, stage: usize) -> usize {
    net.section(&format!("Stage {stage}"))
}
