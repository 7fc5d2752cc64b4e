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

/// A panic of a batch's thread is one of the caller, with its reason.
#[test]
fn a_panic_of_another_thread_has_its_reason() {
    std::panic::set_hook(Box::new(|_| {}));
    let caller = std::thread::current().id();
    let message = vec![0; 1 << 16];
    let only_here = |_: usize| {
        assert!(std::thread::current().id() == caller, "the reason");
        &message[..]
    };
    let batch = Batch::new(HashId::Sha256).threads(2);
    let mut out = vec![0; 64 * 32];
    // The caller may have done all parts before the other thread runs.
    let panic = (0..10_000).find_map(|_| {
        catch_unwind(AssertUnwindSafe(|| batch.run_indexed(64, only_here, &mut out))).err()
    });
    assert_eq!(panic.expect("a thread runs").downcast_ref(), Some(&"the reason"));
}
