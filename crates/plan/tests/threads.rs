//! Programs of threads compute what the definitions do: the pairing from its factors, messages in
//! the modes of a cipher, digests.

mod programs;

use manylane_graph::Module;
use manylane_graph::calls::digest;
use manylane_graph::pairing::pair;
use manylane_plan::program::fingerprint_of;
use manylane_plan::threads::program::run::{Meaning, run};
use manylane_plan::threads::program::verify::{check_function, verify};
use manylane_plan::threads::program::{Results, ThreadsProgram, Work};
use manylane_plan::threads::{Mode, SplitLoop, batch, cipher};
use manylane_primitives::catalog::Algorithm;
use manylane_primitives::cipher::{BlockCipher, Rc5, modes};
use manylane_primitives::pairing::eta_t::{factors, miller_part, reduce};
use manylane_primitives::pairing::{self as definition, Curve, Element, Eta271, Point, Quartic};
use manylane_primitives::word::Words;
use programs::Random;
use std::ops::Range;

/// Factors of the Miller value of these points.
struct Factors(Point<Element<Eta271>>, Point<Element<Eta271>>);

impl Meaning for Factors {
    type Value = Quartic<Element<Eta271>>;

    fn compute(&mut self, pieces: &Range<u64>, _: Option<&Self::Value>) -> Self::Value {
        miller_part(self.0, self.1, pieces.start as usize..pieces.end as usize)
    }

    fn join(&mut self, first: Self::Value, second: Self::Value) -> Self::Value {
        first * second
    }
}

fn point<C: Curve>(seed: u8) -> Point<Element<C>> {
    let mut digest = C::Bytes::splat(seed);
    for (i, byte) in digest.as_mut().iter_mut().enumerate() {
        *byte = byte.wrapping_mul(i as u8 | 1);
    }
    Point::from_digest(digest).expect("a point")
}

/// The value of the pairing, of any number of threads, joined in turn and by pairs.
#[test]
fn a_pairing_is_computed_by_threads() {
    let (p, q) = (point(29), point(71));
    let expected = definition::pair(p, q).0;
    let module = pair::<Eta271>();
    let fingerprint = fingerprint_of(&module);
    let mut shared = SplitLoop {
        iterations: factors::<Eta271>() as u64,
        iteration: 7.0,
        first: 0.0,
        start: 4.0,
        start_per_iteration: 0.0,
        join: 9.0,
        joins_in_turn: false,
        serial: 50.0,
    };
    for (processors, in_turn) in [(1, false), (3, false), (6, true)] {
        shared.joins_in_turn = in_turn;
        let name = module.main().name.clone();
        let work = Work { name, fingerprint, pieces: shared.iterations, results: Results::Joined };
        let program = shared.program(processors, work);
        check_function(&program, &module).unwrap();
        let mut random = Random(processors as u64);
        let value = run(&program, &mut Factors(p, q), |count| random.below(count)).unwrap();
        assert_eq!(reduce(value.expect("factors")).0, expected, "{program}");
    }
}

/// Blocks of a message in a mode.
struct Blocks<'m> {
    mode: Mode,
    cipher: &'m Rc5<u32>,
    initial: [u8; 8],
    message: &'m [u8],
}

impl Meaning for Blocks<'_> {
    type Value = Vec<u8>;

    /// A thread knows the message and, of a chain, the blocks that were encrypted before.
    fn compute(&mut self, pieces: &Range<u64>, before: Option<&Vec<u8>>) -> Vec<u8> {
        let (from, to) = (8 * pieces.start as usize, 8 * pieces.end as usize);
        let mut data = self.message[from..to].to_vec();
        let last = |of: &[u8]| of[of.len() - 8..].to_vec();
        match self.mode {
            Mode::Ecb => modes::ecb_encrypt(self.cipher, &mut data).unwrap(),
            Mode::Ctr => {
                let mut counter = [0; 8];
                modes::counter_block(&self.initial, pieces.start, &mut counter);
                modes::ctr(self.cipher, &counter, &mut data).unwrap();
            }
            Mode::CbcEncryption => {
                let initial = before.map_or(self.initial.to_vec(), |before| last(before));
                modes::cbc_encrypt(self.cipher, &initial, &mut data).unwrap();
            }
            Mode::CbcDecryption => {
                let before = &self.message[..from];
                let initial = if from > 0 { last(before) } else { self.initial.to_vec() };
                modes::cbc_decrypt(self.cipher, &initial, &mut data).unwrap();
            }
        }
        data
    }

    fn join(&mut self, mut first: Vec<u8>, second: Vec<u8>) -> Vec<u8> {
        first.extend(second);
        first
    }
}

