//! The limit of whole steps with hand-overs: nothing that is tried goes below it.

mod programs;

use manylane_graph::builder::Builder;
use manylane_graph::framing::{ByteOrder, stream};
use manylane_graph::trace::literal_compression;
use manylane_graph::{Function, Kind, NodeId, Op, Role};
use manylane_plan::Platform;
use manylane_plan::platform::{HandshakeCosts, Memory, Sides};
use manylane_plan::program::assign::{CALLS, assign};
use manylane_plan::program::message::Calls;
use manylane_plan::program::prices::Prices;
use manylane_plan::program::shape::Shape;
use manylane_plan::program::time::time_jobs;
use manylane_plan::program::whole::WholeSteps;
use manylane_plan::units::{Level, Units};
use manylane_primitives::catalog::{Algorithm, HashId};
use programs::Random;
use std::collections::BTreeSet;

fn limit(name: &str, platform: &Platform) -> Option<WholeSteps> {
    let function = literal_compression(name.parse().unwrap());
    WholeSteps::of(&Shape::written_out(&function), platform).unwrap()
}

/// No message that was run on two cores took less than the limit of all of its calls.
#[test]
fn no_run_of_the_record_is_below() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../benches/record");
    let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let records = files.filter(|file| file.to_str().unwrap().ends_with("-simulators.json"));
    let newest = std::fs::read(records.max().unwrap()).unwrap();
    let record: serde_json::Value = serde_json::from_slice(&newest).unwrap();
    let mut checked = 0;
    for name in ["ibex-duo", "rp2040"] {
        let platform = Platform::load(name).unwrap();
        for &id in HashId::ALL {
            let algorithm = Algorithm::from(id);
            let Some(limit) = limit(&algorithm.to_string(), &platform) else { continue };
            let framing = stream(algorithm).unwrap().framing;
            for row in record["rows"].as_array().unwrap() {
                let is_it = row["platform"] == name
                    && row["primitive"] == algorithm.to_string()
                    && row["cores"] == 2;
                if !is_it {
                    continue;
                }
                let (length, cycles) = (row["length"].as_u64(), row["cycles"].as_f64().unwrap());
                let calls = Calls::of(&framing, length.unwrap() as usize).count() as f64;
                assert!(calls * limit.cycles <= cycles, "{algorithm} {name} {length:?}: {limit:?}");
                checked += 1;
            }
        }
    }
    assert!(checked > 300, "{checked} runs");
}

/// What the search of programs finds, at the platform's prices, is not below, neither on machines
/// with few registers nor with many.
#[test]
fn no_program_that_is_found_is_below() {
    for (name, machine) in [
        ("blake256", "ibex-duo"),
        ("blake256", "rp2040"),
        ("sha1", "ibex-duo"),
        ("ripemd160", "rp2040"),
        ("skein512", "ibex-duo"),
    ] {
        let mut platform = Platform::load(machine).unwrap();
        platform.programs.clear();
        platform.shares.clear();
        let limit = limit(name, &platform).unwrap();
        let one = Shape::default().one(&literal_compression(name.parse().unwrap()));
        let found = assign(&one.rolled, one.fingerprint, ByteOrder::Little, &platform, 30).unwrap();
        let prices = Prices::of(&one.rolled, 2, ByteOrder::Little, &platform).unwrap();
        for program in &found.candidates {
            let cycles = time_jobs(program, &prices, &[CALLS]).unwrap().cycles();
            let least = CALLS as f64 * limit.cycles;
            assert!(cycles >= least, "{name} on {machine}: {cycles} and {least}");
        }
        assert!(!found.candidates.is_empty(), "{name} on {machine}");
    }
}

/// A core whose file gives no number of registers may keep every word of the message, whatever the
/// other core has.
#[test]
fn reads_are_counted_on_cores_with_few_registers_only() {
    let alone = |registers: [Option<usize>; 2]| {
        let mut platform = Platform::load("rp2040").unwrap();
        for (core, registers) in platform.cores.iter_mut().zip(registers) {
            core.memory.registers = registers;
        }
        limit("blake256", &platform).unwrap().alone
    };
    let [few, many] = [Some(10), None];
    assert!(alone([few, few]) > alone([many, many]));
    assert_eq!(alone([few, many]), alone([many, many]));
    assert_eq!(alone([many, few]), alone([many, many]));
}

