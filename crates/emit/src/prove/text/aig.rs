//! Logic as and-gates and inverters, equal gates being one gate.
//!
//! Both sides of a comparison are built in one [`Aig`], so that logic of the same structure becomes
//! the same literal. Each gate also carries its value under 256 random assignments of the inputs:
//! two literals that differ there are different functions, and the assignment shows it.

use manylane_graph::random::SplitMix64;
use std::collections::HashMap;
use std::ops::Not;

/// A gate or its complement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Lit(u32);

impl Lit {
    /// Always 0.
    pub(super) const FALSE: Self = Self(0);
    /// Always 1.
    pub(super) const TRUE: Self = Self(1);

    /// A constant.
    pub(super) fn constant(value: bool) -> Self {
        Self(u32::from(value))
    }

    /// The gate.
    pub(super) fn node(self) -> usize {
        (self.0 >> 1) as usize
    }

    /// Whether it is the gate's complement.
    pub(super) fn is_complement(self) -> bool {
        self.0 & 1 == 1
    }
}

impl Not for Lit {
    type Output = Self;

    fn not(self) -> Self {
        Self(self.0 ^ 1)
    }
}

/// A word, its lowest bit first.
pub(super) type Word = Vec<Lit>;

/// A node of the graph of gates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Node {
    /// The constant 0.
    False,
    /// A value from outside: a bit of a port, a register, a memory.
    Input,
    /// The conjunction of two literals.
    And(Lit, Lit),
}

/// How many random assignments there are, in words of 64.
const PATTERNS: usize = 4;

/// Values under the random assignments.
pub(super) type Patterns = [u64; PATTERNS];

/// Gates, those that a gate reads before it.
#[derive(Clone, Debug)]
pub(super) struct Aig {
    nodes: Vec<Node>,
    /// The values of each node under the random assignments.
    pub(super) values: Vec<Patterns>,
    ands: HashMap<(Lit, Lit), Lit>,
    random: SplitMix64,
}

impl Aig {
    /// A graph that has the constant 0 alone.
    pub(super) fn new() -> Self {
        let (nodes, values) = (vec![Node::False], vec![[0; PATTERNS]]);
        Self { nodes, values, ands: HashMap::new(), random: SplitMix64(0) }
    }

    /// The node of this number.
    pub(super) fn node(&self, node: usize) -> Node {
        self.nodes[node]
    }

    /// The value of a literal under the random assignments.
    pub(super) fn values(&self, lit: Lit) -> Patterns {
        let flip = if lit.is_complement() { u64::MAX } else { 0 };
        self.values[lit.node()].map(|word| word ^ flip)
    }

    /// The value of a literal for these values of the inputs; inputs without a value count as 0.
    pub(super) fn evaluate(&self, word: &[Lit], inputs: &HashMap<usize, bool>) -> Vec<bool> {
        let mut values: HashMap<usize, bool> = HashMap::new();
        let value =
            |values: &HashMap<usize, bool>, lit: Lit| values[&lit.node()] != lit.is_complement();
        for node in self.cone(word, |_| false) {
            let is_one = match self.node(node) {
                Node::False => false,
                Node::Input => inputs.get(&node).copied().unwrap_or(false),
                Node::And(a, b) => value(&values, a) && value(&values, b),
            };
            values.insert(node, is_one);
        }
        word.iter().map(|&lit| value(&values, lit)).collect()
    }

    /// A new value from outside.
    pub(super) fn input(&mut self) -> Lit {
        let values = std::array::from_fn(|_| self.random.word());
        self.push(Node::Input, values)
    }

    /// A word of `width` new values from outside.
    pub(super) fn inputs(&mut self, width: usize) -> Word {
        (0..width).map(|_| self.input()).collect()
    }

    fn push(&mut self, node: Node, values: Patterns) -> Lit {
        self.nodes.push(node);
        self.values.push(values);
        Lit((self.nodes.len() as u32 - 1) << 1)
    }

    /// The conjunction: a gate that exists already, one that simplifies, or a new one.
    pub(super) fn and(&mut self, a: Lit, b: Lit) -> Lit {
        let (a, b) = (a.min(b), a.max(b));
        match (a, b) {
            (Lit::FALSE, _) => return Lit::FALSE,
            (Lit::TRUE, _) => return b,
            _ if a == b => return a,
            _ if a == !b => return Lit::FALSE,
            _ => {}
        }
        if let Some(&known) = self.ands.get(&(a, b)) {
            return known;
        }
        let (x, y) = (self.values(a), self.values(b));
        let made = self.push(Node::And(a, b), std::array::from_fn(|i| x[i] & y[i]));
        self.ands.insert((a, b), made);
        made
    }

    /// The disjunction, by De Morgan: ¬(¬a ∧ ¬b).
    pub(super) fn or(&mut self, a: Lit, b: Lit) -> Lit {
        !self.and(!a, !b)
    }

