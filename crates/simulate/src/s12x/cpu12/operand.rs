//! Operands as they are written.

use super::decode::Base;
use super::registers::Register;

/// One operand as it is written.
#[derive(Clone, Copy, Debug)]
pub(super) enum Operand<'a> {
    Immediate(&'a str),
    Direct(&'a str),
    Indexed(Base, Index<'a>),
    Plain(&'a str),
}

/// The part of an indexed operand before its base, or around it.
#[derive(Clone, Copy, Debug)]
pub(super) enum Index<'a> {
    Offset(&'a str),
    Accumulator(Register),
    /// The size of a step, its sign, and whether it comes after the access.
    Step(&'a str, i64, bool),
    IndirectD,
    Indirect(&'a str),
}

/// Returns the register of a name.
pub(super) fn named(text: &str) -> Result<Register, String> {
    register(text).ok_or_else(|| {
        let all: Vec<_> = Register::NAMES.iter().map(|(_, name)| *name).collect();
        format!("`{text}` is no register: {}", all.join(", "))
    })
}

/// Returns the register of a name, in letters of either case.
pub(super) fn register(text: &str) -> Option<Register> {
    let lower = text.to_ascii_lowercase();
    Register::NAMES.iter().find(|(_, name)| *name == lower).map(|(register, _)| *register)
}

/// Groups tokens to operands: an offset and its base are two tokens.
pub(super) fn operands<'a>(tokens: &[&'a str]) -> Result<Vec<Operand<'a>>, String> {
    let mut operands = Vec::new();
    let mut at = 0;
    while let Some(&token) = tokens.get(at) {
        at += 1;
        let after = tokens.get(at).and_then(|token| base(token));
        operands.push(if let Some(value) = token.strip_prefix('#') {
            Operand::Immediate(value)
        } else if let Some(inner) = token.strip_prefix('[') {
            indirect(inner).ok_or_else(|| format!("`{token}` must be [d,r] or [offset,r]"))?
        } else if let Some((base, step)) = after {
            at += 1;
            Operand::Indexed(base, index(token, step)?)
        } else if let Some(address) = token.strip_prefix('*') {
            Operand::Direct(address)
        } else {
            Operand::Plain(token)
        });
    }
    Ok(operands)
}

fn indirect(inner: &str) -> Option<Operand<'_>> {
    let inner = inner.strip_suffix(']')?;
    let (offset, name) = inner.rsplit_once(',')?;
    let (base, None) = base(name.trim())? else { return None };
    let offset = offset.trim();
    let index = match register(offset) {
        Some(Register::D) => Index::IndirectD,
        Some(_) => return None,
        None => Index::Indirect(offset),
    };
    Some(Operand::Indexed(base, index))
}

/// Returns the base that a token names, and the sign of its step and whether that comes after.
fn base(token: &str) -> Option<(Base, Option<(i64, bool)>)> {
    let signs = [('+', 1), ('-', -1)];
    let mut found = None;
    let mut name = token;
    for (sign, by) in signs {
        if let Some(rest) = token.strip_prefix(sign) {
            (name, found) = (rest, Some((by, false)));
        } else if let Some(rest) = token.strip_suffix(sign) {
            (name, found) = (rest, Some((by, true)));
        }
    }
    let base = match name.trim().to_ascii_lowercase().as_str() {
        "x" => Base::X,
        "y" => Base::Y,
        "sp" => Base::Sp,
        "pc" if found.is_none() => Base::Pc,
        _ => return None,
    };
    Some((base, found))
}

fn index(token: &str, step: Option<(i64, bool)>) -> Result<Index<'_>, String> {
    if let Some((sign, after)) = step {
        return Ok(Index::Step(token, sign, after));
    }
    match register(token) {
        Some(register @ (Register::A | Register::B | Register::D)) => {
            Ok(Index::Accumulator(register))
        }
        Some(register) => Err(format!("{register} cannot be an offset; a, b and d can")),
        None if token.is_empty() => Ok(Index::Offset("0")),
        None => Ok(Index::Offset(token)),
    }
}

impl Index<'_> {
    /// Whether the address of the operand is read from memory: the form in brackets.
    pub(super) fn is_indirect(self) -> bool {
        matches!(self, Self::IndirectD | Self::Indirect(_))
    }
}
