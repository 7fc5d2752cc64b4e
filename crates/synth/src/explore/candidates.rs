//! Shapes of a core, planned.

use crate::{Core, Error, Event, Watch, pool};
use manylane_emit::rtl::{self, Datasheet, Design, Designer, Project, Style, text};
use manylane_graph::{Function, Op};
use manylane_plan::hardware::{Adders, DelayModel, Options, Precompute, plan};
use serde::{Deserialize, Serialize};
use std::collections::HashSet;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The shapes to plan. An empty list stands for the sensible values, which each field names.
#[derive(Clone, Debug, Default)]
pub struct Space {
    /// Steps per clock [the three least that are possible, of at most 8].
    pub merge: Vec<usize>,
    /// Stages [1, 2, 4].
    pub stages: Vec<usize>,
    /// Ways of adding (all by default).
    pub adders: Vec<Adders>,
    /// What is computed ahead [every choice but `Precompute::None`, which only the paper's shapes
    /// have: computing K + W ahead costs a register and is never slower].
    pub precompute: Vec<Precompute>,
    /// A shape is left out if another is predicted to be both smaller and faster by this factor.
    /// Infinity leaves nothing out.
    pub margin: f64,
}

impl Space {
    /// A shape of the first number of steps or stages that the space names and that none of its
    /// shapes can have, for a compression of `steps` steps.
    fn impossible(&self, steps: usize) -> Option<Options> {
        // Among the values that stand for an empty list, 1 is possible wherever another one is.
        let or_one = |list: &[usize]| if list.is_empty() { vec![1] } else { list.to_vec() };
        let (merges, stages) = (or_one(&self.merge), or_one(&self.stages));
        let shape = |merge, stages| Options { merge, stages, ..Options::default() };
        let fits = |merge: usize, stages: usize| {
            steps.is_multiple_of(merge) && (steps / merge).is_multiple_of(stages)
        };
        let merge = merges.iter().find(|&&merge| !stages.iter().any(|&of| fits(merge, of)));
        let stage = stages.iter().find(|&&stage| !merges.iter().any(|&of| fits(of, stage)));
        let by_merge = merge.map(|&merge| shape(merge, stages[0]));
        by_merge.or(stage.map(|&stage| shape(merges[0], stage)))
    }
}

/// The primitive that is explored.
#[derive(Clone, Copy, Debug)]
pub struct Subject<'s> {
    /// The compression.
    pub compression: &'s Function,
    /// The name that `manylane emit rtl` takes.
    pub name: &'s str,
    /// The primitive's title.
    pub title: &'s str,
    /// What `manylane emit rtl --target` calls the delay model.
    pub planned_for: &'s str,
}

/// The planner's figures of a shape.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct PlannedFigures {
    /// Bits per unit of time; none where no operation takes time.
    pub rate: Option<f64>,
    /// Area in the delay model's unit.
    pub area: f64,
}

/// A shape.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// The planner's figures.
    pub predicted: PlannedFigures,
    /// The core.
    pub core: Core,
}

/// The most steps in one clock that are planned if the caller names none.
const MOST_MERGED: usize = 8;

/// The possible shapes of a space, one for each different text, without the hopeless ones. They are
/// planned on `jobs` threads, and `watch` is told of each; the result depends on neither.
///
/// # Errors
/// If the space names a number of steps or stages that none of its shapes can have: the reason. If
/// no shape is possible: the error of the first one, which merges the fewest steps.
/// [`Error::Interrupted`] if `watch` asks to stop.
pub fn candidates(
    subject: Subject<'_>,
    space: &Space,
    model: &DelayModel,
    jobs: usize,
    watch: &dyn Watch,
) -> Result<Vec<Candidate>, Error> {
    let mut found: Vec<Candidate> = Vec::new();
    let mut texts = HashSet::new();
    let mut refused = None;
    let single = plan(subject.compression, &Options::default(), model).map_err(rtl::Error::from)?;
    if let Some(impossible) = space.impossible(single.steps) {
        plan(subject.compression, &impossible, model).map_err(rtl::Error::from)?;
    }
    let merges = match space.merge.is_empty() {
        true => (1..=MOST_MERGED).filter(|&k| single.steps.is_multiple_of(k)).collect(),
        false => space.merge.clone(),
    };
    let planner = Planner::new(subject, model, watch);
    let mut possible = 0;
    for merge in merges {
        let before = found.len();
        for planned in planner.plan(&shapes(space, merge, planner.sums), jobs)? {
            match planned {
                Ok(candidate) if texts.insert(candidate.core.verilog.clone()) => {
                    found.push(candidate);
                }
                Ok(_) => {}
                Err(error) => refused = refused.or(Some(error)),
            }
        }
        possible += usize::from(found.len() > before);
        if space.merge.is_empty() && possible == 3 {
            break;
        }
    }
    match refused {
        Some(error) if found.is_empty() => Err(error.into()),
        _ => Ok(hopeful(found, space.margin)),
    }
}

