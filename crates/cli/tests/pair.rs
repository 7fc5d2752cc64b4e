//! `manylane pair`.

mod common;

use common::{MANYLANE, Ran, Sandbox};
use manylane_kat::files;
use serde_json::Value;

/// Hexadecimal digits of a field element.
const DIGITS: usize = 306;

fn pair(sandbox: &Sandbox, args: &str) -> Ran {
    sandbox.run(MANYLANE, ["pair"].into_iter().chain(args.split_whitespace()))
}

fn text(ran: Ran) -> String {
    String::from_utf8(ran.good()).expect("digits")
}

/// The point that --hash makes.
fn point(sandbox: &Sandbox, name: &str) -> String {
    text(pair(sandbox, &format!("--hash {name}"))).trim_end().to_owned()
}

/// The negative of a compressed point: −(x, y) = (x, y + 1).
fn negative(point: &str) -> String {
    let tag = if point.starts_with("02") { "03" } else { "02" };
    format!("{tag}{}", &point[2..])
}

fn one() -> String {
    format!("{:0>DIGITS$}{}\n", 1, "0".repeat(3 * DIGITS))
}

/// A pair of the vectors in each form that a line may have, and its value.
struct Vector {
    forms: Vec<String>,
    value: String,
}

/// The vectors of `pairing/eta1223.json`; none where they are missing.
fn vectors() -> Vec<Vector> {
    let Some(bytes) = files::read("pairing/eta1223.json").unwrap() else { return Vec::new() };
    let vectors: Value = serde_json::from_slice(&bytes).expect("vectors in JSON");
    let digits = |value: &Value| format!("{:0>DIGITS$}", value.as_str().expect("digits"));
    let forms = |point: &Value| {
        if point.is_null() {
            return ["00", "00", "\"00\""].map(str::to_owned);
        }
        let (x, y) = (digits(&point[0]), digits(&point[1]));
        let odd = u8::from_str_radix(&y[DIGITS - 1..], 16).expect("a digit") % 2;
        [
            format!("0{}{x}", 2 + odd),
            format!("04{x}{y}"),
            format!("{{\"x\": \"{x}\", \"y\": \"{y}\"}}"),
        ]
    };
    let all = vectors["pairing"]["vectors"].as_array().expect("a list");
    all.iter()
        .map(|vector| {
            let ([p0, p1, p2], [q0, q1, q2]) = (forms(&vector["P"]), forms(&vector["Q"]));
            Vector {
                forms: vec![
                    format!("{p0} {q0}"),
                    format!("  {p1}\t{q0}\r"),
                    format!("{{\"p\": {p2}, \"q\": {q2}}}"),
                    format!("{{\"p\": \"{p0}\", \"q\": \"{q1}\"}}"),
                ],
                value: (0..4).map(|i| digits(&vector["e"][i])).collect(),
            }
        })
        .collect()
}

#[test]
fn values_are_those_of_the_vectors() {
    let sandbox = Sandbox::new();
    let vectors = vectors();
    let lines = vectors.iter().flat_map(|vector| &vector.forms);
    let file: String = lines.map(|line| format!("{line}\n\n")).collect();
    let expected: String =
        vectors.iter().flat_map(|v| v.forms.iter().map(|_| format!("{}\n", v.value))).collect();
    sandbox.write("pairs", &file);
    for options in ["", "--threads 3", "--engine scalar -j 2"] {
        assert_eq!(text(pair(&sandbox, &format!("pairs {options}"))), expected, "{options}");
    }
    let ran = sandbox.run_with_input(MANYLANE, ["pair", "-"], file.as_bytes());
    assert_eq!(text(ran), expected);

    let json = text(pair(&sandbox, "pairs --json --engine scalar"));
    let json: Value = serde_json::from_str(&json).unwrap();
    let values: String = json["values"]
        .as_array()
        .unwrap()
        .iter()
        .map(|v| format!("{}\n", v.as_str().unwrap()))
        .collect();
    assert_eq!(values, expected);
    assert_eq!((json["engine"].as_str(), json["product"].as_str()), (Some("scalar"), None));
    assert!(json["security"].as_str().unwrap().contains("59 bits"));

    for Vector { forms, value } in vectors.into_iter().take(3) {
        let ran = sandbox.run(MANYLANE, ["pair"].into_iter().chain(forms[0].split(' ')));
        assert_eq!(text(ran), format!("{value}\n"));
    }
}

