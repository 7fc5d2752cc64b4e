//! Writes what one processor does.

use super::super::Error;
use super::super::expr::{constant, expr, integer};
use super::super::straight::Signature;
use super::tables::{Tables, element};
use super::{Histories, Mailbox};
use manylane_graph::roll::{Origin, Region, Source, Value};
use manylane_graph::{Function, NodeId, Op, Role, StepId};
use manylane_plan::program::{Action, MAIN, Program, TransferId, When};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// What was written for a processor.
pub(super) struct Written {
    /// Constants, at file scope.
    pub tables: String,
    /// The statements of the function.
    pub lines: String,
}

/// Longest expression that is put into another one.
const LONGEST: usize = 64;

/// A result of an iteration: region, node of its body, iteration.
type Result_ = (usize, NodeId, usize);

/// A value outside its region as it is in the end: what is only passed on stands for itself no more.
enum Known {
    Input(u32),
    Constant(u64, u8),
    Result(Result_),
}

/// Which results of a region's iterations a processor keeps.
#[derive(Default)]
struct Kept {
    /// Nodes whose last result is used after the loop.
    last: BTreeSet<NodeId>,
    /// Nodes whose other results are used too.
    all: BTreeSet<NodeId>,
}

/// The writer of one processor's function.
pub(super) struct Writer<'w> {
    program: &'w Program,
    processor: usize,
    signature: &'w Signature<'w>,
    mailbox: Option<&'w Mailbox>,
    histories: Vec<Histories>,
    kept: Vec<Kept>,
    /// The function's inputs that have a variable.
    declared: BTreeSet<u32>,
    /// Whether the message words are in an array.
    has_words: bool,
    tables: Tables,
    lines: String,
    depth: usize,
}

/// Letters of the regions' variables; others begin the names of something else.
const LETTERS: [char; 11] = ['a', 'b', 'd', 'f', 'g', 'n', 'o', 'q', 'r', 'u', 'v'];

fn letter(region: usize) -> String {
    let letter = LETTERS[region % LETTERS.len()];
    letter.to_string().repeat(region / LETTERS.len() + 1)
}

/// The name of an input of the graph as a variable: of limbs, `h0.1` becomes `h0_1`.
fn variable(name: &str) -> String {
    name.replace(['.', '-'], "_")
}

impl<'w> Writer<'w> {
    pub fn new(
        program: &'w Program,
        processor: usize,
        signature: &'w Signature<'w>,
        mailbox: Option<&'w Mailbox>,
    ) -> Self {
        let regions = program.rolled.regions.iter().zip(&program.parts).enumerate();
        let histories = regions
            .map(|(r, (region, parts))| Histories::of(region, &parts[processor], &letter(r)))
            .collect();
        let mut writer = Self {
            program,
            processor,
            signature,
            mailbox,
            histories,
            kept: program.parts.iter().map(|_| Kept::default()).collect(),
            declared: BTreeSet::new(),
            has_words: false,
            tables: Tables::default(),
            lines: String::new(),
            depth: 1,
        };
        writer.note_kept();
        writer
    }

    pub fn run(mut self) -> Result<Written, Error> {
        for r in 0..self.program.parts.len() {
            let part = &self.program.parts[r][self.processor];
            for &action in &part.before {
                self.outer_action(action);
            }
            if !part.each.is_empty() {
                match self.region(r).times {
                    1 => self.straight(r)?,
                    _ => self.repeated(r)?,
                }
            }
            for &action in &part.after {
                self.outer_action(action);
            }
        }
        if self.processor == MAIN {
            self.outputs();
        }
        Ok(Written { tables: self.tables.text, lines: self.lines })
    }

