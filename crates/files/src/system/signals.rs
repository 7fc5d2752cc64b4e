//! Catches the signals that would end the program.

use signal_hook::consts::{SIGINT, SIGTERM};
use std::fs;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// The signals by which a user ends a program.
pub const ENDING: &[i32] = &[SIGINT, SIGTERM];

/// [`ENDING`] and, where there is one, the signal of a terminal that closes.
#[cfg(unix)]
pub const ENDING_OR_HANGUP: &[i32] = &[SIGINT, SIGTERM, signal_hook::consts::SIGHUP];
/// [`ENDING`] and, where there is one, the signal of a terminal that closes.
#[cfg(not(unix))]
pub const ENDING_OR_HANGUP: &[i32] = ENDING;

/// Whether the program was started with this signal ignored, as shells do with ^C for programs in
/// the background; it stays ignored then. Where the system does not tell, it is not.
fn is_ignored(signal: i32) -> bool {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0);
    mask >> (signal - 1) & 1 == 1
}

/// A flag that is set when one of the signals comes, which then no longer ends the program.
pub fn flag(signals: &[i32]) -> Arc<AtomicBool> {
    let flag = Arc::new(AtomicBool::new(false));
    for &signal in signals.iter().filter(|signal| !is_ignored(**signal)) {
        // A signal that cannot be caught ends the program.
        let _ = signal_hook::flag::register(signal, flag.clone());
    }
    flag
}

/// The first signal of [`ENDING`] that came. A second one ends the program at once, even while it
/// waits for something.
#[derive(Debug)]
pub struct Caught(Arc<AtomicUsize>);

impl Caught {
    /// Catches the signals of [`ENDING`] from now on.
    pub fn from_now_on() -> Self {
        let (caught, again) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicBool::new(false)));
        for &signal in ENDING.iter().filter(|signal| !is_ignored(**signal)) {
            // A signal that cannot be caught ends the program.
            let _ = signal_hook::flag::register_conditional_default(signal, again.clone());
            let _ = signal_hook::flag::register(signal, again.clone());
            let _ = signal_hook::flag::register_usize(signal, caught.clone(), signal as usize);
        }
        Self(caught)
    }

    /// The signal that came, if one did.
    pub fn signal(&self) -> Option<i32> {
        match self.0.load(Ordering::Relaxed) {
            0 => None,
            signal => Some(signal as i32),
        }
    }
}

/// Ends the program as the signal would have done if it had not been caught.
pub fn end_by(signal: i32) {
    let _ = signal_hook::low_level::emulate_default_handler(signal);
}
