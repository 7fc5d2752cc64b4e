//! The results of calls, and the texts of errors.

use manylane::{Error, modes};
use std::cell::RefCell;
use std::ffi::{CString, c_char};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr;

/// The result of a call. Zero is success. [`manylane_last_error`] has the details of an error.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum manylane_status {
    /// The call has succeeded.
    Ok = 0,
    /// A pointer that must not be null is null, or is not aligned for what it points to.
    NullPointer = 1,
    /// No hash has this name.
    UnknownAlgorithm = 2,
    /// No engine has this name.
    UnknownEngine = 3,
    /// This CPU lacks the engine, or the engine does not compute this algorithm.
    EngineUnavailable = 4,
    /// A digest, tag, key, block or structure has another length than it must have.
    WrongLength = 5,
    /// The message was ended before; reset the hasher or the HMAC first.
    Finished = 6,
    /// The output lies where an input lies.
    Overlap = 7,
    /// The operation is not defined for the algorithm: HMAC over a digest longer than its block, or
    /// output without end from a hash of fixed length.
    NotDefined = 8,
    /// The tag is not that of the message.
    Mismatch = 9,
    /// The bytes are no saved state, or were changed.
    BadState = 10,
    /// There is not enough memory.
    NoMemory = 11,
    /// The parameters of a cipher are out of bounds, or its mode refuses the data.
    BadInput = 12,
    /// A defect of the library itself, which it has caught.
    Internal = 13,
}

/// An error on its way to the caller.
#[derive(Debug)]
pub(crate) struct Failure {
    status: manylane_status,
    text: String,
}

impl Failure {
    /// An error of this status; the text is what [`manylane_last_error`] shows.
    pub(crate) fn new(status: manylane_status, text: impl Into<String>) -> Self {
        Self { status, text: text.into() }
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        let status = match &error {
            Error::UnknownEngine { .. } | Error::UnknownMaxIsa { .. } => {
                manylane_status::UnknownEngine
            }
            Error::EngineUnavailable { .. } | Error::EngineLacksPrimitive { .. } => {
                manylane_status::EngineUnavailable
            }
            Error::OutputLength { .. } | Error::KeyLength { .. } => manylane_status::WrongLength,
            Error::Memory { .. } => manylane_status::NoMemory,
            Error::HmacUndefined { .. } => manylane_status::NotDefined,
            Error::SavedState { .. } => manylane_status::BadState,
            Error::Rc5(_) | Error::Mode(_) => manylane_status::BadInput,
            _ => manylane_status::Internal,
        };
        Self::new(status, error.to_string())
    }
}

impl From<modes::Error> for Failure {
    fn from(error: modes::Error) -> Self {
        Self::new(manylane_status::BadInput, error.to_string())
    }
}

thread_local! {
    static LAST: RefCell<CString> = RefCell::default();
}

/// Keeps an error's text for [`manylane_last_error`].
fn remember(failure: Failure) -> manylane_status {
    // No text of an error has a zero byte in it, except one that quotes a name: cut there.
    let text = failure.text.split('\0').next().unwrap_or_default();
    let text = CString::new(text).unwrap_or_default();
    // A thread that ends has no place for it any more.
    let _ = LAST.try_with(|last| *last.borrow_mut() = text);
    failure.status
}

/// Runs the body of a function of the interface. A panic becomes an error.
pub(crate) fn answer(body: impl FnOnce() -> Result<(), Failure>) -> manylane_status {
    match catch_unwind(AssertUnwindSafe(body)) {
        Ok(Ok(())) => manylane_status::Ok,
        Ok(Err(failure)) => remember(failure),
        Err(panic) => {
            let said = panic.downcast_ref::<String>().map(String::as_str);
            let said = said.or_else(|| panic.downcast_ref::<&str>().copied());
            let text = format!("defect of manylane: {}", said.unwrap_or("it panicked"));
            remember(Failure::new(manylane_status::Internal, text))
        }
    }
}

/// [`answer`] for a function that gives a value: `missing` where there is none.
pub(crate) fn value<T>(missing: T, body: impl FnOnce() -> Result<T, Failure>) -> T {
    let mut found = None;
    answer(|| {
        found = Some(body()?);
        Ok(())
    });
    found.unwrap_or(missing)
}

/// The text of the last error of this thread: what was asked for, and what there is. Valid until
/// the next call of the library on this thread that fails. Empty, never null, if none failed.
#[unsafe(no_mangle)]
pub extern "C" fn manylane_last_error() -> *const c_char {
    LAST.try_with(|last| last.borrow().as_ptr()).unwrap_or(c"".as_ptr())
}

/// A few words on a status, a `manylane_status`; null if there is no such status.
#[unsafe(no_mangle)]
pub extern "C" fn manylane_status_text(status: i32) -> *const c_char {
    const TEXTS: [&std::ffi::CStr; 14] = [
        c"done",
        c"a pointer is null",
        c"no hash has this name",
        c"no engine has this name",
        c"the engine cannot serve here",
        c"wrong length",
        c"the message was ended before",
        c"output and input overlap",
        c"not defined for this algorithm",
        c"the tag is not that of the message",
        c"no saved state, or a damaged one",
        c"not enough memory",
        c"the cipher refuses its parameters or data",
        c"a defect of the library",
    ];
    let text = usize::try_from(status).ok().and_then(|status| TEXTS.get(status));
    text.map_or(ptr::null(), |text| text.as_ptr())
}
