//! From text to modules.

use super::ParseError;
use crate::ir::{
    Function, FunctionId, Input, Kind, Module, Node, NodeId, Op, Output, Role, Step, StepId,
};
use std::collections::HashMap;
use std::str::FromStr;

impl FromStr for Module {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, ParseError> {
        let lines: Vec<Line<'_>> = Line::all(text);
        // Calls may name any function of the module: whether it is an earlier one is verified.
        let heads = lines.iter().filter_map(|line| line.clone().head().ok());
        let names: HashMap<&str, FunctionId> = heads.zip((0..).map(FunctionId)).collect();

        let mut module = Self::new();
        let mut reader: Option<Reader<'_>> = None;
        let mut last = 1;
        for mut line in lines {
            last = line.number;
            match reader.take() {
                None => reader = Some(Reader::new(line.head()?, &names)),
                Some(open) if line.take("}") => {
                    line.end()?;
                    module.push(open.function);
                }
                Some(mut open) => {
                    open.line(line)?;
                    reader = Some(open);
                }
            }
        }
        match reader {
            None => Ok(module),
            Some(_) => Err(ParseError {
                line: last,
                found: "the end of the text".to_owned(),
                expected: "`}` on a line of its own".to_owned(),
            }),
        }
    }
}

/// What is left of a line.
#[derive(Clone)]
struct Line<'t> {
    number: usize,
    rest: &'t str,
}

impl<'t> Line<'t> {
    /// The lines that contain more than a comment.
    fn all(text: &'t str) -> Vec<Self> {
        let lines = text.lines().zip(1..).map(|(line, number)| {
            let code = line.split(';').next().unwrap_or_default();
            Self { number, rest: code.trim() }
        });
        lines.filter(|line| !line.rest.is_empty()).collect()
    }

    /// An error at what comes next: a word, or a sign.
    fn expected(&self, expected: impl Into<String>) -> ParseError {
        let word = self.rest.find(|c: char| !is_word(c)).unwrap_or(self.rest.len());
        let first = self.rest.chars().next().map_or(0, char::len_utf8);
        let found = match &self.rest[..word.max(first)] {
            "" => "the end of the line".to_owned(),
            found => format!("`{found}`"),
        };
        ParseError { line: self.number, found, expected: expected.into() }
    }

    /// Passes over `sign` if it comes next.
    fn take(&mut self, sign: &str) -> bool {
        let rest = self.rest.strip_prefix(sign);
        self.rest = rest.map_or(self.rest, str::trim_start);
        rest.is_some()
    }

    fn sign(&mut self, sign: &str) -> Result<(), ParseError> {
        if self.take(sign) { Ok(()) } else { Err(self.expected(format!("`{sign}`"))) }
    }

    /// The next word, if `is` makes something of it.
    fn word<T>(&mut self, what: &str, is: impl Fn(&'t str) -> Option<T>) -> Result<T, ParseError> {
        let end = self.rest.find(|c: char| !is_word(c)).unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        match is(word) {
            Some(value) if !word.is_empty() => {
                self.rest = rest.trim_start();
                Ok(value)
            }
            _ => Err(self.expected(what)),
        }
    }

    fn end(&self) -> Result<(), ParseError> {
        if self.rest.is_empty() { Ok(()) } else { Err(self.expected("the end of the line")) }
    }

    /// `function @NAME {`.
    fn head(mut self) -> Result<&'t str, ParseError> {
        self.word("`function @NAME {`", |word| (word == "function").then_some(()))?;
        self.sign("@")?;
        let name = self.word("a function's name", Some)?;
        self.sign("{")?;
        self.end()?;
        Ok(name)
    }

    fn number<T: TryFrom<u64>>(&mut self, what: &str) -> Result<T, ParseError> {
        self.word(what, |word| {
            let value = match word.strip_prefix("0x") {
                Some(digits) => u64::from_str_radix(digits, 16),
                None => word.parse(),
            };
            T::try_from(value.ok()?).ok()
        })
    }

