//! A type for each hash of the catalogue, with the traits of the [`digest`] crate.

use digest::array::Array;
use digest::block_api::{
    AlgorithmName, Block, BlockSizeUser, Buffer, BufferKindUser, CoreProxy, Eager,
    ExtendableOutputCore, FixedOutputCore, UpdateCore, XofReaderCore,
};
use digest::common::hazmat::{DeserializeStateError, SerializableState, SerializedState};
#[cfg(feature = "oid")]
use digest::const_oid::{AssociatedOid, ObjectIdentifier};
use digest::consts::*;
use digest::typenum::Sum;
use digest::{
    ExtendableOutput, ExtendableOutputReset, FixedOutput, FixedOutputReset, HashMarker, Output,
    OutputSizeUser, Reset, Update,
};
use manylane_engine::{HashId, Stream};
use manylane_primitives::for_each_hash;
use manylane_primitives::hash::{blake, groestl, jh, keccak, md5, ripemd, sha1, sha2, skein};
use std::{fmt, io};

/// Bytes of a saved state beyond its chaining value and a block.
type SavedOverhead = U46;

/// The sizes that the traits need as types, one line for each hash of the catalogue: the
/// definition, the bytes of a digest (none for an extendable output), of a block and of the
/// chaining value.
#[rustfmt::skip]
macro_rules! of {
    (Md5 $part:ident)        => { of!(@$part md5::Md5,             U16,  U64,  U16) };
    (Sha1 $part:ident)       => { of!(@$part sha1::Sha1,           U20,  U64,  U20) };
    (Sha224 $part:ident)     => { of!(@$part sha2::Sha256,         U28,  U64,  U32) };
    (Sha256 $part:ident)     => { of!(@$part sha2::Sha256,         U32,  U64,  U32) };
    (Sha384 $part:ident)     => { of!(@$part sha2::Sha512,         U48,  U128, U64) };
    (Sha512 $part:ident)     => { of!(@$part sha2::Sha512,         U64,  U128, U64) };
    (Sha512_224 $part:ident) => { of!(@$part sha2::Sha512,         U28,  U128, U64) };
    (Sha512_256 $part:ident) => { of!(@$part sha2::Sha512,         U32,  U128, U64) };
    (Sha3_224 $part:ident)   => { of!(@$part keccak::Keccak,       U28,  U144, U200) };
    (Sha3_256 $part:ident)   => { of!(@$part keccak::Keccak,       U32,  U136, U200) };
    (Sha3_384 $part:ident)   => { of!(@$part keccak::Keccak,       U48,  U104, U200) };
    (Sha3_512 $part:ident)   => { of!(@$part keccak::Keccak,       U64,  U72,  U200) };
    (Shake128 $part:ident)   => { of!(@$part keccak::Keccak,       (),   U168, U200) };
    (Shake256 $part:ident)   => { of!(@$part keccak::Keccak,       (),   U136, U200) };
    (Keccak224 $part:ident)  => { of!(@$part keccak::Keccak,       U28,  U144, U200) };
    (Keccak256 $part:ident)  => { of!(@$part keccak::Keccak,       U32,  U136, U200) };
    (Keccak384 $part:ident)  => { of!(@$part keccak::Keccak,       U48,  U104, U200) };
    (Keccak512 $part:ident)  => { of!(@$part keccak::Keccak,       U64,  U72,  U200) };
    (Ripemd128 $part:ident)  => { of!(@$part ripemd::Ripemd128,    U16,  U64,  U16) };
    (Ripemd160 $part:ident)  => { of!(@$part ripemd::Ripemd160,    U20,  U64,  U20) };
    (Ripemd256 $part:ident)  => { of!(@$part ripemd::Ripemd256,    U32,  U64,  U32) };
    (Ripemd320 $part:ident)  => { of!(@$part ripemd::Ripemd320,    U40,  U64,  U40) };
    (Blake224 $part:ident)   => { of!(@$part blake::Blake256,      U28,  U64,  U32) };
    (Blake256 $part:ident)   => { of!(@$part blake::Blake256,      U32,  U64,  U32) };
    (Blake384 $part:ident)   => { of!(@$part blake::Blake512,      U48,  U128, U64) };
    (Blake512 $part:ident)   => { of!(@$part blake::Blake512,      U64,  U128, U64) };
    (Groestl224 $part:ident) => { of!(@$part groestl::Groestl256,  U28,  U64,  U64) };
    (Groestl256 $part:ident) => { of!(@$part groestl::Groestl256,  U32,  U64,  U64) };
    (Groestl384 $part:ident) => { of!(@$part groestl::Groestl512,  U48,  U128, U128) };
    (Groestl512 $part:ident) => { of!(@$part groestl::Groestl512,  U64,  U128, U128) };
    (Jh224 $part:ident)      => { of!(@$part jh::Jh,               U28,  U64,  U128) };
    (Jh256 $part:ident)      => { of!(@$part jh::Jh,               U32,  U64,  U128) };
    (Jh384 $part:ident)      => { of!(@$part jh::Jh,               U48,  U64,  U128) };
    (Jh512 $part:ident)      => { of!(@$part jh::Jh,               U64,  U64,  U128) };
    (Skein256 $part:ident)   => { of!(@$part skein::Skein256,      U32,  U32,  U32) };
    (Skein512 $part:ident)   => { of!(@$part skein::Skein512,      U64,  U64,  U64) };
    (Skein1024 $part:ident)  => { of!(@$part skein::Skein1024,     U128, U128, U128) };
    (@definition $definition:ty, $digest:ty, $block:ty, $state:ty) => { $definition };
    (@digest $definition:ty, $digest:ty, $block:ty, $state:ty) => { $digest };
    (@block $definition:ty, $digest:ty, $block:ty, $state:ty) => { $block };
    (@saved $definition:ty, $digest:ty, $block:ty, $state:ty) => {
        Sum<Sum<$state, $block>, SavedOverhead>
    };
}

