//! Builds cores on several processors; results that are kept are not built again.
//!
//! ```text
//!  request ──► known? ──► yosys ──┬──► nextpnr, seed 1 ──┬──► CoreFigures
//!                                 └──► nextpnr, seed 2 ──┘
//! ```

use crate::cache::Cache;
use crate::fit::{does_not_fit, fits, foreseen};
use crate::flows::placement::{self, Placed};
use crate::flows::synthesis::{self, Synthesized, files};
use crate::process::{self, End};
use crate::tool::Tool;
use crate::tools::Tools;
use crate::{CoreFigures, Error, Request, alive, pool};
use manylane_plan::hardware::Options;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::{Arc, Mutex, PoisonError};
use tempfile::TempDir;

/// An observer of the work, who may ask to stop.
pub trait Watch: Sync {
    /// Whether to stop: programs that run are killed.
    fn stop(&self) -> bool;
    /// Something happened.
    fn event(&self, event: Event<'_>);
}

/// An event of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event<'e> {
    /// This many shapes have been planned.
    Planned(usize),
    /// A run of a tool begins: its name, and the core's.
    Begins(&'e str),
    /// The run of the tool has ended.
    Ends(&'e str),
    /// This many results of a core were known, or are not needed any more.
    Skipped(usize),
}

impl Request {
    /// Number of results of the request: one of synthesis, and one for each seed.
    pub fn results(&self) -> usize {
        1 + self.seeds().len()
    }

    /// Returns each seed once; none if nothing is placed.
    fn seeds(&self) -> BTreeSet<u32> {
        let placed = self.target.placer().is_some();
        self.seeds.iter().copied().filter(|_| placed).collect()
    }

    /// The core in few words: `sha256 1×1 csa auto`.
    pub fn label(&self) -> String {
        let sheet = &self.core.sheet;
        let Options { merge, stages, adders, precompute } = sheet.options;
        format!("{} {merge}×{stages} {adders} {precompute}", sheet.reached())
    }
}

/// The results so far of a request.
#[derive(Default)]
struct RequestResults {
    synthesized: Option<Synthesized>,
    placed: Vec<Placed>,
    error: Option<Error>,
}

/// The kept result of a run of place and route. That a core does not fit is a result too.
#[derive(Serialize, Deserialize)]
enum Outcome {
    Placed(Placed),
    DoesNotFit(String),
}

enum Task {
    Synthesis(usize),
    Placement { request: usize, seed: u32, workplace: Arc<TempDir> },
}

/// Builds cores on `jobs` processors; results come in the order of the requests.
pub fn synthesize(
    requests: &[Request],
    tools: &Tools,
    cache: &Cache,
    jobs: usize,
    watch: &dyn Watch,
) -> Vec<Result<CoreFigures, Error>> {
    let slots = requests.iter().map(|_| Mutex::new(RequestResults::default())).collect();
    let builder = Builder { requests, tools, cache, watch, slots };
    let tasks = (0..requests.len()).map(Task::Synthesis).collect();
    pool::run(tasks, jobs, |task, made| builder.work(task, made));
    builder.slots.into_iter().zip(requests).map(|(slot, r)| result(slot, r, tools)).collect()
}

fn result(
    slot: Mutex<RequestResults>,
    request: &Request,
    tools: &Tools,
) -> Result<CoreFigures, Error> {
    let RequestResults { synthesized, mut placed, error } =
        slot.into_inner().unwrap_or_else(PoisonError::into_inner);
    if let Some(error) = error {
        return Err(error);
    }
    placed.sort_by_key(|placed| placed.seed);
    let synthesized = synthesized.expect("every request was worked on");
    Ok(CoreFigures::new(request, tools, &synthesized, placed))
}

struct Builder<'b> {
    requests: &'b [Request],
    tools: &'b Tools,
    cache: &'b Cache,
    watch: &'b dyn Watch,
    slots: Vec<Mutex<RequestResults>>,
}

impl Builder<'_> {
    fn work(&self, task: Task, made: &mut Vec<Task>) {
        let request = match task {
            Task::Synthesis(request) | Task::Placement { request, .. } => request,
        };
        let done = match task {
            Task::Synthesis(_) => self.synthesis(request, made),
            Task::Placement { seed, workplace, .. } => {
                self.placement(request, seed, workplace.path())
            }
        };
        if let Err(error) = done {
            self.slot(request, |slot| _ = slot.error.get_or_insert(error));
        }
    }

