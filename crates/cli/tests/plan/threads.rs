//! Plans for several processors.

use crate::common::Sandbox;
use crate::{file_of_the_repository, json, measured, plan};

#[test]
fn the_pairing_stands_beside_what_was_published() {
    let sandbox = Sandbox::new();
    let paper = "eta_T --threads 2,4,8,16,32 --on core2-45nm";
    let text = String::from_utf8(plan(&sandbox, paper).good()).unwrap();
    for words in ["1.86", "3.42", "5.76", "8.57*", "10.74*", "59 bits", "research and\n  teaching"]
    {
        assert!(text.contains(words), "{words}: {text}");
    }
    let answer = json(&sandbox, paper);
    for line in answer["balances"].as_array().unwrap() {
        let ratio =
            line["speedup"].as_f64().unwrap() / line["published"]["speedup"].as_f64().unwrap();
        assert!((ratio - 1.0).abs() < 0.05, "{line}");
    }
}

/// Two cores that divide a message may beat the limit of cores that have whole ones, so the answer
/// says which limit it is.
#[test]
fn a_limit_of_whole_pieces_says_so() {
    let sandbox = Sandbox::new();
    for (args, pieces) in [
        ("jh256 --threads 2 --on ibex-duo --length 1024", "messages"),
        ("rc5 --threads 2 --on ibex-duo", "blocks"),
    ] {
        let text = String::from_utf8(plan(&sandbox, args).good()).unwrap();
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let told = format!("; with whole {pieces} on each, at this rate, more than 2.00 times is");
        assert!(text.contains(&told), "{text}");
    }
}

/// A number of processors that is said again has no second row.
#[test]
fn every_number_of_processors_has_one_row() {
    let sandbox = Sandbox::new();
    for (args, list, due) in [
        ("eta-t --threads 2,2 --on core2-45nm", "balances", &[2][..]),
        ("eta-t --threads 4,2,4 --threads 2 --on core2-45nm", "balances", &[4, 2]),
        ("sha256 --threads 2,4,2", "batches", &[2, 4]),
        ("sha256 --threads 8,1,4 --on rp2040", "batches", &[2, 1]),
    ] {
        let answer = json(&sandbox, args);
        let rows = answer[list].as_array().unwrap().iter();
        let found: Vec<u64> = rows.map(|row| row["processors"].as_u64().unwrap()).collect();
        assert_eq!(found, due, "{args}");
    }
    plan(&sandbox, "eta-t --threads 2,2 --on core2-45nm --program").good();
}

/// The text lists the partition that `--json` has as `bounds`: w_i of every processor that takes
/// part, the first of long lists, and how many have nothing to do.
#[test]
fn the_partition_of_the_pairing_is_shown() {
    let sandbox = Sandbox::new();
    let args = "eta-t --threads 1,4,32,1000 --on core2-65nm";
    let text = String::from_utf8(plan(&sandbox, args).good()).unwrap();
    assert!(text.lines().all(|line| line.chars().count() <= 100), "{text}");
    let (_, partition) = text.split_once("w_i, ").unwrap_or_else(|| panic!("{text}"));
    let (partition, _) = partition.split_once("\nHOW").unwrap();
    let words = partition.split_whitespace().collect::<Vec<_>>().join(" ");
    let answer = json(&sandbox, args);
    for balance in answer["balances"].as_array().unwrap() {
        let processors = balance["processors"].as_u64().unwrap();
        let bounds = balance["bounds"].as_array().unwrap();
        let begins = bounds.iter().map(|bound| bound.as_u64().unwrap()).filter(|&w| w < 611);
        let begins: Vec<String> = begins.map(|w| w.to_string()).collect();
        let listed = match begins.len() {
            more @ 34.. => format!("{}, …, {}", begins[..32].join(", "), begins[more - 1]),
            _ => begins.join(", "),
        };
        let expected = match processors {
            1000 => format!("1,000: {listed}; {} without iterations", 1000 - begins.len()),
            _ => format!("{processors}: {listed}"),
        };
        assert!(words.contains(&expected), "{expected}: {words}");
    }
    assert!(words.contains("1: 0 4: 0, "), "{words}");
}

