//! The paper's tables, with our runs beside its figures.

use crate::run::table::ESTIMATE;
use crate::synth::watch::stop;
use crate::terminal::bar::Bar;
use manylane_answers::named;
use manylane_build::asm::{CipherCalls, MACHINE, Search, assembled};
use manylane_build::run::s12x::paper::{self, LENGTHS, cycles};
use manylane_build::run::s12x::{PREFIX, Row};
use manylane_emit::asm::Cores;
use manylane_plan::Platform;
use std::fmt::Write;
use std::sync::atomic::Ordering;

/// The predicted cycles as text, marked where they are not those of a measured program.
pub fn prediction(row: &Row) -> String {
    let mark = if row.is_estimate() { ESTIMATE } else { "" };
    row.predicted_cycles.map_or("–".to_owned(), |cycles| format!("{mark}{cycles:.0}"))
}

/// Explains the mark where a row has it.
pub fn explanation(rows: &[Row]) -> String {
    if !rows.iter().any(Row::is_estimate) {
        return String::new();
    }
    format!(
        "\n{ESTIMATE}  an estimate: the program itself was not measured on the platform. It is \
         predicted from costs of\n   operations (a third off, or more), or from another program of \
         the hash that was measured\n"
    )
}

/// All runs of the paper's tables, on every choice of cores; `false` if a signal interrupted them.
///
/// # Errors
/// If a call does not return.
pub fn run_all(search: &Search, bar: &Bar) -> anyhow::Result<(Vec<Row>, bool)> {
    let stop = stop();
    let platform = Platform::load(MACHINE).ok();
    let mut rows = Vec::new();
    let mut primitives: Vec<String> = paper::rows().into_iter().map(|row| row.primitive).collect();
    primitives.dedup();
    let hashes = primitives.into_iter().map(|name| (name, &LENGTHS[..]));
    for (name, lengths) in hashes.chain([(paper::CIPHER.to_owned(), &CIPHER_LENGTHS[..])]) {
        let primitive = named::emitted(&name)?;
        for cores in Cores::ALL {
            bar.say(&format!("{name} on {cores}"));
            let assembled = assembled(primitive, cores, search, PREFIX)?;
            for &length in lengths {
                if stop.load(Ordering::Relaxed) {
                    return Ok((rows, false));
                }
                rows.push(Row::new(&*assembled, cores, platform.as_ref(), length)?);
            }
        }
        bar.done();
    }
    Ok((rows, true))
}

/// Bytes of the cipher's messages: the key alone, the key and one block, many blocks.
const CIPHER_LENGTHS: [usize; 3] = [0, 8, 1024];

/// The paper's measurements of a cipher, with our runs beside them: the key and a block, and each
/// function alone.
fn cipher(rows: &[Row]) -> String {
    let name = paper::CIPHER;
    let mut out = format!(
        "\n{name}: bus cycles of functions called alone, and bytes of code and constants\n\n\
         {:14} {:5} {:6} {:>13} {:>9} {:>9} {:>9} {:>9}\n",
        "", "cores", "", "key and block", "key", "encrypt", "decrypt", "bytes"
    );
    let mut line = |cores: &str, what: &str, cycles: [Option<u64>; 4], bytes: u64| {
        let [whole, key, encrypt, decrypt] =
            cycles.map(|of| of.map_or("–".to_owned(), |of| of.to_string()));
        let _ = writeln!(
            out,
            "{name:14} {cores:5} {what:6} {whole:>13} {key:>9} {encrypt:>9} {decrypt:>9} {bytes:>9}"
        );
    };
    for paper::Cipher { cores, whole, key, block, bytes } in paper::CIPHERS {
        line(cores, "paper", [Some(whole), key, block, None], bytes);
    }
    for cores in Cores::ALL {
        let is_it = |row: &&Row| row.primitive == name && row.cores == cores.name();
        let Some(row) = rows.iter().find(is_it) else { continue };
        let Some(CipherCalls { init, encrypt_block, decrypt_block }) = row.calls else { continue };
        let whole = init + encrypt_block;
        let cycles = [whole, init, encrypt_block, decrypt_block].map(Some);
        line(cores.name(), "ours", cycles, row.code_bytes as u64);
    }
    out
}

