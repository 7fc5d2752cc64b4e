//! Every vector file is read, and gives as many records as it has.

use manylane_kat::{blobby, botan, cavp, folder, keccak, rc5, rfc, sphlib, wycheproof};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// Files of other formats, read where they are used.
const OTHERS: [&str; 5] = [
    "SOURCES.md",
    "keccak/keccak_kat3/readme.txt",
    "keccak/xkcp/KeccakF-1600-IntermediateValues.txt.gz",
    "pairing/eta1223.json",
    "rc5/cryptopp_rc5val.dat",
];

/// (file, records). A file may stand more than once.
fn counts() -> Vec<(String, usize, usize)> {
    let mut all = Vec::new();
    let mut check = |file: String, found: usize, expected: usize| all.push((file, found, expected));

    for (hash, short, long) in
        [("SHA224", 65, 64), ("SHA256", 65, 64), ("SHA384", 129, 128), ("SHA512", 129, 128)]
    {
        let file = |kind| format!("sha2/cavp_byte/{hash}{kind}");
        check(file("ShortMsg.rsp"), cavp::hash(&file("ShortMsg.rsp")).len(), short);
        check(file("LongMsg.rsp.gz"), cavp::hash(&file("LongMsg.rsp.gz")).len(), long);
    }
    for (file, records) in [
        ("sha1/cavp_byte/SHA1ShortMsg.rsp", 65),
        ("sha1/cavp_byte/SHA1LongMsg.rsp.gz", 64),
        ("sha1/cavp_bit/SHA1ShortMsg.rsp", 513),
        ("sha1/cavp_bit/SHA1LongMsg_first64.rsp.gz", 64),
        ("sha2/cavp_bit/SHA224ShortMsg.rsp", 513),
        ("sha2/cavp_bit/SHA256ShortMsg.rsp", 513),
        ("sha2/cavp_bit/SHA256LongMsg_first64.rsp.gz", 64),
        ("sha2/cavp_bit/SHA384ShortMsg.rsp.gz", 1025),
        ("sha2/cavp_bit/SHA512ShortMsg.rsp.gz", 1025),
        ("sha2/cavp_byte/SHA512_224ShortMsg.rsp", 129),
        ("sha2/cavp_byte/SHA512_256ShortMsg.rsp", 129),
        ("sha3/cavp_byte/SHA3_224ShortMsg.rsp", 145),
        ("sha3/cavp_byte/SHA3_256ShortMsg.rsp", 137),
        ("sha3/cavp_byte/SHA3_384ShortMsg.rsp", 105),
        ("sha3/cavp_byte/SHA3_512ShortMsg.rsp", 73),
        ("sha3/cavp_byte/SHA3_512LongMsg.rsp.gz", 100),
        ("sha3/shake/SHAKE128ShortMsg.rsp.gz", 337),
        ("sha3/shake/SHAKE256ShortMsg.rsp.gz", 273),
        ("md5/rfc-1321.txt", 7),
        ("ripemd/ripevectors.txt", 8),
    ] {
        check(file.into(), cavp::hash(file).len(), records);
    }
    for file in [
        "sha1/cavp_byte/SHA1Monte.rsp",
        "sha1/cavp_bit/SHA1Monte.rsp",
        "sha2/cavp_bit/SHA224Monte.rsp",
        "sha2/cavp_bit/SHA256Monte.rsp",
        "sha2/cavp_bit/SHA384Monte.rsp",
        "sha2/cavp_bit/SHA512Monte.rsp",
        "sha2/cavp_byte/SHA224Monte.rsp",
        "sha2/cavp_byte/SHA256Monte.rsp",
        "sha2/cavp_byte/SHA384Monte.rsp",
        "sha2/cavp_byte/SHA512Monte.rsp",
        "sha2/cavp_byte/SHA512_224Monte.rsp",
        "sha2/cavp_byte/SHA512_256Monte.rsp",
        "sha3/cavp_byte/SHA3_224Monte.rsp",
        "sha3/cavp_byte/SHA3_256Monte.rsp",
        "sha3/cavp_byte/SHA3_384Monte.rsp",
        "sha3/cavp_byte/SHA3_512Monte.rsp",
    ] {
        check(file.into(), cavp::monte(file).digests.len(), 100);
    }
    for bits in [128, 256] {
        let file = format!("sha3/shake/SHAKE{bits}Monte.rsp");
        let monte = cavp::xof_monte(&file);
        assert_eq!((monte.seed.len(), monte.max_bytes > monte.min_bytes), (16, true), "{file}");
        check(file, monte.outputs.len(), 100);
    }

    for bits in [224, 256, 384, 512] {
        for family in ["blake", "groestl", "jh", "keccak", "skein"] {
            let file = format!("{family}/sphlib/ShortMsgKAT_{bits}_digests.txt.gz");
            let records = sphlib::hash(&file);
            assert!(records.iter().all(|record| record.digest.len() == bits / 8), "{file}");
            check(file, records.len(), 2048);
        }
        let file = |kind| format!("keccak/keccak_kat3/{kind}MsgKAT_{bits}.txt");
        check(file("Short"), cavp::hash(&file("Short")).len(), 256);
        check(file("Long"), cavp::hash(&file("Long")).len(), 65);
        check(file("ExtremelyLong"), keccak::extremely_long(&file("ExtremelyLong")).len(), 1);
        let file = format!("groestl/rustcrypto/groestl{bits}_kat.blb");
        check(file.clone(), blobby::hash(&file).len(), 256);
        let file = format!("jh/rustcrypto/jh{bits}_short_kat.blb");
        check(file.clone(), blobby::hash(&file).len(), 256);
        let file = format!("jh/rustcrypto/jh{bits}_long_kat.blb.gz");
        check(file.clone(), blobby::hash(&file).len(), 65);
        let file = format!("blake/cryptocorrosion/blake{bits}.blb");
        check(file.clone(), blobby::hash(&file).len(), 2);
        let algorithm = format!("Keccak-1600({bits})");
        let file = "keccak/botan/keccak.vec.gz";
        check(file.into(), botan::hash(file, &algorithm).len(), 268);
        let file = "skein/botan_skein.vec.gz";
        let records = if bits == 512 { 268 } else { 256 };
        check(file.into(), botan::hash(file, &format!("Skein-512({bits})")).len(), records);
    }
    check(sphlib::MESSAGES.into(), 0, 0);
    for (file, algorithm, records) in
        [("md5/botan_md5.vec", "MD5", 78), ("ripemd/botan_ripemd160.vec", "RIPEMD-160", 76)]
    {
        check(file.into(), botan::hash(file, algorithm).len(), records);
    }
    for (file, records) in [
        ("keccak/rustcrypto/keccak_256_kat.blb", 3),
        ("keccak/rustcrypto/keccak_512_kat.blb", 1),
        ("md5/rustcrypto_md5_kat.blb", 6),
        ("ripemd/rustcrypto_ripemd128_kat.blb", 10),
        ("ripemd/rustcrypto_ripemd160_kat.blb", 4),
        ("ripemd/rustcrypto_ripemd256_kat.blb", 8),
        ("ripemd/rustcrypto_ripemd320_kat.blb", 8),
        ("skein/rustcrypto/skein1024_1024_kat.blb", 3),
        ("skein/rustcrypto/skein1024_256_kat.blb", 3),
        ("skein/rustcrypto/skein1024_512_kat.blb", 3),
        ("skein/rustcrypto/skein256_256_kat.blb", 6),
        ("skein/rustcrypto/skein256_512_kat.blb", 3),
        ("skein/rustcrypto/skein512_256_kat.blb", 3),
        ("skein/rustcrypto/skein512_512_kat.blb", 6),
    ] {
        check(file.into(), blobby::hash(file).len(), records);
    }

    for (hash, records) in [
        ("2202-md5", 7),
        ("2202-sha1", 7),
        ("2286-ripemd160", 7),
        ("4231-sha224", 6),
        ("4231-sha256", 6),
        ("4231-sha384", 6),
        ("4231-sha512", 6),
    ] {
        let file = format!("hmac/rfc/rfc-{hash}.txt");
        check(file.clone(), rfc::hmac(&file).len(), records);
    }
    check("hmac/cavp/HMAC.rsp.gz".into(), cavp::hmac("hmac/cavp/HMAC.rsp.gz").len(), 1575);
    let tests: Vec<_> =
        ["1", "224", "256", "384", "512", "512_224", "512_256", "3_224", "3_256", "3_384", "3_512"]
            .iter()
            .map(|name| format!("hmac/wycheproof/hmac_sha{name}_test.json.gz"))
            .map(|file| (wycheproof::mac(&file).len(), file))
            .collect();
    let total: usize = tests.iter().map(|(found, _)| found).sum();
    check("hmac/wycheproof".into(), total, 1906);
    tests.into_iter().for_each(|(found, file)| check(file, found, found));
    check("rc5/rc5_vectors.txt".into(), rc5::rc5("rc5/rc5_vectors.txt").len(), 42);
    all
}

fn walk(folder: &Path, root: &Path, files: &mut BTreeSet<String>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            walk(&path, root, files);
        } else {
            files.insert(path.strip_prefix(root).unwrap().to_str().unwrap().replace('\\', "/"));
        }
    }
}

#[test]
fn every_file_gives_its_records() {
    let Some(folder) = folder() else { return };
    let counts = counts();
    let wrong: Vec<_> = counts.iter().filter(|(_, found, expected)| found != expected).collect();
    assert!(wrong.is_empty(), "(file, found, expected): {wrong:#?}");

    let mut files = BTreeSet::new();
    walk(&folder, &folder, &mut files);
    // These vectors are of machines, not of primitives.
    files.retain(|file| !file.starts_with("s12x/"));
    let read = |file: &String| {
        let plain = file.strip_suffix(".gz").unwrap_or(file);
        counts.iter().any(|(read, ..)| read.strip_suffix(".gz").unwrap_or(read) == plain)
    };
    let unread: Vec<_> =
        files.iter().filter(|file| !read(file) && !OTHERS.contains(&file.as_str())).collect();
    assert!(unread.is_empty(), "no reader for {unread:?}");
}
