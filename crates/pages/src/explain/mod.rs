//! The report on a graph as a page, and as text for a terminal.

pub mod html;
pub mod limits;
pub mod text;
