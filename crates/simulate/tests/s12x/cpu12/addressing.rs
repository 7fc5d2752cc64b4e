//! Indexed modes: the address of each postbyte and what it does to its base.

use super::{Bench, Numbers, ORIGIN, bytes};
use manylane_simulate::s12x::Wrong;
use manylane_simulate::s12x::cpu12::Registers;
use std::collections::BTreeSet;

/// An operand's text, what is added to its base, what the base changes by, and whether the word
/// there is the address. `None` adds A, B or D, which the text names.
struct Case {
    text: String,
    base: &'static str,
    adds: Option<i32>,
    step: i32,
    indirect: bool,
}

fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for base in ["x", "y", "sp", "pc"] {
        let mut add = |text: String, adds, step, indirect| {
            cases.push(Case { text, base, adds, step, indirect });
        };
        for offset in [-16, -1, 0, 1, 15, -17, -256, 16, 255, 256, -257, 0x7fff, -0x8000, 0xffff] {
            add(format!("{offset},{base}"), Some(offset), 0, false);
        }
        for offset in -16..16 {
            add(format!("{offset},{base}"), Some(offset), 0, false);
        }
        for accumulator in ["a", "b", "d"] {
            add(format!("{accumulator},{base}"), None, 0, false);
        }
        add(format!("[d,{base}]"), None, 0, true);
        for offset in [0, 5, -300, 0x1234] {
            add(format!("[{offset},{base}]"), Some(offset), 0, true);
        }
        for size in (1..=8).filter(|_| base != "pc") {
            add(format!("{size},+{base}"), Some(size), size, false);
            add(format!("{size},-{base}"), Some(-size), -size, false);
            add(format!("{size},{base}+"), Some(0), size, false);
            add(format!("{size},{base}-"), Some(0), -size, false);
        }
    }
    cases
}

#[test]
fn every_postbyte() {
    let mut numbers = Numbers(8);
    let mut seen = BTreeSet::new();
    for case in cases() {
        let code = bytes(&format!("std {}", case.text), ORIGIN);
        seen.insert(code[1]);
        let next = ORIGIN + code.len() as u16;
        let mut bench = Bench::new(&format!("std {}", case.text));
        for _ in 0..20 {
            // Far enough from the code that neither a pointer nor a value is written over it.
            let start = Registers {
                d: numbers.word() & 0x1fff,
                x: 0x8000 | numbers.word() & 0x3fff,
                y: 0x8000 | numbers.word() & 0x3fff,
                sp: 0x8000 | numbers.word() & 0x3fff,
                ..Registers::default()
            };
            let base = match case.base {
                "x" => start.x,
                "y" => start.y,
                "sp" => start.sp,
                _ => next,
            };
            let added = case.adds.unwrap_or_else(|| match case.text.as_bytes()[0] {
                b'a' => i32::from(start.d >> 8),
                b'b' => i32::from(start.d & 0xff),
                _ => i32::from(start.d),
            });
            let mut address = (i32::from(base) + added) as u16;
            if case.indirect {
                let to = 0x6000 | numbers.word() & 0xfff;
                bench.set_word(address, to);
                address = to;
            }
            if (ORIGIN - 1..next).contains(&address) {
                continue;
            }
            let before = (bench.byte(address.wrapping_sub(1)), bench.byte(address.wrapping_add(2)));
            let got = bench.once(start);
            assert_eq!(bench.word(address), start.d, "std {} at {start:x?}", case.text);
            let after = (bench.byte(address.wrapping_sub(1)), bench.byte(address.wrapping_add(2)));
            assert_eq!(before, after, "std {}", case.text);
            let step = |name, value: u16| {
                if case.base == name { (i32::from(value) + case.step) as u16 } else { value }
            };
            let wanted = (step("x", start.x), step("y", start.y), step("sp", start.sp), next);
            assert_eq!((got.x, got.y, got.sp, got.pc), wanted, "std {}", case.text);
        }
    }
    assert_eq!(seen.len(), 256, "all postbytes");
}

/// The effective address of LEAX, LEAY and LEAS, whose own base may change: the address counts.
#[test]
fn load_effective_address() {
    for (text, x) in [
        ("leax 5,x", 0x1005),
        ("leax 4,x+", 0x1000),
        ("leax 4,+x", 0x1004),
        ("leax b,x", 0x1080),
        ("leax a,x", 0x1070),
        ("leax d,x", 0x8080),
        ("leax -300,x", 0x1000 - 300),
        ("leax 2,sp", 0x3002),
        ("leax 0,pc", 0x4002),
    ] {
        let mut bench = Bench::new(text);
        let start = Registers { d: 0x7080, x: 0x1000, sp: 0x3000, ..Registers::default() };
        let got = bench.once(start);
        assert_eq!(got.x, x, "{text}");
        assert_eq!((got.ccr, got.d, got.sp), (start.ccr, start.d, start.sp), "{text}");
    }
}

