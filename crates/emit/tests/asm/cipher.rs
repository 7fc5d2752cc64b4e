//! A block cipher in assembly: whatever the cores, key expansion, blocks and modes are those of the
//! definition.

use crate::case::ABOUT;
use crate::stalls::KINDS;
use manylane_emit::asm::{
    Cipher, CipherAssembly, Cores, IMAGE, Layout, Made, Modes, Written, as_compression,
    cipher_threads, lean_cipher_threads,
};
use manylane_graph::calls::{rc5, rc5_table};
use manylane_graph::part;
use manylane_graph::trace::Rc5;
use manylane_plan::program::Program;
use manylane_plan::program::shape::{Shape, Worth};
use manylane_primitives::cipher::{Rc5Params, modes};
use manylane_simulate::s12x::Stalls;
use manylane_simulate::s12x::assembler::assemble;
use manylane_simulate::s12x::caller::{Callee, Caller};
use manylane_simulate::s12x::cpu12::CpuSet;
use manylane_simulate::s12x::object::Object;
use manylane_simulate::s12x::xgate::XgateSet;
use std::time::Instant;

/// A cipher's programs and threads.
pub struct Case {
    /// The cipher.
    pub params: Rc5Params,
    /// Key expansion, encryption, decryption.
    pub programs: Vec<Program>,
    /// Threads of XGATE with the functions of `programs`.
    pub threads: [Written; 3],
    /// The modes that have functions.
    pub modes: Modes,
    /// Whether the CPU computes what XGATE does not finish.
    pub falls_back: bool,
}

pub fn bytes(count: usize, seed: usize) -> Vec<u8> {
    (0..count).map(|i| (i * 29 + i / 3 + seed) as u8).collect()
}

impl Case {
    pub fn new(name: &str) -> Self {
        let params: Rc5Params = name.parse().unwrap();
        let shape = Shape { unroll: Some(1), worth: Worth::Size, word: Some(64) };
        let parts = [Rc5::KeyExpansion, Rc5::Block, Rc5::Inverse];
        let programs =
            parts.map(|part| as_compression(&shape.one(&part::cipher(&params, part)))).into();
        let threads = [(); 3].map(|()| Written::default());
        let modes = Modes::All;
        let mut case = Self { params, programs, threads, modes, falls_back: true };
        case.threads = cipher_threads("hash", case.functions(), 0).unwrap();
        case
    }

    /// With threads whose key expansion is one loop: its first iteration, in which A and B are
    /// zero, takes these words from another place than later iterations.
    fn literal(name: &str) -> Self {
        let mut case = Self::new(name);
        let shape = Shape { unroll: Some(1), worth: Worth::Size, word: Some(64) };
        let [expand, encrypt, decrypt] = [Rc5::KeyExpansion, Rc5::Block, Rc5::Inverse]
            .map(|part| as_compression(&shape.one(&part::literal_cipher(&case.params, part))));
        assert_eq!(expand.rolled.regions[0].times, case.params.iterations());
        case.threads = cipher_threads("hash", [&expand, &encrypt, &decrypt], 0).unwrap();
        case
    }

    /// The case with small threads. Each job is one block if `has_one`.
    pub fn small(name: &str, has_one: bool) -> Self {
        let mut case = Self::new(name);
        let shape = Shape { unroll: Some(1), worth: Worth::Size, word: Some(64) };
        let [expand, encrypt, decrypt] = [Rc5::KeyExpansion, Rc5::Block, Rc5::Inverse]
            .map(|part| as_compression(&shape.smallest(&part::literal_cipher(&case.params, part))));
        let all = [&expand, &encrypt, &decrypt];
        case.threads = lean_cipher_threads("hash", all, 0, has_one).unwrap();
        case
    }

    /// Blocks encrypted by the definition.
    pub fn encrypted(&self, key: &[u8], blocks: &[u8]) -> Vec<u8> {
        let mut data = blocks.to_vec();
        modes::ecb_encrypt(&*rc5(self.params, key), &mut data).unwrap();
        data
    }

    fn functions(&self) -> [&Program; 3] {
        [&self.programs[0], &self.programs[1], &self.programs[2]]
    }

