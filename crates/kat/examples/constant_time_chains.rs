//! Whether chains, PBKDF2, HKDF, one-time passwords and the keys of SLH-DSA access the same
//! addresses for all secrets. `make test-ct` runs it under a tool that records them:
//!
//! ```text
//! MANYLANE_MAX_ISA=ENGINE constant_time_chains OPERATION SECRET
//! ```
//!
//! It computes once and prints nothing. The arguments have the same lengths for all of the 4
//! secrets, so that two runs differ in nothing but the secret. A signature of SLH-DSA has chains as
//! long as the digits of what it signs, which are public but depend on the key: of signing, what it
//! shares with making a key is recorded. The operation `leak` has a branch on every bit, which must
//! be found.

use manylane_engine::{Chains, HashId, Hkdf, HmacKeys, Pbkdf2, hotp_many};
use manylane_kat::Rng;
use manylane_slh_dsa::{ParameterSet, PrivateKey};
use std::hint::black_box;
use std::num::NonZeroU32;

/// Number of secrets, which fill the lanes of an engine and leave some over.
const COUNT: usize = 19;
/// Bytes of each secret.
const BYTES: usize = 32;

/// A computation from the secrets, which lie one after the other.
type Compute = fn(&[u8]) -> Result<Vec<u8>, Box<dyn std::error::Error>>;

const OPERATIONS: [(&str, Compute); 7] = [
    ("chains", |secrets| {
        let mut states = secrets.to_vec();
        let steps: Vec<_> = (0..COUNT as u64).map(|i| i % 3..12).collect();
        let chains = Chains::new(HashId::Sha256).prefix(&[7; 64]).address_bytes(22).counter(18, 4);
        chains.run(&[1; COUNT * 22], &steps, &mut states)?;
        Ok(states)
    }),
    ("sponge", |secrets| {
        let mut states = secrets.to_vec();
        let chains = Chains::new(HashId::Shake256).prefix(&[7; 16]).suffix(&[9; 3]);
        chains.state_bytes(BYTES).run(&[], &vec![0..5; COUNT], &mut states)?;
        Ok(states)
    }),
    ("pbkdf2", |secrets| {
        let mut keys = vec![0; COUNT * 40];
        let passwords: Vec<_> = secrets.chunks_exact(BYTES).collect();
        let iterations = NonZeroU32::new(5).expect("more than 0");
        let pbkdf2 = Pbkdf2::new(HashId::Sha256, iterations).key_bytes(40);
        pbkdf2.run(&passwords, &[b"salt"; COUNT], &mut keys)?;
        Ok(keys)
    }),
    ("hkdf  ", |secrets| {
        let mut keys = vec![0; COUNT * 70];
        let inputs: Vec<_> = secrets.chunks_exact(BYTES).collect();
        let hkdf = Hkdf::new(HashId::Sha512).key_bytes(70);
        hkdf.run(&[b"salt"; COUNT], &inputs, &[b"info"; COUNT], &mut keys)?;
        Ok(keys)
    }),
    ("hotp  ", |secrets| {
        let keys: Vec<_> = secrets.chunks_exact(BYTES).collect();
        let keys = HmacKeys::new(HashId::Sha1, &keys)?;
        let counters: Vec<_> = (0..COUNT).map(|key| (key, 5)).collect();
        Ok(hotp_many(&keys, &counters, 6)?.iter().map(|password| *password as u8).collect())
    }),
    ("slhdsa", |secrets| {
        let [seed, prf] = [&secrets[..16], &secrets[16..32]];
        let key = PrivateKey::from_seeds(ParameterSet::Sha2_128f, seed, prf, &[3; 16])?;
        Ok(key.public_key().as_bytes().to_vec())
    }),
    ("leak  ", |secrets| {
        let bits = (0..8 * secrets.len()).filter(|i| secrets[i / 8] >> (i % 8) & 1 == 1);
        Ok(vec![bits.fold(0, |sum, i| black_box(sum ^ i as u8))])
    }),
];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<_> = std::env::args().collect();
    let [_, operation, number] = &arguments[..] else { return Err("OPERATION SECRET".into()) };
    // The secret is zeros for 0, ones for 1 and random bytes for others, made by the same
    // instructions.
    let number_of: u64 = number.parse()?;
    let [random, ones] = [number_of > 1, number_of == 1].map(|bit| black_box(u8::from(bit)) * 0xff);
    let mut secrets = Rng::from_name(number).bytes(COUNT * BYTES);
    secrets.iter_mut().for_each(|byte| *byte = *byte & random | ones);
    let known = OPERATIONS.iter().find(|(name, _)| name.trim() == operation.trim());
    let (_, compute) = known.ok_or_else(|| format!("no operation is named `{operation}`"))?;
    black_box(compute(black_box(&secrets))?);
    Ok(())
}
