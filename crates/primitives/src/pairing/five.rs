//! The product of two polynomials of five parts each, from 13 products of parts. Generic over the
//! type of a part.

use core::ops::BitXor;

/// The 13 operands that a polynomial of five parts contributes to the products: P. L. Montgomery,
/// "Five, six, and seven-term Karatsuba-like formulae" (2005), mod 2. a₀, a₁, a₃, a₄, then the sums
/// a₀ + a₁, a₀ + a₄ …
#[inline(always)]
pub(super) fn terms_of_five<T: Copy + BitXor<Output = T>>([a0, a1, a2, a3, a4]: [T; 5]) -> [T; 13] {
    let (a01, a34, a023, a124) = (a0 ^ a1, a3 ^ a4, a0 ^ a2 ^ a3, a1 ^ a2 ^ a4);
    let (a0134, all) = (a01 ^ a34, a01 ^ a34 ^ a2);
    [a0, a1, a3, a4, a01, a0 ^ a4, a34, a023, a124, a0134, a124 ^ a0, a023 ^ a4, all]
}

/// The columns of a product from the products of [`terms_of_five`]:
/// p023 = (a₀ + a₂ + a₃)(b₀ + b₂ + b₃).
#[inline(always)]
pub(super) fn columns_of_five<T: Copy + BitXor<Output = T>>(products: [T; 13]) -> [T; 9] {
    let [p0, p1, p3, p4, p01, p04, p34, p023, p124, p0134, p0124, p0234, all] = products;
    let (c1, c7) = (p0 ^ p1 ^ p01, p3 ^ p4 ^ p34);
    [
        p0,
        c1,
        p0 ^ p4 ^ p01 ^ p04 ^ p124 ^ p0124,
        p4 ^ p04 ^ p34 ^ p0134 ^ p0234 ^ all,
        c1 ^ c7 ^ p023 ^ p124 ^ all,
        p0 ^ p01 ^ p04 ^ p0124 ^ p0134 ^ all,
        p0 ^ p4 ^ p04 ^ p34 ^ p023 ^ p0234,
        c7,
        p4,
    ]
}
