//! Temporal properties: the classic traps one by one, and thousands of random graphs against a
//! decision that tries everything.

mod brute_force;
mod deep;
mod digraph;
mod random;
mod traps;
