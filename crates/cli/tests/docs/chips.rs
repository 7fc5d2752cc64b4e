//! The tables of `docs/hardware.md` and `docs/synthesis.md` of cores on chips, made of the newest
//! records of `tools/synth-cores.sh`.

use crate::{newest, thousands};
use serde_json::Value;
use std::fmt::Write;

/// What a record of `manylane synth --json` says of a core.
struct Core(Value);

impl Core {
    fn text(&self, of: &str) -> &str {
        self.0[of].as_str().unwrap_or_else(|| panic!("{of} of {}", self.0))
    }

    fn number(&self, of: &str) -> f64 {
        self.0[of].as_f64().unwrap_or_else(|| panic!("{of} of {}", self.0))
    }

    fn area(&self) -> f64 {
        self.0["area"]["value"].as_f64().unwrap()
    }

    fn flip_flops(&self) -> f64 {
        self.0["cells"]["flip_flops"].as_f64().unwrap()
    }

    fn option(&self, of: &str) -> String {
        let option = &self.0["options"][of];
        option.as_str().map_or_else(|| option.to_string(), str::to_owned)
    }

    /// The clock of each seed in MHz, in order of the clocks.
    fn clocks(&self) -> Vec<f64> {
        let placed = self.0["placed"].as_array().unwrap().iter();
        let mut clocks: Vec<f64> = placed.map(|seed| seed["mhz"].as_f64().unwrap()).collect();
        clocks.sort_by(f64::total_cmp);
        clocks
    }

    /// The command's words that are no defaults, without its target and folder.
    fn command(&self) -> String {
        let words: Vec<&str> = self.text("command").split_whitespace().skip(3).collect();
        let (primitive, options) = words.split_first().unwrap();
        let said = options.chunks(2).filter(|option| match option {
            ["--lang" | "--reset" | "--target" | "-o", _] => false,
            ["--stages", stages] => *stages != "1",
            _ => true,
        });
        said.fold(primitive.to_string(), |out, option| out + " " + &option.join(" "))
    }
}

fn whole(value: f64) -> String {
    thousands(value.round() as usize)
}

/// The newest record of cores on a chip, or what is to be said where there is none.
fn record(chip: &str) -> Result<Value, String> {
    newest(&format!("-{chip}.json")).ok_or_else(|| {
        format!("There is no record yet: `tools/synth-cores.sh {chip} --record` makes it.")
    })
}

fn cores(record: &Value, target: &str) -> Vec<Core> {
    let cores: Vec<_> = record["results"].as_array().unwrap().iter().cloned().map(Core).collect();
    cores.iter().for_each(|core| assert_eq!(core.text("target"), target));
    cores
}

/// On an iCE40: the cores that fit, and then those that do not and why.
pub fn small() -> String {
    let record = match record("ice40") {
        Ok(record) => record,
        Err(none) => return none,
    };
    let mut out = String::from(
        "| core | adders, ahead | LC | flip-flops | MHz (seeds) | Mbit/s | one alone |\n\
         |---|---|--:|--:|--:|--:|--:|\n",
    );
    for core in cores(&record, "ice40-hx8k") {
        let clocks = core.clocks();
        writeln!(
            out,
            "| {} | {}, `{}` | {} | {} | {:.1} ({:.1} to {:.1}) | {} | {} |",
            core.text("primitive"),
            core.option("adders"),
            core.option("precompute"),
            whole(core.area()),
            whole(core.flip_flops()),
            core.number("mhz"),
            clocks[0],
            clocks[clocks.len() - 1],
            whole(core.number("mbps")),
            whole(core.number("mbps_alone")),
        )
        .unwrap();
    }
    out.push_str("\nThe chip has no room for these, or none for their wires:\n\n");
    for failed in record["failed"].as_array().unwrap() {
        let why = failed["why"].as_str().unwrap();
        let (core, why) = match why.split_once(" does not fit ice40-hx8k: ") {
            Some((core, why)) => (core, why.to_owned()),
            None => {
                let (core, tool) = why.split_once(": ").expect("the core, and what was said of it");
                let (stopped, _) = tool.split_once(": give it more").expect("it took too long");
                (core, stopped.to_owned())
            }
        };
        writeln!(out, "- {core}: {why};").unwrap();
    }
    let end = out.trim_end_matches([';', '\n']).len();
    out.truncate(end);
    out + "."
}

