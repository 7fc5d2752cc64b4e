//! Results are kept: figures, that a core does not fit, and everything that was done before an
//! interruption.

mod common;

use common::{Fakes, GOOD_NEXTPNR, GOOD_YOSYS, Looker, left_over, request};
use manylane_synth::{Cache, CoreFigures, Error, Target, synthesize};
use std::time::{Duration, Instant};

fn build(fakes: &Fakes, seeds: u32, looker: &Looker) -> Result<CoreFigures, Error> {
    let cache = Cache::at(fakes.cache()).unwrap();
    let requests = [request(Target::Ice40Hx8k, seeds)];
    let mut results = synthesize(&requests, &fakes.tools(), &cache, 2, looker);
    let result = results.remove(0);
    // A run that failed may leave the netlist, from which the next run goes on.
    let netlists = if result.is_err() { 1 } else { 0 };
    assert!(left_over(&fakes.cache()) <= netlists, "nothing is left behind");
    result
}

#[test]
fn what_is_known_is_not_built_again() {
    let fakes = Fakes::new(GOOD_YOSYS, GOOD_NEXTPNR);
    let first = build(&fakes, 3, &Looker::default()).unwrap();
    assert_eq!(fakes.runs(), [1, 3]);
    let again = build(&fakes, 3, &Looker::default()).unwrap();
    assert_eq!(fakes.runs(), [0, 0]);
    assert_eq!(first, again);
    // Two seeds more take the netlist again.
    let more = build(&fakes, 5, &Looker::default()).unwrap();
    assert_eq!(fakes.runs(), [1, 2]);
    assert_eq!(more.placed.len(), 5);
}

#[test]
fn a_failure_names_the_tool_and_what_it_said_and_keeps_the_rest() {
    let fails = "case \"$*\" in *'--seed 2'*) echo 'ERROR: no luck'; exit 1;; esac\n".to_owned();
    let fakes = Fakes::new(GOOD_YOSYS, &(fails + GOOD_NEXTPNR));
    let error = build(&fakes, 2, &Looker::default()).unwrap_err().to_string();
    assert_eq!(error, "tiny: nextpnr-ice40 failed: ERROR: no luck");
    assert_eq!(fakes.runs(), [1, 2]);
    fakes.set("nextpnr", GOOD_NEXTPNR);
    build(&fakes, 2, &Looker::default()).unwrap();
    assert_eq!(fakes.runs(), [0, 1], "only the seed that failed is placed");
    assert_eq!(left_over(&fakes.cache()), 0, "the netlist that was kept for it is gone");
}

#[test]
fn what_does_not_fit_is_a_result() {
    let full =
        "echo \"ERROR: Unable to place cell 'x', no BELs remaining to implement it\"; exit 255";
    let fakes = Fakes::new(GOOD_YOSYS, full);
    for runs in [[1, 1], [0, 0]] {
        let cache = Cache::at(fakes.cache()).unwrap();
        let requests = [request(Target::Ice40Hx8k, 1)];
        let looker = Looker::default();
        let error =
            synthesize(&requests, &fakes.tools(), &cache, 1, &looker).remove(0).unwrap_err();
        assert!(matches!(error, Error::DoesNotFit { target: Target::Ice40Hx8k, .. }), "{error}");
        assert!(error.to_string().contains("no BELs remaining"), "{error}");
        assert_eq!(fakes.runs()[1], runs[1]);
    }
}

#[test]
fn an_interruption_kills_what_runs_and_keeps_what_is_done() {
    let fakes = Fakes::new(GOOD_YOSYS, "sleep 60 & echo $! >\"$(dirname \"$0\")/pid\"; wait");
    let begin = Instant::now();
    let looker = Looker { stop_at: Some("nextpnr"), ..Looker::default() };
    let error = build(&fakes, 1, &looker).unwrap_err();
    assert!(matches!(error, Error::Interrupted), "{error}");
    assert!(begin.elapsed() < Duration::from_secs(30));
    // What the tool started is gone too, or was never begun.
    if let Ok(pid) = std::fs::read_to_string(fakes.folder.path().join("pid")) {
        let status = format!("/proc/{}/status", pid.trim());
        let is_alive =
            || std::fs::read_to_string(&status).is_ok_and(|text| !text.contains("Z (zombie)"));
        // On a busy machine a killed process is there for a moment more.
        let end = Instant::now() + Duration::from_secs(20);
        while is_alive() && Instant::now() < end {
            std::thread::sleep(Duration::from_millis(10));
        }
        assert!(!is_alive(), "the tool's child still runs");
    }
    fakes.set("nextpnr", GOOD_NEXTPNR);
    assert_eq!(fakes.runs()[0], 1);
    assert!(build(&fakes, 1, &Looker::default()).is_ok());
    assert_eq!(fakes.runs(), [0, 1], "what was synthesized is not again");
}

