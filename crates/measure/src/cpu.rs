//! The processor's name and numbers, as the system reports them.

use std::fs::File;
use std::io::{BufRead, BufReader};

/// Its name for people: `Intel(R) Xeon(R) Processor`; the architecture where it has none.
pub fn name() -> String {
    name_in(&first_processor())
}

/// Its name with the numbers that tell it from others of that name.
pub fn identity() -> String {
    let info = first_processor();
    // x86-64 has the first three, aarch64 the others.
    let numbers = ["cpu family", "model", "stepping", "CPU implementer", "CPU part", "CPU variant"]
        .into_iter()
        .filter_map(|key| Some(format!(", {key} {}", field(&info, key)?)));
    name_in(&info) + &numbers.collect::<String>()
}

fn name_in(info: &[String]) -> String {
    field(info, "model name").unwrap_or_else(|| std::env::consts::ARCH.to_owned())
}

/// Linux' description of the first processor. The file has a paragraph for each processor, and
/// reading all of it takes long where there are many.
fn first_processor() -> Vec<String> {
    let Ok(file) = File::open("/proc/cpuinfo") else { return Vec::new() };
    let lines = BufReader::new(file).lines().map_while(Result::ok);
    lines.take_while(|line| !line.is_empty()).collect()
}

fn field(info: &[String], name: &str) -> Option<String> {
    let mut fields = info.iter().filter_map(|line| line.split_once(':'));
    let found = fields.find(|(key, _)| key.trim() == name);
    found.map(|(_, value)| value.trim().to_owned())
}
