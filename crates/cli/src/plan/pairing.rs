//! The loop of the η_T pairing, shared out over p processors.

use super::{Args, json, percent};
use crate::explain::text::wrapped;
use crate::page::{INFALLIBLE, thousands};
use anyhow::bail;
use manylane_plan::threads::{Balance, Pairing, Published};
use serde::Serialize;
use std::fmt::Write;

/// The costs that are taken if no others are asked for.
const PLATFORM: &str = "core2-45nm";

const WARNING: &str = "SECURITY: pairings over fields of small characteristic are broken. The curve \
over F_2^1223 has about 59 bits of security (Granger, Kleinjung, Zumbrägel, CRYPTO 2014), not 128: \
for research and teaching only.";

/// All that is said of a plan. The fields are those of `--json`: docs/plan-json.md.
#[derive(Debug, Serialize)]
struct Answer {
    kind: &'static str,
    primitive: &'static str,
    answer: String,
    security: &'static str,
    platform: Pairing,
    balances: Vec<Line>,
}

/// A number of processors.
#[derive(Debug, Serialize)]
struct Line {
    #[serde(flatten)]
    balance: Balance,
    published: Option<Published>,
}

pub fn run(args: &Args) -> anyhow::Result<String> {
    if args.threads.is_empty() {
        bail!("eta-t is a pairing: its loop is planned for processors, such as --threads 2,4,8");
    }
    let asked = &args.threads_options;
    let others = [asked.mode.is_some(), asked.blocks.is_some(), asked.messages.is_some()];
    if others.contains(&true) || args.two_core.length.is_some() {
        bail!("eta-t is one pairing: leave out --mode, --blocks, --messages and --length");
    }
    let platform = Pairing::load(args.on.as_deref().unwrap_or(PLATFORM))?;
    let split_loop = platform.split_loop();
    let line = |&processors: &usize| Line {
        balance: split_loop.balance(processors),
        published: platform.published_for(processors).copied(),
    };
    let balances: Vec<Line> = args.threads.iter().map(line).collect();
    let best = balances.iter().max_by(|a, b| a.balance.speedup.total_cmp(&b.balance.speedup));
    let best = &best.expect("clap asks for a number of processors").balance;
    let answer = format!(
        "{:.2} times as fast on {} processors; no number of them gives {:.1} times",
        best.speedup, best.processors, best.limit
    );
    let answer = match best.speedup > 1.05 {
        true => format!("worth it: {answer}"),
        false => format!("not worth it: {answer}"),
    };
    let answer = Answer {
        kind: "pairing",
        primitive: "eta-t",
        answer,
        security: WARNING,
        platform,
        balances,
    };
    match args.json {
        true => json(&answer),
        false => Ok(answer.text()),
    }
}

fn millions(cycles: f64) -> String {
    format!("{:.2} M", cycles / 1e6)
}

impl Answer {
    fn text(&self) -> String {
        let mut out = wrapped(&self.answer, 0);
        let about = format!(
            "{}: {} cycles on one processor, {} iterations of {:.0} cycles in its loop",
            self.platform.title,
            millions(self.platform.cycles),
            self.platform.split_loop().iterations,
            self.platform.split_loop().iteration,
        );
        out.push_str(&wrapped(&about, 0));
        writeln!(
            out,
            "\n  {:>10} {:>10} {:>8} {:>11} {:>12} {:>18} {:>11}",
            "PROCESSORS",
            "CYCLES",
            "SPEEDUP",
            "EFFICIENCY",
            "PUBLISHED",
            "PUBLISHED SPEEDUP",
            "DIFFERENCE"
        )
        .expect(INFALLIBLE);
        let mut estimated = false;
        for Line { balance, published } in &self.balances {
            write!(
                out,
                "  {:>10} {:>10} {:>8.2} {:>11}",
                thousands(balance.processors),
                millions(balance.total),
                balance.speedup,
                percent(balance.speedup / balance.processors as f64),
            )
            .expect(INFALLIBLE);
            if let Some(published) = published {
                let mark = if published.estimated { "*" } else { "" };
                estimated |= published.estimated;
                write!(
                    out,
                    " {:>12} {:>18} {:>11}",
                    millions(published.cycles),
                    format!("{:.2}{mark}", published.speedup),
                    percent(balance.speedup / published.speedup - 1.0),
                )
                .expect(INFALLIBLE);
            }
            out.push('\n');
        }
        if estimated {
            out.push_str("  * estimated by its authors\n");
        }
        out.push_str("\nHOW\n");
        out.push_str(&wrapped(
            "Each processor takes a run of iterations, as long as makes all equally dear: the first \
             begins at once, the others raise their points to a power of two first. Their results \
             are multiplied; the final exponentiation is one processor's.",
            2,
        ));
        out.push_str(&wrapped(&format!("costs: {}", self.platform.source), 2));
        out.push('\n');
        out.push_str(&wrapped(WARNING, 0));
        out
    }
}
