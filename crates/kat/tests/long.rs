//! Messages longer than 2³² bits and 2³² bytes, where lengths and counters carry. Minutes each, so
//! they run only when asked for: `make test-long`.

mod oracle;

use manylane_engine::{Algorithm, Group, HashId, Hasher};
use manylane_kat::{Rng, keccak};
use oracle::oracle;

/// Some whole blocks of every hash, 1.5 MiB.
const PIECE: usize = 3 * 64 * 64 * 128;

/// One message through the hasher of the best engine and through the oracle, on two threads.
fn check(id: HashId, bytes: u64) {
    let algorithm = Algorithm::new(id);
    let piece = Rng::from_name("long").bytes(PIECE);
    let pieces = |take: &mut dyn FnMut(&[u8])| {
        let mut left = bytes;
        while left > 0 {
            let now = left.min(PIECE as u64);
            take(&piece[..now as usize]);
            left -= now;
        }
    };
    std::thread::scope(|scope| {
        let expected = scope.spawn(|| {
            let mut oracle = oracle(algorithm);
            pieces(&mut |piece| oracle.update(piece));
            oracle.finish()
        });
        let mut hasher = Hasher::new(algorithm);
        pieces(&mut |piece| hasher.update(piece));
        let expected = expected.join().unwrap();
        assert_eq!(hasher.finalize(), expected, "{algorithm}, {bytes} bytes, {hasher:?}");
    });
    println!("{algorithm}: {bytes} bytes");
}

/// As [`check`], in the lanes of a group: the counters of lanes carry at different times.
fn check_lanes(id: HashId, bytes: u64) {
    let algorithm = Algorithm::new(id);
    let piece = Rng::from_name("long").bytes(PIECE);
    // Member 0 stays short; member 1 begins later than 2.
    let lag = 100 * 128;
    let mut group = Group::new(algorithm, 3, None).unwrap();
    let mut oracles = [oracle(algorithm), oracle(algorithm)];
    group.update(&[b"short", b"", &piece[..lag]]);
    oracles[1].update(&piece[..lag]);
    let mut left = bytes;
    while left > 0 {
        let now = &piece[..left.min(PIECE as u64) as usize];
        group.update(&[b"", now, now]);
        std::thread::scope(|scope| {
            for oracle in &mut oracles {
                scope.spawn(|| oracle.update(now));
            }
        });
        left -= now.len() as u64;
    }
    for (member, oracle) in oracles.into_iter().enumerate() {
        assert_eq!(group.finalize(member + 1), oracle.finish(), "{algorithm}, member {member}");
    }
    println!("{algorithm}: {bytes} bytes in lanes");
}

/// Just past 2³² bits.
const BITS: u64 = (1 << 29) + 77;
/// Just past 2³² bytes.
const BYTES: u64 = (1 << 32) + 77;

/// The length field, or the counter, of 32-bit hashes carries into its second word.
#[test]
#[ignore = "long"]
fn past_2_to_the_32_bits() {
    for id in [
        HashId::Md5,
        HashId::Sha1,
        HashId::Sha256,
        HashId::Ripemd160,
        HashId::Blake256,
        HashId::Blake224,
        HashId::Groestl256,
        HashId::Jh256,
        HashId::Skein256,
    ] {
        check(id, BITS);
    }
}

/// BLAKE-256's counter carries within a call of a kernel, in other blocks in other lanes.
#[test]
#[ignore = "long"]
fn blake_counters_carry_in_lanes() {
    check_lanes(HashId::Blake256, BITS);
}

#[test]
#[ignore = "long"]
fn past_2_to_the_32_bytes() {
    for id in [HashId::Md5, HashId::Sha256, HashId::Sha512, HashId::Blake256, HashId::Skein512] {
        check(id, BYTES);
    }
}

/// The slow ones: the oracles of Grøstl and JH take a minute.
#[test]
#[ignore = "long"]
fn past_2_to_the_32_bytes_slowly() {
    for id in [HashId::Groestl256, HashId::Jh256] {
        check(id, BYTES);
    }
}

/// Keccak's own vectors of 1 GiB.
#[test]
#[ignore = "long"]
fn keccak_extremely_long() {
    for bits in [224, 256, 384, 512] {
        let file = format!("keccak/keccak_kat3/ExtremelyLongMsgKAT_{bits}.txt");
        let algorithm: Algorithm = format!("keccak{bits}").parse().unwrap();
        for record in keccak::extremely_long(&file) {
            const REPEATS: u64 = 1 << 14;
            assert!(record.repeat.is_multiple_of(REPEATS));
            let piece = record.text.repeat(REPEATS as usize);
            let mut hasher = Hasher::new(algorithm);
            (0..record.repeat / REPEATS).for_each(|_| hasher.update(&piece));
            assert_eq!(hasher.finalize(), record.digest, "{file}");
            println!("{algorithm}, {file}: {} bytes", record.repeat * record.text.len() as u64);
        }
    }
}
