//! Plans depend on the kinds of steps and not on their names, unless a paper's data name primitive
//! and step.

use manylane_graph::passes::inline;
use manylane_graph::trace::{self, Loading};
use manylane_graph::{Function, Module};
use manylane_plan::Platform;
use manylane_plan::assignments::Assignments;
use manylane_plan::costs::UnitCosts;
use manylane_plan::two_core::{Options, Plan, in_lanes, plan, policy};
use manylane_plan::units::{Level, Units};
use manylane_primitives::catalog::{Algorithm, HashId};
use manylane_primitives::word::ByteOrder;

fn compression(name: &str) -> Function {
    trace::compression(name.parse().unwrap())
}

/// The function with another name.
fn named(function: &Function, name: &str) -> Function {
    let mut function = function.clone();
    function.name = name.to_owned();
    function
}

/// The function under a name that no catalogue has, in which every step is called otherwise.
fn renamed(function: &Function) -> Function {
    let mut names: Vec<&str> = function.steps()[1..].iter().map(|step| &step.name[..]).collect();
    names.sort_unstable();
    names.dedup();
    // The longest first: `round of P` before `round`.
    names.sort_by_key(|name| std::cmp::Reverse(name.len()));
    let mut text = Module::of(named(function, "own.compression")).to_string();
    for (i, name) in names.iter().enumerate() {
        // The order of the new names is not that of the old ones.
        let new = format!("{}{i}[", (b'z' - i as u8) as char);
        for before in ["step ", "@ ", "/"] {
            text = text.replace(&format!("{before}{name}["), &format!("{before}{new}"));
        }
    }
    let module: Module = text.parse().unwrap();
    let function = module.main().clone();
    assert!(function.steps()[1..].iter().all(|step| !names.contains(&&step.name[..])));
    function
}

/// Two equal cores by round figures, which no measurement changes.
const TWO_M0: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/two-m0.toml");

fn quick() -> Options {
    Options { effort: 200_000, ..Options::default() }
}

fn planned(function: &Function, platform: &str) -> Plan {
    plan(function, &Platform::load(platform).unwrap(), quick()).unwrap()
}

#[test]
fn names_of_steps_change_no_plan() {
    for name in ["md5", "sha256", "blake256", "groestl256", "keccak256", "skein512", "ripemd160"] {
        let function = compression(name);
        for platform in ["unit", TWO_M0] {
            let [own, other] = [&function, &renamed(&function)].map(|f| planned(f, platform));
            assert_eq!(own.best().cycles, other.best().cycles, "{name} on {platform}");
            assert_eq!(own.best().cores, other.best().cores, "{name} on {platform}");
            assert_eq!(own.limit, other.limit, "{name} on {platform}");
            let paper = "the paper's assignment";
            assert!(other.candidates.iter().all(|candidate| candidate.name != paper));
        }
    }
    let jh = in_lanes(compression("jh256"), &Platform::load(TWO_M0).unwrap());
    let [own, other] = [&jh, &renamed(&jh)].map(|function| planned(function, TWO_M0));
    assert_eq!(own.best().cores, other.best().cores);
}

/// A paper's assignment does not apply to a function that it does not name, even if its steps are
/// those of BLAKE.
#[test]
fn no_paper_speaks_of_what_it_does_not_name() {
    let blake = compression("blake512");
    let assigned = |function: &Function| {
        let units = Units::of(function, Level::Substep);
        policy::assign(function, &units).is_some()
    };
    for name in ["blake512.compression", "blake512", "blake384.message"] {
        assert!(assigned(&named(&blake, name)), "{name}");
    }
    let strangers =
        ["blake2b.compression", "blake512x", "blake5", "own", "sha256.compression", "blake512-b"];
    for name in strangers {
        assert!(!assigned(&named(&blake, name)), "{name}");
    }
    // Step and kind must both be the paper's.
    let text = Module::of(blake).to_string();
    let others = [text.replace("/g[", "/G["), text.replace("]: part", "]: injection")];
    for other in others {
        let module: Module = other.parse().unwrap();
        assert!(!assigned(module.main()));
    }
    assert!(!assigned(&compression("ripemd160")), "the paper has no RIPEMD");
    let message = inline(&trace::message("jh256".parse().unwrap(), 0, Loading::Buffered));
    assert!(!assigned(&message), "the paper divides lanes, which are no steps here");
    assert!(assigned(&in_lanes(message, &Platform::load("s12x-xgate-2012").unwrap())));
    let digest = trace::message("skein512-256".parse().unwrap(), 0, Loading::Buffered);
    assert!(assigned(&inline(&digest)), "a length of the digest may follow the name");
}

/// Every name in the files is one of the catalogue, and every share is about steps that there are.
#[test]
fn assignments_are_about_what_there_is() {
    let platform = Platform::load("s12x-xgate-2012").unwrap();
    for paper in Assignments::built_in() {
        for assignment in &paper.all {
            for name in &assignment.primitives {
                let function = match HashId::ALL.iter().find(|id| id.name() == name) {
                    Some(&id) => inline(&trace::message(Algorithm::new(id), 0, Loading::Buffered)),
                    None => {
                        assert_eq!(name, "rc5", "no name of the catalogue");
                        trace::rc5::<u32>(trace::Rc5::Encryption, 12, 4)
                    }
                };
                let function = in_lanes(function, &platform);
                let steps = (0..function.steps().len() as u32).map(manylane_graph::StepId);
                let steps: Vec<_> = steps.collect();
                for share in &assignment.steps {
                    let found = steps.iter().any(|&step| share.is_about(&function, step));
                    assert!(found, "{name} has no step {} of kind {:?}", share.path, share.kind);
                }
                assert!(!paper.of(&function).is_empty(), "{name}");
            }
        }
    }
}

