//! The paper's own arithmetic of F_2^1223, by look-up tables and vector shifts: Algorithms 1, 2 and
//! 3, squaring and square root. For teaching and as a check on [`Element`].
//!
//! **Not constant-time: table indices are operands. About 59 bits of security: for research and
//! teaching only** (see [the module](super)).
//!
//! [`TableElement`] is an element of the field with this arithmetic: over it, the definition of the
//! pairing does what the paper's program did.
//!
//! A `u128` stands for a 128-bit register of the paper; its ≪_8 and ≫_8 shift the register by whole
//! bytes, its other shifts each 64-bit half of it.

use super::element::Element;
use super::field::BinaryField;
use super::parameters::Eta1223;
use core::ops::{Add, Mul};

/// An element of F_2^1223 whose squares, roots and products are those of this module.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TableElement(pub Limbs<20>);

impl From<Element<Eta1223>> for TableElement {
    fn from(element: Element<Eta1223>) -> Self {
        Self(*element.limbs())
    }
}

impl Add for TableElement {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self(xor(self.0, other.0))
    }
}

impl Mul for TableElement {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        Self(multiply(&self.0, &other.0))
    }
}

impl BinaryField for TableElement {
    type Parameters = Eta1223;

    fn constant(value: Element<Eta1223>) -> Self {
        value.into()
    }
    fn square(self) -> Self {
        Self(square(&self.0))
    }
    fn square_root(self) -> Self {
        Self(square_root(&self.0))
    }
}

/// 20 limbs of an element, or 40 of a product, least significant first.
type Limbs<const N: usize> = [u64; N];

/// z^1223 is bit 7 of limb 19.
const TOP: u64 = 0x7f;

/// table(u) = (0, u_3, 0, u_2, 0, u_1, 0, u_0).
#[rustfmt::skip]
const SPREAD: [u8; 16] = [
    0b0000_0000, 0b0000_0001, 0b0000_0100, 0b0000_0101,
    0b0001_0000, 0b0001_0001, 0b0001_0100, 0b0001_0101,
    0b0100_0000, 0b0100_0001, 0b0100_0100, 0b0100_0101,
    0b0101_0000, 0b0101_0001, 0b0101_0100, 0b0101_0101,
];

/// u = (u_3, u_2, u_1, u_0) to (u_3, u_1) · 4 + (u_2, u_0).
const GATHER: [u8; 16] = {
    let mut table = [0; 16];
    let mut u = 0;
    while u < 16 {
        table[u] = (u & 1 | u >> 1 & 2 | u << 1 & 4 | u & 8) as u8;
        u += 1;
    }
    table
};

/// a² mod f: each four bits to eight by the table of the paper.
pub fn square(a: &Limbs<20>) -> Limbs<20> {
    let mut c = [0; 40];
    for (i, c) in c.iter_mut().enumerate() {
        let half = a[i / 2] >> (32 * (i % 2));
        *c = (0..8).fold(0, |c, k| c | u64::from(SPREAD[nibble(half, 4 * k)]) << (8 * k));
    }
    reduce_64(c)
}

/// √a mod f: a_even + √z · a_odd, √z = z^612 + z^128, each four bits split by a table.
pub fn square_root(a: &Limbs<20>) -> Limbs<20> {
    let (mut even, mut odd) = ([0; 20], [0; 20]);
    for (i, &a) in a.iter().enumerate() {
        for k in 0..16 {
            let parts = u64::from(GATHER[nibble(a, 4 * k)]);
            even[i / 2] |= (parts & 3) << (32 * (i % 2) + 2 * k);
            odd[i / 2] |= (parts >> 2) << (32 * (i % 2) + 2 * k);
        }
    }
    for i in 0..10 {
        even[i + 2] ^= odd[i];
        even[i + 9] ^= odd[i] << 36;
        even[i + 10] ^= odd[i] >> 28;
    }
    even
}

/// Four bits of a, from bit k.
fn nibble(a: u64, k: usize) -> usize {
    (a >> k & 15) as usize
}

/// a · b mod f: Karatsuba over halves of 612 bits, [`comb`] below it, [`reduce_128`].
pub fn multiply(a: &Limbs<20>, b: &Limbs<20>) -> Limbs<20> {
    let ([a0, a1], [b0, b1]) = (halves(a), halves(b));
    let low = comb(&a0, &b0);
    let high = comb(&a1, &b1);
    let mut middle = comb(&xor(a0, a1), &xor(b0, b1));
    middle = xor(middle, xor(low, high));
    // low + middle · z^612 + high · z^1224: 612 = 9 · 64 + 36, 1224 = 19 · 64 + 8.
    let mut c = [0; 40];
    for i in 0..20 {
        c[i] ^= low[i];
        c[i + 9] ^= middle[i] << 36;
        c[i + 10] ^= middle[i] >> 28;
        c[i + 19] ^= high[i] << 8;
        c[i + 20] ^= high[i] >> 56;
    }
    reduce_128(c)
}

/// A_0 of 612 bits and A_1 of 611, A = A_1 z^612 + A_0.
fn halves(a: &Limbs<20>) -> [Limbs<10>; 2] {
    let mut low: Limbs<10> = core::array::from_fn(|i| a[i]);
    low[9] &= u64::MAX >> 28;
    [low, core::array::from_fn(|i| a[i + 9] >> 36 | a[i + 10] << 28)]
}

fn xor<const N: usize>(a: Limbs<N>, b: Limbs<N>) -> Limbs<N> {
    core::array::from_fn(|i| a[i] ^ b[i])
}

