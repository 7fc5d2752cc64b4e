//! Has yosys read the text of hardware, and GHDL before it if that is VHDL.

use super::fault::{Fault, Source};
use super::rtlil::{self, Module};
use super::wide;
use crate::rtl::Language;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The programs that read hardware languages.
#[derive(Clone, Debug)]
pub struct Readers {
    /// yosys.
    pub yosys: PathBuf,
    /// GHDL, which only VHDL needs.
    pub ghdl: Option<PathBuf>,
}

/// The script turns processes into registers and multiplexers and does nothing else: simplified
/// logic is harder to compare with its text.
const SCRIPT: &str = "\
proc_clean
proc_rmdead
proc_prune
proc_init
proc_arst
proc_mux
proc_dlatch
proc_dff
proc_memwr
proc_clean
write_rtlil read.il
";

impl Readers {
    /// The modules of a text, `top` and those inside it. `scratch` is an empty folder.
    pub(super) fn read(
        &self,
        language: Language,
        sources: &[Source],
        top: &str,
        scratch: &Path,
    ) -> Result<Vec<Module>, Fault> {
        for source in sources {
            let file = scratch.join(&source.file);
            let folder = file.parent().expect("files are in the folder");
            let written = fs::create_dir_all(folder).and_then(|()| fs::write(&file, &source.text));
            written.map_err(|error| Fault::new(format!("{}: {error}", file.display())))?;
        }
        let files: Vec<&str> = sources.iter().map(|source| &source.file[..]).collect();
        let read = match language {
            Language::Verilog => format!("read_verilog -noautowire {}", files.join(" ")),
            Language::SystemVerilog => format!("read_verilog -sv -noautowire {}", files.join(" ")),
            Language::Vhdl => {
                let text = self.synthesize(&files, top, scratch)?;
                let written = fs::write(scratch.join(SYNTHESIZED), text);
                written.map_err(|error| Fault::new(format!("{SYNTHESIZED}: {error}")))?;
                format!("read_verilog {SYNTHESIZED}")
            }
        };
        let script = format!("{read}\nhierarchy -check -top {top}\n{SCRIPT}");
        let written = fs::write(scratch.join("read.ys"), script);
        written.map_err(|error| Fault::new(format!("read.ys: {error}")))?;
        run(Command::new(&self.yosys).args(["-q", "read.ys"]), scratch, &files)?;
        let text = fs::read_to_string(scratch.join("read.il"))
            .map_err(|error| Fault::new(format!("yosys wrote nothing: {error}")))?;
        rtlil::read(&text)
            .map_err(|why| Fault::new(format!("what yosys wrote is not understood: {why}")))
    }

    /// Has GHDL translate VHDL to Verilog.
    fn synthesize(&self, files: &[&str], top: &str, scratch: &Path) -> Result<String, Fault> {
        self.ghdl(&[&["-a"], files].concat(), scratch, files)?;
        let as_language = |out: &str| self.ghdl(&["--synth", out, top], scratch, files);
        Ok(repaired(&as_language("--out=verilog")?, &as_language("--out=vhdl")?))
    }

    /// Whether GHDL reads constants of more than 32 bits correctly.
    pub(super) fn reads_wide(&self, scratch: &Path) -> Result<bool, Fault> {
        let written = fs::write(scratch.join("probe.vhd"), wide::PROBE);
        written.map_err(|error| Fault::new(format!("probe.vhd: {error}")))?;
        self.ghdl(&["-a", "probe.vhd"], scratch, &[])?;
        Ok(wide::is_right(&self.ghdl(&["--synth", "--out=verilog", "probe"], scratch, &[])?))
    }

    /// Runs GHDL with the option for VHDL-2008 behind the first option.
    fn ghdl(&self, options: &[&str], scratch: &Path, files: &[&str]) -> Result<String, Fault> {
        let ghdl = self.ghdl.as_deref().ok_or_else(|| Fault::new("GHDL is missing".to_owned()))?;
        let mut command = Command::new(ghdl);
        run(command.arg(options[0]).arg("--std=08").args(&options[1..]), scratch, files)
    }
}

const SYNTHESIZED: &str = "synthesized.v";