    /// The exclusive or, of three gates.
    pub(super) fn xor(&mut self, a: Lit, b: Lit) -> Lit {
        let (one, other) = (self.and(a, !b), self.and(!a, b));
        self.or(one, other)
    }

    /// `then` where the condition is 1.
    pub(super) fn choose(&mut self, condition: Lit, then: Lit, otherwise: Lit) -> Lit {
        if then == otherwise {
            return then;
        }
        let (one, other) = (self.and(condition, then), self.and(!condition, otherwise));
        self.or(one, other)
    }

    /// Whether all are 1.
    pub(super) fn all(&mut self, bits: &[Lit]) -> Lit {
        bits.iter().fold(Lit::TRUE, |all, &bit| self.and(all, bit))
    }

    /// Whether one is 1.
    pub(super) fn any(&mut self, bits: &[Lit]) -> Lit {
        bits.iter().fold(Lit::FALSE, |any, &bit| self.or(any, bit))
    }

    /// Whether an odd number of the bits is 1.
    pub(super) fn parity(&mut self, bits: &[Lit]) -> Lit {
        bits.iter().fold(Lit::FALSE, |parity, &bit| self.xor(parity, bit))
    }

    /// A function of the bits of two words of the same width.
    pub(super) fn bitwise(
        &mut self,
        a: &[Lit],
        b: &[Lit],
        f: impl Fn(&mut Self, Lit, Lit) -> Lit,
    ) -> Word {
        a.iter().zip(b).map(|(&a, &b)| f(self, a, b)).collect()
    }

    /// A word that is `then` where the condition is 1, else `otherwise`.
    pub(super) fn choose_word(&mut self, condition: Lit, then: &[Lit], otherwise: &[Lit]) -> Word {
        self.bitwise(then, otherwise, |aig, then, otherwise| aig.choose(condition, then, otherwise))
    }

    /// The sum and its carry.
    pub(super) fn add(&mut self, a: &[Lit], b: &[Lit], carry: Lit) -> (Word, Lit) {
        let mut carry = carry;
        let sum = a.iter().zip(b).map(|(&a, &b)| {
            let half = self.xor(a, b);
            let sum = self.xor(half, carry);
            let (both, passed) = (self.and(a, b), self.and(half, carry));
            carry = self.or(both, passed);
            sum
        });
        (sum.collect(), carry)
    }

    /// The difference, and whether it is not negative.
    pub(super) fn sub(&mut self, a: &[Lit], b: &[Lit]) -> (Word, Lit) {
        let complement: Word = b.iter().map(|&bit| !bit).collect();
        self.add(a, &complement, Lit::TRUE)
    }

    /// Whether two words of the same width are equal.
    pub(super) fn equal(&mut self, a: &[Lit], b: &[Lit]) -> Lit {
        let same = self.bitwise(a, b, |aig, a, b| !aig.xor(a, b));
        self.all(&same)
    }

    /// The entry of a table at the index `number`; `beyond` where the table has no such entry.
    pub(super) fn look_up(&mut self, table: &[Word], number: &[Lit], beyond: &[Lit]) -> Word {
        let Some((&top, rest)) = number.split_last() else {
            return table.first().map_or_else(|| beyond.to_vec(), Clone::clone);
        };
        let half = 1_usize.checked_shl(rest.len() as u32).unwrap_or(usize::MAX);
        let (low, high) = table.split_at(half.min(table.len()));
        let high = match high.is_empty() {
            true => beyond.to_vec(),
            false => self.look_up(high, rest, beyond),
        };
        let low = match low.is_empty() {
            true => beyond.to_vec(),
            false => self.look_up(low, rest, beyond),
        };
        self.choose_word(top, &high, &low)
    }

    /// All gates that literals depend on, each after those that it reads. The walk stops at gates
    /// of `ends`.
    pub(super) fn cone(&self, roots: &[Lit], ends: impl Fn(usize) -> bool) -> Vec<usize> {
        let mut seen = std::collections::HashSet::new();
        let mut order = Vec::new();
        let mut stack: Vec<(usize, bool)> = roots.iter().map(|root| (root.node(), false)).collect();
        while let Some((node, is_done)) = stack.pop() {
            if is_done {
                order.push(node);
                continue;
            }
            if !seen.insert(node) {
                continue;
            }
            stack.push((node, true));
            if let Node::And(a, b) = self.node(node)
                && !ends(node)
            {
                stack.extend([(a.node(), false), (b.node(), false)]);
            }
        }
        order
    }
}

/// A constant as a word.
pub(super) fn constant(value: u64, width: usize) -> Word {
    (0..width).map(|i| Lit::constant(i < 64 && value >> i & 1 == 1)).collect()
}
