//! The parts of a primitive that can be examined alone.

mod report;
mod subject;

pub use report::{InputCount, Report, StepOf};
pub use subject::{Part, Subject, cipher, cipher_beside, literal_cipher};

use crate::analysis::{Chain, StepKind, Timing, kinds};
use crate::builder::Builder;
use crate::ir::{Function, NodeId, Op, Role, StepId};
use crate::passes::inline;
use crate::trace::{self, Loading};
use manylane_primitives::catalog::Algorithm;
use manylane_primitives::word::ByteOrder;

/// The most operations that the graph of a message may have.
pub const MOST_OPERATIONS: usize = 1_000_000;

/// An error: a primitive does not have a part.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PartError {
    /// The primitive has no steps of that kind.
    #[error("{subject} has no {} step: its steps are {}", .part.name(), list(.steps))]
    NoStep {
        /// The primitive.
        subject: String,
        /// What was asked for.
        part: Part,
        /// The names of its outermost steps.
        steps: Vec<String>,
    },
    /// A message part was asked of a primitive that is no hash function.
    #[error(
        "{0} is a block cipher: it has no message part; leave out --part, or take round or schedule"
    )]
    NoMessage(String),
    /// HMAC with a hash whose digest does not fit its block.
    #[error(
        "hmac-{hash} is not defined: HMAC needs a digest no longer than a block, and {digest} \
         bytes \
         are more than {block}; ask for a shorter digest"
    )]
    LongDigest {
        /// The hash.
        hash: String,
        /// Bytes of its digest.
        digest: usize,
        /// Bytes of its block.
        block: usize,
    },
    /// The graph would be larger than [`MOST_OPERATIONS`].
    #[error(
        "{bytes} bytes are {operations} operations of {subject}; at most {MOST_OPERATIONS} are \
             looked at, which is up to {most} bytes"
    )]
    TooLong {
        /// The primitive.
        subject: String,
        /// The length asked for, in bytes.
        bytes: usize,
        /// Number of operations that the graph would have.
        operations: u128,
        /// The greatest length whose graph is not larger, in bytes.
        most: usize,
    },
}

