//! Functions as regions: the same meaning, whatever the number of rounds in an iteration.

use manylane_graph::calls::calls;
use manylane_graph::roll::{Region, Rolled, Source, Unroll, limbs, roll, run};
use manylane_graph::trace::literal_compression;
use manylane_primitives::catalog::{Algorithm, HashId};

fn rolled(name: &str, unroll: Unroll) -> Rolled {
    roll(&literal_compression(name.parse().unwrap()), unroll)
}

/// How often each region runs.
fn times(rolled: &Rolled) -> Vec<usize> {
    rolled.regions.iter().map(|region| region.times).collect()
}

#[test]
fn every_compression_rolled_computes_the_definition() {
    let message: Vec<u8> = (0..300).map(|i| (i * 7 + i / 256) as u8).collect();
    for id in HashId::ALL {
        let algorithm = Algorithm::from(*id);
        let calls = calls(algorithm, &message);
        let function = literal_compression(algorithm);
        for unroll in [
            Unroll::Rounds(1),
            Unroll::Rounds(2),
            Unroll::Rounds(8),
            Unroll::Rounds(16),
            Unroll::All,
        ] {
            let rolled = roll(&function, unroll);
            eprintln!("{algorithm} {unroll:?} {:?} {}", times(&rolled), rolled.size());
            for call in &calls[..2] {
                assert_eq!(run(&rolled, &call.inputs()), call.out, "{algorithm} {unroll:?}");
            }
        }
    }
}
