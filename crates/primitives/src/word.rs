//! The contract: what a primitive may do with a word.
//!
//! | operation | formula |
//! |---|---|
//! | `a + b` | a + b mod 2^w |
//! | `a ^ b`, `a & b`, `a \| b`, `!a` | bit by bit |
//! | `a << n`, `a >> n`, `a.rotl(n)`, `a.rotr(n)` | by a *public* amount 0 ≤ n < w |
//! | `xor3`, `ch`, `maj`, `chi` | formulas at each; overridden where a machine has them |
//!
//! There is no comparison, no conversion to `bool` or `usize`, no way out of a word: code generic
//! over [`Word`] cannot branch on or index by a secret. Rare abilities are traits of their own
//! ([`RotateVar`], [`ByteSub`]), so that they show in a primitive's signature.

use core::fmt::Debug;
use core::num::Wrapping;
use core::ops::{Add, BitAnd, BitOr, BitXor, Not, Shl, Shr, Sub};

/// Order of the bytes of a word in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ByteOrder {
    /// Most significant byte first (SHA-1, SHA-2, BLAKE, JH).
    Big,
    /// Least significant byte first (MD5, RIPEMD, Keccak, Grøstl, Skein, RC5).
    Little,
}

/// The kind of a step of a primitive, by which planners and emitters go. A step's name is for
/// people: no planner and no emitter may ask for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// One of many similar steps that pass the state on, one after the other: a round, or a step of
    /// one of two lines that run side by side.
    Round,
    /// Makes words of the message schedule or of the key expansion.
    Schedule,
    /// Makes or adds a value that enters the state from outside: a message word with its constant,
    /// a subkey.
    Injection,
    /// A part of the step around it, or of the whole: G, half of a state, a sheet, a plane, MIX.
    Part,
    /// The part of the step around it that computes one lane of wide words. Only a pass over the
    /// graph makes such a step, no primitive does.
    Lane,
    /// Loads the words of a block from memory and puts their bytes into order.
    Load,
    /// Pads the end of the message.
    Pad,
    /// The frame around all that is done for one block.
    Block,
    /// The frame around a call of the output function.
    Output,
}

names! { Kind:
    /// Its name in the text form of a graph and in data files.
    #[inline(always)]
    Round "round", Schedule "schedule", Injection "injection", Part "part", Lane "lane",
    Load "load", Pad "pad", Block "block", Output "output",
}

impl Kind {
    /// Whether it is a frame around steps of the primitive and not itself a step.
    #[inline(always)]
    pub fn is_frame(self) -> bool {
        matches!(self, Self::Block | Self::Output)
    }
}

/// A plain machine integer: how chaining values, constants and message words are stored.
pub trait Native: Copy + Default + Eq + Debug + Send + Sync + 'static {
    /// The scalar word: this integer with arithmetic mod 2^w.
    type Scalar: Word<Native = Self>;
    /// Bytes per word.
    const BYTES: usize;
    /// Reads the first [`Self::BYTES`] bytes of `bytes`.
    ///
    /// # Panics
    /// If `bytes` is shorter.
    fn read(bytes: &[u8], order: ByteOrder) -> Self;
    /// Writes the word to the first [`Self::BYTES`] bytes of `out`.
    ///
    /// # Panics
    /// If `out` is shorter.
    fn write(self, out: &mut [u8], order: ByteOrder);
    /// The value as a scalar word.
    fn scalar(self) -> Self::Scalar;
    /// The value of a scalar word.
    fn from_scalar(word: Self::Scalar) -> Self;
    /// The value as a number.
    fn number(self) -> u64;
    /// The word with the value `number` mod 2^w.
    fn of_number(number: u64) -> Self;
}

