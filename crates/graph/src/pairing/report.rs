//! The report on the graph: calls by step, and how many products can run at the same time.

use super::functions::{Calls, FieldFunction, FunctionKind};
use super::{even_cuts, pair, pair_in_parts};
use crate::analysis::thousandths;
use crate::ir::{Function, FunctionId, Module, Op, StepId};
use manylane_primitives::pairing::eta_t::factors;
use manylane_primitives::pairing::{Curve, Eta1223};
use serde::Serialize;
use std::collections::HashMap;

/// The warning that is printed wherever the pairing is named.
pub const SECURITY: &str = "SECURITY: pairings over fields of small characteristic are broken. The \
curve over F_2^1223 has about 59 bits of security (Granger, Kleinjung, Zumbrägel, CRYPTO 2014), \
not \
128: for research and teaching only.";

/// The products of a function when all other calls take no time. Products inside inversions count.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Products {
    /// For each time, in durations of a product, how many products begin if every one begins as
    /// soon as it can.
    pub profile: Vec<usize>,
    /// For each node, the longest chain of products inside it: 1 for a product, more for an
    /// inversion.
    chain: Vec<usize>,
}

impl Products {
    /// The products of `function`, of `module`.
    pub fn of(module: &Module, function: &Function) -> Self {
        if function.name == FunctionKind::Multiply.name() {
            return Self { profile: vec![1], chain: Vec::new() };
        }
        let mut callees: HashMap<FunctionId, Vec<usize>> = HashMap::new();
        let (mut profile, mut end) = (Vec::new(), vec![0; function.len()]);
        let mut chain = vec![0; function.len()];
        for node in function.nodes() {
            let start = function.args(node).iter().map(|arg| end[arg.index()]).max().unwrap_or(0);
            end[node.index()] = start;
            let Op::Call(callee) = function.op(node) else { continue };
            let own = callees
                .entry(callee)
                .or_insert_with(|| Self::of(module, module.function(callee)).profile);
            chain[node.index()] = own.len();
            end[node.index()] += own.len();
            profile.resize(profile.len().max(start + own.len()), 0);
            for (all, own) in profile[start..].iter_mut().zip(own) {
                *all += *own;
            }
        }
        Self { profile, chain }
    }

    /// Number of products.
    pub fn work(&self) -> usize {
        self.profile.iter().sum()
    }

    /// Number of products on the longest chain.
    pub fn span(&self) -> usize {
        self.profile.len()
    }
}

/// The report on the graph of a pairing.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Report {
    /// `eta-t`.
    pub primitive: &'static str,
    /// The curve, in words.
    pub title: String,
    /// The warning [`SECURITY`].
    pub security: &'static str,
    /// m, for the field F_2^m.
    pub m: usize,
    /// All calls outside inversions; `inverse` has the calls inside one.
    pub calls: Calls,
    /// The calls of one inversion.
    pub inverse: Calls,
    /// The calls by step, in the order in which the steps first occur.
    pub steps: Vec<StepCalls>,
    /// The pairing in p parts, p = 1, 2, 4, …
    pub parts: Vec<Parts>,
    /// For the pairing in one part, how many products can begin at each time.
    pub profile: Vec<usize>,
}

/// All steps of one name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct StepCalls {
    /// The names from the outermost step to these steps, with `/` between.
    pub name: String,
    /// Number of the steps.
    pub count: usize,
    /// For each function, the fewest calls that one step makes.
    pub least: Calls,
    /// For each function, the most calls that one step makes.
    pub most: Calls,
    /// The longest chain of products in one step, when all values from outside are available.
    pub chain: usize,
}

/// The pairing with its factors in parts of nearly equal length.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Parts {
    /// Number of parts.
    pub parts: usize,
    /// Number of products.
    pub products: usize,
    /// Products on the longest chain.
    pub chain: usize,
    /// Mean number of products at the same time.
    pub parallelism: f64,
}

