//! The stack that a second core needs, by the compiler's own account.

use crate::compile::Written;
use crate::for_each;
use crate::surroundings::{STRING_H, hmac, is_there};
use manylane_emit::c::{Cores, Options};
use manylane_primitives::catalog::{Algorithm, HashId};
use std::collections::{HashMap, HashSet};

/// The stack that the ports give the second core is half as large again as what its jobs take, for
/// every hash with its HMAC. These are the figures of docs/c.md.
#[test]
#[ignore = "minutes: `make test-simulators`"]
fn the_jobs_of_every_hash_fit_the_stack() {
    let all: Vec<String> = HashId::ALL.iter().map(|&id| Algorithm::from(id).to_string()).collect();
    stacks_suffice(&all.iter().map(|name| &name[..]).collect::<Vec<_>>());
}

fn stacks_suffice(hashes: &[&str]) {
    let machines: [(&str, &[&str]); 2] = [
        ("arm-none-eabi-gcc", &["-mcpu=cortex-m0plus", "-mthumb"]),
        ("riscv64-unknown-elf-gcc", &["-march=rv32imc", "-mabi=ilp32"]),
    ];
    let duo = Options { cores: Cores::Two, ..Options::default() };
    for_each(hashes, |name| {
        let folder = hmac(name, &duo);
        let written = Written::new(&folder);
        written.add("libc/string.h", STRING_H);
        written.add(
            "src/served.c",
            "#include \"manylane_port.h\"\n\
             void served_worker(void *second);\n\
             void served_worker(void *second) { manylane_serve((manylane_second *)second); }\n",
        );
        for (compiler, machine) in machines {
            if !is_there(compiler) {
                continue;
            }
            for (level, most) in [("-O0", 24576), ("-Og", 6144), ("-O2", 6144), ("-Os", 6144)] {
                let mut calls = Calls::default();
                for source in folder.library.iter().map(String::as_str).chain(["src/served.c"]) {
                    let flags = [
                        level,
                        "-std=c99",
                        "-ffreestanding",
                        "-fcallgraph-info=su",
                        "-Iinclude",
                        "-Ilibc",
                        "-c",
                        source,
                        "-o",
                        "object.o",
                    ];
                    written.run(compiler, &[machine, &flags].concat());
                    calls.read(&written.text("object.ci"));
                }
                let used = calls.deepest_worker() + calls.depth_of("served_worker");
                println!("{name} {compiler} {level} {used}");
                assert!(3 * used <= 2 * most, "{name} {compiler} {level}: {used} of {most} bytes");
            }
        }
    });
}

/// The calls of functions and their frames, by GCC's `-fcallgraph-info=su`.
#[derive(Default)]
struct Calls {
    /// Bytes of a function's frame.
    frames: HashMap<String, usize>,
    /// What each function calls.
    called: HashMap<String, HashSet<String>>,
}

impl Calls {
    /// Takes in a file: lines `node: { title: "NAME" label: "...\n48 bytes (static)" }` and
    /// `edge: { sourcename: "NAME" targetname: "NAME" ... }`.
    fn read(&mut self, graph: &str) {
        let quoted = |line: &str, key: &str| {
            let rest = line.split_once(&format!("{key}: \""))?.1;
            Some(rest.split_once('"')?.0.to_owned())
        };
        for line in graph.lines() {
            if let Some(name) = quoted(line, "title").filter(|_| line.starts_with("node")) {
                let label = quoted(line, "label").unwrap();
                let frame =
                    label.split("\\n").find_map(|part| part.split_once(" bytes (")?.0.parse().ok());
                let known = self.frames.entry(name).or_default();
                *known = frame.unwrap_or(*known);
            } else if let Some(caller) = quoted(line, "sourcename") {
                let callee = quoted(line, "targetname").unwrap();
                self.called.entry(caller).or_default().insert(callee);
            }
        }
    }

    /// Bytes of stack that a function takes with all that it calls. Functions of other libraries
    /// (`memcpy`, shifts of 64 bits) count as nothing.
    fn depth(&self, function: &str) -> usize {
        let called = self.called.get(function).into_iter().flatten();
        let own = self.frames.get(function).copied().unwrap_or_default();
        own + called.map(|callee| self.depth(callee)).max().unwrap_or_default()
    }

    fn depth_of(&self, suffix: &str) -> usize {
        let workers = self.frames.keys().filter(|name| name.ends_with(suffix));
        workers.map(|name| self.depth(name)).max().expect("there is one")
    }

    fn deepest_worker(&self) -> usize {
        let workers =
            |name: &&String| name.ends_with("_worker") && !name.ends_with("served_worker");
        let depths = self.frames.keys().filter(workers).map(|name| self.depth(name));
        depths.max().expect("every library for two cores has a worker")
    }
}
