//! Keys derived from passwords (PBKDF2, RFC 8018 §5.2) and from keys (HKDF, RFC 5869), many at
//! once; one-time passwords (RFC 4226).

use super::batch::check_count;
use super::keys::{HmacKeys, states};
use super::resources::{Resources, with_resources};
use crate::drive::longest::WINDOW;
use crate::error::Error;
use crate::kernels::kernel::MAX_LANES;
use manylane_primitives::catalog::Algorithm;
use std::num::NonZeroU32;
use std::ops::Range;

/// The most bytes of salts that are copied for one call, unless the salts are so long that more are
/// needed to fill the lanes.
const SALT_BYTES: usize = 1 << 20;

/// PBKDF2 with HMAC over any hash, for many passwords side by side in lanes. The blocks of a
/// password are hashed once, and its iterations start from their chaining values.
///
/// ```
/// use manylane::{HashId, Pbkdf2};
/// use std::num::NonZeroU32;
///
/// let mut keys = [0; 2 * 20];
/// let iterations = NonZeroU32::new(2).unwrap();
/// let pbkdf2 = Pbkdf2::new(HashId::Sha1, iterations);
/// pbkdf2.run(&["password", "another"], &["salt", "salt"], &mut keys)?;
/// assert_eq!(keys[..4], [0xea, 0x6c, 0x01, 0x4d]);
/// # Ok::<(), manylane::Error>(())
/// ```
///
/// Memory beyond the caller's: about 512 bytes for each of up to 1,024 blocks of keys on each
/// thread, and a copy of the salt for each of these blocks: at most 1 MiB of copies, or 64 copies
/// where these are more. This memory is not cleared after use.
#[derive(Clone, Debug)]
pub struct Pbkdf2<'p> {
    algorithm: Algorithm,
    iterations: NonZeroU32,
    key_bytes: usize,
    resources: Resources<'p>,
}

with_resources!(Pbkdf2);

