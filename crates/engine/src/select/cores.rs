//! Times that are built in: of the cores that were measured, and for those that were not.
//!
//! ```text
//! a core that was measured          its table
//! another core of the same maker    the tables of this maker's cores
//! another maker's core              all tables
//! ```
//!
//! Not all of these tables are used. Among one maker's tables, take the widest engine that this CPU
//! has and any of the tables knows: tables without it lack kernels that this CPU should choose
//! among. Among the tables of all makers, take the widest engine that any of them knows, so that a
//! maker with several narrower cores does not count more often. Only the tables that know that
//! engine are used.
//!
//! Where several tables are used, those calls are chosen that lose least on the core where they
//! lose most (`plan.rs`). No choice is good on all cores: for SHA-256 of sixteen messages, hash
//! instructions take 0.86 of the time of AVX-512 lanes on Zen 4, and 1.9 times their time on
//! Sapphire Rapids. A test computes what is lost (`crates/kat/tests/cores.rs`).

use super::built_in::{Row, read_by_compiler, table};
use super::driver::DriverTimes;
use super::times::{Table, Times};
use crate::cpu::{Core, Engine, Maker, core, maker};
use manylane_primitives::catalog::HashId;
use std::sync::OnceLock;

/// A core that was measured.
struct MeasuredCore {
    core: Core,
    maker: Maker,
    driver: DriverTimes,
    /// The file says where each row comes from.
    times: &'static [Option<Row>],
}

const MEASURED: [MeasuredCore; 4] = [
    MeasuredCore {
        core: Core::SapphireRapids,
        maker: Maker::Intel,
        // Fitted to calls of 2 to 64 messages of 1 to 16 blocks, each by one kernel. Many calls of
        // 32 or 64 lanes take at least twice the time of calls of half the lanes, to set up too:
        // measured for seven hashes and 1,000 messages of 16 B to 16 KiB.
        driver: DriverTimes { few: 1.1, streams: [60.0, 4.0], batch: 120.0, many: [0.0, 10.5] },
        times: read_by_compiler!(include_bytes!("sapphire_rapids.txt")),
    },
    MeasuredCore {
        core: Core::Zen3,
        maker: Maker::Amd,
        driver: DriverTimes {
            // Measured were 2.1 to 2.9, for calls of 2 to 8 messages of 1 to 4 blocks. With a value
            // above these, messages for which lanes would gain a hundredth are hashed one by one:
            // on a machine that others used too, lanes took twice as long in half of the runs, one
            // message at a time no longer. For 12 messages and more, lanes take no longer to set up
            // than on Zen 5.
            few: 3.0,
            streams: [0.0, 8.0],
            batch: 250.0,
            ..DriverTimes::UNKNOWN
        },
        times: read_by_compiler!(include_bytes!("zen3.txt")),
    },
    MeasuredCore {
        core: Core::Zen4,
        maker: Maker::Amd,
        driver: DriverTimes::UNKNOWN,
        times: read_by_compiler!(include_bytes!("zen4.txt")),
    },
    MeasuredCore {
        core: Core::Zen5,
        maker: Maker::Amd,
        // Fitted to the times of 450 batches of SHA-1 and SHA-256 by each kind of call, and to the
        // few batches that take nearly as long in such calls as one message after the other.
        driver: DriverTimes { few: 1.0, streams: [60.0, 4.0], batch: 80.0, many: [40.0, 5.0] },
        times: read_by_compiler!(include_bytes!("zen5.txt")),
    },
];

/// The times of a hash's kernels in this core's table, or in each of the tables that stand in for
/// it; none if no table has any.
pub(crate) fn of_this_core(hash: HashId) -> Vec<&'static Times> {
    static TABLES: OnceLock<Vec<Table>> = OnceLock::new();
    let tables = TABLES.get_or_init(|| tables_of(core(), maker()));
    tables.iter().filter_map(|table| table.of(hash)).collect()
}

/// What the driver takes on this core.
pub(super) fn driver_times_of_this_core() -> DriverTimes {
    static DRIVER: OnceLock<DriverTimes> = OnceLock::new();
    *DRIVER.get_or_init(|| driver_of(core()))
}

/// What the driver takes on a core; [`DriverTimes::UNKNOWN`] for one that was not measured.
pub(super) fn driver_of(core: Option<Core>) -> DriverTimes {
    let measured = core.and_then(|core| MEASURED.iter().find(|of| of.core == core));
    measured.map_or(DriverTimes::UNKNOWN, |of| of.driver)
}

/// The table of `core`; without one, the tables that are used for a core of this maker that was not
/// measured and has this CPU's engines.
pub(crate) fn tables_of(core: Option<Core>, maker: Maker) -> Vec<Table> {
    let is_of = |of: &&MeasuredCore| match core {
        Some(core) => of.core == core,
        None => of.maker == maker || maker == Maker::Other,
    };
    let tables = MEASURED.iter().filter(is_of).map(|of| table(of.times));
    if core.is_some() {
        return tables.collect();
    }
    let counted = match maker {
        Maker::Other => &Engine::ALL,
        _ => Engine::available().unwrap_or_default(),
    };
    // The tables that know the widest engine, so far.
    let (mut known, mut most) = (Vec::new(), None);
    for table in tables {
        let widest = widest(&table, counted);
        if widest > most {
            known.clear();
            most = widest;
        }
        if widest == most {
            known.push(table);
        }
    }
    known
}

/// The widest of these engines that a table knows. Engines are in order of their width.
fn widest(table: &Table, counted: &[Engine]) -> Option<Engine> {
    let engines =
        table.families().flat_map(|(_, times)| times.iter()).map(|(kernel, _)| kernel.engine);
    engines.filter(|engine| counted.contains(engine)).max()
}
