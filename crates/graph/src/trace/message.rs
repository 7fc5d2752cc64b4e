//! The computation around the compressions of a message: padding, byte swaps, a call per block and
//! the output; and HMAC, which is two such messages.
//!
//! ```text
//!  m ─┬─ OR ── byte swap ── call ─┐        K_0 ⊕ ipad ║ message ──► digest ─┐
//!  p ─┘                   h, t ───┴─► h    K_0 ⊕ opad ─────────────────────── ║ ──► digest
//! ```

use super::{
    Traceable, Visitor, block_words, numbered_bytes, trace_compression, trace_squeezing, visit,
};
use crate::builder::Builder;
use crate::interpret::mask;
use crate::ir::{FunctionId, Kind, Module, NodeId, Op, Role};
use crate::traced::width;
use manylane_primitives::catalog::Algorithm;
use manylane_primitives::hash::{Counter, Hash, LONGEST_END, Padded, Tail};
use manylane_primitives::mac::hmac::{IPAD, OPAD};
use manylane_primitives::word::{ByteOrder, Native};

/// How the words of a message are loaded from memory, and which parts of its padding are constants
/// of the graph.
///
/// | loading | byte-swapped words | padding, counters |
/// |---|---|---|
/// | `Ordered` | none | constants of this length |
/// | `Swapped` | all | constants of this length |
/// | `Native` | all, if the machine's order is not the standard's | constants of this length |
/// | `Program` | the same | inputs |
/// | `Buffered` | all | padding an input, counters constants |
///
/// Where padding is constant, the operations that have constant operands are folded: half of the
/// message schedule of a block of padding. Where it is an input, the program has written it into a
/// buffer in memory, and the number of operations does not depend on how much of a block is
/// message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Loading {
    /// The words have the standard's byte order in memory.
    Ordered,
    /// The words are loaded by a machine of this byte order whose program hashes messages of this
    /// one length.
    Native(ByteOrder),
    /// The words have the byte order that the standard does not use.
    Swapped,
    /// The words are loaded by a machine of this byte order whose program hashes messages of any
    /// length.
    Program(ByteOrder),
    /// A program for any length assembles each word from its bytes, on a machine of either order.
    Buffered,
}

impl Loading {
    /// Whether padding is put into memory before words are loaded.
    fn pads_in_memory(self) -> bool {
        match self {
            Self::Program(_) | Self::Buffered => true,
            Self::Ordered | Self::Native(_) | Self::Swapped => false,
        }
    }

    /// Whether counters are inputs.
    fn counts(self) -> bool {
        matches!(self, Self::Program(_))
    }

    /// Whether words of a standard's `order` are swapped.
    fn swaps(self, order: ByteOrder) -> bool {
        match self {
            Self::Ordered => false,
            Self::Native(own) | Self::Program(own) => own != order,
            Self::Swapped | Self::Buffered => true,
        }
    }
}

/// The hash of a message of `bytes` bytes: padding, byte swaps, and a call per block.
///
/// Inputs are the message's words `m` (the last one filled up with zeros; if padding is an input,
/// all words of all blocks), the words `p` of the padding in the padded blocks, the counters `t` of
/// all blocks, [`Hash::COUNTER_WORDS`] words each, and the initial value `h`. There is no `p` or no
/// `t` where `loading` makes padding or counters constants.
pub fn message(algorithm: Algorithm, bytes: usize, loading: Loading) -> Module {
    struct Trace {
        name: String,
        bytes: usize,
        loading: Loading,
    }
    impl Visitor for Trace {
        type Output = Module;
        fn visit<H: Traceable>(self, hash: &H) -> Module {
            let Self { name, bytes, loading } = self;
            let mut trace = Messages::new(hash, &name, "message", loading);
            let end = End::of(hash, bytes);
            let m = trace.loaded("m", Role::Message, bytes, &end);
            let p = trace.padding(&[&end]);
            let t = trace.counters(&[&end]);
            let h = trace.initial_value();
            let h = trace.absorb(&m, &end, &p, &t, h, &|block| ("block", block));
            let words = trace.output(h, hash.digest_bytes(), "output");
            trace.finish(&words)
        }
    }
    visit(algorithm, Trace { name: algorithm.to_string(), bytes, loading })
}

