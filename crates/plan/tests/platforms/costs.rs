//! The costs of operations and steps that a platform file gives.

use crate::GOOD;
use manylane_graph::framing::ByteOrder;
use manylane_graph::trace;
use manylane_graph::{Function, Op};
use manylane_plan::Platform;
use manylane_plan::costs::{CostError, UnitCosts};
use manylane_plan::platform::Basis;
use manylane_plan::program::ahead::Ahead;
use manylane_plan::program::shape::Shape;
use manylane_plan::units::{Level, Units};

fn costs(text: &str, function: &Function) -> Result<UnitCosts, CostError> {
    let platform = Platform::parse("p.toml", text).unwrap();
    UnitCosts::of(function, &Units::of(function, Level::Substep), &platform, None)
}

/// The origin of costs and the byte order as a file states them, and the defaults where it does
/// not.
#[test]
fn a_platform_says_where_its_costs_come_from() {
    let with = |line: &str| {
        let text = GOOD.replace("source = \"none\"", &format!("source = \"none\"\n{line}"));
        Platform::parse("p.toml", &text)
    };
    let basis = |line: &str| with(line).unwrap().basis;
    assert_eq!(basis(""), Basis::Estimate);
    assert_eq!(basis("estimate = true"), Basis::Estimate);
    assert_eq!(basis("estimate = false"), Basis::Defined);
    let by = "by rp2040js, 2026-11-22";
    assert_eq!(basis(&format!("measured = \"{by}\"")), Basis::Measured(by.to_owned()));
    let order = |line: &str| with(line).unwrap().order;
    let orders = ["", "endianness = \"little\"", "endianness = \"big\""].map(order);
    assert_eq!(orders, [ByteOrder::Little, ByteOrder::Little, ByteOrder::Big]);
    let split =
        "[split]\nmd5 = { 8 = 20, 0 = 10, exception = \"why\" }\n\"rc5-32-12-16.encryption\" = 3\n";
    let text = GOOD.to_owned() + split;
    let splits = Platform::parse("p.toml", &text).unwrap().splits;
    assert_eq!(splits[0].cycles, [(Some(0), 10.0), (Some(8), 20.0)]);
    assert_eq!(splits[0].exception.as_deref(), Some("why"));
    assert_eq!(
        (&splits[1].primitive[..], &splits[1].cycles[..]),
        ("rc5-32-12-16.encryption", &[(None, 3.0)][..])
    );
    for (line, problem) in [
        ("measured = \"\"", "p.toml:4: `measured` does not say by what"),
        ("measured = \"by me\"\nestimate = true", "p.toml:4: costs that were measured and are an"),
        ("estimate = \"no\"", "p.toml:4: `estimate` is neither true nor false"),
        ("endianness = \"Big\"", "p.toml:4: no byte order `Big`"),
        ("endianness = 3", "p.toml:4: `endianness` is no text"),
        ("split = { md6 = 3 }", "p.toml:4: no primitive `md6` in `split`"),
        ("split = { md5 = 3 }", "p.toml:4: a time of `md5` without the bytes of its message"),
        ("split = { hmac-md5 = 3 }", "p.toml:4: a time of `hmac-md5` without the bytes of its"),
        ("split = { md5 = { x = 1 } }", "p.toml:4: `x` is no number of bytes"),
        ("split = { md5 = { 0 = 0 } }", "p.toml:4: 0 is not positive"),
        ("split = { md5 = { exception = 1 } }", "p.toml:4: `exception` is no text"),
        ("split = { md5 = { exception = \" \" } }", "p.toml:4: `exception` gives no reason"),
        ("programs = { md5 = 3 }", "p.toml:4: integer instead of a table"),
        ("programs = { md5 = { } }", "p.toml:4: no `block` in `program`"),
        ("programs = { md5 = { block = 0 } }", "p.toml:4: 0 is not positive"),
        ("programs = { md5 = { block = 1, held = -1 } }", "p.toml:4: -1 is less than 0"),
        (
            "programs = { md5 = { block = 1, program = \"x\" } }",
            "p.toml:4: no identity of a program",
        ),
        ("shares = { md5 = { main = 1, second = 1 } }", "p.toml:4: no `program` in `program`"),
        (
            "shares = { md5 = { program = \"0123456789abcdef\", main = 1, second = 1, \
             main_parts = [1] } }",
            "p.toml:4: no `second_parts` in `program`",
        ),
        (
            "shares = { md5 = { program = \"0123456789abcdef\", main = 1, second = 1, \
             main_parts = 1, second_parts = [1] } }",
            "p.toml:4: no list of cycles",
        ),
        (
            "shares = { md5 = { program = \"0123456789abcdef\", main = 1, second = 1, \
             main_parts = [1, -1], second_parts = [1] } }",
            "p.toml:4: -1 is less than 0",
        ),
        (
            "shares = { md5 = { program = \"0123456789abcdef\", main = 1, second = 1, \
             main_parts = [1], second_parts = [1], accesses = [1] } }",
            "p.toml:4: not one number for each core",
        ),
        (
            "shares = { md5 = { program = \"0123456789abcdef\", main = 1, second = 1, \
             begin = -1, main_parts = [1], second_parts = [1] } }",
            "p.toml:4: -1 is less than 0",
        ),
        ("keys = { hmac-md5 = { main = 1, second = 1 } }", "p.toml:4: no `program` in `program`"),
        (
            "keys = { hmac-md5 = { program = \"0123456789abcdef\", main = 0 } }",
            "p.toml:4: 0 is not positive",
        ),
        (
            "streams = { rc5 = { program = \"0123456789abcdef\", key = 1, whole = 1 } }",
            "p.toml:4: no `main` in `program`",
        ),
        (
            "streams = { rc5 = { program = \"0123456789abcdef\", key = 1, whole = 1, main = [1], \
             second = [1, 2] } }",
            "p.toml:4: not two numbers",
        ),
        ("banks = 0", "p.toml:4: no number of banks"),
        ("banks = 1.5", "p.toml:4: no number of banks"),
    ] {
        let error = with(line).unwrap_err().to_string();
        assert!(error.starts_with(problem), "{line}: {error}");
    }
}

