//! HMAC under many keys, PBKDF2, HKDF, one-time passwords.

use super::{every_engine, hex};
use manylane_engine::{
    Algorithm, Chains, Error, HashId, Hkdf, Hmac, HmacKeys, Pbkdf2, hkdf_many, hotp_many,
    pbkdf2_many,
};
use manylane_kat::Rng;
use rayon::prelude::*;
use std::num::NonZeroU32;

fn hmac(algorithm: Algorithm, key: &[u8], message: &[u8]) -> Vec<u8> {
    let mut hmac = Hmac::new(algorithm, key).unwrap();
    hmac.update(message);
    hmac.finalize()
}

fn times(count: u32) -> NonZeroU32 {
    NonZeroU32::new(count).unwrap()
}

/// The hashes over which HMAC is defined.
fn keyed() -> impl ParallelIterator<Item = HashId> {
    HashId::ALL.par_iter().copied().filter(|id| Hmac::new(*id, b"").is_ok())
}

/// Keys and messages of every kind of length, empty ones among them, keys without messages and with
/// many.
#[test]
fn many_keys_are_each_hmac() {
    keyed().for_each(|id| {
        let mut rng = Rng::from_name("many_keys_are_each_hmac");
        let block = id.entry().shape.block_bytes;
        let digest = id.entry().shape.digest_bytes;
        let lengths = [0, 1, 20, block - 1, block, block + 1, 3 * block];
        let keys = rng.messages(lengths.into_iter().cycle().take(23));
        let messages = rng.messages(lengths.into_iter().cycle().take(75));
        let under: Vec<_> = messages.iter().map(|_| rng.below(keys.len())).collect();
        let expected: Vec<_> = (under.iter().zip(&messages))
            .flat_map(|(key, message)| hmac(id.into(), &keys[*key], message))
            .collect();
        let keys = HmacKeys::new(id, &keys).unwrap();
        for engine in every_engine(id) {
            let keys = keys.clone().engine(engine).threads(2);
            for count in [0, 1, 2, 5, 75] {
                let mut out = vec![0; count * digest];
                keys.run(&under[..count], &messages[..count], &mut out).unwrap();
                assert!(out == expected[..out.len()], "{id:?}, {engine:?}, {count}");
            }
        }
    });
}

/// Messages of one length, around the ends of blocks and around the length up to which they are
/// copied, as many as fill no kernel, one, and several.
#[test]
fn messages_of_one_length_under_many_keys() {
    keyed().for_each(|id| {
        let mut rng = Rng::from_name("messages_of_one_length_under_many_keys");
        let block = id.entry().shape.block_bytes;
        let digest = id.entry().shape.digest_bytes;
        let keys = rng.messages([0, 7, block, block + 9]);
        let many = HmacKeys::new(id, &keys).unwrap();
        let engines: Vec<_> = every_engine(id).collect();
        for (i, length) in
            [0, 1, block - 1, block, block + 1, 2 * block + 3, 2048, 2049].into_iter().enumerate()
        {
            let count = [1, 2, 3, 8, 9, 17, 33, 70][i];
            let messages = rng.messages(vec![length; count]);
            let under: Vec<_> = (0..count).map(|i| i * 3 % keys.len()).collect();
            let expected: Vec<_> = (under.iter().zip(&messages))
                .flat_map(|(key, message)| hmac(id.into(), &keys[*key], message))
                .collect();
            for &engine in &engines {
                let mut out = vec![0; count * digest];
                many.clone().engine(engine).run(&under, &messages, &mut out).unwrap();
                assert!(out == expected, "{id:?}, {engine:?}, {count} of {length}");
            }
        }
    });
}

/// RFC 8018 §5.2 by HMAC of one message at a time.
fn pbkdf2(algorithm: Algorithm, [password, salt]: [&[u8]; 2], count: u32, out: &mut [u8]) {
    for (i, out) in out.chunks_mut(algorithm.digest_bytes()).enumerate() {
        let mut u = hmac(algorithm, password, &[salt, &(i as u32 + 1).to_be_bytes()].concat());
        let mut t = u.clone();
        for _ in 1..count {
            u = hmac(algorithm, password, &u);
            t.iter_mut().zip(&u).for_each(|(t, u)| *t ^= u);
        }
        out.copy_from_slice(&t[..out.len()]);
    }
}

