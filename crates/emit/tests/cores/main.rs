//! The cores in simulators and before linters.

mod case;
mod clearing;
mod faults;
mod folders;
mod modes;
mod proofs;
mod record;
mod resume;
mod simulation;
mod surroundings;
mod sweep;
mod texts;
mod tools;
