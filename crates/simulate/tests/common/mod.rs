//! What the tests of machines share.

use manylane_simulate::{Job, Machine};

/// Set by `make test-simulators`: a machine that is missing is a failure.
const REQUIRED: &str = "MANYLANE_REQUIRE_SIMULATORS";

/// The machines among these that are installed here. The others are named, or fail if they are
/// required.
pub fn here(machines: &[Machine]) -> Vec<Machine> {
    let is_here = |machine: &&Machine| {
        let missing = match machine.check() {
            Err(error) => Some(error.to_string()),
            Ok(()) if machine.is_prepared() => None,
            Ok(()) if std::env::var_os(REQUIRED).is_some() => {
                machine.prepare().err().map(|error| error.to_string())
            }
            Ok(()) => Some(format!("{machine} is not built: run `make setup-simulators`")),
        };
        let Some(missing) = missing else { return true };
        assert!(std::env::var_os(REQUIRED).is_none(), "{missing}");
        eprintln!("skipped: {missing}");
        false
    };
    machines.iter().filter(is_here).copied().collect()
}

/// The machines that count cycles.
pub const COUNTING: [Machine; 2] = [Machine::IbexDuo, Machine::Rp2040];

/// A job under every flag that the project's C is to be clean under.
pub fn strict(job: Job) -> Job {
    let flags =
        ["-std=c99", "-pedantic", "-Wall", "-Wextra", "-Wconversion", "-Wshadow", "-Werror"];
    flags.iter().fold(job, |job, flag| job.flag(flag))
}
