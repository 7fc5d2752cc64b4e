//! `pairing/eta1223.json`: F_2^1223, its curve and its pairing, made with an independent
//! big-integer oracle; e(H, H) also by a published library.

use crate::common::calls::{miller_function, pair, power, product, reduce, times};
use manylane_primitives::pairing::eta_t::miller;
use manylane_primitives::pairing::tables;
use manylane_primitives::pairing::{BinaryField, Curve, Element, Eta1223, Point, Quartic};
use serde_json::Value;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};

type E = Element<Eta1223>;

/// The file, from the folder that `MANYLANE_VECTORS` names, else `../shared/vectors` beside the
/// workspace. Without it a test is skipped by name; where `CI` or `MANYLANE_REQUIRE_VECTORS` is set
/// it fails.
fn vectors() -> Option<Value> {
    let folder = env::var_os("MANYLANE_VECTORS").map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/vectors"),
        PathBuf::from,
    );
    let file = folder.join("pairing/eta1223.json");
    let is_set = |name| {
        env::var(name).is_ok_and(|value| !value.is_empty() && value != "0" && value != "false")
    };
    if !file.is_file() {
        let missing = format!("no {} (set MANYLANE_VECTORS)", file.display());
        assert!(!is_set("CI") && !is_set("MANYLANE_REQUIRE_VECTORS"), "{missing}");
        eprintln!("skipped the pairing's vectors: {missing}");
        return None;
    }
    let text = fs::read_to_string(file).expect("readable vectors");
    Some(serde_json::from_str(&text).expect("vectors in JSON"))
}

/// A hexadecimal integer in `bytes` big-endian bytes.
fn bytes(value: &Value, bytes: usize) -> Vec<u8> {
    let hex = value.as_str().expect("a string");
    let padded = format!("{hex:0>width$}", width = 2 * bytes);
    assert_eq!(padded.len(), 2 * bytes, "longer than {bytes} bytes: {hex}");
    (0..bytes).map(|i| u8::from_str_radix(&padded[2 * i..2 * i + 2], 16).expect("hex")).collect()
}

fn element(value: &Value) -> E {
    E::from_bytes(&bytes(value, 153)).expect("a reduced element")
}

fn quartic(value: &Value) -> Quartic<E> {
    Quartic([0, 1, 2, 3].map(|i| element(&value[i])))
}

fn point(value: &Value) -> Point<E> {
    if value.is_null() || value == "inf" {
        return Point::infinity();
    }
    let point = Point::new(element(&value[0]), element(&value[1]));
    assert_eq!(point.on_curve(), E::one());
    point
}

fn list(value: &Value) -> &[Value] {
    value.as_array().expect("a list")
}

/// 40 limbs of an unreduced product.
fn raw_product(value: &Value) -> [u64; 40] {
    let bytes = bytes(value, 320);
    std::array::from_fn(|i| {
        let end = 320 - 8 * i;
        u64::from_be_bytes(bytes[end - 8..end].try_into().unwrap())
    })
}

#[test]
fn field() {
    let Some(vectors) = vectors() else { return };
    let records = list(&vectors["field_vectors"]);
    assert_eq!(records.len(), 64);
    for v in records {
        let (a, b) = (element(&v["a"]), element(&v["b"]));
        assert_eq!(a * b, element(&v["mul"]));
        assert_eq!(a.square(), element(&v["sqr"]));
        assert_eq!(a.square_root(), element(&v["sqrt"]));
        assert_eq!(a.inverse(), element(&v["inv"]));
        if let Some(trace) = v["trace"].as_u64() {
            assert_eq!(a.trace(), E::from_bit(trace));
        }
        assert_eq!(tables::reduce_64(raw_product(&v["raw_product"])), *(a * b).limbs());
        assert_eq!(tables::reduce_128(raw_product(&v["raw_product"])), *(a * b).limbs());
    }
    let frobenius = &vectors["frobenius_vectors"];
    let a = element(&frobenius["a"]);
    assert_eq!(list(&frobenius["a^(2^k)"]).len(), 10);
    for v in list(&frobenius["a^(2^k)"]) {
        let k = v["k"].as_u64().unwrap() as usize;
        assert_eq!(a.frobenius(k), element(&v["value"]), "{k}");
    }
}

/// G by the file's rule: the first x ≥ 2 with a point, the root with y_0 = 0, times the cofactor.
#[test]
fn generators() {
    let Some(vectors) = vectors() else { return };
    let (g, h) = (point(&vectors["generator"]["G"]), point(&vectors["relic_generator"]));
    let mut digest = [0; 153];
    digest[152] = 2;
    assert_eq!(Point::from_digest(digest), Some(g));
    assert_eq!(g.in_subgroup(), E::one());
    assert_eq!(h.in_subgroup(), E::one());
    assert_eq!(bytes(&vectors["curve"]["r"], 153), Eta1223::ORDER);
}

#[test]
fn group() {
    let Some(vectors) = vectors() else { return };
    let (g, h) = (point(&vectors["generator"]["G"]), point(&vectors["relic_generator"]));
    let records = list(&vectors["group_vectors"]["v"]);
    assert_eq!(records.len(), 6);
    for v in records {
        let multiple = |p: Point<E>, k| times(p, &bytes(&v[k], 153));
        let (ag, bh) = (multiple(g, "a"), multiple(h, "b"));
        assert_eq!(ag, point(&v["aG"]));
        assert_eq!(bh, point(&v["bH"]));
    }
}

#[test]
fn pairing() {
    let Some(vectors) = vectors() else { return };
    let (g, h) = (point(&vectors["generator"]["G"]), point(&vectors["relic_generator"]));
    let all = &vectors["pairing"];
    let e = quartic(&all["e(G,H)"]);
    assert_eq!(pair(g, h), e);
    assert_eq!(pair(g, g), quartic(&all["e(G,G)"]));
    assert_eq!(miller(g, h), quartic(&all["miller_alg5(G,H)"]));
    assert_eq!(list(&all["vectors"]).len(), 6);
    for v in list(&all["vectors"]) {
        let f = miller(point(&v["P"]), point(&v["Q"]));
        assert_eq!(f, quartic(&v["miller_alg5"]));
        assert_eq!(reduce(f), quartic(&v["e"]));
        assert_eq!(power(e, &bytes(&v["a*b mod r"], 153)), quartic(&v["e"]));
    }
}

/// The Tate pairing of order r by Algorithm 4 with n = r − 1: exponent (q⁴ − 1)/r, five times that
/// of η_T.
#[test]
fn tate() {
    let Some(vectors) = vectors() else { return };
    let (g, h) = (point(&vectors["generator"]["G"]), point(&vectors["relic_generator"]));
    let mut n = Eta1223::ORDER.to_vec();
    n[152] -= 1;
    let tate = power(reduce(miller_function(&n, g, h)), &[5]);
    assert_eq!(tate, quartic(&vectors["pairing"]["tate_r(G,H)"]));
}

#[test]
fn tower() {
    let Some(vectors) = vectors() else { return };
    assert_eq!(list(&vectors["fq4_vectors"]).len(), 8);
    for v in list(&vectors["fq4_vectors"]) {
        let (x, y) = (quartic(&v["x"]), quartic(&v["y"]));
        assert_eq!(product(x, y), quartic(&v["mul"]));
        assert_eq!(x.square(), quartic(&v["sqr"]));
        assert_eq!(x.inverse(), quartic(&v["inv"]));
        assert_eq!(x.frobenius(1223), quartic(&v["frob_m"]));
        assert_eq!(reduce(x), quartic(&v["final_exp"]));
    }
}
