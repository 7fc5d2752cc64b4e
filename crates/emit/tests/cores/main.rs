//! The cores in simulators and before linters.

mod case;
mod clearing;
mod folders;
mod modes;
mod proofs;
mod resume;
mod simulation;
mod surroundings;
mod sweep;
mod tools;
