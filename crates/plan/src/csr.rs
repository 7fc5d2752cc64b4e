//! Compressed sparse rows: a list of numbers for each of n numbers, in two arrays.

/// A list of numbers for each of the numbers 0 to n − 1.
#[derive(Clone, Debug, Default)]
pub struct Csr {
    starts: Vec<u32>,
    items: Vec<u32>,
}

impl Csr {
    /// Makes, for each number `from` below `count`, the list of all `to` of its edges (`from`,
    /// `to`).
    pub fn new(count: usize, edges: &[(u32, u32)]) -> Self {
        Self::by(count, edges, |&edge| edge)
    }

    /// Makes, for each number `to` below `count`, the list of all `from` of its edges (`from`,
    /// `to`).
    pub fn reversed(count: usize, edges: &[(u32, u32)]) -> Self {
        Self::by(count, edges, |&(from, to)| (to, from))
    }

    fn by(count: usize, edges: &[(u32, u32)], key: impl Fn(&(u32, u32)) -> (u32, u32)) -> Self {
        let mut starts = vec![0; count + 1];
        for edge in edges {
            starts[key(edge).0 as usize + 1] += 1;
        }
        for i in 0..count {
            starts[i + 1] += starts[i];
        }
        let (mut next, mut items) = (starts.clone(), vec![0; edges.len()]);
        for edge in edges {
            let (from, to) = key(edge);
            items[next[from as usize] as usize] = to;
            next[from as usize] += 1;
        }
        Self { starts, items }
    }

    /// The list of a number.
    pub fn of(&self, number: usize) -> &[u32] {
        &self.items[self.starts[number] as usize..self.starts[number + 1] as usize]
    }

    /// The length of all lists together.
    pub fn total(&self) -> usize {
        self.items.len()
    }
}
