//! Lines of assembly.

use super::rules;
use std::collections::BTreeSet;
use std::fmt::Write;

/// A table of constants.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Table {
    /// The operation `SubBytes` on every byte, 256 bytes.
    SubBytes,
    /// The operation `Xtime` on every byte, 256 bytes.
    Xtime,
    /// The words 2^0 to 2^15.
    Powers,
}

/// Lines, and the tables that they read.
#[derive(Debug, Default)]
pub(super) struct Lines {
    /// The lines of assembly, each with its line end.
    pub text: String,
    /// Tables that the instructions read.
    pub tables: BTreeSet<Table>,
    /// The prefix of labels.
    pub prefix: String,
    /// Whether small code is worth more than fast code.
    pub is_small: bool,
    /// Whether the logic of both halves of a word of 32 bits is to be done in X.
    pub has_logic_in_x: bool,
    /// Whether an instruction changes Y.
    pub changes_y: bool,
    /// The labels of steps so far.
    steps: BTreeSet<String>,
    labels: usize,
}

impl Lines {
    /// No lines; `prefix` begins the names of labels.
    pub fn new(prefix: &str) -> Self {
        Self { prefix: prefix.to_owned(), ..Self::default() }
    }

    /// Adds an instruction or a directive, unless a rule leaves it out.
    pub fn op(&mut self, name: &str, operands: &str) {
        if rules::is_needless(name, operands) {
            return;
        }
        self.changes_y |= changes_y(name, operands);
        let operands = operands.replace("kept+", &format!("{}_kept+", self.prefix));
        let operands = operands.replace("passing+", &format!("{}_passing+", self.prefix));
        let _ = match operands.is_empty() {
            true => writeln!(self.text, "        {name}"),
            false => writeln!(self.text, "        {name:7} {operands}"),
        };
    }

    /// Adds the lines of a text, which are instructions and labels.
    pub fn ops(&mut self, text: &str) {
        for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
            let (name, operands) = line.split_once(' ').unwrap_or((line, ""));
            match line.strip_suffix(':') {
                Some(label) if !label.contains(' ') => self.label(label),
                _ => self.op(name, operands.trim()),
            }
        }
    }

    /// Adds an entry point for C, behind its declaration as a comment.
    pub fn entry(&mut self, declaration: &str, name: &str) {
        let label = format!("{}_{name}", self.prefix);
        self.text.push('\n');
        self.comment(declaration);
        self.op(".globl", &label);
        self.label(&label);
    }

    /// Adds a label.
    pub fn label(&mut self, name: &str) {
        let _ = writeln!(self.text, "{name}:");
    }

    /// Adds a label where the code of a step begins; code that comes back to the step has none.
    pub fn step(&mut self, step: &str) {
        let label = format!("{}_{step}", self.prefix);
        if self.steps.insert(label.clone()) {
            self.label(&label);
        }
    }

    /// Returns a label that is used nowhere else.
    pub fn next_label(&mut self) -> String {
        self.labels += 1;
        format!("{}_limbs{}", self.prefix, self.labels)
    }

    /// Adds a comment on a line of its own.
    pub fn comment(&mut self, what: &str) {
        let _ = writeln!(self.text, "; {what}");
    }

    /// Notes that a table is read, and returns its label.
    pub fn table(&mut self, table: Table) -> String {
        self.tables.insert(table);
        match table {
            Table::SubBytes => format!("{}_sub_bytes", self.prefix),
            Table::Xtime => format!("{}_xtime", self.prefix),
            Table::Powers => format!("{}_powers", self.prefix),
        }
    }
}

