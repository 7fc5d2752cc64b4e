//! `manylane list`.

use crate::terminal::output::Output;
use manylane_answers::json_or_text;
use manylane_engine::{Engine, HashId, engines};
use manylane_primitives::catalog::Security;
use manylane_primitives::cipher::Rc5Params;
use serde::Serialize;
use std::fmt::Write;
use std::process::ExitCode;

/// List what can be computed, and the engines of this CPU
#[derive(Debug, clap::Args)]
#[command(after_long_help = AFTER_HELP)]
pub struct Args {
    /// Print JSON, with every detail
    #[arg(long)]
    json: bool,
}

const AFTER_HELP: &str = "\
Examples:
  manylane list
  manylane list --json | jq -r '.primitives[] | select(.security.level == \"standard\") | .name'";

/// The fields of `--json`.
#[derive(Serialize)]
struct Report {
    engines: Vec<EngineLine>,
    primitives: Vec<Primitive>,
}

#[derive(Serialize)]
struct EngineLine {
    name: &'static str,
    description: &'static str,
    available: bool,
}

#[derive(Serialize)]
struct Primitive {
    /// `hash`, `mac` or `cipher`.
    kind: &'static str,
    name: String,
    aliases: Vec<String>,
    title: String,
    standard: String,
    word_bits: usize,
    block_bits: usize,
    /// The default where the length is free; none for a cipher.
    digest_bits: Option<usize>,
    any_length: bool,
    security: SecurityLine,
    engines: Vec<&'static str>,
}

#[derive(Clone, Serialize)]
struct SecurityLine {
    /// `standard`, `finalist`, `aged` or `broken`.
    level: &'static str,
    text: String,
}

/// Prints the algorithms and the engines, as a table or JSON.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let text = json_or_text(&report()?, args.json, Report::table)?;
    let mut output = Output::stdout()?;
    output.write(text.as_bytes())?;
    output.finish()?;
    Ok(ExitCode::SUCCESS)
}

fn report() -> anyhow::Result<Report> {
    let available = Engine::available()?;
    let engine_lines = Engine::ALL.map(|engine| EngineLine {
        name: engine.name(),
        description: engine.description(),
        available: available.contains(&engine),
    });
    let hashes = HashId::ALL.iter().map(|&id| hash(id)).collect::<anyhow::Result<Vec<_>>>()?;
    let macs: Vec<_> = hashes.iter().map(hmac).collect();
    let primitives = hashes.into_iter().chain(macs).chain([rc5()]).collect();
    Ok(Report { engines: engine_lines.into(), primitives })
}

fn hash(id: HashId) -> anyhow::Result<Primitive> {
    let entry = id.entry();
    let level = match entry.security {
        Security::Standard => "standard",
        Security::Finalist => "finalist",
        Security::Aged(_) => "aged",
        Security::Broken(_) => "broken",
    };
    Ok(Primitive {
        kind: "hash",
        name: entry.name.into(),
        aliases: entry.aliases.iter().map(|&alias| alias.into()).collect(),
        title: entry.title.into(),
        standard: entry.standard.into(),
        word_bits: entry.shape.word_bits,
        block_bits: 8 * entry.shape.block_bytes,
        digest_bits: Some(8 * entry.shape.digest_bytes),
        any_length: entry.shape.any_length,
        security: SecurityLine { level, text: entry.security.to_string() },
        engines: engines(id)?.into_iter().map(Engine::name).collect(),
    })
}

/// HMAC with a hash of the catalogue. Its engines are those of the hash and are not listed again.
fn hmac(hash: &Primitive) -> Primitive {
    Primitive {
        kind: "mac",
        name: format!("hmac-{}", hash.name),
        aliases: hash.aliases.iter().map(|alias| format!("hmac-{alias}")).collect(),
        title: format!("HMAC-{}", hash.title),
        standard: "FIPS 198-1".into(),
        security: hash.security.clone(),
        engines: Vec::new(),
        ..*hash
    }
}

