//! Timing on a machine that has other things to do: processor time of one thread on one core,
//! contestants in turn, medians.

use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};
use rustix::time::{ClockId, clock_gettime};

/// How long each contestant runs at a time, in seconds.
const SLICE: f64 = 0.015;

/// Keeps this thread on the last core that it may use.
///
/// # Errors
/// If the system does not allow it.
pub fn pin_to_one_core() -> std::io::Result<()> {
    let allowed = sched_getaffinity(None)?;
    let last = (0..CpuSet::MAX_CPU).rev().find(|&cpu| allowed.is_set(cpu));
    let mut one = CpuSet::new();
    one.set(last.unwrap_or(0));
    Ok(sched_setaffinity(None, &one)?)
}

/// Processor time that this thread has had, in seconds.
fn thread_time() -> f64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
}

/// Computations that are timed in turn, so that the machine's moods meet all alike.
pub struct Paired<'c> {
    contestants: Vec<Box<dyn FnMut() + 'c>>,
}

impl<'c> Paired<'c> {
    /// To be called again and again.
    pub fn new(contestants: Vec<Box<dyn FnMut() + 'c>>) -> Self {
        Self { contestants }
    }

    /// Seconds that each contestant takes for one call: the median of `runs` slices.
    pub fn medians(mut self, runs: u32) -> Vec<f64> {
        // Warms up, and finds how many calls fill a slice.
        let calls: Vec<u32> =
            self.contestants.iter_mut().map(|call| calls_per_slice(call)).collect();
        let mut times = vec![Vec::new(); self.contestants.len()];
        for _ in 0..runs {
            for ((call, &calls), times) in self.contestants.iter_mut().zip(&calls).zip(&mut times) {
                times.push(time_of(call, calls) / f64::from(calls));
            }
        }
        times.into_iter().map(median).collect()
    }
}

fn time_of(call: &mut dyn FnMut(), calls: u32) -> f64 {
    let begin = thread_time();
    for _ in 0..calls {
        call();
    }
    thread_time() - begin
}

fn calls_per_slice(call: &mut dyn FnMut()) -> u32 {
    let mut calls = 1;
    loop {
        let time = time_of(call, calls);
        if time >= SLICE / 4.0 {
            return ((f64::from(calls) * SLICE / time) as u32).max(1);
        }
        calls = calls.saturating_mul(2);
    }
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    match values.len() % 2 {
        0 => (values[middle - 1] + values[middle]) / 2.0,
        _ => values[middle],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn medians_are_in_the_middle() {
        assert_eq!(median(vec![3.0]), 3.0);
        assert_eq!(median(vec![9.0, 1.0, 2.0]), 2.0);
        assert_eq!(median(vec![4.0, 1.0, 2.0, 9.0]), 3.0);
    }
}
