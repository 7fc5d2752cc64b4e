//! Hashes in assembly on the simulated S12X: whatever the cores, every digest is the definition's.

#[path = "../../../simulate/tests/s12x/binutils.rs"]
mod binutils;
mod by_block;
mod case;
mod cipher;
mod columns;
mod fallback;
mod shares;
mod single;
mod small;
mod stalls;
mod words;

use crate::case::{Case, agrees, macs_agree, message, seed};
use crate::shares::{SHARES, sharing};
use manylane_emit::asm::{Cores, IMAGE, Made};
use manylane_graph::calls::digest;
use manylane_primitives::catalog::{Algorithm, HashId};
use manylane_simulate::s12x::assembler::assemble;
use manylane_simulate::s12x::cpu12::CpuSet;
use manylane_simulate::s12x::object::Object;
use manylane_simulate::s12x::xgate::XgateSet;

/// One hash of each family and width of words.
const COMPRESSIONS: [&str; 11] = [
    "md5",
    "sha1",
    "sha256",
    "sha512",
    "sha3-256",
    "ripemd128",
    "blake256",
    "blake512",
    "groestl256",
    "jh256",
    "skein512",
];

/// Hashes of which four rounds in an iteration are more code than the CPU's flash.
const TOO_LARGE: [&str; 2] = ["groestl384", "groestl512"];

#[test]
fn every_compression_is_right_whatever_the_cores() {
    for name in COMPRESSIONS {
        let case = Case::new(name, 1);
        for cores in Cores::ALL {
            agrees(&case, cores, &case.lengths()[2..5], &[None, Some(seed(name))]);
        }
    }
}

/// Loops, tables and steps are named as the definition names its steps, on both cores.
#[test]
fn labels_are_the_definitions_words() {
    for name in COMPRESSIONS {
        let case = Case::new(name, 1);
        let made = case.make(Cores::Xgate, &[]).unwrap();
        let alone = case.make(Cores::Cpu, &[]).unwrap();
        for text in [&alone.cpu, &made.cpu, &made.xgate.unwrap()] {
            assert!(!text.contains("_region"), "{name}: a loop is named by its number");
            // RIPEMD's rounds take the message's words in orders that do not repeat: no loop.
            let step = if name == "ripemd128" { "_left0:" } else { "_loop:" };
            assert!(text.lines().any(|line| line.ends_with(step)), "{name}: no {step}");
        }
    }
    for (name, cpu, xgate) in [
        (
            "sha256",
            &["round0_loop", "round0", "round16_loop", "round16", "schedule16"][..],
            &["round0_loop", "round16_loop", "round16_table"][..],
        ),
        (
            "md5",
            &["round0_loop", "round16_loop", "round32", "round48_loop_rows"],
            &["round48_loop"],
        ),
        ("sha3-256", &["round_loop", "round0", "round0_theta0", "round0_chi0"], &["round_loop"]),
        ("blake256", &["round_loop", "round0_g0"], &["round_loop"]),
        ("groestl256", &["round_of_P_loop", "round_of_Q_loop"], &["round_of_P_loop"]),
    ] {
        let case = Case::new(name, 1);
        let (made, object) = case.program(Cores::Cpu);
        let has = |label: &str| object.find(&format!("hash_{label}")).is_some();
        let missing: Vec<&&str> = cpu.iter().filter(|label| !has(label)).collect();
        assert!(missing.is_empty(), "{name}: {missing:?} in\n{}", made.cpu);
        let text = case.make(Cores::Xgate, &[]).unwrap().xgate.unwrap();
        for label in xgate {
            assert!(text.contains(&format!("\nhash_xgate_{label}:\n")), "{name}: {label}\n{text}");
        }
    }
}

/// Every hash of the catalogue, with the CPU's code for a block and without, every number of rounds
/// in an iteration that is chosen, many stalls.
#[test]
#[ignore = "minutes: `make test-asm`"]
fn every_hash_is_right_with_random_stalls() {
    for &id in HashId::ALL {
        let name = Algorithm::from(id).to_string();
        for unroll in [1, 2, 4] {
            let mut case = Case::new(&name, unroll);
            let mut lengths = case.lengths();
            lengths.push(1024);
            // Four rounds do not repeat in 14, seven do, and they are more code than 48 KiB.
            if unroll == 4 && TOO_LARGE.contains(&&name[..]) {
                let made = case.make(Cores::Cpu, &[]).unwrap();
                let error = assemble(&CpuSet, &made.whole(), made.layout.code).unwrap_err();
                assert!(error.is_too_long(), "{name}: {error}");
                continue;
            }
            for cores in Cores::ALL {
                if cores != Cores::Cpu && unroll > 1 {
                    continue;
                }
                let stalls: Vec<Option<u64>> = (0..5).map(|i| (i > 0).then_some(i)).collect();
                agrees(&case, cores, &lengths, &stalls);
                if cores != Cores::Cpu {
                    case.falls_back = false;
                    agrees(&case, cores, &lengths, &stalls);
                    case.falls_back = true;
                }
            }
        }
    }
}

