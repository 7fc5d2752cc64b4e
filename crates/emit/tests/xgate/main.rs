//! XGATE's threads: assembled here, run on the simulated machine, and held to the definition.

#[path = "../../../simulate/tests/s12x/binutils.rs"]
#[expect(dead_code, reason = "the CPU's text is in the tests of whole programs")]
mod binutils;

use manylane_emit::asm::as_compression;
use manylane_emit::xgate::{Ahead, Thread, Walks, Written};
use manylane_graph::framing::{ByteOrder, COUNTER_NAMES, Counter, Framing, Unit, framing};
use manylane_graph::interpret::run_main;
use manylane_graph::part::cipher;
use manylane_graph::roll::{Unroll, roll};
use manylane_graph::trace::Rc5;
use manylane_graph::trace::literal_compression;
use manylane_graph::{Function, Module, Role};
use manylane_plan::program::Program;
use manylane_plan::program::shape::{Loops, Shape, Worth};
use manylane_plan::program::verify::check_function;
use manylane_primitives::catalog::{Algorithm, HashId};
use manylane_primitives::cipher::Rc5Params;
use manylane_simulate::s12x::assembler::assemble;
use manylane_simulate::s12x::chip::Chip;
use manylane_simulate::s12x::object::Space;
use manylane_simulate::s12x::xgate::XgateSet;
use manylane_simulate::s12x::{Machine, Stalls, Stop};

const ORIGIN: u16 = 0xb000;
const END: u32 = 0x1_0000;

struct Rng(u64);

impl Rng {
    fn next(&mut self) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.0 ^ self.0 >> 29
    }

    fn bytes(&mut self, count: usize) -> Vec<u8> {
        (0..count).map(|_| (self.next() >> 24) as u8).collect()
    }
}

/// A thread with its memory behind it.
fn whole(written: &Written) -> String {
    written.text.clone() + &Written::tables([written]).0 + &written.space
}

/// A compression with what surrounds it.
struct Case {
    name: String,
    function: Function,
    framing: Framing,
}

impl Case {
    fn of(name: &str) -> Self {
        let algorithm: Algorithm = name.parse().unwrap();
        Self {
            name: name.to_owned(),
            function: literal_compression(algorithm),
            framing: framing(algorithm).unwrap(),
        }
    }

    fn written(&self, shape: &Shape, effort: usize) -> Written {
        self.written_of(&shape.one(&self.function), effort)
    }

    fn written_of(&self, program: &Program, effort: usize) -> Written {
        self.written_how(program, effort, false)
    }

    fn written_how(&self, program: &Program, effort: usize, is_lean: bool) -> Written {
        let framing = &self.framing;
        let (walks, ahead) = (Walks::Blocks, Ahead::None);
        let thread = Thread { prefix: "hash", framing, walks, effort, ahead, is_lean };
        thread.write(program).unwrap()
    }

    fn word_bytes(&self) -> usize {
        self.framing.word_bits as usize / 8
    }

    /// The chaining value after blocks, the counter of the first one given, by the definition.
    fn expected(&self, state: &[u64], blocks: &[u8], counter: Counter<u64>) -> Vec<u64> {
        let module = Module::of(self.function.clone());
        let bits = self.framing.word_bits;
        let mut state = state.to_vec();
        let mut counter = counter;
        let mask = u64::MAX >> (64 - bits);
        for block in blocks.chunks(self.framing.block_bytes) {
            let words: Vec<u64> = block
                .chunks(self.word_bytes())
                .map(|word| {
                    let fold = |word: u64, &byte: &u8| word << 8 | u64::from(byte);
                    match self.framing.order {
                        ByteOrder::Big => word.iter().fold(0, fold),
                        ByteOrder::Little => word.iter().rev().fold(0, fold),
                    }
                })
                .collect();
            let inputs = self.function.inputs().iter().map(|input| {
                let number = || input.name[1..].parse::<usize>().unwrap();
                let name = || COUNTER_NAMES.iter().position(|name| *name == input.name).unwrap();
                match input.role {
                    Role::Chaining => state[number()],
                    Role::Message => words[number()],
                    _ => counter.words()[name()],
                }
            });
            let inputs: Vec<u64> = inputs.collect();
            let outputs = run_main(&module, &inputs);
            for (output, value) in self.function.outputs().iter().zip(outputs) {
                state[output.name[1..].parse::<usize>().unwrap()] = value;
            }
            if let Some(of) = self.framing.counter {
                let bytes = self.framing.block_bytes as u128;
                let number = u128::from(counter.t[1]) << bits | u128::from(counter.t[0]);
                let number = number
                    + match of.unit {
                        Unit::Bits => 8 * bytes,
                        Unit::Bytes => bytes,
                        Unit::Blocks => 1,
                    };
                counter.t = [number as u64 & mask, (number >> bits) as u64 & mask];
                let (words, first) = (counter.words(), of.first.words());
                counter = Counter::from_words(std::array::from_fn(|i| words[i] & !first[i]));
            }
        }
        state
    }