/// Cores of others and ours, each built in several ways.
fn beside_others() -> Vec<Value> {
    let record = newest("-ecp5-cores-of-others.json").expect("a record");
    record["rows"].as_array().unwrap().clone()
}

/// On an ECP5: cores of others, built as ours are, and as the tools do by themselves.
pub fn others() -> String {
    let mut out = String::from(
        "| core of others | LUT4 | flip-flops | MHz, each seed | Mbit/s | Mbit/s per 1,000 LUT4 | \
         left to the tools |\n|---|--:|--:|--:|--:|--:|--:|\n",
    );
    for row in beside_others() {
        let name = row["name"].as_str().unwrap();
        if name.starts_with("manylane ") {
            continue;
        }
        let core = Core(row["ours"].clone());
        let default = row.get("default").map(|built| {
            let built = Core(built.clone());
            format!("{} Mbit/s, {} LUT4", whole(built.number("mbps")), whole(built.area()))
        });
        writeln!(
            out,
            "| {name} | {} | {} | {} | **{}** | {} | {} |",
            whole(core.area()),
            whole(core.flip_flops()),
            seeds(&core),
            whole(core.number("mbps")),
            whole(1e3 * core.number("mbps") / core.area()),
            default.unwrap_or_default(),
        )
        .unwrap();
    }
    out
}

/// What placing by forces gains over the default placer, netlist by netlist.
pub fn placers() -> String {
    let mut out = String::from(
        "| core | LUT4 | MHz by HeAP | by forces | gain of the median |\n|---|--:|--:|--:|--:|\n",
    );
    for row in beside_others() {
        let [Some(heap), Some(forces)] = ["heap", "ours"].map(|flow| row.get(flow)) else {
            continue;
        };
        assert_eq!(heap["cells"], forces["cells"], "one netlist");
        let [heap, forces] = [heap, forces].map(|built| Core(built.clone()));
        writeln!(
            out,
            "| {} | {} | {} | {} | {:+.1} % |",
            row["name"].as_str().unwrap(),
            whole(forces.area()),
            seeds(&heap),
            seeds(&forces),
            100.0 * (forces.number("mhz") / heap.number("mhz") - 1.0),
        )
        .unwrap();
    }
    out
}

/// The clocks of all seeds in words.
fn seeds(core: &Core) -> String {
    let clocks: Vec<_> = core.clocks().iter().map(|mhz| format!("{mhz:.1}")).collect();
    clocks.join(", ")
}

/// On an ECP5: every core, with each seed's clock.
pub fn large() -> String {
    let record = match record("ecp5") {
        Ok(record) => record,
        Err(none) => return none,
    };
    let mut out = String::from(
        "| core | LUT4 | flip-flops | MHz, each seed | Mbit/s | one alone | Mbit/s per 1,000 LUT4 \
         |\n\
         |---|--:|--:|--:|--:|--:|--:|\n",
    );
    for core in cores(&record, "ecp5-85k") {
        writeln!(
            out,
            "| `{}` | {} | {} | {} | **{}** | {} | {} |",
            core.command(),
            whole(core.area()),
            whole(core.flip_flops()),
            seeds(&core),
            whole(core.number("mbps")),
            whole(core.number("mbps_alone")),
            whole(1000.0 * core.number("mbps") / core.area()),
        )
        .unwrap();
    }
    out
}

/// The paper's tables: primitive, steps per clock, MHz and Mbit/s as printed, if it has such a
/// core.
const PAPER: [(&str, &str, &str); 4] = [
    ("sha256", "1", "50.1 MHz, 1,632.0"),
    ("sha256", "2", "36.1 MHz, 2,310.1"),
    ("sha1", "1", "none"),
    ("sha1", "2", "55.7 MHz, 2,816.7"),
];

/// The paper's cores of four stages beside those on an ECP5.
pub fn paper() -> String {
    let record = match record("ecp5") {
        Ok(record) => record,
        Err(none) => return none,
    };
    let mut out = String::from(
        "| | steps per clock | clocks per block | the paper, Mbit/s | here, Mbit/s | one message \
         alone |\n\
         |---|--:|--:|--:|--:|--:|\n",
    );
    let cores = cores(&record, "ecp5-85k");
    for (primitive, merge, printed) in PAPER {
        let shape = [merge, "4", "chain", "none"];
        let core = cores.iter().find(|core| {
            let options = ["merge", "stages", "adders", "precompute"].map(|of| core.option(of));
            core.text("primitive") == primitive && options == shape
        });
        let core = core.expect("the record has the paper's cores");
        writeln!(
            out,
            "| {primitive} | {merge} | {} | {printed} | {:.1} MHz, {} | {} |",
            whole(512.0 * core.number("mhz") / core.number("mbps")),
            core.number("mhz"),
            whole(core.number("mbps")),
            whole(core.number("mbps_alone")),
        )
        .unwrap();
    }
    out
}

