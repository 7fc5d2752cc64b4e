//! The name and parameters of a C function, and the expressions of its inputs and outputs.

/// The signature of the C function that computes a graph.
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
    /// The statements that keep compilers from warning of parameters which `lines` do not use.
    pub(super) fn unused(&self, lines: &str) -> String {
        let unused = self.optional.iter().filter(|name| !lines.contains(*name));
        unused.map(|name| format!("    (void){name};\n")).collect()
    }
}
