//! What a C function of a graph is called, and where its inputs and outputs are.

/// How a C function gets a graph's inputs and gives its outputs.
pub(super) struct Signature<'s> {
    /// The prefix of the names of helpers.
    pub prefix: &'s str,
    /// The function's name.
    pub name: &'s str,
    /// Its parameters, in C.
    pub parameters: &'s str,
    /// Names of parameters that a body may leave unused.
    pub optional: &'s [&'s str],
    /// A description of the computation, for a comment.
    pub about: &'s str,
    /// Gives the expression from which an input of this name is read.
    pub input: &'s dyn Fn(&str) -> String,
    /// Gives the place to which an output of this name is written.
    pub output: &'s dyn Fn(&str) -> String,
}

impl Signature<'_> {
    /// The statements that use parameters which the function does not need.
    pub(super) fn unused(&self, lines: &str) -> String {
        let unused = self.optional.iter().filter(|name| !lines.contains(*name));
        unused.map(|name| format!("    (void){name};\n")).collect()
    }
}