/// e(P, Q) e(−P, Q) = 1, and nothing left out gives 1.
#[test]
fn products_are_of_all_lines() {
    let sandbox = Sandbox::new();
    let [p, q, r] = ["p", "q", "r"].map(|name| point(&sandbox, name));
    let minus_p = negative(&p);
    sandbox.write("one", format!("{p} {q}\n{q} {r}\n{minus_p} {q}\n{q} {}\n", negative(&r)));
    sandbox.write("other", format!("{p} {q}\n{q} {r}\n{minus_p} {q}\n"));
    sandbox.write("none", "\n");
    for options in ["", "--threads 2", "--engine scalar"] {
        let product = |file: &str| text(pair(&sandbox, &format!("--product {file} {options}")));
        assert_eq!(product("one"), one(), "{options}");
        assert_eq!(product("other"), text(pair(&sandbox, &format!("{q} {r}"))), "{options}");
        assert_eq!(product("none"), one());
    }
    assert_eq!(text(pair(&sandbox, "none")), "");
    let json: Value = serde_json::from_str(&text(pair(&sandbox, "--product one --json"))).unwrap();
    assert_eq!(json["product"].as_str().unwrap(), one().trim_end());
    assert_eq!((json["pairs"].as_u64(), json.get("values")), (Some(4), None));
}

#[test]
fn the_pairing_is_symmetric_and_of_infinity_1() {
    let sandbox = Sandbox::new();
    let [p, q] = ["p", "q"].map(|name| point(&sandbox, name));
    assert_ne!(p, q);
    let value = text(pair(&sandbox, &format!("{p} {q}")));
    assert_eq!(value, text(pair(&sandbox, &format!("{q} {p}"))));
    assert_eq!(value.len(), 4 * DIGITS + 1);
    assert_ne!(value, one());
    assert_eq!(text(pair(&sandbox, &format!("00 {p}"))), one());
    // Several texts at once, and JSON.
    let both = text(pair(&sandbox, "--hash p --hash q"));
    assert_eq!(both, format!("{p}\n{q}\n"));
    let json: Value = serde_json::from_str(&text(pair(&sandbox, "--hash p --json"))).unwrap();
    assert_eq!(json["points"][0].as_str(), Some(&p[..]));
}

#[test]
fn three_parties_agree() {
    let sandbox = Sandbox::new();
    let shown = text(pair(&sandbox, "--demo --seed 1"));
    assert!(shown.starts_with("SECURITY: ") && shown.contains("59 bits"), "{shown}");
    let keys: Vec<&str> = shown
        .lines()
        .filter_map(|line| line.split_once(" computes ")?.1.split_once(" = "))
        .map(|(_, key)| key)
        .collect();
    assert_eq!(keys.len(), 3, "{shown}");
    assert!(keys[0] == keys[1] && keys[1] == keys[2], "{shown}");
    assert_eq!(shown, text(pair(&sandbox, "--demo --seed 1 --engine scalar --threads 2")));
    assert_ne!(shown, text(pair(&sandbox, "--demo --seed 2")));
    #[cfg(unix)]
    assert_ne!(text(pair(&sandbox, "--demo")), text(pair(&sandbox, "--demo")));
    for line in shown.lines() {
        assert!(line.chars().count() <= 100, "{line}");
    }
}