fn rc5() -> Primitive {
    Primitive {
        kind: "cipher",
        name: "rc5".into(),
        aliases: vec!["rc5-32/12/16".into()],
        title: "RC5-32/12/16".into(),
        standard: "Rivest 1994; RFC 2040".into(),
        word_bits: 32,
        block_bits: 64,
        digest_bits: None,
        any_length: false,
        security: SecurityLine { level: "aged", text: Rc5Params::AGED.into() },
        engines: Vec::new(),
    }
}

impl Report {
    /// Returns the report as text of at most 100 columns.
    fn table(&self) -> String {
        let mut out = String::new();
        put(&mut out, "NAME", "BLOCK", "DIGEST", "STANDARD", "SECURITY");
        for primitive in self.primitives.iter().filter(|primitive| primitive.kind != "mac") {
            let digest = match primitive.digest_bits {
                Some(bits) if primitive.any_length => format!("{bits}+"),
                Some(bits) => bits.to_string(),
                None => "-".into(),
            };
            let block = primitive.block_bits.to_string();
            let security = &primitive.security.text;
            put(&mut out, &primitive.name, &block, &digest, &primitive.standard, security);
        }
        out.push_str(
            "\nBLOCK and DIGEST are in bits; 256+: that, or any other with --length. rc5 is a \
             block \
             cipher.\nhmac-NAME is HMAC (FIPS 198-1) with the hash NAME, for every hash above. \
             Names may be written as\nin the standards, such as SHA-256 and SHA-512/256, in any \
             letter case.\n",
        );

        out.push_str("\nALSO KNOWN AS\n");
        let known = self.primitives.iter().filter(|p| p.kind != "mac" && !p.aliases.is_empty());
        wrap(&mut out, known.map(|p| format!("{} = {}", p.name, p.aliases.join(" = "))));

        writeln!(out, "\n{:<12} {:<5} WHAT IT IS", "ENGINE", "HERE").expect(INFALLIBLE);
        for EngineLine { name, description, available } in &self.engines {
            let here = if *available { "yes" } else { "no" };
            writeln!(out, "{name:<12} {here:<5} {description}").expect(INFALLIBLE);
        }

        let mut sets: Vec<(&[&str], Vec<&str>)> = Vec::new();
        for primitive in self.primitives.iter().filter(|primitive| primitive.kind == "hash") {
            match sets.iter_mut().find(|(engines, _)| *engines == &primitive.engines[..]) {
                Some((_, names)) => names.push(&primitive.name),
                None => sets.push((&primitive.engines, vec![&primitive.name])),
            }
        }
        for (engines, names) in sets {
            writeln!(out, "\nON {}", engines.join(", ")).expect(INFALLIBLE);
            wrap(&mut out, names.into_iter().map(str::to_owned));
        }
        out
    }
}

const INFALLIBLE: &str = "a String takes everything";

fn put(out: &mut String, name: &str, block: &str, digest: &str, standard: &str, security: &str) {
    let line = format!("{name:<11} {block:>5} {digest:>6}  {standard:<35} {security}");
    writeln!(out, "{}", line.trim_end()).expect(INFALLIBLE);
}

/// Appends the items, separated by commas, in lines of at most 100 columns.
fn wrap(out: &mut String, items: impl Iterator<Item = String>) {
    let mut line = String::from(" ");
    let mut items = items.peekable();
    while let Some(mut item) = items.next() {
        if items.peek().is_some() {
            item.push(',');
        }
        if line.chars().count() + 1 + item.chars().count() > 100 {
            writeln!(out, "{line}").expect(INFALLIBLE);
            line = String::from(" ");
        }
        line.push(' ');
        line.push_str(&item);
    }
    writeln!(out, "{line}").expect(INFALLIBLE);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_fits_a_hundred_columns() {
        let table = report().unwrap().table();
        for line in table.lines() {
            assert!(line.chars().count() <= 100, "{line}");
        }
        assert!(table.contains("\nsha256 ") && table.contains("\nrc5 "));
    }

    #[test]
    fn names_are_listed_once() {
        let report = report().unwrap();
        let mut names: Vec<_> =
            (report.primitives.iter().flat_map(|p| p.aliases.iter().chain([&p.name]))).collect();
        let count = names.len();
        names.sort();
        names.dedup();
        assert_eq!(names.len(), count);
    }
}
