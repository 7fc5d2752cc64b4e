//! RC5: every engine against the definition, every mode, round numbers and lengths around the groups
//! that engines compute at a time.

use manylane_engine::{Rc5, modes};
use manylane_primitives::cipher::{BlockCipher, rc5};

/// Bytes of the largest group.
const GROUP: usize = 4096;

/// Blocks differ, so that exchanged lanes cannot pass.
fn counting(bytes: usize) -> Vec<u8> {
    (0..bytes).map(|i| (i ^ (i >> 8).wrapping_mul(37)) as u8).collect()
}

macro_rules! every_engine_computes_the_definition {
    ($($name:ident $native:ty),*) => { $(
        #[test]
        fn $name() {
            let key = counting(21);
            let lengths = [0, 1, 16, 255, 256, 1023, 1024, 2048, GROUP, GROUP + 1024, 3 * GROUP + 5];
            for rounds in [0, 1, 12, 255] {
                let definition = rc5::Rc5::<$native>::new(rounds, &key).unwrap();
                for engine in Rc5::<$native>::engines().unwrap() {
                    let rc5 = Rc5::<$native>::on(rounds, &key, Some(engine)).unwrap();
                    assert_eq!(rc5.engine(), engine);
                    for bytes in lengths {
                        check(&rc5, &definition, bytes);
                    }
                }
            }
        }
    )* };
}

every_engine_computes_the_definition!(
    words_of_16_bits u16,
    words_of_32_bits u32,
    words_of_64_bits u64
);

fn check(rc5: &(impl BlockCipher + std::fmt::Debug), definition: &impl BlockCipher, bytes: usize) {
    let data = counting(bytes.next_multiple_of(rc5.block_bytes()));
    let (mut ours, mut theirs) = (data.clone(), data.clone());
    modes::ecb_encrypt(rc5, &mut ours).unwrap();
    modes::ecb_encrypt(definition, &mut theirs).unwrap();
    assert_eq!(ours, theirs, "{rc5:?} encrypts {bytes} bytes");
    modes::ecb_decrypt(rc5, &mut ours).unwrap();
    assert_eq!(ours, data, "{rc5:?} decrypts {bytes} bytes");

    let iv = &counting(40)[24..][..rc5.block_bytes()];
    modes::cbc_encrypt(definition, iv, &mut ours).unwrap();
    modes::cbc_decrypt(rc5, iv, &mut ours).unwrap();
    assert_eq!(ours, data, "{rc5:?} decrypts a chain of {bytes} bytes");

    let (mut ours, mut theirs) = (counting(bytes), counting(bytes));
    modes::ctr(rc5, iv, &mut ours).unwrap();
    modes::ctr(definition, iv, &mut theirs).unwrap();
    assert_eq!(ours, theirs, "{rc5:?} counts over {bytes} bytes");
}
