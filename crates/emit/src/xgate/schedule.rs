//! The order of a body's instructions.
//!
//! ```text
//!  instructions ──► clusters   a value that is used once just before its use, or only if it is
//!                              loaded from behind a pointer, or each alone
//!               ──► greedy     the cluster that needs the fewest loads, leaves the fewest words,
//!                              by weights that are searched
//!               ──► annealing  clusters moved at random, many thousands of times, each counted in
//!                              part and with an estimate of the frame's places
//!               ──► moves      the same with the whole code and the places that the frame has
//! ```
//!
//! A sum of several limbs is one cluster: between ADD and ADC stand only instructions that keep the
//! carry.

use super::random::Random;
use super::ranks::ranks;
use super::select::{Kind, Selected, Tri};
use std::ops::Range;

/// The weights in the choice of the next cluster.
#[derive(Clone, Copy, Debug)]
pub struct Weights {
    /// The weight of an argument that is not in a register.
    pub load: f64,
    /// The weight of one word that becomes live, or ceases to be.
    pub live: f64,
    /// The weight of a departure from the order of `ranks` over the whole body.
    pub order: f64,
    /// The weight of the age of arguments that are in registers.
    pub age: f64,
}

impl Weights {
    /// Random weights near these.
    fn near(&self, random: &mut Random) -> Self {
        let mut near = |weight: f64| weight * (2.0 * SPREAD * (random.unit() - 0.5)).exp();
        Self {
            load: near(self.load),
            live: near(self.live),
            order: near(self.order),
            age: near(self.age),
        }
    }
}

/// The weights that are tried first.
const TRIED: [Weights; 8] = [
    Weights { load: 0.0, live: 0.0, order: 1.0, age: 0.0 },
    Weights { load: 1.0, live: 1.0, order: 8.0, age: 0.0 },
    Weights { load: 1.0, live: 0.5, order: 30.0, age: 0.1 },
    Weights { load: 1.0, live: 2.0, order: 30.0, age: 0.1 },
    Weights { load: 1.0, live: 1.0, order: 100.0, age: 0.1 },
    Weights { load: 1.0, live: 2.0, order: 100.0, age: 0.2 },
    Weights { load: 1.0, live: 1.0, order: 300.0, age: 0.1 },
    Weights { load: 1.0, live: 0.3, order: 1000.0, age: 0.1 },
];

/// The largest number of greedy orders with random weights.
const MOST_NEAR: usize = 500;

/// How far a random weight may be from the one that it is near, as the logarithm of their ratio.
const SPREAD: f64 = 0.8;

/// How much worse an order may be, on average, to be kept at first, in tenths of a clock.
const WARM: f64 = 3.0;

/// An order of a body's instructions. Numbers, tables and leaves are not in it.
pub struct Schedule {
    pub(super) clusters: Clusters,
    pub(super) order: Vec<usize>,
    pub(super) random: Random,
}

impl Schedule {
    /// The best of the greedy orders with fixed weights, and of up to three times `orders` with
    /// weights near the best ones. `cost` is the cost of an order; `registers` is the number of
    /// registers for words.
    pub fn of(
        selected: &Selected,
        registers: usize,
        orders: usize,
        cost: impl Fn(&[usize]) -> usize,
    ) -> Self {
        let ranks = ranks(selected);
        let tried = [Joined::All, Joined::Loads, Joined::Nothing].into_iter().map(|joined| {
            let clusters = Clusters::of(selected, joined);
            let each =
                TRIED.iter().flat_map(|weights| ranks.iter().map(move |rank| (weights, rank)));
            let each = each.map(|(weights, ranks)| {
                let order = clusters.greedy(selected, weights, ranks, registers);
                (cost(&clusters.insts(&order)), order, *weights, ranks)
            });
            let best = each.min_by_key(|of| of.0).expect("some are tried");
            (best, clusters)
        });
        let ((mut least, mut order, mut weights, ranks), clusters) =
            tried.min_by_key(|(of, _)| of.0).expect("three are tried");
        // Where many moves follow, a better order is not always a better start. Therefore an odd
        // number of orders turns the random weights off.
        let mut random = Random(0x1234_5678_9abc_def1);
        let near = if orders.is_multiple_of(2) { (3 * orders).min(MOST_NEAR) } else { 0 };
        for _ in 0..near {
            let tried = weights.near(&mut random);
            let next = clusters.greedy(selected, &tried, ranks, registers);
            let takes = cost(&clusters.insts(&next));
            if takes < least {
                (least, order, weights) = (takes, next, tried);
            }
        }
        Self { clusters, order, random }
    }