/// Every hash that HMAC is defined over, on every engine: ragged passwords and salts, keys that end
/// within a digest.
#[test]
fn pbkdf2_is_iterated_hmac() {
    keyed().for_each(|id| {
        let mut rng = Rng::from_name("pbkdf2_is_iterated_hmac");
        let block = id.entry().shape.block_bytes;
        let digest = id.entry().shape.digest_bytes;
        for (engine, count) in every_engine(id).zip([3, 17, 40, 1, 66, 5].into_iter().cycle()) {
            let lengths = [0, 8, block - 4, block, block + 1].into_iter().cycle();
            let passwords = rng.messages(lengths.clone().take(count));
            let salts = rng.messages(lengths.skip(2).take(count));
            let bytes = [1, digest, digest + 1, 3 * digest - 1][rng.below(4)];
            let iterations = 1 + rng.below(4) as u32;
            let mut expected = vec![0; count * bytes];
            for (i, out) in expected.chunks_exact_mut(bytes).enumerate() {
                pbkdf2(id.into(), [&passwords[i], &salts[i]], iterations, out);
            }
            let mut out = vec![0; count * bytes];
            let many = Pbkdf2::new(id, times(iterations)).key_bytes(bytes).engine(engine);
            many.run(&passwords, &salts, &mut out).unwrap();
            assert!(out == expected, "{many:?}, {count} passwords");
        }
    });
}

/// RFC 6070, but for its 16,777,216 iterations, and RFC 7914 §11; one that no RFC has.
#[test]
fn pbkdf2_known_answers() {
    let cases: [(HashId, &str, &str, u32, &str); 8] = [
        (HashId::Sha1, "password", "salt", 1, "0c60c80f961f0e71f3a9b524af6012062fe037a6"),
        (HashId::Sha1, "password", "salt", 2, "ea6c014dc72d6f8ccd1ed92ace1d41f0d8de8957"),
        (HashId::Sha1, "password", "salt", 4096, "4b007901b765489abead49d926f721d065a429c1"),
        (
            HashId::Sha1,
            "passwordPASSWORDpassword",
            "saltSALTsaltSALTsaltSALTsaltSALTsalt",
            4096,
            "3d2eec4fe41c849b80c8d83662c0e44a8b291a964cf2f07038",
        ),
        (HashId::Sha1, "pass\0word", "sa\0lt", 4096, "56fa6aa75548099dcc37d7f03425e0c3"),
        (
            HashId::Sha256,
            "passwd",
            "salt",
            1,
            "55ac046e56e3089fec1691c22544b605f94185216dde0465e68b9d57c20dacbc\
             49ca9cccf179b645991664b39d77ef317c71b845b1e30bd509112041d3a19783",
        ),
        (
            HashId::Sha256,
            "Password",
            "NaCl",
            80000,
            "4ddcd8f60b98be21830cee5ef22701f9641a4418d04c0414aeff08876b34ab56\
             a1d425a1225833549adb841b51c9b3176a272bdebba1d078478f62b397f33c8d",
        ),
        (HashId::Sha256, "password", "salt", 1, "120fb6cffcf8b32c43e7225256c4f837a86548c9"),
    ];
    for (id, password, salt, iterations, key) in cases {
        let key = hex(key);
        for count in [1, 2, 3] {
            let mut out = vec![0; count * key.len()];
            let (passwords, salts) = (vec![password; count], vec![salt; count]);
            let iterations = times(iterations);
            pbkdf2_many(id, iterations, &passwords, &salts, key.len(), &mut out).unwrap();
            assert_eq!(out, key.repeat(count), "{id:?} {password:?} {iterations}");
            if iterations.get() > 10_000 {
                break;
            }
        }
    }
}

