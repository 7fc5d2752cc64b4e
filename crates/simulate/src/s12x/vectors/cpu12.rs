//! The three forms of the CPU12 and the CPU12X.

use super::super::assembler::{AssemblyError, assemble};
use super::super::cpu12::{Cpu, CpuSet, Register, Registers, Timing, text};
use super::super::{Core, Flat};
use super::case::{Bytes, Case, change, hex, load};
use serde::Deserialize;

/// One instruction: registers and memory before and after it, and its cycles.
#[derive(Deserialize)]
pub(super) struct Instruction {
    id: String,
    asm: String,
    bytes: String,
    pc: u16,
    /// A, B, X, Y, SP.
    r: [u16; 5],
    ccr: u16,
    #[serde(default)]
    mem: Bytes,
    #[serde(rename = "L")]
    label: Option<i64>,
    r_after: [u16; 5],
    pc_after: u16,
    ccr_after: u16,
    #[serde(default)]
    mem_after: Bytes,
    src: String,
    cyc: u32,
    #[serde(default)]
    cyc_doubt: bool,
}

/// A program that is run from `base` to `stop_pc`, with the state before and after it.
#[derive(Deserialize)]
pub(super) struct Program {
    id: String,
    asm: Vec<String>,
    base: u16,
    bytes: String,
    stop_pc: u16,
    r: [u16; 5],
    ccr: u16,
    mem: Vec<(u16, String)>,
    r_after: [u16; 5],
    pc_after: u16,
    ccr_after: u16,
    mem_after: Bytes,
    insns: u64,
    cyc: u64,
}

/// A line of assembly and its bytes.
#[derive(Deserialize)]
pub(super) struct Encoding {
    asm: String,
    bytes: String,
    #[serde(rename = "L")]
    label: Option<i64>,
    suspected_correct: Option<String>,
}

/// Runs one instruction, with the cycles of binutils and with our own.
pub(super) fn instruction(vector: &Instruction) -> Result<Case, String> {
    let mut case = Case::new(&vector.id);
    let text = with_label(&vector.asm, vector.pc, vector.label);
    case.expect_text("bytes of the text", &vector.bytes, encode(&text, vector.pc));
    run_instruction(vector, Timing::LISTED, &mut case)?;
    if !vector.cyc_doubt {
        // What the documents agree about does not depend on the parameters of timing.
        run_instruction(vector, Timing::default(), &mut case)?;
    }
    if vector.src == "unspecified" {
        case.document = Some("the CPU12 reference manual, which does not say what comes of this");
    }
    Ok(case)
}

fn run_instruction(vector: &Instruction, timing: Timing, case: &mut Case) -> Result<(), String> {
    let mut memory = Flat::new();
    load(&mut memory, vector.pc, &hex(&vector.bytes)?)?;
    change(memory.bytes_mut(), &vector.mem);
    let mut expected = memory.bytes().to_vec();
    change(&mut expected, &vector.mem_after);
    let mut cpu = cpu(timing, vector.r, vector.ccr, vector.pc);
    let step = cpu.step(&mut memory).map_err(|fault| fault.to_string());
    case.expect("cycles", Ok(vector.cyc), step.map(|step| step.clocks));
    if vector.src != "unspecified" {
        expect_state(case, &cpu, vector.r_after, vector.pc_after);
        // `ccr_mask` tells where another simulator is right; the value is the documents' in all
        // flags.
        case.expect("CCR", vector.ccr_after, cpu.registers().ccr);
        case.expect_memory(&expected, &memory);
    }
    Ok(())
}

/// Runs a program to its last address.
pub(super) fn program(vector: &Program) -> Result<Case, String> {
    let mut case = Case::new(&vector.id);
    // The texts name the address after the last instruction without defining it.
    let text = format!("{}\ndone:\n", vector.asm.join("\n"));
    let bytes = encode(&text, vector.base);
    case.expect("bytes of the text", Ok(true), bytes.map(|b| vector.bytes.starts_with(&b)));
    let mut memory = Flat::new();
    for (address, bytes) in &vector.mem {
        load(&mut memory, *address, &hex(bytes)?)?;
    }
    load(&mut memory, vector.base, &hex(&vector.bytes)?)?;
    let mut expected = memory.bytes().to_vec();
    change(&mut expected, &vector.mem_after);
    let mut cpu = cpu(Timing::LISTED, vector.r, vector.ccr, vector.base);
    let ran = cpu.run(&mut memory, vector.stop_pc, 2 * vector.cyc);
    let ran = ran.map(|ran| (ran.instructions, ran.cycles)).map_err(|fault| fault.to_string());
    case.expect("instructions and cycles", Ok((vector.insns, vector.cyc)), ran);
    expect_state(&mut case, &cpu, vector.r_after, vector.pc_after);
    case.expect("CCR", vector.ccr_after, cpu.registers().ccr);
    case.expect_memory(&expected, &memory);
    Ok(case)
}

/// Assembles a line, disassembles its bytes and assembles that.
pub(super) fn encoding(vector: &Encoding) -> Result<Case, String> {
    /// Far from both ends of memory.
    const ORIGIN: u16 = 0x8000;
    let mut case = Case::new(&vector.asm);
    let bytes = vector.suspected_correct.as_ref().unwrap_or(&vector.bytes);
    if vector.suspected_correct.is_some() {
        case.document =
            Some("the opcode map of the CPU12X, GSTS extended: 18 7F; binutils has 18 6F");
    }
    let line = with_label(&vector.asm, ORIGIN, vector.label);
    case.expect_text("bytes", bytes, encode(&line, ORIGIN));
    let (line, length) = text(&hex(bytes)?);
    case.expect("length of the disassembly", bytes.len() / 2, length);
    case.expect_text("bytes of its disassembly", bytes, encode(&line, ORIGIN));
    Ok(case)
}

/// Returns the bytes of a text in hexadecimal.
fn encode(text: &str, origin: u16) -> Result<String, AssemblyError> {
    let object = assemble(&CpuSet, text, origin)?;
    Ok(object.segments[0].bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// Defines `L` at a distance from the beginning of a text.
fn with_label(text: &str, origin: u16, label: Option<i64>) -> String {
    let label = label.map_or_else(String::new, |l| format!("L = {origin} + {l}\n"));
    format!("{label}{text}")
}

fn cpu(timing: Timing, [a, b, x, y, sp]: [u16; 5], ccr: u16, pc: u16) -> Cpu {
    let mut cpu = Cpu::new(timing);
    *cpu.registers_mut() = Registers { d: a << 8 | b, x, y, sp, pc, ccr };
    cpu
}

fn expect_state(case: &mut Case, cpu: &Cpu, registers: [u16; 5], pc: u16) {
    let names = [Register::A, Register::B, Register::X, Register::Y, Register::Sp];
    case.expect("A, B, X, Y, SP", registers, names.map(|name| cpu.registers().get(name)));
    case.expect("PC", pc, cpu.registers().pc);
}
