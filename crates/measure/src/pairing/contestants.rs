//! The computations that are measured.
//!
//! **The curve has about 59 bits of security: for research and teaching only.**

use manylane_engine::pairing::{Element, FACTORS, Operation, Pairing, Point, hash_to_point};
use manylane_engine::peer::Gf2x;
use std::hint::black_box;

/// A call to be timed.
pub type Call<'c> = Box<dyn FnMut() + 'c>;

/// A computation with its name.
pub struct Contestant<'c> {
    /// What it computes.
    pub what: &'static str,
    /// The name of the engine, or of the library, that computes it.
    pub engine: &'static str,
    /// Elements or pairs that one call computes.
    pub count: usize,
    /// How many times it computes them.
    pub times: usize,
    /// The call.
    pub call: Call<'c>,
}

/// The operations that are timed, and how many times each is done in one call. The operands are
/// loaded and stored once per call.
const OPERATIONS: [(&str, Operation, usize); 5] = [
    ("multiply", Operation::Multiply, 200),
    ("square", Operation::Square, 200),
    ("square root", Operation::SquareRoot, 200),
    ("power 2^612", Operation::Frobenius(FACTORS), 10),
    ("inverse", Operation::Inverse, 1),
];

fn element(i: u8) -> Element {
    hash_to_point(&[i]).x()
}

fn pairs(count: usize) -> Vec<(Point, Point)> {
    let point = |i: usize| hash_to_point(&i.to_be_bytes());
    let mut q = point(0);
    let pair = |i| {
        q = q.double();
        (point(1 + i % 4), q)
    };
    (0..count).map(pair).collect()
}

/// Each operation on one element, and on as many elements as the engine takes side by side. In each
/// element an operation waits for the one before.
pub fn field(pairing: &Pairing) -> Vec<Contestant<'_>> {
    let mut all = Vec::new();
    for (what, operation, times) in OPERATIONS {
        let mut at_once = vec![1, pairing.lanes()];
        at_once.dedup();
        for lanes in at_once {
            let mut a = vec![element(1); lanes];
            let b = vec![element(2); lanes];
            all.push(Contestant {
                what,
                engine: pairing.engine().name(),
                count: lanes,
                times,
                call: Box::new(move || pairing.field(operation, times, black_box(&mut a), &b)),
            });
        }
    }
    all
}

/// The names of one pairing, and of one whose Miller value is the paper's product of factors.
pub const WAYS: [&str; 2] = ["pairing", "pairing by factors"];
/// The name of one pairing whose factors are computed in two parts, one after the other.
pub const IN_PARTS: &str = "pairing in 2 parts";
/// The name of the end of a pairing.
pub const FINISH: &str = "final exponentiation";

/// One pairing.
pub fn pairing(pairing: &Pairing) -> Call<'_> {
    let (p, q) = pairs(1)[0];
    Box::new(move || {
        black_box(pairing.pair(black_box(p), q));
    })
}

/// The parts of a pairing that a plan for threads needs the times of, each on one thread.
pub fn parts(pairing: &Pairing) -> [Contestant<'_>; 2] {
    let (p, q) = pairs(1)[0];
    let value = pairing.pair(p, q);
    let in_parts: Call = Box::new(move || {
        black_box(pairing.pair_in_parts(black_box(p), q, &[0, FACTORS / 2, FACTORS]));
    });
    let finish: Call = Box::new(move || {
        black_box(pairing.finish(black_box(value)));
    });
    [(IN_PARTS, in_parts), (FINISH, finish)].map(|(what, call)| Contestant {
        what,
        engine: pairing.engine().name(),
        count: 1,
        times: 1,
        call,
    })
}

/// One pairing, and several in each way; `by_factors` is the same engine's.
pub fn whole<'c>(pairing: &'c Pairing, by_factors: &'c Pairing) -> Vec<Contestant<'c>> {
    let engine = pairing.engine().name();
    let (p, q) = pairs(1)[0];
    let prepared = pairing.prepare(p);
    let one = |what, pairing| Contestant {
        what,
        engine,
        count: 1,
        times: 1,
        call: self::pairing(pairing),
    };
    let mut all = vec![
        one(WAYS[0], pairing),
        one(WAYS[1], by_factors),
        Contestant {
            what: "pairing, P prepared",
            engine,
            count: 1,
            times: 1,
            call: Box::new(move || {
                black_box(pairing.pair_prepared(&prepared, black_box(q)));
            }),
        },
    ];
    all.extend(parts(pairing));
    let many = pairs(32);
    all.push(Contestant {
        what: "many pairings",
        engine,
        count: many.len(),
        times: 1,
        call: Box::new(move || {
            black_box(pairing.pair_many(black_box(&many)));
        }),
    });
    for count in [2, 8, 32] {
        let pairs = pairs(count);
        all.push(Contestant {
            what: "product of pairings",
            engine,
            count,
            times: 1,
            call: Box::new(move || {
                black_box(pairing.pair_product(black_box(&pairs)));
            }),
        });
    }
    all
}

/// A product before reduction, by libgf2x.
pub fn gf2x(library: &Gf2x) -> Contestant<'_> {
    let [a, b] = [1, 2].map(|i| element(i).limbs().map(std::ffi::c_ulong::from));
    let mut product = [0; 40];
    Contestant {
        what: "multiply, unreduced",
        engine: "libgf2x",
        count: 1,
        times: 1,
        call: Box::new(move || library.multiply(black_box(&mut product), &a, &b)),
    }
}