/// Another implementation of PBKDF2, more passwords than a window, and threads.
#[test]
fn pbkdf2_of_rustcrypto_and_threads() {
    let mut rng = Rng::from_name("pbkdf2_of_rustcrypto_and_threads");
    let passwords: Vec<_> = (0..1100).map(|_| rng.below(80)).collect();
    let passwords = rng.messages(passwords);
    let salts = rng.messages((0..1100).map(|i| i % 70));
    let many = Pbkdf2::new(HashId::Sha512, times(3)).key_bytes(100);
    let mut expected = vec![0; 1100 * 100];
    for (i, out) in expected.chunks_exact_mut(100).enumerate() {
        pbkdf2::pbkdf2_hmac::<sha2::Sha512>(&passwords[i], &salts[i], 3, out);
    }
    let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
    for many in [many.clone(), many.clone().threads(3), many.pool(&pool)] {
        let mut out = vec![0; expected.len()];
        many.run(&passwords, &salts, &mut out).unwrap();
        assert!(out == expected, "{many:?}");
    }
}

/// RFC 5869 appendix A: tests 1 to 3 of SHA-256 and test 4 of SHA-1.
#[test]
fn hkdf_known_answers() {
    let counting = |from: u8, to: u8| (from..=to).collect::<Vec<_>>();
    let cases = [
        (
            HashId::Sha256,
            counting(0, 0x0c),
            vec![0x0b; 22],
            counting(0xf0, 0xf9),
            "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865",
        ),
        (
            HashId::Sha256,
            counting(0x60, 0xaf),
            counting(0, 0x4f),
            counting(0xb0, 0xff),
            "b11e398dc80327a1c8e7f78c596a49344f012eda2d4efad8a050cc4c19afa97c\
             59045a99cac7827271cb41c65e590e09da3275600c2f09b8367793a9aca3db71\
             cc30c58179ec3e87c14c01d5c1f3434f1d87",
        ),
        (
            HashId::Sha256,
            vec![],
            vec![0x0b; 22],
            vec![],
            "8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d9d201395faa4b61a96c8",
        ),
        (
            HashId::Sha1,
            counting(0, 0x0c),
            vec![0x0b; 11],
            counting(0xf0, 0xf9),
            "085a01ea1b10f36933068b56efa5ad81a4f14b822f5b091568a9cdd4f155fda2c22e422478d305f3f896",
        ),
    ];
    for (id, salt, input, info, key) in cases {
        let key = hex(key);
        let mut out = vec![0; 5 * key.len()];
        let [salts, inputs, infos] = [salt, input, info].map(|field| vec![field; 5]);
        hkdf_many(id, &salts, &inputs, &infos, key.len(), &mut out).unwrap();
        assert_eq!(out, key.repeat(5));
    }
}

/// Another implementation of HKDF, ragged fields, the longest key, an extracted key expanded.
#[test]
fn hkdf_of_rustcrypto() {
    let mut rng = Rng::from_name("hkdf_of_rustcrypto");
    for (count, bytes) in [(0, 1), (1, 255 * 32), (40, 33), (21, 32)] {
        let mut any = || (0..count).map(|_| rng.below(90)).collect::<Vec<_>>();
        let lengths = [any(), any(), any()];
        let [salts, inputs, infos] = lengths.map(|lengths| rng.messages(lengths));
        let mut expected = vec![0; count * bytes];
        let mut extracted = Vec::new();
        for (i, out) in expected.chunks_exact_mut(bytes).enumerate() {
            let (key, hkdf) = hkdf::Hkdf::<sha2::Sha256>::extract(Some(&salts[i]), &inputs[i]);
            hkdf.expand(&infos[i], out).unwrap();
            extracted.push(key);
        }
        let hkdf = Hkdf::new(HashId::Sha256).key_bytes(bytes).threads(2);
        let mut out = vec![0; count * bytes];
        hkdf.run(&salts, &inputs, &infos, &mut out).unwrap();
        assert_eq!(out, expected);
        out.fill(0);
        hkdf.expand(&extracted, &infos, &mut out).unwrap();
        assert_eq!(out, expected);
    }
}

