//! Programs that can be stopped.

use std::fs::File;
use std::io::{self, Read, Seek};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// How a program ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// The program ended by itself.
    Exit(ExitStatus),
    /// The program was killed because the user wants to stop.
    Interrupted,
    /// The program was killed after this many seconds.
    TooLong(u64),
}

/// The interval at which a program is checked for its end.
const TICK: Duration = Duration::from_millis(20);

/// Runs a program in `folder`; its output goes to the file `log` there.
///
/// The program has a process group of its own, which is killed as a whole: yosys starts others.
pub fn run(
    command: &mut Command,
    folder: &Path,
    log: &str,
    limit: Duration,
    stop: impl Fn() -> bool,
) -> io::Result<End> {
    let log = File::create(folder.join(log))?;
    let mut child = command
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(log.try_clone()?)
        .stderr(log)
        .process_group(0)
        .spawn()?;
    let begin = Instant::now();
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(End::Exit(status));
        }
        let end = match stop() {
            true => End::Interrupted,
            false if begin.elapsed() > limit => End::TooLong(limit.as_secs()),
            false => {
                sleep(TICK);
                continue;
            }
        };
        kill(&mut child);
        child.wait()?;
        return Ok(end);
    }
}

/// Returns how a program ended and what it printed; nothing if it did not end within the limit. The
/// program stays in the caller's process group, so that Ctrl-C ends both.
pub fn ask(command: &mut Command, limit: Duration) -> io::Result<Option<(ExitStatus, String)>> {
    let mut said = tempfile::tempfile()?;
    let mut child =
        command.stdin(Stdio::null()).stdout(said.try_clone()?).stderr(said.try_clone()?).spawn()?;
    let begin = Instant::now();
    while begin.elapsed() < limit {
        let Some(status) = child.try_wait()? else {
            sleep(TICK);
            continue;
        };
        let mut bytes = Vec::new();
        said.rewind()?;
        said.take(MOST_SAID).read_to_end(&mut bytes)?;
        return Ok(Some((status, String::from_utf8_lossy(&bytes).into_owned())));
    }
    child.kill()?;
    child.wait()?;
    Ok(None)
}

/// The most bytes of an answer that are read.
const MOST_SAID: u64 = 1 << 16;

/// Kills a program and all that it started.
fn kill(child: &mut Child) {
    let group = i32::try_from(child.id()).ok().and_then(rustix::process::Pid::from_raw);
    if let Some(group) = group {
        // The program may have ended meanwhile.
        let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
    }
}
