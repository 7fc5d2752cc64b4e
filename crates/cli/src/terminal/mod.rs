//! What the program prints: output, complaints, progress.

pub mod bar;
pub mod output;
pub mod paint;
pub mod progress;
