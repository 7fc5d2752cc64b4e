//! Keccak of one message: five lanes of the state in each of five registers.
//!
//! Word x of register i is A[x, αx + βi]: register i is plane i if α = 0 and β = 1, and otherwise a
//! sheared plane. θ needs a whole column in the words x of all registers, which holds for any α. π
//! moves the word to x′ = αx + βi, y′ = 2x + 3x′. χ needs three words with consecutive x′ and the
//! same y′. If y′ becomes the place of a word, these are in registers a fixed distance apart; if x′
//! becomes the place, the result is a layout with another α.
//!
//! ```text
//! planes ─ shear ─► α = 3 ─ round ─► 2 ─ round ─► 4 ─ round ─► 1 ─ round ─► planes
//! ```
//!
//! If α = 1, a register has all words of one y′, and shuffles of this register give χ its three
//! words. The state is therefore never transposed: a round has 12 to 17 shuffles, 12 ternary
//! operations and 6 rotations, and the shear of every fourth round has 15 blends. Transposing
//! planes after each round would take 15 blends and 4 shuffles more in each round.
//!
//! Three shuffles of a round are on the critical path, one after the other: that of the parities
//! for θ, that of the state for χ, and the one back to columns. The first two can be one, because a
//! parity goes to all five words of its column: five shuffles of the parities, one for the places
//! of each register, serve both neighbours, and the state is shuffled at the same time
//! ([`merged`]). On Zen 5, where a shuffle takes five cycles, a round then takes 30 cycles instead
//! of 34. On cores with one port for shuffles, such as Intel's, the seven additional operations
//! cost as much as the wait.

mod lanes;
mod words;

use crate::cpu::Engine;
use crate::kernels::kernel::Kernel;
use crate::kernels::shell::{avx2, avx512};
use crate::lanes::avx2::Avx2;
use crate::lanes::avx512::Avx512;
use lanes::PlaneByPlane;
use manylane_primitives::hash::Hash;
use manylane_primitives::hash::keccak::{Keccak, RC, RHO};
use manylane_primitives::unroll;
use manylane_primitives::word::Word;

macro_rules! kernels {
    ($merges:literal) => {
        &[
            Kernel {
                squeeze: squeeze::<$merges>,
                ..Kernel::compressing(Engine::Avx512, 1, 0.75, compress::<$merges>)
            },
            Kernel {
                block_time: 1.65,
                ..avx512::kernel_of::<Keccak, Plane, PlaneByPlane<false>>()
            },
            Kernel {
                block_time: 1.2,
                ..avx2::kernel_of::<Keccak, Avx2<u64>, PlaneByPlane<true>>()
            },
            Kernel {
                squeeze: words::squeeze,
                ..Kernel::compressing(Engine::Bmi2, 1, 0.8, words::compress)
            },
        ]
    };
}

/// The kernels for one message, and those that take the planes of several one by one.
pub static KERNELS: &[Kernel<Keccak>] = kernels!(false);
/// The same kernels, but that of AVX-512 for one message has the shuffles of π before θ.
pub static ON_ZEN5: &[Kernel<Keccak>] = kernels!(true);

type Plane = Avx512<u64>;
type Planes = [Plane; 5];

/// # Safety
/// The CPU must have AVX-512 F, BW, DQ and VL, AVX2, BMI1, BMI2 and AES-NI.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,bmi1,bmi2,aes")]
unsafe fn compress<const MERGES: bool>(
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
            // Beyond the rate no word is loaded, but the address stays in the block: a load under a
            // mask of zeros from memory that is not mapped takes hundreds of cycles.
            a[y] = a[y] ^ Plane::load_words(block.get(40 * y..).unwrap_or(&block[..0]));
        });
        a = keccak_f::<MERGES>(a);
    }
    store(a, state);
}

