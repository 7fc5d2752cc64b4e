//! One processor's function as it is written: its lines, and the names of values in it.

use super::super::expr::{constant, integer};
use super::super::signature::Signature;
use super::history::{Histories, History};
use super::mailbox::Mailbox;
use super::tables::{Literals, Tables};
use manylane_graph::roll::{Region, Source, Value};
use manylane_graph::{NodeId, Op, Role};
use manylane_plan::program::reads::Known;
use manylane_plan::program::{Action, MAIN, Program};
use std::collections::BTreeSet;
use std::fmt::Write;

/// A result of an iteration: region, node of its body, iteration.
type IterationResult = (usize, NodeId, usize);

/// The results of a region's iterations that a processor keeps.
#[derive(Default)]
pub(super) struct KeptResults {
    /// Nodes of which only the last result is used after the loop, or earlier ones that variables
    /// of a history still hold then.
    pub last: BTreeSet<NodeId>,
    /// Nodes whose other results are used too.
    pub all: BTreeSet<NodeId>,
}

/// Message words have variables if a share reads each at least this often, on average.
const OFTEN: usize = 4;

/// The writer of one processor's function.
pub(super) struct Writer<'w> {
    /// The program that is written.
    pub program: &'w Program,
    /// The number of the processor, 0 the main one.
    pub processor: usize,
    /// The parameters of the function.
    pub signature: &'w Signature<'w>,
    /// The shared memory through which two processors exchange values.
    pub mailbox: Option<&'w Mailbox>,
    /// The constants that are read from a table.
    pub literals: Option<&'w Literals>,
    /// For each region, the earlier results that later iterations read.
    pub histories: Vec<Histories>,
    /// For each region, the results that are used outside of it.
    pub kept: Vec<KeptResults>,
    /// Whether message words have variables in straight regions.
    pub keeps_words: bool,
    /// The function's inputs that have a variable.
    declared: BTreeSet<u32>,
    /// Words that have a variable because parts of them are read.
    words: BTreeSet<String>,
    /// Whether the message words are in an array.
    pub has_words: bool,
    /// How many values wait in memory for a later use.
    pub later: usize,
    /// Constants, at file scope.
    pub tables: Tables,
    /// The statements so far.
    pub lines: String,
    /// How many blocks of C the next line is inside of.
    pub depth: usize,
}

/// Letters of the regions' variables; others begin the names of something else.
const LETTERS: [char; 11] = ['a', 'b', 'd', 'f', 'g', 'n', 'o', 'q', 'r', 'u', 'v'];

/// The beginning of the names of a region's variables: a letter, doubled when letters run out.
pub(super) fn letter(region: usize) -> String {
    let letter = LETTERS[region % LETTERS.len()];
    letter.to_string().repeat(region / LETTERS.len() + 1)
}

/// The name of an input of the graph as a variable: of limbs, `h0.1` becomes `h0_1`.
fn variable(name: &str) -> String {
    name.replace(['.', '-'], "_")
}

/// The name of the word that an input or output is, or that it is a limb of.
pub(super) fn whole(name: &str) -> &str {
    name.split_once('.').map_or(name, |(word, _)| word)
}

