//! Finds the times of the hand-overs within the shares of two cores, from the loads and stores of
//! the flags.
//!
//! Both shares run on core 0, the second one's when its job is given (`shares.c`). The accesses
//! come in this order:
//!
//! ```text
//!  main     load serves … store asked                                    a job is given
//!  second   store given, for each call: load given, hand-overs, store posted
//!  main     for each call: load posted, store given; hand-overs           … load asked
//!           the first call's words, where there are two slots, without a load of posted
//! ```

use manylane_plan::platform::HandOverTimes;
use manylane_plan::program::parts::HandOvers;
use manylane_plan::program::{MAIN, Program};
use manylane_simulate::{Outcome, Watched};

/// A mean of samples.
#[derive(Clone, Copy, Default)]
struct Mean {
    sum: u64,
    count: u64,
}

impl Mean {
    fn value(self) -> f64 {
        if self.count == 0 { 0.0 } else { self.sum as f64 / self.count as f64 }
    }

    /// Adds the time between two accesses.
    fn add(&mut self, from: Access, to: Access) {
        self.sum += to.cycle - from.cycle;
        self.count += 1;
    }
}

/// The times of a core's share of a call.
struct Share {
    before: Mean,
    parts: Vec<Mean>,
    after: Mean,
    /// Cycles and accesses to memory of all samples.
    cycles: u64,
    accesses: u64,
}

impl Share {
    fn new(places: usize) -> Self {
        let (before, after, parts) =
            (Mean::default(), Mean::default(), vec![Mean::default(); places]);
        Self { before, parts, after, cycles: 0, accesses: 0 }
    }

    /// Adds the time between two accesses to the sample that `which` names.
    fn note(&mut self, from: Access, to: Access, which: impl FnOnce(&mut Self) -> &mut Mean) {
        let cycles = to.cycle - from.cycle;
        self.cycles += cycles;
        self.accesses += to.accesses - from.accesses;
        which(self).add(from, to);
    }

    fn list(&self) -> Vec<f64> {
        let parts = self.parts.iter().map(|part| part.value());
        std::iter::once(self.before.value()).chain(parts).chain([self.after.value()]).collect()
    }

    /// Accesses to memory of a call that takes `call` cycles.
    fn accesses(&self, call: f64) -> f64 {
        if self.cycles == 0 { 0.0 } else { call * self.accesses as f64 / self.cycles as f64 }
    }
}

/// A flag of `manylane_second`.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Flag {
    Serves,
    Asked,
    Done,
    Posted,
    Given,
}

#[derive(Clone, Copy)]
struct Access {
    flag: Flag,
    is_store: bool,
    cycle: u64,
    accesses: u64,
}

/// The accesses that are left.
struct Log<'l>(std::slice::Iter<'l, Access>);

impl Log<'_> {
    /// The next access, if it is this one.
    fn expect(&mut self, flag: Flag, is_store: bool) -> Option<Access> {
        let next = *self.0.next()?;
        (next.flag == flag && next.is_store == is_store).then_some(next)
    }

    /// The first access of this kind.
    fn skip_to(&mut self, flag: Flag, is_store: bool) -> Option<Access> {
        self.0.by_ref().copied().find(|next| next.flag == flag && next.is_store == is_store)
    }

    /// The last access of a job of the second core: its store to `done`, or the last one that
    /// resets its flags after that.
    fn done(&mut self) -> Option<Access> {
        let mut last = self.skip_to(Flag::Done, true)?;
        while let Some(reset) = self.0.as_slice().first().copied() {
            if reset.flag != Flag::Posted || !reset.is_store {
                break;
            }
            last = reset;
            self.0.next();
        }
        Some(last)
    }

    /// The hand-over of a processor, which loads the other one's flag or stores its own.
    fn hand_over(&mut self, processor: usize, is_send: bool) -> Option<Access> {
        let own = if processor == MAIN { Flag::Given } else { Flag::Posted };
        let others = if processor == MAIN { Flag::Posted } else { Flag::Given };
        self.expect(if is_send { own } else { others }, is_send)
    }

    /// Adds the times of a processor's hand-overs in a call, the first of them counted from the
    /// access `last`. Returns the last hand-over.
    fn hand_overs(
        &mut self,
        processor: usize,
        of: &HandOvers,
        mut last: Access,
        share: &mut Share,
    ) -> Option<Access> {
        for (place, is_send) in of.in_order() {
            let here = self.hand_over(processor, is_send)?;
            share.note(last, here, |of| &mut of.parts[place]);
            last = here;
        }
        Some(last)
    }
}

/// The accesses to flags that were watched.
fn log(outcome: &Outcome) -> Option<Vec<Access>> {
    let offsets = ["serves", "asked", "done", "posted", "given"];
    let flags = [Flag::Serves, Flag::Asked, Flag::Done, Flag::Posted, Flag::Given];
    let mut known = Vec::new();
    for (name, flag) in offsets.into_iter().zip(flags) {
        let at = outcome.number(&format!("offset_{name}")).ok()?;
        known.push((at..at + 1, flag));
    }
    // Where each hand-over has a flag of its own.
    for (name, flag) in [("flags_given", Flag::Given), ("flags_posted", Flag::Posted)] {
        if let Ok(at) = outcome.number(name) {
            known.push((at..at + 4 * outcome.number(&format!("{name}_count")).ok()?, flag));
        }
    }
    let of = |watched: &Watched| {
        let (_, flag) = known.iter().find(|(at, _)| at.contains(&u64::from(watched.offset)))?;
        let Watched { cycle, is_store, accesses, .. } = *watched;
        Some(Access { flag: *flag, is_store, cycle, accesses })
    };
    Some(outcome.watched.iter().filter_map(of).collect())
}

