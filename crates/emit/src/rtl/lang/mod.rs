//! A netlist as text: one walk over the netlist, and for each language its own spelling.
//!
//! ```text
//!  Netlist ──► walk ──► Dialect   declarations, assignments, registers, instances
//!               └─► expr ──► Spelling   operators, constants, slices: one for both Verilogs
//! ```

mod expr;
mod style;
mod systemverilog;
mod verilog;
mod vhdl;
mod walk;

pub use style::{Language, Reset, Style};

use super::netlist::Netlist;

/// The text of a module. `title` is its first comment.
pub fn text(net: &Netlist, style: Style, title: &str) -> String {
    match style.language {
        Language::Verilog => walk::write(&verilog::Verilog { net }, net, style.reset, title),
        Language::SystemVerilog => {
            let verilog = verilog::Verilog { net };
            walk::write(&systemverilog::SystemVerilog { verilog }, net, style.reset, title)
        }
        Language::Vhdl => walk::write(&vhdl::Vhdl::new(net), net, style.reset, title),
    }
}
