//! GNU as, ld and objcopy of the 68HC12 (Debian's binutils-m68hc1x).

use std::fs;
use std::path::Path;
use std::process::Command;

/// The architecture of XGATE.
pub const XGATE: &str = "-mm9s12xg";
/// The architecture of the CPU.
pub const CPU: &str = "-mm9s12x";

/// Whether GNU's tools are here; if not they are named, or this fails where simulators are
/// required.
pub fn are_here() -> bool {
    let found = Command::new("m68hc11-as").arg("--version").output();
    if found.is_ok_and(|output| output.status.success()) {
        return true;
    }
    let missing = "m68hc11-as is missing: `make setup-simulators` installs it";
    assert!(std::env::var_os("MANYLANE_REQUIRE_SIMULATORS").is_none(), "{missing}");
    eprintln!("skipped: {missing}");
    false
}

pub fn run(folder: &Path, tool: &str, arguments: &[&str]) -> String {
    let output = Command::new(format!("m68hc11-{tool}"))
        .args(arguments)
        .current_dir(folder)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{tool} {arguments:?}: {said}");
    String::from_utf8(output.stdout).unwrap()
}

/// Assembles a text for an architecture and links it at an address.
pub fn gnu_bytes(architecture: &str, text: &str, origin: u16) -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    fs::write(at.join("a.s"), format!("{text}\n")).unwrap();
    run(at, "as", &[architecture, "-o", "a.o", "a.s"]);
    // The linker's own script has regions that are smaller than these programs.
    let script = format!("SECTIONS {{ .text {origin:#x} : {{ *(.text) }} }}");
    fs::write(at.join("a.ld"), script).unwrap();
    run(at, "ld", &["-m", "m68hc12elf", "-T", "a.ld", "-e", "0", "-o", "a.elf", "a.o"]);
    run(at, "objcopy", &["-O", "binary", "-j", ".text", "a.elf", "a.bin"]);
    fs::read(at.join("a.bin")).unwrap()
}

/// Compares bytes with those of GNU as, which fills a section with zeros up to its alignment.
#[track_caller]
pub fn assert_same(ours: &[u8], theirs: &[u8], alignment: usize, what: &str) {
    let differs = (0..ours.len()).find(|&at| theirs.get(at) != Some(&ours[at]));
    assert_eq!(differs, None, "the first byte that differs of {what}");
    let fill = &theirs[ours.len()..];
    assert!(fill.len() < alignment && fill.iter().all(|&byte| byte == 0), "{fill:?} behind {what}");
}
