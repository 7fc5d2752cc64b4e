//! The batch of Rust behind two functions of C, with which `benches/batch.c` measures what the C
//! library costs beside it: the list of messages is made beforehand, as a Rust program has it.

use manylane::{Algorithm, Batch, HashId};
use std::slice;

/// Messages as a batch takes them.
pub struct Messages(Vec<&'static [u8]>);

/// A list of `count` messages; message i is `sizes[i]` bytes at `starts[i]`. It is never freed.
///
/// # Safety
/// All of these bytes can be read, and nobody writes them, from now on.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn direct_messages(
    starts: *const *const u8,
    sizes: *const usize,
    count: usize,
) -> *const Messages {
    // SAFETY: the caller vouches for all of them.
    let list = unsafe {
        let starts = slice::from_raw_parts(starts, count);
        let sizes = slice::from_raw_parts(sizes, count);
        starts.iter().zip(sizes).map(|(&start, &size)| slice::from_raw_parts(start, size)).collect()
    };
    Box::into_raw(Box::new(Messages(list)))
}

/// Writes the digests of the messages by SHA-256, or by MD5 if that is asked for.
///
/// # Safety
/// The messages came from [`direct_messages`], and the digests have room.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn direct_run(
    messages: *const Messages,
    md5: bool,
    threads: usize,
    digests: *mut u8,
) -> bool {
    // SAFETY: the caller vouches for it.
    let messages = unsafe { &*messages };
    let algorithm: Algorithm = if md5 { HashId::Md5 } else { HashId::Sha256 }.into();
    let size = messages.0.len() * algorithm.digest_bytes();
    // SAFETY: the caller vouches for it.
    let digests = unsafe { slice::from_raw_parts_mut(digests, size) };
    Batch::new(algorithm).threads(threads).run(&messages.0, digests).is_ok()
}