    fn region(&self, region: usize) -> &'w Region {
        &self.program.rolled.regions[region]
    }

    fn line(&mut self, text: &str) {
        let _ = writeln!(self.lines, "{:1$}{text}", "", 4 * self.depth);
    }

    /// Follows a value through regions that only pass it on.
    fn known(&self, value: Value) -> Known {
        let definition = self.program.rolled.definition(value);
        match definition.origin {
            Origin::Input(i) => Known::Input(i),
            Origin::Constant(constant) => Known::Constant(constant, definition.width),
            Origin::Result { region, output, iteration } => {
                let node = self.region(region as usize).body.outputs()[output as usize].value;
                self.known_result((region as usize, node, iteration as usize))
            }
        }
    }

    fn known_result(&self, (region, node, iteration): Result_) -> Known {
        let of = self.region(region);
        match of.body.op(node) {
            Op::Const(value) => Known::Constant(value, of.body.width(node)),
            Op::Input(input) => match &of.sources[input as usize] {
                Source::Same(value) => self.known(*value),
                Source::Each(values) => self.known(values[iteration]),
                Source::Earlier { output, distance, first } => match first.get(iteration) {
                    Some(&value) => self.known(value),
                    None => {
                        let node = of.body.outputs()[*output].value;
                        self.known_result((region, node, iteration - distance))
                    }
                },
            },
            _ => Known::Result((region, node, iteration)),
        }
    }

    /// Notes which results are used outside their loops by this processor.
    fn note_kept(&mut self) {
        let mut used: Vec<Value> = Vec::new();
        for (region, parts) in self.program.rolled.regions.iter().zip(&self.program.parts) {
            for &input in &parts[self.processor].inputs {
                match &region.sources[input] {
                    Source::Same(value) => used.push(*value),
                    Source::Each(values) | Source::Earlier { first: values, .. } => {
                        used.extend(values);
                    }
                }
            }
        }
        if self.processor == MAIN {
            used.extend(self.program.rolled.outputs.iter().map(|&(_, value)| value));
        }
        for value in used {
            if let Known::Result((region, node, iteration)) = self.known(value) {
                let last = iteration + 1 == self.region(region).times;
                let Kept { last: of_last, all } = &mut self.kept[region];
                if last {
                    of_last.insert(node)
                } else {
                    all.insert(node)
                };
            }
        }
        for transfer in self
            .program
            .transfers
            .iter()
            .filter(|transfer| transfer.when == When::After && transfer.from == self.processor)
        {
            self.kept[transfer.region].last.extend(&transfer.values);
        }
    }

    /// What a value is called outside its region. Declares an input of the function that has no
    /// variable yet.
    fn value(&mut self, value: Value) -> String {
        match self.known(value) {
            Known::Constant(value, width) => constant(value, width),
            Known::Input(i) => self.input(i),
            Known::Result(result) => self.result(result),
        }
    }

    /// The variable of a result.
    fn result(&self, (region, node, iteration): Result_) -> String {
        let times = self.region(region).times;
        let history = self.histories[region].all.iter().find(|history| history.node == node);
        match history {
            _ if times == 1 => format!("{}{}", letter(region), node.0),
            Some(history) if history.is_array() => {
                format!("{}[{}]", history.name, history.depth() + iteration)
            }
            Some(history) if iteration + 1 == times => history.variable(1),
            _ if self.kept[region].all.contains(&node) => {
                format!("z{}{}[{iteration}]", letter(region), node.0)
            }
            _ => format!("y{}{}", letter(region), node.0),
        }
    }

    /// The variable of an input of the function, declared when it is first used.
    fn input(&mut self, number: u32) -> String {
        let input = &self.program.rolled.inputs[number as usize];
        let name = variable(&input.name);
        let text = self.read(&input.name, self.program.rolled.definition(input.value).width);
        if text != name && self.declared.insert(number) {
            let integer = integer(self.program.rolled.definition(input.value).width);
            self.line(&format!("const {integer} {name} = {text};"));
        }
        name
    }

    /// What an input is read from; a limb is cut out of its word.
    fn read(&self, name: &str, width: u8) -> String {
        match name.split_once('.') {
            None => (self.signature.input)(name),
            Some((word, limb)) => {
                let word = (self.signature.input)(word);
                match limb.parse::<u32>().unwrap_or(0) * u32::from(width) {
                    0 => format!("({}){word}", integer(width)),
                    by => format!("({})({word} >> {by})", integer(width)),
                }
            }
        }
    }

    fn outer_action(&mut self, action: Action) {
        let Some(mailbox) = self.mailbox else { return };
        match action {
            Action::Compute(_) => {}
            Action::Send(id) => {
                let transfer = &self.program.transfers[id.index()];
                let iteration = self.region(transfer.region).times - 1;
                for (i, &node) in transfer.values.iter().enumerate() {
                    let value = self.result((transfer.region, node, iteration));
                    self.line(&format!("{} = {value};", mailbox.place(id, i)));
                }
                self.line(&mailbox.post(self.processor, id));
            }
            Action::Receive(id) => {
                let transfer = &self.program.transfers[id.index()];
                let wait = mailbox.wait(self.processor, id);
                self.lines.push_str(&indented(&wait, self.depth));
                let body = &self.region(transfer.region).body;
                for (i, &node) in transfer.values.iter().enumerate() {
                    let integer = integer(body.width(node));
                    let iteration = self.region(transfer.region).times - 1;
                    let name = self.result((transfer.region, node, iteration));
                    self.line(&format!("const {integer} {name} = {};", mailbox.place(id, i)));
                }
            }
        }
    }

    fn straight(&mut self, region: usize) -> Result<(), Error> {
        let mut scope = Scope::new(self, region);
        scope.actions()
    }

    fn repeated(&mut self, region: usize) -> Result<(), Error> {
        let of = self.region(region);
        let name = |what: &str| format!("{}_{what}{region}", self.signature.name);
        let (constants, numbers) = (name("constants"), name("words"));
        let mut inputs: BTreeMap<usize, String> = BTreeMap::new();
        // Constants and numbers of message words, with the inputs that they are for.
        let mut by_width: BTreeMap<u8, Vec<(usize, Vec<u64>)>> = BTreeMap::new();
        let mut words: Vec<(usize, Vec<u64>)> = Vec::new();
        let part = &self.program.parts[region][self.processor];
        for &input in &part.inputs {
            let width = of.body.width(of.body.inputs()[input].node);
            match &of.sources[input] {
                Source::Same(value) => {
                    let text = self.value(*value);
                    inputs.insert(input, text);
                }
                Source::Each(values) => {
                    let known: Vec<Known> = values.iter().map(|&value| self.known(value)).collect();
                    let constants = known.iter().map(|known| match known {
                        Known::Constant(value, _) => Some(*value),
                        Known::Input(_) | Known::Result(_) => None,
                    });
                    let numbers = known.iter().map(|known| match known {
                        Known::Input(i) => self.word_number(*i),
                        Known::Constant(..) | Known::Result(_) => None,
                    });
                    if let Some(constants) = constants.collect::<Option<Vec<u64>>>() {
                        by_width.entry(width).or_default().push((input, constants));
                    } else if let Some(numbers) = numbers.collect::<Option<Vec<u64>>>() {
                        words.push((input, numbers));
                    } else {
                        let array = format!("x{}{input}", letter(region));
                        let texts: Vec<String> =
                            values.iter().map(|&value| self.value(value)).collect();
                        let (integer, times) = (integer(width), of.times);
                        self.line(&format!("{integer} {array}[{times}];"));
                        for (i, text) in texts.iter().enumerate() {
                            self.line(&format!("{array}[{i}] = {text};"));
                        }
                        inputs.insert(input, format!("{array}[i]"));
                    }
                }
                Source::Earlier { .. } => {
                    let text = self.histories[region].variable(input);
                    inputs.insert(input, text.expect("a part holds its histories"));
                }
            }
        }
        let rows = |columns: &[(usize, Vec<u64>)]| -> Vec<Vec<u64>> {
            (0..of.times).map(|i| columns.iter().map(|(_, column)| column[i]).collect()).collect()
        };
        for (width, columns) in by_width {
            let name = format!("{constants}_{width}");
            self.tables.add(&name, width, &rows(&columns));
            for (i, (input, _)) in columns.iter().enumerate() {
                inputs.insert(*input, element(&name, columns.len(), i));
            }
        }
        self.word_inputs(&numbers, &words, &rows(&words), &mut inputs);
        self.before_loop(region);
        self.line("{");
        self.depth += 1;
        self.line("uint32_t i;");
        self.line(&format!("for (i = 0; i < {}u; ++i) {{", of.times));
        self.depth += 1;
        let mut scope = Scope::new(self, region);
        scope.inputs = inputs;
        scope.actions()?;
        let nodes = scope.nodes;
        self.end_of_iteration(region, &nodes);
        self.depth -= 1;
        self.line("}");
        self.depth -= 1;
        self.line("}");
        Ok(())
    }

    /// The place of an input of the function in the message block.
    fn word_number(&self, input: u32) -> Option<u64> {
        let input = &self.program.rolled.inputs[input as usize];
        if input.role != Role::Message {
            return None;
        }
        let messages = self.program.rolled.inputs.iter().filter(|i| i.role == Role::Message);
        messages.into_iter().position(|other| other.name == input.name).map(|place| place as u64)
    }

    /// Inputs that are another message word in each iteration: by a table of their numbers, or in step
    /// with the iterations where the numbers are.
    fn word_inputs(
        &mut self,
        table: &str,
        words: &[(usize, Vec<u64>)],
        rows: &[Vec<u64>],
        inputs: &mut BTreeMap<usize, String>,
    ) {
        if words.is_empty() {
            return;
        }
        if !self.has_words {
            self.has_words = true;
            let messages: Vec<(String, u8)> = self
                .program
                .rolled
                .inputs
                .iter()
                .filter(|input| input.role == Role::Message)
                .map(|i| (i.name.clone(), self.program.rolled.definition(i.value).width))
                .collect();
            self.line(&format!("{} m[{}];", integer(messages[0].1), messages.len()));
            for (i, (name, width)) in messages.iter().enumerate() {
                let text = self.read(name, *width);
                self.line(&format!("m[{i}] = {text};"));
            }
        }
        let in_step = |numbers: &[u64]| {
            let step = numbers[1].checked_sub(numbers[0])?;
            let all = numbers.windows(2).all(|pair| pair[0] + step == pair[1]);
            all.then_some((numbers[0], step))
        };
        let all_in_step: Option<Vec<_>> = words.iter().map(|(_, n)| in_step(n)).collect();
        if let Some(steps) = all_in_step {
            for ((input, _), (first, step)) in words.iter().zip(steps) {
                let index = match (first, step) {
                    (0, 1) => "i".to_owned(),
                    (first, 1) => format!("i + {first}u"),
                    (0, step) => format!("{step}u * i"),
                    (first, step) => format!("{step}u * i + {first}u"),
                };
                inputs.insert(*input, format!("m[{index}]"));
            }
            return;
        }
        self.tables.add(table, 8, rows);
        for (i, (input, _)) in words.iter().enumerate() {
            inputs.insert(*input, format!("m[{}]", element(table, words.len(), i)));
        }
    }

    /// Declares what a loop remembers and what it leaves behind.
    fn before_loop(&mut self, region: usize) {
        let of = self.region(region);
        for history in self.histories[region].all.clone() {
            let integer = integer(of.body.width(history.node));
            let first: Vec<Option<String>> =
                history.first.iter().map(|value| value.map(|value| self.value(value))).collect();
            if history.is_array() {
                let depth = history.depth();
                self.line(&format!("{integer} {}[{}];", history.name, depth + of.times));
                for (i, text) in first.iter().enumerate() {
                    if let Some(text) = text {
                        self.line(&format!("{}[{}] = {text};", history.name, depth - 1 - i));
                    }
                }
            } else {
                for (i, text) in first.iter().enumerate() {
                    let text = text.clone().unwrap_or_else(|| "0".to_owned());
                    self.line(&format!("{integer} {} = {text};", history.variable(i + 1)));
                }
            }
        }
        let own = self.left_behind(region);
        for (node, array) in own {
            let integer = integer(of.body.width(node));
            let name = format!("{}{}", letter(region), node.0);
            match array {
                true => self.line(&format!("{integer} z{name}[{}];", of.times)),
                false => self.line(&format!("{integer} y{name} = 0;")),
            }
        }
    }

    /// Nodes whose results this processor keeps apart from histories, and whether all of them.
    fn left_behind(&self, region: usize) -> Vec<(NodeId, bool)> {
        let Kept { last, all } = &self.kept[region];
        let nodes: BTreeSet<NodeId> = last.union(all).copied().collect();
        let remembered = |node: &NodeId| {
            let mut of_node = self.histories[region].all.iter().filter(|h| h.node == *node);
            of_node.any(|history| history.is_array() || !all.contains(node))
        };
        let part = &self.program.parts[region][self.processor];
        let has = |node: &NodeId| {
            part.each.iter().any(|action| match action {
                Action::Compute(computed) => computed == node,
                Action::Receive(id) => self.program.transfers[id.index()].values.contains(node),
                Action::Send(_) => false,
            })
        };
        let nodes = nodes.into_iter().filter(|node| has(node) && !remembered(node));
        nodes.map(|node| (node, all.contains(&node))).collect()
    }

    /// What lives on after an iteration.
    fn end_of_iteration(&mut self, region: usize, nodes: &BTreeMap<NodeId, String>) {
        for (node, array) in self.left_behind(region) {
            let name = format!("{}{}", letter(region), node.0);
            let text = &nodes[&node];
            match array {
                true => self.line(&format!("z{name}[i] = {text};")),
                false => self.line(&format!("y{name} = {text};")),
            }
        }
        // A result may be a variable that is assigned here itself: such are read first.
        let histories = self.histories[region].all.clone();
        let body = &self.region(region).body;
        let mut new: Vec<String> = Vec::new();
        for (i, history) in histories.iter().enumerate() {
            let text = nodes[&history.node].clone();
            let passed = matches!(body.op(history.node), Op::Input(_));
            new.push(match passed && !history.is_array() {
                true => {
                    let integer = integer(body.width(history.node));
                    self.line(&format!("const {integer} next{i} = {text};"));
                    format!("next{i}")
                }
                false => text,
            });
        }
        for (history, text) in histories.iter().zip(new) {
            if history.is_array() {
                self.line(&format!("{}[i + {}u] = {text};", history.name, history.depth()));
                continue;
            }
            for distance in (2..=history.depth()).rev() {
                let (to, from) = (history.variable(distance), history.variable(distance - 1));
                self.line(&format!("{to} = {from};"));
            }
            self.line(&format!("{} = {text};", history.variable(1)));
        }
    }

    /// Writes the outputs to their places. Limbs become words again.
    fn outputs(&mut self) {
        let outputs = self.program.rolled.outputs.clone();
        let mut words: Vec<(String, Vec<(String, u8)>)> = Vec::new();
        for (name, value) in &outputs {
            let text = self.value(*value);
            let width = self.program.rolled.definition(*value).width;
            let word = name.split_once('.').map_or(name.as_str(), |(word, _)| word);
            match words.last_mut() {
                Some((last, limbs)) if last == word => limbs.push((text, width)),
                _ => words.push((word.to_owned(), vec![(text, width)])),
            }
        }
        for (name, limbs) in words {
            let whole = integer(limbs.iter().map(|limb| limb.1).sum());
            let mut by = 0;
            let parts: Vec<String> = limbs
                .iter()
                .map(|(text, width)| {
                    let shift = if by > 0 { format!(" << {by}") } else { String::new() };
                    by += u32::from(*width);
                    if limbs.len() > 1 { format!("(({whole}){text}{shift})") } else { text.clone() }
                })
                .collect();
            let place = (self.signature.output)(&name);
            self.line(&format!("{place} = {};", parts.join(" | ")));
        }
    }
}

