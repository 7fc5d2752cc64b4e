//! The map a ↦ a^(2^612) of four elements at once, as a matrix over F_2: GFNI multiplies 8 by 8 bits.
//!
//! **About 59 bits of security: for research and teaching only** (see [the module](super)).
//!
//! 2 · 612 = 1223 + 1: the map is the square root of squaring, and with squarings and roots after it
//! reaches any power 2^n sooner than those alone.

use super::lanes::{Backend, E};
use super::vectors::Lanes;
use super::zmm::Zmm;
use manylane_primitives::pairing::BinaryField;
use std::sync::OnceLock;

/// The exponent n of the map a^(2^n).
pub(super) const POWER: usize = 612;

/// Bytes of an element.
const BYTES: usize = 153;
/// Vectors of eight bytes of the result.
pub(super) const ROWS: usize = 20;

/// Row r of column c: from byte c of a to the bytes 8r to 8r + 7 of the result, a block of 8 by 8
/// bits for each, in the order of `gf2p8affineqb`.
#[repr(align(64))]
pub(super) struct Matrix(pub [[[u64; 8]; ROWS]; BYTES]);

/// The map's matrix, 191 KiB, made at the first use.
pub(super) fn matrix() -> &'static Matrix {
    static MATRIX: OnceLock<Box<Matrix>> = OnceLock::new();
    MATRIX.get_or_init(|| {
        // Column t of the map is z^(2^612 t) = w^t. Four at a time.
        let mut z = [0; 20];
        z[0] = 2;
        let mut w = E::from_limbs(z).expect("z");
        for _ in 0..POWER {
            w = w.square();
        }
        let w2 = w * w;
        let mut columns = [E::one(), w, w2, w2 * w];
        let step = Lanes::<Zmm>::load(&[w2 * w2; 4]);
        let mut lanes = Lanes::<Zmm>::load(&columns);
        let mut bytes = vec![[0u8; 8 * ROWS]; 8 * BYTES + 4];
        for columns_bytes in bytes.chunks_exact_mut(4) {
            lanes.store(&mut columns);
            for (bytes, column) in columns_bytes.iter_mut().zip(columns) {
                for (bytes, limb) in bytes.chunks_exact_mut(8).zip(column.limbs()) {
                    bytes.copy_from_slice(&limb.to_le_bytes());
                }
            }
            lanes = lanes * step;
        }
        let mut matrix = Box::new(Matrix([[[0; 8]; ROWS]; BYTES]));
        for (c, rows) in matrix.0.iter_mut().enumerate() {
            for (r, block) in rows.as_flattened_mut().iter_mut().enumerate() {
                // Beyond z^1222 a is 0, whatever the column.
                let mut inputs = [0; 8];
                for j in 0..8 {
                    inputs[j] = bytes[8 * c + j][r];
                }
                *block = transposed(u64::from_le_bytes(inputs)).swap_bytes();
            }
        }
        matrix
    })
}

/// Bit j of byte i to bit i of byte j.
fn transposed(mut x: u64) -> u64 {
    for (mask, shift) in
        [(0x00aa_00aa_00aa_00aa, 7), (0x0000_cccc_0000_cccc, 14), (0x0000_0000_f0f0_f0f0, 28)]
    {
        let t = (x ^ (x >> shift)) & mask;
        x ^= t ^ (t << shift);
    }
    x
}
