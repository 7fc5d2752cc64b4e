//! The tables of `docs/pairing.md`, made of a machine's newest record of `manylane bench pairing`.

use crate::common::Sandbox;
use crate::plan;
use serde_json::Value;
use std::fmt::Write;

/// One row of the record.
struct Row {
    what: String,
    engine: String,
    count: u64,
    threads: u64,
    nanoseconds: f64,
    cycles: Option<f64>,
    per_blst: Option<f64>,
    speedup: Option<f64>,
}

struct Record(Vec<Row>);

/// Engines from the plainest on.
const ENGINES: [&str; 3] = ["scalar", "pclmul", "vpclmul"];
const BEST: &str = ENGINES[2];
/// Factors that the best engine computes side by side.
const LANES: u64 = 4;
/// The processors of the paper's table.
const PROCESSORS: [u64; 5] = [2, 4, 8, 16, 32];

impl Record {
    fn newest(machine: &str) -> Self {
        let record = crate::newest(&format!("-{machine}-pairing.json"));
        let record = record.expect("a record of the pairing");
        assert!(record["security"].as_str().unwrap().contains("59 bits"));
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        let row = |row: &Value| Row {
            what: text(&row["what"]),
            engine: text(&row["engine"]),
            count: row["count"].as_u64().unwrap(),
            threads: row["threads"].as_u64().unwrap(),
            nanoseconds: row["nanoseconds"].as_f64().unwrap(),
            cycles: row["cycles"].as_f64(),
            per_blst: row["per_blst_pairing"].as_f64(),
            speedup: row["speedup"].as_f64(),
        };
        Self(record["rows"].as_array().unwrap().iter().map(row).collect())
    }

    fn find(&self, what: &str, engine: &str, count: u64, threads: u64) -> Option<&Row> {
        let same = |row: &&Row| {
            (&row.what[..], &row.engine[..], row.count, row.threads)
                == (what, engine, count, threads)
        };
        self.0.iter().find(same)
    }

    /// Nanoseconds of the best engine.
    fn nanoseconds(&self, what: &str, count: u64) -> f64 {
        self.find(what, BEST, count, 1).expect("a record with the engine vpclmul").nanoseconds
    }
}

fn number(value: Option<f64>, digits: usize) -> String {
    value.map_or("–".to_owned(), |value| format!("{value:.digits$}"))
}

/// Cycles of the field's operations beside the paper's.
pub fn field(machine: &str) -> String {
    let record = Record::newest(machine);
    let mut out = String::from(
        "| operation | paper | scalar | pclmul | vpclmul, one | vpclmul, four | paper ÷ four |\n\
         |---|--:|--:|--:|--:|--:|--:|\n",
    );
    for (what, paper) in [
        ("multiply", Some(3785.0)),
        ("square", Some(108.0)),
        ("square root", Some(140.0)),
        ("power 2^612", None),
        ("inverse", None),
    ] {
        let cycles = |engine, count| record.find(what, engine, count, 1).and_then(|row| row.cycles);
        let four = cycles(BEST, LANES);
        write!(out, "| {what} | {}", number(paper, 0)).unwrap();
        for cycles in ENGINES.map(|engine| cycles(engine, 1)).into_iter().chain([four]) {
            write!(out, " | {}", number(cycles, 0)).unwrap();
        }
        let ratio = paper.zip(four).map(|(paper, four)| paper / four);
        writeln!(out, " | {} |", number(ratio, 1)).unwrap();
    }
    out
}

/// One pairing, and several in each way, on each engine.
pub fn whole(machine: &str) -> String {
    let record = Record::newest(machine);
    let mut out = String::from(
        "| | scalar, µs | pclmul, µs | vpclmul, µs | Mcycles (paper: 17.40) | in one of BLS12-381 \
         |\n\
         |---|--:|--:|--:|--:|--:|\n",
    );
    for (what, count, title) in [
        ("pairing", 1, "one pairing"),
        ("pairing by factors", 1, "one, by factors"),
        ("pairing, P prepared", 1, "one, P prepared"),
        ("pairing in 2 parts", 1, "one, in two parts in turn"),
        ("final exponentiation", 1, "of it final exponentiation"),
        ("many pairings", 32, "each of 32"),
        ("product of pairings", 2, "each of a product of 2"),
        ("product of pairings", 8, "each of a product of 8"),
        ("product of pairings", 32, "each of a product of 32"),
    ] {
        // Older records have no row for pairing by factors, because all their pairings are computed
        // so.
        if record.find(what, BEST, count, 1).is_none() {
            continue;
        }
        write!(out, "| {title}").unwrap();
        for engine in ENGINES {
            let row = record.find(what, engine, count, 1);
            let digits = if engine == BEST { 1 } else { 0 };
            write!(out, " | {}", number(row.map(|row| row.nanoseconds / 1e3), digits)).unwrap();
        }
        let best = record.find(what, BEST, count, 1);
        let cycles = best.and_then(|row| row.cycles).map(|cycles| cycles / 1e6);
        let per_blst = best.and_then(|row| row.per_blst);
        writeln!(out, " | {} | {} |", number(cycles, 2), number(per_blst, 2)).unwrap();
    }
    out
}

