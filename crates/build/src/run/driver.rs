//! The program that measures a C library on a machine.

use super::row::{Memory, Row};
use super::subject::{Calls, PREFIX, Subject};
use crate::error::Error;
use manylane_emit::c::{About, Cores, Options};
use manylane_simulate::{Clock, Job, Machine, Outcome, Run};

/// Bytes of the longest message: it lies in the memory of a microcontroller.
pub const MOST_BYTES: usize = 16 << 10;

/// The measurement of one message.
pub struct MeasuredMessage {
    /// Bytes of the message.
    pub length: usize,
    /// Cycles of init, update and final; 0 where none are counted.
    pub cycles: u32,
    /// Whether the result is that of the definition.
    pub digest_ok: bool,
    /// Memory that the library takes.
    pub memory: Memory,
    /// For each core, the clocks in which it waited for memory in the whole measuring program;
    /// empty where none are counted.
    pub stalls: Vec<u64>,
    /// Says what counts the cycles of this computer, and why nothing better does.
    pub clock: Option<String>,
}

impl MeasuredMessage {
    /// Sets in the row of a run what was measured.
    pub fn set(self, machine: Machine, row: &mut Row) {
        row.platform = machine.name().to_owned();
        if machine.clock() != Clock::None {
            row.set_cycles(self.cycles);
        }
        row.digest_ok = self.digest_ok;
        row.memory = self.memory;
        row.stalls = self.stalls;
    }
}

/// The message of `length` bytes. The measuring program makes the same one.
fn message(length: usize) -> Vec<u8> {
    (0..length).map(|i| (131 * i + i / 256 + 1) as u8).collect()
}

/// The measuring program's file.
const MAIN: &str = "main.c";

/// Compiles a library for a machine, and runs it on messages of these lengths.
///
/// # Errors
/// If there is no library, it is not compiled, or its run has no outcome.
pub fn measure(
    machine: Machine,
    subject: &dyn Subject,
    cores: Cores,
    lengths: &[usize],
) -> Result<Vec<MeasuredMessage>, Error> {
    let job =
        library(machine, subject, cores, MAIN, &program(&subject.calls(cores), cores, lengths))?;
    let built = machine.build(&job)?;
    let outcome = built.run(&Run::default())?;
    let of_library = || built.sizes.iter().filter(|size| size.file != MAIN);
    let memory = Memory {
        code_bytes: of_library().map(|size| size.code).sum(),
        constant_bytes: of_library().map(|size| size.constants).sum(),
        stack_bytes: outcome.stack.first().copied(),
    };
    let clock = outcome.lines("clock").next().map(str::to_owned);
    let mut cycles = outcome.lines("cycles");
    let mut results = outcome.lines("result");
    let measured = lengths.iter().map(|&length| {
        let cycles = cycles.next().and_then(|cycles| cycles.parse().ok());
        let expected = subject.expected(&message(length));
        let expected: String = expected.iter().map(|byte| format!("{byte:02x}")).collect();
        let (cycles, digest_ok) = (cycles?, results.next()? == expected);
        let (stalls, clock) = (outcome.stalls.clone(), clock.clone());
        Some(MeasuredMessage { length, cycles, digest_ok, memory, stalls, clock })
    });
    let all: Option<Vec<MeasuredMessage>> = measured.collect();
    all.ok_or_else(|| Error::Printed { text: outcome.text.clone() })
}

