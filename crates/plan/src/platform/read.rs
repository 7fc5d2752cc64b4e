//! Reads a platform's file. Errors name the line and say what to change.

use super::keyed::{keys, streams};
use super::overlap::Overlaps;
use super::primitive::{AllSteps, Steps, check_name};
use super::programs::{programs, shares};
use super::split::splits;
use super::table::{Key, Result, Table, Value};
use super::{
    Basis, Core, FigureLines, HandshakeCosts, MOST_PROCESSORS, Memory, OperationCosts, Pattern,
    Platform, Sides, StepTime,
};
use crate::source::{Lines, Remedy, Source};
use manylane_graph::Op;
use manylane_graph::framing::ByteOrder;
use manylane_nearest::suggestion;
use std::collections::{BTreeMap, HashSet};
use std::ops::Range;
use toml::de::{DeTable, DeValue};

/// The names of the cores that a platform may have, in order.
const CORES: [&str; 2] = ["main", "coprocessor"];

/// Reads a platform's description.
pub(super) fn platform(source: Source<'_>) -> Result<Platform> {
    let document = DeTable::parse(source.text).map_err(|error| {
        let at = error.span().unwrap_or(0..0);
        source.error(at, error.message().replace('\n', " "), Remedy::Form)
    })?;
    let lines = Lines::of(source.text);
    let top =
        Table { source, lines: &lines, at: 0..0, table: document.get_ref(), what: "platform" };
    top.only(&[
        "name",
        "title",
        "source",
        "measured",
        "estimate",
        "endianness",
        "swaps_every_word",
        "contention",
        "banks",
        "processors",
        "main",
        "coprocessor",
        "handshake",
        "steps",
        "totals",
        "programs",
        "shares",
        "keys",
        "streams",
        "split",
    ])?;
    let main = core(&top.table("main")?, None)?;
    let coprocessor =
        top.optional_table("coprocessor")?.map(|table| core(&table, Some(&main))).transpose()?;
    if coprocessor.as_ref().is_some_and(|core| core.name == main.name) {
        let problem = format!("both cores are called `{}`", main.name);
        let remedy = "give `name` in `main` and in `coprocessor` different names";
        return Err(top.table("coprocessor")?.wrong_here(problem, remedy));
    }
    let handshake = handshake(&top, coprocessor.is_some())?;
    let contention = match top.get("contention") {
        Some((_, value)) => top.at_least(value, 1.0, "work does not speed up when shared")?,
        None => 1.0,
    };
    let banks = match top.get("banks") {
        Some((_, value)) => Some(banks(&top, value)?),
        None => None,
    };
    let equal = |core: &Core| core.speed == 1.0 && core.costs.by_width == main.costs.by_width;
    let cores = 1 + usize::from(coprocessor.as_ref().is_some_and(equal));
    let processors = processors(&top, cores)?;
    let own_costs =
        top.optional_table("coprocessor")?.is_some_and(|table| table.get("cost").is_some());
    Ok(Platform {
        name: top.name()?,
        title: top.words("title")?,
        source: top.line_of_text("source")?,
        basis: basis(&top)?,
        order: order(&top)?,
        cores: std::iter::once(main).chain(coprocessor).collect(),
        processors,
        handshake,
        contention,
        lines: figure_lines(&top)?,
        banks,
        steps: steps(&top, own_costs)?,
        totals: totals(&top)?,
        swaps_every_word: top.boolean("swaps_every_word")?.unwrap_or(false),
        programs: programs(&top)?,
        shares: shares(&top)?,
        keys: keys(&top)?,
        streams: streams(&top)?,
        splits: splits(&top)?,
        file: source.file.to_owned(),
    })
}

/// The line of a key, or where its table begins.
fn line_of(table: &Table<'_>, key: &str) -> usize {
    table.line(table.get(key).map_or_else(|| table.at.clone(), |(key, _)| key.span()))
}

fn figure_lines(top: &Table<'_>) -> Result<FigureLines> {
    let handshake = top.optional_table("handshake")?;
    let handshake = handshake.as_ref().unwrap_or(top);
    Ok(FigureLines {
        contention: line_of(top, "contention"),
        latency: line_of(handshake, "latency"),
        turn: handshake.line(handshake.at.clone()),
        stream: line_of(handshake, "stream"),
    })
}

/// The number of banks of memory.
fn banks(top: &Table<'_>, value: &Value<'_>) -> Result<usize> {
    let number = top.any_number(value)?;
    match number.fract() == 0.0 && (1.0..=1024.0).contains(&number) {
        true => Ok(number as usize),
        false => Err(top.wrong(value, "no number of banks", "give a whole number from 1 to 1024")),
    }
}

