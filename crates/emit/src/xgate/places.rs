//! The places of the values that cross the edges of regions.
//!
//! ```text
//!  frame      chaining value; what one iteration hands to the next; pointers; temporary words
//!  work area  rows: what several later iterations take, one row for each iteration, and copies of
//!             values that an iteration picks by its number
//!  tables     constants and addresses that an iteration picks by its number, a row for each
//!  memory     the block and the job, behind pointers
//! ```

use super::frame::Slot;
use manylane_graph::framing::COUNTER_NAMES;
use manylane_graph::roll::{Region, Source, Value};
use manylane_graph::{NodeId, Role};
use manylane_plan::program::Program;
use manylane_plan::program::reads::Known;
use std::collections::{BTreeMap, BTreeSet};

/// A place of a word's lowest limb; the others follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Location {
    /// A number.
    Constant(u64),
    /// A word of the frame and those behind it. Bit i says whether the word of limb i holds its
    /// complement.
    Frame(Slot, u8),
    /// Byte offset in the work area, the lowest limb first.
    Work(usize),
    /// A word of the block: the number of the message's word, and of its limb.
    Block(usize, usize),
    /// A word of the job: the number of the counter's word, and of its limb.
    Job(usize, usize),
}

/// The place of an iteration's output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Home {
    /// Words of the frame, which begin with this word and are the same in every iteration.
    Frame(Slot),
    /// A row of the work area, at this byte offset in the row.
    Row(usize),
}

/// The rows of a region's outputs that are kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rows {
    /// Byte offset of the first row in the work area.
    pub at: usize,
    /// Bytes of a row.
    pub bytes: usize,
    /// The number of rows that lie before the row of the first iteration.
    pub before: usize,
}

impl Rows {
    /// Whether a byte of the work area lies in a row before that of the first iteration.
    fn holds_before(&self, at: usize) -> bool {
        (self.at..self.at + self.bytes * self.before).contains(&at)
    }
}

/// All places of a program.
pub struct Places<'p> {
    /// The program whose values have these places.
    pub program: &'p Program,
    /// For each word of the chaining value its number as an input, and its first word of the frame.
    pub chaining: Vec<(u32, Slot)>,
    /// Pairs of an input and its byte offset, at even distances, if the whole chaining value lies
    /// in the work area instead.
    pub kept: Vec<(u32, usize)>,
    /// For each region and output, its home.
    pub homes: Vec<Vec<Home>>,
    /// For each region and output, if two sources take different values for the iteration before
    /// the first: words of the frame that hold the latest iteration's output, in addition to its
    /// row, and the value that these words hold at first. A source that begins with this value
    /// reads these words; other sources read rows.
    last: Vec<Vec<Option<(Slot, Known)>>>,
    /// For each region and output, a bit for each limb that says whether the frame has its
    /// complement.
    pub complements: Vec<Vec<u8>>,
    /// For each region, its rows.
    pub rows: Vec<Rows>,
    /// Values that are moved to rows before a region's first iteration, and where they are then.
    pub moved: Vec<(Known, usize)>,
    /// Number of words of the frame that are given away so far.
    pub slots: usize,
    /// Number of bytes of the work area that are given away so far.
    pub work: usize,
    /// For each region, values that have no address in the work area and are copied there before
    /// the region, with the byte offsets of the copies.
    pub copies: BTreeMap<usize, Vec<(Known, usize)>>,
}

/// When a value is defined and when it is last used. The time before the first iteration of region
/// r is 2r, the time during its iterations 2r + 1.
type Span = (i64, i64);

/// The number of the word in an input's name, and that of the limb or quarter behind the point.
pub fn number(name: &str) -> (usize, usize) {
    let (word, limb) = name[1..].split_once('.').unwrap_or((&name[1..], "0"));
    let limb = match limb {
        "even.even" => 0,
        "odd.even" => 1,
        "even.odd" => 2,
        "odd.odd" => 3,
        _ => limb.parse().unwrap_or(0),
    };
    (word.parse().unwrap_or(0), limb)
}

