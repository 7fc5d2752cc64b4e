//! One-time signatures as chains.

use super::hex;
use manylane_engine::{Chains, HashId, Rows, hash};
use std::ops::Range;

/// LM-OTS with W = 8 (RFC 8554 §4), by its algorithms: the public key of the private one, and the
/// same from a signature.
#[test]
fn lm_ots() {
    const CHAINS: usize = 34;
    let identifier = hex("61a5d57d37f5e46bfb7520806b07a1b8");
    let seed = hex("e04d27b0d8c4d8a8f4b2b4a5b4b0e1c558f8a30eca4e9d8a07cd3dd9a3e1c3aa");
    let leaf = 5u32.to_be_bytes();
    let named = [&identifier[..], &leaf].concat();
    // x[i] = H(I ‖ u32str(q) ‖ u16str(i) ‖ 0xff ‖ SEED), appendix A.
    let addresses: Vec<u8> =
        (0..CHAINS as u16).flat_map(|i| [&i.to_be_bytes()[..], &[0xff]].concat()).collect();
    let mut secret = vec![0; CHAINS * 32];
    let rows = Rows::new(HashId::Sha256).prefix(&named).suffix(&seed).address_bytes(3);
    rows.run(&addresses, &[], &mut secret).unwrap();
    assert_eq!(secret[32..64], hash(HashId::Sha256, &[&named, &[0, 1, 0xff][..], &seed].concat()));
    let chains = Chains::new(HashId::Sha256).prefix(&named).address_bytes(3).counter(2, 1);
    let public = |states: &[u8]| {
        let ends = [&named, &0x8080u16.to_be_bytes()[..], states].concat();
        hash(HashId::Sha256, &ends)
    };
    let mut ends = secret.clone();
    chains.run(&addresses, &vec![0..255; CHAINS], &mut ends).unwrap();
    // Algorithm 1, step by step, of one chain.
    let mut tmp = secret[..32].to_vec();
    for j in 0..255u8 {
        tmp = hash(HashId::Sha256, &[&named, &[0, 0, j][..], &tmp].concat());
    }
    assert_eq!(tmp, ends[..32]);

    // §4.4, with the checksum of 16 bits.
    let digest = hash(HashId::Sha256, b"a message");
    let sum: u16 = digest.iter().map(|byte| 255 - u16::from(*byte)).sum();
    let digits: Vec<u64> = digest.iter().copied().chain(sum.to_be_bytes()).map(u64::from).collect();
    let from_secret: Vec<Range<u64>> = digits.iter().map(|digit| 0..*digit).collect();
    let to_end: Vec<Range<u64>> = digits.iter().map(|digit| *digit..255).collect();
    let mut states = secret;
    chains.run(&addresses, &from_secret, &mut states).unwrap();
    assert_ne!(public(&states), public(&ends));
    chains.run(&addresses, &to_end, &mut states).unwrap();
    assert_eq!(public(&states), public(&ends));
}
