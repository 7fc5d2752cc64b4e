//! The three forms of XGATE.

use super::super::Flat;
use super::super::assembler::{AssemblyError, assemble};
use super::super::xgate::{
    AddlCarry, BareBus, Owner, Registers, Timing, Xgate, XgateSet, decode, text,
};
use super::case::{Bytes, Case, change, hex, load};
use serde::Deserialize;

/// One instruction: registers, semaphores and memory before and after it, and its clocks.
#[derive(Deserialize)]
pub(super) struct Instruction {
    id: String,
    asm: String,
    w: String,
    pc: u16,
    r: [u16; 7],
    ccr: u8,
    r_after: [u16; 7],
    ccr_after: u8,
    ccr_mask: u8,
    pc_after: u16,
    cyc: u32,
    #[serde(default)]
    mem: Bytes,
    #[serde(default)]
    mem_after: Bytes,
    sem: Option<[u8; 8]>,
    sem_after: Option<[u8; 8]>,
    #[serde(default)]
    chid: u8,
    #[serde(default)]
    sif: Vec<u8>,
    #[serde(default)]
    idle: bool,
    ccr_16bit_rule: Option<u8>,
}

/// A thread that is run to its RTS, with the state before and after it.
#[derive(Deserialize)]
pub(super) struct Program {
    id: String,
    pc: u16,
    asm: Vec<String>,
    w: String,
    r: [u16; 7],
    ccr: u8,
    sem: [u8; 8],
    mem: Vec<(u16, String)>,
    r_after: [u16; 7],
    ccr_after: u8,
    sem_after: [u8; 8],
    mem_after: Bytes,
    cyc: u32,
    cyc_before_rts: u32,
    insns: u32,
}

/// A line of assembly and its words.
#[derive(Deserialize)]
pub(super) struct Encoding {
    asm: String,
    words: String,
    #[serde(rename = "L")]
    label: Option<i64>,
    correct: Option<String>,
}

/// Runs one instruction, with the carry of ADDL and SUBL once as each document has it.
pub(super) fn instruction(vector: &Instruction) -> Result<Case, String> {
    let mut case = Case::new(&vector.id);
    case.expect_text("words of the text", &vector.w, encode(&vector.asm, vector.pc, None));
    run_instruction(vector, AddlCarry::Bit7, vector.ccr_after, &mut case)?;
    let rule = match vector.ccr_16bit_rule {
        Some(ccr) => ccr,
        None => vector.ccr_after,
    };
    run_instruction(vector, AddlCarry::Bit15, rule, &mut case)?;
    Ok(case)
}

fn run_instruction(
    vector: &Instruction,
    addl_carry: AddlCarry,
    ccr_after: u8,
    case: &mut Case,
) -> Result<(), String> {
    let mut core = Xgate::new(Timing::default(), addl_carry);
    let mut bench = bench(vector.sem)?;
    load(&mut bench.memory, vector.pc, &hex(&vector.w)?)?;
    change(bench.memory.bytes_mut(), &vector.mem);
    let mut expected = bench.memory.bytes().to_vec();
    change(&mut expected, &vector.mem_after);
    core.start(vector.chid, vector.pc, 0);
    core.r[1..].copy_from_slice(&vector.r);
    core.ccr = vector.ccr;
    let step = core.step(&mut bench).map_err(|fault| fault.to_string());
    case.expect("end", Ok(vector.cyc), step.map(|step| step.clocks));
    case.expect("registers", vector.r_after, core.r[1..].try_into().unwrap_or_default());
    case.expect("R0", 0, core.r[0]);
    // Where there are two rules, each decides all flags.
    let mask = if vector.ccr_16bit_rule.is_some() { 15 } else { vector.ccr_mask };
    case.expect("CCR", ccr_after & mask, core.ccr & mask);
    case.expect("PC", vector.pc_after, core.pc);
    case.expect("idle", vector.idle, !core.running);
    case.expect_memory(&expected, &bench.memory);
    expect_semaphores(case, vector.sem_after, &bench);
    let raised: Vec<u8> = (0..128).filter(|n| bench.registers.flags >> n & 1 != 0).collect();
    case.expect("interrupt flags", &vector.sif, &raised);
    Ok(())
}

