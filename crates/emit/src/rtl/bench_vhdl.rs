//! The test bench of [`bench`](super::bench()) in VHDL-2008.

use super::Core;
use super::bench::{Flow, Layout, Vector};
use std::fmt::Write;

/// The bench's text, and its memory file, which it reads as `file`.
///
/// It reports `ok N blocks in C clocks`, or what was wrong, and fails with an error.
pub fn bench_vhdl(core: &Core, vectors: &[Vector], flow: Flow, file: &str) -> (String, String) {
    let layout = Layout::of(core);
    let Layout { module, ports, words, tag_bits, chain_bits, bits } = &layout;
    let (count, limit) = (vectors.len(), layout.limit(core, vectors.len()));
    let (mut inputs, mut connections) = (String::new(), String::new());
    let (mut signals, mut feed, mut variables) = (String::new(), String::new(), "");
    let (offers, takes) = match flow {
        Flow::Full => ("true", "true"),
        Flow::Stalls => ("next_random >= 0.33", "next_random >= 0.25"),
    };
    let mut low = *bits;
    for (name, width) in ports {
        low -= width;
        let top = low + width - 1;
        let _ = writeln!(connections, "      {name} => {name},");
        if *name != Core::WORD {
            let _ = writeln!(inputs, "  {name} <= offered({top} downto {low});");
            let _ =
                writeln!(signals, "  signal {name} : std_logic_vector({} downto 0);", width - 1);
            continue;
        }
        // A block's words one by one.
        let (word, all) = (width / *words as u32, words * count);
        connections.push_str("      word_valid => word_valid,\n      word_ready => word_ready,\n");
        let _ = write!(
            signals,
            "  signal word : std_logic_vector({} downto 0);\n  signal words : natural := 0;\n  \
             signal word_valid : std_logic := '0';\n  signal word_ready : std_logic;\n",
            word - 1
        );
        let _ = writeln!(
            inputs,
            "  word <= vectors(words / {words})({top} - {word} * (words mod {words}) downto\n    \
             {top} - {word} * (words mod {words}) - {}) when words < {all} else (others => '0');",
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
        variables = "    variable next_word : natural;\n";
    }
    let random = match flow {
        Flow::Full => "",
        Flow::Stalls => {
            "    variable seed_1, seed_2 : positive := 1;\n    \
             impure function next_random return real is\n      variable x : real;\n    begin\n      \
             uniform(seed_1, seed_2, x);\n      return x;\n    end function;\n"
        }
    };
    let use_random = match flow {
        Flow::Full => "",
        Flow::Stalls => "use ieee.math_real.all;\n",
    };
    let (last, tags) = (count.saturating_sub(1), 1_u64 << tag_bits);
    let (tag_top, chain_top, bits_top) = (tag_bits - 1, chain_bits - 1, bits - 1);
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
{signals}  signal out_chain : std_logic_vector({chain_top} downto 0);
begin
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
      out_tag => out_tag,
      out_chain => out_chain
    );

  -- Inputs change after the edge, by a delta; what was agreed at the edge is as it was before.
  process (clk)
    variable clocks : natural := 0;
    variable still_to_send, done : natural;
{variables}{random}  begin
    if rising_edge(clk) and rst = '0' then
      clocks := clocks + 1;
      done := received;
      if out_valid = '1' and out_ready = '1' then
        assert unsigned(out_tag) = received mod {tags}
          and out_chain = vectors(received)({chain_top} downto 0)
          report "block " & integer'image(received) & ": tag "
            & integer'image(to_integer(unsigned(out_tag))) & ", " & to_hstring(out_chain) & ", not "
            & to_hstring(vectors(received)({chain_top} downto 0))
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
      sent <= still_to_send;
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
    (text, layout.memory(vectors))
}