/// # Safety
/// The CPU must have AVX-512 F, BW, DQ and VL, AVX2, BMI1, BMI2 and AES-NI.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,bmi1,bmi2,aes")]
unsafe fn squeeze<const MERGES: bool>(_: &Keccak, state: &mut [u64], index: u64, out: &mut [u64]) {
    if index > 0 {
        store(keccak_f::<MERGES>(load(state)), state);
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
fn keccak_f<const MERGES: bool>(mut a: Planes) -> Planes {
    for rc in RC.as_chunks::<4>().0 {
        let parities = parities(a);
        a = round::<0, MERGES>(shear(a), parities, rc[0]);
        unroll!(r in [1 2 3] { a = round::<r, MERGES>(a, self::parities(a), rc[r]); });
    }
    a
}

/// The parities of the columns: word x is that of column x. The first register is added last,
/// because ι delays it.
#[inline(always)]
fn parities(a: Planes) -> Plane {
    Plane::xor3(Plane::xor3(a[1], a[2], a[3]), a[4], a[0])
}

/// Goes from planes to α = 3: word x comes from register i + 3x, by the binary digits of x.
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

/// The layouts of the four rounds after a shear.
const LAYOUTS: [Layout; 4] = {
    let first = Layout { alpha: 3, beta: 1 };
    let [second, third] = [first.next(), first.next().next()];
    [first, second, third, third.next()]
};

/// 1/n mod 5.
const INVERSE: [usize; 5] = [0, 1, 3, 2, 4];

/// Eight places of words in a register; the last three are not used.
type Places = [u64; 8];

/// Place x takes word x + n.
const TURNS: [Places; 5] = {
    let mut turns = [[0; 8]; 5];
    let mut i = 0;
    while i < 25 {
        turns[i / 5][i % 5] = ((i / 5 + i % 5) % 5) as u64;
        i += 1;
    }
    turns
};

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

    /// The amounts of ρ for words in the places of [`Self::for_chi`].
    const fn rho_for_chi(self, register: usize) -> Places {
        let (mut amounts, rho, words) = ([0; 8], self.rho(register), self.for_chi(register));
        let mut place = 0;
        while place < 5 {
            amounts[place] = rho[words[place] as usize];
            place += 1;
        }
        amounts
    }

    /// The places in which words meet others in χ.
    const fn for_chi(self, register: usize) -> Places {
        match self.gives_planes() {
            true => self.in_plane(register, 0),
            false => self.by_row(register),
        }
    }

    /// The register whose places, for χ, take words x + `distance` where those of this one take x.
    const fn register_beside(self, register: usize, distance: u64) -> usize {
        let wanted = (self.for_chi(register)[0] + distance) % 5;
        let mut other = 0;
        while self.for_chi(other)[0] != wanted {
            other += 1;
        }
        other
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

    /// Returns the permutation from the places of [`Self::by_row`]: place x′ takes A′[x′, y′].
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

    /// Returns the permutation of a plane in which place x′ takes A′[x′ + distance, y′].
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

    /// The number of registers from A′[x′, y′] to A′[x′ + 1, y′]: (1 - α)/β.
    const fn step(self) -> usize {
        (6 - self.alpha) * INVERSE[self.beta] % 5
    }
}

/// The definition's round from layout `N` to the next.
#[inline(always)]
fn round<const N: usize, const MERGES: bool>(a: Planes, parities: Plane, rc: u64) -> Planes {
    let mut b = if MERGES { merged::<N>(a, parities) } else { unmerged::<N>(a, parities) };
    // A[0, 0] is the first word of the first register in every layout.
    b[0] = b[0] ^ Plane::first(rc);
    b
}

/// θ, ρ, π and χ, one after the other.
#[inline(always)]
fn unmerged<const N: usize>(mut a: Planes, parities: Plane) -> Planes {
    let before = parities.shuffle(&TURNS[4]);
    let after = parities.rotl(1).shuffle(&TURNS[1]);
    unroll!(i in 0..5 {
        a[i] = Plane::xor3(a[i], before, after).rotl_each(const { &LAYOUTS[N].rho(i) });
    });
    if const { LAYOUTS[N].gives_planes() } {
        let mut b = a;
        unroll!(i in 0..5 {
            b[const { LAYOUTS[N].pi(i, 0)[1] }] = Plane::chi(
                a[i].shuffle(const { &LAYOUTS[N].in_plane(i, 0) }),
                a[i].shuffle(const { &LAYOUTS[N].in_plane(i, 1) }),
                a[i].shuffle(const { &LAYOUTS[N].in_plane(i, 2) }),
            );
        });
        b
    } else {
        unroll!(i in 0..5 { a[i] = a[i].shuffle(const { &LAYOUTS[N].by_row(i) }); });
        chi_of_rows::<N>(a)
    }
}

/// What [`unmerged`] computes, but the shuffles of π come before θ, for the state and for the
/// parities.
#[inline(always)]
fn merged<const N: usize>(mut a: Planes, parities: Plane) -> Planes {
    let mut before = a;
    unroll!(i in 0..5 { before[i] = parities.shuffle(const { &LAYOUTS[N].for_chi(i) }); });
    let mut after = before;
    unroll!(i in 0..5 { after[i] = before[i].rotl(1); });
    unroll!(i in 0..5 {
        let word = a[i].shuffle(const { &LAYOUTS[N].for_chi(i) });
        let before = before[const { LAYOUTS[N].register_beside(i, 4) }];
        let after = after[const { LAYOUTS[N].register_beside(i, 1) }];
        a[i] = Plane::xor3(word, before, after)
            .rotl_each(const { &LAYOUTS[N].rho_for_chi(i) });
    });
    if const { LAYOUTS[N].gives_planes() } {
        let mut b = a;
        unroll!(i in 0..5 {
            b[const { LAYOUTS[N].pi(i, 0)[1] }] =
                Plane::chi(a[i], a[i].shuffle(&TURNS[1]), a[i].shuffle(&TURNS[2]));
        });
        b
    } else {
        chi_of_rows::<N>(a)
    }
}

/// χ of words in the places of [`Layout::by_row`], to the next layout.
#[inline(always)]
fn chi_of_rows<const N: usize>(a: Planes) -> Planes {
    let mut b = a;
    unroll!(i in 0..5 {
        let step = const { LAYOUTS[N].step() };
        let rows = Plane::chi(a[i], a[(i + step) % 5], a[(i + 2 * step) % 5]);
        b[i] = rows.shuffle(const { &LAYOUTS[N].by_column(i) });
    });
    b
}
