//! How often each operation occurs in a function, and how often on one longest chain.

use super::Chain;
use crate::ir::Function;
use serde::Serialize;
use std::collections::BTreeMap;

/// How often an operation occurs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct OperationCount {
    /// Its name, as in the text form.
    pub operation: &'static str,
    /// The width of its result in bits.
    pub width: u8,
    /// How many there are.
    pub count: usize,
    /// How many of these operations are on one longest chain.
    pub on_chain: usize,
}

impl OperationCount {
    /// The operations of a function, the most frequent first.
    pub fn all(function: &Function, chain: &Chain) -> Vec<Self> {
        let mut counts: BTreeMap<(&str, u8), (usize, usize)> = BTreeMap::new();
        let kind = |node| (function.op(node).name(), function.width(node));
        for node in function.nodes().filter(|&node| function.op(node).is_work()) {
            counts.entry(kind(node)).or_default().0 += 1;
        }
        for &node in &chain.nodes {
            counts.entry(kind(node)).or_default().1 += 1;
        }
        let mut counts: Vec<Self> = counts
            .into_iter()
            .map(|((operation, width), (count, on_chain))| Self {
                operation,
                width,
                count,
                on_chain,
            })
            .collect();
        counts.sort_by_key(|kind| std::cmp::Reverse(kind.count));
        counts
    }
}
