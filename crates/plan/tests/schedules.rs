//! The simulator against times computed by hand, and the verifier against schedules that break its
//! rules.

use manylane_graph::builder::Builder;
use manylane_graph::{Function, Kind, Op, Role};
use manylane_plan::Platform;
use manylane_plan::costs::UnitCosts;
use manylane_plan::schedule::{Broken, Interval, Schedule};
use manylane_plan::two_core::simulate::Machine;
use manylane_plan::units::{Level, Units};

/// ```text
/// a = x + y ──► c = a + y ──► d = c + b
/// b = rotl x ─────────────────┘
/// ```
fn function() -> Function {
    let mut b = Builder::new("four");
    let x = b.input("x", Role::Message, 64);
    let y = b.input("y", Role::Message, 64);
    let mut step = |name: &str, op, args: &[_]| {
        b.enter(Kind::Part, name, 0, args);
        let node = b.op(op, args);
        b.leave();
        node
    };
    let a = step("a", Op::Add, &[x, y]);
    let r = step("b", Op::Rotl(1), &[x]);
    let c = step("c", Op::Add, &[a, y]);
    let d = step("d", Op::Xor, &[c, r]);
    b.output("d", d);
    b.finish()
}

/// Every operation takes 10 cycles on either core, a send 2, a receive 3; the latency is 4.
fn platform(contention: f64) -> Platform {
    let mut platform = Platform::load("unit").unwrap();
    platform.cores.iter_mut().for_each(|core| core.speed = 10.0);
    platform.handshake.turn.send = [2.0; 2];
    platform.handshake.turn.receive = [3.0; 2];
    platform.handshake.stream = platform.handshake.turn;
    platform.handshake.latency = 4.0;
    platform.contention = contention;
    platform
}

fn schedule(cores: &[u8], contention: f64) -> (Units, Schedule) {
    let function = function();
    let platform = platform(contention);
    let units = Units::of(&function, Level::Substep);
    let costs = UnitCosts::of(&function, &units, &platform, None).unwrap();
    let schedule = Machine::new(&units, &costs, &platform).schedule(cores);
    (units, schedule)
}

fn times(schedule: &Schedule) -> Vec<(f64, f64)> {
    schedule.placements.iter().map(|p| (p.time.start, p.time.end)).collect()
}

#[test]
fn one_core_does_one_unit_after_the_other() {
    let (units, schedule) = schedule(&[0; 4], 1.0);
    let names: Vec<&str> = units.units.iter().map(|unit| unit.name.as_str()).collect();
    assert_eq!(names, ["a[0]", "b[0]", "c[0]", "d[0]"]);
    assert_eq!(schedule.end, 40.0);
    assert!(schedule.handshakes.is_empty());
    schedule.verify(&units).unwrap();
}

/// b runs on the coprocessor: the main core sends the start from 0 to 2, the coprocessor receives
/// it from 6 to 9, ends b at 19 and sends until 21; the result arrives at 25. The main core does a
/// and c from 2 to 22, receives from 25 to 28, and does d.
#[test]
fn handshakes_take_time_on_both_sides() {
    let (units, schedule) = schedule(&[0, 1, 0, 0], 1.0);
    assert_eq!(times(&schedule), [(2.0, 12.0), (9.0, 19.0), (12.0, 22.0), (28.0, 38.0)]);
    assert_eq!(schedule.end, 38.0);
    let [start, back] = schedule.handshakes[..] else { panic!("{:?}", schedule.handshakes) };
    assert_eq!((start.from, start.receive), (0, Interval { start: 6.0, end: 9.0 }));
    assert_eq!((back.from, back.send), (1, Interval { start: 19.0, end: 21.0 }));
    assert_eq!(back.receive, Interval { start: 25.0, end: 28.0 });
    schedule.verify(&units).unwrap();
}

/// The coprocessor receives and does b while the main core does a and c, all of it at half speed:
/// receiving lasts from 6 to 12, b until 32.
#[test]
fn shared_memory_slows_both() {
    let (units, alone) = schedule(&[0, 1, 0, 0], 1.0);
    let (_, shared) = schedule(&[0, 1, 0, 0], 2.0);
    shared.verify(&units).unwrap();
    assert_eq!(shared.placements[1].time, Interval { start: 12.0, end: 32.0 });
    assert!(shared.end > alone.end);
    let (_, single) = schedule(&[0; 4], 2.0);
    assert_eq!(single.end, 40.0, "one core alone shares with nobody");
}

#[test]
fn several_values_share_a_handshake() {
    let (units, schedule) = schedule(&[1, 1, 1, 0], 1.0);
    assert_eq!(schedule.handshakes.len(), 2, "the start, and b and c together");
    assert_eq!(schedule.end, 9.0 + 30.0 + 2.0 + 4.0 + 3.0 + 10.0);
    schedule.verify(&units).unwrap();
}

#[test]
fn the_main_core_learns_of_the_end() {
    let (units, schedule) = schedule(&[1; 4], 1.0);
    assert_eq!(schedule.end, 9.0 + 40.0 + 9.0);
    schedule.verify(&units).unwrap();
}

/// A way to break a schedule, and how the verifier's complaint begins.
type Break = (fn(&mut Schedule), &'static str);

#[test]
fn each_rule_is_checked() {
    let breaks: [Break; 11] = [
        (|s| drop(s.placements.pop()), "unit 3 is not placed"),
        (|s| s.placements.swap(0, 2), "unit 0 is not placed"),
        (|s| s.placements[0].core = 2, "unit 0 is not placed"),
        (|s| s.placements[3].time.end = 20.0, "d[0] has no proper time"),
        (|s| s.end = 30.0, "d[0] has no proper time"),
        (|s| s.placements[2].time.start = 11.0, "core 0 does a[0] and c[0]"),
        (|s| s.handshakes[0].send.end = 3.0, "core 0 does handshake 0 and a[0]"),
        (|s| s.handshakes[1].receive.start = 20.0, "handshake 1 is received before"),
        (
            |s| s.placements[3].time = Interval { start: 22.0, end: 25.0 },
            "d[0] starts before the value of b[0]",
        ),
        (|s| s.handshakes[0].receive = Interval { start: 15.0, end: 18.0 }, "core 1 does b[0]"),
        (|s| s.placements[2].stage = Some(1), "the value of c[0] goes back"),
    ];
    for (i, (change, expected)) in breaks.into_iter().enumerate() {
        let (units, mut schedule) = schedule(&[0, 1, 0, 0], 1.0);
        change(&mut schedule);
        let error = schedule.verify(&units).unwrap_err().to_string();
        assert!(error.starts_with(expected), "{i}: {error}");
    }
}

#[test]
fn the_coprocessor_is_started_and_awaited() {
    let (units, mut unstarted) = schedule(&[1; 4], 1.0);
    unstarted.handshakes.remove(0);
    assert!(matches!(unstarted.verify(&units), Err(Broken::Start { .. })));
    let (_, mut unended) = schedule(&[1; 4], 1.0);
    unended.handshakes.pop();
    assert!(matches!(unended.verify(&units), Err(Broken::End { .. })));
}

#[test]
fn an_operand_must_be_done() {
    let (units, mut late) = schedule(&[0, 1, 0, 0], 1.0);
    late.placements.swap(0, 2);
    for (unit, placement) in late.placements.iter_mut().enumerate() {
        placement.unit = unit;
    }
    assert!(matches!(late.verify(&units), Err(Broken::Operand { .. })));
}
