//! Programs compiled and run for a platform's file.

use super::file::Tables;
use super::fit;
use crate::c::{BESIDE, HashPrograms, Planner, Rc5Programs};
use crate::error::Error;
use crate::primitive::Primitive;
use crate::run::{
    Hmac, PlainJob, SingleMessages, Subject, measure, measure_shares, parts, parts_of_one, section,
    whole_jobs,
};
use manylane_emit::c::{CIPHER_SHARE, Cores};
use manylane_graph::trace::literal_compression;
use manylane_plan::Platform;
use manylane_plan::platform::{ProgramTime, ShareTime, WordSize};
use manylane_plan::program::Program;
use manylane_plan::program::assign::CALLS;
use manylane_plan::program::message::{Calls, predict};
use manylane_plan::program::parts::HandOvers;
use manylane_plan::program::shape::{Shape, candidates};
use manylane_primitives::catalog::{Algorithm, HashId};
use manylane_primitives::cipher::Rc5Params;
use manylane_simulate::Machine;

/// A split whose predicted time differs from that of its run by more than this part of the run's
/// time is taken only if the same holds for all splits.
const MOST_ERROR: f64 = 0.025;

/// Bytes of the message by which splits are compared.
fn length(programs: &HashPrograms) -> usize {
    CALLS * programs.stream.framing.block_bytes
}

/// Which programs are measured.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Wanted {
    /// All programs, and for each hash the most promising splits, at the faster word size.
    All,
    /// All programs, but of a hash's splits and word sizes only those that the file names.
    SameSplits,
    /// The programs that the file does not know.
    Missing,
}

/// A machine, and the file that is written about it.
pub struct Bench {
    machine: Machine,
    /// The name of the file in errors.
    file: String,
    tables: Tables,
    /// The platform as the file describes it so far.
    platform: Platform,
    wanted: Wanted,
    /// How many splits of a hash are measured.
    splits: usize,
    /// The tools that measure, as the file states them, and whether the file also has figures that
    /// are not measured now.
    by: (String, bool),
    /// Programs of one core with the cycles of a call. A compression that several hashes have takes
    /// the time of the first of them, so that they are planned alike.
    blocks: Vec<(Program, f64, Option<WordSize>)>,
    /// For each compression its program of one core, with the program of two cores whose split was
    /// chosen.
    chosen: Vec<(Program, Program, Option<WordSize>)>,
}

/// The split of a hash that is best so far, at one word size.
struct Best {
    shape: Shape,
    /// Whether the prediction is far off, and the cycles of the run.
    cost: (bool, f64),
    time: ShareTime,
    one: Program,
    two: Program,
}

/// The word sizes that are tried: 64 bits, which the compiler cuts, and that of cores of 32 bits.
const WORDS: [u8; 2] = [64, 32];

/// The faster one of two word sizes and the time that it saves, from the times of programs with
/// them.
fn measured_size(best: (Shape, f64), other: Option<f64>) -> Option<WordSize> {
    let (word, other) = (best.0.word?, other?);
    Some(WordSize { word, saves: (1.0 - best.1 / other).max(0.0) })
}

impl Bench {
    /// Prepares to measure on a machine. Of each hash at most `splits` splits are measured. `file`
    /// is the name of the platform's file in errors. `is_part` says that some of the file's figures
    /// stay as they are.
    ///
    /// # Errors
    /// If the file is no platform's, or the compiler is missing.
    pub fn new(
        machine: Machine,
        file: String,
        tables: Tables,
        wanted: Wanted,
        splits: usize,
        is_part: bool,
    ) -> Result<Self, Error> {
        let platform = Platform::parse(&file, &tables.to_string())?;
        let by = (machine.measures_by()?, is_part);
        let (blocks, chosen) = (Vec::new(), Vec::new());
        Ok(Self { machine, file, tables, platform, wanted, splits, by, blocks, chosen })
    }

