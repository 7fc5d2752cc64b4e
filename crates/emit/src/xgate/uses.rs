//! The positions at which each word of a body is used.

/// For each word the positions of the instructions that take it.
pub struct Uses {
    positions: Vec<u32>,
    /// For each word the index of its first position; the positions of the next word follow.
    begin: Vec<u32>,
    /// For each word the index of the position that [`change`](Self::change) writes next, and the
    /// number of the change in which the index was set.
    next: Vec<(u32, u32)>,
    changes: u32,
}

impl Uses {
    /// Builds the lists from pairs of word and position, in ascending order of positions.
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
            positions[next[word] as usize] = position as u32;
            next[word] += 1;
        }
        Self { positions, begin, next: vec![(0, 0); words], changes: 0 }
    }

    /// The position of a word's next use, after `over` of its uses are past.
    pub fn at(&self, word: usize, over: u32) -> Option<usize> {
        let at = self.begin[word] + over;
        (at < self.begin[word + 1]).then(|| self.positions[at as usize] as usize)
    }

    /// The position of a word's last use.
    pub fn last(&self, word: usize) -> Option<usize> {
        let [begin, end] = [0, 1].map(|i| self.begin[word + i] as usize);
        (begin < end).then(|| self.positions[end - 1] as usize)
    }

    /// How many uses of a word are past after a position, if `over` of them were past before.
    pub fn over(&self, word: usize, mut over: u32, position: usize) -> u32 {
        while self.at(word, over).is_some_and(|at| at <= position) {
            over += 1;
        }
        over
    }

    /// Whether a word has no use after a position, if `over` of its uses are past.
    pub fn is_last(&self, word: usize, over: u32, position: usize) -> bool {
        let end = self.begin[word + 1];
        self.begin[word] + over == end || self.positions[end as usize - 1] as usize <= position
    }

    /// Updates the positions when instructions from position `first` on have been reordered. `uses`
    /// are pairs of a word that such an instruction takes and the new position, in ascending order.
    pub fn change(&mut self, first: usize, uses: impl Iterator<Item = (usize, usize)>) {
        self.changes += 1;
        for (word, position) in uses {
            if self.next[word].1 != self.changes {
                let [begin, end] = [0, 1].map(|i| self.begin[word + i] as usize);
                let before =
                    self.positions[begin..end].partition_point(|&at| (at as usize) < first);
                self.next[word] = ((begin + before) as u32, self.changes);
            }
            self.positions[self.next[word].0 as usize] = position as u32;
            self.next[word].0 += 1;
        }
    }
}
