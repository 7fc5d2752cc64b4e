//! Algorithms and engines, which the interface knows by name.

use crate::borrow::{CallerBytes, string};
use crate::status::{Failure, manylane_status, value};
use manylane::{Algorithm, Engine, HashId, Security};
use std::ffi::{CString, c_char};
use std::ptr;
use std::sync::OnceLock;

/// The algorithm of a name.
///
/// # Safety
/// As [`string`].
pub(crate) unsafe fn algorithm(name: *const c_char) -> Result<Algorithm, Failure> {
    // SAFETY: the caller vouches for it.
    unsafe { algorithm_apart_from(CallerBytes::NONE, name) }
}

/// [`algorithm`], whose name is refused where the output lies.
///
/// # Safety
/// As [`string`].
pub(crate) unsafe fn algorithm_apart_from(
    output: CallerBytes,
    name: *const c_char,
) -> Result<Algorithm, Failure> {
    // SAFETY: the caller vouches for it.
    let name = unsafe { string(name, output, "the algorithm's name") }?;
    let name =
        name.ok_or_else(|| Failure::new(manylane_status::NullPointer, "the algorithm is null"))?;
    let unknown =
        |error| Failure::new(manylane_status::UnknownAlgorithm, format!("`{name}`: {error}"));
    name.parse().map_err(unknown)
}

/// The engine of a name; null is the best one.
///
/// # Safety
/// As [`string`].
pub(crate) unsafe fn engine(name: *const c_char) -> Result<Option<Engine>, Failure> {
    // SAFETY: the caller vouches for it.
    unsafe { engine_apart_from(CallerBytes::NONE, name) }
}

/// [`engine`], which also refuses a name that lies in `output`.
///
/// # Safety
/// As [`string`].
pub(crate) unsafe fn engine_apart_from(
    output: CallerBytes,
    name: *const c_char,
) -> Result<Option<Engine>, Failure> {
    // SAFETY: the caller vouches for it.
    match unsafe { string(name, output, "the engine's name") }? {
        Some(name) => Ok(Some(name.parse::<Engine>()?)),
        None => Ok(None),
    }
}

/// The texts of a list as strings of C, made once.
fn texts<'a>(
    of: &'static OnceLock<Vec<CString>>,
    list: impl Iterator<Item = &'a str>,
) -> &'static [CString] {
    of.get_or_init(|| list.map(|text| CString::new(text).unwrap_or_default()).collect())
}

/// The version of the library, such as "0.1.0".
#[unsafe(no_mangle)]
pub extern "C" fn manylane_version() -> *const c_char {
    concat!(env!("CARGO_PKG_VERSION"), "\0").as_ptr().cast()
}

/// The name of the hash of number `index`, in the catalogue's order; null past the last one.
#[unsafe(no_mangle)]
pub extern "C" fn manylane_algorithm_at(index: usize) -> *const c_char {
    static NAMES: OnceLock<Vec<CString>> = OnceLock::new();
    let names = texts(&NAMES, HashId::ALL.iter().map(|id| id.name()));
    names.get(index).map_or(ptr::null(), |name| name.as_ptr())
}

/// Why an algorithm is not for new use ("collisions in seconds"); null if it may be used, and if no
/// hash has this name.
///
/// # Safety
/// `algorithm` is null or a string that ends with a zero byte.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn manylane_warning(algorithm: *const c_char) -> *const c_char {
    static WARNINGS: OnceLock<Vec<CString>> = OnceLock::new();
    value(ptr::null(), || {
        // SAFETY: the caller vouches for it.
        let id = unsafe { self::algorithm(algorithm) }?.id();
        let warnings = texts(
            &WARNINGS,
            HashId::ALL.iter().map(|id| match id.entry().security {
                Security::Aged(why) | Security::Broken(why) => why,
                _ => "",
            }),
        );
        let place = HashId::ALL.iter().position(|other| *other == id).unwrap_or_default();
        let warning = &warnings[place];
        Ok(if warning.is_empty() { ptr::null() } else { warning.as_ptr() })
    })
}

/// Bytes of the algorithm's digest; 0 if no hash has this name.
///
/// # Safety
/// `algorithm` is null or a string that ends with a zero byte.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn manylane_digest_bytes(algorithm: *const c_char) -> usize {
    // SAFETY: the caller vouches for it.
    value(0, || Ok(unsafe { self::algorithm(algorithm) }?.digest_bytes()))
}

/// Bytes of the algorithm's block; 0 if no hash has this name.
///
/// # Safety
/// `algorithm` is null or a string that ends with a zero byte.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn manylane_block_bytes(algorithm: *const c_char) -> usize {
    // SAFETY: the caller vouches for it.
    value(0, || Ok(unsafe { self::algorithm(algorithm) }?.id().entry().shape.block_bytes))
}

/// The name of engine number `index` of those that compute `algorithm` on this CPU; null past the
/// last one, and if no hash has this name.
///
/// # Safety
/// `algorithm` is null or a string that ends with a zero byte.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn manylane_engine_at(
    algorithm: *const c_char,
    index: usize,
) -> *const c_char {
    static NAMES: OnceLock<Vec<CString>> = OnceLock::new();
    value(ptr::null(), || {
        // SAFETY: the caller vouches for it.
        let engines = manylane::engines(unsafe { self::algorithm(algorithm) }?)?;
        let names = texts(&NAMES, Engine::ALL.iter().map(|engine| engine.name()));
        let place = engines
            .get(index)
            .and_then(|engine| Engine::ALL.iter().position(|other| other == engine));
        Ok(place.map_or(ptr::null(), |place| names[place].as_ptr()))
    })
}
