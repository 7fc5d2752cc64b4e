//! The graphs of the catalogue's primitives, each traced from its one definition.
//!
//! | trace | inputs | outputs |
//! |---|---|---|
//! | [`compression`] | chaining value `h`, block `m`, counter `t` | the next chaining value |
//! | [`squeezing`] | chaining value `h` | an output block, the next chaining value |
//! | [`message`](message()) | words `m`, padding `p`, counters `t`, value `h` | output words `d` |
//! | [`hmac`] | the same, and key words `k` | output words `d` |
//! | [`rc5()`] | key words `l`, table `s` before mixing, block `p` | the block's words |
//! | [`rc5_beside`] | key words `l`, blocks `p` | the blocks' words `c`, the table `s` |
//!
//! Rounds and recurrences are parts of a compression.

mod message;

pub use message::{Loading, hmac, message};

use crate::builder::Builder;
use crate::ir::{Function, Role};
use crate::traced::{Traced, Tracer, width};
use manylane_primitives::catalog::Algorithm;
use manylane_primitives::cipher::rc5::{self, Magic};
use manylane_primitives::hash::{COUNTER_NAMES, Compress, Counter, Hash, Scalar};
use manylane_primitives::match_hash;
use manylane_primitives::step;
use manylane_primitives::word::{Native, Word, Words};

/// A hash whose definition can be computed and traced. Every hash of the catalogue is one.
pub trait Traceable:
    Compress<Scalar<Self>> + for<'g> Compress<Traced<'g, <Self as Hash>::Native>>
{
}
impl<H> Traceable for H where
    H: Compress<Scalar<H>> + for<'g> Compress<Traced<'g, <H as Hash>::Native>>
{
}

/// A computation that is generic over the type of a hash.
pub trait Visitor {
    /// The result of the computation.
    type Output;
    /// Runs the computation for a hash.
    fn visit<H: Traceable>(self, hash: &H) -> Self::Output;
}

/// Calls `visitor` with the type that defines an algorithm of the catalogue.
pub fn visit<V: Visitor>(algorithm: Algorithm, visitor: V) -> V::Output {
    match_hash!(algorithm.id(), |hash| visitor.visit(&algorithm.sized(hash)))
}

/// One call of the compression function.
pub fn compression(algorithm: Algorithm) -> Function {
    compression_in(algorithm, Builder::new)
}

/// One call of the compression function with its operations as they are written (see
/// [`Builder::literal`]): the form in which [`roll`](crate::roll) finds equal rounds.
pub fn literal_compression(algorithm: Algorithm) -> Function {
    compression_in(algorithm, Builder::literal)
}

fn compression_in(algorithm: Algorithm, builder: fn(&str) -> Builder) -> Function {
    struct Trace<'n>(&'n str, fn(&str) -> Builder);
    impl Visitor for Trace<'_> {
        type Output = Function;
        fn visit<H: Traceable>(self, hash: &H) -> Function {
            trace_compression(hash, self.1(&format!("{}.compression", self.0)))
        }
    }
    visit(algorithm, Trace(&algorithm.to_string(), builder))
}

/// One call of the output function, if the hash has one.
pub fn squeezing(algorithm: Algorithm) -> Option<Function> {
    struct Trace<'n>(&'n str);
    impl Visitor for Trace<'_> {
        type Output = Option<Function>;
        fn visit<H: Traceable>(self, hash: &H) -> Option<Function> {
            let name = format!("{}.squeezing", self.0);
            (H::SQUEEZES || hash.is_xof()).then(|| trace_squeezing(hash, 0, &name))
        }
    }
    visit(algorithm, Trace(&algorithm.to_string()))
}

/// Traced inputs `name0`, `name1`, … in the first `count` words of an array, zeros in the others.
fn inputs<'g, N: Native, A: Words<Traced<'g, N>>>(
    tracer: &'g Tracer,
    name: &str,
    role: Role,
    count: usize,
) -> A {
    let mut words = A::splat(Traced::constant(N::default()));
    for (i, word) in words.as_mut()[..count].iter_mut().enumerate() {
        *word = tracer.input(&format!("{name}{i}"), role);
    }
    words
}

