//! The time of each unit on each core: operations at the platform's prices, measured steps at their
//! measured times, and everything else scaled to a measured total if there is one.

use crate::platform::{MAIN, Pattern, Platform, Sides, StepTime};
use crate::source::SourceError;
use crate::time::{self, MOST_CYCLES, NEVER, Ticks};
use crate::units::Units;
use manylane_graph::{Function, NodeId, Op, StepId};

/// An error: no costs follow from the platform.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum CostError {
    /// The platform's description does not suffice for this function.
    #[error(transparent)]
    Platform(#[from] SourceError),
    /// The measured steps take longer than the whole function.
    #[error(
        "{file}:{line}: {function}: the measured steps take {measured} cycles, the whole only \
         {total}; give a larger total or none"
    )]
    Total {
        /// The platform's file.
        file: String,
        /// The line of the first of the steps.
        line: usize,
        /// The function's name.
        function: String,
        /// Cycles of all measured steps together.
        measured: f64,
        /// The total to scale to, in cycles.
        total: f64,
    },
    /// The sum of the costs is too large to be counted in ticks.
    #[error(
        "{file}:{line}: {function} could take {cycles:.1e} cycles, all on both cores with their \
         handshakes, most of them by {figure}; plans are made up to {MOST_CYCLES:e}: give smaller \
         figures"
    )]
    Range {
        /// The platform's file.
        file: String,
        /// The line of the figure that contributes most.
        line: usize,
        /// This figure, as the file writes it.
        figure: String,
        /// The function's name.
        function: String,
        /// The most cycles that the function could take.
        cycles: f64,
    },
}

/// The time of each unit on each core of a platform. On a platform of one core, the times on the
/// second core are [`NEVER`].
#[derive(Clone, Debug, PartialEq)]
pub struct UnitCosts {
    /// The time of each unit, first on the main core, then on the second one.
    pub ticks: [Vec<Ticks>; 2],
}

impl UnitCosts {
    /// The costs of `units`, the units of `function`, on `platform`. If `total` is given, all of
    /// them together take `total` cycles on the main core.
    ///
    /// # Errors
    /// If the platform lacks the cost of an operation, or a measured time contradicts another.
    pub fn of(
        function: &Function,
        units: &Units,
        platform: &Platform,
        total: Option<f64>,
    ) -> Result<Self, CostError> {
        let nodes = node_costs(function, platform, total)?;
        check_range(function, units, platform, &nodes)?;
        let mut ticks = [vec![0; units.len()], vec![NEVER; units.len()]];
        for (core, nodes) in nodes.iter().enumerate() {
            let nodes = whole_ticks(nodes);
            for (unit, ticks) in units.units.iter().zip(&mut ticks[core]) {
                *ticks = unit.nodes.iter().map(|node| nodes[node.index()]).sum();
            }
        }
        Ok(Self { ticks })
    }

    /// Cycles of a unit on a core.
    pub fn cycles(&self, core: usize, unit: usize) -> f64 {
        time::cycles(self.ticks[core][unit])
    }

    /// Cycles of all units on a core.
    pub fn work(&self, core: usize) -> f64 {
        let saturating = |sum: Ticks, &ticks| sum.saturating_add(ticks);
        time::cycles(self.ticks[core].iter().fold(0, saturating))
    }

    /// The units by the ratio of their times on the main core and the coprocessor, the largest
    /// first; equal ratios by number.
    pub(crate) fn by_advantage(&self) -> Vec<usize> {
        let [main, coprocessor] = &self.ticks;
        let ratio = |unit: usize| match (main[unit], coprocessor[unit]) {
            // A unit that costs nothing on either core changes no sum, and may come first.
            (_, 0) => f64::INFINITY,
            (main, coprocessor) => main as f64 / coprocessor as f64,
        };
        let mut order: Vec<usize> = (0..main.len()).collect();
        order.sort_by(|&a, &b| ratio(b).total_cmp(&ratio(a)).then(a.cmp(&b)));
        order
    }
}

