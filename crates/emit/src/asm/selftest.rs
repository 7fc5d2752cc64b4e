//! A self-test in assembly, and a start that runs it.

use super::{Cipher, Hash, Modes};
use std::fmt::Write;

/// A self-test.
pub(super) struct Selftest {
    /// The test's assembly.
    pub text: String,
    /// Bytes of RAM that it takes.
    pub ram_bytes: usize,
    /// How many digests it compares.
    pub answers: usize,
}

/// Byte `i` of the message. Every known answer takes a prefix of that message.
fn byte(i: usize) -> u8 {
    (i * 7 + i / 5 + 3) as u8
}

/// Numbers as lines of a directive.
fn bytes(text: &mut String, bytes: &[u8]) {
    for row in bytes.chunks(16) {
        let row: Vec<String> = row.iter().map(|byte| format!("0x{byte:02x}")).collect();
        let _ = writeln!(text, "        .byte   {}", row.join(","));
    }
}

/// The addresses that a self-test uses.
pub(super) struct TestAddresses {
    /// The first address of its RAM.
    pub test: usize,
    /// The first address behind the stack.
    pub stack: u16,
}

/// A known answer: bytes of the key, bytes of the message, and the expected result.
struct Answer {
    key: Option<usize>,
    length: usize,
    bytes: Vec<u8>,
}

/// Known answers for messages whose lengths are at the padding's edges, and for keys whose lengths
/// are at the edge of a block. Key and message are prefixes of the same bytes.
fn answers(hash: &Hash<'_>, message: &dyn Fn(usize) -> Vec<u8>) -> Vec<Answer> {
    let framing = &hash.stream.framing;
    let (block, room) = (framing.block_bytes, framing.padding.room);
    if let Some(mac) = hash.mac {
        let lengths = [(0, 0), (1, 3), (block, room.min(block)), (block + 1, 2 * block + 1)];
        let answer = |(key, length)| Answer {
            key: Some(key),
            length,
            bytes: mac(&message(key), &message(length)),
        };
        return lengths.map(answer).into();
    }
    let mut lengths = vec![0, 3, room.min(block), block, block + 1, 2 * block + 1];
    if room < block {
        lengths.push(room + 1);
    }
    lengths.sort_unstable();
    lengths.dedup();
    let answer = |length| Answer { key: None, length, bytes: (hash.digest)(&message(length)) };
    lengths.into_iter().map(answer).collect()
}

/// The self-test of a hash. It hashes messages that lie in flash, of lengths at the padding's
/// edges, and returns 0 in D, or the number of the first wrong digest.
pub(super) fn selftest(
    hash: &Hash<'_>,
    p: &str,
    context_bytes: usize,
    place: TestAddresses,
    has_xgate: bool,
    falls_back: bool,
) -> Selftest {
    // A late result counts as wrong.
    let status = match falls_back {
        true => String::new(),
        false => format!("        tbne    d,{p}_self_test_wrong\n"),
    };
    let message = |length: usize| -> Vec<u8> { (0..length).map(byte).collect() };
    let answers = answers(hash, &message);
    let digest_bytes = hash.stream.digest_bytes;
    let (context, digest) = (8, 8 + context_bytes);
    let ram_bytes = digest + digest_bytes;
    let (at, number, length) = (0, 2, 4);
    // The length of a key is in front of that of the message.
    let init = match hash.mac {
        Some(_) => format!(
            "        ldx     {p}_test+{at}
        movw    2,x+,2,-sp
        stx     {p}_test+{at}
        movw    #{p}_message,2,-sp
        ldd     #{p}_test+{context}
        jsr     {p}_init
        leas    4,sp
"
        ),
        None => format!("        ldd     #{p}_test+{context}\n        jsr     {p}_init\n"),
    };
    let mut out = opening(p, place, has_xgate);
    let _ = write!(
        out,
        "        movw    #0,{p}_test+{number}
        ldx     #{p}_answers
{p}_self_test_more:
        ldd     {p}_test+{number}
        addd    #1
        std     {p}_test+{number}
        ldd     2,x+
        cpd     #0xffff
        beq     {p}_self_test_right
        std     {p}_test+{length}
        stx     {p}_test+{at}
{init}        movw    {p}_test+{length},2,-sp
        movw    #{p}_message,2,-sp
        ldd     #{p}_test+{context}
        jsr     {p}_update
        leas    2,sp
        movw    #{p}_test+{digest},0,sp
        ldd     #{p}_test+{context}
        jsr     {p}_final
        leas    2,sp
{status}        ldx     {p}_test+{at}
        ldy     #{p}_test+{digest}
{p}_self_test_byte:
        ldaa    1,x+
        cmpa    1,y+
        bne     {p}_self_test_wrong
        cpy     #{p}_test+{ram_bytes}
        bne     {p}_self_test_byte
        bra     {p}_self_test_more
{p}_self_test_right:
        ldd     #0
        rts
{p}_self_test_wrong:
        ldd     {p}_test+{number}
        rts

; Known answers: the length of the message, that of a key, and what the definition gives.
{p}_answers:
",
    );
    for answer in &answers {
        for length in [Some(answer.length), answer.key].into_iter().flatten() {
            let _ = writeln!(out, "        .word   {length}");
        }
        bytes(&mut out, &answer.bytes);
    }
    let longest = answers.iter().map(|of| of.length.max(of.key.unwrap_or(0))).max().unwrap_or(0);
    let _ = writeln!(out, "        .word   0xffff\n{p}_message:");
    bytes(&mut out, &message(longest));
    Selftest { text: out, ram_bytes, answers: answers.len() }
}

