//! The best split of a primitive over two unequal cores, p threads, or merged and pipelined
//! hardware, with the gain that is predicted and the limit that no split can pass.
#![forbid(unsafe_code)]

pub mod hardware;
pub mod source;
pub mod threads;
