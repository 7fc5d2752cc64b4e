//! libgf2x: products of polynomials over F_2.

use libloading::Library;
use std::ffi::{c_int, c_ulong};
use std::fmt;

/// Names of the library, newest first.
const NAMES: [&str; 3] = ["libgf2x.so.3", "libgf2x.so.1", "libgf2x.dylib"];

/// `gf2x_mul`: c ← a b, the lengths counted in words.
type Multiply =
    unsafe extern "C" fn(*mut c_ulong, *const c_ulong, c_ulong, *const c_ulong, c_ulong) -> c_int;

/// The loaded library.
pub struct Gf2x {
    multiply: Multiply,
    /// Keeps the function's code in memory.
    _library: Library,
}

impl Gf2x {
    /// Loads libgf2x, if the system has it.
    pub fn load() -> Option<Self> {
        // SAFETY: libgf2x has no initialisers but the C library's.
        let library = NAMES.iter().find_map(|name| unsafe { Library::new(name) }.ok())?;
        // SAFETY: the type is that of `gf2x.h`, versions 1.0 to 1.3.
        let multiply = *unsafe { library.get::<Multiply>(b"gf2x_mul\0") }.ok()?;
        Some(Self { multiply, _library: library })
    }

    /// c ← a b, not reduced; words least significant first.
    ///
    /// # Panics
    /// If `product` is not as long as both operands, one of them is empty, or the library fails.
    pub fn multiply(&self, product: &mut [c_ulong], a: &[c_ulong], b: &[c_ulong]) {
        assert!(!a.is_empty() && !b.is_empty() && product.len() == a.len() + b.len());
        let (len_a, len_b) = (a.len() as c_ulong, b.len() as c_ulong);
        // SAFETY: the operands have these lengths, and their sum is that of the product.
        let failed =
            unsafe { (self.multiply)(product.as_mut_ptr(), a.as_ptr(), len_a, b.as_ptr(), len_b) };
        assert_eq!(failed, 0, "libgf2x fails");
    }
}

impl fmt::Debug for Gf2x {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Gf2x")
    }
}
