//! Templates in Jinja's language: text is written as it is, and lines of blocks leave nothing.

use minijinja::syntax::SyntaxConfigBuilder;
use minijinja::{AutoEscape, Environment, UndefinedBehavior, Value};

/// An environment of these names and texts, which are parsed by `syntax`.
pub(crate) fn environment(
    texts: &[(&'static str, &'static str)],
    syntax: &mut SyntaxConfigBuilder,
    undefined: UndefinedBehavior,
) -> Environment<'static> {
    let mut environment = Environment::new();
    environment.set_auto_escape_callback(|_| AutoEscape::None);
    let syntax = syntax.trim_blocks(true).lstrip_blocks(true).keep_trailing_newline(true);
    environment.set_syntax(syntax.build().expect("delimiters that differ"));
    environment.set_undefined_behavior(undefined);
    for (name, text) in texts {
        environment.add_template(name, text).expect("the templates are well-formed");
    }
    environment
}

/// The text of a template.
///
/// # Panics
/// If `values` lacks what it asks for.
pub(crate) fn render(environment: &Environment<'_>, name: &str, values: &Value) -> String {
    let template = environment.get_template(name).expect("a template of this name");
    template.render(values).unwrap_or_else(|error| panic!("{name}: {error:#}"))
}
