//! The arm of every operation: what C computes for it.
//!
//! Words of 8 and 16 bits become `int` when C computes with them, so every result is cast back to
//! its width. Rotations and whatever C has no operator for are calls of [helpers](super::helpers).

use super::Error;
use manylane_graph::{Function, NodeId, Op};

/// The integer of a word of `width` bits.
pub(super) fn integer(width: u8) -> String {
    format!("uint{width}_t")
}

/// A constant of `width` bits.
pub(super) fn constant(value: u64, width: u8) -> String {
    let digits = usize::from(width / 4);
    format!("UINT{width}_C(0x{value:0digits$x})")
}

/// The C expression of a node, from those of its arguments. `prefix` is that of helpers; `input`
/// says what an input is read from.
///
/// # Errors
/// If C has no integer of the node's width, or no expression for its operation.
pub(super) fn expr(
    function: &Function,
    node: NodeId,
    prefix: &str,
    args: &[String],
    input: impl Fn(&str) -> String,
) -> Result<String, Error> {
    let (op, width) = (function.op(node), function.width(node));
    if !matches!(width, 8 | 16 | 32 | 64) {
        return Err(Error::Width {
            function: function.name.clone(),
            node: node.to_string(),
            width,
        });
    }
    let unknown = |remedy| Error::Op {
        function: function.name.clone(),
        node: node.to_string(),
        op: op.name(),
        remedy,
    };
    let infix = |operator: &str| args.join(&format!(" {operator} "));
    let call =
        |helper: &str, args: &[String]| format!("{prefix}_{helper}{width}({})", args.join(", "));
    let by = |helper: &str, n: u8| call(helper, &[args[0].clone(), n.to_string()]);
    let cast = |text: String| match width {
        8 | 16 => format!("(uint{width}_t)({text})"),
        _ => text,
    };
    Ok(match op {
        Op::Input(i) => input(&function.inputs()[i as usize].name),
        Op::Const(value) => constant(value, width),
        Op::Add => cast(infix("+")),
        Op::Carry => {
            let none = constant(0, width);
            let carry = args.get(2).cloned().unwrap_or(none);
            call("carry", &[args[0].clone(), args[1].clone(), carry])
        }
        Op::Sub => cast(infix("-")),
        Op::And => cast(infix("&")),
        Op::Or => cast(infix("|")),
        Op::Xor => cast(infix("^")),
        Op::Xnor => cast(format!("~({})", infix("^"))),
        Op::Not => cast(format!("~{}", args[0])),
        Op::Rotl(n) => by("rotl", n),
        Op::Rotr(n) => by("rotr", n),
        Op::Shl(n) => cast(format!("{} << {n}", args[0])),
        Op::Shr(n) => cast(format!("{} >> {n}", args[0])),
        Op::RotlVar => call("rotl_var", args),
        Op::RotrVar => call("rotr_var", args),
        Op::Lut3(table) => cast(polynomial(table, args, width)),
        Op::SubBytes => call("sub_bytes", args),
        Op::Xtime => call("xtime", args),
        Op::SwapBytes if width == 8 => args[0].clone(),
        Op::SwapBytes => call("swap", args),
        Op::Call(_) | Op::Result(_) => return Err(unknown("run `inline` first")),
        Op::External => return Err(unknown("no word computes it")),
    })
}

/// A function of three bits as a sum of products mod 2 (its algebraic normal form).
fn polynomial(table: u8, args: &[String], width: u8) -> String {
    // Möbius transform: coefficient c of the monomial of the arguments in mask i; bit 2 is the
    // first.
    let mut coefficients = table;
    for (bit, low) in [(1, 0b0101_0101), (2, 0b0011_0011), (4, 0b0000_1111)] {
        coefficients ^= (coefficients & low) << bit;
    }
    let terms: Vec<String> = (0..8_usize)
        .filter(|i| coefficients >> i & 1 == 1)
        .map(|i| {
            let factors: Vec<&str> =
                (0..3).filter(|k| i >> (2 - k) & 1 == 1).map(|k| &args[k][..]).collect();
            match factors.len() {
                0 => constant(u64::MAX >> (64 - width), width),
                1 => factors[0].to_owned(),
                _ => format!("({})", factors.join(" & ")),
            }
        })
        .collect();
    match terms.is_empty() {
        true => constant(0, width),
        false => terms.join(" ^ "),
    }
}