    fn make(&self, cores: Cores, image: &[u8]) -> Made {
        let encrypt = |key: &[u8], data: &[u8]| self.encrypted(key, data);
        let cipher = Cipher {
            name: "cipher",
            cpu: self.functions(),
            xgate: Some(&self.threads),
            table: &rc5_table(self.params),
            key_bytes: self.params.key_bytes(),
            encrypt: &encrypt,
        };
        let layout = Layout::default();
        let falls_back = self.falls_back;
        let (about, is_small, modes) = (&ABOUT, false, self.modes);
        let assembly = CipherAssembly { about, layout, cores, modes, is_small, falls_back, image };
        assembly.make(&cipher).unwrap()
    }

    pub fn program(&self, cores: Cores) -> (Made, Object) {
        let mut made = self.make(cores, &[]);
        if let Some(text) = &made.xgate {
            let object = assemble(&XgateSet, text, IMAGE).unwrap();
            let image = &object.segments[0].bytes;
            assert_eq!(image.len(), made.image_bytes, "{}", self.params);
            made = self.make(cores, image);
        }
        let object = assemble(&CpuSet, &made.whole(), made.layout.code).unwrap();
        (made, object)
    }

    /// A machine with the program, and the first address of the application's RAM; XGATE is begun
    /// if it is to answer.
    pub fn caller(&self, cores: Cores, answers: bool) -> (Caller, u16) {
        let (made, object) = self.program(cores);
        let callee = Callee {
            object: &object,
            prefix: "hash",
            context_bytes: made.context_bytes,
            digest_bytes: 0,
            ram: made.ram.clone(),
        };
        let mut caller = Caller::new(&callee).unwrap();
        if cores != Cores::Cpu && answers {
            caller.call("xgate_init", 0, &[]).unwrap();
        }
        (caller, made.ram.start.next_multiple_of(2))
    }
}

/// Programs of all widths of words on both cores.
pub fn programs(falls_back: bool) -> Vec<(Made, Object)> {
    let names = ["rc5-16/2/8", "rc5-32/12/16", "rc5-64/2/9"];
    let single = Case { modes: Modes::Block, falls_back, ..Case::small(names[1], !falls_back) };
    let both = names.map(|name| Case { falls_back, ..Case::new(name) }.program(Cores::Both));
    both.into_iter().chain([single.program(Cores::Xgate)]).collect()
}

/// Applies a mode to data by the definition, and updates the counter or initialization vector for
/// the data that follow.
fn expected(case: &Case, key: &[u8], mode: &str, vector: &mut [u8], data: &mut [u8]) {
    let cipher = &*rc5(case.params, key);
    let block = case.params.block_bytes();
    let last = |data: &[u8]| data[data.len().saturating_sub(block)..].to_vec();
    let given = last(data);
    match mode {
        "ecb_encrypt" => modes::ecb_encrypt(cipher, data).unwrap(),
        "ecb_decrypt" => modes::ecb_decrypt(cipher, data).unwrap(),
        "cbc_encrypt" => {
            modes::cbc_encrypt(cipher, vector, data).unwrap();
            let last = last(data);
            vector[..last.len()].copy_from_slice(&last);
        }
        "cbc_decrypt" => {
            modes::cbc_decrypt(cipher, vector, data).unwrap();
            vector[..given.len()].copy_from_slice(&given);
        }
        _ => {
            modes::ctr(cipher, &*vector, data).unwrap();
            let mut carry = data.len().div_ceil(block);
            for byte in vector {
                carry += usize::from(*byte);
                *byte = carry as u8;
                carry >>= 8;
            }
        }
    }
}

/// Where a test's values lie in RAM.
#[derive(Clone, Copy)]
struct Places {
    context: u16,
    vector: u16,
    data: u16,
}

const MODES: [&str; 5] = ["ecb_encrypt", "ecb_decrypt", "cbc_encrypt", "cbc_decrypt", "ctr"];