/// The file, the line, the thing, the fault, and what to do.
#[test]
fn errors_name_the_line_the_thing_and_the_remedy() {
    let sandbox = Sandbox::new();
    let good = point(&sandbox, "p");
    let x = &good[2..];
    let zeros = "0".repeat(DIGITS);
    let ones = format!("80{}", "0".repeat(DIGITS - 2));
    for (line, words) in [
        (good.clone(), &["bad:3: one word", "two points"][..]),
        (format!("{good} {good} {good}"), &["bad:3: 3 words"]),
        (format!("{good} 02"), &["bad:3: Q: wrong length: 1 bytes", "154", "--hash"]),
        (format!("05{x} {good}"), &["bad:3: P: unknown form 0x05", "00, 02, 03 or 04"]),
        (format!("{good} 02{ones}"), &["bad:3: Q: not reduced", "--help"]),
        (format!("04{zeros}{x} {good}"), &["bad:3: P: not on the curve"]),
        (format!("04{zeros}{zeros} {good}"), &["bad:3: P: not in the subgroup of order r"]),
        (format!("{good} 0"), &["bad:3: Q: 1 hexadecimal digits", "two"]),
        (format!("{good} 02g0"), &["bad:3: Q: g at place 3 is no hexadecimal digit"]),
        (format!("{{\"p\": \"{good}\"}}"), &["bad:3: no pair", "missing field `q`"]),
        (format!("{{\"p\": \"{good}\", \"q\": 1}}"), &["bad:3: no pair", "a point is digits"]),
        (
            format!("{{\"p\": \"{good}\", \"q\": {{\"x\": \"{zeros}\", \"y\": \"{ones}\"}}}}"),
            &["bad:3: Q: y: not reduced"],
        ),
        (
            format!("{{\"p\": {{\"x\": \"00\", \"y\": \"{zeros}\"}}, \"q\": \"00\"}}"),
            &["bad:3: P: x: wrong length: 1 bytes", "153"],
        ),
    ] {
        sandbox.write("bad", format!("{good} {good}\n\n{line}\n{line}\n"));
        for options in ["", "--threads 4", "--product"] {
            let ran = pair(&sandbox, &format!("bad {options}"));
            assert_eq!((ran.status, ran.text()), (Some(1), ""), "{line}: {ran:?}");
            assert!(ran.stderr.starts_with("manylane: bad:3: "), "{line}: {ran:?}");
            for word in words {
                assert!(ran.stderr.contains(word), "{line}: {word}: {ran:?}");
            }
        }
    }
    sandbox.write("bad", b"00 00\n\xff\xfe 00\n");
    assert!(pair(&sandbox, "bad").stderr.contains("bad:2: this is no text"));
    let ran = sandbox.run_with_input(MANYLANE, ["pair", "-"], b"00 00 00\n");
    assert!(ran.stderr.contains("standard input:1: 3 words"), "{ran:?}");

    for (args, words) in [
        ("", &["required"][..]),
        ("nowhere", &["nowhere: No such file", "give two points, or a file"]),
        (&good, &["give two points, or a file"]),
        (&format!("{good} 0x00"), &["manylane: Q: x at place 2 is no hexadecimal digit"]),
        ("00 00 --engine neon2", &["neon2", "vpclmul"]),
        ("00 00 --engine sha-ni", &["sha-ni", "scalar"]),
        ("00 00 --seed 1", &["--demo"]),
        ("--demo --product", &["--product"]),
        ("00 00 --demo", &["cannot be used with"]),
    ] {
        let ran = pair(&sandbox, args);
        assert_eq!((ran.status, ran.text()), (Some(1), ""), "{args}: {ran:?}");
        for word in words {
            assert!(ran.stderr.contains(word), "{args}: {word}: {ran:?}");
        }
    }
}

#[test]
fn every_page_that_names_the_pairing_says_what_it_is_for() {
    let sandbox = Sandbox::new();
    for args in ["--help", "pair --help", "plan --help", "bench --help", "platforms"] {
        let command = args;
        let args = args.split_whitespace();
        let help =
            text(sandbox.run(MANYLANE, args)).split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(
            help.contains("pairing") && help.contains("research and teaching"),
            "{command}: {help}"
        );
    }
    let page = text(sandbox.run(MANYLANE, ["pair", "--help"]));
    assert!(page.contains("59 bits") && page.contains("BLS12-381"), "{page}");
}