    fn node(&mut self) -> Result<NodeId, ParseError> {
        self.word("a node, such as `v0`", |word| word.strip_prefix('v')?.parse().ok().map(NodeId))
    }

    /// Nodes with commas between them.
    fn nodes(&mut self) -> Result<Vec<NodeId>, ParseError> {
        let mut nodes = vec![self.node()?];
        // A number may follow the last comma.
        while let Some(rest) = self.rest.strip_prefix(',') {
            let rest = rest.trim_start();
            if rest.starts_with(|c: char| c.is_ascii_digit()) {
                break;
            }
            self.rest = rest;
            nodes.push(self.node()?);
        }
        Ok(nodes)
    }

    /// `NAME[INDEX]`, and what follows; names may contain spaces.
    fn step(&mut self) -> Result<(&'t str, u32), ParseError> {
        const STEP: &str = "a step, such as `round[0]`";
        let end = self.rest.find('[').ok_or_else(|| self.expected(STEP))?;
        let name = &self.rest[..end];
        self.rest = &self.rest[end + 1..];
        let index = self.number("a step's number")?;
        self.sign("]")?;
        Ok((name, index))
    }
}

/// Whether a character belongs into names, numbers and nodes.
fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-' | '#')
}

/// A function being read.
struct Reader<'t> {
    functions: &'t HashMap<&'t str, FunctionId>,
    function: Function,
    steps: HashMap<(StepId, &'t str, u32), StepId>,
}

impl<'t> Reader<'t> {
    fn new(name: &str, functions: &'t HashMap<&'t str, FunctionId>) -> Self {
        Self { functions, function: Function::new(name), steps: HashMap::new() }
    }

    fn line(&mut self, mut line: Line<'t>) -> Result<(), ParseError> {
        const LINE: &str = "a node, `step`, `output` or `}`";
        match line.rest.split(|c: char| !is_word(c)).next() {
            Some("step") => {
                line.rest = line.rest["step".len()..].trim_start();
                self.declare_step(line)
            }
            Some("output") => {
                line.rest = line.rest["output".len()..].trim_start();
                let name = line.word("an output's name", Some)?.to_owned();
                line.sign("=")?;
                let value = line.node()?;
                self.function.outputs.push(Output { name, value });
                line.end()
            }
            Some(word) if word.starts_with('v') => self.node(line),
            _ => Err(line.expected(LINE)),
        }
    }

    fn declare_step(&mut self, mut line: Line<'t>) -> Result<(), ParseError> {
        let mut parent = StepId::ROOT;
        let (mut name, mut index) = line.step()?;
        while line.take("/") {
            parent = self.known_step(&line, parent, name, index)?;
            (name, index) = line.step()?;
        }
        line.sign(":")?;
        let kind = line.word("a kind of step, such as `round`", |word| {
            Kind::ALL.into_iter().find(|kind| kind.name() == word)
        })?;
        let over = if line.rest.is_empty() {
            Vec::new()
        } else {
            line.word("`over`", |word| (word == "over").then_some(()))?;
            line.nodes()?
        };
        let steps = &mut self.function.steps;
        self.steps.insert((parent, name, index), StepId(steps.len() as u32));
        steps.push(Step { parent, kind, name: name.to_owned(), index, over });
        line.end()
    }

    fn known_step(
        &self,
        line: &Line<'_>,
        parent: StepId,
        name: &str,
        index: u32,
    ) -> Result<StepId, ParseError> {
        self.steps.get(&(parent, name, index)).copied().ok_or_else(|| ParseError {
            line: line.number,
            found: format!("`{name}[{index}]`"),
            expected: "a step that a `step` line before declares".to_owned(),
        })
    }