/// Applies a mode to `length` bytes that follow from `seed`, and compares data and vector with the
/// definition's. A length that is no number of whole blocks is refused by all modes but CTR, and
/// the data stay as they were.
fn transforms(
    case: &Case,
    caller: &mut Caller,
    key: &[u8],
    Places { context, vector, data }: Places,
    (mode, length, seed): (&str, usize, usize),
    what: &str,
) {
    let block = case.params.block_bytes();
    let mut text = bytes(length, 100 + seed);
    let mut iv = vec![0xff; block];
    iv[block - 1] = seed as u8;
    caller.write(data, &text).unwrap();
    caller.write(vector, &iv).unwrap();
    let args = [vector, data, length as u16];
    let args = if mode.starts_with("ecb") { &args[1..] } else { &args };
    let status = caller.call(mode, context, args).unwrap_or_else(|error| panic!("{what}: {error}"));
    if mode != "ctr" && length % block != 0 {
        assert_eq!(status, 1, "{what}");
    } else {
        assert_eq!(status, 0, "{what}");
        expected(case, key, mode, &mut iv, &mut text);
    }
    assert_eq!(caller.read(data, length).unwrap(), text, "{what}");
    assert_eq!(caller.read(vector, block).unwrap(), iv, "{what}: the vector");
}

/// Checks every mode with data of these lengths in bytes, now and then at odd addresses.
pub fn agrees(case: &Case, cores: Cores, answers: bool, lengths: &[usize]) {
    let (mut caller, ram) = case.caller(cores, answers);
    let block = case.params.block_bytes();
    let key = bytes(case.params.key_bytes(), 5);
    let [context, at_key, vector, data] = [0, 600, 900, 960].map(|offset| ram + offset);
    caller.write(at_key, &key).unwrap();
    for (i, &length) in lengths.iter().enumerate() {
        let stalls = Stalls { seed: i as u64, one_in: 5, at_most: 9 };
        caller.set_stalls((i % 2 == 1).then_some(stalls));
        caller.call("init", context, &[at_key]).unwrap();
        let data = data + (i % 3) as u16;
        let count = match case.modes {
            Modes::All => MODES.len(),
            Modes::Ecb => 2,
            Modes::Block => 0,
        };
        for &mode in &MODES[..count] {
            let what = format!("{} on {cores}, {mode}, {length} bytes", case.params);
            let places = Places { context, vector, data };
            transforms(case, &mut caller, &key, places, (mode, length, i), &what);
        }
        let mut text = bytes(block, i);
        caller.write(data, &text).unwrap();
        for (way, mode) in [("encrypt_block", "ecb_encrypt"), ("decrypt_block", "ecb_decrypt")] {
            caller.call(way, context, &[data, data + 32]).unwrap();
            let mut out = text.clone();
            expected(case, &key, mode, &mut [], &mut out);
            assert_eq!(caller.read(data + 32, block).unwrap(), out, "{} {way}", case.params);
            assert_eq!(caller.read(data, block).unwrap(), text, "{} {way}", case.params);
            text = out;
            caller.write(data, &text).unwrap();
        }
    }
    let starts = caller.machine().counts().xgate.starts;
    assert_eq!(starts > 0, cores != Cores::Cpu && answers, "{}", case.params);
}

/// Words of each width, keys that do not fill a word, keys longer than the table, and no rounds.
#[test]
fn every_mode_is_right_whatever_the_cores() {
    for name in ["rc5-32/12/16", "rc5-16/3/5", "rc5-64/2/9", "rc5-32/1/40"] {
        let case = Case::new(name);
        let block = case.params.block_bytes();
        let lengths = [0, block, 3 * block + 1, 19 * block];
        for cores in Cores::ALL {
            let most = if name == "rc5-32/12/16" { 4 } else { 3 };
            agrees(&case, cores, true, &lengths[4 - most..]);
        }
    }
}

#[test]
fn first_iterations_take_other_words_than_later_ones() {
    for name in ["rc5-32/12/16", "rc5-16/3/5", "rc5-64/2/9", "rc5-32/0/0"] {
        let case = Case::literal(name);
        let block = case.params.block_bytes();
        agrees(&case, Cores::Xgate, true, &[block, 3 * block + 1]);
    }
}