fn indented(text: &str, depth: usize) -> String {
    text.lines().map(|line| format!("{:1$}{line}\n", "", 4 * depth)).collect()
}

/// One pass through a region's body.
struct Scope<'s, 'w> {
    writer: &'s mut Writer<'w>,
    region: usize,
    body: &'w Function,
    /// What the body's inputs are called, if that is known beforehand.
    inputs: BTreeMap<usize, String>,
    /// What the nodes are called, or the expression that is put where they are used.
    nodes: BTreeMap<NodeId, String>,
    /// How often each node is used by this processor.
    uses: BTreeMap<NodeId, usize>,
    /// By node: the number of the last action that uses it, the largest of all if it lives on.
    last_use: BTreeMap<NodeId, usize>,
    /// The number of the action under way, and of the next one that waits.
    at: usize,
    next_wait: usize,
    /// What was computed since the last wait and has a name.
    since_wait: Vec<NodeId>,
    /// Where received nodes lie that have not been read. They are read where they are used: read at
    /// once, they would fill the registers.
    unread: BTreeMap<NodeId, String>,
    /// Where nodes are to be put for the other processor.
    places: BTreeMap<NodeId, Vec<String>>,
    step: StepId,
}

impl<'s, 'w> Scope<'s, 'w> {
    fn new(writer: &'s mut Writer<'w>, region: usize) -> Self {
        let body = &writer.region(region).body;
        let part = &writer.program.parts[region][writer.processor];
        let mut uses: BTreeMap<NodeId, usize> = BTreeMap::new();
        let mut places: BTreeMap<NodeId, Vec<String>> = BTreeMap::new();
        let mut last_use: BTreeMap<NodeId, usize> = BTreeMap::new();
        for (i, action) in part.each.iter().enumerate() {
            if let Action::Compute(node) = action {
                last_use.extend(body.args(*node).iter().map(|&arg| (arg, i)));
            }
        }
        let mut put = |node: NodeId, times: usize| *uses.entry(node).or_default() += times;
        for action in &part.each {
            match action {
                Action::Compute(node) => body.args(*node).iter().for_each(|&arg| put(arg, 1)),
                Action::Send(id) => {
                    let values = &writer.program.transfers[id.index()].values;
                    for (i, &node) in values.iter().enumerate() {
                        put(node, 2);
                        let place = writer.mailbox.map(|mailbox| mailbox.place(*id, i));
                        places.entry(node).or_default().extend(place);
                    }
                }
                Action::Receive(_) => {}
            }
        }
        // What lives on has a name.
        let Kept { last, all } = &writer.kept[region];
        let remembered = writer.histories[region].all.iter().map(|history| history.node);
        for node in last.union(all).copied().chain(remembered) {
            put(node, 2);
            last_use.insert(node, usize::MAX);
        }
        Self {
            writer,
            region,
            body,
            inputs: BTreeMap::new(),
            nodes: BTreeMap::new(),
            uses,
            last_use,
            at: 0,
            next_wait: 0,
            since_wait: Vec::new(),
            unread: BTreeMap::new(),
            places,
            step: StepId::ROOT,
        }
    }

