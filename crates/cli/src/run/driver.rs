//! The program that measures a C library on a machine.

use crate::emit::HashPrograms;
use anyhow::Context;
use manylane_emit::c::{About, Cores, Options};
use manylane_graph::calls::digest;
use manylane_simulate::{Job, Machine, Run};

/// Bytes of the longest message: it lies in the memory of a microcontroller.
pub const MOST_BYTES: usize = 16 << 10;

/// What came of a message.
pub struct Measured {
    pub length: usize,
    /// Cycles of init, update and final; 0 where none are counted.
    pub cycles: u32,
    /// Whether the digest is that of the definition.
    pub digest_ok: bool,
}

/// The message of so many bytes. The program makes the same one.
fn message(length: usize) -> Vec<u8> {
    (0..length).map(|i| (131 * i + i / 256 + 1) as u8).collect()
}

/// The prefix of the library's names.
const PREFIX: &str = "measured";

/// Compiles the library of a hash for a machine, and runs it on messages of these lengths.
pub fn measure(
    machine: Machine,
    programs: &HashPrograms,
    cores: Cores,
    lengths: &[usize],
) -> anyhow::Result<Vec<Measured>> {
    let about = About {
        title: "a hash",
        standard: "its standard",
        warning: None,
        command: "manylane run",
        prefix: PREFIX,
        hash_prefix: PREFIX,
        measured: None,
    };
    let options = Options { cores, ..Options::default() };
    let folder = programs.folder(false, &about, &options)?;
    let is_source = |path: &str| {
        let of_library = folder.library.iter().any(|source| source == path);
        of_library || path.starts_with("include/")
    };
    let mut job = Job::of("main.c", &program(programs.digest_bytes(), cores, lengths));
    for (path, text) in folder.files.iter().filter(|(path, _)| is_source(path)) {
        // Headers lie beside the sources.
        let name = path.rsplit('/').next().unwrap_or(path);
        job = job.file(name, text);
    }
    let outcome = machine.build(&job)?.run(&Run::default())?;
    let mut cycles = outcome.lines("cycles");
    let mut digests = outcome.lines("digest");
    let measured = lengths.iter().map(|&length| {
        let cycles = cycles.next().and_then(|cycles| cycles.parse().ok());
        let expected = digest(programs.algorithm, &message(length));
        let expected: String = expected.iter().map(|byte| format!("{byte:02x}")).collect();
        Some(Measured { length, cycles: cycles?, digest_ok: digests.next()? == expected })
    });
    let all: Option<Vec<Measured>> = measured.collect();
    all.with_context(|| format!("the program printed something else:\n{}", outcome.text))
}

/// The text of the program. Every message is hashed twice, and measured the second time: the second core
/// is then awake.
fn program(digest_bytes: usize, cores: Cores, lengths: &[usize]) -> String {
    let most = lengths.iter().max().copied().unwrap_or(0) + 1;
    let list: Vec<String> = lengths.iter().map(|length| format!("{length}u")).collect();
    let (list, count) = (list.join(", "), lengths.len());
    let (begin, prepare, end, state) = match cores {
        Cores::One => (format!("{PREFIX}_init(&c);"), "", "", String::new()),
        Cores::Two => (
            format!("{PREFIX}_init_pair(&c, &pair);"),
            "    manylane_second_init(&second);\n    measured_pair_init(&pair, &second);\n    \
             board_start(serve, &second);\n    while (!MANYLANE_LOAD(&second.serves)) {\n        \
             board_pause();\n    }\n",
            "    manylane_stop(&second);\n    board_join();\n",
            format!(
                "static manylane_second second;\nstatic {PREFIX}_pair pair;\n\
                 static void serve(void *argument)\n{{\n    \
                 manylane_serve((manylane_second *)argument);\n}}\n"
            ),
        ),
    };
    format!(
        "#include \"board.h\"\n#include \"{PREFIX}.h\"\n\
         static union {{ uint64_t aligned; uint8_t bytes[{most}]; }} message;\n\
         static {PREFIX}_ctx c;\n{state}\
         int main(void)\n{{\n    static const uint32_t lengths[{count}] = {{ {list} }};\n    \
         uint8_t digest[{digest_bytes}];\n    uint32_t i, from, turn, took = 0;\n    \
         for (i = 0; i < sizeof message.bytes; i++) {{\n        \
         message.bytes[i] = (uint8_t)(131u * i + i / 256u + 1u);\n    }}\n{prepare}    \
         for (i = 0; i < {count}u; i++) {{\n        for (turn = 0; turn < 2; turn++) {{\n            \
         from = board_cycles();\n            {begin}\n            \
         {PREFIX}_update(&c, message.bytes, lengths[i]);\n            {PREFIX}_final(&c, digest);\n            \
         took = board_cycles() - from;\n        }}\n        board_report(\"cycles\", took);\n        \
         board_report_bytes(\"digest\", digest, sizeof digest);\n    }}\n{end}    return 0;\n}}\n"
    )
}
