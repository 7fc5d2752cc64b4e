//! The machine of both cores: contention, threads, semaphores, interrupts, pages, faults.

use crate::script::{Do, Script};
use manylane_simulate::s12x::assembler::assemble;
use manylane_simulate::s12x::chip::Chip;
use manylane_simulate::s12x::object::{Object, Segment, Space};
use manylane_simulate::s12x::xgate::XgateSet;
use manylane_simulate::s12x::{CoreName, Event, Machine, MachineError, Stalls, Stop};
use std::cell::RefCell;
use std::iter::repeat_n;
use std::rc::Rc;

/// XGATE's registers, as both cores see them.
const XGMCTL: u16 = 0x380;
const XGVBR: u16 = 0x386;
const XGSWT: u16 = 0x398;
const XGSEM: u16 = 0x39a;
/// The channel of software trigger 0.
const TRIGGER_0: u8 = 0x39;
/// Where the vectors are in XGATE's memory.
const VECTORS: u16 = 0xe000;
/// Enough bus cycles for all programs here.
const LONG: u64 = 10_000;

/// A machine with a program of XGATE, whose channels have the vectors, and a script of the CPU.
fn machine(
    text: &str,
    origin: u16,
    channels: &[(u8, u8, u16, u16)],
    list: impl IntoIterator<Item = Do>,
) -> Machine<Script> {
    let mut machine = Machine::new(&Chip::xdt512(), Script::new(list));
    machine.load(&assemble(&XgateSet, text, origin).unwrap()).unwrap();
    for &(channel, level, pc, r1) in channels {
        let bytes = [pc.to_be_bytes(), r1.to_be_bytes()].concat();
        let vector = u32::from(VECTORS) + 4 * u32::from(channel);
        machine.write(Space::Xgate, vector, &bytes).unwrap();
        machine.route_to_xgate(channel, level);
    }
    if !channels.is_empty() {
        machine.enable_xgate(VECTORS);
    }
    machine
}

/// The events of a machine as they come.
fn traced(machine: &mut Machine<Script>) -> Rc<RefCell<Vec<Event>>> {
    let events = Rc::new(RefCell::new(Vec::new()));
    let kept = events.clone();
    machine.set_trace(Some(Box::new(move |event| kept.borrow_mut().push(event.clone()))));
    events
}

/// When XGATE executes the instruction at an address.
fn times(events: &RefCell<Vec<Event>>, address: u16) -> Vec<u64> {
    let events = events.borrow();
    let here = |event: &&Event| event.core == CoreName::Xgate && event.address == address;
    events.iter().filter(here).map(|event| event.time).collect()
}

/// Nine instructions of one clock each. Beside a CPU that uses RAM in no cycle, in each cycle, in
/// each second one: RAM answers two accesses in a cycle, the CPU's first.
#[test]
fn ram_answers_two_accesses_in_a_bus_cycle() {
    const RAM: Do = Do::Read(0x2f00);
    const FLASH: Do = Do::Read(0xc000);
    let nops = "nop\n".repeat(8) + "rts";
    for (text, origin, list, stalls) in [
        (&nops, 0xf000, vec![Do::Idle; 40], 0),
        (&nops, 0xf000, vec![FLASH; 40], 0),
        (&nops, 0xf000, vec![RAM; 40], 9),
        // The first of three accesses in two cycles waits.
        (&nops, 0xf000, [RAM, Do::Idle].repeat(20), 3),
        // The third instruction begins in the second half of the cycle, and the fourth after it.
        (&nops, 0xf000, [Do::Idle, RAM].repeat(20), 2 + 1),
        // Flash answers one access in a cycle.
        (&nops, 0x0800, vec![RAM; 40], 9),
        // The CPU's 20 cycles come first.
        (&nops, 0x0800, vec![FLASH; 20], 40 + 9),
    ] {
        let mut machine = machine(text, origin, &[], list.clone());
        machine.start_thread(1, origin, 0);
        assert_eq!(machine.call(0xc000, LONG), Ok(Stop::Returned));
        assert_eq!(machine.run(LONG), Ok(Stop::Idle));
        let counts = machine.counts();
        let found = (counts.xgate.instructions, counts.xgate.clocks, counts.xgate.stalls);
        assert_eq!(found, (9, 9, stalls), "{origin:#x}, {:?}", &list[..2]);
        assert_eq!((counts.cpu.clocks, counts.cpu.stalls), (list.len() as u64, 0));
        let memory = if origin == 0xf000 { "RAM" } else { "flash" };
        let accesses = counts.memories.iter().find(|(name, _)| name == memory).unwrap().1;
        assert_eq!(accesses.xgate, 9);
        let reads = list.iter().filter(|item| {
            matches!((item, memory), (Do::Read(0x2f00), "RAM") | (Do::Read(0xc000), "flash"))
        });
        assert_eq!(accesses.cpu, reads.count() as u64);
    }
}

