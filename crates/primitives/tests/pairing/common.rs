//! Curves, random values and instances of the contract that the tests share.

use manylane_primitives::pairing::parameters::subgroup_order;
use manylane_primitives::pairing::{BinaryField, Curve, Element, Parameters, Point, Quartic};
use manylane_primitives::word::{Kind, Words};
use std::cell::Cell;
use std::marker::PhantomData;
use std::ops::{Add, Mul};

/// SplitMix64.
pub struct Rng(u64);

impl Rng {
    /// Seeded by the name of a test.
    pub fn from_name(name: &str) -> Self {
        Self(
            name.bytes()
                .fold(1, |seed, byte| (seed ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3)),
        )
    }

    pub fn word(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub fn bytes(&mut self, out: &mut [u8]) {
        out.iter_mut().for_each(|byte| *byte = self.word() as u8);
    }

    pub fn element<P: Parameters>(&mut self) -> Element<P> {
        element_of_words(|_| self.word())
    }

    pub fn quartic<P: Parameters>(&mut self) -> Quartic<Element<P>> {
        Quartic([(); 4].map(|()| self.element()))
    }

    /// A point of the subgroup, not ∞.
    pub fn point<C: Curve>(&mut self) -> Point<Element<C>> {
        let mut digest = C::Bytes::splat(0);
        self.bytes(digest.as_mut());
        Point::from_digest(digest).expect("a random x")
    }

    /// A scalar of as many bytes as r.
    pub fn scalar<C: Curve>(&mut self) -> Vec<u8> {
        let mut scalar = vec![0; C::ORDER.len()];
        self.bytes(&mut scalar);
        scalar
    }
}

/// The element whose limb i is `word(i)`, cut to m bits.
fn element_of_words<P: Parameters>(mut word: impl FnMut(usize) -> u64) -> Element<P> {
    let mut limbs = P::Limbs::splat(0);
    for (i, limb) in limbs.as_mut().iter_mut().enumerate() {
        *limb = word(i);
    }
    limbs.as_mut()[P::Limbs::LEN - 1] &= u64::MAX >> (64 - P::M % 64);
    Element::from_limbs(limbs).unwrap()
}

/// 0, 1, z, z^(m−1), all ones, alternating ones, ones at the ends of limbs.
pub fn edges<P: Parameters>() -> Vec<Element<P>> {
    let last = P::Limbs::LEN - 1;
    let mut edges: Vec<Element<P>> =
        [0, u64::MAX, 0x5555_5555_5555_5555, 0xaaaa_aaaa_aaaa_aaaa, 1 << 63 | 1]
            .map(|word| element_of_words(|_| word))
            .into();
    for (limb, word) in [(0, 1), (0, 2), (last, 1 << (P::M % 64 - 1)), (last, u64::MAX)] {
        edges.push(element_of_words(|i| if i == limb { word } else { 0 }));
    }
    edges
}

/// The edges and as many random elements.
pub fn samples<P: Parameters>(name: &str) -> Vec<Element<P>> {
    let mut rng = Rng::from_name(name);
    let mut samples = edges();
    samples.extend((0..samples.len()).map(|_| rng.element()).collect::<Vec<_>>());
    samples
}

macro_rules! small_curves {
    ($(
        $(#[$doc:meta])*
        $name:ident: m = $m:literal, $middle:expr, b = $b:literal, cofactor = $cofactor:literal;
    )*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub struct $name;

        impl Parameters for $name {
            const M: usize = $m;
            const MIDDLE: &'static [usize] = &$middle;
            type Limbs = [u64; 2];
            type Product = [u64; 4];
            type Bytes = [u8; usize::div_ceil($m, 8)];
        }

        impl Curve for $name {
            const B: bool = $b;
            const ORDER: &'static [u8] = &subgroup_order::<15>($m, $b, $cofactor);
            const COFACTOR: &'static [u8] = &u64::to_be_bytes($cofactor);
        }
    )*};
}

small_curves! {
    M79B0: m = 79, [9], b = false, cofactor = 1585;
    M79B1: m = 79, [9], b = true, cofactor = 1;
    M101B0: m = 101, [35, 31, 3], b = false, cofactor = 5;
    M101B1: m = 101, [35, 31, 3], b = true, cofactor = 809;
    M107B0: m = 107, [37, 33, 23], b = false, cofactor = 4285;
    M107B1: m = 107, [37, 33, 23], b = true, cofactor = 843_589;
    M113B0: m = 113, [9], b = false, cofactor = 291_545;
    M113B1: m = 113, [9], b = true, cofactor = 1;
}

/// The library inlines its generic functions into every caller, which a test binary with a hundred
/// callers pays for in minutes of compilation: the tests call these.
pub mod calls {
    use manylane_primitives::pairing::curve::scalar_bits;
    use manylane_primitives::pairing::{Curve, Element, Point, Quartic, eta_t, miller};

    type P<C> = Point<Element<C>>;
    type Q<C> = Quartic<Element<C>>;

    #[inline(never)]
    pub fn pair<C: Curve>(p: P<C>, q: P<C>) -> Q<C> {
        eta_t::pair(p, q)
    }

    #[inline(never)]
    pub fn reduce<C: Curve>(f: Q<C>) -> Q<C> {
        eta_t::reduce(f)
    }

    #[inline(never)]
    pub fn miller_function<C: Curve>(n: &[u8], p: P<C>, q: P<C>) -> Q<C> {
        miller::miller_function(n, p, q)
    }

