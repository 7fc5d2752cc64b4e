//! Pages: one HTML file each, with drawings in it, that needs nothing else.
//!
//! ```text
//! data ──► drawing or table: Html ──► Section ──► Page ──► one file
//! ```
//!
//! Drawings are laid out here, so that a page shows them without its script; the script adds zoom
//! and highlights. All text goes through [`escape`].

#![forbid(unsafe_code)]

pub mod axis;
pub mod bars;
pub mod dot;
pub mod explain;
pub mod gantt;
pub mod labels;
pub mod scatter;
pub mod schedule;
pub mod steps;
pub mod svg;
pub mod table;

use std::fmt::{self, Display, Write};

/// A piece of HTML or SVG, made by this module and those below.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Html(pub(crate) String);

impl Display for Html {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Html {
    /// A paragraph.
    pub fn paragraph(text: &str) -> Self {
        Self(format!("<p>{}</p>\n", escape(text)))
    }

    /// An unordered list; text between backticks is set as code.
    pub fn list(items: &[String]) -> Self {
        let coded = |item: &String| {
            let parts = item.split('`').enumerate().map(|(i, part)| match i % 2 {
                0 => escape(part),
                _ => format!("<code>{}</code>", escape(part)),
            });
            parts.collect::<String>()
        };
        let items = items.iter().map(|item| format!("<li>{}</li>\n", coded(item)));
        Self(format!("<ul>\n{}</ul>\n", items.collect::<String>()))
    }

    /// This piece, followed by `next`.
    pub fn then(mut self, next: &Self) -> Self {
        self.0.push_str(&next.0);
        self
    }
}

/// Escapes text for the content of elements and attributes in HTML.
pub fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c => out.push(c),
        }
    }
    out
}

/// A number with commas between thousands.
pub fn thousands(n: usize) -> String {
    apart(&n.to_string())
}

/// Sets thousands apart in the digits of a whole number.
pub fn apart(digits: &str) -> String {
    let mut out = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// A part of a page.
#[derive(Clone, Debug)]
pub struct Section {
    /// Its heading.
    pub heading: String,
    /// One or two sentences that say how to read it; may be empty.
    pub lead: String,
    /// The drawing or table.
    pub body: Html,
}

/// A page.
#[derive(Clone, Debug)]
pub struct Page {
    /// The subject: the window's title and the first heading.
    pub title: String,
    /// The answer, in a sentence.
    pub answer: String,
    /// The parts.
    pub sections: Vec<Section>,
    /// The command line that made it.
    pub made_by: String,
}

impl Page {
    /// The styles of all pages, light and dark.
    pub const STYLE: &str = include_str!("style.css");
    /// The script of all pages: zoom, and a description of what is under the pointer.
    pub const SCRIPT: &str = include_str!("script.js");

    /// The page as the text of a file.
    pub fn render(&self) -> String {
        let mut body = String::new();
        for Section { heading, lead, body: shown } in &self.sections {
            let lead = match &lead[..] {
                "" => String::new(),
                lead => format!("<p class=\"lead\">{}</p>\n", escape(lead)),
            };
            let heading = escape(heading);
            write!(body, "<section>\n<h2>{heading}</h2>\n{lead}{shown}</section>\n")
                .expect(INFALLIBLE);
        }
        format!(
            "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <meta name=\"color-scheme\" content=\"light dark\">\n\
             <title>{title}</title>\n<style>\n{style}</style>\n</head>\n<body>\n<main>\n\
             <h1>{title}</h1>\n<p class=\"answer\">{answer}</p>\n{body}</main>\n\
             <footer>Made by <code>{made_by}</code></footer>\n\
             <script>\n{script}</script>\n</body>\n</html>\n",
            style = Self::STYLE,
            script = Self::SCRIPT,
            title = escape(&self.title),
            answer = escape(&self.answer),
            made_by = escape(&self.made_by),
        )
    }
}

/// The reason why writing to a `String` is not checked.
pub const INFALLIBLE: &str = "a String takes everything";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_escaped_everywhere() {
        let wicked = "<script>alert('x')</script>&\"";
        let table = table::Table {
            columns: vec![table::Column::text(wicked)],
            rows: vec![table::Row { cells: vec![wicked.into()], emphasised: false }],
        };
        let page = Page {
            title: wicked.into(),
            answer: wicked.into(),
            sections: vec![Section {
                heading: wicked.into(),
                lead: wicked.into(),
                body: Html::paragraph(wicked)
                    .then(&Html::list(&[wicked.into()]))
                    .then(&table.html()),
            }],
            made_by: wicked.into(),
        };
        let html = page.render();
        assert_eq!(html.matches("<script>").count(), 1);
        assert!(!html.contains("alert('x')") && !html.contains("&\""));
    }

    #[test]
    fn thousands_are_set_apart() {
        let set = [0, 12, 999, 1000, 123_456, 1_000_000].map(thousands);
        assert_eq!(set, ["0", "12", "999", "1,000", "123,456", "1,000,000"]);
    }
}