/// A message is the same on any number of threads; a chain that is handed from thread to thread
/// too.
#[test]
fn modes_are_computed_by_threads() {
    let message: Vec<u8> = (0..8 * 100u32).map(|i| (i * 5 + i / 256) as u8).collect();
    let keyed = Rc5::<u32>::new(12, b"sixteen byte key").unwrap();
    assert_eq!(keyed.block_bytes(), 8);
    for mode in Mode::ALL {
        let results = if mode.is_parallel() { Results::Apart } else { Results::Chain };
        let work = Work { name: "rc5".to_owned(), fingerprint: 0, pieces: 100, results };
        let mut blocks = Blocks { mode, cipher: &keyed, initial: [9; 8], message: &message };
        let whole = blocks.compute(&(0..100), None);
        let handed_on = "threads @rc5: 100 pieces, chain, function 0x0\n\
            thread 0: 0..30, send 0, receive 1\nthread 1: receive 0, 30..70, 70..100, send 1\n\
            transfer 0: thread 0 to 1\ntransfer 1: thread 1 to 0\n";
        let mut programs: Vec<ThreadsProgram> = [1, 3, 8]
            .map(|processors| cipher(mode, 100, 10.0, processors, 1.0).program(work.clone()))
            .to_vec();
        if results == Results::Chain {
            programs.push(handed_on.parse().unwrap());
        }
        for program in programs {
            verify(&program).unwrap();
            for seed in 1..4 {
                let mut random = Random(seed);
                let value = run(&program, &mut blocks, |count| random.below(count));
                assert_eq!(value.as_ref(), Ok(&Some(whole.clone())), "{mode:?}\n{program}");
            }
        }
    }
}

/// Messages of many lengths, the longest first, wherever they are computed.
#[test]
fn digests_are_computed_by_threads() {
    struct Messages(Algorithm, Vec<Vec<u8>>);
    impl Meaning for Messages {
        type Value = Vec<Vec<u8>>;
        fn compute(&mut self, pieces: &Range<u64>, _: Option<&Self::Value>) -> Self::Value {
            let messages = &self.1[pieces.start as usize..pieces.end as usize];
            messages.iter().map(|message| digest(self.0, message)).collect()
        }
        fn join(&mut self, first: Self::Value, second: Self::Value) -> Self::Value {
            [first, second].concat()
        }
    }
    let algorithm: Algorithm = "md5".parse().unwrap();
    let messages: Vec<Vec<u8>> = (0..20).map(|i| vec![i as u8; i * 37 % 400]).collect();
    let costs: Vec<f64> = messages.iter().map(|message| 1.0 + message.len() as f64).collect();
    let expected: Vec<Vec<u8>> = messages.iter().map(|m| digest(algorithm, m)).collect();
    let fingerprint = fingerprint_of(&Module::of(manylane_graph::trace::compression(algorithm)));
    let work = Work { name: "md5".to_owned(), fingerprint, pieces: 20, results: Results::Apart };
    let mut meaning = Messages(algorithm, messages);
    for processors in [1, 2, 7, 30] {
        let program = batch(&costs, processors, 3.0).program(work.clone());
        verify(&program).unwrap();
        let mut random = Random(processors as u64);
        let value = run(&program, &mut meaning, |count| random.below(count)).unwrap();
        assert_eq!(value.as_ref(), Some(&expected), "{program}");
    }
}
