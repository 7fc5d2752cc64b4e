//! OpenSSL's libcrypto.

use libloading::{Library, Symbol};
use std::ffi::{CStr, CString, c_char, c_int, c_uint, c_void};
use std::fmt;
use std::ptr::{null, null_mut};
use std::sync::Arc;

/// Names of the library, newest first.
const NAMES: [&str; 4] = ["libcrypto.so.3", "libcrypto.so", "libcrypto.3.dylib", "libcrypto.dylib"];

type Context = *mut c_void;
type Method = *mut c_void;

/// The functions of libcrypto 3 that a digest and a MAC take.
struct Functions {
    md_fetch: unsafe extern "C" fn(*mut c_void, *const c_char, *const c_char) -> Method,
    md_free: unsafe extern "C" fn(Method),
    context_new: unsafe extern "C" fn() -> Context,
    context_free: unsafe extern "C" fn(Context),
    init: unsafe extern "C" fn(Context, Method, *mut c_void) -> c_int,
    update: unsafe extern "C" fn(Context, *const c_void, usize) -> c_int,
    finish: unsafe extern "C" fn(Context, *mut u8, *mut c_uint) -> c_int,
    finish_xof: unsafe extern "C" fn(Context, *mut u8, usize) -> c_int,
    mac_fetch: unsafe extern "C" fn(*mut c_void, *const c_char, *const c_char) -> Method,
    mac_free: unsafe extern "C" fn(Method),
    mac_context_new: unsafe extern "C" fn(Method) -> Context,
    mac_context_free: unsafe extern "C" fn(Context),
    mac_init: unsafe extern "C" fn(Context, *const u8, usize, *const Parameter) -> c_int,
    mac_update: unsafe extern "C" fn(Context, *const u8, usize) -> c_int,
    mac_final: unsafe extern "C" fn(Context, *mut u8, *mut usize, usize) -> c_int,
    version: unsafe extern "C" fn(c_int) -> *const c_char,
    /// Keeps the functions' code in memory.
    _library: Library,
}

/// `OSSL_PARAM`.
#[repr(C)]
struct Parameter {
    key: *const c_char,
    data_type: c_uint,
    data: *const c_void,
    data_size: usize,
    return_size: usize,
}

/// `OSSL_PARAM_UTF8_STRING`.
const UTF8_STRING: c_uint = 4;

/// The loaded library.
#[derive(Clone)]
pub struct Libcrypto(Arc<Functions>);

impl Libcrypto {
    /// Loads libcrypto 3, if the system has it.
    pub fn load() -> Option<Self> {
        NAMES.iter().find_map(|name| Self::open(name))
    }

    fn open(name: &str) -> Option<Self> {
        // SAFETY: loading runs libcrypto's initialisers, which are meant for it.
        let library = unsafe { Library::new(name) }.ok()?;
        /// The symbol, as the type that the field has.
        fn symbol<T: Copy>(library: &Library, name: &CStr) -> Option<T> {
            // SAFETY: the types are those of the manual pages of OpenSSL 3.
            let symbol: Symbol<T> = unsafe { library.get(name.to_bytes_with_nul()) }.ok()?;
            Some(*symbol)
        }
        Some(Self(Arc::new(Functions {
            md_fetch: symbol(&library, c"EVP_MD_fetch")?,
            md_free: symbol(&library, c"EVP_MD_free")?,
            context_new: symbol(&library, c"EVP_MD_CTX_new")?,
            context_free: symbol(&library, c"EVP_MD_CTX_free")?,
            init: symbol(&library, c"EVP_DigestInit_ex")?,
            update: symbol(&library, c"EVP_DigestUpdate")?,
            finish: symbol(&library, c"EVP_DigestFinal_ex")?,
            finish_xof: symbol(&library, c"EVP_DigestFinalXOF")?,
            mac_fetch: symbol(&library, c"EVP_MAC_fetch")?,
            mac_free: symbol(&library, c"EVP_MAC_free")?,
            mac_context_new: symbol(&library, c"EVP_MAC_CTX_new")?,
            mac_context_free: symbol(&library, c"EVP_MAC_CTX_free")?,
            mac_init: symbol(&library, c"EVP_MAC_init")?,
            mac_update: symbol(&library, c"EVP_MAC_update")?,
            mac_final: symbol(&library, c"EVP_MAC_final")?,
            version: symbol(&library, c"OpenSSL_version")?,
            _library: library,
        })))
    }

    /// Its version, as `OpenSSL 3.0.19 27 Jan 2026`.
    pub fn version(&self) -> String {
        // SAFETY: the function returns a static string.
        let text = unsafe { CStr::from_ptr((self.0.version)(0)) };
        text.to_string_lossy().into_owned()
    }