/// Whether an instruction changes Y, or runs other code, which may.
fn changes_y(name: &str, operands: &str) -> bool {
    let mut parts = operands.split([',', '[', ']']).map(str::trim);
    let is_y = |part: &str| matches!(part, "y" | "yl" | "yh");
    let by_name = match name {
        "tfr" | "sex" => parts.clone().next_back().is_some_and(is_y),
        "exg" => parts.clone().any(is_y),
        "dbeq" | "dbne" | "ibeq" | "ibne" => parts.clone().next().is_some_and(is_y),
        "emul" | "emuls" | "ediv" | "edivs" | "mem" | "rev" | "revw" | "wav" => true,
        "bsr" | "jsr" | "call" | "swi" | "sys" | "trap" | "rti" | "rtc" => true,
        "sty" | "gsty" | "pshy" | "cpy" | "cpey" | "bity" | "tsty" | "tys" => false,
        _ => name.ends_with('y'),
    };
    by_name || parts.any(|part| matches!(part, "y+" | "y-" | "+y" | "-y"))
}

#[cfg(test)]
mod tests {
    use super::changes_y;
    use crate::xgate::random::Random;
    use manylane_simulate::s12x::cpu12::{Cpu, Registers, Timing, text};
    use manylane_simulate::s12x::{Core, Flat};

    /// Runs of each instruction, with random registers and memory.
    const RUNS: usize = 24;

    /// Where the instructions lie; loads and stores reach the rest of the memory.
    const AT: u16 = 0x4000;

    /// Every opcode of both pages is run with every byte behind it: if Y differs after the
    /// instruction in any run, `changes_y` holds for its text.
    #[test]
    fn no_instruction_changes_y_unnoticed() {
        let mut random = Random::new(12);
        let mut memory = Flat::new();
        for byte in memory.bytes_mut() {
            *byte = random.below(256) as u8;
        }
        let mut cpu = Cpu::new(Timing::default());
        let mut changing = 0;
        let pages: [&[u8]; 2] = [&[], &[0x18]];
        for page in pages {
            for (opcode, behind) in (0..=255).flat_map(|op| (0..=255).map(move |of| (op, of))) {
                let mut bytes = page.to_vec();
                bytes.extend([opcode, behind, 0x12, 0x34, 0x56, 0x78]);
                if page.is_empty() && opcode == 0x18 {
                    continue;
                }
                let (line, _) = text(&bytes);
                let (name, operands) = line.split_once(' ').unwrap_or((&line, ""));
                let said = changes_y(name, operands.trim());
                for _ in 0..RUNS {
                    let at = usize::from(AT);
                    memory.bytes_mut()[at..at + bytes.len()].copy_from_slice(&bytes);
                    let mut word = || random.below(0x1_0000) as u16;
                    let registers = [(); 5].map(|()| word());
                    let [d, x, y, sp, ccr] = registers;
                    *cpu.registers_mut() = Registers { d, x, y, sp, pc: AT, ccr };
                    // An undefined opcode is a fault and changes nothing.
                    let is_done = cpu.step(&mut memory).is_ok();
                    if is_done && cpu.registers().y != y {
                        assert!(said, "{line}: Y was {y:04x}, is {:04x}", cpu.registers().y);
                        changing += 1;
                        break;
                    }
                }
            }
        }
        assert!(changing > 1_000, "{changing} instructions that change Y are few");
    }

    /// Instructions that only read Y do not count as changing it, whatever the names of labels.
    #[test]
    fn instructions_that_read_y_keep_it() {
        for (name, operands) in [
            ("sty", "kept+2"),
            ("cpy", "#3"),
            ("tbne", "y,loop"),
            ("dbne", "x,y_loop"),
            ("tfr", "y,d"),
            ("movw", "y+2,kept+0-y_end"),
            ("std", "kept-2,y"),
            ("ldd", "2,x+"),
            ("ldd", "[2,y]"),
            ("pshy", ""),
        ] {
            assert!(!changes_y(name, operands), "{name} {operands}");
        }
        for (name, operands) in
            [("dbne", "y,loop"), ("ldd", "2,-y"), ("movw", "2,x+,2,+y"), ("tfr", "a,yl")]
        {
            assert!(changes_y(name, operands), "{name} {operands}");
        }
    }
}