/// Layers of `layers[i]` steps; each step takes a word of some or all of the layer before, and
/// perhaps a word that follows from the message alone.
fn layered(random: &mut Random, layers: &[usize], is_complete: bool) -> Function {
    let mut b = Builder::literal("layered");
    let h: Vec<NodeId> = (0..2).map(|i| b.input(&format!("h{i}"), Role::Chaining, 32)).collect();
    let m: Vec<NodeId> = (0..2).map(|i| b.input(&format!("m{i}"), Role::Message, 32)).collect();
    b.enter(Kind::Schedule, "schedule", 0, &[]);
    let free = b.op(Op::Add, &[m[0], m[1]]);
    b.leave();
    let mut last: Vec<Vec<NodeId>> = vec![h];
    let mut step = 0;
    for &count in layers {
        let mut next = Vec::new();
        for _ in 0..count {
            b.enter(Kind::Part, "g", step, &[]);
            step += 1;
            let mut value = if random.below(2) == 0 { free } else { m[random.below(2)] };
            for (i, words) in last.iter().enumerate() {
                if is_complete || i == 0 || random.below(2) == 0 {
                    let word = words[random.below(words.len())];
                    value = b.op(Op::Add, &[value, word]);
                }
            }
            let mut made = vec![value];
            for n in 0..random.below(6) as u8 {
                value = b.op(Op::Rotl(1 + n), &[value]);
                value = b.op(Op::Xor, &[value, free]);
                made.push(value);
            }
            b.leave();
            next.push(made[made.len().saturating_sub(2)..].to_vec());
        }
        last = next;
    }
    let values: Vec<NodeId> = last.concat();
    for (i, value) in values.into_iter().enumerate() {
        b.output(&format!("h{i}"), value);
    }
    b.finish()
}

/// A machine whose prices are small whole numbers.
fn machine(random: &mut Random) -> Platform {
    let mut platform = Platform::load("ibex-duo").unwrap();
    let mut few = |most: usize| random.below(most) as f64;
    let mut sides = || Sides { send: [1.0 + few(3), 1.0 + few(3)], receive: [few(4), few(4)] };
    let (counter, flag) = (sides(), sides());
    platform.handshake = HandshakeCosts {
        turn: counter,
        stream: counter,
        flag,
        latency: few(4),
        start: 0.0,
        finish: 0.0,
    };
    let memory = Memory {
        load: 1.0 + few(3),
        store: 1.0 + few(3),
        registers: Some(1 + few(8) as usize),
        ..Memory::default()
    };
    platform.cores.iter_mut().for_each(|core| core.memory = memory);
    platform.cores[1].speed = 1.0 + few(2);
    platform
}

/// The fastest of all schedules of whole steps: every assignment, every order, and every choice of
/// the results that are handed over together with those of the next step.
struct Schedules<'s> {
    function: &'s Function,
    platform: &'s Platform,
    units: Units,
    unit_of: Vec<Option<usize>>,
    /// The time of each unit on each core, with what it reads.
    times: [Vec<f64>; 2],
}

impl<'s> Schedules<'s> {
    fn new(function: &'s Function, platform: &'s Platform) -> Self {
        let units = Units::of(function, Level::Substep);
        let mut unit_of = vec![None; function.len()];
        for (i, unit) in units.units.iter().enumerate() {
            unit.nodes.iter().for_each(|node| unit_of[node.index()] = Some(i));
        }
        let is_message = |node: NodeId| match function.op(node) {
            Op::Input(i) => function.inputs()[i as usize].role == Role::Message,
            _ => false,
        };
        let read = |nodes: &[NodeId]| -> BTreeSet<NodeId> {
            let args = nodes.iter().flat_map(|&node| function.args(node).iter().copied());
            args.filter(|&arg| is_message(arg)).collect()
        };
        let all: Vec<NodeId> = function.nodes().collect();
        let registers = platform.cores[0].memory.registers.unwrap();
        let is_counted = read(&all).len() > registers;
        let times = [0, 1].map(|core| {
            let of = &platform.cores[core];
            let access = of.memory.load.min(of.memory.store) * of.speed;
            let time = |nodes: &Vec<NodeId>| {
                let work = nodes.iter().map(|&node| {
                    platform.cost(core, function.op(node), function.width(node)).unwrap()
                });
                let reads = if is_counted { read(nodes).len() } else { 0 };
                work.sum::<f64>() + access * reads as f64
            };
            units.units.iter().map(|unit| time(&unit.nodes)).collect()
        });
        Self { function, platform, units, unit_of, times }
    }

    fn least(&self) -> f64 {
        let count = self.units.len();
        let mut orders: Vec<Vec<usize>> = Vec::new();
        self.orders(&mut Vec::new(), &mut orders);
        let mut least = f64::INFINITY;
        for order in &orders {
            for cores in 0..1usize << count {
                for held in 0..1usize << count {
                    least = least.min(self.end(order, cores, held));
                }
            }
        }
        least
    }

