//! The stack on which answers are made.

use std::panic::resume_unwind;
use std::thread;

/// Bytes of the stack that an answer needs at most: Linux' default limit.
pub const STACK: usize = 8 << 20;

/// Does the work on a thread with a stack of 8 MiB, whatever limit the process was started under;
/// on the stack of the caller if no thread can be started.
pub fn on_own_stack<T: Send>(work: impl Fn() -> T + Sync) -> T {
    thread::scope(|scope| {
        let thread = thread::Builder::new().stack_size(STACK);
        match thread.spawn_scoped(scope, &work) {
            Ok(thread) => thread.join().unwrap_or_else(|panic| resume_unwind(panic)),
            Err(_) => work(),
        }
    })
}
