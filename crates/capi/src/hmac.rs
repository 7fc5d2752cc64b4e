//! One message in pieces, under a key.

use crate::borrow::{CallerBytes, free, hand_over, object, shared};
use crate::hasher::{check_length, finished};
use crate::names::{algorithm, engine};
use crate::status::{Failure, answer, manylane_status};
use manylane::Hmac;
use std::ffi::{c_char, c_void};

/// HMAC (FIPS 198-1) of one message. One thread at a time may use it.
#[derive(Clone)]
pub struct manylane_hmac {
    hmac: Hmac,
    finished: bool,
}

impl manylane_hmac {
    fn open(&mut self) -> Result<&mut Hmac, Failure> {
        match self.finished {
            false => Ok(&mut self.hmac),
            true => Err(finished("HMAC")),
        }
    }
}

/// Makes HMAC under a key of any length. `engine` is null for the best one. Free it with
/// `manylane_hmac_free`.
///
/// # Safety
/// `algorithm` and `engine` are null or strings; `key` is null or points to `key_size` bytes;
/// `hmac` is null or can be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn manylane_hmac_new(
    algorithm: *const c_char,
    engine: *const c_char,
    key: *const c_void,
    key_size: usize,
    hmac: *mut *mut manylane_hmac,
) -> manylane_status {
    answer(|| {
        let make = || {
            let key = CallerBytes::new(key, key_size, "the key")?;
            // SAFETY: the caller vouches for all three.
            let (algorithm, engine, key) =
                unsafe { (self::algorithm(algorithm)?, self::engine(engine)?, key.read()) };
            Ok(manylane_hmac { hmac: Hmac::on(algorithm, key, engine)?, finished: false })
        };
        // SAFETY: the caller vouches for it.
        unsafe { hand_over(hmac, "the place of the HMAC", make) }
    })
}

/// Appends bytes to the message.
///
/// # Safety
/// `hmac` is null or an HMAC; `bytes` is null or points to `size` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn manylane_hmac_update(
    hmac: *mut manylane_hmac,
    bytes: *const c_void,
    size: usize,
) -> manylane_status {
    answer(|| {
        // SAFETY: the caller vouches for it.
        let hmac = unsafe { object(hmac, "the HMAC") }?.open()?;
        let bytes = CallerBytes::new(bytes, size, "the piece of the message")?;
        // SAFETY: the caller vouches for it.
        hmac.update(unsafe { bytes.read() });
        Ok(())
    })
}

/// Ends the message and writes its tag, exactly as many bytes as the algorithm's digest.
///
/// # Safety
/// `hmac` is null or an HMAC; `tag` is null or has room for `tag_size` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn manylane_hmac_finish(
    hmac: *mut manylane_hmac,
    tag: *mut u8,
    tag_size: usize,
) -> manylane_status {
    answer(|| {
        // SAFETY: the caller vouches for it.
        let this = unsafe { object(hmac, "the HMAC") }?;
        let hmac = this.open()?;
        check_length("tag", tag_size, hmac.algorithm().digest_bytes())?;
        let tag = CallerBytes::new(tag.cast(), tag_size, "the tag")?;
        // SAFETY: the caller vouches for it.
        hmac.finalize_into(unsafe { tag.write() });
        this.finished = true;
        Ok(())
    })
}

/// Ends the message and answers `MANYLANE_STATUS_OK` if `tag` is its tag, or a beginning of it of
/// at least four bytes, and `MANYLANE_STATUS_MISMATCH` if it is not; the message has ended in both
/// cases. The time does not depend on where the tags differ.
///
/// # Safety
/// `hmac` is null or an HMAC; `tag` is null or points to `tag_size` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn manylane_hmac_verify(
    hmac: *mut manylane_hmac,
    tag: *const u8,
    tag_size: usize,
) -> manylane_status {
    answer(|| {
        // SAFETY: the caller vouches for it.
        let this = unsafe { object(hmac, "the HMAC") }?;
        let hmac = this.open()?;
        let tag = CallerBytes::new(tag.cast(), tag_size, "the tag")?;
        // SAFETY: the caller vouches for it.
        let right = hmac.verify(unsafe { tag.read() });
        this.finished = true;
        match right {
            true => Ok(()),
            false => {
                Err(Failure::new(manylane_status::Mismatch, "the tag is not that of the message"))
            }
        }
    })
}

/// Forgets the message, not the key.
///
/// # Safety
/// `hmac` is null or an HMAC.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn manylane_hmac_reset(hmac: *mut manylane_hmac) -> manylane_status {
    answer(|| {
        // SAFETY: the caller vouches for it.
        let hmac = unsafe { object(hmac, "the HMAC") }?;
        hmac.hmac.reset();
        hmac.finished = false;
        Ok(())
    })
}

/// Makes another HMAC under the same key that goes on from the same message.
///
/// # Safety
/// `hmac` is null or an HMAC; `clone` is null or can be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn manylane_hmac_clone(
    hmac: *const manylane_hmac,
    clone: *mut *mut manylane_hmac,
) -> manylane_status {
    answer(|| {
        // SAFETY: the caller vouches for it.
        let make = || Ok(unsafe { shared(hmac, "the HMAC") }?.clone());
        // SAFETY: the caller vouches for it.
        unsafe { hand_over(clone, "the place of the clone", make) }
    })
}

/// Frees an HMAC. A null pointer is ignored.
///
/// # Safety
/// `hmac` is null, or an HMAC that was not freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn manylane_hmac_free(hmac: *mut manylane_hmac) {
    answer(|| {
        // SAFETY: the caller vouches for it.
        unsafe { free(hmac) };
        Ok(())
    });
}
