//! Measurements of C that is made with an option, and estimates of what was not measured.

use crate::error::Error;
use crate::primitive::Primitive;
use crate::run::{Planned, Row};
use manylane_emit::c::Cores;
use manylane_plan::Platform;
use manylane_plan::program::prices::PriceBasis;
use std::fmt::Write;

/// By primitive, machine, number of cores and option: cycles of a message of [`LENGTH`] bytes with
/// the option and without, by `manylane run`.
const RECORD: &str = include_str!("options.tsv");

/// Bytes of the message.
const LENGTH: usize = 1024;

/// With an option a program counts as faster if it takes at most this part of its time without.
/// Smaller differences are not mentioned.
const FASTER: f64 = 0.99;

/// The machines on which programs are measured, and for which the times of other programs are
/// estimated.
pub const MACHINES: [&str; 2] = ["rp2040", "ibex-duo"];

/// What an option does to the time of a primitive's C on a machine.
struct Effect<'r> {
    machine: &'r str,
    cores: &'r str,
    option: &'r str,
    with: f64,
    without: f64,
}

fn effects(primitive: &str) -> impl Iterator<Item = Effect<'static>> {
    RECORD.lines().filter_map(move |line| {
        let fields: [&str; 6] = line.split('\t').collect::<Vec<_>>().try_into().ok()?;
        let [name, machine, cores, option, with, without] = fields;
        let (with, without) = (with.parse().ok()?, without.parse().ok()?);
        (name == primitive).then_some(Effect { machine, cores, option, with, without })
    })
}

impl Effect<'_> {
    fn concerns(&self, cores: Cores) -> bool {
        self.cores == "1" || cores == Cores::Two
    }

    /// The figures, in words.
    fn told(&self) -> String {
        let Self { machine, cores, with, without, .. } = self;
        let cores = if *cores == "1" { "one core" } else { "two cores" };
        format!("{with:.0} instead of {without:.0} cycles on {cores} of {machine}")
    }
}

/// Names the options with which the C of a primitive is known to be faster than without, with their
/// figures for messages of 1,024 bytes; nothing if none is. If `on` is given, on that machine.
pub fn faster(primitive: &str, cores: Cores, on: Option<&str>) -> Option<String> {
    let is_faster = |of: &Effect<'_>| {
        of.with < FASTER * of.without && of.concerns(cores) && on.is_none_or(|on| of.machine == on)
    };
    let all: Vec<Effect<'_>> = effects(primitive).filter(is_faster).collect();
    let option = all.first()?.option;
    let told: Vec<String> = all.iter().filter(|of| of.option == option).map(Effect::told).collect();
    Some(format!("`{option}` is known to be faster: 1,024 bytes take {}", told.join(", ")))
}

/// What is known of a primitive's C that is made with an option, such as `--speed`, and no other.
pub fn with_option(primitive: &str, cores: Cores, option: &str) -> Option<String> {
    let all: Vec<String> = effects(primitive)
        .filter(|of| of.option == option && of.concerns(cores))
        .map(|of| of.told())
        .collect();
    (!all.is_empty())
        .then(|| format!("With `{option}` 1,024 bytes were measured to take {}.", all.join(", ")))
}

/// Estimates the time of a message of 1,024 bytes by programs that were not measured, on the
/// machines of which others were: on one core, and on two if the split is planned for `on`. Times
/// that were measured with the only `option` are left out.
///
/// # Errors
/// If a platform lacks a cost.
pub fn estimated(
    planned: &Planned,
    primitive: Primitive,
    cores: Cores,
    on: &str,
    option: Option<&str>,
) -> Result<String, Error> {
    let name = primitive.name();
    let is_measured = |machine: &str, cores: &str| {
        let is_it = |of: &Effect<'_>| {
            of.machine == machine && of.cores == cores && Some(of.option) == option
        };
        effects(&name).any(|of| is_it(&of))
    };
    let mut out = String::new();
    for machine in MACHINES {
        let Ok(platform) = Platform::load(machine) else { continue };
        let mut line = |row: &Row, cores: &str| {
            let (Some(cycles), Some(from)) = (row.predicted_cycles, row.predicted_from) else {
                return;
            };
            // Of a hash without measured programs only the compression is known.
            let is_whole = from == PriceBasis::Scaled || matches!(primitive, Primitive::Rc5(_));
            if from != PriceBasis::Measured && is_whole && !is_measured(machine, cores) {
                let _ = writeln!(out, "| {machine} | {cores} | ~{cycles:.0} |");
            }
        };
        line(&planned.row(Cores::One, LENGTH, Some(&platform))?, "1");
        if cores == Cores::Two && on == machine && planned.has_share() {
            line(&planned.row(Cores::Two, LENGTH, Some(&platform))?, "2");
        }
    }
    if out.is_empty() {
        return Ok(out);
    }
    Ok(format!(
        "| machine | cores | 1,024 bytes, cycles |\n|---|--:|--:|\n{out}\n`~` is an estimate: what \
         operations, registers and memory cost, scaled to the code of {} that\nwas measured.\n",
        match primitive {
            Primitive::Hash(_) | Primitive::Hmac(_) => "this hash",
            Primitive::Rc5(_) => "RC5",
        }
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every line of the record is read, and its figures without an option are those of the record
    /// of what is made without.
    #[test]
    fn the_record_is_read() {
        let mut lines = 0;
        for line in RECORD.lines().filter(|line| !line.starts_with('#')) {
            let [name, machine, cores, option, ..] = line.split('\t').collect::<Vec<_>>()[..]
            else {
                panic!("{line}")
            };
            let of =
                |of: &Effect<'_>| (of.machine, of.cores, of.option) == (machine, cores, option);
            let effect = effects(name).find(of).unwrap_or_else(|| panic!("{line}"));
            let usual = crate::c::measured(name, Cores::Two, machine, |_| true).unwrap();
            let of_machine = format!("| {machine} | {cores} |");
            let usual = usual.lines().find(|line| line.starts_with(&of_machine)).unwrap();
            let cycles: f64 = usual.split(" | ").nth(7).unwrap().parse().unwrap();
            // A message that is run after others may take some cycles more or fewer.
            assert!((cycles / effect.without - 1.0).abs() < 0.001, "{line}: {usual}");
            assert!(with_option(name, Cores::Two, option).is_some(), "{line}");
            lines += 1;
        }
        assert!(lines > 5, "{lines}");
        // On Cortex-M0+ more rounds than without an option make SHA-256 slower.
        assert_eq!(faster("sha256", Cores::Two, Some("rp2040")), None);
        assert_eq!(faster("none", Cores::Two, None), None);
        assert_eq!(faster("skein512", Cores::Two, Some("rp2040")), None);
        assert_eq!(faster("sha512", Cores::Two, Some("ibex-duo")), None);
        assert_eq!(faster("sha512", Cores::Two, Some("rp2040")), None, "it has these words");
        assert_eq!(faster("jh256", Cores::Two, Some("rp2040")), None, "it has these words");
        for on in MACHINES {
            assert_eq!(faster("groestl256", Cores::Two, Some(on)), None, "it has these words");
        }
        assert!(faster("sha3-256", Cores::One, None).is_some_and(|told| !told.contains("two")));
    }
}
