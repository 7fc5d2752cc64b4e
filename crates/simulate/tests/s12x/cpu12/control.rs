//! Branches, loops, subroutines, interrupts.

use super::{Bench, Numbers, ORIGIN, bytes};
use manylane_simulate::s12x::assembler::assemble;
use manylane_simulate::s12x::chip::Chip;
use manylane_simulate::s12x::cpu12::{CpuSet, End, Registers, flag};
use manylane_simulate::s12x::object::Space;
use manylane_simulate::s12x::{Bus, Core, Machine, Stop};

/// The conditions after a comparison are those of the numbers that were compared.
#[test]
fn branches_after_a_comparison() {
    let mut numbers = Numbers(9);
    for (mnemonic, holds) in [
        ("bra", (|_, _| true) as fn(u16, u16) -> bool),
        ("brn", |_, _| false),
        ("bhi", |r, m| r > m),
        ("bls", |r, m| r <= m),
        ("bhs", |r, m| r >= m),
        ("bcc", |r, m| r >= m),
        ("blo", |r, m| r < m),
        ("bcs", |r, m| r < m),
        ("bne", |r, m| r != m),
        ("beq", |r, m| r == m),
        ("bpl", |r, m| r.wrapping_sub(m) < 0x8000),
        ("bmi", |r, m| r.wrapping_sub(m) >= 0x8000),
        ("bge", |r, m| r as i16 >= m as i16),
        ("blt", |r, m| (r as i16) < m as i16),
        ("bgt", |r, m| r as i16 > m as i16),
        ("ble", |r, m| r as i16 <= m as i16),
        ("bvc", |r, m| i16::checked_sub(r as i16, m as i16).is_some()),
        ("bvs", |r, m| i16::checked_sub(r as i16, m as i16).is_none()),
    ] {
        for (long, taken_cycles, cycles, length) in [("", 3, 1, 2), ("l", 4, 3, 4)] {
            let mut bench = Bench::new(&format!("cpd 0x2000\n{long}{mnemonic} .-100"));
            for _ in 0..200 {
                let (r, m) = (numbers.edgy(), numbers.edgy());
                let m = if numbers.next() & 7 == 0 { r } else { m };
                bench.set_word(0x2000, m);
                bench.once(Registers { d: r, ..Registers::default() });
                let spent = bench.step();
                let (pc, wanted) = if holds(r, m) {
                    (ORIGIN + 3 - 100, taken_cycles)
                } else {
                    (ORIGIN + 3 + length, cycles)
                };
                assert_eq!(bench.cpu.registers().pc, pc, "{long}{mnemonic} {r:#x}, {m:#x}");
                assert_eq!(spent, wanted, "{long}{mnemonic}");
            }
        }
    }
}

#[test]
fn loops_count_and_branch() {
    for (mnemonic, by, on_zero) in [
        ("dbeq", -1, true),
        ("dbne", -1, false),
        ("tbeq", 0, true),
        ("tbne", 0, false),
        ("ibeq", 1, true),
        ("ibne", 1, false),
    ] {
        for counter in ["a", "b", "d", "x", "y", "sp"] {
            for distance in [-253, -3, 0, 3, 258] {
                let mut bench = Bench::new(&format!("{mnemonic} {counter},.{distance:+}"));
                for value in [0, 1, 2, 0x7f, 0x80, 0xff, 0x100, 0xffff] {
                    let mut start = Registers { d: 0x4455, x: 1, y: 2, sp: 3, pc: 0, ccr: 0x1ff };
                    let (register, bits) = match counter {
                        "a" => (manylane_simulate::s12x::cpu12::Register::A, 8),
                        "b" => (manylane_simulate::s12x::cpu12::Register::B, 8),
                        "d" => (manylane_simulate::s12x::cpu12::Register::D, 16),
                        "x" => (manylane_simulate::s12x::cpu12::Register::X, 16),
                        "y" => (manylane_simulate::s12x::cpu12::Register::Y, 16),
                        _ => (manylane_simulate::s12x::cpu12::Register::Sp, 16),
                    };
                    start.set(register, value);
                    let modulus = 1_i32 << bits;
                    let after = (i32::from(start.get(register)) + by).rem_euclid(modulus) as u16;
                    let mut wanted = start;
                    wanted.set(register, after);
                    let taken = (after == 0) == on_zero;
                    wanted.pc = (i32::from(ORIGIN) + if taken { distance } else { 3 }) as u16;
                    assert_eq!(bench.once(start), wanted, "{mnemonic} {counter} {value:#x}");
                }
            }
        }
    }
}

