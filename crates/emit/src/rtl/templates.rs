//! The texts of benches and READMEs, in Jinja's language; a value stands there as `${name}`, since
//! braces are Verilog's. What each text is given is listed where it is rendered.

use crate::jinja;
use minijinja::syntax::SyntaxConfig;
use minijinja::{Environment, UndefinedBehavior, Value};
use std::sync::LazyLock;

/// Every template, by its name.
const TEXTS: [(&str, &str); 8] = [
    ("bench", include_str!("templates/bench.v.j2")),
    ("bench_vhdl", include_str!("templates/bench.vhd.j2")),
    ("core.md", include_str!("templates/core.md.j2")),
    ("folder", include_str!("templates/folder.md.j2")),
    ("made", include_str!("templates/made.md.j2")),
    ("registers", include_str!("templates/registers.v.j2")),
    ("stream", include_str!("templates/stream.v.j2")),
    ("surroundings.md", include_str!("templates/surroundings.md.j2")),
];

static TEMPLATES: LazyLock<Environment<'static>> = LazyLock::new(|| {
    let mut syntax = SyntaxConfig::builder();
    syntax.variable_delimiters("${", "}");
    syntax.block_delimiters("<%", "%>").comment_delimiters("<#", "#>");
    jinja::environment(&TEXTS, &mut syntax, UndefinedBehavior::Strict)
});

/// The text of a template.
///
/// # Panics
/// If `values` lacks what it asks for.
pub(super) fn render(name: &str, values: &Value) -> String {
    jinja::render(&TEMPLATES, name, values)
}