/// The record as costs for `manylane plan eta-t --on`.
fn costs(record: &Record) -> String {
    // The record is per element, the costs per vector.
    let lanes = |what| record.nanoseconds(what, LANES) * LANES as f64;
    let one = |what| record.nanoseconds(what, 1);
    let whole = one("pairing");
    // Older records have operations alone, and powers of four elements at once.
    let [root, part, finish] = match record.find("final exponentiation", BEST, 1, 1) {
        Some(finish) => {
            [2.0 * one("power 2^612"), one("pairing in 2 parts") - whole, finish.nanoseconds]
        }
        None => {
            let (power, multiply) = (lanes("power 2^612"), one("multiply"));
            [power, power + 9.0 * multiply, one("inverse") + 30.0 * multiply + power]
        }
    };
    format!(
        "kind = \"pairing\"\nname = \"record\"\ntitle = \"the record\"\nsource = \"the record\"\n\
         unit = \"nanoseconds\"\nm = 1223\npairing = {:.1}\n[field]\nsquare = {:.3}\n\
         square_root = {:.3}\nmultiply = {:.3}\npower = {:.3}\n[executor]\nlanes = {LANES}\n\
         multiply_one = {:.3}\nroot = {root:.3}\npart = {part:.3}\nfinish = {finish:.3}\n\
         handoff = {:.1}\n",
        whole,
        lanes("square"),
        lanes("square root"),
        lanes("multiply"),
        lanes("power 2^612"),
        one("multiply"),
        record.find("handoff", BEST, 1, 2).map_or(0.0, |row| row.nanoseconds),
    )
}

/// Threads: the paper's results, the model with its costs, the model with ours, our results.
pub fn threads(sandbox: &Sandbox, machine: &str) -> String {
    let record = Record::newest(machine);
    sandbox.write("record.toml", costs(&record));
    let processors = PROCESSORS.map(|p| p.to_string()).join(",");
    let balances = |on: &str| plan(sandbox, &format!("eta-t --threads {processors} --on {on}"));
    let (paper, here) = (balances("core2-45nm"), balances("./record.toml"));
    let by_factors = |threads| record.find("pairing by factors", BEST, 1, threads);
    let has_both = by_factors(1).is_some();
    let mut out = String::from(
        "| threads | paper, Mcycles | speedup | model with its costs | model with ours | µs | \
         measured |",
    );
    out.push_str(if has_both { " by factors |\n" } else { "\n" });
    out.push_str("|--:|--:|--:|--:|--:|--:|--:|");
    out.push_str(if has_both { "--:|\n" } else { "\n" });
    for (i, threads) in PROCESSORS.into_iter().enumerate() {
        let (paper, here) = (&paper["balances"][i], &here["balances"][i]);
        let published = &paper["published"];
        let float = |value: &Value| value.as_f64().unwrap();
        let star = if published["estimated"] == true { "*" } else { "" };
        let measured = record.find("pairing", BEST, 1, threads).and_then(|row| row.speedup);
        write!(
            out,
            "| {threads} | {:.2}{star} | {:.2}{star} | {:.2} | {:.2} | {:.1} | {} |",
            float(&published["cycles"]) / 1e6,
            float(&published["speedup"]),
            float(&paper["speedup"]),
            float(&here["speedup"]),
            float(&here["total"]) / 1e3,
            number(measured, 2),
        )
        .unwrap();
        if has_both {
            let speedup = by_factors(threads).and_then(|row| row.speedup);
            write!(out, " {} |", number(speedup, 2)).unwrap();
        }
        out.push('\n');
    }
    out.push_str("\n\\* estimated by its authors\n");
    out
}

/// The parts of one pairing on one thread, as the model counts them.
pub fn serial(machine: &str) -> String {
    let record = Record::newest(machine);
    let of = |what, count| record.nanoseconds(what, count);
    let whole = of("pairing", 1);
    let mut out =
        String::from("| part of a pairing | µs | share | on p threads |\n|---|--:|--:|---|\n");
    let mut row = |what, time, on| {
        let share = 100.0 * time / whole;
        writeln!(out, "| {what} | {:.1} | {share:.0} % | {on} |", time / 1e3).unwrap();
    };
    if let Some(finish) = record.find("final exponentiation", BEST, 1, 1) {
        let (root, part) = (2.0 * of("power 2^612", 1), of("pairing in 2 parts", 1) - whole);
        let loops = whole - root - part - finish.nanoseconds;
        row("2^611-th root of P", root, "serial");
        row("612 factors and their coordinates, in four lanes", loops, "shared");
        row("where a part starts and ends, its join", part, "on each");
        row("final exponentiation", finish.nanoseconds, "serial");
        row("of it the inversion", of("inverse", 1), "serial");
        return out;
    }
    // Older records have operations alone.
    let root = 4.0 * of("power 2^612", LANES);
    let coordinates = 4.0 * 611.0 * of("square", LANES);
    let inverse = of("inverse", 1);
    let rest = 30.0 * of("multiply", 1) + 4.0 * of("power 2^612", LANES);
    let loops = whole - root - coordinates - inverse - rest;
    row("2^611-th root of P", root, "serial");
    row("coordinates of all factors", coordinates, "shared");
    row("612 factors in four lanes", loops, "shared");
    row("final exponentiation: inversion", inverse, "serial");
    row("final exponentiation: 30 products, one power of F_q⁴", rest, "serial");
    out
}
