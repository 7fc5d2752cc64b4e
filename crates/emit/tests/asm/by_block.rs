//! XGATE gets one block at a time, which takes the least code: every digest is the definition's,
//! whatever the framing does with its last block, its counter and its output.

use crate::case::{Case, agrees, macs_agree, message, seed};
use crate::stalls::survives;
use manylane_emit::asm::Cores;
use manylane_graph::calls::digest;
use manylane_primitives::catalog::{Algorithm, HashId};
use manylane_simulate::s12x::object::Object;

/// Hashes that differ in their padding, counter and output.
const FRAMINGS: [&str; 7] =
    ["md5", "sha512", "sha3-256", "shake128-4000", "blake256", "groestl256", "skein512-256"];

/// All lengths at the edges of blocks, with the CPU's code for a block and without; messages at odd
/// addresses; HMAC.
#[test]
fn one_block_at_a_time_is_right() {
    for name in FRAMINGS {
        for falls_back in [false, true] {
            let case = Case { falls_back, ..Case::new(name, 1).by_block() };
            agrees(&case, Cores::Xgate, &case.lengths(), &[None, Some(seed(name))]);
            let mut caller = case.caller(Cores::Xgate);
            let text = message(400);
            for sizes in [&[1, 63, 64, 65, 129, 0][..], &[3, 200, 7], &[64], &[128, 72, 144]] {
                let hashed = caller.hash_pieces(&text, sizes).unwrap();
                let expected = digest(case.algorithm, &text);
                assert_eq!(hashed.digest, expected, "{name}, pieces {sizes:?}");
            }
        }
    }
    for name in ["md5", "blake256", "skein512-256"] {
        let case = Case::keyed(name).by_block().without_fallback();
        let block = case.stream.framing.block_bytes;
        macs_agree(&case, Cores::Xgate, &[block, block + 1]);
    }
}

/// The CPU's part becomes smaller.
#[test]
fn one_block_at_a_time_is_small() {
    let bytes = |object: &Object| object.segments[0].bytes.len();
    for name in FRAMINGS {
        let case = Case::new(name, 1).without_fallback();
        let whole = bytes(&case.program(Cores::Xgate).1);
        let part = bytes(&case.by_block().program(Cores::Xgate).1);
        assert!(part + 150 < whole, "{name}: {part} of {whole}");
    }
}

/// A coprocessor that does not answer: the CPU computes all blocks if it can.
#[test]
fn one_block_at_a_time_goes_on_without_xgate() {
    for name in FRAMINGS {
        let case = Case::new(name, 1).by_block();
        let (made, object) = case.program(Cores::Xgate);
        let hashed = case.machine(&made, &object).hash(&message(300)).unwrap();
        assert_eq!(hashed.digest, digest(case.algorithm, &message(300)), "{name}");
        assert_eq!(hashed.counts.xgate.starts, 0);
    }
}

/// Every hash, three hundred runs each, with many stalls: a late block is computed by the CPU.
#[test]
#[ignore = "minutes: `make test-asm`"]
fn nothing_hangs_one_block_at_a_time() {
    for &id in HashId::ALL {
        let name = Algorithm::from(id).to_string();
        survives(&Case::new(&name, 1).by_block(), Cores::Xgate, 300);
    }
}
