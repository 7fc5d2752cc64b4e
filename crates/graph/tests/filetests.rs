//! The graphs of `filetests/`, each with what a command makes of it.
//!
//! ```text
//! ; test: COMMAND
//! MODULE
//! ---
//! EXPECTATION
//! ```
//!
//! | command | expectation |
//! |---|---|
//! | `roundtrip` | the module, as it is printed |
//! | `parse` | the error of reading |
//! | `verify` | the error of the verifier |
//! | `run INPUT …` | the outputs |
//! | `dead`, `flatten`, `ternary`, `xnor`, `nest`, `uniform` | the module after the pass |
//! | `inline`, `needed`, `legalize BITS` | the same |
//! | `lanes BITS` | the module after the pass, or `no lanes` |
//! | `balance OP COST …` | the module after the pass; other operations cost 1 |
//!
//! A pass must also keep the meaning of the module. `MANYLANE_BLESS=1` rewrites expectations.

mod common;
#[path = "common/files.rs"]
mod files;

use files::{hold, number};
use manylane_graph::interpret::run_main;
use manylane_graph::verify::verify;
use manylane_graph::{Module, Op, passes};
use std::fmt::Write;
use std::path::Path;

/// What `command` makes of the module `text`.
fn outcome(command: &str, text: &str) -> String {
    let mut words = command.split_whitespace();
    let name = words.next().expect("a command");
    let rest: Vec<&str> = words.collect();
    let read: Result<Module, _> = text.parse();
    if name == "parse" {
        return format!("{}\n", read.expect_err("the text is no module"));
    }
    let module = read.unwrap_or_else(|error| panic!("{error}"));
    if name == "verify" {
        return format!("{}\n", verify(&module).expect_err("the module is invalid"));
    }
    if name == "run" {
        verify(&module).unwrap_or_else(|error| panic!("{error}"));
        let inputs: Vec<u64> = rest.iter().map(|word| number(word)).collect();
        let mut text = String::new();
        for (output, value) in module.main().outputs().iter().zip(run_main(&module, &inputs)) {
            writeln!(text, "{} = {value:#x}", output.name).unwrap();
        }
        return text;
    }
    if name == "lanes" && lanes(&rest, &module).is_none() {
        return "no lanes\n".to_owned();
    }
    let after = pass(name, &rest, &module);
    common::assert_same_meaning(&module, &after, command);
    let text = after.to_string();
    assert_eq!(text.parse().as_ref(), Ok(&after), "the text reads back");
    text
}

fn pass(name: &str, rest: &[&str], module: &Module) -> Module {
    let costs: Vec<(&str, f64)> =
        rest.chunks_exact(2).map(|pair| (pair[0], pair[1].parse().expect("a cost"))).collect();
    let cost = |op: Op, _: u8| {
        costs.iter().find(|(name, _)| *name == op.name()).map_or(1.0, |&(_, cost)| cost)
    };
    match name {
        "roundtrip" => module.clone(),
        "dead" => passes::each(module, passes::dead),
        "flatten" => passes::each(module, passes::flatten),
        "balance" => passes::each(module, |function| passes::balance(function, cost)),
        "ternary" => passes::each(module, passes::ternary),
        "xnor" => passes::each(module, passes::xnor),
        "nest" => passes::each(module, passes::nest),
        "uniform" => passes::each(module, passes::uniform),
        "inline" => Module::of(passes::inline(module)),
        "needed" => passes::each(module, passes::needed),
        "lanes" => lanes(rest, module).expect("lanes"),
        "legalize" => passes::legalize(module, rest[0].parse().expect("a number of bits")),
        _ => panic!("no command is named {name}"),
    }
}

fn lanes(rest: &[&str], module: &Module) -> Option<Module> {
    passes::lanes(module.main(), rest[0].parse().expect("a number of bits")).map(Module::of)
}

#[test]
fn graphs_become_what_their_files_say() {
    hold(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/filetests"), 25, outcome);
}
