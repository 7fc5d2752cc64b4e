//! Plans for every hash of the catalogue, and what limits them.

use manylane_graph::builder::Builder;
use manylane_graph::passes::{balance, flatten, inline};
use manylane_graph::trace::{self, Loading};
use manylane_graph::{Function, Op, Role};
use manylane_plan::Platform;
use manylane_plan::costs::UnitCosts;
use manylane_plan::two_core::simulate::Machine;
use manylane_plan::two_core::{Limit, Options, Plan, in_lanes, plan};
use manylane_plan::units::{Level, Units};
use manylane_primitives::catalog::{Algorithm, HashId};

/// s = 1/4, τ = 100 at every handshake, 50 cycles on each side.
fn without_streams() -> Platform {
    let mut platform = Platform::load("s12x-xgate-2012").unwrap();
    assert_eq!(platform.cores[1].speed, 0.25);
    platform.handshake.stream = platform.handshake.turn;
    assert_eq!([platform.handshake.delay(0), platform.handshake.delay(1)], [100.0; 2]);
    platform
}

/// Effort for a test: the program's longer climb saves at most one percentage point more.
fn quick() -> Options {
    Options { effort: 100_000, ..Options::default() }
}

fn verified(function: &Function, platform: &Platform, options: Options) -> Plan {
    let plan = plan(function, platform, options).unwrap();
    let units = Units::of(function, options.level);
    plan.schedule.verify(&units).unwrap_or_else(|broken| panic!("{}: {broken}", function.name));
    assert_eq!(plan.schedule.end, plan.best().cycles);
    plan
}

#[test]
fn every_hash_is_planned_close_to_its_limit() {
    let platform = without_streams();
    for &id in HashId::ALL {
        let message = trace::message(Algorithm::new(id), 64, Loading::Buffered);
        let function = in_lanes(inline(&message), &platform);
        let plan = verified(&function, &platform, quick());
        let (gain, limit) = (100.0 * plan.saved.of_main, 100.0 * plan.saved.limit);
        println!("{:25} {gain:5.2} of {limit:5.2}: {}", plan.function, plan.reason);
        assert!(plan.saved.of_best_single >= 0.0, "{}", plan.function);
        assert!(plan.best().cycles >= plan.limit.cycles(), "{}", plan.function);
        assert!(gain >= limit - 5.0, "{}: {gain:.2} of {limit:.2}", plan.function);
        assert!(limit <= 80.0 + 1e-9, "{}: {limit}", plan.function);
    }
}

#[test]
fn every_platform_is_planned_for_at_every_level() {
    for platform in Platform::builtin() {
        for name in ["md5", "blake256"] {
            let function = trace::compression(name.parse().unwrap());
            for level in [Level::Step, Level::Substep, Level::Node] {
                let plan = verified(&function, &platform, Options { level, ..quick() });
                assert!(plan.saved.of_best_single >= 0.0, "{}", platform.name);
                assert!(plan.best().cycles >= plan.limit.cycles() * (1.0 - 1e-9));
            }
        }
    }
}

/// No assignment of whole parts to cores, and no order of a sum's terms, goes below the limit.
#[test]
fn a_limit_is_one_of_operations() {
    let platform = Platform::load("unit").unwrap();
    for name in ["md5", "ripemd160", "sha256", "groestl256"] {
        let function = trace::compression(name.parse().unwrap());
        let limit = Limit::of_operations(&function, &platform, None).unwrap();
        for level in Level::ALL {
            let effort = 20_000;
            let plan = verified(&function, &platform, Options { level, effort, ..quick() });
            assert_eq!((plan.limit, plan.proved), (limit, true), "{name}");
            assert!(plan.units_limit.cycles() >= limit.cycles(), "{name} {level:?}");
            assert!(plan.candidates.iter().all(|c| c.cycles >= limit.cycles()), "{name} {level:?}");
        }
        let balanced = balance(&flatten(&function), |_, _| 1.0);
        let units = Units::of(&balanced, Level::Node);
        let costs = UnitCosts::of(&balanced, &units, &platform, None).unwrap();
        let chain = Limit::of(&units, &costs).span;
        assert!(chain >= limit.span, "{name}: {chain}, {}", limit.span);
    }
    // The terms of a sum may come in any order: x + y + z + u, where x is there last.
    let mut b = Builder::new("sum");
    let [w, y, z, u] = ["w", "y", "z", "u"].map(|name| b.input(name, Role::Message, 64));
    let x = (1..6).fold(w, |x, n| b.op(Op::Rotl(n), &[x]));
    let sum = [y, z, u].into_iter().fold(x, |sum, term| b.op(Op::Add, &[sum, term]));
    b.output("d", sum);
    let limit = Limit::of_operations(&b.finish(), &platform, None).unwrap();
    assert_eq!((limit.span, limit.work), (6.0, 4.0));
}

