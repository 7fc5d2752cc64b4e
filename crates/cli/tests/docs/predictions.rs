//! Predictions beside runs on simulated machines: the tables of `docs/platforms.md` from the newest
//! record of `make record-simulators`, and what is held of them.

use crate::common::Sandbox;
use crate::{assert_same, docs, newest, renewed, thousands};
use manylane_build::{Lengths, Primitive};
use manylane_graph::framing::stream;
use manylane_graph::trace::literal_compression;
use manylane_plan::Platform;
use manylane_plan::program::message::predict;
use manylane_plan::program::shape::{Shape, two};
use manylane_plan::two_core::Limit;
use manylane_primitives::catalog::Algorithm;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// The machines of the record.
const MACHINES: [&str; 2] = ["ibex-duo", "rp2040"];

/// The largest error of a prediction, in percent of the run's time.
const ERROR: f64 = 8.0;

/// The largest error of a predicted gain, in percentage points.
const POINTS: f64 = 3.0;

/// A row of the record.
struct Row(Value);

impl Row {
    fn text(&self, of: &str) -> &str {
        self.0[of].as_str().unwrap_or_else(|| panic!("{of} of {}", self.0))
    }

    fn number(&self, of: &str) -> f64 {
        self.0[of].as_f64().unwrap_or_else(|| panic!("{of} of {}", self.0))
    }

    fn whole(&self, of: &str) -> usize {
        self.0[of].as_u64().unwrap_or_else(|| panic!("{of} of {}", self.0)) as usize
    }

    /// Percent by which the prediction is above the run.
    fn error(&self) -> f64 {
        100.0 * (self.number("predicted_cycles") / self.number("cycles") - 1.0)
    }

    /// Points by which the predicted gain is above that of the run.
    fn points(&self) -> f64 {
        100.0 * (self.number("predicted_gain") - self.number("gain"))
    }

    fn name(&self) -> String {
        let [platform, primitive] = ["platform", "primitive"].map(|of| self.text(of));
        format!("{platform}: {primitive}, {} cores, {} bytes", self.0["cores"], self.0["length"])
    }
}

fn record() -> Option<Vec<Row>> {
    let mut record = newest("-simulators.json")?;
    assert_ne!(record["whole"], false, "the record is of a run that was interrupted");
    let Value::Array(rows) = record["rows"].take() else { panic!("a record without rows") };
    Some(rows.into_iter().map(Row).collect())
}

/// The primitives that are run: every hash, HMAC with each that it is defined for, and RC5 with
/// words of each width.
fn primitives() -> BTreeSet<String> {
    Primitive::all().into_iter().map(Primitive::name).collect()
}

/// The one of two differences that is further from 0.
fn worse(a: f64, b: f64) -> f64 {
    if b.abs() > a.abs() { b } else { a }
}

/// A line for each primitive: its times of the longest message, and the worst predictions of all
/// lengths.
pub fn table(machine: &str) -> String {
    let Some(rows) = record() else {
        return "No record: `make record-simulators RECORD=DATE` makes one.".to_owned();
    };
    let mut by_primitive: BTreeMap<(usize, String), [Vec<&Row>; 2]> = BTreeMap::new();
    for (i, row) in rows.iter().enumerate().filter(|(_, row)| row.text("platform") == machine) {
        let primitive = row.text("primitive");
        let first = rows.iter().position(|row| row.text("primitive") == primitive).unwrap_or(i);
        let of = by_primitive.entry((first, primitive.to_owned())).or_default();
        of[row.whole("cores") - 1].push(row);
    }
    let mut out = String::from(
        "| primitive | one core, cycles | worst error | two cores | worst error | gain | \
         predicted | worst of all lengths |\n\
         |---|--:|--:|--:|--:|--:|--:|--:|\n",
    );
    for ((_, primitive), [one, both]) in &by_primitive {
        let longest = |rows: &[&Row]| {
            let last = rows.iter().max_by_key(|row| row.whole("length"));
            last.map_or(String::new(), |row| thousands(row.whole("cycles")))
        };
        let error = |rows: &[&Row]| match rows.iter().map(|row| row.error()).reduce(worse) {
            Some(worst) => format!("{worst:+.1} %"),
            None => String::new(),
        };
        let gain = |of: &str| {
            let last = both.iter().max_by_key(|row| row.whole("length"));
            last.map_or("no split".to_owned(), |row| format!("{:.1} %", 100.0 * row.number(of)))
        };
        let predicted = if both.is_empty() { String::new() } else { gain("predicted_gain") };
        let points = both.iter().map(|row| row.points()).reduce(worse);
        let points = points.map_or(String::new(), |points| format!("{points:+.1}"));
        writeln!(
            out,
            "| {primitive} | {} | {} | {} | {} | {} | {predicted} | {points} |",
            longest(one),
            error(one),
            longest(both),
            error(both),
            gain("gain"),
        )
        .unwrap();
    }
    out
}