/// What the paper says that merging two steps gains.
fn claimed(primitive: &str) -> &'static str {
    match primitive {
        "sha256" => "+33 %",
        "sha1" => "+33 to 50 %",
        other => panic!("the paper built no {other}"),
    }
}

/// On an ECP5: what two steps in a clock gain over one, both with chains of adders.
pub fn merging() -> String {
    let record = match record("ecp5") {
        Ok(record) => record,
        Err(none) => return none,
    };
    let mut out = String::from(
        "| | K + W | stages | 1 step per clock, Mbit/s | 2 merged | gain | claimed | area |\n\
         |---|---|--:|--:|--:|--:|--:|--:|\n",
    );
    let cores = cores(&record, "ecp5-85k");
    let like = |core: &Core| {
        ["precompute", "stages"].map(|of| core.option(of)).join(" ") + core.text("primitive")
    };
    let adders = |core: &Core| core.option("adders");
    let conventional = |core: &&Core| {
        adders(core) == "chain"
            && core.option("merge") == "1"
            && core.option("precompute") != "full"
    };
    // The paper counts a chain of adders for one step, and a tree for two. So the tree is built
    // too.
    let pairs = cores.iter().filter(conventional).flat_map(|one| {
        let plain = |two: &&Core| adders(two) != "csa" && two.option("merge") == "2";
        let merged: Vec<_> =
            cores.iter().filter(plain).filter(|two| like(two) == like(one)).collect();
        assert!(!merged.is_empty(), "{}, merged", one.command());
        merged.into_iter().map(move |two| (one, two))
    });
    for (one, two) in pairs {
        let more = |one: f64, two: f64| format!("{:+.0} %", 100.0 * (two / one - 1.0));
        let [before, after] = [one, two].map(|core| core.number("mbps"));
        let when = match (one.option("precompute").as_str(), adders(two).as_str()) {
            ("none", _) => "in the step",
            (_, "tree") => "a clock ahead; merged a tree",
            _ => "a clock ahead",
        };
        writeln!(
            out,
            "| {} | {when} | {} | {} | {} | {} | {} | {} |",
            one.text("primitive"),
            one.option("stages"),
            whole(before),
            whole(after),
            more(before, after),
            claimed(one.text("primitive")),
            more(one.area(), two.area()),
        )
        .unwrap();
    }
    out
}

/// The end of the name of the record that `manylane explore --json` made.
pub const SHAPES: &str = "-ice40-sha1-shapes.json";

/// A table of the shapes of one hash that were built, in the order of the planner's prediction, and
/// a sentence on how well the prediction agrees.
pub fn shapes() -> String {
    let record = newest(SHAPES).expect("a record of manylane explore");
    let mut shapes: Vec<&Value> = record["shapes"].as_array().unwrap().iter().collect();
    let all = shapes.len();
    shapes.retain(|shape| !shape["measured"].is_null());
    let predicted = |shape: &Value| 1000.0 * shape["predicted"]["rate"].as_f64().unwrap();
    shapes.sort_by(|a, b| predicted(a).total_cmp(&predicted(b)));
    let mut out = String::from(
        "| steps per clock × stages, adders, ahead | predicted, Mbit/s | measured | LC |\n\
         |---|--:|--:|--:|\n",
    );
    for shape in &shapes {
        let core = Core(shape["measured"].clone());
        let [merge, stages, adders, ahead] =
            ["merge", "stages", "adders", "precompute"].map(|of| core.option(of));
        writeln!(
            out,
            "| {merge} × {stages}, {adders}, `{ahead}` | {} | {} | {} |",
            whole(predicted(shape)),
            whole(core.number("mbps")),
            whole(core.area()),
        )
        .unwrap();
    }
    let [rate, area] = ["throughput", "area"].map(|of| record["agreement"][of].as_f64().unwrap());
    write!(
        out,
        "\nOf {all} shapes {} fit the chip; rank correlation (Spearman) of throughput {rate:.2}, \
         of area \
         {area:.2}.",
        shapes.len(),
    )
    .unwrap();
    out
}
