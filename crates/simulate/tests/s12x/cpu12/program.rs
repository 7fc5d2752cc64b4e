//! A whole program: SHA-1 of one block, assembled here, run here.

use super::{Bench, ORIGIN, bytes};
use manylane_simulate::s12x::cpu12::End;

const TEXT: &str = include_str!("sha1.s");

/// FIPS 180-4 §5.3.1.
const INITIAL: [u32; 5] = [0x6745_2301, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476, 0xc3d2_e1f0];

/// The digest of a message of up to 55 bytes.
fn digest(message: &[u8]) -> String {
    let mut block = message.to_vec();
    block.push(0x80);
    block.resize(56, 0);
    block.extend((8 * message.len() as u64).to_be_bytes());
    // A caller that waits when the routine is back.
    let mut bench = Bench::new(&format!("jsr sha1\nwai\n{TEXT}"));
    bench.load(0x2100, &block);
    for (number, word) in (0..).zip(INITIAL) {
        bench.load(0x2000 + 4 * number, &word.to_be_bytes());
    }
    let ran = bench.cpu.run(&mut bench.memory, 0, 1_000_000).unwrap();
    assert_eq!(ran.end, End::Waiting);
    assert_eq!(bench.cpu.registers().sp, 0x3f00 - 10, "WAI alone has saved something");
    assert!(ran.cycles > 3 * ran.instructions / 2 && ran.cycles < 5 * ran.instructions);
    bench.memory.bytes()[0x2000..0x2014].iter().map(|byte| format!("{byte:02x}")).collect()
}

#[test]
fn sha1_in_assembly() {
    for (message, expected) in [
        ("abc", "a9993e364706816aba3e25717850c26c9cd0d89d"),
        ("", "da39a3ee5e6b4b0d3255bfef95601890afd80709"),
        ("The quick brown fox jumps over the lazy dog", "2fd4e1c67a2d28fced849ee1bb76e7391b93eb12"),
    ] {
        assert_eq!(digest(message.as_bytes()), expected, "{message}");
    }
}

/// GNU as makes the same bytes of SHA-1's text.
#[test]
fn sha1_assembled_by_gnu() {
    use super::super::binutils::{CPU, are_here, gnu_bytes};
    if are_here() {
        let ours = bytes(TEXT, ORIGIN);
        assert!(gnu_bytes(CPU, TEXT, ORIGIN).starts_with(&ours));
    }
}
