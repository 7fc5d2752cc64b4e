//! The C that is emitted, compiled by this machine's compilers and run beside the definition.

mod ciphers;
mod compile;
mod long;
#[path = "../../../simulate/tests/common/mod.rs"]
mod machines;
mod outputs;
mod pairs;
mod stacks;
mod subject;
mod surroundings;
mod sweep;

use compile::{STRICT, Written, driver, has};
use manylane_emit::c::{Folder, Options};
use manylane_graph::calls::{digest, hmac};
use manylane_graph::framing::stream;
use manylane_primitives::catalog::{Algorithm, HashId};
use std::sync::Mutex;
use subject::{of_hash, prefix};

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Every source of a library with its self-tests.
fn sources(folder: &Folder) -> Vec<String> {
    [&folder.library[..], &folder.self_tests].concat()
}

/// Calls a function for each item, on two threads.
fn for_each<T: Sync>(all: &[T], what: impl Fn(&T) + Sync) {
    let next = Mutex::new(all.iter());
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                loop {
                    let Some(item) = next.lock().unwrap().next() else { break };
                    what(item);
                }
            });
        }
    });
}

/// The messages of the driver: digest and MAC of each length by the definition.
fn expected(algorithm: Algorithm, block: usize, near: usize) -> String {
    let line = |length: usize| {
        let message: Vec<u8> = (0..length).map(|i| (i * 89 + i / 251 + length) as u8).collect();
        let key = &message[..((length * 7) % (block + 20)).min(length)];
        let (digest, mac) = (digest(algorithm, &message), hmac(algorithm, key, &message));
        format!("{} {}\n", hex(&digest), hex(&mac))
    };
    let is_near = |length: &usize| (length + near) % block <= 2 * near;
    (0..=3 * block + 1).filter(is_near).map(line).collect()
}

/// Every hash and its HMAC, in random pieces, from addresses that are aligned and not. One hash of
/// each kind has every length up to three blocks and one byte; its siblings have those around the
/// blocks' ends and the last place that leaves room for the padding.
#[test]
fn every_hash_is_its_definition() {
    if !has("gcc") {
        return;
    }
    let surroundings = |id: HashId| {
        let framing = stream(Algorithm::from(id)).unwrap().framing;
        (framing.padding, framing.counter, framing.block_bytes, framing.initial.len())
    };
    for_each(HashId::ALL, |&id| {
        let algorithm = Algorithm::from(id);
        let block = id.entry().shape.block_bytes;
        let first = HashId::ALL.iter().find(|&&other| surroundings(other) == surroundings(id));
        let near = if first == Some(&id) { block } else { block / 6 };
        let folder = of_hash(algorithm, true, &Options::default()).unwrap();
        let name = prefix(&algorithm.to_string());
        let written = Written::new(&folder);
        written.add("driver.c", &driver("hash_driver.c", &name, &format!("hmac_{name}")));
        let sources = [sources(&folder), vec!["driver.c".to_owned()]].concat();
        let near_flag = format!("-DNEAR={near}u");
        let said = written.build_and_run("gcc", &[&STRICT[..], &[&near_flag]].concat(), &sources);
        assert!(said == expected(algorithm, block, near), "{algorithm}");
    });
}