/// Threads as the search leaves them, with instructions moved at random, and threads with words in
/// quarters: both cores' hand-over and every digest are right, whatever stalls.
#[test]
fn threads_that_were_searched_are_right() {
    for (name, in_quarters, effort) in
        [("md5", false, 60), ("sha1", false, 61), ("keccak256", true, 0), ("sha3-256", true, 20)]
    {
        let case = Case::new(name, 1).with_thread(in_quarters, effort).unwrap();
        for cores in [Cores::Xgate, Cores::Both] {
            agrees(&case, cores, &case.lengths()[2..5], &[None, Some(seed(name)), Some(1)]);
        }
    }
}

/// Threads of every hash as the search leaves them, in quarters too where its words can be parted.
#[test]
#[ignore = "minutes: `make test-asm`"]
fn every_thread_that_was_searched_is_right() {
    let mut parted = 0;
    for &id in HashId::ALL {
        let name = Algorithm::from(id).to_string();
        for in_quarters in [false, true] {
            let case = Case::new(&name, 1).with_thread(in_quarters, 120);
            let Some(case) = case else { continue };
            parted += usize::from(in_quarters);
            let mut lengths = case.lengths();
            lengths.push(1024);
            let stalls: Vec<Option<u64>> = (0..5).map(|i| (i > 0).then_some(i)).collect();
            for cores in [Cores::Xgate, Cores::Both] {
                agrees(&case, cores, &lengths, &stalls);
            }
        }
    }
    assert!(parted > 0);
}

/// Pieces of any lengths, from even addresses and odd ones, make one message.
#[test]
fn pieces_make_a_message() {
    for (name, cores) in [
        ("sha256", Cores::Cpu),
        ("sha256", Cores::Xgate),
        ("skein512", Cores::Xgate),
        ("md5", Cores::Both),
        ("blake256", Cores::Both),
    ] {
        let case = Case::new(name, 1);
        let mut caller = case.caller(cores);
        let message = message(400);
        for sizes in [&[1, 63, 64, 65, 129][..], &[3, 200, 7], &[64, 64, 64], &[129, 127, 1]] {
            let hashed = caller.hash_pieces(&message, sizes).unwrap();
            let expected = digest(case.algorithm, &message);
            assert_eq!(hashed.digest, expected, "{name} on {cores}, pieces {sizes:?}");
        }
    }
}

/// HMAC is the definition's for keys at the edges of a block, whatever the hash does with its last
/// block and its counter, and whoever computes; contexts are overwritten at the end.
#[test]
fn macs_are_right_whatever_the_cores() {
    for name in ["md5", "sha512", "sha3-256", "blake256", "groestl256", "skein512-256"] {
        let case = Case::keyed(name);
        let block = case.stream.framing.block_bytes;
        for cores in Cores::ALL {
            macs_agree(&case, cores, &[block, block + 1]);
        }
    }
}

/// HMAC with every hash that it is defined for.
#[test]
#[ignore = "minutes: `make test-asm`"]
fn every_mac_is_right_with_random_stalls() {
    for &id in HashId::ALL {
        let algorithm = Algorithm::from(id);
        let name = algorithm.to_string();
        let block = id.entry().shape.block_bytes;
        if algorithm.digest_bytes() > block {
            continue;
        }
        let case = Case::keyed(&name);
        for cores in Cores::ALL {
            macs_agree(&case, cores, &[0, 1, block - 1, block, block + 1, 2 * block + 5]);
        }
    }
}

