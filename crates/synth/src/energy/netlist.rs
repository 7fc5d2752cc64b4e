//! Gates and flip-flops, of the JSON that yosys writes.

use serde_json::Value;
use std::collections::HashMap;

/// A gate of up to three inputs. The third input of a `Mux` chooses: the first where it is 0, the
/// second where it is 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gate {
    /// ¬a
    Not,
    /// a ∧ b
    And,
    /// ¬(a ∧ b)
    Nand,
    /// a ∨ b
    Or,
    /// ¬(a ∨ b)
    Nor,
    /// a ⊕ b
    Xor,
    /// ¬(a ⊕ b)
    Xnor,
    /// c ? b : a
    Mux,
}

/// A gate with its inputs and its output.
#[derive(Clone, Copy, Debug)]
pub struct Cell {
    pub(super) gate: Gate,
    /// The signals that it reads, as many as the gate has inputs; the rest is unused.
    pub(super) inputs: [usize; 3],
    /// The signal that it drives.
    pub(super) output: usize,
}

/// Gates between flip-flops. Signals are numbers; 0 and 1 are the constants.
#[derive(Clone, Debug, Default)]
pub struct Netlist {
    /// Number of signals.
    pub(super) signals: usize,
    pub(super) cells: Vec<Cell>,
    /// Next value and value.
    pub(super) registers: Vec<[usize; 2]>,
    /// The signals of each port, least significant first.
    pub(super) ports: HashMap<String, Vec<usize>>,
}

impl Netlist {
    /// Reads a module of gates.
    ///
    /// # Errors
    /// If the module has other cells, or the text is not what yosys writes.
    pub fn read(json: &str, module: &str) -> Result<Self, String> {
        let json: Value = serde_json::from_str(json).map_err(|error| error.to_string())?;
        let module = &json["modules"][module];
        let mut reader = Reader { numbers: HashMap::new(), netlist: Self::default() };
        reader.netlist.signals = 2;
        let ports = module["ports"].as_object().ok_or("no ports")?;
        for (name, port) in ports {
            let bits = port["bits"].as_array().into_iter().flatten();
            let signals: Result<_, String> = bits.map(|bit| reader.signal(bit)).collect();
            reader.netlist.ports.insert(name.clone(), signals?);
        }
        for cell in module["cells"].as_object().ok_or("no cells")?.values() {
            reader.cell(cell)?;
        }
        Ok(reader.netlist)
    }

    /// The number of flip-flops.
    pub fn flip_flops(&self) -> usize {
        self.registers.len()
    }
}

struct Reader {
    numbers: HashMap<u64, usize>,
    netlist: Netlist,
}

impl Reader {
    /// The signal of a bit: a number of yosys, or a constant. What does not matter is 0.
    fn signal(&mut self, bit: &Value) -> Result<usize, String> {
        match bit {
            Value::String(constant) => Ok(usize::from(constant == "1")),
            bit => {
                let number = bit.as_u64().ok_or("a bit is neither number nor text")?;
                let signals = &mut self.netlist.signals;
                Ok(*self.numbers.entry(number).or_insert_with(|| {
                    *signals += 1;
                    *signals - 1
                }))
            }
        }
    }

    fn cell(&mut self, cell: &Value) -> Result<(), String> {
        let kind = cell["type"].as_str().ok_or("a cell has no type")?;
        let mut pin = |name: &str| self.signal(&cell["connections"][name][0]);
        if kind == "$_DFF_P_" {
            let register = [pin("D")?, pin("Q")?];
            self.netlist.registers.push(register);
            return Ok(());
        }
        let (gate, inputs): (_, &[&str]) = match kind {
            "$_NOT_" => (Gate::Not, &["A"]),
            "$_AND_" => (Gate::And, &["A", "B"]),
            "$_NAND_" => (Gate::Nand, &["A", "B"]),
            "$_OR_" => (Gate::Or, &["A", "B"]),
            "$_NOR_" => (Gate::Nor, &["A", "B"]),
            "$_XOR_" => (Gate::Xor, &["A", "B"]),
            "$_XNOR_" => (Gate::Xnor, &["A", "B"]),
            "$_MUX_" => (Gate::Mux, &["A", "B", "S"]),
            _ => return Err(format!("cells of the kind {kind}")),
        };
        let mut signals = [0; 3];
        for (signal, name) in signals.iter_mut().zip(inputs) {
            *signal = pin(name)?;
        }
        let output = pin("Y")?;
        self.netlist.cells.push(Cell { gate, inputs: signals, output });
        Ok(())
    }
}

impl Gate {
    /// Its value for 64 messages, one in each bit.
    pub(super) fn value(self, [a, b, c]: [u64; 3]) -> u64 {
        match self {
            Self::Not => !a,
            Self::And => a & b,
            Self::Nand => !(a & b),
            Self::Or => a | b,
            Self::Nor => !(a | b),
            Self::Xor => a ^ b,
            Self::Xnor => !(a ^ b),
            Self::Mux => (a & !c) | (b & c),
        }
    }

    /// The number of its inputs.
    pub(super) fn inputs(self) -> usize {
        match self {
            Self::Not => 1,
            Self::Mux => 3,
            Self::And | Self::Nand | Self::Or | Self::Nor | Self::Xor | Self::Xnor => 2,
        }
    }
}
