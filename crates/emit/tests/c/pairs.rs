//! Two cores: as threads, with delays, a second core that is late, busy or absent; and the ports
//! beside stand-ins of the systems that they are for.

use crate::compile::{STRICT, Written, driver, has};
use crate::subject::{
    CIPHERS, divided, is_first_of_its_kind, of_hash, of_programs, of_rc5, of_rc5_on, of_rc5_shaped,
    prefix,
};
use crate::{for_each, sources};
use manylane_emit::c::{Cores, Folder, Options, Programs};
use manylane_graph::trace::literal_compression;
use manylane_plan::program::shape::Shape;
use manylane_primitives::catalog::{Algorithm, HashId};
use std::process::Command;
use std::time::Instant;

fn duo(name: &str) -> Folder {
    let options = Options { cores: Cores::Two, ..Options::default() };
    of_hash(name.parse().unwrap(), false, &options).unwrap()
}

/// The arguments of a driver's run.
#[derive(Clone, Copy, Debug)]
struct Delayed {
    /// How many messages are hashed.
    runs: u32,
    /// How many of 1024 delays are long.
    long: u32,
    /// The turns of a wait, after which the main core computes alone.
    most_turns: u32,
    /// The seed of delays and of a second core that seems to be busy.
    seed: u32,
}

/// A second core that is in time.
const IN_TIME: Delayed = Delayed { runs: 40, long: 20, most_turns: 1_000_000, seed: 1 };
/// One that mostly is late.
const LATE: Delayed = Delayed { most_turns: 2, ..IN_TIME };

/// A driver of a folder for two cores, compiled.
struct Driver<'w> {
    written: &'w Written,
    what: String,
}

impl<'w> Driver<'w> {
    /// Compiles the driver of a hash.
    fn of_hash(written: &'w Written, name: &str, flags: &[&str]) -> Self {
        Self::new(written, "pair_driver.c", name, name, flags)
    }

    /// Compiles a driver, which contains the source whose hooks it defines.
    fn new(written: &'w Written, program: &str, p: &str, m: &str, flags: &[&str]) -> Self {
        written.add("driver.c", &driver(program, p, m));
        written.add("delays.h", include_str!("delays.h"));
        let last = ["-pthread", "-I.", "-Iinclude", "driver.c", "-o", "program"];
        written.run("gcc", &[&STRICT[..], flags, &last].concat());
        Self { written, what: format!("{program} of {m}, {flags:?}") }
    }

    /// Runs it; the jobs that the second core took.
    fn jobs(&self, with: Delayed) -> u32 {
        let Delayed { runs, long, most_turns, seed } = with;
        let args = [runs, long, most_turns, seed].map(|number| number.to_string());
        let ran = Command::new(self.written.path("program")).args(args).output().unwrap();
        let said = String::from_utf8_lossy(&ran.stdout);
        let jobs = said.split_whitespace().next().and_then(|jobs| jobs.parse().ok());
        jobs.filter(|_| ran.status.success()).unwrap_or_else(|| {
            let errors = String::from_utf8_lossy(&ran.stderr);
            panic!("{}, {with:?}: {}\n{said}\n{errors}", self.what, ran.status)
        })
    }
}

/// A share with many hand-overs has its waits in line: a call would empty its registers each time.
#[test]
fn waits_are_in_line() {
    if !has("gcc") {
        return;
    }
    let written = Written::new(&divided("blake256".parse().unwrap(), false, "unit"));
    written.run("gcc", &["-std=c99", "-O2", "-S", "-Iinclude", "src/blake256.c", "-o", "out.s"]);
    let text = std::fs::read_to_string(written.path("out.s")).unwrap();
    assert!(text.contains("blake256_compress_main"));
    for function in ["manylane_has", "manylane_look"] {
        assert!(!text.contains(function), "{function}");
    }
}

/// Whatever the delays, digests are those of one core, and the second one has most of the blocks.
#[test]
fn two_threads_compute_what_one_does() {
    if !has("gcc") {
        return;
    }
    for name in ["ripemd160", "sha512", "jh256", "blake256"] {
        let written = Written::new(&duo(name));
        let driver = Driver::of_hash(&written, name, &["-O1"]);
        let taken = driver.jobs(Delayed { runs: 60, long: 2, ..IN_TIME });
        assert!(taken > 20, "{name}: {taken}");
    }
}

