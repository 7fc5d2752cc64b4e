//! ring and AWS-LC: one message after the other.

use crate::{OneByOne, Peer};

/// The hash of that name of each library that has it.
pub fn peers(name: &str) -> Vec<Box<dyn Peer>> {
    let mut peers: Vec<Box<dyn Peer>> = Vec::new();
    if let Some(algorithm) = ring(name) {
        let digest = |message: &[u8], out: &mut [u8]| {
            out.copy_from_slice(ring::digest::digest(algorithm, message).as_ref());
        };
        peers.push(Box::new(OneByOne { name: "ring", digest }));
    }
    if let Some(algorithm) = aws_lc(name) {
        let digest = |message: &[u8], out: &mut [u8]| {
            out.copy_from_slice(aws_lc_rs::digest::digest(algorithm, message).as_ref());
        };
        peers.push(Box::new(OneByOne { name: "aws-lc", digest }));
    }
    peers
}

fn ring(name: &str) -> Option<&'static ring::digest::Algorithm> {
    Some(match name {
        "sha1" => &ring::digest::SHA1_FOR_LEGACY_USE_ONLY,
        "sha256" => &ring::digest::SHA256,
        "sha512" => &ring::digest::SHA512,
        _ => return None,
    })
}

fn aws_lc(name: &str) -> Option<&'static aws_lc_rs::digest::Algorithm> {
    Some(match name {
        "sha1" => &aws_lc_rs::digest::SHA1_FOR_LEGACY_USE_ONLY,
        "sha256" => &aws_lc_rs::digest::SHA256,
        "sha512" => &aws_lc_rs::digest::SHA512,
        "sha3-256" => &aws_lc_rs::digest::SHA3_256,
        _ => return None,
    })
}
