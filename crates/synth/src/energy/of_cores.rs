//! Tests that cores are given the inputs that they expect.

use super::beside_icarus::gates;
use super::{Energy, Feed, Netlist, Simulation, Stimulus, measure};
use crate::Core;
use manylane_emit::rtl::{
    Datasheet, Design, Mode, Options, Port, Project, Storage, Style, design, modes, text,
};
use manylane_graph::framing::framing;
use manylane_graph::random::SplitMix64;
use manylane_graph::trace;
use manylane_plan::hardware::{self, DelayModel};
use manylane_primitives::catalog::Algorithm;

/// The usual core of a hash.
fn core(hash: &str, options: impl FnOnce(&mut Options)) -> Core {
    let compression = trace::compression(hash.parse().unwrap());
    let model = DelayModel::load("gate").unwrap();
    let mut of_core = Options::new("core");
    options(&mut of_core);
    let hardware = hardware::Options::default();
    let design: Design = design(&compression, &hardware, &model, &of_core).unwrap();
    let style = Style::default();
    let about = Project { title: hash, warning: None, command: "none", blocks: &[], style };
    let verilog = text(&design.core.netlist, style, hash);
    Core { sheet: Datasheet::new(design.built(), &about, Vec::new()), verilog, origins: Vec::new() }
}

fn modes_of(hashes: &[&str]) -> Vec<Mode> {
    let framed = |name: &&str| {
        let hash: Algorithm = name.parse().unwrap();
        ((*name).to_owned(), framing(hash).unwrap())
    };
    modes(&hashes.iter().map(framed).collect::<Vec<_>>()).unwrap().0
}

#[test]
fn every_input_of_every_core_has_a_meaning() {
    let known = |core: &Core| {
        for port in core.sheet.ports.iter().filter(|port| port.input) {
            assert!(Stimulus::new(&port.name, &core.sheet).is_some(), "{}", port.name);
        }
    };
    for hash in ["md5", "blake256", "skein512", "keccak256", "jh256"] {
        known(&core(hash, |_| ()));
    }
    known(&core("md5", |options| options.window = Storage::Ram));
    let sha2 = core("sha256", |options| {
        options.modes = modes_of(&["sha224", "sha256"]);
        options.clear = true;
    });
    known(&sha2);
    assert_eq!(Stimulus::new("in_mode", &sha2.sheet), Some(Stimulus::Below(2)));
    assert_eq!(Stimulus::new("clear", &sha2.sheet), Some(Stimulus::Low));
}

/// Two bits of a mode say 0, 1 or 2, each for some message, until the next block.
#[test]
fn modes_are_those_that_there_are() {
    let json = r#"{"modules": {"m": {"ports": {"in_mode": {"bits": [2, 3]}}, "cells": {}}}}"#;
    let netlist = Netlist::read(json, "m").unwrap();
    let mut simulation = Simulation::new(&netlist).unwrap();
    let port = Port { name: "in_mode".into(), input: true, bits: 2 };
    let mut feed =
        Feed { inputs: vec![(port, Stimulus::Below(3))], random: SplitMix64(1), taken: 0 };
    let mut modes = |due: bool| {
        feed.renew(&mut simulation, |_| due).unwrap();
        let [low, high] = [0, 1].map(|bit| simulation.get("in_mode", bit).unwrap());
        (0..64).map(|lane| (low >> lane & 1) + 2 * (high >> lane & 1)).collect::<Vec<u64>>()
    };
    let first = modes(true);
    assert!((0..3).all(|mode| first.contains(&mode)) && first.iter().all(|&mode| mode < 3));
    assert_eq!(modes(false), first);
    assert_ne!(modes(true), first);
}

#[test]
fn what_is_not_known_is_not_measured() {
    let mut wrong = core("md5", |_| ());
    let nothing = Netlist::default();
    wrong.sheet.ports.push(Port { name: "scan".into(), input: true, bits: 1 });
    assert_eq!(measure(&wrong.sheet, &nothing).unwrap_err(), "what is port scan to be given?");
    wrong.sheet.interface = "axis".into();
    assert!(measure(&wrong.sheet, &nothing).unwrap_err().contains("emit it with --interface core"));
}

/// A core that is full never clears itself: it switches what a plain core does, and an AND before
/// each register. A core that is cleared at random does something else.
#[test]
fn clearing_is_not_what_is_measured() {
    let folder = tempfile::tempdir().unwrap();
    let measured = |core: &Core, json: &str| -> Result<Energy, String> {
        measure(&core.sheet, &Netlist::read(json, "core").unwrap())
    };
    let plain = core("md5", |_| ());
    let Some(gates_of_plain) = gates(folder.path(), plain.clone()) else { return };
    let cleared = core("md5", |options| options.clear = true);
    let gates_of_cleared = gates(folder.path(), cleared.clone()).unwrap();
    let [one, other] = [(&plain, &gates_of_plain), (&cleared, &gates_of_cleared)]
        .map(|(core, gates)| measured(core, gates).unwrap());
    let near = |a: f64, b: f64, most: f64| (a / b - 1.0).abs() < most;
    assert!(near(other.per_block, one.per_block, 0.1), "{other:?} {one:?}");
    assert_eq!(other.clock, one.clock);

    // The port that clears, in the place of the one that carries the tag.
    let swapped = |text: &str| {
        let text = text.replace("\"in_tag\"", "\"tag\"").replace("\"clear\"", "\"in_tag\"");
        text.replace("\"tag\"", "\"clear\"")
    };
    let mut planted = cleared;
    for port in &mut planted.sheet.ports {
        port.name = match &port.name[..] {
            "clear" => "in_tag".to_owned(),
            "in_tag" => "clear".to_owned(),
            other => other.to_owned(),
        };
    }
    match measured(&planted, &swapped(&gates_of_cleared)) {
        Err(why) => assert!(why.contains("blocks were taken"), "{why}"),
        Ok(wrong) => assert!(!near(wrong.per_block, one.per_block, 0.2), "{wrong:?} {one:?}"),
    }
}
