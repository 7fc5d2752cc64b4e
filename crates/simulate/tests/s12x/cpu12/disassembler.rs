//! Text of all opcodes and postbytes, which gives the same bytes again.

use super::{Bench, Numbers, ORIGIN, bytes};
use manylane_simulate::s12x::cpu12::{Operation, instruction, listing, rows, text};

/// Every opcode with every byte behind it, and behind that a few others.
pub fn programs() -> Vec<Vec<u8>> {
    let mut programs = Vec::new();
    for page in [&[][..], &[0x18]] {
        for opcode in 0..=0xff_u8 {
            if page.is_empty() && opcode == 0x18 {
                continue;
            }
            let mut program = Vec::new();
            for second in 0..=0xff_u8 {
                for tail in [
                    [0x12, 0x34, 0x56, 0x78, 0x9a, 0xbc],
                    [0xff, 0xf0, 0xe3, 0x80, 0x01, 0x22],
                    [0x00, 0x05, 0xe1, 0x10, 0x41, 0xf7],
                ] {
                    let mut code = page.to_vec();
                    code.extend([opcode, second]);
                    code.extend(tail);
                    let (_, length) = text(&code);
                    program.extend(&code[..length]);
                }
            }
            programs.push(program);
        }
    }
    programs
}

#[test]
fn text_gives_the_same_bytes() {
    for program in programs() {
        let mut lines = String::new();
        let mut at = 0;
        while at < program.len() {
            let (line, length) = text(&program[at..]);
            lines += &line;
            lines += "\n";
            at += length;
        }
        assert_eq!(at, program.len());
        assert_eq!(bytes(&lines, ORIGIN), program, "{lines}");
    }
}

#[test]
fn listings_give_the_same_bytes() {
    for program in programs() {
        assert_eq!(bytes(&listing(&program, ORIGIN), ORIGIN), program);
    }
}

/// What the core executes is as long as the disassembler says, and what it does not execute is a
/// fault that leaves the registers as they were: in memory of random bytes, wherever it gets to.
#[test]
fn random_bytes_are_executed_or_refused() {
    let mut numbers = Numbers(11);
    let (mut executed, mut refused) = (0, 0);
    for _ in 0..40 {
        let mut bench = Bench::new("");
        bench.memory.bytes_mut().fill_with(|| numbers.word() as u8);
        for _ in 0..2000 {
            if numbers.next() & 15 == 0 {
                bench.r().pc = numbers.word();
            }
            let start = *bench.cpu.registers();
            let code: Vec<_> = (0..8).map(|i| bench.byte(start.pc.wrapping_add(i))).collect();
            let known = instruction(&code);
            // The byte that is in the queue may have been overwritten since.
            *bench.r() = start;
            match bench.try_step() {
                Ok(cycles) => {
                    let (found, length) = known.unwrap();
                    assert!((1..=13).contains(&cycles), "{code:x?}: {cycles}");
                    let next = start.pc.wrapping_add(length as u16);
                    let goes_on = !matches!(
                        found.row.operation,
                        Operation::Branch(_)
                            | Operation::BranchBitsSet
                            | Operation::BranchBitsClear
                            | Operation::LoopPrimitive
                            | Operation::Jump
                            | Operation::JumpSubroutine
                            | Operation::ReturnSubroutine
                            | Operation::Call
                            | Operation::ReturnCall
                            | Operation::ReturnInterrupt
                            | Operation::SoftwareInterrupt
                            | Operation::SystemCall
                    );
                    if goes_on {
                        assert_eq!(bench.cpu.registers().pc, next, "{code:x?}");
                    }
                    executed += 1;
                    if bench.cpu.is_waiting() {
                        bench.cpu.interrupt(&mut bench.memory, 0xff60, 1);
                    }
                }
                Err(fault) => {
                    assert_eq!((fault.address, *bench.cpu.registers()), (start.pc, start));
                    bench.r().pc = numbers.word();
                    refused += 1;
                }
            }
        }
    }
    assert!(executed > 20 * refused && refused > 100, "{executed} and {refused}");
}

/// Every row of the table has a text that is not data.
#[test]
fn every_row_has_a_text() {
    for row in rows().iter().filter(|row| !row.alias) {
        let mut code = if row.page2 { vec![0x18] } else { Vec::new() };
        // As a postbyte 4,x; as an address and a mask any; TFR A,Y.
        code.extend([row.opcode, 0x04, 0x06, 0x04, 0x04, 0x04, 0x04]);
        let (found, length) = instruction(&code).expect(row.mnemonic);
        assert_eq!((found.row.mnemonic, found.row.page2), (row.mnemonic, row.page2));
        let (line, same) = text(&code);
        assert_eq!(length, same);
        let first = line.split(' ').next().unwrap();
        let known = [row.mnemonic, "dbeq", "sex"];
        assert!(known.contains(&first), "{}: {line}", row.mnemonic);
        assert_eq!(bytes(&line, ORIGIN), code[..length], "{line}");
    }
}

#[test]
fn texts_are_readable() {
    for (code, expected) in [
        (&[0xa6, 0x9f][..], "ldaa -1,sp"),
        (&[0xa6, 0xe0, 0x05], ".byte 0xa6,0xe0,0x05"),
        (&[0xa6, 0xe0, 0x15], "ldaa 21,x"),
        (&[0xa6, 0xe2, 0xff, 0xf0], "ldaa 0xfff0,x"),
        (&[0xa6, 0xaf], "ldaa 1,-sp"),
        (&[0xa6, 0x37], "ldaa 8,x+"),
        (&[0xa6, 0xeb, 0x12, 0x34], "ldaa [0x1234,y]"),
        (&[0xb6, 0x00, 0x12], "ldaa 0x0012"),
        (&[0x96, 0x12], "ldaa *0x12"),
        (&[0x26, 0xfe], "bne .+0"),
        (&[0x26, 0xf8], "bne .-6"),
        (&[0x04, 0x21, 0x05], "dbne b,.+8"),
        (&[0x0e, 0x05, 0x80, 0x10], "brset 5,x,#0x80,.+20"),
        (&[0x18, 0x88, 0x12, 0x34], "eorx #0x1234"),
        (&[0x18, 0x0a, 0x05, 0x7f], "movb 5,x,1,y-"),
        (&[0x18, 0x30], "trap #0x30"),
        (&[0x18, 0x3e], "stop"),
        (&[0xb7, 0x4d], "sex d,x"),
        (&[0xb7, 0x0d], "tfr a,xh"),
        (&[0xb7, 0x8d], "exg a,xh"),
        (&[0xb7, 0xda], "exg x,ccrw"),
        (&[0xb7, 0x08], ".byte 0xb7,0x08"),
        (&[0xb7, 0x03], ".byte 0xb7"),
        (&[0x3c], ".byte 0x3c"),
        (&[], ""),
        (&[0x18], ".byte 0x18"),
        (&[0xcc, 0x12], ".byte 0xcc"),
        (&[0x4b, 0xe7], "call [d,x]"),
        (&[0x4b, 0x02, 0x07], "call 2,x,0x07"),
    ] {
        assert_eq!(text(code).0, expected, "{code:x?}");
    }
    let program = bytes("ldab #3\nnext: dbne b,next\nbra out\ntfr a,xh\nout: rts", 0x8000);
    assert_eq!(
        listing(&program, 0x8000),
        "\tldab #0x3\nL8002:\n\tdbne b,L8002\n\tbra L8009\n\t.byte 0xb7,0x0d ; tfr a,xh\nL8009:\n\
         \trts\n"
    );
}
