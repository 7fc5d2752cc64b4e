//! Hashes in assembly on the simulated S12X, whose digests are compared with the definition's.

use manylane_emit::asm::{
    About, Ahead, Assembly, Cores, Hash, IMAGE, Keyed, Layout, Made, Share, SharedBlocks,
    ThreadSize, Written, hash_prefix, thread,
};
use manylane_graph::calls::{digest, hmac};
use manylane_graph::framing::{Stream, stream};
use manylane_graph::{Function, trace};
use manylane_plan::program::Program;
use manylane_plan::program::cut::{Cut, Split, split};
use manylane_plan::program::shape::{Loops, Shape, Worth};
use manylane_primitives::catalog::Algorithm;
use manylane_simulate::s12x::Stalls;
use manylane_simulate::s12x::assembler::assemble;
use manylane_simulate::s12x::caller::{Callee, Caller};
use manylane_simulate::s12x::cpu12::CpuSet;
use manylane_simulate::s12x::object::Object;
use manylane_simulate::s12x::xgate::XgateSet;
use std::error::Error;

/// A hash with its programs.
pub struct Case {
    pub algorithm: Algorithm,
    pub stream: Stream,
    pub program: Program,
    pub thread: Written,
    /// Whether it is HMAC with the hash.
    pub is_keyed: bool,
    /// Whether the CPU computes what XGATE does not finish.
    pub falls_back: bool,
    /// Whether XGATE gets one block at a time.
    pub is_by_block: bool,
    pub share: Option<Share>,
}

pub const ABOUT: About<'static> = About {
    title: "A hash",
    standard: "its standard",
    warning: None,
    command: "manylane emit asm",
    prefix: "hash",
    code_bytes: None,
    block_cycles: None,
    figures: &[],
};

impl Case {
    pub fn new(name: &str, unroll: usize) -> Self {
        let algorithm: Algorithm = name.parse().unwrap();
        let shape = Shape { unroll: Some(unroll), worth: Worth::Size, word: Some(64) };
        let program = shape.one(&trace::literal_compression(algorithm));
        let stream = stream(algorithm).unwrap();
        let thread =
            thread("hash", &stream.framing, &program, 0, Ahead::None, ThreadSize::Fast).unwrap();
        let (falls_back, is_by_block) = (true, false);
        let (share, is_keyed) = (None, false);
        Self { algorithm, stream, program, thread, share, is_keyed, falls_back, is_by_block }
    }

    /// The case with one block at a time for XGATE.
    pub fn by_block(self) -> Self {
        Self { is_by_block: true, ..self }
    }

    /// The case without the CPU's code for a block.
    pub fn without_fallback(self) -> Self {
        Self { falls_back: false, ..self }
    }

    /// HMAC with the hash.
    pub fn keyed(name: &str) -> Self {
        let case = Self::new(name, 1);
        let prefix = hash_prefix("hash");
        let thread =
            thread(&prefix, &case.stream.framing, &case.program, 0, Ahead::None, ThreadSize::Fast)
                .unwrap();
        Self { thread, is_keyed: true, ..case }
    }

    /// The case with another thread of XGATE: with its words of 64 bits in quarters if asked for,
    /// and its instructions in an order that is found with this effort.
    pub fn with_thread(self, in_quarters: bool, effort: usize) -> Option<Self> {
        let shape = Shape { unroll: Some(1), worth: Worth::Both, word: Some(64) };
        let function = trace::literal_compression(self.algorithm);
        let program = match in_quarters {
            true => shape.quartered(&function)?,
            false => shape.one(&function),
        };
        let thread =
            thread("hash", &self.stream.framing, &program, effort, Ahead::None, ThreadSize::Fast)
                .unwrap();
        Some(Self { thread, ..self })
    }

