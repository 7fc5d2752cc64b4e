//! Programs of both cores: what the CPU's code sets up, triggers, waits for.

use manylane_simulate::s12x::assembler::assemble;
use manylane_simulate::s12x::chip::Chip;
use manylane_simulate::s12x::cpu12::{Cpu, CpuSet};
use manylane_simulate::s12x::object::{Object, Space};
use manylane_simulate::s12x::xgate::XgateSet;
use manylane_simulate::s12x::{CoreName, Machine, Stalls, Stop};

/// The CPU sets XGATE up, triggers its thread with two words in RAM, waits for the flag and returns
/// the thread's sum in D.
const CPU: &str = "
XGMCTL = 0x0380
XGVBR  = 0x0386
XGSWT  = 0x0398
INT_CFADDR  = 0x0127
INT_CFDATA1 = 0x0129
shared = 0x3f00                 ; XGATE's 0xff00: two words, their sum, a flag
init:   movw #0xe000,XGVBR
        movb #0x70,INT_CFADDR   ; software trigger 0: channel 0x39, vector 0x72
        movb #0x81,INT_CFDATA1
        movw #0x8080,XGMCTL
        rts
add:    std shared              ; one summand is in D, the other in X
        stx shared+2
        movw #0,shared+6
        movw #0x0101,XGSWT
wait:   ldd shared+6
        beq wait
        ldd shared+4
        rts
";