/// Limbs of a word of `width` bits.
pub fn limbs(width: u8) -> usize {
    usize::from(width).div_ceil(16)
}

impl<'p> Places<'p> {
    /// Finds places for a program. The chaining value may lie in the work area if `may_keep`, and
    /// in those rows there that precede a region's first iteration if `in_rows`.
    ///
    /// # Errors
    /// A region's number, if its iterations begin with values that contradict each other.
    pub fn of(program: &'p Program, may_keep: bool, in_rows: bool) -> Result<Self, usize> {
        let regions = &program.rolled.regions;
        let mut places = Self {
            program,
            chaining: Vec::new(),
            kept: Vec::new(),
            homes: Vec::new(),
            last: Vec::new(),
            complements: Vec::new(),
            rows: vec![Rows::default(); regions.len()],
            moved: Vec::new(),
            slots: 0,
            work: 0,
            copies: BTreeMap::new(),
        };
        let keeps = may_keep && is_only_moved(program);
        for (i, input) in program.rolled.inputs.iter().enumerate() {
            if input.role != Role::Chaining {
                continue;
            }
            let count = limbs(program.rolled.definition(input.value).width);
            if keeps {
                let at = if in_rows { NOWHERE } else { places.new_work(2 * count) };
                places.kept.push((i as u32, at));
            } else {
                let slot = places.new_slots(count);
                places.chaining.push((i as u32, slot));
            }
        }
        let outputs = |region: &Region| vec![0; region.body.outputs().len()];
        places.complements = regions.iter().map(outputs).collect();
        places.find_homes();
        for i in 0..places.kept.len() {
            let (input, at) = places.kept[i];
            if at == NOWHERE {
                let value = program.rolled.inputs[input as usize].value;
                places.kept[i].1 =
                    places.new_work(2 * limbs(program.rolled.definition(value).width));
            }
        }
        for region in 0..regions.len() {
            places.check_first(region)?;
        }
        Ok(places)
    }

    /// The first of `count` new slots of the frame, one for each limb.
    pub fn new_slots(&mut self, count: usize) -> Slot {
        self.slots += count;
        self.slots - count
    }

    /// Room for `bytes` bytes in the work area.
    pub fn new_work(&mut self, bytes: usize) -> usize {
        self.work += bytes;
        self.work - bytes
    }

    fn output_of(&self, region: usize, node: NodeId) -> Option<usize> {
        let outputs = self.program.rolled.regions[region].body.outputs();
        outputs.iter().position(|output| output.value == node)
    }

    /// All uses of values outside the iterations that compute them, with their times as in
    /// [`Span`].
    fn uses(&self) -> Vec<(Known, i64)> {
        let program = self.program;
        let mut uses = Vec::new();
        for (r, region) in program.rolled.regions.iter().enumerate() {
            let at = 2 * r as i64;
            let inside = if region.times == 1 { at + 1 } else { at };
            for source in &region.sources {
                match source {
                    Source::Same(value) => uses.push((program.known(*value), at + 1)),
                    Source::Each(values) => {
                        uses.extend(values.iter().map(|&value| (program.known(value), inside)));
                    }
                    Source::Earlier { first, .. } => {
                        uses.extend(first.iter().map(|&value| (program.known(value), at)));
                    }
                }
            }
        }
        let end = 2 * program.rolled.regions.len() as i64;
        uses.extend(program.rolled.outputs.iter().map(|&(_, value)| (program.known(value), end)));
        uses
    }

