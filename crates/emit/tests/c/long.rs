//! Lengths and counters of messages past 2^32 bits and bytes: the context is set as if that many
//! blocks went before.

use crate::compile::{STRICT, Written, has};
use crate::subject::{of_hash, prefix};
use crate::{for_each, hex};
use manylane_emit::c::Options;
use manylane_graph::framing::{Framed, Framing, stream};
use manylane_graph::interpret::run_main;
use manylane_graph::{Module, trace};
use manylane_primitives::catalog::Algorithm;
use manylane_primitives::word::ByteOrder;

/// Blocks before the message's end: a count of bits past 2^32, one of bytes, and bits past 2^64.
const BEFORE: [u64; 3] = [0x0080_0001, 0x0800_0003, 0x0400_0000_0000_0005];

/// The digest of the bytes 1, 2, … as the end of a message that has `before` blocks before it, all
/// of which left the initial value as it was.
fn expected(algorithm: Algorithm, framing: &Framing, before: u64, rest: usize) -> Vec<u8> {
    let module = Module::of(trace::compression(algorithm));
    let bytes: Vec<u8> = (0..rest).map(|i| (i + 1) as u8).collect();
    let word_bytes = framing.word_bits as usize / 8;
    let mut h = framing.initial.clone();
    let mut call = |Framed { bytes, counter }: Framed| {
        let words = bytes.chunks(word_bytes).map(|chunk| {
            let value = |word: u64, &byte: &u8| word << 8 | u64::from(byte);
            match framing.order {
                ByteOrder::Big => chunk.iter().fold(0, value),
                ByteOrder::Little => chunk.iter().rev().fold(0, value),
            }
        });
        let counter = counter.words().into_iter().take(framing.counter_words());
        let inputs: Vec<u64> = h.iter().copied().chain(words).chain(counter).collect();
        h = run_main(&module, &inputs);
    };
    // Where more bytes follow than a block has, the first one is whole.
    let whole = if rest > framing.block_bytes { framing.block_bytes } else { 0 };
    if whole > 0 {
        let counter = framing.whole_counter(before);
        call(Framed { bytes: bytes[..whole].to_vec(), counter });
    }
    let before = before + u64::from(whole > 0);
    framing.end(before, &bytes[whole..]).into_iter().for_each(&mut call);
    if let Some(closing) = &framing.closing {
        call(Framed { bytes: vec![0; framing.block_bytes], counter: closing.counter });
    }
    framing.digest_of(&h)
}

#[test]
fn lengths_and_counters_go_past_32_and_64_bits() {
    if !has("gcc") {
        return;
    }
    let names = [
        "md5",
        "sha1",
        "sha256",
        "sha512",
        "ripemd160",
        "blake256",
        "blake512",
        "groestl256",
        "groestl512",
        "jh256",
        "skein256",
        "skein1024",
    ];
    for_each(&names, |name| {
        let algorithm: Algorithm = name.parse().unwrap();
        let framing = stream(algorithm).unwrap().framing;
        let (p, block) = (prefix(name), framing.block_bytes);
        let folder = of_hash(algorithm, false, &Options::default()).unwrap();
        let written = Written::new(&folder);
        let rests = [1, framing.padding.room + 1, block - 1, block + 1];
        let mut cases = String::new();
        let mut wanted = String::new();
        for before in BEFORE {
            let before = before.min((1 << 63) / block as u64);
            for rest in rests {
                let bytes = before * block as u64;
                cases.push_str(&format!("    end(UINT64_C({bytes}), {rest});\n"));
                wanted.push_str(&hex(&expected(algorithm, &framing, before, rest)));
                wanted.push('\n');
            }
        }
        let text = format!(
            "#include \"{p}.h\"\n#include <stdio.h>\n\
             static void end(uint64_t bytes, unsigned rest)\n{{\n\
             \x20   uint8_t message[512], digest[{P}_DIGEST_BYTES];\n    unsigned i;\n    {p}_ctx \
             c;\n\
             \x20   {p}_init(&c);\n    c.bytes = bytes;\n\
             \x20   for (i = 0; i < rest; i++) message[i] = (uint8_t)(i + 1u);\n\
             \x20   {p}_update(&c, message, rest);\n    {p}_final(&c, digest);\n\
             \x20   for (i = 0; i < sizeof digest; i++) printf(\"%02x\", (unsigned)digest[i]);\n\
             \x20   printf(\"\\n\");\n}}\n\
             int main(void)\n{{\n{cases}    return 0;\n}}\n",
            P = p.to_uppercase(),
        );
        written.add("driver.c", &text);
        let sources = [folder.library.clone(), vec!["driver.c".to_owned()]].concat();
        let said = written.build_and_run("gcc", &STRICT, &sources);
        assert_eq!(said, wanted, "{name}");
    });
}
