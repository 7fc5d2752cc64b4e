//! The paper's assignments (§III): which steps of each primitive go to the coprocessor.

use crate::units::{Unit, Units};
use manylane_graph::Function;

/// Of the steps called `step`, those whose number modulo `of` is at least `main` go to the
/// coprocessor: `of − main` of each `of`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rule {
    /// How a primitive's name begins.
    pub primitive: &'static str,
    /// The innermost step that the rule knows.
    pub step: &'static str,
    /// So many of each group stay on the main core,
    pub main: u32,
    /// which has so many steps.
    pub of: u32,
}

const fn rule(primitive: &'static str, step: &'static str, main: u32, of: u32) -> Rule {
    Rule { primitive, step, main, of }
}

/// All of them.
#[rustfmt::skip]
pub const RULES: [Rule; 15] = [
    rule("",        "padding",       0, 1), // §II.A: every hash
    rule("",        "byte swap",     0, 1),
    rule("sha1",    "schedule",      0, 1), // §III.B: the words W_t, and K_t + W_t
    rule("sha1",    "K + W",         0, 1),
    rule("sha",     "schedule",      0, 1), // §III.C
    rule("sha",     "K + W",         0, 1),
    rule("blake",   "g",             1, 4), // §III.D: 3 of 4 columns, then diagonals
    rule("groestl", "round of Q",    0, 1), // P beside Q
    rule("jh",      "half",          1, 4), // 3 of 4 lanes
    rule("keccak",  "parity",        2, 5), // 3 of 5 sheets and planes (inferred from Table II)
    rule("keccak",  "sheet",         2, 5),
    rule("keccak",  "plane",         2, 5),
    rule("skein",   "pair",          1, 4), // 3 of 4 MIX, and the subkey's words with them
    rule("skein",   "mix",           1, 4),
    rule("rc5",     "key expansion", 0, 1), // §III.E
];

/// The core of every unit; `None` if no rule speaks of any.
pub fn assign(function: &Function, units: &Units) -> Option<Vec<u8>> {
    // SHA-3 and SHAKE are Keccak.
    let name = &function.name;
    let name = if name.starts_with("sha3-") || name.starts_with("shake") { "keccak" } else { name };
    let rules: Vec<&Rule> = RULES.iter().filter(|rule| name.starts_with(rule.primitive)).collect();
    let cores: Vec<u8> =
        units.units.iter().map(|unit| u8::from(on_coprocessor(function, unit, &rules))).collect();
    cores.contains(&1).then_some(cores)
}

fn on_coprocessor(function: &Function, unit: &Unit, rules: &[&Rule]) -> bool {
    function.path(unit.step).iter().rev().find_map(|step| {
        let step = &function.steps()[step.index()];
        let rule = rules.iter().find(|rule| rule.step == step.name)?;
        Some(unit.lane.unwrap_or(step.index) % rule.of >= rule.main)
    }) == Some(true)
}
