//! Two cores: as threads, with delays, a second core that is late, busy or absent; and the ports
//! beside stand-ins of the systems that they are for.

use crate::compile::{STRICT, Written, driver, has};
use crate::for_each;
use crate::subject::{of_hash, of_programs, of_rc5, prefix};
use manylane_emit::c::{Cores, Folder, Options, Programs};
use manylane_graph::framing::stream;
use manylane_graph::trace::literal_compression;
use manylane_plan::Platform;
use manylane_plan::program::shape::{Shape, two};

fn duo(name: &str) -> Folder {
    let options = Options { cores: Cores::Two, ..Options::default() };
    of_hash(name.parse().unwrap(), false, &options).unwrap()
}

/// Builds the driver of a hash and runs it; the jobs that the second core took.
fn jobs(written: &Written, name: &str, flags: &[&str]) -> u32 {
    jobs_of(written, "pair_driver.c", name, name, flags)
}

/// The same of any driver.
fn jobs_of(written: &Written, program: &str, p: &str, m: &str, flags: &[&str]) -> u32 {
    written.add("driver.c", &driver(program, p, m));
    written.add("delays.h", include_str!("delays.h"));
    let all = [&STRICT[..], &["-pthread", "-I."], flags].concat();
    // The driver contains the source, whose hooks it defines.
    let said = written.build_and_run("gcc", &all, &["driver.c".to_owned()]);
    said.split_whitespace().next().unwrap().parse().unwrap()
}

/// A share with many hand-overs has its waits in line: a call would empty its registers each time.
#[test]
fn waits_are_in_line() {
    if !has("gcc") {
        return;
    }
    let written = Written::new(&divided("blake256"));
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
        let taken = jobs(&written, name, &["-O1", "-DRUNS=60", "-DDELAYS=2"]);
        assert!(taken > 20, "{name}: {taken}");
    }
}

/// One hash of each way to divide a block: a schedule beside the rounds, of words of both widths,
/// lines of rounds, columns, permutations, halves of a state, injections.
const SPLITS: [&str; 7] =
    ["sha256", "sha512", "ripemd160", "blake256", "groestl256", "jh256", "skein512"];

/// A library for two cores whose handshakes cost next to nothing, so that every hash is divided.
fn divided(name: &str) -> Folder {
    let algorithm = name.parse().unwrap();
    let one = Shape::default().one(&literal_compression(algorithm));
    let order = stream(algorithm).unwrap().framing.order;
    let pair = two(&one, order, &Platform::load("unit").unwrap()).unwrap();
    assert_eq!(pair.processors, 2, "{name}");
    let options = Options { cores: Cores::Two, ..Options::default() };
    of_programs(algorithm, Programs { one: &one, two: Some(&pair) }, false, &options).unwrap()
}

/// As [`two_threads_compute_what_one_does`], with ten thousand messages, and hundreds for each
/// other split, both in time and late.
#[test]
#[ignore = "minutes"]
fn ten_thousand_runs_with_delays() {
    for name in SPLITS {
        let written = Written::new(&divided(name));
        let runs = if name == SPLITS[0] { "-DRUNS=10000" } else { "-DRUNS=300" };
        let taken = jobs(&written, name, &["-O2", runs, "-DDELAYS=1"]);
        assert!(taken > 100, "{name}: {taken}");
        jobs(&written, name, &["-O2", runs, "-DDELAYS=50", "-DMANYLANE_LIMIT=3u"]);
    }
}

/// The thread sanitizer sees no race in any split, neither in time nor late.
#[test]
#[ignore = "minutes"]
fn no_race_in_any_split() {
    for name in SPLITS {
        let written = Written::new(&divided(name));
        let flags = ["-O1", "-fsanitize=thread", "-DRUNS=60", "-DDELAYS=20"];
        assert!(jobs(&written, name, &flags) > 10, "{name}");
        jobs(&written, name, &[&flags[..], &["-DMANYLANE_LIMIT=2u"]].concat());
    }
}

/// The thread sanitizer sees no race, neither in time nor when waits give up almost at once.
#[test]
fn no_race_in_time_or_late() {
    if !has("gcc") {
        return;
    }
    let written = Written::new(&duo("sha256"));
    let [in_time, late] = DELAYS.map(|flags| jobs(&written, "sha256", flags));
    assert!(in_time > 10 && late > 0, "{in_time}, {late}");
}

/// The flags under which a second core is in time, and late; how often something is computed.
const DELAYS: [&[&str]; 2] = [
    &["-O1", "-fsanitize=thread", "-DRUNS=40", "-DDELAYS=20"],
    &["-O1", "-fsanitize=thread", "-DRUNS=40", "-DDELAYS=20", "-DMANYLANE_LIMIT=2u"],
];

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
        let [in_time, late] =
            DELAYS.map(|flags| jobs_of(&written, "hmac_pair_driver.c", name, &m, flags));
        assert!(in_time > 40 && late > 0, "{name}: {in_time}, {late}");
    });
    let algorithm = "sha3-256".parse().unwrap();
    let one = Shape::default().one(&literal_compression(algorithm));
    let programs = Programs { one: &one, two: None };
    let folder = of_programs(algorithm, programs, true, &options).unwrap();
    let written = Written::new(&folder);
    let taken = jobs_of(&written, "hmac_pair_driver.c", "sha3_256", "hmac_sha3_256", DELAYS[0]);
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
    for_each(&["rc5-32/12/16", "rc5-8/0/5", "rc5-64/2/255", "rc5-16/3/0"], |name| {
        let written = Written::new(&of_rc5(name, &options).unwrap());
        let p = prefix(name);
        let [in_time, late] =
            DELAYS.map(|flags| jobs_of(&written, "cipher_pair_driver.c", &p, &p, flags));
        assert!(in_time > 40 && late > 0, "{name}: {in_time}, {late}");
    });
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

/// With one core's flag and nothing else a thread of the driver serves.
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
    let sources = [crate::sources(&folder), vec!["driver.c".to_owned()]].concat();
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