const XGATE: &str = "
thread: ldw r2,(r1,#0)
        ldw r3,(r1,#2)
        add r2,r2,r3
        stw r2,(r1,#4)
        ldw r4,#0x0398          ; clears the trigger, then sets the flag
        ldw r5,#0x0100
        stw r5,(r4,#0)
        stw r5,(r1,#6)
        rts
        .org 0xe4               ; the vector of channel 0x39
        .word thread, 0xff00
";

fn program() -> Object {
    let cpu = assemble(&CpuSet, CPU, 0xc000).unwrap();
    // The vectors begin with the code.
    cpu.join(assemble(&XgateSet, XGATE, 0xe000).unwrap()).unwrap()
}

fn machine() -> Machine<Cpu> {
    let mut machine = Machine::of(&Chip::xdt512());
    machine.load(&program()).unwrap();
    machine.cpu.registers_mut().sp = 0x3f00;
    let init = machine.symbol("init").unwrap().address as u16;
    assert_eq!(machine.call(init, 1_000), Ok(Stop::Returned));
    machine
}

fn add(machine: &mut Machine<Cpu>, a: u16, b: u16) -> u16 {
    let address = machine.symbol("add").unwrap().address as u16;
    machine.cpu.registers_mut().d = a;
    machine.cpu.registers_mut().x = b;
    assert_eq!(machine.call(address, 10_000), Ok(Stop::Returned));
    assert_eq!(machine.cpu.registers().sp, 0x3f00);
    machine.cpu.registers().d
}

#[test]
fn the_cpu_triggers_a_thread_and_waits_for_its_flag() {
    let mut machine = machine();
    machine.clear_counts();
    for (a, b) in [(1, 2), (0xffff, 2), (0x1234, 0x4321)] {
        assert_eq!(add(&mut machine, a, b), a.wrapping_add(b));
    }
    assert_eq!(machine.run(1_000), Ok(Stop::Idle));
    let counts = machine.counts();
    // 3 + 2 + 1 loads and sum, 2 stores of the four, 4 halves of immediates, RTS.
    assert_eq!(counts.xgate.clocks, 3 * (2 + 2 + 1 + 2 + 4 + 2 + 2 + 1));
    assert_eq!((counts.xgate.starts, counts.xgate.instructions), (3, 3 * 11));
    // A trigger takes about 8 bus cycles to the thread, whose 16 clocks are 8 bus cycles.
    let turns = counts.cpu.clocks / 3;
    assert!((30..60).contains(&turns), "{turns} bus cycles a sum");
    assert!(machine.coverage(CoreName::Cpu).has(0xc000));
}

/// Whatever the timing, the sums are right and no handshake hangs.
#[test]
fn random_stalls_never_change_the_sum() {
    let mut machine = machine();
    for seed in 0..10_000 {
        machine.set_stalls(Some(Stalls { one_in: 1 + seed as u32 % 5, at_most: 40, seed }));
        let (a, b) = ((seed as u16).wrapping_mul(40_503), seed as u16);
        assert_eq!(add(&mut machine, a, b), a.wrapping_add(b), "seed {seed}");
    }
}

/// The thread ends with SIF; the CPU sleeps in WAI until then. The handler clears the flag.
#[test]
fn a_sleeping_cpu_is_woken_by_sif() {
    let text = "
        movw #0x8181,0x0380
        cli
        wai
        ldd 0x3f00
        rts
handler: movb #2,0x0390         ; XGIF of channel 0x39
        movw #0x5678,0x3f00
        rti
        .org 0x3f72             ; the vector is at IVBR's 0xff72
        .word handler";
    let mut machine = Machine::of(&Chip::xdt512());
    machine.load(&assemble(&CpuSet, text, 0xc000).unwrap()).unwrap();
    machine.load(&assemble(&XgateSet, "sif\nrts", 0xf000).unwrap()).unwrap();
    machine.write(Space::Xgate, 0xe0e4, &[0xf0, 0, 0, 0]).unwrap();
    machine.route_to_xgate(0x39, 2);
    machine.enable_xgate(0xe000);
    machine.cpu.registers_mut().sp = 0x3e00;
    machine.trigger(0x39);
    assert_eq!(machine.call(0xc000, 1_000), Ok(Stop::Returned));
    assert_eq!(machine.cpu.registers().d, 0x5678);
    assert_eq!(machine.counts().cpu.starts, 1);
    assert_eq!(machine.run(1_000), Ok(Stop::Idle));
}

/// A routine that never returns is stopped, and can go on.
#[test]
fn a_limit_stops_a_loop() {
    let mut machine = Machine::of(&Chip::xdt512());
    machine.load(&assemble(&CpuSet, "loop: bra loop", 0xc000).unwrap()).unwrap();
    machine.cpu.registers_mut().sp = 0x3f00;
    assert_eq!(machine.call(0xc000, 300), Ok(Stop::Limit));
    // BRA takes 3 bus cycles.
    assert_eq!(machine.counts().cpu.instructions, 100);
    assert_eq!(machine.run(300), Ok(Stop::Limit));
    assert_eq!(machine.counts().cpu.clocks, 600);
}

/// A thread that reads a register before it sets it has another value in it each time.
#[test]
fn registers_are_arbitrary_when_a_thread_starts() {
    let mut machine = Machine::of(&Chip::xdt512());
    machine.load(&assemble(&XgateSet, "stw r2,(r1,#0)\nrts", 0xf000).unwrap()).unwrap();
    machine.write(Space::Xgate, 0xe0c0, &[0xf0, 0, 0xff, 0]).unwrap();
    machine.route_to_xgate(0x30, 1);
    machine.enable_xgate(0xe000);
    let mut found = Vec::new();
    for _ in 0..4 {
        machine.trigger(0x30);
        assert_eq!(machine.run(1_000), Ok(Stop::Idle));
        found.push(machine.read(Space::Xgate, 0xff00, 2).unwrap());
    }
    found.dedup();
    assert_eq!(found.len(), 4, "{found:?}");
}

#[test]
fn a_stack_that_is_not_in_ram_is_named() {
    let mut machine = Machine::of(&Chip::xdt512());
    machine.load(&assemble(&CpuSet, "rts", 0xc000).unwrap()).unwrap();
    machine.cpu.registers_mut().sp = 0x8000;
    assert_eq!(
        machine.call(0xc000, 100).unwrap_err().to_string(),
        "the CPU at 0xc000: address 0x7ffe is flash, which cannot be written"
    );
}

/// What the CPU writes to RAM by words and bytes at any address is what XGATE reads, page borders
/// too.
#[test]
fn both_cores_see_the_same_ram() {
    let text = "ldy #0x2000\nldd #0x0102\nloop: std 0,y\nsty 1,y\naddd #0x0202\nleay 3,y\n\
                cpy #0x3f00\nblo loop\nrts";
    let mut machine = Machine::of(&Chip::xdt512());
    machine.load(&assemble(&CpuSet, text, 0xc000).unwrap()).unwrap();
    machine.cpu.registers_mut().sp = 0x3ffe;
    assert_eq!(machine.call(0xc000, 200_000), Ok(Stop::Returned));
    let (mut d, mut expected) = (0x0102_u16, vec![0; 0x1f10]);
    for y in (0x2000..0x3f00_u16).step_by(3) {
        let at = usize::from(y - 0x2000);
        expected[at..at + 2].copy_from_slice(&d.to_be_bytes());
        expected[at + 1..at + 3].copy_from_slice(&y.to_be_bytes());
        d = d.wrapping_add(0x0202);
    }
    assert!(machine.read(Space::Xgate, 0xe000, 0x1f10).unwrap() == expected);
}
