//! The test bench of [`bench`](super::bench()) in VHDL-2008.

use super::Core;
use super::bench::{Field, Flow, Layout, Vector};
use super::templates::render;
use minijinja::context;
use std::fmt::Write;

/// The bench's text, and its memory file, which it reads as `file`.
///
/// It reports `ok N blocks in C clocks`, or what was wrong, and fails with an error.
pub fn bench_vhdl(core: &Core, vectors: &[Vector], flow: Flow, file: &str) -> (String, String) {
    let layout = Layout::of(core);
    let Layout { module, outputs, tag_bits, bits, .. } = &layout;
    let (count, limit) = (vectors.len(), layout.limit(core, vectors.len()));
    let (offers, takes) = match flow {
        Flow::Full => ("true", "true"),
        Flow::Stalls => ("next_random >= 0.33", "next_random >= 0.25"),
    };
    let Ports { signals, inputs, mut connections, feed, fed } = Ports::of(&layout, count, offers);
    if core.clears {
        connections.push_str("      clear => clear,\n");
    }
    let Clearing { declared, variables, cleared } = Clearing::of(core, flow, count);
    let right: String = outputs.iter().map(is_right).collect();
    let chain = range(outputs[0].width, outputs[0].low);
    let (use_random, random) = random_numbers(flow);
    let (last, tags) = (count.saturating_sub(1), 1_u64 << tag_bits);
    let (tag_top, bits_top) = (tag_bits - 1, bits - 1);
    let values = context! {
        use_random, module => *module, bits_top, last, file, tag_top, signals, declared, count,
        tags, tag_bits, inputs, connections, fed, variables, random, right, chain, limit, cleared,
        offers, feed, takes,
    };
    let text = render("bench_vhdl", &values);
    (text, layout.memory(core, vectors))
}

/// The index of `width` bits of a vector, from bit `low` on.
fn range(width: u32, low: u32) -> String {
    match width {
        1 => format!("({low})"),
        _ => format!("({} downto {low})", low + width - 1),
    }
}

/// The condition that an output is as in the memory file.
fn is_right(Field { name, width, low }: &Field) -> String {
    format!("\n          and {name} = vectors(received){}", range(*width, *low))
}

/// The text about the core's ports.
#[derive(Default)]
struct Ports {
    /// The declarations of signals.
    signals: String,
    /// The assignments that offer what is in the memory file.
    inputs: String,
    /// The connections of the core's instance.
    connections: String,
    /// The statements of each clock that offer a block's words, and the variable of their process.
    feed: String,
    fed: &'static str,
}

impl Ports {
    /// The ports of a core that is given `count` blocks; `offers` says when a word is offered.
    fn of(layout: &Layout<'_>, count: usize, offers: &str) -> Self {
        let Layout { inputs, outputs, .. } = layout;
        let mut ports = Self::default();
        for Field { name, width, low } in inputs.iter().filter(|field| field.name != Core::WORD) {
            let _ = writeln!(ports.inputs, "  {name} <= offered{};", range(*width, *low));
        }
        for field in inputs.iter().chain(outputs) {
            match field.name == Core::WORD {
                true => ports.words(field, layout.words, count, offers),
                false => ports.whole(field),
            }
        }
        ports
    }

    /// Adds a port whose value is given or taken at once.
    fn whole(&mut self, Field { name, width, .. }: &Field) {
        let of_type = match width {
            1 => "std_logic".to_owned(),
            _ => format!("std_logic_vector({} downto 0)", width - 1),
        };
        let _ = writeln!(self.signals, "  signal {name} : {of_type};");
        let _ = writeln!(self.connections, "      {name} => {name},");
    }

    /// Adds the port that takes a block's words one by one, and its handshake.
    fn words(
        &mut self,
        Field { width, low, .. }: &Field,
        words: usize,
        count: usize,
        offers: &str,
    ) {
        let (word, all, top) = (width / words as u32, words * count, low + width - 1);
        self.connections.push_str(
            "      word => word,\n      word_valid => word_valid,\n      word_ready => \
             word_ready,\n",
        );
        let _ = write!(
            self.signals,
            "  signal word : std_logic_vector({} downto 0);\n  signal words : natural := 0;\n  \
             signal word_valid : std_logic := '0';\n  signal word_ready : std_logic;\n",
            word - 1
        );
        let _ = writeln!(
            self.inputs,
            "  word <= vectors(words / {words})({top} - {word} * (words mod {words}) \
             downto\n    \
             {top} - {word} * (words mod {words}) - {}) when words < {all} else (others => \
             '0');",
            word - 1
        );
        let _ = write!(
            self.feed,
            "      next_word := words;\n      \
             if word_valid = '1' and word_ready = '1' then\n        \
             next_word := words + 1;\n      end if;\n      words <= next_word;\n      \
             if word_valid = '0' or word_ready = '1' then\n        word_valid <= '0';\n        \
             if next_word < {all} and {offers} then\n          word_valid <= '1';\n        \
             end if;\n      end if;\n"
        );
        self.fed = "    variable next_word : natural;\n";
    }
}

/// The text about the port that makes registers zero, for a core that has it.
#[derive(Default)]
struct Clearing {
    /// The declaration of its signal.
    declared: &'static str,
    /// The variable of the process that drives it.
    variables: &'static str,
    /// The statements of each clock that drive it.
    cleared: String,
}

impl Clearing {
    /// With pauses the core is cleared once while blocks are under way, which are then sent again.
    fn of(core: &Core, flow: Flow, count: usize) -> Self {
        let declared = "  signal clear : std_logic := '0';\n";
        match (core.clears, flow) {
            (false, _) => Self::default(),
            (true, Flow::Full) => Self { declared, ..Self::default() },
            (true, Flow::Stalls) => Self {
                declared,
                variables: "    variable was_cleared : boolean := false;\n",
                cleared: format!(
                    "      if clear = '1' then\n        still_to_send := done;\n      \
                     end if;\n      \
                     clear <= '0';\n      \
                     if done = {} and still_to_send > done and not was_cleared then\n        \
                     clear <= '1';\n        was_cleared := true;\n      end if;\n",
                    count / 2
                ),
            },
        }
    }
}

/// The library of random numbers and the function that draws one, for a bench with pauses.
fn random_numbers(flow: Flow) -> (&'static str, &'static str) {
    match flow {
        Flow::Full => ("", ""),
        Flow::Stalls => (
            "use ieee.math_real.all;\n",
            "    variable seed_1, seed_2 : positive := 1;\n    \
             impure function next_random return real is\n      variable x : real;\n    \
             begin\n      \
             uniform(seed_1, seed_2, x);\n      return x;\n    end function;\n",
        ),
    }
}
