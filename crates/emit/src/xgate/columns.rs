//! Columns: groups of limbs with which each round of a loop does the same.
//!
//! ```text
//!  body of bitwise operations ──► cells     of each round the parts that share no word
//!                             ──► alike     all cells compute the same, but for operations on one
//!                                           word at their end, which differ from round to round
//!                             ──► columns   cell c of each round takes and gives column c; behind
//!                                           a round, words turn and go from column to column
//! ```
//!
//! The code of one cell is then enough: a loop runs it on each column in turn.

mod alike;
mod cells;

use super::limb::{Id, Limbs, Op};
use alike::Model;
use cells::{Cell, Cells, with};
pub use cells::{Leaf, UnaryOp};
use manylane_plan::program::Program;
use std::collections::{BTreeMap, HashMap};

/// The smallest number of operations for which columns pay, counted in all cells but one: the code
/// of these cells is saved.
const PAYING_OPERATIONS: usize = 400;

/// The most words of a column, and the most constants of a cell, that offsets of loads reach.
const MOST_WORDS: usize = 15;

/// The nodes of one cell.
#[derive(Clone, Debug)]
pub struct Layer {
    /// The nodes. The leaves are first the words of the column, then the constants.
    pub limbs: Limbs,
    /// For each word of the column the node that replaces it.
    pub outputs: Vec<Id>,
    /// The number of constants that it takes.
    pub constants: usize,
}

/// What happens to the words between a round and the next one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Between {
    /// For each word of a column the operations on it.
    pub tails: Vec<Vec<UnaryOp>>,
    /// For each word of a column and each column, the column that the word comes from.
    pub from: Vec<Vec<usize>>,
}

/// A loop's body as columns.
#[derive(Clone, Debug)]
pub struct Columns {
    /// For each column and word, the output and its limb that the word holds between iterations.
    pub words: Vec<Vec<(usize, usize)>>,
    /// What a round does with each column.
    pub layer: Layer,
    /// What follows in each round.
    pub between: Vec<Between>,
    /// For each round and column, the constants in order: the body's input and the limb.
    pub constants: Vec<Vec<Vec<(usize, usize)>>>,
}

/// A cell whose words are in the order of the first cell's.
struct Ordered {
    taken: Vec<Id>,
    given: Vec<Id>,
    tails: Vec<Vec<UnaryOp>>,
    constants: Vec<Id>,
}

impl Ordered {
    fn of(cell: &Cell, first: &Cell, of: &HashMap<Id, Id>) -> Option<Self> {
        let all = |ids: &[Id]| ids.iter().map(|id| of.get(id).copied()).collect::<Option<Vec<_>>>();
        let made = all(&first.made)?;
        let places = made.iter().map(|id| cell.made.iter().position(|made| made == id));
        let places: Vec<usize> = places.collect::<Option<_>>()?;
        Some(Self {
            taken: all(&first.taken)?,
            given: places.iter().map(|&place| cell.given[place]).collect(),
            tails: places.iter().map(|&place| cell.tails[place].clone()).collect(),
            constants: all(&first.constants)?,
        })
    }
}

impl Columns {
    /// The columns of a region, if it has any and they pay.
    pub fn of(program: &Program, region: usize) -> Option<Self> {
        if program.rolled.regions[region].times < 2 {
            return None;
        }
        let mut cells = Cells::of(program, region)?;
        let rounds = std::mem::take(&mut cells.rounds);
        let first = rounds.first()?.first()?;
        let (count, width) = (rounds[0].len(), first.taken.len());
        let are_many = (rounds.len() * count - 1) * first.nodes.len() >= PAYING_OPERATIONS;
        let are_few = (1..=MOST_WORDS).contains(&width) && first.constants.len() <= MOST_WORDS;
        if count < 2 || !are_few || !are_many {
            return None;
        }
        let model = Model::of(&cells.limbs, first)?;
        let mut ordered: Vec<Vec<Ordered>> = Vec::new();
        for round in &rounds {
            let of = |cell: &Cell| {
                let same = model.matched(&cells.limbs, cell)?;
                Ordered::of(cell, first, &same)
            };
            let round: Vec<Ordered> = round.iter().map(of).collect::<Option<_>>()?;
            if round.len() != count {
                return None;
            }
            ordered.push(round);
        }
        let home = replaced(&cells, &ordered)?;
        // Columns are numbered so that one word never changes its column: the word for which the
        // others change theirs least often.
        let numbered = (0..width).filter_map(|word| numbered(&cells, &ordered, &home, word));
        let moves = |between: &Vec<Between>| {
            let words = between.iter().flat_map(|of| &of.from);
            words.map(|from| (0..count).filter(|&c| from[c] != c).count()).sum::<usize>()
        };
        let (between, places) = numbered.min_by_key(|(between, _)| moves(between))?;
        let limb = |id: Id| match cells.limbs.ops[id] {
            Op::Leaf(leaf) => cells.leaves[leaf],
            _ => unreachable!("it is a leaf"),
        };
        let word = |&id: &Id| match limb(id) {
            Leaf::Word(output, limb) => (output, limb),
            Leaf::Constant(..) => unreachable!("the first round takes words"),
        };
        let words = ordered[0].iter().map(|cell| cell.taken.iter().map(word).collect()).collect();
        let constant = |&id: &Id| match limb(id) {
            Leaf::Constant(input, limb) => (input, limb),
            Leaf::Word(..) => unreachable!("words are no constants"),
        };
        let row = |t: usize, c: usize| -> Vec<(usize, usize)> {
            ordered[t][places[t][c]].constants.iter().map(constant).collect()
        };
        let constants = (0..ordered.len()).map(|t| (0..count).map(|c| row(t, c)).collect());
        let (constants, layer) = (constants.collect(), layer(&cells.limbs, first, &home));
        Some(Self { words, layer, between, constants })
    }

