//! Assembles programs for the S12X and runs them on both cores.
//!
//! ```text
//! cargo run --release -p manylane-simulate --example s12x -- --xgate thread.s --trace
//! ```

use clap::Parser;
use manylane_simulate::s12x::assembler::{InstructionSet, assemble};
use manylane_simulate::s12x::chip::Chip;
use manylane_simulate::s12x::cpu12::CpuSet;
use manylane_simulate::s12x::object::{
    Object, Segment, Space, Symbol, link_map, write_elf, write_srecords,
};
use manylane_simulate::s12x::xgate::XgateSet;
use manylane_simulate::s12x::{CoreCounts, CoreName, Counts, Machine, Stalls, Stop};
use serde_json::json;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

/// Assembles programs for the S12X's CPU and for XGATE, runs them on the simulated chip until both
/// cores are idle, and says what they did.
///
/// The CPU calls its routine, which ends with RTS. XGATE runs the threads that are triggered;
/// without a program for the CPU one thread is started at once.
#[derive(Parser)]
#[command(
    name = "s12x",
    after_help = "\
Examples:
  s12x --xgate thread.s --r1 0xff00 --dump 0xff00:16
  s12x --cpu main.s --xgate thread.s --trace --coverage
  s12x --xgate thread.s --elf thread.elf --srecords thread.s19 --map"
)]
struct Arguments {
    /// The CPU's program, in the syntax of GNU as
    #[arg(long, value_name = "FILE")]
    cpu: Option<PathBuf>,
    /// XGATE's program, in the syntax of GNU as
    #[arg(long, value_name = "FILE", required_unless_present = "cpu")]
    xgate: Option<PathBuf>,
    /// Local address of the CPU's program
    #[arg(long, value_name = "ADDRESS", default_value = "0xc000", value_parser = number)]
    cpu_origin: u16,
    /// Local address of XGATE's program
    #[arg(long, value_name = "ADDRESS", default_value = "0xe000", value_parser = number)]
    xgate_origin: u16,
    /// Label of the routine that the CPU calls [default: its program's first byte]
    #[arg(long, value_name = "LABEL", requires = "cpu")]
    call: Option<String>,
    /// The CPU's stack pointer
    #[arg(long, value_name = "ADDRESS", default_value = "0x4000", value_parser = number)]
    stack: u16,
    /// Label of a thread that XGATE starts at once [default without --cpu: its program's first
    /// byte]
    #[arg(long, value_name = "LABEL", requires = "xgate")]
    thread: Option<String>,
    /// R1 of that thread
    #[arg(long, value_name = "NUMBER", default_value = "0", value_parser = number)]
    r1: u16,
    /// A TOML file of the chip [default: MC9S12XDT512]
    #[arg(long, value_name = "FILE")]
    chip: Option<PathBuf>,
    /// Bus cycles after which the machine is stopped
    #[arg(long, value_name = "CYCLES", default_value_t = 100_000_000)]
    limit: u64,
    /// Show every instruction with its time in bus cycles, its labels and the registers before it
    #[arg(long)]
    trace: bool,
    /// Stop before the instruction at a label; may be given more than once
    #[arg(long = "break", value_name = "LABEL")]
    breaks: Vec<String>,
    /// Say how many instructions were executed from each label to the next
    #[arg(long)]
    coverage: bool,
    /// Show the linker's map
    #[arg(long)]
    map: bool,
    /// Show bytes of XGATE's memory afterwards; may be given more than once
    #[arg(long, value_name = "ADDRESS:LENGTH", value_parser = range)]
    dump: Vec<(u16, u16)>,
    /// Stall a core at random, one instruction of so many, for up to so many of its clocks
    #[arg(long, value_name = "ONE_IN:AT_MOST:SEED", value_parser = stalls)]
    stalls: Option<Stalls>,
    /// Write both programs to an ELF file, at global addresses
    #[arg(long, value_name = "FILE")]
    elf: Option<PathBuf>,
    /// Write both programs to a file of S-records, at global addresses
    #[arg(long, value_name = "FILE")]
    srecords: Option<PathBuf>,
    /// Say what the cores did as JSON
    #[arg(long)]
    json: bool,
}

fn number(text: &str) -> Result<u16, String> {
    let value = match text.strip_prefix("0x") {
        Some(digits) => u16::from_str_radix(digits, 16),
        None => text.parse(),
    };
    value.map_err(|_| "a number of 0 to 65535, or 0x0 to 0xffff".to_owned())
}