/// Reads where the costs come from. A file that does not say whether they were measured has
/// estimates.
fn basis(top: &Table<'_>) -> Result<Basis> {
    let estimate = top.boolean("estimate")?;
    let Some((key, value)) = top.get("measured") else {
        return Ok(match estimate {
            Some(false) => Basis::Defined,
            Some(true) | None => Basis::Estimate,
        });
    };
    if estimate == Some(true) {
        let problem = "costs that were measured and are an estimate";
        return Err(top.wrong(key, problem, "remove `measured` or `estimate`"));
    }
    let by = top.line_of_text("measured")?;
    if by.trim().is_empty() {
        let remedy = "write measured = \"by … on …\", or estimate = true";
        return Err(top.wrong(value, "`measured` does not say by what, and when", remedy));
    }
    Ok(Basis::Measured(by))
}

/// The order of bytes in memory: little-endian if nothing is said.
fn order(top: &Table<'_>) -> Result<ByteOrder> {
    let Some((_, value)) = top.get("endianness") else { return Ok(ByteOrder::Little) };
    match &top.string("endianness")?[..] {
        "little" => Ok(ByteOrder::Little),
        "big" => Ok(ByteOrder::Big),
        other => {
            let remedy = suggestion(other, &["little", "big"]);
            Err(top.wrong(value, format!("no byte order `{other}`"), remedy))
        }
    }
}

/// The number of processors like the main core: as many as are described, or more.
fn processors(top: &Table<'_>, described: usize) -> Result<usize> {
    let Some((_, value)) = top.get("processors") else { return Ok(described) };
    let number = top.any_number(value)?;
    let most = MOST_PROCESSORS as f64;
    if number.fract() == 0.0 && (described as f64..=most).contains(&number) {
        return Ok(number as usize);
    }
    let problem = match (number < described as f64, described) {
        (true, 1) => format!("{number} processors, where one is described"),
        (true, _) => format!("{number} processors, where {described} are described"),
        (false, _) => format!("no such number of processors: {number}"),
    };
    let mut remedy = format!("give a whole number from {described} to {most}");
    if described > 1 && number < described as f64 {
        remedy.push_str(
            "; a coprocessor with neither `speed` nor costs of its own is a core like the main one",
        );
    }
    Err(top.wrong(value, problem, remedy))
}

/// A core; the coprocessor may take `main`'s costs times a speed.
fn core(table: &Table<'_>, main: Option<&Core>) -> Result<Core> {
    table.only(&["name", "word", "speed", "cost", "memory"])?;
    let name = table.name()?;
    let speed = match table.get("speed") {
        Some((_, value)) => table.positive(value)?,
        None => 1.0,
    };
    let costs = match (table.optional_table("cost")?, main) {
        (Some(cost), _) => operation_costs(&cost, word(table)?)?,
        (None, Some(main)) => main.costs.clone(),
        (None, None) => {
            return Err(table.missing("cost", "add a table `cost` of cycles by operation"));
        }
    };
    let memory = match (table.optional_table("memory")?, main) {
        (Some(table), _) => memory(&table)?,
        (None, Some(main)) => main.memory,
        (None, None) => Memory::default(),
    };
    let speed_line = line_of(table, "speed");
    Ok(Core { name, costs, speed, speed_line, memory })
}

/// Reads the costs of words in memory. A cost that is not given is 0.
fn memory(table: &Table<'_>) -> Result<Memory> {
    table.only(&["load", "store", "turn", "copy", "constant", "registers"])?;
    let price = |name: &str| match table.get(name) {
        Some((_, value)) => table.at_least(value, 0.0, "memory takes time"),
        None => Ok(0.0),
    };
    let registers = table.get("registers").map(|(_, value)| {
        let number = table.any_number(value)?;
        match number.fract() == 0.0 && (4.0..=256.0).contains(&number) {
            true => Ok(number as usize),
            false => Err(table.wrong(
                value,
                format!("{number} registers"),
                "give those that a compiler has for values, a whole number from 4 to 256",
            )),
        }
    });
    Ok(Memory {
        load: price("load")?,
        store: price("store")?,
        turn: price("turn")?,
        copy: price("copy")?,
        constant: price("constant")?,
        registers: registers.transpose()?,
    })
}