    /// The number of columns.
    pub fn count(&self) -> usize {
        self.words.len()
    }

    /// The number of words of a column.
    pub fn width(&self) -> usize {
        self.layer.outputs.len()
    }
}

/// For each round the cell and the place of each word that it takes.
fn takers(cells: &Cells, ordered: &[Vec<Ordered>]) -> Vec<HashMap<Id, (usize, usize)>> {
    let of_round = |round: &Vec<Ordered>| {
        let each = round.iter().enumerate();
        let each = each.flat_map(|(c, cell)| {
            cell.taken.iter().enumerate().map(move |(word, &id)| (id, (c, word)))
        });
        each.collect::<HashMap<Id, (usize, usize)>>()
    };
    let mut all: Vec<HashMap<Id, (usize, usize)>> = ordered.iter().map(of_round).collect();
    // Behind the last round is the first one of the next iteration.
    let by_leaf: BTreeMap<(usize, usize), (usize, usize)> = all[0]
        .iter()
        .filter_map(|(&id, &at)| match cells.limbs.ops[id] {
            Op::Leaf(leaf) => match cells.leaves[leaf] {
                Leaf::Word(output, limb) => Some(((output, limb), at)),
                Leaf::Constant(..) => None,
            },
            _ => None,
        })
        .collect();
    let last = cells.results.iter().filter_map(|(&id, of)| Some((id, *by_leaf.get(of)?)));
    all.push(last.collect());
    all
}

/// For each word that a cell makes, the word of a column that it replaces. `None` unless this is
/// the same in all cells, and each word is replaced once.
fn replaced(cells: &Cells, ordered: &[Vec<Ordered>]) -> Option<Vec<usize>> {
    let takers = takers(cells, ordered);
    let width = ordered[0][0].taken.len();
    let mut home: Vec<Option<usize>> = vec![None; ordered[0][0].given.len()];
    for (round, taken) in ordered.iter().zip(&takers[1..]) {
        for cell in round {
            for (home, id) in home.iter_mut().zip(&cell.given) {
                let (_, word) = *taken.get(id)?;
                if *home.get_or_insert(word) != word {
                    return None;
                }
            }
        }
    }
    let home: Vec<usize> = home.into_iter().collect::<Option<_>>()?;
    let mut all = home.clone();
    all.sort_unstable();
    all.into_iter().eq(0..width).then_some(home)
}

/// What happens between rounds, and for each round the cell of each column, if the word of this
/// number stays in its column.
fn numbered(
    cells: &Cells,
    ordered: &[Vec<Ordered>],
    home: &[usize],
    word: usize,
) -> Option<(Vec<Between>, Vec<Vec<usize>>)> {
    let takers = takers(cells, ordered);
    let (count, width) = (ordered[0].len(), home.len());
    let mut places: Vec<Vec<usize>> = vec![(0..count).collect()];
    let mut between = Vec::new();
    for (t, round) in ordered.iter().enumerate() {
        let made = |word: usize| home.iter().position(|&home| home == word);
        let taker = |c: usize, word: usize| {
            let given = round[places[t][c]].given[made(word)?];
            takers[t + 1].get(&given).map(|&(cell, _)| cell)
        };
        // The cell of each column in the next round.
        let next: Vec<usize> = match t + 1 < ordered.len() {
            true => (0..count).map(|c| taker(c, word)).collect::<Option<_>>()?,
            false => places[0].clone(),
        };
        let mut from: Vec<Vec<usize>> = Vec::new();
        for word in 0..width {
            let mut column = vec![None; count];
            for c in 0..count {
                let cell = taker(c, word)?;
                column[next.iter().position(|&of| of == cell)?] = Some(c);
            }
            from.push(column.into_iter().collect::<Option<_>>()?);
        }
        let tails = |word: usize| {
            let made = made(word)?;
            let tails = &round[0].tails[made];
            round.iter().all(|cell| cell.tails[made] == *tails).then(|| tails.clone())
        };
        let tails = (0..width).map(tails).collect::<Option<_>>()?;
        between.push(Between { tails, from });
        places.push(next);
    }
    Some((between, places))
}

