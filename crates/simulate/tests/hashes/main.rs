//! Hashes in assembly on the simulated S12X: every digest is the definition's.

use manylane_emit::cpu12x;
use manylane_graph::calls::digest;
use manylane_graph::framing::stream;
use manylane_graph::trace;
use manylane_plan::program::shape::{Shape, Worth};
use manylane_primitives::catalog::{Algorithm, HashId};
use manylane_simulate::s12x::assembler::assemble;
use manylane_simulate::s12x::chip::Chip;
use manylane_simulate::s12x::cpu12::{Cpu, CpuSet};
use manylane_simulate::s12x::object::Space;
use manylane_simulate::s12x::{Machine, Stop};

const CONTEXT: u16 = 0x1100;
const MESSAGE: u16 = 0x1400;
const DIGEST: u16 = 0x1f00;

fn machine(algorithm: Algorithm, shape: Shape) -> (Machine<Cpu>, usize, usize) {
    let stream = stream(algorithm).unwrap();
    let program = shape.one(&trace::literal_compression(algorithm));
    let compression = cpu12x::compression(&program, stream.framing.order, "p").unwrap();
    let hash = cpu12x::hash(&stream, &compression, "f", "p", 0x2000).unwrap();
    if std::env::var_os("SHOW").is_some() {
        std::fs::write(format!("/tmp/h/cpu12-{algorithm}.s"), &hash.text).unwrap();
    }
    let object =
        assemble(&CpuSet, &hash.text, 0x4000).unwrap_or_else(|e| panic!("{algorithm}: {e}"));
    let size = object.segments[0].bytes.len();
    let mut machine = Machine::of(&Chip::xdt512());
    machine.load(&object).unwrap();
    (machine, size, hash.work_bytes)
}

fn call(machine: &mut Machine<Cpu>, name: &str, d: u16, stack: &[u16]) {
    let sp = 0x3ff0 - 2 * stack.len() as u16;
    let bytes: Vec<u8> = stack.iter().flat_map(|word| word.to_be_bytes()).collect();
    if !bytes.is_empty() {
        machine.write(Space::Cpu, sp.into(), &bytes).unwrap();
    }
    machine.cpu.registers_mut().sp = sp;
    machine.cpu.registers_mut().d = d;
    let address = machine.symbol(name).unwrap().address as u16;
    let stop = machine.call(address, 10_000_000);
    assert_eq!(stop, Ok(Stop::Returned), "{name}");
    assert_eq!(machine.cpu.registers().sp, sp);
}

fn run(machine: &mut Machine<Cpu>, message: &[u8], bytes: usize) -> (Vec<u8>, u64) {
    machine.write(Space::Cpu, MESSAGE.into(), message).unwrap();
    let before = machine.now();
    call(machine, "p_init", CONTEXT, &[]);
    call(machine, "p_update", CONTEXT, &[MESSAGE, message.len() as u16]);
    call(machine, "p_final", CONTEXT, &[DIGEST]);
    let cycles = (machine.now() - before) / 2;
    (machine.read(Space::Cpu, DIGEST.into(), bytes).unwrap(), cycles)
}

#[test]
fn every_hash_is_right_on_the_cpu() {
    let only = std::env::var("ONLY").ok();
    let unroll = std::env::var("UNROLL").ok().map(|n| n.parse().unwrap());
    let mut wrong = Vec::new();
    for &id in HashId::ALL {
        let algorithm = Algorithm::from(id);
        let name = algorithm.to_string();
        if only.as_ref().is_some_and(|only| *only != name) {
            continue;
        }
        let block = id.entry().shape.block_bytes;
        let shape = Shape { unroll, worth: Worth::Size, word: None };
        let (mut machine, size, work) = machine(algorithm, shape);
        let lengths = [0, 3, block - 9, block - 1, block, block + 1, 2 * block + 1, 1024];
        let mut ok = true;
        let mut cycles = Vec::new();
        for length in lengths {
            let message: Vec<u8> = (0..length).map(|i| (i * 7 + i / 5) as u8).collect();
            let (got, time) = run(&mut machine, &message, algorithm.digest_bytes());
            cycles.push(time);
            if got != digest(algorithm, &message) {
                wrong.push(format!("{name} {length}"));
                ok = false;
            }
        }
        let blocks = stream(algorithm).unwrap().framing.blocks(&[0; 1024]).len() as u64;
        println!(
            "{name:12} {ok} size {size} work {work} block {} of {blocks}: {}",
            block,
            (cycles[7] - cycles[0]) / (blocks - 1)
        );
    }
    assert!(wrong.is_empty(), "{wrong:?}");
}
