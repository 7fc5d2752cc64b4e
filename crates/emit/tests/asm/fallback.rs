//! Programs without the CPU's code for a block: `final` tells whether XGATE was in time.

use crate::case::{Case, agrees, macs_agree, message, seed};
use crate::shares::{SHARES, sharing};
use crate::words::with_words;
use manylane_emit::asm::Cores;
use manylane_graph::calls::{digest, hmac};
use manylane_simulate::s12x::Stalls;
use manylane_simulate::s12x::caller::Caller;
use manylane_simulate::s12x::object::Object;

/// Where the CPU has no code for a block, digests are right whatever the hash does with its
/// counter, its last block and its output, `final` returns 0, and the program is smaller.
#[test]
fn without_a_fallback_digests_are_the_same() {
    for name in ["md5", "sha512", "shake128-4000", "blake256", "groestl256", "skein512-256"] {
        let case = Case::new(name, 1);
        let whole = case.program(Cores::Xgate).1;
        let case = case.without_fallback();
        for cores in [Cores::Xgate, Cores::Both] {
            agrees(&case, cores, &case.lengths()[2..5], &[None, Some(seed(name))]);
        }
        let part = case.program(Cores::Xgate).1;
        let bytes = |object: &Object| object.segments[0].bytes.len();
        assert!(bytes(&part) + 1000 < bytes(&whole), "{name}: {} {}", bytes(&part), bytes(&whole));
        assert!(part.find("hash_compress").is_none(), "{name}");
    }
    for of in [SHARES[0], SHARES[3], SHARES[7]] {
        let case = sharing(of).without_fallback();
        agrees(&case, Cores::Both, &[0, 129, 700, 1024], &[None, Some(seed(of.0))]);
    }
    for name in ["md5", "sha3-256"] {
        let case = Case::keyed(name).without_fallback();
        let block = case.stream.framing.block_bytes;
        for cores in [Cores::Xgate, Cores::Both] {
            macs_agree(&case, cores, &[block, block + 1]);
        }
    }
}

/// Calls of init, update and final with a message in the application's RAM behind a context and a
/// digest; the digest's place has these bytes before. Returns what `final` does and the digest.
fn status(caller: &mut Caller, ram: u16, case: &Case, message: &[u8]) -> (u16, Vec<u8>) {
    let (digest, data) = (ram + 400, ram + 1000);
    caller.write(digest, &vec![0x5a; case.stream.digest_bytes]).unwrap();
    caller.write(data, message).unwrap();
    let key = [data, message.len().min(40) as u16];
    caller.call("init", ram, if case.is_keyed { &key } else { &[] }).unwrap();
    for (i, piece) in message.chunks(333).enumerate() {
        let at = data + 333 * i as u16;
        caller.call("update", ram, &[at, piece.len() as u16]).unwrap();
    }
    let returned = caller.call("final", ram, &[digest]).unwrap();
    (returned, caller.read(digest, case.stream.digest_bytes).unwrap())
}

/// `final` reports a coprocessor that does not answer, or answers late: no digest is written, no
/// call waits without a bound, and once XGATE is begun the next message has its digest: a trigger
/// from before is forgotten.
#[test]
fn without_a_fallback_a_late_coprocessor_is_told() {
    let shares = [SHARES[0], SHARES[5]].map(|of| sharing(of).without_fallback());
    let alone = ["blake256", "shake128-4000"].map(|name| Case::new(name, 1).without_fallback());
    let keyed = ["md5", "skein512-256"].map(|name| Case::keyed(name).without_fallback());
    let words = ["sha1", "blake256"].map(|name| with_words(name).without_fallback());
    let by_block = ["md5", "blake256"].map(|name| Case::new(name, 1).by_block().without_fallback());
    for case in shares.iter().chain(&alone).chain(&keyed).chain(&words).chain(&by_block) {
        for cores in [Cores::Xgate, Cores::Both] {
            let other = if case.is_by_block { Cores::Both } else { Cores::Xgate };
            if (case.share.is_some() || case.is_by_block) && cores == other {
                continue;
            }
            let (made, object) = case.program(cores);
            let mut caller = case.machine(&made, &object);
            let ram = made.ram.start.next_multiple_of(2);
            for length in [0, 1, 700] {
                let (returned, digest) = status(&mut caller, ram, case, &message(length));
                let what = format!("{} on {cores}, {length} bytes", case.algorithm);
                assert_eq!(returned, 1, "{what}");
                assert_eq!(digest, vec![0x5a; case.stream.digest_bytes], "{what}");
            }
            caller.call("xgate_init", 0, &[]).unwrap();
            let text = message(700);
            let (returned, got) = status(&mut caller, ram, case, &text);
            let expected = match case.is_keyed {
                true => hmac(case.algorithm, &text[..40], &text),
                false => digest(case.algorithm, &text),
            };
            assert_eq!((returned, got), (0, expected), "{} on {cores}", case.algorithm);
        }
    }
}

/// A coprocessor that stalls for long is late now and then, or not: wherever `final` returns 0, the
/// digest is the definition's.
#[test]
fn without_a_fallback_no_wrong_digest_is_called_right() {
    let shares = [SHARES[0], SHARES[5]].map(sharing);
    for case in shares.into_iter().chain([with_words("sha1")]).map(Case::without_fallback) {
        let (made, object) = case.program(Cores::Both);
        let mut caller = case.machine(&made, &object);
        caller.call("xgate_init", 0, &[]).unwrap();
        let ram = made.ram.start.next_multiple_of(2);
        let mut seen = [0, 0];
        for round in 0..60 {
            let at_most = [9, 300, 2000][round % 3];
            caller.set_stalls(Some(Stalls { seed: round as u64 + 1, one_in: 3, at_most }));
            let text = message(37 * round % 900);
            let (returned, got) = status(&mut caller, ram, &case, &text);
            seen[usize::from(returned)] += 1;
            if returned == 0 {
                assert_eq!(got, digest(case.algorithm, &text), "round {round}");
            }
        }
        assert!(seen[0] > 10, "{seen:?}");
    }
}
