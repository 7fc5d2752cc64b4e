//! A plan for the cores of a platform, whose file may be the reader's.

use crate::primitive::Primitive;
use crate::{Answer, json, pieces};
use manylane_graph::part::{self, Subject, cipher};
use manylane_graph::trace::Rc5;
use manylane_pages::schedule::gantt;
use manylane_pages::{Html, Page, Section, table};
use manylane_plan::Platform;
use manylane_plan::two_core::{self, Options, Plan, in_lanes};
use serde::Serialize;

/// The figures of a plan, for a table of platforms.
#[derive(Serialize)]
struct Figures {
    platform: String,
    title: String,
    /// Whether the costs are `measured`, an `estimate` or `defined`.
    basis: &'static str,
    cores: usize,
    worth_it: bool,
    /// Cycles of the main core: of the plan, of the main core alone, of the limit.
    cycles: f64,
    main: f64,
    limit: f64,
    /// Whether the limit is proved for these costs.
    proved: bool,
    /// Parts of the main core's time.
    saved: f64,
    saved_over_best_core: f64,
    handshakes: usize,
}

pub fn plan(name: &str, file: &str, text: &str, length: usize, page: bool) -> Answer {
    let primitive = Primitive::named(name)?;
    let platform = Platform::parse(file, text)?;
    let loading = platform.loading();
    let function = match &primitive {
        Primitive::Of(Subject::Rc5(params)) => Ok(cipher(params, Rc5::Encryption)),
        Primitive::Of(subject) => part::message(subject, length, loading),
        // All keys that fit a block take the same time.
        Primitive::Hmac(hash) => part::hmac(*hash, hash.digest_bytes(), length, loading),
    };
    let function = in_lanes(function?, &platform);
    let total = match &primitive {
        Primitive::Of(Subject::Rc5(_)) => None,
        _ => platform.total(&primitive.to_string(), length),
    };
    let options = Options { total, ..Options::default() };
    let plan = two_core::plan(&function, &platform, options)?;
    let figures = Figures {
        platform: platform.name.clone(),
        title: platform.title.clone(),
        basis: platform.basis.name(),
        cores: platform.cores.len(),
        worth_it: plan.worth_it(),
        cycles: plan.best().cycles,
        main: plan.candidates[0].cycles,
        limit: plan.limit.cycles(),
        proved: plan.proved,
        saved: plan.saved.of_main,
        saved_over_best_core: plan.saved.of_best_single,
        handshakes: plan.best().handshakes,
    };
    if !page {
        return json(&figures);
    }
    let message = format!("a message of {length} byte{}", if length == 1 { "" } else { "s" });
    let length = format!(" --length {length}");
    let (what, length) = match &primitive {
        Primitive::Of(subject @ Subject::Rc5(_)) => (subject.whole().to_owned(), String::new()),
        Primitive::Of(Subject::Hash(_)) => (message, length),
        Primitive::Hmac(hash) => {
            (format!("{message} under a key of {} bytes", hash.digest_bytes()), length)
        }
    };
    let estimate = if platform.basis.is_estimate() { " (estimate)" } else { "" };
    let page = Page {
        title: format!("{}, {what}, on {}", primitive.title(), platform.title),
        answer: format!("{}{estimate}", plan.answer()),
        sections: sections(&plan, &platform),
        made_by: format!("manylane plan {primitive} --on {}{length}", platform.name),
    };
    json(&pieces(page, figures))
}

fn sections(plan: &Plan, platform: &Platform) -> Vec<Section> {
    let candidate = |(i, candidate): (usize, &two_core::Candidate)| table::Candidate {
        name: format!(
            "{} ({:.1} % saved, {} handshakes)",
            candidate.name,
            100.0 * candidate.saved,
            candidate.handshakes
        ),
        time: candidate.cycles,
        chosen: i == plan.best,
    };
    let candidates: Vec<_> = plan.candidates.iter().enumerate().map(candidate).collect();
    let basis = if plan.proved { "proved for these costs" } else { "an estimate" };
    let mut reasons = vec![plan.reason.clone(), format!("the limit is {basis}")];
    if !platform.programs.is_empty() {
        reasons.push(
            "the emitted programs were measured on this platform: `manylane plan` says what they \
             take, loads, stores, spills and calls included"
                .to_owned(),
        );
    }
    reasons.extend(plan.units_line());
    reasons.push(format!("costs: {}", platform.source));
    let compared = table::candidates(&candidates, plan.limit.cycles(), "cycles");
    let names = platform.cores.iter().map(|core| core.name.clone()).collect();
    vec![
        Section {
            heading: "Plans of the operations against their limit".to_owned(),
            lead: "Priced are operations and hand-overs, not loads, stores, spills and calls: \
                   parts saved are parts of the operations' time. The limit charges no handshake: \
                   the longest chain of operations with each on its faster core, or all operations \
                   divided over both cores, whichever takes longer."
                .to_owned(),
            body: compared.then(&Html::list(&reasons)),
        },
        Section {
            heading: "Who does what when".to_owned(),
            lead: "Arrows are handshakes: what one core has computed so far becomes visible to \
                   the other."
                .to_owned(),
            body: gantt(&plan.schedule, names).html(),
        },
    ]
}
