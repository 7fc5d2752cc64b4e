//! The texts about a core that the files of its folder have.

use super::bench::TestBlock;
use super::lang::Style;

/// The texts of the files beside the core itself.
#[derive(Clone, Copy, Debug)]
pub struct Project<'p> {
    /// The primitive's title.
    pub title: &'p str,
    /// A warning about its security, if it needs one.
    pub warning: Option<&'p str>,
    /// The command line that makes the folder.
    pub command: &'p str,
    /// Calls of the compression with messages of the standard's form, for the benches of a bare
    /// core.
    pub blocks: &'p [TestBlock],
    /// Language and reset.
    pub style: Style,
}
