//! The instructions of a program's regions.
//!
//! ```text
//!  straight   each value that has a place, in order of computation
//!  repeated   before: what flows into the first iteration, to its place
//!             each:   constants and words of the message from a table's row; elements of arrays;
//!                     the values; what later iterations take, to its place
//! ```

use super::chain::{self, Chain, Logic, Step};
use super::memory::Memory;
use super::moves::{copy, copy_all};
use super::operand::{Address, Byte, Limb, View};
use super::resolve::Resolved;
use super::text::Lines;
use crate::asm::Error;
use crate::inflow::{Inflow, Inflows};
use crate::labels;
use manylane_graph::roll::{Source, Value};
use manylane_graph::{Function, NodeId, Op};
use manylane_plan::program::reads::Known;
use manylane_plan::program::{MAIN, Program};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// The results of a node that later iterations or regions take.
#[derive(Clone, Copy, Debug)]
struct History {
    node: NodeId,
    /// The largest number of iterations after which a result is taken.
    depth: usize,
    place: HistoryPlace,
}

#[derive(Clone, Copy, Debug)]
enum HistoryPlace {
    /// The place of the last result.
    Last(Address),
    /// An array: the values that flow in, one for each distance up to the history's depth, then one
    /// result for each iteration.
    Array(Address),
}

/// The writer of a program of one processor.
pub(super) struct Writer<'p> {
    program: &'p Program,
    /// The instructions written so far.
    pub lines: Lines,
    /// Bytes of RAM that the program uses.
    pub memory: Memory,
    /// For each input of the function its place.
    inputs: Vec<Address>,
    /// For each region and node the places of its results.
    results: BTreeMap<(usize, NodeId), Results>,
    /// For each region and node that is an output: the place behind Y at which it is stored at
    /// once.
    pub given: BTreeMap<(usize, NodeId), Address>,
    /// The constants, which follow the instructions.
    pub tables: String,
}

#[derive(Clone, Debug)]
enum Results {
    /// The place of the last iteration's result.
    Last(View),
    /// The results of all iterations: the place of the first one, and the distance between two in
    /// bytes.
    All(Address, usize),
}

/// A word, and pairs of a number and the place for the word XORed with this number.
type Differing = (View, Vec<(View, Address)>);

/// The bytes of a word of `width` bits.
fn bytes(width: u8) -> usize {
    usize::from(width / 8)
}

impl<'p> Writer<'p> {
    /// A writer; `inputs` are the places of the function's inputs in `memory`.
    pub fn new(program: &'p Program, inputs: Vec<Address>, memory: Memory, lines: Lines) -> Self {
        Self {
            program,
            lines,
            memory,
            inputs,
            results: BTreeMap::new(),
            given: BTreeMap::new(),
            tables: String::new(),
        }
    }

    /// Writes all regions.
    ///
    /// # Errors
    /// If a node has no instructions.
    pub fn run(&mut self) -> Result<(), Error> {
        for r in 0..self.program.rolled.regions.len() {
            self.memory.clear();
            match self.program.rolled.regions[r].times {
                1 => self.straight(r)?,
                _ => self.repeated(r)?,
            }
        }
        Ok(())
    }

    /// The place of a value outside of regions.
    pub fn value(&self, value: Value) -> View {
        match self.program.known(value) {
            Known::Constant(constant, width) => View::number(constant, bytes(width)),
            Known::Input(i) => {
                let width = self.program.rolled.definition(value).width;
                View::at(self.inputs[i as usize], bytes(width))
            }
            Known::Result((region, node, iteration)) => match &self.results[&(region, node)] {
                Results::Last(view) => view.clone(),
                Results::All(base, stride) => {
                    let width = self.program.rolled.definition(value).width;
                    View::at(base.plus(stride * iteration), bytes(width))
                }
            },
        }
    }

    /// The nodes of a region whose results are used outside of it, and for each whether the result
    /// of the last iteration is enough.
    fn taken(&self, region: usize) -> BTreeMap<NodeId, bool> {
        let times = self.program.rolled.regions[region].times;
        let mut taken = BTreeMap::new();
        for value in self.program.takes(MAIN) {
            if let Known::Result((r, node, iteration)) = self.program.known(value)
                && r == region
            {
                *taken.entry(node).or_insert(true) &= iteration + 1 == times;
            }
        }
        taken
    }

