//! The block cipher RC5 under one key.

use crate::borrow::{CallerBytes, free, hand_over, shared};
use crate::names::engine;
use crate::status::{Failure, answer, manylane_status, value};
use manylane::modes::{self, BlockCipher};
use manylane::{CipherWord, Engine, Rc5};
use std::ffi::{c_char, c_void};

/// RC5 under one key. Several threads may use it at the same time.
pub struct manylane_rc5(Box<dyn BlockCipher + Send + Sync>);

fn make<W: CipherWord>(
    rounds: usize,
    key: &[u8],
    engine: Option<Engine>,
) -> Result<manylane_rc5, Failure>
where
    Rc5<W>: Send + Sync,
{
    Ok(manylane_rc5(Box::new(Rc5::<W>::on(rounds, key, engine)?)))
}

/// Expands a key of at most 255 bytes for RC5 with words of 16, 32 or 64 bits, two of which are
/// a block, and at most 255 rounds. `engine` is null for the best one. Free it with
/// `manylane_rc5_free`.
///
/// # Safety
/// `key` is null or points to `key_size` bytes; `engine` is null or a string; `rc5` is null or can
/// be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn manylane_rc5_new(
    word_bits: usize,
    rounds: usize,
    key: *const c_void,
    key_size: usize,
    engine: *const c_char,
    rc5: *mut *mut manylane_rc5,
) -> manylane_status {
    answer(|| {
        let make = || {
            let key = CallerBytes::new(key, key_size, "the key")?;
            // SAFETY: the caller vouches for both.
            let (engine, key) = unsafe { (self::engine(engine)?, key.read()) };
            match word_bits {
                16 => make::<u16>(rounds, key, engine),
                32 => make::<u32>(rounds, key, engine),
                64 => make::<u64>(rounds, key, engine),
                _ => {
                    let text = format!("RC5 has words of 16, 32 or 64 bits, not of {word_bits}");
                    Err(Failure::new(manylane_status::BadInput, text))
                }
            }
        };
        // SAFETY: the caller vouches for it.
        unsafe { hand_over(rc5, "the place of the cipher", make) }
    })
}

/// Bytes of a block; 0 if `rc5` is null.
///
/// # Safety
/// `rc5` is null or a cipher.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn manylane_rc5_block_bytes(rc5: *const manylane_rc5) -> usize {
    // SAFETY: the caller vouches for it.
    value(0, || Ok(unsafe { shared(rc5, "the cipher") }?.0.block_bytes()))
}

/// A mode of operation over data in place, after `initial`, a block.
///
/// # Safety
/// `rc5` is null or a cipher; `initial` is null or points to a block; `data` is null or points to
/// `size` bytes that can be written.
unsafe fn run(
    rc5: *const manylane_rc5,
    initial: *const c_void,
    data: *mut c_void,
    size: usize,
    mode: impl FnOnce(&(dyn BlockCipher + 'static), &[u8], &mut [u8]) -> Result<(), modes::Error>,
) -> manylane_status {
    answer(|| {
        // SAFETY: the caller vouches for it.
        let cipher = unsafe { shared(rc5, "the cipher") }?;
        let data = CallerBytes::new(data, size, "the data")?;
        let initial = CallerBytes::new(initial, cipher.0.block_bytes(), "the initial block")?;
        let initial = initial.apart_from(data, "the initial block")?;
        // SAFETY: the caller vouches for both, and they do not overlap.
        let (initial, data) = unsafe { (initial.read(), data.write()) };
        Ok(mode(&*cipher.0, initial, data)?)
    })
}

/// Encrypts or decrypts in counter mode, in place. `initial` is the first counter block, a
/// little-endian integer; no two messages under a key may share a value of the counter.
///
/// # Safety
/// `rc5` is null or a cipher; `initial` is null or points to a block; `data` is null or points to
/// `size` bytes that can be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn manylane_rc5_ctr(
    rc5: *const manylane_rc5,
    initial: *const c_void,
    data: *mut c_void,
    size: usize,
) -> manylane_status {
    // SAFETY: the caller vouches for it.
    unsafe { run(rc5, initial, data, size, modes::ctr) }
}

/// Encrypts whole blocks by cipher block chaining, in place. `initial` is a block that nobody can
/// predict.
///
/// # Safety
/// As `manylane_rc5_ctr`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn manylane_rc5_cbc_encrypt(
    rc5: *const manylane_rc5,
    initial: *const c_void,
    data: *mut c_void,
    size: usize,
) -> manylane_status {
    // SAFETY: the caller vouches for it.
    unsafe { run(rc5, initial, data, size, modes::cbc_encrypt) }
}

/// Undoes `manylane_rc5_cbc_encrypt`.
///
/// # Safety
/// As `manylane_rc5_ctr`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn manylane_rc5_cbc_decrypt(
    rc5: *const manylane_rc5,
    initial: *const c_void,
    data: *mut c_void,
    size: usize,
) -> manylane_status {
    // SAFETY: the caller vouches for it.
    unsafe { run(rc5, initial, data, size, modes::cbc_decrypt) }
}

/// Frees a cipher. A null pointer is ignored.
///
/// # Safety
/// `rc5` is null, or a cipher that was not freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn manylane_rc5_free(rc5: *mut manylane_rc5) {
    answer(|| {
        // SAFETY: the caller vouches for it.
        unsafe { free(rc5) };
        Ok(())
    });
}
