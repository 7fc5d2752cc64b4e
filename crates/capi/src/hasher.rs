//! One message in pieces.

use crate::borrow::{CallerBytes, free, hand_over, object, shared};
use crate::names::{algorithm, algorithm_apart_from, engine};
use crate::status::{Failure, answer, manylane_status};
use manylane::{Hasher, XofReader};
use std::ffi::{c_char, c_void};
use std::io::Read;
use std::ptr;

/// A hasher of one message. Different hashers can be used by different threads at the same time,
/// one hasher by one thread at a time.
#[derive(Clone)]
pub struct manylane_hasher {
    hasher: Hasher,
    phase: Phase,
}

/// How far a message is.
enum Phase {
    Open,
    /// Its output is being read.
    Reading(XofReader),
    Finished,
}

impl Clone for Phase {
    /// A reader begins anew: see [`manylane_hasher_clone`].
    fn clone(&self) -> Self {
        match self {
            Self::Open | Self::Reading(_) => Self::Open,
            Self::Finished => Self::Finished,
        }
    }
}

impl manylane_hasher {
    fn open(&mut self) -> Result<&mut Hasher, Failure> {
        match self.phase {
            Phase::Open => Ok(&mut self.hasher),
            _ => Err(finished("hasher")),
        }
    }
}

/// The error of a call after the end of a message; `object` names what must be reset.
pub(crate) fn finished(object: &str) -> Failure {
    let text = format!("the message was ended before: reset the {object} first");
    Failure::new(manylane_status::Finished, text)
}

/// Refuses an output of another length than the algorithm's.
pub(crate) fn check_length(what: &str, given: usize, needed: usize) -> Result<(), Failure> {
    if given == needed {
        return Ok(());
    }
    let text = format!("the {what} has {needed} bytes, there is room for {given}");
    Err(Failure::new(manylane_status::WrongLength, text))
}

/// Writes the digest of a message, `digest_size` bytes, exactly those of the algorithm.
///
/// # Safety
/// `algorithm` is null or a string; `message` is null or points to `message_size` bytes; `digest`
/// is null or has room for `digest_size` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn manylane_hash(
    algorithm: *const c_char,
    message: *const c_void,
    message_size: usize,
    digest: *mut u8,
    digest_size: usize,
) -> manylane_status {
    answer(|| {
        let out = CallerBytes::new(digest.cast(), digest_size, "the digest")?;
        // SAFETY: the caller vouches for it.
        let algorithm = unsafe { algorithm_apart_from(out, algorithm) }?;
        check_length("digest", digest_size, algorithm.digest_bytes())?;
        let message = CallerBytes::new(message, message_size, "the message")?;
        let message = message.apart_from(out, "the message")?;
        let mut hasher = Hasher::on(algorithm, None)?;
        // SAFETY: the caller vouches for both, and they do not overlap.
        let (message, out) = unsafe { (message.read(), out.write()) };
        hasher.update(message);
        hasher.finalize_into(out);
        Ok(())
    })
}

/// Makes a hasher. `engine` is null for the best one. Free it with `manylane_hasher_free`.
///
/// # Safety
/// `algorithm` and `engine` are null or strings; `hasher` is null or can be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn manylane_hasher_new(
    algorithm: *const c_char,
    engine: *const c_char,
    hasher: *mut *mut manylane_hasher,
) -> manylane_status {
    answer(|| {
        let make = || {
            // SAFETY: the caller vouches for it.
            let (algorithm, engine) =
                unsafe { (self::algorithm(algorithm)?, self::engine(engine)?) };
            Ok(manylane_hasher { hasher: Hasher::on(algorithm, engine)?, phase: Phase::Open })
        };
        // SAFETY: the caller vouches for it.
        unsafe { hand_over(hasher, "the place of the hasher", make) }
    })
}

/// Appends bytes to the message.
///
/// # Safety
/// `hasher` is null or a hasher; `bytes` is null or points to `size` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn manylane_hasher_update(
    hasher: *mut manylane_hasher,
    bytes: *const c_void,
    size: usize,
) -> manylane_status {
    answer(|| {
        // SAFETY: the caller vouches for it.
        let hasher = unsafe { object(hasher, "the hasher") }?.open()?;
        let bytes = CallerBytes::new(bytes, size, "the piece of the message")?;
        // SAFETY: the caller vouches for it.
        hasher.update(unsafe { bytes.read() });
        Ok(())
    })
}

/// Ends the message and writes its digest, exactly as many bytes as the algorithm's. To go on after
/// it, end a clone.
///
/// # Safety
/// `hasher` is null or a hasher; `digest` is null or has room for `digest_size` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn manylane_hasher_finish(
    hasher: *mut manylane_hasher,
    digest: *mut u8,
    digest_size: usize,
) -> manylane_status {
    answer(|| {
        // SAFETY: the caller vouches for it.
        let this = unsafe { object(hasher, "the hasher") }?;
        let hasher = this.open()?;
        check_length("digest", digest_size, hasher.algorithm().digest_bytes())?;
        let digest = CallerBytes::new(digest.cast(), digest_size, "the digest")?;
        // SAFETY: the caller vouches for it.
        hasher.finalize_into(unsafe { digest.write() });
        this.phase = Phase::Finished;
        Ok(())
    })
}