    fn node(&mut self, mut line: Line<'t>) -> Result<(), ParseError> {
        let next = NodeId(self.function.nodes.len() as u32);
        if line.clone().node()? != next {
            return Err(line.expected(format!("`{next}`, the next node")));
        }
        line.node()?;
        line.sign(":")?;
        let width =
            line.word("a width, such as `u32`", |word| word.strip_prefix('u')?.parse().ok())?;
        line.sign("=")?;
        let (op, args) = self.operation(&mut line, next)?;

        let mut step = StepId::ROOT;
        if line.take("@") {
            loop {
                let (name, index) = line.step()?;
                step = self.known_step(&line, step, name, index)?;
                if !line.take("/") {
                    break;
                }
            }
        }
        line.end()?;
        let start = self.function.args.len() as u32;
        self.function.args.extend_from_slice(&args);
        let args = start..self.function.args.len() as u32;
        self.function.nodes.push(Node { op, width, step, args });
        Ok(())
    }

    /// What stands between `=` and `@`.
    fn operation(
        &mut self,
        line: &mut Line<'t>,
        node: NodeId,
    ) -> Result<(Op, Vec<NodeId>), ParseError> {
        // Immediates stand after the arguments: 0 until they are read.
        let op = line.word("an operation, such as `add`", |word| {
            Some(match word {
                "input" => Op::Input(0),
                "const" => Op::Const(0),
                "add" => Op::Add,
                "carry" => Op::Carry,
                "sub" => Op::Sub,
                "and" => Op::And,
                "or" => Op::Or,
                "xor" => Op::Xor,
                "xnor" => Op::Xnor,
                "not" => Op::Not,
                "rotl" => Op::Rotl(0),
                "rotr" => Op::Rotr(0),
                "shl" => Op::Shl(0),
                "shr" => Op::Shr(0),
                "rotl_var" => Op::RotlVar,
                "rotr_var" => Op::RotrVar,
                "lut3" => Op::Lut3(0),
                "sub_bytes" => Op::SubBytes,
                "xtime" => Op::Xtime,
                "swap_bytes" => Op::SwapBytes,
                "call" => Op::Call(FunctionId(0)),
                "result" => Op::Result(0),
                "external" => Op::External,
                _ => return None,
            })
        })?;
        match op {
            Op::Input(_) => {
                let name = line.word("an input's name", Some)?.to_owned();
                let role = line.word("a role, such as `message`", |word| {
                    Role::ALL.into_iter().find(|role| role.name() == word)
                })?;
                let inputs = &mut self.function.inputs;
                inputs.push(Input { name, role, node });
                Ok((Op::Input(inputs.len() as u32 - 1), Vec::new()))
            }
            Op::Const(_) => Ok((Op::Const(line.number("a number below 2^64")?), Vec::new())),
            Op::Call(_) => {
                line.sign("@")?;
                let callee = line.word("the name of a function of this text", |name| {
                    let number = || name.strip_prefix('#')?.parse().ok().map(FunctionId);
                    self.functions.get(name).copied().or_else(number)
                })?;
                let args = if line.rest.starts_with('v') { line.nodes()? } else { Vec::new() };
                Ok((Op::Call(callee), args))
            }
            Op::Result(_) => {
                let args = line.nodes()?;
                line.sign(",")?;
                Ok((Op::Result(line.number("the number of a result")?), args))
            }
            Op::Rotl(_) => with_immediate(line, Op::Rotl),
            Op::Rotr(_) => with_immediate(line, Op::Rotr),
            Op::Shl(_) => with_immediate(line, Op::Shl),
            Op::Shr(_) => with_immediate(line, Op::Shr),
            Op::Lut3(_) => with_immediate(line, Op::Lut3),
            Op::Add
            | Op::Carry
            | Op::Sub
            | Op::And
            | Op::Or
            | Op::Xor
            | Op::Xnor
            | Op::Not
            | Op::RotlVar
            | Op::RotrVar
            | Op::SubBytes
            | Op::Xtime
            | Op::SwapBytes
            | Op::External => Ok((op, line.nodes()?)),
        }
    }
}

/// Arguments, then an amount or a table.
fn with_immediate(line: &mut Line<'_>, op: fn(u8) -> Op) -> Result<(Op, Vec<NodeId>), ParseError> {
    let args = line.nodes()?;
    line.sign(",")?;
    Ok((op(line.number("a number below 256")?), args))
}
