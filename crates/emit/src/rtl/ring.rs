//! The clocks in which the words of a recurrence are available.
//!
//! A region of the program takes turns, one per clock; x_i(t) is word i of the state before turn t.
//! Clocks are counted from each turn's own: a node of the region's function that is placed in clock
//! c computes for turn t in clock t + c. A word is available from some clock on, and behind a
//! register it is the same word a clock later.
//!
//! ```text
//!             first            first: the word of a new message, else the last turn's result
//!               │
//!  new ──────►┌─┴─┐   ┌───┐
//!             │mux├──►│reg├──► x_i @ b ──► reg ──► x_i @ b + 1
//!  result ───►└───┘   └───┘
//!                 └──► x_i @ b, if it is needed in the clock in which it is made
//! ```

use manylane_graph::{NodeId, Op};
use manylane_plan::hardware::Region;

/// The clock from which a word is available, and where.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Base {
    /// The first clock of the turn in which it is available.
    pub(super) clock: i64,
    /// Whether it comes out of a register. Otherwise it comes straight out of the multiplexer.
    pub(super) registered: bool,
}

impl Base {
    /// The clock, counted from the turn's, in which the multiplexer chooses.
    pub(super) fn chosen(self) -> i64 {
        self.clock - i64::from(self.registered)
    }
}

/// The words of a region that takes turns.
#[derive(Debug)]
pub(super) struct Ring<'p> {
    pub(super) region: &'p Region,
    /// For each word, when it is first available.
    pub(super) bases: Vec<Base>,
    /// For each state word whose register is loaded from another word's register: the chain of
    /// words that the value passes through, from this word to the one that is computed.
    pub(super) chains: Vec<Option<Vec<usize>>>,
}

impl<'p> Ring<'p> {
    /// Finds the clock of each word, as late as the first use and the next turn allow.
    pub(super) fn new(region: &'p Region) -> Self {
        let mut used = first_uses(region);
        // A word must be available a clock before the word that it becomes in the next turn is
        // needed, each counted from its own turn.
        for _ in 0..region.words {
            for word in 0..region.words {
                if let (WordSource::Word(from), Some(needed)) = (source(region, word), used[word]) {
                    let needed = used[from].map_or(needed + 1, |used| used.min(needed + 1));
                    used[from] = Some(needed);
                }
            }
        }
        let mut bases: Vec<Option<Base>> = vec![None; region.words];
        // A computed word is available when it is made; a word that is passed on, with its source.
        for _ in 0..=region.words {
            for word in 0..region.words {
                let from = match source(region, word) {
                    WordSource::Word(source) => bases[source].map(|base| base.clock),
                    WordSource::Made(clock) => Some(match used[word] {
                        Some(used) if used > clock && is_kept(region, word) => clock + 1,
                        _ => clock,
                    }),
                    WordSource::Constant => Some(0),
                };
                let Some(from) = from.filter(|_| bases[word].is_none()) else { continue };
                let late = used[word].is_none_or(|used| used >= from);
                bases[word] = Some(match (late, used[word]) {
                    (true, _) | (_, None) => {
                        Base { clock: from, registered: !has_time_after(region, word, from) }
                    }
                    (false, Some(used)) => Base { clock: used, registered: false },
                });
            }
        }
        // Words that only change places.
        let bases = bases.into_iter().zip(used).map(|(base, used)| {
            base.unwrap_or(Base { clock: used.unwrap_or(0).min(0), registered: true })
        });
        Self { region, bases: bases.collect(), chains: vec![None; region.words] }
    }

    /// The sources of words, with registers where words would pass several multiplexers in one
    /// clock.
    ///
    /// ```text
    ///  made ─►mux─►reg─► f ─►mux─► g ─►mux─► h ─► …       h is wanted two clocks early
    ///
    ///  f, g, h of a new message ───►┐
    ///  made ───────────────────────►mux─►reg─► h ─► …     the same: all enter before the register
    /// ```
    ///
    /// Only chains of three words or more, and of fewer words than a stage has turns (`clocks`),
    /// are replaced: words of one turn must not have entered in the same stage.
    pub(super) fn with_registers(mut self, clocks: usize) -> Self {
        for word in 0..self.bases.len() {
            if let Some(chain) = self.chain(word).filter(|chain| (3..clocks).contains(&chain.len()))
            {
                self.bases[word].registered = true;
                self.chains[word] = Some(chain);
            }
        }
        self
    }

