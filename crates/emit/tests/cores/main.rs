//! The cores in simulators and before linters.

mod case;
mod check;
mod clearing;
mod faults;
mod folders;
mod modes;
mod proofs;
mod record;
mod resume;
mod scratch;
mod simulation;
mod surroundings;
mod sweep;
mod texts;
mod tools;