/// Refuses costs if a sum of them might not fit into [`Ticks`].
fn check_range(
    function: &Function,
    units: &Units,
    platform: &Platform,
    nodes: &[Vec<f64>],
) -> Result<(), CostError> {
    let work: f64 = nodes.iter().flatten().sum();
    let handshake = &platform.handshake;
    let sides = [&handshake.turn, &handshake.stream]
        .map(|sides| sides.send.iter().chain(&sides.receive).sum::<f64>());
    // A unit waits for one handshake at most; two more start and end the coprocessor's work.
    let handshakes = (units.len() + 2) as f64 * (sides[0] + sides[1] + handshake.latency);
    let cycles = (work + handshakes) * platform.contention;
    if cycles <= MOST_CYCLES {
        return Ok(());
    }
    let (line, figure) = largest_figure(platform, nodes, work, handshakes);
    let (file, function) = (platform.file.clone(), function.name.clone());
    Err(CostError::Range { file, line, figure, function, cycles })
}

/// The platform's figure that contributes most to a function's time: its line, and the figure as
/// the file writes it.
fn largest_figure(
    platform: &Platform,
    nodes: &[Vec<f64>],
    work: f64,
    handshakes: f64,
) -> (usize, String) {
    let Platform { contention, handshake, cores, lines, .. } = platform;
    if work + handshakes <= MOST_CYCLES {
        return (lines.contention, format!("contention = {contention}"));
    }
    if handshakes > work {
        let sides = [
            (lines.turn, "handshake", &handshake.turn),
            (lines.stream, "handshake.stream", &handshake.stream),
        ];
        let latency = (lines.latency, "handshake", "latency", handshake.latency);
        let sides = sides.into_iter().flat_map(|(line, table, Sides { send, receive })| {
            [("send", send), ("receive", receive)]
                .map(|(key, by_core)| (line, table, key, by_core[0].max(by_core[1])))
        });
        let all = sides.chain([latency]).max_by(|a, b| a.3.total_cmp(&b.3));
        let (line, table, key, value) = all.expect("there are five");
        return (line, format!("{key} = {value} of [{table}]"));
    }
    let work = nodes.iter().map(|costs| costs.iter().sum::<f64>());
    let dearest = work.enumerate().max_by(|one, other| one.1.total_cmp(&other.1));
    let core = &cores[dearest.map_or(MAIN, |(core, _)| core)];
    match core.speed > 1.0 {
        true => (core.speed_line, format!("speed = {} of {}", core.speed, core.name)),
        false => (core.costs.line, format!("the costs of {}", core.name)),
    }
}

/// Rounds costs to whole ticks, each by itself, so that equal costs stay equal. The rounding error
/// of the sum is added to the most expensive one.
fn whole_ticks(costs: &[f64]) -> Vec<Ticks> {
    let mut whole: Vec<Ticks> = costs.iter().map(|&cost| time::ticks(cost)).collect();
    let (sum, exact): (Ticks, Ticks) = (whole.iter().sum(), time::ticks(costs.iter().sum()));
    if let Some(dearest) = whole.iter_mut().max() {
        *dearest = (*dearest + exact).saturating_sub(sum);
    }
    whole
}