    fn only_missing(&self) -> bool {
        self.wanted == Wanted::Missing
    }

    /// The file as it is now.
    pub fn text(&self) -> String {
        self.tables.to_string()
    }

    /// Reads the platform anew from the tables as they are now.
    fn renew(&mut self) -> Result<(), Error> {
        let (by, is_part) = &self.by;
        self.tables.set_measured(by, *is_part);
        self.platform = Platform::parse(&self.file, &self.tables.to_string())?;
        Ok(())
    }

    /// Measures a hash's program on the main core. HMAC and RC5 are measured on both numbers of
    /// cores at once.
    ///
    /// # Errors
    /// If there is no program, it does not run, or a result is not the definition's.
    pub fn one_core(&mut self, primitive: Primitive) -> Result<(), Error> {
        let Primitive::Hash(algorithm) = primitive else { return Ok(()) };
        let name = algorithm.to_string();
        let mut all = Vec::new();
        for shape in self.shapes(algorithm) {
            let one = HashPrograms::new(algorithm, Cores::One, shape, &self.platform)?;
            let program = one.one.identity();
            match self.platform.programs.get(&name) {
                Some(known) if self.only_missing() && known.program == Some(program) => {
                    self.blocks.push((one.one, known.block, known.word_size));
                    return Ok(());
                }
                _ => all.push((shape, one)),
            }
        }
        let is_same =
            |known: &Program, one: &HashPrograms| known.rolled.regions == one.one.rolled.regions;
        let known = self.blocks.iter().find_map(|(known, block, cut)| {
            let at = all.iter().position(|(_, one)| is_same(known, one))?;
            Some((at, *block, *cut))
        });
        if let Some((at, ..)) = known {
            all = vec![all.swap_remove(at)];
        }
        let mut times = Vec::new();
        for (shape, one) in all {
            let framing = &one.stream.framing;
            let cycles = self.cycles(&name, &one, Cores::One, &fit::lengths_of_one(framing))?;
            let time = fit::one(framing, &cycles, known.map(|(_, block, _)| block));
            times.push((shape, one, time));
        }
        times.sort_by(|(.., a), (.., b)| a.block.total_cmp(&b.block));
        let other = times.get(1).map(|(.., time)| time.block);
        let (shape, one, time) = times.swap_remove(0);
        let word_size = match (known, self.wanted) {
            (Some((.., size)), _) => size,
            (None, Wanted::All) => measured_size((shape, time.block), other),
            (None, _) => self.platform.word_size(&name, 1),
        };
        let program = Some(one.one.identity());
        self.blocks.push((one.one, time.block, word_size));
        self.tables.set_program(&name, &ProgramTime { program, word_size, ..time });
        self.renew()
    }

    /// The shapes that are tried of a hash: where the compiler would cut words of 64 bits, these
    /// and words of 32 bits. Only [`Wanted::All`] tries more than the usual shape.
    fn shapes(&self, algorithm: Algorithm) -> Vec<Shape> {
        if self.wanted != Wanted::All {
            return vec![Shape::default()];
        }
        let compression = literal_compression(algorithm);
        let [whole, cut] = WORDS.map(|word| Shape { word: Some(word), ..Shape::default() });
        let by_rule = Shape::default().one(&compression);
        match by_rule.rolled.is_interleaved() || by_rule == cut.one(&compression) {
            true => vec![Shape::default()],
            false => vec![whole, cut],
        }
    }

    /// The cycles of messages.
    fn cycles(
        &self,
        name: &str,
        subject: &dyn Subject,
        cores: Cores,
        lengths: &[usize],
    ) -> Result<Vec<f64>, Error> {
        let measured = measure(self.machine, subject, cores, lengths)?;
        if measured.iter().any(|of| !of.digest_ok) {
            let what = "a digest is not the definition's; nothing is measured";
            return Err(Error::Wrong { name: format!("{name} on {}", self.machine), what });
        }
        Ok(measured.iter().map(|of| f64::from(of.cycles)).collect())
    }