/// Plans shapes of one compression.
struct Planner<'p> {
    subject: Subject<'p>,
    model: &'p DelayModel,
    designer: Designer<'p>,
    watch: &'p dyn Watch,
    /// Whether the compression adds anything.
    sums: bool,
    /// How many shapes have been planned.
    done: AtomicUsize,
}

impl<'p> Planner<'p> {
    fn new(subject: Subject<'p>, model: &'p DelayModel, watch: &'p dyn Watch) -> Self {
        let compression = subject.compression;
        let sums = compression.nodes().any(|node| compression.op(node) == Op::Add);
        let designer = Designer::new(compression);
        Self { subject, model, designer, watch, sums, done: AtomicUsize::new(0) }
    }

    /// Plans shapes on several threads and returns the results in the order of the shapes.
    fn plan(
        &self,
        shapes: &[Options],
        jobs: usize,
    ) -> Result<Vec<Result<Candidate, rtl::Error>>, Error> {
        let slots: Vec<_> = shapes.iter().map(|_| OnceLock::new()).collect();
        pool::run((0..shapes.len()).collect(), jobs, |shape, _| {
            if self.watch.stop() {
                return;
            }
            slots[shape].get_or_init(|| self.candidate(shapes[shape]));
            let done = self.done.fetch_add(1, Ordering::Relaxed) + 1;
            self.watch.event(Event::Planned(done));
        });
        let planned: Option<Vec<_>> = slots.into_iter().map(OnceLock::into_inner).collect();
        planned.ok_or(Error::Interrupted)
    }

    fn candidate(&self, options: Options) -> Result<Candidate, rtl::Error> {
        let plan = self.designer.plan(&options, self.model)?;
        let (rate, area) = (plan.rate(), plan.resources.all.area);
        let predicted = PlannedFigures { rate: Some(rate).filter(|rate| rate.is_finite()), area };
        let design = Design::new(plan.program, &module(self.subject))?;
        Ok(Candidate { predicted, core: core(self.subject, &design, options) })
    }
}

/// The shapes that merge `merge` steps. Without `sums` all ways of adding make the same text, so
/// that the first of them is enough.
fn shapes(space: &Space, merge: usize, sums: bool) -> Vec<Options> {
    let list = |list: &[usize]| if list.is_empty() { vec![1, 2, 4] } else { list.to_vec() };
    let adders =
        if space.adders.is_empty() { &Adders::ALL[..] } else { &space.adders[..] }.to_vec();
    let ahead = match space.precompute.is_empty() {
        true => vec![Precompute::Kw, Precompute::Full, Precompute::Auto],
        false => space.precompute.clone(),
    };
    let papers = Options::PAPERS.into_iter().filter(|paper| {
        paper.merge == merge
            && space.precompute.is_empty()
            && list(&space.stages).contains(&paper.stages)
            && adders.contains(&paper.adders)
    });
    let papers: Vec<Options> = papers.collect();
    let adders = if sums { adders } else { adders[..1].to_vec() };
    let shapes = list(&space.stages).into_iter().flat_map(move |stages| {
        let ahead = ahead.clone();
        adders.clone().into_iter().flat_map(move |adders| {
            let shape = move |precompute| Options { merge, stages, adders, precompute };
            ahead.clone().into_iter().map(shape)
        })
    });
    shapes.chain(papers).collect()
}

fn module(subject: Subject<'_>) -> rtl::Options {
    rtl::Options::new(&subject.name.replace(['-', '/'], "_"))
}

fn core(subject: Subject<'_>, design: &Design, options: Options) -> Core {
    let Options { merge, stages, adders, precompute } = options;
    let Subject { name, planned_for, .. } = subject;
    let command = format!(
        "manylane emit rtl {name} --merge {merge} --stages {stages} --adders {adders} \
         --precompute {precompute} --target {planned_for} -o {name}-core"
    );
    let style = Style::default();
    let about =
        Project { title: subject.title, warning: None, command: &command, blocks: &[], style };
    Core {
        sheet: Datasheet::new(design.built(), &about, Vec::new()),
        // Equal for shapes that are alike: the command is not in the text.
        verilog: text(&design.core.netlist, style, subject.title),
        origins: Vec::new(),
    }
}

