//! Proves that a core computes its definition for every block and every chaining value, whatever
//! else the core is doing.
//!
//! ```text
//!  definition ──► terms ─────────┐ equal?  by cuts: lemmas over a few words ──► SMT solver
//!  netlist ──► unroll ──► terms ─┘
//!              clock 0 … latency
//! ```
//!
//! What is proved is the netlist that the text is written from: a block that is taken in clock 0
//! comes out `latency` clocks later as the definition's next chaining value, with its tag; clocks
//! in which the result waits are not counted, and there is no reset. Every register may hold any
//! value in clock 0 and every port may carry any value later, so blocks before and after are
//! covered too. One thing is assumed of the block before: it has left its first clocks, so a
//! register of the control that is 1 only in those is 0. `handshake` proves this assumption, and
//! that nothing else ever comes out and an offer stands until it is taken.
//!
//! [`text`] proves that the text in a folder, which may have been edited, is this netlist.
//!
//! The proof trusts the unrolling, the congruence of equal operations on equal words, and the
//! solver.

mod blame;
mod claim;
mod cut;
mod definition;
mod files;
mod frontier;
mod handshake;
mod lemma;
mod row;
mod solver;
mod statement;
mod term;
pub mod text;
mod unroll;

pub use files::files;
pub use handshake::{HandshakeProof, Yosys};
pub use lemma::Lemma;
pub use solver::{NoSolver, Solver};
pub use statement::{Claim, Error};
pub use unroll::Unrollable;

use claim::Walk;
use solver::Answer;
use std::collections::HashSet;
use std::fmt;
use std::time::{Duration, Instant};

/// A proof whose lemmas a solver still has to answer.
#[derive(Clone, Debug)]
pub struct OpenProof {
    /// The lemmas on which the equality of terms rests, each once.
    pub lemmas: Vec<Lemma>,
    /// How many pairs of terms were found equal by lemmas.
    pub cuts: usize,
    /// How many operations were the same by structure.
    pub shared: usize,
}

/// A proof.
#[derive(Clone, Debug)]
pub struct Proof {
    /// What was proved.
    pub cuts: OpenProof,
    /// Lemmas that were wrong or too hard, for which others were found.
    pub replaced: usize,
    /// How long it took.
    pub time: Duration,
    /// The solver.
    pub solver: String,
}

impl fmt::Display for Proof {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { cuts: OpenProof { lemmas, cuts, shared }, time, solver, .. } = self;
        writeln!(
            f,
            "  proved: for every block it is the definition, in {:.1} s: {shared} operations by \
             structure, {cuts} words by {} lemmas ({solver})",
            time.as_secs_f64(),
            lemmas.len()
        )
    }
}

impl Claim<'_> {
    /// The lemmas that make the claim true, and that no random values refute.
    ///
    /// # Errors
    /// If the core is not the definition.
    pub fn cuts(&self) -> Result<OpenProof, Error> {
        let walk = self.walk(&HashSet::new())?;
        if walk.wrong.is_empty() { Ok(walk.into()) } else { Err(Error::Wrong(walk.blame())) }
    }

    /// The files that prove the handshakes.
    ///
    /// # Errors
    /// If the core is not the definition, or its result does not come out of registers.
    pub fn handshake(&self) -> Result<HandshakeProof, Error> {
        self.walk(&HashSet::new())?.handshake()
    }

    /// Proves the claim.
    ///
    /// # Errors
    /// If the core is not the definition, or no cut is proved.
    pub fn prove(&self, solver: &Solver) -> Result<Proof, Error> {
        let begin = Instant::now();
        let mut refuted = HashSet::new();
        let mut proved: HashSet<String> = HashSet::new();
        // The message about the first lemma that does not hold.
        let mut said = String::new();
        loop {
            let walk = self.walk(&refuted)?;
            if !walk.wrong.is_empty() {
                return Err(Error::Wrong(walk.blame() + &said));
            }
            let lemmas = walk.cuts.lemmas.iter();
            let open: Vec<&Lemma> = lemmas.filter(|lemma| !proved.contains(&lemma.text)).collect();
            let answers = solver.check(&open);
            for (lemma, answer) in open.iter().zip(answers) {
                let why = match answer {
                    Answer::Proved => {
                        proved.insert(lemma.text.clone());
                        continue;
                    }
                    Answer::Refuted(values) => walk.refusal(lemma, &values),
                    Answer::Undecided(said) => {
                        format!(
                            "\n  {} says {said:?} of a lemma over {}",
                            solver.version,
                            walk.over(lemma)
                        )
                    }
                };
                if said.is_empty() {
                    said = why;
                }
                refuted.insert(lemma.text.clone());
            }
            if open.iter().all(|lemma| proved.contains(&lemma.text)) {
                return Ok(Proof {
                    cuts: walk.into(),
                    replaced: refuted.len(),
                    time: begin.elapsed(),
                    solver: solver.version.clone(),
                });
            }
        }
    }

    fn walk(&self, refuted: &HashSet<String>) -> Result<Walk<'_>, Error> {
        Walk::new(self, refuted)
    }
}

impl From<Walk<'_>> for OpenProof {
    fn from(mut walk: Walk<'_>) -> Self {
        let mut lemmas = std::mem::take(&mut walk.cuts.lemmas);
        for cut in &walk.cuts.cuts {
            let name = walk.definition.name(cut.term).unwrap_or("a sum");
            for (i, &number) in cut.lemmas.iter().enumerate() {
                let lemma = &mut lemmas[number];
                if lemma.about.is_empty() {
                    lemma.about = match i {
                        0 => format!("{name}, over {}", walk.over(lemma)),
                        _ => format!("a 3:2 row of {name}"),
                    };
                }
            }
        }
        Self { lemmas, cuts: walk.cuts.cuts.len(), shared: walk.cuts.shared }
    }
}
