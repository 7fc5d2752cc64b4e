//! The pairing on every engine of this CPU against its definition and its vectors.

use manylane_engine::pairing::{Element, Eta1223, FACTORS, Operation, Pairing, Point, Value};
use manylane_engine::{Engine, MAX_ISA_VARIABLE};
use manylane_kat::{Rng, files};
use manylane_primitives::pairing::{BinaryField, Parameters, Quartic, eta_t};
use serde_json::Value as Json;
use std::num::NonZeroUsize;

/// The definition, compiled once.
#[inline(never)]
fn pair(p: Point, q: Point) -> Value {
    eta_t::pair(p, q)
}

/// F_q⁴'s product, likewise.
#[inline(never)]
fn product(f: Value, g: Value) -> Value {
    f * g
}

/// The pairing on each engine. Engines that this CPU lacks are named.
fn engines() -> Vec<Pairing> {
    let here = Pairing::engines().unwrap();
    for engine in [Engine::Scalar, Engine::Portable, Engine::Pclmul, Engine::Vpclmul] {
        if !here.contains(&engine) {
            eprintln!("skipped: {engine}, which this CPU lacks or {MAX_ISA_VARIABLE} forbids");
        }
    }
    here.into_iter().map(|engine| Pairing::on(Some(engine)).unwrap()).collect()
}

/// Whether a pairing takes milliseconds.
fn is_slow(pairing: &Pairing) -> bool {
    [Engine::Scalar, Engine::Portable].contains(&pairing.engine())
}

fn element(rng: &mut Rng) -> Element {
    let mut bytes = rng.bytes(153);
    bytes[0] &= 0x7f;
    Element::from_bytes(&bytes).unwrap()
}

fn point(rng: &mut Rng) -> Point {
    Point::from_digest(rng.bytes(153).try_into().unwrap()).unwrap()
}

/// 0, 1, ones below z^1223, every single bit, ones at the ends of limbs, and random ones.
fn samples(rng: &mut Rng) -> Vec<Element> {
    let limbs = |word: fn(usize) -> u64| {
        let mut limbs: [u64; 20] = std::array::from_fn(word);
        limbs[19] &= 0x7f;
        Element::from_limbs(limbs).unwrap()
    };
    let mut samples = vec![
        limbs(|_| 0),
        limbs(|i| u64::from(i == 0)),
        limbs(|_| u64::MAX),
        limbs(|_| 0x5555_5555_5555_5555),
        limbs(|_| 0xaaaa_aaaa_aaaa_aaaa),
        limbs(|_| 1 << 63 | 1),
    ];
    for bit in 0..Eta1223::M {
        let mut single = [0; 20];
        single[bit / 64] = 1 << (bit % 64);
        samples.push(Element::from_limbs(single).unwrap());
    }
    samples.extend((0..30).map(|_| element(rng)));
    samples
}

/// All of `a` at once: each lane has its own operands, and the last vector is not full.
fn assert_field(
    pairing: &Pairing,
    operation: Operation,
    a: &[Element],
    b: &[Element],
    definition: fn(Element, Element) -> Element,
) {
    let mut found = a.to_vec();
    pairing.field(operation, 1, &mut found, b);
    for ((&a, &b), found) in a.iter().zip(b).zip(found) {
        let engine = pairing.engine();
        assert_eq!(found, definition(a, b), "{engine}: {operation:?} of {a:?} and {b:?}");
    }
}