    /// The instructions in order.
    pub fn insts(&self) -> Vec<usize> {
        self.clusters.insts(&self.order)
    }

    /// Tries `moves` moves of a cluster, and keeps those that cost no more, and at first some that
    /// do.
    pub fn improve(&mut self, moves: usize, cost: impl Fn(&[usize]) -> usize) {
        let Self { clusters, order, random } = self;
        let count = order.len();
        if count < 2 {
            return;
        }
        let mut current = cost(&clusters.insts(order));
        let mut best = (current, order.clone());
        let mut at: Vec<usize> = vec![0; count];
        for (place, &cluster) in order.iter().enumerate() {
            at[cluster] = place;
        }
        for step in 0..moves {
            let temperature = WARM * (1.0 - step as f64 / moves as f64);
            let from = random.below(count);
            let to = clusters.destination(order[from], &at, 4, random);
            if to == from {
                continue;
            }
            shift(order, &mut at, from, to);
            let now = cost(&clusters.insts(order));
            // A worse order is kept now and then, at first more often.
            let most = current as f64 - temperature * random.unit().max(1e-9).ln();
            if now as f64 <= most {
                current = now;
                if now < best.0 {
                    best = (now, order.clone());
                }
            } else {
                shift(order, &mut at, to, from);
            }
        }
        *order = best.1;
    }
}

/// Moves the cluster at one place to another place.
fn shift(order: &mut [usize], at: &mut [usize], from: usize, to: usize) {
    let range = from.min(to)..from.max(to) + 1;
    if from < to {
        order[range.clone()].rotate_left(1);
    } else {
        order[range.clone()].rotate_right(1);
    }
    for place in range {
        at[order[place]] = place;
    }
}

/// The values that are computed just before their use, if they are used once.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Joined {
    All,
    /// Only words behind pointers are, because an earlier load would only take a register longer.
    Loads,
    Nothing,
}

/// Instructions that stand together.
pub struct Clusters {
    /// The instructions of each, in order.
    pub members: Vec<Vec<usize>>,
    /// The clusters that must stand before each.
    pub before: Vec<Vec<usize>>,
    /// The clusters that must stand behind each.
    pub after: Vec<Vec<usize>>,
}

/// Whether an instruction leaves the carry as it is.
fn keeps_carry(kind: &Kind) -> bool {
    match kind {
        Kind::Tri(Tri::Add | Tri::Adc | Tri::Sub | Tri::Sbc) | Kind::Entry(..) => false,
        Kind::Shift(mnemonic, _) | Kind::ShiftBy(mnemonic) => *mnemonic == "rol",
        Kind::Tri(Tri::And | Tri::Or | Tri::Xnor | Tri::Bfext)
        | Kind::Number(_)
        | Kind::Table
        | Kind::Leaf(_)
        | Kind::Com
        | Kind::Copy
        | Kind::Insert(_)
        | Kind::Byte
        | Kind::Half(..)
        | Kind::Joined(_)
        | Kind::Load(..)
        | Kind::Store(_) => true,
    }
}

/// The largest number of clusters that a cluster is moved past, except in moves to any place.
const NEAR: usize = 12;

/// The largest number of clusters in a run that changes places with another one.
const LONGEST: usize = 24;

impl Clusters {
    /// A random place to which a cluster can be moved: once in `far` times any such place, else a
    /// near one. `at` has the place of each cluster.
    pub fn destination(
        &self,
        cluster: usize,
        at: &[usize],
        far: usize,
        random: &mut Random,
    ) -> usize {
        let before = self.before[cluster].iter().map(|&before| at[before] + 1);
        let after = self.after[cluster].iter().map(|&after| at[after] - 1);
        let (low, high) = (before.max().unwrap_or(0), after.min().unwrap_or(at.len() - 1));
        let from = at[cluster];
        let (low, high) = match random.below(far) {
            0 => (low, high),
            _ => (low.max(from.saturating_sub(NEAR)), high.min(from + NEAR)),
        };
        low + random.below(high - low + 1)
    }

