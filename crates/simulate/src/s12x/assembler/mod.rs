//! An assembler of two passes or more, with the syntax of GNU as: the part that both cores'
//! assemblers share.
//!
//! One file makes one segment. Labels and equates may be used before they are defined. Where the
//! size of an instruction depends on a value, passes are repeated until no label moves.

mod comments;
mod expression;

pub use expression::{evaluate, is_symbol};

use comments::{unquoted, without_comments};

use super::object::{Object, Segment, Space, Symbol};
use std::collections::BTreeMap;
use std::fmt;

/// An instruction set.
pub trait InstructionSet {
    /// The core whose local addresses the labels are.
    const SPACE: Space;

    /// Instructions begin at multiples of this.
    const ALIGNMENT: u16;

    /// Encodes an instruction. Its size may depend on values that [`Context::value`] does not yet
    /// know.
    ///
    /// # Errors
    /// If there is no such instruction, or its operands are wrong: what is wrong, in a sentence
    /// without a full stop.
    fn encode(&self, mnemonic: &str, operands: &str, context: &Context) -> Result<Vec<u8>, String>;
}

/// The place of an instruction, and the values of symbols there.
pub struct Context<'a> {
    /// The address of the instruction or directive.
    pub address: u16,
    /// The symbols that this pass has defined, and those of the pass before it.
    symbols: [&'a BTreeMap<String, Value>; 2],
    locals: &'a Locals,
    /// Whether this is a pass after the first one, in which a symbol without a value is an error.
    last: bool,
    /// Number of bytes by which the reach of a short form is reduced: 0 in the first passes. In
    /// later passes a margin keeps the longer form, where a form and the padding behind it would
    /// change each other for ever.
    pub margin: i64,
}

impl Context<'_> {
    /// Returns the value of an expression, none while a symbol in it has no value.
    ///
    /// # Errors
    /// If the text is no expression, or after the first pass a symbol in it is not defined.
    pub fn value(&self, expression: &str) -> Result<Option<i64>, String> {
        self.valued(expression).map(|(value, _)| value)
    }

    /// As [`Self::value`], and whether the expression names an address.
    ///
    /// # Errors
    /// As [`Self::value`].
    pub fn valued(&self, expression: &str) -> Result<(Option<i64>, bool), String> {
        let (value, has_addresses) = self.shifted(expression, 0)?;
        // The distance of two labels is a number: it stays where all of them move.
        let is_address = has_addresses && self.shifted(expression, 1)?.0 != value;
        Ok((value, is_address))
    }

    /// The value of an expression if all addresses in it were greater by `by`, and whether it has
    /// any.
    fn shifted(&self, expression: &str, by: i64) -> Result<(Option<i64>, bool), String> {
        let mut has_addresses = false;
        let value = evaluate(expression, &mut |name| {
            let here = Value { value: self.address.into(), is_address: true };
            let local = || self.locals.find(name).map(|value| Value { value, is_address: true });
            let found = match name {
                "." => Some(here),
                _ => self.symbols.iter().find_map(|all| all.get(name).copied()).or_else(local),
            };
            match found {
                None if self.last => Err(format!("`{name}` is not defined")),
                None => Ok(None),
                Some(found) => {
                    has_addresses |= found.is_address;
                    Ok(Some(found.value + if found.is_address { by } else { 0 }))
                }
            }
        })?;
        Ok((value, has_addresses))
    }

    /// Returns the value of an expression, 0 while it has none, if it is in `range`.
    ///
    /// # Errors
    /// As [`Self::value`], and if the value is out of range.
    pub fn number(
        &self,
        expression: &str,
        range: std::ops::RangeInclusive<i64>,
        what: &str,
    ) -> Result<i64, String> {
        let Some(value) = self.value(expression)? else { return Ok(0) };
        if range.contains(&value) {
            return Ok(value);
        }
        Err(format!("{what} is {value}; it must be {} to {}", range.start(), range.end()))
    }
}

/// The value of a symbol.
#[derive(Clone, Copy, PartialEq)]
struct Value {
    value: i64,
    /// Whether it is a label, or moves with one; else it is a number.
    is_address: bool,
}

/// Labels `1:`, which `1b` and `1f` name: the last one before, the first one after.
#[derive(Default, PartialEq, Clone)]
struct Locals {
    /// Number and address, in the order of the text.
    all: Vec<(u32, u16)>,
    /// How many stand before the present line.
    passed: usize,
}

