//! What chains, keyed hashes and trees gain from lanes, on one core: each is measured beside a loop
//! over single hashes of the same library in the same run. The least time of many short turns
//! counts, which other programs on the machine do not change.
//!
//! ```text
//! cargo run --release -p manylane --example chains
//! ```

use manylane::tree::Tree;
use manylane::{Chains, HashId, Hasher, Hmac, HmacKeys, Pbkdf2, Rows, hash, hkdf_many, hotp_many};
use std::hint::black_box;
use std::num::NonZeroU32;
use std::time::Instant;

/// The least times of both in nanoseconds, taken in turns.
fn compare(mut lanes: impl FnMut(), mut alone: impl FnMut()) -> [f64; 2] {
    let mut least = [f64::INFINITY; 2];
    for _ in 0..150 {
        let runs = [&mut lanes as &mut dyn FnMut(), &mut alone as &mut dyn FnMut()];
        for (least, run) in least.iter_mut().zip(runs) {
            let begin = Instant::now();
            run();
            *least = least.min(begin.elapsed().as_secs_f64() * 1e9);
        }
    }
    least
}

fn print(what: &str, unit: &str, count: usize, [lanes, alone]: [f64; 2]) {
    let count = count as f64;
    let (lanes, alone) = (lanes / count, alone / count);
    println!("{what:<44}{lanes:>9.1}{alone:>9.1}  {:>5.2}  ns a {unit}", alone / lanes);
}

