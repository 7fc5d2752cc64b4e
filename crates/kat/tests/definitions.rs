//! The definitions in `primitives` against the vectors: RC5, MD5, SHA-2, HMAC.

use manylane_kat::rc5::{Mode, Rc5Record};
use manylane_kat::{MacRecord, blobby, botan, cavp, rc5, rfc, wycheproof};
use manylane_primitives::cipher::rc5::Magic;
use manylane_primitives::cipher::{Rc5, modes};
use manylane_primitives::hash::md5::Md5;
use manylane_primitives::hash::sha2::{Sha256, Sha512};
use manylane_primitives::hash::{Compress, Scalar, digest, digest_bits};
use manylane_primitives::mac::{Hmac, hmac};

fn check_rc5<N: Magic>(record: &Rc5Record) {
    let cipher = Rc5::<N>::new(record.rounds, &record.key).unwrap();
    let mut data = record.plaintext.clone();
    match &record.mode {
        Mode::Ecb => modes::ecb_encrypt(&cipher, &mut data).unwrap(),
        Mode::Cbc(iv) => modes::cbc_encrypt(&cipher, iv, &mut data).unwrap(),
        Mode::CbcPad(iv) => {
            let bytes = data.len();
            data.resize(record.ciphertext.len(), 0);
            assert_eq!(modes::cbc_pad_encrypt(&cipher, iv, &mut data, bytes), Ok(data.len()));
        }
    }
    assert_eq!(data, record.ciphertext, "line {} encrypts", record.line);
    match &record.mode {
        Mode::Ecb => modes::ecb_decrypt(&cipher, &mut data).unwrap(),
        Mode::Cbc(iv) => modes::cbc_decrypt(&cipher, iv, &mut data).unwrap(),
        Mode::CbcPad(iv) => {
            let bytes = modes::cbc_pad_decrypt(&cipher, iv, &mut data).unwrap();
            data.truncate(bytes);
        }
    }
    assert_eq!(data, record.plaintext, "line {} decrypts", record.line);
}

#[test]
fn rc5_vectors() {
    let records = rc5::rc5("rc5/rc5_vectors.txt");
    for record in &records {
        match record.word_bits {
            8 => check_rc5::<u8>(record),
            16 => check_rc5::<u16>(record),
            32 => check_rc5::<u32>(record),
            64 => check_rc5::<u64>(record),
            other => panic!("line {}: {other} bits", record.line),
        }
    }
    println!("{} RC5 records", records.len());
}

fn check_hash<H: Compress<Scalar<H>>>(hash: H, file: &str) {
    let records = cavp::hash(file);
    for record in &records {
        let mut out = vec![0; hash.digest_bytes()];
        digest_bits(&hash, &record.message, record.bits, &mut out);
        assert_eq!(out, record.digest, "{file}:{}", record.line);
    }
    println!("{file}: {} records", records.len());
}

fn check_monte<H: Compress<Scalar<H>>>(hash: H, file: &str) {
    let monte = cavp::monte(file);
    let replayed = monte.replay_sha2(|message, out| digest(&hash, message, out));
    assert_eq!(replayed, monte.digests, "{file}");
    println!("{file}: {} checkpoints", replayed.len());
}

#[test]
fn md5_and_sha2_messages() {
    check_hash(Md5, "md5/rfc-1321.txt");
    check_hash(Sha256::SHA224, "sha2/cavp_byte/SHA224ShortMsg.rsp");
    check_hash(Sha256::SHA224, "sha2/cavp_byte/SHA224LongMsg.rsp");
    check_hash(Sha256::SHA224, "sha2/cavp_bit/SHA224ShortMsg.rsp");
    check_hash(Sha256::SHA256, "sha2/cavp_byte/SHA256ShortMsg.rsp");
    check_hash(Sha256::SHA256, "sha2/cavp_byte/SHA256LongMsg.rsp");
    check_hash(Sha256::SHA256, "sha2/cavp_bit/SHA256ShortMsg.rsp");
    check_hash(Sha256::SHA256, "sha2/cavp_bit/SHA256LongMsg_first64.rsp");
    check_hash(Sha512::SHA384, "sha2/cavp_byte/SHA384ShortMsg.rsp");
    check_hash(Sha512::SHA384, "sha2/cavp_byte/SHA384LongMsg.rsp");
    check_hash(Sha512::SHA384, "sha2/cavp_bit/SHA384ShortMsg.rsp");
    check_hash(Sha512::SHA512, "sha2/cavp_byte/SHA512ShortMsg.rsp");
    check_hash(Sha512::SHA512, "sha2/cavp_byte/SHA512LongMsg.rsp");
    check_hash(Sha512::SHA512, "sha2/cavp_bit/SHA512ShortMsg.rsp");
    check_hash(Sha512::SHA512_224, "sha2/cavp_byte/SHA512_224ShortMsg.rsp");
    check_hash(Sha512::SHA512_256, "sha2/cavp_byte/SHA512_256ShortMsg.rsp");
    let others =
        [blobby::hash("md5/rustcrypto_md5_kat.blb"), botan::hash("md5/botan_md5.vec", "MD5")];
    for record in others.iter().flatten() {
        let mut out = [0; 16];
        digest(&Md5, &record.message, &mut out);
        assert_eq!(out, *record.digest, "line {}", record.line);
    }
}

