//! The function of one processor: its regions, straight or as loops, and the outputs.

use super::super::Error;
use super::super::expr::integer;
use super::super::text::uses;
use super::elements::{Element, in_step, index, step};
use super::history::History;
use super::kept::Uses;
use super::scope::Scope;
use super::tables::{Tables, element};
use super::writer::{KeptResults, Writer, letter, whole};
use manylane_graph::roll::Source;
use manylane_graph::{NodeId, Op, Role};
use manylane_plan::program::reads::Known;
use manylane_plan::program::{Action, MAIN};
use std::collections::{BTreeMap, BTreeSet};

/// The text for one processor.
pub(super) struct Written {
    /// Constants, at file scope.
    pub tables: String,
    /// The statements of the function.
    pub lines: String,
    /// Whether message words are variables for the whole function.
    pub keeps_words: bool,
    /// How many values wait in memory for a later use.
    pub later: usize,
}

impl Writer<'_> {
    /// Writes all regions in order, and on the main core the outputs.
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
        let Self { tables: Tables { text: tables }, lines, keeps_words, later, .. } = self;
        Ok(Written { tables, lines, keeps_words, later })
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
        let uses = Uses::of(self, region);
        for &input in &part.inputs {
            let width = of.body.width(of.body.inputs()[input].node);
            match &of.sources[input] {
                Source::Same(value) => {
                    let text = self.value(*value);
                    inputs.insert(input, text);
                }
                Source::Each(values) => {
                    let known: Vec<Known> =
                        values.iter().map(|&value| self.program.known(value)).collect();
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
                    } else if !uses.count.contains_key(&of.body.inputs()[input].node) {
                        continue;
                    } else if let Some(element) = self.elements(&known) {
                        inputs.insert(input, element);
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
        self.ring_counters(region);
        self.line(&format!("for (i = 0; i < {}u; ++i) {{", of.times));
        self.depth += 1;
        let mut scope = Scope::new(self, region);
        scope.inputs = inputs;
        scope.actions()?;
        let nodes = scope.nodes;
        self.end_of_iteration(region, &nodes);
        self.end_of_rings(region);
        self.depth -= 1;
        self.line("}");
        self.depth -= 1;
        self.line("}");
        Ok(())
    }

    /// The expression with which iteration i reads its input, if all iterations read inputs of the
    /// function whose indices advance by the same step, in an array that no output is written to.
    fn elements(&mut self, known: &[Known]) -> Option<String> {
        let texts = known.iter().map(|known| match known {
            Known::Input(i) => Some(self.input_text(*i)),
            Known::Constant(..) | Known::Result(_) => None,
        });
        let element = in_step(&texts.collect::<Option<Vec<String>>>()?)?;
        let mut outputs = self.program.rolled.outputs.iter();
        let is_written = outputs.any(|(name, _)| {
            let place = (self.signature.output)(whole(name));
            Element::of(&place).and_then(|of| of.place()).is_none_or(|of| uses(&element, of.0))
        });
        (!is_written).then_some(element)
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

    /// The inputs that are another message word in each iteration. The number of the word comes
    /// from a table, or is computed where it grows in step with the iterations.
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
        let upward = |numbers: &[u64]| {
            let numbers: Vec<usize> = numbers.iter().map(|&number| number as usize).collect();
            step(&numbers).filter(|(_, step)| *step >= 0)
        };
        let all_in_step: Option<Vec<_>> = words.iter().map(|(_, n)| upward(n)).collect();
        if let Some(steps) = all_in_step {
            for ((input, _), (first, step)) in words.iter().zip(steps) {
                inputs.insert(*input, format!("m[{}]", index(first, step)));
            }
            return;
        }
        self.tables.add(table, 8, rows);
        for (i, (input, _)) in words.iter().enumerate() {
            inputs.insert(*input, format!("m[{}]", element(table, words.len(), i)));
        }
    }

    /// Declares the variables of a loop's histories and of the results that outlive it.
    fn before_loop(&mut self, region: usize) {
        let of = self.region(region);
        self.before_rings(region);
        for history in self.histories[region].all.clone() {
            if history.ring.is_some() {
                continue;
            }
            let integer = integer(of.body.width(history.node));
            let first: Vec<Option<String>> =
                history.first.0.iter().map(|value| value.map(|value| self.value(value))).collect();
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

    /// Nodes whose results this processor keeps apart from histories, and whether it keeps those of
    /// all iterations.
    fn left_behind(&self, region: usize) -> Vec<(NodeId, bool)> {
        let KeptResults { last, all } = &self.kept[region];
        let nodes: BTreeSet<NodeId> = last.union(all).copied().collect();
        let remembered = |node: &NodeId| {
            let mut of_node = self.histories[region].all.iter().filter(|h| h.node == *node);
            of_node.any(|of| of.is_array() || of.ring.is_some() || !all.contains(node))
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

    /// Writes the assignments at an iteration's end: to the histories, and to the results that
    /// outlive the loop.
    fn end_of_iteration(&mut self, region: usize, nodes: &BTreeMap<NodeId, String>) {
        for (node, array) in self.left_behind(region) {
            let name = format!("{}{}", letter(region), node.0);
            let text = &nodes[&node];
            match array {
                true => self.line(&format!("z{name}[i] = {text};")),
                false => self.line(&format!("y{name} = {text};")),
            }
        }
        // A result may be a variable that is assigned here too; such variables are read first.
        let histories = self.histories[region].all.iter().filter(|of| of.ring.is_none());
        let histories: Vec<History> = histories.cloned().collect();
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
            let word = whole(name);
            match words.last_mut() {
                Some((last, limbs)) if last == word => limbs.push((text, width)),
                _ => words.push((word.to_owned(), vec![(text, width)])),
            }
        }
        for (name, limbs) in words {
            let bits: u8 = limbs.iter().map(|limb| limb.1).sum();
            let whole = integer(bits);
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
            let text = match (&parts[..], bits) {
                // The operators of C make an int of words that are narrower than it.
                ([_, _, ..], ..32) => format!("({whole})({})", parts.join(" | ")),
                _ => parts.join(" | "),
            };
            // The result of a ring may be in its output's place already.
            if text != place {
                self.line(&format!("{place} = {text};"));
            }
        }
    }
}