#[test]
fn a_tool_has_its_time() {
    let fakes = Fakes::new(GOOD_YOSYS, "sleep 60");
    let cache = Cache::at(fakes.cache()).unwrap();
    let mut slow = request(Target::Ice40Hx8k, 1);
    slow.time_limit = Duration::from_secs(1);
    let looker = Looker::default();
    let error = synthesize(&[slow], &fakes.tools(), &cache, 1, &looker).remove(0).unwrap_err();
    assert!(error.to_string().contains("stopped after 1 s"), "{error}");
}

#[test]
fn output_that_is_not_understood_is_an_error() {
    let fakes = Fakes::new("echo {} >cells.json", GOOD_NEXTPNR);
    let error = build(&fakes, 1, &Looker::default()).unwrap_err().to_string();
    assert!(error.contains("yosys 1") && error.contains("no cells of the module tiny"), "{error}");
}

#[test]
fn equal_seeds_are_one_and_no_seeds_an_error() {
    let fakes = Fakes::new(GOOD_YOSYS, GOOD_NEXTPNR);
    let cache = Cache::at(fakes.cache()).unwrap();
    let of = |seeds: &[u32]| {
        let mut request = request(Target::Ice40Hx8k, 0);
        request.seeds = seeds.to_vec();
        synthesize(&[request], &fakes.tools(), &cache, 2, &Looker::default()).remove(0)
    };
    let error = of(&[]).unwrap_err().to_string();
    assert!(error.contains("there is no seed"), "{error}");
    assert_eq!(fakes.runs(), [0, 0], "nothing is run for nothing");
    let placed = of(&[7, 7, 7, 2]).unwrap().placed;
    assert_eq!(placed.iter().map(|placed| placed.seed).collect::<Vec<_>>(), [2, 7]);
    assert_eq!(fakes.runs(), [1, 2]);
}

#[test]
fn a_damaged_netlist_is_made_again() {
    let fakes = Fakes::new(GOOD_YOSYS, "echo 'ERROR: no luck'; exit 1");
    build(&fakes, 1, &Looker::default()).unwrap_err();
    assert_eq!(fakes.runs(), [1, 1]);
    let entries = std::fs::read_dir(fakes.cache()).unwrap().map(|entry| entry.unwrap().path());
    let left: Vec<_> =
        entries.filter(|file| file.extension().is_some_and(|e| e == "left")).collect();
    assert_eq!(left.len(), 1);
    std::fs::write(&left[0], "{\"modules\": {").unwrap();
    fakes.set("nextpnr", GOOD_NEXTPNR);
    build(&fakes, 1, &Looker::default()).unwrap();
    assert_eq!(fakes.runs(), [1, 1], "synthesized and placed");
}

#[test]
fn a_clock_of_nothing_is_not_understood() {
    let still = "sed 's/\"achieved\": *[0-9.]*/\"achieved\": 0/' \"$FIXTURES/ice40-report.json\" \
                 >report.json";
    let fakes = Fakes::new(GOOD_YOSYS, still);
    let error = build(&fakes, 1, &Looker::default()).unwrap_err().to_string();
    assert!(error.contains("a clock of 0 MHz"), "{error}");
}

#[test]
fn a_cache_that_cannot_be_written_is_named_with_a_remedy() {
    let fakes = Fakes::new(GOOD_YOSYS, GOOD_NEXTPNR);
    let file = fakes.folder.path().join("yosys");
    let error = Cache::at(file.join("cache")).unwrap_err().to_string();
    assert!(error.contains("MANYLANE_SYNTH_CACHE names another folder"), "{error}");
}