impl Locals {
    fn find(&self, name: &str) -> Option<i64> {
        let (number, direction) = name.split_at(name.len().checked_sub(1)?);
        let number: u32 = number.parse().ok()?;
        let passed = self.passed.min(self.all.len());
        let found = match direction {
            "b" => self.all[..passed].iter().rfind(|(n, _)| *n == number),
            "f" => self.all[passed..].iter().find(|(n, _)| *n == number),
            _ => None,
        };
        found.map(|&(_, address)| address.into())
    }
}

/// What is wrong with a text, line by line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AssemblyError {
    /// For each wrong line its number from 1, its text, and what is wrong with it.
    pub lines: Vec<(usize, String, String)>,
}

impl AssemblyError {
    /// Whether the program ends behind the last address, and nothing else is known to be wrong.
    pub fn is_too_long(&self) -> bool {
        matches!(&self.lines[..], [(_, _, what)] if what == TOO_LONG)
    }
}

impl fmt::Display for AssemblyError {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        const MOST: usize = 10;
        for (number, (line, text, what)) in self.lines.iter().take(MOST).enumerate() {
            let newline = if number == 0 { "" } else { "\n" };
            write!(f, "{newline}line {line}: {what}: `{}`", text.trim())?;
        }
        match self.lines.len().saturating_sub(MOST) {
            0 => Ok(()),
            more => write!(f, "\nand {more} more lines"),
        }
    }
}

impl std::error::Error for AssemblyError {}

/// The pass from which on forms are chosen with a margin.
const SETTLING: usize = 16;

/// Bytes that an address of 16 bits reaches.
const ADDRESSES: usize = 1 << 16;

const TOO_LONG: &str = "the program is longer than the address space";

/// Assembles a text to one segment that begins at `origin`.
///
/// # Errors
/// If lines are wrong: all of them, with what is wrong; if the program is too long, the first line
/// that ends behind the last address and no other.
pub fn assemble<I: InstructionSet>(
    set: &I,
    text: &str,
    origin: u16,
) -> Result<Object, AssemblyError> {
    /// The most passes. Instructions shrink in the second pass, and those that depend on their
    /// lengths in the next; this ends after a few passes or never.
    const PASSES: usize = 100;
    let lines = without_comments(text).map_err(|(line, text)| {
        let what = "the comment that begins here does not end".to_owned();
        AssemblyError { lines: vec![(line, text.to_owned(), what)] }
    })?;
    let mut known = Pass::default();
    for number in 0..PASSES {
        let last = number > 0;
        let pass = Pass::run(set, &lines, origin, &known, number)?;
        let settled = last && pass.symbols == known.symbols && pass.locals.all == known.locals.all;
        if settled || (last && number + 1 == PASSES) {
            // Other faults may only follow from these wrong addresses, so they are not reported.
            if let Some(line) = pass.too_long {
                return Err(AssemblyError { lines: vec![line] });
            }
            if !pass.wrong.is_empty() {
                return Err(AssemblyError { lines: pass.wrong });
            }
            if !settled {
                let what = format!("labels still move after {PASSES} passes");
                return Err(AssemblyError { lines: vec![(1, String::new(), what)] });
            }
            return Ok(pass.object::<I>(origin));
        }
        known = pass;
    }
    unreachable!("the last pass returns")
}

#[derive(Default)]
struct Pass {
    bytes: Vec<u8>,
    symbols: BTreeMap<String, Value>,
    /// The labels, in the order of the text.
    labels: Vec<String>,
    locals: Locals,
    wrong: Vec<(usize, String, String)>,
    /// The first line that ends behind the last address. Addresses begin at 0 again there: the
    /// first pass takes the longest forms of instructions, and the next ones may have room.
    too_long: Option<(usize, String, String)>,
}

impl Pass {
    /// Assembles all lines once, with the symbols of the pass before.
    ///
    /// # Errors
    /// If the program is so much too long that no shorter forms help.
    fn run<I: InstructionSet>(
        set: &I,
        lines: &[(&str, String)],
        origin: u16,
        known: &Self,
        number: usize,
    ) -> Result<Self, AssemblyError> {
        let mut pass = Self::default();
        let mut locals = Locals { passed: 0, ..known.locals.clone() };
        for (at, (line, code)) in lines.iter().enumerate() {
            let wrong = |what| (at + 1, (*line).to_owned(), what);
            let begin = usize::from(origin) + pass.bytes.len();
            let result = pass.line(set, code, origin, known, &mut locals, number);
            let end = usize::from(origin) + pass.bytes.len();
            if end > ADDRESSES || (begin == ADDRESSES && !code.trim().is_empty()) {
                let line = pass.too_long.get_or_insert_with(|| wrong(TOO_LONG.to_owned()));
                if end > 2 * ADDRESSES {
                    return Err(AssemblyError { lines: vec![line.clone()] });
                }
            }
            match result {
                Ok(true) => {}
                Ok(false) => break,
                Err(what) => pass.wrong.push(wrong(what)),
            }
        }
        Ok(pass)
    }