/// HMAC (FIPS 198-1) of a message of `bytes` bytes under a key of `key_bytes` bytes.
///
/// Inputs are the key's words `k` (K_0 if it fits a block, else the key as a message of its own),
/// the words `z` of K_0 after the digest of a longer key, which are zeros, and those of
/// [`message`]. The padding `p` and the counters `t` are first those of the key's digest, if the
/// key is longer than a block, then those of the inner digest, then those of the outer one.
///
/// # Panics
/// If the digest is longer than a block, which HMAC does not allow.
pub fn hmac(algorithm: Algorithm, key_bytes: usize, bytes: usize, loading: Loading) -> Module {
    struct Trace {
        name: String,
        key_bytes: usize,
        bytes: usize,
        loading: Loading,
    }
    impl Visitor for Trace {
        type Output = Module;
        fn visit<H: Traceable>(self, hash: &H) -> Module {
            trace_hmac(hash, &self.name, self.key_bytes, self.bytes, self.loading)
        }
    }
    visit(algorithm, Trace { name: algorithm.to_string(), key_bytes, bytes, loading })
}

fn trace_hmac<H: Traceable>(
    hash: &H,
    name: &str,
    key_bytes: usize,
    bytes: usize,
    loading: Loading,
) -> Module {
    let (block_bytes, digest_bytes) = (hash.block_bytes(), hash.digest_bytes());
    assert!(digest_bytes <= block_bytes, "HMAC needs a digest no longer than a block");
    let words = block_words(hash);
    let mut trace = Messages::new(hash, name, "hmac", loading);
    let [inner, outer] = [bytes, digest_bytes].map(|bytes| End::of(hash, block_bytes + bytes));
    let long = (key_bytes > block_bytes).then(|| End::of(hash, key_bytes));
    let k = match &long {
        Some(end) => trace.loaded("k", Role::Key, key_bytes, end),
        None if loading.pads_in_memory() => trace.inputs("k", Role::Key, words),
        None => trace.inputs("k", Role::Key, key_bytes.div_ceil(H::Native::BYTES)),
    };
    let digest_words = digest_bytes.div_ceil(H::Native::BYTES);
    let zeros = if long.is_some() && loading.pads_in_memory() { words - digest_words } else { 0 };
    let z = trace.inputs("z", Role::Constant, zeros);
    // The inner message begins with a block of the key.
    let in_memory = match loading.pads_in_memory() {
        true => (inner.whole + inner.blocks) * words - words,
        false => bytes.div_ceil(H::Native::BYTES),
    };
    let m = trace.inputs("m", Role::Message, in_memory);
    let ends: Vec<&End<H>> = long.iter().chain([&inner, &outer]).collect();
    let (p, t) = (trace.padding(&ends), trace.counters(&ends));
    let (mut p, mut t) = (&p[..], &t[..]);
    let mut of = |end: &End<H>| {
        let own =
            (p.split_at(p.len().min(end.blocks * words)), t.split_at(t.len().min(end.counted())));
        (p, t) = (own.0.1, own.1.1);
        (own.0.0, own.1.0)
    };
    let initial = trace.initial_value();

    let k0: Vec<Word> = match &long {
        None => k,
        Some(end) => {
            let (p, t) = of(end);
            let h = trace.absorb(&k, end, p, t, initial.clone(), &|block| ("key block", block));
            let digest = trace.output(h, digest_bytes, "key output");
            trace.builder.enter(Kind::Block, "key block", 0, &[]);
            let digest = trace.digest_words(&digest);
            trace.builder.leave();
            digest.into_iter().chain(z).collect()
        }
    };
    let mut chains = Vec::new();
    for (pad, name, frame) in [(IPAD, "ipad", "inner key block"), (OPAD, "opad", "outer key block")]
    {
        trace.builder.enter(Kind::Block, frame, 0, &[]);
        chains.push(trace.xor_pad(&k0, pad, name));
        trace.builder.leave();
    }
    let outer_key = chains.pop().expect("two were pushed");
    let mut text = chains.pop().expect("two were pushed");
    text.extend(m);
    let (inner_p, inner_t) = of(&inner);
    let h = trace.absorb(&text, &inner, inner_p, inner_t, initial.clone(), &|block| {
        block.checked_sub(1).map_or(("inner key block", 0), |block| ("block", block))
    });
    let digest = trace.output(h, digest_bytes, "inner output");
    trace.builder.enter(Kind::Block, "outer block", 0, &[]);
    let digest = trace.digest_words(&digest);
    trace.builder.leave();
    let text: Vec<Word> = outer_key.into_iter().chain(digest).collect();
    let (outer_p, outer_t) = of(&outer);
    let h = trace.absorb(&text, &outer, outer_p, outer_t, initial, &|block| {
        block.checked_sub(1).map_or(("outer key block", 0), |block| ("outer block", block))
    });
    let words = trace.output(h, digest_bytes, "output");
    trace.finish(&words)
}

