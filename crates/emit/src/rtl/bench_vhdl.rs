//! The test bench of [`bench`](super::bench()) in VHDL-2008.

use super::Core;
use super::bench::{Field, Flow, Layout, Vector};
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
    let text = format!(
        r#"library ieee;
use ieee.std_logic_1164.all;
use ieee.numeric_std.all;
{use_random}use std.env.all;
use std.textio.all;

entity {module}_tb is
end entity {module}_tb;

architecture bench of {module}_tb is
  subtype vector_t is std_logic_vector({bits_top} downto 0);
  type vectors_t is array (0 to {last}) of vector_t;

  impure function read_vectors return vectors_t is
    file memory : text open read_mode is "{file}";
    variable row : line;
    variable vectors : vectors_t;
  begin
    for i in vectors'range loop
      readline(memory, row);
      hread(row, vectors(i));
    end loop;
    return vectors;
  end function;

  constant vectors : vectors_t := read_vectors;
  signal clk : std_logic := '0';
  signal rst : std_logic := '1';
  signal sent, received : natural := 0;
  signal offered : vector_t;
  signal in_valid, out_ready : std_logic := '0';
  signal in_ready, out_valid : std_logic;
  signal in_tag, out_tag : std_logic_vector({tag_top} downto 0);
{signals}{declared}begin
  clk <= not clk after 5 ns;
  rst <= '0' after 31 ns;
  offered <= vectors(sent) when sent < {count} else (others => '0');
  in_tag <= std_logic_vector(to_unsigned(sent mod {tags}, {tag_bits}));
{inputs}
  dut : entity work.{module}
    port map (
      clk => clk,
      rst => rst,
      in_valid => in_valid,
      in_ready => in_ready,
      in_tag => in_tag,
{connections}      out_valid => out_valid,
      out_ready => out_ready,
      out_tag => out_tag
    );

  -- Inputs change after the edge, by a delta; what was agreed at the edge is as it was before.
  process (clk)
    variable clocks : natural := 0;
    variable still_to_send, done : natural;
{fed}{variables}{random}  begin
    if rising_edge(clk) and rst = '0' then
      clocks := clocks + 1;
      done := received;
      if out_valid = '1' and out_ready = '1' then
        assert unsigned(out_tag) = received mod {tags}{right}
          report "block " & integer'image(received) & ": tag "
            & integer'image(to_integer(unsigned(out_tag))) & ", " & to_hstring(out_chain) & ", not "
            & to_hstring(vectors(received){chain})
          severity failure;
        done := received + 1;
      end if;
      received <= done;
      if done = {count} then
        write(output, "ok " & integer'image(done) & " blocks in " & integer'image(clocks)
          & " clocks" & LF);
        finish;
      end if;
      assert clocks <= {limit}
        report "stuck: " & integer'image(sent) & " blocks sent, " & integer'image(received)
          & " received"
        severity failure;
      still_to_send := sent;
      if in_valid = '1' and in_ready = '1' then
        still_to_send := sent + 1;
      end if;
{cleared}      sent <= still_to_send;
      -- What is offered stays offered until it is taken.
      if in_valid = '0' or in_ready = '1' then
        in_valid <= '0';
        if still_to_send < {count} and {offers} then
          in_valid <= '1';
        end if;
      end if;
{feed}      out_ready <= '0';
      if {takes} then
        out_ready <= '1';
      end if;
    end if;
  end process;
end architecture bench;
"#
    );
    (text, layout.memory(core, vectors))
}
