//! The bytes of a program: texts that are made, assembled, and made again with what was assembled.

use crate::error::Error;
use manylane_emit::asm::{IMAGE, Layout, Made};
use manylane_emit::backend;
use manylane_simulate::s12x::assembler::{InstructionSet, assemble};
use manylane_simulate::s12x::cpu12::CpuSet;
use manylane_simulate::s12x::object::Object;
use manylane_simulate::s12x::xgate::XgateSet;

/// Where the interrupt vectors begin.
const VECTORS: usize = 0xff10;

/// A program's texts, assembled.
pub struct Built {
    /// Its texts and measures.
    pub made: Made,
    /// Its bytes.
    pub object: Object,
    /// XGATE's part, whose bytes the program copies into the RAM; nothing if XGATE does not
    /// compute.
    pub thread: Object,
    /// The bytes of XGATE's part.
    pub image: Vec<u8>,
    /// Bytes of code and constants, without the self-test.
    pub code_bytes: usize,
}

impl Built {
    /// Assembles the program of a primitive. `make` makes its texts; they hold the bytes of XGATE's
    /// part, which are known once its text is assembled.
    ///
    /// # Errors
    /// If the texts cannot be made or assembled, or do not fit.
    pub fn new(
        name: &str,
        prefix: &str,
        make: impl Fn(&[u8]) -> Result<Made, backend::Error>,
    ) -> Result<Self, Error> {
        let mut made = make(&[])?;
        let (mut image, mut thread) = (Vec::new(), Object::default());
        if let Some(text) = &made.xgate {
            thread = object_of(name, &XgateSet, text, IMAGE)?;
            image = thread.segments.iter().flat_map(|of| of.bytes.clone()).collect();
            if image.len() != made.image_bytes {
                return Err(Error::Image { name: name.to_owned() });
            }
            made = make(&image)?;
        }
        let code = Layout::default().code;
        let object = object_of(name, &CpuSet, &made.whole(), code)?;
        let code_bytes = code_bytes(name, &object, code, prefix)?;
        Ok(Self { made, object, thread, image, code_bytes })
    }
}

/// Assembles a text of a primitive.
///
/// # Errors
/// If it does not fit into the address space, or is wrong.
fn object_of<I: InstructionSet>(
    name: &str,
    set: &I,
    text: &str,
    origin: u16,
) -> Result<Object, Error> {
    let name = name.to_owned();
    assemble(set, text, origin).map_err(|error| match error.is_too_long() {
        true => Error::Addresses { name, origin },
        false => Error::Written { name, source: error },
    })
}

/// Bytes of code and constants in front of the self-test.
///
/// # Errors
/// If all of it is more than the flash that the CPU sees at once.
fn code_bytes(name: &str, object: &Object, code: u16, prefix: &str) -> Result<usize, Error> {
    let code = usize::from(code);
    let bytes = object.segments.iter().map(|of| of.bytes.len()).sum::<usize>();
    if code + bytes > VECTORS {
        return Err(Error::Flash { name: name.to_owned(), bytes, most: VECTORS - code });
    }
    let start = object.find(&format!("{prefix}_start"));
    Ok(start.map_or(0, |of| of.address as usize) - code)
}