/// RFC 4226 appendix D and RFC 6238 appendix B, each a window in one call.
#[test]
fn one_time_passwords() {
    let digits = b"1234567890123456789012345678901234567890123456789012345678901234";
    let keys = HmacKeys::new(HashId::Sha1, &[&digits[..20]]).unwrap();
    let window: Vec<_> = (0..10).map(|counter| (0, counter)).collect();
    let expected = [755224, 287082, 359152, 969429, 338314, 254676, 287922, 162583, 399871, 520489];
    assert_eq!(hotp_many(&keys, &window, 6).unwrap(), expected);
    let times = [59, 1111111109, 1111111111, 1234567890, 2000000000, 20000000000];
    let steps = times.map(|time: u64| (0, time / 30));
    for (id, bytes, expected) in [
        (HashId::Sha1, 20, [94287082, 7081804, 14050471, 89005924, 69279037, 65353130]),
        (HashId::Sha256, 32, [46119246, 68084774, 67062674, 91819424, 90698825, 77737706]),
        (HashId::Sha512, 64, [90693936, 25091201, 99943326, 93441116, 38618901, 47863826]),
    ] {
        let keys = HmacKeys::new(id, &[&digits[..bytes]]).unwrap();
        assert_eq!(hotp_many(&keys, &steps, 8).unwrap(), expected, "{id:?}");
    }
    assert!(matches!(hotp_many(&keys, &[(1, 0)], 6), Err(Error::NoKey { key: 1, keys: 1 })));
    for digits in [0, 10, u32::MAX] {
        assert!(matches!(hotp_many(&keys, &[], digits), Err(Error::OneTime { .. })));
    }
    let short = HmacKeys::new(HashId::Md5, &["key"]).unwrap();
    assert!(matches!(hotp_many(&short, &[], 6), Err(Error::OneTime { .. })));
}

/// What cannot be met is refused, with the figures.
#[test]
fn keys_that_cannot_be_are_refused() {
    let sha1 = Pbkdf2::new(HashId::Sha1, times(1));
    let none: [&str; 0] = [];
    assert!(sha1.run(&none, &none, &mut []).is_ok());
    let error = sha1.run(&["a"], &none, &mut [0; 20]).unwrap_err().to_string();
    assert_eq!(error, "0 salts for 1 passwords: there is one for each");
    let hkdf = Hkdf::new(HashId::Sha1);
    let keys = HmacKeys::new(HashId::Sha1, &["key"]).unwrap();
    let (two, mut out) = (["a", "b"], [0; 20]);
    let two_steps = [0..1, 0..1];
    let states = &mut [0; 20];
    for (error, text) in [
        (hkdf.run(&two, &["a"], &["a"], &mut out), "2 salts for 1 inputs"),
        (hkdf.run(&["a"], &["a"], &two, &mut out), "2 infos for 1 inputs"),
        (hkdf.expand(&["a"], &two, &mut out), "2 infos for 1 keys"),
        (keys.run(&[0], &two, &mut out), "2 messages for 1 numbers of keys"),
        (Chains::new(HashId::Sha1).run(&[], &two_steps, states), "2 ranges of steps for 1 states"),
    ] {
        assert_eq!(error.unwrap_err().to_string(), format!("{text}: there is one for each"));
    }
    assert!(sha1.run(&["a"], &["b"], &mut [0; 19]).is_err());
    let error = sha1.clone().key_bytes(0).run(&["a"], &["b"], &mut []).unwrap_err();
    assert_eq!(error.to_string(), "keys of 0 bytes; they have 1 to 85899345900");
    let error = Hkdf::new(HashId::Md5).key_bytes(255 * 16 + 1);
    let error = error.run(&none, &none, &none, &mut []).unwrap_err();
    assert_eq!(error.to_string(), "keys of 4081 bytes; they have 1 to 4080");
    let endless = Algorithm::new(HashId::Shake256).with_digest_bytes(1 << 60).unwrap();
    let wide = Algorithm::new(HashId::Skein512).with_digest_bytes(65).unwrap();
    for error in [
        HmacKeys::new(wide, &["key"]).unwrap_err(),
        HmacKeys::new(wide, &none).unwrap_err(),
        Pbkdf2::new(wide, times(1)).run(&none, &none, &mut []).unwrap_err(),
        Hkdf::new(wide).run(&none, &none, &none, &mut []).unwrap_err(),
        Pbkdf2::new(endless, times(1)).run(&none, &none, &mut []).unwrap_err(),
        Hkdf::new(endless).run(&none, &none, &none, &mut []).unwrap_err(),
    ] {
        assert!(matches!(error, Error::HmacUndefined { .. }), "{error}");
    }
}
