//! `manylane plan` for two cores: the work of a program, the limits, HMAC, several messages, the
//! paper's equations and its table; and the operations that `manylane explain` counts in a message.

mod common;

use common::{MANYLANE, Ran, Sandbox, joined, number};
use serde_json::Value;

fn run(sandbox: &Sandbox, args: &str) -> Ran {
    sandbox.run(MANYLANE, args.split_whitespace())
}

fn platform_file(name: &str) -> String {
    let path = format!("{}/../plan/platforms/{name}.toml", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(path).expect("a platform's file")
}

fn step_count(report: &Value, name: &str) -> u64 {
    let kinds = report["steps"].as_array().unwrap();
    // In a message the blocks contain the steps, so the last part of the name is compared.
    let kind =
        kinds.iter().find(|kind| kind["name"].as_str().unwrap().rsplit('/').next() == Some(name));
    kind.unwrap_or_else(|| panic!("no step {name}"))["count"].as_u64().unwrap()
}

/// A program pads at run time, so no step of the schedule is done beforehand.
#[test]
fn a_message_has_all_steps_of_its_schedule() {
    let sandbox = Sandbox::new();
    let schedule = |args: &str| {
        step_count(&sandbox.json(&format!("explain {args} --part message")), "schedule")
    };
    assert_eq!(schedule("sha256 --length 64"), 96);
    assert_eq!(schedule("sha256 --length 0"), 48);
    assert_eq!(schedule("sha1 --length 64"), 128);
    // In a program for one length alone the second block is all padding, so its schedule is known.
    assert_eq!(schedule("sha256 --length 64 --fixed-length"), 48);
    let page = sandbox.text("explain sha256 --part message --length 64");
    assert!(page.contains("schedule"), "{page}");
    let wrong = run(&sandbox, "explain sha256 --fixed-length");
    assert!(wrong.status == Some(1) && wrong.stderr.contains("--part message"), "{wrong:?}");
}

#[test]
fn messages_of_as_many_blocks_are_planned_alike() {
    let sandbox = Sandbox::new();
    for primitive in ["sha256", "blake256"] {
        let limits = [0, 13, 55].map(|length| {
            let args = format!("plan {primitive} --on rp2040 --length {length} --level step");
            let answer = sandbox.json(&args);
            assert_eq!(answer["fixed_length"], false);
            number(&answer["limit"]["cycles"])
        });
        assert!(limits.iter().all(|limit| *limit == limits[0]), "{primitive}: {limits:?}");
    }
    let answer = sandbox.json("plan sha256 --on rp2040 --length 0");
    assert!(number(&answer["saved"]) > 0.3, "{}", answer["answer"]);
    let known = sandbox.json("plan sha256 --on rp2040 --length 0 --fixed-length");
    let cycles = |answer: &Value| number(&answer["candidates"][0]["cycles"]);
    assert!(cycles(&known) < 0.8 * cycles(&answer), "the schedule is known beforehand");
    assert!(known["what"].as_str().unwrap().contains("this length alone"), "{}", known["what"]);
}

/// Words in the machine's own order are not swapped.
#[test]
fn a_platform_has_an_order_of_bytes() {
    let sandbox = Sandbox::new();
    let little = platform_file("rp2040");
    assert!(little.contains("endianness = \"little\"\n"));
    sandbox.write("big.toml", little.replace("\"little\"", "\"big\""));
    sandbox.write("silent.toml", little.replace("endianness = \"little\"\n", ""));
    let swaps = |primitive: &str, platform: &str| {
        let answer = sandbox.json(&format!("plan {primitive} --on {platform} --length 0"));
        let units = answer["units"].as_array().unwrap();
        units.iter().filter(|unit| unit["name"].as_str().unwrap().contains("byte swap")).count()
    };
    for platform in ["rp2040", "silent.toml"] {
        assert_eq!((swaps("sha256", platform), swaps("md5", platform)), (16, 0), "{platform}");
    }
    assert_eq!((swaps("sha256", "big.toml"), swaps("md5", "big.toml")), (0, 16));
    // The paper's programs put every word together from its bytes.
    assert_eq!((swaps("sha256", "s12x-xgate-2012"), swaps("md5", "s12x-xgate-2012")), (16, 16));
    let answer = sandbox.json("plan md5 --on s12x-xgate-2012 --length 0");
    assert_eq!(answer["platform"]["endianness"], "big");
    sandbox.write("odd.toml", little.replace("\"little\"", "\"middle\""));
    let ran = run(&sandbox, "plan md5 --on odd.toml");
    assert!(ran.status == Some(1) && ran.stderr.starts_with("manylane: odd.toml:"), "{ran:?}");
    assert!(ran.stderr.contains("no byte order `middle`"), "{ran:?}");
}

/// The limit is one of operations: it does not depend on what is given to a core as a whole.
#[test]
fn limits_hold_for_operations() {
    let sandbox = Sandbox::new();
    for primitive in ["groestl256", "md5 --length 0"] {
        let answers = ["step", "substep", "node"]
            .map(|level| sandbox.json(&format!("plan {primitive} --on unit --level {level}")));
        for answer in &answers {
            assert_eq!(answer["limit"], answers[0]["limit"], "{primitive}");
            assert_eq!(answer["limit"]["basis"], "proved");
            let limit = number(&answer["limit"]["cycles"]);
            assert!(number(&answer["units_limit"]["cycles"]) >= limit - 1e-6, "{primitive}");
            for candidate in answer["candidates"].as_array().unwrap() {
                assert!(number(&candidate["cycles"]) >= limit, "{primitive}: {candidate}");
            }
        }
        let saved = answers.map(|answer| number(&answer["saved"]));
        assert!(saved[2] > saved[0], "{primitive}: {saved:?}");
    }
    let said = joined(&sandbox.text("plan groestl256 --on unit"));
    assert!(!said.contains("too serial"), "{said}");
    assert!(said.contains("limit, proved for these costs: "), "{said}");
    assert!(said.contains("which would save 50.0 %"), "{said}");
    assert!(said.contains("with units of substep: at most 4"), "{said}");
    assert!(said.contains("--level node"), "{said}");
    let chain = joined(&sandbox.text("plan md5 --on unit --length 0"));
    assert!(chain.contains("the longest chain of operations: it is too serial"), "{chain}");
    // Measured times of steps are not those of operations.
    for args in ["blake256 --on s12x-xgate-2012", "rc5 --on s12x-xgate-2012"] {
        let said = joined(&sandbox.text(&format!("plan {args}")));
        assert!(said.contains("limit, an estimate: "), "{args}: {said}");
    }
}

#[test]
fn costs_that_nobody_measured_are_estimates() {
    let sandbox = Sandbox::new();
    for args in [
        "sha1 --on esp32 --length 0",
        "sha1 --on esp32 --length 0 --messages 3",
        "sha1 --on esp32 --threads 2",
        "sha1 --threads 2",
        "sha1 --on esp32 --equations",
        "md5 --on x86-two-threads --length 0",
        "rc5 --on stm32h7",
    ] {
        let said = sandbox.text(&format!("plan {args}"));
        let first: String = said.lines().take(3).collect();
        assert!(first.contains("(estimate)"), "{args}: {said}");
        assert!(said.contains("nobody has measured"), "{args}: {said}");
        if args.starts_with("rc5") || args.starts_with("md5") {
            continue;
        }
        let answer = sandbox.json(&format!("plan {args}"));
        assert_eq!(answer["estimate"], true, "{args}");
        let platform = if answer["costs"].is_object() { "costs" } else { "platform" };
        assert_eq!(answer[platform]["basis"], "estimate", "{args}");
    }
    for (args, basis) in
        [("sha1 --on unit --length 0", "defined"), ("rc5 --on s12x-xgate-2012", "measured")]
    {
        let said = sandbox.text(&format!("plan {args}"));
        assert!(!said.contains("(estimate)"), "{args}: {said}");
        assert_eq!(said.contains("costs measured by "), basis == "measured", "{args}: {said}");
        let answer = sandbox.json(&format!("plan {args}"));
        assert_eq!(
            (&answer["estimate"], &answer["platform"]["basis"]),
            (&false.into(), &basis.into())
        );
    }
    run(&sandbox, "plan md5 --on esp32 --length 0 --html page.html").good();
    let page = std::fs::read_to_string(sandbox.path("page.html")).unwrap();
    assert!(page.contains("(estimate)") && page.contains("nobody has measured"));
    // A file of the user's own is not listed, even if it bears the name of one that is.
    let listed = sandbox.text("plan sha256 --on esp32");
    assert!(listed.contains("`manylane platforms` has their source"), "{listed}");
    for name in ["mine", "esp32"] {
        let own = platform_file("esp32");
        sandbox.write("own.toml", own.replace("name = \"esp32\"", &format!("name = \"{name}\"")));
        let said = sandbox.text("plan sha256 --on own.toml");
        assert!(said.contains(&format!("nobody has measured the costs of {name}\n")), "{said}");
    }
    let measured = platform_file("esp32").replace("estimate = true", "measured = \"by me, today\"");
    sandbox.write("measured.toml", measured);
    let said = sandbox.text("plan md5 --on measured.toml --length 0");
    assert!(said.contains("costs measured by me, today") && !said.contains("estimate"), "{said}");
    let listed = sandbox.text("platforms");
    for words in
        ["costs: estimate; little-endian", "costs: defined", "costs: measured by the paper"]
    {
        assert!(listed.contains(words), "{words}: {listed}");
    }
}

/// A time that was measured for all steps of a message together is shared among the rounds of all
/// its blocks: the bounds are those of equal times for each step.
#[test]
fn a_time_of_steps_together_counts_once() {
    let docs = include_str!("../../../docs/platforms.md");
    let (_, sample) = docs.split_once("```toml\n").unwrap();
    let (sample, _) = sample.split_once("[steps.sha256]").unwrap();
    let sandbox = Sandbox::new();
    let all = |round: &str| {
        sandbox.write("p.toml", format!("{sample}[steps.sha256]\nround = {round}\n"));
        let answer = sandbox.json("plan sha256 --on p.toml");
        (number(&answer["ahead_limit"]["all"]), number(&answer["steps_limit"]["alone"]))
    };
    let close = |one: f64, other: f64| (one - other).abs() < 0.01;
    let (together, each) = (all("{ total = 8000 }"), all("{ each = 62.5 }"));
    assert!(close(together.0, each.0) && close(together.1, each.1), "{together:?}, {each:?}");
}

/// A program for one length knows a part of its blocks beforehand, so the bounds of blocks of any
/// content do not hold for its blocks.
#[test]
fn a_program_for_one_length_has_no_bounds_of_any_block() {
    let sandbox = Sandbox::new();
    for hash in ["sha256", "md5"] {
        let args = format!("plan {hash} --on rp2040 --length 0");
        let any = sandbox.json(&args);
        assert!(any["ahead_limit"].is_object() && any["steps_limit"].is_object(), "{hash}");
        let fixed = sandbox.json(&format!("{args} --fixed-length"));
        assert!(fixed["ahead_limit"].is_null() && fixed["steps_limit"].is_null(), "{hash}");
        // Nor do they hold where costs are scaled to a measured total.
        let scaled = sandbox.json(&format!("plan {hash} --on s12x-xgate-2012"));
        assert!(scaled["measured_total"].is_number(), "{hash}");
        assert!(scaled["ahead_limit"].is_null() && scaled["steps_limit"].is_null(), "{hash}");
    }
}

/// Four compressions, of which the outer key block waits for no message.
#[test]
fn hmac_is_planned_as_a_whole() {
    let sandbox = Sandbox::new();
    let answer = sandbox.json("plan hmac-sha256 --on ibex-duo --length 55");
    assert_eq!((&answer["length"], &answer["key_length"]), (&55.into(), &32.into()));
    assert!(number(&answer["saved"]) > 0.25, "{}", answer["answer"]);
    let units = answer["units"].as_array().unwrap();
    let rounds = |block: &str| {
        let prefix = format!("{block}[0]/round[");
        let name = |unit: &&Value| unit["name"].as_str().unwrap().starts_with(&prefix);
        units.iter().filter(name).count()
    };
    for block in ["inner key block", "block", "outer key block", "outer block"] {
        assert!(rounds(block) >= 64, "{block}: {}", rounds(block));
    }
    let placements = answer["schedule"]["placements"].as_array().unwrap();
    let time = |name: &str, field: &str| {
        let placement = placements.iter().find(|placement| placement["name"] == name);
        number(&placement.unwrap_or_else(|| panic!("no {name}"))[field])
    };
    let inner_end = time("block[0]/round[63]", "end");
    assert!(time("outer key block[0]/round[0]", "start") < inner_end, "it waits for no message");
    assert!(time("outer block[0]/round[0]", "start") > inner_end, "it waits for the inner digest");

    // A key that fits a block costs the same; a longer one is hashed first.
    let cycles = |options: &str| {
        let args = format!("plan hmac-md5 --on unit --level step --length 3 {options}");
        number(&sandbox.json(&args)["candidates"][0]["cycles"])
    };
    assert_eq!(cycles("--key-length 1"), cycles("--key-length 64"));
    assert!(cycles("--key-length 65") > 1.3 * cycles("--key-length 64"));
    assert!(cycles("--key-length 64 --fixed-length") < cycles("--key-length 64"));
    for primitive in ["hmac-sha3-256", "HMAC_Skein-512", "hmac-jh224", "hmac-groestl512"] {
        let args = format!("plan {primitive} --on rp2040 --length 0 --level step");
        let answer = sandbox.json(&args);
        assert!(number(&answer["saved"]) > 0.0, "{primitive}: {}", answer["answer"]);
        assert!(answer["primitive"].as_str().unwrap().starts_with("hmac-"), "{primitive}");
    }
    let said = sandbox.text("plan hmac-sha1 --threads 2 --on rp2040 --messages 10");
    assert!(said.contains("each under a key of 20 bytes"), "{said}");
}

/// Each core gets whole messages, as many as it computes in the same time, or messages are divided.
#[test]
fn several_messages_are_shared_out() {
    let sandbox = Sandbox::new();
    let answer = sandbox.json("plan sha256 --on s12x-xgate-2012 --messages 100");
    let chosen = |answer: &Value| -> Value {
        let candidates = answer["candidates"].as_array().unwrap();
        let least = candidates.iter().map(|c| number(&c["cycles"])).fold(f64::INFINITY, f64::min);
        let chosen: Vec<_> = candidates.iter().filter(|line| line["chosen"] == true).collect();
        assert_eq!(chosen.len(), 1);
        assert_eq!(number(&chosen[0]["cycles"]), least);
        chosen[0].clone()
    };
    let shares = |line: &Value| {
        ["main", "coprocessor", "divided"].map(|field| line[field].as_u64().unwrap())
    };
    assert_eq!(shares(&chosen(&answer)), [20, 80, 0], "s = 1/4");
    let one = sandbox.json("plan sha256 --on rp2040 --messages 1");
    let alone = sandbox.json("plan sha256 --on rp2040");
    assert_eq!(one["saved"], alone["saved"]);
    assert_eq!(one["limit"]["cycles"], alone["limit"]["cycles"]);
    assert_eq!(shares(&chosen(&one)), [0, 0, 1]);
    let three = sandbox.json("plan sha256 --on rp2040 --messages 3");
    assert_eq!(shares(&chosen(&three)), [1, 1, 1], "the one left over is divided");
    for answer in [&answer, &one, &three] {
        for line in answer["candidates"].as_array().unwrap() {
            let count = answer["messages"].as_u64().unwrap();
            assert_eq!(shares(line).iter().sum::<u64>(), count, "{line}");
            assert!(number(&line["cycles"]) >= number(&answer["limit"]["cycles"]), "{line}");
        }
    }
    let said = joined(&sandbox.text("plan sha256 --on s12x-xgate-2012 --messages 100"));
    assert!(said.starts_with("worth it: 80.0 %") && said.contains("80 on XGATE"), "{said}");
}

#[test]
fn a_faster_coprocessor_is_a_processor_too() {
    let sandbox = Sandbox::new();
    let answer = sandbox.json("plan md5 --threads 1,2 --on s12x-xgate-2012 --messages 1000");
    let batches = answer["batches"].as_array().unwrap();
    assert_eq!(batches[0]["shares"], serde_json::json!([1000]));
    assert_eq!(batches[1]["shares"], serde_json::json!([200, 800]));
    assert_eq!(batches[1]["on"], serde_json::json!(["S12X", "XGATE"]));
    assert!((number(&batches[1]["limit"]) - 5.0).abs() < 1e-9, "{answer}");
    assert!(number(&batches[1]["speedup"]) > 4.9, "{answer}");
    assert!(batches.iter().all(|batch| number(&batch["efficiency"]) <= 1.0), "{answer}");
    let said = sandbox.text("plan md5 --threads 2 --on s12x-xgate-2012 --messages 1000");
    assert!(said.contains("2 processors: 200 on S12X, 800 on XGATE"), "{said}");
    // Serial work goes to the faster core.
    let serial = sandbox.json("plan rc5 --threads 2 --on s12x-xgate-2012 --mode cbc-encryption");
    assert_eq!(serial["batches"][0]["shares"], serde_json::json!([0, 1024]));
    // Equal cores have no shares of their own.
    let equal = sandbox.json("plan md5 --threads 2 --on rp2040");
    assert!(equal["coprocessor"].is_null() && equal["batches"][0]["shares"].is_null(), "{equal}");
    // With two cores like the main one and a slower coprocessor, the coprocessor comes last.
    let slow = platform_file("s12x-xgate-2012").replacen("speed = 0.25", "speed = 2", 1);
    sandbox.write("slow.toml", slow.replacen("[main]", "processors = 2\n[main]", 1));
    let ran = run(&sandbox, "plan md5 --threads 2,3 --on slow.toml --json");
    let answer: Value = serde_json::from_slice(&ran.good()).unwrap();
    assert_eq!(answer["batches"][0]["on"], serde_json::json!(["S12X", "S12X"]));
    assert_eq!(answer["batches"][1]["on"], serde_json::json!(["S12X", "S12X", "XGATE"]));
}

#[test]
fn the_text_says_who_does_what() {
    let sandbox = Sandbox::new();
    let said = sandbox.text("plan sha256 --on ibex-duo --length 0 --level step");
    let (_, who) = said.split_once("WHO DOES WHAT\n").unwrap_or_else(|| panic!("{said}"));
    let who = joined(who.split("\nWHY\n").next().unwrap());
    let (first, second) = who.split_once("core 1: ").unwrap();
    assert!(first.starts_with("core 0: ") && first.contains("round[0..63]"), "{who}");
    assert!(second.contains("schedule["), "{who}");
    // The lists of both cores together have every step once.
    let answer = sandbox.json("plan sha256 --on ibex-duo --length 0 --level step");
    let mut schedule = [0; 64];
    for core in answer["cores"].as_array().unwrap() {
        for entry in core["does"].as_array().unwrap() {
            let Some(numbers) = entry.as_str().unwrap().strip_prefix("schedule[") else { continue };
            for run in numbers.trim_end_matches(']').split(", ") {
                let (from, to) = run.split_once("..").unwrap_or((run, run));
                let [from, to]: [usize; 2] = [from, to].map(|number| number.parse().unwrap());
                schedule[from..=to].iter_mut().for_each(|times| *times += 1);
            }
        }
    }
    assert_eq!(schedule, std::array::from_fn(|t| u32::from(t >= 16)));
    // A core that has nothing to do, or all.
    let said = sandbox.text("plan keccak256 --on unit --length 0 --level step --fixed-length");
    assert!(said.contains("core 0: everything\n  core 1: nothing\n"), "{said}");
    run(&sandbox, "plan sha256 --on ibex-duo --length 0 --level step --html page.html").good();
    let page = std::fs::read_to_string(sandbox.path("page.html")).unwrap();
    assert!(page.contains("<li>core 1: ") && page.contains("round[0..63]"), "it says so too");
}

#[test]
fn the_papers_equations_are_told_step_by_step() {
    let sandbox = Sandbox::new();
    let said = sandbox.text("plan blake256 --equations");
    assert!(joined(&said).starts_with("blake256, the empty message: "), "{said}");
    for words in ["89,898", "STEP", "padding", "byte swap", "round/g", "1,020", "17.56 %"] {
        assert!(said.contains(words), "{words}: {said}");
    }
    let answer = sandbox.json("plan blake256 --equations --on s12x-xgate-2012 --length 0");
    assert_eq!(number(&answer["gain_with_slack"]), 89_898.0);
    let terms = answer["terms"].as_array().unwrap();
    let term = |name: &str| terms.iter().find(|term| term["name"] == name).unwrap();
    for (name, times, time) in
        [("padding", 1, 2213.0), ("byte swap", 1, 2005.0), ("round/g", 84, 1020.0)]
    {
        let term = term(name);
        assert_eq!((term["times"].as_u64(), number(&term["time"])), (Some(times), time), "{term}");
        assert!((number(&term["s"]) - 0.25).abs() < 1e-6, "{term}");
        // (3), from the figures that are told.
        let [t, c, s, tau] = ["time", "slack", "s", "exchange"].map(|field| number(&term[field]));
        let gain = t.min(c + t * (1.0 - s)) - tau;
        assert!((gain - number(&term["gain"])).abs() < 1e-3, "{term}");
    }
    let sum: f64 = terms.iter().map(|term| number(&term["total"])).sum();
    assert!((sum - number(&answer["gain"])).abs() < 1e-3, "{answer}");
    // An exchange of 100 cycles for each of 86 steps.
    let exchange = sandbox.json("plan blake256 --equations --tau 100");
    assert_eq!(number(&exchange["gain_with_slack"]), 89_898.0 - 8600.0);
    let dear = sandbox.text("plan blake256 --equations --tau 3000");
    assert!(dear.contains("gain -168,367 cycles, -137.2 %"), "{dear}");

    let said = sandbox.text("plan rc5 --equations");
    assert!(
        said.contains("26,016 cycles on both cores, 67.94 % saved, 9.30 % by parallelism"),
        "{said}"
    );
    let answer = sandbox.json("plan rc5 --equations");
    let parallel = number(&answer["saved_by_parallelism"]);
    assert!((parallel - 0.0930).abs() < 0.005, "{parallel}");
    // No wait is longer than the step that is waited for.
    for primitive in ["groestl256", "jh256", "md5", "sha1", "keccak256"] {
        let answer = sandbox.json(&format!("plan {primitive} --equations"));
        for term in answer["terms"].as_array().unwrap() {
            let [t, c, s] = ["time", "slack", "s"].map(|field| number(&term[field]));
            assert!(c >= -1e-6 && c <= s * t + 1e-3, "{primitive}: {term}");
        }
    }
}

/// The equations say of a measured time what `--table` says of it. If a primitive has no steps for
/// them, the error names those that have.
#[test]
fn the_equations_name_exceptions_and_primitives() {
    let sandbox = Sandbox::new();
    let why = "64-bit sums and rotations";
    assert!(joined(&sandbox.text("plan skein512-256 --equations")).contains(why));
    let answer = sandbox.json("plan skein512-256 --equations");
    assert!(answer["exception"].as_str().unwrap().starts_with(why), "{answer}");
    assert!(sandbox.json("plan blake256 --equations")["exception"].is_null());
    let refused = run(&sandbox, "plan ripemd160 --equations");
    assert!(refused.stderr.contains("it has such steps of md5, "), "{refused:?}");
}

/// The paper's Table II: 48 figures and RC5's, Skein apart.
#[test]
fn the_papers_table_is_one_command() {
    let sandbox = Sandbox::new();
    let answer = sandbox.json("plan --table");
    let rows = answer["rows"].as_array().unwrap();
    assert_eq!(rows.len(), 49);
    let table = include_str!("../../plan/tests/data/table-2.txt");
    let mut lines = table.lines().filter(|line| !line.starts_with('#'));
    let lengths: Vec<&str> = lines.next().unwrap().split_whitespace().skip(1).collect();
    let mut known = 0;
    for line in lines {
        let mut words = line.split_whitespace();
        let name = words.next().unwrap();
        for (length, percent) in lengths.iter().zip(words) {
            let row = rows.iter().find(|row| {
                row["primitive"] == name && row["length"] == length.parse::<u64>().unwrap()
            });
            let row = row.unwrap_or_else(|| panic!("{name}, {length} bytes"));
            let percent: f64 = percent.parse().unwrap();
            assert!((100.0 * number(&row["measured"]) - percent).abs() < 0.01, "{row}");
            let difference = number(&row["difference"]);
            let predicted = number(&row["predicted"]) - number(&row["measured"]);
            assert!((difference - 100.0 * predicted).abs() < 1e-9, "{row}");
            let exception = row["exception"].is_string();
            assert_eq!(exception, name == "skein512-256", "{row}");
            assert!(exception || difference.abs() <= 3.5, "{row}");
            known += 1;
        }
    }
    assert_eq!(known, 48);
    assert!(number(&answer["rmse"]) < 2.2, "{}", answer["answer"]);
    let said = sandbox.text("plan sha1 --table");
    assert!(said.lines().next().unwrap().contains("RMSE"), "{said}");
    let said = sandbox.text("plan skein512-256 --table");
    assert_eq!(said.matches("  exception\n").count(), 6, "{said}");
    assert!(said.contains("EXCEPTIONS\n  skein512-256: "), "{said}");
    let one = sandbox.json("plan RC5 --table");
    assert_eq!(one["rows"].as_array().unwrap().len(), 1);
    assert!((100.0 * number(&one["rows"][0]["measured"]) - 67.94).abs() < 0.01, "{one}");
}

/// A table from costs that nobody measured is marked as an estimate, and counts its exceptions.
#[test]
fn a_table_says_what_it_is() {
    let sandbox = Sandbox::new();
    let machine = platform_file("x86-two-threads");
    for (split, said) in [
        ("sha256 = { 0 = 900.5 }", "1 of 1 figure is predicted with an error of "),
        ("sha256 = { 0 = 900.5, exception = \"why\" }", "1 figure, an exception (estimate)\n"),
        (
            "sha256 = { 0 = 900.5, 64 = 1000, exception = \"why\" }",
            "2 figures, all of them exceptions (estimate)\n",
        ),
    ] {
        sandbox.write("split.toml", format!("{machine}\n[split]\n{split}\n"));
        let text = sandbox.text("plan --table --on split.toml");
        assert!(text.starts_with(said) && text.contains(" 900.5 "), "{text}");
        let (answer, _) = text.split_once("Two threads").unwrap();
        assert!(answer.ends_with("(estimate)\n"), "{text}");
    }
    let measured = sandbox.text("plan sha1 --table");
    assert!(!measured.contains("(estimate)"), "{measured}");
}

#[test]
fn what_does_not_go_together_is_refused() {
    let sandbox = Sandbox::new();
    sandbox.write("one.toml", platform_file("rp2040").split_once("[coprocessor]").unwrap().0);
    let two = platform_file("s12x-xgate-2012");
    sandbox.write("both.toml", two.replacen("endianness", "estimate = true\nendianness", 1));
    sandbox.write("word.toml", two.replacen("endianness", "estimate = 1\nendianness", 1));
    sandbox.write("split.toml", two.replacen("md5 = { 0 = 25672", "md6 = { 0 = 25672", 1));
    let function = "\"sha256.encryption\" = { 0 = 3 }\nmd5 = { 0 = 25672";
    sandbox.write("function.toml", two.replacen("md5 = { 0 = 25672", function, 1));
    sandbox.write("bytes.toml", two.replacen("md5 = { 0 = 25672", "md5 = { x = 25672", 1));
    for (args, words) in [
        ("sha256 --on unit --key-length 4", &["takes no key", "hmac-sha256"][..]),
        ("rc5 --on unit --key-length 4", &["leave out --key-length"]),
        ("rc5 --on unit --fixed-length", &["without padding"]),
        ("rc5 --on unit --messages 2", &["block cipher"]),
        ("hmac-sha256 --on unit --decrypt", &["hash function"]),
        ("hmac-shake128-3000 --on unit", &["digest no longer than a block"]),
        ("hmac-sha256 --on unit --key-length 1000000000", &["operations of hmac-sha256"]),
        ("sha256 --on unit --messages 1000001", &["at most 1000000"]),
        ("sha256 --on one.toml --messages 2", &["one core", "leave out --messages"]),
        ("sha256 --on one.toml --equations", &["one core"]),
        ("sha256 --messages 2", &["required"]),
        ("--equations", &["required"]),
        ("sha256 --equations --threads 2", &["cannot be used with"]),
        ("sha256 --equations --level step", &["cannot be used with"]),
        ("sha256 --on unit --tau 3", &["--equations"]),
        ("sha256 --equations --tau=-1", &["from 0 to 1e9"]),
        ("sha256 --table --length 3", &["cannot be used with"]),
        ("sha256 --table --on rp2040", &["nothing of sha256 was measured on both cores of rp2040"]),
        ("ripemd160 --table", &["nothing of ripemd160", "s12x-xgate-2012"]),
        ("--table --on split.toml", &["split.toml:98: no primitive `md6` in `split`", "`md5`"]),
        ("--table --on function.toml", &["function.toml: [split]", "`encryption`: write sha256"]),
        ("--table --on bytes.toml", &["bytes.toml:", "`x` is no number of bytes"]),
        ("md5 --on both.toml", &["both.toml:", "measured and are an estimate"]),
        ("md5 --on word.toml", &["word.toml:", "neither true nor false"]),
        ("md5 --on unit --level nodes", &["a similar value exists: 'node'"]),
        ("eta-t --threads 2 --key-length 3", &["one pairing", "leave out"]),
    ] {
        let ran = run(&sandbox, &format!("plan {args}"));
        assert_eq!(ran.status, Some(1), "{args}: {ran:?}");
        assert!(ran.stdout.is_empty(), "{args}: {ran:?}");
        let said = format!("{:#}", ran.stderr);
        for word in words {
            assert!(said.contains(word), "{args}: {ran:?}");
        }
    }
}