/// As [`two_threads_compute_what_one_does`]: ten thousand messages of every compression and a
/// thousand of each further hash that has it, half of them with delays that are seldom, half with
/// many and waits that give up at once. A failure prints the arguments of the run, its seed among
/// them.
#[test]
#[ignore = "ten minutes: `make test-simulators`"]
fn ten_thousand_runs_with_delays() {
    for &id in HashId::ALL {
        let (algorithm, begun) = (Algorithm::from(id), Instant::now());
        let written = Written::new(&divided(algorithm, false, "unit"));
        let name = prefix(&algorithm.to_string());
        let driver = Driver::of_hash(&written, &name, &["-O1"]);
        for seed in [0x1000_0001, 0x2000_0001, 0x3000_0001, 0x4000_0001] {
            let runs = if is_first_of_its_kind(id) { 1250 } else { 125 };
            let seldom = Delayed { runs, long: 1, seed, ..IN_TIME };
            let taken = driver.jobs(seldom);
            assert!(taken > runs / 4, "{name}, {seldom:?}: {taken}");
            driver.jobs(Delayed { long: 50, most_turns: 3, seed: seed + 100, ..seldom });
        }
        eprintln!("{name} with delays: {:.1} s", begun.elapsed().as_secs_f64());
    }
}

/// The thread sanitizer sees no race in any folder, neither in time nor late: hashes, HMAC with
/// each, RC5.
#[test]
#[ignore = "minutes: `make test-simulators`"]
fn no_race_in_any_folder() {
    every_folder(&RACES);
}

/// Reads out of bounds, unaligned accesses and overflows are not in folders for two cores: HMAC
/// with its hash, RC5 with whole words and with limbs.
#[test]
fn sanitizers_find_nothing_on_two_cores() {
    if !has("gcc") {
        return;
    }
    let options = Options { cores: Cores::Two, ..Options::default() };
    let limbs = Shape { unroll: Some(1), word: Some(16), ..Shape::default() };
    let of_limbs = of_rc5_shaped("rc5-32/4/8", &options, "ibex-duo", limbs).unwrap();
    let folders = [
        ("hmac", "ripemd160", of_hash("ripemd160".parse().unwrap(), true, &options).unwrap()),
        ("cipher", "rc5_32_12_16", of_rc5("rc5-32/12/16", &options).unwrap()),
        ("cipher", "rc5_32_4_8", of_limbs),
    ];
    for_each(&folders, |(kind, p, folder)| {
        let written = Written::new(folder);
        let m = if *kind == "hmac" { format!("hmac_{p}") } else { p.to_string() };
        let driver = Driver::new(&written, &format!("{kind}_pair_driver.c"), p, &m, &BOUNDS);
        assert!(driver.jobs(IN_TIME) > 40);
        driver.jobs(LATE);
    });
}

/// Sanitizers find nothing in any folder: hashes, HMAC with each, RC5.
#[test]
#[ignore = "minutes: `make test-simulators`"]
fn sanitizers_find_nothing_in_any_folder() {
    every_folder(&BOUNDS);
}

/// Runs the driver of every folder for two cores under a sanitizer, in time and late.
fn every_folder(flags: &[&str]) {
    let all: Vec<Algorithm> = HashId::ALL.iter().map(|&id| id.into()).collect();
    let run = |written: &Written, program: &str, p: &str, m: &str| {
        let driver = Driver::new(written, program, p, m, flags);
        let taken = driver.jobs(IN_TIME);
        assert!(taken > 10, "{m}: {taken}");
        driver.jobs(LATE);
    };
    for_each(&all, |&algorithm| {
        let begun = Instant::now();
        let name = prefix(&algorithm.to_string());
        let written = Written::new(&divided(algorithm, true, "unit"));
        run(&written, "pair_driver.c", &name, &name);
        run(&written, "hmac_pair_driver.c", &name, &format!("hmac_{name}"));
        eprintln!("{name}: {flags:?} in {:.1} s", begun.elapsed().as_secs_f64());
    });
    let options = Options { cores: Cores::Two, ..Options::default() };
    for_each(&CIPHERS, |name| {
        let written = Written::new(&of_rc5_on(name, &options, "unit").unwrap());
        run(&written, "cipher_pair_driver.c", &prefix(name), &prefix(name));
    });
}

