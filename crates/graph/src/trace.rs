//! The graphs of the catalogue's primitives, each traced from its one definition.
//!
//! | trace | inputs | outputs |
//! |---|---|---|
//! | [`compression`] | chaining value `h`, block `m`, counter `t` | the next chaining value |
//! | [`squeezing`] | chaining value `h` | an output block, the next chaining value |
//! | [`message`] | message words `m`, initial value `h` | the words `d` of the output blocks |
//! | [`rc5()`] | key words `l`, table `s` before mixing, block `p` | the block's words |
//!
//! Rounds and recurrences are parts of a compression.

use crate::builder::Builder;
use crate::ir::{Function, Module, NodeId, Op, Role};
use crate::traced::{Traced, Tracer, width};
use manylane_primitives::catalog::{Algorithm, HashId};
use manylane_primitives::cipher::rc5::{self, Magic};
use manylane_primitives::for_each_hash;
use manylane_primitives::hash::{Compress, Hash, LONGEST_END, Padded, Scalar, Tail};
use manylane_primitives::word::{ByteOrder, Native, Word, Words};

/// A hash whose definition can be computed and traced: every one.
pub trait Traceable:
    Compress<Scalar<Self>> + for<'g> Compress<Traced<'g, <Self as Hash>::Native>>
{
}
impl<H> Traceable for H where
    H: Compress<Scalar<H>> + for<'g> Compress<Traced<'g, <H as Hash>::Native>>
{
}

/// What can be done with a hash of any type.
pub trait Visitor {
    /// What comes of it.
    type Output;
    /// Does it.
    fn visit<H: Traceable>(self, hash: &H) -> Self::Output;
}

/// Leads from a name of the catalogue to the type that defines it.
pub fn visit<V: Visitor>(algorithm: Algorithm, visitor: V) -> V::Output {
    fn sized<V: Visitor, H: Traceable>(visitor: V, hash: H, digest_bytes: usize) -> V::Output {
        let sized = hash.clone().with_digest_bytes(digest_bytes);
        visitor.visit(&sized.unwrap_or(hash))
    }
    macro_rules! dispatch {
        ($($id:ident $name:literal [$($alias:literal),*] $title:literal $standard:literal
           $security:ident $(($why:literal))? => $value:expr;)*) => {
            match algorithm.id() {
                $( HashId::$id => sized(visitor, $value, algorithm.digest_bytes()), )*
            }
        };
    }
    for_each_hash!(dispatch)
}

/// One call of the compression function.
pub fn compression(algorithm: Algorithm) -> Function {
    compression_in(algorithm, Builder::new)
}

/// One call of the compression function, its operations as they are written (see
/// [`Builder::literal`]): the form in which equal rounds are found, see [`roll`](crate::roll).
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

/// How the words of a message come out of memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Loading {
    /// As the standard orders their bytes.
    Ordered,
    /// By this machine's order, and swapped if the standard's is the other.
    Native(ByteOrder),
    /// In the order that the standard does not use: every word is swapped.
    Swapped,
    /// As [`Loading::Swapped`], after the padding was put into a buffer in memory. It is an input
    /// `p` of constants, as long as the padded blocks, and so the work does not depend on how much
    /// of a block is message. The message's words are filled up with zeros to whole blocks.
    Buffered,
}

