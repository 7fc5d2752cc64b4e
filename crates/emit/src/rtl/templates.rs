//! The texts of benches and READMEs, in Jinja's language; a value stands there as `${name}`, since
//! braces are Verilog's. What each text is given is listed where it is rendered.

use minijinja::syntax::SyntaxConfig;
use minijinja::{AutoEscape, Environment, UndefinedBehavior, Value};
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
    let mut environment = Environment::new();
    environment.set_auto_escape_callback(|_| AutoEscape::None);
    let syntax = SyntaxConfig::builder()
        .variable_delimiters("${", "}")
        .block_delimiters("<%", "%>")
        .comment_delimiters("<#", "#>")
        .keep_trailing_newline(true)
        .trim_blocks(true)
        .lstrip_blocks(true)
        .build()
        .expect("delimiters that differ");
    environment.set_syntax(syntax);
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    for (name, text) in TEXTS {
        environment.add_template(name, text).expect("the templates are well-formed");
    }
    environment
});

/// The text of a template.
///
/// # Panics
/// If `values` lacks what it asks for.
pub(super) fn render(name: &str, values: &Value) -> String {
    let template = TEMPLATES.get_template(name).expect("every name is in the list");
    template.render(values).unwrap_or_else(|error| panic!("{name}: {error}"))
}
