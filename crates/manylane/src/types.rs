//! A type for each hash of the catalogue, with the traits of the [`digest`] crate.

use digest::consts::*;
use digest::{
    ExtendableOutput, ExtendableOutputReset, FixedOutput, FixedOutputReset, HashMarker, Output,
    OutputSizeUser, Reset, Update, common::BlockSizeUser,
};
use manylane_engine::{HashId, Stream};
use manylane_primitives::for_each_hash;
use manylane_primitives::hash::{blake, groestl, jh, keccak, md5, ripemd, sha1, sha2, skein};
use std::io;

/// What the traits want to know as types: the definition, the bytes of a digest (none for an
/// extendable output), the bytes of a block. A line for each hash of the catalogue.
#[rustfmt::skip]
macro_rules! of {
    (Md5 $part:ident)        => { of!(@$part md5::Md5,            U16,  U64) };
    (Sha1 $part:ident)       => { of!(@$part sha1::Sha1,          U20,  U64) };
    (Sha224 $part:ident)     => { of!(@$part sha2::Sha256,        U28,  U64) };
    (Sha256 $part:ident)     => { of!(@$part sha2::Sha256,        U32,  U64) };
    (Sha384 $part:ident)     => { of!(@$part sha2::Sha512,        U48,  U128) };
    (Sha512 $part:ident)     => { of!(@$part sha2::Sha512,        U64,  U128) };
    (Sha512_224 $part:ident) => { of!(@$part sha2::Sha512,        U28,  U128) };
    (Sha512_256 $part:ident) => { of!(@$part sha2::Sha512,        U32,  U128) };
    (Sha3_224 $part:ident)   => { of!(@$part keccak::Keccak,      U28,  U144) };
    (Sha3_256 $part:ident)   => { of!(@$part keccak::Keccak,      U32,  U136) };
    (Sha3_384 $part:ident)   => { of!(@$part keccak::Keccak,      U48,  U104) };
    (Sha3_512 $part:ident)   => { of!(@$part keccak::Keccak,      U64,  U72) };
    (Shake128 $part:ident)   => { of!(@$part keccak::Keccak,      (),   U168) };
    (Shake256 $part:ident)   => { of!(@$part keccak::Keccak,      (),   U136) };
    (Keccak224 $part:ident)  => { of!(@$part keccak::Keccak,      U28,  U144) };
    (Keccak256 $part:ident)  => { of!(@$part keccak::Keccak,      U32,  U136) };
    (Keccak384 $part:ident)  => { of!(@$part keccak::Keccak,      U48,  U104) };
    (Keccak512 $part:ident)  => { of!(@$part keccak::Keccak,      U64,  U72) };
    (Ripemd128 $part:ident)  => { of!(@$part ripemd::Ripemd128,   U16,  U64) };
    (Ripemd160 $part:ident)  => { of!(@$part ripemd::Ripemd160,   U20,  U64) };
    (Ripemd256 $part:ident)  => { of!(@$part ripemd::Ripemd256,   U32,  U64) };
    (Ripemd320 $part:ident)  => { of!(@$part ripemd::Ripemd320,   U40,  U64) };
    (Blake224 $part:ident)   => { of!(@$part blake::Blake256,     U28,  U64) };
    (Blake256 $part:ident)   => { of!(@$part blake::Blake256,     U32,  U64) };
    (Blake384 $part:ident)   => { of!(@$part blake::Blake512,     U48,  U128) };
    (Blake512 $part:ident)   => { of!(@$part blake::Blake512,     U64,  U128) };
    (Groestl224 $part:ident) => { of!(@$part groestl::Groestl256, U28,  U64) };
    (Groestl256 $part:ident) => { of!(@$part groestl::Groestl256, U32,  U64) };
    (Groestl384 $part:ident) => { of!(@$part groestl::Groestl512, U48,  U128) };
    (Groestl512 $part:ident) => { of!(@$part groestl::Groestl512, U64,  U128) };
    (Jh224 $part:ident)      => { of!(@$part jh::Jh,              U28,  U64) };
    (Jh256 $part:ident)      => { of!(@$part jh::Jh,              U32,  U64) };
    (Jh384 $part:ident)      => { of!(@$part jh::Jh,              U48,  U64) };
    (Jh512 $part:ident)      => { of!(@$part jh::Jh,              U64,  U64) };
    (Skein256 $part:ident)   => { of!(@$part skein::Skein256,     U32,  U32) };
    (Skein512 $part:ident)   => { of!(@$part skein::Skein512,     U64,  U64) };
    (Skein1024 $part:ident)  => { of!(@$part skein::Skein1024,    U128, U128) };
    (@definition $definition:ty, $digest:ty, $block:ty) => { $definition };
    (@digest $definition:ty, $digest:ty, $block:ty) => { $digest };
    (@block $definition:ty, $digest:ty, $block:ty) => { $block };
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

/// What every hasher is.
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

        /// On the best engine of this CPU. Panics if the environment variable `MANYLANE_MAX_ISA`
        /// names no engine.
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
    };
}

/// What a hasher is by the kind of its output.
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

        impl ExtendableOutputReset for $id {
            fn finalize_xof_reset(&mut self) -> $reader {
                let finished = self.clone();
                self.0.reset();
                finished.finalize_xof()
            }
        }
    };
}

macro_rules! types {
    ($($id:ident $name:literal $aliases:tt $title:literal $standard:literal
       $security:ident $(($why:literal))? => $value:expr;)*) => { $(
        hasher!($id $title $standard $value, security!($security $($why)?));
        output!($id);
    )* };
}
for_each_hash!(types);
