//! Prices fitted to measured programs: a platform's prices of operations, scaled to the times of
//! compiled programs.

use super::Program;
use super::measured::MeasuredShare;
use super::prices::{PriceBasis, Prices};
use super::time::{time, time_jobs};
use crate::costs::CostError;
use crate::platform::{Platform, ProgramTime, ShareTime};
use crate::time::{cycles, ticks};
use manylane_graph::framing::ByteOrder;
use manylane_graph::roll::Rolled;
use std::borrow::Cow;

impl Prices {
    /// The prices of a platform for a rolled function on up to `processors` processors. Its message
    /// is in memory in the byte order `order`.
    ///
    /// # Errors
    /// If the platform lacks a cost or contradicts itself for a region's body.
    pub fn of(
        rolled: &Rolled,
        processors: usize,
        order: ByteOrder,
        platform: &Platform,
    ) -> Result<Self, CostError> {
        let mut prices = Self::of_operations(rolled, processors, order, platform)?;
        prices.fit_to_one(rolled, platform);
        Ok(prices)
    }

    /// The prices of a platform for a program. If its shares were measured there, a processor takes
    /// as long for a call as it took for its share alone.
    ///
    /// # Errors
    /// As [`Prices::of`].
    pub fn of_program(
        program: &Program,
        order: ByteOrder,
        platform: &Platform,
    ) -> Result<Self, CostError> {
        let mut prices = Self::of(&program.rolled, program.processors, order, platform)?;
        if program.processors > 1 {
            if let Some(measured) = measured_shares(program, platform) {
                match &measured.parts {
                    Some(parts) => {
                        prices.measured = MeasuredShare::of(program, measured, parts, platform)?;
                        prices.basis = PriceBasis::Measured;
                    }
                    None => prices.fit_to_shares(program, measured),
                }
            }
        } else if let Some(of) = platform.programs.get(primitive(&program.rolled))
            && of.program.is_none_or(|of| of == program.identity())
        {
            // Whatever is known of other programs, the time of this one is the measured one.
            let scaled = time(program, &prices, 1).map_or(0.0, |timing| timing.cycles());
            prices.scale(of.block, scaled);
            prices.basis = PriceBasis::Measured;
        }
        Ok(prices)
    }

    /// Scales all work between handshakes by the time that the measured program of the primitive
    /// took on the main core, over its time by the model: compilers spend cycles on addresses,
    /// copies and spills that no operation stands for. Another program of the primitive keeps the
    /// ratio to it that the model gives.
    fn fit_to_one(&mut self, rolled: &Rolled, platform: &Platform) {
        let Some(measured) = platform.programs.get(primitive(rolled)) else { return };
        let modelled = match (measured.modelled, measured.program) {
            (Some(cycles), _) => cycles,
            // The time is that of every program of the primitive.
            (None, None) => {
                let alone = Program::sequential(rolled.clone(), 0);
                time(&alone, self, 1).map_or(0.0, |timing| timing.cycles())
            }
            (None, Some(_)) => return,
        };
        if self.scale(measured.block, modelled) {
            self.basis = PriceBasis::Scaled;
        }
    }

    /// Scales all work between handshakes so that work which takes `modelled` cycles takes
    /// `measured`. Returns whether that is possible.
    fn scale(&mut self, measured: f64, modelled: f64) -> bool {
        let can = modelled > 0.0;
        if can {
            self.processors.iter_mut().for_each(|of| of.raise(measured / modelled));
        }
        can
    }

    /// Scales the work of each processor in a call, handshakes included, to its measured share.
    fn fit_to_shares(&mut self, program: &Program, measured: &ShareTime) {
        for (of, job) in self.processors.iter_mut().zip([measured.give, measured.take]) {
            of.job = ticks(job);
        }
        let Some(timing) = time_jobs(program, self, &[1]) else { return };
        let shares = [measured.main, measured.second].into_iter().zip(&timing.busy);
        for (of, (share, busy)) in self.processors.iter_mut().zip(shares) {
            let modelled = busy - cycles(of.job);
            if modelled > 0.0 {
                let scale = share / modelled;
                of.raise(scale);
                for price in [&mut of.send, &mut of.receive] {
                    *price = ticks(cycles(*price) * scale);
                }
            }
        }
        self.basis = PriceBasis::Measured;
    }
}

/// The platform with the model's time of the measured program `usual`, by which other programs of
/// the primitive are scaled. If the file has measured another program than `usual`, nothing
/// changes.
///
/// # Errors
/// As [`Prices::of`].
pub fn scaled_by<'p>(
    platform: &'p Platform,
    usual: &Program,
    order: ByteOrder,
) -> Result<Cow<'p, Platform>, CostError> {
    let name = primitive(&usual.rolled);
    let is_measured = |of: &&ProgramTime| {
        of.modelled.is_none() && of.program.is_some_and(|program| program == usual.identity())
    };
    if platform.programs.get(name).filter(is_measured).is_none() {
        return Ok(Cow::Borrowed(platform));
    }
    let prices = Prices::of_operations(&usual.rolled, 1, order, platform)?;
    let mut platform = platform.clone();
    let of = platform.programs.get_mut(name).expect("it was found");
    of.modelled = time(usual, &prices, 1).map(|timing| timing.cycles());
    Ok(Cow::Owned(platform))
}

/// The name under which a platform's file has the programs of a function's primitive.
pub(super) fn primitive(rolled: &Rolled) -> &str {
    rolled.name.split('.').next().unwrap_or_default()
}

/// The shares of this very program, if a platform's file has them.
pub(super) fn measured_shares<'p>(
    program: &Program,
    platform: &'p Platform,
) -> Option<&'p ShareTime> {
    let shares = platform.shares.get(primitive(&program.rolled));
    shares.filter(|of| of.program == program.identity())
}
