//! Reads modules from text.

use super::line::is_word;
use super::{Line, ParseError};
use crate::ir::{
    Function, FunctionId, Input, Kind, Module, Node, NodeId, Op, Output, Role, Step, StepId,
};
use std::collections::HashMap;
use std::str::FromStr;
use std::vec::IntoIter;

impl FromStr for Module {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, ParseError> {
        let lines: Vec<Line<'_>> = Line::all(text);
        // Calls may name any function of the module: whether it is an earlier one is verified.
        let heads = lines.iter().filter_map(|line| line.clone().head().ok());
        let names: HashMap<&str, FunctionId> = heads.zip((0..).map(FunctionId)).collect();
        let mut module = Self::new();
        let mut lines = lines.into_iter();
        while !lines.as_slice().is_empty() {
            module.push(function(&mut lines, &names)?);
        }
        Ok(module)
    }
}

impl Function {
    /// Reads a function from lines of a text and leaves what follows it. Functions that it calls
    /// are named by number, as [`Display`](std::fmt::Display) writes them.
    ///
    /// # Errors
    /// If the lines begin with no function.
    pub fn read(lines: &mut IntoIter<Line<'_>>) -> Result<Self, ParseError> {
        function(lines, &HashMap::new())
    }
}

/// Reads a function, from `function @NAME {` to `}`.
fn function(
    lines: &mut IntoIter<Line<'_>>,
    names: &HashMap<&str, FunctionId>,
) -> Result<Function, ParseError> {
    let head = lines.next().ok_or_else(|| ParseError::end(1, "`function @NAME {`"))?;
    let mut last = head.number;
    let mut reader = Reader::new(head.head()?, names);
    for mut line in lines {
        last = line.number;
        if line.take("}") {
            line.end()?;
            return Ok(reader.function);
        }
        reader.line(line)?;
    }
    Err(ParseError::end(last, "`}` on a line of its own"))
}

/// A function being read.
struct Reader<'n, 't> {
    functions: &'n HashMap<&'n str, FunctionId>,
    function: Function,
    steps: HashMap<(StepId, &'t str, u32), StepId>,
}

impl<'n, 't> Reader<'n, 't> {
    fn new(name: &str, functions: &'n HashMap<&'n str, FunctionId>) -> Self {
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
        let kind = line.word("a kind of step, such as `round`", Kind::by_name)?;
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

    /// Reads the operation, which stands between `=` and `@`.
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
                let role = line.word("a role, such as `message`", Role::by_name)?;
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