    /// All orders in which a unit comes after its operands.
    fn orders(&self, begun: &mut Vec<usize>, all: &mut Vec<Vec<usize>>) {
        if begun.len() == self.units.len() {
            all.push(begun.clone());
            return;
        }
        for unit in 0..self.units.len() {
            let before = self.units.before.of(unit);
            let is_ready = before.iter().all(|&of| begun.contains(&(of as usize)));
            if is_ready && !begun.contains(&unit) {
                begun.push(unit);
                self.orders(begun, all);
                begun.pop();
            }
        }
    }

    /// The values of a unit that another one takes.
    fn taken(&self, of: usize, by: usize) -> BTreeSet<NodeId> {
        let args = self.units.units[by].nodes.iter();
        let args = args.flat_map(|&node| self.function.args(node).iter().copied());
        args.filter(|arg| self.unit_of[arg.index()] == Some(of)).collect()
    }

    /// The time at which all units are done if they run in this order, one after the other on each
    /// core. A unit of the set `held` hands its results over with those of a later one.
    fn end(&self, order: &[usize], cores: usize, held: usize) -> f64 {
        let on = |unit: usize| cores >> unit & 1;
        let HandshakeCosts { stream, flag, latency, .. } = &self.platform.handshake;
        // Each side of a handshake takes its cheaper kind.
        let send = [0, 1].map(|core| stream.send[core].min(flag.send[core]));
        let receive = [0, 1].map(|core| stream.receive[core].min(flag.receive[core]));
        let access = [0, 1].map(|core: usize| {
            let of = &self.platform.cores[core];
            of.memory.load.min(of.memory.store) * of.speed
        });
        let mut clock = [0.0_f64; 2];
        // When each unit's results can be seen; which are known, and which words were loaded.
        let mut there = vec![f64::INFINITY; self.units.len()];
        let mut known = vec![false; self.units.len()];
        let mut loaded: BTreeSet<NodeId> = BTreeSet::new();
        let mut waiting: [Vec<usize>; 2] = [Vec::new(), Vec::new()];
        for &unit in order {
            let core = on(unit);
            let before = self.units.before.of(unit).iter().map(|&of| of as usize);
            let remote: Vec<usize> = before.filter(|&of| on(of) != core).collect();
            if remote.iter().any(|&of| !known[of]) {
                let arrives = remote.iter().map(|&of| there[of]).fold(0.0, f64::max);
                if arrives == f64::INFINITY {
                    return f64::INFINITY;
                }
                clock[core] = clock[core].max(arrives) + receive[core];
                for of in 0..self.units.len() {
                    known[of] |= on(of) != core && there[of] <= arrives;
                }
            }
            for of in remote {
                for word in self.taken(of, unit) {
                    if loaded.insert(word) {
                        clock[core] += access[core];
                    }
                }
            }
            clock[core] += self.times[core][unit];
            let users: Vec<usize> =
                self.units.after.of(unit).iter().map(|&by| by as usize).collect();
            let mut words: BTreeSet<NodeId> = BTreeSet::new();
            for by in users.into_iter().filter(|&by| on(by) != core) {
                words.extend(self.taken(unit, by));
            }
            if words.is_empty() {
                continue;
            }
            clock[core] += access[core] * words.len() as f64;
            waiting[core].push(unit);
            if held >> unit & 1 == 0 {
                clock[core] += send[core];
                for sent in waiting[core].drain(..) {
                    there[sent] = clock[core] + latency;
                }
            }
        }
        clock[0].max(clock[1])
    }
}

/// Small functions, all of whose schedules are tried.
#[test]
fn no_schedule_of_a_small_function_is_below() {
    let mut random = Random(0x2545_f491_4f6c_dd1d);
    let (mut sum_of_limits, mut sum_of_best) = (0.0, 0.0);
    for number in 0..40 {
        let shapes: [&[usize]; 4] = [&[2, 2], &[1, 2, 1], &[1, 1, 1, 1], &[3, 1]];
        let function = layered(&mut random, shapes[number % 4], number % 3 > 0);
        let platform = machine(&mut random);
        let limit = WholeSteps::of(&function, &platform).unwrap().unwrap();
        let best = Schedules::new(&function, &platform).least();
        assert!(limit.cycles <= best + 1e-6, "{number}: {limit:?}, {best}\n{function}");
        assert!(limit.cycles >= 0.5 * best, "{number}: {limit:?}, {best}");
        (sum_of_limits, sum_of_best) = (sum_of_limits + limit.cycles, sum_of_best + best);
    }
    assert!(sum_of_limits > 0.8 * sum_of_best, "{sum_of_limits} and {sum_of_best}");
}
