//! Files of test vectors for the two cores: one JSON object in each line, of one of six forms.

mod case;
mod cpu12;
mod xgate;

pub use case::Difference;

use case::Case;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use std::fmt;

/// The form of a line of a file, which is recognised by its fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum VectorKind {
    /// One instruction of the CPU: `bytes`, `pc_after`.
    CpuInstruction,
    /// A program of the CPU: `bytes`, `stop_pc`.
    CpuProgram,
    /// A line of assembler of the CPU with its `bytes` and `page2`.
    CpuEncoding,
    /// One instruction of XGATE: `w`, `pc_after`.
    XgateInstruction,
    /// A program of XGATE: `w`, `kind`.
    XgateProgram,
    /// A line of assembler of XGATE with its `words`.
    XgateEncoding,
}

impl fmt::Display for VectorKind {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(match self {
            Self::CpuInstruction => "instructions of the CPU12",
            Self::CpuProgram => "programs of the CPU12",
            Self::CpuEncoding => "encodings of the CPU12X",
            Self::XgateInstruction => "instructions of XGATE",
            Self::XgateProgram => "programs of XGATE",
            Self::XgateEncoding => "encodings of XGATE",
        })
    }
}

impl VectorKind {
    fn of(fields: &Map<String, Value>) -> Option<Self> {
        let has = |name| fields.contains_key(name);
        if has("words") {
            Some(Self::XgateEncoding)
        } else if has("w") && has("kind") {
            Some(Self::XgateProgram)
        } else if has("w") && has("pc_after") {
            Some(Self::XgateInstruction)
        } else if has("bytes") && has("stop_pc") {
            Some(Self::CpuProgram)
        } else if has("bytes") && has("pc_after") {
            Some(Self::CpuInstruction)
        } else if has("bytes") && has("page2") {
            Some(Self::CpuEncoding)
        } else {
            None
        }
    }
}

/// A vector that does not agree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Disagreement {
    /// The line of the file, from 1.
    pub line: usize,
    /// The vector's name, or its text.
    pub name: String,
    /// The expected and the actual value, one of each kind of value that differs.
    pub differences: Vec<Difference>,
}

impl fmt::Display for Disagreement {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "line {}, {}:", self.line, self.name)?;
        for Difference { what, expected, got } in &self.differences {
            write!(f, " {what}: expected {expected}, got {got};")?;
        }
        Ok(())
    }
}

/// A vector whose value the simulator cannot have, because a document contradicts it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exception {
    /// The line of the file, from 1.
    pub line: usize,
    /// The vector's name, or its text.
    pub name: String,
    /// The document that says otherwise.
    pub document: String,
}

/// The results of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// The forms of its lines, each with the number of lines.
    pub forms: Vec<(VectorKind, usize)>,
    /// How many vectors agree.
    pub agree: usize,
    /// The vectors that disagree.
    pub disagree: Vec<Disagreement>,
    /// The vectors whose instruction agrees with a document and not with the vector's own value.
    pub exceptions: Vec<Exception>,
}

/// What is wrong with a file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {what}")]
pub struct BadFile {
    /// The line, from 1.
    pub line: usize,
    /// What is wrong.
    pub what: String,
}

/// Runs all vectors of a file.
///
/// # Errors
/// If a line is no vector of a known form, or there is none.
pub fn check(text: &str) -> Result<Report, BadFile> {
    let mut report = Report::default();
    for (number, text) in text.lines().enumerate().filter(|(_, text)| !text.trim().is_empty()) {
        let line = number + 1;
        let bad = |what: String| BadFile { line, what };
        let value: Value =
            serde_json::from_str(text).map_err(|error| bad(format!("no JSON: {error}")))?;
        let Value::Object(fields) = &value else {
            return Err(bad("a vector is an object of JSON, in braces".to_owned()));
        };
        let form = VectorKind::of(fields).ok_or_else(|| {
            let names: Vec<_> = fields.keys().map(String::as_str).collect();
            bad(format!("no form of vector has the fields {}", names.join(", ")))
        })?;
        let case = match form {
            VectorKind::CpuInstruction => cpu12::instruction(&parse(&value).map_err(bad)?),
            VectorKind::CpuProgram => cpu12::program(&parse(&value).map_err(bad)?),
            VectorKind::CpuEncoding => cpu12::encoding(&parse(&value).map_err(bad)?),
            VectorKind::XgateInstruction => xgate::instruction(&parse(&value).map_err(bad)?),
            VectorKind::XgateProgram => xgate::program(&parse(&value).map_err(bad)?),
            VectorKind::XgateEncoding => xgate::encoding(&parse(&value).map_err(bad)?),
        }
        .map_err(bad)?;
        report.add(line, form, case);
    }
    if report.forms.is_empty() {
        return Err(BadFile { line: 1, what: "the file has no vectors".to_owned() });
    }
    Ok(report)
}

impl Report {
    fn add(&mut self, line: usize, form: VectorKind, case: Case) {
        match self.forms.iter_mut().find(|(other, _)| *other == form) {
            Some((_, count)) => *count += 1,
            None => self.forms.push((form, 1)),
        }
        let Case { name, differences, document } = case;
        if !differences.is_empty() {
            self.disagree.push(Disagreement { line, name, differences });
            return;
        }
        self.agree += 1;
        if let Some(document) = document {
            self.exceptions.push(Exception { line, name, document: document.to_owned() });
        }
    }
}

fn parse<T: DeserializeOwned>(value: &Value) -> Result<T, String> {
    T::deserialize(value).map_err(|error| format!("the vector is not complete: {error}"))
}
