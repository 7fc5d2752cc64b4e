//! Programs that are stopped when they take too long or print too much.

use std::fs::File;
use std::io::{self, Read, Seek};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// Bytes of what a program prints that are kept.
pub const MOST_PRINTED: u64 = 16 << 20;

/// How a program ended.
#[derive(Debug)]
pub enum End {
    /// The program ended by itself.
    Exit(ExitStatus),
    /// The program took longer than it may, and was stopped.
    TooLong,
    /// The program printed more than [`MOST_PRINTED`], and was stopped.
    PrintsTooMuch,
}

/// How a program ended, and what it printed.
#[derive(Debug)]
pub struct Ended {
    /// How.
    pub end: End,
    /// Its standard output.
    pub output: String,
    /// Its standard error.
    pub errors: String,
}

/// Runs a program without input. It stays in this program's process group, so that Ctrl-C ends
/// both.
pub fn run(command: &mut Command, patience: Duration) -> io::Result<Ended> {
    let [mut output, mut errors] = [tempfile::tempfile()?, tempfile::tempfile()?];
    let mut child = command
        .stdin(Stdio::null())
        .stdout(output.try_clone()?)
        .stderr(errors.try_clone()?)
        .spawn()?;
    let end = wait(&mut child, [&output, &errors], patience);
    if !matches!(end, Ok(End::Exit(_))) {
        // The program may have ended meanwhile.
        let _ = child.kill();
        child.wait()?;
    }
    let end = end?;
    Ok(Ended { end, output: text(&mut output)?, errors: text(&mut errors)? })
}

/// The first line that a program prints, which is soon.
pub fn first_line(command: &mut Command) -> io::Result<String> {
    let said = run(command, Duration::from_secs(60))?.output;
    Ok(said.lines().next().unwrap_or_default().trim().to_owned())
}

fn wait(child: &mut Child, printed: [&File; 2], patience: Duration) -> io::Result<End> {
    // Most programs end at once; the longer one runs, the more rarely its end is looked for.
    let mut tick = Duration::from_micros(200);
    let begin = Instant::now();
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(End::Exit(status));
        }
        if begin.elapsed() > patience {
            return Ok(End::TooLong);
        }
        for file in printed {
            if file.metadata()?.len() > MOST_PRINTED {
                return Ok(End::PrintsTooMuch);
            }
        }
        sleep(tick);
        tick = (tick * 5 / 4).min(Duration::from_millis(20));
    }
}

fn text(file: &mut File) -> io::Result<String> {
    let mut bytes = Vec::new();
    file.rewind()?;
    file.take(MOST_PRINTED).read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str, patience: Duration) -> Ended {
        run(Command::new("sh").args(["-c", script]), patience).unwrap()
    }

    #[test]
    fn both_outputs_and_the_status_are_kept() {
        let ended = shell("echo out; echo err >&2; exit 3", Duration::from_secs(60));
        assert!(matches!(ended.end, End::Exit(status) if status.code() == Some(3)), "{ended:?}");
        assert_eq!((ended.output.as_str(), ended.errors.as_str()), ("out\n", "err\n"));
    }

    #[test]
    fn programs_without_end_are_stopped() {
        let ended = shell("echo begun; exec sleep 600", Duration::from_millis(300));
        assert!(matches!(ended.end, End::TooLong), "{ended:?}");
        assert_eq!(ended.output, "begun\n");
        let ended = shell("exec yes", Duration::from_secs(600));
        assert!(matches!(ended.end, End::PrintsTooMuch));
    }
}