    fn actions(&mut self) -> Result<(), Error> {
        let part = &self.writer.program.parts[self.region][self.writer.processor];
        for (at, &action) in part.each.iter().enumerate() {
            self.at = at;
            if at >= self.next_wait {
                let is_wait = |action: &Action| matches!(action, Action::Receive(_));
                let next = part.each[at + 1..].iter().position(is_wait);
                self.next_wait = next.map_or(usize::MAX, |next| at + 1 + next);
            }
            match action {
                Action::Compute(node) => self.compute(node)?,
                Action::Send(id) => self.send(id),
                Action::Receive(id) => self.receive(id),
            }
        }
        // Results that are only passed on.
        let nodes: Vec<NodeId> = self.uses.keys().copied().collect();
        for node in nodes {
            let passed = matches!(self.body.op(node), Op::Input(_) | Op::Const(_));
            if (passed || self.unread.contains_key(&node)) && self.uses[&node] > 1 {
                let text = self.node(node);
                self.nodes.insert(node, text);
            }
        }
        Ok(())
    }

    fn name(&self, node: NodeId) -> String {
        format!("{}{}", letter(self.region), node.0)
    }

    /// What stands for a node.
    fn node(&mut self, node: NodeId) -> String {
        match self.body.op(node) {
            Op::Const(value) => constant(value, self.body.width(node)),
            Op::Input(i) => {
                if let Some(text) = self.inputs.get(&(i as usize)) {
                    return text.clone();
                }
                let region = self.writer.region(self.region);
                match &region.sources[i as usize] {
                    Source::Same(value) => self.writer.value(*value),
                    Source::Each(values) => self.writer.value(values[0]),
                    Source::Earlier { first, .. } => self.writer.value(first[0]),
                }
            }
            _ => {
                if let Some(place) = self.unread.remove(&node) {
                    if self.uses.get(&node) == Some(&1) {
                        return place;
                    }
                    let (integer, name) = (integer(self.body.width(node)), self.name(node));
                    self.writer.line(&format!("const {integer} {name} = {place};"));
                    self.nodes.insert(node, name);
                }
                self.nodes.get(&node).cloned().unwrap_or_else(|| self.name(node))
            }
        }
    }

