//! RustCrypto's crates, and `blake-hash` of Cryptocorrosion: one message after the other.

use crate::{OneByOne, Peer};
use hmac::{EagerHash, Hmac, KeyInit, Mac};
use md5::digest::Digest;

fn hash<D: Digest>() -> Option<Box<dyn Peer>> {
    let digest = |message: &[u8], out: &mut [u8]| out.copy_from_slice(&D::digest(message));
    Some(Box::new(OneByOne { name: "rustcrypto", digest }))
}

fn blake<D: blake_hash::Digest>() -> Option<Box<dyn Peer>> {
    let digest = |message: &[u8], out: &mut [u8]| out.copy_from_slice(&D::digest(message));
    Some(Box::new(OneByOne { name: "blake-hash", digest }))
}

fn keyed<D: EagerHash + 'static>(key: &[u8]) -> Option<Box<dyn Peer>>
where
    Hmac<D>: KeyInit + Mac + Clone,
{
    let keyed = <Hmac<D> as KeyInit>::new_from_slice(key).ok()?;
    let digest = move |message: &[u8], out: &mut [u8]| {
        let mut mac = keyed.clone();
        Mac::update(&mut mac, message);
        out.copy_from_slice(&mac.finalize().into_bytes());
    };
    Some(Box::new(OneByOne { name: "rustcrypto", digest }))
}

/// The hash or HMAC of that name, if there is a crate of it.
pub fn peer(name: &str, key: &[u8]) -> Option<Box<dyn Peer>> {
    match name {
        "md5" => hash::<md5::Md5>(),
        "sha1" => hash::<sha1::Sha1>(),
        "sha256" => hash::<sha2::Sha256>(),
        "sha512" => hash::<sha2::Sha512>(),
        "ripemd160" => hash::<ripemd::Ripemd160>(),
        "sha3-256" => hash::<sha3::Sha3_256>(),
        "blake256" => blake::<blake_hash::Blake256>(),
        "blake512" => blake::<blake_hash::Blake512>(),
        "groestl256" => hash::<groestl::Groestl256>(),
        "groestl512" => hash::<groestl::Groestl512>(),
        "jh256" => hash::<jh::Jh256>(),
        "skein512" => hash::<skein::Skein512<md5::digest::consts::U64>>(),
        "hmac-md5" => keyed::<md5::Md5>(key),
        "hmac-sha1" => keyed::<sha1::Sha1>(key),
        "hmac-sha256" => keyed::<sha2::Sha256>(key),
        "hmac-sha512" => keyed::<sha2::Sha512>(key),
        _ => None,
    }
}