/// The sentence on security in a type's documentation.
macro_rules! security {
    (Standard) => {
        ""
    };
    (Finalist) => {
        "\n\nFrom the SHA-3 competition; never standardised in this form."
    };
    (Aged $why:literal) => {
        concat!("\n\n**Not for new use**: ", $why, ".")
    };
    (Broken $why:literal) => {
        concat!("\n\n**Broken**: ", $why, ". Only for old files and protocols.")
    };
}

/// Defines the hasher of a hash, the same for all.
#[rustfmt::skip]
macro_rules! hasher {
    ($id:ident $title:literal $standard:literal $value:expr, $security:expr) => {
        #[doc = concat!("A hasher of ", $title, " (", $standard, ").", $security)]
        #[derive(Clone, Debug)]
        pub struct $id(Stream<of!($id definition)>);

        impl $id {
            /// The algorithm as a value.
            pub const ID: HashId = HashId::$id;
        }

        /// Hashes on the best engine of this CPU. Panics if the environment variable
        /// `MANYLANE_MAX_ISA` names no engine.
        impl Default for $id {
            fn default() -> Self {
                Self(Stream::new($value))
            }
        }

        impl HashMarker for $id {}

        impl BlockSizeUser for $id {
            type BlockSize = of!($id block);
        }

        impl Update for $id {
            fn update(&mut self, bytes: &[u8]) {
                self.0.update(bytes);
            }
        }

        /// Never fails: [`std::io::copy`] hashes whatever can be read.
        impl io::Write for $id {
            fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
                self.0.update(bytes);
                Ok(bytes.len())
            }
            fn flush(&mut self) -> io::Result<()> {
                Ok(())
            }
        }

        impl Reset for $id {
            fn reset(&mut self) {
                self.0.reset();
            }
        }

        impl AlgorithmName for $id {
            fn write_alg_name(f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(stringify!($id))
            }
        }

        /// The state of [`Hasher::save`](crate::Hasher::save). It names the hash and the version of
        /// the format, and holds the last bytes of the message in the clear.
        impl SerializableState for $id {
            type SerializedStateSize = of!($id saved);

            fn serialize(&self) -> SerializedState<Self> {
                let mut state = SerializedState::<Self>::default();
                self.0.save(Self::ID.into(), &mut state);
                state
            }

            fn deserialize(state: &SerializedState<Self>) -> Result<Self, DeserializeStateError> {
                let mut hasher = Self::default();
                let restored = hasher.0.restore(Self::ID.into(), state);
                restored.map(|()| hasher).map_err(|_| DeserializeStateError)
            }
        }

        #[cfg(feature = "zeroize")]
        impl digest::zeroize::ZeroizeOnDrop for $id {}

        // Code that works on whole blocks, such as HMAC, gets the hasher itself, which takes any
        // number of bytes.

        impl UpdateCore for $id {
            fn update_blocks(&mut self, blocks: &[Block<Self>]) {
                self.0.update(Array::slice_as_flattened(blocks));
            }
        }

        impl BufferKindUser for $id {
            type BufferKind = Eager;
        }

        impl CoreProxy for $id {
            type Core = Self;

            fn compose(mut core: Self, buffer: Buffer<Self>) -> Self {
                core.0.update(buffer.get_data());
                core
            }

            fn decompose(mut self) -> (Self, Buffer<Self>) {
                let mut rest = Block::<Self>::default();
                let length = self.0.take_rest(&mut rest);
                match Buffer::<Self>::try_new(&rest[..length]) {
                    Ok(buffer) => (self, buffer),
                    // The remainder is a full block, which the hasher held back because it may be
                    // the last.
                    Err(_) => {
                        self.0.update(&rest);
                        (self, Buffer::<Self>::default())
                    }
                }
            }
        }
    };
}