#[test]
fn sha2_chains() {
    for folder in ["sha2/cavp_byte", "sha2/cavp_bit"] {
        check_monte(Sha256::SHA224, &format!("{folder}/SHA224Monte.rsp"));
        check_monte(Sha256::SHA256, &format!("{folder}/SHA256Monte.rsp"));
        check_monte(Sha512::SHA384, &format!("{folder}/SHA384Monte.rsp"));
        check_monte(Sha512::SHA512, &format!("{folder}/SHA512Monte.rsp"));
    }
    check_monte(Sha512::SHA512_224, "sha2/cavp_byte/SHA512_224Monte.rsp");
    check_monte(Sha512::SHA512_256, "sha2/cavp_byte/SHA512_256Monte.rsp");
}

fn check_hmac<H: Compress<Scalar<H>>>(hash: H, records: &[MacRecord], what: &str) {
    for record in records {
        let mut out = vec![0; record.mac.len()];
        hmac(&hash, &record.key, &record.message, &mut out);
        assert_eq!(out, record.mac, "{what}:{} by the definition", record.line);
        out.fill(0);
        Hmac::new(hash.clone(), &record.key).mac(&record.message, &mut out);
        assert_eq!(out, record.mac, "{what}:{}", record.line);
    }
    println!("{what}: {} records", records.len());
}

#[test]
fn hmac_examples() {
    check_hmac(Md5, &rfc::hmac("hmac/rfc/rfc-2202-md5.txt"), "rfc-2202-md5");
    check_hmac(Sha256::SHA224, &rfc::hmac("hmac/rfc/rfc-4231-sha224.txt"), "rfc-4231-sha224");
    check_hmac(Sha256::SHA256, &rfc::hmac("hmac/rfc/rfc-4231-sha256.txt"), "rfc-4231-sha256");
    check_hmac(Sha512::SHA384, &rfc::hmac("hmac/rfc/rfc-4231-sha384.txt"), "rfc-4231-sha384");
    check_hmac(Sha512::SHA512, &rfc::hmac("hmac/rfc/rfc-4231-sha512.txt"), "rfc-4231-sha512");

    let mut of = [28, 32, 48, 64].map(|_| Vec::new());
    for record in cavp::hmac("hmac/cavp/HMAC.rsp.gz") {
        match record.digest_bytes {
            28 => of[0].push(record),
            32 => of[1].push(record),
            48 => of[2].push(record),
            64 => of[3].push(record),
            _ => {}
        }
    }
    check_hmac(Sha256::SHA224, &of[0], "HMAC.rsp [L=28]");
    check_hmac(Sha256::SHA256, &of[1], "HMAC.rsp [L=32]");
    check_hmac(Sha512::SHA384, &of[2], "HMAC.rsp [L=48]");
    check_hmac(Sha512::SHA512, &of[3], "HMAC.rsp [L=64]");
}

fn check_wycheproof<H: Compress<Scalar<H>>>(hash: H, name: &str) {
    let tests = wycheproof::mac(&format!("hmac/wycheproof/hmac_{name}_test.json"));
    for test in &tests {
        let mut out = vec![0; test.tag.len()];
        Hmac::new(hash.clone(), &test.key).mac(&test.message, &mut out);
        assert_eq!(out == test.tag, test.valid, "{name} {}: {}", test.id, test.comment);
    }
    println!("{name}: {} tests", tests.len());
}

#[test]
fn hmac_wycheproof() {
    check_wycheproof(Sha256::SHA224, "sha224");
    check_wycheproof(Sha256::SHA256, "sha256");
    check_wycheproof(Sha512::SHA384, "sha384");
    check_wycheproof(Sha512::SHA512, "sha512");
    check_wycheproof(Sha512::SHA512_224, "sha512_224");
    check_wycheproof(Sha512::SHA512_256, "sha512_256");
}
