//! Every hash of the catalogue on the paper's machine.

use manylane_graph::passes::inline;
use manylane_graph::trace::{self, Loading};
use manylane_plan::Platform;
use manylane_plan::two_core::{Options, plan};
use manylane_primitives::catalog::{Algorithm, HashId};

#[test]
fn explore() {
    let platform = Platform::load("s12x-xgate").unwrap();
    for &id in HashId::ALL {
        let algorithm = Algorithm::new(id);
        let function = inline(&trace::message(algorithm, 64, Loading::Buffered));
        let t = std::time::Instant::now();
        let plan = plan(&function, &platform, Options::default()).unwrap();
        let time = t.elapsed();
        print!(
            "{:12} {:5} units {:5.2}s limit {:5.2}",
            algorithm.to_string(),
            plan.units.len(),
            time.as_secs_f64(),
            100.0 * plan.limit_gain()
        );
        for c in &plan.candidates[1..] {
            print!(" | {} {:.2} {}", &c.name[..c.name.len().min(14)], 100.0 * c.gain, c.handshakes);
        }
        println!("\n   {}", plan.reason);
    }
}
