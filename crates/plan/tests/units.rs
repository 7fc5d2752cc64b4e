//! Units hold all the work of a graph, and none waits for another in a circle.

use manylane_graph::passes::{inline, lanes, legalize};
use manylane_graph::trace::{self, Loading};
use manylane_graph::{Function, Module};
use manylane_plan::units::{Level, Units};
use manylane_primitives::catalog::{Algorithm, HashId};

fn check(function: &Function, level: Level) {
    let units = Units::of(function, level);
    let mut found = vec![0; function.len()];
    for (i, unit) in units.units.iter().enumerate() {
        unit.nodes.iter().for_each(|node| found[node.index()] += 1);
        assert!(units.before.of(i).iter().all(|&before| (before as usize) < i));
        assert!(units.after.of(i).iter().all(|&after| (after as usize) > i));
    }
    for node in function.nodes() {
        let expected = u32::from(function.op(node).is_work());
        assert_eq!(found[node.index()], expected, "{} {node}", function.name);
    }
}

const LEVELS: [Level; 3] = [Level::Step, Level::Substep, Level::Node];

/// Every operation lies in exactly one unit, also where words are split into lanes.
#[test]
fn every_operation_is_in_a_unit_after_its_operands() {
    for &id in HashId::ALL {
        let function = inline(&trace::message(Algorithm::new(id), 1, Loading::Buffered));
        LEVELS.into_iter().for_each(|level| check(&function, level));
        if let Some(function) = lanes(&function, 32) {
            LEVELS.into_iter().for_each(|level| check(&function, level));
        }
    }
    for name in ["sha512", "keccak256", "groestl256", "jh256", "skein512"] {
        let legal = legalize(&Module::of(trace::compression(name.parse().unwrap())), 32);
        LEVELS.into_iter().for_each(|level| check(legal.main(), level));
    }
}

/// A carry goes up from limb to limb, a rotation down: where a step has both, it is a unit.
#[test]
fn limbs_that_wait_for_each_other_are_one_unit() {
    let whole = trace::compression("blake512".parse().unwrap());
    let legal = legalize(&Module::of(whole.clone()), 32);
    let [whole, legal] = [&whole, legal.main()].map(|f| Units::of(f, Level::Substep));
    let named = |name: &str| legal.units.iter().any(|unit| unit.name == name);
    assert!(named("round[15]/g[7]") && named("round[0]/g[0]/m ^ c[0]/limb[1]"));
    assert!(legal.len() < 2 * whole.len(), "{} of {}", legal.len(), whole.len());
}

/// The units are the steps of the primitives: no step was split into operations.
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
    let function = lanes(&function, 32).unwrap();
    let units = Units::of(&function, Level::Substep);
    let lane = |unit: usize| units.units[unit].lane(&function);
    let mut crossing = [false; 42];
    for (i, unit) in units.units.iter().enumerate() {
        let (Some(own), Some(round)) = (lane(i), round(&unit.name)) else { continue };
        for &after in units.after.of(i) {
            let is_round = self::round(&units.units[after as usize].name).is_some();
            if is_round && lane(after as usize).is_some_and(|next| next != own) {
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