#[test]
fn branches_on_bits() {
    let mut numbers = Numbers(10);
    for _ in 0..300 {
        let [m, mask] = (numbers.word() & numbers.word() | 0x11).to_be_bytes();
        for (mnemonic, taken) in [("brset", m & mask == mask), ("brclr", m & mask == 0)] {
            for place in ["*0x80", "0x80", "0x10,x", "-16,y", "a,sp"] {
                let mut bench = Bench::new(&format!("{mnemonic} {place},#{mask},.+20"));
                bench.load(0x80, &[m]);
                let start =
                    Registers { d: 0x1000, x: 0x70, y: 0x90, sp: 0x70, ..Registers::default() };
                let got = bench.once(start);
                let length =
                    bytes(&format!("{mnemonic} {place},#{mask},.+20"), ORIGIN).len() as u16;
                let pc = ORIGIN + if taken { 20 } else { length };
                assert_eq!(got.pc, pc, "{mnemonic} {place} {m:#x} {mask:#x}");
                assert_eq!(got.ccr, start.ccr);
            }
        }
    }
}

#[test]
fn every_register_is_pushed_and_pulled() {
    for (register, size) in [("a", 1), ("b", 1), ("c", 1), ("d", 2), ("x", 2), ("y", 2), ("cw", 2)]
    {
        let mut bench = Bench::new(&format!("psh{register}\npul{register}"));
        let start = Registers { d: 0x1234, x: 0x5678, y: 0x9abc, sp: 0x3000, pc: 0, ccr: 0x3a5 };
        let pushed = bench.once(start);
        assert_eq!(
            pushed,
            Registers { sp: 0x3000 - size, pc: ORIGIN + pushed.pc - ORIGIN, ..start }
        );
        let content: u16 = match register {
            "a" => 0x12,
            "b" => 0x34,
            "c" => 0xa5,
            "d" => 0x1234,
            "x" => 0x5678,
            "y" => 0x9abc,
            _ => 0x3a5,
        };
        let found = if size == 1 { bench.byte(0x2fff).into() } else { bench.word(0x2ffe) };
        assert_eq!(found, content, "psh{register}");
        *bench.r() =
            Registers { pc: pushed.pc, sp: 0x3000 - size, ccr: 0x40, ..Registers::default() };
        bench.step();
        let got = *bench.cpu.registers();
        assert_eq!(got.sp, 0x3000);
        let pulled = match register {
            "a" => got.d >> 8,
            "b" => got.d,
            "c" => got.ccr & 0xff,
            "d" => got.d,
            "x" => got.x,
            "y" => got.y,
            _ => got.ccr,
        };
        // The flag X of 0x40 stays clear where it is pulled as 0.
        assert_eq!(pulled, content, "pul{register}");
    }
}

#[test]
fn subroutines_return_behind_the_call() {
    for call in ["bsr f", "jsr f", "jsr *0x80", "jsr 0,x", "jsr [0,y]", "jsr [d,y]", "jsr 2,sp+"] {
        let mut bench = Bench::new(&format!("{call}\nnop\n.org 0x40\nf: rts"));
        let f = ORIGIN + 0x40;
        let f = if call == "jsr *0x80" { 0x80 } else { f };
        bench.load(0x80, &[0x3d]);
        bench.set_word(0x2000, f);
        let sp = if call == "jsr 2,sp+" { f } else { 0x3000 };
        let start = Registers { x: f, y: 0x2000, sp, ..Registers::default() };
        let called = bench.once(start);
        assert_eq!(called.pc, f, "{call}");
        let length = bytes(&format!("{call}\nf = {f}"), ORIGIN).len() as u16;
        assert_eq!(bench.word(called.sp), ORIGIN + length, "{call}");
        if call == "jsr 2,sp+" {
            // The return address is below the stack pointer after its step: it lies over the code.
            assert_eq!(called.sp, f);
            continue;
        }
        assert_eq!(called.sp, 0x2ffe, "{call}");
        bench.step();
        let got = *bench.cpu.registers();
        assert_eq!((got.pc, got.sp), (ORIGIN + length, 0x3000), "{call}");
        assert_eq!(got.ccr, start.ccr);
    }
}

