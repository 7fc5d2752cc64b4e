//! The positions at which each word of a body is used.

/// For each word the positions of the instructions that take it, and how many of them are over.
#[derive(Default)]
pub struct Uses {
    positions: Vec<usize>,
    /// By word, where its positions begin; those of the next word follow.
    begin: Vec<usize>,
    /// By word, the first position that is not over.
    next: Vec<usize>,
}

impl Uses {
    /// From pairs of word and position, positions ascending.
    pub fn of(uses: &[(usize, usize)], words: usize) -> Self {
        let mut begin = vec![0; words + 1];
        for &(word, _) in uses {
            begin[word + 1] += 1;
        }
        for word in 0..words {
            begin[word + 1] += begin[word];
        }
        let mut next = begin[..words].to_vec();
        let mut positions = vec![0; uses.len()];
        for &(word, position) in uses {
            positions[next[word]] = position;
            next[word] += 1;
        }
        next.copy_from_slice(&begin[..words]);
        Self { positions, begin, next }
    }

    /// The position of the next use.
    pub fn next(&self, word: usize) -> Option<usize> {
        (self.next[word] < self.begin[word + 1]).then(|| self.positions[self.next[word]])
    }

    pub fn drop_until(&mut self, word: usize, position: usize) {
        while self.next(word).is_some_and(|at| at <= position) {
            self.next[word] += 1;
        }
    }

    /// Whether no use comes after a position.
    pub fn is_last(&self, word: usize, position: usize) -> bool {
        let end = self.begin[word + 1];
        self.next[word] == end || self.positions[end - 1] <= position
    }
}
