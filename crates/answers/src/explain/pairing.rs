//! The η_T pairing: calls of functions of its field, by step, and how many products can run at the
//! same time.

use super::args::Args;
use crate::answered::{Answered, json_or_text};
use anyhow::bail;
use manylane_graph::Op;
use manylane_graph::pairing::{Calls, FunctionKind, Report, StepCalls, factor, operation_name};
use manylane_graph::part::Part;
use manylane_pages::dot::dot;
use manylane_pages::explain::html::operation_graph;
use manylane_pages::explain::text::{profile, range, wrapped};
use manylane_pages::table::{Column, Row, Table};
use manylane_pages::{Html, INFALLIBLE, Page, Section, bars, thousands};
use std::fmt::Write;

/// Explains the pairing.
pub fn answer(args: &Args) -> anyhow::Result<Answered> {
    if args.part != Part::Compression || args.length.is_some() || args.fixed_length {
        bail!("eta-t is explained as a whole: leave out --part, --length and --fixed-length");
    }
    let report = Report::eta1223();
    let made_by = "manylane explain eta-t";
    let module = factor();
    let name = |op: Op| operation_name(&module, op).to_owned();
    let answer = json_or_text(&report, args.json, text)?;
    let page = || html(&report, operation_graph(module.main(), name).html(), made_by);
    Ok(Answered::new(answer)
        .with(args.dot.as_deref(), || dot(module.main(), name, made_by))
        .with(args.html.as_deref(), page))
}

/// The answer, in one line.
fn one_line(report: &Report) -> String {
    let whole = &report.parts[0];
    let best = report.parts.iter().max_by(|a, b| a.parallelism.total_cmp(&b.parallelism));
    let best = best.unwrap_or(whole);
    format!(
        "{}: at most {:.1} products at the same time on average, {:.0} when the factors are in {} \
         parts; one pairing is {} products in F_2^{}, the longest chain {}, in parts {}",
        report.primitive,
        whole.parallelism,
        best.parallelism,
        best.parts,
        thousands(whole.products),
        report.m,
        thousands(whole.chain),
        thousands(best.chain),
    )
}

/// The limits of the pairing, with a sentence or two for each reason.
fn limits(report: &Report) -> Vec<String> {
    let (whole, inverse) = (&report.parts[0], report.inverse.multiply);
    let step = |name: &str| report.steps.iter().find(|step| step.name == name);
    let mut said = vec![format!(
        "The lines of all factors wait for no product: {} products can begin at once. But the \
         value \
         is multiplied by one factor after the other, and each makes the chain 1 longer.",
        thousands(report.profile[0]),
    )];
    if let Some(parts) = report.parts.get(1) {
        let least = report.parts.iter().min_by_key(|parts| parts.chain).unwrap_or(parts);
        said.push(format!(
            "Products commute: in {} parts the chain is {}, in {} parts {}. Two parts take {} \
             products, one takes {}: what joining them costs, the sparse first factors save.",
            parts.parts,
            parts.chain,
            least.parts,
            least.chain,
            thousands(parts.products),
            thousands(whole.products),
        ));
    }
    if let Some(last) = step("final exponentiation") {
        said.push(format!(
            "The final exponentiation waits for all parts: a chain of {} products, {inverse} of \
             them \
             in the inversion.",
            last.chain
        ));
    }
    said.push(
        "Squares, roots and powers 2^n are linear maps and sums are exclusive ors: in this count \
         they \
         take no time. `manylane plan eta-t` charges what they cost."
            .to_owned(),
    );
    said
}

/// The heading of each kind of function.
fn heading(kind: FunctionKind) -> &'static str {
    match kind {
        FunctionKind::Multiply => "PRODUCT",
        FunctionKind::Square => "SQUARE",
        FunctionKind::SquareRoot => "ROOT",
        FunctionKind::Frobenius => "POWER 2^n",
        FunctionKind::Inverse => "INVERSE",
        FunctionKind::Add => "SUM",
    }
}

/// The name of a kind of step, with two columns of indent for each step around it.
fn step_name(step: &StepCalls) -> String {
    let around = step.name.matches('/').count();
    let name = step.name.rsplit('/').next().unwrap_or_default();
    format!("{}{name}", "  ".repeat(around))
}

/// The tables' rows: what all steps call, what an inversion does, and what one step of each kind
/// does.
fn rows(report: &Report) -> Vec<Vec<String>> {
    let all = |name: &str, count: &str, calls: &Calls, chain: String| {
        let calls = FunctionKind::ALL.iter().map(|&kind| thousands(calls[kind]));
        [name.to_owned(), count.to_owned()].into_iter().chain(calls).chain([chain]).collect()
    };
    let mut rows: Vec<Vec<String>> = Vec::new();
    for step in &report.steps {
        let calls = FunctionKind::ALL.iter().map(|&kind| range(step.least[kind], step.most[kind]));
        let start = [step_name(step), thousands(step.count)];
        rows.push(start.into_iter().chain(calls).chain([thousands(step.chain)]).collect());
    }
    let chain = thousands(report.inverse.multiply);
    rows.push(all("(one inversion)", "", &report.inverse, chain));
    rows.push(all("(all steps)", "", &report.calls, thousands(report.parts[0].chain)));
    rows
}

