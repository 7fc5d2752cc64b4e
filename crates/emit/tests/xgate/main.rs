//! XGATE's threads: assembled here, run on the simulated machine, and held to the definition.

use manylane_emit::xgate::{Thread, Written};
use manylane_graph::framing::{ByteOrder, Framing, framing};
use manylane_graph::interpret::run_main;
use manylane_graph::trace::literal_compression;
use manylane_graph::{Function, Module, Role};
use manylane_plan::program::shape::Shape;
use manylane_primitives::catalog::{Algorithm, HashId};
use manylane_simulate::s12x::assembler::assemble;
use manylane_simulate::s12x::chip::Chip;
use manylane_simulate::s12x::object::Space;
use manylane_simulate::s12x::xgate::XgateSet;
use manylane_simulate::s12x::{Machine, Stop};

const ORIGIN: u16 = 0xb000;
const END: u32 = 0x1_0000;

struct Rng(u64);

impl Rng {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.0 ^ self.0 >> 29
    }

    fn bytes(&mut self, count: usize) -> Vec<u8> {
        (0..count).map(|_| (self.next() >> 24) as u8).collect()
    }
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

    fn written(&self, shape: &Shape) -> Written {
        let thread = Thread { prefix: "hash", framing: &self.framing, effort: std::env::var("E").map_or(0, |e| e.parse().unwrap()) };
        thread.write(&shape.one(&self.function)).unwrap()
    }

    fn word_bytes(&self) -> usize {
        self.framing.word_bits as usize / 8
    }

    /// The chaining value after blocks, the counter of the first one given, by the definition.
    fn expected(&self, state: &[u64], blocks: &[u8], counter: u128) -> Vec<u64> {
        let module = Module::of(self.function.clone());
        let bits = self.framing.word_bits;
        let mask = u64::MAX >> (64 - bits);
        let mut state = state.to_vec();
        let mut counter = counter;
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
                let number: usize = input.name[1..].parse().unwrap();
                match input.role {
                    Role::Chaining => state[number],
                    Role::Message => words[number],
                    _ => (counter >> (bits as usize * number)) as u64 & mask,
                }
            });
            let inputs: Vec<u64> = inputs.collect();
            let outputs = run_main(&module, &inputs);
            for (output, value) in self.function.outputs().iter().zip(outputs) {
                state[output.name[1..].parse::<usize>().unwrap()] = value;
            }
            if let Some(of) = self.framing.counter {
                use manylane_graph::framing::Unit;
                let bytes = self.framing.block_bytes as u128;
                counter += match of.unit {
                    Unit::Bits => 8 * bytes,
                    Unit::Bytes => bytes,
                    Unit::Blocks => 1,
                };
                counter &= !of.first;
            }
        }
        state
    }

    /// The same on the machine, and the bus cycles that the thread takes.
    fn run(&self, text: &str, state: &[u64], blocks: &[u8], counter: u128) -> (Vec<u64>, u64) {
        let object = assemble(&XgateSet, text, ORIGIN).unwrap_or_else(|error| {
            panic!("{}: {error:?}", self.name);
        });
        let chip = Chip::xdt512();
        let mut machine = Machine::of(&chip);
        machine.load(&object).unwrap();
        let word = self.word_bytes();
        let big = |of: u64| of.to_be_bytes()[8 - word..].to_vec();
        let state_bytes: Vec<u8> = state.iter().flat_map(|&of| big(of)).collect();
        let bits = self.framing.word_bits;
        let mut job = vec![0, 1];
        let at_state = END - 0x40 - state_bytes.len() as u32;
        let at_blocks = at_state - blocks.len() as u32;
        job.extend((at_state as u16).to_be_bytes());
        job.extend((at_blocks as u16).to_be_bytes());
        job.extend(((blocks.len() / self.framing.block_bytes) as u16).to_be_bytes());
        job.extend(big(counter as u64));
        job.extend(big((counter >> bits) as u64));
        machine.write(Space::Xgate, END - 0x40, &job).unwrap();
        machine.write(Space::Xgate, at_state, &state_bytes).unwrap();
        machine.write(Space::Xgate, at_blocks, blocks).unwrap();
        let start = machine.symbol("hash_xgate_compress").unwrap().address as u16;
        let begin = machine.now();
        machine.start_thread(1, start, (END - 0x40) as u16);
        let stop = machine.run(3_000_000).unwrap_or_else(|fault| panic!("{}: {fault}", self.name));
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

/// Random chaining values and blocks, one block and several.
fn agrees(name: &str, shape: &Shape) {
    let case = Case::of(name);
    let mut rng = Rng(7);
    let written = case.written(shape);
    if let Ok(path) = std::env::var("ASM_OUT") {
        std::fs::write(format!("{path}/{name}.s"), &written.text).unwrap();
    }
    let Written { code, constants, memory, clocks, .. } = written;
    let mut cycles = Vec::new();
    for count in [1, 3, 0] {
        let state = case.state(&mut rng);
        let blocks = rng.bytes(count * case.framing.block_bytes);
        let counter = u128::from(rng.next() >> 40) | case.framing.counter.map_or(0, |of| of.first);
        let (got, time) = case.run(&written.text, &state, &blocks, counter);
        assert_eq!(got, case.expected(&state, &blocks, counter), "{name}, {count} blocks");
        cycles.push(time);
    }
    println!(
        "{name} {shape:?}: {} bus cycles a block, {} predicted; code {code}, constants {constants}, memory {memory}",
        (cycles[1] - cycles[0]) / 2,
        clocks / 2,
    );
}

#[test]
fn every_hash() {
    let only = std::env::var("H").ok();
    let names: Vec<String> = match &only {
        Some(names) => names.split(',').map(str::to_owned).collect(),
        None => HashId::ALL.iter().map(|id| id.entry().name.to_owned()).collect(),
    };
    let unroll: Vec<usize> = std::env::var("U").map_or(vec![1], |u| u.split(',').map(|u| u.parse().unwrap()).collect());
    for name in names {
        for &unroll in &unroll {
            agrees(&name, &Shape { unroll: Some(unroll), ..Shape::default() });
        }
    }
}