/// The names of the units on the coprocessor that begin with `prefix`.
fn on_coprocessor(units: &Units, cores: &[u8], prefix: &str) -> Vec<String> {
    let there = units.units.iter().zip(cores).filter(|&(_, &core)| core == 1);
    let there = there.map(|(unit, _)| unit.name.as_str());
    there.filter(|name| name.starts_with(prefix)).map(str::to_owned).collect()
}

/// §III.D: "for two core architectures (both cores equal in computational power) each core will
/// take care of updating two columns and diagonals respectively".
#[test]
fn shares_are_those_of_the_platform() {
    let blake = compression("blake256");
    let units = Units::of(&blake, Level::Substep);
    let columns = |platform: &Platform| -> Vec<usize> {
        let costs = UnitCosts::of(&blake, &units, platform, None).unwrap();
        let all = policy::scaled(&blake, &units, &costs).into_iter();
        let of_round = |cores: Vec<u8>| {
            let there = on_coprocessor(&units, &cores, "round[3]/g[");
            assert!(there.iter().all(|name| !name.contains("/g[0]") && !name.contains("/g[4]")));
            there.iter().filter(|name| name.ends_with(']') && !name.contains('^')).count()
        };
        all.map(of_round).collect()
    };
    let mut platform = Platform::load("s12x-xgate-2012").unwrap();
    assert_eq!(columns(&platform), [6], "three of four, as in the paper");
    platform.cores[1].speed = 0.5;
    assert_eq!(columns(&platform), [4, 6], "2.67 of four, rounded down and up");
    assert_eq!(columns(&Platform::load(TWO_M0).unwrap()), [4], "two of four");
    platform.cores[1].speed = 20.0;
    assert_eq!(columns(&platform), [2], "none of four is no assignment");
}

/// The paper's shares are those of its own machine: on equal cores 3 of 4 columns save 17.8 %,
/// where 2 of 4 save 42.
#[test]
fn equal_cores_share_alike() {
    let two_m0 = Platform::load(TWO_M0).unwrap();
    let loading = Loading::Native(ByteOrder::Little);
    let gains = |name: &str| {
        let message = inline(&trace::message(name.parse().unwrap(), 64, loading));
        let plan = plan(&in_lanes(message, &two_m0), &two_m0, quick()).unwrap();
        let of = |name: &str| {
            let candidate = plan.candidates.iter().find(|candidate| candidate.name == name);
            100.0 * candidate.map_or(0.0, |candidate| candidate.saved)
        };
        [100.0 * plan.saved.of_main, of("the paper's assignment"), of("shares by kinds of steps")]
    };
    for (name, least, least_best) in [
        ("blake256", 41.0, 42.0),
        ("jh256", 49.0, 49.0),
        ("skein512", 38.0, 38.0),
        ("groestl256", 24.0, 25.0),
    ] {
        let [best, by_paper, by_kinds] = gains(name);
        let found = format!("{name}: {best:.2}, {by_paper:.2}, {by_kinds:.2}");
        assert!(by_paper >= least && by_kinds >= least && best >= least_best, "{found}");
        assert!(best >= by_paper.max(by_kinds), "{found}");
    }
}

const GOOD: &str = r#"kind = "assignments"
name = "paper"
speed = 0.5

[[assignment]]
primitives = ["md5"]
section = "1"
steps = [
    { path = "round", kind = "round", main = 1, of = 2 },
]
"#;

#[test]
fn errors_of_assignments_name_file_and_line() {
    let good = Assignments::parse("a.toml", GOOD).unwrap();
    assert_eq!((good.speed, good.all.len(), good.all[0].steps[0].of), (0.5, 1, 2));
    let cases = [
        ("kind = \"assignments\"", "kind = \"platform\"", "a.toml:1: ", "of kind `platform`"),
        ("speed = 0.5", "speed = 0.0", "a.toml:3: ", "a speed of 0"),
        ("speed = 0.5", "speed = nan", "a.toml:3: ", "a speed of NaN"),
        ("speed = 0.5", "", "a.toml:1: ", "missing field `speed`"),
        ("\"md5\"", "\"MD 5\"", "a.toml:6: ", "`MD 5` is no name"),
        ("\"md5\"", "5", "a.toml:6: ", "invalid type"),
        ("section", "chapter", "a.toml:7: ", "unknown field `chapter`"),
        ("path = \"round\"", "path = \"a//b\"", "a.toml:9: ", "`` is no step"),
        ("kind = \"round\"", "kind = \"rounds\"", "a.toml:9: ", "did you mean `round`?"),
        ("main = 1", "main = 2", "a.toml:9: ", "2 of 2 stay on the main core"),
        ("of = 2", "of = 0", "a.toml:9: ", "1 of 0 stay on the main core"),
        ("of = 2", "of = -2", "a.toml:9: ", "invalid value"),
        ("[[assignment]]", "[[assignment]", "a.toml:5: ", "see docs/platforms.md"),
    ];
    for (from, to, place, problem) in cases {
        let text = GOOD.replacen(from, to, 1);
        assert_ne!(text, GOOD);
        let error = Assignments::parse("a.toml", &text).unwrap_err().to_string();
        assert!(error.starts_with(place) && error.contains(problem), "{to}: {error}");
    }
}