/// A race that is put into a folder is found: the second core's values are used before they are
/// there.
#[test]
#[ignore = "part of `make test-simulators`"]
fn a_race_is_found() {
    let written = Written::new(&divided("sha256".parse().unwrap(), false, "unit"));
    let port = std::fs::read_to_string(written.path("include/manylane_port.h")).unwrap();
    assert!(port.contains("__ATOMIC_ACQUIRE"));
    let relaxed = port.replace("__ATOMIC_ACQUIRE", "__ATOMIC_RELAXED");
    written.add("include/manylane_port.h", &relaxed);
    let _compiled = Driver::of_hash(&written, "sha256", &RACES);
    let mut program = Command::new(written.path("program"));
    let ran = program.args(["40", "20", "1000000", "1"]).output().unwrap();
    let said = String::from_utf8_lossy(&ran.stderr);
    assert!(!ran.status.success() && said.contains("data race"), "{said}");
}

/// The thread sanitizer sees no race, neither in time nor when waits give up almost at once.
#[test]
fn no_race_in_time_or_late() {
    if !has("gcc") {
        return;
    }
    let written = Written::new(&duo("sha256"));
    let driver = Driver::of_hash(&written, "sha256", &RACES);
    let [in_time, late] = [IN_TIME, LATE].map(|with| driver.jobs(with));
    assert!(in_time > 10 && late > 0, "{in_time}, {late}");
}

/// Where the second core is a block ahead, a chaining value of few words may stay in variables from
/// block to block, as on RISC-V, and the main core does not ask whether a slot is free: words are
/// right and free of races, also after a job that is given up.
#[test]
fn a_chaining_value_may_be_kept() {
    if !has("gcc") {
        return;
    }
    let written = Written::new(&duo("sha1"));
    let source = std::fs::read_to_string(written.path("src/sha1.c")).unwrap();
    assert!(source.contains("#if MANYLANE_KEEPS") && source.contains("MANYLANE_PAST("));
    let driver = Driver::of_hash(&written, "sha1", &[&RACES[..], &["-DMANYLANE_KEEPS=1"]].concat());
    let [in_time, late] = [IN_TIME, LATE].map(|with| driver.jobs(with));
    assert!(in_time > 10 && late > 0, "{in_time}, {late}");
}

