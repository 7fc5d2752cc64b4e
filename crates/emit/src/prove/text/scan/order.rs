//! The order in which a block without a clock writes and reads.
//!
//! Synthesis takes the last value that a block writes to a signal for the signal. A simulator that
//! reads the signal earlier in the same block reads the value before, and is not woken again by
//! what the block itself has written.

use super::refused::Refused;
use super::statement::Statement;
use super::tokens::Token;
use std::collections::BTreeSet;
use std::ops::Range;

/// What a block writes, what it reads, and where.
pub(super) struct Order<'s, 't> {
    tokens: &'s [Token<'t>],
    /// Names of constants of the text, which no simulator waits for.
    constants: &'s BTreeSet<&'t str>,
    /// Whether a name that is written by `<=` wakes the block again.
    is_woken: bool,
    writes: Vec<Write<'t>>,
    reads: Vec<Read<'t>>,
    /// Names that are wholly written wherever the walk has come to.
    written: BTreeSet<&'t str>,
    loops: Vec<usize>,
    loop_count: usize,
}

struct Write<'t> {
    name: &'t str,
    /// The end of its statement.
    at: usize,
    loops: Vec<usize>,
}

struct Read<'t> {
    name: &'t str,
    at: usize,
    loops: Vec<usize>,
    is_behind_write: bool,
}