/// The start of a program of the self-test alone, and the self-test's label.
fn opening(p: &str, place: TestAddresses, has_xgate: bool) -> String {
    let TestAddresses { test, stack, .. } = place;
    let begin = match has_xgate {
        true => format!("        jsr     {p}_xgate_init\n"),
        false => String::new(),
    };
    format!(
        "{p}_test = 0x{test:04x}

; Where a program of the self-test alone begins: the result is in D, at {p}_stop.
        .globl  {p}_start
{p}_start:
        lds     #0x{stack:04x}
{begin}        jsr     {p}_self_test
{p}_stop:
        bra     {p}_stop

; uint16_t {p}_self_test(void)
        .globl  {p}_self_test
{p}_self_test:
"
    )
}

/// The self-test of a cipher: blocks are encrypted, compared and decrypted again, in mode ECB or,
/// where it is left out, each alone. It returns 0 in D, or 1 if the ciphertext is wrong, 2 if the
/// plaintext is.
pub(super) fn of_cipher(
    cipher: &Cipher<'_>,
    p: &str,
    block: usize,
    context_bytes: usize,
    place: TestAddresses,
    has_xgate: bool,
    modes: Modes,
) -> Selftest {
    let has_data = modes != Modes::Block;
    let bytes_of = |count: usize| -> Vec<u8> { (0..count).map(byte).collect() };
    let length = if has_data { BLOCKS } else { FEW } * block;
    let key = bytes_of(cipher.key_bytes);
    let plain = bytes_of(length);
    let ram_bytes = context_bytes + length;
    // Arguments on the stack: the data and their length, or one address as input and output.
    let (prepare, clear) = match has_data {
        true => (
            format!(
                "        movw    #{length},0,sp
        movw    #{p}_test+{context_bytes},2,-sp
"
            ),
            "        leas    4,sp\n",
        ),
        false => ("        leas    2,sp\n".to_owned(), ""),
    };
    let call = |way: &str| match has_data {
        true => format!("        ldd     #{p}_test\n        jsr     {p}_ecb_{way}\n"),
        false => (0..FEW)
            .map(|i| {
                let at = context_bytes + i * block;
                format!(
                    "        movw    #{p}_test+{at},2,-sp
        movw    #{p}_test+{at},2,-sp
        ldd     #{p}_test
        jsr     {p}_{way}_block
        leas    4,sp
"
                )
            })
            .collect(),
    };
    let (encrypt, decrypt) = (call("encrypt"), call("decrypt"));
    let mut out = opening(p, place, has_xgate);
    let _ = write!(
        out,
        "        movw    #{p}_message,2,-sp
        ldd     #{p}_test
        jsr     {p}_init
        ldx     #{p}_message
        ldy     #{p}_test+{context_bytes}
{p}_self_test_copy:
        movw    2,x+,2,y+
        cpx     #{p}_message+{length}
        bne     {p}_self_test_copy
{prepare}{encrypt}        ldx     #{p}_answer
        bsr     {p}_self_test_compare
        bne     {p}_self_test_one
{decrypt}        ldx     #{p}_message
        bsr     {p}_self_test_compare
        bne     {p}_self_test_two
{clear}        ldd     #0
        rts
{p}_self_test_one:
{clear}        ldd     #1
        rts
{p}_self_test_two:
{clear}        ldd     #2
        rts
; Z tells whether the data are those at X.
{p}_self_test_compare:
        ldy     #{p}_test+{context_bytes}
{p}_self_test_word:
        ldd     2,x+
        cpd     2,y+
        bne     {p}_self_test_end
        cpy     #{p}_test+{ram_bytes}
        bne     {p}_self_test_word
{p}_self_test_end:
        rts

; The ciphertext of the message by the definition; the message, with whose beginning as the key.
{p}_answer:
",
    );
    bytes(&mut out, &(cipher.encrypt)(&key, &plain));
    let _ = writeln!(out, "{p}_message:");
    bytes(&mut out, &bytes_of(length.max(cipher.key_bytes)));
    Selftest { text: out, ram_bytes, answers: 2 }
}

/// Blocks of a cipher's self-test: more than XGATE takes in a job.
const BLOCKS: usize = 17;

/// Blocks of a self-test of single blocks.
const FEW: usize = 3;
