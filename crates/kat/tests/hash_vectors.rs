//! Every implementation of every hash against the published vectors.

use manylane_engine::{Algorithm, Hasher, hash_bits};
use manylane_kat::cavp::Monte;
use manylane_kat::{Backend, HashRecord, Threads, blobby, botan, cavp, sphlib};
use std::io::Read;

/// All of `records`: those of whole bytes as one ragged batch through every implementation, those
/// of odd bits through the definition. The digest's length is the record's.
fn check(algorithm: &str, file: &str, records: Vec<HashRecord>) {
    let base: Algorithm = algorithm.parse().unwrap();
    for record in &records {
        let sized = base.with_digest_bytes(record.digest.len()).expect(file);
        let digest = hash_bits(sized, &record.message, record.bits);
        assert_eq!(digest, record.digest, "{file}:{}, {algorithm} by bits", record.line);
    }
    let (mut bytes, bits): (Vec<_>, Vec<_>) =
        records.into_iter().partition(|record| record.bits % 8 == 0);
    println!("{algorithm}, {file}: {} of bytes, {} of odd bits", bytes.len(), bits.len());
    bytes.sort_by_key(|record| record.digest.len());
    for records in bytes.chunk_by(|a, b| a.digest.len() == b.digest.len()) {
        let sized = base.with_digest_bytes(records[0].digest.len()).unwrap();
        let messages: Vec<_> = records.iter().map(|record| &record.message).collect();
        for backend in Backend::all(sized) {
            for (record, digest) in records.iter().zip(backend.digest_many(sized, &messages)) {
                assert_eq!(digest, record.digest, "{file}:{}, {sized}, {backend}", record.line);
            }
        }
    }
}

fn check_cavp(algorithm: &str, file: &str) {
    check(algorithm, file, cavp::hash(file));
}

fn check_blobby(algorithm: &str, file: &str) {
    check(algorithm, file, blobby::hash(file));
}

fn check_botan(algorithm: &str, file: &str, name: &str) {
    check(algorithm, file, botan::hash(file, name));
}

#[test]
fn md5() {
    check_cavp("md5", "md5/rfc-1321.txt");
    check_blobby("md5", "md5/rustcrypto_md5_kat.blb");
    check_botan("md5", "md5/botan_md5.vec", "MD5");
}

#[test]
fn ripemd() {
    check_cavp("ripemd160", "ripemd/ripevectors.txt");
    check_botan("ripemd160", "ripemd/botan_ripemd160.vec", "RIPEMD-160");
    for bits in [128, 160, 256, 320] {
        let file = format!("ripemd/rustcrypto_ripemd{bits}_kat.blb");
        check_blobby(&format!("ripemd{bits}"), &file);
    }
}

#[test]
fn sha1_and_sha2() {
    for (algorithm, folder, hash) in [
        ("sha1", "sha1", "SHA1"),
        ("sha224", "sha2", "SHA224"),
        ("sha256", "sha2", "SHA256"),
        ("sha384", "sha2", "SHA384"),
        ("sha512", "sha2", "SHA512"),
    ] {
        check_cavp(algorithm, &format!("{folder}/cavp_byte/{hash}ShortMsg.rsp"));
        check_cavp(algorithm, &format!("{folder}/cavp_byte/{hash}LongMsg.rsp"));
        check_cavp(algorithm, &format!("{folder}/cavp_bit/{hash}ShortMsg.rsp"));
    }
    check_cavp("sha1", "sha1/cavp_bit/SHA1LongMsg_first64.rsp");
    check_cavp("sha256", "sha2/cavp_bit/SHA256LongMsg_first64.rsp");
    check_cavp("sha512-224", "sha2/cavp_byte/SHA512_224ShortMsg.rsp");
    check_cavp("sha512-256", "sha2/cavp_byte/SHA512_256ShortMsg.rsp");
}

#[test]
fn sha3_and_shake() {
    for bits in [224, 256, 384, 512] {
        let file = format!("sha3/cavp_byte/SHA3_{bits}ShortMsg.rsp");
        check_cavp(&format!("sha3-{bits}"), &file);
    }
    check_cavp("sha3-512", "sha3/cavp_byte/SHA3_512LongMsg.rsp");
    check_cavp("shake128", "sha3/shake/SHAKE128ShortMsg.rsp");
    check_cavp("shake256", "sha3/shake/SHAKE256ShortMsg.rsp");
}

#[test]
fn keccak() {
    for bits in [224, 256, 384, 512] {
        let algorithm = format!("keccak{bits}");
        check_cavp(&algorithm, &format!("keccak/keccak_kat3/ShortMsgKAT_{bits}.txt"));
        check_cavp(&algorithm, &format!("keccak/keccak_kat3/LongMsgKAT_{bits}.txt"));
        check_botan(&algorithm, "keccak/botan/keccak.vec", &format!("Keccak-1600({bits})"));
    }
    check_blobby("keccak256", "keccak/rustcrypto/keccak_256_kat.blb");
    check_blobby("keccak512", "keccak/rustcrypto/keccak_512_kat.blb");
}

/// Every bit length from 0 to 2047.
fn check_finalist(family: &str, algorithm: impl Fn(usize) -> String) {
    for bits in [224, 256, 384, 512] {
        let file = format!("{family}/sphlib/ShortMsgKAT_{bits}_digests.txt");
        check(&algorithm(bits), &file, sphlib::hash(&file));
    }
}

#[test]
fn blake_at_every_bit_length() {
    check_finalist("blake", |bits| format!("blake{bits}"));
    for bits in [224, 256, 384, 512] {
        let file = format!("blake/cryptocorrosion/blake{bits}.blb");
        check_blobby(&format!("blake{bits}"), &file);
    }
}