/// A job without hand-overs: the work of each core until the main one asks whether the other one is
/// done.
#[derive(Clone, Copy, Debug)]
pub struct PlainJob {
    /// Cycles of the main core after giving it.
    pub main: f64,
    /// Cycles of the second core.
    pub second: f64,
}

/// The jobs without hand-overs that come first in a message, or all that come after `skipped`
/// others.
pub fn whole_jobs(outcome: &Outcome, skipped: usize) -> Option<Vec<PlainJob>> {
    let log = log(outcome)?;
    let mut log = Log(log.iter());
    for _ in 0..skipped {
        log.skip_to(Flag::Asked, true)?;
        log.done()?;
    }
    let mut jobs = Vec::new();
    while log.skip_to(Flag::Asked, true).is_some() {
        let from = log.expect(Flag::Given, true)?;
        let Some(to) = log.expect(Flag::Posted, true) else { break };
        let returned = log.done()?;
        let asked = log.expect(Flag::Asked, false)?;
        let second = (to.cycle - from.cycle) as f64;
        jobs.push(PlainJob { main: (asked.cycle - returned.cycle) as f64, second });
    }
    Some(jobs)
}

/// The times of the hand-overs in a job of one call, whose words need not be given. `None` if the
/// accesses are not those of this program.
pub fn parts_of_one(
    program: &Program,
    calls: [f64; 2],
    outcome: &Outcome,
) -> Option<HandOverTimes> {
    let log = log(outcome)?;
    let mut log = Log(log.iter());
    let places = [MAIN, 1].map(|processor| HandOvers::of(program, processor));
    let [mut main, mut second] = [0, 1].map(|one: usize| Share::new(places[one].places()));
    let begin = log.skip_to(Flag::Serves, false)?;
    let asked = log.skip_to(Flag::Asked, true)?;
    let mut last = log.expect(Flag::Given, true)?;
    last = log.hand_overs(1, &places[1], last, &mut second)?;
    let end = log.expect(Flag::Posted, true)?;
    second.note(last, end, |of| &mut of.after);
    last = log.done()?;
    last = log.hand_overs(MAIN, &places[MAIN], last, &mut main)?;
    let settled = log.expect(Flag::Asked, false)?;
    main.note(last, settled, |of| &mut of.after);
    Some(HandOverTimes {
        open: (asked.cycle - begin.cycle) as f64,
        begin: None,
        enter: 0.0,
        cycles: [main.list(), second.list()],
        accesses: [main.accesses(calls[MAIN]), second.accesses(calls[1])],
        line: 0,
    })
}

/// The times of the hand-overs in the shares of a message. `jobs` has the number of calls of each
/// job; `calls` has the cycles that a call takes of each core. `None` if the accesses are not those
/// of this program.
pub fn parts(
    program: &Program,
    jobs: &[usize],
    calls: [f64; 2],
    outcome: &Outcome,
) -> Option<HandOverTimes> {
    let log = log(outcome)?;
    let mut log = Log(log.iter());
    let places = [MAIN, 1].map(|processor| HandOvers::of(program, processor));
    let [mut main, mut second] = [0, 1].map(|one: usize| Share::new(places[one].places()));
    let [mut open, mut begin, mut enter] = [Mean::default(); 3];
    let slots = 1 + usize::from(program.runs_ahead());
    for &calls in jobs {
        let from = log.skip_to(Flag::Serves, false)?;
        let asked = log.skip_to(Flag::Asked, true)?;
        open.add(from, asked);
        let mut last = log.skip_to(Flag::Given, true)?;
        for call in 0..calls {
            let words = log.expect(Flag::Given, false)?;
            if call == 0 {
                enter.add(last, words);
            } else {
                second.note(last, words, |of| &mut of.before);
            }
            last = words;
            last = log.hand_overs(1, &places[1], last, &mut second)?;
            let end = log.expect(Flag::Posted, true)?;
            second.note(last, end, |of| &mut of.after);
            last = end;
        }
        last = log.done()?;
        let mut given = 0;
        // A job with two slots begins with the words of its first call, for which nothing is waited
        // for.
        let is_begun = slots > 1;
        if is_begun {
            last = log.expect(Flag::Given, true)?;
            given = 1;
        }
        // Where nothing is given before a call, its first part cannot be told from the end of the
        // one before it.
        let mut since: Option<Access> = None;
        for call in 0..calls {
            // In a job of one call the job's own time cannot be told from the first part.
            let mut is_after_words = false;
            while given < calls.min(call + slots) {
                let from = log.expect(Flag::Posted, false)?;
                if let Some(since) = since.take() {
                    main.note(since, from, |of| &mut of.after);
                } else if is_begun && call == 0 {
                    begin.add(last, from);
                }
                let to = log.expect(Flag::Given, true)?;
                main.note(from, to, |of| &mut of.before);
                (last, is_after_words) = (to, true);
                given += 1;
            }
            for (i, (place, is_send)) in places[MAIN].in_order().enumerate() {
                let here = log.hand_over(MAIN, is_send)?;
                if i > 0 || is_after_words {
                    main.note(last, here, |of| &mut of.parts[place]);
                }
                last = here;
            }
            since = Some(last);
        }
        let settled = log.expect(Flag::Asked, false)?;
        if let Some(since) = since {
            main.note(since, settled, |of| &mut of.after);
        }
    }
    Some(HandOverTimes {
        open: open.value(),
        begin: (slots > 1).then(|| begin.value()),
        enter: enter.value(),
        cycles: [main.list(), second.list()],
        accesses: [main.accesses(calls[MAIN]), second.accesses(calls[1])],
        line: 0,
    })
}