/// Where measured times are spread over operations, the time of a single operation is not known.
#[test]
fn a_limit_of_measured_steps_is_an_estimate() {
    let platform = Platform::load("s12x-xgate-2012").unwrap();
    let blake = trace::compression("blake256".parse().unwrap());
    let md5 = trace::compression("md5".parse().unwrap());
    let proved = |function, total| {
        let options = Options { total, effort: 0, ..Options::default() };
        plan(function, &platform, options).unwrap().proved
    };
    assert!(!proved(&blake, None), "G was measured");
    assert!(proved(&md5, None));
    assert!(!proved(&md5, Some(50_000.0)), "the whole was measured");
}

#[test]
fn a_report_answers_first_and_fits_the_screen() {
    let function = trace::compression("sha256".parse().unwrap());
    let report = verified(&function, &without_streams(), quick()).to_string();
    assert!(report.starts_with("worth it: 7"), "{report}");
    assert!(report.contains("all on the coprocessor") && report.contains("limit"), "{report}");
    assert!(report.lines().all(|line| line.chars().count() <= 100), "{report}");
}

#[test]
fn a_plan_is_the_same_every_time() {
    let function = trace::compression("sha256".parse().unwrap());
    let platform = Platform::load("s12x-xgate-2012").unwrap();
    let one = plan(&function, &platform, quick()).unwrap();
    let two = plan(&function, &platform, quick()).unwrap();
    assert_eq!(one.schedule, two.schedule);
    let text = serde_json::to_string(&one.schedule).unwrap();
    assert_eq!(
        serde_json::from_str::<manylane_plan::schedule::Schedule>(&text).unwrap(),
        one.schedule
    );
    assert!(serde_json::to_string(&one).unwrap().contains("\"limit\""));
}

/// A platform without its coprocessor is a platform of one core.
#[test]
fn without_a_coprocessor_all_is_on_the_main_core() {
    let mut platform = Platform::load("unit").unwrap();
    platform.cores.truncate(1);
    let plan = verified(&trace::compression("md5".parse().unwrap()), &platform, quick());
    assert_eq!(plan.candidates.len(), 1);
    assert_eq!(plan.limit.cycles(), plan.best().cycles);
    assert!(plan.to_string().starts_with("not worth it"));
}

/// Sums and rotations that depend on each other in many ways.
fn tangle(count: usize) -> Function {
    let mut b = Builder::new("tangle");
    let mut nodes: Vec<_> = (0..3).map(|i| b.input(&format!("x{i}"), Role::Message, 64)).collect();
    for i in 0..count {
        let (x, y) = (nodes[(7 * i + 1) % nodes.len()], nodes[(5 * i + 2) % nodes.len()]);
        let new = match i % 3 {
            0 => b.op(Op::Rotl(1 + i as u8), &[x]),
            _ => b.op(Op::Add, &[x, y]),
        };
        nodes.push(new);
    }
    b.output("y", *nodes.last().unwrap());
    b.finish()
}

/// The exact search against all 2^n assignments.
#[test]
fn the_exact_search_finds_the_best_assignment() {
    let function = tangle(12);
    for (delay, speed) in [(0.2, 1.0), (1.0, 1.0), (3.0, 0.5), (0.5, 0.25)] {
        let mut platform = Platform::load("unit").unwrap();
        platform.handshake.latency = delay;
        platform.cores[1].speed = speed;
        let units = Units::of(&function, Level::Node);
        let costs = UnitCosts::of(&function, &units, &platform, None).unwrap();
        let machine = Machine::new(&units, &costs, &platform);
        let all = (0..1u32 << units.len()).map(|bits| {
            let cores: Vec<u8> = (0..units.len()).map(|unit| (bits >> unit & 1) as u8).collect();
            machine.cycles(&cores)
        });
        let best = all.fold(f64::INFINITY, f64::min);
        let options =
            Options { level: Level::Node, effort: 0, exact: 100_000, ..Options::default() };
        let plan = verified(&function, &platform, options);
        let proof = plan.proof.unwrap();
        assert!(proof.lower <= best + 1e-9, "{proof:?} against {best}");
        assert!(
            (plan.best().cycles - best).abs() < 1e-9,
            "{proof:?}: {} of {best}",
            plan.best().cycles
        );
        assert!(proof.lower >= plan.limit.cycles() - 1e-9);
    }
}

#[test]
fn a_proof_says_when_nothing_is_better() {
    let rc5 = trace::rc5::<u32>(trace::Rc5::KeyExpansion, 4, 4);
    let options = Options { effort: 10_000, exact: 20_000, ..Options::default() };
    let plan = verified(&rc5, &without_streams(), options);
    assert!(plan.proof.unwrap().optimal, "{:?}", plan.proof);
    let none = Options { effort: 10_000, exact: 100, ..Options::default() };
    let blake = trace::compression("blake256".parse().unwrap());
    let gap = verified(&blake, &without_streams(), Options { level: Level::Step, ..none });
    assert!(!gap.proof.unwrap().optimal);
}