/// A load takes a fetch and an access; a branch that is taken fetches twice. With RAM used in each
/// cycle each of these waits.
#[test]
fn loads_and_branches_access_ram_twice() {
    for (line, clocks) in [("ldw r1,(r2,#0)", 2), ("bra .+2", 2), ("beq .+2", 1), ("ssem #1", 1)] {
        let mut machine = machine(&format!("{line}\nrts"), 0xf000, &[], vec![Do::Read(0x2f00); 20]);
        machine.xgate.r[2] = 0xff00;
        machine.start_thread(1, 0xf000, 0);
        machine.call(0xc000, LONG).unwrap();
        let counts = machine.counts().xgate;
        assert_eq!((counts.clocks, counts.stalls), (clocks + 1, clocks + 1), "{line}");
    }
}

const ANSWER: &str = "
        ldw r2,#0x0398      ; XGSWT
        ldw r3,#0x0100
        stw r3,(r2,#0)      ; clears trigger 0
        stw r1,(r1,#0)
        rts";

/// The write ends with bus cycle 4, the first instruction of the thread begins 8 bus cycles later.
#[test]
fn a_software_trigger_starts_a_thread() {
    let write = [Do::Idle, Do::Idle, Do::Idle, Do::Write(XGSWT, 0x0101)];
    let list = write.into_iter().chain(repeat_n(Do::Idle, 40)).chain([Do::See(0x3100)]);
    let vector = (TRIGGER_0, 1, 0xf000, 0xf100);
    let text = format!("answer:\nbegin:\n{ANSWER}");
    let mut machine = machine(&text, 0xf000, &[vector], list);
    let events = traced(&mut machine);
    assert_eq!(machine.call(0xc000, LONG), Ok(Stop::Returned));
    assert_eq!(times(&events, 0xf000), [8 + 16]);
    for event in events.borrow().iter() {
        let is_first = event.core == CoreName::Xgate && event.address == 0xf000;
        let labels: &[&str] = if is_first { &["answer", "begin"] } else { &[] };
        assert_eq!(event.labels, labels, "{event:?}");
    }
    // XGATE's 0xF100 is the CPU's 0x3100.
    assert_eq!(machine.cpu.seen, [0xf100]);
    let counts = machine.counts().xgate;
    // The register answers once in a bus cycle: the store's second clock waits for the cycle that
    // begins at 30, and takes it whole.
    assert_eq!((counts.starts, counts.clocks, counts.stalls), (1, 4 + 2 + 2 + 1, 2));
    assert_eq!(machine.run(LONG), Ok(Stop::Idle));
}

/// A trigger that nobody clears starts its thread again, 5 clocks after its RTS begins.
#[test]
fn a_trigger_stays_until_it_is_cleared() {
    let vector = (TRIGGER_0, 1, 0xf000, 0);
    let mut machine = machine("rts", 0xf000, &[vector], [Do::Write(XGSWT, 0x0101)]);
    let events = traced(&mut machine);
    machine.call(0xc000, LONG).unwrap();
    assert_eq!(machine.run(30), Ok(Stop::Limit));
    let times = times(&events, 0xf000);
    assert!(times.len() > 5, "{times:?}");
    assert!(times.windows(2).all(|pair| pair[1] == pair[0] + 5), "{times:?}");
}

/// The highest level first, then the highest channel; a thread is not interrupted.
#[test]
fn pending_threads_start_in_the_order_of_their_levels() {
    // Each appends its R1 to a list whose end is at 0xff00.
    let text = "ldw r2,#0xff00\nldw r3,(r2,#0)\nstb r1,(r3,r0)\naddl r3,#1\nstw r3,(r2,#0)\nrts";
    let channels = [
        (0x30, 1, 0xf000, 0x30),
        (0x31, 7, 0xf000, 0x31),
        (0x32, 1, 0xf000, 0x32),
        (0x33, 0, 0xf000, 0x33),
    ];
    let mut machine = machine(text, 0xf000, &channels, []);
    machine.write(Space::Xgate, 0xff00, &[0xff, 0x10]).unwrap();
    let events = traced(&mut machine);
    for (channel, ..) in channels {
        machine.trigger(channel);
    }
    assert_eq!(machine.run(LONG), Ok(Stop::Idle));
    assert_eq!(machine.read(Space::Xgate, 0xff10, 4).unwrap(), [0x31, 0x32, 0x30, 0]);
    let (starts, ends) = (times(&events, 0xf000), times(&events, 0xf00c));
    assert_eq!(starts.len(), 3);
    assert_eq!(starts[1..], [ends[0] + 5, ends[1] + 5]);
    assert_eq!(machine.counts().xgate.starts, 3);
}

/// Without XGE, or where the controller gives the channel to the CPU, no thread starts.
#[test]
fn requests_need_the_module_and_the_route() {
    let mut machine = machine("rts", 0xf000, &[(0x30, 1, 0xf000, 0)], []);
    machine.trigger(0x2f);
    assert_eq!(machine.run(LONG), Ok(Stop::Idle));
    assert_eq!(machine.counts().xgate.starts, 0);
    machine.cpu.list.push_back(Do::Write(XGMCTL, 0x8000));
    machine.call(0xc000, LONG).unwrap();
    machine.trigger(0x30);
    assert_eq!(machine.run(LONG), Ok(Stop::Idle));
    assert_eq!(machine.counts().xgate.starts, 0);
    // The request is kept until XGATE is enabled.
    machine.cpu.list.push_back(Do::Write(XGMCTL, 0x8080));
    machine.call(0xc000, LONG).unwrap();
    assert_eq!(machine.run(LONG), Ok(Stop::Idle));
    assert_eq!(machine.counts().xgate.starts, 1);
}

/// The CPU holds semaphore 2 for 30 cycles; XGATE waits for it, writes, and gives it back.
#[test]
fn a_semaphore_keeps_xgate_out() {
    let text = "1: ssem #2\nbcc 1b\nstw r1,(r1,#0)\ncsem #2\nrts";
    let list = [Do::Write(XGSEM, 0x0404), Do::See(XGSEM)]
        .into_iter()
        .chain(repeat_n(Do::Idle, 30))
        .chain([Do::See(0x3100), Do::Write(XGSEM, 0x0400)])
        .chain(repeat_n(Do::Idle, 20))
        .chain([Do::See(0x3100), Do::Write(XGSEM, 0x0404), Do::See(XGSEM)]);
    let mut machine = machine(text, 0xf000, &[], list);
    machine.start_thread(1, 0xf000, 0xf100);
    // XGATE would lock it at once: it starts when the CPU has it.
    machine.xgate.running = false;
    assert_eq!(machine.call(0xc000, 1), Ok(Stop::Limit));
    machine.xgate.running = true;
    assert_eq!(machine.run(LONG), Ok(Stop::Idle));
    assert_eq!(machine.cpu.seen, [4, 0, 0xf100, 4]);
}

/// SIF interrupts a CPU that waits, through the channel's vector; a CPU that masks interrupts goes
/// on waiting.
#[test]
fn a_thread_interrupts_the_cpu() {
    let vector = (TRIGGER_0, 3, 0xf000, 0);
    for masked in [false, true] {
        let list = [Do::Write(XGMCTL, 0x8181), Do::Wait, Do::See(0x390)];
        let mut machine = machine("sif\nrts", 0xf000, &[vector], list);
        machine.cpu.masked = masked;
        machine.trigger(TRIGGER_0);
        assert_eq!(
            machine.call(0xc000, LONG),
            Ok(if masked { Stop::Idle } else { Stop::Returned })
        );
        if masked {
            assert_eq!(machine.cpu.interrupts, []);
        } else {
            assert_eq!(machine.cpu.interrupts, [(0xff72, 3)]);
            // Bit 1 of the byte of channels 0x3F to 0x38.
            assert_eq!(machine.cpu.seen, [0x0200]);
            assert_eq!(machine.counts().cpu.starts, 1);
        }
    }
}

/// RPAGE and EPAGE, PPAGE, GPAGE; what each shows is XGATE's too.
#[test]
fn pages_select_what_the_cpu_sees() {
    let list = [
        Do::See(0x16),
        Do::Write(0x16, 0xfbff),
        Do::See(0x1000),
        Do::See(0x0800),
        Do::WriteByte(0x30, 0xe0),
        Do::See(0x8800),
        Do::Write(0x1ffe, 0x1234),
    ];
    let mut machine = machine("nop", 0xf000, &[], list);
    machine.write(Space::Xgate, 0xb000, &[0xab, 0xcd]).unwrap();
    machine.write(Space::Global, 0x13_fc00, &[0x56, 0x78]).unwrap();
    machine.write(Space::Xgate, 0x1000, &[0x9a, 0xbc]).unwrap();
    machine.write(Space::Global, 0x78_0800, &[0x11, 0x22]).unwrap();
    machine.call(0xc000, LONG).unwrap();
    assert_eq!(machine.cpu.seen, [0xfdfe, 0xabcd, 0x5678, 0x1122]);
    assert_eq!(machine.read(Space::Xgate, 0xbffe, 2).unwrap(), [0x12, 0x34]);
    assert_eq!(machine.read(Space::Global, 0x0f_bffe, 2).unwrap(), [0x12, 0x34]);
    // A page that this chip has not.
    machine.cpu.list.extend([Do::WriteByte(0x16, 0x10), Do::See(0x1000)]);
    let fault = machine.call(0xc000, LONG).unwrap_err();
    assert_eq!(fault.to_string(), "the CPU at 0xc000: nothing answers at address 0x1000");
}

#[test]
fn wrong_accesses_are_faults() {
    for (item, message) in [
        (Do::Read(0x0240), "the CPU at 0xc000: nothing answers at address 0x0240"),
        (
            Do::Write(0xc000, 1),
            "the CPU at 0xc000: address 0xc000 is flash, which cannot be written",
        ),
        (
            Do::Write(XGVBR, 1),
            "the CPU at 0xc000: register 0x0386: XGVBR cannot be written while XGATE is enabled: \
             clear XGE first",
        ),
        (
            Do::WriteByte(XGSWT + 1, 1),
            "the CPU at 0xc000: register 0x0399: XGMCTL, XGSWT and XGSEM have a mask in their high \
             byte: write the word",
        ),
    ] {
        let mut machine = machine("nop", 0xf000, &[(1, 1, 0xf000, 0)], [item]);
        assert_eq!(machine.call(0xc000, LONG).unwrap_err().to_string(), message);
    }
    for (text, message) in [
        ("ldw r1,(r2,#0)", "XGATE at 0xf000: nothing answers at address 0x9000"),
        ("stb r1,(r3,#0)", "XGATE at 0xf000: address 0x0900 is flash, which cannot be written"),
        ("jal r2", "XGATE at 0x9000: nothing answers at address 0x9000"),
        (
            "jal r4",
            "XGATE at 0x0380: register 0x0380: XGATE can neither execute registers nor find its \
             vectors there",
        ),
        (".word 0x0801", "XGATE at 0xf000: no instruction begins with 0801"),
    ] {
        let mut machine = machine(text, 0xf000, &[], []);
        machine.xgate.r[2..5].copy_from_slice(&[0x9000, 0x0900, 0x0380]);
        machine.start_thread(1, 0xf000, 0);
        assert_eq!(machine.run(LONG).unwrap_err().to_string(), message);
    }
}

/// The fault names XGATE, not the CPU that continues meanwhile.
#[test]
fn a_vector_where_no_memory_is_is_named() {
    let mut machine = machine("rts", 0xf000, &[], [Do::Idle; 100]);
    machine.route_to_xgate(0x39, 1);
    machine.enable_xgate(0x9000);
    machine.trigger(0x39);
    assert_eq!(
        machine.call(0xc000, LONG).unwrap_err().to_string(),
        "XGATE at 0x90e4: nothing answers at address 0x90e4"
    );
}

const LOOP: &str = "
start:  ldl r2,#3
loop:   subl r2,#1
        bne loop
        bra end
never:  nop
        nop
end:    rts";

#[test]
fn breakpoints_coverage_and_limits() {
    let with_loop = || machine(LOOP, 0xf000, &[], []);
    let mut machine = with_loop();
    let object = assemble(&XgateSet, LOOP, 0xf000).unwrap();
    machine.set_break_at("loop").unwrap();
    machine.set_break_at("never").unwrap();
    assert_eq!(
        machine.set_break_at("elsewhere"),
        Err(MachineError::NoSymbol("elsewhere".to_owned()))
    );
    machine.start_thread(1, 0xf000, 0);
    for turn in [3, 2, 1] {
        assert_eq!(machine.run(LONG), Ok(Stop::Break(CoreName::Xgate, 0xf002)));
        assert_eq!(machine.xgate.r[2], turn);
    }
    assert_eq!(machine.run(LONG), Ok(Stop::Idle));
    assert_eq!(
        machine.coverage(CoreName::Xgate).report(&object, Space::Xgate),
        "executed   bytes  label\n       1       2  start\n       3       6  loop\n       \
         0       4  never\n       1       2  end\n"
    );
    // The third turn takes 3 bus cycles and a clock.
    let mut machine = with_loop();
    machine.start_thread(1, 0xf000, 0);
    assert_eq!(machine.run(LONG), Ok(Stop::Idle));
    machine.clear_counts();
    machine.start_thread(1, 0xf000, 0);
    assert_eq!(machine.run(3), Ok(Stop::Limit));
    assert_eq!(machine.counts().xgate.clocks, 7);
    assert_eq!(machine.run(LONG), Ok(Stop::Idle));
    assert_eq!(machine.counts().xgate.clocks, 1 + 3 * 3 - 1 + 2 + 1);
}

/// The result is the same, the time is not; the same seed gives the same time.
#[test]
fn random_stalls_change_the_time_alone() {
    let run = |stalls: Option<Stalls>| {
        let mut machine = machine(ANSWER, 0xf000, &[(TRIGGER_0, 1, 0xf000, 0xf100)], []);
        machine.set_stalls(stalls);
        machine.cpu.list.extend([Do::Write(XGSWT, 0x0101)]);
        machine.cpu.list.extend([Do::Idle; 200]);
        machine.call(0xc000, LONG).unwrap();
        assert_eq!(machine.run(LONG), Ok(Stop::Idle));
        assert_eq!(machine.read(Space::Xgate, 0xf100, 2).unwrap(), [0xf1, 0]);
        let counts = machine.counts();
        (counts.cpu.stalls, counts.xgate.stalls)
    };
    let stalls = |seed| Some(Stalls { one_in: 3, at_most: 20, seed });
    assert_eq!(run(None), (0, 2));
    assert_eq!(run(stalls(1)), run(stalls(1)));
    let all: Vec<_> = (0..20).map(|seed| run(stalls(seed))).collect();
    assert!(all.iter().all(|(cpu, xgate)| *cpu > 0 && *xgate >= 2), "{all:?}");
    assert!(all.iter().any(|other| *other != all[0]), "{all:?}");
}

#[test]
fn what_cannot_be_loaded_is_named() {
    let segment = |space, address, length| Object {
        segments: vec![Segment { space, address, bytes: vec![1; length] }],
        symbols: Vec::new(),
    };
    let mut machine = machine("nop\nrts", 0xf000, &[], []);
    // XGATE's 0xF002 is the CPU's 0x3002.
    for (object, message) in [
        (
            segment(Space::Cpu, 0x3000, 1),
            "Cpu address 0x003000 holds a segment that was loaded before",
        ),
        (
            segment(Space::Global, 0x0f_efff, 0x1010),
            "Global address 0x0ff000 holds a segment that was loaded before",
        ),
        (segment(Space::Xgate, 0xaffe, 2), "Xgate address 0x00affe is in no memory of xdt512"),
        (segment(Space::Xgate, 0xffff, 2), "Xgate address 0x010000 is in no memory of xdt512"),
        (segment(Space::Global, 0x10_0000, 1), "Global address 0x100000 is in no memory of xdt512"),
    ] {
        assert_eq!(machine.load(&object).unwrap_err().to_string(), message);
    }
    machine.load(&segment(Space::Cpu, 0x3004, 4)).unwrap();
    assert!(machine.read(Space::Xgate, 0x9000, 1).is_err());
    assert!(machine.write(Space::Global, 0x7f_ffff, &[1, 2]).is_err());
}

#[test]
fn files_of_chips_are_checked() {
    let text = include_str!("../../s12x/xdt512.toml");
    for (old, new, message) in [
        ("size = 0x5000", "size = 0x5001", "memory RAM: its address and size must be multiples"),
        ("size = 0x5000", "size = 0", "memory RAM: its address and size must be multiples"),
        ("global = 0x78_0000", "global = 0x7ffff000", "memory flash: its address and size"),
        ("accesses_per_bus_cycle = 2", "accesses_per_bus_cycle = 3", "memory RAM: accesses_per"),
        ("global = 0x13_f000", "global = 0x0f_b400", "memory EEPROM and memory RAM overlap"),
        ("name = \"RAM\"", "name = \"\"", "memory 2: its name is empty"),
        ("name = \"flash\"", "name = \"RAM\"", "two memories are named RAM"),
        ("register = 0x16", "register = 0x17", "RPAGE and EPAGE are both at 0x0017"),
        ("name = \"RPAGE\"", "name = \"EPAGE\"", "two registers are named EPAGE"),
        ("register = 0x30", "register = 0x3bf", "PPAGE and XGATE's registers are both at 0x03bf"),
        ("[[0x0034,", "[[0x0030,", "plain_registers 0x0030 to 0x003f and PPAGE are both at 0x0030"),
        ("[[0x0034,", "[[0x0041,", "plain_registers 0x0041 to 0x003f: the last one is before"),
        ("[[0x0034,", "[[1, 5], [5,", "plain_registers 0x0005 to 0x003f and"),
        ("from = 0x0800", "from = 0x0400", "window 0x0400 to 0x0bff of cpu overlaps another one"),
        ("from = 0xb000", "from = 0xb001", "window 0xb001 to 0xffff of xgate: it must begin"),
        ("xgate_registers = 0x0380", "xgate_registers = 0x0390", "xgate_registers must be"),
        ("rts_clocks = 1", "rts_clocks = 3", "timing: SSEM, CSEM, SIF and RTS take 1 or 2 clocks"),
        ("mul_bus_cycles = 1", "mul_bus_cycles = 2", "timing: MUL takes 1 or 3 bus cycles"),
    ] {
        let wrong = text.replace(old, new);
        assert_ne!(wrong, text, "{old}");
        let error = Chip::read(&wrong).unwrap_err();
        assert!(error.to_string().starts_with(message), "{old}: {error}");
    }
    let error = Chip::read(&text.replace("rts_clocks", "rts_clock")).unwrap_err().to_string();
    assert!(error.contains("rts_clock") && error.contains("line "), "{error}");
    assert_eq!(Chip::xdt512().memories.len(), 4);
}