/// `a, b and c`.
fn list(names: &[String]) -> String {
    match names {
        [] => "nameless".to_owned(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

/// A part of a primitive as a function, and the report on it.
#[derive(Clone, Debug, PartialEq)]
pub struct Extract {
    /// The part.
    pub function: Function,
    /// The report.
    pub report: Report,
}

/// Extracts and analyses `part` of `subject`. `length`, in bytes, counts for a message only; the
/// words of the message are loaded as by a program for any length on a little-endian machine.
///
/// # Errors
/// If the primitive does not have the part.
pub fn explain(subject: &Subject, part: Part, length: usize) -> Result<Extract, PartError> {
    explain_loaded(subject, part, length, Loading::Program(ByteOrder::Little))
}

/// [`explain`] for a message whose words are loaded as `loading` says.
///
/// # Errors
/// If the primitive does not have the part.
pub fn explain_loaded(
    subject: &Subject,
    part: Part,
    length: usize,
    loading: Loading,
) -> Result<Extract, PartError> {
    let (function, length, step) = match part {
        Part::Compression => (subject.compression(), None, None),
        Part::Message => (message(subject, length, loading)?, Some(length), None),
        Part::Round | Part::Schedule => {
            let (function, step) = step(subject, part)?;
            (function, None, Some(step))
        }
    };
    let report = Report::new(subject, part, length, step, &function);
    Ok(Extract { function, report })
}

/// Analyses HMAC with `hash` of a message of `bytes` bytes under a key of `key_bytes` bytes. HMAC
/// has no other part: compressions, rounds and schedules are those of its hash.
///
/// # Errors
/// As [`hmac`].
pub fn explain_hmac(
    hash: Algorithm,
    key_bytes: usize,
    bytes: usize,
    loading: Loading,
) -> Result<Extract, PartError> {
    let function = hmac(hash, key_bytes, bytes, loading)?;
    let of_hash = Report::new(&Subject::Hash(hash), Part::Message, Some(bytes), None, &function);
    let report = Report { primitive: format!("hmac-{hash}"), title: hmac_title(hash), ..of_hash };
    Ok(Extract { function, report })
}

/// The name of HMAC with `hash` in its standard, such as `HMAC-SHA-256`.
pub fn hmac_title(hash: Algorithm) -> String {
    format!("HMAC-{}", hash.id().entry().title)
}

/// The hash of a message of `bytes` bytes, without calls.
///
/// # Errors
/// If the subject is no hash function, or the graph would be too large.
pub fn message(subject: &Subject, bytes: usize, loading: Loading) -> Result<Function, PartError> {
    let Subject::Hash(hash) = *subject else {
        return Err(PartError::NoMessage(subject.to_string()));
    };
    check_size(hash, &subject.to_string(), bytes, 0)?;
    Ok(inline(&trace::message(hash, bytes, loading)))
}

/// HMAC with `hash` of a message of `bytes` bytes under a key of `key_bytes` bytes, without calls.
///
/// # Errors
/// If HMAC is not defined for digests of that length, or the graph would be too large.
pub fn hmac(
    hash: Algorithm,
    key_bytes: usize,
    bytes: usize,
    loading: Loading,
) -> Result<Function, PartError> {
    let block = hash.id().entry().shape.block_bytes;
    if hash.digest_bytes() > block {
        return Err(PartError::LongDigest {
            hash: hash.to_string(),
            digest: hash.digest_bytes(),
            block,
        });
    }
    let long_key = key_bytes > block;
    let hashed = if long_key { bytes.saturating_add(key_bytes) } else { bytes };
    check_size(hash, &format!("hmac-{hash}"), hashed, 4)?;
    Ok(inline(&trace::hmac(hash, key_bytes, bytes, loading)))
}

/// Refuses a message whose graph, with that of `more` blocks, would be too large.
fn check_size(hash: Algorithm, subject: &str, bytes: usize, more: usize) -> Result<(), PartError> {
    // No product of two sizes exceeds 128 bits.
    let block = hash.id().entry().shape.block_bytes;
    let blocks = (bytes / block) as u128 + 1 + more as u128;
    let of_block = trace::compression(hash).len();
    let operations = blocks * of_block as u128;
    if operations <= MOST_OPERATIONS as u128 {
        return Ok(());
    }
    let most = ((MOST_OPERATIONS / of_block).saturating_sub(more) * block).saturating_sub(1);
    Err(PartError::TooLong { subject: subject.to_owned(), bytes, operations, most })
}

/// The step in the middle of those that are `part`, or the steps of one index where a primitive has
/// two lines of them.
fn step(subject: &Subject, part: Part) -> Result<(Function, StepOf), PartError> {
    let whole = subject.compression();
    let timing = Timing::unit(&whole);
    let kinds = kinds(&whole, &timing, &Chain::of(&whole, &timing));
    let outermost = |kind: &&StepKind| !kind.name.is_empty() && !kind.name.contains('/');
    let lines: Vec<&StepKind> =
        kinds.iter().filter(outermost).filter(|kind| kind.kind == part.kind()).collect();
    let no_step = || PartError::NoStep {
        subject: subject.to_string(),
        part,
        steps: kinds.iter().filter(outermost).map(|kind| kind.name.clone()).collect(),
    };
    let first = lines.first().ok_or_else(no_step)?;
    let mut steps = Vec::new();
    for line in &lines {
        let all = (0..whole.steps().len() as u32).map(StepId).filter(|&id| {
            let step = &whole.steps()[id.index()];
            let alike = step.name == line.name && Some(step.kind) == line.kind;
            id != StepId::ROOT && step.parent == StepId::ROOT && alike
        });
        steps.extend(all.skip(line.count / 2).take(1));
    }
    let path = steps.iter().map(|&step| whole.path_name(step)).collect::<Vec<_>>().join(" + ");
    let growth = lines.iter().filter_map(|kind| kind.growth).max_by(f64::total_cmp);
    let step = StepOf { path, count: first.count, growth };
    Ok((cut(&whole, &steps, &format!("{subject}.{}", part.name())), step))
}

/// Makes a function of the operations in `steps`, outermost ones: values from elsewhere become
/// inputs, values that are used elsewhere become outputs. A single step becomes the root.
pub(crate) fn cut(whole: &Function, steps: &[StepId], name: &str) -> Function {
    let inside = |node: NodeId| steps.contains(&whole.ancestor(whole.step(node), 1));
    let nodes: Vec<NodeId> = whole.nodes().filter(|&node| inside(node)).collect();
    // Function names have no `/`.
    let mut b = Builder::new(&name.replace('/', "-"));
    let mut new: Vec<Option<NodeId>> = vec![None; whole.len()];

    // The words that pass through the steps are named by their place.
    let state = |node: NodeId| {
        steps.iter().find_map(|step| {
            let step = &whole.steps()[step.index()];
            let place = step.over.iter().position(|&word| word == node)?;
            let line: String = step.name.chars().filter(char::is_ascii_alphanumeric).collect();
            Some(format!("{}{place}", if steps.len() == 1 { "state" } else { &line }))
        })
    };
    for &arg in nodes.iter().flat_map(|&node| whole.args(node)).filter(|&&arg| !inside(arg)) {
        if new[arg.index()].is_none() {
            let width = whole.width(arg);
            new[arg.index()] = Some(match (whole.op(arg), state(arg)) {
                (Op::Const(value), _) => b.constant(value, width),
                (Op::Input(i), _) => {
                    let input = &whole.inputs()[i as usize];
                    b.input(&input.name, input.role, width)
                }
                (_, Some(name)) => b.input(&name, Role::Chaining, width),
                (_, None) => b.input(&format!("x{}", arg.0), Role::Message, width),
            });
        }
    }
    for &node in &nodes {
        let args: Vec<NodeId> =
            whole.args(node).iter().filter_map(|arg| new[arg.index()]).collect();
        let kept = usize::from(steps.len() == 1);
        let step = whole.path(whole.step(node))[kept..].iter().fold(StepId::ROOT, |around, id| {
            let step = &whole.steps()[id.index()];
            b.substep_like(around, step)
        });
        new[node.index()] = Some(b.within(step, |b| b.op(whole.op(node), &args)));
    }
    let users = whole.users();
    for &node in &nodes {
        let is_output = whole.outputs().iter().any(|output| output.value == node);
        if is_output || users[node.index()].iter().any(|&user| !inside(user)) {
            b.output(&format!("y{}", node.0), new[node.index()].expect("made above"));
        }
    }
    b.finish()
}
