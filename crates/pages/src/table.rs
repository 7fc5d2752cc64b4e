//! Tables, and the table of candidates against a limit.

use super::{Html, INFALLIBLE, escape};
use std::fmt::Write;

/// A table.
#[derive(Clone, Debug, Default)]
pub struct Table {
    /// Its columns.
    pub columns: Vec<Column>,
    /// Its rows, each of as many cells as there are columns.
    pub rows: Vec<Row>,
}

/// A column.
#[derive(Clone, Debug)]
pub struct Column {
    /// Its heading.
    pub title: String,
    /// Whether it holds numbers, which are set to the right.
    pub numeric: bool,
}

impl Column {
    /// A column of words.
    pub fn text(title: &str) -> Self {
        Self { title: title.to_owned(), numeric: false }
    }

    /// A column of numbers.
    pub fn number(title: &str) -> Self {
        Self { title: title.to_owned(), numeric: true }
    }
}

/// A row.
#[derive(Clone, Debug)]
pub struct Row {
    /// The texts.
    pub cells: Vec<String>,
    /// Whether the row is emphasised.
    pub emphasised: bool,
}

impl Table {
    /// The table in HTML; where it is wider than the window it scrolls alone.
    pub fn html(&self) -> Html {
        let class = |column: &Column| if column.numeric { " class=\"n\"" } else { "" };
        let mut out = String::from("<div class=\"scroll\"><table>\n<thead><tr>");
        for column in &self.columns {
            let title = escape(&column.title);
            write!(out, "<th scope=\"col\"{}>{title}</th>", class(column)).expect(INFALLIBLE);
        }
        out.push_str("</tr></thead>\n<tbody>\n");
        for row in &self.rows {
            out.push_str(if row.emphasised { "<tr class=\"best\">" } else { "<tr>" });
            for (cell, column) in row.cells.iter().zip(&self.columns) {
                write!(out, "<td{}>{}</td>", class(column), escape(cell)).expect(INFALLIBLE);
            }
            out.push_str("</tr>\n");
        }
        out.push_str("</tbody>\n</table></div>\n");
        Html(out)
    }
}

/// A plan that was tried.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// The plan in words, such as `all on the main core`.
    pub name: String,
    /// How long it takes.
    pub time: f64,
    /// Whether it is the one that was chosen.
    pub chosen: bool,
}

/// The table of candidates, each with a bar as long as its time, and the limit, a time that no
/// candidate can go below. `unit` is the unit of the times.
pub fn candidates(candidates: &[Candidate], limit: f64, unit: &str) -> Html {
    let longest = candidates.iter().map(|candidate| candidate.time).fold(limit, f64::max);
    let percent = |time: f64| if longest > 0.0 { 100.0 * time / longest } else { 0.0 };
    let mut out = format!(
        "<div class=\"scroll\"><table class=\"candidates\">\n<thead><tr><th scope=\"col\">Plan</th>\
         <th scope=\"col\" class=\"n\">{}</th><th scope=\"col\" class=\"n\">above the limit</th>\
         <th scope=\"col\" class=\"wide\">line: the limit</th></tr></thead>\n<tbody>\n",
        escape(unit)
    );
    let mut row = |class: &str, name: &str, time: f64, above: &str| {
        writeln!(
            out,
            "<tr class=\"{class}\"><td>{}</td><td class=\"n\">{time:.0}</td><td \
             class=\"n\">{above}</td>\
             <td class=\"wide\"><div class=\"bar\" style=\"width:{:.2}%\"></div>\
             <div class=\"limit\" style=\"left:{:.2}%\"></div></td></tr>",
            escape(name),
            percent(time),
            percent(limit),
        )
        .expect(INFALLIBLE);
    };
    for candidate in candidates {
        let class = if candidate.chosen { "best" } else { "" };
        let above = match limit > 0.0 {
            true => format!("{:.1} %", 100.0 * (candidate.time / limit - 1.0)),
            false => "-".to_owned(),
        };
        row(class, &candidate.name, candidate.time, &above);
    }
    row("", "no plan can be faster", limit, "");
    out.push_str("</tbody>\n</table></div>\n");
    Html(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn candidates_stand_against_the_limit() {
        let plan = |name: &str, time, chosen| Candidate { name: name.into(), time, chosen };
        let html =
            candidates(&[plan("one", 200.0, false), plan("<two>", 125.0, true)], 100.0, "µs");
        assert!(html.0.contains("&lt;two&gt;") && html.0.contains("25.0 %"), "{html}");
        assert!(html.0.contains("left:50.00%") && html.0.matches("class=\"best\"").count() == 1);
        let nothing = candidates(&[], 0.0, "cycles");
        assert!(!nothing.0.contains("NaN"));
    }
}
