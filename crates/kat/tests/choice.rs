//! Which messages go in lanes and which one by one, by times that are installed for this process.

use manylane_engine::tuning::{self, Tuning};
use manylane_engine::{Batch, Engine, HashId};
use std::sync::OnceLock;

const HASH: HashId = HashId::Sha256;
const BLOCK: usize = 64;

/// Installs times by which a message alone takes 28 ns a block, and eight side by side take 84.
/// Returns whether there is a kernel of eight.
fn install() -> bool {
    static HAS_LANES: OnceLock<bool> = OnceLock::new();
    *HAS_LANES.get_or_init(|| {
        let mut table = Tuning::new("a CPU");
        let mut has_lanes = false;
        for probe in tuning::probes(HASH).unwrap() {
            let kernel = probe.kernel();
            has_lanes |= (kernel.engine, kernel.lanes) == (Engine::Avx2, 8);
            let time = match (kernel.engine, kernel.lanes) {
                (Engine::Scalar, 1) => 28.0,
                (Engine::Avx2, 8) => 84.0,
                _ => 1e6,
            };
            table.set(HASH, kernel, time);
        }
        tuning::install(&table).unwrap();
        if !has_lanes {
            eprintln!("skipped: this CPU has no AVX2");
        }
        has_lanes
    })
}

/// Whether messages of so many blocks, padding among them, are all hashed one by one.
fn go_one_by_one(blocks: impl IntoIterator<Item = usize>) -> bool {
    let messages: Vec<_> = blocks.into_iter().map(|blocks| vec![0; BLOCK * blocks - 9]).collect();
    let work = Batch::new(HASH).work(&messages).unwrap();
    work.computed.keys().all(|kernel| kernel.lanes == 1)
}

#[test]
fn few_of_unlike_lengths_go_one_by_one() {
    if !install() {
        return;
    }
    assert!(go_one_by_one([1, 1]));
    assert!(go_one_by_one([1, 3]));
    assert!(go_one_by_one([4, 4, 1, 4, 2, 4, 2, 4, 1, 1, 2, 2]));
    assert!(go_one_by_one([60, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1]));
    assert!(!go_one_by_one([60; 16]));
    assert!(!go_one_by_one((0..64).map(|i| 8 + i % 9)));
    assert!(go_one_by_one((0..100).map(|i| 1 + i % 2)));
    assert!(!go_one_by_one((0..1000).map(|i| 1 + i % 2)));
    assert!(!go_one_by_one((0..100).map(|i| 8 + i % 9)));
}

/// Setting up a call takes longer if it is the only one.
#[test]
fn many_short_messages_go_in_lanes_where_few_do_not() {
    if !install() {
        return;
    }
    assert!(go_one_by_one([1; 8]));
    assert!(go_one_by_one([1; 64]));
    assert!(!go_one_by_one([1; 1000]));
}