    fn compute(&mut self, node: NodeId) -> Result<(), Error> {
        let args: Vec<NodeId> = self.body.args(node).to_vec();
        let args: Vec<String> = args.into_iter().map(|arg| self.node(arg)).collect();
        let prefix = self.writer.signature.prefix;
        let text = expr(self.body, node, prefix, &args, |_| String::new())?;
        let uses = self.uses.get(&node).copied().unwrap_or(0);
        if uses == 0 {
            return Ok(());
        }
        // What is computed before a wait is not to be put behind it.
        let is_soon = self.last_use.get(&node).is_some_and(|&last| last < self.next_wait);
        if uses == 1 && is_soon && text.len() <= LONGEST && self.body.width(node) >= 32 {
            let is_infix = text.contains(' ') && !text.ends_with(')') || text.starts_with('(');
            self.nodes.insert(
                node,
                if is_infix || text.starts_with('~') || text.contains(" ") {
                    format!("({text})")
                } else {
                    text
                },
            );
            return Ok(());
        }
        self.comment(node);
        let (integer, name) = (integer(self.body.width(node)), self.name(node));
        self.writer.line(&format!("const {integer} {name} = {text};"));
        self.since_wait.push(node);
        for place in self.places.get(&node).into_iter().flatten() {
            self.writer.line(&format!("{place} = {name};"));
        }
        self.nodes.insert(node, name);
        Ok(())
    }