/// The hash of a message of `bytes` bytes: padding, byte swaps, and a call per block.
///
/// Inputs are the message's words (the last one filled up with zeros), the padding's if they are
/// buffered, then the initial value.
pub fn message(algorithm: Algorithm, bytes: usize, loading: Loading) -> Module {
    struct Trace {
        name: String,
        bytes: usize,
        loading: Loading,
    }
    impl Visitor for Trace {
        type Output = Module;
        fn visit<H: Traceable>(self, hash: &H) -> Module {
            trace_message(hash, &self.name, self.bytes, self.loading)
        }
    }
    visit(algorithm, Trace { name: algorithm.to_string(), bytes, loading })
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

/// Words of a block that carry message.
fn block_words<H: Hash>(hash: &H) -> usize {
    hash.block_bytes() / H::Native::BYTES
}

fn trace_compression<H: Traceable>(hash: &H, builder: Builder) -> Function {
    let tracer = Tracer::new(builder);
    let length = H::State::<H::Native>::LEN;
    let h: H::State<Traced<'_, H::Native>> = inputs(&tracer, "h", Role::Chaining, length);
    let m: H::Block<Traced<'_, H::Native>> = inputs(&tracer, "m", Role::Message, block_words(hash));
    let counters = if H::COUNTED { 2 } else { 0 };
    let t: [Traced<'_, H::Native>; 2] = inputs(&tracer, "t", Role::Counter, counters);
    let h = hash.compress(h, &m, t);
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

/// The word at byte `at` of `bytes`, in the standard's order.
fn word_at<H: Hash>(bytes: &[u8], at: usize) -> u64 {
    value(H::Native::read(&bytes[at..], H::ORDER))
}

fn value<N: Native>(word: N) -> u64 {
    let mut bytes = [0; 8];
    word.write(&mut bytes, ByteOrder::Little);
    u64::from_le_bytes(bytes)
}

fn trace_message<H: Traceable>(hash: &H, name: &str, bytes: usize, loading: Loading) -> Module {
    let (w, word_bytes) = (width::<H::Native>(), H::Native::BYTES);
    let (block_bytes, words) = (hash.block_bytes(), block_words(hash));
    let buffered = loading == Loading::Buffered;
    let swap = match loading {
        Loading::Ordered => false,
        Loading::Native(order) => order != H::ORDER,
        Loading::Swapped | Loading::Buffered => true,
    };
    let mut module = Module::new();
    let compress =
        module.push(trace_compression(hash, Builder::new(&format!("{name}.compression"))));
    let mut b = Builder::new(&format!("{name}.message"));

    // Where the padded end differs from that of a message of zeros, there is message.
    let whole = hash.whole_blocks(bytes as u64) as usize;
    let rest = bytes - whole * block_bytes;
    let total_bits = 8 * bytes as u128;
    let mut bytes_of_end = [0; LONGEST_END];
    let mut padded: Padded<'_, H::Native> = Padded::new(&mut bytes_of_end);
    hash.pad(&Tail { bytes: &vec![0; rest], total_bits }, &mut padded);

    let mut input = |name: &str, role, count: usize| -> Vec<NodeId> {
        (0..count).map(|i| b.input(&format!("{name}{i}"), role, w)).collect()
    };
    let all = (whole + padded.blocks) * words;
    let loaded = input("m", Role::Message, if buffered { all } else { bytes.div_ceil(word_bytes) });
    let end = input("p", Role::Constant, if buffered { padded.blocks * words } else { 0 });
    let mut h = input("h", Role::Chaining, hash.initial_value().as_ref().len());

    for block in 0..whole + padded.blocks {
        b.enter("block", block as u32, &h);
        let order = |b: &mut Builder, words: &mut [NodeId]| {
            b.enter("byte swap", 0, words);
            for (i, word) in words.iter_mut().enumerate() {
                b.enter("word", i as u32, &[*word]);
                *word = if swap { b.op(Op::SwapBytes, &[*word]) } else { *word };
                b.leave();
            }
            b.leave();
        };
        let first = block * words;
        let in_message = loaded.len().saturating_sub(first).min(words);
        let mut m = loaded[first.min(loaded.len())..][..in_message].to_vec();
        if !buffered {
            order(&mut b, &mut m);
        }
        if let Some(block) = block.checked_sub(whole) {
            b.enter("padding", 0, &m);
            for i in 0..words {
                let constant = word_at::<H>(padded.bytes, block * block_bytes + i * word_bytes);
                b.enter("word", i as u32, &[]);
                let padding =
                    end.get(block * words + i).copied().unwrap_or_else(|| b.constant(constant, w));
                match m.get_mut(i) {
                    Some(word) => *word = b.op(Op::Or, &[*word, padding]),
                    None => m.push(padding),
                }
                b.leave();
            }
            b.leave();
        }
        if buffered {
            order(&mut b, &mut m);
        }
        if H::COUNTED {
            let counter = match block.checked_sub(whole) {
                Some(end) => padded.counters[end],
                None => hash.counter(block as u64),
            };
            m.extend(counter.map(|word| b.constant(value(word), w)));
        }
        let args: Vec<NodeId> = h.iter().copied().chain(m).collect();
        h = b.call(Op::Call(compress), &args, &vec![w; h.len()]);
        b.leave();
    }

    let blocks = hash.digest_bytes().div_ceil(hash.output_block_bytes());
    for (i, &word) in output(hash, name, &mut module, &mut b, h, blocks).iter().enumerate() {
        b.output(&format!("d{i}"), word);
    }
    module.push(b.finish());
    module
}

/// The words of the output blocks, by a call of the output function for each if there is one.
fn output<H: Traceable>(
    hash: &H,
    name: &str,
    module: &mut Module,
    b: &mut Builder,
    mut h: Vec<NodeId>,
    blocks: usize,
) -> Vec<NodeId> {
    if !H::SQUEEZES && !hash.is_xof() {
        return h;
    }
    let mut words = Vec::new();
    for index in 0..blocks {
        let name = format!("{name}.squeezing.{index}");
        let callee = module.push(trace_squeezing(hash, index as u64, &name));
        b.enter("output", index as u32, &h);
        let results = b.call(Op::Call(callee), &h, &vec![width::<H::Native>(); 2 * h.len()]);
        b.leave();
        words.extend(&results[..h.len()]);
        h = results[h.len()..].to_vec();
    }
    words
}

/// Which part of RC5, and in which direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rc5 {
    /// Key expansion alone; outputs are the table.
    KeyExpansion,
    /// Key expansion, then encryption of one block.
    Encryption,
    /// Key expansion, then decryption of one block.
    Decryption,
    /// Encryption of one block alone; the table is the key's part of the inputs.
    Block,
}

/// RC5 with words of type `N`, `rounds` rounds and a key of `key_words` words.
///
/// The table before mixing is an input, so that all iterations of the mixing are alike; of
/// [`Rc5::Block`] it is the table after mixing.
///
/// # Panics
/// If `key_words` is zero.
pub fn rc5<N: Magic>(part: Rc5, rounds: usize, key_words: usize) -> Function {
    fn trace<'g, N: Magic>(tracer: &'g Tracer, part: Rc5, rounds: usize, key_words: usize) {
        let word = |name: &str, i, role| tracer.input::<N>(&format!("{name}{i}"), role);
        let table = |role| (0..2 * (rounds + 1)).map(|i| word("s", i, role)).collect();
        let s: Vec<Traced<'g, N>> = match part {
            Rc5::Block => table(Role::Key),
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
            Rc5::Decryption => tracer.outputs("c", &rc5::decrypt_block(block(), s.as_slice())),
        }
    }
    let name = match part {
        Rc5::KeyExpansion => "key-expansion",
        Rc5::Encryption => "encryption",
        Rc5::Decryption => "decryption",
        Rc5::Block => "block",
    };
    let name = format!("rc5-{}-{rounds}-{}.{name}", width::<N>(), key_words * N::BYTES);
    let tracer = Tracer::new(Builder::new(&name));
    trace::<N>(&tracer, part, rounds, key_words);
    tracer.into_builder().finish()
}
