//! libipsec-mb: many messages of one hash as jobs of its multi-buffer manager.

use crate::Peer;
use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::ptr::null;

// SAFETY: the signatures are those of `ipsec_mb.c` and `intel-ipsec-mb.h`.
unsafe extern "C" {
    fn imb_get_version_str() -> *const c_char;
    fn shim_open() -> *mut c_void;
    fn shim_hash(name: *const c_char) -> c_int;
    fn shim_one_block(
        manager: *mut c_void,
        hash: c_int,
        block: *const c_void,
        state: *mut c_void,
    ) -> c_int;
    fn shim_run(
        manager: *mut c_void,
        hash: c_int,
        inner: *const u8,
        outer: *const u8,
        messages: *const *const u8,
        lengths: *const usize,
        count: usize,
        out: *mut u8,
        digest_bytes: usize,
    ) -> usize;
}

/// The longest message of a job: the library counts 16 bits of length.
pub const MOST_BYTES: usize = (1 << 16) - 2;

/// The library's version.
pub fn version() -> String {
    // SAFETY: the function returns a static string.
    unsafe { CStr::from_ptr(imb_get_version_str()) }.to_string_lossy().into_owned()
}

/// The longest block and state of its hashes.
#[derive(Clone, Copy)]
#[repr(align(64))]
struct Bytes([u8; 128]);

/// One hash of the library, or HMAC under a key.
struct Jobs {
    manager: *mut c_void,
    hash: c_int,
    /// The states after the inner and the outer block of the key; not read for a plain hash.
    keyed: [Bytes; 2],
    messages: Vec<*const u8>,
    lengths: Vec<usize>,
}

/// The hash or HMAC of that name, if the library has it.
pub fn peer(name: &str, block_bytes: usize, key: &[u8]) -> Option<Box<dyn Peer>> {
    let c_name = CString::new(name).ok()?;
    // SAFETY: the string ends with 0.
    let hash = unsafe { shim_hash(c_name.as_ptr()) };
    if hash == 0 {
        return None;
    }
    // SAFETY: takes nothing.
    let manager = unsafe { shim_open() };
    assert!(!manager.is_null(), "libipsec-mb has no memory");
    let mut keyed = [Bytes([0; 128]); 2];
    if name.starts_with("hmac-") {
        for (state, pad) in keyed.iter_mut().zip([0x36, 0x5c]) {
            let mut block = Bytes([0; 128]);
            block.0[..key.len()].copy_from_slice(key);
            block.0[..block_bytes].iter_mut().for_each(|byte| *byte ^= pad);
            // SAFETY: both are as long as the longest block and state.
            let done = unsafe {
                shim_one_block(manager, hash, block.0.as_ptr().cast(), state.0.as_mut_ptr().cast())
            };
            assert_eq!(done, 1, "the shim knows every HMAC that it names");
        }
    }
    Some(Box::new(Jobs { manager, hash, keyed, messages: Vec::new(), lengths: Vec::new() }))
}

impl Peer for Jobs {
    fn name(&self) -> &'static str {
        "ipsec-mb"
    }

    fn compute(&mut self, messages: &[Vec<u8>], out: &mut [u8]) {
        let digest_bytes = out.len() / messages.len();
        self.messages.clear();
        self.messages.extend(messages.iter().map(|message| message.as_ptr()));
        self.lengths.clear();
        self.lengths.extend(messages.iter().map(Vec::len));
        let [inner, outer] = match self.keyed[0].0.iter().all(|&byte| byte == 0) {
            true => [null(); 2],
            false => [self.keyed[0].0.as_ptr(), self.keyed[1].0.as_ptr()],
        };
        // SAFETY: pointers and lengths are those of the messages; `out` has a digest for each.
        let done = unsafe {
            shim_run(
                self.manager,
                self.hash,
                inner,
                outer,
                self.messages.as_ptr(),
                self.lengths.as_ptr(),
                messages.len(),
                out.as_mut_ptr(),
                digest_bytes,
            )
        };
        assert_eq!(done, messages.len(), "libipsec-mb fails");
    }
}