#[test]
fn field_operations() {
    let mut rng = Rng::from_name("field_operations");
    let a = samples(&mut rng);
    assert_ne!(a.len() % 4, 0);
    let few = &a[a.len() - 9..];
    let bits: Vec<_> = (0..few.len() as u64).map(|i| Element::from_bit(i >> 1)).collect();
    for pairing in engines() {
        let check = |operation, a: &[Element], definition| {
            // Every a with a near b and with a random one.
            let mut b = a.to_vec();
            b.rotate_left(1);
            assert_field(&pairing, operation, a, &b, definition);
            let random: Vec<_> = a.iter().map(|_| element(&mut Rng::from_name("b"))).collect();
            assert_field(&pairing, operation, a, &random, definition);
        };
        check(Operation::Add, &a, |a, b| a + b);
        check(Operation::Multiply, &a, |a, b| a * b);
        check(Operation::Square, &a, |a, _| a.square());
        check(Operation::SquareRoot, &a, |a, _| a.square_root());
        check(Operation::Trace, &a, |a, _| a.trace());
        check(Operation::IsZero, &a, |a, _| a.is_zero());
        check(Operation::Choose, &bits, |a, b| a.choose(b, Element::zero()));
        check(Operation::Inverse, &a[..3], |a, _| a.inverse());
        check(Operation::Inverse, few, |a, _| a.inverse());
        check(Operation::HalfTrace, few, |a, _| a.half_trace());
        check(Operation::Frobenius(0), few, |a, _| a);
        check(Operation::Frobenius(612), &a, |a, _| a.frobenius(612));
        macro_rules! powers {
            ($($n:literal)*) => {
                $(check(Operation::Frobenius($n), few, |a, _| a.frobenius($n));)*
            };
        }
        // Each matrix, several of them after each other, and what lies between.
        powers!(3 152 305 457 500 600 611 700 763 916 1068 1222);
        check(Operation::Frobenius(1223), few, |a, _| a);
    }
}

#[test]
fn operations_repeat() {
    let mut rng = Rng::from_name("operations_repeat");
    let (a, b) = (element(&mut rng), element(&mut rng));
    for pairing in engines() {
        let mut power = [a];
        pairing.field(Operation::Multiply, 3, &mut power, &[b]);
        assert_eq!(power, [a * b * b * b], "{pairing:?}");
    }
}

/// The paper's Miller value and the continuant, which differ by a factor in F_q².
#[test]
fn pairings_by_factors_are_the_same() {
    let mut rng = Rng::from_name("pairings_by_factors_are_the_same");
    let (p, q) = (point(&mut rng), point(&mut rng));
    let e = pair(p, q);
    for pairing in engines().into_iter().map(Pairing::by_factors) {
        assert_eq!(pairing.pair(p, q), e, "{pairing:?}");
        assert_eq!(pairing.pair(p, Point::infinity()), Value::one(), "{pairing:?}");
        if is_slow(&pairing) {
            continue;
        }
        let pairing = pairing.threads(NonZeroUsize::new(2).unwrap());
        for n in 0..6 {
            let cuts = [0, n, 301 + n, FACTORS];
            assert_eq!(pairing.pair_in_parts(p, q, &cuts), e, "{pairing:?}: {cuts:?}");
        }
    }
}

/// Every lane, every remainder of lanes, threads, and points at infinity.
#[test]
fn many_pairings() {
    let mut rng = Rng::from_name("many_pairings");
    let points: Vec<_> = (0..6).map(|_| point(&mut rng)).collect();
    let mut pairs: Vec<_> = (0..9).map(|i| (points[i % 4], points[2 + i % 3])).collect();
    pairs[3].0 = Point::infinity();
    pairs[6].1 = Point::infinity();
    let expected: Vec<_> = pairs.iter().map(|&(p, q)| pair(p, q)).collect();
    assert_eq!([expected[3], expected[6]], [Value::one(); 2]);
    let products = expected.iter().fold(vec![Value::one()], |mut products, &e| {
        products.push(product(products[products.len() - 1], e));
        products
    });
    for pairing in engines() {
        for n in if is_slow(&pairing) { vec![0, 1, 4] } else { (0..10).collect() } {
            assert_eq!(pairing.pair_many(&pairs[..n]), expected[..n], "{pairing:?}: {n}");
            assert_eq!(pairing.pair_product(&pairs[..n]), products[n], "{pairing:?}: {n}");
        }
        let pairing = pairing.threads(NonZeroUsize::new(3).unwrap());
        assert_eq!(pairing.pair_many(&pairs[2..]), expected[2..], "{pairing:?}");
        let prepared = pairing.prepare(pairs[1].0);
        for (&(p, q), &e) in pairs[..2].iter().zip(&expected) {
            assert_eq!(pairing.pair(p, q), e, "{pairing:?}");
        }
        assert_eq!(pairing.pair_prepared(&prepared, pairs[1].1), expected[1], "{pairing:?}");
    }
}

