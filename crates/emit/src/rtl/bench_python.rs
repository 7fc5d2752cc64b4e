//! The bench of a bare core in Python, for cocotb.

use super::Core;
use super::bench::{Field, Layout};

/// The bench's text; it reads `vectors.hex` beside it, as [`bench`](super::bench()) wrote it.
pub fn bench_python(core: &Core) -> String {
    let layout = Layout::of(core);
    let fields = |fields: &[Field]| -> String {
        let field = |Field { name, width, low }: &Field| format!("(\"{name}\", {width}, {low})");
        fields.iter().map(field).collect::<Vec<_>>().join(", ")
    };
    include_str!("blocks.py")
        .replace("{top}", layout.module)
        .replace("{inputs}", &fields(&layout.inputs))
        .replace("{outputs}", &fields(&layout.outputs))
        .replace("{words}", &layout.words.to_string())
        .replace("{tags}", &(1_u64 << layout.tag_bits).to_string())
        .replace("{clears}", if core.clears { "True" } else { "False" })
}