/// The end of a message: its padded blocks, for a message of zeros.
struct End<H: Hash> {
    /// Bytes of message.
    bytes: usize,
    /// Number of blocks without padding.
    whole: usize,
    /// Number of padded blocks, which follow them.
    blocks: usize,
    /// The padded blocks of a message of zeros: bytes that are not zero are padding.
    padded: [u8; LONGEST_END],
    /// Counters of all blocks.
    counters: Vec<Counter<H::Native>>,
}

impl<H: Hash> End<H> {
    fn of(hash: &H, bytes: usize) -> Self {
        let whole = hash.whole_blocks(bytes as u64) as usize;
        let rest = vec![0; bytes - whole * hash.block_bytes()];
        let mut out = [0; LONGEST_END];
        let mut padded: Padded<'_, H::Native> = Padded::new(&mut out);
        hash.pad(&Tail { bytes: &rest, total_bits: 8 * bytes as u128 }, &mut padded);
        let blocks = padded.blocks;
        let whole_counters = (0..whole as u64).map(|block| hash.counter(block));
        let counters = whole_counters.chain(padded.counters.into_iter().take(blocks)).collect();
        Self { bytes, whole, blocks, padded: out, counters }
    }

    /// Words of all counters.
    fn counted(&self) -> usize {
        H::COUNTER_WORDS * self.counters.len()
    }
}

/// A word of a message in the graph.
#[derive(Clone, Copy)]
enum Word {
    /// A word as it lies in memory, in the machine's byte order.
    Loaded(NodeId),
    /// A word in the standard's byte order.
    Computed(NodeId),
}

/// The graphs of messages that are being built.
struct Messages<'h, H: Traceable> {
    hash: &'h H,
    name: &'h str,
    loading: Loading,
    module: Module,
    builder: Builder,
    compress: FunctionId,
    /// Output functions by the number of the output block.
    squeezing: Vec<FunctionId>,
}

impl<'h, H: Traceable> Messages<'h, H> {
    fn new(hash: &'h H, name: &'h str, what: &str, loading: Loading) -> Self {
        let mut module = Module::new();
        let compress =
            module.push(trace_compression(hash, Builder::new(&format!("{name}.compression"))));
        let builder = Builder::new(&format!("{name}.{what}"));
        Self { hash, name, loading, module, builder, compress, squeezing: Vec::new() }
    }

    fn finish(mut self, words: &[NodeId]) -> Module {
        for (i, &word) in words.iter().enumerate() {
            self.builder.output(&format!("d{i}"), word);
        }
        self.module.push(self.builder.finish());
        self.module
    }

    fn nodes(&mut self, name: &str, role: Role, count: usize) -> Vec<NodeId> {
        let width = width::<H::Native>();
        (0..count).map(|i| self.builder.input(&format!("{name}{i}"), role, width)).collect()
    }

    fn inputs(&mut self, name: &str, role: Role, count: usize) -> Vec<Word> {
        self.nodes(name, role, count).into_iter().map(Word::Loaded).collect()
    }

    /// The words of a message in memory: all of its padded blocks if padding is put into memory.
    fn loaded(&mut self, name: &str, role: Role, bytes: usize, end: &End<H>) -> Vec<Word> {
        let count = match self.loading.pads_in_memory() {
            true => (end.whole + end.blocks) * block_words(self.hash),
            false => bytes.div_ceil(H::Native::BYTES),
        };
        self.inputs(name, role, count)
    }

    fn padding(&mut self, ends: &[&End<H>]) -> Vec<NodeId> {
        let blocks: usize = ends.iter().map(|end| end.blocks).sum();
        let count = if self.loading.pads_in_memory() { blocks * block_words(self.hash) } else { 0 };
        self.nodes("p", Role::Constant, count)
    }

    fn counters(&mut self, ends: &[&End<H>]) -> Vec<NodeId> {
        let count = ends.iter().map(|end| end.counted()).sum();
        self.nodes("t", Role::Counter, if self.loading.counts() { count } else { 0 })
    }

    fn initial_value(&mut self) -> Vec<NodeId> {
        self.nodes("h", Role::Chaining, self.hash.initial_value().as_ref().len())
    }

