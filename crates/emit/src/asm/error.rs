//! The reasons why no assembly can be written.

/// The reasons why there is no program.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// A prefix that names in C cannot have.
    #[error(
        "asm: --name {name:?} {why}; take letters, digits and single underscores, a \
         letter first, that are no word of C"
    )]
    Name {
        /// The name.
        name: String,
        /// The reason.
        why: String,
    },
    /// A node without instructions.
    #[error("asm: {function}: the node {node} {problem}; `manylane emit c` has C for it")]
    Node {
        /// The function.
        function: String,
        /// The node.
        node: String,
        /// The problem with the node.
        problem: String,
    },
    /// A property of a hash that the program around a compression cannot have.
    #[error(
        "asm: {function}: {what}, for which no assembly is written; `manylane emit c` has C for it"
    )]
    Form {
        /// The function.
        function: String,
        /// The property.
        what: &'static str,
    },
}