impl Pbkdf2<'_> {
    /// PBKDF2 with HMAC over `algorithm`: keys as long as a digest, on this thread and the best
    /// engines of this CPU.
    pub fn new(algorithm: impl Into<Algorithm>, iterations: NonZeroU32) -> Self {
        let algorithm = algorithm.into();
        let key_bytes = algorithm.digest_bytes();
        Self { algorithm, iterations, key_bytes, resources: Resources::default() }
    }

    /// Length of each key in bytes, at least 1 and at most that of 2³² - 1 digests.
    #[must_use]
    pub fn key_bytes(mut self, bytes: usize) -> Self {
        self.key_bytes = bytes;
        self
    }

    /// Writes the key of each password with its salt to `out`, one after the other.
    ///
    /// # Errors
    /// If there are not as many salts as passwords, `out` is not as long as all keys together, a
    /// key would be empty or longer than RFC 8018 allows, the hash's digest is longer than its
    /// block, or the engine cannot serve.
    pub fn run<P: AsRef<[u8]> + Sync, S: AsRef<[u8]> + Sync>(
        &self,
        passwords: &[P],
        salts: &[S],
        out: &mut [u8],
    ) -> Result<(), Error> {
        let count = passwords.len();
        check_count("salts", salts.len(), "passwords", count)?;
        let digest = self.algorithm.digest_bytes();
        check_key_length(self.key_bytes, digest, u32::MAX)?;
        check_keys(count, self.key_bytes, out)?;
        // An engine that cannot serve is an error before anything is written.
        states(self.algorithm, self.resources.engine, 0, &|_| &[])?;
        // A job is one block T of one key.
        let per_key = self.key_bytes.div_ceil(digest);
        let at = |job: usize| {
            let in_key = (job % per_key) * digest;
            (job / per_key) * self.key_bytes + self.key_bytes.min(in_key)
        };
        let block = self.algorithm.id().entry().shape.block_bytes as u64;
        let of_job = u64::from(self.iterations.get()).saturating_mul(2 * block);
        let jobs = count * per_key;
        let work = of_job.saturating_mul(jobs as u64);
        let passwords = |key: usize| passwords[key].as_ref();
        let salts = |key: usize| salts[key].as_ref();
        self.resources.share(jobs, MAX_LANES, work, &at, out, &|range: Range<usize>, mut out| {
            let mut begin = range.start;
            while begin < range.end {
                let end = range.end.min(begin + WINDOW);
                let window =
                    begin..begin + salts_at_once((begin..end).map(|job| salts(job / per_key)));
                begin = window.end;
                let tags = self.window(per_key, window.clone(), &passwords, &salts);
                for (job, tag) in window.zip(tags.chunks_exact(digest)) {
                    let (now, later) = std::mem::take(&mut out).split_at_mut(at(job + 1) - at(job));
                    now.copy_from_slice(&tag[..now.len()]);
                    out = later;
                }
            }
        });
        Ok(())
    }

    /// The blocks T of these jobs, one after the other; each key has `per_key` blocks.
    fn window<'a>(
        &self,
        per_key: usize,
        jobs: Range<usize>,
        passwords: &dyn Fn(usize) -> &'a [u8],
        salts: &dyn Fn(usize) -> &'a [u8],
    ) -> Vec<u8> {
        let engine = self.resources.engine;
        let keys = jobs.start / per_key..(jobs.end - 1) / per_key + 1;
        let password = |i: usize| passwords(keys.start + i);
        let states = states(self.algorithm, engine, keys.len(), &password);
        let states = states.expect("HMAC is defined and the engine serves");
        // salt ‖ INT(i)
        let (mut messages, mut ends) = (Vec::new(), vec![0]);
        for job in jobs.clone() {
            messages.extend_from_slice(salts(job / per_key));
            let number = (job % per_key) as u32 + 1;
            messages.extend_from_slice(&number.to_be_bytes());
            ends.push(messages.len());
        }
        let key = |i: usize| (jobs.start + i) / per_key - keys.start;
        let message = |i: usize| &messages[ends[i]..ends[i + 1]];
        let mut tags = vec![0; jobs.len() * self.algorithm.digest_bytes()];
        let done = states.tags(engine, &key, jobs.len(), &message, &mut tags);
        let times = self.iterations.get() - 1;
        done.and_then(|()| states.iterate(engine, &key, times, &mut tags))
            .expect("the engine serves");
        tags
    }
}

/// PBKDF2 of many passwords, each with its salt: [`Pbkdf2`] on this thread and the best engines of
/// this CPU. `out` has `key_bytes` bytes for each password.
///
/// # Errors
/// As [`Pbkdf2::run`].
pub fn pbkdf2_many<P: AsRef<[u8]> + Sync, S: AsRef<[u8]> + Sync>(
    algorithm: impl Into<Algorithm>,
    iterations: NonZeroU32,
    passwords: &[P],
    salts: &[S],
    key_bytes: usize,
    out: &mut [u8],
) -> Result<(), Error> {
    Pbkdf2::new(algorithm, iterations).key_bytes(key_bytes).run(passwords, salts, out)
}

/// The number of these salts that are copied at once: all, unless they have more than
/// [`SALT_BYTES`] together.
fn salts_at_once<'s>(salts: impl ExactSizeIterator<Item = &'s [u8]>) -> usize {
    let (all, mut bytes) = (salts.len(), 0_usize);
    let is_much = |salt: &[u8]| {
        bytes = bytes.saturating_add(salt.len());
        bytes > SALT_BYTES
    };
    salts.map(is_much).position(|is_much| is_much).map_or(all, |few| few.max(all.min(MAX_LANES)))
}

/// Checks that a key is neither empty nor longer than `most` digests.
fn check_key_length(bytes: usize, digest: usize, most: u32) -> Result<(), Error> {
    let most = u64::from(most).saturating_mul(digest as u64);
    match bytes > 0 && bytes as u64 <= most {
        true => Ok(()),
        false => Err(Error::KeyBytes { given: bytes, most }),
    }
}