    fn find_homes(&mut self) {
        let program = self.program;
        let regions = &program.rolled.regions;
        let uses = self.uses();
        let end = 2 * regions.len() as i64;
        // For each word of the frame the live ranges of the values there. The chaining value lives
        // again at the end.
        let mut taken: BTreeMap<Slot, Vec<Span>> = BTreeMap::new();
        let mut chaining_of: BTreeMap<usize, Slot> = BTreeMap::new();
        for &(input, slot) in &self.chaining {
            let of = uses.iter().filter(|(known, _)| *known == Known::Input(input));
            let last = of.map(|&(_, at)| at).max().unwrap_or(-1);
            taken.insert(slot, vec![(-1, last), (end, i64::MAX)]);
            chaining_of.insert(input as usize, slot);
        }
        let mut homes: Vec<Vec<Option<Home>>> =
            regions.iter().map(|region| vec![None; region.body.outputs().len()]).collect();
        for r in (0..regions.len()).rev() {
            let region = &regions[r];
            for o in 0..region.body.outputs().len() {
                let node = region.body.outputs()[o].value;
                let width = region.body.width(node);
                let results: Vec<(usize, i64)> = uses
                    .iter()
                    .filter_map(|&(known, at)| match known {
                        Known::Result((of, n, iteration)) if of == r && n == node => {
                            Some((iteration, at))
                        }
                        _ => None,
                    })
                    .collect();
                let is_recent = region.sources.iter().all(|source| match source {
                    Source::Earlier { output, distance, .. } => *output != o || *distance == 1,
                    Source::Same(_) | Source::Each(_) => true,
                });
                let is_last = results.iter().all(|&(iteration, _)| iteration + 1 == region.times);
                if !is_recent || !is_last {
                    continue;
                }
                let begin = 2 * r as i64 + i64::from(region.times == 1);
                let last = results.iter().map(|&(_, at)| at).max().unwrap_or(begin);
                let span = (begin, last.max(begin + i64::from(region.times > 1)));
                let preferred = self.preferred(r, o, node, &homes, &chaining_of);
                let slot = preferred.into_iter().find(|slot| {
                    taken
                        .get(slot)
                        .is_some_and(|spans| spans.iter().all(|&other| apart(span, other)))
                });
                let slot = slot.unwrap_or_else(|| self.new_slots(limbs(width)));
                taken.entry(slot).or_default().push(span);
                homes[r][o] = Some(Home::Frame(slot));
            }
        }
        for (r, homes) in homes.into_iter().enumerate() {
            let homes = self.with_last(r, homes);
            let homes = self.with_rows(r, homes);
            self.homes.push(homes);
            self.find_rows(r);
        }
    }

    /// The words of the frame that would save a copy if an output had its home there.
    fn preferred(
        &self,
        r: usize,
        o: usize,
        node: NodeId,
        homes: &[Vec<Option<Home>>],
        chaining: &BTreeMap<usize, Slot>,
    ) -> Vec<Slot> {
        let program = self.program;
        let regions = &program.rolled.regions;
        let mut preferred = Vec::new();
        let is_mine = |value: Value| match program.known(value) {
            Known::Result((of, n, iteration)) => {
                of == r && n == node && iteration + 1 == regions[r].times
            }
            Known::Input(_) | Known::Constant(..) => false,
        };
        for (name, value) in &program.rolled.outputs {
            if is_mine(*value) {
                let input = program
                    .rolled
                    .inputs
                    .iter()
                    .position(|input| input.role == Role::Chaining && input.name == *name);
                preferred.extend(input.and_then(|input| chaining.get(&input)));
            }
        }
        for (later, region) in regions.iter().enumerate().skip(r + 1) {
            for source in &region.sources {
                if let Source::Earlier { output, distance: 1, first } = source
                    && is_mine(first[0])
                    && let Some(Home::Frame(slot)) = homes[later][*output]
                {
                    preferred.push(slot);
                }
            }
        }
        // The chaining value's word that the first iteration takes in place of this output.
        for source in &regions[r].sources {
            if let Source::Earlier { output, distance: 1, first } = source
                && *output == o
                && let Known::Input(input) = program.known(first[0])
            {
                preferred.extend(chaining.get(&(input as usize)));
            }
        }
        // An output of a straight region may replace what it is computed from.
        preferred.extend(chaining.values().filter(|_| regions[r].times == 1));
        let width = regions[r].body.width(node);
        preferred.retain(|&slot| {
            let of = self.chaining.iter().find(|&&(_, known)| known == slot);
            of.is_none_or(|&(input, _)| {
                let value = program.rolled.inputs[input as usize].value;
                program.rolled.definition(value).width == width
            })
        });
        preferred
    }

