//! RC5 and its modes against the collected vectors.

use manylane_kat::rc5::{self, Mode, Rc5Record};
use manylane_primitives::cipher::rc5::Magic;
use manylane_primitives::cipher::{Rc5, modes};

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