/// The cost of every node on every core.
pub(crate) fn node_costs(
    function: &Function,
    platform: &Platform,
    total: Option<f64>,
) -> Result<Vec<Vec<f64>>, CostError> {
    let mut bodies = bodies_of(&[(function, 1)], platform)?;
    let Some(FunctionCosts { mut costs, measured }) = bodies.pop() else { return Ok(Vec::new()) };
    let of_node = |node: NodeId| measured.of_step[function.step(node).index()];
    if let Some(total) = total {
        let sum = |own: bool| -> f64 {
            let nodes = function.nodes().filter(|&node| of_node(node).is_none() == own);
            nodes.map(|node| costs[MAIN][node.index()]).sum()
        };
        let (of_steps, rest) = (sum(false), sum(true));
        if total < of_steps {
            let line = measured.times.iter().map(|time| time.line).min().unwrap_or(1);
            let (file, function) = (platform.file.clone(), function.name.clone());
            let measured = time::rounded(of_steps);
            return Err(CostError::Total { file, line, function, measured, total });
        }
        let factor = if rest > 0.0 { (total - of_steps) / rest } else { 1.0 };
        for costs in &mut costs {
            for node in function.nodes().filter(|&node| of_node(node).is_none()) {
                costs[node.index()] *= factor;
            }
        }
    }
    Ok(costs)
}

/// The cost of every node on every core, for each body; a body (function, times) is computed
/// `times` times. A time that was measured for several steps together is spread over these steps in
/// all bodies.
pub(crate) fn repeated_costs(
    bodies: &[(&Function, usize)],
    platform: &Platform,
) -> Result<Vec<Vec<Vec<f64>>>, CostError> {
    Ok(bodies_of(bodies, platform)?.into_iter().map(|body| body.costs).collect())
}

/// The costs of a function, and the measurements that apply to it.
struct FunctionCosts<'p> {
    /// The cost of each node on each core: the first index is the core.
    costs: Vec<Vec<f64>>,
    measured: MeasuredSteps<'p>,
}

fn bodies_of<'p>(
    bodies: &[(&Function, usize)],
    platform: &'p Platform,
) -> Result<Vec<FunctionCosts<'p>>, CostError> {
    let mut all = Vec::new();
    for (function, _) in bodies {
        let mut costs = Vec::new();
        for core in 0..platform.cores.len() {
            let cost = |node| operation_cost(function, platform, core, node);
            costs.push(function.nodes().map(cost).collect::<Result<Vec<f64>, _>>()?);
        }
        all.push(FunctionCosts { costs, measured: measured(function, platform)? });
    }
    // Each measured time with the nodes whose time it is.
    let mut members: Vec<(&StepTime, Vec<Member>)> = Vec::new();
    for (b, (&(function, times), body)) in bodies.iter().zip(&all).enumerate() {
        let mut places = Vec::new();
        for &time in &body.measured.times {
            let same = |(known, _): &(&StepTime, _)| !time.each && std::ptr::eq(*known, time);
            let known = members.iter().position(same);
            places.push(known.unwrap_or(members.len()));
            if known.is_none() {
                members.push((time, Vec::new()));
            }
        }
        for node in function.nodes().filter(|&node| function.op(node).is_work()) {
            if let Some(which) = body.measured.of_step[function.step(node).index()] {
                // A step that was measured by itself takes this time whenever it is computed.
                let times = if body.measured.times[which].each { 1 } else { times };
                members[places[which]].1.push(Member { body: b, node, times: times as f64 });
            }
        }
    }
    let own: Vec<Vec<Vec<f64>>> = all.iter().map(|body| body.costs.clone()).collect();
    for (time, members) in &members {
        for core in 0..platform.cores.len() {
            let cycles = time.cycles[core]
                .or_else(|| time.cycles[MAIN].map(|main| main * platform.cores[core].speed));
            let Some(cycles) = cycles else { continue };
            let own = |of: &Member| own[of.body][core][of.node.index()];
            let sum: f64 = members.iter().map(|of| of.times * own(of)).sum();
            let count: f64 = members.iter().map(|of| of.times).sum();
            for of in members {
                let share = if sum > 0.0 { own(of) / sum } else { 1.0 / count };
                all[of.body].costs[core][of.node.index()] = cycles * share;
            }
        }
    }
    Ok(all)
}

/// A node of a measured step.
struct Member {
    body: usize,
    node: NodeId,
    /// How often it is computed in the measured time.
    times: f64,
}

