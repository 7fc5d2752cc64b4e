//! Keccak of one message: five lanes of the state in each of five registers.
//!
//! Word x of register i is A[x, αx + βi]: of plane i if α = 0 and β = 1, else of a sheared one. θ only
//! asks that the registers have, word by word, a whole column, whatever α is. π brings that word to
//! x′ = αx + βi, y′ = 2x + 3x′. χ asks for three x′ of one y′: with y′ as the word's new place they
//! are in registers a fixed distance apart, and x′ as its place makes a layout of another α.
//!
//! ```text
//! planes ─ shear ─► α = 3 ─ round ─► 2 ─ round ─► 4 ─ round ─► 1 ─ round ─► planes
//! ```
//!
//! Where α = 1 a register has a whole y′, so χ has its three x′ by three shuffles of one register. So
//! nothing is transposed: a round has 12 to 17 shuffles, 12 ternary operations and 6 rotations, and
//! the shear of every fourth 15 blends. To transpose planes after each round takes 15 blends and 4
//! shuffles a round more.

mod lanes;

use crate::isa::Engine;
use crate::kernel::{Kernel, avx512};
use crate::lanes::avx512::Avx512;
use manylane_primitives::hash::Hash;
use manylane_primitives::hash::keccak::{Keccak, RC, RHO};
use manylane_primitives::unroll;
use manylane_primitives::word::Word;

pub static KERNELS: &[Kernel<Keccak>] = &[
    Kernel {
        engine: Engine::Avx512,
        lanes: 1,
        block_time: 0.75,
        compress,
        squeeze,
        compress_expanded: None,
        write: None,
    },
    Kernel { block_time: 1.65, ..avx512::kernel_of::<Keccak, Plane, lanes::PlaneByPlane>() },
];

type Plane = Avx512<u64>;
type Planes = [Plane; 5];

/// # Safety
/// The CPU must have AVX-512 F, BW, DQ and VL, AVX2, BMI1 and BMI2.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,bmi1,bmi2,aes")]
unsafe fn compress(
    hash: &Keccak,
    state: &mut [u64],
    _: &mut [u64],
    inputs: &[&[u8]],
    blocks: usize,
) {
    let rate = hash.block_bytes();
    let mut a = load(state);
    for block in inputs[0][..rate * blocks].chunks_exact(rate) {
        unroll!(y in 0..5 {
            a[y] = a[y] ^ Plane::load_words(block.get(40 * y..).unwrap_or_default());
        });
        a = keccak_f(a);
    }
    store(a, state);
}

/// # Safety
/// The CPU must have AVX-512 F, BW, DQ and VL, AVX2, BMI1 and BMI2.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,bmi1,bmi2,aes")]
unsafe fn squeeze(_: &Keccak, state: &mut [u64], index: u64, out: &mut [u64]) {
    if index > 0 {
        store(keccak_f(load(state)), state);
    }
    out.copy_from_slice(state);
}

#[inline(always)]
fn load(state: &[u64]) -> Planes {
    let mut a = [Plane::constant(0); 5];
    unroll!(y in 0..5 { a[y] = Plane::load_five(&state[5 * y..]); });
    a
}

#[inline(always)]
fn store(a: Planes, state: &mut [u64]) {
    unroll!(y in 0..5 { a[y].store_five(&mut state[5 * y..]); });
}

/// The definition's `keccak_f`.
#[inline(always)]
fn keccak_f(mut a: Planes) -> Planes {
    for rc in RC.as_chunks::<4>().0 {
        a = shear(a);
        unroll!(r in 0..4 { a = round::<r>(a, rc[r]); });
    }
    a
}

/// From planes to α = 3: word x from register i + 3x, by the binary digits of x.
#[inline(always)]
fn shear(mut a: Planes) -> Planes {
    let before = a;
    unroll!(i in 0..5 { a[i] = before[i].blend::<0b01010>(before[(i + 3) % 5]); });
    let before = a;
    unroll!(i in 0..5 { a[i] = before[i].blend::<0b01100>(before[(i + 2 * 3) % 5]); });
    let before = a;
    unroll!(i in 0..5 { a[i] = before[i].blend::<0b10000>(before[(i + 4 * 3) % 5]); });
    a
}

/// Where A is: word x of register i is A[x, αx + βi].
#[derive(Clone, Copy)]
struct Layout {
    alpha: usize,
    beta: usize,
}

/// Those of four rounds after a shear.
const LAYOUTS: [Layout; 4] = {
    let first = Layout { alpha: 3, beta: 1 };
    let [second, third] = [first.next(), first.next().next()];
    [first, second, third, third.next()]
};

