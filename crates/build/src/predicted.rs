//! The times of the programs that are emitted for a primitive, without a run: what is predicted
//! where a platform's file has measured programs of it.
//!
//! | the file has | language | the times are |
//! |---|---|---|
//! | `[programs]`, `[shares]`, `[keys]`, `[streams]` | C | the prediction of a run ([`Planned`]) |
//! | `[programs]` with names such as `sha256.xgate` | assembly | those of the measured programs |

use crate::c::Planner;
use crate::error::Error;
use crate::message::Lengths;
use crate::primitive::Primitive;
use crate::run::Planned;
use crate::split::{SplitPart, split};
use manylane_emit::asm;
use manylane_emit::c::Cores;
use manylane_graph::framing::{Framing, stream};
use manylane_plan::Platform;
use manylane_plan::platform::MAIN;
use manylane_plan::program::message::measured;
use manylane_plan::program::prices::PriceBasis;
use manylane_plan::program::shape::Shape;
use manylane_plan::two_core::part_saved;
use serde::Serialize;

/// The times of a message: of a hash from the first call to the digest, of a cipher the key's
/// expansion and the message in mode CTR. The fields are those of `manylane plan --json`.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct MessageTimes {
    /// Bytes of the message.
    pub length: usize,
    /// The time of the main core alone.
    pub one_core: Time,
    /// The time of the other core alone, where it is not like the main one.
    pub other_core: Option<Time>,
    /// The time of both cores together; `None` where no split was found that saves time, so that
    /// none is emitted.
    pub two_cores: Option<Time>,
    /// The part of the main core's time that the fastest of these saves; below 0 where equal cores
    /// take longer together than one of them.
    pub saved: f64,
    /// The part of the faster single core's time that the fastest of these saves.
    pub saved_over_best_core: f64,
}

/// A predicted time.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Time {
    /// Cycles of the whole message.
    pub cycles: f64,
    /// The figures that it rests on.
    pub from: PriceBasis,
}

/// Whether a platform's programs are in assembly: those of XGATE have names of their own.
pub fn is_assembly(platform: &Platform) -> bool {
    platform.programs.keys().any(|name| name.contains('.'))
}

/// What is known of a primitive's programs.
#[derive(Clone, Debug)]
pub struct PredictedPrograms {
    /// The times of messages.
    pub messages: Vec<MessageTimes>,
    /// Who does what in a call of the C for two cores; empty where it is not divided.
    pub split: Vec<SplitPart>,
}

/// What is known, or the reason why nothing is known of the program that is asked for.
pub type Prediction = Result<PredictedPrograms, String>;

/// The bytes of the long message.
const LONG: usize = 1024;

/// The times of a message of these lengths, and of a long one beside it. `searches` is called
/// before the program for two cores is searched, which may take seconds.
///
/// # Errors
/// If the platform lacks a cost or contradicts itself.
pub fn messages(
    primitive: Primitive,
    lengths: Lengths,
    platform: &Platform,
    searches: &dyn Fn(),
) -> Result<Prediction, Error> {
    if let Err(why) = check(primitive, lengths, platform) {
        return Ok(Err(why));
    }
    let mut all = vec![length_of(primitive, lengths)];
    if all[0] != LONG {
        all.push(LONG);
    }
    let (times, of) = match is_assembly(platform) {
        true => {
            let messages = assembled(primitive, platform, &all);
            let times = messages.map(|messages| PredictedPrograms { messages, split: Vec::new() });
            (times, "for both cores and for each alone")
        }
        false => (compiled(primitive, platform, &all, searches)?, "of it"),
    };
    Ok(times.ok_or_else(|| {
        format!(
            "{primitive}: {} has no measured programs {of}, so that loads, stores, spills and \
             calls are in none of these figures",
            platform.name
        )
    }))
}

/// Cycles of a message on one core, if programs were measured there.
///
/// # Errors
/// As [`messages`].
pub fn alone(
    primitive: Primitive,
    lengths: Lengths,
    platform: &Platform,
    core: usize,
) -> Result<Option<f64>, Error> {
    if check(primitive, lengths, platform).is_err() {
        return Ok(None);
    }
    let length = length_of(primitive, lengths);
    if is_assembly(platform) {
        let Some(framing) = framing(primitive) else { return Ok(None) };
        let core = [asm::Cores::Cpu, asm::Cores::Xgate][core];
        return Ok(of_file(primitive, platform, core, &framing, length).map(|of| of.cycles));
    }
    if core != MAIN && !platform.cores_are_equal() {
        return Ok(None);
    }
    let mut planner = Planner::new(Shape::default(), platform);
    let planned = Planned::new(primitive, Cores::One, &mut planner)?;
    Ok(time(&planned, Cores::One, length, platform)?.map(|of| of.cycles))
}

/// Bytes of the message: of a cipher one block.
fn length_of(primitive: Primitive, lengths: Lengths) -> usize {
    match (lengths.message, primitive) {
        (Some(length), _) => length,
        (None, Primitive::Rc5(params)) => params.block_bytes(),
        (None, _) => 0,
    }
}