/// The cost of a node on a core, in cycles. A sum of n terms counts as n − 1 operations.
fn operation_cost(
    function: &Function,
    platform: &Platform,
    core: usize,
    node: NodeId,
) -> Result<f64, SourceError> {
    let op = function.op(node);
    let times = match op {
        Op::Add | Op::And | Op::Or | Op::Xor => function.args(node).len() - 1,
        Op::Input(_)
        | Op::Const(_)
        | Op::Carry
        | Op::Sub
        | Op::Xnor
        | Op::Not
        | Op::Rotl(_)
        | Op::Rotr(_)
        | Op::Shl(_)
        | Op::Shr(_)
        | Op::RotlVar
        | Op::RotrVar
        | Op::Lut3(_)
        | Op::SubBytes
        | Op::Xtime
        | Op::SwapBytes
        | Op::Call(_)
        | Op::Result(_)
        | Op::External => 1,
    };
    Ok(times as f64 * platform.cost(core, op, function.width(node))?)
}

/// The measurements that apply to a function.
struct MeasuredSteps<'p> {
    /// One for each measured step, and one for all steps that were measured together.
    times: Vec<&'p StepTime>,
    /// For each step, the index of the measurement of this step or of the one that it lies in.
    of_step: Vec<Option<usize>>,
}

fn measured<'p>(
    function: &Function,
    platform: &'p Platform,
) -> Result<MeasuredSteps<'p>, SourceError> {
    let candidates: Vec<&StepTime> =
        platform.steps.iter().filter(|time| time.concerns(function)).collect();
    let mut measured =
        MeasuredSteps { times: Vec::new(), of_step: vec![None; function.steps().len()] };
    let mut shared: Vec<Option<usize>> = vec![None; candidates.len()];
    let mut around: Vec<Option<&StepTime>> = vec![None; function.steps().len()];
    for i in 1..function.steps().len() {
        let id = StepId(i as u32);
        around[i] = around[function.steps()[i].parent.index()];
        measured.of_step[i] = measured.of_step[function.steps()[i].parent.index()];
        let matching = candidates.iter().enumerate().filter_map(|(which, &time)| {
            time.pattern_of(function, id).map(|pattern| (which, time, pattern))
        });
        let matching: Vec<_> = matching.collect();
        // The section with the longest name is the most specific one; `*` is the shortest.
        let precise = |(_, time, pattern): &&(usize, &StepTime, &Pattern)| {
            (time.section.len(), pattern.precision())
        };
        let Some(&(which, time, pattern)) = matching.iter().max_by_key(precise) else {
            continue;
        };
        let in_doubt = matching.iter().find(|&&(other, of, general)| {
            let is_rival = other != which && of.section == time.section;
            is_rival && !(of.each && pattern.refines(general))
        });
        if let Some((_, other, general)) = in_doubt {
            return Err(SourceError {
                file: platform.file.clone(),
                line: time.line.max(other.line),
                problem: format!(
                    "two times of `{}`: that of `{pattern}` in line {} and that of `{general}` in \
                     line {}",
                    function.path_name(id),
                    time.line,
                    other.line
                ),
                remedy: "keep one of them, or name its steps by more of their path".into(),
            });
        }
        if let Some(outer) = around[i] {
            return Err(SourceError {
                file: platform.file.clone(),
                line: time.line,
                problem: format!(
                    "a cycle of overrides: `{}` lies in a step overridden in line {}",
                    function.path_name(id),
                    outer.line
                ),
                remedy: "give the time of the whole or of its substeps, not both".into(),
            });
        }
        around[i] = Some(time);
        let known = if time.each { None } else { shared[which] };
        let measurement = known.unwrap_or_else(|| {
            measured.times.push(time);
            measured.times.len() - 1
        });
        shared[which] = Some(measurement);
        measured.of_step[i] = Some(measurement);
    }
    Ok(measured)
}
