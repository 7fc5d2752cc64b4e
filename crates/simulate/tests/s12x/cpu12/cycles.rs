//! Bus cycles: what is settled, and what is a parameter.

use super::{ORIGIN, bytes};
use manylane_simulate::s12x::cpu12::{Cpu, CpuXCycles, Timing};
use manylane_simulate::s12x::{Core, Flat};

fn cycles(text: &str, timing: Timing) -> u32 {
    let mut memory = Flat::new();
    let code = bytes(text, ORIGIN);
    memory.bytes_mut()[usize::from(ORIGIN)..][..code.len()].copy_from_slice(&code);
    let mut cpu = Cpu::new(timing);
    cpu.registers_mut().pc = ORIGIN;
    cpu.step(&mut memory).unwrap().clocks
}

#[test]
fn what_documents_leave_open_is_a_parameter() {
    for (text, default, listed) in [
        ("mul", 1, 3),
        ("clr 300,x", 3, 4),
        ("clr 30,x", 3, 3),
        ("emul", 3, 3),
        ("eorx #1", 3, 1),
        ("orx #1", 3, 1),
        ("addx #1", 3, 2),
        ("addx 2,x", 4, 3),
        ("aded 0x2000", 4, 3),
        ("cped [d,x]", 7, 6),
        ("clrx", 2, 4),
        ("incx", 2, 4),
        ("comx", 2, 2),
        ("negx", 2, 1),
        ("tsty", 2, 1),
        ("rolw 300,x", 6, 5),
        ("clrw 300,x", 4, 5),
        ("gldaa 0x2000", 4, 3),
        ("gstaa 1,x", 3, 3),
        ("gstaa *1", 3, 3),
        ("pshcw", 3, 2),
        ("pulcw", 4, 2),
        ("btas 1,x,#1", 5, 4),
        ("sys", 10, 9),
    ] {
        assert_eq!(cycles(text, Timing::default()), default, "{text}");
        assert_eq!(cycles(text, Timing::LISTED), listed, "{text}, as listed");
    }
    let mixed = Timing { mul: 2, clr_offset16: 5, cpu12x: CpuXCycles::Listed };
    assert_eq!(cycles("mul", mixed), 2);
    assert_eq!(cycles("clr 300,x", mixed), 5);
    assert_eq!(cycles("orx #1", mixed), 1);
}

/// The forms of MOVB and MOVW that no vector runs.
#[test]
fn moves_with_long_operands() {
    for (text, expected) in [
        ("movb #1,0x2000", 4),
        ("movw #1,0x2000", 5),
        ("movw #1,300,x", 4),
        ("movw #1,[300,x]", 4),
        ("movw 0x2000,30,x", 6),
        ("movw 0x2000,300,x", 5),
        ("movw 0x2000,[d,x]", 6),
        ("movb 0x2000,[300,x]", 5),
        ("movb 300,x,0x2000", 5),
        ("movb 1,x,30,y", 5),
        ("movb 30,x,30,y", 6),
        ("movb [d,x],[d,y]", 6),
        ("movb [300,x],2,y+", 5),
        ("movb 300,x,300,y", 5),
    ] {
        assert_eq!(cycles(text, Timing::default()), expected, "{text}");
    }
}

#[test]
fn what_no_vector_runs() {
    for (text, expected) in [
        ("swi", 9),
        ("rti", 8),
        ("rtc", 6),
        ("call 0x2000,1", 8),
        ("call 300,x,1", 9),
        ("call [d,x]", 10),
        ("wai", 5),
        ("daa", 3),
        ("emacs 0x2000", 13),
        ("edivs", 12),
        ("idivs", 12),
        ("fdiv", 12),
        ("maxa 300,x", 5),
        ("emaxm 30,x", 5),
        ("eminm [d,x]", 7),
        ("tbl 1,x", 8),
        ("etbl 1,x", 10),
        ("mem", 5),
    ] {
        assert_eq!(cycles(text, Timing::default()), expected, "{text}");
        assert_eq!(cycles(text, Timing::LISTED), expected, "{text}");
    }
}
