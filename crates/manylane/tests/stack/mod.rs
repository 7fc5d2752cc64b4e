//! Stacks for builds without optimisation (`make test-unoptimised`).

use std::panic::resume_unwind;
use std::thread::Builder;

/// Runs a test that pairs, or asks for engines by name: without optimisation these need more stack
/// than the 2 MiB of a test's thread.
pub fn on_a_large_stack(test: fn()) {
    let thread = Builder::new().stack_size(16 << 20).spawn(test).unwrap();
    thread.join().unwrap_or_else(|panic| resume_unwind(panic));
}