#[test]
fn groestl_at_every_bit_length() {
    check_finalist("groestl", |bits| format!("groestl{bits}"));
    for bits in [224, 256, 384, 512] {
        let file = format!("groestl/rustcrypto/groestl{bits}_kat.blb");
        check_blobby(&format!("groestl{bits}"), &file);
    }
}

#[test]
fn jh_at_every_bit_length() {
    check_finalist("jh", |bits| format!("jh{bits}"));
    for bits in [224, 256, 384, 512] {
        for kind in ["short", "long"] {
            let file = format!("jh/rustcrypto/jh{bits}_{kind}_kat.blb");
            check_blobby(&format!("jh{bits}"), &file);
        }
    }
}

#[test]
fn keccak_at_every_bit_length() {
    check_finalist("keccak", |bits| format!("keccak{bits}"));
}

#[test]
fn skein_at_every_bit_length() {
    check_finalist("skein", |bits| format!("skein512-{bits}"));
    for bits in [224, 256, 384, 512] {
        let name = format!("Skein-512({bits})");
        check_botan(&format!("skein512-{bits}"), "skein/botan_skein.vec", &name);
    }
    for (state, bits) in
        [(256, 256), (256, 512), (512, 256), (512, 512), (1024, 256), (1024, 512), (1024, 1024)]
    {
        let file = format!("skein/rustcrypto/skein{state}_{bits}_kat.blb");
        check_blobby(&format!("skein{state}-{bits}"), &file);
    }
}

/// A Monte Carlo chain: from its beginning, link by link, through the hasher of every engine; and
/// all hundred stretches at once, each from the published checkpoint before it, as batches.
fn check_monte(algorithm: &str, file: &str, depth: usize) {
    let algorithm: Algorithm = algorithm.parse().unwrap();
    check_monte_by(Backend::each_engine(algorithm), algorithm, file, depth);
}

fn check_monte_by(backends: Vec<Backend>, algorithm: Algorithm, file: &str, depth: usize) {
    let monte = cavp::monte(file);
    for backend in backends {
        let replayed = match backend {
            Backend::Batch(..) => stretches(&monte, backend, algorithm, depth),
            _ => replay(&monte, backend, algorithm, depth),
        };
        assert!(replayed == monte.digests, "{file}, {backend}");
    }
    println!("{algorithm}, {file}: {} checkpoints", monte.digests.len());
}

fn replay(monte: &Monte, backend: Backend, algorithm: Algorithm, depth: usize) -> Vec<Vec<u8>> {
    let Backend::Hasher(engine) = backend else { unreachable!() };
    let mut hasher = Hasher::on(algorithm, engine).unwrap();
    let hash = |message: &[u8], digest: &mut [u8]| {
        hasher.reset();
        hasher.update(message);
        hasher.finalize_into(digest);
    };
    if depth == 3 { monte.replay_sha2(hash) } else { monte.replay_sha3(hash) }
}

/// Every message is the last `depth` digests.
fn stretches(monte: &Monte, backend: Backend, algorithm: Algorithm, depth: usize) -> Vec<Vec<u8>> {
    let seeds = [&monte.seed].into_iter().chain(&monte.digests).take(monte.digests.len());
    let mut messages: Vec<_> = seeds.map(|seed| seed.repeat(depth)).collect();
    for _ in 0..1000 {
        let digests = backend.digest_many(algorithm, &messages);
        for (message, digest) in messages.iter_mut().zip(digests) {
            message.drain(..digest.len());
            message.extend(digest);
        }
    }
    let bytes = algorithm.digest_bytes();
    messages.iter().map(|message| message[(depth - 1) * bytes..].to_vec()).collect()
}

#[test]
fn sha1_and_sha2_chains() {
    // Chains for bits differ from those for bytes in their seeds alone: the best engines suffice.
    let of_bits = |name: &str, file: &str| {
        let best = vec![Backend::Hasher(None), Backend::Batch(None, Threads::Count(1))];
        check_monte_by(best, name.parse().unwrap(), file, 3);
    };
    check_monte("sha1", "sha1/cavp_byte/SHA1Monte.rsp", 3);
    of_bits("sha1", "sha1/cavp_bit/SHA1Monte.rsp");
    for bits in [224, 256, 384, 512] {
        check_monte(&format!("sha{bits}"), &format!("sha2/cavp_byte/SHA{bits}Monte.rsp"), 3);
        of_bits(&format!("sha{bits}"), &format!("sha2/cavp_bit/SHA{bits}Monte.rsp"));
    }
    for bits in [224, 256] {
        let file = format!("sha2/cavp_byte/SHA512_{bits}Monte.rsp");
        check_monte(&format!("sha512-{bits}"), &file, 3);
    }
}

#[test]
fn sha3_and_shake_chains() {
    for bits in [224, 256, 384, 512] {
        check_monte(&format!("sha3-{bits}"), &format!("sha3/cavp_byte/SHA3_{bits}Monte.rsp"), 1);
    }
    for name in ["shake128", "shake256"] {
        let file = format!("sha3/shake/{}Monte.rsp", name.to_uppercase());
        let monte = cavp::xof_monte(&file);
        let algorithm: Algorithm = name.parse().unwrap();
        for backend in Backend::each_engine(algorithm) {
            let Backend::Hasher(engine) = backend else { continue };
            let mut hasher = Hasher::on(algorithm, engine).unwrap();
            let replayed = monte.replay(|message, output| {
                hasher.reset();
                hasher.update(message);
                hasher.finalize_xof().read_exact(output).unwrap();
            });
            assert!(replayed == monte.outputs, "{file}, {backend}");
        }
        println!("{name}, {file}: {} checkpoints", monte.outputs.len());
    }
}