    /// Makes each word anew in a step of its own, `name[0]/word[i]`.
    fn each(
        &mut self,
        (kind, name): (Kind, &str),
        words: &mut [Word],
        mut f: impl FnMut(&mut Builder, usize, Word) -> Word,
    ) {
        let node = |word: &Word| match *word {
            Word::Loaded(node) | Word::Computed(node) => node,
        };
        let over: Vec<NodeId> = words.iter().map(node).collect();
        self.builder.enter(kind, name, 0, &over);
        for (i, word) in words.iter_mut().enumerate() {
            self.builder.enter(Kind::Part, "word", i as u32, &[node(word)]);
            *word = f(&mut self.builder, i, *word);
            self.builder.leave();
        }
        self.builder.leave();
    }

    /// Brings loaded words into the standard's order.
    fn order(&mut self, words: &mut [Word]) {
        let swaps = self.loading.swaps(H::ORDER);
        self.each((Kind::Load, "byte swap"), words, |b, _, word| match word {
            Word::Loaded(node) if swaps => Word::Computed(b.op(Op::SwapBytes, &[node])),
            Word::Loaded(node) | Word::Computed(node) => Word::Computed(node),
        });
    }

    /// Adds the padding of the padded block of number `block` to the message words `m`.
    fn pad(&mut self, m: &mut Vec<Word>, end: &End<H>, p: &[NodeId], block: usize) {
        let (words, word_bytes) = (block_words(self.hash), H::Native::BYTES);
        let swaps = self.loading.swaps(H::ORDER);
        let in_message = m.len();
        let width = width::<H::Native>();
        let missing = Word::Computed(self.builder.constant(0, width));
        m.resize(words, missing);
        self.each((Kind::Pad, "padding"), m, |b, i, word| {
            let at = block * words + i;
            let Some(&padding) = p.get(at) else {
                let constant = H::Native::read(&end.padded[at * word_bytes..], H::ORDER).number();
                let constant = b.constant(constant, width);
                return match word {
                    Word::Loaded(node) => Word::Loaded(b.op(Op::Or, &[node, constant])),
                    Word::Computed(node) => Word::Computed(b.op(Op::Or, &[node, constant])),
                };
            };
            let full = ((end.whole * words + at + 1) * word_bytes) <= end.bytes;
            match word {
                _ if i >= in_message => Word::Loaded(padding),
                Word::Loaded(node) => Word::Loaded(b.op(Op::Or, &[node, padding])),
                Word::Computed(node) if full => Word::Computed(node),
                Word::Computed(node) => {
                    let padding = if swaps { b.op(Op::SwapBytes, &[padding]) } else { padding };
                    Word::Computed(b.op(Op::Or, &[node, padding]))
                }
            }
        });
    }

