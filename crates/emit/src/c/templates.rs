//! The texts around a body, in Jinja's language. What they are given is listed where they are rendered.

use minijinja::syntax::SyntaxConfig;
use minijinja::{AutoEscape, Environment, UndefinedBehavior, Value};

macro_rules! texts {
    ($($name:literal $file:literal),*) => {
        [$(($name, include_str!(concat!("templates/", $file)))),*]
    };
}

/// Every template, by its name.
const TEXTS: [(&str, &str); 22] = texts![
    "note" "note.c.j2",
    "clear" "clear.c.j2",
    "preamble" "preamble.c.j2",
    "hash.h" "hash.h.j2",
    "hash.c" "hash.c.j2",
    "hash_selftest" "hash_selftest.c.j2",
    "hmac.h" "hmac.h.j2",
    "hmac.c" "hmac.c.j2",
    "hmac_selftest" "hmac_selftest.c.j2",
    "cipher.h" "cipher.h.j2",
    "cipher.c" "cipher.c.j2",
    "cipher_selftest" "cipher_selftest.c.j2",
    "main" "main.c.j2",
    "port" "port.h.j2",
    "README.md" "README.md.j2",
    "CMakeLists.txt" "CMakeLists.txt.j2",
    "zephyr/CMakeLists.txt" "zephyr_CMakeLists.txt.j2",
    "zephyr/Kconfig" "zephyr_Kconfig.j2",
    "zephyr/module.yml" "zephyr_module.yml.j2",
    "idf_component.yml" "idf_component.yml.j2",
    "library.json" "library.json.j2",
    "amalgamated" "amalgamated.h.j2"
];

/// The templates, ready to be rendered.
pub(super) struct Templates(Environment<'static>);

impl Templates {
    pub(super) fn new() -> Self {
        let mut environment = Environment::new();
        environment.set_auto_escape_callback(|_| AutoEscape::None);
        let syntax = SyntaxConfig::builder()
            .trim_blocks(true)
            .lstrip_blocks(true)
            .keep_trailing_newline(true)
            .build()
            .expect("Jinja's own delimiters");
        environment.set_syntax(syntax);
        environment.set_undefined_behavior(UndefinedBehavior::SemiStrict);
        // A path of the folder, from a folder inside it.
        environment.add_filter("parent", |path: String| format!("../{path}"));
        for (name, text) in TEXTS {
            environment.add_template(name, text).expect("the templates are well-formed");
        }
        Self(environment)
    }

    /// The text of a template.
    ///
    /// # Panics
    /// If `values` lacks what it asks for.
    pub(super) fn render(&self, name: &str, values: &Value) -> String {
        let template = self.0.get_template(name).expect("a template of this name");
        template.render(values).unwrap_or_else(|error| panic!("{name}: {error:#}"))
    }
}