fn columns() -> Vec<&'static str> {
    let kinds = FunctionKind::ALL.map(heading);
    ["STEP", "COUNT"].into_iter().chain(kinds).chain(["CHAIN"]).collect()
}

fn text(report: &Report) -> String {
    let mut out = wrapped(&one_line(report), 0);
    out.push('\n');
    let lines =
        [columns().into_iter().map(str::to_owned).collect()].into_iter().chain(rows(report));
    for line in lines {
        let [step, cells @ ..] = &line[..] else { unreachable!("a step") };
        write!(out, "{step:<22}").expect(INFALLIBLE);
        for cell in cells {
            write!(out, " {cell:>8}").expect(INFALLIBLE);
        }
        out.push('\n');
    }
    out.push_str(&wrapped(EACH, 0));
    writeln!(out, "\n{:>8} {:>9} {:>13} {:>9}", "PARTS", "PRODUCTS", "LONGEST CHAIN", "PARALLEL")
        .expect(INFALLIBLE);
    for parts in &report.parts {
        let [count, products, chain] = [parts.parts, parts.products, parts.chain].map(thousands);
        writeln!(out, "{count:>8} {products:>9} {chain:>13} {:>9.2}", parts.parallelism)
            .expect(INFALLIBLE);
    }
    profile("PRODUCTS THAT CAN BEGIN AT THE SAME TIME, IN ONE PART", &report.profile, &mut out);
    out.push_str("\nWHAT LIMITS IT\n");
    for reason in limits(report) {
        out.push_str(&wrapped(&reason, 2));
    }
    out.push('\n');
    out.push_str(&wrapped(report.security, 0));
    out
}

const EACH: &str = "Calls of one step, its substeps included, where steps differ from the fewest \
                    to \
the most; CHAIN is the longest chain of products of one alone.";

fn html(report: &Report, factor: Html, made_by: &str) -> String {
    let section = |heading: &str, lead: &str, body: Html| Section {
        heading: heading.to_owned(),
        lead: lead.to_owned(),
        body,
    };
    let table = |columns: Vec<&str>, rows: Vec<Vec<String>>| {
        let mut titles = columns.into_iter();
        let first = titles.next().map(Column::text);
        let columns = first.into_iter().chain(titles.map(Column::number)).collect();
        let rows = rows.into_iter().map(|cells| Row { cells, emphasised: false }).collect();
        Table { columns, rows }.html()
    };
    let parts = report.parts.iter().map(|parts| {
        let [count, products, chain] = [parts.parts, parts.products, parts.chain].map(thousands);
        vec![count, products, chain, format!("{:.2}", parts.parallelism)]
    });
    let page = Page {
        title: format!("{}: what can run at the same time", report.title),
        answer: one_line(report),
        sections: vec![
            section("What it is good for", "", Html::paragraph(report.security)),
            section("What limits it", "", Html::list(&limits(report))),
            section(
                "One factor, and what its operations take from each other",
                "From the coordinates and the value before it to those after it. Point at a box to \
                 see \
                 its edges; turn the wheel to zoom, drag to move.",
                factor,
            ),
            section("Steps in figures", EACH, table(columns(), rows(report))),
            section(
                "The factors in parts",
                "Each part is multiplied by itself; parts are joined two by two.",
                table(vec!["parts", "products", "longest chain", "parallel"], parts.collect()),
            ),
            section(
                "How many products can run at each time, in one part",
                "Every product takes 1, all else nothing, and each begins as soon as it can.",
                bars::profile(&report.profile),
            ),
        ],
        made_by: made_by.to_owned(),
    };
    page.render()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_fits_a_hundred_columns_and_warns() {
        let report = Report::eta1223();
        let text = text(&report);
        assert!(text.starts_with("eta-t: at most 6.8 products"), "{text}");
        assert!(text.replace("\n  ", " ").contains("about 59 bits"), "{text}");
        for line in text.lines() {
            assert!(line.chars().count() <= 100 && line == line.trim_end(), "{line}");
        }
    }

    #[test]
    fn a_factor_is_drawn_by_the_names_of_its_functions() {
        let module = factor();
        let name = |op: Op| operation_name(&module, op).to_owned();
        let graph = dot(module.main(), name, "manylane explain eta-t");
        assert_eq!(graph.matches("label=\"multiply\"").count(), 7);
        assert_eq!(graph.matches("label=\"square_root\"").count(), 2);
        assert!(graph.contains("label=\"coordinates[306]\"") && !graph.contains("\"call"));
    }
}
