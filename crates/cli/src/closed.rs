//! Finds out which of the standard streams were closed when this process was started.
//!
//! Rust's runtime opens `/dev/null` in place of a closed standard stream before `main`. Reading it
//! looks like an empty input and writing it like success, and a process that was given `/dev/null`
//! on purpose looks the same. So the descriptors are examined before the runtime starts.

use rustix::io::fcntl_getfd;
use rustix::stdio::{stderr, stdin, stdout};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// Whether standard input, output and error were closed, as `look` found them.
static CLOSED: [AtomicBool; 3] = [const { AtomicBool::new(false) }; 3];

/// Makes system calls only, because the standard library is not yet initialised.
extern "C" fn look() {
    for (stream, closed) in [stdin(), stdout(), stderr()].into_iter().zip(&CLOSED) {
        closed.store(fcntl_getfd(stream).is_err(), Relaxed);
    }
}

/// The C runtime calls the functions of this section before it enters `main`.
#[used]
#[allow(unsafe_code)]
#[cfg_attr(target_vendor = "apple", unsafe(link_section = "__DATA,__mod_init_func,mod_init_funcs"))]
#[cfg_attr(not(target_vendor = "apple"), unsafe(link_section = ".init_array"))]
static BEFORE_MAIN: extern "C" fn() = look;

/// Whether standard input, output and error were closed.
pub fn streams() -> [bool; 3] {
    [0, 1, 2].map(|at: usize| CLOSED[at].load(Relaxed))
}
