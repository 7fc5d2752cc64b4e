//! Describes the limits of a graph in words that follow from its figures.

use crate::thousands;
use manylane_graph::analysis::StepKind;
use manylane_graph::part::{Part, Report};

/// The answer, in one line.
pub fn answer(report: &Report, whole: &str) -> String {
    let of = match (&report.step, report.length) {
        (Some(step), _) => format!("{} of {}", step.path, step.count),
        (None, Some(length)) => format!("a message of {} bytes", thousands(length)),
        (None, None) => whole.to_owned(),
    };
    let operations = counted(report.work, "operation");
    let span = thousands(report.span);
    format!(
        "{}: at most {:.1} operations at the same time on average; {of} is {operations}, the \
         longest \
         chain {span}",
        report.primitive, report.parallelism,
    )
}

/// `1 operation`, `2 operations`.
pub fn counted(n: usize, name: &str) -> String {
    format!("{} {name}{}", thousands(n), if n == 1 { "" } else { "s" })
}

fn percent(part: usize, whole: usize) -> f64 {
    100.0 * part as f64 / whole.max(1) as f64
}

/// The outermost kinds of steps, without the operations outside all steps.
fn outermost(report: &Report) -> impl Iterator<Item = &StepKind> {
    report.steps.iter().filter(|kind| !kind.name.is_empty() && !kind.name.contains('/'))
}

/// The limits of the graph, with a sentence or two for each.
pub fn limits(report: &Report) -> Vec<String> {
    let mut said = vec![cores(report)];
    said.extend(carriers(report));
    said.extend(beside(report));
    said.extend(on_chain(report));
    said.extend(spread(report));
    said.extend(repeated(report));
    said
}

/// Describes the gain of equal cores when exchanges cost nothing.
fn cores(report: &Report) -> String {
    let gain = report.parallelism;
    let whole = gain.floor();
    if gain < 1.05 {
        "It is one chain: a second core gains nothing inside it.".to_owned()
    } else if gain < 2.0 {
        format!(
            "Two equal cores are at most {gain:.2} times as fast as one, with handshakes for \
             nothing: \
             the longest chain binds them, and a third core gains nothing."
        )
    } else {
        format!(
            "Up to {whole:.0} equal cores the work is the bound: each one may pay, as far as \
             handshakes let it. Beyond, it is the longest chain: no number of cores is more than \
             {gain:.2} times as fast as one."
        )
    }
}

/// Names the steps on the longest chains, with the cost of one more of each.
fn carriers(report: &Report) -> Vec<String> {
    let mut carriers: Vec<&StepKind> = outermost(report).filter(|kind| kind.on_chain > 0).collect();
    carriers.sort_by_key(|kind| std::cmp::Reverse(kind.on_chain));
    if carriers.is_empty() {
        return Vec::new();
    }
    let which = |kind: &&StepKind| {
        let name = &kind.name;
        let which = match (kind.critical == kind.count, kind.count) {
            (_, 1) => format!("`{name}`"),
            (true, count) => format!("all {} `{name}` steps", thousands(count)),
            (false, count) => format!("{} of {count} `{name}` steps", kind.critical),
        };
        format!("{which} ({})", thousands(kind.on_chain))
    };
    let which: Vec<String> = carriers.iter().map(which).collect();
    let mut said = vec![format!(
        "Longest chains go through {}; in brackets, how many of the {} operations of one chain lie \
         there.",
        which.join(", "),
        thousands(report.span)
    )];
    said.extend(carriers.into_iter().filter_map(another));
    said
}

/// Describes the cost of one more step of a kind.
fn another(kind: &StepKind) -> Option<String> {
    let (growth, alone) = (kind.growth?, kind.most_span);
    let name = &kind.name;
    Some(if growth + 0.05 < alone as f64 {
        format!(
            "One more `{name}` makes the chain {growth:.1} longer, though alone it is one of \
             {alone}: \
             it begins before the one before has ended."
        )
    } else {
        format!(
            "One more `{name}` makes the chain {growth:.1} longer: it begins when the one before \
             has \
             ended."
        )
    })
}

/// Names the steps that are on no longest chain.
fn beside(report: &Report) -> Option<String> {
    let free: Vec<&StepKind> = outermost(report).filter(|kind| kind.critical == 0).collect();
    let work: usize = free.iter().map(|kind| kind.work).sum();
    let names: Vec<String> = free.iter().map(|kind| format!("`{}`", kind.name)).collect();
    (work > 0).then(|| {
        format!(
            "No longest chain goes through {}: {} ({:.0}\u{a0}% of all) that can run beside it.",
            names.join(" or "),
            counted(work, "operation"),
            percent(work, report.work)
        )
    })
}

/// Names the operations of the longest chain.
fn on_chain(report: &Report) -> Option<String> {
    let mut kinds: Vec<_> = report.operations.iter().filter(|kind| kind.on_chain > 0).collect();
    kinds.sort_by_key(|kind| std::cmp::Reverse(kind.on_chain));
    let shares = kinds.iter().take(4).map(|kind| {
        format!("{:.0}\u{a0}% {}", percent(kind.on_chain, report.span), kind.operation)
    });
    let shares: Vec<String> = shares.collect();
    let never: Vec<&str> = (report.operations.iter())
        .filter(|kind| kind.on_chain == 0 && 20 * kind.count >= report.work)
        .map(|kind| kind.operation)
        .collect();
    let never = match &never[..] {
        [] => String::new(),
        never => format!("; no {} is on it", never.join(" or ")),
    };
    (report.span > 8).then(|| format!("The longest chain is {}{never}.", shares.join(", ")))
}

/// Says whether the profile is even, and where it is not.
fn spread(report: &Report) -> Option<String> {
    let mut sorted = report.profile.clone();
    sorted.sort_unstable();
    let (median, widest) = (*sorted.get(sorted.len() / 2)?, *sorted.last()?);
    let at = report.profile.iter().position(|&width| width == widest)?;
    let narrow = report.profile.iter().filter(|&&width| width <= 2).count();
    let narrow = percent(narrow, report.span);
    let mut text = format!(
        "Half of the time no more than {} can begin at once; the most is {} at time {at}",
        counted(median, "operation"),
        thousands(widest)
    );
    if narrow >= 5.0 {
        text.push_str(&format!("; for {narrow:.0}\u{a0}% of the time two or fewer"));
    }
    text.push('.');
    (report.span > 8).then_some(text)
}

/// The meaning of the report on one part for the whole primitive.
fn repeated(report: &Report) -> Option<String> {
    let step = report.step.as_ref()?;
    let growth = step.growth?;
    Some(match report.part {
        Part::Round | Part::Schedule if growth + 0.05 < report.span as f64 => format!(
            "In the whole each ends {growth:.1} after the one before: they overlap, and {:.1} \
             operations run at the same time on average.",
            report.work as f64 / growth.max(0.1)
        ),
        Part::Round | Part::Schedule => {
            format!("In the whole each ends {growth:.1} after the one before: they do not overlap.")
        }
        Part::Compression | Part::Message => return None,
    })
}
