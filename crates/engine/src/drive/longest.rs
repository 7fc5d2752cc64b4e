//! Puts messages in order of length, in code that is compiled once for all hashes.

/// The number of messages that are sorted at a time. It bounds the memory of a batch.
pub const WINDOW: usize = 1024;

/// The numbers of messages, the longest of each window first.
pub struct LongestFirst {
    count: usize,
    /// Messages in no window yet.
    from: usize,
    /// The lengths and numbers of the window, shortest first.
    window: Vec<(u64, usize)>,
}

impl LongestFirst {
    /// The numbers below `count`.
    pub fn of(count: usize) -> Self {
        Self { count, from: 0, window: Vec::new() }
    }

    /// The next message of those that have a length.
    pub fn next(&mut self, length: &dyn Fn(usize) -> Option<u64>) -> Option<usize> {
        while self.window.is_empty() && self.from < self.count {
            let to = self.count.min(self.from + WINDOW);
            let numbers = (self.from..to).rev();
            self.window.extend(numbers.filter_map(|i| length(i).map(|length| (length, i))));
            self.window.sort_by_key(|&(length, _)| length);
            self.from = to;
        }
        self.window.pop().map(|(_, number)| number)
    }
}
