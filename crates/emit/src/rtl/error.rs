//! The reasons why no core can be made.

use manylane_graph::NodeId;
use manylane_plan::hardware;

/// Why there is no core.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// No hardware can be planned.
    #[error(transparent)]
    Plan(#[from] hardware::Error),
    /// The steps differ in more than constants and amounts.
    #[error(
        "rtl: the steps of {function}, {merge} to a clock, are of {kinds} kinds, and a stage makes \
         one; merge as many as repeat{hint}"
    )]
    Kinds {
        /// The function.
        function: String,
        /// Steps per clock.
        merge: usize,
        /// How many kinds.
        kinds: usize,
        /// How many steps repeat, if that is known.
        hint: String,
    },
    /// An operation that hardware has no text for.
    #[error(
        "rtl: {node} of {function} is `{operation}`, which no core has; rotate by constant amounts \
         and \
         choose among them, or take a hash of `manylane list`"
    )]
    Operation {
        /// The function, or the region of it that is repeated.
        function: String,
        /// The node.
        node: NodeId,
        /// What it computes.
        operation: &'static str,
    },
    /// There are no messages for the benches.
    #[error("rtl: a hash in its surroundings is tested by messages, and there are none; give one")]
    NoMessages,
    /// Words of message that cannot be kept in memory.
    #[error("rtl: {function} with --window ram: {why}; or say --window registers")]
    Window {
        /// The function.
        function: String,
        /// The reason, and the alternatives.
        why: String,
    },
    /// Chaining values that a memory does not give back in time.
    #[error(
        "rtl: {function} with --chaining ram: blocks follow each other after {clocks} clocks, and \
         the \
         memory needs {least}; take fewer --stages or a smaller --merge, or --chaining registers"
    )]
    Chaining {
        /// The function.
        function: String,
        /// Clocks between blocks.
        clocks: usize,
        /// Clocks that are needed.
        least: usize,
    },
    /// Chaining values in memory, of a compression that keeps none.
    #[error(
        "rtl: {function} with --chaining ram: a chaining value goes into the state before the \
         first round, and none is kept until the last; say --chaining registers"
    )]
    Unchained {
        /// The function.
        function: String,
    },
    /// There is no stream of this width.
    #[error("rtl: a stream of {0} bits; there are 32, 64, 128, 256 and 512")]
    Width(usize),
    /// A core with modes for fewer than two hashes.
    #[error("rtl: a core with modes has two hashes or more")]
    OneMode,
    /// A hash that is named twice.
    #[error("rtl: {0} is named twice; a hash is one mode")]
    SameMode(String),
    /// Hashes that a core cannot have in common.
    #[error(
        "rtl: {hash} and {other} differ in their {what}; modes of one core differ in the first \
         chaining value and the length of the digest; make a core for each"
    )]
    Modes {
        /// A hash.
        hash: String,
        /// Another one.
        other: String,
        /// What is not the same.
        what: &'static str,
    },
    /// Memory that would have to be cleared.
    #[error(
        "rtl: memory cannot be cleared in a clock: say --window registers --chaining registers \
         with \
         --clear on-done"
    )]
    ClearRam,
    /// A stream that is narrower than the words that go into memory.
    #[error(
        "rtl: words of {word} bits do not go into memory from {width} bits at a time: take \
         --interface \
         axis --width {word} or more, or --window registers"
    )]
    Words {
        /// Bits of a word.
        word: usize,
        /// Bits of the stream, or of the registers.
        width: usize,
    },
    /// A name that a module cannot have.
    #[error(
        "rtl: --name {name:?} {why}; a module's name has letters, digits and single underscores, \
         begins with a letter, and is no word of the languages"
    )]
    Name {
        /// The name.
        name: String,
        /// Why not.
        why: String,
    },
    /// A length in blocks whose size is no power of two.
    #[error("rtl: a length that counts blocks of {0} bytes is not made, only of powers of two")]
    Blocks(usize),
}
