//! Assembly for a microcontroller with two unlike cores, the S12X's CPU and XGATE: complete programs.

/// Why there is no program.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// A prefix that labels and C names cannot begin with.
    #[error(
        "asm: --name {name:?} {why}; a name has ASCII letters, digits and single underscores, begins \
         with a letter, and is no word of C, C++ or their libraries"
    )]
    Name {
        /// The name.
        name: String,
        /// Why not.
        why: String,
    },
    /// A node without instructions.
    #[error("asm: {function}: the node {node} {problem}; `manylane emit c` has C for it")]
    Node {
        /// The function.
        function: String,
        /// The node.
        node: String,
        /// What of it.
        problem: String,
    },
    /// Something of a hash that the program around a compression cannot do.
    #[error("asm: {function}: {what}, for which no assembly is written; `manylane emit c` has C for it")]
    Form {
        /// The function.
        function: String,
        /// What of it.
        what: &'static str,
    },
}
