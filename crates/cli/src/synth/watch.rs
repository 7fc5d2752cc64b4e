//! How far it is, on standard error, and Ctrl-C.

use indicatif::{ProgressBar, ProgressStyle};
use manylane_synth::{Event, Watch};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// A line that shows what runs, and how much is done.
pub struct Bar {
    bar: ProgressBar,
    running: Mutex<Vec<String>>,
    stop: Arc<AtomicBool>,
}

impl Bar {
    /// From now on Ctrl-C stops what runs, instead of this program alone.
    pub fn new(results: usize) -> Self {
        let style = ProgressStyle::with_template("{bar:20} {pos}/{len} {elapsed} {wide_msg}");
        // Shows nothing where standard error is no terminal.
        let bar = ProgressBar::new(results as u64)
            .with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        bar.enable_steady_tick(Duration::from_millis(200));
        let stop = Arc::new(AtomicBool::new(false));
        for signal in [SIGINT, SIGTERM, SIGHUP] {
            // Where it cannot be caught, the program ends as it would without.
            let _ = signal_hook::flag::register(signal, stop.clone());
        }
        Self { bar, running: Mutex::default(), stop }
    }
}

impl Watch for Bar {
    fn stop(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    fn event(&self, event: Event<'_>) {
        let mut running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        match event {
            Event::Begins(what) => running.push(what.to_owned()),
            Event::Ends(what) => {
                if let Some(place) = running.iter().position(|running| running == what) {
                    running.remove(place);
                }
                self.bar.inc(1);
            }
            Event::Skipped(count) => self.bar.inc(count as u64),
        }
        self.bar.set_message(running.join(", "));
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