/// Ten thousand runs with random stalls of both cores: no mode hangs, and none gives other bytes.
#[test]
fn stalls_change_nothing() {
    const RUNS: usize = 1200;
    let names = ["rc5-32/12/16", "rc5-16/3/5", "rc5-64/2/9"];
    assert!(RUNS * names.len() * Cores::ALL.len() > 10_000);
    for name in names {
        let case = Case::new(name);
        let block = case.params.block_bytes();
        for cores in Cores::ALL {
            let begun = Instant::now();
            let (mut caller, ram) = case.caller(cores, true);
            let [context, at_key, vector, data] = [0, 600, 900, 960].map(|offset| ram + offset);
            let places = Places { context, vector, data };
            let mut key = Vec::new();
            for run in 0..RUNS {
                let (one_in, at_most) = KINDS[run % KINDS.len()];
                let stalls = Stalls { seed: run as u64, one_in, at_most };
                caller.set_stalls(Some(stalls));
                if run % 8 == 0 {
                    key = bytes(case.params.key_bytes(), run);
                    caller.write(at_key, &key).unwrap();
                    caller.call("init", context, &[at_key]).unwrap();
                }
                let mode = MODES[run % MODES.len()];
                let length = run * 37 % (19 * block);
                let length = if mode == "ctr" { length } else { length / block * block };
                let what = format!("{name} on {cores}, {mode}, {length} bytes, {stalls:?}");
                transforms(&case, &mut caller, &key, places, (mode, length, run), &what);
            }
            println!("{name} on {cores}: {RUNS} runs in {:.1} s", begun.elapsed().as_secs_f64());
        }
    }
}

/// Without an answer of XGATE the CPU computes everything.
#[test]
fn a_dead_coprocessor_is_done_without() {
    let case = Case::new("rc5-32/2/8");
    for cores in [Cores::Xgate, Cores::Both] {
        agrees(&case, cores, false, &[8, 150]);
    }
}

/// Where the CPU has no code for XGATE's work, every mode is the same and the program smaller. A
/// coprocessor that does not answer is reported, and the data stay as they were.
#[test]
fn without_a_fallback_it_is_right_or_told() {
    for name in ["rc5-32/12/16", "rc5-16/3/5", "rc5-64/2/9", "rc5-32/1/40"] {
        let whole = Case::new(name);
        let case = Case { falls_back: false, ..Case::new(name) };
        let block = case.params.block_bytes();
        for cores in [Cores::Xgate, Cores::Both] {
            agrees(&case, cores, true, &[block, 3 * block + 1, 19 * block]);
            let [part, whole] =
                [&case, &whole].map(|of| of.program(cores).1.segments[0].bytes.len());
            assert!(part < whole, "{name} on {cores}: {part} {whole}");
            let (mut caller, ram) = case.caller(cores, false);
            let text = bytes(3 * block, 4);
            let (vector, data) = (ram + 900, ram + 960);
            caller.write(vector, &text[..block]).unwrap();
            caller.write(data, &text).unwrap();
            assert_eq!(caller.call("init", ram, &[ram + 600]).unwrap(), 2, "{name} on {cores}");
            let length = text.len() as u16;
            for (function, args) in [
                ("ecb_encrypt", &[data, length][..]),
                ("cbc_decrypt", &[vector, data, length]),
                ("ctr", &[vector, data, length]),
                ("decrypt_block", &[data, data]),
            ] {
                let what = format!("{name} on {cores}: {function}");
                assert_eq!(caller.call(function, ram, args).unwrap(), 2, "{what}");
                assert_eq!(caller.read(data, text.len()).unwrap(), text, "{what}");
                assert_eq!(caller.read(vector, block).unwrap(), text[..block], "{what}");
            }
            assert_eq!(caller.call("ecb_encrypt", ram, &[data, length - 1]).unwrap(), 1);
            assert_eq!(caller.call("ctr", ram, &[vector, data, 0]).unwrap(), 0);
        }
    }
}

/// Tables of rows stand once behind all threads, at a multiple of 256 bytes, and the addresses that
/// a thread has of them are right.
#[test]
fn tables_of_threads_are_written() {
    let tables = crate::case::Case::new("groestl256", 1).thread.tables;
    assert!(!tables.is_empty());
    let mut case = Case::new("rc5-32/12/16");
    for thread in &mut case.threads[1..] {
        // The end of a thread is behind its last instruction, so that these words are never run.
        for rows in &tables {
            thread.text += &format!("\t.word {}\n", rows.label);
            thread.constants += 2;
        }
        thread.tables.clone_from(&tables);
    }
    for cores in [Cores::Xgate, Cores::Both] {
        let made = case.make(cores, &[]);
        let object = assemble(&XgateSet, &made.xgate.unwrap(), IMAGE).unwrap();
        let image = &object.segments[0].bytes;
        let at = |label: &str| object.find(label).unwrap().address - u32::from(IMAGE);
        for rows in &tables {
            let expected = assemble(&XgateSet, &rows.text, 0).unwrap();
            let place = at(&rows.label) as usize;
            assert_eq!(place % 256, 0, "{}", rows.label);
            assert!(image[place..place + rows.bytes] == expected.segments[0].bytes);
        }
        let bytes: usize = tables.iter().map(|rows| rows.bytes).sum();
        let space = case.threads.iter().map(|of| of.memory).sum::<usize>();
        assert_eq!(at(&tables[0].label) as usize + bytes + space, image.len());
        agrees(&case, cores, true, &[8, 19 * 8]);
    }
}