/// Tables I to III as text.
pub fn tables(rows: &[Row]) -> String {
    let measured = paper::rows();
    let mut out = String::from("Table I: bus cycles of a message\n\n");
    let _ = write!(out, "{:14} {:5} {:6}", "primitive", "cores", "");
    for length in LENGTHS {
        let _ = write!(out, " {:>9}", format!("{length} B"));
    }
    out.push('\n');
    let of = |name: &str, cores: &str, length: usize| {
        rows.iter().find(|row| row.primitive == name && row.cores == cores && row.length == length)
    };
    let line = |out: &mut String, name: &str, cores: &str, what: &str, cells: Vec<String>| {
        let _ = write!(out, "{name:14} {cores:5} {what:6}");
        for cell in cells {
            let _ = write!(out, " {cell:>9}");
        }
        out.push('\n');
    };
    let mut primitives: Vec<&str> = measured.iter().map(|row| &row.primitive[..]).collect();
    primitives.dedup();
    for name in &primitives {
        for cores in Cores::ALL {
            let cores = cores.name();
            if let Some(row) =
                measured.iter().find(|row| row.primitive == *name && row.cores == cores)
            {
                let cells = row.cycles.iter().map(u64::to_string).collect();
                line(&mut out, name, cores, "paper", cells);
            }
            let cell = |length, take: fn(&Row) -> String| {
                of(name, cores, length).map_or("–".to_owned(), take)
            };
            let predicted = LENGTHS.map(|length| cell(length, prediction));
            line(&mut out, name, cores, "plan", predicted.to_vec());
            let ours = LENGTHS.map(|length| cell(length, |row| row.cycles.to_string()));
            line(&mut out, name, cores, "ours", ours.to_vec());
        }
    }
    out.push_str(&explanation(rows));
    out.push_str("\nTable II: percent of the paper's time on the CPU that is saved\n\n");
    for name in &primitives {
        let alone = |length| cycles(name, "cpu", length);
        let saved = |cycles: Option<u64>, length| {
            let part = cycles.zip(alone(length)).map(|(of, all)| 1.0 - of as f64 / all as f64);
            part.map_or("–".to_owned(), |part| format!("{:.1}", 100.0 * part))
        };
        let there = LENGTHS.map(|length| saved(cycles(name, "both", length), length));
        line(&mut out, name, "both", "paper", there.to_vec());
        for cores in Cores::ALL {
            let cores = cores.name();
            let ours =
                LENGTHS.map(|length| saved(of(name, cores, length).map(|row| row.cycles), length));
            line(&mut out, name, cores, "ours", ours.to_vec());
        }
    }
    let _ = writeln!(
        out,
        "\nTable III: bytes of code and constants\n\n{:14} {:>9} {:>9}{}",
        "primitive",
        "paper cpu",
        "both",
        Cores::ALL.iter().map(|of| format!(" {:>9}", format!("ours {of}"))).collect::<String>()
    );
    for name in &primitives {
        let bytes = |cores: &str| {
            let row = measured.iter().find(|row| row.primitive == *name && row.cores == cores);
            row.map_or("–".to_owned(), |row| row.bytes.to_string())
        };
        let _ = write!(out, "{name:14} {:>9} {:>9}", bytes("cpu"), bytes("both"));
        for cores in Cores::ALL {
            let ours = of(name, cores.name(), 0).map(|row| row.code_bytes.to_string());
            let _ = write!(out, " {:>9}", ours.unwrap_or_default());
        }
        out.push('\n');
    }
    out + &cipher(rows)
}