/// Runs a program to its RTS.
pub(super) fn program(vector: &Program) -> Result<Case, String> {
    let mut case = Case::new(&vector.id);
    let words = encode(&vector.asm.join("\n"), vector.pc, None);
    case.expect_text("words of the text", &vector.w, words);
    let mut core = Xgate::new(Timing::default(), AddlCarry::Bit7);
    let mut bench = bench(Some(vector.sem))?;
    for (address, bytes) in &vector.mem {
        load(&mut bench.memory, *address, &hex(bytes)?)?;
    }
    load(&mut bench.memory, vector.pc, &hex(&vector.w)?)?;
    let mut expected = bench.memory.bytes().to_vec();
    change(&mut expected, &vector.mem_after);
    core.start(0, vector.pc, 0);
    core.r[1..].copy_from_slice(&vector.r);
    core.ccr = vector.ccr;
    let (mut clocks, mut before_rts, mut instructions) = (0, 0, 0);
    while core.running && instructions <= vector.insns {
        before_rts = clocks;
        match core.step(&mut bench) {
            Ok(step) => clocks += step.clocks,
            Err(fault) => {
                case.expect("end", "RTS".to_owned(), fault.to_string());
                return Ok(case);
            }
        }
        instructions += 1;
    }
    case.expect("instructions", vector.insns, instructions);
    case.expect("clocks", vector.cyc, clocks);
    case.expect("clocks before RTS", vector.cyc_before_rts, before_rts);
    case.expect("registers", vector.r_after, core.r[1..].try_into().unwrap_or_default());
    case.expect("CCR", vector.ccr_after, core.ccr);
    case.expect_memory(&expected, &bench.memory);
    expect_semaphores(&mut case, Some(vector.sem_after), &bench);
    Ok(case)
}

/// Assembles a line, disassembles its words and assembles that.
pub(super) fn encoding(vector: &Encoding) -> Result<Case, String> {
    /// Far from both ends of memory.
    const ORIGIN: u16 = 0x8000;
    let mut case = Case::new(&vector.asm);
    let words = vector.correct.as_ref().unwrap_or(&vector.words);
    if vector.correct.is_some() {
        case.document = Some(
            "MC9S12XDP512 data sheet §9.8, TFR: the register is in bits 10 to 8; binutils has \
             another",
        );
    }
    case.expect_text("words", words, encode(&vector.asm, ORIGIN, vector.label));
    let bytes = hex(words)?;
    let lines: Vec<_> =
        bytes.chunks_exact(2).map(|word| text(u16::from_be_bytes([word[0], word[1]]))).collect();
    case.expect_text("words of its disassembly", words, encode(&lines.join("\n"), ORIGIN, None));
    let legal = bytes.chunks_exact(2).all(|w| decode(u16::from_be_bytes([w[0], w[1]])).is_some());
    case.expect("all words legal", true, legal);
    Ok(case)
}

/// Returns the words of a text in hexadecimal, with `L` at a distance from its beginning.
fn encode(text: &str, origin: u16, label: Option<i64>) -> Result<String, AssemblyError> {
    let label = label.map_or_else(String::new, |l| format!("L = {origin} + {l}\n"));
    let object = assemble(&XgateSet, &format!("{label}{text}"), origin)?;
    Ok(object.segments[0].bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

fn bench(semaphores: Option<[u8; 8]>) -> Result<BareBus, String> {
    let mut registers = Registers::default();
    for (number, code) in semaphores.into_iter().flatten().enumerate() {
        registers.semaphores[number] = match code {
            0 => Owner::Free,
            2 => Owner::Xgate,
            3 => Owner::Cpu,
            code => return Err(format!("{code} is no state of a semaphore: 0, 2 or 3")),
        };
    }
    Ok(BareBus { memory: Flat::new(), registers })
}

fn expect_semaphores(case: &mut Case, expected: Option<[u8; 8]>, bench: &BareBus) {
    let states = bench.registers.semaphores.map(|owner| match owner {
        Owner::Free => 0,
        Owner::Xgate => 2,
        Owner::Cpu => 3,
    });
    case.expect("semaphores", expected.unwrap_or([0; 8]), states);
}