    fn straight(&mut self, r: usize) -> Result<(), Error> {
        let region = &self.program.rolled.regions[r];
        let taken: Vec<NodeId> = self.taken(r).into_keys().collect();
        let mut places: BTreeMap<NodeId, View> = BTreeMap::new();
        for (input, source) in region.body.inputs().iter().zip(&region.sources) {
            let value = match source {
                Source::Same(value) => value,
                Source::Each(values) | Source::Earlier { first: values, .. } => &values[0],
            };
            places.insert(input.node, self.value(*value));
        }
        let resolved = Resolved::of(&region.body, &taken)?;
        self.body(r, &resolved, &taken, &mut places, &mut BTreeMap::new());
        for node in taken {
            let view = resolved.view(node, &|node| places[&node].clone());
            self.results.insert((r, node), Results::Last(view));
        }
        Ok(())
    }

    /// Writes one iteration of a region. Its inputs are at `places`, and its outputs go to places
    /// of [`Writer::given`].
    ///
    /// # Errors
    /// If a node has no instructions.
    pub fn iteration(&mut self, r: usize, mut places: BTreeMap<NodeId, View>) -> Result<(), Error> {
        let given = self.given.iter().filter(|((of, _), _)| *of == r);
        let given: Vec<(NodeId, Address)> = given.map(|((_, node), &at)| (*node, at)).collect();
        let outputs: Vec<NodeId> = given.iter().map(|of| of.0).collect();
        let resolved = Resolved::of(&self.program.rolled.regions[r].body, &outputs)?;
        self.body(r, &resolved, &outputs, &mut places, &mut BTreeMap::new());
        for (node, at) in given {
            copy(&resolved.view(node, &|node| places[&node].clone()), at, &mut self.lines);
        }
        Ok(())
    }

    /// Writes the values of a body that have a place. The values that `outputs` read live on.
    /// `targets` are places that nodes can take as soon as the input there is not needed any more.
    fn body(
        &mut self,
        r: usize,
        resolved: &Resolved<'_>,
        outputs: &[NodeId],
        places: &mut BTreeMap<NodeId, View>,
        targets: &mut BTreeMap<NodeId, (NodeId, Address)>,
    ) {
        let region = &self.program.rolled.regions[r];
        let body = &region.body;
        let mut last: BTreeMap<NodeId, usize> = BTreeMap::new();
        for node in body.nodes().filter(|&node| resolved.is_placed(node)) {
            last.extend(resolved.reads(node).into_iter().map(|read| (read, node.index())));
        }
        let lives_on: BTreeSet<NodeId> =
            outputs.iter().flat_map(|&output| resolved.bases(output)).collect();
        let mut step = None;
        let mut inner = None;
        let mut differing = self.differing(r, resolved, places);
        for node in body.nodes().filter(|&node| resolved.is_placed(node)) {
            let size = bytes(body.width(node));
            let of = body.ancestor(body.step(node), 1);
            if step != Some(of) && !body.path_name(of).is_empty() {
                self.lines.comment(&body.path_name(of));
            }
            for (depth, before) in [(1, &mut step), (2, &mut inner)] {
                let of = body.ancestor(body.step(node), depth);
                if before.replace(of) != Some(of)
                    && let Some(label) = labels::of_step(body, of)
                {
                    self.lines.step(&label);
                }
            }
            let is_over = |input: &NodeId| {
                !lives_on.contains(input) && last.get(input).is_none_or(|&at| at < node.index())
            };
            let target = targets.get(&node).filter(|(input, _)| is_over(input)).map(|of| of.1);
            let address = match target {
                Some(address) => address,
                None => {
                    targets.remove(&node);
                    match (self.given.get(&(r, node)), lives_on.contains(&node)) {
                        (Some(&given), _) => given,
                        (None, true) if region.times == 1 => self.memory.keep(size),
                        (None, _) => self.memory.pass(size),
                    }
                }
            };
            match differing.remove(&node) {
                Some(Some((start, targets))) => chain::differing(&start, &targets, &mut self.lines),
                Some(None) => {}
                None => {
                    let chain = resolved.chain(node, &|node| places[&node].clone());
                    chain.write(address, &mut self.lines);
                }
            }
            places.insert(node, View::at(address, size));
            let mut read = resolved.reads(node);
            read.sort();
            read.dedup();
            for read in read {
                if last.get(&read) == Some(&node.index())
                    && !lives_on.contains(&read)
                    && let Limb::Word(high) = places[&read].limb(places[&read].limbs() - 1)
                {
                    self.memory.free(high, bytes(body.width(read)));
                }
            }
        }
    }

