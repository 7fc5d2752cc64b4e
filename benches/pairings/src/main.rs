//! What a second thread gains inside one pairing, and what many pairings gain: BLS12-381, and η_T
//! in characteristic three. `cargo run --release -- [--json] [--turns N]`. The path is processor
//! time: of one thread, or of the longer of two parts and what stands around them.
//!
//! η_T is broken, for research and teaching only: logarithms were computed in F_3^(6·97) and
//! F_3^(6·509).

mod bls;
mod race;

use blst::{blst_fp6, blst_fp12};
use manylane_primitives::pairing::ternary::eta_t::{factors, miller_part, pair, reduce};
use manylane_primitives::pairing::ternary::{Curve, Element, Eta97, Eta509, Point};
use manylane_primitives::word::Words;
use race::{Lap, Race, Time, alone, beside};
use serde::Serialize;
use std::num::NonZeroUsize;
use std::process::ExitCode;
use std::sync::RwLock;

const SECURITY: &str = "η_T in characteristic three is broken: logarithms were computed in \
                        F_3^(6·97) and F_3^(6·509). For research and teaching only.";

/// Runs in a turn.
const RUNS: usize = 12;

/// Numbers of pairs with one final exponentiation.
const MANY: [usize; 3] = [2, 8, 64];

/// Where the loop of BLS12-381 is cut: lines of doublings.
const CUTS: [usize; 6] = [10, 14, 19, 24, 30, 40];

#[derive(Serialize)]
struct Record {
    security: &'static str,
    cpus: usize,
    turns: usize,
    rows: Vec<Row>,
}

/// One contestant. Times are in microseconds.
#[derive(Serialize)]
struct Row {
    curve: &'static str,
    what: String,
    /// Wall time of the shortest run of all.
    clock: f64,
    /// Processor time on the longest path, for the shortest run of all.
    path: f64,
    /// The median over the turns of the shortest path.
    median: f64,
    /// The median for one pairing.
    each: f64,
    /// `each` of the first row of the same curve, divided by this row's.
    speedup: f64,
}

fn rows(curve: &'static str, laps: Vec<Lap>) -> Vec<Row> {
    let shortest = |lap: &Lap| lap.shortest.iter().copied().reduce(Time::shorter).expect("a turn");
    let median = |lap: &Lap| {
        let mut sorted: Vec<f64> = lap.shortest.iter().map(|time| time.path).collect();
        sorted.sort_by(f64::total_cmp);
        sorted[sorted.len() / 2]
    };
    let first = laps.first().map_or(f64::NAN, median);
    let row = |lap: Lap| {
        let time = shortest(&lap);
        let median = median(&lap);
        let each = median / lap.pairings as f64;
        let Time { clock, path } = time;
        Row { curve, what: lap.name, clock, path, median, each, speedup: first / each }
    };
    laps.into_iter().map(row).collect()
}

