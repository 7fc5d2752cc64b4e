//! The threads of one pairing: whether they take part, and where they run.

use manylane_engine::pairing::{Pairing, Shares, hash_to_point};
use std::num::NonZeroUsize;
use std::sync::Mutex;

/// One test at a time: their threads have the same names.
static TURN: Mutex<()> = Mutex::new(());

/// Counts what each thread did, not how long it took: with a CPU left over now and then, the second
/// thread does some of it.
#[test]
fn a_second_thread_takes_part() {
    let _turn = TURN.lock();
    let [p, q] = [b"P", b"Q"].map(|name| hash_to_point(name));
    let alone = Pairing::new().unwrap();
    alone.pair(p, q);
    assert_eq!(alone.shares(), Shares::default());
    if std::thread::available_parallelism().map_or(1, usize::from) < 2 {
        eprintln!("skipped: this process has one CPU");
        return;
    }
    let pairing = alone.threads(NonZeroUsize::new(2).unwrap());
    let mut pairings = 0;
    while pairing.shares().others < 20 {
        assert!(pairings < 1_000_000, "{:?}", pairing.shares());
        pairing.pair(p, q);
        pairings += 1;
    }
    let Shares { caller, others } = pairing.shares();
    assert_eq!(caller + others, 2 * pairings, "two parts each");
}

/// The CPUs of a thread of this process, as the kernel writes them: `0,2-3`.
#[cfg(target_os = "linux")]
fn allowed_cpus(task: &std::path::Path) -> Vec<usize> {
    let status = std::fs::read_to_string(task.join("status")).expect("the kernel tells");
    let list = status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:"));
    let range = |range: &str| {
        let mut ends = range.split('-').map(|end| end.trim().parse().expect("a number"));
        let first: usize = ends.next().expect("one CPU at least");
        first..=ends.next().unwrap_or(first)
    };
    list.expect("a list").split(',').flat_map(range).collect()
}

/// Where a scheduler would leave a worker beside its caller, and where two workers would meet.
#[cfg(target_os = "linux")]
#[test]
fn workers_keep_off_the_callers_cpu() {
    let _turn = TURN.lock();
    let [p, q] = [b"P", b"Q"].map(|name| hash_to_point(name));
    let cpus = allowed_cpus("/proc/thread-self".as_ref());
    for threads in 2..=cpus.len().min(4) {
        let pairing = Pairing::new().unwrap().threads(NonZeroUsize::new(threads).unwrap());
        // Workers start and callers move when the system pleases.
        let settled = (0..100_000).any(|_| {
            pairing.pair(p, q);
            let stat = std::fs::read_to_string("/proc/thread-self/stat").expect("the kernel tells");
            let fields = stat.rsplit_once(')').expect("a name").1.split_whitespace();
            // Field 39 of proc_pid_stat(5); the third is the first behind the name.
            let here: usize = fields.into_iter().nth(39 - 3).unwrap().parse().expect("a CPU");
            let workers: Vec<_> = (1..threads).map(|i| format!("pairing {i}\n")).collect();
            let mut taken: Vec<_> = std::fs::read_dir("/proc/self/task")
                .expect("the kernel tells")
                .map(|task| task.unwrap().path())
                .filter(|task| {
                    let name = std::fs::read_to_string(task.join("comm")).unwrap_or_default();
                    workers.contains(&name)
                })
                .flat_map(|task| allowed_cpus(&task))
                .chain([here])
                .collect();
            taken.sort_unstable();
            taken == cpus
        });
        assert!(settled, "{threads} threads share CPUs");
    }
}
