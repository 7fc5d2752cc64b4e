//! Joux's key agreement of three parties in one round (A. Joux: A one round protocol for tripartite
//! Diffie-Hellman, ANTS-IV, 2000).
//!
//! **About 59 bits of security: for research and teaching only.**
//!
//! ```text
//! Alice, Bob and Carol publish aP, bP and cP; the key is
//! e(P, P)^abc = e(bP, cP)^a = e(cP, aP)^b = e(aP, bP)^c
//! ```

use super::text::{point_hex, value_hex, warning};
use anyhow::{anyhow, ensure};
use manylane_engine::pairing::{Form, Pairing, Point, Value, hash_to_point};
use manylane_engine::{Algorithm, HashId, hash};
use manylane_files::lists::lines::hex;
use manylane_files::system::random;
use manylane_pages::INFALLIBLE;
use manylane_pages::explain::text::wrapped;
use manylane_primitives::pairing::curve::scalar_bits;
use std::fmt::Write;

const PARTIES: [&str; 3] = ["Alice", "Bob", "Carol"];
/// The text from which P is made.
const BASE: &str = "manylane pair --demo";
/// Bytes of a secret, as many as the order of the group has.
const SECRET_BYTES: usize = 153;

struct Party {
    name: &'static str,
    secret: Vec<u8>,
    /// secret · P, as it travels.
    message: Vec<u8>,
}

/// Runs the agreement and returns its text. Secrets follow from `seed`, or are random without one.
pub fn run(pairing: &Pairing, seed: Option<&str>) -> anyhow::Result<String> {
    let seed = match seed {
        Some(text) => text.as_bytes().to_vec(),
        None => seed_at_random()?,
    };
    let base = hash_to_point(BASE.as_bytes());
    let parties = PARTIES.map(|name| Party::new(name, &seed, base));

    let mut out = warning();
    out.push('\n');
    let lead = format!(
        "Three parties agree on a key with one message each. P is the point of \"{BASE}\":"
    );
    out.push_str(&wrapped(&lead, 0));
    writeln!(out, "  P = {}\n", short(&point_hex(base))).expect(INFALLIBLE);
    for (party, secret) in parties.iter().zip(["a", "b", "c"]) {
        let message = short(&hex(&party.message));
        writeln!(out, "{:<5}  keeps {secret}, publishes {secret}P = {message}", party.name)
            .expect(INFALLIBLE);
    }
    out.push('\n');

    let mut keys = Vec::new();
    for (i, computes) in ["e(bP, cP)^a", "e(cP, aP)^b", "e(aP, bP)^c"].iter().enumerate() {
        let [me, first, second] = [0, 1, 2].map(|j| &parties[(i + j) % 3]);
        let value = me.agree(pairing, [first, second])?;
        writeln!(out, "{:<5}  computes {computes} = {}", me.name, short(&value_hex(value)))
            .expect(INFALLIBLE);
        keys.push(value);
    }
    ensure!(
        keys.iter().all(|key| *key == keys[0]),
        "the parties disagree: this is a fault of the program"
    );
    let key = hash(HashId::Sha256, keys[0].encode(&mut [0; Value::BYTES]));
    writeln!(out, "\nAll three have e(P, P)^abc; SHA-256 of its bytes, a key:\n  {}", hex(&key))
        .expect(INFALLIBLE);
    Ok(out)
}

impl Party {
    fn new(name: &'static str, seed: &[u8], base: Point) -> Self {
        let shake = Algorithm::new(HashId::Shake256).with_digest_bytes(SECRET_BYTES);
        let secret = hash(
            shake.expect("SHAKE has digests of any length"),
            &[seed, name.as_bytes()].concat(),
        );
        let point = base.multiply(&secret);
        let message = point.encode(Form::Compressed, &mut [0; Point::MAX_BYTES]).to_vec();
        Self { name, secret, message }
    }

    /// The key, from what the others published.
    fn agree(&self, pairing: &Pairing, others: [&Self; 2]) -> anyhow::Result<Value> {
        let [p, q] = others.map(|other| Point::decode(&other.message));
        Ok(pairing.pair(p?, q?).power(scalar_bits(&self.secret)))
    }
}

/// The first 24 digits and the last 8.
fn short(digits: &str) -> String {
    format!("{}…{}", &digits[..24], &digits[digits.len() - 8..])
}

fn seed_at_random() -> anyhow::Result<Vec<u8>> {
    let mut bytes = vec![0; 32];
    random::fill(&mut bytes).map_err(|error| anyhow!("{error}; give --seed TEXT"))?;
    Ok(bytes)
}
