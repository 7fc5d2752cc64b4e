//! The ate pairing over BLS12-381 with its Miller loop divided over two threads. The paper reports
//! a gain of 10 % for asymmetric pairings; the η_T pairing gains more.
//!
//! ```text
//! thread 1   lines of Q ─► lines 0 … k−1, squares for those after them ─┐
//! thread 2   lines of Q ─► lines k … 67 ────────────────────────────────┴─ product, end
//! ```

use super::row::Row;
use crate::timing::Paired;
use anyhow::bail;
use manylane_engine::peer::{Ate, AteValue};
use std::hint::{black_box, spin_loop};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

/// The line at which the second thread begins. With about 36 products of F_p for a square of F_p^12
/// and 43 for a product by a line, both threads then take equally long.
const CUT: usize = 24;

/// The value of `turn` that ends the second thread.
const STOP: u64 = u64::MAX;

/// One pairing on one thread, whole, and on two; none where there is no second core.
///
/// # Errors
/// If the parts do not make the pairing.
pub fn rows(cores: usize, runs: u32) -> anyhow::Result<Vec<Row>> {
    let (Some(ate), true) = (Ate::new(), cores > 1) else { return Ok(Vec::new()) };
    let whole = ate.pair();
    // Odd while the second thread has work to do.
    let turn = AtomicU64::new(0);
    let second = Mutex::new(None::<AteValue>);
    let minima = std::thread::scope(|scope| {
        scope.spawn(|| {
            loop {
                match turn.load(Ordering::Acquire) {
                    STOP => return,
                    asked if asked % 2 == 1 => {
                        let lines = ate.lines();
                        let part = ate.part(&lines, CUT..Ate::LINES);
                        *second.lock().expect("no holder of the lock panics") = Some(part);
                        turn.store(asked + 1, Ordering::Release);
                    }
                    _ => spin_loop(),
                }
            }
        });
        let shared = || {
            let asked = turn.load(Ordering::Relaxed) + 1;
            turn.store(asked, Ordering::Release);
            let lines = black_box(&ate).lines();
            let first = ate.part(&lines, 0..CUT);
            while turn.load(Ordering::Acquire) == asked {
                spin_loop();
            }
            let second = second.lock().expect("no holder of the lock panics").take();
            ate.finish([first, second.expect("the other thread's part")])
        };
        let right = shared() == whole;
        let minima = right.then(|| {
            let together = Box::new(|| _ = black_box(shared()));
            let alone = Box::new(|| _ = black_box(black_box(&ate).pair()));
            Paired::in_wall_time(vec![together, alone]).minima(runs)
        });
        turn.store(STOP, Ordering::Release);
        minima
    });
    let Some(minima) = minima else {
        bail!("blst: the parts of a Miller loop do not make the pairing: left out");
    };
    let [together, alone] = minima[..] else { unreachable!("one time per contestant") };
    let rows = [(1, alone, None), (2, together, Some(alone / together))].map(
        |(threads, seconds, speedup)| Row {
            threads,
            per_blst_pairing: Some(alone / seconds),
            speedup,
            ..Row::new("ate, BLS12-381", "blst", seconds)
        },
    );
    Ok(rows.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_the_miller_loop_make_the_pairing() {
        let ate = Ate::new().unwrap();
        let (whole, lines) = (ate.pair(), ate.lines());
        for cut in [0, 1, 4, CUT, 51, Ate::LINES] {
            let parts = [0..cut, cut..Ate::LINES].map(|part| ate.part(&lines, part));
            assert_eq!(ate.finish(parts), whole, "{cut}");
            assert!(cut == 0 || cut == Ate::LINES || ate.finish([parts[1]]) != whole, "{cut}");
        }
        let thirds = [0..20, 20..40, 40..Ate::LINES].map(|part| ate.part(&lines, part));
        assert_eq!(ate.finish(thirds), whole);
    }
}
