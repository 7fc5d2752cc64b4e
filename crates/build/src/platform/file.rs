//! A platform's file whose tables are measured anew: all else in it, comments too, stays as it is.

use super::days::{days, today};
use crate::error::Error;
use crate::run::Latencies;
use manylane_plan::platform::{Identity, KeyTime, ProgramTime, ShareTime, StreamTime, WordSize};
use manylane_simulate::{Costs, Operation};
use std::fmt;
use toml_edit::{DocumentMut, InlineTable, Item, Table, Value, value};

/// The file.
pub struct Tables(DocumentMut);

impl Tables {
    /// Reads a file that is a platform's.
    ///
    /// # Errors
    /// If it is no TOML.
    pub fn parse(text: &str) -> Result<Self, Error> {
        Ok(Self(text.parse()?))
    }

    /// Sets the costs of operations, memory and handshakes.
    pub fn set_costs(&mut self, costs: &Costs) {
        let main = table(self.0.as_table_mut(), "main");
        let word = word(main);
        let cost = table(main, "cost");
        for Operation { name, bits, cycles } in &costs.operations {
            let key = cost_key(name, *bits, word);
            // Wider words are computed from these, in programs whose registers hold more than when
            // an operation is measured alone. A rotation by a word does not follow from that of
            // another width: its amount is masked, and halves change places under a mask.
            let is_of_its_own = matches!(&name[..], "rotl_var" | "rotr_var");
            if *bits == word || is_of_its_own || cost.contains_key(&key) {
                put(cost, &key, number(*cycles));
            }
        }
        let memory = table(main, "memory");
        for (key, cycles) in [
            ("load", costs.load_used),
            ("store", costs.store),
            ("turn", costs.turn),
            ("copy", costs.copy),
        ] {
            put(memory, key, number(cycles));
        }
        let handshake = table(self.0.as_table_mut(), "handshake");
        for core in ["main", "coprocessor"] {
            let sides = [("send", number(costs.send)), ("receive", number(costs.receive))];
            put(handshake, core, inline(sides));
        }
        let flag = table(handshake, "flag");
        for core in ["main", "coprocessor"] {
            let sides =
                [("send", number(costs.flag_send)), ("receive", number(costs.flag_receive))];
            put(flag, core, inline(sides));
        }
    }

    /// Sets today's date and the tools `by` which all figures or a part were measured. The file's
    /// figures are then no estimate.
    pub fn set_measured(&mut self, by: &str, is_part: bool) {
        let old = self.0.get("measured").and_then(Item::as_str);
        let days = days(old, &today(), is_part);
        let is_new = old.is_none();
        self.0.remove("estimate");
        put(self.0.as_table_mut(), "measured", format!("{days}, {by}").into());
        if is_new {
            // The value stays beside the source, in front of the first table.
            self.0.sort_values_by(|_, a, _, b| a.is_table().cmp(&b.is_table()));
        }
    }

    /// Sets the cost of an operation on words of `bits` bits on a core.
    pub fn set_cost(&mut self, core: &str, name: &str, bits: u8, cycles: f64) {
        let core = table(self.0.as_table_mut(), core);
        let key = cost_key(name, bits, word(core));
        put(table(core, "cost"), &key, number(cycles));
    }

    /// Whether a core has costs of its own.
    pub fn has_costs(&self, core: &str) -> bool {
        self.0.get(core).and_then(|core| core.get("cost")).is_some()
    }

    /// Sets the latencies of jobs and hand-overs.
    pub fn set_latencies(&mut self, of: &Latencies) {
        let handshake = table(self.0.as_table_mut(), "handshake");
        put(handshake, "latency", number(of.latency.max(0.0)));
        put(handshake, "start", number(of.start.max(0.0)));
        put(handshake, "finish", number(of.finish.max(0.0)));
    }

    /// Sets the times of a program on one core.
    pub fn set_program(&mut self, name: &str, of: &ProgramTime) {
        let figures = [
            ("block", of.block),
            ("message", of.message),
            ("held", of.held),
            ("byte", of.byte),
            ("padding", of.padding),
        ];
        let whole = (of.whole > 0.0).then_some(("whole", of.whole));
        let figures = figures.into_iter().chain(whole);
        let programs = table(self.0.as_table_mut(), "programs");
        put(programs, name, row(of.program, figures, words(of.word_size)));
    }

