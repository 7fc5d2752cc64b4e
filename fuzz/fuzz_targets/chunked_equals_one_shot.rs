//! However a message is cut, cloned and looked at on the way, its digest is that of the definition.

#![no_main]

use arbitrary::Arbitrary;
use libfuzzer_sys::fuzz_target;
use manylane_engine::Hasher;
use manylane_fuzz::What;
use manylane_kat::{Backend, Rng};

#[derive(Arbitrary, Debug)]
enum Step {
    Update(u16),
    Clone,
    Look,
    Reset,
}

fuzz_target!(|case: (What, Vec<Step>)| {
    let (what, steps) = case;
    let algorithm = what.algorithm();
    let mut rng = Rng::from_name("chunked_equals_one_shot");
    let mut hasher = Hasher::on(algorithm, what.engine()).unwrap();
    let mut message = Vec::new();
    for step in steps.into_iter().take(50) {
        match step {
            Step::Update(length) => {
                let piece = rng.bytes(usize::from(length) % 1000);
                hasher.update(&piece);
                message.extend(piece);
            }
            Step::Clone => hasher = hasher.clone(),
            Step::Look => drop(hasher.finalize()),
            Step::Reset => {
                hasher.reset();
                message.clear();
            }
        }
    }
    assert_eq!(hasher.finalize(), Backend::Definition.digest(algorithm, &message));
});