/// Number of words of a block that carry message.
fn block_words<H: Hash>(hash: &H) -> usize {
    hash.block_bytes() / H::Native::BYTES
}

/// A chaining value whose bytes are 0, 1, 2, …, the least significant one of a word first.
pub(crate) fn numbered_bytes<H: Hash>() -> H::State<H::Native> {
    let mut state = H::State::splat(H::Native::default());
    for (i, word) in state.as_mut().iter_mut().enumerate() {
        let byte = |at: usize| ((i * H::Native::BYTES + at) as u64 & 0xff) << (8 * at);
        *word = H::Native::of_number((0..H::Native::BYTES).map(byte).sum());
    }
    state
}

fn trace_compression<H: Traceable>(hash: &H, builder: Builder) -> Function {
    let tracer = Tracer::new(builder);
    let length = H::State::<H::Native>::LEN;
    let h: H::State<Traced<'_, H::Native>> = inputs(&tracer, "h", Role::Chaining, length);
    let m: H::Block<Traced<'_, H::Native>> = inputs(&tracer, "m", Role::Message, block_words(hash));
    let mut t = [Traced::constant(H::Native::default()); COUNTER_NAMES.len()];
    for (word, name) in t[..H::COUNTER_WORDS].iter_mut().zip(COUNTER_NAMES) {
        *word = tracer.input(name, Role::Counter);
    }
    let h = hash.compress(h, &m, Counter::from_words(t));
    tracer.outputs("h", h.as_ref());
    tracer.into_builder().finish()
}

fn trace_squeezing<H: Traceable>(hash: &H, index: u64, name: &str) -> Function {
    let tracer = Tracer::new(Builder::new(name));
    let length = H::State::<H::Native>::LEN;
    let mut h: H::State<Traced<'_, H::Native>> = inputs(&tracer, "h", Role::Chaining, length);
    let block = hash.squeeze(&mut h, index);
    tracer.outputs("d", block.as_ref());
    tracer.outputs("h", h.as_ref());
    tracer.into_builder().finish()
}

/// A part of RC5, and its direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rc5 {
    /// Key expansion alone; the outputs are the table.
    KeyExpansion,
    /// Key expansion, then encryption of one block.
    Encryption,
    /// Key expansion, then decryption of one block.
    Decryption,
    /// Encryption of one block alone; the mixed table is an input.
    Block,
    /// Decryption of one block alone; the mixed table is an input.
    Inverse,
}

/// RC5 with words of type `N`, `rounds` rounds and a key of `key_words` words.
///
/// The table before mixing is an input, so that all iterations of the mixing are alike; for
/// [`Rc5::Block`] and [`Rc5::Inverse`] the input is the table after mixing.
///
/// # Panics
/// If `key_words` is zero.
pub fn rc5<N: Magic>(part: Rc5, rounds: usize, key_words: usize) -> Function {
    rc5_in::<N>(part, rounds, key_words, Builder::new)
}

/// Records [`rc5()`] with its operations as they are written (see [`Builder::literal`]): the first
/// iteration of the mixing, which adds zeros, is like the others.
///
/// # Panics
/// As [`rc5()`].
pub fn literal_rc5<N: Magic>(part: Rc5, rounds: usize, key_words: usize) -> Function {
    rc5_in::<N>(part, rounds, key_words, Builder::literal)
}