#[test]
fn predictions_are_told_as_they_were_run() {
    let file = docs("platforms.md");
    let text = std::fs::read_to_string(&file).expect("docs/platforms.md");
    for machine in MACHINES {
        assert!(text.contains(&format!("<!-- predictions: {machine} -->")), "{machine}");
    }
    assert_same(&file, &renewed(&Sandbox::new(), &text));
}

/// Every primitive on both machines, from the empty message to 1,024 bytes, with the right digest.
#[test]
fn the_record_is_whole() {
    let rows = record().expect("a record");
    for machine in MACHINES {
        let of = |cores| {
            let rows = rows.iter().filter(|row| row.text("platform") == machine);
            rows.filter(move |row| row.whole("cores") == cores)
        };
        let names = |cores| of(cores).map(|row| row.text("primitive")).collect::<BTreeSet<_>>();
        let all = primitives();
        assert!(names(1).iter().eq(all.iter()), "{machine}: {:?}", names(1));
        assert!(names(2).len() > all.len() / 2, "{machine}: {:?}", names(2));
        for cores in [1, 2] {
            let lengths: BTreeSet<usize> = of(cores).map(|row| row.whole("length")).collect();
            assert!(lengths.len() >= 5, "{lengths:?}");
            assert_eq!((lengths.first(), lengths.last()), (Some(&0), Some(&1024)));
            assert_eq!(of(cores).count(), lengths.len() * names(cores).len());
        }
    }
    for row in &rows {
        assert_eq!(row.0["digest_ok"], true, "{}", row.name());
    }
}

#[test]
fn no_run_beats_its_limit() {
    for row in record().expect("a record") {
        let (limit, cycles) = (row.number("limit_cycles"), row.number("cycles"));
        assert!(0.0 < limit && limit <= cycles, "{}: {cycles} below {limit}", row.name());
    }
}

#[test]
fn predictions_hold() {
    for row in record().expect("a record") {
        assert!(row.error().abs() <= ERROR, "{}: {:+.1} %", row.name(), row.error());
        if row.whole("cores") == 2 {
            assert!(row.points().abs() <= POINTS, "{}: {:+.1} points", row.name(), row.points());
        }
    }
}

/// Runs save at least nine tenths of the time that was predicted to be saved. Exceptions are the
/// runs that the document names, whose predicted gain is below 4 %.
#[test]
fn gains_are_reached() {
    const PART: f64 = 0.9;
    const SURE: f64 = 0.04;
    let rows = record().expect("a record");
    let mut exceptions = Vec::new();
    for row in rows.iter().filter(|row| row.whole("cores") == 2) {
        let (gain, predicted) = (row.number("gain"), row.number("predicted_gain"));
        if predicted <= 0.0 || gain >= PART * predicted {
            continue;
        }
        assert!(predicted < SURE, "{}: {gain} of {predicted}", row.name());
        exceptions.push((row, gain, predicted));
    }
    let text = std::fs::read_to_string(docs("platforms.md")).expect("docs/platforms.md");
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    for (row, gain, predicted) in &exceptions {
        let [gain, predicted] = [gain, predicted].map(|of| format!("{:.2}", 100.0 * of));
        let (bytes, machine) = (thousands(row.whole("length")), row.text("platform"));
        let told = format!("`{}` of {bytes} bytes on {machine} saves", row.text("primitive"));
        assert!(text.contains(&format!("{told} {gain} of {predicted} %")), "{told} {gain}");
    }
    assert_eq!(exceptions.len(), 2);
}