/// A move finishes with its source, steps and all, before it looks at its destination.
#[test]
fn moves_are_done_source_first() {
    let mut bench = Bench::new("movw 2,x+,4,x");
    bench.set_word(0x2000, 0xbeef);
    let got = bench.once(Registers { x: 0x2000, ..Registers::default() });
    assert_eq!((bench.word(0x2006), got.x), (0xbeef, 0x2002));
    let mut bench =
        Bench::new("movb [2,x],-1,y\nmovw #0x1234,[d,x]\nmovb #7,300,sp\nmovw 9,pc,0x2100");
    bench.set_word(0x2002, 0x3000);
    bench.load(0x3000, &[0x5a]);
    let here = Registers { d: 2, x: 0x2000, y: 0x2801, pc: ORIGIN, sp: 0x2900, ccr: 0x9f };
    *bench.r() = here;
    for _ in 0..3 {
        bench.step();
    }
    assert_eq!(bench.byte(0x2800), 0x5a);
    assert_eq!(bench.word(0x3000), 0x1234);
    assert_eq!(bench.byte(0x2900 + 300), 7);
    // The program counter counts as that of the next instruction.
    let next = bench.cpu.registers().pc + 5;
    bench.set_word(next + 9, 0xcafe);
    bench.step();
    assert_eq!(bench.word(0x2100), 0xcafe);
    let got = *bench.cpu.registers();
    assert_eq!((got.d, got.x, got.y, got.sp, got.ccr), (here.d, here.x, here.y, here.sp, here.ccr));
}

/// Words lie at any address, and memory has no end.
#[test]
fn words_wrap_around() {
    let mut bench = Bench::new("std 0,x\nldy 0,x");
    bench.once(Registers { d: 0x1234, x: 0xffff, ..Registers::default() });
    assert_eq!((bench.byte(0xffff), bench.byte(0)), (0x12, 0x34));
    bench.step();
    assert_eq!(bench.cpu.registers().y, 0x1234);
}

/// What has no meaning is a fault with its address and bytes, and changes nothing.
#[test]
fn what_is_no_instruction_faults() {
    for bytes in [
        &[0x18, 0x30][..],
        &[0x18, 0x34],
        &[0x18, 0x4a],
        &[0x18, 0x81],
        &[0x18, 0x86],
        &[0x18, 0xcc],
        &[0x04, 0x02, 0x00],
        &[0x04, 0xc0, 0x00],
        &[0x04, 0x08, 0x00],
        &[0x1a, 0xe7],
        &[0x1b, 0xe3, 0x12, 0x34],
        &[0x0c, 0xe7],
        &[0x0e, 0xf7],
        &[0x18, 0x3d, 0xe0, 0x11],
        &[0x18, 0x3f, 0xe7],
        &[0x18, 0x37, 0xef],
        &[0xb7, 0x03],
        &[0xb7, 0x30],
        &[0xb7, 0xbb],
        &[0x3c],
        &[0x00],
        &[0x18, 0x3a],
        &[0x18, 0x3b],
        &[0x18, 0x3c],
    ] {
        for at in [ORIGIN, ORIGIN + 1] {
            let mut bench = Bench::new("");
            bench.load(at, bytes);
            let start = Registers { d: 1, x: 2, y: 3, sp: 4, pc: at, ccr: 5 };
            *bench.r() = start;
            let memory = bench.memory.bytes().to_vec();
            let fault = bench.try_step().unwrap_err();
            assert_eq!(fault.address, at, "{bytes:x?}");
            match fault.what {
                Wrong::Opcode(found) | Wrong::Unsupported(found, _) => {
                    assert!(
                        bytes.starts_with(&found) && !found.is_empty(),
                        "{bytes:x?}: {found:x?}"
                    );
                }
                other => panic!("{bytes:x?}: {other:?}"),
            }
            assert_eq!(*bench.cpu.registers(), start, "{bytes:x?}");
            assert_eq!(bench.memory.bytes(), memory, "{bytes:x?}");
        }
    }
}

/// Global loads and stores go to where GPAGE says: their addresses are marked.
#[test]
fn global_accesses_are_marked() {
    use manylane_simulate::s12x::cpu12::Cpu;
    use manylane_simulate::s12x::{Bus, Core, GLOBAL};

    #[derive(Default)]
    struct Log(Vec<(u32, bool)>, Vec<u8>);
    impl Bus for Log {
        fn read8(&mut self, address: u32) -> u8 {
            self.0.push((address, false));
            0
        }
        fn read16(&mut self, address: u32) -> u16 {
            self.0.push((address, false));
            0x2000
        }
        fn write8(&mut self, address: u32, _: u8) {
            self.0.push((address, true));
        }
        fn write16(&mut self, address: u32, _: u16) {
            self.0.push((address, true));
        }
        fn fetch8(&mut self, address: u32) -> u8 {
            self.1.get(address as usize).copied().unwrap_or_default()
        }
        fn fetch16(&mut self, address: u32) -> u16 {
            u16::from_be_bytes([self.fetch8(address), self.fetch8(address + 1)])
        }
    }
    for (text, accesses) in [
        ("gldaa *0x12", vec![(0x12 | GLOBAL, false)]),
        ("gldx 0x1234", vec![(0x1234 | GLOBAL, false)]),
        ("glds 5,y", vec![(5 | GLOBAL, false)]),
        // The pointer itself is local.
        ("gldd [4,x]", vec![(4, false), (0x2000 | GLOBAL, false)]),
        ("gstab 0x1234", vec![(0x1234 | GLOBAL, true)]),
        ("gsty *0x12", vec![(0x12 | GLOBAL, true)]),
        ("gsts 2,-x", vec![(0xfffe | GLOBAL, true)]),
        ("ldaa *0x12", vec![(0x12, false)]),
        ("std 0x1234", vec![(0x1234, true)]),
    ] {
        let mut log = Log(Vec::new(), bytes(text, 0));
        Cpu::default().step(&mut log).unwrap();
        assert_eq!(log.0, accesses, "{text}");
    }
}