/// Checks that the output is as long as `count` keys.
fn check_keys(count: usize, bytes: usize, out: &[u8]) -> Result<(), Error> {
    match count.checked_mul(bytes) == Some(out.len()) {
        true => Ok(()),
        false => Err(Error::FieldLength { what: "keys", given: out.len(), count, bytes }),
    }
}

/// HKDF (RFC 5869) with HMAC over any hash, for many keys side by side in lanes.
///
/// ```
/// use manylane::{HashId, Hkdf};
///
/// let mut keys = [0; 2 * 42];
/// let (salts, infos) = (["salt", ""], ["", "info"]);
/// Hkdf::new(HashId::Sha256).key_bytes(42).run(&salts, &["secret", "another"], &infos, &mut keys)?;
/// # Ok::<(), manylane::Error>(())
/// ```
///
/// Memory beyond the caller's: two chaining values and two digests for each key, and its info. It
/// is not cleared after use.
#[derive(Clone, Debug)]
pub struct Hkdf<'p> {
    algorithm: Algorithm,
    key_bytes: usize,
    resources: Resources<'p>,
}

with_resources!(Hkdf);

impl Hkdf<'_> {
    /// HKDF with HMAC over `algorithm`: keys as long as a digest, on this thread and the best
    /// engines of this CPU.
    pub fn new(algorithm: impl Into<Algorithm>) -> Self {
        let algorithm = algorithm.into();
        Self { algorithm, key_bytes: algorithm.digest_bytes(), resources: Resources::default() }
    }

    /// Length of each key in bytes (L of RFC 5869), at least 1 and at most that of 255 digests.
    #[must_use]
    pub fn key_bytes(mut self, bytes: usize) -> Self {
        self.key_bytes = bytes;
        self
    }

    /// Extracts a pseudorandom key from each input under its salt and expands it with its info;
    /// writes the keys to `out`, one after the other. An empty salt means no salt.
    ///
    /// # Errors
    /// If there are not as many salts and infos as inputs, `out` is not as long as all keys
    /// together, a key would be empty or longer than 255 digests, the hash's digest is longer than
    /// its block, or the engine cannot serve.
    pub fn run<S, I, F>(
        &self,
        salts: &[S],
        inputs: &[I],
        infos: &[F],
        out: &mut [u8],
    ) -> Result<(), Error>
    where
        S: AsRef<[u8]> + Sync,
        I: AsRef<[u8]> + Sync,
        F: AsRef<[u8]> + Sync,
    {
        let (count, digest) = (inputs.len(), self.algorithm.digest_bytes());
        check_count("salts", salts.len(), "inputs", count)?;
        check_count("infos", infos.len(), "inputs", count)?;
        self.check(count, out)?;
        let under: Vec<usize> = (0..count).collect();
        let salts = HmacKeys::with(self.algorithm, self.resources, salts)?;
        let mut keys = vec![0; count * digest];
        salts.run(&under, inputs, &mut keys)?;
        let keys: Vec<_> = keys.chunks_exact(digest).collect();
        self.expand(&keys, infos, out)
    }

    /// Expands each pseudorandom key with its info: the second half of [`Hkdf::run`].
    ///
    /// # Errors
    /// As [`Hkdf::run`].
    pub fn expand<K, F>(&self, keys: &[K], infos: &[F], out: &mut [u8]) -> Result<(), Error>
    where
        K: AsRef<[u8]> + Sync,
        F: AsRef<[u8]> + Sync,
    {
        let (count, digest) = (keys.len(), self.algorithm.digest_bytes());
        check_count("infos", infos.len(), "keys", count)?;
        self.check(count, out)?;
        let under: Vec<usize> = (0..count).collect();
        let keys = HmacKeys::with(self.algorithm, self.resources, keys)?;
        let mut tags = vec![0; count * digest];
        // T(i - 1) ‖ info ‖ i
        let mut messages: Vec<Vec<u8>> = infos.iter().map(|info| info.as_ref().to_vec()).collect();
        for (number, at) in (1..=u8::MAX).zip((0..self.key_bytes).step_by(digest)) {
            for ((message, info), tag) in
                messages.iter_mut().zip(infos).zip(tags.chunks_exact(digest))
            {
                message.clear();
                if at > 0 {
                    message.extend_from_slice(tag);
                }
                message.extend_from_slice(info.as_ref());
                message.push(number);
            }
            keys.run(&under, &messages, &mut tags)?;
            let now = at..self.key_bytes.min(at + digest);
            for (key, tag) in out.chunks_exact_mut(self.key_bytes).zip(tags.chunks_exact(digest)) {
                key[now.clone()].copy_from_slice(&tag[..now.len()]);
            }
        }
        Ok(())
    }

    fn check(&self, count: usize, out: &[u8]) -> Result<(), Error> {
        check_key_length(self.key_bytes, self.algorithm.digest_bytes(), u8::MAX.into())?;
        check_keys(count, self.key_bytes, out)
    }
}

