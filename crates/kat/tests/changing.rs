//! Messages that change while they are hashed, in a process whose panics are silent.

use manylane_engine::{Batch, HashId};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};

/// Messages that are others whenever they are asked for have wrong digests, or are noticed by a
/// panic; nothing outside them is read.
#[test]
fn messages_that_change_are_read_within_their_bounds() {
    let asked = AtomicUsize::new(0);
    let messages: Vec<Vec<u8>> = (0..300).map(|length| vec![0; length]).collect();
    let any = |_: usize| {
        let number = asked.fetch_add(1, Ordering::Relaxed);
        &messages[number * 7919 % messages.len()][..]
    };
    std::panic::set_hook(Box::new(|_| {}));
    for &id in HashId::ALL {
        let digest_bytes = Batch::new(id).algorithm().digest_bytes();
        for count in [1, 2, 7, 40, 3000] {
            for threads in [1, 2] {
                let batch = Batch::new(id).threads(threads);
                let mut out = vec![0; count * digest_bytes];
                let ended =
                    catch_unwind(AssertUnwindSafe(|| batch.run_indexed(count, any, &mut out)));
                assert!(ended.is_err() || ended.is_ok_and(|result| result.is_ok()));
            }
        }
    }
}