/// Leaves out shapes that another is predicted to beat by far in both area and rate. The usual core
/// and the paper's stay: others are compared with them.
fn hopeful(all: Vec<Candidate>, margin: f64) -> Vec<Candidate> {
    let beaten = |one: &Candidate| {
        all.iter().any(|other| match (other.predicted.rate, one.predicted.rate) {
            (Some(other_rate), Some(rate)) => {
                other_rate > margin * rate && margin * other.predicted.area < one.predicted.area
            }
            _ => false,
        })
    };
    let named = |one: &Candidate| {
        let options = one.core.sheet.options;
        options == Options::default() || Options::PAPERS.contains(&options)
    };
    let kept: Vec<bool> = all.iter().map(|one| named(one) || !beaten(one)).collect();
    all.into_iter().zip(kept).filter(|(_, kept)| *kept).map(|(one, _)| one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use manylane_graph::trace;

    fn shapes_of(name: &str, space: &Space) -> Vec<Options> {
        let compression = trace::compression(name.parse().unwrap());
        let subject =
            Subject { compression: &compression, name, title: name, planned_for: "generic-gates" };
        let model = DelayModel::load("gate").unwrap();
        let of = |jobs| {
            let found = candidates(subject, space, &model, jobs, &Planned::default()).unwrap();
            found.iter().map(|candidate| candidate.core.sheet.options).collect::<Vec<_>>()
        };
        let found = of(1);
        assert_eq!(found, of(3), "threads make no difference");
        found
    }

    /// An observer that counts shapes, and asks to stop after `most` of them.
    #[derive(Default)]
    struct Planned {
        shapes: AtomicUsize,
        most: Option<usize>,
    }

    impl Watch for Planned {
        fn stop(&self) -> bool {
            self.most.is_some_and(|most| self.shapes.load(Ordering::Relaxed) >= most)
        }

        fn event(&self, event: Event<'_>) {
            assert!(matches!(event, Event::Planned(_)), "{event:?}");
            self.shapes.fetch_add(1, Ordering::Relaxed);
        }
    }

    #[test]
    fn shapes_that_are_alike_are_one() {
        // There are no sums, so all ways of adding are the same.
        let space = Space { stages: vec![1], margin: f64::INFINITY, ..Space::default() };
        let keccak = shapes_of("keccak256", &space);
        let merges: Vec<usize> = keccak.iter().map(|options| options.merge).collect();
        assert_eq!(merges, [1, 2, 3]);
        // The first way of adding stands for all.
        let adders = vec![Adders::CarrySave, Adders::Chain];
        let first = shapes_of("keccak256", &Space { merge: vec![1], adders, ..space });
        assert_eq!(first[0].adders, Adders::CarrySave);
    }

    #[test]
    fn planning_can_be_watched_and_stopped() {
        let compression = trace::compression("md5".parse().unwrap());
        let subject = Subject {
            compression: &compression,
            name: "md5",
            title: "MD5",
            planned_for: "generic-gates",
        };
        let model = DelayModel::load("gate").unwrap();
        let space = Space { merge: vec![1], stages: vec![1], margin: 1.2, ..Space::default() };
        let all = Planned::default();
        candidates(subject, &space, &model, 2, &all).unwrap();
        // Three ways of adding, each with three of computing ahead.
        assert_eq!(all.shapes.into_inner(), 9);
        let few = Planned { most: Some(2), ..Planned::default() };
        let stopped = candidates(subject, &space, &model, 1, &few).unwrap_err();
        assert!(matches!(stopped, Error::Interrupted), "{stopped}");
        assert_eq!(few.shapes.into_inner(), 2);
    }

    #[test]
    fn shapes_of_which_there_is_no_core_are_left_out() {
        let space = Space {
            // 64 steps, taken two at a time, do not fill 64 stages.
            merge: vec![1, 2],
            stages: vec![1, 64],
            adders: vec![Adders::Chain],
            precompute: vec![Precompute::Kw],
            margin: f64::INFINITY,
        };
        let shape = |merge, stages| Options { merge, stages, ..Options::default() };
        assert_eq!(shapes_of("sha256", &space), [shape(1, 1), shape(1, 64), shape(2, 1)]);
    }

    #[test]
    fn a_value_that_no_shape_can_have_is_named() {
        let space = |merge: &[usize], stages: &[usize]| Space {
            merge: merge.to_vec(),
            stages: stages.to_vec(),
            ..Space::default()
        };
        let shape = |merge, stages| Some(Options { merge, stages, ..Options::default() });
        for (merge, stages, impossible) in [
            (&[][..], &[][..], None),
            (&[64, 1], &[], None),
            (&[], &[64, 1], None),
            (&[32, 1], &[4, 2], None),
            (&[1, 3], &[], shape(3, 1)),
            (&[], &[1, 3], shape(1, 3)),
            (&[2, 1], &[3, 1], shape(2, 3)),
            // Two clocks for a block do not fill four stages.
            (&[1, 32], &[4], shape(32, 4)),
            (&[0, 1], &[], shape(0, 1)),
        ] {
            assert_eq!(space(merge, stages).impossible(64), impossible, "{merge:?} {stages:?}");
        }
    }

    #[test]
    fn the_hopeless_are_left_out_and_the_named_stay() {
        let all = Space { merge: vec![1, 2], margin: f64::INFINITY, ..Space::default() };
        let few = Space { margin: 1.0, ..all.clone() };
        let (all, few) = (shapes_of("sha256", &all), shapes_of("sha256", &few));
        assert!(few.len() < all.len() && few.contains(&Options::default()));
        assert!(Options::PAPERS.iter().all(|paper| few.contains(paper)), "{few:?}");
    }
}
