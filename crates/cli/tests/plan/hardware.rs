//! Plans for merged and pipelined hardware.

use crate::common::Sandbox;
use crate::{json, plan};
use serde_json::Value;

#[test]
fn hardware_counts_what_the_paper_counts() {
    let sandbox = Sandbox::new();
    let levels = |args: &str| {
        let answer = json(&sandbox, &format!("{args} --hardware --delay unit-adder"));
        answer["plan"]["period"]["total"].as_f64().unwrap()
    };
    for (args, expected) in [
        ("sha1 --adders tree --precompute kw", 2.0),
        ("sha1 --adders chain --precompute kw", 3.0),
        ("sha1 --adders chain --precompute kw --merge 2", 4.0),
        ("sha256 --adders chain --precompute kw", 4.0),
        ("sha256 --adders chain --precompute kw --merge 2", 7.0),
        ("md5 --adders chain --precompute kw", 3.0),
    ] {
        assert_eq!(levels(args), expected, "{args}");
    }
    let answer = json(&sandbox, "sha256 --hardware --stages 4");
    assert_eq!(answer["plan"]["cycles_per_block"], 16);
    let alternatives = answer["alternatives"].as_array().unwrap();
    assert_eq!(alternatives.len(), 12);
    let period = |line: &Value| line["period"].as_f64().unwrap();
    let chosen = alternatives.iter().find(|line| line["chosen"] == true).unwrap();
    assert!(alternatives.iter().all(|line| period(chosen) <= period(line)));
}

/// A key is expanded once, not for each block: hardware holds its 2(r + 1) words.
#[test]
fn hardware_of_a_cipher_encrypts_blocks_under_an_expanded_key() {
    let sandbox = Sandbox::new();
    for (name, words, bits) in [("rc5", 26, 32), ("rc5-64/20/24", 42, 64), ("rc5-16/2/0", 6, 16)] {
        let answer = json(&sandbox, &format!("{name} --hardware"));
        let plan = &answer["plan"];
        assert_eq!(plan["resources"]["key"]["register_bits"], words * bits, "{name}");
        assert!(plan["resources"]["rounds"]["register_bits"].as_u64().unwrap() >= 2 * bits);
        // A clock for the whitening, or none, before one for each round.
        let clocks = [&plan["latency"], &plan["steps"]].map(|n| n.as_u64().unwrap());
        assert!((0..=1).contains(&(clocks[0] - clocks[1])), "{name}: {clocks:?}");
        assert_eq!(answer["messages"].as_u64(), Some(clocks[0].div_ceil(clocks[1])), "{name}");
    }
    let one = plan(&sandbox, "rc5-16/1/0 --hardware");
    assert!(one.status == Some(1) && one.stderr.contains("rc5-16/1/0 has 1 round: "), "{one:?}");
    let text = String::from_utf8(plan(&sandbox, "rc5 --hardware").good()).unwrap();
    assert!(
        text.contains("round keys are inputs") && text.contains("2 blocks in flight"),
        "{text}"
    );
    let text = String::from_utf8(plan(&sandbox, "md5 --hardware").good()).unwrap();
    assert!(!text.contains("round keys"), "{text}");
}
