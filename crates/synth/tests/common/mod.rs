//! A small core, and fake tools.
#![allow(dead_code)]

#[path = "../../../cli/tests/common/program.rs"]
mod program;

use manylane_emit::rtl::{Datasheet, Port, Storage};
use manylane_plan::hardware::Options;
use manylane_synth::{Core, Event, Found, Request, Sums, Target, Tool, Tools, Watch};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

const TINY: &str = "module tiny (
    input  wire clk,
    input  wire rst,
    input  wire [7:0] a,
    input  wire [7:0] b,
    output wire [7:0] y
);
  reg [7:0] sum;
  always @(posedge clk) sum <= rst ? 8'd0 : a + b + y;
  assign y = sum;
endmodule
";

/// A core of eight bits with a chain of two adders.
pub fn tiny() -> Core {
    let port = |name: &str, input, bits| Port { name: name.into(), input, bits };
    let sheet = Datasheet {
        module: "tiny".into(),
        primitive: "tiny".into(),
        title: "Tiny".into(),
        command: "none".into(),
        sources: vec!["tiny.v".into()],
        options: Options::default(),
        window: Storage::default(),
        chaining: Storage::default(),
        interface: "core".into(),
        modes: Vec::new(),
        clear_on_done: false,
        block_bits: 8,
        cycles_per_block: 1,
        latency: 2,
        ports: vec![
            port("clk", true, 1),
            port("rst", true, 1),
            port("a", true, 8),
            port("b", true, 8),
            port("y", false, 8),
        ],
    };
    Core { sheet, verilog: TINY.to_owned(), origins: Vec::new() }
}

pub fn request(target: Target, seeds: u32) -> Request {
    Request {
        core: tiny(),
        target,
        sums: Sums::AsWritten,
        seeds: (1..=seeds).collect(),
        energy: false,
        time_limit: Duration::from_secs(60),
    }
}

/// An observer that asks to stop at the first run whose label begins with a given text.
#[derive(Default)]
pub struct Looker {
    pub stop_at: Option<&'static str>,
    pub stopped: AtomicBool,
}

impl Watch for Looker {
    fn stop(&self) -> bool {
        self.stopped.load(Ordering::Relaxed)
    }

    fn event(&self, event: Event<'_>) {
        if let (Event::Begins(label), Some(stop_at)) = (event, self.stop_at)
            && label.starts_with(stop_at)
        {
            self.stopped.store(true, Ordering::Relaxed);
        }
    }
}

/// Tools for iCE40 that note each of their runs and do what a script says.
pub struct Fakes {
    pub folder: tempfile::TempDir,
}

const FIXTURES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures");

/// What the real ones would have written.
pub const GOOD_YOSYS: &str = "cp \"$FIXTURES/ice40-cells.json\" cells.json; echo {} >netlist.json";
pub const GOOD_NEXTPNR: &str = "cp \"$FIXTURES/ice40-report.json\" report.json";

impl Fakes {
    pub fn new(yosys: &str, nextpnr: &str) -> Self {
        let fakes = Self { folder: tempfile::tempdir().unwrap() };
        fakes.set("yosys", yosys);
        fakes.set("nextpnr", nextpnr);
        fakes
    }

    pub fn set(&self, name: &str, script: &str) {
        let file = self.folder.path().join(name);
        let runs = self.folder.path().join("runs");
        let text = format!(
            "#!/bin/sh\nFIXTURES='{FIXTURES}'\necho {name} >>'{}'\n{script}\n",
            runs.display()
        );
        program::write_program(&file, text);
    }

    pub fn tools(&self) -> Tools {
        let found = |name: &str| Found {
            program: self.folder.path().join(name),
            version: format!("{name} 1"),
        };
        let pair = [(Tool::Yosys, found("yosys")), (Tool::NextpnrIce40, found("nextpnr"))];
        pair.into_iter().collect()
    }

    /// How often each ran since the last time.
    pub fn runs(&self) -> [usize; 2] {
        let file = self.folder.path().join("runs");
        let text = fs::read_to_string(&file).unwrap_or_default();
        let _ = fs::remove_file(&file);
        ["yosys", "nextpnr"].map(|name| text.lines().filter(|line| *line == name).count())
    }

    pub fn cache(&self) -> PathBuf {
        self.folder.path().join("cache")
    }
}

/// Number of files in the cache that are not results: working folders, and netlists from which a
/// run can continue.
pub fn left_over(cache: &Path) -> usize {
    let entries = fs::read_dir(cache).unwrap().map(|entry| entry.unwrap().file_name());
    entries.filter(|name| !name.to_string_lossy().ends_with(".json")).count()
}