fn rc5_in<N: Magic>(
    part: Rc5,
    rounds: usize,
    key_words: usize,
    builder: fn(&str) -> Builder,
) -> Function {
    fn trace<'g, N: Magic>(tracer: &'g Tracer, part: Rc5, rounds: usize, key_words: usize) {
        let word = |name: &str, i, role| tracer.input::<N>(&format!("{name}{i}"), role);
        let table = |role| (0..2 * (rounds + 1)).map(|i| word("s", i, role)).collect();
        let s: Vec<Traced<'g, N>> = match part {
            Rc5::Block | Rc5::Inverse => table(Role::Key),
            Rc5::KeyExpansion | Rc5::Encryption | Rc5::Decryption => {
                let l = (0..key_words).map(|j| word("l", j, Role::Key));
                let (mut l, mut s): (Vec<Traced<'g, N>>, _) = (l.collect(), table(Role::Constant));
                let mut ab = [Traced::constant(N::default()); 2];
                for k in 0..rc5::iterations(s.len(), l.len()) {
                    ab = rc5::mix(k, ab, &mut s, &mut l);
                }
                s
            }
        };
        let block = || [word("p", 0, Role::Message), word("p", 1, Role::Message)];
        match part {
            Rc5::KeyExpansion => tracer.outputs("s", &s),
            Rc5::Encryption | Rc5::Block => {
                tracer.outputs("c", &rc5::encrypt_block(block(), s.as_slice()));
            }
            Rc5::Decryption | Rc5::Inverse => {
                tracer.outputs("c", &rc5::decrypt_block(block(), s.as_slice()));
            }
        }
    }
    let name = match part {
        Rc5::KeyExpansion => "key-expansion",
        Rc5::Encryption => "encryption",
        Rc5::Decryption => "decryption",
        Rc5::Block => "block",
        Rc5::Inverse => "inverse",
    };
    let tracer = Tracer::new(builder(&rc5_name::<N>(name, rounds, key_words)));
    trace::<N>(&tracer, part, rounds, key_words);
    tracer.into_builder().finish()
}

fn rc5_name<N: Native>(part: &str, rounds: usize, key_words: usize) -> String {
    format!("rc5-{}-{rounds}-{}.{part}", width::<N>(), key_words * N::BYTES)
}

/// RC5's table while it is mixed: only the entries that were taken so far are final.
struct Mixing<'g, N: Magic> {
    iteration: usize,
    ab: [Traced<'g, N>; 2],
    s: Vec<Traced<'g, N>>,
    l: Vec<Traced<'g, N>>,
}

impl<'g, N: Magic> Mixing<'g, N> {
    fn entry(&mut self, i: usize) -> Traced<'g, N> {
        let Self { iteration, ab, s, l } = self;
        while *iteration <= rc5::final_iteration(i, s.len(), l.len()) {
            *ab = rc5::mix(*iteration, *ab, s, l);
            *iteration += 1;
        }
        s[i]
    }
}

/// RC5's key expansion with the encryption of `blocks` blocks that follows it entry by entry: a
/// round comes as soon as its entries of the table are final. The table before mixing is constant,
/// and the function is literal (see [`Builder::literal`]).
///
/// # Panics
/// If `key_words` is zero.
pub fn rc5_beside<N: Magic>(rounds: usize, key_words: usize, blocks: usize) -> Function {
    let name = rc5_name::<N>("encryption-beside-key-expansion", rounds, key_words);
    let tracer = Tracer::new(Builder::literal(&name));
    {
        let word = |name: &str, i, role| tracer.input::<N>(&format!("{name}{i}"), role);
        let mut table = vec![N::default().scalar(); 2 * (rounds + 1)];
        rc5::initialize(&mut table);
        let s = table.into_iter().map(|entry| Traced::constant(N::from_scalar(entry))).collect();
        let l = (0..key_words).map(|j| word("l", j, Role::Key)).collect();
        let mut mixing = Mixing { iteration: 0, ab: [Traced::constant(N::default()); 2], s, l };
        let mut p: Vec<Traced<'_, N>> =
            (0..2 * blocks).map(|i| word("p", i, Role::Message)).collect();
        for i in 0..=rounds {
            let entries = [mixing.entry(2 * i), mixing.entry(2 * i + 1)];
            for (n, block) in p.chunks_exact_mut(2).enumerate() {
                let (mut ab, index) = ([block[0], block[1]], i * blocks + n);
                block.copy_from_slice(&match i {
                    0 => step!(
                        Injection,
                        "whitening",
                        index,
                        ab,
                        [ab[0] + entries[0], ab[1] + entries[1]]
                    ),
                    _ => step!(Round, "round", index, ab, rc5::round(i, ab, entries)),
                });
            }
        }
        tracer.outputs("c", &p);
        tracer.outputs("s", &mixing.s);
    }
    tracer.into_builder().finish()
}