impl<'s, 't> Order<'s, 't> {
    /// Follows a block: `always_comb` where `is_comb`, otherwise `always @*`.
    pub(super) fn of(
        tokens: &'s [Token<'t>],
        constants: &'s BTreeSet<&'t str>,
        block: &Statement,
        is_comb: bool,
    ) -> Self {
        let mut order = Self {
            tokens,
            constants,
            is_woken: !is_comb,
            writes: Vec::new(),
            reads: Vec::new(),
            written: BTreeSet::new(),
            loops: Vec::new(),
            loop_count: 0,
        };
        order.follow(block);
        order
    }

    /// Whether the block reads a signal that it does not write.
    pub(super) fn reads_another(&self) -> bool {
        let is_own = |read: &Read<'_>| self.writes.iter().any(|write| write.name == read.name);
        self.reads.iter().any(|read| !is_own(read))
    }

    /// Refuses a signal that is read before the block has written all of it.
    ///
    /// A signal that is written in parts, or in each arm of a branch, may be read where no write
    /// of it follows: a bit that was not written until there would be a latch.
    pub(super) fn check(&self) -> Result<(), Refused> {
        let is_early = |read: &&Read<'_>| {
            let follows = |write: &Write<'_>| {
                let again = write.loops.iter().any(|turn| read.loops.contains(turn));
                write.name == read.name && (write.at > read.at || again)
            };
            !read.is_behind_write && self.writes.iter().any(follows)
        };
        match self.reads.iter().find(is_early) {
            Some(read) => self.tokens[read.at].refuse(format!(
                "`{}` is read before its block writes it: simulators read the value before, and \
                 synthesis the last one",
                read.name
            )),
            None => Ok(()),
        }
    }

    fn text(&self, at: usize) -> &'t str {
        self.tokens.get(at).map_or("", |token| token.text)
    }

    fn follow(&mut self, statement: &Statement) {
        match statement {
            Statement::Block(statements) => {
                statements.iter().for_each(|statement| self.follow(statement));
            }
            Statement::If { condition, then, otherwise } => {
                self.read(condition.clone());
                let before = self.written.clone();
                self.follow(then);
                let of_then = std::mem::replace(&mut self.written, before);
                if let Some(otherwise) = otherwise {
                    self.follow(otherwise);
                    self.written.retain(|name| of_then.contains(name));
                }
            }
            Statement::Case { value, items, has_default } => {
                self.read(value.clone());
                let before = self.written.clone();
                let mut of_all: Option<BTreeSet<&'t str>> = (!has_default).then(|| before.clone());
                for (labels, item) in items {
                    self.read(labels.clone());
                    self.written.clone_from(&before);
                    self.follow(item);
                    let written = &self.written;
                    match &mut of_all {
                        Some(all) => all.retain(|name| written.contains(name)),
                        None => of_all = Some(written.clone()),
                    }
                }
                self.written = of_all.unwrap_or(before);
            }
            Statement::Loop { head, body } => {
                let ends: Vec<usize> =
                    head.clone().filter(|&at| self.text(at) == ";").map(|at| at + 1).collect();
                let inside = head.start + 1..head.end.saturating_sub(1).max(head.start + 1);
                self.loop_count += 1;
                let number = self.loop_count;
                match ends[..] {
                    [first, second] => {
                        self.plain(inside.start..first);
                        self.loops.push(number);
                        self.read(first..second);
                        self.follow(body);
                        self.plain(second..inside.end);
                    }
                    _ => {
                        self.read(inside);
                        self.loops.push(number);
                        self.follow(body);
                    }
                }
                self.loops.pop();
            }
            Statement::Plain(range) => self.plain(range.clone()),
        }
    }

    /// An assignment, or a declaration in a block.
    fn plain(&mut self, range: Range<usize>) {
        const DECLARE: &[&str] =
            &["reg", "logic", "bit", "integer", "int", "automatic", "var", "genvar", "localparam"];
        let (mut depth, mut sign) = (0_usize, None);
        for at in range.clone() {
            match self.text(at) {
                "(" | "[" | "{" => depth += 1,
                ")" | "]" | "}" => depth = depth.saturating_sub(1),
                text if depth == 0 && (is_blocking(text) || text == "<=") => {
                    sign = Some(at);
                    break;
                }
                _ => {}
            }
        }
        let is_declared = DECLARE.contains(&self.text(range.start));
        let Some(sign) = sign else {
            if !is_declared {
                self.read(range);
            }
            return;
        };
        let of_sign = self.text(sign);
        self.read(sign + 1..range.end);
        let (mut depth, mut whole) = (0_usize, Vec::new());
        for at in range.start..sign {
            match self.text(at) {
                "[" => depth += 1,
                "]" => depth = depth.saturating_sub(1),
                _ => {}
            }
            let Some(name) = self.name(at) else { continue };
            // An index, or what an operation with the assignment reads.
            if depth > 0 || !matches!(of_sign, "=" | "<=") {
                self.read(at..at + 1);
            }
            if depth > 0 || (of_sign == "<=" && self.is_woken) {
                continue;
            }
            let last = if of_sign == "<=" { usize::MAX } else { range.end };
            self.writes.push(Write { name, at: last, loops: self.loops.clone() });
            if of_sign == "=" && !matches!(self.text(at + 1), "[" | ".") {
                whole.push(name);
            }
        }
        self.written.extend(whole);
    }

    fn read(&mut self, range: Range<usize>) {
        for at in range {
            if let Some(name) = self.name(at) {
                let is_behind_write = self.written.contains(name);
                self.reads.push(Read { name, at, loops: self.loops.clone(), is_behind_write });
            }
        }
    }

    /// The name of a signal at a place.
    fn name(&self, at: usize) -> Option<&'t str> {
        const WORDS: &[&str] = &["default", "signed", "unsigned", "begin", "end", "if", "else"];
        let text = self.text(at);
        let is_digits = at > 0 && self.text(at - 1) == "'";
        let begins = text.starts_with(|c: char| c.is_alphabetic() || matches!(c, '_' | '\\'));
        let name = text.trim_start_matches('\\');
        (begins && !is_digits && !WORDS.contains(&text) && !self.constants.contains(name))
            .then_some(name)
    }
}

/// Whether a sign assigns at once, alone or with an operation.
pub(super) fn is_blocking(sign: &str) -> bool {
    let with_operation = || {
        let operation = sign.strip_suffix('=').unwrap_or("");
        matches!(operation, "+" | "-" | "*" | "%" | "&" | "|" | "^" | "/")
            || matches!(operation, "<<" | ">>" | "<<<" | ">>>")
    };
    matches!(sign, "=" | "++" | "--") || with_operation()
}

/// The names of a text's constants.
pub(super) fn constants<'t>(tokens: &[Token<'t>]) -> BTreeSet<&'t str> {
    let mut names = BTreeSet::new();
    for (i, token) in tokens.iter().enumerate() {
        if !matches!(token.text, "localparam" | "genvar") {
            continue;
        }
        let declaration: Vec<&'t str> = tokens[i + 1..]
            .iter()
            .map(|token| token.text)
            .take_while(|text| *text != ";")
            .collect();
        let is_genvar = token.text == "genvar";
        for (at, text) in declaration.iter().enumerate() {
            let next = declaration.get(at + 1).copied().unwrap_or(";");
            if next == "=" || (is_genvar && matches!(next, "," | ";")) {
                names.insert(text.trim_start_matches('\\'));
            }
        }
    }
    names
}