/// Reads the width of a core's registers in bits.
fn word(table: &Table<'_>) -> Result<u8> {
    let Some((_, value)) = table.get("word") else {
        return Err(table.missing("word", "add `word = 16`, the bits of its registers"));
    };
    width(&table.number(value)?.to_string())
        .ok_or_else(|| table.wrong(value, "no such word", "it has 8, 16, 32 or 64 bits"))
}

fn width(text: &str) -> Option<u8> {
    [8, 16, 32, 64].into_iter().find(|width: &u8| width.to_string() == text)
}

/// Reads costs: `add = 3` holds for the core's word, `"add.32" = 9` for 32 bits.
fn operation_costs(table: &Table<'_>, word: u8) -> Result<OperationCosts> {
    let line = table.line(table.at.clone());
    let names = Op::ON_WORDS.map(Op::name);
    let mut by_width = BTreeMap::new();
    for (key, value) in table.table {
        let text: &str = key.get_ref();
        let (name, bits) = match text.split_once('.') {
            None => (text, Some(word)),
            Some((name, bits)) => (name, width(bits)),
        };
        let Some(name) = names.into_iter().find(|&known| known == name) else {
            return Err(table.unknown(key, "operation", name, &names));
        };
        let Some(bits) = bits else {
            let problem = format!("`{text}` has no width");
            return Err(table.wrong(key, problem, format!("write \"{name}.32\"; 8 to 64 bits")));
        };
        if matches!(value.get_ref(), DeValue::Table(_)) {
            // To TOML, `add.32` without quotes is the name `32` in the table `add`.
            let remedy = format!("write \"{name}.32\" = …, in quotes, for words of 32 bits");
            return Err(table.wrong(value, format!("`{text}` is a table"), remedy));
        }
        let cost = table.at_least(value, 0.0, "no operation takes it back")?;
        if by_width.insert((name, bits), cost).is_some() {
            let problem = format!("two costs of `{name}` at {bits} bits");
            let remedy = format!("`{name}` alone is its cost at the core's word: keep one");
            return Err(table.wrong(key, problem, remedy));
        }
    }
    Ok(OperationCosts { line, by_width })
}

/// Reads the costs of each side of a handshake, which must be there if there are two cores.
fn handshake(top: &Table<'_>, two_cores: bool) -> Result<HandshakeCosts> {
    let Some(table) = top.optional_table("handshake")? else {
        if two_cores {
            let remedy = "add `[handshake]` with `latency`, `main` and `coprocessor`";
            return Err(top.missing("handshake", remedy));
        }
        return Ok(HandshakeCosts::default());
    };
    if !two_cores {
        let problem = "a handshake on a platform of one core";
        return Err(table.wrong_here(problem, "remove it, or add `[coprocessor]`"));
    }
    let mut handshake = HandshakeCosts {
        turn: sides(&table, &["latency", "start", "finish", "stream", "flag"])?,
        ..Default::default()
    };
    if let Some((_, value)) = table.get("latency") {
        handshake.latency = table.at_least(value, 0.0, "nothing arrives before it is sent")?;
    }
    if let Some((_, value)) = table.get("start") {
        handshake.start = table.at_least(value, 0.0, "a job takes time to give")?;
    }
    if let Some((_, value)) = table.get("finish") {
        handshake.finish = table.at_least(value, 0.0, "nothing is known before it is said")?;
    }
    handshake.stream = match table.optional_table("stream")? {
        Some(stream) => sides(&stream, &[])?,
        None => handshake.turn,
    };
    handshake.flag = match table.optional_table("flag")? {
        Some(flag) => sides(&flag, &[])?,
        None => handshake.stream,
    };
    if (0..2).any(|to| handshake.delay(to) <= 0.0) {
        let problem = "a handshake that costs nothing";
        let remedy = "give `latency` or the cycles of either side: free handshakes make every \
                      split look good";
        return Err(table.wrong_here(problem, remedy));
    }
    Ok(handshake)
}

/// Reads `main = { send = 50, receive = 50 }`, and `coprocessor` in the same form. The table may
/// also have the keys `others`.
fn sides(table: &Table<'_>, others: &[&str]) -> Result<Sides> {
    for (key, _) in table.table {
        let name: &str = key.get_ref();
        if !others.contains(&name) && !CORES.contains(&name) {
            let problem = format!("a handshake of `{name}`, which is no core of this platform");
            return Err(table.wrong(key, problem, "a platform has `main` and `coprocessor`"));
        }
    }
    let mut sides = Sides::default();
    for (core, name) in CORES.into_iter().enumerate() {
        let side = table.table(name)?;
        side.only(&["send", "receive"])?;
        for (field, to) in [("send", &mut sides.send[core]), ("receive", &mut sides.receive[core])]
        {
            let Some((_, value)) = side.get(field) else {
                return Err(side.missing(field, &format!("add `{field} = …` in cycles")));
            };
            *to = side.at_least(value, 0.0, "it takes time")?;
        }
    }
    Ok(sides)
}

