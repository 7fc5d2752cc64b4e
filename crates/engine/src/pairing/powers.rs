//! Powers a^(2^n) on each engine, by the cheapest [`PowerPlan`].
//!
//! **About 59 bits of security: for research and teaching only** (see [the module](super)).

use super::lanes::LIMBS;
use super::limb::{Limb, Limbs, Powers};
use super::plan::PowerPlan;
use super::single::Vpclmul;
use super::xmm::{Pclmul, Xmm};
use super::zmm::Zmm;
use super::{map, polynomial, sums};

/// What a map costs in squarings: by sums of columns, by blocks for one element, and for four.
const SUMS: usize = 110;
const MAP_OF_ONE: usize = 50;
const MAPS_OF_FOUR: usize = 170;

// SAFETY (of the calls in these implementations): a value of these types exists only where the
// engine was found on this CPU whose features the function has.
impl Powers for Xmm<Pclmul> {
    #[inline(always)]
    fn frobenius(elements: &mut [Limbs<Self>], n: usize) {
        // SAFETY: as above.
        unsafe { one_by_pclmul(elements, n) }
    }
}

impl Powers for Xmm<Vpclmul> {
    #[inline(always)]
    fn frobenius(elements: &mut [Limbs<Self>], n: usize) {
        // SAFETY: as above.
        unsafe { one_by_vpclmul(elements, n) }
    }
}

impl Powers for Zmm {
    #[inline(always)]
    fn frobenius(elements: &mut [Limbs<Self>], n: usize) {
        for a in elements {
            // SAFETY: as above.
            unsafe { four(a, n) }
        }
    }
}

/// # Safety
/// The CPU must have the features.
#[target_feature(enable = "pclmulqdq,avx")]
#[inline(never)]
unsafe fn one_by_pclmul(elements: &mut [Limbs<Xmm<Pclmul>>], n: usize) {
    let PowerPlan { maps, squares, roots } = PowerPlan::of(n, SUMS);
    for i in 0..maps.len() {
        if maps[i] {
            // SAFETY: the CPU has AVX.
            unsafe { sums::apply(i, elements) };
        }
    }
    for a in elements {
        for _ in 0..squares {
            *a = polynomial::square(a);
        }
        for _ in 0..roots {
            *a = polynomial::square_root(a);
        }
    }
}

/// # Safety
/// The CPU must have the features.
#[target_feature(
    enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi,avx512vbmi2,vpclmulqdq,pclmulqdq,gfni"
)]
#[inline(never)]
unsafe fn one_by_vpclmul(elements: &mut [Limbs<Xmm<Vpclmul>>], n: usize) {
    let PowerPlan { maps, squares, roots } = PowerPlan::of(n, MAP_OF_ONE);
    for a in elements {
        for i in 0..maps.len() {
            if maps[i] {
                // SAFETY: the features are those of this function.
                *a = unsafe { map::apply(i, a) };
            }
        }
        for _ in 0..squares {
            *a = polynomial::square(a);
        }
        for _ in 0..roots {
            *a = polynomial::square_root(a);
        }
    }
}

/// A map applies to one element, so the lanes go through it one after the other; the remaining
/// squares and roots are done in all lanes at once.
///
/// # Safety
/// The CPU must have the features.
#[target_feature(
    enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi,avx512vbmi2,vpclmulqdq,pclmulqdq,gfni"
)]
#[inline(never)]
unsafe fn four(a: &mut Limbs<Zmm>, n: usize) {
    let PowerPlan { maps, squares, roots } = PowerPlan::of(n, MAPS_OF_FOUR);
    let mut lanes = [[[0; 2]; Zmm::LANES]; LIMBS];
    for k in 0..LIMBS {
        a[k].store(&mut lanes[k]);
    }
    for lane in 0..Zmm::LANES {
        let mut one = [Xmm::<Vpclmul>::splat([0, 0]); LIMBS];
        for k in 0..LIMBS {
            one[k] = Xmm::load(&lanes[k][lane..]);
        }
        for i in 0..maps.len() {
            if maps[i] {
                // SAFETY: the features are those of this function.
                one = unsafe { map::apply(i, &one) };
            }
        }
        for k in 0..LIMBS {
            one[k].store(&mut lanes[k][lane..]);
        }
    }
    for k in 0..LIMBS {
        a[k] = Zmm::load(&lanes[k]);
    }
    for _ in 0..squares {
        *a = polynomial::square(a);
    }
    for _ in 0..roots {
        *a = polynomial::square_root(a);
    }
}
