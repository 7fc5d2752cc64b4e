//! With the feature `zeroize`, memory that is given back holds nothing of what was hashed and no
//! key of an HMAC.

use digest::Digest;
use manylane::{Group, HashId, Hasher, Hmac, Sha256, Skein512};
use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};

/// A key and a message. A value that is moved takes along what lies in the gaps between its fields,
/// which may be what the stack held: the secret is longer than any gap.
const SECRET: [u8; 64] = *b"a key or a message of 64 bytes, in which no two parts are alike.";

/// Pieces of memory that were given back with the secret, or with a block of HMAC made of it.
static LEFT: AtomicUsize = AtomicUsize::new(0);

struct Looks;

// SAFETY: all memory is the system's. What is looked at is memory that is given back: it has
// `layout.size()` bytes, which are initialised because all memory is zero at first.
unsafe impl GlobalAlloc for Looks {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc_zeroed(layout) }
    }
    unsafe fn dealloc(&self, place: *mut u8, layout: Layout) {
        // SAFETY: as above.
        let bytes = unsafe { std::slice::from_raw_parts(place, layout.size()) };
        for pad in [0, 0x36, 0x5c] {
            let secret = SECRET.map(|byte| byte ^ pad);
            let found = bytes.windows(secret.len()).any(|window| window == secret);
            LEFT.fetch_add(usize::from(found), Ordering::Relaxed);
        }
        // SAFETY: the caller keeps the contract of `dealloc`.
        unsafe { System.dealloc(place, layout) }
    }
}

#[global_allocator]
static MEMORY: Looks = Looks;

/// How many pieces were given back with the secret since the last call.
fn left() -> usize {
    LEFT.swap(0, Ordering::Relaxed)
}

/// One test, because all threads share the memory.
#[test]
fn memory_that_is_given_back_holds_no_secret() {
    drop(SECRET.to_vec());
    assert_eq!(left(), 1, "the allocator does not look");
    for id in [HashId::Sha256, HashId::Sha3_512, HashId::Skein512] {
        let mut hasher = Hasher::new(id);
        hasher.update(&SECRET);
        drop((hasher.clone(), hasher));
        assert_eq!(left(), 0, "a hasher of {id:?}");
        // A key that is longer than a block is hashed, a shorter one is filled up.
        for repeated in [1, 20] {
            let key = SECRET.repeat(repeated);
            let mut hmac = Hmac::new(id, &key).unwrap();
            hmac.update(&SECRET);
            drop((hmac.clone(), hmac));
            drop(Group::hmac(id, &key, 3, None).unwrap());
            assert_eq!(left(), 0, "HMAC with {id:?} under {repeated} times the key");
            drop(key);
            assert_eq!(left(), 1);
        }
    }
    drop(Box::new(Sha256::new_with_prefix(SECRET)));
    drop(Box::new(Skein512::new_with_prefix(SECRET)));
    assert_eq!(left(), 0, "the types");
}
