//! Orders of a body's instructions from which scheduling starts. Each is a rank for every
//! instruction.

use super::select::{InstKind, Selected};

/// All orders that are tried, as ranks of the instructions.
pub fn ranks(selected: &Selected) -> [Vec<usize>; 7] {
    let (by_limb, by_output) = (limb_by_limb(selected), depth_first(selected, true));
    [
        definition(selected),
        by_output.clone(),
        depth_first(selected, false),
        by_limb.clone(),
        leaves_first(selected, &by_limb),
        leaves_first(selected, &by_output),
        nearest_first(selected),
    ]
}

/// The order of the definition.
fn definition(selected: &Selected) -> Vec<usize> {
    (0..selected.insts.len()).collect()
}

/// The order of the definition, first of all instructions that the lowest limbs of the outputs
/// need, then of those that the next limbs need, and so on.
fn limb_by_limb(selected: &Selected) -> Vec<usize> {
    let insts = &selected.insts;
    let mut limb_of = vec![usize::MAX; insts.len()];
    let mut roots: Vec<(usize, usize)> =
        selected.outputs.iter().copied().zip(selected.limbs.iter().copied()).collect();
    roots.sort_by_key(|&(_, limb)| limb);
    for (root, limb) in roots {
        let mut open = vec![root];
        while let Some(i) = open.pop() {
            if limb_of[i] == usize::MAX {
                limb_of[i] = limb;
                open.extend(insts[i].follows.into_iter().chain(insts[i].args.iter().copied()));
            }
        }
    }
    let mut order: Vec<usize> = (0..insts.len()).collect();
    order.sort_by_key(|&i| (limb_of[i], i));
    let mut ranks = vec![0; insts.len()];
    for (rank, i) in order.into_iter().enumerate() {
        ranks[i] = rank;
    }
    ranks
}

/// The instructions that take words from memory, and those that are the only user of such a result,
/// in the order of the definition; then the others by their ranks. Results can then go to the
/// places of the words that were taken.
fn leaves_first(selected: &Selected, ranks: &[usize]) -> Vec<usize> {
    let insts = &selected.insts;
    let mut uses = vec![0; insts.len()];
    for &arg in insts.iter().flat_map(|inst| &inst.args) {
        uses[arg] += 1;
    }
    let mut is_first = vec![false; insts.len()];
    for i in 0..insts.len() {
        is_first[i] = insts[i].args.iter().any(|&arg| {
            matches!(insts[arg].kind, InstKind::Leaf(_)) || is_first[arg] && uses[arg] == 1
        });
    }
    let mut order: Vec<usize> = (0..insts.len()).collect();
    order.sort_by_key(|&i| (!is_first[i], if is_first[i] { i } else { ranks[i] }));
    let mut new = vec![0; insts.len()];
    for (rank, i) in order.into_iter().enumerate() {
        new[i] = rank;
    }
    new
}

/// Depth first: each instruction comes when the first output that needs it is computed. Outputs
/// come in the order of their words, or the lowest limbs of all words first: logic works on each
/// limb apart, so that fewer words are live.
fn depth_first(selected: &Selected, by_limb: bool) -> Vec<usize> {
    let insts = &selected.insts;
    let mut roots: Vec<(usize, usize)> =
        selected.outputs.iter().copied().zip(selected.limbs.iter().copied()).collect();
    let stores = (0..insts.len()).filter(|&i| matches!(insts[i].kind, InstKind::Store(_)));
    roots.extend(stores.map(|i| (i, 0)));
    if by_limb {
        roots.sort_by_key(|&(_, limb)| limb);
    }
    let mut ranks = vec![usize::MAX; insts.len()];
    let mut next = 0;
    for (root, _) in roots {
        let mut open = vec![(root, false)];
        while let Some((i, done)) = open.pop() {
            if ranks[i] != usize::MAX {
                continue;
            }
            if done {
                ranks[i] = next;
                next += 1;
                continue;
            }
            open.push((i, true));
            let before = insts[i].follows.into_iter();
            open.extend(before.chain(insts[i].args.iter().rev().copied()).map(|arg| (arg, false)));
        }
    }
    // These instructions only pass a carry on, or no output needs them.
    for rank in ranks.iter_mut().filter(|rank| **rank == usize::MAX) {
        *rank = next;
    }
    ranks
}

/// The largest number of instructions that a result may still need to count as near.
const FEW_MISSING: usize = 40;

/// The number of latest results whose users are candidates for the next instruction.
const RECENT: usize = 60;

/// The next instruction is always the one that takes a recent result and needs the fewest other
/// instructions to be computed first: the rounds of a part of the state follow each other as long
/// as they take no other part.
fn nearest_first(selected: &Selected) -> Vec<usize> {
    let insts = &selected.insts;
    let takes = |i: usize| insts[i].follows.into_iter().chain(insts[i].args.iter().copied());
    let mut users: Vec<Vec<usize>> = vec![Vec::new(); insts.len()];
    for i in 0..insts.len() {
        takes(i).for_each(|arg| users[arg].push(i));
    }
    let mut is_done: Vec<bool> = insts.iter().map(|inst| inst.kind.is_given()).collect();
    let mut done: Vec<usize> = Vec::with_capacity(insts.len());
    let mut missing = Missing { found_in: vec![0; insts.len()], searches: 0 };
    let mut first = 0;
    loop {
        let recent = done.iter().rev().take(RECENT).flat_map(|&of| &users[of]);
        let open = recent.copied().filter(|&user| !is_done[user]);
        let left = open.map(|user| missing.up_to(user, &takes, &is_done));
        let Some(mut left) = left.min_by_key(Vec::len).or_else(|| {
            first += is_done[first..].iter().take_while(|&&is_done| is_done).count();
            (first < insts.len()).then(|| vec![first])
        }) else {
            break;
        };
        // If much is missing, only its first instruction is computed, and then what is near to
        // that.
        let count = if left.len() > FEW_MISSING { 1 } else { left.len() };
        left.sort_unstable();
        left.truncate(count);
        for &i in &left {
            is_done[i] = true;
        }
        done.extend(left);
    }
    let mut ranks = vec![0; insts.len()];
    for (rank, i) in done.into_iter().enumerate() {
        ranks[i] = rank;
    }
    ranks
}

/// A search for the instructions that must still be computed for one instruction, including itself.
struct Missing {
    /// For each instruction the number of the last search that found it.
    found_in: Vec<usize>,
    searches: usize,
}

impl Missing {
    fn up_to<T: Iterator<Item = usize>>(
        &mut self,
        inst: usize,
        takes: &impl Fn(usize) -> T,
        is_done: &[bool],
    ) -> Vec<usize> {
        self.searches += 1;
        let mut found = vec![inst];
        let mut next = 0;
        while next < found.len() {
            for arg in takes(found[next]) {
                if !is_done[arg] && self.found_in[arg] != self.searches {
                    self.found_in[arg] = self.searches;
                    found.push(arg);
                }
            }
            next += 1;
        }
        found
    }
}