    /// The homes of a region's outputs. Those that have none in the frame become words of a row.
    fn with_rows(&mut self, r: usize, homes: Vec<Option<Home>>) -> Vec<Home> {
        let outputs = self.program.rolled.regions[r].body.outputs().iter();
        let body = &self.program.rolled.regions[r].body;
        let mut bytes = 0;
        let mut home = |(home, width): (Option<Home>, u8)| {
            home.unwrap_or_else(|| {
                bytes += 2 * limbs(width);
                Home::Row(bytes - 2 * limbs(width))
            })
        };
        let widths = outputs.map(|output| body.width(output.value));
        let homes = homes.into_iter().zip(widths).map(&mut home).collect();
        self.rows[r].bytes = bytes;
        homes
    }

    /// Finds words of the frame for outputs whose latest value is needed there in addition to a
    /// row, see [`Self::last`]. The row is then their home.
    fn with_last(&mut self, r: usize, mut homes: Vec<Option<Home>>) -> Vec<Option<Home>> {
        let region = &self.program.rolled.regions[r];
        let before = |source: &Source| match source {
            Source::Earlier { output, distance, first } => {
                Some((*output, *distance, self.program.known(first[distance - 1])))
            }
            Source::Same(_) | Source::Each(_) => None,
        };
        let before: Vec<_> = region.sources.iter().filter_map(before).collect();
        let of = |(output, home): (usize, &mut Option<Home>)| {
            let mut all = before.iter().filter(|of| of.0 == output);
            let value = all.clone().find(|of| of.1 == 1)?.2;
            all.find(|of| of.2 != value)?;
            let width = region.body.width(region.body.outputs()[output].value);
            match home.take() {
                Some(Home::Frame(slot)) => Some((slot, value)),
                _ => Some((self.new_slots(limbs(width)), value)),
            }
        };
        let last = homes.iter_mut().enumerate().map(of).collect();
        self.last.push(last);
        homes
    }

    /// The words of the frame that an iteration leaves an output in, if it does.
    pub fn in_frame(&self, region: usize, output: usize) -> Option<Slot> {
        match self.homes[region][output] {
            Home::Frame(slot) => Some(slot),
            Home::Row(_) => self.last[region][output].map(|(slot, _)| slot),
        }
    }

    /// The place from which a region's iterations take an output of an earlier iteration. `first`
    /// are the values that the first iterations take, one for each iteration of the distance.
    pub fn earlier(&self, region: usize, output: usize, first: &[Value]) -> Home {
        let is = |value: Known| matches!(first, [only] if self.program.known(*only) == value);
        match self.last[region][output] {
            Some((slot, value)) if is(value) => Home::Frame(slot),
            _ => self.homes[region][output],
        }
    }