/// HMAC under a key for each message, one-time passwords of a window of time steps, and HKDF.
fn many_keys(count: usize) -> Result<(), manylane::Error> {
    let keys: Vec<[u8; 32]> = (0..count).map(|i| [i as u8; 32]).collect();
    let messages: Vec<[u8; 64]> = (0..count).map(|i| [!i as u8; 64]).collect();
    let numbers: Vec<usize> = (0..count).collect();
    let mut tags = vec![0; count * 32];
    let times = compare(
        || {
            let keys = HmacKeys::new(HashId::Sha256, &keys).expect("defined");
            keys.run(&numbers, &messages, &mut tags).expect("lengths fit");
        },
        || {
            for (key, message) in keys.iter().zip(&messages) {
                let mut hmac = Hmac::new(HashId::Sha256, key).expect("defined");
                hmac.update(message);
                black_box(hmac.finalize());
            }
        },
    );
    print(&format!("HMAC-Sha256, {count} keys, 64 bytes under each"), "message", count, times);

    let user = HmacKeys::new(HashId::Sha1, &keys[..1])?;
    let window: Vec<(usize, u64)> = (0..count as u64).map(|step| (0, step)).collect();
    let of_user = Hmac::new(HashId::Sha1, &keys[0])?;
    let times = compare(
        || {
            black_box(hotp_many(&user, &window, 6).expect("six digits"));
        },
        || {
            for (_, step) in &window {
                let mut hmac = of_user.clone();
                hmac.update(&step.to_be_bytes());
                black_box(hmac.finalize());
            }
        },
    );
    print(&format!("HOTP-Sha1, {count} time steps"), "password", count, times);

    let (salt, info) = (vec!["a salt"; count], vec!["a purpose"; count]);
    let mut derived = vec![0; count * 32];
    let times = compare(
        || {
            hkdf_many(HashId::Sha256, &salt, &keys, &info, 32, &mut derived).expect("lengths fit");
        },
        || {
            for key in &keys {
                let mut extract = Hmac::new(HashId::Sha256, b"a salt").expect("defined");
                extract.update(key);
                let mut expand = Hmac::new(HashId::Sha256, &extract.finalize()).expect("defined");
                expand.update(b"a purpose\x01");
                black_box(expand.finalize());
            }
        },
    );
    print(&format!("HKDF-Sha256, {count} keys of 32 bytes"), "key", count, times);
    Ok(())
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!("{:<44}{:>9}{:>9}  {:>5}", "", "lanes", "loop", "gain");
    for id in [HashId::Sha1, HashId::Sha256, HashId::Sha512] {
        let (count, iterations) = (200, NonZeroU32::new(50).expect("more than 0"));
        let passwords: Vec<_> = (0..count).map(|i| format!("password {i}")).collect();
        let salts = vec!["salt"; count];
        let mut keys = vec![0; count * hash(id, b"").len()];
        let pbkdf2 = Pbkdf2::new(id, iterations);
        let times = compare(
            || pbkdf2.run(&passwords, &salts, &mut keys).expect("lengths fit"),
            || {
                let mut hmac = Hmac::new(id, b"password").expect("defined");
                let mut tag = vec![0; hash(id, b"").len()];
                for _ in 0..count * iterations.get() as usize {
                    hmac.reset();
                    hmac.update(&tag);
                    hmac.finalize_into(&mut tag);
                }
                black_box(tag);
            },
        );
        print(&format!("PBKDF2-HMAC-{id:?}"), "iteration", count * 50, times);
    }
    for (id, bytes) in [(HashId::Sha256, 16), (HashId::Shake256, 16), (HashId::Sha256, 32)] {
        let (count, steps) = (560, 15);
        let seed = [7; 64];
        let mut states = vec![1; count * bytes];
        let addresses = vec![2; count * 22];
        let chains = Chains::new(id).prefix(&seed).address_bytes(22).counter(18, 4);
        let chains = chains.state_bytes(bytes);
        let times = compare(
            || chains.run(&addresses, &vec![0..steps; count], &mut states).expect("lengths fit"),
            || {
                let mut start = Hasher::new(id);
                start.update(&seed);
                let mut digest = vec![0; start.algorithm().digest_bytes()];
                for _ in 0..count * steps as usize {
                    let mut hasher = start.clone();
                    hasher.update(&addresses[..22]);
                    hasher.update(&digest[..bytes]);
                    hasher.finalize_into(&mut digest);
                }
                black_box(digest);
            },
        );
        print(&format!("WOTS chains, {id:?}, {bytes} bytes"), "step", count * 15, times);
    }
    for count in [4, 16, 1000] {
        many_keys(count)?;
    }
    for leaves in [4, 16, 64, 1 << 10, 1 << 17] {
        let data = vec![3; leaves * 32];
        let mut levels = Tree::new(HashId::Sha256).build(data.clone())?;
        let repeat = ((1 << 13) / leaves).max(1);
        let times = compare(
            || {
                for _ in 0..repeat {
                    levels.replace(&data).expect("lengths fit");
                }
            },
            || {
                for _ in 0..repeat {
                    let mut level = data.clone();
                    let mut hasher = Hasher::new(HashId::Sha256);
                    while level.len() > 32 {
                        for at in (0..level.len()).step_by(64) {
                            hasher.reset();
                            hasher.update(&level[at..at + 64]);
                            hasher.finalize_into(&mut level[at / 2..at / 2 + 32]);
                        }
                        level.truncate(level.len() / 2);
                    }
                    black_box(level);
                }
            },
        );
        print(&format!("tree of {leaves} leaves, sha256"), "node", repeat * (leaves - 1), times);
    }
    // A level of SSZ: pairs of digests, each hashed to one.
    let pairs = 1 << 16;
    let (level, mut above) = (vec![3; pairs * 64], vec![0; pairs * 32]);
    let rows = Rows::new(HashId::Sha256).input_bytes(64);
    let times = compare(
        || rows.run(&[], &level, above.as_mut_slice()).expect("lengths fit"),
        || {
            let mut hasher = Hasher::new(HashId::Sha256);
            let mut digest = [0; 32];
            for pair in level.chunks_exact(64) {
                hasher.reset();
                hasher.update(pair);
                hasher.finalize_into(&mut digest);
                black_box(&digest);
            }
        },
    );
    print("level of 65536 pairs, sha256", "node", pairs, times);
    Ok(())
}
