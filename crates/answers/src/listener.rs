//! What is told while an answer is made.

/// Hears what is told while an answer is made, which may take seconds or measure this machine.
pub trait Listener: Sync {
    /// A search that may take seconds begins: `what` is a line that says what is searched.
    fn searches(&self, what: &str);

    /// Everything that was searched is found.
    fn found(&self);

    /// Something may spoil a measurement.
    fn complain(&self, message: &str);
}
