//! A number of permits, which threads take in turn.

use std::sync::{Condvar, Mutex};

/// So many threads at once may do something.
pub struct Permits {
    /// Permits left; nothing where there is no limit.
    left: Option<Mutex<usize>>,
    returned: Condvar,
}

impl Permits {
    /// Permits for so many threads, or for all.
    pub fn new(count: Option<usize>) -> Self {
        Self { left: count.map(|count| Mutex::new(count.max(1))), returned: Condvar::new() }
    }

    /// Waits for a permit, which ends with what is returned.
    pub fn take(&self) -> Option<Permit<'_>> {
        let left = self.left.as_ref()?;
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
        if let Some(left) = &self.0.left {
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
        assert!(Permits::new(None).take().is_none());
        let permits = Permits::new(Some(2));
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
