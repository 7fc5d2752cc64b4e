//! The S12X: its cores, the machine of both, its assemblers and object files.

mod binutils;
mod both;
mod cpu12;
mod gnu;
mod instructions;
mod machine;
mod objects;
mod script;
mod vectors;
