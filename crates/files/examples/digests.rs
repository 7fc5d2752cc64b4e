//! Prints the digests of all files below a folder, several hashes in one pass:
//!
//! ```sh
//! cargo run --release -p manylane-files --example digests -- FOLDER sha256 md5
//! ```

use manylane_files::hashing::{Function, Functions, Hashing, Input, Job, Next, Options, Source};
use manylane_files::lists::lines::hex;
use manylane_files::names;
use manylane_files::walk::{EntryKind, Walk};
use std::path::Path;
use std::time::Duration;

/// The regular files of a walk, as they are found.
struct Files {
    walk: Walk,
    functions: Functions,
}

impl Source for Files {
    /// A folder that could not be read is a job without a file: its note is the complaint.
    type Note = Option<String>;

    fn next(&mut self) -> Option<Job<Self::Note>> {
        let functions = self.functions.clone();
        loop {
            return Some(match self.walk.next()? {
                Err(error) => {
                    Job { input: Input::Nothing, functions, note: Some(error.complaint()) }
                }
                Ok(entry) if entry.kind() == EntryKind::File => {
                    Job { input: Input::Found(entry.into_path()), functions, note: None }
                }
                Ok(_) => continue,
            });
        }
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let folder = arguments.next().ok_or("name a folder, and hashes after it")?;
    let functions: Functions = match arguments.len() {
        0 => Function::new(names::DEFAULT.into(), None).into(),
        _ => arguments
            .map(|name| Ok(Function::new(names::hash(&name)?, None)))
            .collect::<Result<_, names::Error>>()?,
    };
    let options = Options::default();
    options.check(&functions)?;
    let walk = Walk::new(Path::new(&folder), false, false);
    let mut hashing = Hashing::start(Files { walk, functions }, &options);
    loop {
        match hashing.next(Duration::from_secs(1)) {
            Next::Waiting => {}
            Next::End => return Ok(()),
            Next::Done(done) => match (done.job.note, done.digests) {
                (Some(complaint), _) => eprintln!("{complaint}"),
                (None, Err(error)) => {
                    eprintln!("{}: {error}", String::from_utf8_lossy(&done.job.input.name()));
                }
                (None, Ok(digests)) => {
                    let digests: Vec<String> = digests.iter().map(|digest| hex(digest)).collect();
                    let name = String::from_utf8_lossy(&done.job.input.name()).into_owned();
                    println!("{}  {name}", digests.join("  "));
                }
            },
        }
    }
}
