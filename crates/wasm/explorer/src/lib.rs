//! What the explorer's page asks for: what the program's `explain`, `plan --on` and
//! `plan --hardware` say of a primitive, as JSON that holds pieces of a page.

mod fault;
mod hardware;
mod primitive;
mod two_cores;

use fault::Fault;
use manylane_graph::part::{Part, explain as extract, explain_hmac};
use manylane_graph::trace::Loading;
use manylane_pages::explain::html;
use manylane_pages::{Page, Section};
use manylane_plan::Platform;
use manylane_plan::hardware::{BUILT_IN, DelayModel};
use manylane_primitives::word::ByteOrder;
use primitive::Primitive;
use serde::Serialize;
use wasm_bindgen::prelude::*;

/// An answer or what is wrong with the question.
type Answer = Result<String, Fault>;

fn json(value: &impl Serialize) -> Answer {
    serde_json::to_string(value).map_err(|error| Fault::Other(error.to_string()))
}

fn thrown(answer: Answer) -> Result<String, JsError> {
    answer.map_err(|fault| JsError::new(&fault.told()))
}

/// Every hash function, HMAC with each, and one block cipher.
#[wasm_bindgen]
pub fn primitives() -> Result<String, JsError> {
    thrown(json(&primitive::list()))
}

#[derive(Serialize)]
struct Machine {
    name: String,
    title: String,
    basis: &'static str,
    text: String,
}

/// The platforms that are built in, with the text of their files.
#[wasm_bindgen]
pub fn platforms() -> Result<String, JsError> {
    let machine = |platform: Platform| {
        let text = Platform::text(&platform.name)?.1;
        let basis = platform.basis.name();
        Ok(Machine { name: platform.name, title: platform.title, basis, text })
    };
    let all: Result<Vec<Machine>, Fault> = Platform::builtin().into_iter().map(machine).collect();
    thrown(all.and_then(|all| json(&all)))
}

#[derive(Serialize)]
struct Model {
    name: String,
    title: String,
}

/// The delay models that are built in.
#[wasm_bindgen]
pub fn models() -> Result<String, JsError> {
    let model = |name: &str| {
        let model = DelayModel::load(name)?;
        Ok(Model { name: model.name, title: model.title })
    };
    let all: Result<Vec<Model>, Fault> = BUILT_IN.iter().map(|known| model(known.name)).collect();
    thrown(all.and_then(|all| json(&all)))
}

/// A page's pieces, with the figures of its answer.
#[derive(Serialize)]
struct Pieces<F: Serialize> {
    title: String,
    answer: String,
    made_by: String,
    sections: Vec<Piece>,
    figures: F,
}

#[derive(Serialize)]
struct Piece {
    heading: String,
    lead: String,
    html: String,
}

fn pieces<F: Serialize>(page: Page, figures: F) -> Pieces<F> {
    let piece = |section: Section| Piece {
        heading: section.heading,
        lead: section.lead,
        html: section.body.to_string(),
    };
    Pieces {
        title: page.title,
        answer: page.answer,
        made_by: page.made_by,
        sections: page.sections.into_iter().map(piece).collect(),
        figures,
    }
}

#[derive(Serialize)]
struct Width {
    operations: usize,
    span: usize,
    parallelism: f64,
}

fn explained(name: &str, part: &str, length: usize) -> Answer {
    let primitive = Primitive::named(name)?;
    let part = Part::by_name(part).ok_or_else(|| {
        format!("no part `{part}`: there are {}", Part::ALL.map(Part::name).join(", "))
    })?;
    let subject = primitive.subject();
    // HMAC has no parts of a block of its own, only those of its hash.
    let (found, of_hash) = match (primitive, part) {
        (Primitive::Hmac(hash), Part::Message) => {
            let loading = Loading::Program(ByteOrder::Little);
            (explain_hmac(hash, hash.digest_bytes(), length, loading), None)
        }
        (Primitive::Hmac(hash), _) => {
            let own = format!(
                "hmac-{hash} has no {} of its own: it is {hash} twice, one after the other, and \
                 this is {hash}'s; choose a message as the part to see both hashes",
                part.name()
            );
            (extract(&subject, part, length), Some(own))
        }
        (Primitive::Of(_), _) => (extract(&subject, part, length), None),
    };
    let found = found?;
    let report = &found.report;
    let mut made_by = format!("manylane explain {}", report.primitive);
    if part != Part::Compression {
        made_by.push_str(&format!(" --part {}", part.name()));
    }
    if part == Part::Message {
        made_by.push_str(&format!(" --length {length}"));
    }
    let (operations, span, parallelism) = (report.work, report.span, report.parallelism);
    let figures = Width { operations, span, parallelism };
    let mut page = html::page(&subject, &found, &made_by);
    if let Some(own) = of_hash {
        page.answer = format!("{own}. {}", page.answer);
    }
    json(&pieces(page, figures))
}

/// How much of a part of a primitive can run at the same time, and what limits it. `length`, in
/// bytes, counts for the part `message`.
///
/// # Errors
/// If the primitive is not known or lacks the part, or the graph is too large.
#[wasm_bindgen]
pub fn explain(primitive: &str, part: &str, length: usize) -> Result<String, JsError> {
    thrown(explained(primitive, part, length))
}

/// The best split of a message of `length` bytes, or of a cipher's block, over the cores of a
/// platform, whose file is `text`. With `page` the pieces of its page come too. HMAC's key is as
/// long as the digest.
///
/// # Errors
/// If the primitive is not known, the file is wrong or lacks a cost, or the message is too long.
#[wasm_bindgen]
pub fn plan(
    primitive: &str,
    file: &str,
    text: &str,
    length: usize,
    page: bool,
) -> Result<String, JsError> {
    thrown(two_cores::plan(primitive, file, text, length, page))
}

/// The shapes of a core for a primitive: each way of adding with each of computing ahead.
///
/// # Errors
/// If the primitive or the model is not known, or its rounds cannot be divided like that.
#[wasm_bindgen]
pub fn hardware(
    primitive: &str,
    model: &str,
    merge: usize,
    stages: usize,
) -> Result<String, JsError> {
    thrown(hardware::shapes(primitive, model, merge, stages))
}
