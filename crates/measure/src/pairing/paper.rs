//! The paper's own arithmetic and pairing, beside the best engine's and beside the paper's figures.
//!
//! **The curve has about 59 bits of security: for research and teaching only.**

use super::contestants::{self, Contestant};
use super::row::Row;
use super::threads::counts;
use crate::timing::Paired;
use manylane_engine::Engine;
use manylane_engine::pairing::{Pairing, hash_to_point};
use manylane_plan::threads::Pairing as Costs;
use manylane_primitives::pairing::tables::{self, TableElement};
use manylane_primitives::pairing::{BinaryField, Point, Quartic, eta_t};
use std::hint::black_box;

/// The paper's newer machine.
const MACHINE: &str = "core2-45nm";

/// A point over the paper's arithmetic.
type TablePoint = Point<TableElement>;

/// The name of this arithmetic among the names of engines.
const TABLES: &str = "tables";

/// How many times an operation is done in one call.
const TIMES: usize = 20;

/// The paper's algorithms, then the same of the best engine, on one core.
pub fn rows(best: Engine, runs: u32) -> anyhow::Result<Vec<Row>> {
    let costs = Costs::load(MACHINE)?;
    let published = |what: &str| match what {
        "square" => Some(costs.field.square),
        "square root" => Some(costs.field.square_root),
        "multiply" => Some(costs.field.multiply),
        "pairing" | "pairing by factors" => Some(costs.whole),
        _ => None,
    };
    let pairing = Pairing::on(best)?;
    let by_factors = Pairing::on(best)?.by_factors();
    let same = ["square", "square root", "multiply", "pairing", "pairing by factors"];
    let ours = contestants::field(&pairing)
        .into_iter()
        .chain(contestants::whole(&pairing, &by_factors))
        .filter(|contestant| same.contains(&contestant.what));
    let rows = by_tables().into_iter().chain(ours).map(|contestant| contestant.row(runs));
    Ok(rows.map(|row| Row { paper_cycles: published(row.what), ..row }).collect())
}

/// The algorithms of the paper, each as it stands there.
fn by_tables() -> Vec<Contestant<'static>> {
    let [a, b] = [1, 2].map(|i| TableElement::from(hash_to_point(&[i]).x()));
    let product = std::array::from_fn::<u64, 40, _>(|i| a.0[i % 20] ^ b.0[(i + 1) % 20]);
    /// Does an operation several times, each time on the result before.
    fn chain<T: 'static>(
        what: &'static str,
        mut value: T,
        step: impl Fn(&T) -> T + 'static,
    ) -> Contestant<'static> {
        Contestant {
            what,
            engine: TABLES,
            count: 1,
            times: TIMES,
            call: Box::new(move || (0..TIMES).for_each(|_| value = step(black_box(&value)))),
        }
    }
    /// The lower 612 bits, which are an operand of Algorithm 1.
    fn low(limbs: [u64; 20]) -> [u64; 10] {
        let mut low: [u64; 10] = std::array::from_fn(|i| limbs[i]);
        low[9] &= u64::MAX >> 28;
        low
    }
    /// Twice as many limbs, which are an operand of Algorithms 2 and 3.
    fn widened(element: [u64; 20]) -> [u64; 40] {
        std::array::from_fn(|i| element[i % 20])
    }
    let (half_a, half_b) = (low(a.0), low(b.0));
    let (p, q) = points();
    vec![
        chain("Algorithm 1, comb", half_a, move |a| low(tables::comb(a, &half_b))),
        chain("Algorithm 2, mod f", product, |c| widened(tables::reduce_64(*c))),
        chain("Algorithm 3, mod f", product, |c| widened(tables::reduce_128(*c))),
        chain("square", a, |a| a.square()),
        chain("square root", a, |a| a.square_root()),
        chain("multiply", a, move |&a| a * b),
        Contestant {
            what: "pairing",
            engine: TABLES,
            count: 1,
            times: 1,
            call: Box::new(move || {
                black_box(eta_t::pair(black_box(p), q));
            }),
        },
    ]
}

fn points() -> (TablePoint, TablePoint) {
    let point = |name: &[u8]| {
        let point = hash_to_point(name);
        TablePoint::new(point.x().into(), point.y().into())
    };
    (point(b"P"), point(b"Q"))
}

/// Algorithm 6 on 2, 4, … and all cores, with the partition w_i that the paper's costs give: wall
/// time, the least of all runs.
pub fn shared(cores: usize, runs: u32) -> anyhow::Result<Vec<Row>> {
    let costs = Costs::load(MACHINE)?;
    let (p, q) = points();
    let rows = counts(cores).map(|threads| {
        let cuts = cuts(&costs, threads);
        let together = Box::new(|| _ = black_box(on_threads(black_box(p), q, &cuts)));
        let alone = Box::new(|| _ = black_box(eta_t::pair(black_box(p), q)));
        let minima = Paired::in_wall_time(vec![together, alone]).minima(runs);
        let [together, alone] = minima[..] else { unreachable!("one time per contestant") };
        Row {
            threads,
            speedup: Some(alone / together),
            paper_cycles: costs.published_for(threads).map(|published| published.cycles),
            ..Row::new("Algorithm 6", TABLES, together)
        }
    });
    Ok(rows.collect())
}

/// The places at which the factors are divided among `threads` threads. The paper's loop begins
/// after factor 0, which the first thread computes.
fn cuts(costs: &Costs, threads: usize) -> Vec<usize> {
    let bounds = costs.split_loop().balance(threads).bounds;
    let mut cuts: Vec<usize> = bounds.into_iter().map(|bound| bound as usize + 1).collect();
    cuts[0] = 0;
    cuts
}

/// The pairing, with a thread for each part of its factors.
fn on_threads(p: TablePoint, q: TablePoint, cuts: &[usize]) -> Quartic<TableElement> {
    let part = |cut: &[usize]| eta_t::miller_part(p, q, cut[0]..cut[1]);
    let product = std::thread::scope(|scope| {
        let parts: Vec<&[usize]> = cuts.windows(2).collect();
        let others: Vec<_> = parts[1..].iter().map(|&cut| scope.spawn(move || part(cut))).collect();
        let first = part(parts[0]);
        others.into_iter().fold(first, |f, g| f * g.join().expect("a product does not panic"))
    });
    eta_t::reduce(product)
}

#[cfg(test)]
mod tests {
    use super::*;
    use manylane_engine::pairing::FACTORS;

    /// The product of the parts does not depend on the number of threads, and is the engine's.
    #[test]
    fn algorithm_6_gives_the_pairing() {
        let costs = Costs::load(MACHINE).unwrap();
        let [p, q] = [&b"P"[..], b"Q"].map(hash_to_point);
        let expected = Pairing::new().unwrap().pair(p, q).0.map(TableElement::from);
        let (p, q) = points();
        for threads in [1, 2, 5] {
            let cuts = cuts(&costs, threads);
            assert_eq!((cuts[0], cuts[threads]), (0, FACTORS), "{cuts:?}");
            assert_eq!(on_threads(p, q, &cuts).0, expected, "{threads} threads");
        }
    }
}
