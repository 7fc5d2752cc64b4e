//! A number of permits, which threads take in turn.

use std::sync::{Condvar, Mutex, OnceLock};

/// Limits how many threads do something at the same time.
pub struct Permits {
    /// Permits left; nothing where there is no limit.
    left: OnceLock<Mutex<usize>>,
    returned: Condvar,
}

impl Permits {
    /// Permits for `count` threads at a time, or without a limit.
    pub fn new(count: Option<usize>) -> Self {
        let permits = Self { left: OnceLock::new(), returned: Condvar::new() };
        if let Some(count) = count {
            permits.limit(count);
        }
        permits
    }

    /// Sets the number of permits where there was no limit. Threads that are already at work do not
    /// wait.
    pub fn limit(&self, count: usize) {
        self.left.get_or_init(|| Mutex::new(count.max(1)));
    }

    /// Waits for a permit, which is returned when the value is dropped. `None` if there is no
    /// limit.
    pub fn take(&self) -> Option<Permit<'_>> {
        let left = self.left.get()?;
        let mut left = left.lock().expect("no holder of the lock panics");
        while *left == 0 {
            left = self.returned.wait(left).expect("no holder of the lock panics");
        }
        *left -= 1;
        Some(Permit(self))
    }
}

/// The right of one thread.
pub struct Permit<'p>(&'p Permits);

impl Drop for Permit<'_> {
    fn drop(&mut self) {
        if let Some(left) = self.0.left.get() {
            *left.lock().unwrap_or_else(|poisoned| poisoned.into_inner()) += 1;
            self.0.returned.notify_one();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};

    #[test]
    fn no_more_threads_than_permits() {
        let late = Permits::new(None);
        assert!(late.take().is_none());
        late.limit(2);
        for permits in [late, Permits::new(Some(2))] {
            at_most_two(&permits);
        }
    }

    fn at_most_two(permits: &Permits) {
        let (now, most) = (AtomicUsize::new(0), AtomicUsize::new(0));
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    for _ in 0..50 {
                        let _permit = permits.take();
                        most.fetch_max(now.fetch_add(1, SeqCst) + 1, SeqCst);
                        std::thread::yield_now();
                        now.fetch_sub(1, SeqCst);
                    }
                });
            }
        });
        let most = most.into_inner();
        assert!((1..=2).contains(&most), "{most}");
    }
}