    /// Two random runs of clusters, side by side, that can change places: the range of places of
    /// both, and the length of the first one, which begins at `from`. The range is empty if there
    /// are none.
    pub fn exchange(
        &self,
        order: &[usize],
        at: &[usize],
        from: usize,
        random: &mut Random,
    ) -> (Range<usize>, usize) {
        let first = 2 + random.below(LONGEST - 1);
        let middle = from + first;
        let second = 1 + random.below(LONGEST);
        let depends = |place: &usize| {
            self.before[order[*place]].iter().any(|&before| (from..middle).contains(&at[before]))
        };
        let last = (middle + second).min(order.len());
        let end = (middle..last).find(depends).unwrap_or(last.max(middle));
        if end <= middle { (from..from, 0) } else { (from..end, first) }
    }

    fn of(selected: &Selected, joined: Joined) -> Self {
        let insts = &selected.insts;
        let count = insts.len();
        let is_given = |i: usize| insts[i].kind.is_given();
        // For each instruction the last member of the chain of carries that it is in.
        let mut last_of: Vec<usize> = (0..count).collect();
        let mut chain: Vec<Vec<usize>> = vec![Vec::new(); count];
        for (i, inst) in insts.iter().enumerate() {
            if let Some(before) = inst.follows {
                let mut members = std::mem::take(&mut chain[before]);
                if members.is_empty() {
                    members.push(before);
                }
                members.push(i);
                for &member in &members {
                    last_of[member] = i;
                }
                chain[i] = members;
            }
        }
        // For each value its users, of which all members of a chain count as its last one.
        let mut users: Vec<Vec<usize>> = vec![Vec::new(); count];
        for (i, inst) in insts.iter().enumerate() {
            for &arg in &inst.args {
                let user = last_of[i];
                if last_of[arg] != user && !users[arg].contains(&user) {
                    users[arg].push(user);
                }
            }
        }
        let mut is_output = vec![false; count];
        for &output in &selected.outputs {
            is_output[output] = true;
        }
        // A value joins the cluster of its only user, unless the value is an output or a member of
        // a chain.
        let joins = |i: usize| {
            let may = match joined {
                Joined::All => true,
                Joined::Loads => matches!(insts[i].kind, Kind::Load(..)),
                Joined::Nothing => false,
            };
            may && users[i].len() == 1
                && !is_output[i]
                && chain[last_of[i]].is_empty()
                && last_of[i] == i
        };
        let mut clusters = Self { members: Vec::new(), before: Vec::new(), after: Vec::new() };
        let mut cluster_of = vec![usize::MAX; count];
        for (i, &last) in last_of.iter().enumerate() {
            if is_given(i) || last != i || joins(i) {
                continue;
            }
            let mut members = Vec::new();
            collect(insts, &chain, i, &|arg| !is_given(arg) && joins(arg), &mut members);
            for &member in &members {
                cluster_of[member] = clusters.members.len();
            }
            clusters.members.push(members);
        }
        clusters.before = vec![Vec::new(); clusters.members.len()];
        clusters.after = vec![Vec::new(); clusters.members.len()];
        for c in 0..clusters.members.len() {
            for &i in &clusters.members[c] {
                for &arg in &insts[i].args {
                    let of = cluster_of[arg];
                    if of != usize::MAX && of != c && !clusters.before[c].contains(&of) {
                        clusters.before[c].push(of);
                        clusters.after[of].push(c);
                    }
                }
            }
        }
        clusters
    }

    fn insts(&self, order: &[usize]) -> Vec<usize> {
        order.iter().flat_map(|&cluster| self.members[cluster].iter().copied()).collect()
    }

