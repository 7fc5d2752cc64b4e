//! A signature of SLH-DSA, from the seeds of the key on. `make test-ct` runs it under valgrind's
//! memcheck with `tools/published.c`, by which what is read from standard input is secret
//! (undefined to memcheck, whatever its value) and what is written to standard error is public:
//!
//! ```text
//! MANYLANE_MAX_ISA=ENGINE constant_time_signing SET sign|leak < SECRETS
//! ```
//!
//! The secrets are SK.seed, SK.prf and the randomness of the signature. Public are PK.seed, the
//! message and, when they have been computed, PK.root, R, the key of FORS and the roots of the
//! trees, all of which the signature gives away. `leak` does not say that they are public, and this
//! must be found: the digits that chains end at then depend on secrets.

use manylane_slh_dsa::{ParameterSet, PrivateKey};
use std::io::{self, Read, Write};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<_> = std::env::args().collect();
    let [_, set, operation] = &arguments[..] else { return Err("SET sign|leak".into()) };
    let leaks = match operation.as_str() {
        "sign" => false,
        "leak" => true,
        _ => return Err(format!("`{operation}` is neither sign nor leak").into()),
    };
    let set: ParameterSet = set.parse()?;
    let n = set.seed_bytes();
    let mut secrets = vec![0; 3 * n];
    io::stdin().read_exact(&mut secrets)?;
    let mut publish = |value: &[u8]| io::stderr().write_all(value).expect("it is intercepted");
    let key = PrivateKey::from_seeds(set, &secrets[..n], &secrets[n..2 * n], &vec![3; n])?;
    publish(key.public_key().as_bytes());
    let parts: [&[u8]; 2] = [&[0, 0], b"message"];
    let random = Some(&secrets[2 * n..]);
    let signature = match leaks {
        true => key.sign_internal(&parts, random)?,
        false => key.sign_publishing(&parts, random, &mut publish)?,
    };
    publish(&signature);
    match key.public_key().verify(b"message", b"", &signature) {
        true => Ok(()),
        false => Err("the signature is wrong".into()),
    }
}
