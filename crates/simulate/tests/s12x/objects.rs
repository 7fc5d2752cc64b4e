//! Objects: the assembler's errors, maps, files.

use manylane_simulate::s12x::assembler::assemble;
use manylane_simulate::s12x::object::{Object, Segment, Space, Symbol, link_map};
use manylane_simulate::s12x::xgate::{XgateSet, text};

fn bytes(text: &str) -> Vec<u8> {
    assemble(&XgateSet, text, 0xe000).unwrap().segments[0].bytes.clone()
}

#[test]
fn directives_labels_and_equates() {
    let text = "
        k = 5                   ; an equate, before its use and after it
                .equ m, 0x1234
        start:  LDL R1,#k+later
                ldw r2,#table   ! two instructions
                bra 1f
        1:      bne 1b
                bra 1f /* a comment
                over two lines */
        1:      rts
        # a line of comment
        table:  .word start, m, -1
                .byte 'a', 255, -128
                .align 2
                .asciz \"a;b\\n\"
                .even
        later = 2";
    let expected: &[&[u8]] = &[
        &[0xf1, 7],
        &[0xf2, 0x0e, 0xfa, 0xe0],
        &[0x3c, 0, 0x25, 0xff, 0x3c, 0, 2, 0],
        &[0xe0, 0, 0x12, 0x34, 0xff, 0xff],
        &[b'a', 255, 128, 0],
        &[b'a', b';', b'b', b'\n', 0, 0],
    ];
    assert_eq!(bytes(text), expected.concat());
}

#[test]
fn what_is_wrong_is_named_by_its_line() {
    for (line, message) in [
        ("foo r1", "`foo` is no instruction of XGATE"),
        ("ldl r8,#1", "the operands are none of `ldl`, which takes R, #IMM8"),
        ("ldl r1,#256", "the operand is 256; it must be 0 to 255"),
        ("ldl r1,#-1", "the operand is -1; it must be 0 to 255"),
        ("csl r1,#16", "the operand is 16; it must be 0 to 15"),
        ("ldb r1,(r2,#32)", "the operand is 32; it must be 0 to 31"),
        ("ldw r1,#65536", "the immediate is 65536; it must be -32768 to 65535"),
        (
            "ldb r1,(r2)",
            "the operands are none of `ldb`, which takes R, (RB, #OFFS5) or R, (RB, RI) or \
             R, (RB, RI+) or R, (RB, -RI)",
        ),
        ("ldb r1,(r2,x)", "`(r2,x)` must be (RB, #OFFS5), (RB, RI), (RB, RI+) or (RB, -RI)"),
        ("cmp r1", "the operands are none of `cmp`, which takes R, R or R, #IMM16"),
        ("bra nowhere", "`nowhere` is not defined"),
        ("bra .+3", "the branch goes to 0xe003, which is odd"),
        (
            "bne .+514",
            "the branch goes 514 bytes, further than -510 to 512; use JAL, or BRA around it",
        ),
        ("bne .-512", "the branch goes -512 bytes, further than -510 to 512"),
        (".frob 1", "`.frob` is no directive of this assembler"),
        (".byte 256", "the value is 256; it must be -128 to 255"),
        (".byte", ".byte takes values"),
        (".org 0-2", "`.org` cannot go back from offset 0 to -2"),
        (".byte 1\nnop", "an instruction stands at the odd address 0xe001; `.align 1` before it"),
        ("a: nop\na: nop", "`a` is defined a second time"),
        ("a: nop\na = 3", "`a` is a label and cannot be set"),
        ("1x = 3", "`1x` is no name for a symbol"),
        (".equ x", ".equ takes a name and a value"),
        (".space 8190\nnop\nnop", "the program is longer than the address space"),
        (".space 8192\na:", "the program is longer than the address space"),
        (".space 9\n.org 1<<62", "the program is longer than the address space"),
        ("bra 1f", "`1f` is not defined"),
        ("bra 1<<63", "the branch goes "),
        (".org 1<<63", "`.org` cannot go back"),
    ] {
        let error = assemble(&XgateSet, line, 0xe000).unwrap_err();
        let last = error.lines.last().unwrap();
        assert!(last.2.starts_with(message), "{line}: {error}");
        assert_eq!(last.0, line.lines().count(), "{line}");
    }
    // A label behind the last address is not called undefined where it is used.
    let error = assemble(&XgateSet, "ldw r1,#far\n.space 8192\nfar: nop", 0xe000).unwrap_err();
    assert!(error.is_too_long());
    assert_eq!(
        error.to_string(),
        "line 2: the program is longer than the address space: `.space 8192`"
    );
    // A comment that begins in another does not.
    assert_eq!(bytes("nop ; /*\nnop /* a;b */\n/* \n */ rts ! */"), [1, 0, 1, 0, 2, 0]);
    let error = assemble(&XgateSet, "nop\nnop /* here\nnop", 0).unwrap_err();
    assert_eq!(
        error.to_string(),
        "line 2: the comment that begins here does not end: `nop /* here`"
    );
    let error = assemble(&XgateSet, "nop\nfoo\nbar\n", 0).unwrap_err();
    assert_eq!(
        error.to_string(),
        "line 2: `foo` is no instruction of XGATE: `foo`\n\
         line 3: `bar` is no instruction of XGATE: `bar`"
    );
}

/// Every word is text that assembles to it.
#[test]
fn disassembly_assembles_to_the_same_words() {
    let words: Vec<u16> = (0..=u16::MAX).collect();
    for part in words.chunks(0x4000) {
        let lines: Vec<_> = part.iter().map(|&word| text(word)).collect();
        // In the middle, so that no branch leaves the address space.
        let object = assemble(&XgateSet, &lines.join("\n"), 0x4000).unwrap();
        let expected: Vec<_> = part.iter().flat_map(|word| word.to_be_bytes()).collect();
        assert!(object.segments[0].bytes == expected, "words from {:04x}", part[0]);
    }
    assert_eq!(text(0x0400), ".word 0x0400");
    assert_eq!(text(0x25fd), "bne .-4");
}

#[test]
fn a_map_has_sizes() {
    let object = assemble(&XgateSet, "a: nop\nb: nop\nnop\nc: .word 7", 0xe000).unwrap();
    let flag = Symbol { name: "flag".to_owned(), space: Space::Cpu, address: 0x2000 };
    let code = Segment { space: Space::Cpu, address: 0xc000, bytes: vec![0x3d] };
    let object = object.join(Object { segments: vec![code], symbols: vec![flag] }).unwrap();
    assert_eq!(
        link_map(&object),
        "space   address   bytes  segment\n\
         cpu     0x00c000      1  0\n\
         xgate   0x00e000      8  1\n\
         \n\
         space   address   bytes  symbol\n\
         cpu     0x002000      0  flag\n\
         xgate   0x00e000      2  a\n\
         xgate   0x00e002      4  b\n\
         xgate   0x00e006      2  c\n"
    );
    let twice = object.clone().join(object).unwrap_err();
    assert_eq!(twice, "`a` is defined in two objects");
}