/// 1/n mod 5.
const INVERSE: [usize; 5] = [0, 1, 3, 2, 4];

/// Eight places of words in a register; the last three are not used.
type Places = [u64; 8];

impl Layout {
    /// The layout after a round: α′ = 3 + 2/α, β′ = -2β/α.
    const fn next(self) -> Self {
        let inverse = INVERSE[self.alpha];
        Self { alpha: (3 + 2 * inverse) % 5, beta: 3 * inverse * self.beta % 5 }
    }

    /// Whether π makes a plane of each register.
    const fn gives_planes(self) -> bool {
        self.alpha == 1
    }

    const fn y(self, register: usize, x: usize) -> usize {
        (self.alpha * x + self.beta * register) % 5
    }

    /// x′ and y′ of word x after π.
    const fn pi(self, register: usize, x: usize) -> [usize; 2] {
        let y = self.y(register, x);
        [y, (2 * x + 3 * y) % 5]
    }

    /// The amounts of ρ.
    const fn rho(self, register: usize) -> Places {
        let mut amounts = [0; 8];
        let mut x = 0;
        while x < 5 {
            amounts[x] = RHO[x + 5 * self.y(register, x)] as u64;
            x += 1;
        }
        amounts
    }

    /// Place y′ takes the word that is A′[x′, y′].
    const fn by_row(self, register: usize) -> Places {
        let mut places = [0; 8];
        let mut x = 0;
        while x < 5 {
            let [_, row] = self.pi(register, x);
            places[row] = x as u64;
            x += 1;
        }
        places
    }

    /// From the places of [`Self::by_row`], place x′ takes A′[x′, y′].
    const fn by_column(self, register: usize) -> Places {
        let mut places = [0; 8];
        let mut x = 0;
        while x < 5 {
            let [column, row] = self.pi(register, x);
            places[column] = row as u64;
            x += 1;
        }
        places
    }

    /// Of a plane, place x′ takes A′[x′ + distance, y′].
    const fn in_plane(self, register: usize, distance: usize) -> Places {
        let mut places = [0; 8];
        let mut x = 0;
        while x < 5 {
            let [column, _] = self.pi(register, x);
            places[(column + 5 - distance) % 5] = x as u64;
            x += 1;
        }
        places
    }

    /// How many registers after A′[x′, y′] is A′[x′ + 1, y′]: (1 - α)/β.
    const fn step(self) -> usize {
        (6 - self.alpha) * INVERSE[self.beta] % 5
    }
}

/// The definition's round from layout `N` to the next.
#[inline(always)]
fn round<const N: usize>(mut a: Planes, rc: u64) -> Planes {
    let parity = Plane::xor3(Plane::xor3(a[0], a[1], a[2]), a[3], a[4]);
    let before = parity.shuffle(&[4, 0, 1, 2, 3, 5, 6, 7]);
    let after = parity.rotl(1).shuffle(&[1, 2, 3, 4, 0, 5, 6, 7]);
    unroll!(i in 0..5 {
        a[i] = Plane::xor3(a[i], before, after).rotl_each(const { &LAYOUTS[N].rho(i) });
    });
    let mut b = a;
    if const { LAYOUTS[N].gives_planes() } {
        unroll!(i in 0..5 {
            b[const { LAYOUTS[N].pi(i, 0)[1] }] = Plane::chi(
                a[i].shuffle(const { &LAYOUTS[N].in_plane(i, 0) }),
                a[i].shuffle(const { &LAYOUTS[N].in_plane(i, 1) }),
                a[i].shuffle(const { &LAYOUTS[N].in_plane(i, 2) }),
            );
        });
    } else {
        unroll!(i in 0..5 { a[i] = a[i].shuffle(const { &LAYOUTS[N].by_row(i) }); });
        unroll!(i in 0..5 {
            let step = const { LAYOUTS[N].step() };
            let rows = Plane::chi(a[i], a[(i + step) % 5], a[(i + 2 * step) % 5]);
            b[i] = rows.shuffle(const { &LAYOUTS[N].by_column(i) });
        });
    }
    // A[0, 0] is the first word of the first register in every layout.
    b[0] = b[0] ^ Plane::first(rc);
    b
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rounds::tests::kernels_are_the_definition;

    #[test]
    fn kernels_are_the_definition_of_keccak() {
        for hash in [Keccak::SHA3_224, Keccak::SHA3_256, Keccak::SHA3_512, Keccak::SHAKE128] {
            kernels_are_the_definition(&hash, KERNELS);
        }
    }
}