/// Copies the nodes of one cell.
fn layer(limbs: &Limbs, cell: &Cell, home: &[usize]) -> Layer {
    let mut of = Limbs::default();
    let leaves = cell.taken.iter().chain(&cell.constants).enumerate();
    let mut new: HashMap<Id, Id> = leaves.map(|(i, &id)| (id, of.leaf(i))).collect();
    for &id in &cell.nodes {
        let args: Vec<Id> = limbs
            .args(id)
            .into_iter()
            .map(|arg| match limbs.value(arg) {
                Some(value) => of.constant(value),
                None => new[&arg],
            })
            .collect();
        let made = with(&mut of, limbs.ops[id], &args).expect("cells are bitwise");
        new.insert(id, made);
    }
    let mut outputs = vec![0; home.len()];
    for (&word, id) in home.iter().zip(&cell.made) {
        outputs[word] = new[id];
    }
    Layer { limbs: of, outputs, constants: cell.constants.len() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use manylane_graph::builder::Builder;
    use manylane_graph::roll::{Unroll, roll};
    use manylane_graph::{Function, Kind, NodeId, Role};

    const ROUNDS: u32 = 8;

    /// Rounds of bitwise operations on four words, at the end of which one word is rotated by the
    /// amount of the round.
    fn function(amount: impl Fn(u32) -> u8) -> Function {
        let mut builder = Builder::literal("columns");
        let inputs = 0..4;
        let mut words: Vec<NodeId> =
            inputs.map(|i| builder.input(&format!("h{i}"), Role::Chaining, 64)).collect();
        for round in 0..ROUNDS {
            builder.enter(Kind::Round, "round", round, &[]);
            let constant = 0x0123_4567_89ab_cdef_u64.rotate_left(5 * round);
            let constant = builder.constant(constant, 64);
            words[0] = builder.op(manylane_graph::Op::Xor, &[words[0], constant]);
            for i in 0..31 {
                let [a, b, c] = [0, 1, 2].map(|j| words[(i + j) % 4]);
                let product = builder.op(manylane_graph::Op::And, &[b, c]);
                words[i % 4] = builder.op(manylane_graph::Op::Xor, &[a, product]);
            }
            words[1] = builder.op(manylane_graph::Op::Rotl(amount(round)), &[words[1]]);
            builder.leave();
        }
        for (i, &word) in words.iter().enumerate() {
            builder.output(&format!("h{i}"), word);
        }
        builder.finish()
    }

    fn columns(amount: impl Fn(u32) -> u8) -> Option<Columns> {
        let rolled = roll(&function(amount), Unroll::Rounds(2));
        let loops = (0..rolled.regions.len()).filter(|&r| rolled.regions[r].times > 1);
        let [region] = loops.collect::<Vec<_>>()[..] else { panic!("{rolled:?}") };
        Columns::of(&Program::sequential(rolled, 0), region)
    }

    /// Rotations by whole limbs move words from column to column, by other distances in the second
    /// of two rounds.
    #[test]
    fn bitwise_rounds_have_columns() {
        let of = columns(|round| if round % 2 == 0 { 16 } else { 32 }).unwrap();
        assert_eq!((of.count(), of.width(), of.layer.constants), (4, 4, 1));
        let moved = |between: &Between| {
            let stays = |from: &&Vec<usize>| from.iter().enumerate().all(|(c, &of)| c == of);
            between.from.iter().filter(|from| !stays(from)).count()
        };
        assert_eq!(of.between.iter().map(moved).collect::<Vec<_>>(), [1, 1]);
        assert!(of.between.iter().flat_map(|of| &of.tails).all(Vec::is_empty));
        let mut words: Vec<(usize, usize)> = of.words.concat();
        words.sort_unstable();
        let all = (0..4).flat_map(|output| (0..4).map(move |limb| (output, limb)));
        assert_eq!(words, all.collect::<Vec<_>>());
    }

    /// A rotation by one bit mixes neighbouring limbs, so that no columns are apart.
    #[test]
    fn bits_that_cross_limbs_leave_no_columns() {
        assert!(columns(|round| if round % 2 == 0 { 16 } else { 1 }).is_none());
    }
}
