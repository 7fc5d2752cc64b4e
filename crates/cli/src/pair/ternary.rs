//! The pairing in characteristic three: its points and values as digits, and the command over it.
//!
//! **Broken: for research and teaching only.**

use super::answer::{Points, Values};
use super::args::{Args, threads};
use super::input::{self, Readable};
use anyhow::{Context, bail, ensure};
use manylane_engine::Engine;
use manylane_engine::pairing::ternary::{
    Curve, Element, Point, Ring, Sextic, hash_to_point, pair_many, pair_product,
};
use manylane_files::quote::quote;
use manylane_primitives::word::Words;
use std::ffi::OsString;

/// The warning, in `--json` too.
const SECURITY: &str = "Broken: logarithms were computed in F_3^(6·97) (Hayashi and others, \
                        ASIACRYPT 2012) and F_3^(6·509) (Adj and others, 2018). For research and \
                        teaching only; protocols take BLS12-381.";

/// The word for the point at infinity.
const INFINITY: &str = "infinity";

/// The command over the field of a curve.
pub(super) fn run<C: Curve>(args: &Args) -> anyhow::Result<String> {
    ensure!(!args.demo, "--demo is over F_2^1223: leave out --field");
    if let Some(engine) = args.engine {
        ensure!(
            engine == Engine::Portable,
            "engine `{engine}` does not compute pairings over F_3^{}; engines that do: portable",
            C::M
        );
    }
    if !args.hash.is_empty() {
        let point = |text: &OsString| point_text(hash_to_point::<C>(text.as_encoded_bytes()));
        let points = args.hash.iter().map(point).collect();
        return Points { security: SECURITY, points }.text(args.json);
    }
    let lines = input::lines(&args.input)?;
    let threads = threads(args.threads, lines.len());
    let pairs = input::decode::<Point<Element<C>>>(&lines, threads)?;
    let values = match args.product {
        true => vec![pair_product(&pairs, threads)],
        false => pair_many(&pairs, threads),
    };
    Values {
        field: format!("F_3^{}", C::M),
        security: SECURITY,
        engine: Engine::Portable,
        threads,
        pairs: pairs.len(),
        digits: values.into_iter().map(value_text::<C>).collect(),
    }
    .text(args)
}

/// The coefficients from x^(m−1) down, 2 for −1.
fn digits<C: Curve>(element: Element<C>) -> String {
    let digit = |i| (b'0' + element.coefficient(i).rem_euclid(3) as u8) as char;
    (0..C::M).rev().map(digit).collect()
}

fn point_text<C: Curve>(point: Point<Element<C>>) -> String {
    match point.is_infinite() == Element::one() {
        true => INFINITY.to_owned(),
        false => format!("{},{}", digits(point.x()), digits(point.y())),
    }
}

/// The coefficients of 1, σ, ρ, σ ρ, ρ², σ ρ².
fn value_text<C: Curve>(value: Sextic<Element<C>>) -> String {
    value.0.iter().flat_map(|quadratic| quadratic.0).map(digits).collect()
}

/// The inverse of [`digits`].
fn element<C: Curve>(text: &str) -> anyhow::Result<Element<C>> {
    if let Some((i, c)) = text.chars().enumerate().find(|(_, c)| !('0'..='2').contains(c)) {
        bail!("{} at place {} is no digit 0, 1 or 2", quote(c.to_string().as_bytes()), i + 1);
    }
    ensure!(
        text.len() == C::M,
        "{} digits, where a coordinate over F_3^{} has {}",
        text.len(),
        C::M,
        C::M
    );
    let (mut one, mut minus_one) = (C::Limbs::splat(0), C::Limbs::splat(0));
    for (i, digit) in text.bytes().rev().enumerate() {
        match digit {
            b'1' => one.as_mut()[i / 64] |= 1 << (i % 64),
            b'2' => minus_one.as_mut()[i / 64] |= 1 << (i % 64),
            _ => {}
        }
    }
    Ok(Element::from_planes(one, minus_one).expect("m digits, each of one value"))
}

impl<C: Curve> Readable for Point<Element<C>> {
    fn from_word(word: &str) -> anyhow::Result<Self> {
        if word == INFINITY {
            return Ok(Self::infinity());
        }
        let Some((x, y)) = word.split_once(',') else {
            bail!("no comma between two coordinates, and not `{INFINITY}`");
        };
        Self::from_coordinates(x, y)
    }

    fn from_coordinates(x: &str, y: &str) -> anyhow::Result<Self> {
        let point = Self::new(element(x).context("x")?, element(y).context("y")?);
        ensure!(point.on_curve() == Element::one(), "the point is not on the curve");
        ensure!(
            point.in_subgroup() == Element::one(),
            "the point is not in the subgroup of prime order"
        );
        Ok(point)
    }
}
