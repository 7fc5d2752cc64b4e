//! `manylane plan`: the best split of a primitive, with the gain that is predicted and the limit.
//!
//! | what is planned | the plan | its views |
//! |---|---|---|
//! | two cores, `--on` | `two_core` | `text`, `page`, JSON |
//! | the emitted programs of two cores, in the three above | `emitted` | text, page, JSON |
//! | several messages on two cores, `--on`, `--messages` | `messages` | text, JSON |
//! | the paper's two cores, `--equations`, `--table` | `equations`, `table` | text, JSON |
//! | merged and pipelined hardware, `--hardware` | `hardware` | text, JSON |
//! | p processors, `--threads` | `threads`, `pairing` | text, JSON |

mod answer;
mod args;
mod cores;
mod emitted;
mod equations;
mod format;
mod hardware;
mod messages;
mod page;
mod pairing;
mod platform_line;
mod program;
mod subject;
mod table;
mod text;
mod threads;
mod two_core;

pub use args::Args;
pub use format::two_decimals;
pub use hardware::plural;
pub use platform_line::endianness;

use crate::answered::Answered;
use crate::listener::Listener;
use crate::named;
use anyhow::bail;
use args::PAPER;
use manylane_files::names::{self, Named};
use manylane_files::system::atomic::check_outputs;

/// Plans a primitive. `listener` hears of searches that take seconds, and of what spoils
/// measurements.
///
/// # Errors
/// If there is no primitive or platform of that name, options contradict each other, or a page
/// cannot be written.
pub fn answer(args: &Args, listener: &dyn Listener) -> anyhow::Result<Answered> {
    let options = &args.two_core;
    program::check(args)?;
    check_outputs([("--html", options.html.as_deref())])?;
    Ok(Answered::new(match &args.primitive {
        name if options.table => table::run(args, name.as_deref())?,
        Some(name) if names::is_pairing(name) => pairing::run(args, listener)?,
        Some(name) if args.hardware => {
            if let Ok(Named::Hmac(hash)) = names::parse(name) {
                bail!(
                    "{name} calls {hash} twice and has no hardware of its own: name {hash}; for \
                     two cores, manylane plan {name} --on PLATFORM"
                );
            }
            hardware::run(args, &named::subject(name)?)?
        }
        Some(name) => {
            let primitive = named::primitive(name)?;
            match (&args.on, args.threads().is_empty()) {
                (_, false) => threads::run(args, primitive)?,
                (on, _) if options.equations => {
                    equations::run(args, primitive, on.as_deref().unwrap_or(PAPER))?
                }
                (Some(platform), _) if args.program => program::block(primitive, platform)?,
                (Some(platform), _) => match args.threads_options.messages {
                    Some(count) => messages::run(args, primitive, platform, count, listener)?,
                    None => return two_core::run(args, primitive, platform, listener),
                },
                (None, _) => unreachable!("one of the five is required"),
            }
        }
        None => unreachable!("it is required without --table"),
    }))
}
