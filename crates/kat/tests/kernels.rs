//! Every kernel computes the same as the scalar one, which other tests compare with the published
//! vectors. Kernels that only other cores use, and those that no number of messages chooses here,
//! are tested too.

use manylane_engine::tuning::{KernelName, family, probes};
use manylane_engine::{Algorithm, Engine, HashId, Stream, engines, kernels_agree};
use manylane_primitives::hash::blake::{Blake256, Blake512};
use manylane_primitives::hash::keccak::Keccak;
use manylane_primitives::hash::sha2::Sha256;
use manylane_primitives::hash::{Compress, Scalar, digest};

#[test]
fn kernels_agree_from_any_state() {
    for &id in HashId::ALL {
        for seed in [1, 2] {
            let compared = kernels_agree(Algorithm::new(id), seed);
            let compared = compared.unwrap_or_else(|difference| panic!("{id:?}: {difference}"));
            for probe in probes(id).unwrap() {
                let KernelName { engine, lanes } = probe.kernel();
                let scalar = (engine, lanes) == (Engine::Scalar, 1);
                assert!(scalar || compared.contains(&probe.kernel()), "{id:?}: {}", probe.kernel());
            }
        }
    }
}

/// BLAKE with a salt, which no algorithm of the catalogue has, by every engine.
#[test]
fn salts_are_the_definitions() {
    fn check<H: Compress<Scalar<H>> + manylane_engine::Runs>(id: HashId, hash: &H) {
        for engine in engines(id).unwrap() {
            for length in [0, 1, 55, 56, 111, 112, 128, 129, 1000] {
                let message = vec![0xc3; length];
                let mut expected = vec![0; hash.digest_bytes()];
                digest(hash, &message, &mut expected);
                let mut stream = Stream::on(hash.clone(), Some(engine)).unwrap();
                stream.update(&message);
                let mut found = vec![0; hash.digest_bytes()];
                stream.finalize_into(&mut found);
                assert_eq!(found, expected, "{engine}, {length} bytes");
            }
        }
        assert!(family(id).contains(&id));
    }
    check(HashId::Blake256, &Blake256::BLAKE256.with_salt([1, 2, 3, 4]));
    check(HashId::Blake512, &Blake512::BLAKE512.with_salt([5, 6, 7, 8]));
}

/// Several hashes share a type: an error names the one that was asked for by its title in the
/// catalogue, salted or not.
#[test]
fn errors_name_the_hash_and_not_its_type() {
    fn check<H: manylane_engine::Runs>(hash: H, name: &str) {
        for &engine in Engine::available().unwrap() {
            // These two engines compute pairings and no hash.
            if !matches!(engine, Engine::Pclmul | Engine::Vpclmul) {
                continue;
            }
            let error = Stream::on(hash.clone(), engine).unwrap_err().to_string();
            assert!(error.contains(&format!("does not compute {name};")), "{name}: {error}");
        }
    }
    check(Sha256::SHA224, "SHA-224");
    check(Sha256::SHA256, "SHA-256");
    check(Keccak::SHA3_256, "SHA3-256");
    check(Keccak::KECCAK256, "Keccak-256");
    check(Keccak::SHAKE128, "SHAKE128");
    check(Blake256::BLAKE256, "BLAKE-256");
    check(Blake256::BLAKE256.with_salt([1, 2, 3, 4]), "BLAKE-256");
}