#[test]
fn a_missing_cost_names_operation_and_width() {
    let sha1 = trace::compression("sha1".parse().unwrap());
    let error = costs(&GOOD.replace("rotl = 1\n", ""), &sha1).unwrap_err().to_string();
    let expected = "p.toml:7: no cost of `rotl` on words of 32 bits; add `rotl = …` to this table";
    assert_eq!(error, expected);
}

/// Overlaps of patterns that the file alone does not show are found in the function's graph.
#[test]
fn overrides_inside_each_other_are_refused() {
    let text =
        GOOD.replace("like = \"md5\"", "round = 5\ng = 2").replace("not = 1", "not = 1\nrotr = 1");
    let blake = trace::compression("blake256".parse().unwrap());
    let error = costs(&text, &blake).unwrap_err().to_string();
    let expected =
        "p.toml:25: a cycle of overrides: `round[0]/g[0]` lies in a step overridden in line 24";
    assert!(error.starts_with(expected), "{error}");
}

/// Among a section's times the one with the most precise pattern counts, wherever it stands. A
/// section's own times override those that it takes over with `like`.
#[test]
fn a_step_has_one_time() {
    let md5 = trace::compression("md5".parse().unwrap());
    let (head, _) = GOOD.split_once("[steps.md5]").unwrap();
    let work = |steps: &str| match costs(&format!("{head}[steps.md5]\n{steps}\n"), &md5) {
        Ok(costs) => Ok(costs.work(0)),
        Err(error) => Err(error.to_string()),
    };
    let (all, sums) = (6400.0, 4.0);
    for (steps, rounds) in [
        ("round = 100", all),
        ("round = 100\n'round[3]' = 150", all + 50.0),
        ("round = 100\n'padding | round[3]' = 150", all + 50.0),
        ("like = 'sha256'\nround = 100\n[steps.sha256]\n'round | padding' = 60", all),
        ("like = 'sha256'\n'round[3]' = 150\n[steps.sha256]\nround = 100", all + 50.0),
    ] {
        assert_eq!(work(steps), Ok(rounds + sums), "{steps}");
    }
    for (steps, problem) in [
        (
            "'X + T[0]' = 5\n'round/X + T' = 6",
            "p.toml:22: two times of `round[0]/X + T[0]`: that of `round/X + T` in line 22 and \
             that of `X + T[0]` in line 21; keep one",
        ),
        (
            "round = { total = 640 }\n'round[3]' = 10",
            "p.toml:22: two times of `round[3]`: that of `round[3]` in line 22 and that of `round` \
             in line 21; keep one",
        ),
    ] {
        let error = work(steps).unwrap_err();
        assert!(error.starts_with(problem), "{error}");
    }
}

#[test]
fn measured_times_override_and_totals_scale_the_rest() {
    let text = GOOD.replace("round = 100", "round = { each = 100, coprocessor = 30 }");
    let platform = Platform::parse("p.toml", &text).unwrap();
    let md5 = trace::compression("md5".parse().unwrap());
    let units = Units::of(&md5, Level::Step);
    let costs = UnitCosts::of(&md5, &units, &platform, None).unwrap();
    assert!((costs.work(0) - (64.0 * 100.0 + 4.0)).abs() < 1e-9, "rounds and four sums");
    assert!((costs.work(1) - (64.0 * 30.0 + 4.0 * 0.5)).abs() < 1e-9);
    let scaled = UnitCosts::of(&md5, &units, &platform, Some(6800.0)).unwrap();
    assert!((scaled.work(0) - 6800.0).abs() < 1e-9);
    assert!((scaled.work(1) - (64.0 * 30.0 + 200.0)).abs() < 1e-9);
    let error = UnitCosts::of(&md5, &units, &platform, Some(10.0)).unwrap_err().to_string();
    assert!(error.contains("the measured steps take 6400") && error.contains("only 10"), "{error}");

    let text = text.replace("each = 100", "total = 640");
    let platform = Platform::parse("p.toml", &text).unwrap();
    let together = UnitCosts::of(&md5, &units, &platform, None).unwrap();
    assert!((together.work(0) - 644.0).abs() < 1e-9);
    let of_block = platform.of_block(2);
    let together = UnitCosts::of(&md5, &units, &of_block, None).unwrap();
    assert!((together.work(0) - 324.0).abs() < 1e-9, "one of the message's two blocks");
    // However its rounds are rolled, a program takes this time once.
    let md5 = trace::literal_compression("md5".parse().unwrap());
    for unroll in [1, 4, 16] {
        let one = Shape { unroll: Some(unroll), ..Shape::default() }.one(&md5);
        let all = Ahead::of(&one.rolled, ByteOrder::Little, &platform).unwrap().unwrap().all;
        assert!((all - 644.0).abs() < 1e-6, "{unroll}: {all}");
    }
}

#[test]
fn costs_are_those_of_the_file() {
    let platform = Platform::load("s12x-xgate-2012").unwrap();
    assert_eq!(platform.cost(0, Op::Xor, 32).unwrap(), 30.0);
    assert_eq!(platform.cost(1, Op::Xor, 32).unwrap(), 7.5);
    assert_eq!(16.0 * platform.cost(0, Op::SwapBytes, 32).unwrap(), 2005.0);
}
