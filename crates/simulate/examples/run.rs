//! Compiles the C of a folder for a machine, with every `.c` in it, and runs it: prints what the
//! program prints, then the bytes of code and constants of each file but `main.c`.
//!
//! ```text
//! cargo run -p manylane-simulate --example run -- ibex-duo DIR [FLAG]...
//! ```

use manylane_simulate::{Job, Machine, Run};
use std::error::Error;
use std::path::Path;
use std::process::ExitCode;

fn read(job: &mut Job, root: &Path, folder: &Path) -> Result<(), Box<dyn Error>> {
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            read(job, root, &path)?;
            continue;
        }
        let name = path.strip_prefix(root)?.to_str().ok_or("a name that is no text")?.to_owned();
        job.files.push((name, std::fs::read_to_string(&path)?));
    }
    job.files.sort();
    Ok(())
}

fn run() -> Result<(), Box<dyn Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [machine, folder, flags @ ..] = &args[..] else {
        return Err("name a machine and a folder".into());
    };
    let mut job = Job { flags: flags.to_vec(), ..Job::default() };
    read(&mut job, Path::new(folder), Path::new(folder))?;
    let program = Machine::named(machine)?.build(&job)?;
    print!("{}", program.run(&Run::default())?.text);
    for size in program.sizes.iter().filter(|size| size.file != "main.c") {
        println!("size {} {} {}", size.file, size.code, size.constants);
    }
    Ok(())
}

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("run: {error}");
            ExitCode::FAILURE
        }
    }
}