/// Runs a program and returns its output, or the line that names the fault if it fails.
fn run(command: &mut Command, scratch: &Path, files: &[&str]) -> Result<String, Fault> {
    let program = Path::new(command.get_program()).display().to_string();
    let done = command.current_dir(scratch).output();
    let done = done.map_err(|error| Fault::new(format!("{program}: {error}")))?;
    let said = String::from_utf8_lossy(&[&done.stdout[..], &done.stderr].concat()).into_owned();
    let lines = || said.lines().map(str::trim).filter(|line| !line.is_empty());
    if done.status.success() {
        // Tools differ in whether bits beyond a word are cut off or unknown.
        let beyond =
            lines().find(|line| line.contains("Warning:") && line.contains("out of bounds"));
        return match beyond {
            Some(line) => Err(Fault::said(line, files)),
            None => Ok(String::from_utf8_lossy(&done.stdout).into_owned()),
        };
    }
    let complaint = |line: &&str| {
        let names_file = files.iter().any(|file| line.starts_with(&format!("{file}:")));
        let is_less =
            line.contains("warning:") || line.contains("note:") || line.contains("Warning:");
        !is_less && (names_file || line.contains("ERROR:"))
    };
    let line = lines().find(complaint).or_else(|| lines().next_back());
    let line = line.map_or_else(|| format!("{program} ended with {}", done.status), str::to_owned);
    Err(Fault::said(&line, files))
}

/// GHDL's Verilog, completed by what GHDL 2.0 leaves out: the last choice of a selection, which its
/// VHDL has, and the width of constants of more than 32 bits, which it writes like strings.
fn repaired(verilog: &str, vhdl: &str) -> String {
    let mut out = String::with_capacity(verilog.len());
    let mut choices: &str = "";
    let mut selection: Option<(String, bool)> = None;
    for line in verilog.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        match &words[..] {
            ["module", name, ..] => {
                let begin = format!("architecture rtl of {name} is");
                choices = vhdl.split_once(&begin).map_or("", |(_, rest)| {
                    rest.split_once("\narchitecture ").map_or(rest, |(this, _)| this)
                });
            }
            ["case", ..] => selection = Some((String::new(), false)),
            ["endcase"] => {
                if let Some((name, false)) = selection.take()
                    && let Some(value) = last_choice(choices, &name)
                {
                    out += &format!("      default: {name} <= {value};\n");
                }
            }
            [choice, name, "<=", ..] => {
                if let Some((selected, has_default)) = &mut selection {
                    *has_default |= *choice == "default:";
                    (*name).clone_into(selected);
                }
            }
            _ => {}
        }
        out += &sized(line);
        out.push('\n');
    }
    out
}

/// The value that `with … select NAME <= …` gives if no choice is met.
fn last_choice(vhdl: &str, name: &str) -> Option<String> {
    let (_, selection) = vhdl.split_once(&format!(" select {name} <="))?;
    let (selection, _) = selection.split_once(" when others;")?;
    let value = selection.rsplit(',').next()?.trim();
    Some(match value.strip_prefix('\'') {
        Some(bit) => format!("1'b{}", bit.trim_end_matches('\'')),
        None => sized(value.strip_prefix("wrap_").unwrap_or(value)),
    })
}

/// A line whose strings of binary digits are constants.
fn sized(line: &str) -> String {
    let mut out = String::new();
    for (i, part) in line.split('"').enumerate() {
        let is_binary = !part.is_empty()
            && part.chars().all(|c| matches!(c, '0' | '1' | 'X' | 'Z' | 'x' | 'z' | '-'));
        match i % 2 == 1 && is_binary {
            true => out += &format!("{}'b{}", part.len(), part.replace('-', "x")),
            false if i % 2 == 1 => out += &format!("\"{part}\""),
            false => out += part,
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_choice_is_put_back() {
        let verilog = "module m\n  always @*\n    case (n1_o)\n      2'b10: n2_o <= \"0110\";\n    \
                       endcase\nendmodule\n";
        let vhdl = "architecture rtl of m is\nbegin\n  with n1_o select n2_o <=\n    \"0110\" when \
                    \"10\",\n    \"1111\" when others;\nend rtl;\n";
        let repaired = repaired(verilog, vhdl);
        assert!(repaired.contains("2'b10: n2_o <= 4'b0110;\n      default: n2_o <= 4'b1111;\n"));
    }
}