/// Checks that an emitted program computes what is planned. Otherwise returns the reason why no
/// such program is emitted.
fn check(primitive: Primitive, lengths: Lengths, platform: &Platform) -> Result<(), String> {
    if lengths.fixed {
        return Err("no program for messages of one length alone is emitted".to_owned());
    }
    if lengths.decrypt {
        return Err("of a cipher `manylane run` measures encryption alone".to_owned());
    }
    if platform.programs.is_empty() && platform.streams.is_empty() {
        return Err(match platform.totals.contains_key(&primitive.to_string()) {
            true => format!(
                "{} has times of whole messages by programs of its own, to which operations are \
                 scaled, and no measured program of `manylane emit`",
                platform.name
            ),
            false => format!(
                "{} has no measured programs, so that loads, stores, spills and calls are in none \
                 of these figures",
                platform.name
            ),
        });
    }
    primitive.check(&primitive.name()).map_err(|why| why.to_string())?;
    let Primitive::Hmac(hash) = primitive else { return Ok(()) };
    match lengths.key.is_some_and(|key| key > hash.id().entry().shape.block_bytes) {
        true => Err("programs were measured with keys that fit a block".to_owned()),
        false => Ok(()),
    }
}

/// The prediction of a run, if it rests on a measured program.
fn time(
    planned: &Planned,
    cores: Cores,
    length: usize,
    platform: &Platform,
) -> Result<Option<Time>, Error> {
    let row = planned.row(cores, length, Some(platform))?;
    let time = row.predicted_cycles.zip(row.predicted_from);
    Ok(time.map(|(cycles, from)| Time { cycles, from }).filter(|of| of.from != PriceBasis::Model))
}

/// The times of C.
fn compiled(
    primitive: Primitive,
    platform: &Platform,
    lengths: &[usize],
    searches: &dyn Fn(),
) -> Result<Option<PredictedPrograms>, Error> {
    let mut planner = Planner::new(Shape::default(), platform);
    let one = Planned::new(primitive, Cores::One, &mut planner)?;
    let alone: Option<Vec<Time>> = lengths
        .iter()
        .map(|&length| time(&one, Cores::One, length, platform))
        .collect::<Result<_, Error>>()?;
    let Some(alone) = alone else { return Ok(None) };
    searches();
    let two = Planned::new(primitive, Cores::Two, &mut planner)?;
    let two = Some(two).filter(Planned::has_share);
    let line = |(&length, one_core): (&usize, Time)| {
        let both = |two: &Planned| -> Result<Option<Time>, Error> {
            let row = two.row(Cores::Two, length, Some(platform))?;
            let time = row.predicted_cycles.zip(row.predicted_from);
            Ok(time.map(|(cycles, from)| Time { cycles, from }))
        };
        let two_cores = two.as_ref().map(both).transpose()?.flatten();
        Ok(MessageTimes::new(length, one_core, None, two_cores))
    };
    let messages = lengths.iter().zip(alone).map(line).collect::<Result<_, Error>>()?;
    let split = two.as_ref().and_then(Planned::divided).map_or(Vec::new(), split);
    Ok(Some(PredictedPrograms { messages, split }))
}

/// The times of assembly, if programs of each choice of cores were measured.
fn assembled(
    primitive: Primitive,
    platform: &Platform,
    lengths: &[usize],
) -> Option<Vec<MessageTimes>> {
    let framing = framing(primitive)?;
    let line = |&length: &usize| {
        let of = |cores| of_file(primitive, platform, cores, &framing, length);
        let [one, other, both] = [asm::Cores::Cpu, asm::Cores::Xgate, asm::Cores::Both].map(of);
        Some(MessageTimes::new(length, one?, Some(other?), Some(both?)))
    };
    lengths.iter().map(line).collect()
}

/// The framing of a hash; of HMAC no program in assembly was measured.
fn framing(primitive: Primitive) -> Option<Framing> {
    let Primitive::Hash(hash) = primitive else { return None };
    stream(hash).ok().map(|stream| stream.framing)
}

/// The time of a message by the program in assembly that a platform's file has for these cores.
fn of_file(
    primitive: Primitive,
    platform: &Platform,
    cores: asm::Cores,
    framing: &Framing,
    length: usize,
) -> Option<Time> {
    let program = |name: String| platform.programs.get(&name);
    let primitive = primitive.name();
    let of = match cores {
        asm::Cores::Cpu => program(primitive),
        asm::Cores::Xgate => program(format!("{primitive}.{cores}")),
        // The program in which the CPU computes a part of each block, if it was measured, is the
        // one that is emitted.
        asm::Cores::Both => program(format!("{primitive}.share"))
            .or_else(|| program(format!("{primitive}.{cores}"))),
    };
    of.map(|of| Time { cycles: measured(of, framing, length), from: PriceBasis::Measured })
}

impl MessageTimes {
    fn new(
        length: usize,
        one_core: Time,
        other_core: Option<Time>,
        two_cores: Option<Time>,
    ) -> Self {
        let main = one_core.cycles;
        let single = other_core.map_or(main, |of| of.cycles.min(main));
        let least = match (other_core, two_cores) {
            (_, None) => single,
            (None, Some(both)) => both.cycles,
            (Some(_), Some(both)) => both.cycles.min(single),
        };
        Self {
            length,
            one_core,
            other_core,
            two_cores,
            saved: part_saved(least, main),
            saved_over_best_core: part_saved(least, single),
        }
    }
}
