//! Instructions that stand together in every order.

use super::random::Random;
use super::select::{Inst, InstKind, Selected, Tri};
use std::collections::{BTreeSet, HashMap};
use std::ops::Range;

/// The values that are computed just before their use, if they are used once.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Joined {
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
fn keeps_carry(kind: &InstKind) -> bool {
    match kind {
        InstKind::Tri(Tri::Add | Tri::Adc | Tri::Sub | Tri::Sbc) | InstKind::Entry(..) => false,
        InstKind::Shift(mnemonic, _) | InstKind::ShiftBy(mnemonic) => *mnemonic == "rol",
        InstKind::Tri(Tri::And | Tri::Or | Tri::Xnor | Tri::Bfext)
        | InstKind::Number(_)
        | InstKind::Table
        | InstKind::Leaf(_)
        | InstKind::Com
        | InstKind::Copy
        | InstKind::Insert(_)
        | InstKind::Byte
        | InstKind::Half(..)
        | InstKind::Joined(_)
        | InstKind::Load(..)
        | InstKind::Store(_) => true,
    }
}

/// The largest number of clusters that a cluster is moved past, except in moves to any place.
const SHORT_MOVE: usize = 12;

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
            _ => (low.max(from.saturating_sub(SHORT_MOVE)), high.min(from + SHORT_MOVE)),
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

    /// The clusters in which values that `joined` names stand before their users.
    pub fn of(selected: &Selected, joined: Joined) -> Self {
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
                Joined::Loads => matches!(insts[i].kind, InstKind::Load(..)),
                Joined::Nothing => false,
            };
            may && users[i].len() == 1
                && !is_output[i]
                && chain[last_of[i]].is_empty()
                && last_of[i] == i
        };
        let mut clusters = Self { members: Vec::new(), before: Vec::new(), after: Vec::new() };
        for (i, &last) in last_of.iter().enumerate() {
            if is_given(i) || last != i || joins(i) {
                continue;
            }
            let mut members = Vec::new();
            collect(insts, &chain, i, &|arg| !is_given(arg) && joins(arg), &mut members);
            clusters.members.push(members);
        }
        clusters.connect(insts);
        clusters
    }

    /// One cluster for each connected part of each step, and the order of the clusters in the
    /// definition. `None` if two clusters need each other.
    pub fn of_steps(selected: &Selected) -> Option<(Self, Vec<usize>)> {
        let insts = &selected.insts;
        let first_of = connected(selected);
        let mut number: HashMap<usize, usize> = HashMap::new();
        let mut clusters = Self { members: Vec::new(), before: Vec::new(), after: Vec::new() };
        for i in (0..insts.len()).filter(|&i| !insts[i].kind.is_given()) {
            let next = clusters.members.len();
            let cluster = *number.entry(first_of[i]).or_insert(next);
            if cluster == next {
                clusters.members.push(Vec::new());
            }
            clusters.members[cluster].push(i);
        }
        clusters.connect(insts);
        let mut waits: Vec<usize> = clusters.before.iter().map(Vec::len).collect();
        let mut order: Vec<usize> = Vec::new();
        let mut ready: BTreeSet<usize> = (0..waits.len()).filter(|&c| waits[c] == 0).collect();
        while let Some(cluster) = ready.pop_first() {
            order.push(cluster);
            for &after in &clusters.after[cluster] {
                waits[after] -= 1;
                if waits[after] == 0 {
                    ready.insert(after);
                }
            }
        }
        (order.len() == clusters.members.len()).then_some((clusters, order))
    }

    /// Notes which clusters must stand before which.
    fn connect(&mut self, insts: &[Inst]) {
        let count = self.members.len();
        let mut cluster_of = vec![usize::MAX; insts.len()];
        for (cluster, members) in self.members.iter().enumerate() {
            for &member in members {
                cluster_of[member] = cluster;
            }
        }
        (self.before, self.after) = (vec![Vec::new(); count], vec![Vec::new(); count]);
        for c in 0..count {
            for &i in &self.members[c] {
                for &arg in &insts[i].args {
                    let of = cluster_of[arg];
                    if of != usize::MAX && of != c && !self.before[c].contains(&of) {
                        self.before[c].push(of);
                        self.after[of].push(c);
                    }
                }
            }
        }
    }

    /// The instructions of clusters in that order.
    pub fn insts(&self, order: &[usize]) -> Vec<usize> {
        order.iter().flat_map(|&cluster| self.members[cluster].iter().copied()).collect()
    }
}

