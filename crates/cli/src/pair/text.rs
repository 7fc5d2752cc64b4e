//! Points and values in hexadecimal, and the warning.

use crate::page::explain::text::wrapped;
use manylane_engine::pairing::{Form, Point, Value};
use manylane_files::lists::lines::hex;
use manylane_graph::pairing::SECURITY;

/// A compressed point.
pub(super) fn point_hex(point: Point) -> String {
    hex(point.encode(Form::Compressed, &mut [0; Point::MAX_BYTES]))
}

/// A value in hexadecimal.
pub(super) fn value_hex(value: Value) -> String {
    hex(value.encode(&mut [0; Value::BYTES]))
}

/// The warning on lines of its own.
pub(super) fn warning() -> String {
    wrapped(SECURITY, 0)
}
