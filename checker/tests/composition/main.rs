//! States made of components: the same results in less memory, checkpoints, and what can go wrong
//! with them.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod checkpoint;
mod cluster;
mod killed;
mod same_result;