    /// Measures the latencies of jobs, with the first hash of the catalogue that has a share for
    /// the second core, whichever hashes are asked for.
    ///
    /// # Errors
    /// As [`Bench::one_core`].
    pub fn latencies(&mut self) -> Result<(), Error> {
        if self.only_missing() && self.platform.handshake.start > 0.0 {
            return Ok(());
        }
        for &id in HashId::ALL {
            let algorithm = Algorithm::from(id);
            let (mut programs, splits) = self.splits_of(algorithm, Shape::default())?;
            programs.two = splits.into_iter().next();
            if programs.two.is_none() {
                continue;
            }
            let lengths = fit::lengths_of_two(&programs.stream.framing);
            let SingleMessages { latencies, .. } =
                measure_shares(self.machine, &programs, &lengths[..1])?;
            self.tables.set_latencies(&latencies);
            return self.renew();
        }
        Ok(())
    }

    /// Measures a primitive's program on two cores.
    ///
    /// # Errors
    /// As [`Bench::one_core`], or if the hand-overs of a run are not those of its program.
    pub fn two_cores(&mut self, primitive: Primitive) -> Result<(), Error> {
        let before = self.text();
        match primitive {
            Primitive::Hash(algorithm) => self.split(algorithm)?,
            Primitive::Hmac(algorithm) => self.key(algorithm)?,
            Primitive::Rc5(params) => self.stream(params)?,
        }
        if self.only_missing() && self.text() == before { Ok(()) } else { self.renew() }
    }

    /// The program of a hash on one core, and its most promising splits over two.
    fn splits_of(
        &self,
        algorithm: Algorithm,
        shape: Shape,
    ) -> Result<(HashPrograms, Vec<Program>), Error> {
        let programs = HashPrograms::alone(algorithm, Cores::Two, shape, &self.platform)?;
        let (one, order) = (&programs.one, programs.stream.framing.order);
        let splits = match self.chosen_of(one) {
            Some((known, _)) => vec![known.renamed_as(one)],
            None => candidates(one, order, &*programs.priced(&self.platform)?)?,
        };
        Ok((programs, splits))
    }

    /// The split that was chosen for a compression, and its word size.
    fn chosen_of(&self, one: &Program) -> Option<(&Program, Option<WordSize>)> {
        let is_same = |(known, ..): &&(Program, Program, Option<WordSize>)| {
            known.rolled.is_alike(&one.rolled)
        };
        self.chosen.iter().find(is_same).map(|(_, two, cut)| (two, *cut))
    }