/// With ECB alone, blocks and ECB are the same, the program has no other mode, and it is smaller.
#[test]
fn ecb_alone_is_right_and_smaller() {
    for name in ["rc5-32/12/16", "rc5-16/3/5", "rc5-64/2/9"] {
        for falls_back in [true, false] {
            let whole = Case { falls_back, ..Case::new(name) };
            let case = Case { modes: Modes::Ecb, falls_back, ..Case::new(name) };
            let block = case.params.block_bytes();
            for cores in Cores::ALL {
                agrees(&case, cores, true, &[0, block, 3 * block + 1, 19 * block]);
                let [part, whole] = [&case, &whole].map(|of| of.program(cores));
                let [fewer, bytes] =
                    [&part, &whole].map(|(_, object)| object.segments[0].bytes.len());
                assert!(fewer + 200 < bytes, "{name} on {cores}: {fewer} {bytes}");
                assert!(part.1.find("hash_ctr").is_none() && !part.0.header.contains("_ctr("));
                assert!(whole.1.find("hash_ctr").is_some() && whole.0.header.contains("_ctr("));
                if cores != Cores::Cpu && falls_back {
                    agrees(&case, cores, false, &[3 * block]);
                }
            }
        }
    }
}

/// Known answers are right, and a table that is not the definition's is found.
#[test]
fn the_self_test_tells() {
    let case = Case::new("rc5-32/3/7");
    for cores in Cores::ALL {
        let (mut caller, _) = case.caller(cores, true);
        assert_eq!(caller.call("self_test", 0, &[]).unwrap(), 0, "{cores}");
        let (made, object) = case.program(cores);
        let mut wrong = object.clone();
        // The high byte of the table's first word, in `movw #word,0,y`: opcode, postbyte, word.
        let at = object.find("hash_table").unwrap().address - 0x4000 + 3;
        wrong.segments[0].bytes[at as usize] ^= 1;
        let callee = Callee {
            object: &wrong,
            prefix: "hash",
            context_bytes: made.context_bytes,
            digest_bytes: 0,
            ram: made.ram.clone(),
        };
        let mut caller = Caller::new(&callee).unwrap();
        assert_eq!(caller.call("self_test", 0, &[]).unwrap(), 1, "{cores}");
    }
}

/// The bounds that the program is held to, in bus cycles: for the key's expansion with one block,
/// and for one block.
#[test]
fn the_papers_cipher_is_fast() {
    let case = Case::new("rc5-32/12/16");
    for (cores, most) in [(Cores::Xgate, [8000, 1500]), (Cores::Both, [8000, 1500])] {
        let (mut caller, ram) = case.caller(cores, true);
        caller.write(ram + 600, &bytes(16, 1)).unwrap();
        let (_, key) = caller.call_timed("init", ram, &[ram + 600]).unwrap();
        let blocks = [ram + 700, ram + 708];
        let (_, block) = caller.call_timed("encrypt_block", ram, &blocks).unwrap();
        assert!(key + block <= most[0] && block <= most[1], "{cores}: {key} and {block}");
    }
}

/// Every number of rounds and bytes of key at the edges, with stalls.
#[test]
#[ignore = "minutes: `make test-asm`"]
fn every_shape_is_right_with_random_stalls() {
    for word in [16, 32, 64] {
        for rounds in [0, 1, 2, 12, 20] {
            for key in [0, 1, 7, 8, 16, 33, 64] {
                let case = Case::new(&format!("rc5-{word}/{rounds}/{key}"));
                let block = case.params.block_bytes();
                for cores in Cores::ALL {
                    agrees(&case, cores, true, &[1, block, 16 * block, 33 * block + 3]);
                }
            }
        }
    }
}
