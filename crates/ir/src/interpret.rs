//! The interpreter, which defines the meaning of a graph.

use crate::ir::{Function, Module, Op};
use manylane_primitives::word::{ByteSub, RotateVar};
use std::num::Wrapping;

/// The word whose low `width` bits are ones; all 64 bits for an opaque value, whose width is 0.
pub fn mask(width: u8) -> u64 {
    u64::MAX >> ((64 - u32::from(width)) % 64)
}

/// The value of an operation other than an input, a call, a result or an external one, on
/// arguments below 2^`width`.
///
/// # Panics
/// If `op` is one of those four, or `width` is not 8, 16, 32 or 64.
pub fn evaluate(op: Op, width: u8, args: &[u64]) -> u64 {
    /// The words' contract defines these operations, so its own scalar words compute them.
    fn word<W: RotateVar>(
        op: Op,
        args: &[u64],
        from: impl Fn(u64) -> W,
        to: impl Fn(W) -> u64,
    ) -> u64 {
        let arg = |i: usize| from(args[i]);
        to(match op {
            Op::Add => args[1..].iter().fold(arg(0), |sum, &x| sum + from(x)),
            Op::Sub => arg(0) - arg(1),
            Op::And => args[1..].iter().fold(arg(0), |all, &x| all & from(x)),
            Op::Or => args[1..].iter().fold(arg(0), |any, &x| any | from(x)),
            Op::Xor => args[1..].iter().fold(arg(0), |sum, &x| sum ^ from(x)),
            Op::Xnor => !(arg(0) ^ arg(1)),
            Op::Not => !arg(0),
            Op::Rotl(n) => arg(0).rotl(n.into()),
            Op::Rotr(n) => arg(0).rotr(n.into()),
            Op::Shl(n) => arg(0) << n.into(),
            Op::Shr(n) => arg(0) >> n.into(),
            Op::RotlVar => arg(0).rotl_var(arg(1)),
            Op::RotrVar => arg(0).rotr_var(arg(1)),
            Op::Const(_)
            | Op::SubBytes
            | Op::Xtime
            | Op::Carry
            | Op::Lut3(_)
            | Op::SwapBytes
            | Op::Input(_)
            | Op::Call(_)
            | Op::Result(_)
            | Op::External => unreachable!("{op:?} is no operation of the contract"),
        })
    }
    match op {
        Op::Const(value) => value,
        Op::Carry => {
            let sum: u128 = args.iter().map(|&x| u128::from(x)).sum();
            (sum >> width) as u64
        }
        Op::Lut3(table) => (0..width).fold(0, |word, i| {
            let index = args.iter().fold(0, |index, x| 2 * index + (x >> i & 1));
            word | u64::from(table >> index & 1) << i
        }),
        Op::SubBytes => Wrapping(args[0]).sub_bytes().0 & mask(width),
        Op::Xtime => Wrapping(args[0]).xtime().0 & mask(width),
        Op::SwapBytes => args[0].swap_bytes() >> (64 - width),
        _ => match width {
            8 => word(op, args, |x| Wrapping(x as u8), |w| w.0.into()),
            16 => word(op, args, |x| Wrapping(x as u16), |w| w.0.into()),
            32 => word(op, args, |x| Wrapping(x as u32), |w| w.0.into()),
            64 => word(op, args, Wrapping, |w| w.0),
            _ => unreachable!("no word has {width} bits"),
        },
    }
}

/// The outputs of `function`, a function of `module`, for `inputs`, of which only the low bits
/// count.
///
/// # Panics
/// If there are fewer `inputs` than the function has, if it or a function that it calls has an
/// [`Op::External`], or if the module is not valid (see [`verify`](crate::verify)).
pub fn run(module: &Module, function: &Function, inputs: &[u64]) -> Vec<u64> {
    // Results of calls, by node.
    let mut results: Vec<Vec<u64>> = vec![Vec::new(); function.len()];
    let mut values: Vec<u64> = Vec::with_capacity(function.len());
    for node in function.nodes() {
        let args: Vec<u64> = function.args(node).iter().map(|arg| values[arg.index()]).collect();
        let value = match function.op(node) {
            Op::Input(i) => inputs[i as usize] & mask(function.width(node)),
            Op::Call(callee) => {
                results[node.index()] = run(module, module.function(callee), &args);
                results[node.index()][0]
            }
            Op::Result(i) => results[function.args(node)[0].index()][i as usize],
            op => evaluate(op, function.width(node), &args),
        };
        values.push(value);
    }
    function.outputs().iter().map(|output| values[output.value.index()]).collect()
}

/// The outputs of a module's last function.
///
/// # Panics
/// As [`run`].
pub fn run_main(module: &Module, inputs: &[u64]) -> Vec<u64> {
    run(module, module.main(), inputs)
}