    #[inline(never)]
    pub fn times<C: Curve>(p: P<C>, k: &[u8]) -> P<C> {
        p.multiply(k)
    }

    #[inline(never)]
    pub fn sum<C: Curve>(p: P<C>, q: P<C>) -> P<C> {
        p + q
    }

    #[inline(never)]
    pub fn power<C: Curve>(x: Q<C>, k: &[u8]) -> Q<C> {
        x.power(scalar_bits(k))
    }

    #[inline(never)]
    pub fn product<C: Curve>(x: Q<C>, y: Q<C>) -> Q<C> {
        x * y
    }
}

/// Runs `$body::<C>()` for one curve over each field.
macro_rules! for_each_field {
    ($body:ident) => {{
        use crate::common::*;
        use manylane_primitives::pairing::{Eta271, Eta379, Eta1223};
        for_each_curve!($body: Eta1223 Eta379 Eta271 M79B0 M101B0 M107B0 M113B0);
    }};
}
pub(crate) use for_each_field;

/// Runs `$body::<C>()` for every curve: those of the crate, and one for each m mod 8 and b, of
/// which those over F_2^101 and the second over F_2^107 have an r that is not prime.
macro_rules! for_each_curve {
    ($body:ident) => {{
        use crate::common::*;
        use manylane_primitives::pairing::{Eta271, Eta379, Eta1223};
        for_each_curve!($body: Eta1223 Eta379 Eta271
            M79B0 M79B1 M101B0 M101B1 M107B0 M107B1 M113B0 M113B1);
    }};
    ($body:ident: $($curve:ident)*) => {{ $($body::<$curve>();)* }};
}
pub(crate) use for_each_curve;

/// Two elements side by side, which have no more than the contract asks for: every provided formula
/// is used, and nothing can leave the lanes.
#[derive(Clone, Copy)]
pub struct Lanes<P: Parameters>(pub [Element<P>; 2]);

impl<P: Parameters> Add for Lanes<P> {
    type Output = Self;
    #[inline(never)]
    fn add(self, Self([b0, b1]): Self) -> Self {
        let Self([a0, a1]) = self;
        Self([a0 + b0, a1 + b1])
    }
}

impl<P: Parameters> Mul for Lanes<P> {
    type Output = Self;
    #[inline(never)]
    fn mul(self, Self([b0, b1]): Self) -> Self {
        let Self([a0, a1]) = self;
        Self([a0 * b0, a1 * b1])
    }
}

impl<P: Parameters> BinaryField for Lanes<P> {
    type Parameters = P;
    fn constant(value: Element<P>) -> Self {
        Self([value; 2])
    }
    fn square(self) -> Self {
        Self(self.0.map(Element::square))
    }
    fn square_root(self) -> Self {
        Self(self.0.map(Element::square_root))
    }
}

impl<P: Curve> Lanes<P> {
    pub fn points(points: [Point<Element<P>>; 2]) -> Point<Self> {
        let [p, q] = points;
        let finite = Point::new(Self([p.x(), q.x()]), Self([p.y(), q.y()]));
        Point::choose(Self([p.is_infinite(), q.is_infinite()]), Point::infinity(), finite)
    }

    pub fn quartics(lanes: Quartic<Self>) -> [Quartic<Element<P>>; 2] {
        [0, 1].map(|lane| Quartic(lanes.0.map(|c| c.0[lane])))
    }

    pub fn lanes_of(point: Point<Self>) -> [Point<Element<P>>; 2] {
        [0, 1].map(|lane| {
            let finite = Point::new(point.x().0[lane], point.y().0[lane]);
            Point::choose(point.is_infinite().0[lane], Point::infinity(), finite)
        })
    }
}

thread_local! {
    static PRODUCTS: Cell<usize> = const { Cell::new(0) };
    static STEPS: Cell<[usize; 2]> = const { Cell::new([0; 2]) };
}

fn increment(count: &Cell<usize>) {
    count.set(count.get() + 1);
}

/// An element without value, which counts the products and steps it goes through.
#[derive(Clone, Copy)]
pub struct Counted<P>(PhantomData<P>);

impl<P> Counted<P> {
    pub const NEW: Self = Self(PhantomData);

    /// The products, steps opened and steps closed while `f` runs.
    pub fn count<T>(f: impl FnOnce() -> T) -> (usize, [usize; 2]) {
        PRODUCTS.set(0);
        STEPS.set([0; 2]);
        f();
        (PRODUCTS.get(), STEPS.get())
    }
}

impl<P> Add for Counted<P> {
    type Output = Self;
    fn add(self, _: Self) -> Self {
        self
    }
}

impl<P> Mul for Counted<P> {
    type Output = Self;
    fn mul(self, _: Self) -> Self {
        PRODUCTS.with(increment);
        self
    }
}

impl<P: Parameters> BinaryField for Counted<P> {
    type Parameters = P;
    fn constant(_: Element<P>) -> Self {
        Self::NEW
    }
    fn square(self) -> Self {
        self
    }
    fn square_root(self) -> Self {
        self
    }
    fn choose(self, _: Self, _: Self) -> Self {
        self
    }
    fn enter(_: &[Self], _: Kind, _: &'static str, _: usize) {
        let [opened, closed] = STEPS.get();
        STEPS.set([opened + 1, closed]);
    }
    fn leave(_: &[Self]) {
        let [opened, closed] = STEPS.get();
        STEPS.set([opened, closed + 1]);
    }
}
