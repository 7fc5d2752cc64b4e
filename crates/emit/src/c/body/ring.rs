//! Loops in which each result replaces the one that its iteration takes. A ring buffer of as many
//! words as there are iterations between the two is enough, where the array of a
//! [history](super::history) would have one for each iteration.
//!
//! ```text
//!  const uint32_t *from_s = table;
//!  for (i = 0; i < 78u; ++i) {
//!      const uint32_t a6 = …(from_s[at26] + …)…;      the result of 26 iterations before
//!      s[at26] = a6;
//!      …
//!      at26 = at26 < 25u ? at26 + 1u : 0u;
//!      from_s = at26 != 0 ? from_s : s;
//!  }
//! ```
//!
//! Results that are outputs of the function are stored in these outputs' places at once. The first
//! values are read where they are. Copying them first would cost more: compilers turn a copying
//! loop into a call of `memcpy`, and single copies with constant indices into variables.

/// The ring buffer of a loop's results that replace each other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Ring {
    /// The array of the first values, at the same indices.
    pub source: String,
    /// The array of the results.
    pub array: String,
    /// Whether the array is one of the function's outputs, and not a local one.
    pub is_output: bool,
    /// After how many iterations a result is replaced.
    pub depth: usize,
    /// The index of the element that the first iteration replaces.
    pub first: usize,
    /// The difference between the indices of an iteration and the next.
    pub step: usize,
}

impl Ring {
    /// The index of an iteration's element.
    pub fn number(&self, iteration: usize) -> usize {
        self.first + self.step * (iteration % self.depth)
    }

    /// The index of the element of the iteration that `i` counts, as an expression.
    fn current_index(&self) -> String {
        let Self { depth, first, step, .. } = self;
        let at = counter(*depth);
        match (depth, first, step) {
            (1, first, _) => first.to_string(),
            (_, 0, 1) => at,
            (_, first, 1) => format!("{at} + {first}u"),
            (_, 0, step) => format!("{step}u * {at}"),
            (_, first, step) => format!("{step}u * {at} + {first}u"),
        }
    }

    /// The result of an iteration, after the loop.
    pub fn result(&self, iteration: usize) -> String {
        format!("{}[{}]", self.array, self.number(iteration))
    }

    /// The result that the iteration which `i` counts takes.
    pub fn taken(&self) -> String {
        format!("{}[{}]", self.pointer(), self.current_index())
    }

    /// The place of the result of the iteration that `i` counts.
    pub fn place(&self) -> String {
        format!("{}[{}]", self.array, self.current_index())
    }

    /// The pointer to the array that holds what is taken.
    pub fn pointer(&self) -> String {
        format!("from_{}", self.array)
    }
}

/// The variable that counts the iterations modulo `depth`.
pub(super) fn counter(depth: usize) -> String {
    format!("at{depth}")
}