    /// Finds memory for a region's rows. Where the rows before the first iteration are those that
    /// the regions before have just written, the region goes on behind them; elsewhere the rows get
    /// new memory, and values are moved there before the first iteration.
    fn find_rows(&mut self, r: usize) {
        let region = &self.program.rolled.regions[r];
        let mut rows = self.rows[r];
        if rows.bytes == 0 {
            return;
        }
        let kept = region.sources.iter().filter_map(|source| match source {
            Source::Earlier { output, distance, first } => match self.earlier(r, *output, first) {
                Home::Row(at) => Some((at, *distance, first)),
                Home::Frame(_) => None,
            },
            Source::Same(_) | Source::Each(_) => None,
        });
        let kept: Vec<(usize, usize, &Vec<Value>)> = kept.collect();
        rows.before = kept.iter().map(|&(_, distance, _)| distance).max().unwrap_or(0);
        // Pairs of a value and the byte offset from the first row at which it has to be.
        let wanted = kept.into_iter().flat_map(|(at, distance, first)| {
            let row = move |i: usize| rows.bytes * (rows.before + i - distance);
            first.iter().enumerate().map(move |(i, &value)| (value, row(i) + at))
        });
        let wanted = wanted.map(|(value, at)| (self.program.known(value), at));
        let wanted: Vec<(Known, usize)> = wanted.collect();
        let found = wanted.iter().map(|&(value, at)| match self.at(value) {
            Location::Work(from) => from.checked_sub(at),
            _ => None,
        });
        let begin = self.work.checked_sub(rows.bytes * rows.before);
        let goes_on = begin.is_some() && rows.before > 0 && { found }.all(|at| at == begin);
        rows.at = match begin.filter(|_| goes_on) {
            Some(begin) => {
                self.new_work(rows.bytes * region.times);
                begin
            }
            None => self.new_work(rows.bytes * (rows.before + region.times)),
        };
        self.keep_in_rows(&wanted, rows.at);
        self.moved.extend(wanted.into_iter().map(|(value, at)| (value, rows.at + at)));
        self.rows[r] = rows;
    }

    /// Lets the chaining value lie in the rows that begin at `begin`, if it has no place yet and
    /// these rows have all of its words at even distances. `wanted` are pairs of a value and its
    /// byte offset in the rows.
    fn keep_in_rows(&mut self, wanted: &[(Known, usize)], begin: usize) {
        let place = |&(input, at): &(u32, usize)| {
            let of = wanted.iter().find(|of| of.0 == Known::Input(input));
            of.filter(|_| at == NOWHERE).map(|of| (input, begin + of.1))
        };
        let kept: Option<Vec<(u32, usize)>> = self.kept.iter().map(place).collect();
        let Some(kept) = kept else { return };
        if even_stride(kept.iter().map(|&(_, at)| at)).is_some() {
            self.kept = kept;
        }
    }

    /// Checks that sources of one output agree about its values before the first iteration.
    fn check_first(&self, r: usize) -> Result<(), usize> {
        let mut known: BTreeMap<(usize, usize), Known> = BTreeMap::new();
        for source in &self.program.rolled.regions[r].sources {
            let Source::Earlier { output, distance, first } = source else { continue };
            if self.earlier(r, *output, first) != self.homes[r][*output] {
                continue;
            }
            for (i, &value) in first.iter().enumerate() {
                let value = self.program.known(value);
                if *known.entry((*output, distance - i)).or_insert(value) != value {
                    return Err(r);
                }
            }
        }
        Ok(())
    }

    /// The place of a value that is known outside its iteration.
    pub fn at(&self, known: Known) -> Location {
        match known {
            Known::Constant(value, _) => Location::Constant(value),
            Known::Input(i) => {
                let input = &self.program.rolled.inputs[i as usize];
                let (word, limb) = number(&input.name);
                match input.role {
                    Role::Chaining if !self.kept.is_empty() => {
                        let of = self.kept.iter().find(|&&(input, _)| input == i);
                        Location::Work(of.expect("every word of the chaining value is kept").1)
                    }
                    Role::Chaining => {
                        let of = self.chaining.iter().find(|&&(input, _)| input == i);
                        Location::Frame(
                            of.expect("every word of the chaining value has a place").1,
                            0,
                        )
                    }
                    Role::Message => Location::Block(word, limb),
                    Role::Key | Role::Constant => Location::Job(word, limb),
                    Role::Counter => {
                        let name = input.name.split('.').next();
                        let word = COUNTER_NAMES.iter().position(|of| Some(*of) == name);
                        Location::Job(word.expect("every word of a counter has a name"), limb)
                    }
                }
            }
            Known::Result((region, node, iteration)) => {
                let output = self.output_of(region, node).expect("what is taken is an output");
                match self.homes[region][output] {
                    Home::Frame(slot) => Location::Frame(slot, self.complements[region][output]),
                    Home::Row(offset) => {
                        Location::Work(self.row(region, iteration as i64) + offset)
                    }
                }
            }
        }
    }