    /// Measures the shares of a hash's splits, and keeps those of the split that ran fastest among
    /// those whose runs are as predicted.
    fn split(&mut self, algorithm: Algorithm) -> Result<(), Error> {
        let name = algorithm.to_string();
        let mut shapes = self.shapes(algorithm);
        let mut chosen = None;
        for &shape in &shapes {
            let of = HashPrograms::alone(algorithm, Cores::Two, shape, &self.platform)?;
            chosen = chosen.or(self.chosen_of(&of.one).map(|(_, cut)| (shape, cut)));
        }
        if let Some((shape, _)) = chosen {
            shapes = vec![shape];
        }
        let known = self.platform.shares.get(&name).map(|of| of.program);
        let mut bests: Vec<Best> = Vec::new();
        for shape in shapes {
            let (mut programs, mut splits) = self.splits_of(algorithm, shape)?;
            let is_known = |of: &Program| Some(of.identity()) == known;
            match (self.wanted, splits.iter().position(is_known)) {
                (Wanted::Missing, Some(at)) => {
                    let size = self.platform.word_size(&name, 2);
                    self.chosen.push((programs.one, splits.swap_remove(at), size));
                    return Ok(());
                }
                (Wanted::SameSplits, Some(at)) => splits = vec![splits.swap_remove(at)],
                _ => (),
            }
            let mut best: Option<Best> = None;
            for two in splits.into_iter().take(self.splits) {
                programs.two = Some(two);
                let (time, predicted) = self.shares(&name, &programs)?;
                let length = length(&programs);
                let cycles = self.cycles(&name, &programs, Cores::Two, &[length])?[0];
                let cost = ((predicted / cycles - 1.0).abs() > MOST_ERROR, cycles);
                if best.as_ref().is_none_or(|least| cost < least.cost)
                    && let Some(two) = programs.two.take()
                {
                    best = Some(Best { shape, cost, time, one: programs.one.clone(), two });
                }
            }
            bests.extend(best);
        }
        bests.sort_by(|a, b| a.cost.0.cmp(&b.cost.0).then(a.cost.1.total_cmp(&b.cost.1)));
        let other = bests.get(1).map(|of| of.cost.1);
        let best = bests.into_iter().next().map(|mut of| {
            of.time.word_size = match (chosen, self.wanted) {
                (Some((_, size)), _) => size,
                (None, Wanted::All) => measured_size((of.shape, of.cost.1), other),
                // The word size of one core, against which no split with another size was measured.
                (None, _) if known.is_none() => {
                    self.platform.word_size(&name, 2).map(|of| WordSize { saves: 0.0, ..of })
                }
                (None, _) => self.platform.word_size(&name, 2),
            };
            of
        });
        self.tables.set_share(&name, best.as_ref().map(|of| &of.time));
        self.chosen.extend(best.map(|of| (of.one, of.two, of.time.word_size)));
        Ok(())
    }

    /// Measures the shares of a program. Also returns the cycles that these shares predict for a
    /// message of [`length`] bytes.
    fn shares(&self, name: &str, programs: &HashPrograms) -> Result<(ShareTime, f64), Error> {
        let framing = &programs.stream.framing;
        let two = programs.two.as_ref().expect("a program of two cores");
        let lengths = fit::lengths_of_two(framing);
        let SingleMessages { shares, outcome, .. } =
            measure_shares(self.machine, programs, &lengths)?;
        let rest = self.platform.programs.get(name).map_or(0.0, |of| of.held + of.byte);
        let mut time = fit::two(framing, two.identity(), &shares, rest);
        let jobs = Calls::of(framing, lengths[lengths.len() - 1]).jobs();
        time.parts = Some(
            parts(two, &jobs, [time.main, time.second], &outcome)
                .ok_or_else(|| self.other_hand_overs(name))?,
        );
        let mut platform = self.platform.clone();
        platform.shares.insert(name.to_owned(), time.clone());
        let predicted = predict(two, framing, &platform, length(programs))?;
        Ok((time, predicted.cycles))
    }

    fn other_hand_overs(&self, name: &str) -> Error {
        Error::HandOvers { name: name.to_owned(), machine: self.machine.name() }
    }

    /// Measures the additional time of HMAC with a hash.
    fn key(&mut self, algorithm: Algorithm) -> Result<(), Error> {
        let hash = Planner::new(Shape::default(), &self.platform).plan(algorithm, Cores::Two)?;
        let hmac = Hmac(hash);
        let (name, program) = (hmac.name(), hmac.program());
        let identity = program.identity();
        let is_known = self.platform.keys.get(&name).is_some_and(|of| of.program == identity);
        if self.only_missing() && is_known {
            return Ok(());
        }
        let jobs = hmac.jobs(0);
        let calls = jobs.iter().sum::<usize>() as f64;
        // The program for one core may have another word size.
        let on_one = Planner::new(Shape::default(), &self.platform).plan(algorithm, Cores::One)?;
        let alone = self.cycles(&name, &Hmac(on_one), Cores::One, &[0])?[0];
        let of_hash = algorithm.to_string();
        let block = self.platform.programs.get(&of_hash).map_or(0.0, |of| of.block);
        let shared = match self.platform.shares.get(&of_hash) {
            Some(of) if program.processors > 1 => of.main * calls + of.give * jobs.len() as f64,
            _ => block * calls,
        };
        let SingleMessages { shares, outcome, .. } = measure_shares(self.machine, &hmac, &[0])?;
        let first = whole_jobs(&outcome, 0).and_then(|jobs| jobs.first().copied());
        let first = first.ok_or_else(|| self.other_hand_overs(&name))?;
        let one = (calls + 2.0) * block;
        let time = fit::key(identity, alone, one, &shares[0], shared, first);
        self.tables.set_key(&name, &time);
        Ok(())
    }