/// Ends the message of an extendable hash and writes the next `size` bytes of its output, which has
/// no end. Call it again for more.
///
/// # Safety
/// `hasher` is null or a hasher; `output` is null or has room for `size` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn manylane_hasher_read(
    hasher: *mut manylane_hasher,
    output: *mut u8,
    size: usize,
) -> manylane_status {
    answer(|| {
        // SAFETY: the caller vouches for it.
        let this = unsafe { object(hasher, "the hasher") }?;
        let entry = this.hasher.algorithm().id().entry();
        if !entry.shape.extendable {
            let text = format!("{} has no output without end", entry.title);
            return Err(Failure::new(manylane_status::NotDefined, text));
        }
        let output = CallerBytes::new(output.cast(), size, "the output")?;
        if let Phase::Open = this.phase {
            this.phase = Phase::Reading(this.hasher.finalize_xof());
        }
        let Phase::Reading(reader) = &mut this.phase else { return Err(finished("hasher")) };
        // SAFETY: the caller vouches for it.
        let read = reader.read_exact(unsafe { output.write() });
        read.map_err(|error| Failure::new(manylane_status::Internal, error.to_string()))
    })
}

/// Forgets the message.
///
/// # Safety
/// `hasher` is null or a hasher.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn manylane_hasher_reset(hasher: *mut manylane_hasher) -> manylane_status {
    answer(|| {
        // SAFETY: the caller vouches for it.
        let hasher = unsafe { object(hasher, "the hasher") }?;
        hasher.hasher.reset();
        hasher.phase = Phase::Open;
        Ok(())
    })
}

/// Makes another hasher with the same message. If output of it was already read, the clone reads
/// from the beginning of the output.
///
/// # Safety
/// `hasher` is null or a hasher; `clone` is null or can be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn manylane_hasher_clone(
    hasher: *const manylane_hasher,
    clone: *mut *mut manylane_hasher,
) -> manylane_status {
    answer(|| {
        // SAFETY: the caller vouches for it.
        let make = || Ok(unsafe { shared(hasher, "the hasher") }?.clone());
        // SAFETY: the caller vouches for it.
        unsafe { hand_over(clone, "the place of the clone", make) }
    })
}

/// Writes the state of an open message, from which `manylane_hasher_restore` goes on in another
/// process or on another CPU. `*size` is the room in bytes, and becomes the size of the state, also
/// if there is too little room; a state has fewer than 512 bytes. If `state` is null, only the size
/// is set.
///
/// # Safety
/// `hasher` is null or a hasher; `state` is null or has room for `*size` bytes; `size` is null or
/// can be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn manylane_hasher_save(
    hasher: *mut manylane_hasher,
    state: *mut u8,
    size: *mut usize,
) -> manylane_status {
    answer(|| {
        // SAFETY: the caller vouches for it.
        let saved = unsafe { object(hasher, "the hasher") }?.open()?.save();
        // SAFETY: the caller vouches for it.
        let size = unsafe { object(size, "the size") }?;
        if state.is_null() {
            *size = saved.len();
            return Ok(());
        }
        if *size < saved.len() {
            let room = std::mem::replace(size, saved.len());
            let text = format!("the state has {} bytes, there is room for {room}", saved.len());
            return Err(Failure::new(manylane_status::WrongLength, text));
        }
        let place = CallerBytes::new(state.cast(), saved.len(), "the state")?;
        CallerBytes::new(ptr::from_ref(size).cast(), size_of::<usize>(), "the size")?
            .apart_from(place, "the size")?;
        *size = saved.len();
        // SAFETY: the caller vouches for it, and there is room.
        unsafe { place.write() }.copy_from_slice(&saved);
        Ok(())
    })
}

/// Makes the hasher that `manylane_hasher_save` saved. The state names its algorithm.
///
/// # Safety
/// `state` is null or points to `size` bytes; `engine` is null or a string; `hasher` is null or can
/// be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn manylane_hasher_restore(
    state: *const c_void,
    size: usize,
    engine: *const c_char,
    hasher: *mut *mut manylane_hasher,
) -> manylane_status {
    answer(|| {
        let make = || {
            let state = CallerBytes::new(state, size, "the state")?;
            // SAFETY: the caller vouches for both.
            let (state, engine) = unsafe { (state.read(), self::engine(engine)?) };
            Ok(manylane_hasher { hasher: Hasher::restore_on(state, engine)?, phase: Phase::Open })
        };
        // SAFETY: the caller vouches for it.
        unsafe { hand_over(hasher, "the place of the hasher", make) }
    })
}

/// Frees a hasher. A null pointer is ignored.
///
/// # Safety
/// `hasher` is null, or a hasher that was not freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn manylane_hasher_free(hasher: *mut manylane_hasher) {
    answer(|| {
        // SAFETY: the caller vouches for it.
        unsafe { free(hasher) };
        Ok(())
    });
}