    /// The nodes that are stored behind Y and are the same input XORed with different numbers. The
    /// first node of each group has the input, with all numbers and places; the others have
    /// nothing.
    fn differing(
        &self,
        r: usize,
        resolved: &Resolved<'_>,
        places: &BTreeMap<NodeId, View>,
    ) -> BTreeMap<NodeId, Option<Differing>> {
        let body = &self.program.rolled.regions[r].body;
        let mut groups: BTreeMap<View, (NodeId, Vec<(View, Address)>)> = BTreeMap::new();
        let mut differing = BTreeMap::new();
        for node in body.nodes().filter(|&node| resolved.is_placed(node)) {
            let is_known = |arg: &NodeId| matches!(body.op(*arg), Op::Input(_) | Op::Const(_));
            let Some(&target) = self.given.get(&(r, node)) else { continue };
            if body.op(node) != Op::Xor || !body.args(node).iter().all(is_known) {
                continue;
            }
            let Chain { start, steps } = resolved.chain(node, &|node| places[&node].clone());
            let is_apart = (0..start.limbs()).any(|i| start.is_apart(i));
            if let [Step::With(Logic::Xor, number)] = &steps[..]
                && number.is_number()
                && !is_apart
            {
                let (_, group) = groups.entry(start).or_insert_with(|| (node, Vec::new()));
                group.push((number.clone(), target));
                differing.insert(node, None);
            }
        }
        for (start, (first, mut group)) in groups {
            // Equal numbers follow each other.
            group.sort();
            differing.insert(first, Some((start, group)));
        }
        differing
    }

