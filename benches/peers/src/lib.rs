//! Implementations by others of what manylane computes, to be measured beside it.

pub mod ipsec_mb;
pub mod rust_crypto;
pub mod singles;

/// Another implementation.
pub trait Peer {
    /// What it is called in records.
    fn name(&self) -> &'static str;
    /// Writes the digest of each message to `out`, one after the other.
    fn compute(&mut self, messages: &[Vec<u8>], out: &mut [u8]);
}

/// Calls a function for one message after the other.
struct OneByOne<F> {
    name: &'static str,
    digest: F,
}

impl<F: FnMut(&[u8], &mut [u8])> Peer for OneByOne<F> {
    fn name(&self) -> &'static str {
        self.name
    }

    fn compute(&mut self, messages: &[Vec<u8>], out: &mut [u8]) {
        let digest_bytes = out.len() / messages.len();
        for (message, out) in messages.iter().zip(out.chunks_exact_mut(digest_bytes)) {
            (self.digest)(message, out);
        }
    }
}

/// Load averages over 1, 5 and 15 minutes.
pub fn load() -> String {
    let load = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    load.split(' ').take(3).collect::<Vec<_>>().join(", ")
}
