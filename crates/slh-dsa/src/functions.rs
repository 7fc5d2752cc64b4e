//! The functions of FIPS 205 §11: F, H and T_ℓ for many addresses at once, PRF, and those of the
//! message.

use crate::address::{Kind, TreePosition};
use crate::parameters::Parameters;
use manylane::{Algorithm, Chains, HashId, Hasher, Hmac, PreparedChains, PreparedRows, Rows, hash};
use std::ops::Range;

/// The result of a call. All lengths are those of the parameters and the engine is one of this
/// CPU's, so that no call fails unless `MANYLANE_MAX_ISA` names no engine.
///
/// # Panics
/// With the error's text, if it fails.
fn done<T>(result: Result<T, manylane::Error>) -> T {
    result.unwrap_or_else(|error| panic!("{error}"))
}

/// The functions of a parameter set under one public seed, prepared for many calls.
pub(crate) struct Functions {
    /// The parameter set.
    pub p: Parameters,
    f: PreparedRows,
    chains: PreparedChains,
    h: PreparedRows,
    t_len: PreparedRows,
    t_k: PreparedRows,
    /// The first bytes of the messages of F and PRF, and of those of H and T.
    seed: [Vec<u8>; 2],
}

impl Functions {
    /// Prepares the functions for the public seed, which is padded to a block where SHA-2 is used
    /// (§11.2).
    pub fn new(p: Parameters, pk_seed: &[u8]) -> Self {
        let padded = |bytes: usize| {
            let mut seed = pk_seed.to_vec();
            if p.sha2 {
                seed.resize(bytes, 0);
            }
            seed
        };
        let wide = p.sha2 && p.n > 16;
        let seed = [padded(64), padded(if wide { 128 } else { 64 })];
        let rows = |of: usize, input: usize| {
            let rows = rows(&p, [HashId::Sha256, wide_hash(&p)][of], &seed[of]);
            done(rows.input_bytes(input).prepare())
        };
        let narrow = algorithm(&p, HashId::Sha256);
        let bytes = address_bytes(&p);
        let chains = Chains::new(narrow).prefix(&seed[0]).address_bytes(bytes).state_bytes(p.n);
        Self {
            f: rows(0, p.n),
            chains: done(chains.counter(bytes - 4, 4).prepare()),
            h: rows(1, 2 * p.n),
            t_len: rows(1, p.len() * p.n),
            t_k: rows(1, p.k * p.n),
            seed,
            p,
        }
    }

    /// The addresses, one after the other.
    fn addresses(&self, of: impl Iterator<Item = (TreePosition, Kind)>) -> Vec<u8> {
        let mut addresses = Vec::new();
        of.for_each(|(place, kind)| place.write(kind, self.p.sha2, &mut addresses));
        addresses
    }

    /// PRF(PK.seed, SK.seed, ADRS) for each address.
    pub fn prf(&self, sk_seed: &[u8], of: impl Iterator<Item = (TreePosition, Kind)>) -> Vec<u8> {
        let addresses = self.addresses(of);
        let count = addresses.len() / address_bytes(&self.p);
        let mut out = vec![0; count * self.p.n];
        let rows = rows(&self.p, HashId::Sha256, &self.seed[0]).suffix(sk_seed);
        done(rows.run(&addresses, &[], &mut out));
        out
    }

    /// F(PK.seed, ADRS, M₁) for each address.
    pub fn f(&mut self, of: impl Iterator<Item = (TreePosition, Kind)>, inputs: &[u8]) -> Vec<u8> {
        let addresses = self.addresses(of);
        run(&mut self.f, self.p.n, &addresses, inputs, inputs.len() / self.p.n)
    }

    /// H(PK.seed, ADRS, M₂) for each address.
    pub fn h(&mut self, of: impl Iterator<Item = (TreePosition, Kind)>, inputs: &[u8]) -> Vec<u8> {
        let addresses = self.addresses(of);
        run(&mut self.h, self.p.n, &addresses, inputs, inputs.len() / self.p.n / 2)
    }