/// One section of measured steps as it stands in the file.
struct Section<'t> {
    /// The place and the name of the section whose times it takes over.
    like: Option<(Range<usize>, String)>,
    times: Vec<(Range<usize>, StepTime)>,
    table: Table<'t>,
}

fn steps(top: &Table<'_>, own_costs: bool) -> Result<Vec<StepTime>> {
    let Some(table) = top.optional_table("steps")? else { return Ok(Vec::new()) };
    let mut sections = BTreeMap::new();
    for (key, value) in table.table {
        let name = key.get_ref().to_string();
        let section = section(&name, table.inner(value, "steps")?, own_costs)?;
        sections.insert(name, section);
    }
    let mut all = Vec::new();
    for name in sections.keys() {
        let mut seen = vec![name.clone()];
        let mut at = &sections[name];
        let mut own: Vec<StepTime> = at.times.iter().map(|(_, time)| time.clone()).collect();
        let mut nearer: HashSet<&Pattern> = HashSet::new();
        while let Some((place, like)) = &at.like {
            if seen.contains(like) {
                seen.push(like.clone());
                let problem = format!("a cycle of overrides: {}", seen.join(" is like "));
                let remedy = "let one of them give its times itself";
                return Err(table.source.error(place.clone(), problem, remedy));
            }
            let Some(next) = sections.get(like) else {
                let names: Vec<&str> = sections.keys().map(String::as_str).collect();
                let problem = format!("no section `{like}`");
                return Err(table.source.error(place.clone(), problem, suggestion(like, &names)));
            };
            seen.push(like.clone());
            nearer.extend(at.times.iter().flat_map(|(_, time)| &time.patterns));
            for (_, time) in &next.times {
                let is_given = |of: &Pattern| nearer.contains(of);
                let (given, patterns): (Vec<Pattern>, Vec<_>) =
                    time.patterns.iter().cloned().partition(is_given);
                if let (false, Some(given), Some(other)) =
                    (time.each, given.first(), patterns.first())
                {
                    let line = time.line;
                    let problem =
                        format!("line {line} gives one total of `{given}` here and of `{other}`");
                    let remedy = "give the times of all its steps here, or of none";
                    return Err(table.source.error(place.clone(), problem, remedy));
                }
                if !patterns.is_empty() {
                    own.push(StepTime { section: name.clone(), patterns, ..time.clone() });
                }
            }
            at = next;
        }
        all.extend(own);
    }
    for (key, _) in table.table {
        let name: &str = key.get_ref();
        let section = &sections[name];
        if name == "*" {
            let mut all = AllSteps::default();
            check_patterns(section, "in any primitive", |pattern| all.lack(pattern))?;
            continue;
        }
        check_name(&table, key, false)?;
        check_steps(&table, key, section)?;
    }
    Ok(all)
}

/// Refuses a section of an unknown function, and patterns that describe no step of its primitive.
fn check_steps(of: &Table<'_>, key: &Key<'_>, section: &Section<'_>) -> Result<()> {
    let name: &str = key.get_ref();
    let Some(mut steps) = Steps::of(name) else { return Ok(()) };
    if steps.lack_function(name) {
        let remedy = format!("write `{}`", name.split('.').next().unwrap_or(name));
        return Err(of.wrong(key, format!("no function `{name}`"), remedy));
    }
    check_patterns(section, &format!("in `{name}`"), |pattern| steps.lack(pattern))
}

/// Refuses the patterns for which `lack` has a remedy: nothing in `place` has such a step.
fn check_patterns(
    section: &Section<'_>,
    place: &str,
    mut lack: impl FnMut(&Pattern) -> Option<String>,
) -> Result<()> {
    for (at, time) in &section.times {
        for pattern in &time.patterns {
            if let Some(remedy) = lack(pattern) {
                let problem = format!("no step `{pattern}` {place}");
                return Err(section.table.source.error(at.clone(), problem, remedy));
            }
        }
    }
    Ok(())
}

