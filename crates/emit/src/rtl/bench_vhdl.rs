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
    let Layout { module, inputs: fields, outputs, words, tag_bits, bits } = &layout;
    let (count, limit) = (vectors.len(), layout.limit(core, vectors.len()));
    let (mut inputs, mut connections) = (String::new(), String::new());
    let range = |width: u32, low: u32| match width {
        1 => format!("({low})"),
        _ => format!("({} downto {low})", low + width - 1),
    };
    let (mut signals, mut feed, mut fed) = (String::new(), String::new(), "");
    let (offers, takes) = match flow {
        Flow::Full => ("true", "true"),
        Flow::Stalls => ("next_random >= 0.33", "next_random >= 0.25"),
    };
    for Field { name, width, low } in fields.iter().filter(|field| field.name != Core::WORD) {
        let _ = writeln!(inputs, "  {name} <= offered{};", range(*width, *low));
    }
    for Field { name, width, low } in fields.iter().chain(outputs) {
        if *name == Core::WORD {
            // A block's words one by one.
            let (word, all, top) = (width / *words as u32, words * count, low + width - 1);
            connections.push_str(
                "      word => word,\n      word_valid => word_valid,\n      word_ready => \
                 word_ready,\n",
            );
            let _ = write!(
                signals,
                "  signal word : std_logic_vector({} downto 0);\n  signal words : natural := 0;\n  \
                 signal word_valid : std_logic := '0';\n  signal word_ready : std_logic;\n",
                word - 1
            );
            let _ = writeln!(
                inputs,
                "  word <= vectors(words / {words})({top} - {word} * (words mod {words}) \
                 downto\n    \
                 {top} - {word} * (words mod {words}) - {}) when words < {all} else (others => \
                 '0');",
                word - 1
            );
            let _ = write!(
                feed,
                "      next_word := words;\n      \
                 if word_valid = '1' and word_ready = '1' then\n        \
                 next_word := words + 1;\n      end if;\n      words <= next_word;\n      \
                 if word_valid = '0' or word_ready = '1' then\n        word_valid <= '0';\n        \
                 if next_word < {all} and {offers} then\n          word_valid <= '1';\n        \
                 end if;\n      end if;\n"
            );
            fed = "    variable next_word : natural;\n";
            continue;
        }
        let of_type = match width {
            1 => "std_logic".to_owned(),
            _ => format!("std_logic_vector({} downto 0)", width - 1),
        };
        let _ = writeln!(signals, "  signal {name} : {of_type};");
        let _ = writeln!(connections, "      {name} => {name},");
    }
    let wrong = outputs.iter().map(|Field { name, width, low }| {
        format!("\n          and {name} = vectors(received){}", range(*width, *low))
    });
    let right: String = wrong.collect();
    let chain = range(outputs[0].width, outputs[0].low);
    let (declared, variables, cleared) = match (core.clears, flow) {
        (false, _) => ("", "", String::new()),
        (true, Flow::Full) => ("  signal clear : std_logic := '0';\n", "", String::new()),
        // Once, while blocks are under way, which are then sent again.
        (true, Flow::Stalls) => (
            "  signal clear : std_logic := '0';\n",
            "    variable was_cleared : boolean := false;\n",
            format!(
                "      if clear = '1' then\n        still_to_send := done;\n      end if;\n      \
                 clear <= '0';\n      \
                 if done = {} and still_to_send > done and not was_cleared then\n        \
                 clear <= '1';\n        was_cleared := true;\n      end if;\n",
                count / 2
            ),
        ),
    };
    if core.clears {
        connections.push_str("      clear => clear,\n");
    }
    let random = match flow {
        Flow::Full => "",
        Flow::Stalls => {
            "    variable seed_1, seed_2 : positive := 1;\n    \
             impure function next_random return real is\n      variable x : real;\n    \
             begin\n      \
             uniform(seed_1, seed_2, x);\n      return x;\n    end function;\n"
        }
    };
    let use_random = match flow {
        Flow::Full => "",
        Flow::Stalls => "use ieee.math_real.all;\n",
    };
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
