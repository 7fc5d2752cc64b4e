//! `manylane explore` and `manylane synth` from their command lines to their files, over fake
//! tools, which report one cell for every hundred letters of a core's text.
#![cfg(unix)]

mod common;

use common::{MANYLANE, Ran, Sandbox, write_program};
use manylane_cli::explore::picture;
use serde_json::Value;

const YOSYS: &str = r#"[ "$1" = -V ] && { echo 'Yosys 1.2'; exit; }
n=$(($(wc -c <core.v) / 100))
cells='{"SB_LUT4": %d, "SB_DFF": %d}'
printf '{"modules": {"\\\\sha1": {"num_cells_by_type": '"$cells"'}}}' $n $n >cells.json
echo $n >netlist.json"#;

const NEXTPNR: &str = r#"[ "$1" = --version ] && { echo 'nextpnr-ice40 -- x (Version 3.4)'; exit; }
path='{"from": {"cell": "core.a"}, "to": {"cell": "core.b"}, "delay": 1.0}'
echo "{\"fmax\": {\"clk\": {\"achieved\": 100.0}}, \"utilization\":
  {\"ICESTORM_LC\": {\"used\": $(($(cat netlist.json) + 2000))}}, \"critical_paths\":
  [{\"from\": \"posedge clk\", \"to\": \"posedge clk\", \"path\": [$path]}]}" >report.json"#;

/// A folder with tools that note their runs.
fn tools() -> Sandbox {
    let sandbox = Sandbox::new();
    for (name, script) in [("yosys", YOSYS), ("nextpnr-ice40", NEXTPNR)] {
        set(&sandbox, name, script);
    }
    sandbox
}

fn set(sandbox: &Sandbox, name: &str, script: &str) {
    let runs = sandbox.path("runs");
    let note =
        format!("case \"$1\" in -V | --version) ;; *) echo {name} >>'{}' ;; esac", runs.display());
    std::fs::create_dir_all(sandbox.path("tools")).unwrap();
    let tool = sandbox.path(format!("tools/{name}"));
    write_program(&tool, format!("#!/bin/sh\n{note}\n{script}\n"));
}

/// How often tools ran since the last time.
fn runs(sandbox: &Sandbox) -> [usize; 2] {
    let text = std::fs::read_to_string(sandbox.path("runs")).unwrap_or_default();
    let _ = std::fs::remove_file(sandbox.path("runs"));
    ["yosys", "nextpnr-ice40"].map(|name| text.lines().filter(|line| *line == name).count())
}

fn explore(sandbox: &Sandbox, more: &[&str]) -> Ran {
    let shapes = ["explore", "sha1", "--seeds", "1", "--merge", "1,2", "--stages", "1,4"];
    let sums = ["--adders", "chain", "--precompute", "none"];
    run(sandbox, &[&shapes, &sums[..], more].concat())
}

fn run(sandbox: &Sandbox, args: &[&str]) -> Ran {
    let mut command = sandbox.command(MANYLANE);
    command.args(args);
    command.env("MANYLANE_SYNTH_CACHE", sandbox.path("cache"));
    command.env("MANYLANE_TOOLS", sandbox.path("tools"));
    let output = command.output().unwrap();
    Ran {
        stdout: output.stdout,
        stderr: String::from_utf8(output.stderr).unwrap(),
        status: output.status.code(),
    }
}

fn json(text: &[u8]) -> Value {
    serde_json::from_slice(text).unwrap()
}

#[test]
fn table_json_and_drawings_tell_the_same() {
    let sandbox = tools();
    let table = String::from_utf8(explore(&sandbox, &["-o", "out"]).good()).unwrap();
    assert_eq!(runs(&sandbox), [4, 4], "four shapes");
    let printed = explore(&sandbox, &["--json"]).good();
    assert_eq!(runs(&sandbox), [0, 0], "nothing is built twice");
    let read = |name: &str| std::fs::read_to_string(sandbox.path("out").join(name)).unwrap();
    assert_eq!(json(&printed), json(read("explore.json").as_bytes()));
    let (svg, page) = (read("explore.svg"), read("explore.html"));
    assert_eq!(picture(&read("explore.json")).unwrap(), svg);
    let said = json(&printed);
    for shape in said["shapes"].as_array().unwrap() {
        let options = &shape["measured"]["options"];
        let label = format!("{}×{} chain none", options["merge"], options["stages"]);
        let cells = shape["measured"]["area"]["value"].as_f64().unwrap();
        assert!(table.contains(&label), "{label}: {table}");
        for drawn in [&svg, &page] {
            assert!(drawn.contains(&format!("<title>{label}: ")), "{label}");
        }
        assert!(cells > 0.0, "the harness is left out");
    }
    for said in [
        "Michail et al., merged, 4 messages: 2,852 Mbit/s",
        "built here",
        "kbit/s per LC",
        "yosys 1.2, nextpnr-ice40 3.4; clock of one seed",
    ] {
        assert!(svg.contains(said), "{said}");
    }
    // The two points of the paper have frames, and so has the drawing's key.
    assert_eq!(svg.matches("class=\"frame\"").count(), 2 + 1);
}

#[test]
fn each_goal_has_its_answer_and_its_line() {
    let sandbox = tools();
    let all = json(&explore(&sandbox, &["--json"]).good());
    let shapes = all["shapes"].as_array().unwrap();
    let figures = |shape: &Value| {
        let measured = &shape["measured"];
        [measured["area"]["value"].as_f64().unwrap(), measured["mbps"].as_f64().unwrap()]
    };
    let [least, _] = figures(&shapes[0]);
    let most = shapes.iter().map(|shape| figures(shape)[1]).fold(0.0, f64::max);
    let chosen = |goal: &[&str]| {
        let answer = json(&explore(&sandbox, &[goal, &["--json", "-o", "out"]].concat()).good());
        let shape = answer["shapes"].as_array().unwrap().iter().find(|s| s["recommended"] == true);
        (figures(shape.unwrap()), std::fs::read_to_string(sandbox.path("out/explore.svg")).unwrap())
    };
    let budget = (least + 1.0).to_string();
    let (figures_, svg) = chosen(&["--budget", budget.split('.').next().unwrap()]);
    assert!(figures_[0] == least && svg.contains(">at most "), "{figures_:?}");
    let (figures_, svg) = chosen(&["--throughput", &(most as u32).to_string()]);
    assert!(figures_[1] == most && svg.contains(">at least "), "{figures_:?}");
    let none = explore(&sandbox, &["--budget", "1"]);
    assert_eq!(none.status, Some(1));
    assert!(none.text().contains("no shape is that good"), "{none:?}");
}

/// A value that no shape can have is an error, even if other values of the list are possible.
#[test]
fn values_that_no_shape_can_have_are_refused() {
    let sandbox = tools();
    for (lists, said) in [
        ("--merge 3,1", "64 steps cannot be merged 3 to a clock; possible are 1, 2, 4"),
        ("--stages 1,3", "64 clocks per block cannot be divided into 3 stages; possible are 1, 2"),
        ("--merge 1,32 --stages 4", "2 clocks per block cannot be divided into 4 stages"),
    ] {
        let lists = lists.split(' ');
        let ran =
            sandbox.run(MANYLANE, ["explore", "sha256", "--dry-run"].into_iter().chain(lists));
        assert_eq!((ran.text(), ran.status), ("", Some(1)), "{said}");
        assert!(ran.stderr.contains(said), "{said}: {ran:?}");
    }
}

/// A list of shapes that are not built has no drawing.
#[test]
fn a_list_of_what_would_be_built_has_no_page() {
    let sandbox = tools();
    let ran = sandbox.run(MANYLANE, ["explore", "sha256", "--dry-run", "-o", "out"]);
    assert_eq!((ran.text(), ran.status), ("", Some(1)), "{ran:?}");
    assert!(ran.stderr.contains("cannot be used with"), "{ran:?}");
}

#[test]
fn what_was_interrupted_goes_on() {
    let sandbox = tools();
    // Ctrl-C while the third shape is placed.
    let interrupts = "[ \"$1\" = --version ] || [ $(grep -c nextpnr \"$(dirname \"$0\")/../runs\") \
                      -lt 3 ] || \
                      { kill -INT $(ps -o ppid= -p $$); sleep 60; }\n";
    set(&sandbox, "nextpnr-ice40", &(interrupts.to_owned() + NEXTPNR));
    let ran = explore(&sandbox, &["--jobs", "1"]);
    assert_eq!(ran.status, Some(130), "{ran:?}");
    assert!(ran.stdout.is_empty() && ran.stderr.contains("goes on from there"), "{ran:?}");
    assert_eq!(runs(&sandbox), [3, 3]);
    set(&sandbox, "nextpnr-ice40", NEXTPNR);
    explore(&sandbox, &["--jobs", "1"]).good();
    assert_eq!(
        runs(&sandbox),
        [1, 2],
        "the one that was interrupted is placed, the last one built"
    );
}

#[test]
fn a_place_that_takes_no_drawings_is_noticed_before_anything_is_built() {
    let sandbox = tools();
    sandbox.write("file", "");
    let ran = explore(&sandbox, &["-o", "file/out"]);
    assert_eq!(ran.status, Some(1));
    assert!(ran.stderr.contains("file/out: "), "{ran:?}");
    assert_eq!(runs(&sandbox), [0, 0]);
    // The other place that cannot be written is the cache of results.
    std::fs::remove_dir_all(sandbox.path("cache")).unwrap();
    sandbox.write("cache", "");
    let ran = explore(&sandbox, &[]);
    assert!(ran.stderr.contains("MANYLANE_SYNTH_CACHE names another folder"), "{ran:?}");
}

/// The same folder under other names is built once, and has one row.
#[test]
fn a_folder_named_twice_is_built_once() {
    let sandbox = tools();
    run(&sandbox, &["emit", "rtl", "sha1", "-o", "core"]).good();
    run(&sandbox, &["emit", "rtl", "sha1", "-o", "other"]).good();
    std::os::unix::fs::symlink("core", sandbox.path("link")).unwrap();
    let synth = |folders: &[&str]| {
        let options = ["synth", "--seeds", "1", "--json"];
        json(&run(&sandbox, &[&options, folders].concat()).good())
    };
    let once = synth(&["core"]);
    assert_eq!(runs(&sandbox), [1, 1]);
    std::fs::remove_dir_all(sandbox.path("cache")).unwrap();
    assert_eq!(synth(&["core", "./core", "core/", "link"]), once);
    assert_eq!(runs(&sandbox), [1, 1]);
    // Another folder stays another one, and the names are those that were given.
    let both = synth(&["link", "other", "core"]);
    let folders = both["results"].as_array().unwrap().iter();
    let folders: Vec<_> = folders.map(|row| row["folder"].as_str().unwrap()).collect();
    assert_eq!(folders, ["link", "other"]);
}

#[test]
fn a_tool_that_says_no_version_is_none() {
    let sandbox = tools();
    set(&sandbox, "yosys", "exit 0");
    let ran = explore(&sandbox, &[]);
    assert_eq!(ran.status, Some(1));
    assert!(ran.stderr.contains("yosys -V` does not say a version; apt-get install"), "{ran:?}");
}

#[test]
fn damaged_results_are_made_again() {
    let sandbox = tools();
    let first = explore(&sandbox, &["--json"]).good();
    assert_eq!(runs(&sandbox), [4, 4]);
    for entry in std::fs::read_dir(sandbox.path("cache")).unwrap() {
        std::fs::write(entry.unwrap().path(), "{\"cells\": ").unwrap();
    }
    assert_eq!(explore(&sandbox, &["--json"]).good(), first);
    assert_eq!(runs(&sandbox), [4, 4]);
}