/// HKDF of many inputs, each with its salt and info: [`Hkdf`] on this thread and the best engines
/// of this CPU. `out` has `key_bytes` bytes for each input.
///
/// # Errors
/// As [`Hkdf::run`].
pub fn hkdf_many<S, I, F>(
    algorithm: impl Into<Algorithm>,
    salts: &[S],
    inputs: &[I],
    infos: &[F],
    key_bytes: usize,
    out: &mut [u8],
) -> Result<(), Error>
where
    S: AsRef<[u8]> + Sync,
    I: AsRef<[u8]> + Sync,
    F: AsRef<[u8]> + Sync,
{
    Hkdf::new(algorithm).key_bytes(key_bytes).run(salts, inputs, infos, out)
}

/// The one-time passwords (RFC 4226) of `digits` digits, 1 to 9. Each entry is the number of a key
/// and a counter. With RFC 6238 the counter is the number of a time step; a window of time steps is
/// one entry for each step.
///
/// ```
/// use manylane::{HashId, HmacKeys, hotp_many};
///
/// let keys = HmacKeys::new(HashId::Sha1, &["12345678901234567890"])?;
/// assert_eq!(hotp_many(&keys, &[(0, 0), (0, 1)], 6)?, [755224, 287082]);
/// # Ok::<(), manylane::Error>(())
/// ```
///
/// # Errors
/// If a number of a key is not below [`HmacKeys::count`], the hash's digest has less than 20 bytes,
/// or there are 0 digits or more than 9.
pub fn hotp_many(
    keys: &HmacKeys,
    counters: &[(usize, u64)],
    digits: u32,
) -> Result<Vec<u32>, Error> {
    let digest = keys.algorithm().digest_bytes();
    if !(1..=9).contains(&digits) || digest < 20 {
        return Err(Error::OneTime { digits, digest });
    }
    let (under, messages): (Vec<_>, Vec<_>) =
        counters.iter().map(|(key, counter)| (*key, counter.to_be_bytes())).unzip();
    let mut tags = vec![0; counters.len() * digest];
    keys.run(&under, &messages, &mut tags)?;
    // §5.3: the last four bits say where the four bytes are. All places are read, so that no
    // address depends on the tag.
    let truncated = tags.chunks_exact(digest).map(|tag| {
        let at = u32::from(tag[digest - 1] & 15);
        let word = tag.windows(4).take(16).zip(0..).fold(0, |word, (bytes, place)| {
            let is_there = (place ^ at).wrapping_sub(1) >> 31;
            let bytes = u32::from_be_bytes(bytes.try_into().expect("four bytes"));
            word | (bytes & is_there.wrapping_neg())
        });
        (word & 0x7fff_ffff) % 10u32.pow(digits)
    });
    Ok(truncated.collect())
}
