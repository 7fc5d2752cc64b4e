//! Standard output whose failures are noticed, and complaints on standard error.

use crate::program;
use manylane_files::system::os;
use manylane_files::system::reason;
use std::borrow::Cow;
use std::fmt;
use std::fs::File;
use std::io::{self, BufWriter, Write};

/// Standard output in large pieces.
///
/// [`std::io::Stdout`] would write at every line and call it a success when standard output is
/// closed. What is not [flushed](Self::flush) when the program fails is lost, as it is for
/// coreutils.
pub struct Output(BufWriter<Stdout>);

/// Standard output, or why there is none: an error only for those who write.
struct Stdout(io::Result<File>);

impl Write for Stdout {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.0 {
            Ok(file) => file.write(bytes),
            Err(error) => Err(match error.raw_os_error() {
                Some(number) => io::Error::from_raw_os_error(number),
                None => error.kind().into(),
            }),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Output {
    /// The program's standard output.
    pub fn stdout() -> Result<Self, WriteError> {
        Ok(Self(BufWriter::with_capacity(64 * 1024, Stdout(os::stdout()))))
    }

    /// Appends to the output, which is buffered: [`flush`](Self::flush) hands it on.
    pub fn write(&mut self, bytes: &[u8]) -> Result<(), WriteError> {
        Ok(self.0.write_all(bytes)?)
    }

    /// Hands what was written so far to the operating system.
    pub fn flush(&mut self) -> Result<(), WriteError> {
        Ok(self.0.flush()?)
    }

    /// Flushes the output, at its end.
    pub fn finish(mut self) -> Result<(), WriteError> {
        self.flush()
    }
}

/// Prints a text, which is all of the output.
pub fn print(text: &str) -> Result<(), WriteError> {
    let mut output = Output::stdout()?;
    output.write(text.as_bytes())?;
    output.finish()
}

/// Standard output could not be written.
#[derive(Debug)]
pub struct WriteError(io::Error);

impl WriteError {
    /// Whether the reader is gone, which is not reported.
    pub fn is_broken_pipe(&self) -> bool {
        self.0.kind() == io::ErrorKind::BrokenPipe
    }
}

impl From<io::Error> for WriteError {
    fn from(error: io::Error) -> Self {
        Self(error)
    }
}

impl fmt::Display for WriteError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "write error: {}", reason(&self.0))
    }
}

impl std::error::Error for WriteError {}

/// Writes a line to standard error, after the program's name.
pub fn complain(message: &str) {
    let message = shown(message);
    // One write, so that lines of several programs do not mix; nowhere to report its failure.
    let _ = io::stderr().write_all(format!("{}: {message}\n", program::name()).as_bytes());
}

/// The message with its control characters, except line feeds and tabs, escaped as in `\u{1b}`. A
/// message may repeat words of a file, and a terminal would obey them.
fn shown(message: &str) -> Cow<'_, str> {
    let is_order = |c: char| c.is_control() && !matches!(c, '\n' | '\t');
    if !message.contains(is_order) {
        return message.into();
    }
    let mut shown = String::with_capacity(message.len());
    for c in message.chars() {
        match is_order(c) {
            true => shown.extend(c.escape_default()),
            false => shown.push(c),
        }
    }
    shown.into()
}

#[cfg(test)]
mod tests {
    use super::shown;

    #[test]
    fn terminals_are_given_no_orders() {
        assert_eq!(shown("two\nlines,\tη_T"), "two\nlines,\tη_T");
        assert_eq!(shown("\u{1b}[31mη\r\u{9b}"), "\\u{1b}[31mη\\r\\u{9b}");
    }
}