    /// The byte offset in the work area of the row of an iteration, the first of which is 0.
    pub fn row(&self, region: usize, iteration: i64) -> usize {
        let Rows { at, bytes, before } = self.rows[region];
        at + bytes * (before as i64 + iteration) as usize
    }

    /// The byte offset in the work area of a value that a region picks by the iteration's number. A
    /// value that lies elsewhere is copied there before the region.
    pub fn in_work(&mut self, region: usize, known: Known, width: u8) -> usize {
        if let Location::Work(at) = self.at(known) {
            return at;
        }
        // Rows are written once, so that a value that was moved to a row before this region is
        // still in it.
        let is_before = |at: usize| self.rows[..region].iter().any(|rows| rows.holds_before(at));
        let moved = self.moved.iter().find(|&&(of, at)| of == known && is_before(at));
        if let Some(&(_, at)) = moved {
            return at;
        }
        let copies = self.copies.get(&region);
        if let Some(&(_, at)) = copies.into_iter().flatten().find(|(of, _)| *of == known) {
            return at;
        }
        let at = self.new_work(2 * limbs(width));
        self.copies.entry(region).or_default().push((known, at));
        at
    }
}

/// The byte offset of what has no place yet.
const NOWHERE: usize = usize::MAX;

/// The common distance of places that follow each other evenly, if they do.
pub fn even_stride(mut places: impl Iterator<Item = usize> + Clone) -> Option<usize> {
    let next = places.clone().skip(1);
    let first = places.clone().next()?;
    let stride = next.clone().next()?.checked_sub(first).filter(|&stride| stride > 0)?;
    places.by_ref().zip(next).all(|(a, b)| b == a + stride).then_some(stride)
}

/// The smallest number of words of a chaining value that lies in the work area, if it is only
/// moved.
const MANY_WORDS: usize = 16;

/// Whether a program has a chaining value of many words, nearly all of which are only moved before
/// iterations, so that their being in the frame would save nothing.
fn is_only_moved(program: &Program) -> bool {
    let rolled = &program.rolled;
    let chaining = |known: Known| match known {
        Known::Input(i) if rolled.inputs[i as usize].role == Role::Chaining => Some(i),
        _ => None,
    };
    let inputs: Vec<_> =
        rolled.inputs.iter().filter(|input| input.role == Role::Chaining).collect();
    let Some(first) = inputs.first() else { return false };
    let width = rolled.definition(first.value).width;
    let is_in_order = inputs.iter().enumerate().all(|(i, input)| {
        number(&input.name) == (i, 0) && rolled.definition(input.value).width == width
    });
    let mut taken: BTreeSet<u32> = BTreeSet::new();
    for source in rolled.regions.iter().flat_map(|region| &region.sources) {
        let values: &[Value] = match source {
            Source::Same(value) => std::slice::from_ref(value),
            Source::Each(values) => values,
            Source::Earlier { distance: 1, first, .. } => first,
            Source::Earlier { .. } => &[],
        };
        taken.extend(values.iter().filter_map(|&value| chaining(program.known(value))));
    }
    let stays = |value: Value| chaining(program.known(value)).is_some();
    inputs.len() >= MANY_WORDS
        && is_in_order
        && 4 * taken.len() <= inputs.len()
        && !rolled.outputs.iter().any(|&(_, value)| stays(value))
}

/// Whether two values can share a place: the last use of one is not later than the definition of
/// the other.
fn apart(a: Span, b: Span) -> bool {
    let (first, second) = if a.0 <= b.0 { (a, b) } else { (b, a) };
    first.0 < second.0 && first.1 <= second.0
}
