//! Timing on a shared machine: processor time of one thread on one core where that suffices,
//! contestants measured in turn, medians of several runs.

use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};
use rustix::time::{ClockId, clock_gettime};

/// How long each contestant runs at a time unless told otherwise, in seconds.
const SLICE: f64 = 0.015;

/// A function that gets a sentence about what may spoil a measurement, before there are figures.
pub type Complain<'c> = &'c (dyn Fn(&str) + Sync);

/// Measures on a thread of its own that stays on one core.
pub fn on_one_core<T: Send>(complain: Complain, measure: impl FnOnce() -> T + Send) -> T {
    let pinned = || {
        stay_on_one_core(complain);
        measure()
    };
    std::thread::scope(|scope| scope.spawn(pinned).join()).expect("measuring does not panic")
}

/// Keeps this thread on the last core that it may use, or complains that it does not stay there.
pub fn stay_on_one_core(complain: Complain) {
    if let Err(error) = pin_to_one_core() {
        complain(&format!("cannot stay on one core ({error}): figures may vary more"));
    }
}

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

fn seconds(clock: ClockId) -> f64 {
    let time = clock_gettime(clock);
    time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
}

/// Computations that are timed in turn, so that a change of the machine's load meets all alike.
pub struct Paired<'c> {
    contestants: Vec<Box<dyn FnMut() + 'c>>,
    /// Seconds since some moment.
    clock: ClockId,
    /// Whether an uncounted call precedes each slice, to wake sleeping threads.
    wakes: bool,
    /// How long each contestant runs at a time, in seconds.
    slice: f64,
}

impl<'c> Paired<'c> {
    /// Measures in processor time of this thread.
    pub fn new(contestants: Vec<Box<dyn FnMut() + 'c>>) -> Self {
        Self { contestants, clock: ClockId::ThreadCPUTime, wakes: false, slice: SLICE }
    }

    /// Measures in wall time, for contestants with threads of their own. These threads sleep while
    /// other contestants have their turn and are woken before their own.
    pub fn in_wall_time(contestants: Vec<Box<dyn FnMut() + 'c>>) -> Self {
        Self { contestants, clock: ClockId::Monotonic, wakes: true, slice: SLICE }
    }

    /// Runs each contestant for `slice` seconds at a time.
    #[must_use]
    pub fn slices_of(self, slice: f64) -> Self {
        Self { slice, ..self }
    }

    /// Seconds that each contestant takes for one call: the median of `runs` slices.
    pub fn medians(self, runs: u32) -> Vec<f64> {
        let slice = self.slice;
        self.times(slice, runs).into_iter().map(median).collect()
    }

    /// Seconds that each contestant takes for one call when nothing disturbs it: the minimum over
    /// slices that are short enough for some to be undisturbed. All slices together take the time
    /// of `runs` long ones.
    pub fn minima(self, runs: u32) -> Vec<f64> {
        let least = |times: Vec<f64>| times.into_iter().fold(f64::MAX, f64::min);
        let slice = self.slice / 10.0;
        self.times(slice, 10 * runs).into_iter().map(least).collect()
    }

    /// Seconds of one call, in each slice, of each contestant.
    fn times(mut self, slice: f64, runs: u32) -> Vec<Vec<f64>> {
        let clock = self.clock;
        // Warms up, and finds how many calls fill a slice.
        let calls: Vec<u32> =
            self.contestants.iter_mut().map(|call| calls_per_slice(call, slice, clock)).collect();
        let mut times = vec![Vec::new(); self.contestants.len()];
        for _ in 0..runs {
            for ((call, &calls), times) in self.contestants.iter_mut().zip(&calls).zip(&mut times) {
                if self.wakes {
                    call();
                }
                times.push(time_of(call, calls, clock) / f64::from(calls));
            }
        }
        times
    }
}

fn time_of(call: &mut dyn FnMut(), calls: u32, clock: ClockId) -> f64 {
    let begin = seconds(clock);
    for _ in 0..calls {
        call();
    }
    seconds(clock) - begin
}

fn calls_per_slice(call: &mut dyn FnMut(), slice: f64, clock: ClockId) -> u32 {
    let mut calls = 1;
    loop {
        let time = time_of(call, calls, clock);
        if time >= slice / 4.0 {
            return ((f64::from(calls) * slice / time) as u32).max(1);
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