    fn object<I: InstructionSet>(self, origin: u16) -> Object {
        let symbols = self.labels.iter().map(|name| Symbol {
            name: name.clone(),
            space: I::SPACE,
            address: self.symbols[name].value as u32,
        });
        Object {
            symbols: symbols.collect(),
            segments: vec![Segment { space: I::SPACE, address: origin.into(), bytes: self.bytes }],
        }
    }

    /// Assembles one line. Returns false after `.end`.
    fn line<I: InstructionSet>(
        &mut self,
        set: &I,
        line: &str,
        origin: u16,
        known: &Self,
        locals: &mut Locals,
        number: usize,
    ) -> Result<bool, String> {
        let mut rest = line.trim();
        while let Some((label, after)) = label(rest) {
            let address = address(origin, self.bytes.len());
            self.define_label(label, address, locals)?;
            rest = after.trim();
        }
        if rest.is_empty() {
            return Ok(true);
        }
        let address = address(origin, self.bytes.len());
        let symbols = [&self.symbols, &known.symbols];
        let margin = if number < SETTLING { 0 } else { 32 };
        let context = Context { address, symbols, locals, last: number > 0, margin };
        if let Some((name, expression)) = equate(rest)? {
            if let (Some(value), is_address) = context.valued(expression)? {
                self.define_equate(name, Value { value, is_address })?;
            }
            return Ok(true);
        }
        let (mnemonic, operands) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
        let mnemonic = mnemonic.to_ascii_lowercase();
        let operands = operands.trim();
        if mnemonic == ".end" {
            return Ok(false);
        }
        let bytes = match mnemonic.strip_prefix('.') {
            Some(_) => directive(&mnemonic, operands, &context, origin)?,
            None if !address.is_multiple_of(I::ALIGNMENT) => {
                return Err(format!(
                    "an instruction stands at the odd address {address:#06x}; `.align 1` before it"
                ));
            }
            None => set.encode(&mnemonic, operands, &context)?,
        };
        self.bytes.extend(bytes);
        Ok(true)
    }

    fn define_label(
        &mut self,
        name: &str,
        address: u16,
        locals: &mut Locals,
    ) -> Result<(), String> {
        if let Ok(number) = name.parse() {
            self.locals.all.push((number, address));
            locals.passed = self.locals.all.len();
            return Ok(());
        }
        let value = Value { value: address.into(), is_address: true };
        if self.symbols.insert(name.to_owned(), value).is_some() {
            return Err(format!("`{name}` is defined a second time"));
        }
        self.labels.push(name.to_owned());
        Ok(())
    }

    /// Defines an equate. As in GNU as, equates may be changed and labels may not.
    fn define_equate(&mut self, name: &str, value: Value) -> Result<(), String> {
        if self.labels.iter().any(|label| label == name) {
            return Err(format!("`{name}` is a label and cannot be set"));
        }
        self.symbols.insert(name.to_owned(), value);
        Ok(())
    }
}

/// The address of an offset, from 0 again behind the last one.
fn address(origin: u16, offset: usize) -> u16 {
    (usize::from(origin) + offset) as u16
}

/// Returns the label that a line begins with, and what follows its colon.
fn label(line: &str) -> Option<(&str, &str)> {
    let end = line.find(|c: char| !is_symbol(c))?;
    let (name, rest) = line.split_at(end);
    let rest = rest.trim_start().strip_prefix(':')?;
    let is_name = !name.is_empty() && !name.as_bytes()[0].is_ascii_digit();
    (is_name || (!name.is_empty() && name.parse::<u32>().is_ok())).then_some((name, rest))
}