/// The pairing in characteristic three: points from texts, values the definition's on any number of
/// threads, and each fault with its error.
#[test]
fn ternary_pairings() {
    use manylane_primitives::pairing::ternary::{
        Curve, Element, Eta97, Eta509, Point, pair as define,
    };
    use manylane_primitives::word::Words;

    fn read<C: Curve>(digits: &str) -> Element<C> {
        let (mut one, mut minus_one) = (C::Limbs::splat(0), C::Limbs::splat(0));
        assert_eq!(digits.len(), C::M);
        for (i, digit) in digits.bytes().rev().enumerate() {
            match digit {
                b'0' => {}
                b'1' => one.as_mut()[i / 64] |= 1 << (i % 64),
                b'2' => minus_one.as_mut()[i / 64] |= 1 << (i % 64),
                _ => panic!("{digits}"),
            }
        }
        Element::from_planes(one, minus_one).unwrap()
    }
    fn check<C: Curve>(sandbox: &Sandbox, field: &str) {
        let run = |args: &str| pair(sandbox, &format!("--field {field} {args}"));
        let made = text(run("--hash alice --hash bob"));
        let [p, q] = made.lines().collect::<Vec<_>>()[..] else { panic!("{made}") };
        let [dp, dq] = [p, q].map(|point| {
            let (x, y) = point.split_once(',').unwrap();
            Point::<Element<C>>::new(read(x), read(y))
        });
        let expected: Vec<_> = define(dp, dq).0.iter().flat_map(|c| c.0).collect();
        let value = text(run(&format!("{p} {q}")));
        let found: Vec<Element<C>> = (value.trim_end().as_bytes().chunks(C::M))
            .map(|digits| read(std::str::from_utf8(digits).unwrap()))
            .collect();
        assert_eq!(found, expected);
        // Whether a point is of the subgroup takes long in the larger field.
        if C::M > 97 {
            return;
        }
        assert_eq!(text(run(&format!("--threads 2 {p} {q}"))), value);
        let one = format!("{:0>width$}{}\n", 1, "0".repeat(5 * C::M), width = C::M);
        assert_eq!(text(run(&format!("{p} infinity"))), one);
        let (x, y) = p.split_once(',').unwrap();
        let (qx, qy) = q.split_once(',').unwrap();
        let point = |x: &str, y: &str| format!("{{\"x\": \"{x}\", \"y\": \"{y}\"}}");
        let swapped: String =
            y.chars().map(|c| if c == '0' { c } else { (b'3' - c as u8 + b'0') as char }).collect();
        let lines = format!(
            "{p} {q}\n{{\"p\": {}, \"q\": {}}}\n{x},{swapped} {q}\n",
            point(x, y),
            point(qx, qy)
        );
        sandbox.write("pairs", lines);
        let many = text(run("--threads 3 pairs"));
        assert_eq!(many.lines().collect::<Vec<_>>()[..2], [value.trim_end(); 2]);
        let product: Value = serde_json::from_slice(&run("--product --json pairs").good()).unwrap();
        // e(P, Q)² e(−P, Q) = e(P, Q).
        assert_eq!(product["product"].as_str(), Some(value.trim_end()), "{product}");
        assert_eq!(
            (product["pairs"].as_u64(), product["engine"].as_str()),
            (Some(3), Some("portable"))
        );
        assert_eq!(product["field"].as_str().unwrap().trim_start_matches("F_"), field);
        assert!(product["security"].as_str().unwrap().contains("Broken"), "{product}");

        for (args, words) in [
            (format!("{p},0 {q}"), "digit 0, 1 or 2"),
            (format!("{}3,{y} {q}", &x[1..]), "is no digit 0, 1 or 2"),
            (format!("{},{y} {q}", &x[1..]), "digits, where a coordinate"),
            (format!("{x} {q}"), "no comma"),
            (format!("{x},{x} {q}"), "not on the curve"),
            (format!("--engine scalar {p} {q}"), "engines that do: portable"),
            ("--demo".to_owned(), "F_2^1223"),
        ] {
            let ran = run(&args);
            assert_eq!(ran.status, Some(1), "{args}: {ran:?}");
            assert!(ran.stderr.contains(words), "{args}: {ran:?}");
        }
    }
    let sandbox = Sandbox::new();
    check::<Eta97>(&sandbox, "3^97");
    check::<Eta509>(&sandbox, "3^509");
    let ran = pair(&sandbox, "--field 3^5 a b");
    assert!(ran.status == Some(1) && ran.stderr.contains("3^509"), "{ran:?}");
}

/// An error, not all of the memory.
#[test]
#[cfg(unix)]
fn endless_lines_are_refused() {
    let sandbox = Sandbox::new();
    sandbox.write("long", "0".repeat(70_000));
    for file in ["/dev/zero", "long"] {
        let ran = pair(&sandbox, file);
        assert_eq!((ran.status, ran.stdout), (Some(1), Vec::new()));
        let said = format!("manylane: {file}:1: more than 65536 bytes, which no pair has; ");
        assert!(ran.stderr.starts_with(&said), "{}", ran.stderr);
    }
}

/// Points are made by a hash, which needs an engine too.
#[test]
fn a_wrong_cap_of_engines_is_named() {
    let sandbox = Sandbox::new();
    for args in [&["--hash", "a"][..], &["--hash", "a", "--field", "3^97"], &["00", "00"]] {
        let mut command = sandbox.command(MANYLANE);
        command.arg("pair").args(args).env("MANYLANE_MAX_ISA", "none");
        let output = command.output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!((output.status.code(), output.stdout), (Some(1), Vec::new()), "{said}");
        assert!(said.starts_with("manylane: MANYLANE_MAX_ISA is `none`, which is no "), "{said}");
    }
}
