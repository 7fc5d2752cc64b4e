//! The elements of SVG that all drawings use.

use super::{Html, INFALLIBLE, escape};
use std::fmt::{Display, Write};

/// A drawing in the making. Lengths are in the drawing's own units, about pixels.
#[derive(Debug)]
pub struct Svg {
    width: f64,
    height: f64,
    body: String,
}

/// The point of a text that is put at given coordinates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Anchor {
    /// The beginning.
    Start,
    /// The middle.
    Middle,
    /// The end.
    End,
}

/// Coordinates without needless digits.
pub fn number(x: f64) -> String {
    let text = format!("{x:.1}");
    text.strip_suffix(".0").map(str::to_owned).unwrap_or(text)
}

/// The element of a tooltip; nothing if there is no text.
fn titled(title: &str) -> String {
    match title {
        "" => String::new(),
        title => format!("<title>{}</title>", escape(title)),
    }
}

impl Svg {
    /// An empty drawing.
    pub fn new(width: f64, height: f64) -> Self {
        Self { width, height, body: String::new() }
    }

    /// Its width, in its own units.
    pub fn width(&self) -> f64 {
        self.width
    }

    /// Adds text to the drawing as it is.
    fn put(&mut self, element: impl Display) {
        writeln!(self.body, "{element}").expect(INFALLIBLE);
    }

    /// A rectangle with the tooltip `title`.
    pub fn rect(&mut self, class: &str, [x, y, width, height]: [f64; 4], title: &str) {
        let [x, y, width, height] = [x, y, width, height].map(number);
        let title = titled(title);
        self.put(format_args!(
            "<rect class=\"{class}\" x=\"{x}\" y=\"{y}\" width=\"{width}\" \
             height=\"{height}\">{title}</rect>"
        ));
    }

    /// A disc with the tooltip `title`.
    pub fn circle(&mut self, class: &str, [x, y]: [f64; 2], radius: f64, title: &str) {
        let [x, y, radius] = [x, y, radius].map(number);
        let title = titled(title);
        self.put(format_args!(
            "<circle class=\"{class}\" cx=\"{x}\" cy=\"{y}\" r=\"{radius}\">{title}</circle>"
        ));
    }

    /// A path, in SVG's language, with the tooltip `title`.
    pub fn outline(&mut self, class: &str, d: &str, title: &str) {
        let title = titled(title);
        self.put(format_args!("<path class=\"{class}\" d=\"{d}\">{title}</path>"));
    }

    /// A line from one point to another.
    pub fn line(&mut self, class: &str, [x1, y1]: [f64; 2], [x2, y2]: [f64; 2]) {
        let [x1, y1, x2, y2] = [x1, y1, x2, y2].map(number);
        self.put(format_args!(
            "<line class=\"{class}\" x1=\"{x1}\" y1=\"{y1}\" x2=\"{x2}\" y2=\"{y2}\"/>"
        ));
    }

    /// A path, in SVG's language.
    pub fn path(&mut self, class: &str, d: &str) {
        self.put(format_args!("<path class=\"{class}\" d=\"{d}\"/>"));
    }

    /// A line of text.
    pub fn text(&mut self, class: &str, [x, y]: [f64; 2], anchor: Anchor, text: &str) {
        let [x, y] = [x, y].map(number);
        let anchor = match anchor {
            Anchor::Start => "start",
            Anchor::Middle => "middle",
            Anchor::End => "end",
        };
        let text = escape(text);
        self.put(format_args!(
            "<text class=\"{class}\" x=\"{x}\" y=\"{y}\" text-anchor=\"{anchor}\">{text}</text>"
        ));
    }

    /// A line of text that is read from below, its middle at a place.
    pub fn upright(&mut self, class: &str, [x, y]: [f64; 2], text: &str) {
        let ([x, y], text) = ([x, y].map(number), escape(text));
        self.put(format_args!(
            "<text class=\"{class}\" transform=\"translate({x} {y}) rotate(-90)\" \
             text-anchor=\"middle\">{text}</text>"
        ));
    }

    /// Opens a group: `attributes` as they stand in its tag, `title` in its tooltip.
    pub fn open(&mut self, attributes: &str, title: &str) {
        self.put(format_args!("<g {attributes}><title>{}</title>", escape(title)));
    }

    /// Closes the group.
    pub fn close(&mut self) {
        self.put("</g>");
    }

    /// The drawing as part of a page; `label` says what it shows to those who cannot see it.
    pub fn html(self, class: &str, label: &str) -> Html {
        Html(self.element(&format!("class=\"{class}\""), label, ""))
    }

    /// The drawing as a file of its own, with `style`.
    pub fn file(self, label: &str, style: &str) -> String {
        let [width, height] = [self.width, self.height].map(number);
        let size = format!("width=\"{width}\" height=\"{height}\"");
        self.element(&size, label, &format!("<style>\n{style}</style>\n"))
    }

    fn element(self, attributes: &str, label: &str, style: &str) -> String {
        let [width, height] = [self.width, self.height].map(number);
        format!(
            "<svg xmlns=\"{NAMESPACE}\" {attributes} viewBox=\"0 0 {width} {height}\" role=\"img\" \
             aria-label=\"{}\">\n{style}{}</svg>\n",
            escape(label),
            self.body
        )
    }
}

/// The one address that a page may contain; it is a name and is never fetched.
pub const NAMESPACE: &str = "http://www.w3.org/2000/svg";
