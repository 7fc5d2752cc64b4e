//! The platform `s12x-xgate` and the paper's assignments against the paper's own figures.

use manylane_graph::Function;
use manylane_graph::passes::inline;
use manylane_graph::trace::{self, Loading};
use manylane_plan::Platform;
use manylane_plan::costs::UnitCosts;
use manylane_plan::two_core::policy;
use manylane_plan::two_core::simulate::Machine;
use manylane_plan::units::{Level, Units};

/// Rows of a table under `tests/data`: names, then numbers.
fn table(text: &str) -> Vec<(String, Vec<f64>)> {
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    let row = |line: &str| {
        let words = line.split_whitespace();
        let (names, numbers): (Vec<_>, Vec<_>) =
            words.partition(|word| word.starts_with(|c: char| c.is_ascii_alphabetic()));
        (names.join(" "), numbers.iter().map(|number| number.parse().unwrap()).collect())
    };
    lines.map(row).collect()
}

fn message(name: &str, bytes: usize) -> Function {
    inline(&trace::message(name.parse().unwrap(), bytes, Loading::Buffered))
}

fn paper_gain(platform: &Platform, function: &Function, total: Option<f64>) -> f64 {
    let units = Units::of(function, Level::Substep);
    let costs = UnitCosts::of(function, &units, platform, total).unwrap();
    let cores = policy::assign(function, &units).unwrap();
    let schedule = Machine::new(&units, &costs, platform).schedule(&cores);
    schedule.verify(&units).unwrap();
    1.0 - schedule.end / costs.work(0)
}

#[test]
fn predictions_are_those_of_table_two() {
    let platform = Platform::load("s12x-xgate").unwrap();
    let sequential = table(include_str!("data/table-1.txt"));
    let gains = table(include_str!("data/table-2.txt"));
    for (name, measured) in &gains[1..] {
        let (_, cycles) =
            sequential.iter().find(|(row, _)| *row == format!("{name} sequential")).unwrap();
        let mut line = format!("{name:13}");
        for (i, &bytes) in gains[0].1.iter().enumerate() {
            let predicted =
                100.0 * paper_gain(&platform, &message(name, bytes as usize), Some(cycles[i]));
            line += &format!(" {predicted:6.2} ({:+5.2})", predicted - measured[i]);
        }
        println!("{line}");
    }
}
