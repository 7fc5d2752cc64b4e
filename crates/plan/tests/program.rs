//! Planned programs: they compute the definition in any interleaving, and keep the rules.

use manylane_graph::calls::calls;
use manylane_graph::framing::ByteOrder;
use manylane_graph::roll::{Unroll, limbs, roll};
use manylane_graph::trace::literal_compression;
use manylane_plan::Platform;
use manylane_plan::program::assign::assign;
use manylane_plan::program::place::place;
use manylane_plan::program::run::run;
use manylane_plan::program::verify::verify;
use manylane_plan::program::{Program, fingerprint};
use manylane_primitives::catalog::{Algorithm, HashId};

/// Numbers that look random, the same for the same seed.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 33) as usize % bound
    }
}

fn check(program: &Program, algorithm: Algorithm, inputs: &[u64], expected: &[u64], seed: u64) {
    verify(program).unwrap_or_else(|e| panic!("{algorithm}: {e}\n{program}"));
    let mut random = Random(seed);
    let outputs = run(program, inputs, |count| random.below(count));
    assert_eq!(outputs.as_deref(), Ok(expected), "{algorithm}");
}

/// Whatever the assignment, also one that no planner would make.
#[test]
fn random_assignments_compute_the_definition() {
    let message: Vec<u8> = (0..300).map(|i| (i * 7 + i / 256) as u8).collect();
    for (seed, id) in (1..).zip(HashId::ALL) {
        let algorithm = Algorithm::from(*id);
        let call = &calls(algorithm, &message)[0];
        let function = literal_compression(algorithm);
        let rolled = roll(&function, Unroll::Rounds(1));
        let mut random = Random(seed * 0x9e37_79b9);
        for coarse in [false, true] {
            let assignment: Vec<Vec<u8>> = rolled
                .regions
                .iter()
                .map(|region| {
                    let steps: Vec<u8> =
                        region.body.steps().iter().map(|_| random.below(2) as u8).collect();
                    let of = |node| match coarse {
                        true => steps[region.body.step(node).index()],
                        false => random.below(2) as u8,
                    };
                    region.body.nodes().map(of).collect()
                })
                .collect();
            let program = place(rolled.clone(), fingerprint(&function), 2, &assignment, usize::MAX);
            // Steps that are cut at random may wait for each other: that is found, not computed.
            if verify(&program).is_err_and(|e| e.rule == 8) {
                continue;
            }
            check(&program, algorithm, &call.inputs(), &call.out, seed);
        }
    }
}

#[test]
fn planned_programs_compute_the_definition() {
    let message: Vec<u8> = (0..300).map(|i| (i * 7 + i / 256) as u8).collect();
    let platform = Platform::load("ibex-duo").unwrap();
    for name in [
        "md5",
        "sha1",
        "sha256",
        "ripemd160",
        "blake256",
        "groestl256",
        "jh256",
        "keccak256",
        "skein512",
    ] {
        let algorithm: Algorithm = name.parse().unwrap();
        let call = &calls(algorithm, &message)[0];
        let function = literal_compression(algorithm);
        let start = std::time::Instant::now();
        let unroll = std::env::var("U").map_or(16, |u| u.parse().unwrap());
        let rolled = limbs(&roll(&function, Unroll::Rounds(unroll)), 32);
        let found =
            assign(&rolled, fingerprint(&function), ByteOrder::Little, &platform, 4000).unwrap();
        let alone = Program::sequential(rolled.clone(), fingerprint(&function));
        let prices =
            manylane_plan::program::time::Prices::of(&rolled, 2, ByteOrder::Little, &platform)
                .unwrap();
        let one = manylane_plan::program::time::time(&alone, &prices, 4).unwrap().cycles();
        eprintln!(
            "{name}: {one} -> {} ({:.1} %), {} tried, {:?}",
            found.cycles,
            100.0 - 100.0 * found.cycles / one,
            found.tried,
            start.elapsed()
        );
        if std::env::var("SHOW").is_ok() {
            eprintln!("{}", found.program);
        }
        let inputs = limbs_of(&call.inputs(), &rolled, &function);
        let out = manylane_graph::roll::run(&rolled, &inputs);
        check(&found.program, algorithm, &inputs, &out, 7);
    }
}

fn limbs_of(
    inputs: &[u64],
    rolled: &manylane_graph::roll::Rolled,
    function: &manylane_graph::Function,
) -> Vec<u64> {
    let wide = rolled.inputs.len() > function.inputs().len();
    inputs
        .iter()
        .flat_map(|&x| if wide { vec![x & 0xffff_ffff, x >> 32] } else { vec![x] })
        .collect()
}