fn section<'t>(name: &str, table: Table<'t>, own_costs: bool) -> Result<Section<'t>> {
    let mut section = Section { like: None, times: Vec::new(), table };
    let table = &section.table;
    let mut earlier = HashSet::new();
    for (key, value) in table.table {
        let text: &str = key.get_ref();
        if text == "like" {
            let Some(like) = value.get_ref().as_str() else {
                return Err(table.wrong(
                    value,
                    "`like` is no name",
                    "write the name of another section in quotes",
                ));
            };
            section.like = Some((value.span(), like.to_owned()));
            continue;
        }
        let patterns = text.split('|').map(|pattern| {
            Pattern::parse(pattern.trim()).map_err(|problem| {
                table.wrong(key, problem, "write the end of its path, such as \"round/g\"")
            })
        });
        let patterns = patterns.collect::<Result<Vec<_>>>()?;
        let (each, cycles) = step_cycles(table, key, value, own_costs)?;
        let line = table.line(key.span());
        let mut of_key: Overlaps = patterns.iter().collect();
        for pattern in &patterns {
            if earlier.contains(pattern) || of_key.has_wider(pattern) {
                let problem = format!("`{pattern}` is named twice in this section");
                return Err(table.wrong(key, problem, "keep one time of each step"));
            }
        }
        earlier.extend(patterns.iter().cloned());
        let time = StepTime { section: name.to_owned(), patterns, each, cycles, line };
        section.times.push((key.span(), time));
    }
    let mut all: Overlaps = section.times.iter().flat_map(|(_, time)| &time.patterns).collect();
    for (place, inner) in &section.times {
        if !inner.patterns.iter().any(|inner| all.contain(inner)) {
            continue;
        }
        for (_, outer) in &section.times {
            let within = outer
                .patterns
                .iter()
                .find(|outer| inner.patterns.iter().any(|inner| outer.contains(inner)));
            if let Some(pattern) = within {
                let problem = format!(
                    "a cycle of overrides: this step lies in `{pattern}`, overridden in line {}",
                    outer.line
                );
                let remedy = "give the time of the whole or of its substeps, not both";
                return Err(table.source.error(place.clone(), problem, remedy));
            }
        }
    }
    Ok(section)
}

/// Reads a time: `1020`, `{ each = 1020, coprocessor = 260 }` or `{ total = 73109, coprocessor =
/// 25530 }`.
fn step_cycles(
    table: &Table<'_>,
    key: &Key<'_>,
    value: &Value<'_>,
    own_costs: bool,
) -> Result<(bool, [Option<f64>; 2])> {
    let DeValue::Table(_) = value.get_ref() else {
        let cycles = table.at_least(value, 0.0, "no step takes it back")?;
        if own_costs {
            let remedy = "write { each = …, coprocessor = … }: the coprocessor has own costs";
            return Err(table.wrong(key, "a time of the main core alone", remedy));
        }
        return Ok((true, [Some(cycles), None]));
    };
    let inner = table.inner(value, "measured time")?;
    inner.only(&["each", "total", "coprocessor"])?;
    let cycles = |field| -> Result<Option<f64>> {
        let value = inner.get(field);
        value.map(|(_, v)| inner.at_least(v, 0.0, "no step takes it back")).transpose()
    };
    let coprocessor = cycles("coprocessor")?;
    if own_costs && coprocessor.is_none() {
        return Err(inner.missing("coprocessor", "add its time: the coprocessor has own costs"));
    }
    match (cycles("each")?, cycles("total")?) {
        (Some(each), None) => Ok((true, [Some(each), coprocessor])),
        (None, Some(total)) => Ok((false, [Some(total), coprocessor])),
        (Some(_), Some(_)) => {
            let problem = "both `each` and `total` in `measured time`";
            Err(inner.wrong_here(problem, "give one of the two, in cycles of the main core"))
        }
        (None, None) => {
            Err(inner.missing("each` or `total", "give one of the two, in cycles of the main core"))
        }
    }
}

fn totals(top: &Table<'_>) -> Result<BTreeMap<String, BTreeMap<usize, f64>>> {
    let Some(table) = top.optional_table("totals")? else { return Ok(BTreeMap::new()) };
    let mut totals = BTreeMap::new();
    for (key, value) in table.table {
        let inner = table.inner(value, "totals")?;
        let mut lengths = BTreeMap::new();
        for (length, value) in inner.table {
            lengths.insert(inner.bytes(length)?, inner.positive(value)?);
        }
        check_name(&table, key, true)?;
        totals.insert(key.get_ref().to_string(), lengths);
    }
    Ok(totals)
}