    fn repeated(&mut self, r: usize) -> Result<(), Error> {
        let region = &self.program.rolled.regions[r];
        let body = &region.body;
        let taken = self.taken(r);
        let Inflows { all: mut kept, of_input } = Inflows::of(region, 0..region.sources.len());
        for &node in taken.keys() {
            if !kept.iter().any(|of| of.0 == node) {
                kept.push((node, Inflow::default()));
            }
        }
        let outputs: Vec<NodeId> = kept.iter().map(|of| of.0).collect();
        let resolved = Resolved::of(body, &outputs)?;
        // The values that flow into the first iterations are put in place. An array holds results
        // that are taken after several iterations, or of which the last one is not enough.
        let stride = kept.iter().map(|of| bytes(body.width(of.0))).max().unwrap_or(8);
        let mut histories: Vec<History> = Vec::new();
        for (node, first) in kept {
            let depth = first.depth();
            let place = if depth > 1 || taken.get(&node) == Some(&false) {
                let base = self.memory.keep(stride * (depth + region.times));
                for (i, first) in first.0.iter().enumerate() {
                    if let Some(first) = first {
                        let at = base.plus(stride * (depth - 1 - i));
                        copy(&self.value(*first), at, &mut self.lines);
                    }
                }
                HistoryPlace::Array(base)
            } else {
                let place = self.memory.keep(bytes(body.width(node)));
                if let Some(Some(first)) = first.0.first() {
                    copy(&self.value(*first), place, &mut self.lines);
                }
                HistoryPlace::Last(place)
            };
            histories.push(History { node, depth, place });
        }
        let mut places: BTreeMap<NodeId, View> = BTreeMap::new();
        let mut targets: BTreeMap<NodeId, (NodeId, Address)> = BTreeMap::new();
        // Elements of arrays: the node of the input, and the element's address in the first
        // iteration.
        let mut elements: Vec<(NodeId, Address)> = Vec::new();
        let mut columns: Vec<(NodeId, &[Value])> = Vec::new();
        for (i, (input, source)) in body.inputs().iter().zip(&region.sources).enumerate() {
            let size = bytes(body.width(input.node));
            match source {
                Source::Same(value) => {
                    places.insert(input.node, self.value(*value));
                }
                Source::Each(values) => columns.push((input.node, values)),
                Source::Earlier { .. } => {
                    let (history, distance) = of_input[&i];
                    let History { node, depth, place } = histories[history];
                    match place {
                        HistoryPlace::Last(place) => {
                            places.insert(input.node, View::at(place, size));
                            targets.insert(node, (input.node, place));
                        }
                        HistoryPlace::Array(base) => {
                            let at = base.plus(stride * (depth - distance));
                            elements.push((input.node, at));
                        }
                    }
                }
            }
        }
        // A place that two inputs share is not free when only one of them is no longer needed.
        for history in &histories {
            let HistoryPlace::Last(place) = history.place else { continue };
            let here = places.values().filter(|view| view.0.contains(&Byte::At(place)));
            if here.count() > 1 {
                targets.remove(&history.node);
            }
        }
        let is_indexed =
            histories.iter().any(|history| matches!(history.place, HistoryPlace::Array(_)));
        let counter = self.memory.keep(2);
        let row = self.memory.keep(2);
        let name = labels::of_regions(&self.program.rolled).swap_remove(r);
        let name = name.unwrap_or_else(|| format!("region{r}"));
        let label = format!("{}_{name}_loop", self.lines.prefix);
        let (table, row_bytes) = self.table(&label, body, &columns);
        let table_label = format!("{label}_rows");
        if row_bytes > 0 {
            self.lines.op("movw", &format!("#{table_label},{row}"));
        }
        if is_indexed || row_bytes == 0 {
            self.lines.op("movw", &format!("#0,{counter}"));
        }
        self.tables += &table;
        self.lines.label(&label);
        self.row(body, &columns, row, &mut places);
        if !elements.is_empty() {
            self.lines.op("ldy", &counter.to_string());
        }
        for (node, at) in elements {
            let size = bytes(body.width(node));
            let place = self.memory.pass(size);
            for i in (0..size).step_by(2) {
                self.lines.op("movw", &format!("{},y,{}", at.plus(i), place.plus(i)));
            }
            places.insert(node, View::at(place, size));
        }
        self.body(r, &resolved, &outputs, &mut places, &mut targets);
        let mut moves: Vec<(View, Address)> = Vec::new();
        let mut is_loaded = false;
        for history in &histories {
            let view = resolved.view(history.node, &|node| places[&node].clone());
            match history.place {
                HistoryPlace::Last(place) => moves.push((view, place)),
                HistoryPlace::Array(base) => {
                    if !std::mem::replace(&mut is_loaded, true) {
                        self.lines.op("ldy", &counter.to_string());
                    }
                    let at = base.plus(stride * history.depth);
                    self.store(&view, at);
                }
            }
        }
        copy_all(moves, &mut self.memory, &mut self.lines);
        if is_indexed || row_bytes == 0 {
            self.lines.op("ldd", &counter.to_string());
            self.lines.op("addd", &format!("#{stride}"));
            self.lines.op("std", &counter.to_string());
        }
        match row_bytes {
            0 => self.lines.op("cpd", &format!("#{}", stride * region.times)),
            _ => {
                self.lines.op("ldd", &row.to_string());
                self.lines.op("cpd", &format!("#{table_label}+{}", row_bytes * region.times));
            }
        }
        self.lines.op("lbne", &label);
        for history in histories {
            if !taken.contains_key(&history.node) {
                continue;
            }
            let results = match history.place {
                HistoryPlace::Last(place) => {
                    Results::Last(View::at(place, bytes(body.width(history.node))))
                }
                HistoryPlace::Array(base) => {
                    Results::All(base.plus(stride * history.depth), stride)
                }
            };
            self.results.insert((r, history.node), results);
        }
        Ok(())
    }

