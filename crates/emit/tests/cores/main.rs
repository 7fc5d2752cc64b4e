//! The cores in simulators and before linters.

mod case;
mod simulation;
mod tools;