/// The sources of a library, beside a program that uses it.
fn library(
    machine: Machine,
    subject: &dyn Subject,
    cores: Cores,
    name: &str,
    program: &str,
) -> Result<Job, Error> {
    let about = About {
        title: "a primitive",
        standard: "its standard",
        warning: None,
        command: "manylane run",
        prefix: PREFIX,
        hash_prefix: subject.hash_prefix(),
        measured: None,
    };
    let options = Options { cores, ..Options::default() };
    let folder = subject.library(&about, &options)?;
    let is_source = |path: &str| {
        let of_library = folder.library.iter().any(|source| source == path);
        of_library || path.starts_with("include/")
    };
    // On Ibex a branch to an instruction that lies across two words takes a clock more: a function
    // must not be faster or slower by where the linker puts it.
    let mut job = Job::of(name, program).flag("-falign-functions=4");
    if machine.is_in_order() {
        job = job.flag("-DMANYLANE_IN_ORDER=1");
    }
    for (path, text) in folder.files.iter().filter(|(path, _)| is_source(path)) {
        // Headers lie beside the sources.
        let name = path.rsplit('/').next().unwrap_or(path);
        job = job.file(name, text);
    }
    Ok(job)
}

/// The times of the shares of a message, each run alone.
#[derive(Clone, Copy, Debug)]
pub struct Shares {
    /// Cycles of the main core's share.
    pub main: u32,
    /// Cycles of the second core's jobs.
    pub second: u32,
    /// How many jobs there are.
    pub jobs: u32,
}

/// The latencies of jobs and hand-overs, in cycles.
#[derive(Clone, Copy, Debug)]
pub struct Latencies {
    /// From the moment when a job was given until the second core begins it.
    pub start: f64,
    /// From the end of a job until the main core knows of it.
    pub finish: f64,
    /// The part of a hand-over to a waiting core that neither core spends on sending or receiving.
    pub latency: f64,
}

/// The shares of messages, each alone.
pub struct SingleMessages {
    /// The shares of each message.
    pub shares: Vec<Shares>,
    /// The latencies between the cores.
    pub latencies: Latencies,
    /// The run, in which accesses to flags were watched during the last message.
    pub outcome: Outcome,
}

/// The program that runs shares alone.
const SHARES: &str = include_str!("shares.c");

/// The declarations of that program that the library's sources use.
const ALONE: &str = "#include <stdint.h>\n\
                     int share_alone(void *argument);\n\
                     extern volatile int32_t share_ahead;\n";

/// Jobs whose times the program adds up.
const EMPTY_JOBS: f64 = 16.0;

/// Compiles a library for two cores, and runs its shares of messages of these lengths alone.
///
/// # Errors
/// As [`measure`].
pub fn measure_shares(
    machine: Machine,
    subject: &dyn Subject,
    lengths: &[usize],
) -> Result<SingleMessages, Error> {
    let most = lengths.iter().max().copied().unwrap_or(0) + 1;
    let list: Vec<String> = lengths.iter().map(|length| format!("{length}u")).collect();
    let Calls { state, before, measured, result_bytes, .. } = subject.calls(Cores::Two);
    let macro_of =
        |name: &str, text: &str| format!("#define {name} {}\n", text.replace('\n', " \\\n"));
    let calls = format!("{state}\n#define RESULT_BYTES {result_bytes}\n")
        + &macro_of("BEFORE", &before)
        + &macro_of("MEASURED", &measured);
    let mut job = library(machine, subject, Cores::Two, "shares.c", SHARES)?
        .file("calls.h", &calls)
        .file("alone.h", ALONE)
        .flag("-include")
        .flag("alone.h")
        .flag(&format!("-DLENGTHS={}", list.join(",")))
        .flag(&format!("-DMOST={most}"))
        .flag("-DMANYLANE_START(s,w,a)=(manylane_start((s),(w),(a))&&share_alone(s))")
        // A core that has cached the other core's progress loads the flag nevertheless, so that the
        // access is observed. The compiler does not know the loaded value, so the rest of the code
        // is that of a normal run.
        .flag("-DMANYLANE_THERE(f,b)=share_ahead")
        .flag(
            "-DMANYLANE_REACH(t,f,b,n)=((void)MANYLANE_LOAD(f),\
             MANYLANE_LIKELY((t)>=(int32_t)(n))||\
             (MANYLANE_WAIT((f),(b)+(n))&&((t)=MANYLANE_THERE(f,b),1)))",
        )
        .flag("-DMANYLANE_PAST(f)=((void)MANYLANE_LOAD(f))")
        // Where each hand-over has a flag of its own, the flag never has the number of a call that
        // has not been made.
        .flag(
            "-DMANYLANE_MEET(f,c)=(MANYLANE_LIKELY(MANYLANE_LOAD(f)!=(c))||\
             manylane_look_for((f),(c)))",
        );
    if let Some(flags) = subject.flags() {
        job = job.flag(&format!("-DFLAGS={flags}"));
    }
    let outcome = machine.build(&job)?.run(&Run::default())?;
    let [main, second, jobs] = ["main", "second", "jobs"]
        .map(|name| outcome.lines(name).flat_map(str::parse::<u32>).collect::<Vec<_>>());
    if [&main, &second, &jobs].iter().any(|of| of.len() != lengths.len()) {
        return Err(Error::Printed { text: outcome.text });
    }
    let shares = main.into_iter().zip(second).zip(jobs);
    let shares = shares.map(|((main, second), jobs)| Shares { main, second, jobs }).collect();
    let of_jobs = |name| Ok::<_, Error>(outcome.number(name)? as f64 / EMPTY_JOBS);
    let latency = of_jobs("seen")? - of_jobs("here")?;
    let latencies = Latencies { start: of_jobs("start")?, finish: of_jobs("finish")?, latency };
    Ok(SingleMessages { shares, latencies, outcome })
}

