//! Runs files of test vectors for the S12X's two cores.
//!
//! ```text
//! cargo run --release -p manylane-simulate --example vectors -- FILE.jsonl...
//! ```

use manylane_simulate::s12x::vectors::{Exception, Report, check};
use std::fs;
use std::io::{self, Write};
use std::process::ExitCode;

const HELP: &str = "\
Runs test vectors for XGATE and the CPU12 on the simulated cores, and says how many agree.

Usage: vectors FILE.jsonl...

Each line of a file is a vector, an object of JSON, of one of these forms: instructions, programs \
and
encodings of each core. The form is recognised by its fields. The exit status is 1 if a vector does
not agree or a file cannot be read.";

fn main() -> ExitCode {
    let files: Vec<_> = std::env::args().skip(1).collect();
    if files.iter().any(|file| file == "--help" || file == "-h") {
        println!("{HELP}");
        return ExitCode::SUCCESS;
    }
    if files.is_empty() {
        eprintln!("vectors: name a file of vectors, or --help");
        return ExitCode::FAILURE;
    }
    let mut status = ExitCode::SUCCESS;
    for file in &files {
        match run(file) {
            Ok(report) if report.disagree.is_empty() => {}
            Ok(_) => status = ExitCode::FAILURE,
            Err(error) => {
                eprintln!("vectors: {file}: {error}");
                status = ExitCode::FAILURE;
            }
        }
    }
    status
}

fn run(file: &str) -> Result<Report, String> {
    let bytes = fs::read(file).map_err(|error| error.to_string())?;
    let text = String::from_utf8(bytes).map_err(|error| {
        let before = &error.as_bytes()[..error.utf8_error().valid_up_to()];
        format!("line {}: not UTF-8", 1 + before.iter().filter(|&&byte| byte == b'\n').count())
    })?;
    let report = check(&text).map_err(|error| error.to_string())?;
    let forms: Vec<_> =
        report.forms.iter().map(|(form, count)| format!("{count} {form}")).collect();
    let all = report.agree + report.disagree.len();
    let mut lines = format!("{file}: {}: {} of {all} agree\n", forms.join(", "), report.agree);
    for Exception { line, name, document } in &report.exceptions {
        lines += &format!("  line {line}, {name}: as {document}\n");
    }
    if let Some(first) = report.disagree.first() {
        lines += &format!("  {first}\n");
    }
    match io::stdout().write_all(lines.as_bytes()) {
        // Nobody reads on, as behind `head`: the exit status says the rest.
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(error.to_string()),
        _ => Ok(report),
    }
}
