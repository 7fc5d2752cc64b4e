//! The assembler by values computed by hand, and what it says of wrong text.

use super::{ORIGIN, bytes};
use manylane_simulate::s12x::assembler::assemble;
use manylane_simulate::s12x::cpu12::CpuSet;

fn hex(text: &str) -> String {
    bytes(text, ORIGIN).iter().map(|byte| format!("{byte:02x}")).collect()
}

#[test]
fn offsets_take_as_few_bytes_as_they_can() {
    for (text, expected) in [
        ("ldaa 15,x", "a60f"),
        ("ldaa -16,x", "a610"),
        ("ldaa 16,x", "a6e010"),
        ("ldaa -17,x", "a6e1ef"),
        ("ldaa 255,y", "a6e8ff"),
        ("ldaa -256,sp", "a6f100"),
        ("ldaa 256,sp", "a6f20100"),
        ("ldaa -257,x", "a6e2feff"),
        ("ldaa 65535,x", "a6e2ffff"),
        ("ldaa ,x", "a600"),
        ("LDAA 5 , X", "a605"),
        ("ldaa [ d , x ]", "a6e7"),
        ("ldaa K,x\nK = 5", "a605"),
        ("ldaa K,x\n.equ K,500", "a6e201f4"),
        // A label has 16 bits wherever it lies.
        ("ldaa here,x\nhere:", "a6e24004"),
        ("ldaa 2,x\nhere:", "a602"),
        ("ldaa *K\nK = 0x80", "9680"),
        ("ldaa 0x80", "b60080"),
        // What has no direct form takes the address as a word.
        ("clr *0x80", "790080"),
        ("jmp *0x80", "060080"),
        ("jsr *0x80", "1780"),
        ("movb *1,*2", "180c00010002"),
        ("bset *4,#3", "4c0403"),
        ("bset *4,3", "4c0403"),
        ("bset 4,#3", "1c000403"),
        ("stx -2,x+", "6e3e"),
        ("trap #0x30", "1830"),
        ("jbra .", "20fe"),
    ] {
        assert_eq!(hex(text), expected, "{text}");
    }
}

/// A label in front of `pc` is the address; the distance is counted from the next instruction.
#[test]
fn relative_to_the_program_counter() {
    for (text, expected) in [
        ("here: ldaa here,pc", "a6de"),
        ("ldaa there,pc\nthere:", "a6c0"),
        ("here: bset here,pc,#1", "0cdd01"),
        ("here: brset here,pc,#1,here", "0edc01fc"),
        ("here: movb here,pc,here", "180ddb4000"),
        ("here: movw here,pc,here,pc", "1802dcdc"),
        ("here: ldaa [here,pc]", "a6fbfffc"),
        ("here: .space 300\nldaa here,pc", "a6fafed0"),
        ("here: .space 200\nldaa here,pc", "a6f935"),
        ("ldaa there,pc\n.space 15\nthere:", "a6cf"),
        ("ldaa there,pc\n.space 16\nthere:", "a6f810"),
        ("ldaa there,pc\n.space 255\nthere:", "a6f8ff"),
        ("ldaa there,pc\n.space 256\nthere:", "a6fa0100"),
        ("ldaa 5,pc", "a6c5"),
    ] {
        let all = hex(text);
        let code = all.trim_matches('0');
        let expected = expected.trim_matches('0');
        let found = if text.starts_with("here: .space") {
            code.ends_with(expected)
        } else {
            code.starts_with(expected)
        };
        assert!(found, "{text}: {code}");
    }
}

#[test]
fn branches_out_of_reach_become_long_ones() {
    for (text, expected) in [
        ("bne there\n.space 127\nthere:", "267f"),
        ("bne there\n.space 128\nthere:", "18260080"),
        ("bsr there\n.space 128\nthere:", "164083"),
        ("bra there\n.space 128\nthere:", "064083"),
        ("brn there\n.space 128\nthere:", "18210080"),
        ("dbne x,there\n.space 255\nthere:", "0425ff"),
        // DBEQ over the jump.
        ("dbne x,there\n.space 256\nthere:", "040503064106"),
        ("jbsr there\nthere:", "0700"),
        ("lbra .", "1820fffc"),
    ] {
        assert!(hex(text).starts_with(expected), "{text}: {}", &hex(text)[..12]);
    }
    // Backwards, to the last byte that is reached.
    assert!(hex("here: .space 126\nbeq here").ends_with("2780"));
    assert!(hex("here: .space 127\nbeq here").ends_with("1827ff7d"));
    assert!(hex("here: .space 253\ntbeq sp,here").ends_with("045700"));
    assert!(hex("here: .space 254\ntbeq sp,here").ends_with("046703064000"));
}

