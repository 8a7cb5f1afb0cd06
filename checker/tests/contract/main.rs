//! The meaning of a check, rule by rule, on models that are tables of states and steps.

mod assumptions;
mod constraint;
mod counterexample;
mod counting;
mod deadlock;
mod graph;
mod random;
mod reference;
mod steps;
mod summary;