    /// The words through which a word's value passes in one clock, a multiplexer each: first the
    /// word itself, last one that is in a register.
    fn chain(&self, word: usize) -> Option<Vec<usize>> {
        let mut chain = vec![word];
        loop {
            let last = chain[chain.len() - 1];
            if self.bases[last].registered {
                return Some(chain);
            }
            let WordSource::Word(from) = source(self.region, last) else { return None };
            if self.bases[from].clock != self.bases[last].clock + 1 || chain.contains(&from) {
                return None;
            }
            chain.push(from);
        }
    }

    /// Returns, for each word, the words of a new message that enter there, and the clocks in which
    /// they enter, turn 0 being in clock `shift`.
    ///
    /// A word that is needed late could wait in registers of its own. Instead it enters as soon as
    /// it is available, in a word whose value is passed on to where it is needed. The value that it
    /// overwrites belongs to the message before and is not needed after that message's last turn. A
    /// next stage that goes on with that message takes the word from the same place in the same
    /// clock. But the last turns of this stage make words for the next one, so words that
    /// operations take are not overwritten (unless `is_last`). All words have entered before the
    /// next block comes, after `clocks`; otherwise that block would overwrite values that are still
    /// being passed on.
    pub(super) fn entries(
        &self,
        shift: i64,
        is_last: bool,
        clocks: usize,
    ) -> Vec<Vec<(usize, i64)>> {
        let used = first_uses(self.region);
        let mut entries = vec![Vec::new(); self.bases.len()];
        let are_in_time = self.bases.iter().all(|base| base.chosen() + shift < clocks as i64);
        for enters in 0..self.bases.len() {
            let (mut word, mut time) = (enters, self.bases[enters].chosen() + shift);
            while time > 0
                && are_in_time
                && let WordSource::Word(from) = source(self.region, word)
                && self.bases[from].clock == self.bases[word].chosen() + 1
                && from > word
                && (is_last || used[from].is_none())
            {
                time -= i64::from(self.bases[from].registered);
                word = from;
            }
            entries[word].push((enters, time));
        }
        entries
    }
}

/// The source of a word of the state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WordSource {
    /// The word of this number before the turn.
    Word(usize),
    /// An operation in this clock.
    Made(i64),
    /// A constant.
    Constant,
}

/// Returns where word `word` of the state after a turn comes from.
pub(super) fn source(region: &Region, word: usize) -> WordSource {
    let value = region.function.outputs()[word].value;
    match region.function.op(value) {
        Op::Input(i) if (i as usize) < region.words => WordSource::Word(i as usize),
        Op::Const(_) | Op::Input(_) => WordSource::Constant,
        _ => WordSource::Made(region.schedule.nodes[value.index()].clock),
    }
}

/// Whether the operands of a word are in registers a clock after the word is made. A multiplexer is
/// better placed there than behind the operation.
fn is_kept(region: &Region, word: usize) -> bool {
    let value = region.function.outputs()[word].value;
    let clock = |node: NodeId| region.schedule.nodes[node.index()].clock;
    let mut users =
        region.function.nodes().filter(|&user| region.function.args(user).contains(&value));
    users.any(|user| clock(user) > clock(value))
}

/// A multiplexer's share of a clock.
const SLACK: f64 = 0.25;

/// Whether the multiplexer of a word that is made in clock `from` is better placed behind the
/// word's register: too little of the clock is left before the register, and more after it.
fn has_time_after(region: &Region, word: usize, from: i64) -> bool {
    let (function, schedule) = (&region.function, &region.schedule);
    let value = function.outputs()[word].value;
    if source(region, word) != WordSource::Made(from) {
        return false;
    }
    let before = (from + 1) as f64 * schedule.period - schedule.nodes[value.index()].end;
    if before > SLACK * schedule.period {
        return false;
    }
    let input = function.inputs()[word].node;
    let users = function.nodes().filter(|&user| function.args(user).contains(&input));
    let users = users.map(|user| &schedule.nodes[user.index()]).filter(|user| user.clock == from);
    let after = users.map(|user| user.start - from as f64 * schedule.period);
    after
        .fold(None, |least: Option<f64>, time| Some(least.map_or(time, |least| least.min(time))))
        .is_some_and(|after| after > before + 1e-9)
}

/// Returns, for each word, the first clock in which an operation takes it.
fn first_uses(region: &Region) -> Vec<Option<i64>> {
    let mut first: Vec<Option<i64>> = vec![None; region.words];
    for node in region.function.nodes() {
        for arg in region.function.args(node) {
            if let Op::Input(i) = region.function.op(*arg)
                && let Some(first) = first.get_mut(i as usize)
            {
                let clock = region.schedule.nodes[node.index()].clock;
                *first = Some(first.map_or(clock, |known| known.min(clock)));
            }
        }
    }
    first
}