fn range(text: &str) -> Result<(u16, u16), String> {
    let (address, length) = text.split_once(':').ok_or("an address, a colon, a length")?;
    Ok((number(address)?, number(length)?))
}

fn stalls(text: &str) -> Result<Stalls, String> {
    let parts: Option<Vec<u32>> = text.split(':').map(|part| part.parse().ok()).collect();
    match parts.as_deref() {
        Some(&[one_in, at_most, seed]) => Ok(Stalls { one_in, at_most, seed: seed.into() }),
        _ => Err("three numbers with colons between them, such as 10:20:1".to_owned()),
    }
}

fn main() -> ExitCode {
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => {
            let _ = error.print();
            return if error.use_stderr() { ExitCode::FAILURE } else { ExitCode::SUCCESS };
        }
    };
    match run(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("s12x: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &Arguments) -> Result<(), String> {
    let chip = match &arguments.chip {
        None => Chip::xdt512(),
        Some(file) => Chip::read(&read(file)?).map_err(named(file))?,
    };
    let mut object = Object::default();
    if let Some(file) = &arguments.cpu {
        object = object.join(program(&CpuSet, file, arguments.cpu_origin)?)?;
    }
    if let Some(file) = &arguments.xgate {
        object = object.join(program(&XgateSet, file, arguments.xgate_origin)?)?;
    }
    let mut machine = Machine::of(&chip);
    machine.load(&object).map_err(|error| error.to_string())?;
    if arguments.map {
        print!("{}", link_map(&object));
    }
    write_files(arguments, &machine, &object)?;
    for label in &arguments.breaks {
        machine.set_break_at(label).map_err(|error| error.to_string())?;
    }
    if arguments.trace {
        machine.set_trace(Some(Box::new(|event| {
            let core = if event.core == CoreName::Cpu { "cpu  " } else { "xgate" };
            let (cycles, half) = (event.time / 2, event.time % 2 * 5);
            let (address, text, registers) = (event.address, &event.text, &event.registers);
            for label in &event.labels {
                println!("{:10} {core} {label}:", "");
            }
            println!("{cycles:8}.{half} {core} {address:04x}  {text:24} {registers}");
        })));
    }
    machine.set_stalls(arguments.stalls);
    let label = |machine: &Machine<_>, name: &Option<String>, space, origin| match name {
        None => Ok(origin),
        Some(name) => match machine.symbol(name) {
            Ok(symbol) if symbol.space == space => Ok(symbol.address as u16),
            Ok(_) => Err(format!("`{name}` is a label of the other core")),
            Err(error) => Err(error.to_string()),
        },
    };
    if arguments.thread.is_some() || arguments.cpu.is_none() {
        /// The channel of software trigger 0.
        const CHANNEL: u8 = 0x39;
        let at = label(&machine, &arguments.thread, Space::Xgate, arguments.xgate_origin)?;
        machine.start_thread(CHANNEL, at, arguments.r1);
    }
    let started = Instant::now();
    let mut stop = Ok(Stop::Returned);
    if arguments.cpu.is_some() {
        machine.cpu.registers_mut().sp = arguments.stack;
        let at = label(&machine, &arguments.call, Space::Cpu, arguments.cpu_origin)?;
        stop = machine.call(at, arguments.limit);
    }
    if stop == Ok(Stop::Returned) {
        stop = machine.run(arguments.limit);
    }
    let seconds = started.elapsed().as_secs_f64();
    report(arguments, &machine, &object, stop.clone().ok(), seconds)?;
    match stop {
        Ok(Stop::Limit) => Err(format!(
            "the cores are not idle after {} bus cycles; allow more by --limit, or look for a wait \
             that never ends",
            arguments.limit
        )),
        Ok(_) => Ok(()),
        Err(fault) => Err(fault.to_string()),
    }
}

/// Says what the cores did, and shows what was asked for.
fn report(
    arguments: &Arguments,
    machine: &Machine<manylane_simulate::s12x::cpu12::Cpu>,
    object: &Object,
    stop: Option<Stop>,
    seconds: f64,
) -> Result<(), String> {
    let counts = machine.counts();
    let stopped = match stop {
        Some(Stop::Break(core, address)) => format!("{core} is at the breakpoint {address:#06x}"),
        Some(Stop::Limit) => "the limit is reached".to_owned(),
        Some(Stop::Idle | Stop::Returned) => "both cores are idle".to_owned(),
        None => "a core has stopped".to_owned(),
    };
    if arguments.json {
        println!("{}", as_json(&counts, machine.now(), &stopped));
    } else {
        let Counts { cpu, xgate, memories } = &counts;
        println!("{stopped} after {} bus cycles", machine.now().div_ceil(2));
        for (name, core, clock) in [("CPU", cpu, "bus cycles"), ("XGATE", xgate, "clocks")] {
            let CoreCounts { instructions, clocks, stalls, .. } = core;
            println!(
                "{name:6} {instructions:10} instructions {clocks:10} {clock}, {stalls} stalled"
            );
        }
        for (name, accesses) in memories {
            println!(
                "{name:10} {:10} accesses by the CPU, {} by XGATE",
                accesses.cpu, accesses.xgate
            );
        }
        let speed = (cpu.instructions + xgate.instructions) as f64 / seconds / 1e6;
        println!("simulated {speed:.0} million instructions a second");
    }
    if arguments.coverage {
        for (core, space) in [(CoreName::Cpu, Space::Cpu), (CoreName::Xgate, Space::Xgate)] {
            if object.symbols.iter().any(|symbol| symbol.space == space) {
                print!("{core}:\n{}", machine.coverage(core).report(object, space));
            }
        }
    }
    for &(address, length) in &arguments.dump {
        let bytes = machine.read(Space::Xgate, address.into(), length.into());
        for (line, bytes) in bytes.map_err(|error| error.to_string())?.chunks(16).enumerate() {
            let hex: Vec<_> = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
            println!("{:04x}  {}", usize::from(address) + 16 * line, hex.join(" "));
        }
    }
    Ok(())
}

fn as_json(counts: &Counts, time: u64, stopped: &str) -> serde_json::Value {
    let core = |core: &CoreCounts| {
        let CoreCounts { instructions, clocks, stalls, starts } = core;
        json!({"instructions": instructions, "clocks": clocks, "stalls": stalls, "starts": starts})
    };
    let memories: serde_json::Map<_, _> = counts
        .memories
        .iter()
        .map(|(name, a)| (name.clone(), json!({"cpu": a.cpu, "xgate": a.xgate})))
        .collect();
    json!({
        "stopped": stopped,
        "bus_cycles": time.div_ceil(2),
        "cpu": core(&counts.cpu),
        "xgate": core(&counts.xgate),
        "memories": memories,
    })
}

fn program<I: InstructionSet>(set: &I, file: &Path, origin: u16) -> Result<Object, String> {
    assemble(set, &read(file)?, origin).map_err(named(file))
}

/// Writes the files that were asked for, at global addresses.
fn write_files<C: manylane_simulate::s12x::Processor>(
    arguments: &Arguments,
    machine: &Machine<C>,
    object: &Object,
) -> Result<(), String> {
    let global = |space, address| machine.global(space, address).map_err(|error| error.to_string());
    let mut segments = Vec::new();
    for Segment { space, address, bytes } in &object.segments {
        let (address, bytes) = (global(*space, *address)?, bytes.clone());
        segments.push(Segment { space: Space::Global, address, bytes });
    }
    let mut symbols = Vec::new();
    for Symbol { name, space, address } in &object.symbols {
        let address = global(*space, *address)?;
        symbols.push(Symbol { name: name.clone(), space: Space::Global, address });
    }
    let entry = segments.first().map_or(0, |segment| segment.address);
    if let Some(file) = arguments.elf.as_ref().filter(|_| arguments.elf == arguments.srecords) {
        return Err(format!("{}: is the file of both --elf and --srecords", file.display()));
    }
    if let Some(file) = &arguments.elf {
        fs::write(file, write_elf(&segments, &symbols, entry)).map_err(named(file))?;
    }
    if let Some(file) = &arguments.srecords {
        fs::write(file, write_srecords("s12x", &segments, entry)).map_err(named(file))?;
    }
    Ok(())
}

fn read(file: &Path) -> Result<String, String> {
    fs::read_to_string(file).map_err(named(file))
}

/// Puts the name of a file in front of what is wrong with it.
fn named<E: std::fmt::Display>(file: &Path) -> impl FnOnce(E) -> String {
    move |error| format!("{}: {error}", file.display())
}