/// Returns the parts of `name = value`, `.equ name, value` or `.set name, value`.
fn equate(line: &str) -> Result<Option<(&str, &str)>, String> {
    let (name, value) = if let Some((name, value)) = line.split_once('=')
        && name.trim().chars().all(is_symbol)
    {
        (name.trim(), value)
    } else {
        let (directive, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        if !matches!(directive.to_ascii_lowercase().as_str(), ".equ" | ".set") {
            return Ok(None);
        }
        let parts = rest.split_once(',');
        let (name, value) = parts.ok_or_else(|| format!("{directive} takes a name and a value"))?;
        (name.trim(), value)
    };
    let is_name = name.chars().all(is_symbol) && name != ".";
    if name.is_empty() || name.as_bytes()[0].is_ascii_digit() || !is_name {
        return Err(format!("`{name}` is no name for a symbol"));
    }
    Ok(Some((name, value)))
}

/// Returns the bytes of a directive.
fn directive(
    name: &str,
    operands: &str,
    context: &Context,
    origin: u16,
) -> Result<Vec<u8>, String> {
    let size = match name {
        ".byte" => 1,
        ".word" | ".short" | ".hword" | ".2byte" => 2,
        ".long" | ".int" | ".4byte" => 4,
        ".ascii" | ".asciz" | ".string" => {
            let mut bytes = Vec::new();
            for operand in split(operands) {
                bytes.extend(string(operand)?);
                if name != ".ascii" {
                    bytes.push(0);
                }
            }
            return Ok(bytes);
        }
        ".align" | ".p2align" => {
            let power = context.number(operands, 0..=15, "the power of two")?;
            return Ok(vec![0; padding(context.address, 1 << power)]);
        }
        ".even" => return Ok(vec![0; padding(context.address, 2)]),
        ".balign" => {
            let to = context.number(operands, 1..=0x8000, "the alignment")?.max(1) as usize;
            return Ok(vec![0; padding(context.address, to)]);
        }
        ".space" | ".skip" | ".zero" => {
            let length = context.number(operands, 0..=0xffff, "the length")?;
            return Ok(vec![0; length as usize]);
        }
        ".org" => {
            // A plain number is an offset from the beginning of the segment, as in GNU as.
            let (to, is_address) = context.valued(operands)?;
            let here = i64::from(context.address) - i64::from(origin);
            let to = to
                .map_or(here, |to| if is_address { to.saturating_sub(origin.into()) } else { to });
            return match usize::try_from(to.saturating_sub(here)) {
                Ok(length) if length > ADDRESSES => Err(TOO_LONG.to_owned()),
                Ok(length) => Ok(vec![0; length]),
                Err(_) => Err(format!("`.org` cannot go back from offset {here} to {to}")),
            };
        }
        // One file is one segment; all its symbols are global.
        ".text" | ".global" | ".globl" | ".type" | ".size" | ".file" => return Ok(Vec::new()),
        _ => return Err(format!("`{name}` is no directive of this assembler")),
    };
    let (low, high) = (-(1 << (8 * size - 1)), (1 << (8 * size)) - 1);
    let mut bytes = Vec::new();
    for operand in split(operands) {
        let value = context.number(operand, low..=high, "the value")?;
        bytes.extend_from_slice(&value.to_be_bytes()[8 - size..]);
    }
    if bytes.is_empty() {
        return Err(format!("{name} takes values"));
    }
    Ok(bytes)
}

fn padding(address: u16, to: usize) -> usize {
    usize::from(address).next_multiple_of(to) - usize::from(address)
}

/// Splits operands at commas that stand neither in parentheses or brackets nor in quotes.
pub fn split(operands: &str) -> Vec<&str> {
    let (mut parts, mut depth, mut start) = (Vec::new(), 0_i32, 0);
    for (at, c) in unquoted(operands) {
        match c {
            '(' | '[' => depth += 1,
            ')' | ']' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(operands[start..at].trim());
                start = at + 1;
            }
            _ => {}
        }
    }
    let end = operands[start..].trim();
    if !end.is_empty() || !parts.is_empty() {
        parts.push(end);
    }
    parts
}

/// Returns the bytes of a string in quotes, with the escapes of C.
fn string(text: &str) -> Result<Vec<u8>, String> {
    let inner = text.strip_prefix('"').and_then(|text| text.strip_suffix('"'));
    let inner = inner.ok_or_else(|| format!("{text} is no string in quotes"))?;
    let (mut bytes, mut rest) = (Vec::new(), inner.bytes());
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            b'\\' => match rest.next() {
                Some(b'n') => b'\n',
                Some(b't') => b'\t',
                Some(b'r') => b'\r',
                Some(b'0') => 0,
                Some(c @ (b'\\' | b'"' | b'\'')) => c,
                _ => return Err(format!("{text} has an escape that is not known")),
            },
            byte => byte,
        });
    }
    Ok(bytes)
}