    /// The state that the machine computes, and the bus cycles that the thread takes.
    fn run(
        &self,
        text: &str,
        state: &[u64],
        blocks: &[u8],
        counter: Counter<u64>,
        stalls: Option<Stalls>,
    ) -> (Vec<u64>, u64) {
        let object = assemble(&XgateSet, text, ORIGIN).unwrap_or_else(|error| {
            panic!("{}: {error:?}", self.name);
        });
        let chip = Chip::xdt512();
        let mut machine = Machine::of(&chip);
        machine.load(&object).unwrap();
        machine.set_stalls(stalls);
        let word = self.word_bytes();
        let big = |of: u64| of.to_be_bytes()[8 - word..].to_vec();
        let state_bytes: Vec<u8> = state.iter().flat_map(|&of| big(of)).collect();
        let mut job = vec![0, 1];
        let at_state = END - 0x40 - state_bytes.len() as u32;
        let at_blocks = at_state - blocks.len() as u32;
        job.extend((at_state as u16).to_be_bytes());
        job.extend((at_blocks as u16).to_be_bytes());
        job.extend(((blocks.len() / self.framing.block_bytes) as u16).to_be_bytes());
        job.extend(counter.words().into_iter().take(self.framing.counter_words()).flat_map(big));
        machine.write(Space::Xgate, END - 0x40, &job).unwrap();
        machine.write(Space::Xgate, at_state, &state_bytes).unwrap();
        machine.write(Space::Xgate, at_blocks, blocks).unwrap();
        let start = machine.symbol("hash_xgate_compress").unwrap().address as u16;
        let begin = machine.now();
        machine.start_thread(1, start, (END - 0x40) as u16);
        let stop = machine.run(5_000_000).unwrap_or_else(|fault| panic!("{}: {fault}", self.name));
        assert_eq!(stop, Stop::Idle, "{}", self.name);
        assert_eq!(machine.read(Space::Xgate, END - 0x40, 2).unwrap(), [0, 2], "{}", self.name);
        let bytes = machine.read(Space::Xgate, at_state, state_bytes.len()).unwrap();
        let fold = |word: u64, &byte: &u8| word << 8 | u64::from(byte);
        let words = bytes.chunks(word).map(|bytes| bytes.iter().fold(0, fold)).collect();
        (words, (machine.now() - begin) / 2)
    }

    fn state(&self, rng: &mut Rng) -> Vec<u64> {
        let mask = u64::MAX >> (64 - self.framing.word_bits);
        (0..self.framing.initial.len()).map(|_| rng.next() & mask).collect()
    }
}

/// How a thread is measured.
struct Measured {
    written: Written,
    /// Bus cycles of a block.
    cycles: u64,
}

/// Holds a thread to the definition: random chaining values and blocks, one block, several and
/// none, with random stalls of the core the second time.
fn agrees(case: &Case, shape: &Shape, effort: usize) -> Measured {
    measured(case, case.written(shape, effort))
}

/// Compares a thread that has been written with the definition.
fn measured(case: &Case, written: Written) -> Measured {
    let mut rng = Rng(7);
    let mut cycles = Vec::new();
    for count in [1, 3, 0] {
        let state = case.state(&mut rng);
        let blocks = rng.bytes(count * case.framing.block_bytes);
        let mut counter = case.framing.counter.map_or(Counter::splat(0), |of| of.first);
        counter.t[0] |= rng.next() >> 40;
        let expected = case.expected(&state, &blocks, counter);
        let (got, time) = case.run(&whole(&written), &state, &blocks, counter, None);
        assert_eq!(got, expected, "{}, {count} blocks", case.name);
        cycles.push(time);
        if count == 1 {
            let stalls = Stalls { one_in: 5, at_most: 4, seed: 3 };
            let (got, _) = case.run(&whole(&written), &state, &blocks, counter, Some(stalls));
            assert_eq!(got, expected, "{} with stalls", case.name);
        }
    }
    Measured { written, cycles: (cycles[1] - cycles[0]) / 2 }
}

/// The hashes whose compression no hash before them in the catalogue has.
fn distinct() -> Vec<Case> {
    let mut cases: Vec<Case> = Vec::new();
    for id in HashId::ALL {
        let case = Case::of(id.name());
        let same = |other: &Case| {
            let text = |case: &Case| {
                let module = Module::of(case.function.clone()).to_string();
                module.replace(&case.function.name, "")
            };
            other.function.len() == case.function.len() && text(other) == text(&case)
        };
        if !cases.iter().any(same) {
            cases.push(case);
        }
    }
    cases
}