    /// The order in which each next cluster has the best score by the weights. `ranks` has the
    /// place of each instruction in the order from which departures have a weight.
    fn greedy(
        &self,
        selected: &Selected,
        weights: &Weights,
        ranks: &[usize],
        registers: usize,
    ) -> Vec<usize> {
        let insts = &selected.insts;
        let count = self.members.len();
        let rank: Vec<f64> = self
            .members
            .iter()
            .map(|members| ranks[*members.last().expect("no cluster is empty")] as f64)
            .map(|rank| rank / insts.len() as f64)
            .collect();
        // The values that each cluster takes from outside, each once; and how many clusters take
        // each value.
        let mut left: Vec<usize> = vec![0; insts.len()];
        let takes: Vec<Vec<usize>> = self
            .members
            .iter()
            .map(|members| {
                let mut takes: Vec<usize> = members
                    .iter()
                    .flat_map(|&i| insts[i].args.iter().copied())
                    .filter(|arg| !members.contains(arg))
                    .collect();
                takes.sort_unstable();
                takes.dedup();
                takes
            })
            .collect();
        for take in takes.iter().flatten() {
            left[*take] += 1;
        }
        let results: Vec<usize> = self
            .members
            .iter()
            .map(|members| members.iter().filter(|&&i| left[i] > 0).count())
            .collect();
        let mut waits: Vec<usize> = self.before.iter().map(Vec::len).collect();
        let mut ready: Vec<usize> = (0..count).filter(|&c| waits[c] == 0).collect();
        let mut model = Model { held: Vec::new(), most: registers };
        let mut order: Vec<usize> = Vec::with_capacity(count);
        while !ready.is_empty() {
            let score = |c: usize| -> f64 {
                let mut score = weights.order * rank[c];
                score += weights.live * results[c] as f64;
                for &take in &takes[c] {
                    match model.age(take) {
                        Some(age) => {
                            score += weights.age * age as f64;
                            if left[take] == 1 {
                                score -= weights.live;
                            }
                        }
                        None => {
                            let small = matches!(insts[take].kind, Kind::Number(0..=255));
                            score += weights.load * if small { 0.5 } else { 1.0 };
                        }
                    }
                }
                score
            };
            let best = (0..ready.len())
                .map(|place| (score(ready[place]), ready[place], place))
                .min_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)))
                .expect("one is ready");
            let cluster = ready.swap_remove(best.2);
            for &take in &takes[cluster] {
                model.touch(take);
                left[take] -= 1;
                if left[take] == 0 {
                    model.forget(take);
                }
            }
            for &i in self.members[cluster].iter().filter(|&&i| left[i] > 0) {
                model.touch(i);
            }
            order.push(cluster);
            for &after in &self.after[cluster] {
                waits[after] -= 1;
                if waits[after] == 0 {
                    ready.push(after);
                }
            }
        }
        order
    }
}

/// Adds the instructions below `i` that join its cluster, then `i` with the chain that it ends. Of
/// several arguments the one with the largest tree comes first.
fn collect(
    insts: &[super::select::Inst],
    chain: &[Vec<usize>],
    i: usize,
    joins: &dyn Fn(usize) -> bool,
    out: &mut Vec<usize>,
) {
    let below = |of: usize, out: &mut Vec<usize>, pick: &dyn Fn(usize) -> bool| {
        let mut args: Vec<usize> =
            insts[of].args.iter().copied().filter(|&arg| joins(arg) && pick(arg)).collect();
        args.dedup();
        args.sort_by_key(|&arg| std::cmp::Reverse(tree(insts, arg, joins)));
        for arg in args {
            if !out.contains(&arg) {
                collect(insts, chain, arg, joins, out);
            }
        }
    };
    let members: &[usize] = if chain[i].is_empty() { &[i] } else { &chain[i] };
    // Instructions that change the carry come before the chain.
    let is_quiet = |arg: usize| is_quiet(insts, arg, joins);
    for &member in members {
        below(member, out, &|arg| members.len() > 1 && !is_quiet(arg));
    }
    for &member in members {
        below(member, out, &|_| true);
        out.push(member);
    }
}

/// The number of instructions in the tree of an instruction, including itself.
fn tree(insts: &[super::select::Inst], i: usize, joins: &dyn Fn(usize) -> bool) -> usize {
    let args = insts[i].args.iter().filter(|&&arg| joins(arg));
    1 + args.map(|&arg| tree(insts, arg, joins)).sum::<usize>()
}

/// Whether the whole tree below an instruction leaves the carry as it is.
fn is_quiet(insts: &[super::select::Inst], i: usize, joins: &dyn Fn(usize) -> bool) -> bool {
    keeps_carry(&insts[i].kind)
        && insts[i].args.iter().filter(|&&arg| joins(arg)).all(|&arg| is_quiet(insts, arg, joins))
}

/// A model of the registers: the words used last, the latest at the end.
struct Model {
    held: Vec<usize>,
    most: usize,
}

impl Model {
    fn age(&self, id: usize) -> Option<usize> {
        self.held.iter().rev().position(|&held| held == id)
    }

    fn forget(&mut self, id: usize) {
        self.held.retain(|&held| held != id);
    }

    fn touch(&mut self, id: usize) {
        self.forget(id);
        self.held.push(id);
        if self.held.len() > self.most {
            self.held.remove(0);
        }
    }
}