impl<'w> Writer<'w> {
    /// A writer before the first line, with what each region keeps already decided.
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
            literals: None,
            histories,
            kept: program.parts.iter().map(|_| KeptResults::default()).collect(),
            keeps_words: false,
            declared: BTreeSet::new(),
            words: BTreeSet::new(),
            has_words: false,
            later: 0,
            tables: Tables::default(),
            lines: String::new(),
            depth: 1,
        };
        writer.note_kept();
        writer.find_rings();
        writer.keeps_words = writer.keeps_words();
        writer
    }

    /// The region of this number.
    pub fn region(&self, region: usize) -> &'w Region {
        &self.program.rolled.regions[region]
    }

    /// Writes a line, indented by four spaces for each level of blocks.
    pub fn line(&mut self, text: &str) {
        let _ = writeln!(self.lines, "{:1$}{text}", "", 4 * self.depth);
    }

    /// The name of a value outside its region. Declares an input of the function that has no
    /// variable yet.
    pub fn value(&mut self, value: Value) -> String {
        match self.program.known(value) {
            Known::Constant(value, width) => self.constant(value, width),
            Known::Input(i) => self.input(i),
            Known::Result(result) => self.result(result),
        }
    }

    /// A constant, or its place in the table of constants.
    pub fn constant(&self, value: u64, width: u8) -> String {
        let place = self.literals.and_then(|literals| literals.place(value, width));
        place.unwrap_or_else(|| constant(value, width))
    }

    /// The name of a value inside a straight region. A message word that lies in memory in the form
    /// in which it is used has a variable only if it is read often: a variable that is live across
    /// the waits of a long function makes the compiler spill others.
    pub fn value_or_place(&mut self, value: Value) -> String {
        if let Known::Input(i) = self.program.known(value)
            && self.mailbox.is_some()
        {
            let input = &self.program.rolled.inputs[i as usize];
            let text = (self.signature.input)(&input.name);
            let is_word = input.role == Role::Message && !input.name.contains('.');
            if is_word && !text.contains('(') && !self.keeps_words {
                return text;
            }
        }
        self.value(value)
    }

    /// Whether message words have variables in straight regions: where values go both ways all the
    /// time, and this processor reads each word often.
    fn keeps_words(&self) -> bool {
        let Program { rolled, transfers, .. } = self.program;
        let is_word = |i: &u32| rolled.inputs[*i as usize].role == Role::Message;
        let mut reads: Vec<u32> = Vec::new();
        for (region, parts) in rolled.regions.iter().zip(&self.program.parts) {
            if region.times > 1 {
                continue;
            }
            for action in &parts[self.processor].each {
                let Action::Compute(node) = action else { continue };
                reads.extend(region.body.args(*node).iter().filter_map(|arg| {
                    let Op::Input(i) = region.body.op(*arg) else { return None };
                    let Source::Same(value) = &region.sources[i as usize] else { return None };
                    match self.program.known(*value) {
                        Known::Input(input) => Some(input).filter(is_word),
                        Known::Constant(..) | Known::Result(_) => None,
                    }
                }));
            }
        }
        let words: BTreeSet<u32> = reads.iter().copied().collect();
        let back = transfers.iter().filter(|transfer| transfer.from == MAIN).count();
        back >= words.len().max(1) && reads.len() >= OFTEN * words.len()
    }

    /// The variable of a result.
    fn result(&self, (region, node, iteration): IterationResult) -> String {
        let times = self.region(region).times;
        let history = self.histories[region].all.iter().find(|history| history.node == node);
        let after = self.histories[region].after(node, times - iteration);
        match history {
            _ if times == 1 => format!("{}{}", letter(region), node.0),
            Some(History { ring: Some(ring), .. }) => ring.result(iteration),
            Some(history) if history.is_array() => {
                format!("{}[{}]", history.name, history.depth() + iteration)
            }
            _ if let Some(variable) = after => variable,
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
        let text = self.input_text(number);
        if text != name && self.declared.insert(number) {
            let integer = integer(self.program.rolled.definition(input.value).width);
            self.line(&format!("const {integer} {name} = {text};"));
        }
        name
    }

    /// The expression with which the input of this number is read.
    pub fn input_text(&mut self, number: u32) -> String {
        let input = &self.program.rolled.inputs[number as usize];
        self.read(&input.name, self.program.rolled.definition(input.value).width)
    }

    /// The expression with which an input is read. A limb is extracted from its word, and so is a
    /// half: the low half has the bits at even places.
    pub fn read(&mut self, name: &str, width: u8) -> String {
        match name.split_once('.') {
            None => (self.signature.input)(name),
            Some((word, part)) => {
                let word = self.word(word);
                let part = if part == "odd" { 1 } else { part.parse().unwrap_or(0) };
                match part * u32::from(width) {
                    0 => format!("({}){word}", integer(width)),
                    by => format!("({})({word} >> {by})", integer(width)),
                }
            }
        }
    }

    /// The expression of a word from which parts are extracted: a variable, unless it is a place in
    /// memory.
    fn word(&mut self, name: &str) -> String {
        let text = (self.signature.input)(name);
        if !text.contains('(') {
            return text;
        }
        let rolled = &self.program.rolled;
        let is_part = |of: &str| of.split_once('.').is_some_and(|(word, _)| word == name);
        let parts = rolled.inputs.iter().filter(|input| is_part(&input.name));
        let integer = integer(parts.map(|part| rolled.definition(part.value).width).sum());
        let name = variable(name);
        if self.words.insert(name.clone()) {
            self.line(&format!("const {integer} {name} = {text};"));
        }
        name
    }

    /// Writes a hand-over that stands before or after the iterations of a region.
    pub fn outer_action(&mut self, action: Action) {
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
                    // A plan may hand over values that this processor does not use.
                    if !self.kept[transfer.region].last.contains(&node) {
                        continue;
                    }
                    let integer = integer(body.width(node));
                    let iteration = self.region(transfer.region).times - 1;
                    let name = self.result((transfer.region, node, iteration));
                    self.line(&format!("const {integer} {name} = {};", mailbox.place(id, i)));
                }
            }
        }
    }
}

/// The lines of a text, each indented by `depth` levels of four spaces.
pub(super) fn indented(text: &str, depth: usize) -> String {
    text.lines().map(|line| format!("{:1$}{line}\n", "", 4 * depth)).collect()
}