/// What is measured varies; that it is this machine's does not.
#[test]
fn the_pairing_is_planned_for_this_machine() {
    let sandbox = Sandbox::new();
    let answer = json(&sandbox, "eta-t --threads 1,2,4096 --measure");
    let platform = &answer["platform"];
    assert_eq!(
        (platform["name"].as_str(), platform["unit"].as_str()),
        (Some("here"), Some("nanoseconds"))
    );
    let lanes = platform["executor"]["lanes"].as_f64().unwrap();
    let balances = answer["balances"].as_array().unwrap();
    let factors = balances[0]["bounds"][1].as_f64().unwrap() * lanes;
    assert!((612.0..616.0).contains(&factors), "{platform}");
    let speedup = |i: usize, of: &serde_json::Value| (i, of["speedup"].as_f64().unwrap());
    assert_eq!(speedup(0, &balances[0]), (0, 1.0));
    let (_, two) = speedup(1, &balances[1]);
    assert!((1.0..=2.0).contains(&two), "{answer}");
    assert_eq!(balances[1]["published"]["speedup"].as_f64(), Some(1.86));
    assert!(balances[0]["measured"]["nanoseconds"].as_f64().unwrap() > 1000.0, "{answer}");
    assert!(balances[2]["measured"].is_null(), "{answer}");

    let text = String::from_utf8(measured(&sandbox, "eta-t --threads 2,4096 --measure")).unwrap();
    for words in ["measured here", "MEASURED SPEEDUP", "4,096 more than this machine has", "1.86"] {
        assert!(text.contains(words), "{words}: {text}");
    }
}

/// No plan is for more processors than the platform has; without one there may be any number.
#[test]
fn threads_are_no_more_than_the_platform_has() {
    let sandbox = Sandbox::new();
    let text = file_of_the_repository("crates/plan/platforms/rp2040.toml");
    sandbox.write("four.toml", text.replacen("title", "processors = 4\ntitle", 1));
    for (args, numbers, words) in [
        ("--threads 4 --on rp2040", &[2][..], "rp2040 has 2 processors: more are not planned for"),
        ("--threads 1,2,3,4096 --on rp2040", &[1, 2], "rp2040 has 2 processors"),
        ("--threads 1,2 --on rp2040", &[1, 2], ""),
        ("--threads 1,2,8 --on s12x-xgate-2012", &[1, 2], "s12x-xgate-2012 has 2 processors"),
        ("--threads 2,8 --on four.toml", &[2, 4], "rp2040 has 4 processors"),
        ("--threads 2,4096", &[2, 4096], ""),
    ] {
        let answer = json(&sandbox, &format!("md5 {args}"));
        let planned: Vec<u64> = (answer["batches"].as_array().unwrap().iter())
            .map(|batch| batch["processors"].as_u64().unwrap())
            .collect();
        assert_eq!(planned, numbers, "{args}");
        let first = answer["answer"].as_str().unwrap();
        assert!(first.contains(words), "{args}: {first}");
        assert_eq!(words.is_empty(), !first.contains(';') || !first.contains("has"), "{first}");
    }
    for (wrong, words) in [("1", "2 are described"), ("2.5", "whole number"), ("1e9", "whole")] {
        let wrong = text.replacen("title", &format!("processors = {wrong}\ntitle"), 1);
        sandbox.write("wrong.toml", wrong);
        let ran = plan(&sandbox, "md5 --threads 2 --on wrong.toml");
        assert!(ran.status == Some(1) && ran.stderr.contains("wrong.toml:2: "), "{ran:?}");
        assert!(ran.stderr.contains(words), "{ran:?}");
    }
}

/// Work is shared out among cores on which all operations cost nothing, or only some cores' do.
#[test]
fn costs_of_nothing_are_shared_out() {
    let sandbox = Sandbox::new();
    let ops = "add sub and or xor not shl shr rotl rotr swap_bytes";
    let core = |name: &str, cost: u32| {
        let costs: Vec<String> = ops.split(' ').map(|op| format!("{op} = {cost}\n")).collect();
        format!("[{name}]\nname = \"{name}\"\nword = 32\n[{name}.cost]\n{}", costs.concat())
    };
    let head = "name = \"free\"\ntitle = \"t\"\nsource = \"s\"\nmeasured = \"m\"\n";
    let hand_over = "{ send = 2, receive = 3 }";
    let end = format!("[handshake]\nlatency = 1\nmain = {hand_over}\ncoprocessor = {hand_over}\n");
    for (main, other) in [(0, 0), (1, 0), (0, 1)] {
        let text = [head, &core("main", main), &core("coprocessor", other), &end].concat();
        sandbox.write("free.toml", &text);
        for threads in ["1", "2", "1,2"] {
            let ran = plan(&sandbox, &format!("sha256 --on ./free.toml --threads {threads}"));
            ran.good();
            json(&sandbox, &format!("sha256 --on ./free.toml --threads {threads}"));
        }
    }
}