    /// The case in which the CPU has a share in one of `every` blocks, or in each block but the
    /// first if `every` is 1. The function is cut at `cut`.
    pub fn sharing(
        mut self,
        cut: Cut,
        every: usize,
        rounds: [usize; 3],
        effort: usize,
    ) -> Option<Self> {
        let [whole, rest, cpu] =
            rounds.map(|unroll| Shape { unroll: Some(unroll), worth: Worth::Size, word: Some(64) });
        let function = trace::literal_compression(self.algorithm);
        let split = split(&function, cut)?;
        let framing = &self.stream.framing;
        let before = Ahead::Before("hash_ahead");
        let words = Ahead::Words(match every {
            1 => SharedBlocks::All,
            _ => SharedBlocks::Every(every, "hash"),
        });
        self.share = Some(Share {
            cpu: cpu.one(&split.ahead),
            whole: Some(
                thread("hash", framing, &whole.one(&function), effort, before, ThreadSize::Fast)
                    .unwrap(),
            ),
            rest: thread(
                "hash_ahead",
                framing,
                &rest.one(&split.rest),
                effort,
                words,
                ThreadSize::Fast,
            )
            .unwrap(),
            every,
            // The CPU's code for words of 64 bits has no room otherwise.
            is_small: framing.word_bits == 64,
        });
        Some(self)
    }

    /// The case in which the CPU computes words of every block: the first part of `split`, in a
    /// loop with `cpu` words in an iteration. XGATE's loops have these numbers of rounds.
    pub fn with_words(mut self, split: &Split, cpu: usize, rounds: &[usize]) -> Self {
        let shape = Shape { unroll: None, worth: Worth::Speed, word: Some(64) };
        let of = |function: &Function, rounds: &[usize]| {
            let loops = Loops { is_ahead: false, rounds: rounds.to_vec() };
            shape.one_with(function, &loops)
        };
        let prefix = if self.is_keyed { hash_prefix("hash") } else { "hash".to_owned() };
        let (framing, words) = (&self.stream.framing, Ahead::Words(SharedBlocks::All));
        let rest = of(&split.rest, rounds);
        self.share = Some(Share {
            cpu: of(&split.ahead, &vec![cpu; Loops::of(&split.ahead, false).unwrap().len()]),
            whole: None,
            rest: thread(&prefix, framing, &rest, 20, words, ThreadSize::Lean).unwrap(),
            every: 1,
            is_small: true,
        });
        self
    }

    /// Makes the program for a choice of cores. The CPU's code is small where XGATE computes.
    pub fn make(&self, cores: Cores, image: &[u8]) -> Result<Made, Box<dyn Error>> {
        let digest = |message: &[u8]| digest(self.algorithm, message);
        let mac = |key: &[u8], message: &[u8]| hmac(self.algorithm, key, message);
        let xgate = Some(&self.thread);
        let mac: Option<Keyed<'_>> = if self.is_keyed { Some(&mac) } else { None };
        let ahead = self.share.as_ref();
        let (stream, cpu) = (&self.stream, &self.program);
        let hash = Hash { stream, cpu, xgate, ahead, digest: &digest, mac };
        let layout = Layout::default();
        let is_small = cores != Cores::Cpu;
        let falls_back = self.falls_back;
        let is_by_block = self.is_by_block;
        let about = &ABOUT;
        let of = Assembly { about, layout, cores, is_small, falls_back, is_by_block, image };
        Ok(of.make(&hash)?)
    }

    /// The whole program, and the same assembled, unless it has no room.
    pub fn fitting(&self, cores: Cores) -> Result<(Made, Object), Box<dyn Error>> {
        let mut made = self.make(cores, &[])?;
        if let Some(text) = &made.xgate {
            let object = assemble(&XgateSet, text, IMAGE)?;
            let image = &object.segments[0].bytes;
            assert_eq!(image.len(), made.image_bytes, "{}", self.algorithm);
            made = self.make(cores, image)?;
        }
        let object = assemble(&CpuSet, &made.whole(), made.layout.code)?;
        Ok((made, object))
    }