/// Algorithm 1: the López-Dahab comb with n = 10, 128-bit registers r_9 … r_0, and two tables of 16
/// multiples of b. Not reduced. Operands are below z^632, so that `b ≪ 4` times u fits n limbs.
pub fn comb(a: &Limbs<10>, b: &Limbs<10>) -> Limbs<20> {
    let b = registers(b);
    let t0: [[u128; 5]; 16] = core::array::from_fn(|u| multiple(&b, u));
    let t1 = t0.map(|t| shifted(&t, 4));
    let mut r = [0u128; 10];
    // Odd limbs come first: the eight shifts after them make up for the half register.
    for parity in [1, 0] {
        for k in (0..64).step_by(8).rev() {
            for j in (parity..10).step_by(2) {
                let (u, v) = (nibble(a[j], k), nibble(a[j], k + 4));
                for (i, r) in r[j / 2..][..5].iter_mut().enumerate() {
                    *r ^= t0[u][i] ^ t1[v][i];
                }
            }
            if parity == 1 || k > 0 {
                r = shifted(&r, 8);
            }
        }
    }
    core::array::from_fn(|i| (r[i / 2] >> (64 * (i % 2))) as u64)
}

/// Pairs of limbs as registers.
fn registers<const N: usize, const R: usize>(limbs: &Limbs<N>) -> [u128; R] {
    core::array::from_fn(|i| u128::from(limbs[2 * i + 1]) << 64 | u128::from(limbs[2 * i]))
}

/// u(z) · b(z), u of degree at most 3.
fn multiple(b: &[u128; 5], u: usize) -> [u128; 5] {
    let mut product = [0; 5];
    for (i, term) in (0..4).map(|i| shifted(b, i)).enumerate() {
        if u >> i & 1 == 1 {
            product = core::array::from_fn(|j| product[j] ^ term[j]);
        }
    }
    product
}

/// A vector of registers ≪ n, 0 ≤ n < 128.
fn shifted<const R: usize>(r: &[u128; R], n: usize) -> [u128; R] {
    core::array::from_fn(|i| {
        let below = if i == 0 { 0 } else { r[i - 1] };
        r[i] << n | (below >> 1) >> (127 - n)
    })
}

/// Algorithm 2: c mod f in 64-bit limbs.
pub fn reduce_64(mut c: Limbs<40>) -> Limbs<20> {
    for i in (20..40).rev() {
        let t = c[i];
        c[i - 15] ^= t >> 8;
        c[i - 16] ^= t << 56;
        c[i - 19] ^= t >> 7;
        c[i - 20] ^= t << 57;
    }
    let t = c[19] >> 7;
    c[0] ^= t;
    let t = t << 7;
    c[3] ^= t << 56;
    c[4] ^= t >> 8;
    c[19] = (c[19] ^ t) & TOP;
    core::array::from_fn(|i| c[i])
}

/// Each 64-bit half of a register ≫ n.
fn halves_right(t: u128, n: usize) -> u128 {
    t >> n & (u128::from(u64::MAX >> n) << 64 | u128::from(u64::MAX >> n))
}

/// Each 64-bit half of a register ≪ n.
fn halves_left(t: u128, n: usize) -> u128 {
    t << n & (u128::from(u64::MAX << n) << 64 | u128::from(u64::MAX << n))
}

/// The accumulate function R(r_3, r_2, r_1, r_0, t) of Algorithm 3.
fn accumulate([r3, r2, r1, r0]: [&mut u128; 4], t: u128) {
    let s = halves_right(t, 7);
    *r3 = halves_left(t, 57);
    *r3 ^= s << 64;
    *r2 ^= s >> 64;
    *r1 ^= t << 56;
    *r0 ^= t >> 72;
}

/// Algorithm 3: c mod f in 128-bit registers. Each folds into four others; four accumulators take
/// turns, so that each register is read and written once.
pub fn reduce_128(c: Limbs<40>) -> Limbs<20> {
    let mut t: [u128; 20] = registers(&c);
    let [mut r0, mut r1, mut r2, mut r3] = [0u128; 4];
    for i in [19, 15] {
        accumulate([&mut r3, &mut r2, &mut r1, &mut r0], t[i]);
        t[i - 7] ^= r0;
        accumulate([&mut r0, &mut r3, &mut r2, &mut r1], t[i - 1]);
        t[i - 8] ^= r1;
        accumulate([&mut r1, &mut r0, &mut r3, &mut r2], t[i - 2]);
        t[i - 9] ^= r2;
        accumulate([&mut r2, &mut r1, &mut r0, &mut r3], t[i - 3]);
        t[i - 10] ^= r3;
    }
    accumulate([&mut r3, &mut r2, &mut r1, &mut r0], t[11]);
    t[4] ^= r0;
    accumulate([&mut r0, &mut r3, &mut r2, &mut r1], t[10]);
    t[3] ^= r1;
    t[2] ^= r2;
    t[1] ^= r3;
    t[0] ^= r0;
    let r0 = halves_right(t[9] >> 64, 7);
    t[0] ^= r0;
    let r1 = halves_left(r0 << 64, 63);
    t[1] ^= r1;
    let r1 = halves_right(r0, 1);
    t[2] ^= r1;
    let mut c: Limbs<20> = core::array::from_fn(|i| (t[i / 2] >> (64 * (i % 2))) as u64);
    c[19] &= TOP;
    c
}