/// The flags under which races are found.
const RACES: [&str; 2] = ["-O1", "-fsanitize=thread"];
/// The flags under which accesses out of bounds are found.
const BOUNDS: [&str; 3] = ["-O1", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"];

/// HMAC on two cores is that on one: of a hash that has a share for a second core, of one that has
/// none, and of one that holds its last block.
#[test]
fn macs_on_two_cores_are_those_on_one() {
    if !has("gcc") {
        return;
    }
    let options = Options { cores: Cores::Two, ..Options::default() };
    for_each(&["sha256", "skein256"], |name| {
        let written = Written::new(&of_hash(name.parse().unwrap(), true, &options).unwrap());
        let m = format!("hmac_{name}");
        let driver = Driver::new(&written, "hmac_pair_driver.c", name, &m, &RACES);
        let [in_time, late] = [IN_TIME, LATE].map(|with| driver.jobs(with));
        assert!(in_time > 40 && late > 0, "{name}: {in_time}, {late}");
    });
    let algorithm = "sha3-256".parse().unwrap();
    let one = Shape::default().one(&literal_compression(algorithm));
    let programs = Programs { one: &one, two: None };
    let folder = of_programs(algorithm, programs, true, &options).unwrap();
    let written = Written::new(&folder);
    let (p, m) = ("sha3_256", "hmac_sha3_256");
    let taken = Driver::new(&written, "hmac_pair_driver.c", p, m, &RACES).jobs(IN_TIME);
    assert!(taken > 40, "{taken}");
}

/// RC5 on two cores, keys and modes, is that on one: with words of each kind, without rounds, with
/// a key that is longer than its table.
#[test]
fn ciphers_on_two_cores_are_those_on_one() {
    if !has("gcc") {
        return;
    }
    let options = Options { cores: Cores::Two, ..Options::default() };
    for_each(&CIPHERS[..4], |name| {
        let written = Written::new(&of_rc5(name, &options).unwrap());
        let p = prefix(name);
        let driver = Driver::new(&written, "cipher_pair_driver.c", &p, &p, &RACES);
        let [in_time, late] = [IN_TIME, LATE].map(|with| driver.jobs(with));
        assert!(in_time > 40 && late > 0, "{name}: {in_time}, {late}");
    });
}

/// The folder's own program tests one core and two: of a hash, of HMAC with a share of the hash and
/// without, of RC5. Without threads it says what was not tested.
#[test]
fn the_program_for_the_pc_tests_two_cores() {
    if !has("gcc") {
        return;
    }
    let options = Options { cores: Cores::Two, ..Options::default() };
    let alone = {
        let algorithm = "sha3-256".parse().unwrap();
        let one = Shape::default().one(&literal_compression(algorithm));
        of_programs(algorithm, Programs { one: &one, two: None }, true, &options).unwrap()
    };
    let folders = [
        ("ripemd160", duo("ripemd160")),
        ("sha256", duo("sha256")),
        ("blake256", duo("blake256")),
        ("hmac_sha256", of_hash("sha256".parse().unwrap(), true, &options).unwrap()),
        ("hmac_sha3_256", alone),
        ("rc5_32_2_8", of_rc5("rc5-32/2/8", &options).unwrap()),
    ];
    for_each(&folders, |(name, folder)| {
        let written = Written::new(folder);
        let sources = [sources(folder), vec!["examples/pc/main.c".to_owned()]].concat();
        let flags = [&STRICT[..], &["-pthread", "-DMANYLANE_PORT_PTHREADS"]].concat();
        let said = written.build_and_run("gcc", &flags, &sources);
        let answers = folder.answers;
        let all = format!("{name}: {answers} known answers, all right on one core");
        assert_eq!(said, format!("{all} and on two\n"));
        for level in ["-O0", "-Os"] {
            let said = written.build_and_run("gcc", &[&STRICT[..], &[level]].concat(), &sources);
            assert!(said.starts_with(&format!("{all}; two are tested with -D")), "{said}");
        }
    });
}

/// A fault that only two cores have is found by the folder's own program.
#[test]
fn the_program_for_the_pc_finds_what_is_wrong_on_two_cores() {
    if !has("gcc") {
        return;
    }
    let folder = duo("ripemd160");
    let written = Written::new(&folder);
    let right = std::fs::read_to_string(written.path("src/ripemd160.c")).unwrap();
    let (done, spoilt) = ("    job->left--;\n", "    job->left--;\n    h[0] ^= 1u;\n");
    assert_eq!(right.matches(done).count(), 1, "the end of a block on two cores");
    written.add("src/ripemd160.c", &right.replace(done, spoilt));
    let sources = [sources(&folder), vec!["examples/pc/main.c".to_owned()]].concat();
    let sources: Vec<&str> = sources.iter().map(|source| &source[..]).collect();
    let flags = ["-pthread", "-DMANYLANE_PORT_PTHREADS", "-Iinclude", "-o", "program"];
    written.run("gcc", &[&flags[..], &sources].concat());
    let ran = Command::new(written.path("program")).output().unwrap();
    let said = String::from_utf8_lossy(&ran.stderr);
    assert_eq!(ran.status.code(), Some(1), "{said}");
    assert_eq!(said, "ripemd160: on two cores known answer 1 is not what was computed\n");
}

/// A hash whose every step waits for the chaining value has nothing for a second core.
#[test]
fn nothing_for_a_second_core_is_an_error() {
    let options = Options { cores: Cores::Two, ..Options::default() };
    let algorithm = "sha3-256".parse().unwrap();
    let one = Shape::default().one(&literal_compression(algorithm));
    let made = of_programs(algorithm, Programs { one: &one, two: None }, false, &options);
    let error = made.map(|_| ()).unwrap_err().to_string();
    assert!(error.contains("sha3-256.compression --cores 2"), "{error}");
    assert!(error.contains("take --cores 1"), "{error}");
}

/// Stand-ins for the functions that the ports of other systems call, made with threads.
const STAND_INS: [(&str, &str, &str); 3] = [
    (
        "PICO",
        "manylane_begin(&second)",
        "pico/multicore.h=
#include \"on_stack.h\"
#include <sched.h>
static uint32_t fifo;
static void *entered(void *entry) { (*(void (**)(void))entry)(); return 0; }
static void (*core1)(void);
static pthread_t thread;
static inline void multicore_launch_core1_with_stack(void (*entry)(void), uint32_t *stack,
    size_t stack_bytes)
{ if (((uintptr_t)stack & 7) != 0) abort();
  core1 = entry; thread = thread_on(stack, stack_bytes, entered, &core1); }
static uintptr_t stand_in;
static inline void multicore_fifo_push_blocking(uint32_t value)
{ __atomic_store_n(&fifo, value, __ATOMIC_RELEASE); }
static inline uint32_t multicore_fifo_pop_blocking(void)
{ while (__atomic_load_n(&fifo, __ATOMIC_ACQUIRE) == 0) sched_yield();
  return __atomic_load_n(&fifo, __ATOMIC_ACQUIRE); }
static inline void finish(void) { (void)stand_in; (void)pthread_join(thread, 0); }
--hardware/sync.h=
#include <sched.h>
static inline void __sev(void) {}
static inline void __wfe(void) { sched_yield(); }
--pico/platform.h=
#define __not_in_flash_func(name) name
#define __not_in_flash(group)
static inline void tight_loop_contents(void) { sched_yield(); }
",
    ),
    (
        "ESP_IDF",
        "manylane_begin(&second, 1)",
        "esp_attr.h=
#define IRAM_ATTR
#define DRAM_ATTR
--freertos/FreeRTOS.h=
typedef uint8_t StackType_t;
#include \"tasks.h\"
--freertos/task.h=
",
    ),
    (
        "FREERTOS",
        "manylane_begin(&second, 1)",
        "FreeRTOS.h=
typedef uint32_t StackType_t;
#include \"tasks.h\"
--task.h=
",
    ),
];

/// A thread whose stack is where, and as large as, a port says: the system refuses others.
const ON_STACK: &str = "
#include <pthread.h>
#include <stdlib.h>
static inline pthread_t thread_on(void *stack, size_t bytes, void *(*code)(void *), void *argument)
{ pthread_t thread; pthread_attr_t about;
  if (bytes != MANYLANE_STACK) abort();
  if (pthread_attr_init(&about) != 0 || pthread_attr_setstack(&about, stack, bytes) != 0
      || pthread_create(&thread, &about, code, argument) != 0) abort();
  return thread; }
";

/// Tasks of FreeRTOS by threads. ESP-IDF counts stacks in bytes, FreeRTOS in `StackType_t`.
const TASKS: &str = "
#include \"on_stack.h\"
#include <stddef.h>
#include <stdint.h>
typedef struct { pthread_t thread; pthread_mutex_t mutex; pthread_cond_t wake; unsigned notified;
    void (*code)(void *); void *argument; } StaticTask_t;
typedef StaticTask_t *TaskHandle_t;
typedef unsigned long UBaseType_t;
#define pdTRUE 1
#define portMAX_DELAY 0xffffffffu
static StaticTask_t *the_task;
static void *entered(void *task)
{ ((StaticTask_t *)task)->code(((StaticTask_t *)task)->argument); return 0; }
static inline TaskHandle_t made(void (*code)(void *), void *argument, StackType_t *stack,
    size_t stack_bytes, StaticTask_t *task)
{ task->code = code; task->argument = argument; task->notified = 0; the_task = task;
  (void)pthread_mutex_init(&task->mutex, 0); (void)pthread_cond_init(&task->wake, 0);
  task->thread = thread_on(stack, stack_bytes, entered, task); return task; }
static inline TaskHandle_t xTaskCreateStaticPinnedToCore(void (*code)(void *), const char *name,
    size_t stack_bytes, void *argument, unsigned priority, StackType_t *stack,
    StaticTask_t *task, int core)
{ (void)name; (void)priority; (void)core;
  return made(code, argument, stack, stack_bytes, task); }
static inline TaskHandle_t xTaskCreateStaticAffinitySet(void (*code)(void *), const char *name,
    size_t stack_words, void *argument, unsigned priority, StackType_t *stack,
    StaticTask_t *task, UBaseType_t cores)
{ (void)name; (void)priority; (void)cores;
  return made(code, argument, stack, stack_words * sizeof *stack, task); }
static inline int xTaskNotifyGive(TaskHandle_t task)
{ (void)pthread_mutex_lock(&task->mutex); task->notified++; (void)pthread_cond_signal(&task->wake);
  (void)pthread_mutex_unlock(&task->mutex); return 1; }
static inline unsigned ulTaskNotifyTake(int clear, unsigned ticks)
{ unsigned n; (void)clear; (void)ticks; (void)pthread_mutex_lock(&the_task->mutex);
  while (the_task->notified == 0) (void)pthread_cond_wait(&the_task->wake, &the_task->mutex);
  n = the_task->notified; the_task->notified = 0;
  (void)pthread_mutex_unlock(&the_task->mutex); return n; }
static inline void vTaskDelete(TaskHandle_t task) { (void)task; }
static inline void finish(void) { (void)pthread_join(the_task->thread, 0); }
";

/// Each port starts its second core, hashes with it, and stops it.
#[test]
fn ports_of_other_systems_work_with_stand_ins() {
    if !has("gcc") {
        return;
    }
    let folder = duo("sha256");
    for (port, begin, headers) in STAND_INS {
        let written = Written::new(&folder);
        written.add("stand-ins/tasks.h", TASKS);
        written.add("stand-ins/on_stack.h", ON_STACK);
        for header in headers.split("--") {
            let (name, text) = header.split_once("=\n").unwrap();
            written.add(
                &format!("stand-ins/{name}"),
                &format!("#pragma once\n#include <stdint.h>\n{text}"),
            );
        }
        written.add(
            "driver.c",
            &format!(
                "#include \"sha256.h\"\n\
                 static manylane_second second;\nstatic sha256_pair pair;\n\
                 int main(void)\n{{\n\
                 \x20   if (!{begin}) return 1;\n\
                 \x20   while (MANYLANE_LOAD(&second.serves) == 0) MANYLANE_PAUSE();\n\
                 \x20   sha256_pair_init(&pair, &second);\n\
                 \x20   if (sha256_self_test_pair(&pair) != 0) return 2;\n\
                 \x20   if (second.asked < 10) return 3;\n\
                 \x20   manylane_stop(&second);\n    finish();\n\
                 \x20   return sha256_pair_wipe(&pair) ? 0 : 4;\n}}\n"
            ),
        );
        // One source, for the stand-ins have state.
        written.add(
            "all.c",
            "#include \"src/sha256.c\"\n#include \"src/sha256_selftest.c\"\n#include \
             \"driver.c\"\n",
        );
        let define = format!("-DMANYLANE_PORT_{port}");
        // The address of the FIFO has 32 bits.
        let flags = [
            "-std=gnu99",
            "-Wall",
            "-Wextra",
            "-Werror",
            "-Wno-unused-function",
            "-pthread",
            "-no-pie",
            "-Istand-ins",
            "-I.",
            // Threads of a PC need more than a microcontroller's.
            "-DMANYLANE_STACK=262144",
            &define,
        ];
        written.build_and_run("gcc", &flags, &["all.c".to_owned()]);
    }
}

/// With `MANYLANE_PORT_BARE` and no other definition of a port, a thread of the driver serves as
/// the second core.
#[test]
fn the_bare_flag_needs_nothing_else() {
    if !has("gcc") {
        return;
    }
    let folder = duo("sha256");
    let written = Written::new(&folder);
    written.add(
        "driver.c",
        "#include \"sha256.h\"\n#include <pthread.h>\n\
         static manylane_second second;\nstatic sha256_pair pair;\n\
         static void *core1(void *argument) \
         { manylane_serve((manylane_second *)argument); return NULL; }\n\
         int main(void)\n{\n    pthread_t thread;\n\
         \x20   manylane_second_init(&second);\n\
         \x20   if (pthread_create(&thread, NULL, core1, &second) != 0) return 1;\n\
         \x20   if (!manylane_look(&second.serves, 1u)) return 5;\n\
         \x20   sha256_pair_init(&pair, &second);\n\
         \x20   if (sha256_self_test_pair(&pair) != 0) return 2;\n\
         \x20   if (MANYLANE_LOAD(&second.asked) < 10) return 3;\n\
         \x20   manylane_stop(&second);\n\
         \x20   return pthread_join(thread, NULL);\n}\n",
    );
    let sources = [sources(&folder), vec!["driver.c".to_owned()]].concat();
    let limit = "-DMANYLANE_LIMIT=2000000000u";
    for standard in ["-std=c99", "-std=c11"] {
        let flags = [
            &STRICT[1..],
            &[standard, "-DMANYLANE_PORT_BARE", "-pthread", "-fsanitize=thread", limit],
        ]
        .concat();
        written.build_and_run("gcc", &flags, &sources);
    }
}