    /// Whether the program has room in the memories, that of a caller included.
    pub fn has_room(&self, cores: Cores) -> bool {
        let fitting = self.fitting(cores);
        fitting.is_ok_and(|(made, object)| self.beside(&made, &object).is_ok())
    }

    /// The whole program, and the same assembled.
    pub fn program(&self, cores: Cores) -> (Made, Object) {
        self.fitting(cores).unwrap()
    }

    /// A machine with the program; XGATE is not started.
    pub fn machine(&self, made: &Made, object: &Object) -> Caller {
        self.beside(made, object).unwrap()
    }

    /// A machine with the program, or an error if a caller has no room beside it.
    pub fn beside(&self, made: &Made, object: &Object) -> Result<Caller, Box<dyn Error>> {
        let callee = Callee {
            object,
            prefix: "hash",
            context_bytes: made.context_bytes,
            digest_bytes: self.stream.digest_bytes,
            ram: made.ram.clone(),
        };
        Ok(Caller::new(&callee)?)
    }

    pub fn caller(&self, cores: Cores) -> Caller {
        let (made, object) = self.program(cores);
        let mut caller = self.machine(&made, &object);
        if cores != Cores::Cpu {
            caller.call("xgate_init", 0, &[]).unwrap();
        }
        caller
    }

    /// Lengths at the edges of blocks and padding.
    pub fn lengths(&self) -> Vec<usize> {
        let block = self.stream.framing.block_bytes;
        let room = self.stream.framing.padding.room.min(block);
        let mut lengths = vec![0, 1, room, room + 1, block, block + 1, 2 * block - 1];
        lengths.extend([2 * block, 3 * block + 1]);
        lengths.dedup();
        lengths
    }
}

pub fn message(length: usize) -> Vec<u8> {
    (0..length).map(|i| (i * 7 + i / 5 + 1) as u8).collect()
}

/// Digests of these lengths, with stalls of the seeds.
pub fn agrees(case: &Case, cores: Cores, lengths: &[usize], stalls: &[Option<u64>]) {
    let mut caller = case.caller(cores);
    for (i, &length) in lengths.iter().enumerate() {
        let message = message(length);
        let seed = stalls[i % stalls.len()];
        caller.set_stalls(seed.map(|seed| Stalls { seed, one_in: 5, at_most: 9 }));
        let hashed = caller.hash(&message).unwrap();
        let expected = digest(case.algorithm, &message);
        assert_eq!(hashed.digest, expected, "{} on {cores}, {length} bytes", case.algorithm);
        assert_eq!(hashed.counts.xgate.starts > 0, cores != Cores::Cpu, "{}", case.algorithm);
    }
}

pub fn seed(name: &str) -> u64 {
    name.bytes().fold(7, |seed: u64, byte| seed.wrapping_mul(31).wrapping_add(u64::from(byte)))
}

/// MACs with keys of these lengths, of messages at the edges of blocks and padding.
pub fn macs_agree(case: &Case, cores: Cores, keys: &[usize]) {
    let mut caller = case.caller(cores);
    let block = case.stream.framing.block_bytes;
    for (i, &key_bytes) in keys.iter().enumerate() {
        let key: Vec<u8> = message(key_bytes).iter().map(|byte| byte ^ 0x99).collect();
        for (j, length) in [0, 1, block - 1, block, block + 1, 2 * block].into_iter().enumerate() {
            let text = message(length);
            let stalls = Stalls { seed: (7 * i + j) as u64, one_in: 5, at_most: 9 };
            caller.set_stalls((j % 2 == 1).then_some(stalls));
            let made = caller.mac_pieces(&key, &text, &[block + 3, 1, block]).unwrap();
            let expected = hmac(case.algorithm, &key, &text);
            let name = case.algorithm;
            assert_eq!(made.digest, expected, "{name} on {cores}, key {key_bytes}, {length} bytes");
            assert_eq!(made.counts.xgate.starts > 0, cores != Cores::Cpu, "{name}");
        }
    }
}