    /// The text of a loop's table, and the bytes of a row. Each iteration has a row of constants
    /// and of the addresses of words.
    fn table(
        &mut self,
        label: &str,
        body: &Function,
        columns: &[(NodeId, &[Value])],
    ) -> (String, usize) {
        let Some(times) = columns.first().map(|(_, values)| values.len()) else {
            return (String::new(), 0);
        };
        let mut text = format!("{label}_rows:\n");
        let mut row_bytes = 0;
        let mut constants = String::new();
        for i in 0..times {
            row_bytes = 0;
            let mut words: Vec<String> = Vec::new();
            for (node, values) in columns {
                let size = bytes(body.width(*node));
                if is_constant(self.program, values) {
                    let Known::Constant(value, _) = self.program.known(values[i]) else { continue };
                    let value = View::number(value, size);
                    for limb in (0..value.limbs()).rev() {
                        if let Limb::Number(number) = value.limb(limb) {
                            words.push(format!("0x{number:04x}"));
                        }
                    }
                    row_bytes += size;
                    continue;
                }
                row_bytes += 2;
                let view = self.value(values[i]);
                let limbs = view.limbs();
                let is_there = match view.limb(limbs - 1) {
                    Limb::Word(high) => (view == View::at(high, size)).then_some(high),
                    _ => None,
                };
                words.push(match is_there {
                    Some(high) => format!("{}_{high}", self.lines.prefix),
                    None if view.is_number() => {
                        let name = format!("{label}_c{i}_{}", words.len());
                        let _ = writeln!(constants, "{name}:");
                        for limb in (0..limbs).rev() {
                            if let Limb::Number(number) = view.limb(limb) {
                                let _ = writeln!(constants, "        .word   0x{number:04x}");
                            }
                        }
                        name
                    }
                    None => {
                        let place = self.memory.keep(size);
                        copy(&view, place, &mut self.lines);
                        format!("{}_{place}", self.lines.prefix)
                    }
                });
            }
            for words in words.chunks(8) {
                let _ = writeln!(text, "        .word   {}", words.join(", "));
            }
        }
        (text + &constants, row_bytes)
    }

    /// Loads a row of the table: constants and words go to places of their own.
    fn row(
        &mut self,
        body: &Function,
        columns: &[(NodeId, &[Value])],
        row: Address,
        places: &mut BTreeMap<NodeId, View>,
    ) {
        if columns.is_empty() {
            return;
        }
        self.lines.op("ldy", &row.to_string());
        for (node, values) in columns {
            let size = bytes(body.width(*node));
            let place = self.memory.pass(size);
            let is_constant = is_constant(self.program, values);
            if !is_constant {
                self.lines.op("ldx", "2,y+");
            }
            for i in (0..size).step_by(2) {
                let from = if is_constant { "2,y+".to_owned() } else { format!("{i},x") };
                self.lines.op("movw", &format!("{from},{}", place.plus(i)));
            }
            places.insert(*node, View::at(place, size));
        }
        self.lines.op("sty", &row.to_string());
    }

    /// Stores a value into an element of an array. Y is the byte offset of the iteration's element.
    fn store(&mut self, view: &View, at: Address) {
        let limbs = view.limbs();
        for i in 0..limbs {
            let to = at.plus(2 * (limbs - 1 - i));
            match view.limb(i) {
                Limb::Word(from) => {
                    self.lines.op("ldd", &from.to_string());
                }
                Limb::Number(value) => self.lines.op("ldd", &format!("#{value}")),
                Limb::Bytes(high, low) => {
                    self.lines.op("ldaa", &high.to_string());
                    self.lines.op("ldab", &low.to_string());
                }
            }
            self.lines.op("std", &format!("{to},y"));
        }
    }
}

/// Whether all values are constants.
fn is_constant(program: &Program, values: &[Value]) -> bool {
    values.iter().all(|&value| matches!(program.known(value), Known::Constant(..)))
}