    /// T_len(PK.seed, ADRS, M) for each address.
    pub fn t_len(
        &mut self,
        of: impl Iterator<Item = (TreePosition, Kind)>,
        inputs: &[u8],
    ) -> Vec<u8> {
        let addresses = self.addresses(of);
        let count = inputs.len() / self.p.n / self.p.len();
        run(&mut self.t_len, self.p.n, &addresses, inputs, count)
    }

    /// T_k(PK.seed, ADRS, M).
    pub fn t_k(&mut self, of: (TreePosition, Kind), roots: &[u8]) -> Vec<u8> {
        let addresses = self.addresses([of].into_iter());
        run(&mut self.t_k, self.p.n, &addresses, roots, 1)
    }

    /// The chaining function of WOTS⁺ (algorithm 5), in place, for each address and its steps.
    pub fn chain(
        &mut self,
        of: impl Iterator<Item = (TreePosition, Kind)>,
        steps: &[Range<u64>],
        states: &mut [u8],
    ) {
        let addresses = self.addresses(of);
        done(self.chains.run(&addresses, steps, states));
    }
}

fn run(
    rows: &mut PreparedRows,
    n: usize,
    addresses: &[u8],
    inputs: &[u8],
    count: usize,
) -> Vec<u8> {
    let mut out = vec![0; count * n];
    done(rows.run(addresses, inputs, &mut out));
    out
}

/// Bytes of an address.
fn address_bytes(p: &Parameters) -> usize {
    if p.sha2 { 22 } else { 32 }
}

/// The SHA-2 hash of H, T and the functions of the message: SHA-512 from category 3 on (§11.2.2).
fn wide_hash(p: &Parameters) -> HashId {
    if p.n > 16 { HashId::Sha512 } else { HashId::Sha256 }
}

/// The hash of a parameter set, of whose digests the first n bytes count: `sha2` if the set is of
/// that family, otherwise SHAKE256 with n bytes of output.
fn algorithm(p: &Parameters, sha2: HashId) -> Algorithm {
    match p.sha2 {
        true => Algorithm::new(sha2),
        false => shake256(p.n),
    }
}

fn shake256(bytes: usize) -> Algorithm {
    Algorithm::new(HashId::Shake256).with_digest_bytes(bytes).expect("SHAKE has any length")
}

fn rows(p: &Parameters, sha2: HashId, seed: &[u8]) -> Rows<'static> {
    let rows = Rows::new(algorithm(p, sha2)).prefix(seed).output_bytes(p.n);
    rows.address_bytes(address_bytes(p))
}

/// PRF_msg(SK.prf, opt_rand, M), the message in parts.
pub(crate) fn prf_msg(p: &Parameters, sk_prf: &[u8], opt_rand: &[u8], parts: &[&[u8]]) -> Vec<u8> {
    if p.sha2 {
        let mut hmac = Hmac::new(wide_hash(p), sk_prf).expect("HMAC over SHA-2 is defined");
        hmac.update(opt_rand);
        parts.iter().for_each(|part| hmac.update(part));
        let mut r = hmac.finalize();
        r.truncate(p.n);
        return r;
    }
    let mut hasher = Hasher::new(shake256(p.n));
    [sk_prf, opt_rand].iter().chain(parts).for_each(|part| hasher.update(part));
    hasher.finalize()
}

/// H_msg(R, PK.seed, PK.root, M), the message in parts; `public_key` is PK.seed ‖ PK.root.
pub(crate) fn h_msg(p: &Parameters, r: &[u8], public_key: &[u8], parts: &[&[u8]]) -> Vec<u8> {
    let hash_id = wide_hash(p);
    let algorithm = if p.sha2 { Algorithm::new(hash_id) } else { shake256(p.m()) };
    let mut hasher = Hasher::new(algorithm);
    [r, public_key].iter().chain(parts).for_each(|part| hasher.update(part));
    let digest = hasher.finalize();
    if !p.sha2 {
        return digest;
    }
    // MGF1 (RFC 8017 §B.2.1) over R ‖ PK.seed ‖ digest.
    let seed = [r, &public_key[..p.n], &digest].concat();
    let blocks = (0u32..).map(|i| hash(hash_id, &[&seed[..], &i.to_be_bytes()].concat()));
    let mut out: Vec<u8> = blocks.take(p.m().div_ceil(digest.len())).flatten().collect();
    out.truncate(p.m());
    out
}