/// The context, the key's block and its digest are zeros after `final`.
#[test]
fn a_mac_leaves_no_key_behind() {
    use manylane_simulate::s12x::object::Space;
    for cores in Cores::ALL {
        let case = Case::keyed("sha256");
        let (made, object) = case.program(cores);
        let mut caller = case.machine(&made, &object);
        if cores != Cores::Cpu {
            caller.call("xgate_init", 0, &[]).unwrap();
        }
        caller.mac_pieces(&message(70), &message(100), &[64]).unwrap();
        // The block is the end of the work area, with a byte behind it and one to make it even.
        let end = u32::from(made.layout.work) + made.work_bytes as u32;
        let machine = caller.machine();
        let block = machine.read(Space::Cpu, end - 66, 64).unwrap();
        assert_eq!(block, [0; 64], "{cores}: the block");
        let context = u32::from(made.ram.start.next_multiple_of(2));
        let context = machine.read(Space::Cpu, context, made.context_bytes).unwrap();
        assert_eq!(context, vec![0; made.context_bytes], "{cores}: the context");
    }
}

/// The self-test accepts the right program, and finds a wrong constant.
#[test]
fn the_self_test_tells() {
    for cores in Cores::ALL {
        let case = Case::new("md5", 1);
        let (made, object) = case.program(cores);
        let mut caller = case.machine(&made, &object);
        if cores != Cores::Cpu {
            caller.call("xgate_init", 0, &[]).unwrap();
        }
        assert_eq!(caller.call("self_test", 0, &[]).unwrap(), 0);
        let mut wrong = object.clone();
        let at = object.find("hash_initial").unwrap().address - 0x4000;
        wrong.segments[0].bytes[at as usize] ^= 1;
        let mut caller = case.machine(&made, &wrong);
        assert_eq!(caller.call("self_test", 0, &[]).unwrap(), 1);
        let case = Case::keyed("md5");
        let (made, object) = case.program(cores);
        let mut caller = case.machine(&made, &object);
        if cores != Cores::Cpu {
            caller.call("xgate_init", 0, &[]).unwrap();
        }
        assert_eq!((made.answers, caller.call("self_test", 0, &[]).unwrap()), (4, 0));
        let mut wrong = object.clone();
        let at = object.find("hash_answers").unwrap().address - 0x4000 + 4;
        wrong.segments[0].bytes[at as usize] ^= 1;
        let mut caller = case.machine(&made, &wrong);
        assert_eq!(caller.call("self_test", 0, &[]).unwrap(), 1);
    }
}

/// Without XGATE the CPU computes every block: nothing waits for ever.
#[test]
fn a_dead_coprocessor_is_done_without() {
    let case = Case::new("md5", 1);
    let (made, object) = case.program(Cores::Xgate);
    let mut caller = case.machine(&made, &object);
    let hashed = caller.hash(&message(300)).unwrap();
    assert_eq!(hashed.digest, digest(case.algorithm, &message(300)));
    assert_eq!(hashed.counts.xgate.starts, 0);
}

/// GNU as makes the same bytes of both cores' texts, for every choice of cores.
#[test]
fn gnu_as_agrees() {
    if !binutils::are_here() {
        return;
    }
    let agree = |what: &str, made: &Made, object: &Object| {
        let origin = made.layout.code;
        let theirs = binutils::gnu_bytes(binutils::CPU, &made.whole(), origin);
        assert!(object.segments[0].bytes == theirs, "{what}: the CPU's text");
        if let Some(text) = &made.xgate {
            let ours = assemble(&XgateSet, text, IMAGE).unwrap();
            let theirs = binutils::gnu_bytes(binutils::XGATE, text, IMAGE);
            let what = format!("{what}: XGATE's text");
            binutils::assert_same(&ours.segments[0].bytes, &theirs, 256, &what);
        }
    };
    for name in ["md5", "sha1", "sha512", "blake256", "groestl256", "jh256", "keccak256"] {
        for (cores, falls_back) in [(Cores::Cpu, true), (Cores::Both, true), (Cores::Both, false)] {
            let case = Case { falls_back, ..Case::new(name, 1) };
            let (made, object) = case.program(cores);
            agree(&format!("{name} on {cores}, {falls_back}"), &made, &object);
        }
    }
    let (made, object) = Case::new("blake256", 1).by_block().program(Cores::Xgate);
    agree("one block at a time", &made, &object);
    for of in [SHARES[3], SHARES[5]] {
        let (made, object) = sharing(of).program(Cores::Both);
        agree(&format!("{of:?}"), &made, &object);
    }
    for falls_back in [true, false] {
        let (made, object) =
            Case { falls_back, ..Case::keyed("skein512-256") }.program(Cores::Both);
        agree("HMAC", &made, &object);
        for (made, object) in cipher::programs(falls_back) {
            agree("RC5", &made, &object);
        }
    }
}