    /// The digest that the library knows by `name` (its own, such as `SHA2-256`), if it has it.
    /// `xof_bytes` is the number of bytes to be read from an extendable one.
    pub fn digest(&self, name: &str, xof_bytes: Option<usize>) -> Option<Digest> {
        let name = CString::new(name).ok()?;
        // SAFETY: the strings end with 0; null is the default library context.
        let method = unsafe { (self.0.md_fetch)(null_mut(), name.as_ptr(), null()) };
        if method.is_null() {
            return None;
        }
        // SAFETY: takes nothing.
        let context = unsafe { (self.0.context_new)() };
        let digest = Digest { library: self.clone(), method, context, xof_bytes };
        (!context.is_null()).then_some(digest)
    }

    /// HMAC under `key` over the digest of that name, if the library has it.
    pub fn hmac(&self, digest: &str, key: &[u8]) -> Option<Mac> {
        self.digest(digest, None)?;
        let digest = CString::new(digest).ok()?;
        // SAFETY: the strings end with 0; null is the default library context.
        let method = unsafe { (self.0.mac_fetch)(null_mut(), c"HMAC".as_ptr(), null()) };
        if method.is_null() {
            return None;
        }
        // SAFETY: the method is one of the library's.
        let context = unsafe { (self.0.mac_context_new)(method) };
        let mac = Mac { library: self.clone(), method, context };
        if context.is_null() {
            return None;
        }
        let end =
            Parameter { key: null(), data_type: 0, data: null(), data_size: 0, return_size: 0 };
        let name = Parameter {
            key: c"digest".as_ptr(),
            data_type: UTF8_STRING,
            data: digest.as_ptr().cast(),
            data_size: digest.as_bytes().len(),
            return_size: 0,
        };
        let parameters = [name, end];
        // SAFETY: the key has that length; the parameters end with an empty one.
        let done =
            unsafe { (self.0.mac_init)(context, key.as_ptr(), key.len(), parameters.as_ptr()) };
        (done == 1).then_some(mac)
    }
}

impl fmt::Debug for Libcrypto {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Libcrypto({})", self.version())
    }
}

/// A digest of the library with a context that is used again for each message.
#[derive(Debug)]
pub struct Digest {
    library: Libcrypto,
    method: Method,
    context: Context,
    xof_bytes: Option<usize>,
}

impl Digest {
    /// Writes the digest of `message` to the start of `out`.
    ///
    /// # Panics
    /// If `out` has fewer than 64 bytes or than the output asked for, or the library fails.
    pub fn hash(&mut self, message: &[u8], out: &mut [u8]) {
        assert!(out.len() >= self.xof_bytes.unwrap_or(64));
        let functions = &self.library.0;
        // SAFETY: the context and method live as long as `self`; the longest digest of fixed length
        // has 64 bytes.
        let done = unsafe {
            (functions.init)(self.context, self.method, null_mut())
                & (functions.update)(self.context, message.as_ptr().cast(), message.len())
                & match self.xof_bytes {
                    Some(bytes) => (functions.finish_xof)(self.context, out.as_mut_ptr(), bytes),
                    None => (functions.finish)(self.context, out.as_mut_ptr(), null_mut()),
                }
        };
        assert_eq!(done, 1, "libcrypto fails");
    }
}

impl Drop for Digest {
    fn drop(&mut self) {
        // SAFETY: both came from the library, are freed once, and may be null.
        unsafe {
            (self.library.0.context_free)(self.context);
            (self.library.0.md_free)(self.method);
        }
    }
}

/// HMAC of the library under one key.
#[derive(Debug)]
pub struct Mac {
    library: Libcrypto,
    method: Method,
    context: Context,
}

impl Mac {
    /// Writes the tag of `message` to the start of `out`.
    ///
    /// # Panics
    /// If `out` has fewer than 64 bytes or the library fails.
    pub fn tag(&mut self, message: &[u8], out: &mut [u8]) {
        assert!(out.len() >= 64);
        let functions = &self.library.0;
        let mut length = 0;
        // SAFETY: the context lives as long as `self` and has its key; a null key keeps it.
        let done = unsafe {
            (functions.mac_init)(self.context, null(), 0, null())
                & (functions.mac_update)(self.context, message.as_ptr(), message.len())
                & (functions.mac_final)(self.context, out.as_mut_ptr(), &mut length, out.len())
        };
        assert_eq!(done, 1, "libcrypto fails");
    }
}

impl Drop for Mac {
    fn drop(&mut self) {
        // SAFETY: both came from the library, are freed once, and may be null.
        unsafe {
            (self.library.0.mac_context_free)(self.context);
            (self.library.0.mac_free)(self.method);
        }
    }
}