/// No run took fewer cycles than the limit that `plan` prints for its message. The gain of a run
/// over one core may still exceed that of the limit, which compares times of operations. The limit
/// of a cipher is that of the key's expansion and one block.
#[test]
fn no_run_beats_the_limit_of_a_plan() {
    let rows = record().expect("a record");
    let mut checked = 0;
    for machine in MACHINES {
        let platform = Platform::load(machine).unwrap();
        let mut known: BTreeMap<(String, usize), f64> = BTreeMap::new();
        for row in rows.iter().filter(|row| row.text("platform") == machine) {
            let (name, length) = (row.text("primitive"), row.whole("length"));
            let is_cipher = name.starts_with("rc5");
            let is_long = ["jh256", "sha256", "hmac-sha256"].contains(&name) && length == 1024;
            if !(is_cipher && length > 0 || length == 0 && !is_cipher || length == 200 || is_long) {
                continue;
            }
            let limit = *known.entry((name.to_owned(), length)).or_insert_with(|| {
                let (primitive, key) = match name.strip_prefix("hmac-") {
                    Some(hash) => (Primitive::Hmac(hash.parse().unwrap()), Some(32)),
                    None if is_cipher => (Primitive::Rc5(name.parse().unwrap()), None),
                    None => (Primitive::Hash(name.parse().unwrap()), None),
                };
                assert_eq!(primitive.name(), name);
                let message = Some(length).filter(|_| !is_cipher);
                let lengths = Lengths { message, key, fixed: false, decrypt: false };
                let function = primitive.function(lengths, &platform).unwrap();
                Limit::of_operations(&function, &platform, None).unwrap().cycles()
            });
            let cycles = row.number("cycles");
            assert!(0.0 < limit && limit <= cycles, "{}: {cycles} below {limit}", row.name());
            checked += 1;
        }
    }
    assert!(checked > 500, "{checked} runs");
}

/// Predictions of the record are those that the platforms' files give today, so a change of a file
/// needs new runs. One hash of each kind is checked on one core, and the measured shares of all on
/// two.
#[test]
fn predictions_are_those_of_the_platforms() {
    let rows = record().expect("a record");
    for machine in MACHINES {
        let platform = Platform::load(machine).unwrap();
        let rows = || rows.iter().filter(|row| row.text("platform") == machine);
        for name in ["md5", "sha256", "blake256", "sha3-256", "skein512"] {
            let algorithm: Algorithm = name.parse().unwrap();
            let framing = stream(algorithm).unwrap().framing;
            let one = Shape::default().on(&platform, name, 1).one(&literal_compression(algorithm));
            let pair = (name == "sha256").then(|| two(&one, framing.order, &platform).unwrap());
            for (program, cores) in [(Some(&one), 1), (pair.as_ref(), 2)] {
                let Some(program) = program else { continue };
                let rows = rows()
                    .filter(|row| row.text("primitive") == name && row.whole("cores") == cores);
                for row in rows {
                    assert_eq!(
                        program.identity().to_string(),
                        row.text("program"),
                        "{}",
                        row.name()
                    );
                    let bytes = row.whole("length");
                    let today = predict(program, &framing, &platform, bytes).unwrap().cycles;
                    let then = row.number("predicted_cycles");
                    assert!((today / then - 1.0).abs() < 1e-6, "{}: {today}, {then}", row.name());
                }
            }
        }
        for row in rows().filter(|row| row.whole("cores") == 2) {
            let primitive = row.text("primitive");
            let measured = match primitive.parse::<Algorithm>() {
                Ok(_) => platform.shares[primitive].program,
                Err(_) => {
                    let keyed = platform.keys.get(primitive).map(|of| of.program);
                    let stream = platform.streams.get(&primitive.replace('/', "-"));
                    keyed.or(stream.map(|of| of.program)).expect("it was measured")
                }
            };
            assert_eq!(measured.to_string(), row.text("program"), "{}", row.name());
            assert_eq!(row.text("predicted_from"), "measured", "{}", row.name());
        }
    }
}
