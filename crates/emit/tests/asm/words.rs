//! The CPU computes words of every block: XGATE has one thread, and reads no block of the message.

use crate::case::{Case, agrees, macs_agree, message, seed};
use crate::stalls::survives;
use manylane_emit::asm::{Cores, Made};
use manylane_graph::calls::digest;
use manylane_graph::trace;
use manylane_plan::program::cut::{cuts, split, split_schedule, split_stream};
use manylane_plan::program::shape::Loops;

/// Hashes with the words of the schedule that an iteration of the CPU computes, and the rounds in
/// the iterations of XGATE's loops.
const WORDS: [(&str, usize, &[usize]); 3] =
    [("sha1", 8, &[5, 4, 10, 20]), ("sha256", 4, &[8]), ("sha512", 16, &[1])];

/// The case of a hash whose message schedule the CPU computes. For a hash without one, the CPU
/// computes all that depends on the message alone: a word for each use in the rounds, in their
/// order, or else the words of the last cut.
pub fn with_words(name: &str) -> Case {
    words_of(Case::new(name, 1))
}

fn words_of(case: Case) -> Case {
    let name = case.algorithm.to_string();
    let function = trace::literal_compression(case.algorithm);
    match WORDS.iter().find(|of| of.0 == name) {
        Some(&(_, cpu, rounds)) => {
            case.with_words(&split_schedule(&function).unwrap(), cpu, rounds)
        }
        None => {
            let split = split_stream(&function).unwrap_or_else(|| {
                split(&function, *cuts(&function, false).last().unwrap()).unwrap()
            });
            let rounds = Loops::of(&split.rest, false).unwrap();
            case.with_words(&split, 1, &vec![1; rounds.len()])
        }
    }
}

impl Case {
    /// The case with a part of the CPU that is fast rather than small.
    fn with_fast_words(mut self) -> Self {
        self.share.as_mut().unwrap().is_small = false;
        self
    }
}

/// All lengths up to three blocks and one byte, and the length of the measured messages, with
/// random stalls of either core; pieces at odd addresses.
#[test]
fn words_of_every_block_change_no_digest() {
    let small = ["sha1", "sha256", "sha512", "blake224", "blake256", "blake512"].map(with_words);
    let fast = ["blake256", "blake384"].map(|name| with_words(name).with_fast_words());
    for case in small.into_iter().chain(fast) {
        let case = case.without_fallback();
        let name = &case.algorithm.to_string();
        let lengths = (0..=3 * case.stream.framing.block_bytes + 1).chain([1024]);
        let lengths: Vec<usize> = lengths.collect();
        agrees(&case, Cores::Both, &lengths, &[None, Some(seed(name)), Some(1)]);
        let mut caller = case.caller(Cores::Both);
        for sizes in [&[1, 63, 64, 65, 129][..], &[3, 200, 7], &[128, 64, 64], &[1000, 127, 1]] {
            let hashed = caller.hash_pieces(&message(2000), sizes).unwrap();
            assert_eq!(hashed.digest, digest(case.algorithm, &message(2000)), "pieces {sizes:?}");
        }
    }
}

/// The CPU computes late blocks if it has code for them, whatever stalls, and counters go to XGATE
/// with the words.
#[test]
fn words_of_every_block_survive_stalls() {
    for name in ["sha1", "blake256", "md5"] {
        survives(&with_words(name), Cores::Both, 200);
        survives(&with_words(name).with_fast_words(), Cores::Both, 100);
        let case = with_words(name).without_fallback();
        agrees(&case, Cores::Both, &case.lengths(), &[Some(1), Some(seed(name))]);
    }
    for name in ["sha1", "blake256"] {
        let case = words_of(Case::keyed(name)).without_fallback();
        macs_agree(&case, Cores::Both, &[63, 64, 65]);
    }
}

/// The CPU computes the words in one loop, in the buffer itself, and the program is fast for its
/// size.
#[test]
fn words_are_computed_in_the_buffer() {
    let case = with_words("sha1").without_fallback();
    let made = case.make(Cores::Both, &[]).unwrap();
    assert!(made.cpu.contains("\nhash_ahead_more:\n"), "{}", made.cpu);
    assert!(made.shared.is_each && made.shared.words == 80, "{:?}", made.shared);
    let hashed = case.caller(Cores::Both).hash(&message(1024)).unwrap();
    let alone = Case::new("sha1", 1).without_fallback();
    let alone = alone.caller(Cores::Both).hash(&message(1024)).unwrap();
    assert!(100 * hashed.cycles < 80 * alone.cycles, "{} {}", hashed.cycles, alone.cycles);
}

/// Words with constants are stored in the order in which rounds take them. Fast code loads each
/// word of the block once; a loop is a fraction of it.
#[test]
fn words_with_constants_come_in_order() {
    let small = with_words("blake256").without_fallback();
    let fast = with_words("blake256").with_fast_words().without_fallback();
    let alone = Case::new("blake256", 1).without_fallback();
    let made = [&small, &fast].map(|case| case.make(Cores::Both, &[]).unwrap());
    // 14 rounds of 16 words, of which those of the last 4 rounds are those of the first 4.
    for made in &made {
        assert!(made.shared.is_each && made.shared.words == 224, "{:?}", made.shared);
    }
    let ahead = |made: &Made| {
        made.cpu.split("\nhash_ahead:\n").nth(1).unwrap().split("rts\n").next().unwrap().to_owned()
    };
    let [small_code, fast_code] = [&made[0], &made[1]].map(ahead);
    let count =
        |text: &str, of: &str| text.lines().filter(|line| line.trim().starts_with(of)).count();
    assert_eq!(["ldd", "std"].map(|of| count(&fast_code, of)), [2 * 16, 2 * 224], "{fast_code}");
    assert!(small_code.lines().count() < 50, "{small_code}");
    let cycles = |case: &Case| case.caller(Cores::Both).hash(&message(1024)).unwrap().cycles;
    let [small, fast, alone] = [&small, &fast, &alone].map(cycles);
    assert!(100 * fast < 90 * alone && small < 2 * fast, "{small} {fast} {alone}");
}