fn rounds(unroll: usize) -> Shape {
    Shape { unroll: Some(unroll), word: Some(64), ..Shape::default() }
}

#[test]
fn every_compression_is_the_definitions() {
    for case in distinct() {
        let Measured { written, cycles } = agrees(&case, &rounds(1), 0);
        // The prediction leaves out what a message takes once, and has no other error.
        let predicted = written.clocks as u64 / 2;
        assert!(cycles.abs_diff(predicted) * 100 <= cycles, "{}: {cycles}, {predicted}", case.name);
    }
}

#[test]
fn rounds_that_are_written_out_compute_the_same() {
    for (name, unroll) in [("md5", 16), ("sha1", 2), ("sha1", 4), ("sha256", 4), ("blake256", 2)] {
        agrees(&Case::of(name), &rounds(unroll), 50);
    }
}

/// Threads that are to be small: pointers end loops, and stay from loop to loop.
#[test]
fn lean_threads_compute_the_same() {
    lean_threads_are_right(&[1], 4_000);
}

/// Larger programs compute what the definition does too.
#[test]
#[ignore = "a minute: `make test-asm`"]
fn larger_lean_threads_compute_the_same() {
    lean_threads_are_right(&[1, 2], 10_000);
}

/// Compares the programs of at most `most` bytes with the definition.
fn lean_threads_are_right(unrolls: &[usize], most: usize) {
    let mut found = 0;
    for case in distinct() {
        for &unroll in unrolls {
            let program = rounds(unroll).one(&case.function);
            let plain = case.written_of(&program, 0);
            let bytes = |of: &Written| of.code + of.constants;
            if bytes(&plain) > most {
                continue;
            }
            found += 1;
            let written = case.written_how(&program, 0, true);
            // The frame has a few words more.
            assert!(bytes(&written) <= bytes(&plain) + 8, "{}, {unroll}", case.name);
            let Measured { written, cycles } = measured(&case, written);
            let predicted = written.clocks as u64 / 2;
            let is_near = cycles.abs_diff(predicted) * 100 <= cycles;
            assert!(is_near, "{}: {cycles}, {predicted}", case.name);
        }
    }
    assert!(found >= 4, "{found} of at most {most} bytes");
}

/// Loops of different shapes, with the message schedule in its place and before the rounds.
#[test]
fn loops_of_different_shapes_compute_the_same() {
    for (name, is_ahead, rounds) in [
        ("md5", false, &[16, 4, 8, 1][..]),
        ("md5", false, &[8, 16, 4, 16]),
        ("sha1", false, &[4, 1, 4, 5, 20]),
        ("sha1", false, &[16, 2, 2, 4, 4]),
        ("sha1", true, &[8, 5, 4, 20, 5]),
        ("sha1", true, &[64, 1, 2, 10, 4]),
        ("sha256", true, &[4, 8]),
        ("sha256", true, &[16, 1]),
        ("sha512", true, &[2, 4]),
    ] {
        let case = Case::of(name);
        let loops = Loops { is_ahead, rounds: rounds.to_vec() };
        let program = Shape { word: Some(64), ..Shape::default() }.one_with(&case.function, &loops);
        check_function(&program, &case.function).unwrap();
        for is_lean in [false, true] {
            for effort in [0, 40] {
                measured(&case, case.written_how(&program, effort, is_lean));
            }
        }
    }
}

/// Words of 64 bits as four words of every fourth bit, for all functions that allow it.
#[test]
fn quarters_compute_the_same() {
    let mut found = 0;
    for case in distinct() {
        let Some(program) = rounds(1).quartered(&case.function) else { continue };
        found += 1;
        check_function(&program, &case.function).unwrap();
        let Measured { written, cycles } = measured(&case, case.written_of(&program, 0));
        let predicted = written.clocks as u64 / 2;
        assert!(cycles.abs_diff(predicted) * 100 <= cycles, "{}: {cycles}, {predicted}", case.name);
    }
    assert!(found >= 2, "SHA-3 and SHAKE have quarters");
}

/// Bus cycles of a block for XGATE alone, 1.35 times the goals for both cores: hash, rounds in an
/// iteration, effort, cycles.
#[rustfmt::skip]
const GOALS: [(&str, usize, usize, u64); 8] = [
    ("md5",        1, 100,   1_700 * 135 / 100),
    ("sha1",       4, 300,   3_200 * 135 / 100),
    ("sha256",     4, 100,   7_000 * 135 / 100),
    ("blake256",   1, 500,   6_500 * 135 / 100),
    ("groestl256", 2, 100,  14_000 * 135 / 100),
    ("jh256",      1, 300,  20_000 * 135 / 100),
    ("keccak256",  1, 300,  25_000 * 135 / 100),
    ("skein512",   1, 300,  10_000 * 135 / 100),
];

