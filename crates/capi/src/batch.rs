//! Many messages at once.

use crate::borrow::{CallerBytes, List, array, shared};
use crate::hasher::check_length;
use crate::names::{algorithm_apart_from, engine_apart_from};
use crate::status::{Failure, answer, manylane_status};
use manylane::Batch;
use std::ffi::{c_char, c_void};
use std::ops::Range;

/// How a batch is computed. Begin with `MANYLANE_OPTIONS`, which sets the size.
#[repr(C)]
#[derive(Debug)]
pub struct manylane_options {
    /// Bytes of this structure: later versions may have more fields.
    pub size: usize,
    /// The engine's name; null for the best ones.
    pub engine: *const c_char,
    /// How many threads, started for the call, may work; 0 and 1 mean the caller's alone.
    pub threads: usize,
    /// Bytes before every message, `prefix_size` of them. Their whole blocks are hashed once.
    pub prefix: *const c_void,
    /// Bytes of the prefix.
    pub prefix_size: usize,
    /// If not null: tags of HMAC under this key, `key_size` bytes, are computed, not digests.
    pub key: *const c_void,
    /// Bytes of the key.
    pub key_size: usize,
}

/// A batch with what its options ask for.
struct Asked<'k> {
    batch: Batch<'static>,
    key: Option<&'k [u8]>,
}

impl<'k> Asked<'k> {
    /// # Safety
    /// `name` is null or a string; `options` is null or points to options whose pointers are null
    /// or point to as many bytes as they say.
    unsafe fn new(
        name: *const c_char,
        options: *const manylane_options,
        digests: CallerBytes,
    ) -> Result<Self, Failure> {
        // SAFETY: the caller vouches for it.
        let mut batch = Batch::new(unsafe { algorithm_apart_from(digests, name) }?);
        if options.is_null() {
            return Ok(Self { batch, key: None });
        }
        CallerBytes::new(options.cast(), size_of::<manylane_options>(), "the options")?
            .apart_from(digests, "the options")?;
        // SAFETY: not null; the caller vouches for the rest.
        let options = unsafe { shared(options, "the options") }?;
        if options.size != size_of::<manylane_options>() {
            let text = format!(
                "the options have {} bytes where this version has {}: begin with MANYLANE_OPTIONS",
                options.size,
                size_of::<manylane_options>()
            );
            return Err(Failure::new(manylane_status::WrongLength, text));
        }
        let prefix = CallerBytes::new(options.prefix, options.prefix_size, "the prefix")?;
        let key = CallerBytes::new(options.key, options.key_size, "the key")?;
        let prefix = prefix.apart_from(digests, "the prefix")?;
        let key = key.apart_from(digests, "the key")?;
        // SAFETY: the caller vouches for all of them.
        unsafe {
            batch = batch
                .engine(engine_apart_from(digests, options.engine)?)
                .threads(options.threads)
                .prefix(prefix.read());
            Ok(Self { batch, key: (!options.key.is_null()).then(|| key.read()) })
        }
    }

    fn check(&self, count: usize, digests_size: usize) -> Result<(), Failure> {
        let digest = self.batch.algorithm().digest_bytes();
        let Some(needed) = count.checked_mul(digest) else {
            let text = format!("{count} digests of {digest} bytes are more than memory can have");
            return Err(Failure::new(manylane_status::WrongLength, text));
        };
        check_length("list of digests", digests_size, needed)
    }

    /// Computes digests or tags of `count` messages; `list` returns the messages of a range of
    /// indices.
    fn run<'m, I: Iterator<Item = &'m [u8]>>(
        &self,
        count: usize,
        list: impl Fn(Range<usize>) -> I + Sync,
        digests: &mut [u8],
    ) -> Result<(), Failure> {
        match self.key {
            Some(key) => self.batch.run_hmac_listed(key, count, list, digests)?,
            None => self.batch.run_listed(count, list, digests)?,
        }
        Ok(())
    }
}

/// Writes the digests of `count` messages to `digests`, one after the other, in the messages'
/// order: `digests_size` bytes, exactly `count` times those of the algorithm. Message i is
/// `sizes[i]` bytes at `messages[i]`; the lengths may differ, and an empty message may be null.
/// `options` may be null.
///
/// # Safety
/// `algorithm` is null or a string; `options` is null or points to options; `messages` and `sizes`
/// are null or point to `count` elements, and `sizes[i]` bytes at `messages[i]` can be read;
/// `digests` is null or has room for `digests_size` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn manylane_hash_many(
    algorithm: *const c_char,
    options: *const manylane_options,
    messages: *const *const c_void,
    sizes: *const usize,
    count: usize,
    digests: *mut u8,
    digests_size: usize,
) -> manylane_status {
    answer(|| {
        let out = CallerBytes::new(digests.cast(), digests_size, "the list of digests")?;
        // SAFETY: the caller vouches for it.
        let asked = unsafe { Asked::new(algorithm, options, out) }?;
        asked.check(count, digests_size)?;
        // SAFETY: the caller vouches for it.
        let starts = unsafe { array(messages, count, out, "the list of messages") }?;
        // SAFETY: the caller vouches for it.
        let sizes = unsafe { array(sizes, count, out, "the list of sizes") }?;
        let messages = List { starts, sizes };
        messages.check(out)?;
        // SAFETY: they are checked, and the caller vouches for the rest; none lies at the digests.
        unsafe { asked.run(count, |range| messages.read(range), out.write()) }
    })
}

/// `manylane_hash_many` for messages that lie in one buffer: message i is the bytes of `data` from
/// `offsets[i]` to before `offsets[i + 1]`, as in a column of Apache Arrow. There are `count + 1`
/// offsets, none below the one before it and none above `data_size`.
///
/// # Safety
/// As `manylane_hash_many`; `data` is null or points to `data_size` bytes, `offsets` is null or
/// points to `count + 1` offsets.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn manylane_hash_offsets(
    algorithm: *const c_char,
    options: *const manylane_options,
    data: *const c_void,
    data_size: usize,
    offsets: *const u64,
    count: usize,
    digests: *mut u8,
    digests_size: usize,
) -> manylane_status {
    answer(|| {
        let out = CallerBytes::new(digests.cast(), digests_size, "the list of digests")?;
        // SAFETY: the caller vouches for it.
        let asked = unsafe { Asked::new(algorithm, options, out) }?;
        asked.check(count, digests_size)?;
        if count == 0 {
            return Ok(());
        }
        let data = CallerBytes::new(data, data_size, "the data")?.apart_from(out, "the data")?;
        // SAFETY: the caller vouches for it, and the digests lie elsewhere.
        let data = unsafe { data.read() };
        // SAFETY: the caller vouches for it.
        let offsets = unsafe { array(offsets, count + 1, out, "the list of offsets") }?;
        let row = |i: usize| {
            let [start, end] = [offsets[i], offsets[i + 1]].map(usize::try_from);
            data.get(start.ok()?..end.ok()?)
        };
        if let Some(i) = (0..count).find(|&i| row(i).is_none()) {
            let (start, end) = (offsets[i], offsets[i + 1]);
            let text = format!("message {i} is to lie from {start} to {end} of {data_size} bytes");
            return Err(Failure::new(manylane_status::WrongLength, text));
        }
        let rows = |range: Range<usize>| range.map(|i| row(i).unwrap_or_default());
        // SAFETY: the caller vouches for it, and no input lies there.
        asked.run(count, rows, unsafe { out.write() })
    })
}