    /// Sets the times of a program's shares; `None` if it has no share for a second core.
    pub fn set_share(&mut self, name: &str, of: Option<&ShareTime>) {
        let shares = table(self.0.as_table_mut(), "shares");
        let Some(of) = of else {
            shares.remove(name);
            return;
        };
        let figures = [
            ("main", of.main),
            ("second", of.second),
            ("message", of.message),
            ("give", of.give),
            ("take", of.take),
        ];
        let parts = of.parts.iter().flat_map(|parts| {
            let begin = parts.begin.map(|begin| ("begin", number(begin)));
            let rest = [
                ("enter", number(parts.enter)),
                ("main_parts", list(&parts.cycles[0])),
                ("second_parts", list(&parts.cycles[1])),
                ("accesses", list(&parts.accesses)),
            ];
            std::iter::once(("open", number(parts.open))).chain(begin).chain(rest)
        });
        put(shares, name, row(Some(of.program), figures, words(of.word_size).chain(parts)));
    }

    /// Sets the times of the key of a keyed hash.
    pub fn set_key(&mut self, name: &str, of: &KeyTime) {
        let figures = [
            ("alone", of.alone),
            ("message", of.message),
            ("main", of.main),
            ("second", of.second),
        ];
        let keys = table(self.0.as_table_mut(), "keys");
        put(keys, name, row(Some(of.program), figures, None));
    }

    /// Sets the times of a cipher's stream on two cores.
    pub fn set_stream(&mut self, name: &str, of: &StreamTime) {
        let figures = [
            ("key", of.key),
            ("whole", of.whole),
            ("held", of.held),
            ("byte", of.byte),
            ("message", of.message),
            ("beside", of.beside),
            ("only", of.only),
            ("open", of.open),
            ("job", of.job),
            ("block", of.block),
        ];
        let pairs = [("main", list(&of.main)), ("second", list(&of.second))];
        let streams = table(self.0.as_table_mut(), "streams");
        put(streams, name, row(Some(of.program), figures, pairs));
    }
}

impl fmt::Display for Tables {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// The table of a name, which is made if it is not there. A table in a single line, `{ … }`, gets
/// lines of its own, because measured figures make it too long for one.
fn table<'t>(of: &'t mut Table, name: &str) -> &'t mut Table {
    let item = of.entry(name).or_insert_with(toml_edit::table);
    if let Some(in_line) = item.as_inline_table() {
        let mut lines = in_line.clone().into_table();
        lines.fmt();
        of.insert(name, Item::Table(lines));
        if let Some(mut key) = of.key_mut(name) {
            key.fmt();
        }
    }
    let item = of.get_mut(name).and_then(Item::as_table_mut);
    item.expect("the platform was read: this is a table")
}

/// The bits of a core's registers.
fn word(core: &Table) -> u8 {
    let bits = core
        .get("word")
        .and_then(|word| word.as_integer().or_else(|| word.as_float().map(|bits| bits as i64)));
    bits.and_then(|bits| bits.try_into().ok()).expect("the platform was read: a core has a word")
}

/// The name of an operation's cost: with the bits where they are not those of the core's word.
fn cost_key(name: &str, bits: u8, word: u8) -> String {
    if bits == word { name.to_owned() } else { format!("{name}.{bits}") }
}

/// Sets a value. What stands around it, such as a comment, stays.
fn put(table: &mut Table, key: &str, mut new: Value) {
    match table.get_mut(key).and_then(Item::as_value_mut) {
        Some(old) => {
            *new.decor_mut() = old.decor().clone();
            *old = new;
        }
        None => {
            table.insert(key, value(new));
        }
    }
}

/// Rounds to two decimals, which is more than the repetitions can tell; whole numbers have none.
fn number(cycles: f64) -> Value {
    let rounded = (cycles * 100.0).round() / 100.0;
    match rounded.fract() == 0.0 {
        true => (rounded as i64).into(),
        false => rounded.into(),
    }
}

/// A list of cycles.
fn list(of: &[f64]) -> Value {
    Value::from_iter(of.iter().map(|&cycles| number(cycles)))
}

/// The word size of a program, if it was measured against another one.
fn words(size: Option<WordSize>) -> impl Iterator<Item = (&'static str, Value)> {
    let pair = |of: WordSize| {
        let saves = (of.saves * 1e4).round() / 1e4;
        [("word", i64::from(of.word).into()), ("word_saves", saves.into())]
    };
    size.into_iter().flat_map(pair)
}

/// A program's entry in one line: its identity, figures in cycles, and lists of such figures.
fn row<'k>(
    program: Option<Identity>,
    figures: impl IntoIterator<Item = (&'k str, f64)>,
    lists: impl IntoIterator<Item = (&'k str, Value)>,
) -> Value {
    let program = program.map(|program| ("program", program.to_string().into()));
    let figures = figures.into_iter().map(|(key, cycles)| (key, number(cycles)));
    inline(program.into_iter().chain(figures).chain(lists))
}

fn inline<'k>(pairs: impl IntoIterator<Item = (&'k str, Value)>) -> Value {
    let table: InlineTable = pairs.into_iter().collect();
    table.into()
}
