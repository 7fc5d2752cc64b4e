//! The limits of this process on files, memory and threads, and pauses while they are reached.

use std::time::Duration;

/// Address space in bytes that a thread may take: its stack, its arena, and what the allocator sets
/// aside for it. The GNU C library maps 128 MiB for each thread and gives half of them back.
const SPACE_OF_A_THREAD: u64 = if cfg!(target_env = "gnu") { 144 << 20 } else { 16 << 20 };
/// Writable memory in bytes that a thread takes.
const DATA_OF_A_THREAD: u64 = 16 << 20;

/// Returns how many more files may be opened. If `wanted` are more, the soft limit is raised as far
/// as needed and allowed.
pub fn descriptors(wanted: usize) -> usize {
    system::descriptors(wanted as u64) as usize
}

/// Returns how many of `wanted` threads the limits on memory leave room for; at least one.
pub fn threads(wanted: usize) -> usize {
    let room = [
        system::space_left().map(|left| left / SPACE_OF_A_THREAD),
        system::data_left().map(|left| left / DATA_OF_A_THREAD),
    ];
    let room = room.into_iter().flatten().min().unwrap_or(u64::MAX);
    wanted.min(usize::try_from(room).unwrap_or(usize::MAX)).max(1)
}

/// Bytes of memory that the limits of this process leave (RLIMIT_AS, RLIMIT_DATA), if it has any.
pub fn memory_left() -> Option<u64> {
    [system::space_left(), system::data_left()].into_iter().flatten().min()
}

/// Bytes that the stack of the first thread may grow to (RLIMIT_STACK), if there is a limit; 0
/// where that is not known.
pub fn stack_bytes() -> Option<u64> {
    system::stack_bytes()
}

/// Makes an allocation that fails end the program with status 1. The standard library reports the
/// size of the allocation and calls abort, whose signal SIGABRT would otherwise end the program
/// like one that crashed.
pub fn exit_without_memory() {
    #[cfg(unix)]
    {
        static ONCE: std::sync::Once = std::sync::Once::new();
        ONCE.call_once(|| {
            let always = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(true));
            let signal = signal_hook::consts::SIGABRT;
            let _ = signal_hook::flag::register_conditional_shutdown(signal, 1, always);
        });
    }
}

/// Makes writing beyond the greatest size of a file (RLIMIT_FSIZE) an error. By default the signal
/// SIGXFSZ ends the program.
pub fn survive_file_limits() {
    #[cfg(unix)]
    {
        static ONCE: std::sync::Once = std::sync::Once::new();
        ONCE.call_once(|| {
            let heard = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(false));
            let _ = signal_hook::flag::register(signal_hook::consts::SIGXFSZ, heard);
        });
    }
}

/// The greatest size in bytes that a file of this process may have (RLIMIT_FSIZE), if there is one.
pub fn file_bytes() -> Option<u64> {
    system::file_bytes()
}

/// Pauses before something is tried again: at most 2 s in all, until [`restore`](Self::restore) is
/// called.
pub struct Patience {
    pauses: u32,
}

impl Default for Patience {
    fn default() -> Self {
        Self { pauses: Self::PAUSES }
    }
}

impl Patience {
    const PAUSE: Duration = Duration::from_millis(10);
    const PAUSES: u32 = 200;

    /// Sleeps for a little; `false` if the time is used up.
    pub fn pause(&mut self) -> bool {
        let Some(left) = self.pauses.checked_sub(1) else { return false };
        self.pauses = left;
        std::thread::sleep(Self::PAUSE);
        true
    }

    /// Allows the full time again, after a success.
    pub fn restore(&mut self) {
        self.pauses = Self::PAUSES;
    }
}

#[cfg(unix)]
mod system {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

    /// Descriptors that are assumed to be open where the list of them cannot be read: the standard
    /// streams, a copy of one, a list of checksums, and some that were inherited.
    const ASSUMED_OPEN: u64 = 12;
    /// The most that macOS accepts as a limit, whatever it says the hard limit is.
    const MOST: Option<u64> = if cfg!(target_vendor = "apple") { Some(10_240) } else { None };

    /// How many more files may be opened, after the soft limit was raised for `wanted`
    /// (RLIMIT_NOFILE).
    pub fn descriptors(wanted: u64) -> u64 {
        let limit = getrlimit(Resource::Nofile);
        let hard = limit.maximum.into_iter().chain(MOST).min().unwrap_or(u64::MAX);
        let soft = limit.current.unwrap_or(u64::MAX);
        let open = open_now();
        let needed = wanted.saturating_add(open).min(hard);
        let raised = Rlimit { current: Some(needed), maximum: limit.maximum };
        let now = match soft < needed && setrlimit(Resource::Nofile, raised).is_ok() {
            true => needed,
            false => soft,
        };
        now.saturating_sub(open)
    }

    fn open_now() -> u64 {
        let folder = if cfg!(target_os = "linux") { "/proc/self/fd" } else { "/dev/fd" };
        match std::fs::read_dir(folder) {
            // The descriptor that reads the folder is not counted.
            Ok(entries) => (entries.count() as u64).saturating_sub(1),
            Err(_) => ASSUMED_OPEN,
        }
    }

    /// The greatest size that a file may be written to (RLIMIT_FSIZE).
    pub fn file_bytes() -> Option<u64> {
        getrlimit(Resource::Fsize).current
    }

    /// The limit of the first thread's stack (RLIMIT_STACK).
    pub fn stack_bytes() -> Option<u64> {
        getrlimit(Resource::Stack).current
    }

    /// Bytes of address space that the limit leaves (RLIMIT_AS).
    pub fn space_left() -> Option<u64> {
        let limit = getrlimit(Resource::As).current?;
        Some(limit.saturating_sub(pages(0)?))
    }

    /// Bytes of writable memory that the limit leaves (RLIMIT_DATA).
    pub fn data_left() -> Option<u64> {
        let limit = getrlimit(Resource::Data).current?;
        Some(limit.saturating_sub(pages(5)?))
    }

    /// Bytes by a field of Linux's `statm`: field 0 is the address space, 5 the data and stacks.
    fn pages(field: usize) -> Option<u64> {
        let text = std::fs::read_to_string("/proc/self/statm").ok()?;
        let pages: u64 = text.split_whitespace().nth(field)?.parse().ok()?;
        Some(pages * rustix::param::page_size() as u64)
    }
}

#[cfg(not(unix))]
mod system {
    /// Limits are not known here: as many as are wanted.
    pub fn descriptors(wanted: u64) -> u64 {
        wanted
    }

    /// No limit is known.
    pub fn file_bytes() -> Option<u64> {
        None
    }

    /// Always 0: the limit is not known.
    pub fn stack_bytes() -> Option<u64> {
        Some(0)
    }

    /// No limit is known.
    pub fn space_left() -> Option<u64> {
        None
    }

    /// No limit is known.
    pub fn data_left() -> Option<u64> {
        None
    }
}
