//! The processor, as the system calls it.

/// Its name for people: `Intel(R) Xeon(R) Processor`; the architecture where it has none.
pub fn name() -> String {
    field("model name").unwrap_or_else(|| std::env::consts::ARCH.to_owned())
}

/// Its name with the numbers that tell it from others of that name.
pub fn identity() -> String {
    // x86-64 has the first, aarch64 the others.
    let numbers = ["cpu family", "model", "stepping", "CPU implementer", "CPU part", "CPU variant"]
        .into_iter()
        .filter_map(|key| Some(format!(", {key} {}", field(key)?)));
    name() + &numbers.collect::<String>()
}

/// What Linux says of the first processor.
fn field(name: &str) -> Option<String> {
    let info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let mut fields = info.lines().filter_map(|line| line.split_once(':'));
    let found = fields.find(|(key, _)| key.trim() == name);
    found.map(|(_, value)| value.trim().to_owned())
}