fn bls12_381(turns: usize) -> Vec<Row> {
    let pairs: Vec<_> = (0..64).map(|i| bls::points(0x1234_5678_9abc_def1 + i, 97 + i)).collect();
    let (p, q) = pairs[0];
    let mut known = [blst_fp6::default(); 68];
    bls::lines(&q, &mut known);
    let expected = bls::reduce(&bls::miller(&p, &q));
    for cut in CUTS {
        let f = bls::join(&bls::high(&known, cut, &p), &bls::low(&known, cut, &p));
        assert!(bls::reduce(&f) == expected, "two parts, cut at line {cut}");
    }

    let mut race = Race::default();
    race.add("one, 1 thread", 1, || alone(RUNS, || bls::reduce(&bls::miller(&p, &q))));
    let scratch = RwLock::new(known);
    for cut in CUTS {
        let name = format!("one, 2 threads: the loop cut at line {cut}");
        let scratch = &scratch;
        race.add(name, 1, move || {
            beside(
                RUNS,
                || bls::lines(&q, &mut scratch.write().expect("not poisoned")),
                || bls::high(&scratch.read().expect("not poisoned"), cut, &p),
                || bls::low(&scratch.read().expect("not poisoned"), cut, &p),
                |high, low| bls::reduce(&bls::join(&high, &low)),
            )
        });
    }
    race.add("one, 1 thread, lines of Q known", 1, || {
        alone(RUNS, || bls::reduce(&bls::miller_from_lines(&known, &p)))
    });
    for cut in CUTS {
        let name = format!("one, 2 threads, lines of Q known: cut at line {cut}");
        let known = &known;
        race.add(name, 1, move || {
            let join = |high: blst_fp12, low: blst_fp12| bls::reduce(&bls::join(&high, &low));
            beside(RUNS, || (), || bls::high(known, cut, &p), || bls::low(known, cut, &p), join)
        });
    }
    race.add("  of which the lines of Q", 1, || {
        alone(RUNS, || bls::lines(&q, &mut scratch.write().expect("not poisoned")))
    });
    race.add("  of which the loop over known lines", 1, || {
        alone(RUNS, || bls::miller_from_lines(&known, &p))
    });
    race.add("  of which the final exponentiation", 1, || alone(RUNS, || bls::reduce(&expected)));
    for n in MANY {
        let pairs = &pairs[..n];
        race.add(format!("{n} with one final exponentiation, 1 thread"), n, move || {
            alone(RUNS, || bls::reduce(&bls::miller_of_all(pairs)))
        });
        let (mine, theirs) = pairs.split_at(n / 2);
        race.add(format!("{n} with one final exponentiation, 2 threads"), n, move || {
            let join = |f, g| bls::reduce(&bls::product(&f, &g));
            beside(RUNS, || (), || bls::miller_of_all(mine), || bls::miller_of_all(theirs), join)
        });
    }
    rows("BLS12-381 (blst)", race.run(turns))
}

fn ternary<C: Curve>(curve: &'static str, runs: usize, turns: usize) -> Vec<Row> {
    let point = |i: u64| {
        let [mut one, none] = [C::Limbs::splat(0), C::Limbs::splat(0)];
        one.as_mut()[0] = i;
        let seed = Element::from_planes(one, none).expect("a polynomial");
        Point::<Element<C>>::from_seed(seed).expect("a point")
    };
    let (p, q) = (point(0x9e37_79b9_7f4a_7c15), point(0xd1b5_4a32_d192_ed03));
    let [middle, end] = [factors::<C>() / 2, factors::<C>()];
    let mut race = Race::default();
    race.add("one, 1 thread", 1, || alone(runs, || pair(p, q)));
    race.add("one, 2 threads", 1, || {
        let part = |from, to| move || miller_part(p, q, from..to);
        beside(runs, || (), part(0, middle), part(middle, end), |f, g| reduce(f * g))
    });
    rows(curve, race.run(turns))
}

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let (mut json, mut turns, mut wrong) = (false, 20, None);
    let mut rest = args.iter();
    while let Some(arg) = rest.next() {
        match arg.as_str() {
            "--json" => json = true,
            "--turns" => match rest.next().and_then(|n| n.parse().ok()).filter(|&n| n > 0) {
                Some(n) => turns = n,
                None => wrong = Some("--turns takes a number above 0"),
            },
            _ => wrong = Some("the options are --json and --turns N"),
        }
    }
    if let Some(wrong) = wrong {
        eprintln!("pairings: {wrong}");
        return ExitCode::FAILURE;
    }
    let mut rows = bls12_381(turns);
    rows.extend(ternary::<Eta97>("η_T over F_3^97", RUNS, turns));
    rows.extend(ternary::<Eta509>("η_T over F_3^509", 1, turns));
    let cpus = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
    let record = Record { security: SECURITY, cpus, turns, rows };
    match json {
        true => println!("{}", serde_json::to_string_pretty(&record).expect("plain data")),
        false => text(&record),
    }
    ExitCode::SUCCESS
}

fn text(record: &Record) {
    let mut curve = "";
    for row in &record.rows {
        if row.curve != curve {
            curve = row.curve;
            println!(
                "\n{curve:<50} {:>10} {:>10} {:>10} {:>9} {:>8}",
                "clock µs", "path µs", "median", "each", "speedup"
            );
        }
        println!(
            "  {:<48} {:>10.1} {:>10.1} {:>10.1} {:>9.1} {:>8.2}",
            row.what, row.clock, row.path, row.median, row.each, row.speedup
        );
    }
    println!("\n{}", record.security);
}
