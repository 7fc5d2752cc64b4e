//! `manylane bench pairing`: the field, one pairing, many, threads; beside BLS12-381.
//!
//! **The curve has about 59 bits of security: for research and teaching only.**

use crate::page::INFALLIBLE;
use crate::page::explain::text::wrapped;
use crate::terminal::output::{Output, complain};
use manylane_answers::json;
use manylane_engine::Engine;
use manylane_engine::pairing::Pairing;
use manylane_engine::peer::Gf2x;
use manylane_graph::pairing::SECURITY;
#[cfg(feature = "blst")]
use manylane_measure::pairing::ate;
use manylane_measure::pairing::row::Row;
use manylane_measure::pairing::{contestants, paper, peers, threads};
use manylane_measure::timing::on_one_core;
use serde::Serialize;
use std::fmt::Write;

/// Its name on the command line.
pub const NAME: &str = "pairing";

#[derive(Serialize)]
struct Report {
    security: &'static str,
    machine: Machine,
    rows: Vec<Row>,
}

/// The machine on which the figures were measured.
#[derive(Serialize)]
struct Machine {
    cpu: String,
    cores: usize,
    /// Whether BLS12-381 by blst was measured too.
    blst: bool,
    gf2x: bool,
    manylane: &'static str,
    runs: u32,
}

/// Measures the pairing, or with `paper` the paper's own algorithms beside the best engine's.
pub fn run(engine: Option<Engine>, paper: bool, as_json: bool, runs: u32) -> anyhow::Result<()> {
    let best = Pairing::on(engine)?.engine();
    let engines = match engine {
        Some(engine) => vec![engine],
        // The portable engine is left out, because it is the scalar one under another name.
        None => Pairing::engines()?.into_iter().filter(|&e| e != Engine::Portable).collect(),
    };
    let gf2x = Gf2x::load();
    let machine = Machine {
        cpu: manylane_measure::cpu::name(),
        cores: threads::cores(),
        blst: peers::bls12_381().is_some(),
        gf2x: gf2x.is_some(),
        manylane: env!("CARGO_PKG_VERSION"),
        runs,
    };
    if gf2x.is_none() && !paper {
        complain("no libgf2x was found: nobody's products to compare with (install libgf2x3)");
    }
    if !machine.blst {
        complain("built without the feature `blst`: no BLS12-381 to compare with");
    }

    let mut out = Output::stdout()?;
    if !as_json {
        out.write(header(&machine, paper).as_bytes())?;
    }
    let mut rows = Vec::new();
    let mut add = |row: Row| -> anyhow::Result<()> {
        if !as_json {
            out.write(line(&row).as_bytes())?;
            out.flush()?;
        }
        rows.push(row);
        Ok(())
    };
    on_one_core(&complain, || {
        if paper {
            return paper::rows(best, runs)?.into_iter().try_for_each(&mut add);
        }
        gf2x.iter().map(contestants::gf2x).try_for_each(|product| add(product.row(runs)))?;
        for &engine in &engines {
            let pairing = Pairing::on(Some(engine))?;
            let by_factors = Pairing::on(Some(engine))?.by_factors();
            let whole = contestants::whole(&pairing, &by_factors);
            let all = contestants::field(&pairing).into_iter().chain(whole);
            all.map(|contestant| contestant.row(runs)).try_for_each(&mut add)?;
        }
        anyhow::Ok(())
    })?;
    match paper {
        true => paper::shared(machine.cores, runs)?.into_iter().try_for_each(&mut add)?,
        false => {
            let rows = threads::rows(best, machine.cores, runs, &complain)?;
            rows.into_iter().try_for_each(&mut add)?;
        }
    }
    #[cfg(feature = "blst")]
    if !paper {
        match ate::rows(machine.cores, runs) {
            Ok(rows) => rows.into_iter().try_for_each(&mut add)?,
            Err(why) => complain(&why.to_string()),
        }
    }
    if as_json {
        let report = Report { security: SECURITY, machine, rows };
        out.write(json(&report)?.as_bytes())?;
    }
    Ok(out.finish()?)
}

fn header(machine: &Machine, paper: bool) -> String {
    let mut out = format!("{}\n", machine.cpu);
    out.push_str(&wrapped(SECURITY, 0));
    writeln!(
        out,
        "\n{:<20} {:<8} {:>5} {:>7} {:>11} {:>9} {:>8} {:>7} {:>6}{}",
        "OPERATION",
        "ENGINE",
        "COUNT",
        "THREADS",
        "NANOSECONDS",
        "CYCLES",
        "PER BLST",
        "SPEEDUP",
        "SHARED",
        if paper { "      PAPER" } else { "" }
    )
    .expect(INFALLIBLE);
    out
}

fn line(row: &Row) -> String {
    let number =
        |value: Option<f64>, digits| value.map_or("-".into(), |value| format!("{value:.digits$}"));
    format!(
        "{:<20} {:<8} {:>5} {:>7} {:>11.1} {:>9} {:>8} {:>7} {:>6}{}\n",
        row.what,
        row.engine,
        row.count,
        row.threads,
        row.nanoseconds,
        number(row.cycles, 0),
        number(row.per_blst_pairing, 2),
        number(row.speedup, 2),
        number(row.shared, 2),
        row.paper_cycles.map_or(String::new(), |cycles| format!(" {cycles:>10.0}")),
    )
}