/// Whether some branches reach depends on other branches: the sizes settle.
#[test]
fn sizes_settle() {
    let text = "a1: bne b1\n.space 120\nb1x: beq a1\nbeq a1\nbeq a1\nb1: ldaa b1-a1,x\nnop";
    let code = bytes(text, ORIGIN);
    // The first branch reaches over 126 bytes; the last one, at 126, back to -128.
    assert_eq!(code[..2], [0x26, 126]);
    assert_eq!(code[122..128], [0x27, 0x84, 0x27, 0x82, 0x27, 0x80]);
}

/// The longer form of a loop takes away the padding for which it is taken: it stays all the same. A
/// branch without a longer form keeps its reach then.
#[test]
fn padding_that_depends_on_a_form_settles() {
    let text = "dbne x,there\n.space 254\n.balign 4\nthere: brset 1,x,#1,far\n.space 127\nfar:";
    let code = bytes(text, ORIGIN);
    assert_eq!(code[..6], [0x04, 0x05, 3, 0x06, 0x41, 0x04]);
    assert_eq!(code[260..264], [0x0e, 0x01, 0x01, 0x7f]);
}

/// Each branch is out of reach only because the one after it is: all of them become long.
#[test]
fn a_chain_of_branches_settles() {
    const BRANCHES: usize = 60;
    let mut text: String = (0..BRANCHES).map(|number| format!("bne l{number}\n")).collect();
    text += ".space 9\n";
    for number in 0..BRANCHES - 1 {
        text += &format!("l{number}: .space 2\n");
    }
    text += &format!(".space 1\nl{}: nop\n", BRANCHES - 1);
    let code = bytes(&text, ORIGIN);
    assert_eq!(code.len(), 4 * BRANCHES + 9 + 2 * (BRANCHES - 1) + 2);
    assert!(code[..4 * BRANCHES].chunks(4).all(|branch| branch[..2] == [0x18, 0x26]));
    // Without the last byte none is.
    let text = text.replace(".space 1\n", "");
    assert_eq!(bytes(&text, ORIGIN).len(), 2 * BRANCHES + 9 + 2 * (BRANCHES - 1) + 1);
}

#[test]
fn what_is_wrong_is_named() {
    for (text, expected) in [
        ("foo #1", "`foo` is no instruction of the CPU12X"),
        (
            "ldaa",
            "the operands are none of `ldaa`, which takes #byte or *address or an address or an \
                  indexed operand",
        ),
        (
            "staa #1",
            "the operands are none of `staa`, which takes *address or an address or an \
                     indexed operand",
        ),
        ("ldaa #256", "the byte is 256; it must be -128 to 255"),
        ("ldd #65536", "the word is 65536; it must be -32768 to 65535"),
        ("ldaa *300", "the direct address is 300; it must be 0 to 255"),
        ("ldaa 9,x+", "a step of 9 is not possible; it must be 1 to 8"),
        ("ldaa 0,-x", "a step of 0 is not possible; it must be 1 to 8"),
        ("ldaa x,y", "x cannot be an offset; a, b and d can"),
        ("ldaa 70000,x", "the offset is 70000; it must be -32768 to 65535"),
        ("ldaa [a,x]", "`[a,x]` must be [d,r] or [offset,r]"),
        ("ldaa [1,x+]", "`[1,x+]` must be [d,r] or [offset,r]"),
        (
            "leax [d,x]",
            "the operands are none of `leax`, which takes an indexed operand that is not \
                        indirect",
        ),
        ("tbl 17,x", "the offset must be in the postbyte: -16 to 15"),
        (
            "tfr a,q",
            "`q` is no register: a, b, d, x, y, sp, ccr, ccrh, ccrw, xh, xl, yh, yl, sph, spl",
        ),
        ("sex a,b", "`sex` is not possible from a to b"),
        ("tfr xh,yl", "`tfr` is not possible from xh to yl"),
        ("dbne ccr,.", "`dbne` cannot count in `ccr`: a, b, d, x, y or sp"),
        ("dbne b", "`dbne` takes a register and an address"),
        ("trap #0x3a", "the trap is 0x3a; it must be 0x30 to 0x39 or 0x40 to 0xff"),
        (
            "brset *1,#1,there\n.space 128\nthere:",
            "the branch goes 128 bytes, out of its reach; put the \
                                                   opposite one around a `jmp`",
        ),
        ("bra 0x10000", "the target is 65536; it must be -32768 to 65535"),
        ("ldaa there", "`there` is not defined"),
        ("clc 1", "`clc` takes no operands"),
        (
            "call 1",
            "the operands are none of `call`, which takes address,page or indexed,page or an \
                    indirect operand",
        ),
    ] {
        let error = assemble(&CpuSet, text, ORIGIN).unwrap_err();
        assert_eq!((error.lines[0].0, error.lines[0].2.as_str()), (1, expected), "{text}");
    }
}
