//! Expressions of the assembler, with the precedence of GNU as: unary operators, then `* / % <<
//! >>`, then `| & ^`, then `+ -`.

/// Returns the value of an expression, none while a symbol in it has none.
///
/// `symbol` gives the value of a name, of `.`, or of a local label such as `1f`.
///
/// # Errors
/// If the text is no expression, or `symbol` fails.
pub fn evaluate(
    text: &str,
    symbol: &mut dyn FnMut(&str) -> Result<Option<i64>, String>,
) -> Result<Option<i64>, String> {
    let mut parser = Parser { rest: text.trim(), depth: 0, symbol };
    if parser.rest.is_empty() {
        return Err("an expression is missing".to_owned());
    }
    let value = parser.sum(0)?;
    match parser.rest {
        "" => Ok(value),
        rest => Err(format!("`{rest}` is left over in the expression `{}`", text.trim())),
    }
}

/// Operators of two operands, those that bind most loosely first.
const LEVELS: [&[&str]; 3] = [&["+", "-"], &["|", "&", "^"], &["*", "/", "%", "<<", ">>"]];

struct Parser<'a, 'b> {
    rest: &'a str,
    /// Number of operators and parentheses around the present operand.
    depth: usize,
    symbol: &'b mut dyn FnMut(&str) -> Result<Option<i64>, String>,
}

impl Parser<'_, '_> {
    fn take(&mut self, token: &str) -> bool {
        let found = self.rest.strip_prefix(token);
        self.rest = found.map_or(self.rest, str::trim_start);
        found.is_some()
    }

    fn sum(&mut self, level: usize) -> Result<Option<i64>, String> {
        let Some(operators) = LEVELS.get(level) else { return self.unary() };
        let mut left = self.sum(level + 1)?;
        while let Some(operator) = operators.iter().find(|operator| self.take(operator)) {
            let right = self.sum(level + 1)?;
            left = match (left, right) {
                (Some(left), Some(right)) => Some(apply(operator, left, right)?),
                _ => None,
            };
        }
        Ok(left)
    }

    fn unary(&mut self) -> Result<Option<i64>, String> {
        /// The deepest nesting: more than anyone writes, and less than the stack holds.
        const DEEPEST: usize = 100;
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(format!("the expression is nested more than {DEEPEST} deep"));
        }
        let value = self.operand();
        self.depth -= 1;
        value
    }

    fn operand(&mut self) -> Result<Option<i64>, String> {
        if self.take("-") {
            return Ok(self.unary()?.map(i64::wrapping_neg));
        }
        if self.take("~") {
            return Ok(self.unary()?.map(|value| !value));
        }
        if self.take("+") {
            return self.unary();
        }
        if self.take("(") {
            let value = self.sum(0)?;
            return if self.take(")") { Ok(value) } else { Err("`)` is missing".to_owned()) };
        }
        self.atom()
    }

    fn atom(&mut self) -> Result<Option<i64>, String> {
        if let Some(rest) = self.rest.strip_prefix('\'') {
            let character = rest.chars().next().filter(char::is_ascii);
            let character = character.ok_or("no character of ASCII follows the quote")?;
            let rest = &rest[1..];
            self.rest = rest.strip_prefix('\'').unwrap_or(rest).trim_start();
            return Ok(Some(i64::from(u32::from(character))));
        }
        let end = self.rest.find(|c: char| !is_symbol(c)).unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        if word.is_empty() {
            let found = rest.chars().next().map_or("the end".to_owned(), |c| format!("`{c}`"));
            return Err(format!("a number or a symbol must stand where {found} is"));
        }
        self.rest = rest.trim_start();
        match number(word) {
            Some(value) => value.map(Some),
            None => (self.symbol)(word),
        }
    }
}

/// Whether a character may stand in a symbol or a number.
pub fn is_symbol(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '$')
}

/// Returns the value of a number as C writes it; none if the word is a symbol or a local label.
fn number(word: &str) -> Option<Result<i64, String>> {
    let bytes = word.as_bytes();
    if !bytes[0].is_ascii_digit() {
        return None;
    }
    if matches!(bytes[bytes.len() - 1], b'f' | b'b') && is_digits(&word[..word.len() - 1]) {
        // `0b` is a local label too, but `0b1` is not.
        return None;
    }
    let lower = word.to_ascii_lowercase();
    let (digits, radix) = match (lower.strip_prefix("0x"), lower.strip_prefix("0b")) {
        (Some(digits), _) => (digits, 16),
        (_, Some(digits)) => (digits, 2),
        _ if lower.len() > 1 && lower.starts_with('0') => (&lower[1..], 8),
        _ => (lower.as_str(), 10),
    };
    let value = u32::from_str_radix(digits, radix);
    Some(value.map(i64::from).map_err(|_| format!("`{word}` is no number of up to 32 bits")))
}

fn is_digits(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit())
}

fn apply(operator: &str, left: i64, right: i64) -> Result<i64, String> {
    Ok(match operator {
        "+" => left.wrapping_add(right),
        "-" => left.wrapping_sub(right),
        "|" => left | right,
        "&" => left & right,
        "^" => left ^ right,
        "*" => left.wrapping_mul(right),
        "<<" | ">>" => {
            let by = u32::try_from(right).ok().filter(|&by| by < 64);
            let by = by.ok_or_else(|| format!("a shift by {right} is not possible"))?;
            if operator == "<<" { left.wrapping_shl(by) } else { left >> by }
        }
        _ => {
            let value =
                if operator == "/" { left.checked_div(right) } else { left.checked_rem(right) };
            value.ok_or_else(|| format!("{left} is divided by {right}"))?
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(text: &str) -> Result<Option<i64>, String> {
        evaluate(text, &mut |name| match name {
            "x" => Ok(Some(7)),
            "later" => Ok(None),
            _ => Err(format!("`{name}` is not defined")),
        })
    }

    #[test]
    fn precedence_is_that_of_gnu_as() {
        for (text, expected) in [
            ("1+2*3", 7),
            ("(1+2)*3", 9),
            ("1+2|4", 7),
            ("4|3-1", 6),
            ("-2+5", 3),
            ("~0 & 0xff", 255),
            ("1<<3>>1", 4),
            ("0x1F + 0b11 + 017", 49),
            ("'a'+1", 98),
            ("'a+1", 98),
            ("x - 1", 6),
            ("7/2%2", 1),
        ] {
            assert_eq!(value(text), Ok(Some(expected)), "{text}");
        }
        assert_eq!(value("later+1"), Ok(None));
    }

    #[test]
    fn what_is_wrong_is_named() {
        for (text, expected) in [
            ("", "an expression is missing"),
            ("1+", "a number or a symbol must stand where the end is"),
            ("(1", "`)` is missing"),
            ("1 2", "`2` is left over in the expression `1 2`"),
            ("y", "`y` is not defined"),
            ("1/0", "1 is divided by 0"),
            ("1<<64", "a shift by 64 is not possible"),
            ("0x100000000", "`0x100000000` is no number of up to 32 bits"),
            ("09", "`09` is no number of up to 32 bits"),
            ("$", "`$` is not defined"),
            ("#1", "a number or a symbol must stand where `#` is"),
        ] {
            assert_eq!(value(text), Err(expected.to_owned()), "{text}");
        }
        let deep = "(".repeat(100_000);
        assert_eq!(value(&deep), Err("the expression is nested more than 100 deep".to_owned()));
        assert_eq!(value(&format!("{0}1{1}", "(".repeat(90), ")".repeat(90))), Ok(Some(1)));
    }
}
