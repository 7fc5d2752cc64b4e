//! RC5 and its modes, by the definition and on every engine, against the collected vectors.

use manylane_engine::{Engine, Rc5};
use manylane_kat::rc5::{self, Mode, Rc5Record};
use manylane_primitives::cipher::modes::{self, BlockCipher};
use manylane_primitives::cipher::rc5 as definition;

fn check(record: &Rc5Record, cipher: &impl BlockCipher, what: &str) {
    let mut data = record.plaintext.clone();
    match &record.mode {
        Mode::Ecb => modes::ecb_encrypt(cipher, &mut data).unwrap(),
        Mode::Cbc(iv) => modes::cbc_encrypt(cipher, iv, &mut data).unwrap(),
        Mode::CbcPad(iv) => {
            let bytes = data.len();
            data.resize(record.ciphertext.len(), 0);
            assert_eq!(modes::cbc_pad_encrypt(cipher, iv, &mut data, bytes), Ok(data.len()));
        }
    }
    assert_eq!(data, record.ciphertext, "line {} encrypts, {what}", record.line);
    match &record.mode {
        Mode::Ecb => modes::ecb_decrypt(cipher, &mut data).unwrap(),
        Mode::Cbc(iv) => modes::cbc_decrypt(cipher, iv, &mut data).unwrap(),
        Mode::CbcPad(iv) => {
            let bytes = modes::cbc_pad_decrypt(cipher, iv, &mut data).unwrap();
            data.truncate(bytes);
        }
    }
    assert_eq!(data, record.plaintext, "line {} decrypts, {what}", record.line);
}

/// 8-bit words have no engine.
macro_rules! check_all {
    ($record:expr, $word:ty) => {{
        let (record, rounds, key) = ($record, $record.rounds, &$record.key);
        check(record, &definition::Rc5::<$word>::new(rounds, key).unwrap(), "definition");
        for engine in Rc5::<$word>::engines().unwrap() {
            let cipher = Rc5::<$word>::on(rounds, key, Some(engine)).unwrap();
            check(record, &cipher, engine.name());
        }
    }};
}

#[test]
fn rc5_vectors() {
    let records = rc5::rc5("rc5/rc5_vectors.txt");
    for record in &records {
        match record.word_bits {
            8 => {
                let cipher = definition::Rc5::<u8>::new(record.rounds, &record.key).unwrap();
                check(record, &cipher, "definition");
            }
            16 => check_all!(record, u16),
            32 => check_all!(record, u32),
            64 => check_all!(record, u64),
            other => panic!("line {}: {other} bits", record.line),
        }
    }
    println!("{} RC5 records", records.len());
}

#[test]
fn forced_engines_that_cannot_serve() {
    let computing = Rc5::<u32>::engines().unwrap();
    assert!(computing.contains(&Engine::Scalar));
    for engine in Engine::ALL {
        match Rc5::<u32>::on(12, b"key", Some(engine)) {
            Ok(cipher) => assert!(computing.contains(&engine) && cipher.engine() == engine),
            Err(error) => {
                let text = error.to_string();
                assert!(!computing.contains(&engine) && text.contains(engine.name()), "{text}");
                assert!(text.contains("scalar"), "{text}");
            }
        }
    }
}