/// The text of the program. The first message is computed twice, and measured the second time: the
/// second core is then awake.
fn program(calls: &Calls, cores: Cores, lengths: &[usize]) -> String {
    let most = lengths.iter().max().copied().unwrap_or(0) + 1;
    let list: Vec<String> = lengths.iter().map(|length| format!("{length}u")).collect();
    let (list, count) = (list.join(", "), lengths.len());
    let (prepare, end, pair) = match cores {
        Cores::One => ("", "", ""),
        Cores::Two => (
            "    manylane_second_init(&second);\n    measured_pair_init(&pair, &second);\n    \
             board_start(serve, &second);\n    while (!MANYLANE_LOAD(&second.serves)) {\n        \
             board_pause();\n    }\n",
            "    manylane_stop(&second);\n    board_join();\n",
            "static manylane_second second;\nstatic measured_pair pair;\n\
             static void serve(void *argument)\n{\n    \
             manylane_serve((manylane_second *)argument);\n}\n",
        ),
    };
    let Calls { state, before, measured, after, result_bytes } = calls;
    format!(
        "#include \"board.h\"\n#include \"{PREFIX}.h\"\n\
         static union {{ uint64_t aligned; uint8_t bytes[{most}]; }} message;\n{state}\n{pair}\
         int main(void)\n{{\n    static const uint32_t lengths[{count}] = {{ {list} }};\n    \
         uint8_t result[{result_bytes}];\n    uint32_t i, k, from, turn, took = 0;\n    \
         for (k = 0; k < sizeof message.bytes; k++) {{\n        \
         message.bytes[k] = (uint8_t)(131u * k + k / 256u + 1u);\n    }}\n{prepare}    \
         if (board_clock()[0] != 0) {{\n        board_print(\"clock \");\n        \
         board_print(board_clock());\n        \
         board_put('\\n');\n    }}\n    \
         for (i = 0; i < {count}u; i++) {{\n        const uint32_t length = lengths[i];\n        \
         for (turn = i == 0u ? 0u : 1u; turn < 2u; turn++) {{\n        {before}\n        \
         from = board_own_cycles();\n        {measured}\n        \
         took = board_own_cycles() - from;\n        {after}\n        }}\n        \
         board_report(\"cycles\", took);\n        \
         board_report_bytes(\"result\", result, sizeof result);\n    }}\n{end}    return 0;\n}}\n"
    )
}
