//! A few messages allocate nothing, once the kernels are chosen.

use allocation_counter::measure;
use manylane_engine::{Batch, HashId, Hasher, Hmac, hash_many};

/// The lengths of no block, a part of one, one and several.
const LENGTHS: [usize; 8] = [0, 1, 16, 64, 128, 200, 1000, 4000];

/// One message, by a call and by a hasher that is used again, of every hash.
#[test]
fn one_message_allocates_nothing() {
    for &id in HashId::ALL {
        let mut hasher = Hasher::new(id);
        let mut digest = vec![0; id.entry().shape.digest_bytes];
        let mut keyed = Hmac::new(id, b"key").unwrap();
        for length in LENGTHS {
            let message = [vec![0x5a; length]];
            let info = measure(|| hash_many(id, &message, &mut digest).unwrap());
            assert_eq!(info.count_total, 0, "{id:?}, {length} bytes: {info:?}");
            let info = measure(|| {
                hasher.reset();
                hasher.update(&message[0]);
                hasher.finalize_into(&mut digest);
                keyed.reset();
                keyed.update(&message[0]);
                keyed.finalize_into(&mut digest);
            });
            assert_eq!(info.count_total, 0, "{id:?}, {length} bytes by a hasher: {info:?}");
        }
    }
}

/// Up to sixteen messages of one length, in lanes, after a prefix too. Only hashes whose output is
/// computed by a further transform (Skein, Grøstl) may allocate, once for the output.
#[test]
fn few_messages_allocate_nothing() {
    for &id in HashId::ALL {
        let shape = &id.entry().shape;
        let transforms = ["skein", "groestl"].iter().any(|name| id.name().starts_with(name));
        let outputs = u64::from(transforms);
        // The first call chooses among the kernels.
        Batch::new(id).run(&[b""], &mut vec![0; shape.digest_bytes]).unwrap();
        for count in 1..=16 {
            for length in LENGTHS {
                let messages = vec![vec![0xa5; length]; count];
                let mut digests = vec![0; count * shape.digest_bytes];
                for prefix in [&b""[..], b"prefix"] {
                    let batch = Batch::new(id).prefix(prefix);
                    let info = measure(|| batch.run(&messages, &mut digests).unwrap());
                    let what = format!("{id:?}, {count} of {length} bytes: {info:?}");
                    assert!(info.count_total <= outputs, "{what}");
                }
            }
        }
    }
}