#[test]
fn one_to_eight_threads() {
    let mut rng = Rng::from_name("one_to_eight_threads");
    let (p, q) = (point(&mut rng), point(&mut rng));
    let e = pair(p, q);
    for engine in Pairing::engines().unwrap() {
        for threads in 1..=8 {
            let pairing = Pairing::on(Some(engine)).unwrap();
            let pairing = pairing.threads(NonZeroUsize::new(threads).unwrap());
            for _ in 0..if is_slow(&pairing) { 1 } else { 20 } {
                assert_eq!(pairing.pair(p, q), e, "{pairing:?}");
            }
        }
    }
}

/// Parts of every length from none to more than a vector, at both ends, and uneven ones.
#[test]
fn any_partition() {
    let mut rng = Rng::from_name("any_partition");
    let (p, q) = (point(&mut rng), point(&mut rng));
    let e = pair(p, q);
    for pairing in engines().into_iter().filter(|pairing| !is_slow(pairing)) {
        let pairing = pairing.threads(NonZeroUsize::new(2).unwrap());
        for n in 0..10 {
            let cuts = [0, n, FACTORS - n, FACTORS];
            assert_eq!(pairing.pair_in_parts(p, q, &cuts), e, "{pairing:?}: {cuts:?}");
            let cuts = [0, 1, 1, 300 + n, 301 + n, FACTORS];
            assert_eq!(pairing.pair_in_parts(p, q, &cuts), e, "{pairing:?}: {cuts:?}");
        }
    }
}

#[test]
#[should_panic = "cuts must ascend from 0 to 612"]
fn a_partition_is_whole() {
    let infinity = Point::infinity();
    Pairing::new().unwrap().pair_in_parts(infinity, infinity, &[0, 600]);
}

/// The vectors of `pairing/eta1223.json`, which the definition's own tests read too.
#[test]
fn pairing_vectors() {
    let Some(text) = files::read("pairing/eta1223.json").unwrap() else { return };
    let vectors: Json = serde_json::from_slice(&text).expect("vectors in JSON");
    let element = |value: &Json| {
        let hex = format!("{:0>306}", value.as_str().expect("a string"));
        let byte = |i: usize| u8::from_str_radix(&hex[2 * i..2 * i + 2], 16).expect("hex");
        Element::from_bytes(&(0..153).map(byte).collect::<Vec<_>>()).expect("a reduced element")
    };
    let point = |value: &Json| match value.as_array() {
        Some(xy) => Point::new(element(&xy[0]), element(&xy[1])),
        None => Point::infinity(),
    };
    let value = |value: &Json| Quartic([0, 1, 2, 3].map(|i| element(&value[i])));
    let (g, h) = (point(&vectors["generator"]["G"]), point(&vectors["relic_generator"]));
    let all = &vectors["pairing"];
    let mut pairs = vec![(g, h), (g, g)];
    let mut expected = vec![value(&all["e(G,H)"]), value(&all["e(G,G)"])];
    for v in all["vectors"].as_array().expect("a list") {
        pairs.push((point(&v["P"]), point(&v["Q"])));
        expected.push(value(&v["e"]));
    }
    assert_eq!(pairs.len(), 8);
    for pairing in engines() {
        assert_eq!(pairing.pair_many(&pairs), expected, "{pairing:?}");
    }
}

#[test]
fn forced_engines_that_cannot_serve() {
    let computing = Pairing::engines().unwrap();
    assert!(computing.contains(&Engine::Scalar));
    for engine in Engine::ALL {
        match Pairing::on(Some(engine)) {
            Ok(pairing) => assert!(computing.contains(&engine) && pairing.engine() == engine),
            Err(error) => {
                let text = error.to_string();
                assert!(!computing.contains(&engine) && text.contains(engine.name()), "{text}");
                assert!(text.contains("scalar"), "{text}");
            }
        }
    }
}
