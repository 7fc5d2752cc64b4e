//! A proof as files that others can check with their own tools.

use super::{Claim, HandshakeProof, OpenProof};
use std::fmt::Write;

/// The files of a folder `proof` beside a core's Makefile, which includes `proof/rules.mk`.
pub fn files(
    claim: &Claim<'_>,
    cuts: &OpenProof,
    handshake: &HandshakeProof,
) -> Vec<(String, String)> {
    let lemmas = cuts.lemmas.iter().enumerate();
    let mut files: Vec<(String, String)> =
        lemmas.map(|(i, lemma)| (lemma_file(i), lemma.file())).collect();
    files.extend(handshake.files.iter().map(|(name, text)| ((*name).to_owned(), text.clone())));
    files.push(("rules.mk".to_owned(), RULES.to_owned()));
    files.push(("README.md".to_owned(), readme(claim, cuts)));
    let inside = |(name, text): (String, String)| (format!("proof/{name}"), text);
    files.into_iter().map(inside).collect()
}

fn lemma_file(i: usize) -> String {
    format!("lemma_{:02}.smt2", i + 1)
}

const RULES: &str = "\
# make lemmas   the lemmas by an SMT solver, the handshakes by yosys, without manylane
.PHONY: lemmas
SOLVER := z3

prove: lemmas

lemmas:
\t@for lemma in $(sort $(wildcard proof/lemma_*.smt2)); do \\
\t  test \"$$($(SOLVER) $$lemma)\" = unsat || { echo \"$$lemma: not proved\"; exit 1; }; \\
\t  echo \"$$lemma: proved\"; \\
\tdone
\t@cd proof && yosys -q handshake.ys && echo 'proof/handshake.sv: proved'
";

fn readme(claim: &Claim<'_>, cuts: &OpenProof) -> String {
    let (module, latency) = (&claim.core.netlist.name, claim.core.latency);
    let definition = &claim.definition.name;
    let mut out = format!(
        "# Proof of {module}\n\n\
         `make lemmas` in the folder above checks these files again; `make lemmas SOLVER=bitwuzla` \
         with another solver. They are about the netlist; that the text in `rtl/`, as it stands, \
         is \
         that netlist, `make prove` proves too.\n\n\
         **For every block and chaining value**: a block that is taken comes out {latency} clocks \
         later, those in which a result waits not counted, with its tag, as {definition} of the \
         definition. Whatever the registers hold when it is taken and the ports carry later: \
         blocks \
         before and after do not matter.\n\n\
         The core's signals were followed, clock by clock, as terms over the block. {} operations \
         are the definition's own. {} words are computed otherwise, and each is equal to the \
         definition's by a lemma over a few words, which may have any values:\n\n",
        cuts.shared, cuts.cuts,
    );
    if !cuts.lemmas.is_empty() {
        out.push_str("| lemma | used | the first time for |\n|---|--:|---|\n");
    }
    for (i, lemma) in cuts.lemmas.iter().enumerate() {
        let _ = writeln!(out, "| [{0}]({0}) | {1} | {2} |", lemma_file(i), lemma.uses, lemma.about);
    }
    out.push_str(
        "\n**The handshakes**, by induction over clocks ([handshake.sv](handshake.sv)): each block \
         comes out, once, in its turn, and nothing else does; a result stands until it is taken; a \
         block is taken as soon as there is room. `in_ready` does not depend on `in_valid`, nor \
         `out_valid` on `out_ready`, within a clock.\n",
    );
    out
}