    /// Names the step that a line belongs to, where it changes.
    fn comment(&mut self, node: NodeId) {
        let step = self.body.ancestor(self.body.step(node), 1);
        if step != self.step && step != StepId::ROOT {
            let path = self.body.path_name(step);
            self.writer.line(&format!("/* {path} */"));
        }
        self.step = step;
    }

    fn send(&mut self, id: TransferId) {
        if let Some(mailbox) = self.writer.mailbox {
            let post = mailbox.post(self.writer.processor, id);
            self.writer.line(&post);
        }
    }

    fn receive(&mut self, id: TransferId) {
        let Some(mailbox) = self.writer.mailbox else { return };
        // Compilers move what is needed after a wait behind it, where it delays this core.
        for node in std::mem::take(&mut self.since_wait) {
            if self.last_use.get(&node).is_some_and(|&last| last > self.at) {
                let line = format!("MANYLANE_DONE({});", self.name(node));
                self.writer.line(&line);
            }
        }
        let wait = mailbox.wait(self.writer.processor, id);
        let depth = self.writer.depth;
        self.writer.lines.push_str(&indented(&wait, depth));
        let values = &self.writer.program.transfers[id.index()].values;
        self.unread.extend(values.iter().enumerate().map(|(i, &n)| (n, mailbox.place(id, i))));
    }
}