    fn slot<T>(&self, request: usize, f: impl FnOnce(&mut RequestResults) -> T) -> T {
        f(&mut self.slots[request].lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn synthesis(&self, index: usize, made: &mut Vec<Task>) -> Result<(), Error> {
        let request = &self.requests[index];
        let seeds = request.seeds();
        if request.target.placer().is_some() && seeds.is_empty() {
            return Err(Error::NoSeeds { core: request.core.sheet.module.clone() });
        }
        let known: Option<Synthesized> = self.cache.get(&request.synthesis_key(self.tools));
        let mut missing = Vec::new();
        for &seed in &seeds {
            let key = request.placement_key(self.tools, seed).expect("seeds are of placers");
            match self.cache.get(&key) {
                Some(outcome) => self.note(index, outcome)?,
                None => missing.push(seed),
            }
        }
        self.watch.event(Event::Skipped(seeds.len() - missing.len()));
        if let Some(known) = known.clone().filter(|_| missing.is_empty()) {
            self.slot(index, |slot| slot.synthesized = Some(known));
            self.watch.event(Event::Skipped(1));
            return Ok(());
        }
        if let Err(error) = foreseen(request) {
            self.watch.event(Event::Skipped(1 + missing.len()));
            return Err(error);
        }
        let workplace = Arc::new(self.cache.workplace()?);
        let key = request.synthesis_key(self.tools);
        let netlist = workplace.path().join(files::NETLIST);
        let found = match known.filter(|_| self.cache.take(&key, &netlist)) {
            Some(known) => {
                self.watch.event(Event::Skipped(1));
                known
            }
            None => {
                let found = self.yosys(request, workplace.path())?;
                self.cache.put(&key, &found)?;
                found
            }
        };
        let fits = fits(request, &found);
        self.slot(index, |slot| slot.synthesized = Some(found));
        if let Err(error) = fits {
            self.watch.event(Event::Skipped(missing.len()));
            return Err(error);
        }
        let placement =
            |seed| Task::Placement { request: index, seed, workplace: workplace.clone() };
        made.extend(missing.into_iter().map(placement));
        Ok(())
    }

    fn yosys(&self, request: &Request, folder: &Path) -> Result<Synthesized, Error> {
        let write = |name: &str, text: &str| {
            let file = folder.join(name);
            fs::write(&file, text).map_err(|error| Error::file(&file, error))
        };
        for (name, text) in synthesis::inputs(request) {
            write(name, &text)?;
        }
        write(files::SCRIPT, &synthesis::script(request))?;
        let tool = request.target.synthesizer();
        self.run(request, tool, &["-s".into(), files::SCRIPT.into()], "yosys.log", folder)?;
        let read = |name: &str| fs::read_to_string(folder.join(name)).unwrap_or_default();
        let not_understood = |why| self.not_understood(request, tool, why);
        // Checked before the simulation, because a core of which a part is missing takes no blocks.
        let cells = synthesis::cells(request, read).map_err(not_understood)?;
        let netlist = read(files::NETLIST);
        let what = alive::removed(&request.core, request.target, &cells, &netlist);
        let what = what.map_err(not_understood)?;
        if !what.is_empty() {
            let core = request.core.sheet.module.clone();
            let tool = self.tools.get(tool).version.clone();
            return Err(Error::Removed { core, tool, what: what.join("; ") });
        }
        synthesis::read(request, read).map_err(not_understood)
    }

    fn placement(&self, index: usize, seed: u32, folder: &Path) -> Result<(), Error> {
        // After an error of one seed, such as a chip that is too small, the others are not tried.
        if self.slot(index, |slot| slot.error.is_some()) {
            self.watch.event(Event::Skipped(1));
            return Ok(());
        }
        let request = &self.requests[index];
        let outcome = self.nextpnr(request, seed, folder).or_else(|error| {
            // Place and route needs the netlist, and the folder is removed: the netlist is kept.
            let netlist = folder.join(files::NETLIST);
            self.cache.leave(&request.synthesis_key(self.tools), &netlist)?;
            Err(error)
        })?;
        let key = request.placement_key(self.tools, seed).expect("seeds are of placers");
        self.cache.put(&key, &outcome)?;
        self.note(index, outcome)
    }

    fn nextpnr(&self, request: &Request, seed: u32, folder: &Path) -> Result<Outcome, Error> {
        let (target, tool) = (request.target, request.target.placer().expect("it has places"));
        // A folder for each seed, with the netlist in it: YoWASP's tools see nothing above theirs.
        let own = folder.join(seed.to_string());
        let linked = fs::create_dir(&own)
            .and_then(|()| fs::hard_link(folder.join(files::NETLIST), own.join(files::NETLIST)));
        linked.map_err(|error| Error::file(&own, error))?;
        let arguments = placement::arguments(target, seed).expect("it has places");
        let log = "nextpnr.log";
        match self.run(request, tool, &arguments, log, &own) {
            Err(Error::Failed { .. }) if self.does_not_fit(&own.join(log)).is_some() => {
                let why = self.does_not_fit(&own.join(log)).unwrap_or_default();
                return Ok(Outcome::DoesNotFit(why));
            }
            other => other?,
        }
        let report = fs::read_to_string(own.join(placement::REPORT)).unwrap_or_default();
        let placed = placement::read(target, seed, &report);
        placed.map(Outcome::Placed).map_err(|why| self.not_understood(request, tool, why))
    }

    fn does_not_fit(&self, log: &Path) -> Option<String> {
        placement::does_not_fit(&fs::read_to_string(log).unwrap_or_default())
    }

    fn note(&self, index: usize, outcome: Outcome) -> Result<(), Error> {
        let request = &self.requests[index];
        match outcome {
            Outcome::Placed(placed) => {
                self.slot(index, |slot| slot.placed.push(placed));
                Ok(())
            }
            Outcome::DoesNotFit(why) => Err(does_not_fit(request, why)),
        }
    }

    fn run(
        &self,
        request: &Request,
        tool: Tool,
        arguments: &[String],
        log: &str,
        folder: &Path,
    ) -> Result<(), Error> {
        if self.watch.stop() {
            return Err(Error::Interrupted);
        }
        let found = self.tools.get(tool);
        let label = format!("{} {}", tool.name(), request.label());
        self.watch.event(Event::Begins(&label));
        let mut command = Command::new(&found.program);
        command.args(arguments);
        let end = process::run(&mut command, folder, log, request.time_limit, || self.watch.stop());
        self.watch.event(Event::Ends(&label));
        let (core, tool) = (request.core.sheet.module.clone(), tool.name().to_owned());
        match end.map_err(|error| Error::file(&found.program, error))? {
            End::Exit(status) if status.success() => Ok(()),
            End::Exit(status) => {
                let said = fs::read_to_string(folder.join(log)).unwrap_or_default();
                let why = last_words(&said).unwrap_or_else(|| status.to_string());
                let why = request.core.located(&why, files::CORE);
                Err(Error::Failed { core, tool, why })
            }
            End::Interrupted => Err(Error::Interrupted),
            End::TooLong(seconds) => Err(Error::TooLong { core, tool, seconds }),
        }
    }

    fn not_understood(&self, request: &Request, tool: Tool, why: String) -> Error {
        let core = request.core.sheet.module.clone();
        Error::Output { core, tool: self.tools.get(tool).version.clone(), why }
    }
}

/// Returns what a program said of its failure: its first error, else its last line.
fn last_words(log: &str) -> Option<String> {
    let error = log.lines().find(|line| line.contains("ERROR") || line.contains("Error"));
    let last = || log.lines().rev().find(|line| !line.trim().is_empty());
    error.or_else(last).map(|line| line.trim().to_owned())
}
