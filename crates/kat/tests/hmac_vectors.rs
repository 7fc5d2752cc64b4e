//! Every implementation of HMAC against the published vectors.

use manylane_engine::Algorithm;
use manylane_kat::{MacBackend, MacRecord, cavp, rfc, wycheproof};

/// Codes in the vectors may be cut.
fn check(algorithm: &str, file: &str, records: &[MacRecord]) {
    let algorithm: Algorithm = algorithm.parse().unwrap();
    for backend in MacBackend::all(algorithm) {
        // Records in a row that share their key go as one batch.
        for records in records.chunk_by(|a, b| a.key == b.key) {
            let messages: Vec<_> = records.iter().map(|record| &record.message).collect();
            let macs = backend.mac_many(algorithm, &records[0].key, &messages);
            for (record, mac) in records.iter().zip(macs) {
                let cut = &mac[..record.mac.len()];
                assert_eq!(cut, record.mac, "{file}:{}, {algorithm}, {backend}", record.line);
            }
        }
    }
    println!("{algorithm}, {file}: {} records", records.len());
}

#[test]
fn examples_of_the_standards() {
    for (algorithm, name) in [
        ("md5", "2202-md5"),
        ("sha1", "2202-sha1"),
        ("ripemd160", "2286-ripemd160"),
        ("sha224", "4231-sha224"),
        ("sha256", "4231-sha256"),
        ("sha384", "4231-sha384"),
        ("sha512", "4231-sha512"),
    ] {
        let file = format!("hmac/rfc/rfc-{name}.txt");
        check(algorithm, &file, &rfc::hmac(&file));
    }
}

#[test]
fn cavp_records() {
    let file = "hmac/cavp/HMAC.rsp";
    let records = cavp::hmac(file);
    for (algorithm, digest_bytes) in
        [("sha1", 20), ("sha224", 28), ("sha256", 32), ("sha384", 48), ("sha512", 64)]
    {
        let of: Vec<_> =
            records.iter().filter(|record| record.digest_bytes == digest_bytes).cloned().collect();
        assert!(!of.is_empty() || records.is_empty(), "{file} has nothing for {algorithm}");
        check(algorithm, file, &of);
    }
}

#[test]
fn wycheproof_tests() {
    for (algorithm, name) in [
        ("sha1", "sha1"),
        ("sha224", "sha224"),
        ("sha256", "sha256"),
        ("sha384", "sha384"),
        ("sha512", "sha512"),
        ("sha512-224", "sha512_224"),
        ("sha512-256", "sha512_256"),
        ("sha3-224", "sha3_224"),
        ("sha3-256", "sha3_256"),
        ("sha3-384", "sha3_384"),
        ("sha3-512", "sha3_512"),
    ] {
        let file = format!("hmac/wycheproof/hmac_{name}_test.json");
        let tests = wycheproof::mac(&file);
        let algorithm: Algorithm = algorithm.parse().unwrap();
        for backend in MacBackend::all(algorithm) {
            for test in &tests {
                let mac = backend.mac_many(algorithm, &test.key, &[&test.message]).remove(0);
                let equal = mac[..test.tag.len()] == test.tag;
                assert_eq!(equal, test.valid, "{file}, {}: {}, {backend}", test.id, test.comment);
            }
        }
        println!("{algorithm}, {file}: {} tests", tests.len());
    }
}