/// The traits of a hasher by the kind of its output.
macro_rules! output {
    (Shake128) => {
        output!(@extendable Shake128 Shake128Reader);
    };
    (Shake256) => {
        output!(@extendable Shake256 Shake256Reader);
    };
    ($id:ident) => {
        impl OutputSizeUser for $id {
            type OutputSize = of!($id digest);
        }

        impl FixedOutput for $id {
            fn finalize_into(self, out: &mut Output<Self>) {
                self.0.finalize_into(out);
            }
        }

        impl FixedOutputReset for $id {
            fn finalize_into_reset(&mut self, out: &mut Output<Self>) {
                self.0.finalize_into(out);
                self.0.reset();
            }
        }

        impl FixedOutputCore for $id {
            fn finalize_fixed_core(&mut self, buffer: &mut Buffer<Self>, out: &mut Output<Self>) {
                self.0.update(buffer.get_data());
                buffer.reset();
                self.0.finalize_into(out);
            }
        }
    };
    (@extendable $id:ident $reader:ident) => {
        #[doc = concat!("The output of [`", stringify!($id), "`], without end.")]
        #[derive(Clone, Debug)]
        pub struct $reader(manylane_engine::Reader<of!($id definition)>);

        impl digest::XofReader for $reader {
            fn read(&mut self, out: &mut [u8]) {
                self.0.read(out);
            }
        }

        impl ExtendableOutput for $id {
            type Reader = $reader;

            fn finalize_xof(self) -> $reader {
                $reader(self.0.into_reader())
            }
        }

        impl BlockSizeUser for $reader {
            type BlockSize = of!($id block);
        }

        impl XofReaderCore for $reader {
            fn read_block(&mut self) -> Block<Self> {
                let mut block = Block::<Self>::default();
                self.0.read(&mut block);
                block
            }
        }

        impl ExtendableOutputCore for $id {
            type ReaderCore = $reader;

            fn finalize_xof_core(&mut self, buffer: &mut Buffer<Self>) -> $reader {
                self.0.update(buffer.get_data());
                buffer.reset();
                self.clone().finalize_xof()
            }
        }

        #[cfg(feature = "zeroize")]
        impl digest::zeroize::ZeroizeOnDrop for $reader {}

        impl ExtendableOutputReset for $id {
            fn finalize_xof_reset(&mut self) -> $reader {
                let finished = self.clone();
                self.0.reset();
                finished.finalize_xof()
            }
        }
    };
}

/// Object identifiers, of the hashes that have one: RFC 8017 B.1 and RFC 3370 §2; NIST's register;
/// TeleTrusT's algorithms.
#[cfg(feature = "oid")]
#[rustfmt::skip]
macro_rules! oid {
    (Md5)         => { oid!(@Md5 "1.2.840.113549.2.5"); };
    (Sha1)        => { oid!(@Sha1 "1.3.14.3.2.26"); };
    (Sha224)      => { oid!(@Sha224 "2.16.840.1.101.3.4.2.4"); };
    (Sha256)      => { oid!(@Sha256 "2.16.840.1.101.3.4.2.1"); };
    (Sha384)      => { oid!(@Sha384 "2.16.840.1.101.3.4.2.2"); };
    (Sha512)      => { oid!(@Sha512 "2.16.840.1.101.3.4.2.3"); };
    (Sha512_224)  => { oid!(@Sha512_224 "2.16.840.1.101.3.4.2.5"); };
    (Sha512_256)  => { oid!(@Sha512_256 "2.16.840.1.101.3.4.2.6"); };
    (Sha3_224)    => { oid!(@Sha3_224 "2.16.840.1.101.3.4.2.7"); };
    (Sha3_256)    => { oid!(@Sha3_256 "2.16.840.1.101.3.4.2.8"); };
    (Sha3_384)    => { oid!(@Sha3_384 "2.16.840.1.101.3.4.2.9"); };
    (Sha3_512)    => { oid!(@Sha3_512 "2.16.840.1.101.3.4.2.10"); };
    (Shake128)    => { oid!(@Shake128 "2.16.840.1.101.3.4.2.11"); };
    (Shake256)    => { oid!(@Shake256 "2.16.840.1.101.3.4.2.12"); };
    (Ripemd128)   => { oid!(@Ripemd128 "1.3.36.3.2.2"); };
    (Ripemd160)   => { oid!(@Ripemd160 "1.3.36.3.2.1"); };
    (Ripemd256)   => { oid!(@Ripemd256 "1.3.36.3.2.3"); };
    (@$id:ident $oid:literal) => {
        impl AssociatedOid for $id {
            const OID: ObjectIdentifier = ObjectIdentifier::new_unwrap($oid);
        }
    };
    ($without:ident) => {};
}

macro_rules! types {
    ($($id:ident $name:literal $aliases:tt $title:literal $standard:literal
       $security:ident $(($why:literal))? => $value:expr;)*) => { $(
        hasher!($id $title $standard $value, security!($security $($why)?));
        output!($id);
        #[cfg(feature = "oid")]
        oid!($id);
    )* };
}
for_each_hash!(types);
