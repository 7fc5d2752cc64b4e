//! Sweeps that take hours: on all processors, and what has passed is not run again.

use std::collections::HashSet;
use std::fmt::{self, Display, Write as _};
use std::fs::{self, OpenOptions};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::Write as _;
use std::ops::AddAssign;
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

/// What was done with a core.
#[derive(Clone, Copy, Default)]
pub struct Done {
    pub simulations: usize,
    pub linted: usize,
    pub read: usize,
}

impl AddAssign for Done {
    fn add_assign(&mut self, other: Self) {
        self.simulations += other.simulations;
        self.linted += other.linted;
        self.read += other.read;
    }
}

impl Display for Done {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { simulations, linted, read } = self;
        write!(f, "{simulations} simulations, {linted} linted, {read} without latches")
    }
}

/// Makes each case and examines it, except those whose text is on the list of texts that have
/// passed: `target/tmp/LIST.passed`. A case that cannot be made is left out. If `MANYLANE_SWEEP` is
/// set, only cases whose names contain it are examined.
///
/// # Panics
/// After all are done, if any has failed: says which and why.
pub fn every<C: Display + Sync, M>(
    list: &str,
    cases: &[C],
    make: impl Fn(&C) -> Result<Option<(M, String)>, String> + Sync,
    examine: impl Fn(&C, &M) -> Result<Done, String> + Sync,
) {
    let wanted = std::env::var("MANYLANE_SWEEP").unwrap_or_default();
    let cases: Vec<&C> = cases.iter().filter(|case| case.to_string().contains(&wanted)).collect();
    assert!(!cases.is_empty(), "no core is named like {wanted}");
    let list = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("{list}.passed"));
    let passed = fs::read_to_string(&list).unwrap_or_default();
    let passed: HashSet<&str> = passed.lines().collect();
    let mut file = OpenOptions::new().create(true).append(true).open(&list).unwrap();
    let (next, begun) = (AtomicUsize::new(0), Instant::now());
    let mut record = |line: &str| writeln!(file, "{line}").unwrap();
    let state = Mutex::new((Done::default(), [0; 3], String::new(), &mut record));
    let work = || {
        while let Some(&case) = cases.get(next.fetch_add(1, Ordering::Relaxed)) {
            let made = make(case);
            let (mut line, mut is_known) = (String::new(), false);
            if let Ok(Some((_, text))) = &made {
                let mut hasher = DefaultHasher::new();
                text.hash(&mut hasher);
                line = format!("{:016x} {case}", hasher.finish());
                is_known = passed.contains(&line[..]);
            }
            let result = match made {
                Ok(None) => Ok(None),
                Ok(Some(_)) if is_known => Ok(Some(None)),
                Ok(Some((made, _))) => examine(case, &made).map(|done| Some(Some(done))),
                Err(error) => Err(error),
            };
            let mut state = state.lock().unwrap();
            let (total, [count, known, none], errors, record) = &mut *state;
            *count += 1;
            let what = match result {
                Ok(None) => {
                    *none += 1;
                    continue;
                }
                Ok(Some(None)) => {
                    *known += 1;
                    "as before".to_owned()
                }
                Ok(Some(Some(done))) => {
                    record(&line);
                    *total += done;
                    format!("{} simulations", done.simulations)
                }
                Err(error) => {
                    let _ = writeln!(errors, "{error}");
                    "FAILED".to_owned()
                }
            };
            let seconds = begun.elapsed().as_secs();
            eprintln!("{count:3}/{} {seconds:5} s  {case}: {what}", cases.len());
        }
    };
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| (0..threads).for_each(|_| drop(scope.spawn(work))));
    let (total, [_, known, none], errors, _) = state.into_inner().unwrap();
    eprintln!(
        "{} cores: {total}, {known} known from before; {} s",
        cases.len() - none,
        begun.elapsed().as_secs()
    );
    assert!(errors.is_empty(), "\n{errors}");
}