/// For each instruction the first one of its step that is connected with it by instructions of the
/// step.
fn connected(selected: &Selected) -> Vec<usize> {
    let insts = &selected.insts;
    // Each instruction points to an earlier one that is connected with it, or to itself.
    let mut earlier: Vec<usize> = (0..insts.len()).collect();
    let first = |earlier: &[usize], mut i: usize| {
        while earlier[i] != i {
            i = earlier[i];
        }
        i
    };
    for (i, inst) in insts.iter().enumerate() {
        let near = inst.args.iter().copied().chain(inst.follows);
        let is_near =
            |&arg: &usize| !insts[arg].kind.is_given() && selected.steps[arg] == selected.steps[i];
        for arg in near.filter(is_near) {
            let (a, b) = (first(&earlier, arg), first(&earlier, i));
            earlier[a.max(b)] = a.min(b);
        }
    }
    (0..insts.len()).map(|i| first(&earlier, i)).collect()
}

/// Adds the instructions below `i` that join its cluster, then `i` with the chain that it ends. Of
/// several arguments the one with the largest tree comes first.
fn collect(
    insts: &[Inst],
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
fn tree(insts: &[Inst], i: usize, joins: &dyn Fn(usize) -> bool) -> usize {
    let args = insts[i].args.iter().filter(|&&arg| joins(arg));
    1 + args.map(|&arg| tree(insts, arg, joins)).sum::<usize>()
}

/// Whether the whole tree below an instruction leaves the carry as it is.
fn is_quiet(insts: &[Inst], i: usize, joins: &dyn Fn(usize) -> bool) -> bool {
    keeps_carry(&insts[i].kind)
        && insts[i].args.iter().filter(|&&arg| joins(arg)).all(|&arg| is_quiet(insts, arg, joins))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn selected(insts: &[(usize, &[usize])]) -> Selected {
        let inst = |args: &[usize]| Inst {
            kind: if args.is_empty() { InstKind::Leaf(0) } else { InstKind::Tri(Tri::Xnor) },
            args: args.to_vec(),
            follows: None,
        };
        Selected {
            insts: insts.iter().map(|(_, args)| inst(args)).collect(),
            steps: insts.iter().map(|&(step, _)| step).collect(),
            ..Selected::default()
        }
    }

    /// The parts of a step that do not need each other are clusters of their own, and a cluster
    /// comes behind those that it needs.
    #[test]
    fn steps_are_parted_where_nothing_connects_them() {
        let of: &[(usize, &[usize])] = &[
            (0, &[]),
            (1, &[0, 0]),
            (2, &[1, 0]),
            (1, &[0, 2]),
            (1, &[3, 0]),
            (2, &[2, 4]),
            (3, &[5, 4]),
        ];
        // The last instruction of step 2 needs step 1's second part, which needs its first one.
        assert!(Clusters::of_steps(&selected(of)).is_none());
        let (clusters, order) = Clusters::of_steps(&selected(&of[..5])).unwrap();
        assert_eq!(clusters.members, [vec![1], vec![2], vec![3, 4]]);
        assert_eq!(order, [0, 1, 2]);
        assert_eq!(clusters.before, [vec![], vec![0], vec![1]]);
        assert_eq!(clusters.after, [vec![1], vec![2], vec![]]);
        assert_eq!(clusters.insts(&order), [1, 2, 3, 4]);
    }
}
