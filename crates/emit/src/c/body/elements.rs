//! Expressions with elements of arrays, and indices that advance by the same step from one
//! iteration of a loop to the next.

/// An expression with one element of an array, whose index is a literal: `l[3]`, or
/// `(uint8_t)(s[4] >> 8)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Element<'t> {
    before: &'t str,
    number: usize,
    behind: &'t str,
}

impl<'t> Element<'t> {
    /// Parses an expression; `None` if it does not have exactly one such element.
    pub fn of(text: &'t str) -> Option<Self> {
        let (before, rest) = text.split_once('[')?;
        let (number, behind) = rest.split_once(']')?;
        let number = number.parse().ok().filter(|_| !behind.contains('['))?;
        Some(Self { before, number, behind })
    }

    /// The name of the array and the index, if the expression is the element and nothing else.
    pub fn place(&self) -> Option<(&'t str, usize)> {
        let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let is_whole = self.behind.is_empty() && self.before.chars().all(is_name);
        is_whole.then_some((self.before, self.number))
    }

    /// The expression with another index.
    fn with(&self, number: &str) -> String {
        format!("{}[{number}]{}", self.before, self.behind)
    }
}

/// The first of several indices, and the difference between each and the one before it; `None` if
/// there are fewer than two, or the differences are not equal.
pub(super) fn step(numbers: &[usize]) -> Option<(usize, isize)> {
    let &[first, second, ..] = numbers else { return None };
    let step = second as isize - first as isize;
    let all = numbers.windows(2).all(|pair| pair[0] as isize + step == pair[1] as isize);
    all.then_some((first, step))
}

/// The index in the iteration that the loop's counter `i` counts, see [`step`].
pub(super) fn index(first: usize, step: isize) -> String {
    match (first, step) {
        (0, 1) => "i".to_owned(),
        (first, 1) => format!("i + {first}u"),
        (first, -1) => format!("{first}u - i"),
        (first, step) if step < 0 => format!("{first}u - {}u * i", -step),
        (0, step) => format!("{step}u * i"),
        (first, step) => format!("{step}u * i + {first}u"),
    }
}

/// The expression that is the i-th of several in iteration i, if these differ only in the index of
/// an element, and the indices advance by the same [`step`].
pub(super) fn in_step(texts: &[String]) -> Option<String> {
    let elements: Vec<Element<'_>> =
        texts.iter().map(|text| Element::of(text)).collect::<Option<_>>()?;
    let numbers: Vec<usize> = elements.iter().map(|element| element.number).collect();
    let (first, step) = step(&numbers)?;
    let with = |number| Element { number, ..elements[0] };
    let are_alike =
        elements.iter().zip(&numbers).all(|(element, &number)| *element == with(number));
    are_alike.then(|| elements[0].with(&index(first, step)))
}