/// CALL saves the page below the return address and RTC brings both back.
#[test]
fn calls_change_the_page() {
    const PPAGE: u16 = 0x30;
    for call in
        ["call f,7", "call 0,x,7", "call 200,y,7", "call -4096,x,7", "call [d,y]", "call [4,y]"]
    {
        let mut bench = Bench::new(&format!("{call}\nnop\n.org 0x40\nf: rtc"));
        let f = ORIGIN + 0x40;
        bench.load(PPAGE, &[3]);
        bench.set_word(0x2004, f);
        bench.load(0x2006, &[7]);
        let (x, y) = match call {
            "call 200,y,7" => (0, f - 200),
            "call -4096,x,7" => (f + 4096, 0),
            _ => (f, 0x2000),
        };
        let start = Registers { d: 4, x, y, sp: 0x3000, ..Registers::default() };
        let called = bench.once(start);
        assert_eq!((called.pc, called.sp, bench.byte(PPAGE)), (f, 0x2ffd, 7), "{call}");
        assert_eq!(bench.byte(0x2ffd), 3, "{call}");
        let next = bench.word(0x2ffe);
        assert_eq!(next, ORIGIN + bytes(&format!("{call}\nf:"), ORIGIN).len() as u16, "{call}");
        bench.step();
        let got = *bench.cpu.registers();
        assert_eq!((got.pc, got.sp, bench.byte(PPAGE)), (next, 0x3000, 3), "{call}");
    }
}

/// The frame of the CPU12X: CCR as a word, B, A, X, Y, return address.
#[test]
fn an_interrupt_saves_and_restores_everything() {
    for (text, vector) in [("swi", 0xfff6), ("sys", 0xff12)] {
        let mut bench = Bench::new(&format!("{text}\nnop\n.org 0x40\nrti"));
        bench.set_word(vector, ORIGIN + 0x40);
        let start = Registers { d: 0x1234, x: 0x5678, y: 0x9abc, sp: 0x3000, pc: 0, ccr: 0x2c8 };
        let entered = bench.once(start);
        assert_eq!((entered.pc, entered.sp), (ORIGIN + 0x40, 0x2ff6), "{text}");
        assert_eq!(entered.ccr, start.ccr | flag::I, "{text}");
        let next = ORIGIN + if text == "swi" { 1 } else { 2 };
        let frame = [0x02, 0xc8, 0x34, 0x12, 0x56, 0x78, 0x9a, 0xbc];
        assert_eq!(bench.memory.bytes()[0x2ff6..0x2ffe], frame, "{text}");
        assert_eq!(bench.word(0x2ffe), next, "{text}");
        bench.step();
        assert_eq!(*bench.cpu.registers(), Registers { pc: next, ..start }, "{text}");
    }
}

/// The register IVBR says where the vectors of SWI and SYS are.
#[test]
fn vectors_are_where_ivbr_says() {
    let text = "
        main:   movb #0x30,0x121
                movw #first,0x30f6
                movw #second,0x3012
                swi
                sys
                rts
        first:  movb #1,0x2000
                rti
        second: movb #2,0x2001
                rti";
    let mut machine = Machine::of(&Chip::xdt512());
    machine.load(&assemble(&CpuSet, text, 0xc000).unwrap()).unwrap();
    machine.cpu.registers_mut().sp = 0x3000;
    let main = machine.symbol("main").unwrap().address as u16;
    assert_eq!(machine.call(main, 1000).unwrap(), Stop::Returned);
    assert_eq!(machine.read(Space::Cpu, 0x2000, 2).unwrap(), [1, 2]);
    assert_eq!(machine.cpu.registers().sp, 0x3000);
}

#[test]
fn interrupts_are_taken_by_level() {
    let mut bench = Bench::new("nop\nwai\nnop\n.org 0x40\nrti");
    bench.set_word(0xff60, ORIGIN + 0x40);
    bench.r().ccr = flag::I;
    assert!(!bench.cpu.accepts(7));
    bench.r().ccr = 0x200;
    assert!(!bench.cpu.accepts(2) && bench.cpu.accepts(3));
    // Between two instructions.
    bench.step();
    bench.cpu.interrupt(&mut bench.memory, 0xff60, 5);
    let got = *bench.cpu.registers();
    assert_eq!((got.pc, got.ccr), (ORIGIN + 0x40, 0x500 | flag::I));
    assert_eq!(bench.word(got.sp), 0x200);
    assert!(!bench.cpu.accepts(6), "interrupts are masked");
    bench.step();
    assert_eq!((bench.cpu.registers().pc, bench.cpu.registers().ccr), (ORIGIN + 1, 0x200));
    // WAI saves the registers itself, once.
    bench.step();
    assert!(bench.cpu.is_waiting());
    assert_eq!(bench.step(), 1, "a bus cycle goes by");
    let sp = bench.cpu.registers().sp;
    assert_eq!(sp, 0x3f00 - 10);
    bench.cpu.interrupt(&mut bench.memory, 0xff60, 3);
    assert!(!bench.cpu.is_waiting());
    assert_eq!(bench.cpu.registers().sp, sp);
    bench.step();
    assert_eq!((bench.cpu.registers().pc, bench.cpu.registers().sp), (ORIGIN + 2, 0x3f00));
}

