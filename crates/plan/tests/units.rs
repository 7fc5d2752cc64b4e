//! Units hold all the work of a graph, and none waits for another in a circle.

use manylane_graph::passes::inline;
use manylane_graph::trace::{self, Loading};
use manylane_plan::units::{Level, Units};
use manylane_primitives::catalog::{Algorithm, HashId};

#[test]
fn every_operation_is_in_a_unit_after_its_operands() {
    for &id in HashId::ALL {
        let function = inline(&trace::message(Algorithm::new(id), 1, Loading::Buffered));
        for level in [Level::Step, Level::Substep, Level::Node] {
            let units = Units::of(&function, level);
            let mut found = vec![0; function.len()];
            for (i, unit) in units.units.iter().enumerate() {
                let share = if unit.lane.is_some() { 1 } else { 2 };
                unit.nodes.iter().for_each(|node| found[node.index()] += share);
                assert!(units.before.of(i).iter().all(|&before| (before as usize) < i));
                assert!(units.after.of(i).iter().all(|&after| (after as usize) > i));
            }
            for node in function.nodes() {
                let expected = if function.op(node).is_work() { 2 } else { 0 };
                assert_eq!(found[node.index()], expected, "{} {node}", function.name);
            }
        }
    }
}

/// The primitives' steps are the units: none had to be taken apart.
#[test]
fn units_are_the_steps_of_the_standards() {
    let counts = [
        ("md5", "round[63]", 64 * 2 + 4),
        ("sha1", "schedule[79]", 64 + 80 * 2 + 5),
        ("keccak256", "round[23]/chi[0]/plane[4]", 24 * 21 + 21),
        ("skein512", "round[71]/mix[3]", 72 * 4 + 19 * 4 + 3 + 5 + 8),
    ];
    for (name, unit, count) in counts {
        let function = trace::compression(name.parse().unwrap());
        let units = Units::of(&function, Level::Substep);
        assert!(units.units.iter().any(|u| u.name == unit), "{name}: {unit}");
        println!("{name} {}", units.len());
        assert!(units.len().abs_diff(count) <= 8, "{name}: {} units, not {count}", units.len());
    }
}

/// Lanes of 32 bits exchange data in two of every seven rounds.
#[test]
fn lanes_of_jh_meet_in_two_of_seven_rounds() {
    let function = trace::compression("jh256".parse().unwrap());
    let units = Units::of(&function, Level::Substep);
    let mut crossing = [false; 42];
    for (i, unit) in units.units.iter().enumerate() {
        let (Some(lane), Some(round)) = (unit.lane, round(&unit.name)) else { continue };
        for &after in units.after.of(i) {
            let next = &units.units[after as usize];
            if next.lane.is_some_and(|next| next != lane) {
                crossing[round] = true;
            }
        }
    }
    for (r, crosses) in crossing[..41].iter().enumerate() {
        assert_eq!(*crosses, r % 7 >= 5, "round {r}");
    }
}

fn round(name: &str) -> Option<usize> {
    name.strip_prefix("round[")?.split(']').next()?.parse().ok()
}