/// A w-bit word: one value, one value per SIMD lane, or a node of a trace.
pub trait Word:
    Copy
    + Add<Output = Self>
    + BitXor<Output = Self>
    + BitAnd<Output = Self>
    + BitOr<Output = Self>
    + Not<Output = Self>
    + Shl<usize, Output = Self>
    + Shr<usize, Output = Self>
{
    /// The integer that one lane holds: `u8` to `u64`. States the width.
    type Native: Native;

    /// A public constant, the same in every lane.
    fn constant(value: Self::Native) -> Self;

    /// Rotation left by a public 0 ≤ n < w.
    fn rotl(self, n: usize) -> Self;

    /// Rotation right by a public 0 ≤ n < w.
    fn rotr(self, n: usize) -> Self;

    /// x ⊕ y ⊕ z (Parity of FIPS 180-4, θ of FIPS 202).
    #[inline(always)]
    fn xor3(x: Self, y: Self, z: Self) -> Self {
        x ^ y ^ z
    }

    /// (x ∧ y) ⊕ (¬x ∧ z): x chooses y or z (FIPS 180-4 (4.2), F and G of RFC 1321).
    #[inline(always)]
    fn ch(x: Self, y: Self, z: Self) -> Self {
        z ^ (x & (y ^ z))
    }

    /// (x ∧ y) ⊕ (x ∧ z) ⊕ (y ∧ z): the majority (FIPS 180-4 (4.3)).
    #[inline(always)]
    fn maj(x: Self, y: Self, z: Self) -> Self {
        y ^ ((x ^ y) & (y ^ z))
    }

    /// x ⊕ (¬y ∧ z) (χ of FIPS 202 §3.2.4).
    #[inline(always)]
    fn chi(x: Self, y: Self, z: Self) -> Self {
        x ^ (!y & z)
    }

    /// Opens the step `name[index]` of a kind, through which the words `over` pass. Their values
    /// must not change; they are mutable for lanes that prefetch a little in every round and let
    /// the round wait for it. See [`step!`](crate::step).
    #[inline(always)]
    fn enter(_over: &mut [Self], _kind: Kind, _name: &'static str, _index: usize) {}

    /// Closes the innermost open step.
    #[inline(always)]
    fn leave(_over: &[Self]) {}
}

/// A 16-bit [`Word`].
pub trait Word16: Word<Native = u16> {}
/// A 32-bit [`Word`].
pub trait Word32: Word<Native = u32> {}
/// A 64-bit [`Word`].
pub trait Word64: Word<Native = u64> {}
impl<W: Word<Native = u16>> Word16 for W {}
impl<W: Word<Native = u32>> Word32 for W {}
impl<W: Word<Native = u64>> Word64 for W {}

/// Rotation by an amount that is itself a word, and the subtraction that undoes an addition (RC5).
///
/// Only the low lg w bits of the amount count.
pub trait RotateVar: Word + Sub<Output = Self> {
    /// Rotation left by `by` mod w.
    fn rotl_var(self, by: Self) -> Self;
    /// Rotation right by `by` mod w.
    fn rotr_var(self, by: Self) -> Self;
}

/// The bytes of a word as elements of GF(2^8) modulo x^8 + x^4 + x^3 + x + 1 (AES, Grøstl).
pub trait ByteSub: Word {
    /// The AES S-box on every byte (FIPS 197 §5.1.1).
    fn sub_bytes(self) -> Self;
    /// Multiplication by x of every byte (FIPS 197 §4.2.1).
    fn xtime(self) -> Self;
}

/// An array of words whose length belongs to a primitive: its chaining value or its block.
pub trait Words<T: Copy>: Copy + AsRef<[T]> + AsMut<[T]> {
    /// Number of words.
    const LEN: usize;
    /// Every word the same.
    fn splat(word: T) -> Self;
}

impl<T: Copy, const N: usize> Words<T> for [T; N] {
    const LEN: usize = N;
    #[inline(always)]
    fn splat(word: T) -> Self {
        [word; N]
    }
}

macro_rules! scalar_word {
    ($native:ty) => {
        impl Native for $native {
            type Scalar = Wrapping<$native>;
            const BYTES: usize = size_of::<$native>();
            #[inline(always)]
            fn read(bytes: &[u8], order: ByteOrder) -> Self {
                let bytes = bytes[..size_of::<$native>()].try_into().unwrap();
                match order {
                    ByteOrder::Big => Self::from_be_bytes(bytes),
                    ByteOrder::Little => Self::from_le_bytes(bytes),
                }
            }
            #[inline(always)]
            fn write(self, out: &mut [u8], order: ByteOrder) {
                let bytes = match order {
                    ByteOrder::Big => self.to_be_bytes(),
                    ByteOrder::Little => self.to_le_bytes(),
                };
                out[..size_of::<$native>()].copy_from_slice(&bytes);
            }
            #[inline(always)]
            fn scalar(self) -> Self::Scalar {
                Wrapping(self)
            }
            #[inline(always)]
            fn from_scalar(word: Self::Scalar) -> Self {
                word.0
            }
            #[inline(always)]
            fn number(self) -> u64 {
                u64::from(self)
            }
            #[inline(always)]
            fn of_number(number: u64) -> Self {
                number as $native
            }
        }

        impl Word for Wrapping<$native> {
            type Native = $native;
            #[inline(always)]
            fn constant(value: $native) -> Self {
                Wrapping(value)
            }
            #[inline(always)]
            fn rotl(self, n: usize) -> Self {
                Wrapping(self.0.rotate_left(n as u32))
            }
            #[inline(always)]
            fn rotr(self, n: usize) -> Self {
                Wrapping(self.0.rotate_right(n as u32))
            }
        }

        impl RotateVar for Wrapping<$native> {
            #[inline(always)]
            fn rotl_var(self, by: Self) -> Self {
                Wrapping(self.0.rotate_left(by.0 as u32 & (<$native>::BITS - 1)))
            }
            #[inline(always)]
            fn rotr_var(self, by: Self) -> Self {
                Wrapping(self.0.rotate_right(by.0 as u32 & (<$native>::BITS - 1)))
            }
        }
    };
}

scalar_word!(u8);
scalar_word!(u16);
scalar_word!(u32);
scalar_word!(u64);

/// Looks the bytes up in a table: the address of the look-up depends on the data, so this instance
/// is not constant-time.
impl ByteSub for Wrapping<u64> {
    #[inline(always)]
    fn sub_bytes(self) -> Self {
        let mut bytes = self.0.to_le_bytes();
        for byte in &mut bytes {
            *byte = AES_SBOX[usize::from(*byte)];
        }
        Wrapping(u64::from_le_bytes(bytes))
    }
    #[inline(always)]
    fn xtime(self) -> Self {
        let high = (self >> 7) & Wrapping(0x0101_0101_0101_0101);
        ((self & Wrapping(0x7f7f_7f7f_7f7f_7f7f)) << 1) ^ (high * Wrapping(0x1b))
    }
}

/// The AES S-box (FIPS 197 §5.1.1): inversion in GF(2^8), then the affine map.
pub const AES_SBOX: [u8; 256] = aes_sbox();

/// Walks the powers of the generator 3 and of its inverse 0xf6 together: `q` is always 1/`p`.
const fn aes_sbox() -> [u8; 256] {
    let mut sbox = [0; 256];
    let (mut p, mut q) = (1u8, 1u8);
    loop {
        p = p ^ (p << 1) ^ if p & 0x80 != 0 { 0x1b } else { 0 };
        q ^= q << 1;
        q ^= q << 2;
        q ^= q << 4;
        if q & 0x80 != 0 {
            q ^= 0x09;
        }
        sbox[p as usize] =
            0x63 ^ q ^ q.rotate_left(1) ^ q.rotate_left(2) ^ q.rotate_left(3) ^ q.rotate_left(4);
        if p == 1 {
            break;
        }
    }
    sbox[0] = 0x63;
    sbox
}
