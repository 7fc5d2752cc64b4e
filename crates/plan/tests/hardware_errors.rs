//! Errors in a request or in a delay model name the remedy.

use manylane_graph::builder::Builder;
use manylane_graph::{Role, trace};
use manylane_plan::hardware::{Adders, BUILT_IN, DelayModel, Options, Precompute, plan};
use manylane_plan::source::{BuiltIn, Source};

fn refused(name: &str, options: Options) -> String {
    let graph = trace::compression(name.parse().unwrap());
    let model = DelayModel::load("gate").unwrap();
    plan(&graph, &options, &model).unwrap_err().to_string()
}

#[test]
fn impossible_options() {
    let merge = |merge| Options { merge, ..Options::default() };
    let stages = |merge, stages| Options { merge, stages, ..Options::default() };
    let cases = [
        (
            "sha256",
            merge(0),
            "64 steps cannot be merged 0 to a clock; possible are 1, 2, 4, 8, 16, 32, 64",
        ),
        ("blake256", merge(4), "14 steps cannot be merged 4 to a clock; possible are 1, 2, 7, 14"),
        (
            "keccak256",
            merge(48),
            "24 steps cannot be merged 48 to a clock; possible are 1, 2, 3, 4, 6, 8, 12, 24",
        ),
        (
            "sha1",
            stages(2, 3),
            "40 clocks per block cannot be divided into 3 stages; \
             possible are 1, 2, 4, 5, 8, 10, 20, 40",
        ),
        (
            "groestl256",
            stages(5, 4),
            "2 clocks per block cannot be divided into 4 stages; possible are 1, 2",
        ),
        (
            "groestl256",
            stages(5, 0),
            "2 clocks per block cannot be divided into 0 stages; possible are 1, 2",
        ),
        ("md5", stages(64, 2), "1 clock per block cannot be divided into 2 stages; possible is 1"),
    ];
    for (name, options, message) in cases {
        assert_eq!(refused(name, options), message);
    }
}

#[test]
fn functions_without_rounds() {
    let model = DelayModel::load("gate").unwrap();
    let mut b = Builder::new("sum");
    let args = [b.input("x", Role::Message, 32), b.input("y", Role::Message, 32)];
    let sum = b.op(manylane_graph::Op::Add, &args);
    b.output("z", sum);
    let error = plan(&b.finish(), &Options::default(), &model).unwrap_err().to_string();
    assert_eq!(error, "sum has no rounds to merge; plan a compression");
    let message = trace::message("sha256".parse().unwrap(), 3, trace::Loading::Ordered);
    let error = plan(message.main(), &Options::default(), &model).unwrap_err().to_string();
    assert_eq!(error, "sha256.message calls other functions; inline them first");
}

#[test]
fn unknown_names() {
    let error = DelayModel::load("gatez").unwrap_err().to_string();
    assert_eq!(
        error,
        "no delay model `gatez`: did you mean `generic-gates`? (or give the path of a .toml file)"
    );
    let error = DelayModel::load("xyz").unwrap_err().to_string();
    assert_eq!(
        error,
        "no delay model `xyz`: known are unit-adder, generic-gates, ecp5, ice40 (or give the path \
         of a .toml file)"
    );
    assert_eq!((Adders::by_name("chains"), Precompute::by_name("kv")), (None, None));
    for adders in Adders::ALL {
        assert_eq!(Adders::by_name(&adders.to_string()), Some(adders));
    }
    for precompute in Precompute::ALL {
        assert_eq!(Precompute::by_name(&precompute.to_string()), Some(precompute));
    }
}

/// A model is found by the names that chips and others have for it.
#[test]
fn models_have_other_names() {
    for (name, model) in [
        ("gate", "generic-gates"),
        ("gates", "generic-gates"),
        ("ecp5-85k", "ecp5"),
        ("ice40-hx8k", "ice40"),
    ] {
        assert_eq!(DelayModel::load(name).unwrap().name, model);
    }
    let error = DelayModel::load("rp2040").unwrap_err().to_string();
    assert!(error.contains("that is the name of a platform"), "{error}");
}

#[test]
fn built_in_models_have_their_names() {
    for BuiltIn { name, .. } in BUILT_IN {
        assert_eq!(DelayModel::load(name).unwrap().name, name);
    }
}

/// The gate model with one line replaced: where, what, and what to do.
fn changed(line: &str, by: &str) -> String {
    let text = BUILT_IN[1].text;
    assert!(text.contains(line), "{line}");
    let text = text.replacen(line, by, 1);
    DelayModel::parse(Source { file: "mine.toml", text: &text }).unwrap_err().to_string()
}

#[test]
fn wrong_models() {
    let xor = "\nxor = 2\n";
    let cases = [
        (xor, "\n", "[delay]", "`xor` is missing in [delay]; write `xor = ` and a number"),
        ("unit = \"gate\"", "unit = \" \"", "unit = ", "`unit` is empty; say what it is called"),
        (
            "title = \"unit",
            "title = \"\\u001b[2Junit",
            "title = ",
            "`title` has control characters; write it in one line",
        ),
        (xor, "\nxor = -2\n", "xor = -2", "the cost of `xor` is -2; a cost is zero or more"),
        (xor, "\nxor = nan\n", "xor = nan", "the cost of `xor` is NaN; a cost is zero or more"),
        (xor, "\nxor = \"2\"\n", "xor = \"2\"", "the cost of `xor` is no number; write"),
        (xor, "\nxor = { 32 = 2 }\n", "xor = {", "`xor` has no cost for words of 8 bits; write"),
        (
            xor,
            "\nxor = { 8 = 1, 16 = 1, 32 = 1, 64 = 1, 128 = 1 }\n",
            "xor = {",
            "`xor` has a cost for words of `128` bits; words have 8, 16, 32 or 64",
        ),
        (xor, "\nxor = 2\nxorr = 1\n", "xorr", "[delay] has no `xorr`; did you mean `xor`"),
        ("\nlast = 2\n", "\n", "[compress]", "`last` is missing in [compress]; write"),
        (
            "kind = \"delay\"",
            "kind = \"cores\"",
            "kind",
            "this is of kind `cores`, no delay model; a delay model has kind = \"delay\"",
        ),
    ];
    for (line, by, at, message) in cases {
        let error = changed(line, by);
        let text = BUILT_IN[1].text.replacen(line, by, 1);
        let number = 1 + text.lines().position(|line| line.starts_with(at)).unwrap();
        let expected = format!("mine.toml:{number}: {message}");
        assert!(error.starts_with(&expected), "{error}\nnot\n{expected}");
    }
    assert!(changed("[area]", "[areas]").contains("unknown field `areas`"));
}
