//! Statements of Verilog, as far as the order matters in which a block writes and reads.

use super::refused::Refused;
use super::tokens::Token;
use std::ops::Range;

/// The most statements within one another. The generator writes a dozen; a text with a hundred
/// thousand would use up the stack.
const MOST_WITHIN: usize = 200;

/// A statement; ranges are places in the tokens of the text.
#[derive(Debug)]
pub(super) enum Statement {
    /// `begin` and `end`.
    Block(Vec<Self>),
    If {
        condition: Range<usize>,
        then: Box<Self>,
        otherwise: Option<Box<Self>>,
    },
    /// `for`, `while`, `repeat`: what is between the brackets, and the body.
    Loop {
        head: Range<usize>,
        body: Box<Self>,
    },
    /// The value, and the labels and the statement of each item.
    Case {
        value: Range<usize>,
        items: Vec<(Range<usize>, Self)>,
        has_default: bool,
    },
    /// What ends with a semicolon.
    Plain(Range<usize>),
}

/// The first statement from a place on, and the place behind it. Refuses statements that lie within
/// too many others.
pub(super) fn statement(tokens: &[Token<'_>], at: usize) -> Result<(Statement, usize), Refused> {
    Reader { tokens, within: 0 }.statement(at)
}

struct Reader<'s, 't> {
    tokens: &'s [Token<'t>],
    /// The number of statements around the one that is read.
    within: usize,
}

impl Reader<'_, '_> {
    fn text(&self, at: usize) -> &str {
        self.tokens.get(at).map_or("", |token| token.text)
    }

    fn is_end(&self, at: usize) -> bool {
        at >= self.tokens.len()
    }

    fn statement(&mut self, at: usize) -> Result<(Statement, usize), Refused> {
        if self.within == MOST_WITHIN {
            let token = self.tokens[at.min(self.tokens.len() - 1)];
            return token.refuse(format!("more than {MOST_WITHIN} statements within one another"));
        }
        self.within += 1;
        let read = self.read(at);
        self.within -= 1;
        read
    }

    fn read(&mut self, at: usize) -> Result<(Statement, usize), Refused> {
        Ok(match self.text(at) {
            "(*" => self.statement(self.behind(at, "*)"))?,
            "unique" | "unique0" | "priority" => self.statement(at + 1)?,
            "begin" => self.block(at)?,
            "if" => {
                let end = self.bracket(at + 1);
                let (then, next) = self.statement(end)?;
                let condition = at + 1..end;
                let (otherwise, next) = match self.text(next) {
                    "else" => {
                        let (otherwise, next) = self.statement(next + 1)?;
                        (Some(Box::new(otherwise)), next)
                    }
                    _ => (None, next),
                };
                (Statement::If { condition, then: Box::new(then), otherwise }, next)
            }
            "for" | "while" | "repeat" | "foreach" => {
                let end = self.bracket(at + 1);
                let (body, next) = self.statement(end)?;
                (Statement::Loop { head: at + 1..end, body: Box::new(body) }, next)
            }
            "forever" | "do" => {
                let (body, next) = self.statement(at + 1)?;
                (Statement::Loop { head: at..at, body: Box::new(body) }, next)
            }
            "case" | "casez" | "casex" => self.case(at)?,
            _ if self.text(at + 1) == ":" && self.text(at) != "default" => {
                self.statement(at + 2)?
            }
            _ => {
                let next = self.behind(at, ";");
                (Statement::Plain(at..next), next)
            }
        })
    }

    fn block(&mut self, at: usize) -> Result<(Statement, usize), Refused> {
        let (mut statements, mut at) = (Vec::new(), self.behind_name(at + 1));
        while !self.is_end(at) && self.text(at) != "end" {
            let (statement, next) = self.statement(at)?;
            statements.push(statement);
            at = next;
        }
        Ok((Statement::Block(statements), self.behind_name(at + 1)))
    }

    /// The place behind the name of a block, if it has one.
    fn behind_name(&self, at: usize) -> usize {
        if self.text(at) == ":" { at + 2 } else { at }
    }

    fn case(&mut self, at: usize) -> Result<(Statement, usize), Refused> {
        let end = self.bracket(at + 1);
        let (value, mut at) = (at + 1..end, end);
        let (mut items, mut has_default) = (Vec::new(), false);
        while !self.is_end(at) && self.text(at) != "endcase" {
            let begin = at;
            if self.text(at) == "default" {
                has_default = true;
                at += 1;
            } else {
                at = self.until(at, ":");
            }
            let labels = begin..at;
            let (statement, next) = self.statement(at + usize::from(self.text(at) == ":"))?;
            items.push((labels, statement));
            at = next;
        }
        Ok((Statement::Case { value, items, has_default }, at + 1))
    }

    /// The place behind a bracket and its content; the same place where there is none.
    fn bracket(&self, at: usize) -> usize {
        let (mut depth, mut end) = (0_usize, at);
        while !self.is_end(end) {
            match self.text(end) {
                "(" | "(*" => depth += 1,
                ")" | "*)" => depth = depth.saturating_sub(1),
                _ => {}
            }
            if depth == 0 {
                return end + usize::from(end > at);
            }
            end += 1;
        }
        end
    }

    /// The place of a sign that is in no bracket, or the end.
    fn until(&self, at: usize, sign: &str) -> usize {
        let mut depth = 0_usize;
        for end in at..self.tokens.len() {
            match self.text(end) {
                text if depth == 0 && text == sign => return end,
                "(" | "(*" | "[" | "{" => depth += 1,
                ")" | "*)" | "]" | "}" => depth = depth.saturating_sub(1),
                _ => {}
            }
        }
        self.tokens.len()
    }

    fn behind(&self, at: usize, sign: &str) -> usize {
        let rest = self.tokens.get(at..).unwrap_or_default();
        let end = at + rest.iter().take_while(|token| token.text != sign).count() + 1;
        end.min(self.tokens.len())
    }
}
