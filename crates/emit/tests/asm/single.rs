//! Single blocks of a cipher alone, in the smallest programs.

use crate::cipher::{Case, agrees, bytes};
use crate::stalls::KINDS;
use manylane_emit::asm::{Cores, Modes};
use manylane_simulate::s12x::Stalls;

const NAMES: [&str; 6] =
    ["rc5-32/12/16", "rc5-16/3/5", "rc5-64/2/9", "rc5-32/1/40", "rc5-32/0/0", "rc5-16/9/2"];

fn single(name: &str, is_small: bool, falls_back: bool) -> Case {
    let case = if is_small { Case::small(name, !falls_back) } else { Case::new(name) };
    Case { modes: Modes::Block, falls_back, ..case }
}

/// Bytes of code and constants without the self-test.
fn code_bytes(case: &Case, cores: Cores) -> usize {
    let (made, object) = case.program(cores);
    object.find("hash_start").unwrap().address as usize - usize::from(made.layout.code)
}

/// Blocks are the definition's on all choices, and the program has no mode and is smaller than one
/// with ECB.
#[test]
fn blocks_alone_are_right_and_smaller() {
    for name in NAMES {
        for (is_small, falls_back) in [(false, false), (false, true), (true, false), (true, true)] {
            let case = single(name, is_small, falls_back);
            let block = case.params.block_bytes();
            let ecb = Case { modes: Modes::Ecb, falls_back, ..Case::new(name) };
            for cores in Cores::ALL {
                if cores == Cores::Cpu && !falls_back {
                    continue;
                }
                agrees(&case, cores, true, &[block, block]);
                let (made, object) = case.program(cores);
                assert!(object.find("hash_ecb_encrypt").is_none() && !made.header.contains("ecb"));
                assert!(made.header.contains("hash_decrypt_block("));
                let [part, whole] = [&case, &ecb].map(|of| code_bytes(of, cores));
                assert!(part < whole, "{name} on {cores}: {part} {whole}");
                if cores != Cores::Cpu && falls_back {
                    agrees(&case, cores, false, &[block]);
                }
                let (mut caller, _) = case.caller(cores, true);
                assert_eq!(caller.call("self_test", 0, &[]).unwrap(), 0, "{name} on {cores}");
            }
        }
    }
}

/// The functions report a late coprocessor, blocks stay as they were, and the key's words are
/// overwritten. Once the coprocessor answers again, results are right.
#[test]
fn a_late_coprocessor_is_told() {
    for name in NAMES {
        for is_small in [false, true] {
            let case = single(name, is_small, false);
            let block = case.params.block_bytes();
            let (mut caller, ram) = case.caller(Cores::Xgate, false);
            let [at_key, data] = [600, 900].map(|offset| ram + offset);
            let text = bytes(2 * block, 7);
            caller.write(at_key, &bytes(case.params.key_bytes(), 5)).unwrap();
            caller.write(data, &text).unwrap();
            for (function, args) in [
                ("init", &[at_key][..]),
                ("init", &[at_key]),
                ("encrypt_block", &[data, data + block as u16]),
                ("decrypt_block", &[data, data]),
            ] {
                assert_eq!(caller.call(function, ram, args).unwrap(), 2, "{name}: {function}");
                assert_eq!(caller.read(data, text.len()).unwrap(), text, "{name}: {function}");
            }
            caller.call("xgate_init", 0, &[]).unwrap();
            assert_eq!(caller.call("init", ram, &[at_key]).unwrap(), 0, "{name}");
            assert_eq!(caller.call("encrypt_block", ram, &[data, data]).unwrap(), 0, "{name}");
        }
    }
}

fn stalled(name: &str, runs: usize) {
    for (is_small, falls_back) in [(true, false), (true, true), (false, false)] {
        let case = single(name, is_small, falls_back);
        let block = case.params.block_bytes();
        for cores in [Cores::Xgate, Cores::Both] {
            let (mut caller, ram) = case.caller(cores, true);
            let [at_key, data] = [600, 900].map(|offset| ram + offset);
            for run in 0..runs {
                let (one_in, at_most) = KINDS[run % KINDS.len()];
                caller.set_stalls(Some(Stalls { seed: run as u64, one_in, at_most }));
                caller.write(at_key, &bytes(case.params.key_bytes(), run)).unwrap();
                caller.call("init", ram, &[at_key]).unwrap();
                let text = bytes(block, run + 3);
                caller.write(data, &text).unwrap();
                caller.call("encrypt_block", ram, &[data, data + 32]).unwrap();
                let expected = case.encrypted(&bytes(case.params.key_bytes(), run), &text);
                assert_eq!(caller.read(data + 32, block).unwrap(), expected, "{name}, {run}");
                caller.call("decrypt_block", ram, &[data + 32, data + 32]).unwrap();
                assert_eq!(caller.read(data + 32, block).unwrap(), text, "{name}, {run}");
            }
        }
    }
}

/// Stalls of both cores change nothing.
#[test]
fn stalls_change_no_single_block() {
    for name in NAMES {
        stalled(name, 20);
    }
}

/// Small programs with numbers of rounds and of key bytes at the edges, with stalls.
#[test]
#[ignore = "minutes: `make test-asm`"]
fn every_small_shape_is_right_with_random_stalls() {
    for word in [16, 32, 64] {
        for rounds in [0, 1, 2, 3, 12, 20] {
            for key in [0, 1, 7, 8, 16, 33, 64] {
                stalled(&format!("rc5-{word}/{rounds}/{key}"), 12);
            }
        }
    }
}

/// The paper's cipher takes half of the paper's 2,095 bytes, and at most twice the time of the fast
/// program.
#[test]
fn the_papers_cipher_is_small() {
    let case = single("rc5-32/12/16", true, false);
    let bytes_taken = code_bytes(&case, Cores::Xgate);
    assert!(bytes_taken <= MOST_BYTES, "{bytes_taken}");
    let (mut caller, ram) = case.caller(Cores::Xgate, true);
    caller.write(ram + 600, &bytes(16, 1)).unwrap();
    let (_, key) = caller.call_timed("init", ram, &[ram + 600]).unwrap();
    let blocks = [ram + 700, ram + 708];
    let (_, encrypt) = caller.call_timed("encrypt_block", ram, &blocks).unwrap();
    let (_, decrypt) = caller.call_timed("decrypt_block", ram, &blocks).unwrap();
    assert!(key + encrypt <= 14_500 && decrypt <= 3_000, "{key}, {encrypt} and {decrypt}");
}

/// Half of the paper's bytes. No search for a better order of instructions is needed for them.
const MOST_BYTES: usize = 2095 / 2;