#[test]
fn stop_waits_if_it_is_allowed() {
    for (ccr, waits, cycles, sp) in [(flag::S, false, 2, 0x3f00), (0, true, 9, 0x3ef6)] {
        let mut bench = Bench::new("stop");
        bench.r().ccr = ccr;
        assert_eq!(bench.step(), cycles);
        assert_eq!((bench.cpu.is_waiting(), bench.cpu.registers().sp), (waits, sp));
    }
}

#[test]
fn runs_end_where_they_are_told() {
    let mut bench = Bench::new("ldab #10\nagain: dbne b,again\nend: bra end");
    let stop = ORIGIN + 5;
    let ran = bench.cpu.run(&mut bench.memory, stop, 1000).unwrap();
    assert_eq!((ran.instructions, ran.cycles, ran.end), (11, 1 + 10 * 3, End::Address));
    let ran = bench.cpu.run(&mut bench.memory, stop, 1000).unwrap();
    assert_eq!((ran.instructions, ran.cycles, ran.end), (0, 0, End::Address));
    let ran = bench.cpu.run(&mut bench.memory, 0, 1000).unwrap();
    assert_eq!((ran.instructions, ran.cycles, ran.end), (334, 1002, End::Cycles));
    let mut bench = Bench::new("nop\nwai");
    let ran = bench.cpu.run(&mut bench.memory, 0, 1000).unwrap();
    assert_eq!((ran.instructions, ran.end), (2, End::Waiting));
    let mut bench = Bench::new("nop\n.byte 0x18,0x30");
    let fault = bench.cpu.run(&mut bench.memory, 0, 1000).unwrap_err();
    assert_eq!(fault.to_string(), "the CPU at 0x4001: no instruction begins with 1830");
}

#[test]
fn a_reset_starts_at_its_vector() {
    let mut bench = Bench::new("wai");
    bench.step();
    bench.set_word(0xfffe, 0x1234);
    bench.cpu.reset(&mut bench.memory);
    let got = *bench.cpu.registers();
    assert_eq!((got.pc, got.ccr), (0x1234, flag::S | flag::X | flag::I));
    assert!(!bench.cpu.is_waiting());
}

/// Words are fetched once: what was fetched with the byte before it is not asked for again.
#[test]
fn fetches_are_of_words() {
    for (text, fetches) in [
        ("nop\nnop", 1),
        ("nop\nnop\nnop", 2),
        ("ldaa #1\nldab #2", 2),
        ("inx\nldd #0x1234", 2),
        ("inx\nldaa #5\ninx", 2),
        ("eorx #0x1234", 2),
        ("movw #0x1234,300,x", 4),
    ] {
        let mut bench = Bench::new(text);
        let steps = text.lines().count();
        let before = bench.memory.accesses();
        let mut data = 0;
        for _ in 0..steps {
            bench.step();
        }
        if text.starts_with("movw") {
            data = 1;
        }
        assert_eq!(bench.memory.accesses() - before, fetches + data, "{text}");
    }
    // At an odd address the first byte comes alone.
    let mut bench = Bench::new("");
    bench.load(ORIGIN + 1, &bytes("ldd #0x1234", ORIGIN + 1));
    bench.r().pc = ORIGIN + 1;
    let before = bench.memory.accesses();
    bench.step();
    assert_eq!(bench.memory.accesses() - before, 2);
    // Registers that are set from outside make it fetch anew.
    let mut bench = Bench::new("nop\nnop");
    bench.step();
    bench.memory.write8(u32::from(ORIGIN) + 1, 0x08);
    bench.r().x = 5;
    bench.step();
    assert_eq!(bench.cpu.registers().x, 6);
    assert_eq!(bench.cpu.pc(), ORIGIN + 2);
}