impl Report {
    /// The report on the pairing over F_2^1223.
    pub fn eta1223() -> Self {
        Self::new::<Eta1223>()
    }

    /// The report on the pairing over a curve.
    pub fn new<C: Curve>() -> Self {
        let module = pair::<C>();
        let main = module.main();
        let products = Products::of(&module, main);
        let most = factors::<C>();
        let counts = (0..).map(|i| 1 << i).take_while(|&parts| parts < most).chain([most]);
        Self {
            primitive: "eta-t",
            title: format!("η_T over F_2^{}", C::M),
            security: SECURITY,
            m: C::M,
            calls: Calls::of(&module, main),
            inverse: Calls::of_inverse(&module),
            steps: StepCalls::all(&module, main, &products),
            parts: counts.map(Parts::of::<C>).collect(),
            profile: products.profile,
        }
    }
}

impl Parts {
    /// The figures of the pairing in this number of parts.
    fn of<C: Curve>(parts: usize) -> Self {
        let module = pair_in_parts::<C>(&even_cuts::<C>(parts));
        let products = Products::of(&module, module.main());
        let (work, span) = (products.work(), products.span());
        let parallelism = thousandths(work as f64 / span as f64);
        Self { parts, products: work, chain: span, parallelism }
    }
}

impl Calls {
    /// The calls in a step of the module's last function, its substeps included.
    pub fn in_step(module: &Module, step: StepId) -> Self {
        let main = module.main();
        let depth = main.path(step).len();
        let mut calls = Self::default();
        for node in main.nodes().filter(|&node| main.ancestor(main.step(node), depth) == step) {
            if let Some(called) = FieldFunction::called(module, main.op(node)) {
                calls += called.kind();
            }
        }
        calls
    }
}

/// The figures of one step.
#[derive(Clone, Copy, Debug, Default)]
struct Figures {
    calls: Calls,
    chain: usize,
}

impl StepCalls {
    fn all(module: &Module, function: &Function, products: &Products) -> Vec<Self> {
        let mut kinds: Vec<Self> = Vec::new();
        for (id, figures) in figures(module, function, products).into_iter().enumerate().skip(1) {
            if figures.calls == Calls::default() {
                continue;
            }
            let path = function.path(StepId(id as u32));
            let names = path.iter().map(|step| &function.steps()[step.index()].name[..]);
            let name = names.collect::<Vec<_>>().join("/");
            let Figures { calls, chain } = figures;
            match kinds.iter_mut().find(|kind| kind.name == name) {
                Some(kind) => {
                    kind.count += 1;
                    kind.least = kind.least.zip(calls, usize::min);
                    kind.most = kind.most.zip(calls, usize::max);
                    kind.chain = kind.chain.max(chain);
                }
                None => kinds.push(Self { name, count: 1, least: calls, most: calls, chain }),
            }
        }
        kinds
    }
}

/// The figures of every step, its substeps included.
fn figures(module: &Module, function: &Function, products: &Products) -> Vec<Figures> {
    let paths: Vec<Vec<StepId>> =
        (0..function.steps().len() as u32).map(|step| function.path(StepId(step))).collect();
    let deepest = paths.iter().map(Vec::len).max().unwrap_or(0);
    let mut figures = vec![Figures::default(); function.steps().len()];
    for depth in 0..deepest {
        let around = |node| paths[function.step(node).index()].get(depth);
        // Chains within the step at this depth.
        let mut end = vec![0; function.len()];
        for node in function.nodes() {
            let Some(step) = around(node) else { continue };
            let Some(called) = FieldFunction::called(module, function.op(node)) else { continue };
            let same = function.args(node).iter().filter(|&&arg| around(arg) == Some(step));
            let start = same.map(|arg| end[arg.index()]).max().unwrap_or(0);
            end[node.index()] = start + products.chain[node.index()];
            let figures = &mut figures[step.index()];
            figures.calls += called.kind();
            figures.chain = figures.chain.max(end[node.index()]);
        }
    }
    figures
}
