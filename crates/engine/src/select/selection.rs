//! The kernels that are chosen for a hash, by name.

use super::choice::Choice;
use super::driver::DriverTimes;
use super::plan::FEWEST;
use super::times::{KernelName, Times};
use super::visit::{Visit, visit};
use crate::kernels::kernel::MAX_LANES;
use crate::kernels::runs::Runs;
use manylane_primitives::catalog::{Algorithm, HashId};

/// The kernel for each number of messages of `blocks` blocks, from one message on. `times` are
/// those of one core or several, by default those that are built in. `driver` is what the driver
/// takes there, by default on this core.
pub(super) fn selected(
    hash: HashId,
    blocks: usize,
    times: Option<&[&Times]>,
    driver: Option<&DriverTimes>,
) -> Result<Vec<KernelName>, crate::error::Error> {
    struct Selection<'t>(usize, Option<&'t [&'t Times]>, Option<&'t DriverTimes>);
    impl Visit for Selection<'_> {
        type Output = Result<Vec<KernelName>, crate::error::Error>;
        fn visit<H: Runs>(self, _: H) -> Self::Output {
            let Self(blocks, times, driver) = self;
            let built_in = Choice::<H>::built_in()?;
            let measured = times.map(|times| built_in.measured_on(times, driver));
            let choice = measured.as_ref().unwrap_or(built_in);
            let kernels = (1..=MAX_LANES).map(|count| choice.for_messages(count, blocks).name());
            Ok(kernels.collect())
        }
    }
    visit(Algorithm::new(hash), Selection(blocks, times, driver))
}

/// For each number of messages of `blocks` blocks, from one message on, whether a batch of them is
/// hashed one by one, although a longer batch hashes as many last messages in lanes. False for up
/// to [`FEWEST`] messages.
pub(super) fn one_by_one(hash: HashId, blocks: usize) -> Result<Vec<bool>, crate::error::Error> {
    struct OneByOne(usize);
    impl Visit for OneByOne {
        type Output = Result<Vec<bool>, crate::error::Error>;
        fn visit<H: Runs>(self, _: H) -> Self::Output {
            let choice = Choice::<H>::built_in()?;
            let alone = |count| count > FEWEST && choice.prefers_few_one_by_one(count, self.0);
            Ok((1..=MAX_LANES).map(alone).collect())
        }
    }
    visit(Algorithm::new(hash), OneByOne(blocks))
}
