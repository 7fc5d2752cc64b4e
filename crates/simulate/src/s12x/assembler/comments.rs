//! Comments: from `;` or `!` to the end of the line, lines that begin with `#` or `*`, and `/* …
//! */`.

/// Returns each line as it is written and without its comments.
///
/// # Errors
/// If a comment `/*` does not end: its line, from 1, and the line's text.
pub fn without_comments(text: &str) -> Result<Vec<(&str, String)>, (usize, &str)> {
    let mut lines = Vec::new();
    // The line at which the comment that is open began.
    let mut open = None;
    for (number, line) in text.lines().enumerate() {
        let (mut code, mut rest) = (String::new(), line);
        loop {
            if open.is_some() {
                let Some(end) = rest.find("*/") else { break };
                rest = &rest[end + 2..];
                code.push(' ');
                open = None;
            }
            let is_first = code.trim().is_empty();
            if is_first && rest.trim_start().starts_with(['#', '*']) {
                break;
            }
            let comment = unquoted(rest)
                .find(|&(at, c)| matches!(c, ';' | '!') || rest[at..].starts_with("/*"));
            code.push_str(comment.map_or(rest, |(at, _)| &rest[..at]));
            match comment {
                Some((at, '/')) => {
                    rest = &rest[at + 2..];
                    open = Some((number + 1, line));
                }
                _ => break,
            }
        }
        lines.push((line, code));
    }
    open.map_or(Ok(lines), Err)
}

/// The characters of a line that stand neither in a string nor behind a quote (`'a` or `'a'`), each
/// with its place.
pub fn unquoted(line: &str) -> impl Iterator<Item = (usize, char)> {
    let mut characters = line.char_indices().peekable();
    let mut in_string = false;
    std::iter::from_fn(move || {
        loop {
            let (at, c) = characters.next()?;
            match c {
                '\\' if in_string => drop(characters.next()),
                '"' => in_string = !in_string,
                '\'' if !in_string => {
                    characters.next();
                    characters.next_if(|&(_, c)| c == '\'');
                }
                _ if in_string => {}
                _ => return Some((at, c)),
            }
        }
    })
}