#[test]
fn blocks_take_no_more_cycles_than_the_goals() {
    goals_are_met(&["md5", "groestl256"]);
}

/// The goals are met by all programs, also by those whose search takes longer.
#[test]
#[ignore = "a minute: `make test-asm`"]
fn blocks_of_all_take_no_more_cycles_than_the_goals() {
    goals_are_met(&GOALS.map(|(name, ..)| name));
}

fn goals_are_met(names: &[&str]) {
    for (name, unroll, effort, most) in GOALS {
        if names.contains(&name) {
            let Measured { cycles, .. } = agrees(&Case::of(name), &rounds(unroll), effort);
            assert!(cycles <= most, "{name}: {cycles} bus cycles a block, {most} are the goal");
        }
    }
}

/// GNU as makes the same bytes of the text.
#[test]
fn gnu_as_agrees() {
    if !binutils::are_here() {
        return;
    }
    for name in ["md5", "blake256", "groestl256", "keccak256", "skein512"] {
        let case = Case::of(name);
        let program = rounds(if name == "md5" { 8 } else { 1 }).one(&case.function);
        for is_lean in [false, true] {
            let text = whole(&case.written_how(&program, 0, is_lean));
            let ours = assemble(&XgateSet, &text, ORIGIN).unwrap();
            let theirs = binutils::gnu_bytes(binutils::XGATE, &text, ORIGIN);
            binutils::assert_same(&ours.segments[0].bytes, &theirs, 256, name);
        }
    }
}

/// A program always gives the same text, whatever the search tries.
#[test]
fn texts_are_reproducible() {
    let case = Case::of("blake256");
    let texts = [(); 2].map(|()| case.written(&rounds(1), 200).text);
    assert_eq!(texts[0], texts[1]);
    assert_ne!(texts[0], case.written(&rounds(1), 0).text);
}

/// Errors name the backend, the place and the remedy.
#[test]
fn what_has_no_code_is_refused() {
    let case = Case::of("sha256");
    let framing = &case.framing;
    let (walks, ahead) = (Walks::Blocks, Ahead::None);
    let is_lean = false;
    let thread = Thread { prefix: "hash", framing, walks, effort: 0, ahead, is_lean };
    let mut shared = rounds(1).one(&case.function);
    shared.processors = 2;
    let error = thread.write(&shared).unwrap_err().to_string();
    assert_eq!(
        error,
        "xgate: sha256.compression: 2 processors share it; give the program of one processor"
    );
    let rc5 = |word| {
        let cipher = cipher(&Rc5Params::new(word, 12, 16).unwrap(), Rc5::Block);
        Program::sequential(roll(&cipher, Unroll::Rounds(1)), 0)
    };
    let error = thread.write(&rc5(32)).unwrap_err().to_string();
    assert!(error.contains("its output c0 is no word of the chaining value"), "{error}");
    let error = thread.write(&as_compression(&rc5(8))).unwrap_err().to_string();
    assert!(error.contains("of 8 bits has no code; words of 16, 32 and 64 bits"), "{error}");
    let keccak = literal_compression("keccak256".parse().unwrap());
    let halves = Shape { unroll: Some(1), worth: Worth::Size, word: None }.one(&keccak);
    assert!(halves.rolled.is_interleaved());
    let error = thread.write(&halves).unwrap_err().to_string();
    assert!(error.contains("its words are their bits at even and at odd places"), "{error}");
}

/// Figures of threads: `HASHES=md5,sha1 ROUNDS=1,4 EFFORT=1000`, `QUARTERS=0`.
#[test]
#[ignore = "prints figures"]
fn figures() {
    let of = |name: &str, default: &str| std::env::var(name).unwrap_or_else(|_| default.to_owned());
    let effort = of("EFFORT", "1000").parse().unwrap();
    for name in
        of("HASHES", "md5,sha1,sha256,blake256,groestl256,jh256,keccak256,skein512").split(',')
    {
        for unroll in of("ROUNDS", "1").split(',') {
            let case = Case::of(name);
            let shape = rounds(unroll.parse().unwrap());
            let quartered = shape.quartered(&case.function).filter(|_| of("QUARTERS", "1") == "1");
            let program = quartered.unwrap_or_else(|| shape.one(&case.function));
            let Measured { written, cycles } = measured(&case, case.written_of(&program, effort));
            if let Ok(folder) = std::env::var("FOLDER") {
                std::fs::write(format!("{folder}/{name}.s"), whole(&written)).unwrap();
            }
            let Written { code, constants, memory, .. } = written;
            println!(
                "{name}, {unroll} rounds: {cycles} bus cycles a block; {code} bytes of code, \
                 {constants} of constants, {memory} of memory"
            );
        }
    }
}
