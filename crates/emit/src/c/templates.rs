//! The texts around a body, in Jinja's language. What they are given is listed where they are
//! rendered.

use crate::jinja;
use minijinja::syntax::SyntaxConfig;
use minijinja::{Environment, UndefinedBehavior, Value};

/// Every template, by its name.
const TEXTS: [(&str, &str); 23] = [
    ("note", include_str!("templates/note.c.j2")),
    ("clear", include_str!("templates/clear.c.j2")),
    ("preamble", include_str!("templates/preamble.c.j2")),
    ("hash.h", include_str!("templates/hash.h.j2")),
    ("hash.c", include_str!("templates/hash.c.j2")),
    ("hash_selftest", include_str!("templates/hash_selftest.c.j2")),
    ("hmac.h", include_str!("templates/hmac.h.j2")),
    ("hmac.c", include_str!("templates/hmac.c.j2")),
    ("hmac_selftest", include_str!("templates/hmac_selftest.c.j2")),
    ("cipher.h", include_str!("templates/cipher.h.j2")),
    ("cipher.c", include_str!("templates/cipher.c.j2")),
    ("cipher_selftest", include_str!("templates/cipher_selftest.c.j2")),
    ("main", include_str!("templates/main.c.j2")),
    ("pair.c", include_str!("templates/pair.c.j2")),
    ("port", include_str!("templates/port.h.j2")),
    ("README.md", include_str!("templates/README.md.j2")),
    ("CMakeLists.txt", include_str!("templates/CMakeLists.txt.j2")),
    ("zephyr/CMakeLists.txt", include_str!("templates/zephyr_CMakeLists.txt.j2")),
    ("zephyr/Kconfig", include_str!("templates/zephyr_Kconfig.j2")),
    ("zephyr/module.yml", include_str!("templates/zephyr_module.yml.j2")),
    ("idf_component.yml", include_str!("templates/idf_component.yml.j2")),
    ("library.json", include_str!("templates/library.json.j2")),
    ("amalgamated", include_str!("templates/amalgamated.h.j2")),
];

/// The templates, ready to be rendered.
pub(super) struct Templates(Environment<'static>);

impl Templates {
    /// Parses all templates.
    pub(super) fn new() -> Self {
        let mut syntax = SyntaxConfig::builder();
        let undefined = UndefinedBehavior::SemiStrict;
        let mut environment = jinja::environment(&TEXTS, &mut syntax, undefined);
        // A path of the folder, from a folder inside it.
        environment.add_filter("parent", |path: String| format!("../{path}"));
        Self(environment)
    }

    /// The text of a template.
    ///
    /// # Panics
    /// If `values` lacks what it asks for.
    pub(super) fn render(&self, name: &str, values: &Value) -> String {
        jinja::render(&self.0, name, values)
    }
}