    /// The chaining value after the padded message of these words. `frame` names each block's step.
    fn absorb(
        &mut self,
        message: &[Word],
        end: &End<H>,
        p: &[NodeId],
        t: &[NodeId],
        mut h: Vec<NodeId>,
        frame: &dyn Fn(u32) -> (&'static str, u32),
    ) -> Vec<NodeId> {
        let (words, width) = (block_words(self.hash), width::<H::Native>());
        let in_memory = self.loading.pads_in_memory();
        for block in 0..end.whole + end.blocks {
            let (name, index) = frame(block as u32);
            self.builder.enter(Kind::Block, name, index, &h);
            let rest = &message[message.len().min(block * words)..];
            let mut m = rest[..rest.len().min(words)].to_vec();
            if !in_memory {
                self.order(&mut m);
            }
            if let Some(block) = block.checked_sub(end.whole) {
                self.pad(&mut m, end, p, block);
            }
            if in_memory {
                self.order(&mut m);
            }
            let m = m.iter().map(|word| match *word {
                Word::Loaded(node) | Word::Computed(node) => node,
            });
            let mut args: Vec<NodeId> = h.iter().copied().chain(m).collect();
            args.extend((0..H::COUNTER_WORDS).map(|i| match t.get(H::COUNTER_WORDS * block + i) {
                Some(&counter) => counter,
                None => self.builder.constant(end.counters[block].words()[i].number(), width),
            }));
            h = self.builder.call(Op::Call(self.compress), &args, &vec![width; h.len()]);
            self.builder.leave();
        }
        h
    }

    /// The words of the output blocks for `bytes` bytes. Each block is a call of the output
    /// function, if the hash has one.
    fn output(&mut self, mut h: Vec<NodeId>, bytes: usize, frame: &str) -> Vec<NodeId> {
        if !H::SQUEEZES && !self.hash.is_xof() {
            return h;
        }
        let mut words = Vec::new();
        for index in 0..bytes.div_ceil(self.hash.output_block_bytes()) {
            if self.squeezing.len() == index {
                let name = format!("{}.squeezing.{index}", self.name);
                let function = trace_squeezing(self.hash, index as u64, &name);
                self.squeezing.push(self.module.push(function));
            }
            self.builder.enter(Kind::Output, frame, index as u32, &h);
            let widths = vec![width::<H::Native>(); 2 * h.len()];
            let results = self.builder.call(Op::Call(self.squeezing[index]), &h, &widths);
            self.builder.leave();
            words.extend(&results[..h.len()]);
            h = results[h.len()..].to_vec();
        }
        words
    }

    /// Makes the digest, from the output words that [`Messages::output`] gives, into words of a
    /// message.
    fn digest_words(&mut self, output: &[NodeId]) -> Vec<Word> {
        let (word_bytes, width) = (H::Native::BYTES, width::<H::Native>());
        let places = places(self.hash);
        let zero = self.builder.constant(0, width);
        let mut digest = vec![Word::Computed(zero); places.len().div_ceil(word_bytes)];
        self.each((Kind::Load, "digest"), &mut digest, |b, i, _| {
            let bytes = &places[i * word_bytes..places.len().min((i + 1) * word_bytes)];
            // Bytes of one output word that move by the same distance, by their mask in that word.
            let mut parts: Vec<(usize, isize, u64)> = Vec::new();
            for (at, &(word, byte)) in bytes.iter().enumerate() {
                let place = match H::ORDER {
                    ByteOrder::Little => at,
                    ByteOrder::Big => word_bytes - 1 - at,
                };
                let (distance, bits) = (place as isize - byte as isize, 0xff << (8 * byte));
                match parts.iter_mut().find(|part| (part.0, part.1) == (word, distance)) {
                    Some((_, _, mask)) => *mask |= bits,
                    None => parts.push((word, distance, bits)),
                }
            }
            let parts = parts.into_iter().map(|(word, distance, bits)| {
                let shift = 8 * distance.unsigned_abs() as u8;
                let moved = match distance {
                    0 => output[word],
                    1.. => b.op(Op::Shl(shift), &[output[word]]),
                    _ => b.op(Op::Shr(shift), &[output[word]]),
                };
                let (kept, all) = match distance {
                    0.. => (bits << shift, mask(width) << shift & mask(width)),
                    _ => (bits >> shift, mask(width) >> shift),
                };
                if kept == all {
                    return moved;
                }
                let bits = b.constant(kept, width);
                b.op(Op::And, &[moved, bits])
            });
            let parts: Vec<NodeId> = parts.collect();
            let joined = parts.into_iter().reduce(|x, y| b.op(Op::Or, &[x, y]));
            Word::Computed(joined.unwrap_or(zero))
        });
        digest
    }

    /// K_0 ⊕ ipad or K_0 ⊕ opad, one whole block.
    fn xor_pad(&mut self, k0: &[Word], pad: u8, name: &str) -> Vec<Word> {
        let width = width::<H::Native>();
        let zero = Word::Computed(self.builder.constant(0, width));
        let mut words = k0.to_vec();
        words.resize(block_words(self.hash), zero);
        self.each((Kind::Part, name), &mut words, |b, _, word| {
            // The constant is the same in either byte order.
            let pad = b.constant(u64::from_le_bytes([pad; 8]), width);
            match word {
                Word::Loaded(node) => Word::Loaded(b.op(Op::Xor, &[node, pad])),
                Word::Computed(node) => Word::Computed(b.op(Op::Xor, &[node, pad])),
            }
        });
        words
    }
}

/// Returns, for each byte of the digest, the number of its output word, counted through all output
/// blocks, and its place in the word, 0 for the least significant byte. Found by evaluating the
/// definition on output words whose bytes all differ.
fn places<H: Hash>(hash: &H) -> Vec<(usize, usize)> {
    let word_bytes = H::Native::BYTES;
    let state = numbered_bytes::<H>();
    let words = state.as_ref().len();
    let mut places = Vec::new();
    let mut left = hash.digest_bytes();
    for block in 0.. {
        let mut out = vec![0; left.min(hash.output_block_bytes())];
        if out.is_empty() {
            break;
        }
        hash.write_output(&state, &mut out);
        let place = |&byte: &u8| {
            let byte = usize::from(byte);
            (block * words + byte / word_bytes, byte % word_bytes)
        };
        places.extend(out.iter().map(place));
        left -= out.len();
    }
    places
}
