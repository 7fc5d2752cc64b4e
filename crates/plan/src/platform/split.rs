//! Times that were measured on both cores together: `[split]` of a platform's file.

use super::primitive::{check_name, is_cipher};
use super::table::{Result, Table};
use toml::de::DeValue;

/// A primitive that somebody divided over both cores and measured.
#[derive(Clone, Debug, PartialEq)]
pub struct SplitTime {
    /// The primitive, such as `md5`, or the function of one, such as `rc5-32-12-16.encryption`.
    pub primitive: String,
    /// The cycles of the main core until both cores are done, each with the bytes of the message
    /// (`None` for a function without a message).
    pub cycles: Vec<(Option<usize>, f64)>,
    /// Why the costs of this file do not predict the measured time, if the reason is known.
    pub exception: Option<String>,
}

/// Reads `[split]`: `name = 26016`, or `name = { 0 = 25672, 64 = 49378, exception = "…" }`.
pub(super) fn splits(top: &Table<'_>) -> Result<Vec<SplitTime>> {
    let Some(table) = top.optional_table("split")? else { return Ok(Vec::new()) };
    if top.get("coprocessor").is_none() {
        return Err(table.wrong_here("a split on a platform of one core", "add `[coprocessor]`"));
    }
    let mut splits = Vec::new();
    for (key, value) in table.table {
        check_name(&table, key, true)?;
        let primitive = key.get_ref().to_string();
        let mut split = SplitTime { primitive, cycles: Vec::new(), exception: None };
        if !matches!(value.get_ref(), DeValue::Table(_)) {
            if !is_cipher(&split.primitive) {
                let name = &split.primitive;
                let problem = format!("a time of `{name}` without the bytes of its message");
                return Err(table.wrong(value, problem, "write { 64 = 2400 }"));
            }
            split.cycles.push((None, table.positive(value)?));
            splits.push(split);
            continue;
        }
        let inner = table.inner(value, "split")?;
        for (length, value) in inner.table {
            let name: &str = length.get_ref();
            if name == "exception" {
                let why = inner.string(name)?;
                if why.trim().is_empty() {
                    let problem = "`exception` gives no reason";
                    return Err(inner.wrong(value, problem, "write one, or remove it"));
                }
                split.exception = Some(why);
            } else {
                split.cycles.push((Some(inner.bytes(length)?), inner.positive(value)?));
            }
        }
        // Keys of a table come in the order of their letters.
        split.cycles.sort_by_key(|&(bytes, _)| bytes);
        splits.push(split);
    }
    Ok(splits)
}