    /// Measures the times of RC5.
    fn stream(&mut self, params: Rc5Params) -> Result<(), Error> {
        if !self.only_missing() {
            // The old time is removed, so that the new split is not judged by the time of an
            // earlier one.
            self.platform.shares.remove(&params.to_string().replace('/', "-"));
        }
        let rc5 = Rc5Programs::new(params, Cores::Two, Shape::default(), &self.platform)?;
        let two = rc5.two.as_ref().expect("a program of two cores");
        let (name, identity, block) = (section(params), two.identity(), params.block_bytes());
        let is_known = self.platform.streams.get(&name).is_some_and(|of| of.program == identity);
        if self.only_missing() && is_known {
            return Ok(());
        }
        let alone = self.cycles(&name, &rc5, Cores::One, &fit::lengths_of_stream(block))?;
        let is_shared = two.processors > 1;
        let beside = if is_shared { BESIDE } else { 0 };
        let most = 2 * CIPHER_SHARE;
        let lengths = fit::lengths_of_jobs(block, beside, most);
        let SingleMessages { shares, outcome, .. } = measure_shares(self.machine, &rc5, &lengths)?;
        let mut call = 0.0;
        if is_shared {
            let time =
                self.share_of_one(two, &outcome).ok_or_else(|| self.other_hand_overs(&name))?;
            call = time.main + time.give;
            self.tables.set_share(&name, Some(&time));
        }
        let jobs = whole_jobs(&outcome, usize::from(is_shared));
        let jobs: Option<[PlainJob; 2]> = jobs.and_then(|jobs| jobs.try_into().ok());
        let jobs = jobs.ok_or_else(|| self.other_hand_overs(&name))?;
        let mut time = fit::stream(block, identity, &alone, &shares, most, jobs, call);
        // Only the main core works in these two messages, but the second core polls for a job and
        // so takes accesses to memory away. They are measured while it polls.
        let [none, one] = self.cycles(&name, &rc5, Cores::Two, &[0, block])?[..] else {
            unreachable!("a time for each length")
        };
        (time.message, time.only) = (none, (one - none).max(0.0));
        self.tables.set_stream(&name, &time);
        Ok(())
    }

    /// The times of the shares of a job of one call, from the times of their hand-overs; `None` if
    /// the accesses to flags are not those of the program.
    fn share_of_one(
        &self,
        two: &Program,
        outcome: &manylane_simulate::Outcome,
    ) -> Option<ShareTime> {
        let mut parts = parts_of_one(two, [1.0; 2], outcome)?;
        let call = |processor: usize| {
            let [before, inner @ .., after] = &parts.cycles[processor][..] else { return 0.0 };
            let places = HandOvers::of(two, processor);
            before + places.in_order().map(|(place, _)| inner[place]).sum::<f64>() + after
        };
        let (main, second) = (call(0), call(1));
        parts.accesses = [parts.accesses[0] * main, parts.accesses[1] * second];
        let (program, give) = (two.identity(), parts.open);
        let parts = Some(parts);
        let (message, take, word_size) = (0.0, 0.0, None);
        Some(ShareTime { program, main, second, message, give, take, word_size, parts })
    }
}
